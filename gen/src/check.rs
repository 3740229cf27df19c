//! Are the committed tables, diagrams and sums of the Verilog those that the code makes?
//!
//! `configs/<name>.sha256` pins the Verilog of an overlay: a change of the generators that was not meant to change the
//! hardware shows in it.

use crate::diagram::{self, DiagramError};
use crate::emit::{self, EmitError, File, TableError, tables};
use sagen_config::FindError;
use std::path::{Path, PathBuf};

/// Tables that are committed, since people and tools read them without building.
const TABLES: [&str; 3] = ["csr.md", "sagen_csr.rdl", "descriptors.md"];
/// Overlays whose diagram is committed.
const DIAGRAMS: [&str; 2] = ["d16_100mhz_w128_p6", "d8_50mhz_z1"];

/// Why the check could not be made.
#[derive(Debug, thiserror::Error)]
pub enum CheckError {
    /// The tables cannot be rendered.
    #[error(transparent)]
    Tables(#[from] TableError),
    /// A config is missing or wrong.
    #[error(transparent)]
    Config(#[from] FindError),
    /// An overlay cannot be emitted.
    #[error(transparent)]
    Emit(#[from] EmitError),
    /// A diagram cannot be drawn.
    #[error(transparent)]
    Diagram(#[from] DiagramError),
    /// A file cannot be written.
    #[error("{path}: {reason}")]
    Io {
        /// Path.
        path: String,
        /// Why.
        reason: std::io::Error,
    },
}

/// Paths below `root` whose contents differ from what the code makes; with `write`, they are renewed.
pub fn stale(root: &Path, write: bool) -> Result<Vec<PathBuf>, CheckError> {
    let mut stale = Vec::new();
    for file in committed(root)? {
        let path = root.join(&file.path);
        if std::fs::read_to_string(&path).is_ok_and(|old| old == file.text) {
            continue;
        }
        if write {
            let io = |reason| CheckError::Io { path: path.display().to_string(), reason };
            std::fs::create_dir_all(path.parent().expect("a file lies in a folder")).map_err(io)?;
            std::fs::write(&path, &file.text).map_err(io)?;
        }
        stale.push(path);
    }
    Ok(stale)
}

/// Every generated file that is committed, with its path below the repository.
fn committed(root: &Path) -> Result<Vec<File>, CheckError> {
    let tables = tables()?.into_iter().filter(|f| TABLES.contains(&f.path.as_str()));
    let mut files: Vec<File> = tables.map(|f| File { path: format!("docs/generated/{}", f.path), ..f }).collect();
    for folder in ["configs", "configs/large"] {
        for name in sagen_config::find::names(&root.join(folder))? {
            let path = format!("{folder}/{name}");
            let overlay = sagen_streamed_arch::config::named(&root.join(format!("{path}.yaml")).display().to_string())?;
            let emitted = emit::verilog(&overlay)?;
            files.push(File { path: format!("{path}.sha256"), text: format!("{}\n", emitted.sources) });
            if folder == "configs" && DIAGRAMS.contains(&name.as_str()) {
                let diagram = diagram::diagram(&overlay, &emitted)?;
                files.push(File { path: format!("docs/img/overlay_{name}.svg"), ..diagram });
            }
        }
    }
    Ok(files)
}
