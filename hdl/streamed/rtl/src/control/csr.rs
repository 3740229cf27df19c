//! CSR block: AXI4-Lite slave by the table of `sagen_streamed_isa`, program state and event counters.
//! One access at a time; reads and writes answer OKAY, unknown addresses read zero.
//! For 32 cycles after a reset, while the step registers are cleared, writes wait.

use super::step_registers::StepRegisters;
use sagen_lang::{Design, Module, ModuleId, Reg, Signal, bit, cat, high, lit, low, unsigned};
use sagen_streamed_isa::{Access, COUNTERS, CSR_COUNTER_BASE, CSR_ID, CSR_REGISTER_BASE, CSRS, REGISTERS, UNITS};

/// Bits of an AXI4-Lite address.
pub const CSR_ADDRESS_BITS: u32 = 16;

/// What a build writes into its read-only registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Identity {
    /// First 32 bits of the hash of config and sources.
    pub build_hash: u32,
    /// Value of the `geometry` register.
    pub geometry: u32,
}

/// The CSR block.
pub fn csr_block(d: &mut Design, identity: Identity) -> ModuleId {
    d.module("csr_block", |m| {
        m.doc("AXI4-Lite registers, program state, event counters.");
        let steps = StepRegisters::new(m);
        let write = write_channel(m, steps.blocked());
        let state = program_state(m, &write);
        steps.write(m, &write);
        let counters = counters(m, state.running, write.trigger("control", 1));
        read_channel(m, |address| read_value(address, identity, &state, &steps, &counters));
    })
}

/// A word that the host writes, for one cycle.
pub(super) struct Write {
    pub(super) strobe: Signal,
    pub(super) address: Signal,
    pub(super) data: Signal,
}

impl Write {
    fn to(&self, offset: u32) -> Signal {
        self.strobe & self.address.eq_lit(u64::from(offset))
    }
    fn named(&self, name: &str) -> Signal {
        self.to(offset(name))
    }
    fn trigger(&self, name: &str, bit: u32) -> Signal {
        self.named(name) & self.data.bit(bit)
    }
}

fn offset(name: &str) -> u32 {
    let csr = CSRS.iter().find(|c| c.name == name);
    csr.unwrap_or_else(|| panic!("no register is called {name}")).offset
}

/// Takes a write unless `blocked`.
fn write_channel(m: &Module, blocked: Signal) -> Write {
    let (aw_valid, w_valid) = (m.input("s_axi_awvalid", bit()), m.input("s_axi_wvalid", bit()));
    let (awaddr, wdata) = (m.input("s_axi_awaddr", unsigned(CSR_ADDRESS_BITS)), m.input("s_axi_wdata", unsigned(32)));
    let b_ready = m.input("s_axi_bready", bit());
    let wstrb = m.input("s_axi_wstrb", unsigned(4));
    let b_valid = m.reg("b_valid", bit()).reset(0);
    let take = m.net("write_taken", aw_valid & w_valid & !b_valid & !blocked);
    let strobe = m.reg("write_strobe", bit()).reset(0);
    // Registers are written whole: partial strobes are ignored.
    m.set(strobe, take & wstrb.reduce_and());
    let address = m.reg_en("write_address", take, awaddr);
    let data = m.reg_en("write_data", take, wdata);
    m.when(b_valid & b_ready, || m.set(b_valid, low()));
    m.when(take, || m.set(b_valid, high()));
    m.output("s_axi_awready", take);
    m.output("s_axi_wready", take);
    m.output("s_axi_bvalid", b_valid);
    m.output("s_axi_bresp", lit(2, 0));
    Write { strobe: strobe.q(), address: address.q(), data: data.q() }
}

fn read_channel(m: &Module, value: impl FnOnce(Signal) -> Signal) {
    let (ar_valid, r_ready) = (m.input("s_axi_arvalid", bit()), m.input("s_axi_rready", bit()));
    let araddr = m.input("s_axi_araddr", unsigned(CSR_ADDRESS_BITS));
    let pending = m.reg("read_pending", bit()).reset(0);
    let r_valid = m.reg("r_valid", bit()).reset(0);
    let take = m.net("read_taken", ar_valid & !pending & !r_valid);
    let address = m.reg_en("read_address", take, araddr);
    m.set(pending, take);
    let data = m.reg("r_data", unsigned(32));
    let chosen = value(address.q());
    m.when(r_valid & r_ready, || m.set(r_valid, low()));
    m.when(pending, || {
        m.set(data, chosen);
        m.set(r_valid, high());
    });
    m.output("s_axi_arready", take);
    m.output("s_axi_rvalid", r_valid);
    m.output("s_axi_rdata", data);
    m.output("s_axi_rresp", lit(2, 0));
}

struct State {
    running: Signal,
    status: Signal,
    error: Signal,
    low: Reg,
    high: Reg,
    length: Reg,
    fetched: Reg,
    cycles: Reg,
    done_counts: Vec<Signal>,
}

fn program_state(m: &Module, write: &Write) -> State {
    let word = |name: &str| {
        let reg = m.reg(name, unsigned(32)).reset(0);
        m.when(write.named(name), || m.set(reg, write.data));
        reg
    };
    let (program_low, program_high, length) = (word("program_low"), word("program_high"), word("program_length"));
    let running = m.reg("running", bit()).reset(0);
    let done = m.reg("finished", bit()).reset(0);
    let start = m.net("start_now", write.trigger("control", 0) & !running);
    let fetched = m.reg("fetched", unsigned(32)).reset(0);
    let cycles = m.reg("cycles", unsigned(32)).reset(0);
    let (took, all_done) = (m.input("desc_taken", bit()), m.input("all_done", bit()));
    m.when(running, || m.set(cycles, cycles.add_lit(1)));
    m.when(took, || m.set(fetched, fetched.add_lit(1)));
    m.when(running & all_done & fetched.eq(length.q()), || {
        m.set(running, low());
        m.set(done, high());
    });
    m.when(start, || {
        m.set(running, high());
        m.set(done, low());
        m.set(cycles, lit(32, 0));
        m.set(fetched, lit(32, 0));
    });
    let error = first_error(m, start, fetched);
    m.output("start", start);
    m.output("program_address", cat(&[program_high.slice(0, 8), program_low.q()]));
    m.output("program_descriptors", length.slice(0, 24));
    let done_counts =
        UNITS.iter().map(|u| m.input(&format!("{}_done_count", u.name()), unsigned(16)).extend(32)).collect();
    let status = cat(&[error.slice(0, 8).reduce_or(), done.q(), running.q()]).extend(32);
    State {
        running: running.q(),
        status,
        error,
        low: program_low,
        high: program_high,
        length,
        fetched,
        cycles,
        done_counts,
    }
}

/// The first error since the start: source and the number of descriptors fetched by then.
fn first_error(m: &Module, start: Signal, fetched: Reg) -> Signal {
    let error = m.reg("error", unsigned(32)).reset(0);
    let sources = ["fetch_error", "stream_error", "load_error", "store_error", "unknown_opcode"];
    for (i, source) in sources.iter().enumerate() {
        let event = m.input(source, bit());
        m.when(event & error.is_zero(), || {
            m.set(error, cat(&[fetched.slice(0, 24), lit(8, i as u64 + 1)]));
        });
    }
    m.when(start, || m.set(error, lit(32, 0)));
    error.q()
}

fn counters(m: &Module, running: Signal, clear: Signal) -> Vec<Signal> {
    let count = |c: &sagen_streamed_isa::Counter| {
        let event = m.input(&format!("event_{}", c.name), bit());
        let counter = m.reg(&format!("counter_{}", c.name), unsigned(32)).reset(0);
        m.when(running & event, || m.set(counter, counter.add_lit(1)));
        m.when(clear, || m.set(counter, lit(32, 0)));
        counter.q()
    };
    COUNTERS.iter().map(count).collect()
}

fn read_value(
    address: Signal,
    identity: Identity,
    state: &State,
    steps: &StepRegisters,
    counters: &[Signal],
) -> Signal {
    let named = |name: &str| match name {
        "id" => lit(32, u64::from(CSR_ID)),
        "build_hash" => lit(32, u64::from(identity.build_hash)),
        "geometry" => lit(32, u64::from(identity.geometry)),
        "status" => state.status,
        "error" => state.error,
        "program_low" => state.low.q(),
        "program_high" => state.high.q(),
        "program_length" => state.length.q(),
        "fetched" => state.fetched.q(),
        "cycles" => state.cycles.q(),
        done => {
            let unit = UNITS.iter().find(|u| done.strip_prefix("done_") == Some(u.name()));
            let unit = unit.unwrap_or_else(|| panic!("register {done} has no source"));
            state.done_counts[unit.index()]
        }
    };
    let zero = lit(32, 0);
    let words: Vec<Signal> = CSRS
        .iter()
        .enumerate()
        .map(|(i, c)| {
            assert_eq!(c.offset, 4 * i as u32, "register {} is out of order", c.name);
            if c.access == Access::Trigger { zero } else { named(c.name) }
        })
        .collect();
    let blocks = [(0, words.as_slice()), (CSR_COUNTER_BASE, counters)].map(|(base, words)| {
        let bits = words.len().next_power_of_two().ilog2();
        let padded: Vec<Signal> = words.iter().copied().chain([zero; 64]).take(1 << bits).collect();
        (within(address, base, bits), address.slice(2, bits).select(&padded))
    });
    let bits = REGISTERS.ilog2();
    let step = (within(address, CSR_REGISTER_BASE, bits), steps.read(address.slice(2, bits)));
    blocks.into_iter().chain([step]).fold(zero, |all, (here, word)| all | word & here.repeat(32))
}

/// The address is of one of the 2^bits words from `base` on.
pub(super) fn within(address: Signal, base: u32, bits: u32) -> Signal {
    address.slice(2 + bits, CSR_ADDRESS_BITS - 2 - bits).eq_lit(u64::from(base >> (2 + bits)))
}
