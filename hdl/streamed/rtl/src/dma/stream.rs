//! Weight stream: every stream port reads its own contiguous region in long bursts into a deep FIFO; the
//! joined FIFOs deliver beats. A descriptor is accepted as soon as the bursts of the previous one are
//! asked for, so the ports never pause between descriptors.

use crate::dma::offset::register_offset;
use crate::fields::Decode;
use crate::interface::{AxiRead, Beats, StepRead, data_first, unit_port};
use sagen_blocks::axi::ADDRESS_BITS;
use sagen_blocks::axi::burst::{BEATS_BITS, bursts};
use sagen_blocks::fifo::{deep_fifo, fifo};
use sagen_lang::{Design, Instance, Module, ModuleId, RamStyle, Signal, bit, high, low, pack, unsigned};
use sagen_streamed_arch::StreamedConfig;
use sagen_streamed_isa::Stream;

/// Descriptors whose data may be on its way at once.
const IN_FLIGHT: u32 = 8;
/// Bits of the factor of a step register.
const FACTOR: u32 = 16;
/// Longest burst in beats.
pub const LONGEST: u32 = 256;

/// The stream unit: unit port, one read channel per port (`p{i}_*`), beats.
pub fn stream_unit(d: &mut Design, overlay: &StreamedConfig) -> ModuleId {
    let lane = stream_lane(d, overlay);
    let targets = fifo(d, unsigned(BEATS_BITS), IN_FLIGHT);
    let offset = register_offset(d, 1, FACTOR);
    let ports = overlay.stream_ports();
    d.module("stream_unit", |m| {
        m.doc("Reads one region per stream port and joins them into beats.");
        let unit = unit_port(m);
        let beats = m.master(data_first("beat"), Beats::layout(8 * overlay.beat_bytes() as u32));

        let lanes: Vec<Instance> = (0..ports).map(|p| m.instance(&format!("u_lane{p}"), lane)).collect();
        let all =
            |port: &str| lanes.iter().map(|l| l.output(port)).reduce(|a, b| a & b).expect("there is a stream port");
        let queue = targets.place(m, "u_targets");
        let idle = m.net("lanes_idle", all("ready"));

        let offset = m.instance("u_offset", offset);
        let setup = setup(m, offset, ports, unit.desc, unit.valid, idle & queue.room());
        let total = m.reg("asked_total", unsigned(BEATS_BITS)).reset(0);
        let sum = m.net("next_total", total.add(setup.beats));
        m.when(setup.start, || m.set(total, sum));
        queue.push(setup.start, sum);

        let beat_valid = m.net("joined", all("out_valid"));
        let take = m.net("take", beat_valid & beats.ready);
        for (p, lane) in lanes.iter().enumerate() {
            lane.input("start", setup.start);
            lane.input("address", setup.addresses[p]);
            lane.input("beats", setup.beats);
            lane.input("out_ready", take);
            m.pass_master(format!("p{p}_"), &lane.master::<AxiRead>(""));
        }
        // Wrapping totals are compared by their difference.
        let reached = |l: &Instance| !l.output("received").sub(queue.front()).msb();
        let complete = lanes.iter().map(reached).reduce(|a, b| a & b).expect("there is a stream port");
        let done = m.net("finished", queue.holds() & complete);
        queue.pop(done);
        unit.done.drive(done);
        unit.ready.drive(setup.accept);
        m.output("busy", queue.holds() | setup.pending);
        let blocked = lanes.iter().map(|l| l.output("blocked")).reduce(|a, b| a | b);
        m.output("event_blocked", blocked.expect("there is a stream port"));
        m.output(
            "bus_error",
            lanes.iter().map(|l| l.output("bus_error")).reduce(|a, b| a | b).expect("there is a stream port"),
        );
        beats.data.drive(pack(&lanes.iter().map(|l| l.output("out_data")).collect::<Vec<_>>()));
        beats.valid.drive(beat_valid);
    })
}

struct Setup {
    accept: Signal,
    pending: Signal,
    start: Signal,
    beats: Signal,
    addresses: Vec<Signal>,
}

/// Accepts a descriptor, multiplies, adds, then starts the lanes: six cycles.
fn setup(m: &Module, offset: Instance, ports: usize, desc: Signal, desc_valid: Signal, can_start: Signal) -> Setup {
    let f = Stream::FIELDS;
    let stage = m.fsm("setup", &["idle", "multiply", "sum", "start"]);
    let accept = m.net("accept", stage.is("idle"));
    let take = m.net("accepted", accept & desc_valid);
    let stride = m.reg_en("stride", take, desc.get(f.port_stride));
    let base = m.reg_en("base", take, desc.get(f.base));
    let constant = m.reg_en("constant", take, desc.get(f.beats));
    offset.input("start", take);
    offset.input("stride0", m.reg_en("factor", take, desc.get(f.register_beats)));
    let step = m.master("step_", StepRead::layout());
    offset.input("value", step.value);
    step.index.drive(m.reg_en("register_index", take, desc.get(f.register)));
    let beats = m.reg_en("beats", stage.is("sum"), constant.add(offset.output("offset").trunc(BEATS_BITS)));
    let multiple = |p: usize| match p {
        0 => m.lit(unsigned(ADDRESS_BITS), 0),
        1 => stride.q(),
        2 => stride.shl(1),
        _ => stride.add(stride.shl(1)),
    };
    let address = |p: usize| m.reg_en(&format!("address{p}"), stage.is("sum"), base.add(multiple(p))).q();
    let addresses = (0..ports).map(address).collect();
    let start = m.net("start", stage.is("start") & can_start);
    m.switch_state(&stage)
        .case("idle", || {
            m.when(desc_valid, || m.set_state(&stage, "multiply"));
        })
        .case("multiply", || {
            m.when(offset.output("done"), || m.set_state(&stage, "sum"));
        })
        .case("sum", || m.set_state(&stage, "start"))
        .case("start", || {
            m.when(can_start, || m.set_state(&stage, "idle"));
        });
    Setup { accept, pending: !accept, start, beats: beats.q(), addresses }
}

/// One port: bursts, receipt, FIFO. Space is reserved before a burst is asked for.
fn stream_lane(d: &mut Design, overlay: &StreamedConfig) -> ModuleId {
    let (bytes, depth) = (overlay.port_bytes() as u32, overlay.prefetch_beats() as u32);
    let room_bits = depth.ilog2() + 1;
    let style = if overlay.board().ultra_ram() { RamStyle::Ultra } else { RamStyle::Block };
    let queue = deep_fifo(d, bytes * 8, depth, style);
    let engine = bursts(d, bytes, LONGEST.min(depth), room_bits);
    d.module("stream_lane", |m| {
        m.doc("One stream port: bursts, receipt and prefetch FIFO.");
        let axi = m.master("", AxiRead::layout(bytes, false));
        let engine = engine.place(m, "u_bursts", &axi);
        let (start, address) = (m.input("start", bit()), m.input("address", unsigned(ADDRESS_BITS)));
        engine.begin(start, address, m.input("beats", unsigned(BEATS_BITS)));
        let (r_valid, r_data, r_resp) = (axi.r_valid, axi.r_data, axi.r_resp);
        let out_ready = m.input("out_ready", bit());

        let queue = m.instance("u_queue", queue);
        queue.input("in_data", r_data);
        queue.input("in_valid", r_valid);
        queue.input("out_ready", out_ready);
        let popped = m.reg("popped", bit()).reset(0);
        m.set(popped, out_ready & queue.output("out_valid"));
        let room = m.reg("room", unsigned(room_bits)).reset(depth);
        let spent = m.net("spent", engine.issued().mux(engine.issued_beats(), m.lit(unsigned(9), 0)));
        let room_after = room.sub(spent.trunc(room_bits.min(9)).extend(room_bits)).add(popped.extend(room_bits));
        m.when(popped | engine.issued(), || m.set(room, room_after));
        engine.room(room);
        let received = m.reg("received_total", unsigned(BEATS_BITS)).reset(0);
        m.when(r_valid, || m.set(received, received.add_lit(1)));
        let error = m.reg("error", bit()).reset(0);
        m.set(error, low());
        m.when(r_valid & r_resp.bit(1), || m.set(error, high()));

        m.output("ready", engine.idle());
        axi.r_ready.drive(high());
        m.output("received", received);
        m.output("blocked", !engine.idle() & !engine.asks());
        m.output("bus_error", error);
        m.output("out_data", queue.output("out_data"));
        m.output("out_valid", queue.output("out_valid"));
    })
}
