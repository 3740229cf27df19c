//! `cosim` as a person meets it: what it says when something is wrong, and a real model on the RTL.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

fn cosim(arguments: &[&str]) -> Output {
    let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cli-build");
    let mut command = Command::new(env!("CARGO_BIN_EXE_cosim"));
    command.current_dir(repository()).env_remove("RUST_BACKTRACE").args(arguments);
    if arguments.first() == Some(&"run") {
        command.arg("--out").arg(out);
    }
    command.output().unwrap()
}

/// The first line of the refusal of a run.
fn refused(arguments: &[&str]) -> String {
    let output = cosim(arguments);
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{text}");
    text.lines().next().unwrap_or_default().to_string()
}

fn temporary(name: &str, contents: &[u8]) -> String {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, contents).unwrap();
    path.display().to_string()
}

#[test]
fn an_unknown_config_is_answered_with_the_nearest_and_all_known() {
    let line = refused(&["run", "smollm2", "--config", "d16_100mhz_w128_p7"]);
    let configs = sagen_config::find::all(&sagen_config::find::configs().unwrap()).unwrap();
    let names: Vec<&str> = configs.iter().map(|path| path.file_stem().unwrap().to_str().unwrap()).collect();
    let known = names.join(", ");
    assert!(known.starts_with("d16_100mhz_w128_p6, d16_100mhz_w128_p6_a4, "), "{known}");
    assert_eq!(
        line,
        format!("Error: unknown config `d16_100mhz_w128_p7`, did you mean `d16_100mhz_w128_p6`?; known: {known}")
    );
}

#[test]
fn an_unknown_model_is_answered_with_the_nearest_and_all_known() {
    let line = refused(&["run", "smolm2", "--backend", "golden"]);
    assert_eq!(line, "Error: unknown model `smolm2`, did you mean `smollm2`? (known: smollm2)");
}

#[test]
fn an_empty_prompt_is_refused() {
    let line = refused(&["run", "smollm2", "--prompt", ""]);
    assert_eq!(line, "Error: the prompt is empty; at least one token is needed");
}

#[test]
fn a_prompt_file_that_is_not_utf8_is_refused_with_the_byte() {
    let path = temporary("latin1.txt", b"caf\xe9");
    let line = refused(&["run", "smollm2", "--prompt-file", &path]);
    assert_eq!(line, format!("Error: {path}: not UTF-8 at byte 3"));
}

#[test]
fn a_prompt_longer_than_the_context_is_refused_before_anything_is_built() {
    let prompt = "word ".repeat(100);
    let line = refused(&["run", "smollm2", "--context", "64", "--prompt", &prompt]);
    assert!(line.ends_with("more do not fit --context 64"), "{line}");
}

#[test]
fn a_context_that_is_no_multiple_of_16_is_refused() {
    let line = refused(&["run", "smollm2", "--context", "100", "--backend", "golden"]);
    assert!(line.contains("context = 100") && line.contains("multiple of 16"), "{line}");
}

#[test]
fn a_profile_outside_the_context_or_between_chunks_is_refused_before_anything_is_built() {
    let line = refused(&["profile", "smollm2", "--position", "2048"]);
    assert_eq!(line, "Error: --position 2048 needs a context of 2049, --context is 2048");
    let line = refused(&["profile", "smollm2", "--prefill", "--position", "40"]);
    assert_eq!(line, "Error: --position 40: a chunk of prefill begins at a multiple of 16");
}

#[test]
fn a_file_that_is_no_checkpoint_is_refused() {
    let path = temporary("noise.gguf", b"this is not a GGUF file at all");
    let line = refused(&["run", "mine", "--model-path", &path, "--prompt", "x", "--backend", "golden"]);
    assert!(line.contains("noise.gguf"), "{line}");
    let line = refused(&["run", "mine", "--model-path", "/nowhere.gguf", "--prompt", "x", "--backend", "golden"]);
    assert!(line.contains("/nowhere.gguf"), "{line}");
}

#[test]
fn a_verilator_that_is_not_there_is_named() {
    let line = refused(&["run", "smollm2", "--verilator", "/nowhere/verilator"]);
    assert!(line.contains("/nowhere/verilator"), "{line}");
}

#[test]
fn a_report_that_cannot_be_written_is_refused_before_anything_runs() {
    let line = refused(&["run", "smollm2", "--report", "/nowhere/x.json"]);
    assert!(line.starts_with("Error: --report /nowhere/x.json: cannot write into /nowhere"), "{line}");
}

#[test]
fn a_trace_of_the_golden_machine_is_refused() {
    let line = refused(&["run", "smollm2", "--backend", "golden", "--trace-window", "3..5"]);
    assert_eq!(line, "Error: --trace-window needs --backend rtl: the golden machine has no clock cycles");
}

#[test]
fn a_program_beside_verilator_is_not_taken_for_it() {
    let line = refused(&["run", "smollm2", "--verilator", "/bin/false"]);
    assert!(line.contains("not a usable Verilator"), "{line}");
}

#[test]
fn smollm2_decodes_on_the_rtl_bit_for_bit() {
    let report = temporary("report.json", b"");
    let run = cosim(&["run", "smollm2", "--prompt", "The capital of France is", "--tokens", "2", "--report", &report]);
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    let report: Value = serde_json::from_str(&std::fs::read_to_string(report).unwrap()).unwrap();
    assert_eq!(report["schema"], 1);
    assert_eq!(report["text"], " Paris.");
    assert_eq!(report["bit_exact"], true);
    assert_eq!(report["decode"].as_array().unwrap().len(), 1);
    assert!(report["checked"]["descriptors"].as_u64().unwrap() > 5000);
}

#[test]
fn golden_gives_the_text_of_the_float_reference() {
    let run =
        cosim(&["run", "smollm2", "--backend", "golden", "--prompt", "The capital of France is", "--tokens", "19"]);
    let text = String::from_utf8(run.stdout).unwrap();
    assert!(
        text.contains(" Paris.\n\nThe United States has a population of approximately 311 million people."),
        "{text}"
    );
}
