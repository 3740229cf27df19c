//! Measured calibrations on disk, one file per model contents and calibration text.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use sagen_host::{cache, sealed};
use sha2::{Digest, Sha256};

use super::calibration::{Calibration, CalibrationError, TEXT};
use sagen_checkpoint::reference::Reference;
use sagen_checkpoint::weights::Checkpoint;
use sagen_tokenizer::Tokenizer;

/// Changes whenever what is measured or how it is stored does.
const VERSION: &str = "calibration 2";

/// What is on disk.
#[derive(serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct CalibrationFile {
    version: String,
    calibration: Calibration,
}

impl Calibration {
    /// The calibration of a checkpoint: read from `folder`, or measured and kept there.
    ///
    /// A file that cannot be read back is measured again; files appear under their name only when complete.
    pub fn load_or_measure(
        checkpoint: &Checkpoint,
        tokenizer: &Tokenizer,
        folder: &Path,
    ) -> Result<Self, CalibrationError> {
        let contents = digest(checkpoint.path()).map_err(CalibrationError::io(checkpoint.path()))?;
        let path = folder.join(format!("{contents}.json"));
        if let Some(known) = read(&path).filter(|known| known.check(checkpoint.config()).is_ok()) {
            return Ok(known);
        }
        cache::prepare(folder)?;
        let calibration = Self::measure(&Reference::load(checkpoint)?, tokenizer)?;
        let file = CalibrationFile { version: VERSION.to_owned(), calibration };
        let text = serde_json::to_vec(&file).expect("ranges are plain numbers");
        sealed::write(&path, &text)?;
        Ok(file.calibration)
    }
}

fn read(path: &Path) -> Option<Calibration> {
    let contents = sealed::read(path, "the model is calibrated again")?;
    let file: CalibrationFile = serde_json::from_slice(&contents).ok()?;
    (file.version == VERSION).then_some(file.calibration)
}

/// Over the calibration text and the files of a checkpoint, by name and contents.
fn digest(path: &Path) -> io::Result<String> {
    let mut hash = Sha256::new();
    hash.update(VERSION);
    hash.update(TEXT);
    for file in files(path)? {
        hash.update(file.file_name().map(|n| n.as_encoded_bytes().to_vec()).unwrap_or_default());
        let mut reader = File::open(file)?;
        let mut piece = vec![0; 1 << 20];
        loop {
            match reader.read(&mut piece)? {
                0 => break,
                n => hash.update(&piece[..n]),
            }
        }
    }
    Ok(base16ct::lower::encode_string(&hash.finalize()))
}

/// The file itself, or a directory's weights and settings.
fn files(path: &Path) -> io::Result<Vec<PathBuf>> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let entries = std::fs::read_dir(path)?.map(|entry| entry.map(|e| e.path()));
    let mut files: Vec<PathBuf> = entries.collect::<io::Result<_>>()?;
    files.retain(|file| file.extension().is_some_and(|e| e == "safetensors" || e == "json"));
    files.sort();
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_digest_depends_on_contents_and_not_on_the_folder() {
        let (a, b) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let write = |folder: &Path, weights: &str| {
            std::fs::write(folder.join("model.safetensors"), weights).unwrap();
            std::fs::write(folder.join("README"), folder.as_os_str().as_encoded_bytes()).unwrap();
        };
        write(a.path(), "one");
        write(b.path(), "one");
        assert_eq!(digest(a.path()).unwrap(), digest(b.path()).unwrap());
        write(b.path(), "two");
        assert_ne!(digest(a.path()).unwrap(), digest(b.path()).unwrap());
    }

    #[test]
    fn a_damaged_file_is_no_calibration() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.json");
        let calibration = Calibration { residual: 1.5, layers: Vec::new() };
        let file = CalibrationFile { version: VERSION.to_owned(), calibration: calibration.clone() };
        let text = serde_json::to_string(&file).unwrap();
        sealed::write(&path, text.as_bytes()).unwrap();
        assert_eq!(read(&path), Some(calibration));
        // A number that is another one is damage too.
        let sealed_text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, sealed_text.replace("1.5", "1.6")).unwrap();
        assert_eq!(read(&path), None);
        sealed::write(&path, text.replace("calibration 2", "calibration 1").as_bytes()).unwrap();
        assert_eq!(read(&path), None);
    }
}
