//! Issues steps: 16 cycles each, one activation row a cycle, back to back while weights and accumulators are there.
//!
//! The step's control is valid from the cycle after `start` for 16 cycles, together with `code_en` and `code_addr`.

use super::cycle::{Cycle, advance};
use super::geometry::{Geometry, ROWS};
use super::queue::{Rows, RowsContext, context as context_port, tally};
use sagen_lang::{Bundle, Design, Module, ModuleId, Output, Reg, Signal, bit, bundle, high, interface, low, unsigned};

interface! {
    /// Tiles and accumulators in, steps out.
    pub(super) struct Issue() {
        /// A tile is offered.
        tile_ready: -> bit(),
        /// One of the two accumulator banks is given back.
        retire: -> bit(),
        /// A step begins, and uses the tile up.
        start: <- bit(),
        /// A tile is wanted and not there.
        starved: <- bit(),
        /// The code word of a row is read.
        code_en: <- bit(),
        code_addr: <- unsigned(16),
    }
}

bundle! {
    /// What the data of a row needs on its way: place in the group and in the accumulators.
    pub(super) struct Step(g: Geometry) {
        first_row: bit(),
        /// First row of a block's last step.
        block_due: bit(),
        row: unsigned(ROWS.ilog2()),
        bank: bit(),
        /// Adds to the accumulators.
        accumulate: bit(),
        half(optional): (g.halves() > 1).then(|| unsigned(g.halves().ilog2())),
        part(optional): (g.parts() > 1).then(|| unsigned(g.parts().ilog2())),
    }
}

type Ctx = RowsContext<Signal, Output>;

/// The descriptor being issued.
struct Context {
    held: Reg,
    x: Reg,
    x_stride: Reg,
    last_row: Reg,
    last_group: Reg,
    blocks_left: Reg,
}

/// Where the next step lies.
struct Position {
    half: Cycle,
    part: Cycle,
    group: Reg,
    address: Reg,
}

/// See the file.
pub(super) fn issue(d: &mut Design, g: Geometry) -> ModuleId {
    d.module(format!("array_issue_{}", g.tag()), |m| {
        m.doc("Issues steps of 16 cycles, one activation row a cycle.");
        let (port, ctx) = (m.slave("", Issue::layout()), m.slave(context_port(), RowsContext::layout()));
        let (full, release) = (port.tile_ready, port.retire);
        let context = context(m);
        let at = Position {
            half: Cycle::new(m, "next_half", g.halves()),
            part: Cycle::new(m, "next_part", g.parts()),
            group: m.reg("next_group", unsigned(8)),
            address: m.reg("next_address", unsigned(16)),
        };
        let active = m.reg("active", bit()).reset(0);
        let row = Cycle::new(m, "step_row", ROWS);
        let banks = m.reg("banks", unsigned(2)).reset(0);

        let first_part = m.net("first_part", at.part.first() & at.group.is_zero());
        let block_start = m.net("block_start", first_part & at.half.first());
        let last_part = at.part.last() & at.group.q().eq(context.last_group);
        let block_end = m.net("block_end", last_part & at.half.last());
        let free = m.net("free", !active | row.last());
        let wants = m.net("wants", context.held & free & !(block_start & banks.bit(1)));
        let start = m.net("starts", wants & full);
        tally(m, "banks", banks, start & block_start, release);

        let finish = m.net("finish", start & block_end & context.blocks_left.eq_lit(1));
        // The running step still needs the context until its last address is computed.
        let late = row.index().map_or_else(high, |r| r.ge_lit(ROWS - 2));
        let take = m.net("takes_ctx", ctx.valid & !context.held & (!active | late));
        move_on(m, &at, &context, &ctx, [start, block_end, finish, take]);
        let (code_en, code_addr) = read_codes(m, &at, &context, [start, active.q()], row);
        port.code_en.drive(code_en);
        port.code_addr.drive(code_addr);
        m.when(start, || m.set(active, high())).elsewhen(row.last(), || m.set(active, low()));
        m.when(active, || row.advance(m));

        port.start.drive(start);
        ctx.take.drive(take);
        port.starved.drive(wants & !full);
        step(m, &at, [start, first_part, block_end], active.q(), row).outputs(m, "");
    })
}

fn context(m: &Module) -> Context {
    Context {
        held: m.reg("held", bit()).reset(0),
        x: m.reg("x_base", unsigned(16)),
        x_stride: m.reg("stride", unsigned(16)),
        last_row: m.reg("last_row", unsigned(ROWS.ilog2())),
        last_group: m.reg("last_group", unsigned(8)),
        blocks_left: m.reg("blocks_left", unsigned(16)),
    }
}

/// The next step's place, and the next descriptor.
fn move_on(m: &Module, at: &Position, c: &Context, ctx: &Ctx, [start, block_end, finish, take]: [Signal; 4]) {
    let Rows { x, x_stride, rows, groups, blocks } = ctx.of;
    advance(m, start, &[at.half, at.part]);
    m.when(start & at.half.last() & at.part.last(), || {
        m.set(at.group, at.group.add_lit(1));
        m.set(at.address, at.address.add_lit(1));
    });
    m.when(start & block_end, || {
        m.set(at.group, m.lit(unsigned(8), 0));
        m.set(at.address, c.x);
        m.set(c.blocks_left, c.blocks_left.sub_lit(1));
    });
    m.when(finish, || m.set(c.held, low()));
    m.when(take, || {
        m.set(c.held, high());
        m.set(c.x, x);
        m.set(at.address, x);
        m.set(at.group, m.lit(unsigned(8), 0));
        m.set(c.x_stride, x_stride);
        m.set(c.last_row, rows.sub_lit(1).trunc(ROWS.ilog2()));
        m.set(c.last_group, groups.sub_lit(1));
        m.set(c.blocks_left, blocks);
    });
}

/// Code word of every row of the step; rows past the last are not read.
fn read_codes(m: &Module, at: &Position, c: &Context, [start, active]: [Signal; 2], row: Cycle) -> (Reg, Reg) {
    let code_en = m.reg("reads", bit()).reset(0);
    let code_addr = m.reg("read_at", unsigned(16));
    let row_index = row.index().expect("a step has 16 rows");
    m.when(start, || {
        m.set(code_en, high());
        m.set(code_addr, at.address);
    })
    .elsewhen(active & (row_index.eq(c.last_row) | row.last()), || m.set(code_en, low()))
    .elsewhen(code_en, || m.set(code_addr, code_addr.q() + c.x_stride));
    (code_en, code_addr)
}

fn step(m: &Module, at: &Position, [start, first_part, block_end]: [Signal; 3], active: Signal, row: Cycle) -> Step {
    let bank = m.reg("next_bank", bit()).reset(0);
    m.when(start & block_end, || m.set(bank, !bank));
    let last_step = m.reg_en("last_step", start, block_end);
    let kept = |name: &str, value: Signal| m.reg_en(name, start, value).q();
    Step {
        first_row: active & row.first(),
        // The drain is slower than the rows of the last step, so it may begin with the first of them.
        block_due: active & row.first() & last_step,
        row: row.index().expect("a step has 16 rows"),
        bank: kept("step_bank", bank.q()),
        accumulate: kept("adds", !first_part),
        half: at.half.index().map(|half| kept("step_half", half)),
        part: at.part.index().map(|part| kept("step_part", part)),
    }
}
