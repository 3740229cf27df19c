//! The alphabet of byte-level BPE: every byte is written as one printable character.
//!
//! Printable Latin-1 bytes stand for themselves; the others, in ascending order, are U+0100 and up.

fn stands_for_itself(byte: u8) -> bool {
    matches!(byte, b'!'..=b'~' | 0xa1..=0xac | 0xae..=0xff)
}

/// Bytes that a token's text spells, or nothing if a character is outside the alphabet.
#[must_use]
pub fn bytes(token: &str) -> Option<Vec<u8>> {
    token.chars().map(byte).collect()
}

fn byte(character: char) -> Option<u8> {
    let code = u32::from(character);
    match u8::try_from(code) {
        Ok(byte) => stands_for_itself(byte).then_some(byte),
        Err(_) => (0..=u8::MAX).filter(|byte| !stands_for_itself(*byte)).nth(code as usize - 0x100),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_alphabet_spells_every_byte_once() {
        let mut spelt: Vec<u8> = (0..0x180).filter_map(char::from_u32).filter_map(byte).collect();
        spelt.sort_unstable();
        assert_eq!(spelt, (0..=u8::MAX).collect::<Vec<_>>());
    }

    #[test]
    fn space_newline_and_accents_are_spelt_as_published() {
        assert_eq!(bytes("ĠtheĊ").as_deref(), Some(" the\n".as_bytes()));
        assert_eq!(bytes("cafÃ©").as_deref(), Some("café".as_bytes()));
        assert_eq!(bytes("a b"), None);
    }
}
