//! Where commands write: links, devices, pipes, modes, and what is refused before any work.

use std::fs::Permissions;
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt, symlink};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::LazyLock;
use tempfile::TempDir;

/// A shape of one layer: it compiles in no time.
fn tiny() -> String {
    static PATH: LazyLock<String> = LazyLock::new(|| {
        let path = concat!(env!("CARGO_TARGET_TMPDIR"), "/tiny-outputs.yaml");
        let head = "name: tiny\nlayers: 1\nhidden: 64\nffn: 64\nheads: 1\nkv_heads: 1\nhead_dim: 64\nvocab: 256\n";
        std::fs::write(path, format!("{head}context: 128\nnorm_eps: 1.0e-5\nrope_theta: 1.0e4\n")).unwrap();
        path.to_owned()
    });
    PATH.clone()
}

/// A command that writes a listing, with more options.
fn compile(folder: &Path, more: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cosim"));
    let config = concat!(env!("CARGO_MANIFEST_DIR"), "/../configs/d8_100mhz.yaml");
    command.current_dir(folder).args(["compile", &tiny(), "--context", "64", "--config", config]).args(more);
    command
}

fn listed(folder: &Path, to: &str) -> Output {
    let output = compile(folder, &["--list", to]).output().unwrap();
    assert!(output.status.success(), "{to}: {}", String::from_utf8_lossy(&output.stderr));
    output
}

fn refused(command: &mut Command) -> String {
    let output = command.output().unwrap();
    assert!(!output.status.success());
    assert_eq!(String::from_utf8_lossy(&output.stdout), "", "nothing is worked out for a place that cannot be written");
    String::from_utf8(output.stderr).unwrap()
}

fn folder() -> TempDir {
    tempfile::tempdir().unwrap()
}

fn is_listing(text: &[u8]) -> bool {
    text.len() > 1_000 && text.ends_with(b"\n")
}

#[test]
fn a_link_is_followed_and_stays_whether_or_not_its_end_is_there() {
    let folder = folder();
    let path = |name: &str| folder.path().join(name);
    std::fs::create_dir(path("below")).unwrap();
    std::fs::write(path("below/old"), "old").unwrap();
    symlink("below/old", path("link")).unwrap();
    symlink("link", path("twice")).unwrap();
    symlink("below/new", path("dangling")).unwrap();
    for (link, end) in [("link", "below/old"), ("twice", "below/old"), ("dangling", "below/new")] {
        listed(folder.path(), link);
        assert!(path(link).symlink_metadata().unwrap().is_symlink(), "{link}");
        assert!(is_listing(&std::fs::read(path(end)).unwrap()), "{link}");
        std::fs::write(path("below/old"), "old").unwrap();
    }
    symlink("round", path("round")).unwrap();
    let error = refused(&mut compile(folder.path(), &["--list", "round"]));
    assert!(error.starts_with("Error: --list round: ") && error.contains("symbolic links"), "{error}");
}

#[test]
fn an_existing_file_keeps_its_mode_and_a_new_one_obeys_the_umask() {
    let folder = folder();
    let path = folder.path().join("kept");
    for mode in [0o640, 0o644, 0o600, 0o666] {
        std::fs::write(&path, "old").unwrap();
        std::fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
        listed(folder.path(), "kept");
        assert_eq!(path.metadata().unwrap().mode() & 0o7777, mode);
    }
    for (umask, mode) in [("022", 0o644), ("077", 0o600), ("002", 0o664)] {
        let command = compile(folder.path(), &["--list", "fresh"]);
        let mut shell = Command::new("sh");
        shell.current_dir(folder.path()).args(["-c", &format!("umask {umask}; exec \"$@\""), "sh"]);
        shell.arg(command.get_program()).args(command.get_args());
        assert!(shell.output().unwrap().status.success());
        let fresh = folder.path().join("fresh");
        assert_eq!(fresh.metadata().unwrap().mode() & 0o7777, mode, "{umask}");
        std::fs::remove_file(fresh).unwrap();
    }
}

#[test]
fn devices_and_pipes_are_written_and_stay_what_they_are() {
    let folder = folder();
    let node = |name: &str| folder.path().join(name);
    // A node of one's own, so that a fault does not cost the machine its /dev/full.
    let made = Command::new("mknod").arg(node("full")).args(["c", "1", "7"]).output();
    if made.is_ok_and(|o| o.status.success()) {
        let output = compile(folder.path(), &["--list", "full"]).output().unwrap();
        let error = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success() && error.contains("cannot write full: No space left"), "{error}");
        assert!(node("full").symlink_metadata().unwrap().file_type().is_char_device());
    }
    assert!(Command::new("mkfifo").arg(node("pipe")).status().unwrap().success());
    let reader = Command::new("cat").arg(node("pipe")).stdout(Stdio::piped()).spawn().unwrap();
    listed(folder.path(), "pipe");
    assert!(is_listing(&reader.wait_with_output().unwrap().stdout));
    assert!(node("pipe").symlink_metadata().unwrap().file_type().is_fifo());
}

#[test]
fn what_goes_to_standard_output_is_alone_there() {
    let folder = folder();
    listed(folder.path(), "file");
    let expected = std::fs::read(folder.path().join("file")).unwrap();
    for name in ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"] {
        let output = listed(folder.path(), name);
        assert!(output.stdout == expected, "{name}");
        assert!(String::from_utf8(output.stderr).unwrap().contains("routine"), "{name}: the summary has another place");
    }
    // Redirected to a file that something was written to before.
    let command = compile(folder.path(), &["--list", "/dev/stdout"]);
    let script = "{ echo before; \"$@\"; echo after; } > both";
    let mut shell = Command::new("sh");
    shell.current_dir(folder.path()).args(["-c", script, "sh"]).arg(command.get_program()).args(command.get_args());
    assert!(shell.output().unwrap().status.success());
    let both = String::from_utf8(std::fs::read(folder.path().join("both")).unwrap()).unwrap();
    assert!(both.starts_with("before\n") && both.ends_with("\nafter\n") && both.len() == expected.len() + 13);
    assert!(!folder.path().join("-").exists());
}

#[test]
fn places_that_cannot_be_written_are_refused_before_the_work() {
    let folder = folder();
    std::fs::create_dir(folder.path().join("sub")).unwrap();
    std::fs::write(folder.path().join("plain"), "").unwrap();
    symlink("sub", folder.path().join("to-sub")).unwrap();
    for (to, message) in [
        ("sub", "--list sub is a folder; a file is needed"),
        ("to-sub", "--list to-sub is a folder; a file is needed"),
        ("new/", "--list new/ is a folder; a file is needed"),
        ("nowhere/x", "--list nowhere/x: cannot write into nowhere: No such file"),
        ("plain/x", "--list plain/x: cannot write into plain: Not a directory"),
    ] {
        let error = refused(&mut compile(folder.path(), &["--list", to]));
        assert!(error.starts_with(&format!("Error: {message}")), "{to}: {error}");
    }
    let mut names: Vec<_> = folder.path().read_dir().unwrap().map(|e| e.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["plain", "sub", "to-sub"]);
}

#[test]
fn every_command_checks_all_its_places_and_no_two_may_be_one_file() {
    let folder = folder();
    std::fs::write(folder.path().join("a"), "").unwrap();
    symlink("a", folder.path().join("b")).unwrap();
    std::fs::hard_link(folder.path().join("a"), folder.path().join("c")).unwrap();
    std::fs::write(folder.path().join("run.json"), "{}").unwrap();
    let cases: [(&[&str], &str); 14] = [
        (&["profile", "smollm2", "--json", "/nowhere/x"], "--json /nowhere/x: cannot write into /nowhere"),
        (&["profile", "smollm2", "--trace", "/nowhere/x"], "--trace /nowhere/x: cannot write into /nowhere"),
        (&["profile", "smollm2", "--svg", "/nowhere/x"], "--svg /nowhere/x: cannot write into /nowhere"),
        (&["profile", "smollm2", "--svg", "x", "--json", "./x"], "--json ./x and --svg x are one file"),
        (&["profile", "smollm2", "--svg", "a", "--json", "b"], "--json b and --svg a are one file"),
        (&["profile", "smollm2", "--svg", "a", "--trace", "c"], "--trace c and --svg a are one file"),
        (
            &["profile", "smollm2", "--svg", "-", "--trace", "/dev/stdout"],
            "--trace /dev/stdout and --svg - are one file",
        ),
        (&["profile", "smollm2", "--out", "a"], "--out a is a file; a folder is needed"),
        (&["predict", "smollm2", "--svg", "/nowhere/x"], "--svg /nowhere/x: cannot write into /nowhere"),
        (
            &["predict", "smollm2", "--measured", "run.json", "--svg", "run.json"],
            "--svg run.json and --measured run.json are one",
        ),
        (&["run", "smollm2", "--report", "a", "--prompt-file", "b"], "--report a and --prompt-file b are one file"),
        (
            &["run", "smollm2", "--report", "a", "--trace-window", "1..2", "--trace-file", "c"],
            "--report a and --trace-file c are",
        ),
        (
            &["run", "smollm2", "--trace-window", "1..2", "--trace-file", "/dev/null"],
            "--trace-file /dev/null: a regular file",
        ),
        (&["verify", "smollm2", "--out", "a/b"], "--out a/b: cannot write into a: Not a directory"),
    ];
    for (arguments, message) in cases {
        let mut command = Command::new(env!("CARGO_BIN_EXE_cosim"));
        let error = refused(command.current_dir(folder.path()).args(arguments));
        assert!(error.starts_with(&format!("Error: {message}")), "{arguments:?}: {error}");
    }
}
