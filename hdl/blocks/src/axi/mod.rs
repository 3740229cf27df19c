//! AXI4 and AXI4-Lite: the channels, and what serves them.

pub mod arbiter;
pub mod burst;
pub mod guard;
pub mod lite;

use sagen_lang::{Renamed, bit, interface, unsigned};

/// Bits of a byte address in memory.
pub const ADDRESS_BITS: u32 = 40;
/// Bytes that no burst crosses, by the protocol.
pub const PAGE_BYTES: u32 = 4096;

interface! {
    /// A read channel: bursts are asked for, their data comes back in order.
    pub struct AxiRead(bytes: u32, last: bool) {
        /// A burst is asked for.
        ar_valid: -> bit(),
        /// Byte address of its first beat.
        ar_addr: -> unsigned(ADDRESS_BITS),
        /// Beats - 1.
        ar_len: -> unsigned(8),
        /// It is accepted.
        ar_ready: <- bit(),
        /// A beat is taken.
        r_ready: -> bit(),
        /// A beat is there.
        r_valid: <- bit(),
        /// The beat.
        r_data: <- unsigned(8 * bytes),
        /// Bit 1 reports an error.
        r_resp: <- unsigned(2),
        /// The last one of its burst; only who shares the port looks at it.
        r_last(optional): <- last.then(bit),
    }
}

interface! {
    /// A write channel: bursts are announced, their data follows in order, each is answered.
    pub struct AxiWrite(bytes: u32) {
        /// A burst is announced.
        aw_valid: -> bit(),
        /// Byte address of its first beat.
        aw_addr: -> unsigned(ADDRESS_BITS),
        /// Beats - 1.
        aw_len: -> unsigned(8),
        /// It is accepted.
        aw_ready: <- bit(),
        /// A beat is there.
        w_valid: -> bit(),
        /// The beat.
        w_data: -> unsigned(8 * bytes),
        /// One bit a byte.
        w_strb: -> unsigned(bytes),
        /// The last one of its burst.
        w_last: -> bit(),
        /// It is taken.
        w_ready: <- bit(),
        /// A burst is answered.
        b_valid: <- bit(),
        /// Bit 1 reports an error.
        b_resp: <- unsigned(2),
        /// The answer is taken.
        b_ready: -> bit(),
    }
}

interface! {
    /// What does not change from read to read: full-width incrementing bursts of unprivileged data that an interconnect may
    /// split and merge.
    pub struct AxiReadKind() {
        /// Bytes of a beat, as a power of two.
        ar_size: -> unsigned(3),
        /// 1, incrementing.
        ar_burst: -> unsigned(2),
        /// 3, modifiable and bufferable.
        ar_cache: -> unsigned(4),
        /// 0, unprivileged.
        ar_prot: -> unsigned(3),
    }
}

interface! {
    /// The same of writes.
    pub struct AxiWriteKind() {
        /// Bytes of a beat, as a power of two.
        aw_size: -> unsigned(3),
        /// 1, incrementing.
        aw_burst: -> unsigned(2),
        /// 3, modifiable and bufferable.
        aw_cache: -> unsigned(4),
        /// 0, unprivileged.
        aw_prot: -> unsigned(3),
    }
}

interface! {
    /// The host to the registers: one access at a time.
    pub struct AxiLite(address_bits: u32) {
        /// A write is asked for.
        aw_valid: -> bit(),
        /// Byte address.
        aw_addr: -> unsigned(address_bits),
        /// It is taken.
        aw_ready: <- bit(),
        /// Its word is there.
        w_valid: -> bit(),
        /// The word.
        w_data: -> unsigned(32),
        /// One bit a byte.
        w_strb: -> unsigned(4),
        /// It is taken.
        w_ready: <- bit(),
        /// The write is answered.
        b_valid: <- bit(),
        /// 0, OKAY, or 2, SLVERR.
        b_resp: <- unsigned(2),
        /// The answer is taken.
        b_ready: -> bit(),
        /// A read is asked for.
        ar_valid: -> bit(),
        /// Byte address.
        ar_addr: -> unsigned(address_bits),
        /// It is taken.
        ar_ready: <- bit(),
        /// The read is answered.
        r_valid: <- bit(),
        /// The word.
        r_data: <- unsigned(32),
        /// 0, OKAY, or 2, SLVERR.
        r_resp: <- unsigned(2),
        /// The answer is taken.
        r_ready: -> bit(),
    }
}

/// Names of a channel as AXI spells them: `<prefix>araddr` and so on.
#[must_use]
pub fn named(prefix: impl Into<String>) -> Renamed<String> {
    Renamed(prefix.into(), |field| field.replace('_', ""))
}
