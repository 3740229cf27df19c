//! What can be wrong with a GGUF file. The file's name is added by [`crate::weights::WeightsError`].

use super::types;

/// A GGUF file that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum GgufError {
    /// The file could not be opened or mapped.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// The first four bytes are not `GGUF`.
    #[error("not a GGUF file: it starts with `{}`, expected `GGUF`", found.escape_ascii())]
    Magic {
        /// First bytes of the file.
        found: Vec<u8>,
    },
    /// A version with another layout.
    #[error("GGUF version is {found}, supported are 2 and 3, little-endian")]
    Version {
        /// Version found.
        found: u32,
    },
    /// The file ends within its header.
    #[error("truncated in the header, at {what}: expected {expected} bytes at offset {offset}, found {found}")]
    TruncatedHeader {
        /// Which part was being read.
        what: String,
        /// Offset in the file.
        offset: usize,
        /// Bytes needed there.
        expected: u64,
        /// Bytes left there.
        found: usize,
    },
    /// The file ends before or within a tensor's data.
    #[error("truncated: tensor `{tensor}` ends at byte {expected}, the file has {found} bytes")]
    TruncatedTensor {
        /// First tensor, in file order, that does not fit.
        tensor: String,
        /// Size that the file must at least have.
        expected: u64,
        /// Size that it has.
        found: usize,
    },
    /// A header field holds something that no valid file does.
    #[error("corrupt header, at {what}: {found}, expected {expected}")]
    Corrupt {
        /// Which part was being read.
        what: String,
        /// What was found.
        found: String,
        /// What is allowed.
        expected: String,
    },
    /// A tensor in a format that cannot be dequantised.
    #[error("tensor `{tensor}` has quantisation type {found} (supported: {})", types::supported())]
    Quantisation {
        /// Tensor name.
        tensor: String,
        /// Name of the type, or its number where it has none.
        found: String,
    },
    /// A tensor that must be there is not.
    #[error("tensor `{tensor}` is missing")]
    NoTensor {
        /// Tensor name.
        tensor: String,
    },
    /// A metadata key that must be there is not.
    #[error("metadata key `{key}` is missing")]
    NoKey {
        /// Key.
        key: String,
    },
    /// A metadata value has the wrong type or range.
    #[error("metadata key `{key}` is {found}, expected {expected}")]
    KeyType {
        /// Key.
        key: String,
        /// What was found.
        found: String,
        /// What is allowed.
        expected: &'static str,
    },
    /// The block decoder refused the data.
    #[error("tensor `{tensor}` cannot be dequantised: {reason}")]
    Dequantise {
        /// Tensor name.
        tensor: String,
        /// The decoder's reason.
        reason: candle_core::Error,
    },
}
