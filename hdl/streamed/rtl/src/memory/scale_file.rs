//! Scale file: a 16-bit mantissa and an 8-bit exponent per entry. Data follows the address by one cycle.

use crate::interface::{ScaleRead, ScaleWrite};
use sagen_lang::{Design, ModuleId, RamStyle};
use sagen_streamed_isa::SCALES;

/// The scale file.
pub fn scale_file(d: &mut Design) -> ModuleId {
    d.module("scale_file", |m| {
        m.doc("A 16-bit mantissa and an 8-bit exponent an entry; data follows the address by one cycle.");
        let write = m.slave("f_", ScaleWrite::layout());
        let read = m.slave("r_", ScaleRead::layout());
        let bits = SCALES.ilog2();
        let entries = m.memory("entries", SCALES as u32, 24).style(RamStyle::Block);
        entries.write(write.valid, write.addr.trunc(bits), write.data);
        read.data.drive(entries.read(read.en, read.addr.trunc(bits)));
    })
}
