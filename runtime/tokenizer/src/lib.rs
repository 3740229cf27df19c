//! Text to token ids and back.
//!
//! Decoding works on the exact bytes of each token and does not go through the tokenizer library, so it is lossless and
//! can be done token by token.

pub mod byte_level;
mod chat;
mod error;
mod huggingface;
mod stream;

pub use chat::{ChatTemplate, Message};
pub use error::TokenizeError;
pub use stream::StreamDecoder;

use std::path::Path;

/// A model's tokenizer.
pub struct Tokenizer(Parts);

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
    #[must_use]
    pub fn new(parts: Parts) -> Self {
        Self(parts)
    }

    /// The tokenizer of a Hugging Face directory.
    pub fn of_directory(directory: &Path) -> Result<Self, TokenizeError> {
        huggingface::load(directory).map(Self)
    }

    /// Ids of a text. `add_special` adds the marks that the model expects around a raw text, such as a leading BOS.
    pub fn encode(&self, text: &str, add_special: bool) -> Result<Vec<u32>, TokenizeError> {
        let encoding = self.0.inner.encode_fast(text, add_special).map_err(|e| TokenizeError::library("encode", e))?;
        let prefix = self.0.prefix.filter(|_| add_special);
        Ok(prefix.into_iter().chain(encoding.get_ids().iter().copied()).collect())
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
        self.0.tokens.len()
    }

    /// The begin-of-sequence token, if the model has one.
    #[must_use]
    pub fn bos(&self) -> Option<u32> {
        self.0.bos
    }

    /// The tokens that end a generation.
    #[must_use]
    pub fn end(&self) -> &[u32] {
        &self.0.end
    }

    /// The chat template, if the checkpoint has one.
    #[must_use]
    pub fn chat(&self) -> Option<&ChatTemplate> {
        self.0.chat.as_ref()
    }

    fn token(&self, id: u32) -> Result<&Token, TokenizeError> {
        self.0.tokens.get(id as usize).ok_or(TokenizeError::UnknownId { found: id, vocab: self.0.tokens.len() })
    }
}
