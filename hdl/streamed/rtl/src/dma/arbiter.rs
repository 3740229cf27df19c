//! Read arbiter: several read channels share one port. Requests are granted by position (first wins);
//! data is routed back in the order of the requests, since a port answers in order.

use crate::dma::burst::ADDRESS_BITS;
use crate::fifo::fifo;
use sagen_lang::{Design, ModuleId, Signal, bit, lit, unsigned};

/// Bursts that may be on their way.
pub(crate) const IN_FLIGHT: u32 = 16;

/// `read_arbiter`: requesters `q0_*`, `q1_*`, .. and the port itself, `ar_*` and `r_*`.
pub fn read_arbiter(d: &mut Design, requesters: u32, port_bytes: u32) -> ModuleId {
    let id_bits = requesters.next_power_of_two().ilog2().max(1);
    let order = fifo(d, id_bits, IN_FLIGHT);
    let width = port_bytes * 8;
    d.module(format!("read_arbiter_{requesters}x{width}"), |m| {
        let inputs = |name: &str, w: u32| -> Vec<Signal> {
            (0..requesters).map(|i| m.input(&format!("q{i}_{name}"), unsigned(w))).collect()
        };
        let (valid, addr, len) = (inputs("ar_valid", 1), inputs("ar_addr", ADDRESS_BITS), inputs("ar_len", 8));
        let ready = inputs("r_ready", 1);
        let ar_ready = m.input("ar_ready", bit());
        let (r_data, r_resp) = (m.input("r_data", unsigned(width)), m.input("r_resp", unsigned(2)));
        let (r_valid, r_last) = (m.input("r_valid", bit()), m.input("r_last", bit()));

        // A request once shown must stay: the choice is held until it is accepted.
        let held = m.reg("held", bit()).reset(0);
        let held_id = m.reg("held_id", unsigned(id_bits));
        let first = (0..requesters as usize)
            .rev()
            .fold(lit(id_bits, 0), |later, i| valid[i].mux(lit(id_bits, i as u64), later));
        let id = m.net("chosen", held.mux(held_id, first));
        let order = m.instance("u_order", order);
        let any = valid.iter().copied().reduce(|a, b| a | b).expect("there is a requester");
        let shown = m.net("shown", any & order.output("in_ready"));
        let accepted = m.net("accepted", shown & ar_ready);
        m.set(held, shown & !ar_ready);
        m.when(shown, || m.set(held_id, id));
        order.input("in_data", id);
        order.input("in_valid", accepted);

        let owner = m.net("owner", order.output("out_data"));
        let owned = |i: u32| order.output("out_valid") & owner.eq_lit(u64::from(i));
        let owner_ready = owner.select(&ready) & order.output("out_valid");
        let taken = m.net("taken", r_valid & owner_ready);
        order.input("out_ready", taken & r_last);
        m.output("ar_valid", shown);
        m.output("ar_addr", id.select(&addr));
        m.output("ar_len", id.select(&len));
        m.output("r_ready", owner_ready);
        for i in 0..requesters {
            m.output(&format!("q{i}_ar_ready"), accepted & id.eq_lit(u64::from(i)));
            m.output(&format!("q{i}_r_valid"), r_valid & owned(i));
            m.output(&format!("q{i}_r_data"), r_data);
            m.output(&format!("q{i}_r_resp"), r_resp);
        }
    })
}
