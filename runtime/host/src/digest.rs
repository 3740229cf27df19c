//! SHA-256 of bytes and files, as hexadecimal digits.

use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// Of bytes.
#[must_use]
pub fn of(bytes: &[u8]) -> String {
    base16ct::lower::encode_string(&Sha256::digest(bytes))
}

/// Size and digest of a file.
pub fn of_file(path: &Path) -> io::Result<(u64, String)> {
    let (mut file, mut hash, mut size) = (File::open(path)?, Sha256::new(), 0);
    let mut piece = vec![0; 1 << 20];
    loop {
        match file.read(&mut piece)? {
            0 => break,
            n => {
                hash.update(&piece[..n]);
                size += n as u64;
            }
        }
    }
    Ok((size, base16ct::lower::encode_string(&hash.finalize())))
}
