//! Scale file: a 16-bit mantissa and an 8-bit exponent per entry. Data follows the address by one cycle.

use sagen_lang::{Design, ModuleId, RamStyle, bit, unsigned};
use sagen_streamed_isa::SCALES;

/// The scale file.
pub fn scale_file(d: &mut Design) -> ModuleId {
    d.module("scale_file", |m| {
        let (f_valid, f_addr) = (m.input("f_valid", bit()), m.input("f_addr", unsigned(12)));
        let f_data = m.input("f_data", unsigned(24));
        let (r_en, r_addr) = (m.input("r_en", bit()), m.input("r_addr", unsigned(12)));
        let bits = SCALES.ilog2();
        let entries = m.memory("entries", SCALES as u32, 24).style(RamStyle::Block);
        entries.write(f_valid, f_addr.trunc(bits), f_data);
        m.output("r_data", entries.read(r_en, r_addr.trunc(bits)));
    })
}
