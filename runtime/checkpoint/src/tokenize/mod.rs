//! Text to token ids and back.
//!
//! Decoding works on the exact bytes of each token and does not go through the tokenizer library, so it is lossless and
//! can be done token by token.

mod byte_level;
mod chat;
mod error;
mod gguf;
mod huggingface;
mod stream;

pub use chat::{ChatTemplate, Message};
pub use error::TokenizeError;
pub use stream::StreamDecoder;

use crate::weights::{Checkpoint, Source};

/// A model's tokenizer.
pub struct Tokenizer {
    inner: tokenizers::Tokenizer,
    tokens: Vec<Token>,
    /// Put before the text by `encode`, where the library's own post-processor does not do it.
    prefix: Option<u32>,
    bos: Option<u32>,
    end: Vec<u32>,
    chat: Option<ChatTemplate>,
}

/// What a token stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Token {
    /// These bytes of text, not necessarily whole characters.
    Bytes(Vec<u8>),
    /// A mark that is no text, such as the end of a turn.
    Control,
}

impl Tokenizer {
    /// The tokenizer that comes with a checkpoint.
    pub fn load(checkpoint: &Checkpoint) -> Result<Self, TokenizeError> {
        let tokenizer = match checkpoint.source() {
            Source::Gguf(file, _) => gguf::load(file.metadata()),
            Source::HuggingFace(directory, _) => huggingface::load(directory.path()),
            Source::Random(_) => Err(TokenizeError::NoTokenizer),
        };
        // A model may have more rows than ids, for the sake of round sizes, but not fewer.
        let vocab = checkpoint.config().vocab;
        let fitting = tokenizer.and_then(|tokenizer| match tokenizer.vocab() {
            found if found > vocab => Err(TokenizeError::Vocabulary { found, vocab }),
            _ => Ok(tokenizer),
        });
        fitting.map_err(|reason| TokenizeError::File { path: checkpoint.path().to_owned(), reason: Box::new(reason) })
    }

    /// Ids of a text. `add_special` adds the marks that the model expects around a raw text, such as a leading BOS.
    pub fn encode(&self, text: &str, add_special: bool) -> Result<Vec<u32>, TokenizeError> {
        let encoding = self.inner.encode_fast(text, add_special).map_err(|e| TokenizeError::library("encode", e))?;
        let prefix = self.prefix.filter(|_| add_special);
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
        self.tokens.len()
    }

    /// The begin-of-sequence token, if the model has one.
    #[must_use]
    pub fn bos(&self) -> Option<u32> {
        self.bos
    }

    /// The tokens that end a generation.
    #[must_use]
    pub fn end(&self) -> &[u32] {
        &self.end
    }

    /// The chat template, if the checkpoint has one.
    #[must_use]
    pub fn chat(&self) -> Option<&ChatTemplate> {
        self.chat.as_ref()
    }

    fn token(&self, id: u32) -> Result<&Token, TokenizeError> {
        self.tokens.get(id as usize).ok_or(TokenizeError::UnknownId { found: id, vocab: self.tokens.len() })
    }
}
