//! Every command works in any folder: what is known is built in, and what the user has comes first.

use std::path::Path;
use std::process::{Command, Output};
use tempfile::TempDir;

fn sagen(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sagen"));
    command.args(arguments).current_dir(folder).env("SAGEN_CACHE", folder.join("cache")).output().unwrap()
}

fn printed(folder: &Path, arguments: &[&str]) -> String {
    let output = sagen(folder, arguments);
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn refused(folder: &Path, arguments: &[&str]) -> String {
    let output = sagen(folder, arguments);
    assert!(!output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stdout));
    String::from_utf8(output.stderr).unwrap()
}

fn empty() -> TempDir {
    tempfile::tempdir().unwrap()
}

fn d8() -> String {
    std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../configs/d8_100mhz.yaml")).unwrap()
}

#[test]
fn known_configs_need_no_folder() {
    let folder = empty();
    let here = folder.path();
    let listed = printed(here, &["list"]);
    assert!(listed.lines().any(|l| l.starts_with("d8_50mhz_z1 ")) && !listed.contains("yours"), "{listed}");
    assert!(printed(here, &["show", "--config", "d8_100mhz"]).starts_with("name             d8_100mhz\n"));
    printed(here, &["build", "--config", "d8_100mhz"]);
    assert!(here.join("build/d8_100mhz/files.f").is_file());
    printed(here, &["diff", "d8_100mhz", "d8_50mhz"]);
    assert!(printed(here, &["check"]).starts_with("configs are in order: 0 here, "));
    let error = refused(here, &["show", "--config", "d8_100mhx"]);
    assert!(error.starts_with("Error: unknown config `d8_100mhx`, did you mean `d8_100mhz`?; known: "), "{error}");
}

#[test]
fn a_new_config_is_made_in_any_folder_and_known_at_once() {
    let folder = empty();
    let here = folder.path();
    printed(here, &["new", "mine", "--board", "pynq-z1"]);
    assert!(here.join("configs/mine.yaml").is_file());
    assert!(printed(here, &["list"]).lines().any(|l| l.starts_with("mine ") && l.ends_with(" yours")));
    printed(here, &["show", "--config", "mine"]);
    printed(here, &["check"]);
    let error = refused(here, &["new", "d8_50mhz"]);
    assert!(error.contains("d8_50mhz is the name of configs/d8_50mhz.yaml (built in)"), "{error}");
    printed(here, &["new", "other.yaml"]);
    printed(here, &["show", "--config", "other.yaml"]);
}

#[test]
fn a_config_that_cannot_be_made_leaves_nothing() {
    let folder = empty();
    let here = folder.path();
    refused(here, &["new", "mine", "--board", "nowhere"]);
    refused(here, &["new", "mine", "--like", "nothing"]);
    refused(here, &["new", "nowhere/mine.yaml"]);
    assert_eq!(here.read_dir().unwrap().count(), 0);
    std::fs::write(here.join("configs"), "a file").unwrap();
    let error = refused(here, &["new", "mine"]);
    assert!(error.contains("configs/mine.yaml: Not a directory"), "{error}");
    assert_eq!(here.read_dir().unwrap().count(), 1);
}

#[test]
fn files_of_the_user_come_first_one_by_one() {
    let folder = empty();
    let here = folder.path();
    std::fs::create_dir_all(here.join("configs/boards")).unwrap();
    std::fs::write(here.join("configs/d8_100mhz.yaml"), d8().replace("vector_lanes: 16", "vector_lanes: 8")).unwrap();
    let board = concat!(env!("CARGO_MANIFEST_DIR"), "/../configs/boards/kv260.yaml");
    let board = std::fs::read_to_string(board).unwrap();
    let mine = board.replace("name: kv260", "name: mine").replace("suffix: \"\"", "suffix: mine");
    std::fs::write(here.join("configs/boards/mine.yaml"), &mine).unwrap();
    std::fs::write(
        here.join("configs/own.yaml"),
        d8().replace("board: kv260", "board: mine").replace("name: d8_100mhz", "name: own_d8_100mhz_mine"),
    )
    .unwrap();
    let listed = printed(here, &["list"]);
    let line = |name: &str| listed.lines().find(|l| l.starts_with(name)).unwrap_or_default().to_owned();
    assert!(line("d8_100mhz ").ends_with(" yours"), "{listed}");
    assert!(line("own ").contains(" mine ") && line("own ").ends_with(" yours"), "{listed}");
    assert!(!line("d8_50mhz ").ends_with("yours"), "{listed}");
    let theirs = printed(here, &["show", "--config", "d8_100mhz"]);
    assert_ne!(theirs, printed(empty().path(), &["show", "--config", "d8_100mhz"]));
}

#[test]
fn a_broken_file_is_a_row_of_the_list_and_stops_nothing_else() {
    let folder = empty();
    let here = folder.path();
    std::fs::create_dir_all(here.join("configs/boards")).unwrap();
    std::fs::write(here.join("configs/broken.yaml"), "board: [\n").unwrap();
    std::fs::write(here.join("configs/binary.yaml"), b"\xff\xfe").unwrap();
    std::fs::create_dir(here.join("configs/folder.yaml")).unwrap();
    std::fs::write(here.join("configs/boards/half.yaml"), "name: half\n").unwrap();
    std::fs::write(here.join("configs/user.yaml"), d8().replace("board: kv260", "board: half")).unwrap();
    let output = sagen(here, &["list"]);
    let listed = String::from_utf8(output.stdout).unwrap();
    let has = |start: &str, text: &str| listed.lines().any(|l| l.starts_with(start) && l.contains(text));
    assert!(!output.status.success());
    assert!(
        has("broken ", "configs/broken.yaml:1") && has("binary ", "UTF-8") && has("user ", "half.yaml"),
        "{listed}"
    );
    assert!(
        has("folder ", "Is a directory") && has("d8_50mhz ", "kv260") && has(" ", "half.yaml:1:1: missing"),
        "{listed}"
    );
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(error, "Error: 5 of the files above cannot be used\n");
    printed(here, &["show", "--config", "d8_100mhz"]);
    printed(here, &["new", "mine"]);
    assert!(refused(here, &["show", "--config", "user"]).contains("boards/half.yaml:1:1: missing field"));
}

#[test]
fn json_is_json_also_where_there_is_nothing_to_report() {
    let folder = empty();
    let output = sagen(folder.path(), &["report", "--json", "nowhere"]);
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(!output.status.success() && json["error"].as_str().unwrap().contains("nowhere"), "{json}");
}
