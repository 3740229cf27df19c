//! The routines of a program: lowered, ordered, placed.

use sagen_streamed_arch::hazard::{RegisterMax, order};
use sagen_streamed_arch::step::Slot;
use sagen_streamed_arch::{Instruction, Routine, RoutineKind};
use sagen_streamed_isa::{CHUNK_ROWS, DESCRIPTOR_BYTES, REGISTERS, Register, UNITS, register};

use super::CompileError;
use super::lower::{Model, lower};
use super::plan::Plan;
use crate::graph::Node;

/// A routine that has no address yet.
pub(crate) struct Draft {
    kind: RoutineKind,
    steps: Vec<Instruction>,
}

/// All routines of a model, with their waits.
pub(crate) fn draft(
    model: &Model<'_>,
    prefill: &Plan,
    decode: &Plan,
    context: usize,
) -> Result<Vec<Draft>, CompileError> {
    let mut decode_nodes = model.graph.body(true);
    decode_nodes.extend_from_slice(&model.graph.head);
    let (chunk, zero) = (CHUNK_ROWS, register::ZERO);
    let list: [(RoutineKind, &Plan, Vec<Node>, usize, Register); 3] = [
        (RoutineKind::Prefill, prefill, model.graph.body(false), chunk, zero),
        (RoutineKind::Head, prefill, model.graph.head_alone(), chunk, register::HEAD_ROW),
        (RoutineKind::DECODE, decode, decode_nodes, 1, zero),
    ];
    let routine = |(kind, plan, nodes, rows, head): (_, _, Vec<Node>, _, _)| {
        let mut steps = lower(model, plan, &nodes, rows, head);
        check_counts(kind, &steps)?;
        let bounds = bounds(rows, context, model.config.vocab);
        order(steps.iter_mut().map(|s| &mut s.descriptor), model.overlay, &bounds);
        Ok(Draft { kind, steps })
    };
    list.into_iter().map(routine).collect()
}

/// Bytes of all descriptors.
pub(crate) fn bytes(drafts: &[Draft]) -> usize {
    drafts.iter().map(|d| d.steps.len() * DESCRIPTOR_BYTES).sum()
}

/// Give routines their addresses, and encode them.
pub(crate) fn place(drafts: Vec<Draft>, base: u64) -> Result<(Vec<Routine>, Vec<u8>), CompileError> {
    let mut bytes = Vec::new();
    let mut routines = Vec::new();
    for Draft { kind, steps } in drafts {
        let address = base + bytes.len() as u64;
        for step in &steps {
            let words = step
                .descriptor
                .encode()
                .map_err(|source| CompileError::Field { label: step.label.to_string(), source })?;
            bytes.extend(words.iter().flat_map(|word| word.to_le_bytes()));
        }
        routines.push(Routine { kind, slot: Slot::default(), address, steps });
    }
    Ok((routines, bytes))
}

/// Greatest value of each register in any run.
fn bounds(rows: usize, context: usize, vocab: usize) -> RegisterMax {
    let context = context as u64;
    let last = context - rows as u64;
    let mut bounds = [0; REGISTERS];
    bounds[register::POSITION.index()] = last;
    bounds[register::KV_LENGTH.index()] = context;
    bounds[register::KV_BLOCKS.index()] = context / CHUNK_ROWS as u64;
    bounds[register::POSITION_BLOCK.index()] = last / CHUNK_ROWS as u64;
    // A chunk begins at a block.
    bounds[register::POSITION_IN_BLOCK.index()] = (CHUNK_ROWS - rows) as u64;
    bounds[register::HEAD_ROW.index()] = (rows - 1) as u64;
    let tokens = register::TOKEN.index();
    bounds[register::NEXT_TOKEN.index()] = vocab as u64 - 1;
    bounds[tokens..tokens + rows].fill(vocab as u64 - 1);
    bounds
}

fn check_counts(kind: RoutineKind, steps: &[Instruction]) -> Result<(), CompileError> {
    for unit in UNITS {
        let found = steps.iter().filter(|s| s.descriptor.unit() == unit).count();
        let allowed = usize::from(u16::MAX);
        if found > allowed {
            let routine = kind.to_string().to_lowercase();
            return Err(CompileError::TooLong { routine, unit: unit.name(), found, allowed });
        }
    }
    Ok(())
}
