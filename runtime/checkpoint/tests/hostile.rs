//! Files that are cut, corrupt, or say more than they hold.

mod tiny;

use std::io::Write;
use std::path::Path;

use candle_core::quantized::gguf_file::Value;
use expect_test::expect;
use sagen_checkpoint::weights::Checkpoint;
use serde_json::json;

fn open(folder: &Path) -> Result<Checkpoint, String> {
    let prefix = format!("{}: ", folder.display());
    Checkpoint::open(folder).map_err(|e| e.to_string().replace(&prefix, ""))
}

/// A folder with its weights in two files and an index.
fn sharded() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let tensors = tiny::hf_tensors(false);
    let (first, second): (Vec<_>, Vec<_>) = tensors.iter().partition(|(name, _)| name.contains("layers.0"));
    let files = [("a.safetensors", first), ("b.safetensors", second)];
    let mut map = serde_json::Map::new();
    for (file, tensors) in files {
        map.extend(tensors.iter().map(|(name, _)| ((*name).clone(), json!(file))));
        tiny::write_safetensors(&folder.path().join(file), tensors);
    }
    std::fs::write(folder.path().join("config.json"), tiny::hf_config(false).to_string()).unwrap();
    index(folder.path(), &json!({"weight_map": map}));
    folder
}

fn index(folder: &Path, content: &serde_json::Value) {
    std::fs::write(folder.join("model.safetensors.index.json"), content.to_string()).unwrap();
}

#[test]
fn only_the_files_that_an_index_names_are_read() {
    let folder = sharded();
    // As some repositories have it: all tensors again, and one that is no tensor file at all.
    tiny::write_safetensors(&folder.path().join("consolidated.safetensors"), &tiny::hf_tensors(false));
    std::fs::write(folder.path().join("stray.safetensors"), "nothing").unwrap();
    open(folder.path()).unwrap();
}

#[test]
fn an_index_names_files_of_its_own_folder() {
    let folder = sharded();
    let refusal = |file: serde_json::Value| {
        index(folder.path(), &json!({"weight_map": {"x": file}}));
        open(folder.path()).unwrap_err()
    };
    for outside in ["../a.safetensors", "/etc/passwd", "sub/a.safetensors", "..", "", ".", "a\\b.safetensors"] {
        let expected = format!(
            "model.safetensors.index.json: weight_map names `{outside}`, expected the name of a *.safetensors file of this folder"
        );
        assert_eq!(refusal(json!(outside)), expected);
    }
    expect![
        "model.safetensors.index.json: weight_map names `7`, expected the name of a *.safetensors file of this folder"
    ]
    .assert_eq(&refusal(json!(7)));
    expect!["model.safetensors.index.json names c.safetensors, which is not there"]
        .assert_eq(&refusal(json!("c.safetensors")));
    index(folder.path(), &json!({"weights": {}}));
    expect!["model.safetensors.index.json: weight_map is missing or empty"]
        .assert_eq(&open(folder.path()).unwrap_err());
}

#[test]
fn a_model_that_cannot_be_run_is_named_before_its_files() {
    let folder = tempfile::tempdir().unwrap();
    let mut config = tiny::hf_config(false);
    config["architectures"] = json!(["BertModel"]);
    std::fs::write(folder.path().join("config.json"), config.to_string()).unwrap();
    expect!["architecture `BertModel` is not supported (supported: LlamaForCausalLM)"]
        .assert_eq(&open(folder.path()).unwrap_err());
    std::fs::write(folder.path().join("config.json"), tiny::hf_config(false).to_string()).unwrap();
    expect!["no *.safetensors file"].assert_eq(&open(folder.path()).unwrap_err());
}

#[test]
fn sizes_beyond_any_model_are_refused_by_field_and_limit() {
    let folder = sharded();
    let refusal = |field: &str, value: serde_json::Value| {
        let mut config = tiny::hf_config(false);
        config[field] = value;
        std::fs::write(folder.path().join("config.json"), config.to_string()).unwrap();
        open(folder.path()).unwrap_err()
    };
    expect!["`layers` is 4097, but must be in 1..=4096"].assert_eq(&refusal("num_hidden_layers", json!(4097)));
    expect!["`vocab` is 4294967296, but must be in 1..=16777216"].assert_eq(&refusal("vocab_size", json!(1u64 << 32)));
    expect!["`context` is 18446744073709551615, but must be in 1..=16777216"]
        .assert_eq(&refusal("max_position_embeddings", json!(u64::MAX)));
    for value in [json!(-1), json!(1.5), json!(1e300), json!("2"), json!([2]), json!(null)] {
        for field in ["num_hidden_layers", "hidden_size", "num_attention_heads", "vocab_size"] {
            let message = refusal(field, value.clone());
            assert!(message.starts_with("config.json: "), "{field} = {value}: {message}");
        }
    }
}

/// A GGUF file with a metadata list of so many bytes that nobody reads.
fn unread(path: &Path, bytes: usize) {
    let list = Value::Array(vec![Value::U8(7); 16]);
    tiny::Gguf::new(true).with("zz.unread", list).write(path);
    let whole = std::fs::read(path).unwrap();
    let key = b"zz.unread";
    let at = whole.windows(key.len()).position(|w| w == key).unwrap() + key.len() + 8;
    let mut file = std::fs::File::create(path).unwrap();
    file.write_all(&whole[..at]).unwrap();
    file.write_all(&(bytes as u64).to_le_bytes()).unwrap();
    // The tensors keep their alignment.
    assert!(bytes % 32 == 16);
    file.write_all(&vec![7; bytes]).unwrap();
    file.write_all(&whole[at + 8 + 16..]).unwrap();
}

#[test]
fn lists_that_nobody_reads_take_no_memory() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.gguf");
    unread(&path, (24 << 20) + 16);
    let before = resident();
    let checkpoint = Checkpoint::open(&path).unwrap();
    let grown = resident().saturating_sub(before);
    drop(checkpoint);
    // Elements kept one by one would take a gigabyte, the mapped file itself 24 MB.
    assert!(grown < 100 << 20, "{grown} bytes more");
}

/// Bytes of this process in memory.
fn resident() -> usize {
    let status = std::fs::read_to_string("/proc/self/statm").unwrap();
    let pages: usize = status.split_whitespace().nth(1).unwrap().parse().unwrap();
    pages * 4096
}
