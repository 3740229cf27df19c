//! The overlay in time: events change what flows, and between events everything flows at a constant rate.

use super::array::{self, Array};
use super::control::{AHEAD, BURST, Control};
use super::gemv::{self, Gemv, Kind};
use super::port::{Bursts, MemoryTiming, Port, Reader};
use super::simple::{self, Simple};
use super::vector;
use crate::PredictError;
use sagen_streamed_arch::layout::Block;
use sagen_streamed_arch::{Routine, StreamedConfig};
use sagen_streamed_isa::{
    ComputeOperation, DESCRIPTOR_BYTES, Load, LoadOperation, Operation, REGISTERS, Register, StoreOperation,
    StreamOperation, UNITS, Unit, UnitOperation,
};
use std::collections::VecDeque;

/// From the arrival of a beat in an empty FIFO to the consumer.
const FIFO_LATENCY: u64 = 4;
/// Stream descriptors whose data may be on its way.
const STREAMS: usize = 8;
/// From the acceptance of a stream descriptor to its first request: the product of a register and its stride.
const STREAM_SETUP: u64 = 6;
/// The same of a load, or of a row that has a register of its own; of any other row.
const LOAD_SETUP: u64 = 7;
const ROW_SETUP: u64 = 4;
/// From the last transfer of a load to `done`.
const LOAD_END: u64 = 1;
/// Longest bursts.
const STREAM_BURST: u64 = 256;
const LOAD_BURST: u64 = 64;
/// From the last `done` to the end of the cycle count.
const END: u64 = 3;

/// What a routine takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Prediction {
    /// Clock cycles from start to done.
    pub cycles: u64,
    /// Cycles in which a unit has accepted a descriptor that is not done.
    pub busy: [u64; UNITS.len()],
    /// Cycles in which the compute unit wants a beat and there is none.
    pub starved: u64,
    /// Beats consumed.
    pub beats: u64,
}

/// A stream descriptor on its way to the ports.
#[derive(Clone, Copy)]
struct Setup {
    at: u64,
    address: u64,
    beats: u64,
}

/// The load under way.
struct Loading {
    load: Load,
    row: u64,
    ready_at: u64,
    left: u64,
}

pub(super) struct Machine<'a> {
    overlay: &'a StreamedConfig,
    timing: MemoryTiming,
    registers: &'a [u32; REGISTERS],
    now: u64,
    control: Control<'a>,
    ports: Vec<Port>,
    fetch: Bursts,
    fetch_room: u64,
    /// Transfers of a descriptor, or of a word; those of the present descriptor.
    pieces: u64,
    piece: u64,
    stream: Bursts,
    setup: Option<Setup>,
    stream_room: u64,
    received: u64,
    asked: u64,
    targets: VecDeque<u64>,
    level: u64,
    gemv: Gemv,
    array: Array,
    vector: Simple,
    store: Simple,
    load: Bursts,
    loading: Option<Loading>,
    load_end: Option<u64>,
    found: Prediction,
}

impl<'a> Machine<'a> {
    pub(super) fn new(
        overlay: &'a StreamedConfig,
        timing: MemoryTiming,
        registers: &'a [u32; REGISTERS],
        routine: &'a Routine,
    ) -> Self {
        let (bytes, depth) = (overlay.port_bytes(), overlay.prefetch_beats() as u64);
        let pieces = (DESCRIPTOR_BYTES / bytes) as u64;
        let mut fetch = Bursts::new(bytes, BURST * pieces);
        fetch.start(1, routine.address, routine.steps.len() as u64 * pieces);
        Self {
            overlay,
            timing,
            registers,
            now: 1,
            control: Control::new(&routine.steps),
            ports: (0..overlay.ports()).map(|_| Port::default()).collect(),
            fetch,
            fetch_room: AHEAD * pieces,
            pieces,
            piece: 0,
            stream: Bursts::new(bytes, STREAM_BURST.min(depth)),
            setup: None,
            stream_room: depth,
            received: 0,
            asked: 0,
            targets: VecDeque::new(),
            level: 0,
            gemv: Gemv::new(overlay),
            array: Array::new(overlay),
            vector: Simple::default(),
            store: Simple::default(),
            load: Bursts::new(bytes, LOAD_BURST),
            loading: None,
            load_end: None,
            found: Prediction::default(),
        }
    }

    pub(super) fn run(mut self, routine: &Routine) -> Result<Prediction, PredictError> {
        loop {
            while self.step() {}
            if self.control.completed == routine.steps.len() {
                self.found.cycles = self.now + END;
                return Ok(self.found);
            }
            let Some(next) = self.next() else {
                let (cycle, done) = (self.now, self.control.completed);
                return Err(PredictError::Stuck { cycle, done, steps: routine.steps.len() });
            };
            self.flow(next - self.now);
        }
    }

    /// Everything that happens in this cycle; true where something did.
    fn step(&mut self) -> bool {
        let mut changed = self.request();
        changed |= self.complete();
        changed |= self.gemv.step(self.now) | self.array.step(self.now);
        if self.control.distribute(self.now) {
            self.fetch_room += self.pieces;
            changed = true;
        }
        for unit in UNITS {
            changed |= self.offer(unit);
        }
        changed
    }

    fn closed(&self) -> bool {
        self.timing.refresh(self.now).0
    }

    /// Port whose timing is that of the whole stream: the last, since sharing begins there.
    fn stream_port(&self) -> usize {
        self.overlay.stream_ports() - 1
    }

    /// Readers ask for bursts, descriptors before loads before the stream.
    fn request(&mut self) -> bool {
        let begun = self.begin_stream() | self.begin_row();
        let (now, timing) = (self.now, self.timing);
        let mut changed = begun;
        let port = &mut self.ports[self.overlay.command_port()];
        if self.fetch.is_ready(now) && port.has_room(&timing) && self.fetch.length() <= self.fetch_room {
            let beats = self.fetch.issue(now);
            self.fetch_room -= beats;
            port.ask(Reader::Fetch, beats, now, &timing, 0);
            changed = true;
        }
        let port = &mut self.ports[self.overlay.data_port()];
        if self.load.is_ready(now) && port.has_room(&timing) {
            port.ask(Reader::Load, self.load.issue(now), now, &timing, 0);
            changed = true;
        }
        let port = self.stream_port();
        let port = &mut self.ports[port];
        if self.stream.is_ready(now) && port.has_room(&timing) && self.stream.length() <= self.stream_room {
            let beats = self.stream.issue(now);
            self.stream_room -= beats;
            port.ask(Reader::Stream, beats, now, &timing, FIFO_LATENCY);
            changed = true;
        }
        changed
    }

    /// A stream descriptor that is set up begins when all of the one before is asked for.
    fn begin_stream(&mut self) -> bool {
        let Some(setup) = self.setup else { return false };
        if setup.at > self.now || !self.stream.is_idle() || self.targets.len() == STREAMS {
            return false;
        }
        self.stream.start(self.now, setup.address, setup.beats);
        self.asked += setup.beats;
        self.targets.push_back(self.asked);
        self.setup = None;
        true
    }

    /// The next row of a load.
    fn begin_row(&mut self) -> bool {
        let Some(loading) = &mut self.loading else { return false };
        let load = loading.load;
        if loading.row == load.rows || loading.ready_at > self.now || !self.load.is_idle() {
            return false;
        }
        let register = load.register.index() + if load.gather { loading.row as usize } else { 0 };
        let value = u64::from(self.registers[register]);
        let address = load.base + value * load.register_stride + loading.row * load.ddr_stride;
        self.load.start(self.now, address, load.row_words * self.pieces);
        loading.row += 1;
        loading.ready_at = self.now + if load.gather { LOAD_SETUP } else { ROW_SETUP };
        true
    }

    fn complete(&mut self) -> bool {
        let now = self.now;
        let streamed = self.targets.front().is_some_and(|target| *target <= self.received);
        if streamed {
            self.targets.pop_front();
        }
        let loaded = self.load_end.is_some_and(|at| at <= now);
        if loaded {
            (self.loading, self.load_end) = (None, None);
        }
        let done = [
            (Unit::Stream, streamed),
            (Unit::Compute, self.gemv.complete(now) || self.array.complete(now)),
            (Unit::Vector, self.vector.complete(now)),
            (Unit::Load, loaded),
            (Unit::Store, self.store.complete(now)),
        ];
        for (unit, _) in done.iter().filter(|d| d.1) {
            self.control.complete(unit.index(), now);
        }
        done.iter().any(|d| d.1)
    }

    /// Gives a unit the descriptor at the head of its queue, if both are ready.
    fn offer(&mut self, unit: Unit) -> bool {
        let Some(descriptor) = self.control.offered(unit.index(), self.now) else { return false };
        let operation = &descriptor.operation;
        let free = match unit {
            Unit::Stream => self.setup.is_none(),
            Unit::Compute if matches!(operation, Operation::Matmul(_)) => {
                self.gemv.is_idle() && self.array.can_accept()
            }
            Unit::Compute => self.array.is_idle() && self.gemv.can_accept(),
            Unit::Vector => self.vector.can_accept(true),
            Unit::Load => self.loading.is_none(),
            Unit::Store => self.store.can_accept(false),
        };
        if free {
            self.accept(operation);
            self.control.taken(unit.index(), self.now);
        }
        free
    }

    fn accept(&mut self, operation: &Operation) {
        let now = self.now;
        match operation.by_unit() {
            UnitOperation::Stream(StreamOperation::Stream(o)) => {
                let beats = o.beats + self.register(o.register) * o.register_beats;
                self.setup = Some(Setup { at: now + STREAM_SETUP, address: o.base, beats });
            }
            UnitOperation::Compute(o) => self.accept_compute(o),
            UnitOperation::Vector(o) => {
                let (cycles, hidden) = vector::Work::of(o).cycles(self.overlay);
                self.vector.accept(now, cycles, hidden);
            }
            UnitOperation::Load(LoadOperation::Load(load)) => {
                let left = load.rows * load.row_words * self.pieces;
                self.loading = Some(Loading { load, row: 0, ready_at: now + LOAD_SETUP, left });
            }
            UnitOperation::Store(StoreOperation::Store(o)) => {
                self.store.accept(now, simple::store(&o, &self.timing), 0);
            }
        }
    }

    fn accept_compute(&mut self, operation: ComputeOperation) {
        let (kind, vectors, beats) = match operation {
            ComputeOperation::Matmul(o) => {
                return self.array.accept(array::Job { block: Block::from(&o), blocks: o.blocks }, self.now);
            }
            ComputeOperation::Matvec(o) => (Kind::Matvec, o.vectors, o.blocks * self.block_beats(Block::from(&o))),
            ComputeOperation::Score(o) => {
                let blocks = o.blocks + self.register(o.register);
                (Kind::Score, o.vectors, blocks * self.block_beats(Block::from(&o)))
            }
            ComputeOperation::WeightedSum(o) => (Kind::WeightedSum, o.vectors, o.keys + self.register(o.register)),
        };
        self.gemv.accept(gemv::Job { kind, vectors, beats }, self.now);
    }

    fn register(&self, register: Register) -> u64 {
        u64::from(self.registers[register.index()])
    }

    fn block_beats(&self, block: Block) -> u64 {
        block.beats(self.overlay.beat()) as u64
    }

    fn wants(&self) -> bool {
        self.gemv.wants(self.now) || self.array.wants(self.now)
    }

    fn flowing(&self, port: usize) -> Option<Reader> {
        self.ports[port].flowing(self.now, self.closed())
    }

    /// The next cycle in which something may change.
    fn next(&self) -> Option<u64> {
        let (now, closed) = (self.now, self.closed());
        let supplied = self.flowing(self.stream_port()) == Some(Reader::Stream);
        let taking = self.wants() && (self.level > 0 || supplied);
        let wanted = if self.gemv.wants(now) { self.gemv.wanted() } else { self.array.wanted() };
        let consumed = taking.then(|| now + wanted);
        let emptied = (taking && !supplied).then_some(now + self.level);
        let lacking = self.stream.length().saturating_sub(self.stream_room);
        let room = (taking && self.stream.is_ready(now) && lacking > 0).then_some(now + lacking);
        let piece = self.flowing(self.overlay.command_port()) == Some(Reader::Fetch);
        let piece = piece.then(|| now + self.pieces - self.piece);
        let target = self.targets.front().filter(|_| supplied).map(|target| now + target - self.received);
        let ports = self.ports.iter().filter_map(|p| p.next(now, closed));
        let refresh = self.ports.iter().any(|p| p.next(now, false).is_some()).then(|| self.timing.refresh(now).1);
        let units = [self.vector.next(), self.store.next(), self.load_end];
        let bursts = [self.fetch.next(now), self.stream.next(now), self.load.next(now)];
        let setup = [self.setup.map(|s| s.at), self.loading.as_ref().map(|l| l.ready_at)];
        let flows = [consumed, emptied, room, piece, target, refresh];
        let all = units.into_iter().chain(bursts).chain(setup).chain(flows);
        let all = all.chain(self.gemv.next()).chain(self.array.next()).flatten();
        all.chain(ports).filter(|at| *at > now).chain(self.control.next(now)).min()
    }

    /// `cycles` pass, in which nothing changes but counts.
    fn flow(&mut self, cycles: u64) {
        let closed = self.closed();
        let stream_port = self.stream_port();
        let supplied = self.flowing(stream_port) == Some(Reader::Stream);
        let wants = self.wants();
        self.count(cycles, wants && self.level == 0 && !supplied);
        if wants && (self.level > 0 || supplied) {
            self.level += if supplied { cycles } else { 0 };
            self.level -= cycles;
            self.stream_room += cycles;
            self.found.beats += cycles;
            if self.gemv.wants(self.now) {
                self.gemv.take(cycles);
            } else {
                self.array.take(cycles, self.now + cycles);
            }
        } else if supplied {
            self.level += cycles;
        }
        let end = self.now + cycles;
        for port in 0..self.ports.len() {
            let Some(reader) = self.ports[port].flowing(self.now, closed) else { continue };
            self.ports[port].flow(cycles);
            match reader {
                Reader::Stream => self.received += cycles,
                Reader::Fetch => self.fetched(cycles, end),
                Reader::Load => self.loaded(cycles, end),
            }
        }
        self.now = end;
    }

    fn fetched(&mut self, beats: u64, end: u64) {
        self.piece += beats;
        if self.piece == self.pieces {
            self.piece = 0;
            self.control.arrive(end);
        }
    }

    fn loaded(&mut self, beats: u64, end: u64) {
        let loading = self.loading.as_mut().expect("data arrives for a load");
        loading.left -= beats;
        if loading.left == 0 {
            self.load_end = Some(end + LOAD_END);
        }
    }

    fn count(&mut self, cycles: u64, starved: bool) {
        self.found.starved += if starved { cycles } else { 0 };
        let busy = [
            self.setup.is_some() || !self.targets.is_empty(),
            !self.gemv.is_idle() || !self.array.is_idle(),
            !self.vector.is_idle(),
            self.loading.is_some(),
            !self.store.is_idle(),
        ];
        for (sum, busy) in self.found.busy.iter_mut().zip(busy) {
            *sum += if busy { cycles } else { 0 };
        }
    }
}
