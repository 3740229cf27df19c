//! The header of a GGUF file: metadata and the place of every tensor, checked against the file's size.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use candle_core::quantized::GgmlDType;
use memmap2::Mmap;

use super::reader::Reader;
use super::{GgufError, Metadata, Value, types};

/// Keys, and tensors: an order of magnitude above any model's.
const MOST_ENTRIES: u64 = 1 << 16;
/// Bytes of a name, as the format has it.
const LONGEST_NAME: u64 = 65535;
/// Far above any dimension; four of them still have a product that can be tested for.
const LARGEST_DIMENSION: u64 = 1 << 32;

#[derive(Debug)]
pub(super) struct Header {
    pub(super) metadata: Metadata,
    pub(super) tensors: BTreeMap<String, StoredTensor>,
}

/// A tensor whose bytes are known to lie within the file.
#[derive(Debug)]
pub(super) struct StoredTensor {
    pub(super) dtype: GgmlDType,
    /// Outermost dimension first, the reverse of the file's order.
    pub(super) shape: Vec<usize>,
    pub(super) bytes: Range<usize>,
}

/// A tensor as the header describes it, its place counted from the start of the data.
struct Entry {
    name: String,
    dtype: GgmlDType,
    shape: Vec<usize>,
    offset: u64,
    size: u64,
}

impl Header {
    pub(super) fn read(file: &Arc<Mmap>) -> Result<Self, GgufError> {
        let bytes: &[u8] = file;
        let mut reader = Reader::new(bytes);
        if !bytes.starts_with(b"GGUF") {
            return Err(GgufError::Magic { found: bytes[..bytes.len().min(4)].to_vec() });
        }
        reader.take(4)?;
        reader.what = "version".to_owned();
        let version = reader.u32()?;
        if !matches!(version, 2 | 3) {
            return Err(GgufError::Version { found: version });
        }
        reader.what = "number of tensors".to_owned();
        let tensor_count = reader.count(MOST_ENTRIES)?;
        reader.what = "number of metadata keys".to_owned();
        let key_count = reader.count(MOST_ENTRIES)?;
        let metadata = read_metadata(&mut reader, key_count, file)?;
        let alignment = alignment(&metadata)?;
        let mut entries = Vec::new();
        for index in 0..tensor_count {
            entries.push(Entry::read(&mut reader, index, tensor_count, alignment)?);
        }
        let start = (reader.position() as u64).next_multiple_of(alignment);
        Ok(Self { metadata, tensors: place(entries, start, bytes.len())? })
    }
}

fn read_metadata(reader: &mut Reader<'_>, count: u64, file: &Arc<Mmap>) -> Result<Metadata, GgufError> {
    let mut metadata = Metadata { values: BTreeMap::new(), file: Arc::clone(file) };
    for index in 0..count {
        reader.what = format!("metadata key {index} of {count}");
        let key = reader.text(LONGEST_NAME)?.to_owned();
        reader.what = format!("metadata key `{key}`");
        let kind = reader.u32()?;
        let value = Value::read(reader, kind)?;
        if metadata.values.insert(key, value).is_some() {
            return Err(reader.corrupt("the key twice", "each key once"));
        }
    }
    Ok(metadata)
}

fn alignment(metadata: &Metadata) -> Result<u64, GgufError> {
    const KEY: &str = "general.alignment";
    let found = metadata.usize_or(KEY, 32)?;
    if found.is_power_of_two() && (8..=65536).contains(&found) {
        Ok(found as u64)
    } else {
        let expected = "a power of two in 8..=65536";
        Err(GgufError::KeyType { key: KEY.to_owned(), found: found.to_string(), expected })
    }
}

impl Entry {
    fn read(reader: &mut Reader<'_>, index: u64, count: u64, alignment: u64) -> Result<Self, GgufError> {
        reader.what = format!("tensor {index} of {count}");
        let name = reader.text(LONGEST_NAME)?.to_owned();
        reader.what = format!("tensor `{name}`");
        let rank = reader.u32()?;
        if !(1..=4).contains(&rank) {
            return Err(reader.corrupt(format!("{rank} dimensions"), "1 to 4"));
        }
        let mut shape = Vec::new();
        for _ in 0..rank {
            shape.push(reader.u64()? as usize);
        }
        if shape.iter().any(|d| *d as u64 > LARGEST_DIMENSION) {
            let expected = format!("each at most {LARGEST_DIMENSION}");
            return Err(reader.corrupt(format!("dimensions {shape:?}"), expected));
        }
        let number = reader.u32()?;
        let dtype = types::decoder(number).map_err(|found| GgufError::Quantisation { tensor: name.clone(), found })?;
        let offset = reader.u64()?;
        if !offset.is_multiple_of(alignment) {
            return Err(reader.corrupt(format!("offset {offset}"), format!("a multiple of {alignment}")));
        }
        let size = size_in_bytes(&shape, dtype)
            .map_err(|expected| reader.corrupt(format!("dimensions {shape:?}"), expected))?;
        shape.reverse();
        Ok(Self { name, dtype, shape, offset, size })
    }
}

/// Bytes of a tensor whose innermost dimension comes first, or what its shape must be instead.
fn size_in_bytes(shape: &[usize], dtype: GgmlDType) -> Result<u64, String> {
    let block = dtype.block_size();
    if shape.contains(&0) || !shape[0].is_multiple_of(block) {
        return Err(format!("all above 0 and the first a multiple of {block} ({dtype:?})"));
    }
    let elements = shape.iter().try_fold(1u64, |product, d| product.checked_mul(*d as u64));
    elements
        .and_then(|elements| (elements / block as u64).checked_mul(dtype.type_size() as u64))
        .ok_or_else(|| "a size below 2^64 bytes".to_owned())
}

/// Turns offsets into byte ranges; the ranges lie within the file and do not overlap.
fn place(mut entries: Vec<Entry>, start: u64, file: usize) -> Result<BTreeMap<String, StoredTensor>, GgufError> {
    entries.sort_by_key(|entry| entry.offset);
    let mut tensors = BTreeMap::new();
    let mut free = start;
    for Entry { name, dtype, shape, offset, size } in entries {
        let corrupt = |found: String, expected: &str| GgufError::Corrupt {
            what: format!("tensor `{name}`"),
            found,
            expected: expected.to_owned(),
        };
        let begin = start.saturating_add(offset);
        let end = begin.saturating_add(size);
        if end > file as u64 {
            return Err(GgufError::TruncatedTensor { tensor: name, expected: end, found: file });
        }
        if begin < free {
            return Err(corrupt(format!("offset {offset}"), "an offset after the preceding tensor's end"));
        }
        if tensors.contains_key(&name) {
            return Err(corrupt("the name twice".to_owned(), "each name once"));
        }
        free = end;
        // Both fit: they are at most the file's length, a usize.
        tensors.insert(name, StoredTensor { dtype, shape, bytes: begin as usize..end as usize });
    }
    Ok(tensors)
}
