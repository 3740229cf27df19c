//! The prefetch FIFO: beats in the order of their stream descriptors, taken from DDR only when they are
//! consumed. Bytes that a store is about to overwrite are copied first, as the FIFO would hold them.

use super::ddr::Ddr;
use super::fault::Fault;
use sagen_streamed_arch::layout::Beat;
use std::borrow::Cow;
use std::collections::VecDeque;
use std::ops::Range;

/// What remains of one stream descriptor.
#[derive(Clone, Debug)]
struct Run {
    base: u64,
    port_stride: u64,
    beats: u64,
    /// Contents of each port, where they no longer are those of DDR.
    copied: Option<Vec<Vec<u8>>>,
}

/// Streamed beats that nobody consumed yet.
pub(crate) struct Queue {
    beat: Beat,
    runs: VecDeque<Run>,
    /// Bytes consumed since the routine began.
    consumed: u64,
}

/// Consecutive beats, one slice a port.
pub(crate) type Ports<'a> = Vec<Cow<'a, [u8]>>;

impl Queue {
    pub(crate) fn new(beat: Beat) -> Self {
        Self { beat, runs: VecDeque::new(), consumed: 0 }
    }

    /// Bytes consumed.
    pub(crate) fn consumed(&self) -> u64 {
        self.consumed
    }

    /// Beats that are waiting.
    pub(crate) fn beats(&self) -> u64 {
        self.runs.iter().map(|r| r.beats).sum()
    }

    /// Append a stream descriptor's beats, which must lie in DDR.
    pub(crate) fn push(&mut self, ddr: &Ddr, base: u64, port_stride: u64, beats: u64) -> Result<(), Fault> {
        let g = self.beat;
        for port in 0..g.ports as u64 {
            ddr.read(base + port * port_stride, beats * g.port_bytes as u64)?;
        }
        self.runs.push_back(Run { base, port_stride, beats, copied: None });
        Ok(())
    }

    /// Take the next beats. One run is lent as it lies in DDR; several are joined.
    pub(crate) fn take<'a>(&mut self, ddr: &'a Ddr, beats: u64) -> Result<Ports<'a>, Fault> {
        let g = self.beat;
        if self.beats() < beats {
            return Err(Fault::Underrun { wanted: beats, found: self.beats() });
        }
        let mut taken: Ports<'a> = vec![Cow::Borrowed(&[]); g.ports];
        let mut left = beats;
        while left > 0 {
            let run = self.runs.front_mut().expect("the queue holds enough beats");
            let n = left.min(run.beats);
            for (port, all) in taken.iter_mut().enumerate() {
                let piece = run.front(ddr, g, port, n)?;
                if all.is_empty() {
                    *all = piece;
                } else {
                    all.to_mut().extend_from_slice(&piece);
                }
            }
            run.advance(g, n);
            if run.beats == 0 {
                self.runs.pop_front();
            }
            left -= n;
        }
        self.consumed += beats * g.bytes() as u64;
        Ok(taken)
    }

    /// Copy what a write to `range` would change.
    pub(crate) fn keep(&mut self, ddr: &Ddr, range: Range<u64>) -> Result<(), Fault> {
        let g = self.beat;
        for run in self.runs.iter_mut().filter(|r| r.copied.is_none()) {
            let bytes = run.beats * g.port_bytes as u64;
            let meets = |port: u64| {
                let base = run.base + port * run.port_stride;
                base < range.end && range.start < base + bytes
            };
            if (0..g.ports as u64).any(meets) {
                let port = |p: usize| run.front(ddr, g, p, run.beats).map(Cow::into_owned);
                run.copied = Some((0..g.ports).map(port).collect::<Result<_, _>>()?);
            }
        }
        Ok(())
    }
}

impl Run {
    /// The first beats of one port.
    fn front<'a>(&self, ddr: &'a Ddr, g: Beat, port: usize, beats: u64) -> Result<Cow<'a, [u8]>, Fault> {
        let bytes = beats * g.port_bytes as u64;
        match &self.copied {
            Some(ports) => Ok(Cow::Owned(ports[port][..bytes as usize].to_vec())),
            None => ddr.read(self.base + port as u64 * self.port_stride, bytes).map(Cow::Borrowed),
        }
    }

    fn advance(&mut self, g: Beat, beats: u64) {
        let bytes = beats * g.port_bytes as u64;
        self.base += bytes;
        self.beats -= beats;
        for port in self.copied.iter_mut().flatten() {
            port.drain(..bytes as usize);
        }
    }
}
