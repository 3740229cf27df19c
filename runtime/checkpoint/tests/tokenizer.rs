//! Tokenizers from both formats, on a tiny vocabulary.

mod tiny;

use candle_core::quantized::gguf_file::Value;
use expect_test::{Expect, expect};
use sagen_checkpoint::tokenizer::TokenizerError;
use sagen_checkpoint::weights::Checkpoint;
use sagen_tokenizer::{ChatTemplate, Message, Tokenizer};
use serde_json::json;
use tiny::Gguf;

/// All that the tests spell: two control tokens, single characters, three merges, and three bytes of a smiling face.
/// The merge of two digits must never happen.
const TOKENS: [&str; 17] =
    ["<s>", "</s>", "h", "i", "Ġ", "t", "e", "1", "2", "hi", "Ġt", "Ċ", "ð", "Ł", "ĺ", "<call>", "12"];
const MERGES: [&str; 3] = ["h i", "Ġ t", "1 2"];

fn texts(texts: &[&str]) -> Value {
    Value::Array(texts.iter().map(|text| Value::String((*text).to_owned())).collect())
}

fn types(types: &[i32]) -> Value {
    Value::Array(types.iter().map(|number| Value::I32(*number)).collect())
}

fn gguf() -> Gguf {
    let mut kinds = [1; TOKENS.len()];
    (kinds[0], kinds[1], kinds[15]) = (3, 3, 4);
    Gguf::new(true)
        .with("tokenizer.ggml.model", Value::String("gpt2".to_owned()))
        .with("tokenizer.ggml.pre", Value::String("smollm".to_owned()))
        .with("tokenizer.ggml.tokens", texts(&TOKENS))
        .with("tokenizer.ggml.token_type", types(&kinds))
        .with("tokenizer.ggml.merges", texts(&MERGES))
        .with("tokenizer.ggml.bos_token_id", Value::U32(0))
        .with("tokenizer.ggml.eos_token_id", Value::U32(1))
}

fn load(gguf: &Gguf) -> Result<Tokenizer, TokenizerError> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.gguf");
    gguf.write(&path);
    Checkpoint::open(&path).unwrap().tokenizer()
}

fn refuses(gguf: Gguf, message: Expect) {
    let error = load(&gguf).err().expect("must be refused").to_string();
    message.assert_eq(error.rsplit_once("/model.gguf: ").expect("the file is named").1);
}

#[test]
fn text_is_cut_merged_and_spelt_back() {
    let tokenizer = load(&gguf()).unwrap();
    let ids = tokenizer.encode("hi the 12\n", true).unwrap();
    assert_eq!(ids, [9, 10, 2, 6, 4, 7, 8, 11]);
    assert_eq!(tokenizer.decode(&ids).unwrap(), "hi the 12\n");
    assert_eq!((tokenizer.vocab(), tokenizer.bos(), tokenizer.end()), (17, Some(0), [1].as_slice()));
}

#[test]
fn control_tokens_are_recognised_and_left_out_of_the_text() {
    let tokenizer = load(&gguf()).unwrap();
    assert_eq!(tokenizer.encode_special("<s>hi<call></s>", false).unwrap(), [0, 9, 15, 1]);
    assert_eq!(tokenizer.decode(&[0, 9, 15, 1]).unwrap(), "hi<call>");
}

#[test]
fn an_unknown_token_stands_for_what_has_none() {
    let unknown = gguf().with("tokenizer.ggml.unknown_token_id", Value::U32(15));
    assert_eq!(load(&unknown).unwrap().encode("hié", false).unwrap(), [9, 15]);
    expect!["character `é` (U+00E9) at byte 2 of the text has no token, and there is no token for unknown characters"]
        .assert_eq(&load(&gguf()).unwrap().encode("hié", false).unwrap_err().to_string());
}

#[test]
fn a_leading_bos_is_added_where_the_model_wants_one() {
    let tokenizer = load(&gguf().with("tokenizer.ggml.add_bos_token", Value::Bool(true))).unwrap();
    assert_eq!(tokenizer.encode("hi", true).unwrap(), [0, 9]);
    assert_eq!(tokenizer.encode("hi", false).unwrap(), [9]);
}

#[test]
fn a_stream_gives_out_whole_characters() {
    let tokenizer = load(&gguf()).unwrap();
    let mut stream = tokenizer.stream();
    let pieces: Vec<String> = [9, 12, 13, 14, 9].iter().map(|id| stream.push(*id).unwrap()).collect();
    assert_eq!(pieces, ["hi", "", "", "", "\u{fffd}hi"]);
    assert_eq!(stream.push(12).unwrap() + &stream.finish(), "\u{fffd}");
    expect!["token id is 17, the tokenizer has 17 ids"].assert_eq(&stream.push(17).unwrap_err().to_string());
}

#[test]
fn tokenizers_that_are_not_understood_are_refused_by_name() {
    let text = |text: &str| Value::String(text.to_owned());
    refuses(
        gguf().with("tokenizer.ggml.pre", text("llama-bpe")),
        expect!["tokenizer.ggml.pre `llama-bpe` is not supported (supported: smollm)"],
    );
    refuses(
        gguf().with("tokenizer.ggml.model", text("llama")),
        expect!["tokenizer.ggml.model `llama` is not supported (supported: gpt2)"],
    );
    refuses(gguf().without("tokenizer.ggml.pre"), expect!["metadata key `tokenizer.ggml.pre` is missing"]);
    refuses(gguf().without("tokenizer.ggml.merges"), expect!["metadata key `tokenizer.ggml.merges` is missing"]);
    refuses(
        gguf().with("tokenizer.ggml.token_type", types(&[1, 1])),
        expect!["`tokenizer.ggml.token_type` has 2 entries, expected 17"],
    );
    refuses(
        gguf().with("tokenizer.ggml.token_type", types(&[6; 17])),
        expect![
            "`tokenizer.ggml.token_type` entry 0 is `6`, expected 1 (normal), 2 (unknown), 3 (control), 4 (user defined) or 5 (unused)"
        ],
    );
    refuses(
        gguf().with("tokenizer.ggml.merges", texts(&["hi"])),
        expect!["`tokenizer.ggml.merges` entry 0 is `hi`, expected two tokens with a space between"],
    );
    refuses(
        gguf().with("tokenizer.ggml.merges", texts(&["t e"])),
        expect!["cannot build the merges: Token `te` out of vocabulary"],
    );
    refuses(
        gguf().with("tokenizer.ggml.eos_token_id", Value::U32(17)),
        expect!["token id is 17, the tokenizer has 17 ids"],
    );
    let mut tokens = TOKENS;
    tokens[6] = "t";
    refuses(
        gguf().with("tokenizer.ggml.tokens", texts(&tokens)),
        expect!["`tokenizer.ggml.tokens` entry 6 is `t`, expected each token once"],
    );
    tokens[6] = "a b";
    refuses(
        gguf().with("tokenizer.ggml.tokens", texts(&tokens)),
        expect!["`tokenizer.ggml.tokens` entry 6 is `a b`, expected characters of the byte-level alphabet"],
    );
    // A template is parsed when it is used.
    let tokenizer = load(&gguf().with("tokenizer.chat_template", text("{% if %}"))).unwrap();
    assert_eq!(tokenizer.encode("hi", true).unwrap(), [9]);
    assert!(tokenizer.encode_chat(&[]).unwrap_err().to_string().starts_with("chat template: syntax error"));
    let many: Vec<String> = (0..97).map(|n| format!("h{n}")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    let crowded = gguf().with("tokenizer.ggml.tokens", texts(&many)).with("tokenizer.ggml.merges", texts(&[]));
    refuses(
        crowded.with("tokenizer.ggml.token_type", types(&[1; 97])),
        expect!["the tokenizer has 97 ids, but the model's vocabulary only 96"],
    );
    let random = tiny::checkpoint(true).tokenizer().err().unwrap();
    expect!["random weights: there is no tokenizer"].assert_eq(&random.to_string());
}

fn hf(tokenizer: serde_json::Value, others: &[(&str, serde_json::Value)]) -> Result<Tokenizer, String> {
    let folder = tempfile::tempdir().unwrap();
    let mut config = tiny::hf_config(false);
    (config["bos_token_id"], config["eos_token_id"]) = (json!(0), json!([1, 15]));
    tiny::write_hf(folder.path(), &config, &tiny::hf_tensors(false));
    std::fs::write(folder.path().join("tokenizer.json"), tokenizer.to_string()).unwrap();
    for (file, content) in others {
        std::fs::write(folder.path().join(file), content.to_string()).unwrap();
    }
    let tokenizer = Checkpoint::open(folder.path()).unwrap().tokenizer();
    tokenizer.map_err(|error| error.to_string().split_once(": ").unwrap().1.to_owned())
}

fn tokenizer_json() -> serde_json::Value {
    let vocab: serde_json::Map<_, _> =
        TOKENS.iter().enumerate().map(|(id, text)| ((*text).to_owned(), json!(id))).collect();
    let added = |id: usize, special: bool| {
        json!({"id": id, "content": TOKENS[id], "special": special, "single_word": false, "lstrip": false,
            "rstrip": false, "normalized": false})
    };
    let byte_level = json!({"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": true});
    json!({
        "version": "1.0", "truncation": null, "padding": null, "normalizer": null, "post_processor": null,
        "added_tokens": [added(0, true), added(1, true), added(15, false)],
        "pre_tokenizer": byte_level, "decoder": byte_level,
        "model": {"type": "BPE", "vocab": vocab, "merges": MERGES}
    })
}

#[test]
fn a_hugging_face_tokenizer_does_the_same() {
    let config = json!({"chat_template": "{{ bos_token }}{{ messages[0].content }}{{ eos_token }}"});
    let tokenizer = hf(tokenizer_json(), &[("tokenizer_config.json", config)]).unwrap();
    let ids = tokenizer.encode_special("<s>hi the<call></s>", true).unwrap();
    assert_eq!(ids, [0, 9, 10, 2, 6, 15, 1]);
    assert_eq!(tokenizer.decode(&ids).unwrap(), "hi the<call>");
    assert_eq!((tokenizer.vocab(), tokenizer.bos(), tokenizer.end()), (17, Some(0), [1, 15].as_slice()));
    let message = Message { role: "user".to_owned(), content: "hi".to_owned() };
    assert_eq!(tokenizer.chat().unwrap().render(&[message]).unwrap(), "<s>hi</s>");
}

#[test]
fn hugging_face_tokenizers_that_are_not_understood_are_refused() {
    let refusal = |tokenizer| hf(tokenizer, &[]).err().expect("must be refused");
    let mut other = tokenizer_json();
    other["decoder"] = json!({"type": "WordPiece", "prefix": "##", "cleanup": true});
    expect!["tokenizer.json: decoder `WordPiece` is not supported (supported: ByteLevel)"].assert_eq(&refusal(other));
    let mut other = tokenizer_json();
    other["decoder"] = json!(null);
    expect!["tokenizer.json: decoder `none` is not supported (supported: ByteLevel)"].assert_eq(&refusal(other));
    let mut other = tokenizer_json();
    other["model"]["type"] = json!("Other");
    expect![
        "cannot read tokenizer.json: data did not match any variant of untagged enum ModelUntagged at line 1 column 636"
    ]
    .assert_eq(&refusal(other));
}

#[test]
fn chat_templates_may_use_pythons_string_methods_and_raise() {
    let source = "{% for m in messages %}\n    {% if m['role'] == 'tool' %}\n{{ raise_exception('no tools') }}\n    {% endif %}\n\
                  {{ m.role.upper() }}: {{ m['content'].strip() | tojson }}\n{% endfor %}\n";
    let template = ChatTemplate::new(source, "", "");
    let message = |role: &str| Message { role: role.to_owned(), content: " hi ".to_owned() };
    assert_eq!(template.render(&[message("user")]).unwrap(), "USER: \"hi\"\n");
    let refusal = template.render(&[message("tool")]).unwrap_err().to_string();
    assert!(refusal.starts_with("chat template: invalid operation: no tools"), "{refusal}");
}
