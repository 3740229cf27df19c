//! Paths that documents name: they exist.

use std::path::{Path, PathBuf};

/// Folders at the top that a path in a document may begin with; `vivado/` is one of every build folder too.
const TOPS: [&str; 8] = ["configs/", "constraints/", "cosim/", "docs/", "gen/", "hdl/", "runtime/", "xtask/"];

/// Paths between backticks; a pattern, or a name to be put in, is none.
fn named(text: &str) -> impl Iterator<Item = &str> {
    let quoted = text.split('`').skip(1).step_by(2);
    let plain = |path: &&str| !path.contains(['*', '<', '{', ' ', '$', ',']) && !path.contains("NAME");
    let paths = quoted.filter(|quoted| TOPS.iter().any(|top| quoted.starts_with(top)));
    paths.map(|path| path.split("::").next().unwrap_or(path)).filter(plain)
}

fn documents(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            documents(&path, found);
        } else if path.extension().is_some_and(|e| e == "md") {
            found.push(path);
        }
    }
}

#[test]
fn documents_name_paths_that_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut list = vec![root.join("README.md")];
    documents(&root.join("docs"), &mut list);
    let mut wrong = Vec::new();
    for document in list {
        let text = std::fs::read_to_string(&document).unwrap();
        let lost = named(&text).filter(|path| !root.join(path).exists());
        wrong.extend(lost.map(|path| format!("{}: `{path}`", document.strip_prefix(root).unwrap().display())));
    }
    assert!(wrong.is_empty(), "paths that do not exist:\n{}", wrong.join("\n"));
}

#[test]
fn a_path_is_told_from_a_pattern() {
    let text = "`hdl/lang`, `configs/*.yaml`, `hdl/x.rs::f`, hdl/y, `cosim run`, `configs/NAME.yaml`";
    assert_eq!(named(text).collect::<Vec<_>>(), ["hdl/lang", "hdl/x.rs"]);
}
