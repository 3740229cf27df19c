//! Weight stream: every stream port reads its own contiguous region in long bursts into a deep FIFO; the
//! joined FIFOs deliver beats. A descriptor is accepted as soon as the bursts of the previous one are
//! asked for, so the ports never pause between descriptors.

use crate::dma::burst::{ADDRESS_BITS, BEATS_BITS, bursts};
use crate::dma::offset::register_offset;
use crate::fields::field;
use crate::fifo::{deep_fifo, fifo};
use sagen_lang::{Design, Instance, Module, ModuleId, RamStyle, Signal, bit, high, low, pack, unsigned};
use sagen_streamed_arch::StreamedConfig;

/// Descriptors whose data may be on its way at once.
const IN_FLIGHT: u32 = 8;
/// Bits of the factor of a step register.
const FACTOR: u32 = 16;
/// Longest burst in beats.
pub const LONGEST: u32 = 256;

/// The stream unit: unit port, one read channel per port (`p{i}_*`), beats.
pub fn stream_unit(d: &mut Design, overlay: &StreamedConfig) -> ModuleId {
    let lane = stream_lane(d, overlay);
    let targets = fifo(d, BEATS_BITS, IN_FLIGHT);
    let offset = register_offset(d, 1, FACTOR);
    let (ports, width) = (overlay.stream_ports(), overlay.port_bytes() as u32 * 8);
    d.module("stream_unit", |m| {
        m.doc("Reads one region per stream port and joins them into beats.");
        let desc = m.input("desc", unsigned(512));
        let desc_valid = m.input("desc_valid", bit());
        let beat_ready = m.input("beat_ready", bit());

        let lanes: Vec<Instance> = (0..ports).map(|p| m.instance(&format!("u_lane{p}"), lane)).collect();
        let all =
            |port: &str| lanes.iter().map(|l| l.output(port)).reduce(|a, b| a & b).expect("there is a stream port");
        let queue = m.instance("u_targets", targets);
        let idle = m.net("lanes_idle", all("ready"));

        let offset = m.instance("u_offset", offset);
        let setup = setup(m, offset, ports, desc, desc_valid, idle & queue.output("in_ready"));
        let total = m.reg("asked_total", unsigned(BEATS_BITS)).reset(0);
        let sum = m.net("next_total", total.add(setup.beats));
        m.when(setup.start, || m.set(total, sum));
        queue.input("in_data", sum);
        queue.input("in_valid", setup.start);

        let beat_valid = m.net("joined", all("out_valid"));
        let take = m.net("take", beat_valid & beat_ready);
        for (p, lane) in lanes.iter().enumerate() {
            lane.input("start", setup.start);
            lane.input("address", setup.addresses[p]);
            lane.input("beats", setup.beats);
            lane.input("out_ready", take);
            read_channel(m, *lane, p, width);
        }
        // Wrapping totals are compared by their difference.
        let reached = |l: &Instance| !l.output("received").sub(queue.output("out_data")).msb();
        let complete = lanes.iter().map(reached).reduce(|a, b| a & b).expect("there is a stream port");
        let done = m.net("finished", queue.output("out_valid") & complete);
        queue.input("out_ready", done);
        m.output("done", done);
        m.output("desc_ready", setup.accept);
        m.output("busy", queue.output("out_valid") | setup.pending);
        let blocked = lanes.iter().map(|l| l.output("blocked")).reduce(|a, b| a | b);
        m.output("event_blocked", blocked.expect("there is a stream port"));
        m.output(
            "bus_error",
            lanes.iter().map(|l| l.output("bus_error")).reduce(|a, b| a | b).expect("there is a stream port"),
        );
        m.output("beat", pack(&lanes.iter().map(|l| l.output("out_data")).collect::<Vec<_>>()));
        m.output("beat_valid", beat_valid);
    })
}

fn read_channel(m: &Module, lane: Instance, p: usize, width: u32) {
    lane.input("ar_ready", m.input(&format!("p{p}_ar_ready"), bit()));
    lane.input("r_data", m.input(&format!("p{p}_r_data"), unsigned(width)));
    lane.input("r_resp", m.input(&format!("p{p}_r_resp"), unsigned(2)));
    lane.input("r_valid", m.input(&format!("p{p}_r_valid"), bit()));
    for port in ["ar_addr", "ar_len", "ar_valid", "r_ready"] {
        m.output(&format!("p{p}_{port}"), lane.output(port));
    }
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
    let get = |name: &str| field(desc, "Stream", name);
    let stage = m.fsm("setup", &["idle", "multiply", "sum", "start"]);
    let accept = m.net("accept", stage.is("idle"));
    let take = m.net("accepted", accept & desc_valid);
    let stride = m.reg_en("stride", take, get("port_stride"));
    let base = m.reg_en("base", take, get("base"));
    let constant = m.reg_en("constant", take, get("beats"));
    offset.input("start", take);
    offset.input("stride0", m.reg_en("factor", take, get("reg_beats")));
    offset.input("value", m.input("step_value", unsigned(32)));
    m.output("step_index", m.reg_en("register_index", take, get("reg")));
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
        let engine = m.instance("u_bursts", engine);
        engine.input("start", m.input("start", bit()));
        engine.input("address", m.input("address", unsigned(ADDRESS_BITS)));
        engine.input("beats", m.input("beats", unsigned(BEATS_BITS)));
        engine.input("ready_in", m.input("ar_ready", bit()));
        let (r_valid, r_data) = (m.input("r_valid", bit()), m.input("r_data", unsigned(bytes * 8)));
        let r_resp = m.input("r_resp", unsigned(2));
        let out_ready = m.input("out_ready", bit());

        let queue = m.instance("u_queue", queue);
        queue.input("in_data", r_data);
        queue.input("in_valid", r_valid);
        queue.input("out_ready", out_ready);
        let popped = m.reg("popped", bit()).reset(0);
        m.set(popped, out_ready & queue.output("out_valid"));
        let room = m.reg("room", unsigned(room_bits)).reset(depth);
        let spent = m.net("spent", engine.output("issued").mux(engine.output("issued_beats"), m.lit(unsigned(9), 0)));
        let room_after = room.sub(spent.trunc(room_bits.min(9)).extend(room_bits)).add(popped.extend(room_bits));
        m.when(popped | engine.output("issued"), || m.set(room, room_after));
        engine.input("room", room);
        let received = m.reg("received_total", unsigned(BEATS_BITS)).reset(0);
        m.when(r_valid, || m.set(received, received.add_lit(1)));
        let error = m.reg("error", bit()).reset(0);
        m.set(error, low());
        m.when(r_valid & r_resp.bit(1), || m.set(error, high()));

        m.output("ready", engine.output("ready"));
        m.output("ar_valid", engine.output("valid_out"));
        m.output("ar_addr", engine.output("addr"));
        m.output("ar_len", engine.output("len"));
        m.output("r_ready", high());
        m.output("received", received);
        m.output("blocked", !engine.output("ready") & !engine.output("valid_out"));
        m.output("bus_error", error);
        m.output("out_data", queue.output("out_data"));
        m.output("out_valid", queue.output("out_valid"));
    })
}
