//! Whatever lies in the cache: what is damaged is made again, what is whole is used, also where nothing can be written.

use sagen_cosim::bridge::Sim;
use sagen_cosim::verilate::{Cache, Design, Tools, TopPort, Variant, verilate};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tempfile::TempDir;

fn design(folder: &Path) -> Design {
    let text = "module counter(input clk, output reg [7:0] n); initial n = 0; always @(posedge clk) n <= n + 8'd1; endmodule\n";
    std::fs::write(folder.join("counter.v"), text).unwrap();
    std::fs::write(folder.join("files.f"), "counter.v\n").unwrap();
    Design::read(folder, "counter", &[TopPort::input("clk", 1), TopPort::output("n", 8)]).unwrap()
}

fn cosim(cache: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cosim"));
    command.args(arguments).env("SAGEN_CACHE", cache).current_dir(cache.parent().unwrap()).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Another file of the name: this process may have mapped the first one.
fn replace(path: &Path, bytes: &[u8]) {
    std::fs::remove_file(path).unwrap();
    std::fs::write(path, bytes).unwrap();
}

#[test]
fn a_damaged_simulator_is_built_again_before_anything_of_it_is_used() {
    let folder = tempfile::tempdir().unwrap();
    let (design, tools, cache) =
        (design(folder.path()), Tools::find(None).unwrap(), Cache::at(folder.path().join("cache")));
    let build = || verilate(&design, Variant::default(), &tools, &cache).unwrap();
    let works = |library: &Path| {
        let mut sim = Sim::load(library, 0).unwrap();
        let n = sim.port::<u8>("n").unwrap();
        (0..10).for_each(|_| sim.clock(|| {}).unwrap());
        assert_eq!(n.get(), 10);
    };
    let built = build();
    let library = built.library.clone();
    let slot = library.parent().unwrap().to_path_buf();
    let whole = std::fs::read(&library).unwrap();
    let mut flipped = whole.clone();
    flipped[whole.len() / 2] ^= 1;
    let damages: [(&str, &dyn Fn()); 7] = [
        ("short", &|| replace(&library, &whole[..1000])),
        ("flipped", &|| replace(&library, &flipped)),
        ("empty", &|| replace(&library, b"")),
        ("away", &|| std::fs::remove_file(&library).unwrap()),
        ("folder", &|| {
            std::fs::remove_file(&library).unwrap();
            std::fs::create_dir(&library).unwrap();
        }),
        ("record", &|| std::fs::write(slot.join("build.json"), "{").unwrap()),
        ("slot", &|| {
            std::fs::remove_dir_all(&slot).unwrap();
            std::fs::write(&slot, "a file").unwrap();
        }),
    ];
    for (what, damage) in damages {
        damage();
        let again = build();
        assert!(!again.cache_hit, "{what}");
        works(&again.library);
        assert!(build().cache_hit, "{what}");
    }
    // Runtime objects are used by the next design only.
    let runtime = cache.root().join("verilated/runtime");
    let objects = runtime.read_dir().unwrap().map(|e| e.unwrap().path()).find(|p| p.is_dir()).unwrap();
    std::fs::write(objects.join("verilated.o"), "short").unwrap();
    std::fs::remove_dir_all(&slot).unwrap();
    works(&build().library);
}

/// A cache with one entry of each kind, as another day left it.
fn filled(root: &Path) {
    let write = |path: &str, contents: &str| {
        let path = root.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, contents).unwrap();
    };
    write(&format!("models/{}/tiny.gguf", key('a')), "weights");
    write(&format!("calibration/{}.json", key('b')), "ranges");
    write(&format!("verilated/designs/{}/model.so", key('c')), "code");
    write(&format!("verilated/designs/{}.lock", key('c')), "");
    write(&format!("verilated/designs/{}.compile.log", key('c')), "log");
    write(&format!("verilated/designs/{}.verilator.log", key('d')), "of a build that failed");
    write(&format!("verilated/runtime/{}/verilated.o", key('e')), "object");
    write(&format!("yosys/{}.json", key('f')), "netlist");
    // Somebody keeps other things in the same folder.
    write("notes.txt", "mine");
    write("models/mine.gguf", "mine");
    write("models/mine/a", "mine");
}

/// As long as a key is.
fn key(digit: char) -> String {
    digit.to_string().repeat(24)
}

#[test]
fn the_cache_is_listed_and_pruned_by_age() {
    let folder = tempfile::tempdir().unwrap();
    let cache = folder.path().join("cache");
    assert_eq!(text(&cosim(&cache, &["cache", "list"]).stdout).lines().count(), 2, "a head and a sum");
    filled(&cache);
    let designs = cache.join("verilated/designs");
    let listed = text(&cosim(&cache, &["cache", "list"]).stdout);
    for kind in ["model ", "calibration ", "simulator ", "simulator runtime ", "netlist ", "rest "] {
        assert!(listed.lines().any(|line| line.starts_with(kind) && line.ends_with("today")), "{kind}: {listed}");
    }
    assert!(listed.contains("tiny.gguf"), "{listed}");
    let old = cache.join(format!("calibration/{}.json", key('b')));
    let day = std::time::Duration::from_secs(24 * 3600);
    std::fs::File::open(&old).unwrap().set_modified(std::time::SystemTime::now() - 40 * day).unwrap();
    let would = text(&cosim(&cache, &["cache", "prune", "--dry-run"]).stdout);
    assert!(would.contains("40 days ago") && would.ends_with("1 entry of 6 B would be removed\n"), "{would}");
    assert!(old.exists());
    let kept = text(&cosim(&cache, &["cache", "prune", "--older-than", "41"]).stdout);
    assert!(kept.ends_with("0 entries of 0 B removed\n"), "{kept}");
    let gone = text(&cosim(&cache, &["cache", "prune"]).stdout);
    assert!(gone.ends_with("1 entry of 6 B removed\n") && !old.exists(), "{gone}");
    // What somebody makes just now stays.
    let held = sagen_host::lock::Lock::free(&designs.join(format!("{}.lock", key('c')))).unwrap();
    let pruned = cosim(&cache, &["cache", "prune", "--all"]);
    assert!(!pruned.status.success() && text(&pruned.stderr).contains("1 entry left: another process works on it"));
    assert!(designs.join(key('c')).exists() && !cache.join("models").join(key('a')).exists());
    drop(held);
    assert!(cosim(&cache, &["cache", "prune", "--all"]).status.success());
    assert_eq!(designs.read_dir().unwrap().count(), 0);
    for mine in ["notes.txt", "models/mine.gguf", "models/mine/a"] {
        assert_eq!(std::fs::read_to_string(cache.join(mine)).unwrap(), "mine");
    }
}

/// As a user who may read everything here and write nothing.
fn as_reader(cache: &Path, folder: &Path, arguments: &[&str]) -> Option<Output> {
    // SAFETY-free: a child of another user needs root, without which the folder's mode is enough.
    let root = std::fs::metadata("/proc/self").map(|m| std::os::unix::fs::MetadataExt::uid(&m)).unwrap() == 0;
    let mut command = Command::new(env!("CARGO_BIN_EXE_cosim"));
    command.args(arguments).env("SAGEN_CACHE", cache).env("HOME", folder).current_dir(folder);
    if root {
        command.uid(65534).gid(65534);
    }
    command.output().ok()
}

fn read_only(path: &Path) {
    for entry in path.read_dir().into_iter().flatten().flatten().filter(|e| e.path().is_dir()) {
        read_only(&entry.path());
    }
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o555)).unwrap();
}

fn open() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o777)).unwrap();
    folder
}

#[test]
fn a_read_only_cache_serves_what_is_in_it_and_says_why_it_holds_no_more() {
    let folder = open();
    let cache: PathBuf = folder.path().join("cache");
    std::fs::create_dir(&cache).unwrap();
    let arguments = ["run", "smollm2", "--backend", "golden", "--prompt", "The", "--tokens", "1", "--context", "64"];
    read_only(&cache);
    let Some(refused) = as_reader(&cache, folder.path(), &arguments) else { return };
    let error = text(&refused.stderr);
    assert!(error.starts_with("Error: cannot write into the cache ") && error.contains("Permission denied"), "{error}");
    assert!(error.contains("SAGEN_CACHE names another folder"), "{error}");
    std::fs::set_permissions(&cache, std::fs::Permissions::from_mode(0o777)).unwrap();
    let mine = sagen_host::cache::folder().unwrap();
    for kind in ["models", "calibration"] {
        // Where the user's own cache lacks it, it is made here.
        let _ = Command::new("cp").arg("-r").arg(mine.join(kind)).arg(&cache).status().unwrap();
    }
    assert!(cosim(&cache, &["compile", "smollm2", "--context", "64"]).status.success());
    read_only(&cache);
    let served = as_reader(&cache, folder.path(), &arguments).unwrap();
    assert!(served.status.success(), "{}", text(&served.stderr));
    let doctor = text(&as_reader(&cache, folder.path(), &["doctor"]).unwrap().stdout);
    assert!(doctor.contains("optional cache ") && doctor.contains("what is in it can be used"), "{doctor}");
    assert!(!doctor.contains("reinstall"), "{doctor}");
}
