//! Seeded random programs for an overlay: legal descriptors of every type with small sizes, over DDR contents that
//! exercise rounding rather than saturation. A program reads nothing on chip that it has not written before.
//!
//! `RandomProgram::shrink` removes what a failure does not need.

mod attention;
mod linear;
mod map;
mod moves;
mod prologue;
mod vector;
mod window;

use map::Map;
use sagen_arith::draw::Draw;
use sagen_streamed_arch::hazard::{self, RegisterMax};
use sagen_streamed_arch::step::Slot;
use sagen_streamed_arch::{Device, Instruction, Label, Program, Routine, RoutineKind, Segment, StreamedConfig};
use sagen_streamed_golden::machine::Machine;
use sagen_streamed_isa::{
    Descriptor, LoadOpcode, Opcode, Operation, Register, StoreOpcode, StreamOpcode, UnitOpcode, register,
};
use window::Window;

/// Descriptors that are legal together: a stream and its consumers, scores and what uses them.
type Action = Vec<Operation>;

/// A program with one routine, and how to run it.
#[derive(Clone, Debug)]
pub struct RandomProgram {
    /// The program; its only routine is `routine`, and its image holds the encoded descriptors.
    pub program: Program,
    /// Its routine, waits filled in.
    pub routine: Routine,
    /// Step registers to set before the run.
    pub registers: Vec<(Register, u32)>,
    overlay: StreamedConfig,
    seed: u64,
    /// Initialises on-chip memory; never removed.
    prologue: Action,
    actions: Vec<Action>,
}

/// Greatest value of each step register; registers above these bounds are only written.
fn bounds() -> RegisterMax {
    std::array::from_fn(|i| match i {
        1 => 47,
        2..=6 => 3,
        16..=31 => 7,
        _ => 0,
    })
}

/// Registers that may receive an argmax. No descriptor reads them.
fn result_registers() -> [Register; 2] {
    [register::NEXT_TOKEN, register::NEXT_TOKEN.after(1).expect("it is not the last")]
}

/// Greatest value of a step register.
fn bound(register: Register) -> u64 {
    bounds()[register.index()]
}

/// How often an operation is drawn, compared with others, and an action that has it in it.
struct Recipe(usize, fn(&mut Maker) -> Action);

impl Recipe {
    fn of(opcode: Opcode) -> Self {
        match opcode.by_unit() {
            UnitOpcode::Stream(StreamOpcode::Stream) => Self(1, Maker::two_products),
            UnitOpcode::Compute(opcode) => linear::recipe(opcode),
            UnitOpcode::Vector(opcode) => vector::recipe(opcode),
            UnitOpcode::Load(LoadOpcode::Load) => Self(1, Maker::load),
            UnitOpcode::Store(StoreOpcode::Store) => Self(2, Maker::store),
        }
    }
}

/// What generators share: a machine that runs along, so that later choices can depend on state.
struct Maker {
    draw: Draw,
    overlay: StreamedConfig,
    map: Map,
    machine: Machine,
    scratch: Window,
    codes: Window,
    scales: Window,
}

/// A program of about `size` actions.
pub fn random_program(overlay: &StreamedConfig, seed: u64, size: usize) -> RandomProgram {
    let mut draw = Draw::new(seed);
    let registers = random_registers(&mut draw);
    let steps = (size + 2) * 8;
    let (map, program) = Map::new(overlay, &mut draw, steps);
    let mut machine = Machine::new(overlay);
    machine.load(&program).expect("the map is legal");
    for (index, value) in &registers {
        machine.set_register(*index, *value).expect("the register exists");
    }
    machine.begin();
    let mut maker = Maker {
        scratch: Window::new(&mut draw, overlay.scratch_words(), prologue::SCRATCH_WORDS),
        codes: Window::new(&mut draw, overlay.code_words(), prologue::CODE_WORDS),
        scales: Window::new(&mut draw, sagen_streamed_isa::SCALES, prologue::SCALE_ENTRIES),
        draw,
        overlay: overlay.clone(),
        map,
        machine,
    };
    let prologue = maker.prologue();
    maker.follow(&prologue);
    let actions = (0..size).map(|_| maker.action()).collect();
    let random = RandomProgram {
        routine: Routine {
            kind: RoutineKind::Test,
            slot: Slot::default(),
            address: maker.map.descriptors,
            steps: Vec::new(),
        },
        program,
        registers,
        overlay: overlay.clone(),
        seed,
        prologue,
        actions: Vec::new(),
    };
    random.with(actions)
}

fn random_registers(draw: &mut Draw) -> Vec<(Register, u32)> {
    let set = Register::all().filter(|register| bound(*register) > 0);
    set.map(|register| (register, draw.below(bound(register) + 1) as u32)).collect()
}

impl Maker {
    /// One action, already executed by the machine.
    fn action(&mut self) -> Action {
        let recipes = Opcode::ALL.iter().map(|opcode| Recipe::of(*opcode));
        let makers: Vec<_> = recipes.flat_map(|Recipe(share, make)| std::iter::repeat_n(make, share)).collect();
        let make = self.draw.pick(&makers);
        let action = make(self);
        self.follow(&action);
        action
    }

    fn follow(&mut self, action: &Action) {
        for (index, operation) in action.iter().enumerate() {
            let step = Instruction { descriptor: Descriptor::new(*operation), label: Label::default() };
            if let Err(e) = self.machine.step(index, &step) {
                panic!("the generator made an illegal descriptor: {e}: {operation:?}");
            }
        }
    }

    /// Value of a step register.
    fn register(&mut self, register: Register) -> u64 {
        u64::from(self.machine.register(register).expect("the register exists"))
    }
}

impl RandomProgram {
    /// Actions that can be removed.
    pub fn actions(&self) -> usize {
        self.actions.len()
    }

    /// The same program with only these actions: waits, routine and image follow.
    fn with(mut self, actions: Vec<Action>) -> Self {
        let labelled = std::iter::once(&self.prologue).chain(&actions).enumerate();
        let step = |action: usize, operation: &Operation| Instruction {
            descriptor: Descriptor::new(*operation),
            label: Label { layer: None, tensor: format!("seed {} action {action}", self.seed) },
        };
        let mut steps: Vec<Instruction> =
            labelled.flat_map(|(i, action)| action.iter().map(move |o| step(i, o))).collect();
        hazard::order(steps.iter_mut().map(|s| &mut s.descriptor), &self.overlay, &bounds());
        self.routine.steps = steps;
        let bytes = self.routine.encode().expect("every field was drawn within its width");
        self.program.image.retain(|segment| segment.base != self.routine.address);
        self.program.image.push(Segment { base: self.routine.address, bytes });
        self.program.routines = vec![self.routine.clone()];
        self.actions = actions;
        self
    }

    /// The smallest program found that still fails: actions are removed in ever smaller runs.
    pub fn shrink(self, mut fails: impl FnMut(&RandomProgram) -> bool) -> RandomProgram {
        let mut best = self;
        let mut length = best.actions.len().div_ceil(2);
        while length > 0 {
            let mut first = 0;
            while first < best.actions.len() {
                let mut fewer = best.actions.clone();
                fewer.drain(first..(first + length).min(best.actions.len()));
                let candidate = best.clone().with(fewer);
                if fails(&candidate) {
                    best = candidate;
                } else {
                    first += length;
                }
            }
            length /= 2;
        }
        best
    }
}
