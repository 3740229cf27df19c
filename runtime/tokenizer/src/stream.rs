//! Decoding of ids as they come.

use crate::error::TokenizeError;
use crate::{Token, Tokenizer};

/// Collects the bytes of tokens and gives out whole characters.
pub struct StreamDecoder<'a> {
    tokenizer: &'a Tokenizer,
    pending: Vec<u8>,
}

impl<'a> StreamDecoder<'a> {
    pub(crate) fn new(tokenizer: &'a Tokenizer) -> Self {
        Self { tokenizer, pending: Vec::new() }
    }

    /// The text that this token completes; empty while a character is still incomplete.
    pub fn push(&mut self, id: u32) -> Result<String, TokenizeError> {
        match self.tokenizer.token(id)? {
            Token::Bytes(bytes) => self.pending.extend_from_slice(bytes),
            Token::Control => return Ok(self.finish()),
        }
        Ok(drain_characters(&mut self.pending))
    }

    /// What is left at the end: U+FFFD if a character stayed incomplete.
    pub fn finish(&mut self) -> String {
        String::from_utf8_lossy(&std::mem::take(&mut self.pending)).into_owned()
    }
}

/// Takes everything but an incomplete last character; impossible bytes become U+FFFD at once.
fn drain_characters(pending: &mut Vec<u8>) -> String {
    let incomplete = match pending.utf8_chunks().last() {
        // Bytes that no continuation could complete are followed by an empty chunk or by more text.
        Some(last) if could_continue(last.invalid()) => last.invalid().len(),
        _ => 0,
    };
    let rest = pending.split_off(pending.len() - incomplete);
    let whole = std::mem::replace(pending, rest);
    String::from_utf8_lossy(&whole).into_owned()
}

/// Whether the bytes are the beginning of a character.
fn could_continue(bytes: &[u8]) -> bool {
    match std::str::from_utf8(bytes) {
        Ok(_) => false,
        Err(error) => error.error_len().is_none(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(bytes: &[&[u8]]) -> Vec<String> {
        let mut pending = Vec::new();
        let push = |piece: &&[u8]| {
            pending.extend_from_slice(piece);
            drain_characters(&mut pending)
        };
        bytes.iter().map(push).collect()
    }

    #[test]
    fn a_character_comes_out_with_its_last_byte() {
        assert_eq!(pieces(&[b"a\xf0\x9f", b"\x98", b"\x80b"]), ["a", "", "😀b"]);
    }

    #[test]
    fn impossible_bytes_do_not_hold_up_the_text() {
        assert_eq!(pieces(&[b"a\xff", b"b", b"\xc3", b"c"]), ["a\u{fffd}", "b", "", "\u{fffd}c"]);
    }
}
