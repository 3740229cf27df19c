//! Running maximum of vector 0's results: of equal ones the first wins. Ids at or above the limit do not take part.
//! `best_now` is the winner up to and including the present result.

use super::plan::Plan;
use sagen_lang::{Design, Layout, ModuleId, Signal, bit, interface, signed, unsigned};

interface! {
    /// Results in, winner out.
    pub(super) struct Argmax() {
        plan: -> Plan::layout().bus(),
        valid: -> bit(),
        /// Of its descriptor.
        first: -> bit(),
        y: -> signed(32),
        best_now: <- unsigned(24),
    }
}

/// The unit.
pub(super) fn argmax(d: &mut Design) -> ModuleId {
    d.module("gemv_argmax", |m| {
        m.doc("Running maximum of vector 0's results; of equal ones the first wins.");
        let port = m.slave("", Argmax::layout());
        let Argmax { valid, first, y, .. } = port;
        let plan = Plan::layout().packed(port.plan).unpack();
        // The plan may be the next descriptor's by the time of the last result.
        let opens = valid & first;
        let held = |name: &str, now: Signal| first.mux(now, m.reg_en(&format!("{name}_held"), opens, now).q());
        let enabled = m.net("enabled", valid & held("argmax", plan.argmax));
        let next_id = m.reg("next_id", unsigned(24));
        let id = m.net("id", first.mux(plan.id_base, next_id.q()));
        let candidate = id.lt(held("id_limit", plan.id_limit));
        let (known, best) = (m.reg("known", bit()).reset(0), m.reg("best", signed(32)));
        let best_id = m.reg("best_id", unsigned(24));
        let fresh = first & plan.argmax_first;
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
        port.best_now.drive(better.mux(id, best_id.q()));
    })
}
