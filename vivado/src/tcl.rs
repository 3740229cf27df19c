//! Text of a user inside Tcl scripts.

use std::collections::HashMap;
use std::fmt::Write;
use tera::{Tera, Value};

/// A Tera with the filter `tcl`, which makes one word of a text.
pub(crate) fn tera() -> Tera {
    let mut tera = Tera::default();
    tera.register_filter("tcl", |value: &Value, _: &HashMap<String, Value>| {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_string);
        Ok(Value::String(word(&text)))
    });
    tera
}

/// One word that Tcl reads as `text`, in a command as well as in a list.
fn word(text: &str) -> String {
    if text.is_empty() {
        return "{}".to_string();
    }
    let mut word = String::new();
    for c in text.chars() {
        match c {
            c if c.is_ascii_alphanumeric() || "_-./:,".contains(c) => word.push(c),
            c if c.is_control() => write!(word, "\\u{:04x}", u32::from(c)).expect("a string can be written to"),
            c if c.is_ascii() => word.extend(['\\', c]),
            c => word.push(c),
        }
    }
    word
}

#[cfg(test)]
mod tests {
    use super::word;
    use std::process::Command;

    const TEXTS: [&str; 9] = [
        "xck26-sfvc784-2LV-c",
        "",
        "x [exec touch made_by_tcl]",
        "a\"b; exec touch made_by_tcl",
        "$env(HOME) #",
        "}\nexec touch made_by_tcl\n{",
        "un{balanced",
        "back\\slash \\",
        "tab\tand line\r\nend",
    ];

    #[test]
    fn tcl_reads_what_was_written_and_runs_nothing() {
        for text in TEXTS {
            let folder = tempfile::tempdir().expect("a folder");
            let script = format!(
                "set plain {word}\nset list {{ first {word} }}\nfconfigure stdout -translation lf\n\
                 puts -nonewline $plain|[lindex $list 1]|[llength $list]",
                word = word(text)
            );
            std::fs::write(folder.path().join("script.tcl"), script).expect("a script");
            let output = Command::new("tclsh").arg("script.tcl").current_dir(folder.path()).output().expect("tclsh");
            let read = String::from_utf8(output.stdout).expect("text");
            assert_eq!(read, format!("{text}|{text}|2"), "{}", String::from_utf8_lossy(&output.stderr));
            assert!(!folder.path().join("made_by_tcl").exists(), "{text}");
        }
    }

    #[test]
    fn every_text_of_the_settings_is_one_word() {
        let settings = include_str!("../templates/settings.tcl");
        for name in ["expected.config", "expected.board", "expected.part", "expected.key", "board_part"] {
            let all = settings.matches(&format!("{{{{ {name}")).count();
            assert_eq!((all, settings.matches(&format!("{{{{ {name} | tcl }}}}")).count()), (1, 1), "{name}");
        }
        assert!(!settings.contains("join(sep"));
    }
}
