//! Cuts a contiguous transfer into AXI bursts: full-width INCR beats, at most `longest` a burst,
//! never across 4 KiB, and only when the receiver has room for all of it.

use super::{ADDRESS_BITS, AxiRead, PAGE_BYTES};
use sagen_lang::{Design, Instance, Module, ModuleId, Output, Signal, bit, high, lit, low, unsigned};

/// Bits of a transfer's length in beats.
pub const BEATS_BITS: u32 = 32;

/// The engine of a read channel.
#[derive(Clone, Copy, Debug)]
pub struct Bursts {
    module: ModuleId,
}

impl Bursts {
    /// Places it on the addresses of a channel.
    #[track_caller]
    pub fn place(self, m: &Module, name: &str, axi: &AxiRead<Output, Signal>) -> Transfers {
        let u = m.instance(name, self.module);
        u.input("ready_in", axi.ar_ready);
        axi.ar_valid.drive(u.output("valid_out"));
        axi.ar_addr.drive(u.output("addr"));
        axi.ar_len.drive(u.output("len"));
        Transfers { u }
    }
}

/// The engine in the module that placed it.
#[derive(Clone, Copy, Debug)]
pub struct Transfers {
    u: Instance,
}

impl Transfers {
    /// Begins a transfer, if none is in progress.
    #[track_caller]
    pub fn begin(&self, start: Signal, address: Signal, beats: Signal) {
        self.u.input("start", start);
        self.u.input("address", address);
        self.u.input("beats", beats);
    }

    /// Beats that the receiver can take.
    #[track_caller]
    pub fn room(&self, beats: impl Into<Signal>) {
        self.u.input("room", beats);
    }

    /// No transfer is in progress.
    #[track_caller]
    pub fn idle(&self) -> Signal {
        self.u.output("ready")
    }

    /// A burst is asked for.
    #[track_caller]
    pub fn asks(&self) -> Signal {
        self.u.output("valid_out")
    }

    /// It is accepted, for one cycle.
    #[track_caller]
    pub fn issued(&self) -> Signal {
        self.u.output("issued")
    }

    /// Its beats.
    #[track_caller]
    pub fn issued_beats(&self) -> Signal {
        self.u.output("issued_beats")
    }
}

/// `bursts`: `start` with `address` and `beats` begins a transfer, `ready` is high while none is in progress.
/// `room` is the number of beats that the receiver can take; a burst is asked for when it fits.
/// `issued` is high for one cycle with `issued_beats` when a burst is accepted.
pub fn bursts(d: &mut Design, port_bytes: u32, longest: u32, room_bits: u32) -> Bursts {
    let module = d.module(format!("bursts_{port_bytes}b_{longest}x_{room_bits}"), |m| {
        m.doc("Cuts a contiguous transfer into AXI bursts that cross no 4 KiB page.");
        let shift = port_bytes.ilog2();
        let page_beats = PAGE_BYTES / port_bytes;
        let page_bits = page_beats.ilog2();
        let start = m.input("start", bit());
        let (address, beats) = (m.input("address", unsigned(ADDRESS_BITS)), m.input("beats", unsigned(BEATS_BITS)));
        let room = m.input("room", unsigned(room_bits));
        let ar_ready = m.input("ready_in", bit());

        let at = m.reg("at", unsigned(ADDRESS_BITS));
        let left = m.reg("left", unsigned(BEATS_BITS)).reset(0);
        // The length of the next burst is computed in a cycle of its own.
        let sized = m.reg("sized", bit()).reset(0);
        let length = m.reg("length", unsigned(9));
        let valid = m.reg("valid", bit()).reset(0);
        let busy = m.net("busy", !left.is_zero());

        let to_page = lit(page_bits + 1, u64::from(page_beats)).sub(at.slice(shift, page_bits).extend(page_bits + 1));
        let cap = |x: Signal| x.extend(BEATS_BITS);
        let longest = lit(BEATS_BITS, u64::from(longest));
        let next = m.net("next", left.min(cap(to_page)).min(longest).trunc(9));
        let accepted = m.net("accepted", valid & ar_ready);
        m.when(start & !busy, || {
            m.set(at, address);
            m.set(left, beats);
        });
        m.when(busy & !sized, || {
            m.set(length, next);
            m.set(sized, high());
        });
        let fits = m.net("fits", cap(length.q()).le(cap(room)));
        m.when(sized & !valid & fits, || m.set(valid, high()));
        m.when(accepted, || {
            m.set(valid, low());
            m.set(sized, low());
            m.set(left, left.sub(cap(length.q())));
            m.set(at, at.add(length.extend(ADDRESS_BITS).shl(shift)));
        });
        m.output("ready", !busy);
        m.output("valid_out", valid);
        m.output("addr", at);
        m.output("len", length.sub_lit(1).trunc(8));
        m.output("issued", accepted);
        m.output("issued_beats", length);
    });
    Bursts { module }
}
