//! An operation has the same path here and in `hdl/arith`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Hardware without an operation of its own.
const HARDWARE_ONLY: [&str; 10] = [
    "axi/arbiter.rs",
    "axi/burst.rs",
    "axi/guard.rs",
    "axi/guard/tests.rs",
    "axi/lite.rs",
    "axi/mod.rs",
    "depth.rs",
    "fifo.rs",
    "multiply.rs",
    "register_bus.rs",
];

/// Operations whose hardware belongs to a family, and what has none.
const ELSEWHERE: [&str; 6] = ["contract.rs", "draw.rs", "fixed.rs", "quantise.rs", "rope.rs", "tables.rs"];

fn files(folder: &str) -> BTreeSet<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let (mut found, mut folders) = (BTreeSet::new(), vec![root.clone()]);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path: PathBuf = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                found.insert(path.strip_prefix(&root).unwrap().to_str().unwrap().replace('\\', "/"));
            }
        }
    }
    found
}

#[test]
fn every_operation_and_its_hardware_have_one_path() {
    let (here, arith) = (files("src"), files("../arith/src"));
    let set = |list: &[&str]| list.iter().map(|f| f.to_string()).collect::<BTreeSet<_>>();
    let alone =
        |all: &BTreeSet<String>, other: &BTreeSet<String>| all.difference(other).cloned().collect::<BTreeSet<_>>();
    assert_eq!(alone(&here, &arith), set(&HARDWARE_ONLY), "hardware without a twin in hdl/arith");
    assert_eq!(alone(&arith, &here), set(&ELSEWHERE), "operations without a twin in hdl/blocks");
}
