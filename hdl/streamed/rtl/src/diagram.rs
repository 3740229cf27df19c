//! Where everything stands: processing system, arbiters, movers, compute, memories, vector unit, from left to right;
//! control on top. What shares a memory port stands together, so that the port reaches all of it.

use crate::top::ports;
use sagen_overlay::diagram::{Area, Diagram, Line, Look, Mark, Piece, Text};
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

/// The path of an instance of the core.
fn path(instance: &str) -> String {
    format!("u_core/{instance}")
}

/// Bits of a port of an instance of the core.
fn width(instance: &str, port: &'static str) -> Text {
    Text::of(Piece::Width(path(instance), port))
}

fn memory(instance: &str) -> Text {
    Text::of(Piece::Memory(path(instance)))
}

fn texts<const N: usize>(lines: [String; N]) -> Vec<Text> {
    lines.map(Text::from).into()
}

/// The picture of an overlay.
pub(crate) fn diagram(overlay: &StreamedConfig) -> Diagram {
    let mut drawing = Drawing { p: Diagram::default(), overlay, at: Places::of(overlay) };
    drawing.headings();
    drawing.system();
    drawing.control();
    drawing.movers();
    drawing.compute();
    drawing.memories();
    drawing.vector();
    let mut diagram = drawing.p;
    (diagram.width, diagram.height) = (WIDTH, drawing.at.bottom + 24);
    diagram.title = format!("Block diagram of {}", overlay.name());
    diagram.complete = vec!["u_core".to_string(), path("u_compute")];
    diagram
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
    p: Diagram,
    overlay: &'a StreamedConfig,
    at: Places,
}

impl Drawing<'_> {
    fn headings(&mut self) {
        let o = self.overlay;
        let title = format!("{}: {}, {} MHz", o.name(), o.board().title, o.clock_mhz());
        self.p.marks.push(Mark::Heading { at: (SYSTEM.0, 36), title: true, text: title.into() });
        let note = Text::from("Numbers on arrows are bits. Dashed: descriptors (")
            .then(Piece::Width(path("u_fetch"), "desc"))
            .then(Piece::Plain(") with the step registers (".to_string()))
            .then(Piece::Width(path("u_csr"), "vector_value"))
            .then(Piece::Plain(").".to_string()));
        self.p.marks.push(Mark::Heading { at: (SYSTEM.0, 64), title: false, text: note });
    }

    /// Processing system, memory ports, arbiters.
    fn system(&mut self) {
        let board = self.overlay.board();
        let whole = area(SYSTEM, TOP, self.at.bottom - TOP);
        self.p.around(Look::System, whole, "PS");
        let rate = format!("{:.1} GB/s", board.ddr.timing.mb_per_s as f64 / 1000.0);
        let at = (SYSTEM.0 + (PORTS.0 - SYSTEM.0) / 2, whole.middle());
        self.p.marks.push(Mark::Words { at, title: "DDR".to_string(), lines: texts([rate]) });
        let control = Area { y: self.at.csr.y + 34, h: self.at.csr.h - 34, ..area(PORTS, 0, 0) };
        self.p.boxed(Look::Port, control, control_name(&board.control.name), Vec::new());
        let y = control.middle();
        self.p.data(&[(control.right(), y), (self.at.csr.x, y)], true, width("u_csr", "s_axi_wdata"));
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
        self.p.boxed(Look::Port, place, &o.board().ports[port].name, texts([bits]));
        let width = (8 * o.port_bytes()).to_string();
        let shared = ports::shared(o, port);
        let guarded = [(!reads.is_empty(), "read"), (writes.is_some(), "write")];
        for (_, access) in guarded.into_iter().filter(|(there, _)| *there) {
            self.p.placed.push(path(&ports::guard_name(port, access)));
        }
        if let Some(store) = writes {
            let y = store.middle();
            self.p.arrow(Line::Data, &[(store.x, y), (place.right(), y)], false);
            // Beside the arbiter's way down to a lane, where there is one.
            let left = if shared { ARBITERS.0 + ARBITERS.1 } else { place.right() };
            self.p.label(((store.x + left) / 2, y), width.as_str().into());
        }
        if shared {
            self.p.placed.push(path(&ports::arbiter_name(port)));
            self.arbiter(place, &reads, &width);
        } else {
            for to in reads {
                self.p.data(&[(place.right(), to.middle()), (to.x, to.middle())], false, width.as_str().into());
            }
        }
    }

    /// An arbiter stands beside fetch and load; a lane is reached from below, past the store unit's arrow.
    fn arbiter(&mut self, port: Area, reads: &[Area], width: &str) {
        let beside = self.at.fetch.with(self.at.load);
        let a = area(ARBITERS, beside.y, beside.h);
        self.p.boxed(Look::Move, a, "arbiter", texts(["of reads".to_string()]));
        self.p.data(&[(port.right(), a.middle()), (a.x, a.middle())], false, width.into());
        for to in reads {
            let y = to.middle();
            if (a.y..a.bottom()).contains(&y) {
                self.p.data(&[(a.right(), y), (to.x, y)], false, width.into());
            } else {
                let x = a.x + a.w / 2;
                self.p.arrow(Line::Data, &[(x, a.bottom()), (x, y), (to.x, y)], false);
                self.p.label(((x + to.x) / 2, y), width.into());
            }
        }
    }

    fn control(&mut self) {
        let at = &self.at;
        let (csr, fetch, scheduler) = (at.csr, at.fetch, at.scheduler);
        let registers = format!("{} step registers", sagen_streamed_isa::REGISTERS);
        let counters = format!("{} event counters", sagen_streamed_isa::COUNTERS.len());
        self.shown("u_csr", Look::Control, csr, "CSR block", texts([registers, counters]));
        self.shown("u_fetch", Look::Control, fetch, "fetch", texts(["reads the program".to_string()]));
        let queues = format!("{} queues, one a unit;", sagen_streamed_isa::UNITS.len());
        let lines = texts([queues, "starts a descriptor when".to_string(), "those it waits for are done".to_string()]);
        self.shown("u_scheduler", Look::Control, scheduler, "scheduler", lines);
        self.p.data(&[(csr.right(), csr.middle()), (scheduler.x, csr.middle())], false, "start".into());
        let descriptor = width("u_fetch", "desc");
        self.p.data(&[(fetch.right(), fetch.middle()), (scheduler.x, fetch.middle())], false, descriptor);
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
        self.shown("u_load", Look::Move, load, "load unit", texts(["DDR to scratchpad".to_string()]));
        self.shown("u_store", Look::Move, store, "store unit", texts(["scratchpad to DDR".to_string()]));
        self.p.placed.push(path("u_stream"));
        self.p.around(Look::Move, self.at.stream, "stream unit");
        let last = format!("u_stream/u_lane{}", self.overlay.stream_ports() - 1);
        for lane in self.at.lanes.clone() {
            let depth = format!("FIFO {} x {}", self.overlay.prefetch_beats(), 8 * self.overlay.port_bytes());
            self.p.boxed(Look::Inner, lane, &depth, vec![memory(&last)]);
        }
    }

    fn compute(&mut self) {
        let (o, c) = (self.overlay, self.at.compute);
        self.p.placed.push(path("u_compute"));
        self.p.around(Look::Compute, c, "compute unit");
        let inner = (c.x + 10, c.w - 20);
        let room = c.h - HEADER - 22;
        let gemv = area(inner, c.y + HEADER, room * 11 / 20);
        let array = area(inner, gemv.bottom() + 12, room - gemv.h);
        let mac = sagen_streamed_isa::VECTORS * o.beat_bytes();
        let lines = [
            format!("{} vectors x {} lanes", sagen_streamed_isa::VECTORS, o.beat_bytes()).into(),
            format!("{mac} MAC a cycle").into(),
            format!("scores of {} keys:", o.score_rows()).into(),
            memory("u_compute/u_gemv/u_scores"),
        ];
        self.shown("u_compute/u_gemv", Look::Inner, gemv, "GEMV engine", lines.into());
        let (title, size) = match o.arrays() {
            1 => ("systolic array", format!("{0} x {0}", o.side())),
            n => ("systolic arrays", format!("{n} of {0} x {0}", o.side())),
        };
        let lines = texts([size, format!("{} MAC a cycle", o.arrays() * o.side() * o.side())]);
        self.shown("u_compute/u_array", Look::Inner, array, title, lines);
        let (from, y) = (self.at.stream.right(), self.at.stream.middle());
        self.p.data(&[(from, y), (c.x, y)], false, width("u_stream", "beat"));
    }

    fn memories(&mut self) {
        let o = self.overlay;
        let (scratchpad, codes, scales) = (self.at.scratchpad, self.at.codes, self.at.scales);
        let word = 8 * sagen_streamed_isa::WORD_BYTES;
        let bits = (o.scratch_words() * word) as u64;
        let words = format!("{} x {word} bit", o.scratch_words());
        let copies = Text::from("in ").then(Piece::Copies(path("u_scratchpad"), bits));
        let lines = vec![words.into(), copies, memory("u_scratchpad")];
        self.shown("u_scratchpad", Look::Memory, scratchpad, "scratchpad", lines);
        let words = format!("{} x {} codes", o.code_words(), sagen_streamed_isa::GROUP);
        self.shown("u_code_memory", Look::Memory, codes, "code memory", vec![words.into(), memory("u_code_memory")]);
        let words = Text::from(format!("{} x ", sagen_streamed_isa::SCALES))
            .then(Piece::Width(path("u_scale_file"), "r_data"))
            .then(Piece::Plain(" bit".to_string()));
        let kind = Text::of(Piece::MemoryKind(path("u_scale_file")));
        self.shown("u_scale_file", Look::Memory, scales, "scale file", vec![words, kind]);
        let (load, store, compute) = (self.at.load, self.at.store, self.at.compute);
        self.p.data(&[(load.right(), load.middle()), (scratchpad.x, load.middle())], false, width("u_load", "w_data"));
        let to_store = [(scratchpad.x, store.middle()), (store.right(), store.middle())];
        self.p.data(&to_store, false, width("u_store", "s_data"));
        let y = (compute.y + scratchpad.bottom()) / 2;
        self.p.data(&[(compute.right(), y), (scratchpad.x, y)], false, width("u_compute", "w_data"));
        for (memory, instance) in [(codes, "u_code_memory"), (scales, "u_scale_file")] {
            let y = memory.middle();
            self.p.data(&[(memory.x, y), (compute.right(), y)], false, width(instance, "r_data"));
        }
    }

    fn vector(&mut self) {
        let (o, v) = (self.overlay, self.at.vector);
        let cycles = sagen_streamed_isa::LANES / o.vector_lanes();
        let pace = if cycles == 1 { "a word a cycle".to_string() } else { format!("a word in {cycles}") };
        let lines = texts([format!("{} lanes", o.vector_lanes()), "of 32 bit,".to_string(), pace]);
        self.shown("u_vector", Look::Vector, v, "vector unit", lines);
        let (scratchpad, codes, scales) = (self.at.scratchpad, self.at.codes, self.at.scales);
        let quarter = scratchpad.h / 4;
        for i in 1..=2 {
            let y = scratchpad.y + i * quarter;
            self.p.data(&[(scratchpad.right(), y), (v.x, y)], false, width("u_vector", "a_data"));
        }
        let y = scratchpad.y + 3 * quarter;
        self.p.data(&[(v.x, y), (scratchpad.right(), y)], false, width("u_vector", "a_data"));
        let written = [(codes, width("u_vector", "c_data")), (scales, width("u_scale_file", "r_data"))];
        for (memory, width) in written {
            self.p.data(&[(v.x, memory.middle()), (memory.right(), memory.middle())], false, width);
        }
    }

    fn shown(&mut self, instance: &str, look: Look, area: Area, title: &str, lines: Vec<Text>) {
        self.p.shown(&path(instance), look, area, title, lines);
    }
}

/// `HPM0_FPD` as `HPM0`: the domain does not matter here.
fn control_name(name: &str) -> &str {
    name.split('_').next().unwrap_or(name)
}
