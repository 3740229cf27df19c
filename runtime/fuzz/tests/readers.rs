//! Every reader of files against mutated files: it refuses or it reads, but nothing else.

use std::path::Path;

use sagen_checkpoint::shape::Shape;
use sagen_checkpoint::weights::Checkpoint;
use sagen_compile::{Calibration, CompileOptions, Fusion, compile};
use sagen_config::Board;
use sagen_fuzz::{PeakAlloc, Target};
use sagen_streamed_arch::config::overlay;
use sagen_streamed_isa::Descriptor;
use sagen_tokenizer::{Message, Tokenizer};

#[path = "../../checkpoint/tests/tiny/mod.rs"]
mod tiny;
#[path = "../../tokenizer/tests/tiny/mod.rs"]
mod tiny_tokenizer;

#[global_allocator]
static PEAK: PeakAlloc = PeakAlloc;

fn user(content: &str) -> [Message; 1] {
    [Message { role: "user".to_owned(), content: content.to_owned() }]
}

/// What is done with a tokenizer that could be read.
fn use_tokenizer(tokenizer: &Tokenizer) {
    for text in ["a<|im_end|>é 12", ""] {
        if let Ok(ids) = tokenizer.encode(text, true) {
            let _ = tokenizer.decode(&ids);
        }
        let _ = tokenizer.encode_special(text, false);
        if tokenizer.chat().is_some() {
            let _ = tokenizer.encode_chat(&user(text));
        }
    }
}

/// What is done with a checkpoint that could be opened.
fn use_checkpoint(path: &Path) {
    let Ok(checkpoint) = Checkpoint::open(path) else { return };
    for name in checkpoint.config().tensors() {
        if checkpoint.tensor(name).is_err() {
            return;
        }
    }
    if let Ok(tokenizer) = checkpoint.tokenizer() {
        use_tokenizer(&tokenizer);
    }
}

fn gguf() -> Vec<u8> {
    use candle_core::quantized::gguf_file::Value;
    let text = |text: &str| Value::String(text.to_owned());
    let texts = |list: &[&str]| Value::Array(list.iter().map(|t| text(t)).collect());
    let kinds = [3, 3, 1, 1, 1].map(Value::I32).to_vec();
    let file = tempfile::NamedTempFile::new().unwrap();
    tiny::Gguf::new(true)
        .with("tokenizer.ggml.model", text("gpt2"))
        .with("tokenizer.ggml.pre", text("smollm"))
        .with("tokenizer.ggml.tokens", texts(&["<s>", "</s>", "h", "i", "hi"]))
        .with("tokenizer.ggml.token_type", Value::Array(kinds))
        .with("tokenizer.ggml.merges", texts(&["h i"]))
        .with("tokenizer.ggml.bos_token_id", Value::U32(0))
        .with("tokenizer.ggml.eos_token_id", Value::U32(1))
        .with("tokenizer.chat_template", text("{{ messages[0].content }}"))
        .write(file.path());
    std::fs::read(file.path()).unwrap()
}

#[test]
fn gguf_files() {
    let whole = gguf();
    // Most mutations shall meet the header.
    let start = whole.len() - whole.windows(4).rev().take_while(|w| *w != b"norm").count();
    let (header, data) = whole.split_at(start.max(whole.len() / 16));
    let file = tempfile::NamedTempFile::new().unwrap();
    let target = Target {
        name: "gguf",
        seeds: vec![header.to_vec()],
        words: &["llama", "GGUF", "general.alignment"],
        one_in: 1,
    };
    target.run(&PEAK, |input| {
        std::fs::write(file.path(), [input, data].concat()).unwrap();
        use_checkpoint(file.path());
    });
}

/// A mutated file of a folder; the number in front says which.
fn in_folder(folder: &Path, files: &[&str], input: &[u8], read: impl Fn(&Path)) {
    let Some((which, content)) = input.split_first() else { return };
    let path = folder.join(files[usize::from(*which) % files.len()]);
    let good = std::fs::read(&path).unwrap();
    std::fs::write(&path, content).unwrap();
    read(folder);
    std::fs::write(&path, good).unwrap();
}

/// Files of a folder with their number in front.
fn numbered(folder: &Path, files: &[&str]) -> Vec<Vec<u8>> {
    let seed =
        |(number, file): (usize, &&str)| [&[number as u8][..], &std::fs::read(folder.join(file)).unwrap()].concat();
    files.iter().enumerate().map(seed).collect()
}

#[test]
fn safetensors_folders() {
    const FILES: [&str; 3] = ["config.json", "model.safetensors.index.json", "model.safetensors"];
    let folder = tempfile::tempdir().unwrap();
    let tensors = tiny::hf_tensors(false);
    tiny::write_hf(folder.path(), &tiny::hf_config(false), &tensors);
    let map: serde_json::Map<_, _> = tensors.keys().map(|name| (name.clone(), "model.safetensors".into())).collect();
    std::fs::write(folder.path().join(FILES[1]), serde_json::json!({"weight_map": map}).to_string()).unwrap();
    let words = &["architectures", "F16", "\"shape\":[0]", "../"];
    let target = Target { name: "safetensors", seeds: numbered(folder.path(), &FILES), words, one_in: 1 };
    target.run(&PEAK, |input| in_folder(folder.path(), &FILES, input, use_checkpoint));
}

#[test]
fn tokenizer_files() {
    const FILES: [&str; 4] = ["tokenizer.json", "config.json", "tokenizer_config.json", "generation_config.json"];
    let folder = tempfile::tempdir().unwrap();
    let files = tiny_tokenizer::Files::new().leading_bos();
    let settings = serde_json::json!({"chat_template": [{"name": "default", "template": "{{ messages[0].content }}"}]});
    let contents = [
        files.tokenizer.to_string(),
        files.config.to_string(),
        settings.to_string(),
        r#"{"eos_token_id": [1, 2]}"#.to_owned(),
    ];
    FILES.iter().zip(contents).for_each(|(file, text)| std::fs::write(folder.path().join(file), text).unwrap());
    let words = &["\"type\":\"Sequence\"", "\"Unigram\"", "\"Regex\":\"(a+)+$\"", "lstrip", "null"];
    let target = Target { name: "tokenizer", seeds: numbered(folder.path(), &FILES), words, one_in: 1 };
    target.run(&PEAK, |input| {
        in_folder(folder.path(), &FILES, input, |folder| {
            if let Ok(tokenizer) = Tokenizer::of_directory(folder) {
                use_tokenizer(&tokenizer);
            }
        });
    });
}

#[test]
fn chat_templates() {
    let seeds = [
        "{% for m in messages %}{{'<|im_start|>' + m['role'] + '\n' + m['content'] + '<|im_end|>' + '\n'}}{% endfor %}\
         {% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}",
        "{%- set ns = namespace(n=0, s='') -%}{%- for m in messages[::-1] -%}{%- set ns.n = ns.n + 1 -%}\
         {%- set ns.s = ns.s ~ m.content | trim | upper -%}{%- endfor -%}{{ bos_token }}{{ ns.s.split('\n')[-1] }}{{ ns.n * 3 }}",
        "{% macro turn(m) %}{% generation %}{{ m.content.replace('a', 'b') | tojson }}{% endgeneration %}{% endmacro %}\
         {% for i in range(messages | length) %}{{ turn(messages[i]) }}{% endfor %}{{ raise_exception('x') }}",
    ];
    let words = &[
        "range(99999)",
        "* 99999",
        " ~ ",
        "| join(',')",
        "{% for x in range(9999) %}",
        "{% endfor %}",
        "{{",
        "}}",
        "loop.index",
        "[1:2]",
        "| list",
        "| sort",
        "((((",
    ];
    let target =
        Target { name: "template", seeds: seeds.iter().map(|s| s.as_bytes().to_vec()).collect(), words, one_in: 1 };
    target.run(&PEAK, |input| {
        let files = tiny_tokenizer::Files::new().with("chat_template.jinja", String::from_utf8_lossy(input));
        let _ = files.load().unwrap().encode_chat(&user("a<|im_end|> b"));
    });
}

/// Text of a file below `configs/`.
fn config(path: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../configs").join(path)).unwrap()
}

#[test]
fn yaml_files() {
    let seeds = [
        "d8_100mhz.yaml",
        "d16_100mhz_w128_p6.yaml",
        "boards/kv260.yaml",
        "boards/pynq-z1.yaml",
        "shapes/smollm2.yaml",
    ];
    let boards: Vec<Board> = seeds[2..4].iter().map(|b| sagen_config::parse(b, &config(b)).unwrap()).collect();
    let words = &[
        "&a [*a, *a]",
        "*a",
        "!!binary x",
        "<<: ",
        "- ",
        "? ",
        "{}",
        "[[[[[[[[",
        "|\n  x",
        "null",
        ".inf",
        ".nan",
        "\u{1b}[31m",
    ];
    let target = Target { name: "yaml", seeds: seeds.map(|s| config(s).into_bytes()).to_vec(), words, one_in: 1 };
    target.run(&PEAK, |input| {
        let text = String::from_utf8_lossy(input);
        let _ = overlay("x.yaml", &text, &boards).map_err(|e| e.to_string());
        if let Ok(board) = sagen_config::parse::<Board>("x.yaml", &text) {
            let _ = board.fault(4096);
            let _ = overlay("x.yaml", &config(seeds[0]), &[board]);
        }
        if let Ok(shape) = sagen_config::parse::<Shape>("x.yaml", &text) {
            let _ = shape.config().map(|config| config.parameters());
        }
    });
}

#[test]
fn vivado_reports() {
    const FILES: [&str; 9] = [
        "timing_summary.rpt",
        "check_timing.rpt",
        "utilization.rpt",
        "utilization_hierarchical.rpt",
        "clocks.rpt",
        "drc.rpt",
        "methodology.rpt",
        "address_map.rpt",
        "expected.json",
    ];
    let good = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vivado/tests/reports/2025.1/good");
    let folder = tempfile::tempdir().unwrap();
    for file in FILES {
        std::fs::copy(good.join(file), folder.path().join(file)).unwrap();
    }
    let words = &[
        "| a | Error | b | 1 |\n",
        "Violations found: 7\n",
        "+---+\n",
        "||\n",
        "NA",
        "nan",
        "inf",
        "1. checking no_clock (0)\n",
    ];
    let target = Target { name: "vivado", seeds: numbered(folder.path(), &FILES), words, one_in: 1 };
    target.run(&PEAK, |input| {
        in_folder(folder.path(), &FILES, input, |folder| {
            let report = sagen_vivado::report::judge(folder);
            serde_json::to_string(&report).unwrap();
        });
    });
}

#[test]
fn calibrations() {
    use sagen_checkpoint::model::{ModelConfig, RopePairing};
    let shape = ModelConfig {
        hidden: 64,
        ffn: 64,
        heads: 1,
        kv_heads: 1,
        head_dim: 64,
        ..tiny::config(RopePairing::HalfSplit, true)
    };
    let assumed = serde_json::to_vec(&Calibration::assumed(&shape)).unwrap();
    let checkpoint = Checkpoint::random(shape, 1).unwrap();
    let board = sagen_config::parse("board", &config("boards/kv260.yaml")).unwrap();
    let overlay = overlay("overlay", &config("d8_100mhz.yaml"), &[board]).unwrap();
    let options = CompileOptions { context: 16, logits: true, fuse: Fusion::ALL };
    let target = Target { name: "calibration", seeds: vec![assumed], words: &["1e38", "-0.0"], one_in: 4 };
    target.run(&PEAK, |input| {
        if let Ok(calibration) = serde_json::from_slice::<Calibration>(input) {
            let _ = compile(&checkpoint, &calibration, &overlay, &options).map_err(|e| e.to_string());
        }
    });
}

#[test]
fn descriptors() {
    let seed = |first: u8| (0..64).map(|i| if i == 0 { first } else { i * 37 }).collect::<Vec<u8>>();
    let target = Target { name: "descriptor", seeds: (0..32).map(seed).collect(), words: &[], one_in: 1 };
    target.run(&PEAK, |input| {
        let mut words = [0u64; 8];
        for (word, bytes) in words.iter_mut().zip(input.chunks_exact(8)) {
            *word = u64::from_le_bytes(bytes.try_into().unwrap());
        }
        // What can be read can be written, and says the same.
        if let Some(descriptor) = Descriptor::decode(&words) {
            let again = descriptor.encode().unwrap();
            assert_eq!(Descriptor::decode(&again), Some(descriptor));
        }
    });
}
