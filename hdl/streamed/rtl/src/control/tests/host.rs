//! A host that keeps the rules of AXI4-Lite and nothing else: VALIDs in any order and at any time, READYs at random,
//! partial strobes, reads beside writes. It checks the rules of the slave as it goes.

use sagen_lang::Sim;
use std::collections::VecDeque;

/// What the slave answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Answer {
    pub(super) data: u32,
    pub(super) response: u64,
}

pub(super) const OKAY: u64 = 0;
pub(super) const SLVERR: u64 = 2;

#[derive(Default)]
pub(super) struct Host {
    /// Offered on AW, on W and on AR: each is shown until it is taken.
    aw: Option<u32>,
    w: Option<(u32, u32)>,
    ar: Option<u32>,
    /// Taken and not answered.
    writes: [u32; 2],
    reads: u32,
    shown: [Option<u64>; 2],
    pub(super) written: VecDeque<u64>,
    pub(super) read: VecDeque<Answer>,
}

/// What the host does in a cycle.
#[derive(Clone, Copy, Default)]
pub(super) struct Move {
    /// Offers, where nothing is offered on the channel.
    pub(super) aw: Option<u32>,
    pub(super) w: Option<(u32, u32)>,
    pub(super) ar: Option<u32>,
    pub(super) b_ready: bool,
    pub(super) r_ready: bool,
}

fn high(sim: &mut Sim, port: &str) -> bool {
    sim.get(&format!("s_axi_{port}")).to_u64() == 1
}

impl Host {
    pub(super) fn offers(&self) -> [bool; 3] {
        [self.aw.is_some(), self.w.is_some(), self.ar.is_some()]
    }

    /// One cycle.
    pub(super) fn step(&mut self, sim: &mut Sim, it: Move) {
        self.aw = self.aw.or(it.aw);
        self.w = self.w.or(it.w);
        self.ar = self.ar.or(it.ar);
        sim.set("s_axi_awvalid", self.aw.is_some());
        sim.set("s_axi_awaddr", self.aw.unwrap_or(0xffff));
        sim.set("s_axi_wvalid", self.w.is_some());
        let (data, strobes) = self.w.unwrap_or((u32::MAX, 15));
        sim.set("s_axi_wdata", data);
        sim.set("s_axi_wstrb", strobes);
        sim.set("s_axi_arvalid", self.ar.is_some());
        sim.set("s_axi_araddr", self.ar.unwrap_or(0xffff));
        sim.set("s_axi_bready", it.b_ready);
        sim.set("s_axi_rready", it.r_ready);
        self.answers(sim, it);
        if self.aw.is_some() && high(sim, "awready") {
            (self.aw, self.writes[0]) = (None, self.writes[0] + 1);
        }
        if self.w.is_some() && high(sim, "wready") {
            (self.w, self.writes[1]) = (None, self.writes[1] + 1);
        }
        if self.ar.is_some() && high(sim, "arready") {
            (self.ar, self.reads) = (None, self.reads + 1);
        }
        sim.step();
    }

    /// B only after AW and W, R only after AR, both as they were shown until they are taken.
    fn answers(&mut self, sim: &mut Sim, it: Move) {
        let b = high(sim, "bvalid").then(|| sim.get("s_axi_bresp").to_u64());
        let r = high(sim, "rvalid").then(|| sim.get("s_axi_rdata").to_u64() << 2 | sim.get("s_axi_rresp").to_u64());
        for (shown, now) in self.shown.iter().zip([b, r]) {
            assert!(shown.is_none() || *shown == now, "an answer changed before it was taken: {shown:?} {now:?}");
        }
        self.shown = [b.filter(|_| !it.b_ready), r.filter(|_| !it.r_ready)];
        assert!(b.is_none() || self.writes.iter().all(|w| *w > 0), "a write is answered before it is there");
        assert!(r.is_none() || self.reads > 0, "a read is answered before it is there");
        if let Some(response) = b.filter(|_| it.b_ready) {
            self.writes = self.writes.map(|w| w - 1);
            self.written.push_back(response);
        }
        if let Some(both) = r.filter(|_| it.r_ready) {
            self.reads -= 1;
            self.read.push_back(Answer { data: (both >> 2) as u32, response: both & 3 });
        }
    }

    /// A polite write; its response.
    pub(super) fn write(&mut self, sim: &mut Sim, address: u32, value: u32) -> u64 {
        let polite = Move { aw: Some(address), w: Some((value, 15)), b_ready: true, ..Move::default() };
        self.step(sim, polite);
        for _ in 0..200 {
            if let Some(response) = self.written.pop_front() {
                return response;
            }
            self.step(sim, Move { aw: None, w: None, ..polite });
        }
        panic!("no answer to a write at {address:#x}");
    }

    /// A polite read.
    pub(super) fn read(&mut self, sim: &mut Sim, address: u32) -> Answer {
        self.step(sim, Move { ar: Some(address), r_ready: true, ..Move::default() });
        for _ in 0..200 {
            if let Some(answer) = self.read.pop_front() {
                return answer;
            }
            self.step(sim, Move { r_ready: true, ..Move::default() });
        }
        panic!("no answer to a read at {address:#x}");
    }
}
