//! Chat templates: the Jinja text in a checkpoint that turns messages into a prompt.

use std::sync::LazyLock;

use minijinja::syntax::SyntaxConfig;
use minijinja::value::Serde;
use minijinja::{Environment, ErrorKind, context};
use regex::Regex;
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

/// A chat template. It is parsed when it is used: a model whose template is wrong still completes plain text.
#[derive(Debug)]
pub struct ChatTemplate {
    source: Result<String, String>,
    bos: String,
    eos: String,
}

const NAME: &str = "chat template";

/// Instructions, and pieces of 64 bytes of what a template makes: bounds its time and its memory (128 MB).
pub(crate) const STEPS: u64 = 2_000_000;

/// A tag of trainers, who want to know what the assistant said; it does nothing to the text.
static GENERATION: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\{%([-+]?)\s*(end)?generation\s*([-+]?)%\}").expect("the pattern is a constant and tested")
});

impl ChatTemplate {
    /// `bos` and `eos` are what the template may refer to as `bos_token` and `eos_token`.
    #[must_use]
    pub fn new(source: &str, bos: &str, eos: &str) -> Self {
        Self { source: Ok(source.to_owned()), bos: bos.to_owned(), eos: eos.to_owned() }
    }

    /// Stands for a template that cannot be used, and says why when it is.
    pub(crate) fn unusable(reason: String) -> Self {
        Self { source: Err(reason), bos: String::new(), eos: String::new() }
    }

    /// The texts that rendering puts together, besides messages.
    pub(crate) fn texts(&self) -> [&str; 3] {
        [self.source.as_deref().unwrap_or_default(), &self.bos, &self.eos]
    }

    /// The prompt that asks for the assistant's next turn, as text.
    pub fn render(&self, messages: &[Message]) -> Result<String, TokenizeError> {
        let source = self.source.as_ref().map_err(|reason| TokenizeError::NoUsableTemplate(reason.clone()))?;
        let source = GENERATION.replace_all(source, |tag: &regex::Captures<'_>| {
            let name = if tag.get(2).is_some() { "endif" } else { "if true" };
            format!("{{%{} {name} {}%}}", &tag[1], &tag[3])
        });
        let environment = environment(source.into_owned())?;
        let rendered = environment.get_template(NAME)?.render(context! {
            messages => Serde(messages), bos_token => &self.bos, eos_token => &self.eos, add_generation_prompt => true
        });
        rendered.map_err(|error| if ran_out(&error) { TokenizeError::TemplateSteps } else { error.into() })
    }
}

/// The settings with which such templates are written: Python's string methods, no blank lines from blocks.
fn environment(source: String) -> Result<Environment<'static>, TokenizeError> {
    let mut environment = Environment::new();
    environment.set_fuel(Some(STEPS));
    environment.set_syntax(SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build()?);
    environment.set_unknown_method_callback(minijinja_contrib::pycompat::unknown_method_callback);
    environment.add_function("raise_exception", |reason: String| -> Result<String, minijinja::Error> {
        Err(minijinja::Error::new(ErrorKind::InvalidOperation, reason))
    });
    environment.add_template_owned(NAME, source)?;
    Ok(environment)
}

/// Whether the limit is the cause, however deep the template was.
fn ran_out(error: &minijinja::Error) -> bool {
    let mut cause: Option<&(dyn std::error::Error + 'static)> = Some(error);
    while let Some(this) = cause {
        if this.downcast_ref::<minijinja::Error>().is_some_and(|e| e.kind() == ErrorKind::OutOfFuel) {
            return true;
        }
        cause = this.source();
    }
    false
}
