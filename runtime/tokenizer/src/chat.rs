//! Chat templates: the Jinja text in a checkpoint that turns messages into a prompt.

use minijinja::syntax::SyntaxConfig;
use minijinja::value::Serde;
use minijinja::{Environment, ErrorKind, context};
use serde::Serialize;

use crate::error::TokenizeError;

/// One turn of a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Message {
    /// `system`, `user` or `assistant`.
    pub role: String,
    /// What was said.
    pub content: String,
}

/// A compiled chat template.
#[derive(Debug)]
pub struct ChatTemplate {
    environment: Environment<'static>,
    bos: String,
    eos: String,
}

const NAME: &str = "chat template";

impl ChatTemplate {
    /// `bos` and `eos` are what the template may refer to as `bos_token` and `eos_token`.
    pub fn new(source: &str, bos: &str, eos: &str) -> Result<Self, TokenizeError> {
        let mut environment = Environment::new();
        // The settings with which such templates are written: Python's string methods, no blank lines from blocks.
        environment.set_syntax(SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build()?);
        environment.set_unknown_method_callback(minijinja_contrib::pycompat::unknown_method_callback);
        environment.add_function("raise_exception", |reason: String| -> Result<String, minijinja::Error> {
            Err(minijinja::Error::new(ErrorKind::InvalidOperation, reason))
        });
        environment.add_template_owned(NAME, source.to_owned())?;
        Ok(Self { environment, bos: bos.to_owned(), eos: eos.to_owned() })
    }

    /// The prompt that asks for the assistant's next turn. Encode it without adding special tokens: it holds them.
    pub fn render(&self, messages: &[Message]) -> Result<String, TokenizeError> {
        let template = self.environment.get_template(NAME)?;
        Ok(template.render(context! {
            messages => Serde(messages), bos_token => &self.bos, eos_token => &self.eos, add_generation_prompt => true
        })?)
    }
}
