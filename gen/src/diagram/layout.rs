//! Where everything stands: processing system, arbiters, movers, compute, memories, vector unit, from left to right;
//! control on top. What shares a memory port stands together, so that the port reaches all of it.

use super::facts::Facts;
use super::svg::{Area, Line, Look, Picture};
use sagen_streamed_arch::StreamedConfig;

const WIDTH: i32 = 1336;
/// Left edge and width of each column.
const SYSTEM: (i32, i32) = (20, 106);
const PORTS: (i32, i32) = (106, 84);
const ARBITERS: (i32, i32) = (242, 76);
const MOVERS: (i32, i32) = (370, 190);
const COMPUTE: (i32, i32) = (644, 216);
const MEMORIES: (i32, i32) = (944, 166);
const VECTOR: (i32, i32) = (1186, 132);
/// Where descriptors run down to the units.
const SPINE: i32 = 602;
const TOP: i32 = 92;
const ROW: i32 = 66;
const LANE: i32 = 52;
const HEADER: i32 = 32;

fn area((x, w): (i32, i32), y: i32, h: i32) -> Area {
    Area { x, y, w, h }
}

/// The whole picture.
pub(super) fn draw(overlay: &StreamedConfig, facts: &Facts) -> String {
    let mut drawing = Drawing { p: Picture::default(), overlay, facts, at: Places::of(overlay) };
    drawing.headings();
    drawing.system();
    drawing.control();
    drawing.movers();
    drawing.compute();
    drawing.memories();
    drawing.vector();
    let height = drawing.at.bottom + 24;
    drawing.p.finish(WIDTH, height, &format!("Block diagram of {}", overlay.name()))
}

/// Areas of everything that arrows lead to.
struct Places {
    csr: Area,
    fetch: Area,
    load: Area,
    store: Area,
    scheduler: Area,
    stream: Area,
    /// By port.
    lanes: Vec<Area>,
    compute: Area,
    scratchpad: Area,
    codes: Area,
    scales: Area,
    vector: Area,
    bottom: i32,
}

impl Places {
    fn of(overlay: &StreamedConfig) -> Self {
        let csr = area(MOVERS, TOP, ROW);
        let fetch = area(MOVERS, csr.bottom() + 12, ROW);
        let load = area(MOVERS, fetch.bottom() + 24, ROW);
        let store = area(MOVERS, load.bottom() + 12, ROW);
        let top = store.bottom() + 24;
        let n = overlay.stream_ports() as i32;
        let queues = HEADER + n * (LANE + 8) + 4;
        let height = queues.max(280);
        let stream = area(MOVERS, top, queues);
        // The lane of the last port stands highest: it is the one that may share its port with load, store and fetch.
        let lane = |port: i32| area((MOVERS.0 + 10, MOVERS.1 - 20), top + HEADER + (n - 1 - port) * (LANE + 8), LANE);
        let scratchpad = area(MEMORIES, load.y, top + 92 - load.y);
        let codes = area(MEMORIES, scratchpad.bottom() + 20, 78);
        let scales = area(MEMORIES, codes.bottom() + 16, top + height - codes.bottom() - 16);
        Self {
            csr,
            fetch,
            load,
            store,
            scheduler: area(COMPUTE, csr.y, fetch.bottom() - csr.y),
            stream,
            lanes: (0..n).map(lane).collect(),
            compute: area(COMPUTE, top, height),
            scratchpad,
            codes,
            scales,
            vector: area(VECTOR, load.y, top + height - load.y),
            bottom: top + height,
        }
    }
}

struct Drawing<'a> {
    p: Picture,
    overlay: &'a StreamedConfig,
    facts: &'a Facts,
    at: Places,
}

impl Drawing<'_> {
    fn headings(&mut self) {
        let (o, w) = (self.overlay, &self.facts.widths);
        let title = format!("{}: {}, {} MHz", o.name(), o.board().title, o.clock_mhz());
        self.p.heading(SYSTEM.0, 36, "head", &title);
        let note = format!(
            "Numbers on arrows are bits. Dashed: descriptors ({}) with the step registers ({}).",
            w.descriptor, w.registers
        );
        self.p.heading(SYSTEM.0, 64, "note", &note);
    }

    /// Processing system, memory ports, arbiters.
    fn system(&mut self) {
        let board = self.overlay.board();
        let whole = area(SYSTEM, TOP, self.at.bottom - TOP);
        self.p.around(Look::System, whole, "PS");
        let rate = format!("{:.1} GB/s", board.ddr.timing.mb_per_s as f64 / 1000.0);
        self.p.text(SYSTEM.0 + (PORTS.0 - SYSTEM.0) / 2, whole.middle(), "DDR", &[rate]);
        let control = Area { y: self.at.csr.y + 34, h: self.at.csr.h - 34, ..area(PORTS, 0, 0) };
        self.p.boxed(Look::Port, control, control_name(&board.control.name), &[]);
        let y = control.middle();
        self.data(&[(control.right(), y), (self.at.csr.x, y)], true, &self.facts.widths.csr.to_string());
        for port in 0..self.overlay.ports() {
            self.port(port);
        }
    }

    fn port(&mut self, port: usize) {
        let o = self.overlay;
        let mut reads: Vec<Area> = Vec::new();
        reads.extend((port == o.command_port()).then_some(self.at.fetch));
        reads.extend((port == o.data_port()).then_some(self.at.load));
        reads.extend(self.at.lanes.get(port));
        let writes = (port == o.data_port()).then_some(self.at.store);
        let Some(all) = reads.iter().copied().chain(writes).reduce(Area::with) else { return };
        let place = area(PORTS, all.y, all.h);
        let bits = format!("{} bit", 8 * o.port_bytes());
        self.p.boxed(Look::Port, place, &o.board().ports[port].name, &[bits]);
        let width = (8 * o.port_bytes()).to_string();
        if let Some(store) = writes {
            let y = store.middle();
            self.p.arrow(Line::Data, &[(store.x, y), (place.right(), y)], false);
            // Beside the arbiter's way down to a lane, where there is one.
            let shared = self.facts.arbiters.contains(&port);
            let left = if shared { ARBITERS.0 + ARBITERS.1 } else { place.right() };
            self.p.label((store.x + left) / 2, y, &width);
        }
        if self.facts.arbiters.contains(&port) {
            self.arbiter(place, &reads, &width);
        } else {
            for to in reads {
                self.data(&[(place.right(), to.middle()), (to.x, to.middle())], false, &width);
            }
        }
    }

    /// An arbiter stands beside fetch and load; a lane is reached from below, past the store unit's arrow.
    fn arbiter(&mut self, port: Area, reads: &[Area], width: &str) {
        let beside = self.at.fetch.with(self.at.load);
        let a = area(ARBITERS, beside.y, beside.h);
        self.p.boxed(Look::Move, a, "arbiter", &["of reads".to_string()]);
        self.data(&[(port.right(), a.middle()), (a.x, a.middle())], false, width);
        for to in reads {
            let y = to.middle();
            if (a.y..a.bottom()).contains(&y) {
                self.data(&[(a.right(), y), (to.x, y)], false, width);
            } else {
                let x = a.x + a.w / 2;
                self.p.arrow(Line::Data, &[(x, a.bottom()), (x, y), (to.x, y)], false);
                self.p.label((x + to.x) / 2, y, width);
            }
        }
    }

    fn control(&mut self) {
        let at = &self.at;
        let (csr, fetch, scheduler) = (at.csr, at.fetch, at.scheduler);
        let registers = format!("{} step registers", sagen_streamed_isa::REGISTERS);
        let counters = format!("{} event counters", sagen_streamed_isa::COUNTERS.len());
        self.p.boxed(Look::Control, csr, "CSR block", &[registers, counters]);
        self.p.boxed(Look::Control, fetch, "fetch", &["reads the program".to_string()]);
        let queues = format!("{} queues, one a unit;", sagen_streamed_isa::UNITS.len());
        let lines = [queues, "starts a descriptor when".to_string(), "those it waits for are done".to_string()];
        self.p.boxed(Look::Control, scheduler, "scheduler", &lines);
        self.data(&[(csr.right(), csr.middle()), (scheduler.x, csr.middle())], false, "start");
        let descriptor = self.facts.widths.descriptor.to_string();
        self.data(&[(fetch.right(), fetch.middle()), (scheduler.x, fetch.middle())], false, &descriptor);
        self.descriptors();
    }

    fn descriptors(&mut self) {
        let at = &self.at;
        let (from, turn) = (at.scheduler.x + 24, at.scheduler.bottom() + 12);
        let start = [(from, at.scheduler.bottom()), (from, turn), (SPINE, turn)];
        let left = [at.load.y + 14, at.store.y + 14, at.stream.y + 16];
        let to_left = left.map(|y| [(SPINE, y), (at.stream.right(), y)]);
        let to_compute = [(SPINE, at.compute.y + 16), (at.compute.x, at.compute.y + 16)];
        let (y, x) = (at.scheduler.middle(), at.vector.x + at.vector.w / 2);
        let to_vector = [(at.scheduler.right(), y), (x, y), (x, at.vector.y)];
        for end in to_left.iter().chain([&to_compute]) {
            let corners: Vec<(i32, i32)> = start.iter().chain(end).copied().collect();
            self.p.arrow(Line::Descriptors, &corners, false);
        }
        self.p.arrow(Line::Descriptors, &to_vector, false);
    }

    fn movers(&mut self) {
        let (load, store) = (self.at.load, self.at.store);
        self.p.boxed(Look::Move, load, "load unit", &["DDR to scratchpad".to_string()]);
        self.p.boxed(Look::Move, store, "store unit", &["scratchpad to DDR".to_string()]);
        self.p.around(Look::Move, self.at.stream, "stream unit");
        for lane in self.at.lanes.clone() {
            let depth = format!("FIFO {} x {}", self.overlay.prefetch_beats(), 8 * self.overlay.port_bytes());
            self.p.boxed(Look::Inner, lane, &depth, &[self.facts.prefetch.text()]);
        }
    }

    fn compute(&mut self) {
        let (o, c) = (self.overlay, self.at.compute);
        self.p.around(Look::Compute, c, "compute unit");
        let inner = (c.x + 10, c.w - 20);
        let room = c.h - HEADER - 22;
        let gemv = area(inner, c.y + HEADER, room * 11 / 20);
        let array = area(inner, gemv.bottom() + 12, room - gemv.h);
        let mac = sagen_streamed_isa::VECTORS * o.beat_bytes();
        let lines = [
            format!("{} vectors x {} lanes", sagen_streamed_isa::VECTORS, o.beat_bytes()),
            format!("{mac} MAC a cycle"),
            format!("scores of {} keys:", o.score_rows()),
            self.facts.scores.text(),
        ];
        self.p.boxed(Look::Inner, gemv, "GEMV engine", &lines);
        let (title, size) = match o.arrays() {
            1 => ("systolic array", format!("{0} x {0}", o.side())),
            n => ("systolic arrays", format!("{n} of {0} x {0}", o.side())),
        };
        let lines = [size, format!("{} MAC a cycle", o.arrays() * o.side() * o.side())];
        self.p.boxed(Look::Inner, array, title, &lines);
        let (from, y) = (self.at.stream.right(), self.at.stream.middle());
        self.data(&[(from, y), (c.x, y)], false, &self.facts.widths.beat.to_string());
    }

    fn memories(&mut self) {
        let (f, o) = (self.facts, self.overlay);
        let (scratchpad, codes, scales) = (self.at.scratchpad, self.at.codes, self.at.scales);
        let word = 8 * sagen_streamed_isa::WORD_BYTES;
        let words = format!("{} x {word} bit", o.scratch_words());
        let copies = f.scratchpad.bits / (o.scratch_words() * word) as u64;
        let copies = format!("in {copies} {}", if copies == 1 { "copy" } else { "copies" });
        self.p.boxed(Look::Memory, scratchpad, "scratchpad", &[words, copies, f.scratchpad.text()]);
        let words = format!("{} x {} codes", o.code_words(), sagen_streamed_isa::GROUP);
        self.p.boxed(Look::Memory, codes, "code memory", &[words, f.codes.text()]);
        let words = format!("{} x {} bit", sagen_streamed_isa::SCALES, f.widths.scale);
        self.p.boxed(Look::Memory, scales, "scale file", &[words, f.scales.kind.clone()]);
        let (load, store, compute) = (self.at.load, self.at.store, self.at.compute);
        let w = &f.widths;
        self.data(&[(load.right(), load.middle()), (scratchpad.x, load.middle())], false, &w.load.to_string());
        self.data(&[(scratchpad.x, store.middle()), (store.right(), store.middle())], false, &w.store.to_string());
        let y = (compute.y + scratchpad.bottom()) / 2;
        self.data(&[(compute.right(), y), (scratchpad.x, y)], false, &w.result.to_string());
        for (memory, width) in [(codes, w.codes), (scales, w.scale)] {
            let y = memory.middle();
            self.data(&[(memory.x, y), (compute.right(), y)], false, &width.to_string());
        }
    }

    fn vector(&mut self) {
        let (o, w) = (self.overlay, &self.facts.widths);
        let v = self.at.vector;
        let cycles = sagen_streamed_isa::LANES / o.vector_lanes();
        let pace = if cycles == 1 { "a word a cycle".to_string() } else { format!("a word in {cycles}") };
        let lines = [format!("{} lanes", o.vector_lanes()), "of 32 bit,".to_string(), pace];
        self.p.boxed(Look::Vector, v, "vector unit", &lines);
        let (scratchpad, codes, scales) = (self.at.scratchpad, self.at.codes, self.at.scales);
        let quarter = scratchpad.h / 4;
        for i in 1..=2 {
            let y = scratchpad.y + i * quarter;
            self.data(&[(scratchpad.right(), y), (v.x, y)], false, &w.read.to_string());
        }
        let y = scratchpad.y + 3 * quarter;
        self.data(&[(v.x, y), (scratchpad.right(), y)], false, &w.read.to_string());
        for (memory, width) in [(codes, w.quantised), (scales, w.scale)] {
            self.data(&[(v.x, memory.middle()), (memory.right(), memory.middle())], false, &width.to_string());
        }
    }

    /// An arrow for data, with its width in the middle of a straight one.
    fn data(&mut self, corners: &[(i32, i32)], both: bool, width: &str) {
        self.p.arrow(Line::Data, corners, both);
        let ((x0, y), (x1, _)) = (corners[0], corners[corners.len() - 1]);
        self.p.label((x0 + x1) / 2, y, width);
    }
}

/// `HPM0_FPD` as `HPM0`: the domain does not matter here.
fn control_name(name: &str) -> &str {
    name.split('_').next().unwrap_or(name)
}
