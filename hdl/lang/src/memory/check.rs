//! What can be told of memories when all their ports are known.

use super::{MemDef, RamStyle};
use crate::builder::{Builder, Line};
use crate::errors::Problem;
use crate::node::{AssertDef, Binary, NodeId, Op, Unary};
use crate::types::bit;

/// Refuses memories that no FPGA has, and adds assertions to those with two ports that write.
pub(crate) fn check(b: &mut Builder, line: Line) {
    for index in 0..b.def.mems.len() {
        let mem = &b.def.mems[index];
        let name = mem.name.clone();
        if mem.writes.is_empty() && !mem.rom {
            b.fail(line, Problem::Missing { kind: "memory", name, verb: "written" });
        } else if let Some(reason) = impossible(mem) {
            b.fail(line, Problem::Memory { memory: name, reason });
        } else if b.def.mems[index].writes.len() > 1 && b.error.is_none() {
            assert_apart(b, index);
        }
    }
}

/// Why no FPGA memory is like this.
fn impossible(mem: &MemDef) -> Option<String> {
    let separate = mem.writes.iter().any(|w| w.port.is_none());
    if mem.contents.is_some() && mem.style == RamStyle::Ultra {
        return Some(
            "initial contents with style Ultra, which cannot have any; Auto, Block and Distributed can".into(),
        );
    }
    match (mem.dual_port(), mem.style) {
        (true, RamStyle::Auto | RamStyle::Ultra | RamStyle::Distributed) => {
            Some(format!("read-write ports with style {:?}; it must be Block", mem.style))
        }
        (true, RamStyle::Block) if separate => {
            Some("a write port beside read-write ports; it has one kind or the other".into())
        }
        (true, RamStyle::Block) if mem.reads.len() > 2 => Some(format!("{} ports; block RAM has 2", mem.reads.len())),
        (true, RamStyle::Block) | (false, _) => None,
    }
}

/// States that two ports do not write one word at once.
fn assert_apart(b: &mut Builder, index: usize) {
    let mem = b.def.mems[index].clone();
    let and = |b: &mut Builder, x, y| b.node(Op::Binary(Binary::And, x, y), bit());
    let writing: Vec<NodeId> = mem
        .writes
        .iter()
        .map(|write| {
            let enable = write.port.map_or(write.enable, |port| and(b, mem.reads[port].enable, write.enable));
            let some = write.mask.map(|mask| b.node(Op::Unary(Unary::ReduceOr, mask), bit()));
            some.map_or(enable, |some| and(b, enable, some))
        })
        .collect();
    let same = b.node(Op::Binary(Binary::Eq, mem.writes[0].addr, mem.writes[1].addr), bit());
    let both = and(b, writing[0], writing[1]);
    let violated = and(b, both, same);
    b.def.asserts.push(AssertDef {
        violated,
        message: format!("memory `{}` is written by one port at a time in each word", mem.name),
    });
}
