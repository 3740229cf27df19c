//! `sagen check`: every config is legal and has a name of its own, and the committed tables, diagrams and sums of the
//! Verilog are those that the code makes.
//!
//! `configs/<name>.sha256` pins the Verilog of an overlay: a change of the generators that was not meant to change the
//! hardware shows in it.

use anyhow::{Context, Result, bail};
use sagen::emit::{self, File};
use sagen::{diagram, family};
use sagen_config::{find, library};
use sagen_host::{files, outcome};
use sagen_overlay::Overlay;
use std::path::{Path, PathBuf};

/// Tables that are committed, since people and tools read them without building.
const TABLES: [&str; 3] = ["csr.md", "sagen_csr.rdl", "descriptors.md"];
/// Overlays whose diagram is committed; the tables are those of the first.
const DIAGRAMS: [&str; 2] = ["d16_100mhz_w128_p6", "d8_50mhz_z1"];

/// Check, or renew what is stale.
pub(crate) fn run(write: bool) -> Result<()> {
    let Ok(configs) = find::configs() else { return known() };
    let overlays = overlays(&configs)?;
    let stale = stale(configs.parent().context("the configs folder has a parent")?, &overlays, write)?;
    let list: Vec<String> = stale.iter().map(|p| p.display().to_string()).collect();
    match (list.is_empty(), write) {
        (true, _) => Ok(outcome::print("configs and generated tables are in order\n")?),
        (false, true) => Ok(outcome::print(&format!("renewed: {}\n", list.join(", ")))?),
        (false, false) => bail!("stale: {}; renew with `sagen check --write`", list.join(", ")),
    }
}

/// Outside a repository nothing is committed: only the configs themselves are checked.
fn known() -> Result<()> {
    let entries = library::overlays()?;
    unique(entries.iter().map(|entry| Ok((entry.path(), family::known(entry)?))))?;
    let own = entries.iter().filter(|entry| entry.is_own()).count();
    Ok(outcome::print(&format!("configs are in order: {own} here, {} built in\n", entries.len() - own))?)
}

/// The overlay of every config with its path below `configs`; no two may have one name.
fn overlays(configs: &Path) -> Result<Vec<(String, Overlay)>> {
    let files = find::all(configs)?;
    unique(files.iter().map(|path| {
        let file = path.strip_prefix(configs).unwrap_or(path).with_extension("").display().to_string();
        Ok((file, family::overlay(&path.display().to_string())?))
    }))
}

fn unique(named: impl Iterator<Item = Result<(String, Overlay)>>) -> Result<Vec<(String, Overlay)>> {
    let mut overlays: Vec<(String, Overlay)> = Vec::new();
    for named in named {
        let (file, overlay) = named?;
        if let Some((other, _)) = overlays.iter().find(|(_, o)| o.name == overlay.name) {
            bail!(
                "configs {other} and {file} both make the overlay {0}, and would share its build folder; `word_{0}` is \
                 a name too",
                overlay.name
            );
        }
        overlays.push((file, overlay));
    }
    Ok(overlays)
}

/// Paths below `root` whose contents differ from what the code makes; with `write`, they are renewed.
fn stale(root: &Path, overlays: &[(String, Overlay)], write: bool) -> Result<Vec<PathBuf>> {
    let mut stale = Vec::new();
    for file in committed(overlays)? {
        let path = root.join(&file.path);
        if std::fs::read_to_string(&path).is_ok_and(|old| old == file.text) {
            continue;
        }
        if write {
            let at = || path.display().to_string();
            std::fs::create_dir_all(path.parent().expect("a file lies in a folder")).with_context(at)?;
            files::write(&path, &file.text)?;
        }
        stale.push(path);
    }
    Ok(stale)
}

/// Every generated file that is committed, with its path below the repository.
fn committed(overlays: &[(String, Overlay)]) -> Result<Vec<File>> {
    let mut files: Vec<File> = Vec::new();
    for (file, overlay) in overlays {
        let emitted = emit::verilog(overlay)?;
        files.push(File { path: format!("configs/{file}.sha256"), text: format!("{}\n", emitted.sources) });
        if DIAGRAMS.contains(&overlay.name.as_str()) {
            let diagram = diagram::diagram(overlay, &emitted)?;
            files.push(File { path: format!("docs/img/overlay_{}.svg", overlay.name), ..diagram });
        }
        if overlay.name == DIAGRAMS[0] {
            let tables = emit::tables(overlay)?.into_iter().filter(|f| TABLES.contains(&f.path.as_str()));
            files.extend(tables.map(|f| File { path: format!("docs/generated/{}", f.path), ..f }));
        }
    }
    Ok(files)
}
