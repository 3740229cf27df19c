//! Stream: queue beats for the compute unit.

use super::Machine;
use super::fault::{Fault, aligned, within};

impl Machine {
    pub(super) fn stream(&mut self, o: &sagen_streamed_isa::Stream) -> Result<(), Fault> {
        let port_bytes = self.overlay.port_bytes() as u64;
        let beats = o.beats + self.value(o.register) * o.register_beats;
        within("beats + register * register_beats", beats, 1, u64::from(u32::MAX))?;
        aligned("base", o.base, port_bytes)?;
        aligned("port_stride", o.port_stride, port_bytes)?;
        self.queue.push(&self.ddr, o.base, o.port_stride, beats)
    }
}
