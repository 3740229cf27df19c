//! A folder of boards: each called as its file, no two with the same suffix.

use sagen_config::find::{boards, configs};
use std::path::Path;

/// What is said of the repository's boards and one more, made from the KV260's text.
fn with_another(file: &str, change: impl Fn(String) -> String) -> String {
    let folder = tempfile::tempdir().unwrap();
    let (from, to) = (configs().unwrap().join("boards"), folder.path().join("boards"));
    std::fs::create_dir(&to).unwrap();
    for entry in std::fs::read_dir(&from).unwrap() {
        let path = entry.unwrap().path();
        std::fs::copy(&path, to.join(path.file_name().unwrap())).unwrap();
    }
    let text = change(std::fs::read_to_string(from.join("kv260.yaml")).unwrap());
    std::fs::write(to.join(file), text).unwrap();
    let error = boards(Path::new(folder.path())).unwrap_err().to_string();
    error.replace(&format!("{}/", to.display()), "")
}

#[test]
fn a_board_called_otherwise_than_its_file_is_refused() {
    let error = with_another("other.yaml", |text| text);
    assert_eq!(error, "other.yaml: name = kv260, but the file's name makes other");
}

#[test]
fn two_boards_of_one_suffix_are_refused() {
    let error = with_another("other.yaml", |text| text.replace("name: kv260", "name: other"));
    let rule = "overlay names tell boards apart by it";
    assert_eq!(error, format!("boards kv260 and other both have suffix = \"\"; {rule}"));
}
