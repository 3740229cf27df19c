//! GGUF files, versions 2 and 3, little-endian.
//!
//! The header is read here rather than by candle because the errors must name the tensor, the bytes expected and the
//! bytes found, and because a corrupt header must never panic; candle's block formats do the dequantisation.

mod error;
mod header;
mod metadata;
mod reader;
mod types;

#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use candle_core::Device;
use candle_core::quantized::{QStorage, QTensor};
use memmap2::Mmap;

pub use error::GgufError;
pub use metadata::{Metadata, Value};

use header::Header;

/// An open GGUF file: metadata read, every tensor's place checked against the file's size, no tensor read yet.
#[derive(Debug)]
pub struct GgufFile {
    bytes: Arc<Mmap>,
    header: Header,
}

impl GgufFile {
    /// Maps the file and checks its header.
    pub fn open(path: &Path) -> Result<Self, GgufError> {
        let file = File::open(path)?;
        // SAFETY: the map is read-only and private to this value. As with any mapped file, another process that
        // truncates it meanwhile would fault this one; the cache never changes a file in place.
        #[allow(unsafe_code)]
        let bytes = Arc::new(unsafe { Mmap::map(&file)? });
        let header = Header::read(&bytes)?;
        Ok(Self { bytes, header })
    }

    /// Key-value pairs of the header.
    #[must_use]
    pub fn metadata(&self) -> &Metadata {
        &self.header.metadata
    }

    /// Names of all tensors.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.header.tensors.keys().map(String::as_str)
    }

    /// Whether the file has a tensor of this name.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.header.tensors.contains_key(name)
    }

    /// Dimensions of a tensor, outermost first.
    #[must_use]
    pub fn shape(&self, name: &str) -> Option<&[usize]> {
        self.header.tensors.get(name).map(|tensor| tensor.shape.as_slice())
    }

    /// Outermost dimension of a tensor.
    pub fn rows(&self, name: &str) -> Result<usize, GgufError> {
        let shape = self.shape(name).ok_or_else(|| GgufError::NoTensor { tensor: name.to_owned() })?;
        Ok(shape.first().copied().unwrap_or(1))
    }

    /// All elements of a tensor as f32, row by row.
    pub fn read(&self, name: &str) -> Result<Vec<f32>, GgufError> {
        let failed = |reason| GgufError::Dequantise { tensor: name.to_owned(), reason };
        let tensor = self.header.tensors.get(name).ok_or_else(|| GgufError::NoTensor { tensor: name.to_owned() })?;
        let bytes = Cow::Borrowed(&self.bytes[tensor.bytes.clone()]);
        let storage = QStorage::from_data(bytes, &Device::Cpu, tensor.dtype).map_err(failed)?;
        let quantised = QTensor::new(storage, tensor.shape.as_slice()).map_err(failed)?;
        let floats = quantised.dequantize(&Device::Cpu).and_then(|t| t.flatten_all()).map_err(failed)?;
        floats.to_vec1().map_err(failed)
    }
}
