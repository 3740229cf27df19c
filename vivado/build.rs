//! Embeds every file below `constraints/`, so that a board there needs no line of Rust.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    let root = Path::new(&env::var("CARGO_MANIFEST_DIR").expect("cargo sets it")).join("../constraints");
    println!("cargo::rerun-if-changed={}", root.display());
    let mut table = String::from("&[\n");
    for board in entries(&root) {
        for file in entries(&board).iter().filter(|f| f.is_file()) {
            println!("cargo::rerun-if-changed={}", file.display());
            let row =
                format!("({:?}, {:?}, include_str!({:?})),", name(&board), name(file), file.display().to_string());
            writeln!(table, "{row}").expect("a string can be written to");
        }
    }
    table.push(']');
    let out = Path::new(&env::var("OUT_DIR").expect("cargo sets it")).join("constraints.rs");
    fs::write(out, table).expect("the output folder can be written");
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let read = fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let mut paths: Vec<PathBuf> = read.map(|e| e.expect("a folder can be listed").path()).collect();
    paths.sort();
    paths
}

fn name(path: &Path) -> String {
    path.file_name().expect("an entry has a name").to_string_lossy().into_owned()
}
