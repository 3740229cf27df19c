//! Typed access to the key-value pairs of a GGUF header.
//!
//! Lists stay in the file until somebody asks for their elements: files carry long ones that nobody reads.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use memmap2::Mmap;

use super::GgufError;
use super::reader::Reader;

/// A metadata value. Integers and floats are widened, which loses nothing.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// Any unsigned integer type.
    Unsigned(u64),
    /// Any signed integer type.
    Signed(i64),
    /// Either float type.
    Float(f64),
    /// A truth value.
    Bool(bool),
    /// Text.
    Text(String),
    /// A list without nested lists.
    List(List),
}

/// A list whose bytes are known to lie within the file.
#[derive(Debug, Clone, PartialEq)]
pub struct List {
    kind: u32,
    count: u64,
    bytes: Range<usize>,
}

/// Bytes of a text; a chat template has some thousands.
const LONGEST_TEXT: u64 = 1 << 26;
/// Entries of a list that are skipped; a greater count is no count.
const LONGEST_LIST: u64 = 1 << 32;
/// Entries of a list that are read: far above any vocabulary.
const LONGEST_READ: u64 = 1 << 22;

impl Value {
    /// Reads a value of the type with this number.
    pub(super) fn read(reader: &mut Reader<'_>, kind: u32) -> Result<Self, GgufError> {
        const LIST: u32 = 9;
        if kind != LIST {
            return Self::read_scalar(reader, kind);
        }
        let kind = reader.u32()?;
        let count = reader.u64()?;
        if count > LONGEST_LIST {
            let expected = format!("at most {LONGEST_LIST} entries");
            return Err(reader.corrupt(format!("a list of {count}"), expected));
        }
        let start = reader.position();
        match Self::size(kind) {
            Some(size) => {
                reader.take(count * size)?;
            }
            None => {
                for _ in 0..count {
                    Self::skip(reader, kind)?;
                }
            }
        }
        Ok(Self::List(List { kind, count, bytes: start..reader.position() }))
    }

    /// Bytes of a value, where all of its type have as many.
    fn size(kind: u32) -> Option<u64> {
        match kind {
            0 | 1 => Some(1),
            2 | 3 => Some(2),
            4..=6 => Some(4),
            10..=12 => Some(8),
            _ => None,
        }
    }

    /// Checks and passes by a value of another type.
    fn skip(reader: &mut Reader<'_>, kind: u32) -> Result<(), GgufError> {
        const TEXT: u32 = 8;
        if kind == TEXT { reader.text(LONGEST_TEXT).map(drop) } else { Self::read_scalar(reader, kind).map(drop) }
    }

    fn read_scalar(reader: &mut Reader<'_>, kind: u32) -> Result<Self, GgufError> {
        Ok(match kind {
            0 => Self::Unsigned(u64::from(u8::from_le_bytes(reader.array()?))),
            1 => Self::Signed(i64::from(i8::from_le_bytes(reader.array()?))),
            2 => Self::Unsigned(u64::from(u16::from_le_bytes(reader.array()?))),
            3 => Self::Signed(i64::from(i16::from_le_bytes(reader.array()?))),
            4 => Self::Unsigned(u64::from(reader.u32()?)),
            5 => Self::Signed(i64::from(i32::from_le_bytes(reader.array()?))),
            6 => Self::Float(f64::from(f32::from_le_bytes(reader.array()?))),
            7 => match reader.array()? {
                [0] => Self::Bool(false),
                [1] => Self::Bool(true),
                [other] => {
                    return Err(reader.corrupt(format!("a truth value of {other}"), "0 or 1"));
                }
            },
            8 => Self::Text(reader.text(LONGEST_TEXT)?.to_owned()),
            10 => Self::Unsigned(reader.u64()?),
            11 => Self::Signed(i64::from_le_bytes(reader.array()?)),
            12 => Self::Float(f64::from_le_bytes(reader.array()?)),
            other => {
                return Err(reader.corrupt(format!("value type {other}"), "a type in 0..=12, lists not nested"));
            }
        })
    }

    fn describe(&self) -> String {
        match self {
            Self::Unsigned(v) => v.to_string(),
            Self::Signed(v) => v.to_string(),
            Self::Float(v) => v.to_string(),
            Self::Bool(v) => v.to_string(),
            Self::Text(v) => format!("`{v}`"),
            Self::List(v) => format!("a list of {}", v.count),
        }
    }
}

/// Key-value pairs of a GGUF header.
#[derive(Debug)]
pub struct Metadata {
    pub(super) values: BTreeMap<String, Value>,
    pub(super) file: Arc<Mmap>,
}

impl Metadata {
    /// The value of a key, if the key is there.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.values.get(key)
    }

    /// A size or a token id.
    pub fn usize(&self, key: &str) -> Result<usize, GgufError> {
        Self::need(key, self.usize_opt(key)?)
    }

    /// A size, `default` where the key is absent.
    pub fn usize_or(&self, key: &str, default: usize) -> Result<usize, GgufError> {
        Ok(self.usize_opt(key)?.unwrap_or(default))
    }

    /// A size, if the key is there.
    pub fn usize_opt(&self, key: &str) -> Result<Option<usize>, GgufError> {
        self.convert(key, "an integer of at least 0", |value| match value {
            Value::Unsigned(v) => usize::try_from(*v).ok(),
            Value::Signed(v) => usize::try_from(*v).ok(),
            _ => None,
        })
    }

    /// A float.
    pub fn f64(&self, key: &str) -> Result<f64, GgufError> {
        Self::need(key, self.f64_opt(key)?)
    }

    /// A float, `default` where the key is absent.
    pub fn f64_or(&self, key: &str, default: f64) -> Result<f64, GgufError> {
        Ok(self.f64_opt(key)?.unwrap_or(default))
    }

    fn f64_opt(&self, key: &str) -> Result<Option<f64>, GgufError> {
        self.convert(key, "a float", |value| if let Value::Float(v) = value { Some(*v) } else { None })
    }

    /// A truth value, `default` where the key is absent.
    pub fn bool_or(&self, key: &str, default: bool) -> Result<bool, GgufError> {
        let read = self.convert(key, "a truth value", |v| if let Value::Bool(v) = v { Some(*v) } else { None })?;
        Ok(read.unwrap_or(default))
    }

    /// Text.
    pub fn text(&self, key: &str) -> Result<&str, GgufError> {
        Self::need(key, self.text_opt(key)?)
    }

    /// Text, `default` where the key is absent.
    pub fn text_or<'a>(&'a self, key: &str, default: &'a str) -> Result<&'a str, GgufError> {
        Ok(self.text_opt(key)?.unwrap_or(default))
    }

    /// Text, if the key is there.
    pub fn text_opt(&self, key: &str) -> Result<Option<&str>, GgufError> {
        self.convert(key, "text", |value| if let Value::Text(v) = value { Some(v.as_str()) } else { None })
    }

    /// A list of texts.
    pub fn texts(&self, key: &str) -> Result<Vec<&str>, GgufError> {
        const TEXT: u32 = 8;
        self.list(key, "a list of texts", |list, reader| match list.kind {
            _ if list.count == 0 => Some(Vec::new()),
            TEXT => (0..list.count).map(|_| reader.text(LONGEST_TEXT).ok()).collect(),
            _ => None,
        })
    }

    /// A list of integers.
    pub fn integers(&self, key: &str) -> Result<Vec<i64>, GgufError> {
        self.list(key, "a list of integers", |list, reader| {
            let integer = |_| match Value::read_scalar(reader, list.kind).ok()? {
                Value::Unsigned(v) => i64::try_from(v).ok(),
                Value::Signed(v) => Some(v),
                Value::Float(_) | Value::Bool(_) | Value::Text(_) | Value::List(_) => None,
            };
            (0..list.count).map(integer).collect()
        })
    }

    /// The elements of a list that must be there.
    fn list<'a, T>(
        &'a self,
        key: &str,
        expected: &'static str,
        read: impl FnOnce(&List, &mut Reader<'a>) -> Option<Vec<T>>,
    ) -> Result<Vec<T>, GgufError> {
        let list =
            self.convert(key, expected, |value| if let Value::List(list) = value { Some(list) } else { None })?;
        let list = Self::need(key, list)?;
        let wrong = |found: String, expected| GgufError::KeyType { key: key.to_owned(), found, expected };
        let found = format!("a list of {}", list.count);
        if list.count > LONGEST_READ {
            let (what, expected) = (format!("metadata key `{key}`"), format!("at most {LONGEST_READ} entries"));
            return Err(GgufError::Corrupt { what, found, expected });
        }
        let mut reader = Reader::new(&self.file[list.bytes.clone()]);
        read(list, &mut reader).ok_or_else(|| wrong(found, expected))
    }

    fn convert<'a, T>(
        &'a self,
        key: &str,
        expected: &'static str,
        convert: impl FnOnce(&'a Value) -> Option<T>,
    ) -> Result<Option<T>, GgufError> {
        let Some(value) = self.values.get(key) else {
            return Ok(None);
        };
        match convert(value) {
            Some(converted) => Ok(Some(converted)),
            None => Err(GgufError::KeyType { key: key.to_owned(), found: value.describe(), expected }),
        }
    }

    fn need<T>(key: &str, value: Option<T>) -> Result<T, GgufError> {
        value.ok_or_else(|| GgufError::NoKey { key: key.to_owned() })
    }
}
