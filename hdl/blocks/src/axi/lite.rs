//! AXI4-Lite slave, a master of the register bus: one read and one write at a time. READY is a register, low in reset.
//! A word that is not in the map is answered with SLVERR, any other with OKAY.

use super::AxiLite;
use crate::register_bus::RegisterWrite;
use sagen_lang::{Module, Output, Reg, Signal, bit, high, lit, low, unsigned};

/// RRESP and BRESP: bit 1 alone is SLVERR.
fn response(known: Signal) -> Signal {
    sagen_lang::cat(&[!known, lit(1, 0)])
}

/// A channel of the host's whose READY is high while nothing is held. Held from the handshake until `release`.
struct Held {
    held: Reg,
    ready: Reg,
    taken: Signal,
}

impl Held {
    fn new(m: &Module, name: &str, valid: Signal) -> Self {
        let held = m.reg(&format!("{name}_held"), bit()).reset(0);
        let ready = m.reg(&format!("{name}_ready"), bit()).reset(0);
        let taken = m.net(&format!("{name}_taken"), valid & ready);
        Self { held, ready, taken }
    }

    fn release(&self, m: &Module, release: Signal) {
        m.when(release, || m.set(self.held, low()));
        m.when(self.taken, || m.set(self.held, high()));
        m.set(self.ready, release | !(self.held | self.taken));
    }
}

/// Takes a write; it is executed and answered unless `blocked`. `known` tells whether an address is in the map.
pub fn write_channel(
    m: &Module,
    axi: &AxiLite<Signal, Output>,
    blocked: Signal,
    known: impl FnOnce(Signal) -> Signal,
) -> RegisterWrite {
    let (aw, w) = (Held::new(m, "aw", axi.aw_valid), Held::new(m, "w", axi.w_valid));
    let address = m.reg_en("write_address", aw.taken, axi.aw_addr);
    let data = m.reg_en("write_data", w.taken, axi.w_data);
    // Registers are written whole: partial strobes are ignored.
    let whole = m.reg_en("write_whole", w.taken, axi.w_strb.reduce_and());
    let answered = m.reg("b_valid", bit()).reset(0);
    let execute = m.net("write_now", aw.held & w.held & !answered & !blocked);
    let known = m.net("write_known", known(address.q()));
    aw.release(m, execute);
    w.release(m, execute);
    m.when(axi.b_ready, || m.set(answered, low()));
    m.when(execute, || m.set(answered, high()));
    axi.aw_ready.drive(aw.ready);
    axi.w_ready.drive(w.ready);
    axi.b_valid.drive(answered);
    axi.b_resp.drive(m.reg_en("b_resp", execute, response(known)));
    RegisterWrite { strobe: m.net("write_strobe", execute & whole & known), address: address.q(), data: data.q() }
}

/// Answers a read with the word at its address and whether there is one, unless `blocked`.
pub fn read_channel(
    m: &Module,
    axi: &AxiLite<Signal, Output>,
    blocked: Signal,
    word: impl FnOnce(Signal) -> (Signal, Signal),
) {
    let ar = Held::new(m, "ar", axi.ar_valid);
    let address = m.reg_en("read_address", ar.taken, axi.ar_addr);
    let answered = m.reg("r_valid", bit()).reset(0);
    let execute = m.net("read_now", ar.held & !answered & !blocked);
    ar.release(m, execute);
    let (word, known) = word(address.q());
    let data = m.reg("r_data", unsigned(32));
    m.when(axi.r_ready, || m.set(answered, low()));
    m.when(execute, || {
        m.set(data, word);
        m.set(answered, high());
    });
    axi.ar_ready.drive(ar.ready);
    axi.r_valid.drive(answered);
    axi.r_data.drive(data);
    axi.r_resp.drive(m.reg_en("r_resp", execute, response(known)));
}
