//! The tokenizer in the metadata of a GGUF file: byte-level BPE.

use sagen_tokenizer::{ChatTemplate, MOST_IDS, Parts, Token, TokenizeError, Tokenizer, byte_level};
use tokenizers::AddedToken;
use tokenizers::models::bpe::BPE;
use tokenizers::pre_tokenizers::PreTokenizerWrapper;
use tokenizers::pre_tokenizers::byte_level::ByteLevel;
use tokenizers::pre_tokenizers::digits::Digits;
use tokenizers::pre_tokenizers::sequence::Sequence;

use super::TokenizerReason;
use crate::weights::gguf::Metadata;

/// Each makes a token, and several may make the same.
const MOST_MERGES: usize = 4 * MOST_IDS;

fn limit(field: &'static str, found: usize, most: usize) -> Result<(), TokenizerReason> {
    if found > most { Err(TokenizerReason::TooLong { field, found, most }) } else { Ok(()) }
}

/// How text is cut before merging.
type PreTokenizer = fn() -> PreTokenizerWrapper;

/// By the name in `tokenizer.ggml.pre`.
const PRE_TOKENIZERS: &[(&str, PreTokenizer)] = &[("smollm", single_digits)];

/// Every digit alone, then words as GPT-2 cuts them.
fn single_digits() -> PreTokenizerWrapper {
    Sequence::new(vec![Digits::new(true).into(), ByteLevel::new(false, false, true).into()]).into()
}

const TOKENS: &str = "tokenizer.ggml.tokens";
const TYPES: &str = "tokenizer.ggml.token_type";
const MERGES: &str = "tokenizer.ggml.merges";

pub(super) fn load(metadata: &Metadata) -> Result<Tokenizer, TokenizerReason> {
    let model = metadata.text("tokenizer.ggml.model")?;
    if model != "gpt2" {
        return Err(unsupported("tokenizer.ggml.model", model, "gpt2").into());
    }
    let pre = metadata.text("tokenizer.ggml.pre")?;
    let Some((_, pre_tokenizer)) = PRE_TOKENIZERS.iter().find(|(name, _)| *name == pre) else {
        let known: Vec<_> = PRE_TOKENIZERS.iter().map(|(name, _)| *name).collect();
        return Err(unsupported("tokenizer.ggml.pre", pre, &known.join(", ")).into());
    };
    let texts = metadata.texts(TOKENS)?;
    limit(TOKENS, texts.len(), MOST_IDS)?;
    let kinds = kinds(metadata, texts.len())?;
    let unknown = id(metadata, "tokenizer.ggml.unknown_token_id", texts.len())?.map(|id| texts[id as usize]);
    let mut inner = tokenizers::Tokenizer::new(bpe(metadata, &texts, unknown)?);
    inner.with_pre_tokenizer(Some(pre_tokenizer()));
    let added = |kind: Kind, special: bool| {
        let chosen = texts.iter().zip(&kinds).filter(move |(_, k)| **k == kind).map(|(text, _)| *text);
        chosen.map(move |text| AddedToken::from(text, special).normalized(false)).collect::<Vec<_>>()
    };
    let failed = |e| TokenizeError::library("add the special tokens", e);
    inner.add_special_tokens(added(Kind::Control, true)).map_err(failed)?;
    inner.add_tokens(added(Kind::UserDefined, false)).map_err(failed)?;

    let bos = id(metadata, "tokenizer.ggml.bos_token_id", texts.len())?;
    let eos = id(metadata, "tokenizer.ggml.eos_token_id", texts.len())?;
    let eot = id(metadata, "tokenizer.ggml.eot_token_id", texts.len())?;
    let prefix = if metadata.bool_or("tokenizer.ggml.add_bos_token", false)? { bos } else { None };
    let text = |id: Option<u32>| id.map_or("", |id| texts[id as usize]);
    let template = metadata.text_opt("tokenizer.chat_template")?;
    let chat = template.map(|source| ChatTemplate::new(source, text(bos), text(eos)));
    Ok(Tokenizer::new(Parts {
        inner,
        tokens: tokens(&texts, &kinds)?,
        prefix,
        bos,
        end: eos.into_iter().chain(eot).collect(),
        chat,
    })?)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Text,
    Control,
    UserDefined,
}

fn kinds(metadata: &Metadata, count: usize) -> Result<Vec<Kind>, TokenizerReason> {
    let numbers = metadata.integers(TYPES)?;
    if numbers.len() != count {
        return Err(TokenizerReason::Length { field: TYPES, found: numbers.len(), expected: count });
    }
    let kind = |(index, number): (usize, &i64)| match number {
        // Unused tokens are never produced by merging and their text is harmless.
        1 | 5 => Ok(Kind::Text),
        2 | 3 => Ok(Kind::Control),
        4 => Ok(Kind::UserDefined),
        other => Err(TokenizeError::Entry {
            field: TYPES,
            index,
            found: other.to_string(),
            expected: "1 (normal), 2 (unknown), 3 (control), 4 (user defined) or 5 (unused)",
        }),
    };
    Ok(numbers.iter().enumerate().map(kind).collect::<Result<_, TokenizeError>>()?)
}

/// `unknown` stands for characters that have no token.
fn bpe(metadata: &Metadata, texts: &[&str], unknown: Option<&str>) -> Result<BPE, TokenizerReason> {
    let mut merges = Vec::new();
    let written = metadata.texts(MERGES)?;
    limit(MERGES, written.len(), MOST_MERGES)?;
    for (index, merge) in written.into_iter().enumerate() {
        // Tokens spell a space as another character, so the first space separates the two.
        let Some((left, right)) = merge.split_once(' ') else {
            let expected = "two tokens with a space between";
            return Err(TokenizeError::Entry { field: MERGES, index, found: merge.to_owned(), expected }.into());
        };
        merges.push((left.to_owned(), right.to_owned()));
    }
    let mut vocab = tokenizers::models::bpe::Vocab::default();
    for (id, text) in texts.iter().enumerate() {
        let id = u32::try_from(id).expect("the list came from a file of less than 2^32 entries");
        if vocab.insert((*text).to_owned(), id).is_some() {
            let (index, found) = (id as usize, (*text).to_owned());
            return Err(TokenizeError::Entry { field: TOKENS, index, found, expected: "each token once" }.into());
        }
    }
    let mut builder = BPE::builder().vocab_and_merges(vocab, merges).fuse_unk(true);
    if let Some(unknown) = unknown {
        builder = builder.unk_token(unknown.to_owned());
    }
    let built = builder.build();
    Ok(built.map_err(|e| TokenizeError::library("build the merges", e))?)
}

fn tokens(texts: &[&str], kinds: &[Kind]) -> Result<Vec<Token>, TokenizeError> {
    let token = |(index, (text, kind)): (usize, (&&str, &Kind))| match kind {
        Kind::Control => Ok(Token::Control),
        Kind::UserDefined => Ok(Token::Bytes(text.as_bytes().to_vec())),
        Kind::Text => byte_level::bytes(text).map(Token::Bytes).ok_or_else(|| TokenizeError::Entry {
            field: TOKENS,
            index,
            found: (*text).to_owned(),
            expected: "characters of the byte-level alphabet",
        }),
    };
    texts.iter().zip(kinds).enumerate().map(token).collect()
}

/// An optional token id that lies within the vocabulary.
fn id(metadata: &Metadata, key: &'static str, vocab: usize) -> Result<Option<u32>, TokenizerReason> {
    let Some(found) = metadata.usize_opt(key)? else {
        return Ok(None);
    };
    let found = u32::try_from(found).unwrap_or(u32::MAX);
    if found as usize >= vocab { Err(TokenizeError::UnknownId { found, vocab }.into()) } else { Ok(Some(found)) }
}

fn unsupported(field: &'static str, found: &str, supported: &str) -> TokenizeError {
    TokenizeError::Unsupported { field, found: found.to_owned(), supported: supported.to_owned() }
}
