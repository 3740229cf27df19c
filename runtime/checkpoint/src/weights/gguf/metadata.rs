//! Typed access to the key-value pairs of a GGUF header.

use std::collections::BTreeMap;

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
    List(Vec<Value>),
}

impl Value {
    /// Reads a value of the type with this number.
    pub(super) fn read(reader: &mut Reader<'_>, kind: u32) -> Result<Self, GgufError> {
        const LIST: u32 = 9;
        // Far above any vocabulary, far below what could exhaust memory.
        const LONGEST: u64 = 1 << 24;
        if kind != LIST {
            return Self::read_scalar(reader, kind);
        }
        let kind = reader.u32()?;
        let count = reader.u64()?;
        if count > LONGEST {
            return Err(reader.corrupt(format!("a list of {count}"), format!("at most {LONGEST} entries")));
        }
        let mut values = Vec::new();
        for _ in 0..count {
            values.push(Self::read_scalar(reader, kind)?);
        }
        Ok(Self::List(values))
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
            8 => Self::Text(reader.text()?),
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
            Self::List(v) => format!("a list of {}", v.len()),
        }
    }
}

/// Key-value pairs of a GGUF header.
#[derive(Debug, Default)]
pub struct Metadata {
    pub(super) values: BTreeMap<String, Value>,
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
        let texts = self.convert(key, "a list of texts", |value| {
            let Value::List(values) = value else {
                return None;
            };
            let texts = values.iter().map(|v| if let Value::Text(v) = v { Some(v.as_str()) } else { None });
            texts.collect()
        })?;
        Self::need(key, texts)
    }

    /// A list of integers.
    pub fn integers(&self, key: &str) -> Result<Vec<i64>, GgufError> {
        let integers = self.convert(key, "a list of integers", |value| {
            let Value::List(values) = value else {
                return None;
            };
            let integers = values.iter().map(|v| match v {
                Value::Unsigned(v) => i64::try_from(*v).ok(),
                Value::Signed(v) => Some(*v),
                _ => None,
            });
            integers.collect()
        })?;
        Self::need(key, integers)
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
