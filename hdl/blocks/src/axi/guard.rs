//! Guards between an overlay and its memory ports. They count the bursts in flight, and while `drain` is high they end
//! them without the overlay: read data is thrown away, a write that was cut gets the rest of its beats with no strobe
//! set, answers are swallowed. `quiet` says that nothing is left, one cycle late.
//!
//! A port of a processing system is not reset with the fabric, so what a guard knows must outlive every reset: its
//! registers have values at power-up and no reset. Addresses and write data pass through a register: what a port was
//! shown, it is shown until it takes it, and a burst's data never comes before its address.

use super::{AxiRead, AxiWrite};
use sagen_lang::{Design, Module, ModuleId, Output, Reg, Signal, bit, high, lit, low, unsigned};

/// Read bursts that may be in flight.
pub const READS: u32 = 64;
/// Write bursts that may be in flight.
pub const WRITES: u32 = 16;

/// `read_guard`: the overlay on `u_*`, the port on the bare names.
pub fn read_guard(d: &mut Design, port_bytes: u32) -> ModuleId {
    d.module(format!("read_guard_{}", 8 * port_bytes), |m| {
        m.doc("Counts the read bursts of a port and drains them when the overlay no longer wants them.");
        let drain = m.input("drain", bit());
        let unit = m.slave("u_", AxiRead::layout(port_bytes, true));
        let port = m.master("", AxiRead::layout(port_bytes, true));
        let flying = InFlight::new(m, READS);
        let shown = Shown::new(m, port.ar_ready);
        let ready = m.net("takes", shown.free() & flying.room() & !drain);
        let taken = m.net("taken", unit.ar_valid & ready);
        shown.take(m, taken);
        port.ar_valid.drive(shown.q());
        port.ar_addr.drive(m.reg_en("address", taken, unit.ar_addr));
        port.ar_len.drive(m.reg_en("length", taken, unit.ar_len));
        unit.ar_ready.drive(ready);

        let (last, r_ready) = (port.r_last.expect("asked for"), m.net("accepts", drain | unit.r_ready));
        port.r_ready.drive(r_ready);
        unit.r_valid.drive(port.r_valid & !drain);
        unit.r_data.drive(port.r_data);
        unit.r_resp.drive(port.r_resp);
        unit.r_last.expect("asked for").drive(last);
        flying.count(m, taken, m.net("ended", port.r_valid & r_ready & last));
    })
}

/// `write_guard`: as [`read_guard`]. A burst is taken when all data of the one before it has been.
pub fn write_guard(d: &mut Design, port_bytes: u32) -> ModuleId {
    d.module(format!("write_guard_{}", 8 * port_bytes), |m| {
        m.doc("Counts the write bursts of a port and ends them when the overlay no longer does.");
        let drain = m.input("drain", bit());
        let unit = m.slave("u_", AxiWrite::layout(port_bytes));
        let port = m.master("", AxiWrite::layout(port_bytes));
        let flying = InFlight::new(m, WRITES);
        let shown = Shown::new(m, port.aw_ready);
        let owes = m.reg("owes", bit()).initial(0);
        let ready = m.net("takes", shown.free() & flying.room() & !owes & !drain);
        let taken = m.net("taken", unit.aw_valid & ready);
        shown.take(m, taken);
        let length = m.reg_en("length", taken, unit.aw_len);
        port.aw_valid.drive(shown.q());
        port.aw_addr.drive(m.reg_en("address", taken, unit.aw_addr));
        port.aw_len.drive(length);
        unit.aw_ready.drive(ready);

        data(m, &unit, &port, Burst { drain, taken, length: length.q(), owes });

        let b_ready = m.net("accepts", drain | unit.b_ready);
        port.b_ready.drive(b_ready);
        unit.b_valid.drive(port.b_valid & !drain);
        unit.b_resp.drive(port.b_resp);
        flying.count(m, taken, m.net("ended", port.b_valid & b_ready));
    })
}

/// A write burst that the guard took.
struct Burst {
    drain: Signal,
    taken: Signal,
    /// Beats - 1.
    length: Signal,
    /// It has data that the port was not shown yet.
    owes: Reg,
}

/// Write data through a register; in a drain the guard makes up the rest.
fn data(m: &Module, unit: &AxiWrite<Signal, Output>, port: &AxiWrite<Output, Signal>, burst: Burst) {
    let Burst { drain, taken, length, owes } = burst;
    let offered = m.reg("offered", bit()).initial(0);
    let space = m.net("space", owes & (!offered | port.w_ready));
    let beat = m.net("beat", space & (unit.w_valid | drain));
    let sent = m.reg("sent", unsigned(8)).initial(0);
    let last = m.net("last", sent.eq(length));
    m.when(port.w_ready, || m.set(offered, low()));
    m.when(beat, || {
        m.set(offered, high());
        m.set(sent, sent.add_lit(1));
        m.when(last, || m.set(owes, low()));
    });
    m.when(taken, || {
        m.set(owes, high());
        m.set(sent, lit(8, 0));
    });
    m.assert(!(beat & !drain & (unit.w_last ^ last)), "a burst of another length than its address says");
    port.w_valid.drive(offered);
    port.w_data.drive(m.reg_en("data", beat, unit.w_data));
    port.w_strb.drive(m.reg_en("strobes", beat, unit.w_strb & (!drain).repeat(unit.w_strb.width())));
    port.w_last.drive(m.reg_en("last_beat", beat, last));
    unit.w_ready.drive(space & !drain);
}

/// An address that the port is shown.
struct Shown {
    full: Reg,
}

impl Shown {
    fn new(m: &Module, ready: Signal) -> Self {
        let full = m.reg("shown", bit()).initial(0);
        m.when(ready, || m.set(full, low()));
        Self { full }
    }

    fn free(&self) -> Signal {
        !self.full.q()
    }

    fn q(&self) -> Signal {
        self.full.q()
    }

    fn take(&self, m: &Module, taken: Signal) {
        m.when(taken, || m.set(self.full, high()));
    }
}

/// Bursts that the guard took and that have not ended.
struct InFlight {
    count: Reg,
}

impl InFlight {
    fn new(m: &Module, limit: u32) -> Self {
        let count = m.reg("in_flight", unsigned(limit.ilog2() + 1)).initial(0);
        m.output("quiet", m.reg_next("none", count.is_zero()));
        Self { count }
    }

    fn room(&self) -> Signal {
        !self.count.msb()
    }

    fn count(&self, m: &Module, begins: Signal, ends: Signal) {
        m.when(begins & !ends, || m.set(self.count, self.count.add_lit(1)));
        m.when(ends & !begins, || m.set(self.count, self.count.sub_lit(1)));
    }
}

#[cfg(test)]
mod tests;
