//! Code memory: words of 64 int8 codes and their 2-bit shift. Written in quarters of 16 codes by the vector
//! unit, read by the compute unit two cycles after the address.

use sagen_lang::{Design, ModuleId, RamStyle, bit, cat, unsigned};
use sagen_streamed_arch::StreamedConfig;

const QUARTER: u32 = 16 * 8;

/// The code memory.
pub fn code_memory(d: &mut Design, overlay: &StreamedConfig) -> ModuleId {
    let depth = overlay.code_words() as u32;
    d.module("code_memory", |m| {
        let (w_valid, w_addr) = (m.input("c_valid", bit()), m.input("c_addr", unsigned(16)));
        let (w_data, w_mask) = (m.input("c_data", unsigned(4 * QUARTER)), m.input("c_mask", unsigned(4)));
        let shift = m.input("c_shift", unsigned(2));
        let (r_en, r_addr) = (m.input("r_en", bit()), m.input("r_addr", unsigned(16)));
        let bits = depth.ilog2();
        let codes = m.memory("codes", depth, 4 * QUARTER).style(RamStyle::Block).byte_enable(QUARTER);
        codes.write_masked(w_valid, w_addr.trunc(bits), w_data, w_mask);
        let shifts = m.memory("shifts", depth, 2).style(RamStyle::Distributed);
        shifts.write(w_valid, w_addr.trunc(bits), shift);
        let word = cat(&[shifts.read(r_en, r_addr.trunc(bits)), codes.read(r_en, r_addr.trunc(bits))]);
        let valid = m.reg("r_valid", bit()).reset(0);
        m.set(valid, r_en);
        let out = m.reg_en("out", valid, word);
        m.output("r_data", out.slice(0, 4 * QUARTER));
        m.output("r_shift", out.slice(4 * QUARTER, 2));
    })
}
