//! Read arbiter: several read channels share one port. Requests are granted by position (first wins);
//! data is routed back in the order of the requests, since a port answers in order.

use super::AxiRead;
use crate::fifo::fifo;
use sagen_lang::{Design, ModuleId, Output, Signal, bit, lit, unsigned};

/// Bursts that may be on their way.
pub const IN_FLIGHT: u32 = 16;

/// `read_arbiter`: requesters `q0_*`, `q1_*`, .. and the port itself, `ar_*` and `r_*`.
pub fn read_arbiter(d: &mut Design, requesters: u32, port_bytes: u32) -> ModuleId {
    let id_bits = requesters.next_power_of_two().ilog2().max(1);
    let order = fifo(d, unsigned(id_bits), IN_FLIGHT);
    let width = port_bytes * 8;
    d.module(format!("read_arbiter_{requesters}x{width}"), |m| {
        m.doc("Several read channels share one port; the first that asks wins.");
        let asks: Vec<_> =
            (0..requesters).map(|i| m.slave(format!("q{i}_"), AxiRead::layout(port_bytes, false))).collect();
        let of = |field: fn(&AxiRead<Signal, Output>) -> Signal| -> Vec<Signal> { asks.iter().map(field).collect() };
        let (valid, addr, len) = (of(|q| q.ar_valid), of(|q| q.ar_addr), of(|q| q.ar_len));
        let ready = of(|q| q.r_ready);
        let axi = m.master("", AxiRead::layout(port_bytes, true));
        let (ar_ready, r_valid, r_last) = (axi.ar_ready, axi.r_valid, axi.r_last.expect("of a shared port"));

        // A request once shown must stay: the choice is held until it is accepted.
        let held = m.reg("held", bit()).reset(0);
        let held_id = m.reg("held_id", unsigned(id_bits));
        let first = (0..requesters as usize)
            .rev()
            .fold(lit(id_bits, 0), |later, i| valid[i].mux(lit(id_bits, i as u64), later));
        let id = m.net("chosen", held.mux(held_id, first));
        let order = order.place(m, "u_order");
        let any = valid.iter().copied().reduce(|a, b| a | b).expect("there is a requester");
        let shown = m.net("shown", any & order.room());
        let accepted = m.net("accepted", shown & ar_ready);
        m.set(held, shown & !ar_ready);
        m.when(shown, || m.set(held_id, id));
        order.push(accepted, id);

        let owner = m.net("owner", order.front());
        let owned = |i: u32| order.holds() & owner.eq_lit(u64::from(i));
        let owner_ready = owner.select(&ready) & order.holds();
        let taken = m.net("taken", r_valid & owner_ready);
        order.pop(taken & r_last);
        axi.ar_valid.drive(shown);
        axi.ar_addr.drive(id.select(&addr));
        axi.ar_len.drive(id.select(&len));
        axi.r_ready.drive(owner_ready);
        for (i, q) in (0..requesters).zip(&asks) {
            q.ar_ready.drive(accepted & id.eq_lit(u64::from(i)));
            q.r_valid.drive(r_valid & owned(i));
            q.r_data.drive(axi.r_data);
            q.r_resp.drive(axi.r_resp);
        }
    })
}
