//! The tokenizer of a Hugging Face directory: `tokenizer.json`, `tokenizer_config.json` and `config.json`.

use std::path::Path;

use serde_json::Value;
use tokenizers::DecoderWrapper;

use crate::byte_level;
use crate::chat::ChatTemplate;
use crate::error::TokenizeError;
use crate::limits;
use crate::{Parts, Token};

const TOKENIZER: &str = "tokenizer.json";
const SETTINGS: &str = "tokenizer_config.json";

pub(crate) fn load(directory: &Path) -> Result<Parts, TokenizeError> {
    let bytes = read(directory, TOKENIZER)?;
    let written = limits::check(&bytes)?;
    let inner =
        tokenizers::Tokenizer::from_bytes(bytes).map_err(|e| TokenizeError::library("read tokenizer.json", e))?;
    limits::kept(&written, &inner)?;
    let tokens = tokens(&inner)?;
    let settings = optional(directory, SETTINGS)?;
    let config = json(directory, "config.json")?;
    let bos = ids("config.json", "bos_token_id", &config, tokens.len())?.first().copied();
    let end = end(directory, &inner, &config, &settings)?;
    let name = |field: &str, id: Option<u32>| {
        let of_id = || id.and_then(|id| inner.id_to_token(id));
        named(&settings[field]).map(str::to_owned).or_else(of_id).unwrap_or_default()
    };
    let (bos_name, eos_name) = (name("bos_token", bos), name("eos_token", end.first().copied()));
    let chat = chat(directory, &settings, &bos_name, &eos_name)?;
    // The post-processor of tokenizer.json adds the special tokens itself.
    Ok(Parts { inner, tokens, prefix: None, bos, end, chat })
}

/// Every token that ends a generation: each file may add some.
fn end(
    directory: &Path,
    inner: &tokenizers::Tokenizer,
    config: &Value,
    settings: &Value,
) -> Result<Vec<u32>, TokenizeError> {
    const FIELD: &str = "eos_token_id";
    const GENERATION: &str = "generation_config.json";
    let vocab = highest(inner);
    let mut end = ids("config.json", FIELD, config, vocab)?;
    end.extend(ids(GENERATION, FIELD, &optional(directory, GENERATION)?, vocab)?);
    end.extend(named(&settings["eos_token"]).and_then(|token| inner.token_to_id(token)));
    let mut known = std::collections::BTreeSet::new();
    end.retain(|id| known.insert(*id));
    Ok(end)
}

/// The text of a special token in the settings, where it stands alone or with its properties.
fn named(token: &Value) -> Option<&str> {
    token.as_str().or_else(|| token["content"].as_str())
}

/// One more than the greatest id.
fn highest(inner: &tokenizers::Tokenizer) -> usize {
    inner.get_vocab(true).into_values().max().map_or(0, |highest| highest as usize + 1)
}

fn tokens(inner: &tokenizers::Tokenizer) -> Result<Vec<Token>, TokenizeError> {
    if !matches!(inner.get_decoder(), Some(DecoderWrapper::ByteLevel(_))) {
        let found = inner.get_decoder().map_or("none".to_owned(), |decoder| {
            serde_json::to_value(decoder).ok().and_then(|d| Some(d["type"].as_str()?.to_owned())).unwrap_or_default()
        });
        return Err(TokenizeError::Unsupported {
            field: "tokenizer.json: decoder",
            found,
            supported: "ByteLevel".to_owned(),
        });
    }
    let added = inner.get_added_tokens_decoder();
    let count = highest(inner) as u32;
    let token = |id: u32| match (added.get(&id), inner.id_to_token(id)) {
        (Some(token), _) if token.special => Ok(Token::Control),
        (Some(token), _) => Ok(Token::Bytes(token.content.clone().into_bytes())),
        // A gap in the numbering; such an id spells nothing.
        (None, None) => Ok(Token::Control),
        (None, Some(text)) => byte_level::bytes(&text).map(Token::Bytes).ok_or_else(|| TokenizeError::Entry {
            field: "tokenizer.json: vocab",
            index: id as usize,
            found: text,
            expected: "characters of the byte-level alphabet",
        }),
    };
    (0..count).map(token).collect()
}

/// None, one or several ids in a field of a file.
fn ids(file: &'static str, field: &'static str, content: &Value, vocab: usize) -> Result<Vec<u32>, TokenizeError> {
    let list = match &content[field] {
        Value::Null => return Ok(Vec::new()),
        Value::Array(list) => list.as_slice(),
        one => std::slice::from_ref(one),
    };
    let id = |value: &Value| {
        let Some(found) = value.as_u64() else {
            return Err(TokenizeError::NoId { file, field, found: value.to_string() });
        };
        let id = u32::try_from(found).ok().filter(|id| (*id as usize) < vocab);
        id.ok_or(TokenizeError::SpecialId { file, field, found, vocab })
    };
    list.iter().map(id).collect()
}

fn chat(directory: &Path, settings: &Value, bos: &str, eos: &str) -> Result<Option<ChatTemplate>, TokenizeError> {
    const OWN_FILE: &str = "chat_template.jinja";
    if directory.join(OWN_FILE).exists() {
        let source = String::from_utf8_lossy(&read(directory, OWN_FILE)?).into_owned();
        return Ok(Some(ChatTemplate::new(&source, bos, eos)));
    }
    Ok(match &settings["chat_template"] {
        Value::Null => None,
        Value::String(source) => Some(ChatTemplate::new(source, bos, eos)),
        other => Some(match default_template(other) {
            Ok(source) => ChatTemplate::new(source, bos, eos),
            Err(reason) => ChatTemplate::unusable(format!("{SETTINGS}: {reason}")),
        }),
    })
}

/// Of a list of named templates the one called `default`, or the only one.
fn default_template(list: &Value) -> Result<&str, String> {
    let entries = list.as_array().map(Vec::as_slice).unwrap_or_default();
    let names: Vec<&str> = entries.iter().filter_map(|entry| entry["name"].as_str()).collect();
    let chosen = match entries {
        [only] => Some(only),
        several => several.iter().find(|entry| entry["name"] == "default"),
    };
    match chosen.and_then(|entry| entry["template"].as_str()) {
        Some(source) => Ok(source),
        None if names.is_empty() => Err("chat_template is neither text nor a list of named templates".to_owned()),
        None => Err(format!("no template is called `default` (found: {})", names.join(", "))),
    }
}

/// A file that need not be there.
fn optional(directory: &Path, file: &'static str) -> Result<Value, TokenizeError> {
    if directory.join(file).exists() { json(directory, file) } else { Ok(Value::Null) }
}

fn read(directory: &Path, file: &'static str) -> Result<Vec<u8>, TokenizeError> {
    std::fs::read(directory.join(file)).map_err(|reason| TokenizeError::Io { file, reason })
}

fn json(directory: &Path, file: &'static str) -> Result<Value, TokenizeError> {
    serde_json::from_slice(&read(directory, file)?).map_err(|reason| TokenizeError::Json { file, reason })
}
