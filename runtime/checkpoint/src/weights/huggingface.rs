//! Hugging Face directories: `config.json` and one or more `*.safetensors` files.
//!
//! Only unquantised weights (F32, F16, BF16) are read; a quantisation scheme is refused by its name.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::ops::Range;
use std::path::{Path, PathBuf};

use memmap2::Mmap;
use safetensors::tensor::{Dtype, Metadata, SafeTensorError, SafeTensors};
use serde_json::Value;

use crate::model::ModelError;

/// What can be wrong with a Hugging Face directory. Files are named relative to it.
#[derive(Debug, thiserror::Error)]
pub enum HuggingFaceError {
    /// A file could not be read.
    #[error("{file}: {reason}")]
    Io {
        /// File name.
        file: String,
        /// Reason.
        reason: std::io::Error,
    },
    /// A JSON file does not hold what it should.
    #[error("{file}: {reason}")]
    Json {
        /// File name.
        file: String,
        /// Reason, with line and column.
        reason: serde_json::Error,
    },
    /// There is nothing to load.
    #[error("no *.safetensors file")]
    NoWeights,
    /// A file named by `model.safetensors.index.json` is not there.
    #[error("model.safetensors.index.json names {file}, which is not there")]
    MissingShard {
        /// File name.
        file: String,
    },
    /// The index names something that is no weight file of this folder.
    #[error("{INDEX}: weight_map names `{found}`, expected the name of a *.safetensors file of this folder")]
    IndexedFile {
        /// What it names.
        found: String,
    },
    /// The index names nothing.
    #[error("{INDEX}: weight_map is missing or empty")]
    EmptyIndex,
    /// Weights in a quantised form.
    #[error("config.json: quantization_config.quant_method `{found}` is not supported (supported: none)")]
    QuantisationScheme {
        /// Name of the scheme.
        found: String,
    },
    /// The file ends before or within a tensor's data.
    #[error("{file}: truncated: tensor `{tensor}` ends at byte {expected}, the file has {found} bytes")]
    Truncated {
        /// File name.
        file: String,
        /// First tensor, in file order, that does not fit.
        tensor: String,
        /// Size that the file must at least have.
        expected: u64,
        /// Size that it has.
        found: usize,
    },
    /// The header of a file is damaged.
    #[error("{file}: {reason}")]
    Header {
        /// File name.
        file: String,
        /// Reason.
        reason: SafeTensorError,
    },
    /// A tensor of an element type that is not read.
    #[error("{file}: tensor `{tensor}` has element type {found} (supported: F32, F16, BF16)")]
    ElementType {
        /// File name.
        file: String,
        /// Tensor name.
        tensor: String,
        /// Its type.
        found: Dtype,
    },
    /// Two files hold a tensor of the same name.
    #[error("tensor `{tensor}` is both in {first} and in {second}")]
    Duplicate {
        /// Tensor name.
        tensor: String,
        /// File name.
        first: String,
        /// File name.
        second: String,
    },
}

/// Of a weight file's name.
const SUFFIX: &str = ".safetensors";

/// Left behind in old checkpoints; RoPE tables follow from the configuration.
const IGNORED_SUFFIX: &str = "rotary_emb.inv_freq";

/// An open directory: headers read and checked, no tensor read yet.
#[derive(Debug)]
pub(crate) struct HuggingFaceDir {
    path: PathBuf,
    config: String,
    architecture: Option<String>,
    shards: Vec<Mmap>,
    tensors: BTreeMap<String, StoredTensor>,
}

#[derive(Debug)]
struct StoredTensor {
    shard: usize,
    element: Element,
    shape: Vec<usize>,
    bytes: Range<usize>,
}

#[derive(Debug, Clone, Copy)]
enum Element {
    F32,
    F16,
    Bf16,
}

impl HuggingFaceDir {
    pub(super) fn open(path: &Path) -> Result<Self, HuggingFaceError> {
        let config = read_text(path, "config.json")?;
        let parsed: Value = parse_json("config.json", &config)?;
        if let Some(scheme) = parsed.get("quantization_config").filter(|scheme| !scheme.is_null()) {
            let found = scheme["quant_method"].as_str().unwrap_or("without a name").to_owned();
            return Err(HuggingFaceError::QuantisationScheme { found });
        }
        let architecture = parsed["architectures"][0].as_str().map(str::to_owned);
        Ok(Self { path: path.to_owned(), config, architecture, shards: Vec::new(), tensors: BTreeMap::new() })
    }

    /// Adds the tensors of all weight files.
    pub(super) fn find_weights(&mut self) -> Result<(), HuggingFaceError> {
        let files = weight_files(&self.path)?;
        files.iter().try_for_each(|file| self.add_shard(file, &files))
    }

    /// Text of `config.json`.
    pub(crate) fn config(&self) -> &str {
        &self.config
    }

    /// The directory.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn architecture(&self) -> Result<&str, ModelError> {
        self.architecture.as_deref().ok_or_else(|| ModelError::missing("architectures"))
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.tensors.keys().map(String::as_str)
    }

    pub(super) fn shape(&self, name: &str) -> Option<&[usize]> {
        self.tensors.get(name).map(|tensor| tensor.shape.as_slice())
    }

    /// All elements of a tensor that is known to exist.
    pub(super) fn read(&self, name: &str) -> Vec<f32> {
        let tensor = &self.tensors[name];
        let bytes = &self.shards[tensor.shard][tensor.bytes.clone()];
        let halves = || bytes.as_chunks::<2>().0.iter();
        match tensor.element {
            Element::F32 => bytes.as_chunks::<4>().0.iter().map(|b| f32::from_le_bytes(*b)).collect(),
            Element::F16 => halves().map(|b| half::f16::from_le_bytes(*b).to_f32()).collect(),
            Element::Bf16 => halves().map(|b| half::bf16::from_le_bytes(*b).to_f32()).collect(),
        }
    }

    fn add_shard(&mut self, file: &str, files: &[String]) -> Result<(), HuggingFaceError> {
        let failed = |reason| HuggingFaceError::Io { file: file.to_owned(), reason };
        let handle = File::open(self.path.join(file)).map_err(failed)?;
        // SAFETY: the map is read-only and private to this value. As with any mapped file, another process that
        // truncates it meanwhile would fault this one.
        #[allow(unsafe_code)]
        let bytes = unsafe { Mmap::map(&handle) }.map_err(failed)?;
        let (start, metadata) = read_header(file, &bytes)?;
        for (tensor, info) in metadata.tensors() {
            if tensor.ends_with(IGNORED_SUFFIX) {
                continue;
            }
            let element = match info.dtype {
                Dtype::F32 => Element::F32,
                Dtype::F16 => Element::F16,
                Dtype::BF16 => Element::Bf16,
                found => {
                    return Err(HuggingFaceError::ElementType { file: file.to_owned(), tensor, found });
                }
            };
            let (from, to) = info.data_offsets;
            let stored = StoredTensor {
                shard: self.shards.len(),
                element,
                shape: info.shape.clone(),
                bytes: start + from..start + to,
            };
            if let Some(other) = self.tensors.insert(tensor.clone(), stored) {
                let (first, second) = (files[other.shard].clone(), file.to_owned());
                return Err(HuggingFaceError::Duplicate { tensor, first, second });
            }
        }
        self.shards.push(bytes);
        Ok(())
    }
}

/// The header and where the data start.
fn read_header(file: &str, bytes: &[u8]) -> Result<(usize, Metadata), HuggingFaceError> {
    const LENGTH: usize = 8;
    match SafeTensors::read_metadata(bytes) {
        Ok((header, metadata)) => Ok((LENGTH + header, metadata)),
        Err(SafeTensorError::MetadataIncompleteBuffer) => Err(truncation(file, bytes)),
        Err(reason) => Err(HuggingFaceError::Header { file: file.to_owned(), reason }),
    }
}

/// Names the first tensor that does not fit; the header itself is known to be whole.
fn truncation(file: &str, bytes: &[u8]) -> HuggingFaceError {
    let file = file.to_owned();
    let length = bytes.first_chunk().map_or(0, |length| u64::from_le_bytes(*length));
    let start = 8 + length as usize;
    let metadata: Metadata = match serde_json::from_slice(&bytes[8..start]) {
        Ok(metadata) => metadata,
        Err(reason) => return HuggingFaceError::Json { file, reason },
    };
    let outside = metadata.offset_keys().into_iter().find_map(|tensor| {
        let end = start + metadata.info(&tensor)?.data_offsets.1;
        (end > bytes.len()).then_some((tensor, end as u64))
    });
    match outside {
        Some((tensor, expected)) => HuggingFaceError::Truncated { file, tensor, expected, found: bytes.len() },
        None => HuggingFaceError::Header { file, reason: SafeTensorError::MetadataIncompleteBuffer },
    }
}

const INDEX: &str = "model.safetensors.index.json";

/// The weight files: those of the index where there is one, otherwise all of the folder; sorted.
fn weight_files(path: &Path) -> Result<Vec<String>, HuggingFaceError> {
    if path.join(INDEX).exists() {
        return indexed_files(path);
    }
    let failed = |reason| HuggingFaceError::Io { file: ".".to_owned(), reason };
    let mut files = Vec::new();
    for entry in std::fs::read_dir(path).map_err(failed)? {
        let name = entry.map_err(failed)?.file_name().to_string_lossy().into_owned();
        if name.ends_with(SUFFIX) {
            files.push(name);
        }
    }
    files.sort();
    if files.is_empty() { Err(HuggingFaceError::NoWeights) } else { Ok(files) }
}

/// Files that the index names; they are of this folder and there.
fn indexed_files(path: &Path) -> Result<Vec<String>, HuggingFaceError> {
    let index: Value = parse_json(INDEX, &read_text(path, INDEX)?)?;
    let mut files = BTreeSet::new();
    for named in index["weight_map"].as_object().into_iter().flat_map(|map| map.values()) {
        let outside = || {
            let found = named.as_str().map_or_else(|| named.to_string(), str::to_owned);
            HuggingFaceError::IndexedFile { found }
        };
        let plain = |name: &&str| name.ends_with(SUFFIX) && !name.contains(['/', '\\']);
        files.insert(named.as_str().filter(plain).ok_or_else(outside)?);
    }
    if files.is_empty() {
        return Err(HuggingFaceError::EmptyIndex);
    }
    match files.iter().find(|file| !path.join(file).is_file()) {
        Some(file) => Err(HuggingFaceError::MissingShard { file: (*file).to_owned() }),
        None => Ok(files.into_iter().map(str::to_owned).collect()),
    }
}

fn read_text(path: &Path, file: &str) -> Result<String, HuggingFaceError> {
    std::fs::read_to_string(path.join(file)).map_err(|reason| HuggingFaceError::Io { file: file.to_owned(), reason })
}

fn parse_json(file: &str, text: &str) -> Result<Value, HuggingFaceError> {
    serde_json::from_str(text).map_err(|reason| HuggingFaceError::Json { file: file.to_owned(), reason })
}
