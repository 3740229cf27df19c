//! Where a text spells control tokens.

use aho_corasick::{AhoCorasick, MatchKind};

use crate::error::TokenizeError;

/// The tokens that the tokenizer library calls special.
pub(crate) struct Controls {
    tokens: Vec<Control>,
    finder: AhoCorasick,
}

struct Control {
    id: u32,
    text: String,
    /// Takes the blanks before it, after it.
    strips: (bool, bool),
    /// Only between characters that are part of no word.
    single_word: bool,
}

/// A part of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Piece<'t> {
    /// Text, and the byte at which it begins.
    Text(&'t str, usize),
    /// A control token.
    Control(u32),
}

impl Controls {
    /// Those of a tokenizer.
    pub(crate) fn new(inner: &tokenizers::Tokenizer) -> Result<Self, TokenizeError> {
        let added = inner.get_added_tokens_decoder().into_iter();
        let special = added.filter(|(_, token)| token.special && !token.content.is_empty());
        let tokens: Vec<Control> = special
            .map(|(id, token)| Control {
                id,
                strips: (token.lstrip, token.rstrip),
                single_word: token.single_word,
                text: token.content,
            })
            .collect();
        let finder =
            AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(tokens.iter().map(|t| &t.text));
        let finder = finder.map_err(|e| TokenizeError::library("search for the special tokens", Box::new(e)))?;
        Ok(Self { tokens, finder })
    }

    /// Whether a control token begins with this character.
    pub(crate) fn begin_with(&self, c: char) -> bool {
        self.tokens.iter().any(|token| token.text.starts_with(c))
    }

    /// Cuts a text at the control tokens that it spells.
    pub(crate) fn split<'t>(&self, text: &'t str) -> Vec<Piece<'t>> {
        let (mut pieces, mut done) = (Vec::new(), 0);
        for found in self.finder.find_iter(text) {
            let token = &self.tokens[found.pattern().as_usize()];
            let (before, after) = (&text[done.min(found.start())..found.start()], &text[found.end()..]);
            if token.single_word && (text[..found.start()].ends_with(is_word) || after.starts_with(is_word)) {
                continue;
            }
            let before = if token.strips.0 { before.trim_end() } else { before };
            if !before.is_empty() {
                pieces.push(Piece::Text(before, done));
            }
            pieces.push(Piece::Control(token.id));
            done = text.len() - if token.strips.1 { after.trim_start().len() } else { after.len() };
        }
        if done < text.len() {
            pieces.push(Piece::Text(&text[done..], done));
        }
        pieces
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}
