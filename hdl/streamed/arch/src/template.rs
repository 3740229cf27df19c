//! A new config to start from: every field with its meaning and the values allowed.

use crate::config;
use crate::fields::NUMBERS;
use crate::overlay::StreamedConfig;
use sagen_config::{Board, ConfigError, ConfigFile};
use std::fmt::Write;

/// Characters of a line.
const LINE: usize = 118;

/// The text of a config for the file called `stem`: the values of `like` on a board.
pub fn template(like: &ConfigFile, board: &Board, stem: &str) -> Result<String, ConfigError> {
    let read = config::read(like)?;
    let unfit = |reason: String| ConfigError::Overlay { file: like.path.clone(), reason };
    let made = read.on_board(board, stem).map_err(|reason| unfit(reason.to_string()))?;
    Ok(made.template(read.name(), &like.boards))
}

impl StreamedConfig {
    /// The config as a file, with a comment above every field.
    fn template(&self, like: &str, boards: &[Board]) -> String {
        let f = self.file();
        let known = boards.iter().map(|b| format!("{} ({})", b.name, b.title)).collect::<Vec<_>>().join(", ");
        let mut text = format!("# An overlay for the {}, started from {like}.\n\n", self.board().title);
        let name =
            "The name that the fields make, or a word before it as in word_name; `sagen show` tells what is wrong.";
        put(&mut text, 0, name, "name", &f.name);
        put(&mut text, 0, &format!("One of configs/boards: {known}."), "board", &f.board);
        let mut open = "";
        for number in NUMBERS {
            let (group, key) = number.path.split_once('.').unwrap_or(("", number.path));
            if group != open && !group.is_empty() {
                writeln!(text, "\n{group}:").expect("a string can be written to");
            }
            open = group;
            let comment = format!("{} Allowed: {}.", number.doc, number.allowed);
            put(&mut text, if group.is_empty() { 0 } else { 2 }, &comment, key, &(number.value)(f).to_string());
        }
        text
    }
}

/// A field below its comment, which is broken into lines.
fn put(text: &mut String, indent: usize, comment: &str, key: &str, value: &str) {
    let margin = " ".repeat(indent);
    if indent == 0 && !text.ends_with("\n\n") {
        text.push('\n');
    }
    let mut line = format!("{margin}#");
    for word in comment.split(' ') {
        if line.len() + word.len() > LINE {
            *text += &format!("{line}\n");
            line = format!("{margin}#");
        }
        line += &format!(" {word}");
    }
    *text += &format!("{line}\n{margin}{key}: {value}\n");
}
