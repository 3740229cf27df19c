//! Code memory: words of 64 int8 codes and their 2-bit shift. Written in quarters of 16 codes by the vector
//! unit, read by the compute unit two cycles after the address.

use crate::interface::{CodeRead, CodeWrite};
use sagen_lang::{Design, ModuleId, RamStyle, bit, cat};
use sagen_streamed_arch::StreamedConfig;

const QUARTER: u32 = 16 * 8;

/// The code memory.
pub fn code_memory(d: &mut Design, overlay: &StreamedConfig) -> ModuleId {
    let depth = overlay.code_words() as u32;
    d.module("code_memory", |m| {
        m.doc("Words of 64 int8 codes and their 2-bit shift.");
        let write = m.slave("c_", CodeWrite::layout());
        let read = m.slave("r_", CodeRead::layout());
        let bits = depth.ilog2();
        let codes = m.memory("codes", depth, 4 * QUARTER).style(RamStyle::Block).byte_enable(QUARTER);
        codes.write_masked(write.valid, write.addr.trunc(bits), write.data, write.mask);
        let shifts = m.memory("shifts", depth, 2).style(RamStyle::Distributed);
        shifts.write(write.valid, write.addr.trunc(bits), write.shift);
        let at = read.addr.trunc(bits);
        let word = cat(&[shifts.read(read.en, at), codes.read(read.en, at)]);
        let valid = m.reg("r_valid", bit()).reset(0);
        m.set(valid, read.en);
        let out = m.reg_en("out", valid, word);
        read.data.drive(out.slice(0, 4 * QUARTER));
        read.shift.drive(out.slice(4 * QUARTER, 2));
    })
}
