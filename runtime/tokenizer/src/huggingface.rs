//! The tokenizer of a Hugging Face directory: `tokenizer.json`, `tokenizer_config.json` and `config.json`.

use std::path::Path;

use serde_json::Value;
use tokenizers::DecoderWrapper;

use crate::byte_level;
use crate::chat::ChatTemplate;
use crate::error::TokenizeError;
use crate::{Parts, Token};

pub(crate) fn load(directory: &Path) -> Result<Parts, TokenizeError> {
    let bytes = read(directory, "tokenizer.json")?;
    let inner =
        tokenizers::Tokenizer::from_bytes(bytes).map_err(|e| TokenizeError::library("read tokenizer.json", e))?;
    let tokens = tokens(&inner)?;
    let config = json(directory, "config.json")?;
    let ids = |key: &str| ids(&config[key], tokens.len());
    let (bos, end) = (ids("bos_token_id")?.first().copied(), ids("eos_token_id")?);
    let chat = chat(directory, &inner, bos, end.first().copied())?;
    // The post-processor of tokenizer.json adds the special tokens itself.
    Ok(Parts { inner, tokens, prefix: None, bos, end, chat })
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
    let count = inner.get_vocab(true).into_values().max().map_or(0, |highest| highest + 1);
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

/// None, one or several ids.
fn ids(value: &Value, vocab: usize) -> Result<Vec<u32>, TokenizeError> {
    let list = match value {
        Value::Null => return Ok(Vec::new()),
        Value::Array(list) => list.as_slice(),
        one => std::slice::from_ref(one),
    };
    let id = |value: &Value| {
        let found = value.as_u64().and_then(|id| u32::try_from(id).ok()).unwrap_or(u32::MAX);
        if found as usize >= vocab { Err(TokenizeError::UnknownId { found, vocab }) } else { Ok(found) }
    };
    list.iter().map(id).collect()
}

fn chat(
    directory: &Path,
    inner: &tokenizers::Tokenizer,
    bos: Option<u32>,
    eos: Option<u32>,
) -> Result<Option<ChatTemplate>, TokenizeError> {
    const OWN_FILE: &str = "chat_template.jinja";
    const SHARED_FILE: &str = "tokenizer_config.json";
    let source = if directory.join(OWN_FILE).exists() {
        Some(String::from_utf8_lossy(&read(directory, OWN_FILE)?).into_owned())
    } else if directory.join(SHARED_FILE).exists() {
        json(directory, SHARED_FILE)?["chat_template"].as_str().map(str::to_owned)
    } else {
        None
    };
    let text = |id: Option<u32>| id.and_then(|id| inner.id_to_token(id)).unwrap_or_default();
    source.map(|source| ChatTemplate::new(&source, &text(bos), &text(eos))).transpose()
}

fn read(directory: &Path, file: &'static str) -> Result<Vec<u8>, TokenizeError> {
    std::fs::read(directory.join(file)).map_err(|reason| TokenizeError::Io { file, reason })
}

fn json(directory: &Path, file: &'static str) -> Result<Value, TokenizeError> {
    serde_json::from_slice(&read(directory, file)?).map_err(|reason| TokenizeError::Json { file, reason })
}
