//! What a model is asked: a text from the command line, a file or the registry, as token ids.
//!
//! Messages call options by the names that all commands have for them.

use std::path::{Path, PathBuf};

use sagen_checkpoint::registry::{self, RegistryError};
use sagen_host::files;
use sagen_tokenizer::{Message, TokenizeError, Tokenizer};

/// A prompt that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum PromptError {
    /// The file could not be read.
    #[error("{}: {reason}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: std::io::Error,
    },
    /// The file is no text.
    #[error("{}: not UTF-8 at byte {at}", path.display())]
    NotUtf8 {
        /// The file.
        path: PathBuf,
        /// First byte that is wrong.
        at: usize,
    },
    /// Only models of the registry bring a prompt.
    #[error("--model-path needs --prompt or --prompt-file")]
    Missing,
    /// Nothing to start from.
    #[error("the prompt is empty; at least one token is needed")]
    Empty,
    /// A conversation was asked for.
    #[error("--chat: this model has no chat template")]
    NoTemplate,
    /// No room for what was asked for.
    #[error("{prompt} prompt tokens and {more} more do not fit --context {context}")]
    Context {
        /// Tokens of the prompt.
        prompt: usize,
        /// Tokens to be decoded.
        more: usize,
        /// Longest sequence.
        context: usize,
    },
    /// There is no such model.
    #[error(transparent)]
    Registry(Box<RegistryError>),
    /// The tokenizer or the template refuses the text.
    #[error(transparent)]
    Tokenize(#[from] TokenizeError),
}

impl From<RegistryError> for PromptError {
    fn from(reason: RegistryError) -> Self {
        Self::Registry(Box::new(reason))
    }
}

/// Bytes of the longest prompt: far more than any context holds.
const LARGEST: u64 = 16 << 20;

/// What the user wrote, or the own prompt of a model of the registry.
pub fn read(text: Option<&str>, file: Option<&Path>, model: Option<&str>) -> Result<String, PromptError> {
    let prompt = match (text, file, model) {
        (Some(text), _, _) => text.to_owned(),
        (None, Some(path), _) => {
            let bytes = files::read_within(path, LARGEST);
            let bytes = bytes.map_err(|reason| PromptError::File { path: path.to_owned(), reason })?;
            String::from_utf8(bytes).map_err(|e| {
                let at = e.utf8_error().valid_up_to();
                PromptError::NotUtf8 { path: path.to_owned(), at }
            })?
        }
        (None, None, None) => return Err(PromptError::Missing),
        (None, None, Some(model)) => registry::find(model)?.prompt().to_owned(),
    };
    if prompt.is_empty() { Err(PromptError::Empty) } else { Ok(prompt) }
}

/// How a text becomes ids.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Style {
    /// The model's template makes a user message of it.
    pub chat: bool,
    /// Control tokens that it spells become what they say.
    pub special: bool,
}

/// A prompt as ids.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Encoded {
    /// The ids.
    pub ids: Vec<u32>,
    /// Begin-of-sequence tokens were left out, for there was more than one.
    pub repeated_bos: bool,
}

/// Token ids of a prompt.
pub fn encode(tokenizer: &Tokenizer, prompt: &str, style: Style) -> Result<Encoded, PromptError> {
    let message = || [Message { role: "user".to_owned(), content: prompt.to_owned() }];
    let template = || tokenizer.chat().ok_or(PromptError::NoTemplate);
    let mut ids = match (style.chat, style.special) {
        (false, false) => tokenizer.encode(prompt, true)?,
        (false, true) => tokenizer.encode_special(prompt, true)?,
        (true, true) => tokenizer.encode_special(&template()?.render(&message())?, false)?,
        (true, false) => {
            template()?;
            tokenizer.encode_chat(&message())?
        }
    };
    let repeated_bos = tokenizer.drop_repeated_bos(&mut ids);
    Ok(Encoded { ids, repeated_bos })
}

/// Refuses what does not fit: the last token decoded is not put in again.
pub fn fits(prompt: usize, more: usize, context: usize) -> Result<(), PromptError> {
    if prompt + more > context + 1 { Err(PromptError::Context { prompt, more, context }) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    #[test]
    fn a_prompt_that_is_none_is_refused() {
        let refuses = |result: Result<String, PromptError>, text: Expect| {
            text.assert_eq(&result.unwrap_err().to_string());
        };
        refuses(read(Some(""), None, None), expect!["the prompt is empty; at least one token is needed"]);
        refuses(read(None, None, None), expect!["--model-path needs --prompt or --prompt-file"]);
        refuses(read(None, None, Some("gpt-5")), expect!["unknown model `gpt-5` (known: smollm2)"]);
        assert_eq!(read(Some("a"), None, Some("gpt-5")).unwrap(), "a");
    }

    #[test]
    fn the_last_token_needs_no_place_in_the_context() {
        assert!(fits(60, 5, 64).is_ok());
        expect!["60 prompt tokens and 6 more do not fit --context 64"]
            .assert_eq(&fits(60, 6, 64).unwrap_err().to_string());
    }
}
