//! The tokenizer that comes with a checkpoint.

mod error;
mod gguf;

pub use error::{TokenizerError, TokenizerReason};

use sagen_tokenizer::Tokenizer;

use crate::weights::{Checkpoint, Source};

impl Checkpoint {
    /// The checkpoint's tokenizer.
    pub fn tokenizer(&self) -> Result<Tokenizer, TokenizerError> {
        self.read_tokenizer()
            .map_err(|reason| TokenizerError { path: self.path().to_owned(), reason: Box::new(reason) })
    }

    fn read_tokenizer(&self) -> Result<Tokenizer, TokenizerReason> {
        let tokenizer = match self.source() {
            Source::Gguf(file, _) => gguf::load(file.metadata())?,
            Source::HuggingFace(directory, _) => Tokenizer::of_directory(directory.path())?,
            Source::Random(_) => return Err(TokenizerReason::None),
        };
        // A model may have more rows than ids, for the sake of round sizes, but not fewer.
        let (found, vocab) = (tokenizer.vocab(), self.config().vocab);
        if found > vocab { Err(TokenizerReason::Vocabulary { found, vocab }) } else { Ok(tokenizer) }
    }
}
