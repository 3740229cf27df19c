//! Walks rows, segments and words of a descriptor and issues one word a cycle, or one part of a word: its read
//! addresses and its tag. The words of a rotated pair take turns, part by part.
//!
//! `load` starts a walk with the values of that cycle. A dynamic quantisation waits at the first word of each
//! segment until `segment_ready`; nothing else ever stops the walk.

use super::shape::Shape;
use super::tag::Tag;
use sagen_lang::{Bundle, Design, Layout, Module, ModuleId, Reg, Signal, bit, bundle, high, lit, low, unsigned};

bundle! {
    /// Inputs taken at `load`.
    pub(super) struct Fields() {
        rows: unsigned(5),
        a: unsigned(16),
        b: unsigned(16),
        d: unsigned(16),
        kept as Kept: Kept::layout(),
    }
}

bundle! {
    /// Those that the walk needs later on.
    pub(super) struct Kept() {
        segments: unsigned(8),
        words: unsigned(12),
        a_stride: unsigned(16),
        b_stride: unsigned(16),
        d_stride: unsigned(16),
        head_words: unsigned(8),
        pairs: bit(),
        rope: bit(),
        quant: bit(),
        dynamic: bit(),
        reads_a: bit(),
        reads_b: bit(),
    }
}

/// The walk of the rows: inputs of [`Fields`], outputs `valid`, `tag`, `take`, `a_en`, `a_addr`, `b_en`, `b_addr`.
pub(super) fn vector_issue(d: &mut Design, shape: Shape) -> ModuleId {
    d.module(shape.by_lanes("vector_issue"), |m| {
        m.doc("Walks the words of one vector descriptor, one a cycle.");
        let load = m.input("load", bit());
        let ready = m.input("segment_ready", bit());
        let given = Fields::layout().inputs(m, "");
        let held = given.kept.map(|name, value| m.reg_en(&format!("{name}_held"), load, value).q());
        let walk = Walk::new(m, shape, load, ready, given, held);
        walk.advance(m);
        let (a_addr, b_addr) = (walk.operand_a(m), walk.operand_b(m));
        let tag = walk.tag(walk.result(m));
        m.output("valid", walk.step);
        m.output("tag", Tag::layout(shape).pack(tag));
        m.output("take", walk.step & walk.segment_first & held.dynamic);
        m.output("a_en", walk.step & held.reads_a);
        m.output("a_addr", a_addr);
        // A table word serves both words of its pair.
        let skip = held.rope & walk.odd();
        m.output("b_en", walk.step & held.reads_b & !skip);
        m.output("b_addr", b_addr);
    })
}

struct Walk {
    given: Fields,
    held: Kept,
    load: Signal,
    step: Signal,
    turn: Turn,
    active: Reg,
    rows_left: Reg,
    segments_left: Reg,
    words_left: Reg,
    row: Reg,
    group: Reg,
    quarter: Reg,
    row_first: Reg,
    segment_first: Reg,
    segment_last: Signal,
    row_last: Signal,
    last: Signal,
}

struct Operand {
    name: &'static str,
    start: Signal,
    stride: Signal,
}

/// Where a step leads within a word and between the words of a rotated pair.
struct Turn {
    part: Option<Reg>,
    /// To the next word.
    forward: Signal,
    /// To the first word of a pair, for its next part.
    back: Signal,
}

impl Turn {
    fn new(m: &Module, shape: Shape, rope: Signal, odd: Signal) -> Self {
        if shape.parts() == 1 {
            return Self { part: None, forward: high(), back: low() };
        }
        let part = m.reg("part", unsigned(shape.part_bits()));
        let last = m.net("part_last", part.reduce_and());
        let forward = m.net("forward", last | (rope & !odd));
        Self { part: Some(part), forward, back: m.net("back", rope & odd & !last) }
    }

    fn advance(&self, m: &Module, rope: Signal, odd: Signal) {
        if let Some(part) = self.part {
            m.when(!rope | odd, || m.set(part, part.add_lit(1)));
        }
    }

    /// A counter one further, or one back.
    fn up(&self, counter: Reg) -> Signal {
        self.count(counter, u64::MAX, 1)
    }

    /// A counter one less, or one more.
    fn down(&self, counter: Reg) -> Signal {
        self.count(counter, 1, u64::MAX)
    }

    fn count(&self, counter: Reg, back: u64, forward: u64) -> Signal {
        let ones = u64::MAX >> (64 - counter.width());
        let by = |n: u64| lit(counter.width(), n & ones);
        match self.part {
            None => counter.add(by(forward)),
            Some(_) => counter.add(self.back.mux(by(back), by(forward))),
        }
    }

    /// Whether a word counter moves at all.
    fn moves(&self) -> Signal {
        self.forward | self.back
    }
}

impl Walk {
    fn new(m: &Module, shape: Shape, load: Signal, ready: Signal, given: Fields, held: Kept) -> Self {
        let active = m.reg("active", bit()).reset(0);
        let segment_first = m.reg("segment_first", bit());
        let (rows_left, segments_left) = (m.reg("rows_left", unsigned(5)), m.reg("segments_left", unsigned(8)));
        let words_left = m.reg("words_left", unsigned(12));
        let quarter = m.reg("quarter", unsigned(2));
        let turn = Turn::new(m, shape, held.rope, quarter.bit(0));
        let waits = held.dynamic & segment_first & !ready;
        let segment_last = m.net("segment_last", words_left.eq_lit(1) & turn.forward);
        let row_last = m.net("row_last", segment_last & segments_left.eq_lit(1));
        Self {
            given,
            held,
            load,
            step: m.net("step", active & !waits),
            turn,
            active,
            rows_left,
            segments_left,
            words_left,
            row: m.reg("row", unsigned(4)),
            group: m.reg("group", unsigned(7)),
            quarter,
            row_first: m.reg("row_first", bit()),
            segment_first,
            segment_last,
            row_last,
            last: m.net("last", row_last & rows_left.eq_lit(1)),
        }
    }

    fn odd(&self) -> Signal {
        self.quarter.bit(0)
    }

    /// The counters.
    fn advance(&self, m: &Module) {
        let zero = |r: Reg| m.set(r, m.lit(r.ty(), 0));
        let set = |r: Reg, v: Signal| m.set(r, v);
        m.when(self.step, || {
            self.turn.advance(m, self.held.rope, self.odd());
            set(self.segment_first, self.segment_last);
            set(self.row_first, self.row_last);
            m.when(self.turn.moves(), || self.advance_word(m));
            m.when(self.segment_last, || set(self.segments_left, self.segments_left.sub_lit(1)));
            m.when(self.row_last, || {
                set(self.segments_left, self.held.segments);
                set(self.rows_left, self.rows_left.sub_lit(1));
                set(self.row, self.row.add_lit(1));
                zero(self.quarter);
                zero(self.group);
            });
            m.when(self.last, || zero(self.active));
        });
        m.when(self.load, || {
            set(self.active, high());
            set(self.segment_first, high());
            set(self.row_first, high());
            set(self.rows_left, self.given.rows);
            set(self.segments_left, self.given.kept.segments);
            set(self.words_left, self.given.kept.words);
            [self.row, self.group, self.quarter].into_iter().chain(self.turn.part).for_each(zero);
        });
    }

    /// The counters of words and groups.
    fn advance_word(&self, m: &Module) {
        let words = self.turn.down(self.words_left);
        m.set(self.words_left, self.segment_last.mux(self.held.words, words));
        m.set(self.quarter, self.turn.up(self.quarter));
        m.when(self.quarter.eq_lit(3) & self.turn.forward, || m.set(self.group, self.group.add_lit(1)));
    }

    /// An address that restarts each row one stride further, and otherwise takes `next` when it `moves`.
    fn address(&self, m: &Module, of: Operand, moves: Signal, restart: Signal, next: impl Fn(Reg) -> Signal) -> Signal {
        let Operand { name, start, stride } = of;
        let (addr, row) = (m.reg(&format!("{name}_at"), unsigned(16)), m.reg(&format!("{name}_row"), unsigned(16)));
        let next_row = m.net(&format!("{name}_next_row"), row.add(stride));
        let next = next(addr);
        m.when(self.load, || {
            m.set(addr, start);
            m.set(row, start);
        })
        .elsewhen(self.step, || {
            m.when(self.row_last, || {
                m.set(addr, next_row);
                m.set(row, next_row);
            })
            .elsewhen(restart, || m.set(addr, row))
            .elsewhen(moves, || m.set(addr, next));
        });
        addr.q()
    }

    fn operand_a(&self, m: &Module) -> Signal {
        self.address(
            m,
            Operand { name: "a", start: self.given.a, stride: self.held.a_stride },
            self.turn.moves(),
            low(),
            |at| self.turn.up(at),
        )
    }

    /// Half words and table words advance every second word; the table starts again with each head.
    fn operand_b(&self, m: &Module) -> Signal {
        let left = m.reg("head_left", unsigned(8));
        let head_last = m.net("head_last", left.eq_lit(1) & self.turn.forward);
        m.when(self.load, || m.set(left, self.given.kept.head_words)).elsewhen(self.step & self.turn.moves(), || {
            m.set(left, (head_last | self.row_last).mux(self.held.head_words, self.turn.down(left)));
        });
        let forward = self.turn.forward & (!self.held.pairs | self.odd());
        self.address(
            m,
            Operand { name: "b", start: self.given.b, stride: self.held.b_stride },
            forward,
            self.held.rope & head_last,
            |at| at.add_lit(1),
        )
    }

    /// Codes fill a word in four steps.
    fn result(&self, m: &Module) -> Signal {
        let moves = self.turn.moves() & (!self.held.quant | self.quarter.eq_lit(3));
        self.address(m, Operand { name: "d", start: self.given.d, stride: self.held.d_stride }, moves, low(), |at| {
            self.turn.up(at)
        })
    }

    fn tag(&self, d: Signal) -> Tag {
        let part = self.turn.part.map(|part| part.q());
        Tag {
            last: self.last,
            row_first: self.row_first.q(),
            row_last: self.row_last,
            segment_last: self.segment_last,
            group_first: self.quarter.is_zero() & part.map_or(high(), |part| part.is_zero()),
            group_last: (self.quarter.eq_lit(3) & self.turn.forward) | self.row_last,
            quarter: self.quarter.q(),
            group: self.group.q(),
            row: self.row.q(),
            d,
            part,
        }
    }
}
