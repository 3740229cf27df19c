//! AXI4-Lite slave, a master of the register bus: one access at a time, every answer is OKAY.

use super::AxiLite;
use crate::register_bus::RegisterWrite;
use sagen_lang::{Module, Output, Signal, bit, high, lit, low, unsigned};

/// Takes a write unless `blocked`.
pub fn write_channel(m: &Module, axi: &AxiLite<Signal, Output>, blocked: Signal) -> RegisterWrite {
    let answered = m.reg("b_valid", bit()).reset(0);
    let take = m.net("write_taken", axi.aw_valid & axi.w_valid & !answered & !blocked);
    let strobe = m.reg("write_strobe", bit()).reset(0);
    // Registers are written whole: partial strobes are ignored.
    m.set(strobe, take & axi.w_strb.reduce_and());
    let address = m.reg_en("write_address", take, axi.aw_addr);
    let data = m.reg_en("write_data", take, axi.w_data);
    m.when(answered & axi.b_ready, || m.set(answered, low()));
    m.when(take, || m.set(answered, high()));
    axi.aw_ready.drive(take);
    axi.w_ready.drive(take);
    axi.b_valid.drive(answered);
    axi.b_resp.drive(lit(2, 0));
    RegisterWrite { strobe: strobe.q(), address: address.q(), data: data.q() }
}

/// Answers a read with the word at its address.
pub fn read_channel(m: &Module, axi: &AxiLite<Signal, Output>, word: impl FnOnce(Signal) -> Signal) {
    let pending = m.reg("read_pending", bit()).reset(0);
    let answered = m.reg("r_valid", bit()).reset(0);
    let take = m.net("read_taken", axi.ar_valid & !pending & !answered);
    let address = m.reg_en("read_address", take, axi.ar_addr);
    m.set(pending, take);
    let data = m.reg("r_data", unsigned(32));
    let word = word(address.q());
    m.when(answered & axi.r_ready, || m.set(answered, low()));
    m.when(pending, || {
        m.set(data, word);
        m.set(answered, high());
    });
    axi.ar_ready.drive(take);
    axi.r_valid.drive(answered);
    axi.r_data.drive(data);
    axi.r_resp.drive(lit(2, 0));
}
