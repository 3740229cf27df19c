//! Characters that a vocabulary cannot spell. The tokenizer library leaves them out without a word.

use tokenizers::ModelWrapper;
use tokenizers::tokenizer::{NormalizedString, Normalizer};

use crate::byte_level;
use crate::error::TokenizeError;

/// What a byte-level vocabulary can spell.
pub(crate) struct Coverage {
    /// Bytes without a token of their own.
    missing: Vec<u8>,
    /// Stands for everything else.
    unknown: Option<u32>,
}

impl Coverage {
    /// Of a tokenizer.
    pub(crate) fn of(inner: &tokenizers::Tokenizer) -> Self {
        let mut missing: Vec<u8> = (0..=u8::MAX).collect();
        for text in inner.get_vocab(false).keys() {
            if let Some([byte]) = byte_level::bytes(text).as_deref() {
                missing.retain(|other| other != byte);
            }
        }
        let unknown = match inner.get_model() {
            ModelWrapper::BPE(bpe) => bpe.get_unk_token().as_deref().and_then(|token| inner.token_to_id(token)),
            ModelWrapper::WordPiece(_) | ModelWrapper::WordLevel(_) | ModelWrapper::Unigram(_) => None,
        };
        Self { missing, unknown }
    }

    /// The token for unknown characters.
    pub(crate) fn unknown(&self) -> Option<u32> {
        self.unknown
    }

    /// Refuses a text of which `spelt`, the bytes of its tokens, leaves a character out. `start`: bytes before the text.
    pub(crate) fn check(
        &self,
        inner: &tokenizers::Tokenizer,
        text: &str,
        start: usize,
        spelt: impl FnOnce() -> Vec<u8>,
    ) -> Result<(), TokenizeError> {
        if self.missing.is_empty() || self.unknown.is_some() || !text.bytes().any(|b| self.missing.contains(&b)) {
            return Ok(());
        }
        let mut normal = NormalizedString::from(text);
        if let Some(normalizer) = inner.get_normalizer() {
            normalizer.normalize(&mut normal).map_err(|e| TokenizeError::library("normalise the text", e))?;
        }
        let (text, spelt) = (normal.get(), spelt());
        // Some tokenizers put a blank in front.
        let rest = if text.starts_with(' ') { &spelt[..] } else { spelt.strip_prefix(b" ").unwrap_or(&spelt) };
        let same = text.bytes().zip(rest).take_while(|(a, b)| a == *b).count();
        let lost = text.char_indices().find(|(at, c)| at + c.len_utf8() > same);
        match lost {
            Some((at, character)) => Err(TokenizeError::NoToken { character, at: start + at }),
            None => Ok(()),
        }
    }
}
