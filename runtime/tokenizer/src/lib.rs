//! Text to token ids and back.
//!
//! Decoding works on the exact bytes of each token and does not go through the tokenizer library, so it is lossless and
//! can be done token by token.
//!
//! Text is text: what it spells becomes a control token only where the caller says that it may
//! ([`Tokenizer::encode_special`]) or where a chat template wrote it ([`Tokenizer::encode_chat`]).

pub mod byte_level;
mod chat;
mod control;
mod coverage;
mod encode;
mod error;
mod huggingface;
mod limits;
mod mark;
mod stream;

pub use chat::{ChatTemplate, Message};
pub use error::TokenizeError;
pub use stream::StreamDecoder;

use std::path::Path;

use control::Controls;
use coverage::Coverage;

/// A model's tokenizer.
pub struct Tokenizer {
    parts: Parts,
    controls: Controls,
    coverage: Coverage,
}

/// Ids that a vocabulary may have; tables are as long as the greatest id.
pub const MOST_IDS: usize = 1 << 20;

/// What a tokenizer is made of, whatever file it came from.
pub struct Parts {
    /// Cuts and merges text.
    pub inner: tokenizers::Tokenizer,
    /// What each id stands for.
    pub tokens: Vec<Token>,
    /// Put before the text by `encode`, where the library's own post-processor does not do it.
    pub prefix: Option<u32>,
    /// The begin-of-sequence token.
    pub bos: Option<u32>,
    /// The tokens that end a generation.
    pub end: Vec<u32>,
    /// The chat template.
    pub chat: Option<ChatTemplate>,
}

/// What a token stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Token {
    /// These bytes of text, not necessarily whole characters.
    Bytes(Vec<u8>),
    /// A mark that is no text, such as the end of a turn.
    Control,
}

impl Tokenizer {
    /// From parts that a file format spells in its own way.
    pub fn new(mut parts: Parts) -> Result<Self, TokenizeError> {
        // Control tokens are looked for here, where it is known whose text it is.
        parts.inner.set_encode_special_tokens(true);
        // Files may ask for texts to be cut or filled up, for training.
        parts.inner.with_padding(None);
        parts.inner.with_truncation(None).map_err(|e| TokenizeError::library("lift the limit on length", e))?;
        let (controls, coverage) = (Controls::new(&parts.inner)?, Coverage::of(&parts.inner));
        Ok(Self { parts, controls, coverage })
    }

    /// The tokenizer of a Hugging Face directory.
    pub fn of_directory(directory: &Path) -> Result<Self, TokenizeError> {
        Self::new(huggingface::load(directory)?)
    }

    /// Text of ids; control tokens are left out and bytes that are not UTF-8 become U+FFFD.
    pub fn decode(&self, ids: &[u32]) -> Result<String, TokenizeError> {
        let mut stream = self.stream();
        let mut text = String::new();
        for id in ids {
            text += &stream.push(*id)?;
        }
        Ok(text + &stream.finish())
    }

    /// A decoder for ids as they come.
    #[must_use]
    pub fn stream(&self) -> StreamDecoder<'_> {
        StreamDecoder::new(self)
    }

    /// Number of ids.
    #[must_use]
    pub fn vocab(&self) -> usize {
        self.parts.tokens.len()
    }

    /// The begin-of-sequence token, if the model has one.
    #[must_use]
    pub fn bos(&self) -> Option<u32> {
        self.parts.bos
    }

    /// The tokens that end a generation.
    #[must_use]
    pub fn end(&self) -> &[u32] {
        &self.parts.end
    }

    /// The chat template, if the checkpoint has one.
    #[must_use]
    pub fn chat(&self) -> Option<&ChatTemplate> {
        self.parts.chat.as_ref()
    }

    fn token(&self, id: u32) -> Result<&Token, TokenizeError> {
        self.parts.tokens.get(id as usize).ok_or(TokenizeError::UnknownId { found: id, vocab: self.parts.tokens.len() })
    }
}
