//! What the co-simulation sees of the core: every write to a memory or register, completions, and what a profile needs.

use super::Parts;
use crate::interface::{CodeWrite, Progress, ScaleWrite, ScratchWrite, StepWrite, UnitPort};
use sagen_lang::{Module, Signal, pack};
use sagen_streamed_isa::{UNITS, Unit};

impl Parts {
    pub(super) fn taps(&self, m: &Module) {
        let of_units = |signal: &dyn Fn(Unit) -> Signal| pack(&UNITS.map(signal));
        let unit = |unit: Unit| self.unit(unit).slave::<UnitPort>("").ports();
        let offer = |unit: Unit| self.scheduler.master::<UnitPort>(format!("{}_", unit.name())).ports();
        let held = |unit: Unit| self.scheduler.output(&format!("{}_held", unit.name()));
        let tap = m.master("tap_", Progress::layout());
        tap.done.drive(of_units(&|u| unit(u).done));
        tap.taken.drive(of_units(&|u| offer(u).valid) & of_units(&|u| unit(u).ready));
        tap.queued.drive(of_units(&|u| offer(u).valid) | of_units(&held));
        tap.offered.drive(of_units(&|u| offer(u).valid));
        tap.refused.drive(self.scheduler.output("blocked"));
        tap.beat.drive(self.beat_passes());
        tap.starved.drive(self.compute.output("event_starved"));
        tap.failed.drive(self.csr.output("failed"));
        tap.blocked.drive(self.stream.output("event_blocked"));
        for unit in [Unit::Vector, Unit::Compute, Unit::Load] {
            self.scratch_tap(m, unit);
        }
        m.pass_master("tap_c_", &self.vector.master::<CodeWrite>("c_"));
        m.pass_master("tap_f_", &self.vector.master::<ScaleWrite>("f_"));
        m.pass_master("tap_reg_", &self.compute.master::<StepWrite>("reg_"));
    }

    /// The writes that the scratchpad takes.
    fn scratch_tap(&self, m: &Module, unit: Unit) {
        let write = self.unit(unit).master::<ScratchWrite>("w_").ports();
        let granted = self.scratch.slave::<ScratchWrite>(format!("{}_", unit.name())).ports().ready;
        let tap = m.master(format!("tap_{}_", unit.name()), ScratchWrite::layout(false));
        tap.valid.drive(granted.map_or(write.valid, |ready| write.valid & ready));
        tap.addr.drive(write.addr);
        tap.data.drive(write.data);
        tap.mask.drive(write.mask);
    }
}
