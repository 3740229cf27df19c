//! The identity of an overlay.

use crate::board::Board;
use serde::{Serialize, Serializer};
use sha2::{Digest, Sha256};
use std::fmt::{self, Debug, Display, Formatter};

/// SHA-256 of the canonical text of a config and its board. Comments, format and the order of keys do not matter;
/// every value does. What is compiled for an overlay carries it, and runs on no other.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct ConfigId([u8; 32]);

impl ConfigId {
    /// Of a config as JSON without spaces, keys in the order in which its family declares them.
    #[must_use]
    pub fn of(config: &str, board: &Board) -> Self {
        let digest = Sha256::new().chain_update(config).chain_update("\n").chain_update(canonical(board)).finalize();
        Self(digest.into())
    }

    /// Its first 12 digits, for people.
    #[must_use]
    pub fn short(&self) -> String {
        self.to_string()[..12].to_string()
    }
}

/// The canonical text of what was read from YAML.
///
/// # Panics
/// When a key is no string: a fault of the type.
pub fn canonical(written: &impl Serialize) -> String {
    serde_json::to_string(written).expect("keys of configs are strings")
}

impl Display for ConfigId {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{:x}", base16ct::HexDisplay(&self.0))
    }
}

impl Debug for ConfigId {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "ConfigId({})", self.short())
    }
}

impl Serialize for ConfigId {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::yaml::parse;

    const BOARD: &str = include_str!("../../../configs/boards/kv260.yaml");

    fn id(config: &str, board: &str) -> String {
        ConfigId::of(config, &parse("board", board).unwrap()).to_string()
    }

    #[test]
    fn every_value_of_config_and_board_counts() {
        let plain = id("{}", BOARD);
        assert_eq!(plain.len(), 64);
        assert_ne!(plain, id("{ }", BOARD));
        assert_ne!(plain, id("{}", &BOARD.replace("mb_per_s: 19200", "mb_per_s: 19201")));
    }

    #[test]
    fn comments_format_and_order_of_a_file_do_not_count() {
        let (first, rest) = BOARD.split_once("\nname: kv260\n").unwrap();
        let other = format!("{first}\n{rest}\n# A word.\nname:    \"kv260\"\n");
        assert_eq!(id("{}", BOARD), id("{}", &other));
        assert_eq!(id("{}", BOARD), id("{}", &BOARD.replace("0xa0000000", "2684354560")));
    }
}
