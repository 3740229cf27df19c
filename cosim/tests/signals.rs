//! Signals during long work: heard within moments, with what was asked for written and nothing left behind.

use serde_json::Value;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::LazyLock;
use std::time::{Duration, Instant};
use tempfile::TempDir;

const LONG: Duration = Duration::from_secs(120);
/// What is promised, and what a busy machine may add.
const SOON: Duration = Duration::from_secs(4);

fn cosim(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cosim"));
    command.current_dir(folder).args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn config() -> &'static str {
    concat!(env!("CARGO_MANIFEST_DIR"), "/../configs/d8_100mhz.yaml")
}

/// A shape of one layer: it compiles in no time.
fn tiny() -> String {
    static PATH: LazyLock<String> = LazyLock::new(|| {
        let path = concat!(env!("CARGO_TARGET_TMPDIR"), "/tiny-signals.yaml");
        let head = "name: tiny\nlayers: 1\nhidden: 64\nffn: 64\nheads: 1\nkv_heads: 1\nhead_dim: 64\nvocab: 256\n";
        std::fs::write(path, format!("{head}context: 128\nnorm_eps: 1.0e-5\nrope_theta: 1.0e4\n")).unwrap();
        path.to_owned()
    });
    PATH.clone()
}

fn send(signal: &str, child: &Child) {
    assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap().success());
}

/// Waits for something to be there.
fn until<T>(what: &str, mut found: impl FnMut() -> Option<T>) -> T {
    let since = Instant::now();
    loop {
        if let Some(found) = found() {
            return found;
        }
        assert!(since.elapsed() < LONG, "{what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// How the process ends, which it does soon.
fn ended(child: &mut Child) -> ExitStatus {
    let since = Instant::now();
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return status;
        }
        if since.elapsed() > SOON {
            let _ = child.kill();
            panic!("the signal was not heard within {SOON:?}");
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn alive(pid: &str) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{}/stat", pid.trim()));
    status.is_ok_and(|s| !s.rsplit(") ").next().is_some_and(|rest| rest.starts_with('Z')))
}

fn script(path: &Path, text: &str) -> PathBuf {
    std::fs::write(path, format!("#!/bin/sh\n{text}\n")).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
    path.to_path_buf()
}

fn report(path: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

fn folder() -> TempDir {
    tempfile::tempdir().unwrap()
}

#[test]
fn a_run_that_is_cut_off_writes_what_it_has_and_exits_by_its_signal() {
    for (signal, code) in [("-INT", 130), ("-TERM", 143), ("-HUP", 129)] {
        let folder = folder();
        let arguments =
            ["run", "smollm2", "--backend", "golden", "--tokens", "600", "--prompt", "The", "--report", "r.json"];
        let mut child = cosim(folder.path(), &arguments).spawn().unwrap();
        // Wherever it is by then: reading, compiling, prefill, decode.
        std::thread::sleep(Duration::from_millis(if code == 143 { 700 } else { 3000 }));
        send(signal, &child);
        assert_eq!(ended(&mut child).code(), Some(code));
        let written = report(&folder.path().join("r.json"));
        assert_eq!((&written["interrupted"], &written["model"]), (&Value::from(true), &Value::from("smollm2")));
        assert_eq!(folder.path().read_dir().unwrap().count(), 1, "nothing but the report");
    }
}

#[test]
fn a_calibration_is_cut_off_and_leaves_nothing() {
    let folder = folder();
    let models = folder.path().join("cache/models");
    std::fs::create_dir_all(models.parent().unwrap()).unwrap();
    // The model is there, its calibration is not.
    std::os::unix::fs::symlink(sagen_host::cache::folder().unwrap().join("models"), models).unwrap();
    let mut command = cosim(folder.path(), &["compile", "smollm2"]);
    let mut child = command.env("SAGEN_CACHE", folder.path().join("cache")).spawn().unwrap();
    until("calibration", || folder.path().join("cache/calibration").is_dir().then_some(()));
    send("-TERM", &child);
    assert_eq!(ended(&mut child).code(), Some(143));
    assert_eq!(folder.path().join("cache/calibration").read_dir().unwrap().count(), 0);
}

#[test]
fn a_prediction_is_cut_off() {
    let folder = folder();
    let mut child = cosim(folder.path(), &["predict", "--positions", "1,2,3,4,5,6,7,8,9", "--svg", "x.svg", "smollm2"]);
    let mut child = child.spawn().unwrap();
    std::thread::sleep(Duration::from_millis(300));
    send("-INT", &child);
    assert_eq!(ended(&mut child).code(), Some(130));
    assert_eq!(folder.path().read_dir().unwrap().count(), 0);
}

/// A Verilator whose work has children of its own and never ends.
fn endless(folder: &Path) -> PathBuf {
    let root = folder.join("verilator");
    std::fs::create_dir_all(root.join("bin")).unwrap();
    std::fs::create_dir_all(root.join("include")).unwrap();
    std::fs::write(root.join("include/verilated.h"), "").unwrap();
    std::fs::write(root.join("include/verilated_config.h"), "#define VERILATOR_VERSION \"5\"\n").unwrap();
    let text = format!(
        "[ \"$1\" = --getenv ] && exit 1\ntrap '' TERM\n(sleep 1000; true) & echo $! > {0}/pid; wait",
        folder.display()
    );
    script(&root.join("bin/verilator_bin"), &text)
}

#[test]
fn a_build_is_cut_off_with_its_children_and_their_children() {
    for (signals, code) in [(1, 143), (2, 143)] {
        let folder = folder();
        // The runtime comes first, and needs a compiler that is quick.
        let compiler = script(
            &folder.path().join("cxx"),
            "[ \"$1\" = --version ] && echo c++ 1 || touch \"$(echo \"$@\" | sed 's/.*-o \\([^ ]*\\).*/\\1/')\"",
        );
        let verilator = endless(folder.path()).display().to_string();
        let shape = tiny();
        let arguments = [
            "verify",
            &shape,
            "--position",
            "3",
            "--config",
            config(),
            "--verilator",
            &verilator,
            "--report",
            "r.json",
        ];
        let cache = folder.path().join("cache");
        let mut command = cosim(folder.path(), &arguments);
        let mut child = command.env("SAGEN_CACHE", &cache).env("SAGEN_CXX", compiler).spawn().unwrap();
        let pid = until("Verilator", || {
            std::fs::read_to_string(folder.path().join("pid")).ok().filter(|p| p.ends_with('\n'))
        });
        (0..signals).for_each(|_| send("-TERM", &child));
        assert_eq!(ended(&mut child).code(), Some(code));
        until("its children end", || (!alive(&pid)).then_some(()));
        assert_eq!(report(&folder.path().join("r.json"))["interrupted"], true);
        let left = cache.join("verilated/designs").read_dir().unwrap().map(|e| e.unwrap().path());
        let left: Vec<PathBuf> = left.filter(|path| path.is_dir()).collect();
        assert!(left.is_empty(), "{left:?}");
    }
}

#[test]
fn nohup_keeps_its_promise() {
    let folder = folder();
    let mut command = Command::new("nohup");
    command.arg(env!("CARGO_BIN_EXE_cosim")).args(["predict", "smollm2", "--positions", "1,2,3,4,5,6,7,8"]);
    let mut child = command.current_dir(folder.path()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(300));
    send("-HUP", &child);
    let status = child.wait().unwrap();
    assert!(status.success() && status.signal().is_none(), "{status}");
}
