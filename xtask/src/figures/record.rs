//! What was measured: `docs/figures.json`, the cycle goldens, and the sums of today's Verilog.

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;

/// Sum of the Verilog of each overlay: `configs/<name>.sha256`, held by `sagen check`.
pub(crate) struct Sums(BTreeMap<String, String>);

impl Sums {
    pub(crate) fn read(root: &Path) -> Result<Self> {
        let sums = files(root, "sha256")?.into_iter().map(|(name, text)| (name, text.trim().to_owned()));
        Ok(Self(sums.collect()))
    }

    pub(crate) fn of(&self, overlay: &str) -> Option<&str> {
        self.0.get(overlay).map(String::as_str)
    }
}

/// Counters of every golden measurement, by overlay and name.
pub(crate) type Goldens = BTreeMap<String, BTreeMap<String, BTreeMap<String, u64>>>;

/// `configs/*.cycles`.
pub(crate) fn goldens(root: &Path) -> Result<Goldens> {
    let parse = |(name, text): (String, String)| {
        let parsed = serde_saphyr::from_str(&text).with_context(|| format!("configs/{name}.cycles"))?;
        Ok((name, parsed))
    };
    files(root, "cycles")?.into_iter().map(parse).collect()
}

/// Clock of every overlay.
pub(crate) type Clocks = BTreeMap<String, u32>;

/// The clocks of `configs/*.yaml`.
pub(crate) fn clocks(root: &Path) -> Result<Clocks> {
    #[derive(Deserialize)]
    struct Config {
        clock_mhz: u32,
    }
    let parse = |(name, text): (String, String)| {
        let config: Config = serde_saphyr::from_str(&text).with_context(|| format!("configs/{name}.yaml"))?;
        Ok((name, config.clock_mhz))
    };
    files(root, "yaml")?.into_iter().map(parse).collect()
}

/// Name and text of the files of a kind in `configs` and the folders of overlays below it.
fn files(root: &Path, extension: &str) -> Result<Vec<(String, String)>> {
    let mut files = Vec::new();
    for folder in ["configs", "configs/large"] {
        let folder = root.join(folder);
        let entries = std::fs::read_dir(&folder).with_context(|| folder.display().to_string())?;
        for entry in entries {
            let path = entry.with_context(|| folder.display().to_string())?.path();
            if path.extension().is_some_and(|e| e == extension) {
                let text = std::fs::read_to_string(&path).with_context(|| path.display().to_string())?;
                let stem = path.file_stem().context("a file has a name")?.to_string_lossy().into_owned();
                files.push((stem, text));
            }
        }
    }
    Ok(files)
}

/// A measurement and the hardware that it ran on.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub(crate) struct Measured<T> {
    /// Overlay.
    pub(crate) overlay: String,
    /// Sum of its Verilog.
    pub(crate) verilog: String,
    /// What a person types to see it.
    pub(crate) command: String,
    /// What was found.
    pub(crate) found: T,
}

/// Cycles a token, counted on the RTL.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub(crate) struct Cycles {
    /// Cycles of one token.
    pub(crate) per_token: u64,
    /// What the timing model says, where it was asked.
    pub(crate) predicted: Option<u64>,
    /// Share of the stream ports' peak, in decode.
    pub(crate) share: Option<f64>,
    /// Clock of the overlay.
    pub(crate) clock_mhz: u32,
}

/// Resources of a part, or of some of it.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, PartialEq)]
pub(crate) struct Resources {
    pub(crate) lut: u64,
    pub(crate) ff: u64,
    pub(crate) dsp: u64,
    pub(crate) bram36: f64,
    pub(crate) uram: u64,
}

/// What `sagen estimate --json` says, as far as documents show it.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq)]
pub(crate) struct Estimate {
    pub(crate) board: String,
    pub(crate) available: Resources,
    pub(crate) total: Resources,
    pub(crate) units: Vec<Unit>,
    pub(crate) level_limit: u32,
    pub(crate) levels: u32,
}

/// One unit of an estimate.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq)]
pub(crate) struct Unit {
    pub(crate) name: String,
    pub(crate) resources: Resources,
}

/// Agreement of the integers with the float model of the same checkpoint. Golden alone gives it, so that no Verilog is
/// named; it needs a text that is not part of the repository, so that only a person renews it.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub(crate) struct Quality {
    pub(crate) command: String,
    pub(crate) top1: f64,
    pub(crate) kl: f64,
    pub(crate) ppl: f64,
    pub(crate) float_ppl: f64,
}

/// Everything measured by a command, by name.
#[derive(Clone, Debug, Default, Serialize, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub(crate) struct Record {
    pub(crate) cycles: BTreeMap<String, Measured<Cycles>>,
    pub(crate) resources: BTreeMap<String, Measured<Estimate>>,
    pub(crate) transcripts: BTreeMap<String, Measured<Vec<String>>>,
    pub(crate) quality: BTreeMap<String, Quality>,
}

impl Record {
    /// An absent file is one without measurements.
    pub(crate) fn read(path: &Path) -> Result<Self> {
        match std::fs::read_to_string(path) {
            Ok(text) => serde_json::from_str(&text).with_context(|| path.display().to_string()),
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(Self::default()),
            Err(e) => Err(e).with_context(|| path.display().to_string()),
        }
    }

    /// Written beside, then renamed.
    pub(crate) fn write(&self, path: &Path) -> Result<()> {
        let text = serde_json::to_string_pretty(self)? + "\n";
        let folder = path.parent().context("the file lies in a folder")?;
        let mut file = tempfile::NamedTempFile::new_in(folder)?;
        file.write_all(text.as_bytes())?;
        file.persist(path).with_context(|| path.display().to_string())?;
        Ok(())
    }
}
