//! Bounds-checked little-endian reading of the header. Every failure says what was being read.

use super::GgufError;

pub(super) struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    /// What is being read, for errors.
    pub(super) what: String,
}

impl<'a> Reader<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0, what: "magic".to_owned() }
    }

    pub(super) fn position(&self) -> usize {
        self.at
    }

    pub(super) fn take(&mut self, count: u64) -> Result<&'a [u8], GgufError> {
        let left = &self.bytes[self.at..];
        match usize::try_from(count).ok().and_then(|count| left.get(..count)) {
            Some(taken) => {
                self.at += taken.len();
                Ok(taken)
            }
            None => Err(GgufError::TruncatedHeader {
                what: self.what.clone(),
                offset: self.at,
                expected: count,
                found: left.len(),
            }),
        }
    }

    pub(super) fn array<const N: usize>(&mut self) -> Result<[u8; N], GgufError> {
        Ok(self.take(N as u64)?.try_into().expect("take returns as many bytes as asked"))
    }

    pub(super) fn u32(&mut self) -> Result<u32, GgufError> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    pub(super) fn u64(&mut self) -> Result<u64, GgufError> {
        Ok(u64::from_le_bytes(self.array()?))
    }

    /// A count that some field gives, at most `most`.
    pub(super) fn count(&mut self, most: u64) -> Result<u64, GgufError> {
        let count = self.u64()?;
        if count > most { Err(self.corrupt(count.to_string(), format!("at most {most}"))) } else { Ok(count) }
    }

    /// A string's bytes; one of more than `most` is no string.
    pub(super) fn string(&mut self, most: u64) -> Result<&'a [u8], GgufError> {
        let length = self.u64()?;
        if length > most {
            return Err(self.corrupt(format!("a string of {length} bytes"), format!("at most {most}")));
        }
        self.take(length)
    }

    pub(super) fn text(&mut self, most: u64) -> Result<&'a str, GgufError> {
        let bytes = self.string(most)?;
        match std::str::from_utf8(bytes) {
            Ok(text) => Ok(text),
            Err(e) => {
                Err(self.corrupt(format!("a string with invalid UTF-8 at its byte {}", e.valid_up_to()), "UTF-8"))
            }
        }
    }

    pub(super) fn corrupt(&self, found: impl Into<String>, expected: impl Into<String>) -> GgufError {
        GgufError::Corrupt { what: self.what.clone(), found: found.into(), expected: expected.into() }
    }
}
