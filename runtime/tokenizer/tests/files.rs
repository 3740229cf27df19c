//! Files that are odd or hostile, and characters that a vocabulary does not have.

mod tiny;

use expect_test::expect;
use serde_json::json;
use tiny::{END, Files, START, bytes};

#[test]
fn a_character_without_a_token_is_refused_by_its_place() {
    let tokenizer = Files::without(|byte| byte >= 128).load().unwrap();
    let refusal = |text: &str| tokenizer.encode(text, false).unwrap_err().to_string();
    expect!["character `é` (U+00E9) at byte 1 of the text has no token, and there is no token for unknown characters"]
        .assert_eq(&refusal("aéb"));
    expect![
        "character `😀` (U+1F600) at byte 3 of the text has no token, and there is no token for unknown characters"
    ]
    .assert_eq(&refusal("abc😀é"));
    assert_eq!(tokenizer.encode("abc", false).unwrap(), bytes("abc"));
    let special = tokenizer.encode_special("<|im_end|>é", false).unwrap_err().to_string();
    expect!["character `é` (U+00E9) at byte 10 of the text has no token, and there is no token for unknown characters"]
        .assert_eq(&special);
    // Some text is better than none where any will do.
    assert_eq!(tokenizer.encode_known("aéb", false).unwrap(), bytes("ab"));
    // A control character shows as what it is.
    let tokenizer = Files::without(|byte| byte == 7).load().unwrap();
    expect![
        "character `\\u{7}` (U+0007) at byte 1 of the text has no token, and there is no token for unknown characters"
    ]
    .assert_eq(&tokenizer.encode("a\u{7}", false).unwrap_err().to_string());
}

#[test]
fn a_character_without_a_token_becomes_the_unknown_token_where_there_is_one() {
    let mut files = Files::without(|byte| byte >= 128);
    files.tokenizer["model"]["unk_token"] = json!("<unk>");
    files.tokenizer["model"]["fuse_unk"] = json!(true);
    files.tokenizer["model"]["vocab"]["<unk>"] = json!(259);
    let unknown = json!({"id": 259, "content": "<unk>", "special": true, "single_word": false, "lstrip": false,
        "rstrip": false, "normalized": false});
    files.tokenizer["added_tokens"].as_array_mut().unwrap().push(unknown);
    let tokenizer = files.load().unwrap();
    assert_eq!(tokenizer.encode("aéb", false).unwrap(), [97, 259, 98]);
    assert_eq!(tokenizer.encode("<unk>", false).unwrap(), bytes("<unk>"));
}

#[test]
fn a_limit_on_length_in_the_file_cuts_nothing() {
    let mut files = Files::new();
    files.tokenizer["truncation"] =
        json!({"direction": "Right", "max_length": 2, "strategy": "LongestFirst", "stride": 0});
    files.tokenizer["padding"] = json!({"strategy": {"Fixed": 64}, "direction": "Right", "pad_to_multiple_of": null,
        "pad_id": 0, "pad_type_id": 0, "pad_token": "!"});
    assert_eq!(files.load().unwrap().encode("abcdef", true).unwrap(), bytes("abcdef"));
}

#[test]
fn ids_are_limited_before_memory_is_taken() {
    let added = |id: u64| {
        let mut files = Files::new();
        files.tokenizer["added_tokens"][1]["id"] = json!(id);
        files.load().err().unwrap_or_default()
    };
    let entry = |id: u64| {
        let mut files = Files::new();
        files.tokenizer["model"]["vocab"]["zz"] = json!(id);
        files.load().err().unwrap_or_default()
    };
    expect!["tokenizer.json: model.vocab: id 4000000000 of token `zz` is beyond the limit of 1048575"]
        .assert_eq(&entry(4_000_000_000));
    expect!["tokenizer.json: model.vocab: id 4294967295 of token `zz` is beyond the limit of 1048575"]
        .assert_eq(&entry(4_294_967_295));
    expect!["tokenizer.json: model.vocab: id 4294967296 of token `zz` is beyond the limit of 1048575"]
        .assert_eq(&entry(1 << 32));
    expect!["tokenizer.json: added_tokens: id 4000000000 of token `<|im_end|>` is beyond the limit of 1048575"]
        .assert_eq(&added(4_000_000_000));
    expect![
        "tokenizer.json: added_tokens: id 18446744073709551615 of token `<|im_end|>` is beyond the limit of 1048575"
    ]
    .assert_eq(&added(u64::MAX));
}

#[test]
fn all_end_tokens_of_all_files_are_obeyed_once() {
    let end = |content: serde_json::Value| {
        let files = Files::new().with("generation_config.json", json!({"eos_token_id": content}));
        files.load().map(|t| t.end().to_vec())
    };
    assert_eq!(end(json!(97)), Ok(vec![END, 97]));
    assert_eq!(end(json!([97, END, START])), Ok(vec![END, 97, START]));
    assert_eq!(end(json!(null)), Ok(vec![END]));
    expect!["generation_config.json: eos_token_id: token id is 5000, the tokenizer has 259 ids"]
        .assert_eq(&end(json!([1, 5000])).unwrap_err());
    expect!["generation_config.json: eos_token_id: `\"x\"` is no token id"].assert_eq(&end(json!("x")).unwrap_err());
    expect!["config.json: eos_token_id: `-1` is no token id"].assert_eq(&{
        let mut files = Files::new();
        files.config["eos_token_id"] = json!(-1);
        files.load().err().unwrap()
    });
    let named = Files::new().with("tokenizer_config.json", json!({"eos_token": "<|im_start|>"}));
    assert_eq!(named.load().unwrap().end(), [END, START]);
    let named = Files::new().with("tokenizer_config.json", json!({"eos_token": {"content": "<|im_start|>"}}));
    assert_eq!(named.load().unwrap().end(), [END, START]);
}

#[test]
fn a_post_processor_explains_the_tokens_that_it_names() {
    let refusal = |field: &str, value: serde_json::Value| {
        let mut files = Files::new().leading_bos();
        files.tokenizer["post_processor"][field] = value;
        files.load().err().unwrap_or_default()
    };
    let expected = "tokenizer.json: post_processor names the special token `<s>`, which its special_tokens do not have";
    assert_eq!(refusal("special_tokens", json!({})), expected);
    let mut files = Files::new().leading_bos();
    files.tokenizer["post_processor"]["special_tokens"] = json!({});
    let nested = json!({"type": "Sequence", "processors": [files.tokenizer["post_processor"]]});
    files.tokenizer["post_processor"] = nested;
    assert_eq!(files.load().err().unwrap(), expected);
}
