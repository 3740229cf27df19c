//! Error responses: which burst of a port gets one, and which.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};
use std::fmt;

/// A direction of a port.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Access {
    /// AR and R.
    Read,
    /// AW, W and B.
    Write,
}

/// An error response of AXI.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Response {
    /// SLVERR: the memory cannot serve the burst.
    Slave,
    /// DECERR: nobody is at its address.
    Decode,
}

impl Response {
    /// RRESP and BRESP.
    pub(super) fn bits(self) -> u8 {
        match self {
            Self::Slave => 2,
            Self::Decode => 3,
        }
    }
}

/// One burst that fails: every beat of a read is zero and carries the response; a write leaves the memory as it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Failure {
    /// Which master port.
    pub port: usize,
    /// In which direction.
    pub access: Access,
    /// How many bursts of that port and direction are served before.
    pub after: u64,
    /// How it is answered.
    pub response: Response,
}

impl Failure {
    /// One of the early bursts of one of these channels, the same for the same seed.
    ///
    /// # Panics
    /// Without any channel.
    #[must_use]
    pub fn random(seed: u64, channels: &[(usize, Access)]) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut below = |n: usize| rng.next_u32() as usize % n;
        let (port, access) = channels[below(channels.len())];
        let response = [Response::Slave, Response::Decode][below(2)];
        Self { port, access, after: below(12) as u64, response }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { port, access, after, response } = self;
        let access = match access {
            Access::Read => "read",
            Access::Write => "write",
        };
        let response = match response {
            Response::Slave => "SLVERR",
            Response::Decode => "DECERR",
        };
        write!(f, "{response} to {access} burst {after} of port m{port}")
    }
}

/// Failures of one port and direction that are still to come.
#[derive(Default)]
pub(super) struct Pending {
    served: u64,
    failures: Vec<(u64, Response)>,
}

impl Pending {
    /// Adds a failure, counted from the next burst on.
    pub(super) fn add(&mut self, after: u64, response: Response) {
        self.failures.push((self.served + after, response));
    }

    /// The response of the burst that is accepted now; 0 is OKAY.
    pub(super) fn next(&mut self) -> u8 {
        let number = self.served;
        self.served += 1;
        let found = self.failures.iter().position(|(at, _)| *at == number);
        found.map_or(0, |i| self.failures.swap_remove(i).1.bits())
    }

    /// Nothing is left that could fail.
    pub(super) fn is_empty(&self) -> bool {
        self.failures.is_empty()
    }

    pub(super) fn clear(&mut self) {
        self.failures.clear();
    }
}
