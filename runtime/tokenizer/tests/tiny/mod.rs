//! Hugging Face directories with a tokenizer that knows single bytes, two marks of a turn and little else.

// Each test binary uses a part of it.
#![allow(dead_code)]

use sagen_tokenizer::{Tokenizer, byte_level};
use serde_json::{Value, json};

pub(crate) const START: u32 = 256;
pub(crate) const END: u32 = 257;
pub(crate) const BOS: u32 = 258;

/// What a directory holds, for a test to change.
pub(crate) struct Files {
    pub(crate) tokenizer: Value,
    pub(crate) config: Value,
    /// Any other files.
    pub(crate) others: Vec<(&'static str, String)>,
}

/// How the byte-level alphabet spells a byte.
pub(crate) fn letter(byte: u8) -> String {
    let spells = |c: &char| byte_level::bytes(&c.to_string()) == Some(vec![byte]);
    (0..0x180).filter_map(char::from_u32).find(spells).unwrap().to_string()
}

impl Files {
    /// Every byte is a token of its own number but those of `without`.
    pub(crate) fn without(without: impl Fn(u8) -> bool) -> Self {
        let bytes = (0..=u8::MAX).filter(|b| !without(*b)).map(|b| (letter(b), json!(b)));
        let marks = [("<|im_start|>", START), ("<|im_end|>", END), ("<s>", BOS)];
        let vocab: serde_json::Map<_, _> = bytes.chain(marks.map(|(text, id)| (text.to_owned(), json!(id)))).collect();
        let special = |id: u32, content: &str| {
            json!({"id": id, "content": content, "special": true, "single_word": false, "lstrip": false,
                "rstrip": false, "normalized": false})
        };
        let level = json!({"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": true});
        let tokenizer = json!({
            "version": "1.0", "truncation": null, "padding": null, "normalizer": null, "post_processor": null,
            "added_tokens": [special(START, "<|im_start|>"), special(END, "<|im_end|>"), special(BOS, "<s>")],
            "pre_tokenizer": level, "decoder": level,
            "model": {"type": "BPE", "vocab": vocab, "merges": []}
        });
        let config = json!({"bos_token_id": BOS, "eos_token_id": END, "vocab_size": 300});
        Self { tokenizer, config, others: Vec::new() }
    }

    pub(crate) fn new() -> Self {
        Self::without(|_| false)
    }

    pub(crate) fn with(mut self, file: &'static str, content: impl ToString) -> Self {
        self.others.push((file, content.to_string()));
        self
    }

    pub(crate) fn template(self, source: &str) -> Self {
        self.with("tokenizer_config.json", json!({"chat_template": source}))
    }

    /// A post-processor that puts BOS in front, as llama's does.
    pub(crate) fn leading_bos(mut self) -> Self {
        self.tokenizer["post_processor"] = json!({
            "type": "TemplateProcessing",
            "single": [{"SpecialToken": {"id": "<s>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}],
            "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}],
            "special_tokens": {"<s>": {"id": "<s>", "ids": [BOS], "tokens": ["<s>"]}}
        });
        self
    }

    pub(crate) fn load(&self) -> Result<Tokenizer, String> {
        let folder = tempfile::tempdir().unwrap();
        let write = |file: &str, text: &str| std::fs::write(folder.path().join(file), text).unwrap();
        write("tokenizer.json", &self.tokenizer.to_string());
        write("config.json", &self.config.to_string());
        self.others.iter().for_each(|(file, text)| write(file, text));
        Tokenizer::of_directory(folder.path()).map_err(|e| e.to_string())
    }
}

/// Ids of a text of bytes.
pub(crate) fn bytes(text: &str) -> Vec<u32> {
    text.bytes().map(u32::from).collect()
}
