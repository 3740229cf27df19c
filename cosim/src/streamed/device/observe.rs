//! The taps that a profile needs, sampled into a recorder.

use crate::bridge::{BridgeError, Port, Sim};
use crate::streamed::timeline::{Recorder, Sample, Timeline};
use sagen_streamed_arch::Routine;

/// Follows one run.
pub(super) struct Observer {
    taken: Port<u8>,
    queued: Port<u8>,
    offered: Port<u8>,
    refused: Port<u8>,
    beat: Port<u8>,
    starved: Port<u8>,
    blocked: Port<u8>,
    recorder: Recorder,
}

impl Observer {
    pub(super) fn attach(sim: &Sim, routine: &Routine) -> Result<Self, BridgeError> {
        Ok(Self {
            taken: sim.port("tap_taken")?,
            queued: sim.port("tap_queued")?,
            offered: sim.port("tap_offered")?,
            refused: sim.port("tap_refused")?,
            beat: sim.port("tap_beat")?,
            starved: sim.port("tap_starved")?,
            blocked: sim.port("tap_blocked")?,
            recorder: Recorder::new(routine),
        })
    }

    /// Record this cycle, in which these units complete a descriptor.
    #[inline]
    pub(super) fn sample(&mut self, done: u8) {
        self.recorder.sample(&Sample {
            taken: self.taken.get(),
            queued: self.queued.get(),
            offered: self.offered.get(),
            refused: self.refused.get() == 1,
            done,
            beat: self.beat.get() == 1,
            starved: self.starved.get() == 1,
            blocked: self.blocked.get() == 1,
        });
    }

    pub(super) fn finish(self) -> Timeline {
        self.recorder.finish()
    }
}
