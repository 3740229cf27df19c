//! Reads the groups of one segment after another from the amax table and keeps the greatest.

use super::amax::AmaxRead;
use sagen_lang::{Module, Reg, Signal, bit, cat, high, low, unsigned};

struct Counters {
    active: Reg,
    first: Reg,
    rows: Reg,
    segments: Reg,
    groups: Reg,
    row: Reg,
    group: Reg,
}

/// Returns: a segment begins; a segment's amax is complete; that amax. Waits for `free` before each segment and
/// while `hold`, which is the table's `busy`.
pub(super) fn scan(m: &Module, free: Signal) -> (Signal, Signal, Signal) {
    let c = Counters {
        active: m.reg("scanning", bit()).reset(0),
        first: m.reg("scan_first", bit()),
        rows: m.reg("rows_left", unsigned(5)),
        segments: m.reg("segments_left", unsigned(8)),
        groups: m.reg("groups_left", unsigned(8)),
        row: m.reg("scan_row", unsigned(4)),
        group: m.reg("scan_group", unsigned(7)),
    };
    let step = m.net("scan_step", c.active & !m.input("hold", bit()) & (!c.first | free));
    let last = m.net("scan_last", c.groups.eq_lit(1));
    c.advance(m, step, last);
    let table = m.master("scan_", AmaxRead::layout());
    table.en.drive(step);
    table.addr.drive(cat(&[c.row.q(), c.group.q()]));

    let arrives = m.reg("scan_arrives", bit()).reset(0);
    m.set(arrives, step);
    let first1 = m.reg_en("scan_first1", step, c.first);
    let last1 = m.reg_en("scan_last1", step, last);
    let amax = m.reg("scan_amax", unsigned(32));
    m.when(arrives, || m.set(amax, first1.mux(table.data, amax.max(table.data))));
    let found = m.reg("scan_found", bit()).reset(0);
    m.set(found, arrives & last1);
    (step & c.first, found.q(), amax.q())
}

impl Counters {
    fn advance(&self, m: &Module, step: Signal, last: Signal) {
        let load = m.input("load", bit());
        let [rows, segments, groups] =
            [("rows", 5), ("segments", 8), ("groups", 8)].map(|(n, width)| m.input(n, unsigned(width)));
        let [segments_held, groups_held] =
            [("segments_held", segments), ("groups_held", groups)].map(|(n, value)| m.reg_en(n, load, value));
        let row_last = m.net("scan_row_last", last & self.segments.eq_lit(1));
        m.when(step, || {
            m.set(self.first, last);
            m.set(self.groups, last.mux(groups_held.q(), self.groups.sub_lit(1)));
            m.set(self.group, self.group.add_lit(1));
            m.when(last, || m.set(self.segments, self.segments.sub_lit(1)));
            m.when(row_last, || {
                m.set(self.segments, segments_held.q());
                m.set(self.rows, self.rows.sub_lit(1));
                m.set(self.row, self.row.add_lit(1));
                m.set(self.group, m.lit(unsigned(7), 0));
                m.when(self.rows.eq_lit(1), || m.set(self.active, low()));
            });
        });
        m.when(load, || {
            m.set(self.active, high());
            m.set(self.first, high());
            m.set(self.rows, rows);
            m.set(self.segments, segments);
            m.set(self.groups, groups);
            m.set(self.row, m.lit(unsigned(4), 0));
            m.set(self.group, m.lit(unsigned(7), 0));
        });
    }
}
