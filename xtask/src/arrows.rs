//! The map of `docs/README.md` against the manifests: which crate may use which.

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

/// Crate, folder and allowed crates of every row of the map.
fn map(text: &str) -> BTreeMap<String, (String, BTreeSet<String>)> {
    let mut map = BTreeMap::new();
    for line in text.lines().filter(|line| line.starts_with("| `")) {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let [folder, name, _, uses] = cells[..] else { continue };
        let uses = match uses {
            "-" => BTreeSet::new(),
            "everything but xtask" => BTreeSet::from(["*".to_owned()]),
            list => list.split(", ").map(|name| format!("sagen-{name}")).collect(),
        };
        map.insert(name.to_owned(), (folder.trim_matches('`').to_owned(), uses));
    }
    map
}

/// Folder and used crates of every member of the workspace.
fn members(root: &Path) -> BTreeMap<String, (String, BTreeSet<String>)> {
    let cargo = Command::new(env!("CARGO"))
        .args(["metadata", "--no-deps", "--format-version", "1", "--offline"])
        .current_dir(root)
        .output()
        .unwrap();
    assert!(cargo.status.success(), "{}", String::from_utf8_lossy(&cargo.stderr));
    let metadata: Value = serde_json::from_slice(&cargo.stdout).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    let names: BTreeSet<&str> = packages.iter().map(|p| p["name"].as_str().unwrap()).collect();
    let member = |package: &Value| {
        let manifest = Path::new(package["manifest_path"].as_str().unwrap());
        let folder = manifest.parent().unwrap().strip_prefix(root).unwrap().to_str().unwrap().to_owned();
        let uses = package["dependencies"].as_array().unwrap().iter();
        let uses = uses.filter(|d| d["kind"].is_null()).map(|d| d["name"].as_str().unwrap());
        let uses = uses.filter(|name| names.contains(name)).map(str::to_owned).collect();
        (package["name"].as_str().unwrap().to_owned(), (folder, uses))
    };
    packages.iter().map(member).collect()
}

#[test]
fn crates_use_what_the_map_allows() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let map = map(&std::fs::read_to_string(root.join("docs/README.md")).unwrap());
    let members = members(root);
    let (listed, there): (BTreeSet<_>, BTreeSet<_>) = (map.keys().collect(), members.keys().collect());
    assert_eq!(listed, there, "docs/README.md (left) lists other crates than the workspace has (right)");
    let mut wrong = Vec::new();
    for (name, (folder, uses)) in &members {
        let (listed, allowed) = &map[name];
        assert_eq!(folder, listed, "folder of {name}");
        let forbidden = uses.difference(allowed).filter(|used| !allowed.contains("*") || *used == "xtask");
        wrong.extend(
            forbidden.map(|used| format!("{folder}/Cargo.toml uses {used}, which docs/README.md does not allow")),
        );
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_map_reads_as_it_is_meant() {
    let map = map("| `hdl/x` | sagen-x | a, b | lang, arith |\n| `configs` | what |\n| `y` | y | c | - |\n");
    let uses = |name: &str| map[name].1.iter().cloned().collect::<Vec<_>>().join(" ");
    assert_eq!((uses("sagen-x"), uses("y")), ("sagen-arith sagen-lang".to_owned(), String::new()));
    assert_eq!(map["sagen-x"].0, "hdl/x");
}
