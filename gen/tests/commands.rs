//! The commands as a person uses them: in a repository of configs, with the errors that they show.

use std::path::Path;
use std::process::{Command, Output};
use tempfile::TempDir;

/// A folder with the configs of this repository and a cache of its own.
fn repository() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("../configs");
    let to = folder.path().join("configs");
    std::fs::create_dir_all(to.join("boards")).unwrap();
    std::fs::create_dir_all(to.join("large")).unwrap();
    for part in ["", "boards", "large"] {
        for entry in std::fs::read_dir(from.join(part)).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|e| e == "yaml") {
                std::fs::copy(&path, to.join(part).join(path.file_name().unwrap())).unwrap();
            }
        }
    }
    folder
}

fn sagen(folder: &TempDir, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sagen"));
    let cache = folder.path().join("cache");
    command.args(arguments).current_dir(folder.path()).env("SAGEN_CACHE", cache).output().unwrap()
}

fn printed(folder: &TempDir, arguments: &[&str]) -> String {
    let output = sagen(folder, arguments);
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn refused(folder: &TempDir, arguments: &[&str], message: &str) {
    let output = sagen(folder, arguments);
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && error.contains(message), "{arguments:?}: {error}");
    assert_eq!(error.trim_end().lines().count(), 1, "{error}");
}

#[test]
fn a_new_config_is_shown_at_once_for_every_board() {
    let folder = repository();
    printed(&folder, &["new", "mine"]);
    assert!(printed(&folder, &["show", "--config", "mine"]).starts_with("name "));
    for board in ["kv260", "pynq-z1", "zcu104"] {
        printed(&folder, &["new", &format!("on-{board}"), "--board", board]);
        assert!(printed(&folder, &["show", "--config", &format!("on-{board}")]).contains(board));
    }
    printed(&folder, &["new", "elsewhere.yaml", "--like", "d8_100mhz"]);
    assert!(printed(&folder, &["show", "--config", "elsewhere.yaml"]).contains("d8_100mhz"));
    assert!(printed(&folder, &["list"]).lines().any(|l| l.starts_with("on-zcu104 ")));
}

#[test]
fn a_new_config_explains_every_field_with_the_values_that_the_check_allows() {
    let folder = repository();
    printed(&folder, &["new", "mine"]);
    let text = std::fs::read_to_string(folder.path().join("configs/mine.yaml")).unwrap();
    for number in sagen_streamed_arch::fields::NUMBERS {
        let key = number.path.rsplit('.').next().unwrap();
        let lines: Vec<&str> = text.lines().map(str::trim).collect();
        let at = lines.iter().position(|l| l.starts_with(&format!("{key}:"))).unwrap();
        let comment: Vec<&str> = lines[..at].iter().rev().take_while(|l| l.starts_with('#')).copied().collect();
        let comment = comment.into_iter().rev().map(|l| l.trim_start_matches("# ")).collect::<Vec<_>>().join(" ");
        assert_eq!(comment, format!("{} Allowed: {}.", number.doc, number.allowed), "{}", number.path);
    }
    // The greatest value of each list is accepted or refused for another reason; one more is not allowed.
    let broken = text.replace("vector_lanes: 16", "vector_lanes: 17");
    std::fs::write(folder.path().join("configs/mine.yaml"), broken).unwrap();
    refused(&folder, &["show", "--config", "mine"], "vector_lanes = 17 is not one of 4, 8, 16");
}

#[test]
fn new_refuses_what_it_cannot_write() {
    let folder = repository();
    printed(&folder, &["new", "mine"]);
    refused(&folder, &["new", "mine"], "configs/mine.yaml exists already");
    refused(&folder, &["new", "d8_100mhz"], "configs/d8_100mhz.yaml exists already");
    refused(&folder, &["new", "Not a name"], "`Not a name` is neither a name");
    refused(&folder, &["new", "other", "--board", "pynq"], "unknown board `pynq`");
    refused(&folder, &["new", "other", "--like", "d8_100"], "unknown config `d8_100`, did you mean `d8_100mhz`?");
    let unfit = ["new", "other", "--board", "pynq-z1", "--like", "d16_100mhz_w128_p6"];
    refused(&folder, &unfit, "d16_100mhz_w128_p6 does not fit board pynq-z1: ports.total = 6 is outside 1..=4");
    refused(&folder, &["new", "nowhere/other.yaml"], "nowhere/other.yaml: No such file or directory");
    assert!(!folder.path().join("configs/other.yaml").exists());
}

#[test]
fn diff_names_what_differs_and_aligns_it() {
    let folder = repository();
    let text = printed(&folder, &["diff", "d16_100mhz_w128_p6", "d16_100mhz_w128_p6_a4"]);
    let field = text.lines().find(|l| l.starts_with("array.count ")).unwrap();
    let head = text.lines().next().unwrap();
    assert_eq!(head.len(), field.len(), "{text}");
    assert!(field.ends_with(" 4"), "{text}");
    assert!(text.contains("\nports: the same\n"), "{text}");
    assert!(text.contains("4 of 16 x 16: 1024 MAC per cycle"), "{text}");
    assert!(text.contains("only in the second"), "{text}");
    assert!(text.contains("run sagen estimate --config d16_100mhz_w128_p6 and sagen estimate --config"), "{text}");
    let text = printed(&folder, &["diff", "d16_100mhz_w128_p6", "d8_100mhz"]);
    for line in ["m1_axi ", "m0_axi_rdata ", "ports.stream ", "prefetch FIFO ", "peak stream "] {
        assert!(text.lines().any(|l| l.starts_with(line)), "{line}: {text}");
    }
}

#[test]
fn a_reader_that_goes_away_ends_a_command_quietly() {
    let folder = repository();
    let config = ["--config", "d8_100mhz"];
    let reports = concat!(env!("CARGO_MANIFEST_DIR"), "/../vivado/tests/reports/2023.2/good");
    let commands: [&[&str]; 6] = [
        &["list"],
        &["show", config[0], config[1]],
        &["diff", "d8_100mhz", "d8_100mhz"],
        &["report", reports],
        &["report", "--json", reports],
        &["build", config[0], config[1]],
    ];
    for arguments in commands {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let mut command = Command::new(env!("CARGO_BIN_EXE_sagen"));
        command.args(arguments).current_dir(folder.path()).env("SAGEN_CACHE", folder.path().join("cache"));
        let output = command.stdout(writer).output().unwrap();
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && error.is_empty(), "{arguments:?}: {error}");
    }
}

#[test]
fn an_overlay_compared_with_itself_is_the_same() {
    let folder = repository();
    let text = printed(&folder, &["diff", "d8_100mhz", "d8_100mhz"]);
    for part in ["config: the same", "ports: the same", "figures: the same", " 0 differ, 0 only in the first"] {
        assert!(text.contains(part), "{text}");
    }
    assert!(text.ends_with("run sagen estimate --config d8_100mhz\n"), "{text}");
    refused(&folder, &["diff", "d8_100mhz", "d9"], "unknown config `d9`");
}

#[test]
fn a_prefix_is_on_every_module_and_must_make_a_name() {
    let folder = repository();
    let build = |prefix| ["build", "--config", "d8_100mhz", "--prefix", prefix];
    refused(&folder, &build("2_"), "prefix `2_`: letters, digits and `_` are allowed, no digit first");
    printed(&folder, &build("left_"));
    let files = std::fs::read_to_string(folder.path().join("build/d8_100mhz/files.f")).unwrap();
    assert!(files.lines().count() > 50 && files.lines().all(|f| f.starts_with("rtl/left_")), "{files}");
    let settings = std::fs::read_to_string(folder.path().join("build/d8_100mhz/vivado/settings.tcl")).unwrap();
    assert!(settings.contains("variable top left_overlay\n"), "{settings}");
}

#[test]
fn estimate_refuses_bad_arguments_before_anything_runs() {
    let folder = repository();
    let arguments = ["estimate", "--config", "d8_100mhz", "--yosys", "/bin/true"];
    refused(&folder, &arguments, "/bin/true: `-V` prints no yosys version; install yosys");
    let output = sagen(&folder, &["estimate", "--config", "d8_100mhz", "--jobs", "0"]);
    assert!(String::from_utf8_lossy(&output.stderr).contains("0 is not in 1..=256"));
    assert!(!folder.path().join("cache").exists());
}

#[test]
fn two_overlays_of_one_name_are_refused_wherever_they_are() {
    let folder = repository();
    printed(&folder, &["check", "--write"]);
    let path = folder.path().join("configs/large/other.yaml");
    std::fs::copy(folder.path().join("configs/d8_100mhz.yaml"), &path).unwrap();
    let message = "configs d8_100mhz and large/other both make the overlay d8_100mhz";
    refused(&folder, &["check"], message);
    let text = std::fs::read_to_string(&path).unwrap().replace("name: d8", "name: other_d8");
    std::fs::write(&path, text).unwrap();
    printed(&folder, &["check", "--write"]);
    assert!(printed(&folder, &["show", "--config", "other"]).starts_with("name             other_d8_100mhz\n"));
}

#[test]
fn a_new_config_has_a_name_of_its_own() {
    let folder = repository();
    assert!(printed(&folder, &["new", "mine", "--like", "d8_100mhz"]).contains(": mine_d8_100mhz, like d8_100mhz;"));
    printed(&folder, &["new", "short_d8_100mhz", "--like", "d8_100mhz"]);
    assert!(printed(&folder, &["show", "--config", "short_d8_100mhz"]).contains(" short_d8_100mhz\n"));
    printed(&folder, &["check", "--write"]);
}

#[test]
fn check_finds_a_stale_diagram_and_renews_it() {
    let folder = repository();
    let wanted = "docs/img/overlay_d16_100mhz_w128_p6.svg";
    refused(&folder, &["check"], wanted);
    printed(&folder, &["check", "--write"]);
    printed(&folder, &["check"]);
    std::fs::write(folder.path().join(wanted), "<svg/>").unwrap();
    refused(&folder, &["check"], wanted);
}
