//! Who may report an error, as the `error` register counts them.

macro_rules! sources {
    ($( $source:ident = $number:literal, $name:literal, $doc:literal; )+) => {
        /// What stopped a program.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(u8)]
        pub enum ErrorSource { $( #[doc = $doc] $source = $number, )+ }

        impl ErrorSource {
            /// Every source, in the order of their numbers, from 1 on.
            pub const ALL: &[Self] = &[$( Self::$source ),+];
            /// The values of the register's `source` part, lower case: none, then the sources.
            pub const NAMES: &[&str] = &["none", $( $name ),+];
            /// For messages.
            pub const fn describe(self) -> &'static str {
                match self { $( Self::$source => $doc, )+ }
            }
        }
    };
}

sources! {
    Fetch = 1, "fetch", "bus error response to the descriptor fetch";
    Stream = 2, "stream", "bus error response to the weight stream";
    Load = 3, "load", "bus error response to the load unit";
    Store = 4, "store", "bus error response to the store unit";
    Opcode = 5, "opcode", "unknown opcode";
}

impl ErrorSource {
    /// No descriptor can be trusted any more: the program ends at once. After any other error it runs to its end.
    pub const fn ends_program(self) -> bool {
        match self {
            Self::Fetch | Self::Opcode => true,
            Self::Stream | Self::Load | Self::Store => false,
        }
    }

    /// The source with this number.
    pub const fn from_bits(bits: u32) -> Option<Self> {
        if bits == 0 || bits as usize > Self::ALL.len() { None } else { Some(Self::ALL[bits as usize - 1]) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_are_numbered_in_their_order_from_one_on() {
        for (i, source) in (1..).zip(ErrorSource::ALL) {
            assert_eq!(*source as u32, i);
            assert_eq!(ErrorSource::from_bits(i), Some(*source));
        }
        assert_eq!((ErrorSource::from_bits(0), ErrorSource::from_bits(6)), (None, None));
    }
}
