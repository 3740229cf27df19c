//! The ids in `tokenizer.json`, looked at before anything as long as the greatest of them is made.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;

use crate::MOST_IDS;
use crate::error::TokenizeError;

/// What of the file has ids.
#[derive(Deserialize)]
pub(crate) struct Written {
    #[serde(default)]
    added_tokens: Vec<Added>,
    model: Model,
    #[serde(default)]
    post_processor: Value,
}

#[derive(Deserialize)]
struct Added {
    id: u64,
    content: String,
}

#[derive(Deserialize)]
struct Model {
    #[serde(default)]
    vocab: Vocab,
}

/// Ids by token, or a list that numbers itself.
#[derive(Deserialize)]
#[serde(untagged)]
enum Vocab {
    Ids(BTreeMap<String, u64>),
    Other(IgnoredAny),
}

impl Default for Vocab {
    fn default() -> Self {
        Self::Other(IgnoredAny)
    }
}

/// Refuses ids beyond the limit.
pub(crate) fn check(bytes: &[u8]) -> Result<Written, TokenizeError> {
    let written: Written =
        serde_json::from_slice(bytes).map_err(|reason| TokenizeError::Json { file: "tokenizer.json", reason })?;
    let added = written.added_tokens.iter().map(|added| ("added_tokens", &added.content, added.id));
    let vocab = match &written.model.vocab {
        Vocab::Ids(ids) => Some(ids),
        Vocab::Other(_) => None,
    };
    let vocab = vocab.into_iter().flatten().map(|(token, id)| ("model.vocab", token, *id));
    match vocab.chain(added).find(|(_, _, id)| *id >= MOST_IDS as u64) {
        Some((field, token, found)) => Err(TokenizeError::IdLimit { field, found, token: token.clone() }),
        None => {
            templates(&written.post_processor)?;
            Ok(written)
        }
    }
}

/// Every special token that a template of the post-processor names is explained there; the library relies on it.
fn templates(processor: &Value) -> Result<(), TokenizeError> {
    processor["processors"].as_array().into_iter().flatten().try_for_each(templates)?;
    if processor["type"] != "TemplateProcessing" {
        return Ok(());
    }
    let named = ["single", "pair"].iter().flat_map(|field| names(&processor[*field]));
    match named.into_iter().find(|name| processor["special_tokens"][name].is_null()) {
        Some(token) => Err(TokenizeError::Unexplained { token }),
        None => Ok(()),
    }
}

/// Special tokens of a template, which is a list of pieces or a text such as `<s> $A:0`.
fn names(template: &Value) -> Vec<String> {
    let piece = |piece: &Value| piece["SpecialToken"]["id"].as_str().map(str::to_owned);
    match template {
        Value::Array(pieces) => pieces.iter().filter_map(piece).collect(),
        Value::String(text) => {
            let words = text.split_whitespace().filter(|word| !word.starts_with('$'));
            words.map(|word| word.rsplit_once(':').map_or(word, |(name, _)| name).to_owned()).collect()
        }
        _ => Vec::new(),
    }
}

/// The library numbers added tokens by itself; refuses a file that says otherwise.
pub(crate) fn kept(written: &Written, inner: &tokenizers::Tokenizer) -> Result<(), TokenizeError> {
    let other = |added: &&Added| inner.token_to_id(&added.content).map(u64::from) != Some(added.id);
    match written.added_tokens.iter().find(other) {
        Some(Added { id, content }) => Err(TokenizeError::AddedId { found: *id, token: content.clone() }),
        None => Ok(()),
    }
}
