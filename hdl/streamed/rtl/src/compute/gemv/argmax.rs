//! Running maximum of vector 0's results: of equal ones the first wins. Ids at or above the limit do not take part.
//! `best_now` is the winner up to and including the present result.

use super::plan::{self, field};
use sagen_lang::{Design, ModuleId, bit, signed, unsigned};

/// The unit.
pub(super) fn argmax(d: &mut Design) -> ModuleId {
    d.module("gemv_argmax", |m| {
        let plan = m.input("plan", unsigned(plan::width()));
        let (valid, first) = (m.input("valid", bit()), m.input("first", bit()));
        let y = m.input("y", signed(32));
        // The plan may be the next descriptor's by the time of the last result.
        let opens = valid & first;
        let held = |name: &str| {
            let now = field(plan, name);
            first.mux(now, m.reg_en(&format!("{name}_held"), opens, now).q())
        };
        let enabled = m.net("enabled", valid & held("argmax"));
        let next_id = m.reg("next_id", unsigned(24));
        let id = m.net("id", first.mux(field(plan, "id_base"), next_id.q()));
        let candidate = id.lt(held("id_limit"));
        let (known, best) = (m.reg("known", bit()).reset(0), m.reg("best", signed(32)));
        let best_id = m.reg("best_id", unsigned(24));
        let fresh = first & field(plan, "argmax_first");
        let before = m.net("known_before", known & !fresh);
        let better = m.net("better", candidate & (!before | y.gt(best)));
        m.when(enabled, || {
            m.set(next_id, id.add_lit(1));
            m.set(known, before | better);
            m.when(better, || {
                m.set(best, y);
                m.set(best_id, id);
            });
        });
        m.output("best_now", better.mux(id, best_id.q()));
    })
}
