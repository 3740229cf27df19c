//! Configs are built in: a change of one is a change of the program. Sums and cycles beside them are not.

use std::path::Path;

fn main() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../configs");
    println!("cargo:rerun-if-changed=build.rs");
    for below in ["", "boards", "large", "models", "shapes"] {
        for entry in Path::new(root).join(below).read_dir().into_iter().flatten().flatten() {
            if entry.path().extension().is_some_and(|e| e == "yaml") {
                println!("cargo:rerun-if-changed={}", entry.path().display());
            }
        }
    }
}
