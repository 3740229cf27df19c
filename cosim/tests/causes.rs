//! The true cause is shown when a tool, a folder or standard output fails.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::LazyLock;

fn cosim(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cosim"));
    command.current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/..")).args(arguments);
    command
}

/// A shape of one layer: it compiles in no time.
fn tiny() -> String {
    static PATH: LazyLock<String> = LazyLock::new(|| {
        let path = concat!(env!("CARGO_TARGET_TMPDIR"), "/tiny-causes.yaml");
        let head = "name: tiny\nlayers: 1\nhidden: 64\nffn: 64\nheads: 1\nkv_heads: 1\nhead_dim: 64\nvocab: 256\n";
        std::fs::write(path, format!("{head}context: 128\nnorm_eps: 1.0e-5\nrope_theta: 1.0e4\n")).unwrap();
        path.to_owned()
    });
    PATH.clone()
}

fn both(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

fn script(folder: &Path, name: &str, text: &str) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, format!("#!/bin/sh\n{text}\n")).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    path
}

#[test]
fn a_missing_temporary_folder_is_named_and_no_tool_blamed() {
    let output = cosim(&["doctor"]).env("TMPDIR", "/nonexist").output().unwrap();
    let said = both(&output);
    assert!(!output.status.success());
    assert!(
        said.contains("no file can be made in the temporary folder /nonexist: No such file or directory"),
        "{said}"
    );
    assert!(said.contains("set TMPDIR") && !said.contains("apt-get"), "{said}");
    let out = tempfile::tempdir().unwrap();
    let out = out.path().display().to_string();
    let output = cosim(&["verify", &tiny(), "--position", "3", "--config", "d8_100mhz", "--out", &out])
        .env("TMPDIR", "/nonexist")
        .output();
    let said = both(&output.unwrap());
    assert!(said.contains("temporary folder /nonexist") && said.lines().count() == 1, "{said}");
}

#[test]
fn a_tool_that_never_answers_is_named_with_its_limit() {
    let folder = tempfile::tempdir().unwrap();
    let sleeps = script(folder.path(), "sleeps", "/bin/sleep 1000").display().to_string();
    let python = folder.path().join("bin");
    std::fs::create_dir(&python).unwrap();
    script(&python, "python3", "/bin/sleep 1000");
    let answers = std::thread::scope(|scope| {
        let cases = [
            scope.spawn(|| cosim(&["doctor", "--verilator", &sleeps]).output()),
            scope.spawn(|| cosim(&["doctor"]).env("SAGEN_CXX", &sleeps).output()),
            scope.spawn(|| cosim(&["doctor"]).env("PATH", &python).output()),
        ];
        cases.map(|case| both(&case.join().unwrap().unwrap()))
    });
    for (said, tool) in answers.iter().zip(["Verilator", "the C++ compiler", "python3"]) {
        assert!(said.contains(&format!("{tool} was stopped after 10 s")), "{tool}: {said}");
    }
    assert!(answers[2].contains("pip was stopped after 10 s"), "{}", answers[2]);
}

#[test]
fn a_full_disk_is_the_cause_and_not_what_a_tool_makes_of_it() {
    let folder = tempfile::tempdir().unwrap();
    let bin = folder.path().join("bin");
    std::fs::create_dir(&bin).unwrap();
    let pip = "echo 'ERROR: Exception:'; echo Traceback; echo 'OSError: [Errno 28] No space left on device'; exit 2";
    script(&bin, "python3", pip);
    let mut command = cosim(&["run", "smollm2", "--backend", "golden"]);
    let output = command.env("SAGEN_CACHE", folder.path().join("cache")).env("PATH", &bin).output().unwrap();
    let said = both(&output);
    assert!(said.contains("python3 -m pip download") && said.contains("failed: the disk is full: "), "{said}");
    assert!(!said.contains("Exception"), "{said}");
}

#[test]
fn a_reader_that_goes_away_ends_every_command_quietly_and_a_full_output_is_an_error() {
    let shape = tiny();
    let commands: [&[&str]; 6] = [
        &["predict", &shape, "--context", "64", "--positions", "3", "--prompt-tokens", "16"],
        &["compile", &shape, "--context", "64"],
        &["cache", "list"],
        &["run", "smollm2", "--backend", "golden", "--tokens", "2", "--prompt", "The", "--context", "64"],
        &["run", "smollm2", "--backend", "golden", "--tokens", "2", "--prompt", "The", "--context", "64", "--quiet"],
        &["--help"],
    ];
    for arguments in commands {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output = cosim(arguments).stdout(writer).stderr(Stdio::piped()).output().unwrap();
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(
            output.status.success() && !error.contains("panicked") && !error.contains("Error"),
            "{arguments:?}: {error}"
        );
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let output = cosim(arguments).stdout(full).output().unwrap();
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(
            !output.status.success() && error.contains("cannot write standard output: No space left"),
            "{arguments:?}: {error}"
        );
        assert!(!error.contains("panicked"), "{arguments:?}: {error}");
    }
}

#[test]
fn help_names_the_environment_variables() {
    let said = both(&cosim(&["--help"]).output().unwrap());
    for name in ["SAGEN_CACHE", "SAGEN_VERILATOR", "SAGEN_CXX", "TMPDIR"] {
        assert!(said.contains(name), "{name}: {said}");
    }
}

#[test]
fn a_report_of_less_than_was_asked_for_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let report = folder.path().join("r.json");
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let arguments = ["run", "smollm2", "--backend", "golden", "--tokens", "8", "--prompt", "The", "--report"];
    let output = cosim(&arguments).arg(&report).stdout(writer).stderr(Stdio::piped()).output().unwrap();
    assert!(output.status.success(), "{}", both(&output));
    let report: serde_json::Value = serde_json::from_slice(&std::fs::read(report).unwrap()).unwrap();
    assert_eq!(report["interrupted"], true, "{report}");
}

#[test]
fn a_report_that_cannot_be_written_does_not_swallow_the_answer() {
    let arguments =
        ["run", "smollm2", "--backend", "golden", "--tokens", "2", "--prompt", "The", "--report", "/dev/full"];
    let output = cosim(&arguments).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(!output.status.success() && said.contains("prefill") && said.contains("tok/s"), "{}", both(&output));
}

#[test]
fn files_without_an_end_are_refused() {
    for arguments in [
        ["predict", "smollm2", "--config", "/dev/zero"],
        ["predict", "/dev/zero", "--config", "d8_100mhz"],
        ["run", "smollm2", "--prompt-file", "/dev/zero"],
    ] {
        let output = cosim(&arguments).output().unwrap();
        let said = both(&output);
        assert!(!output.status.success() && said.contains("/dev/zero") && said.contains("longer than"), "{said}");
    }
}

#[test]
fn quiet_streams_the_answer_alone() {
    let arguments =
        ["run", "smollm2", "--backend", "golden", "--quiet", "--prompt", "The capital of France is", "--tokens", "3"];
    let output = cosim(&arguments).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), " Paris.\n\n", "{}", both(&output));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("tok/s") && said.contains("chunks of 16: 5 tokens cost as much as 16"), "{said}");
    assert!(!said.contains("decode  at"), "lines about steps tear the answer: {said}");
}

#[test]
fn a_chat_shows_its_template_once_and_a_report_says_which_model_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let report = folder.path().join("r.json");
    let arguments =
        ["run", "smollm2", "--backend", "golden", "--chat", "--prompt", "Hello", "--tokens", "2", "--report"];
    let said = both(&cosim(&arguments).arg(&report).output().unwrap());
    assert_eq!(said.matches("You are a helpful").count(), 1, "{said}");
    let report: serde_json::Value = serde_json::from_slice(&std::fs::read(report).unwrap()).unwrap();
    let path = PathBuf::from(report["model_path"].as_str().unwrap());
    let copy = folder.path().join("my model.gguf");
    std::os::unix::fs::symlink(&path, &copy).unwrap();
    let again = folder.path().join("again.json");
    let mut command = cosim(&["run", "--backend", "golden", "--tokens", "1", "--prompt", "x", "--context", "64"]);
    let output = command.arg("--model-path").arg(&copy).arg("--report").arg(&again).output().unwrap();
    assert!(output.status.success(), "{}", both(&output));
    let again: serde_json::Value = serde_json::from_slice(&std::fs::read(again).unwrap()).unwrap();
    assert_eq!(again["model"].as_str(), path.file_stem().unwrap().to_str());
    assert_eq!((&again["model_path"], &again["model_sha256"]), (&report["model_path"], &report["model_sha256"]));
    assert_eq!(again["model_sha256"].as_str().unwrap().len(), 64);
}

#[test]
fn shapes_of_the_user_come_first_and_one_that_fails_fails_the_table() {
    let folder = tempfile::tempdir().unwrap();
    let shapes = folder.path().join("configs/shapes");
    std::fs::create_dir_all(&shapes).unwrap();
    let text = std::fs::read_to_string(tiny()).unwrap();
    for name in ["smollm2", "gemma-3-270m", "qwen3-0.6b", "llama-3.2-1b", "mine"] {
        std::fs::write(shapes.join(format!("{name}.yaml")), text.replace("tiny", &format!("my-{name}"))).unwrap();
    }
    let predict = |more: &[&str]| {
        let arguments =
            [&["predict", "--context", "64", "--positions", "3,32", "--prompt-tokens", "64"], more].concat();
        cosim(&arguments).current_dir(folder.path()).output().unwrap()
    };
    let all = predict(&[]);
    let said = both(&all);
    assert!(all.status.success() && said.contains("my-smollm2 on ") && said.contains("my-mine on "), "{said}");
    std::fs::write(shapes.join("mine.yaml"), text.replace("hidden: 64", "hidden: 65")).unwrap();
    let one = predict(&[]);
    let said = both(&one);
    assert!(!one.status.success() && said.contains("Error: 1 of 5 predictions failed"), "{said}");
    assert!(said.contains("hidden") && said.contains("my-smollm2 on "), "{said}");
    // Of different units, each has its own column.
    let text = text + "reference: { decode_tok_per_s: 7.25, step_ms_at_2048: 91.5, prefill_tok_per_s: 73.5 }\n";
    std::fs::write(shapes.join("mine.yaml"), text).unwrap();
    let said = both(&predict(&["mine"]));
    assert!(said.contains("ref. tok/s   ref. ms\n") && said.contains(" 7.25\n") && said.contains(" 73.5\n"), "{said}");
    assert!(!said.contains("7.25 tok/s"), "{said}");
}
