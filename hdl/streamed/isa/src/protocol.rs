//! How a program is started and watched: which registers, in which order. Host, co-simulation and firmware all do this.

use crate::csr::{control, error, status};
use crate::{COUNTERS, CSR_COUNTER_BASE, Csr, ErrorSource, Register};

/// Access to the CSR block of one overlay: a bus master, or memory.
pub trait Registers {
    /// What may go wrong on the way.
    type Error;
    /// Read the register at a byte offset.
    fn read(&mut self, offset: u32) -> Result<u32, Self::Error>;
    /// Write it.
    fn write(&mut self, offset: u32, value: u32) -> Result<(), Self::Error>;
}

/// What a program is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Descriptors are left.
    Running,
    /// All of them are complete.
    Done,
    /// It stopped.
    Failed(Failure),
}

/// The `error` register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Failure {
    /// Who met an error first; `None` is a number that no overlay of this version has.
    pub source: Option<ErrorSource>,
    /// Descriptors fetched by then.
    pub fetched: u32,
}

impl Failure {
    /// By the value of the register.
    pub const fn of(register: u32) -> Self {
        Self { source: ErrorSource::from_bits(error::SOURCE.of(register)), fetched: error::FETCHED.of(register) }
    }
}

impl core::fmt::Display for Failure {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let source = self.source.map_or("unknown source", ErrorSource::describe);
        write!(f, "the overlay reports: {source}, after {} descriptors were fetched", self.fetched)
    }
}

/// Set a step register; register 0 ignores it.
pub fn set_register<R: Registers>(to: &mut R, register: Register, value: u32) -> Result<(), R::Error> {
    to.write(register.offset(), value)
}

/// Read a step register.
pub fn register<R: Registers>(of: &mut R, register: Register) -> Result<u32, R::Error> {
    of.read(register.offset())
}

/// Start the program of that many descriptors at a DDR address, with all counters at zero. Step registers are set
/// before. A start while a program runs or the overlay drains is ignored: see [`quiet`].
pub fn start<R: Registers>(on: &mut R, address: u64, descriptors: u32) -> Result<(), R::Error> {
    on.write(Csr::ProgramLow.offset(), address as u32)?;
    on.write(Csr::ProgramHigh.offset(), (address >> 32) as u32)?;
    on.write(Csr::ProgramLength.offset(), descriptors)?;
    on.write(Csr::Control.offset(), control::CLEAR_COUNTERS.mask())?;
    on.write(Csr::Control.offset(), control::START.mask())
}

/// Look once. An error shows at once, though some of the program may still run: [`drain`] before the next one.
pub fn poll<R: Registers>(on: &mut R) -> Result<State, R::Error> {
    let found = on.read(Csr::Status.offset())?;
    if status::ERROR.of(found) == 1 {
        return Ok(State::Failed(Failure::of(on.read(Csr::Error.offset())?)));
    }
    Ok(if status::DONE.of(found) == 1 { State::Done } else { State::Running })
}

/// Give up whatever runs and bring the overlay back to idle: units are cleared, bursts in flight are ended. Needed after
/// an error, and where a program does not end. False if it still drains after so many looks: then a memory port does not
/// answer, and nothing but loading the overlay anew helps.
pub fn drain<R: Registers>(on: &mut R, looks: u32) -> Result<bool, R::Error> {
    on.write(Csr::Control.offset(), control::DRAIN.mask())?;
    quiet(on, looks)
}

/// Wait until the overlay takes a program, after a reset or a drain. False if it does not within so many looks.
pub fn quiet<R: Registers>(on: &mut R, looks: u32) -> Result<bool, R::Error> {
    for _ in 0..looks {
        let found = on.read(Csr::Status.offset())?;
        if status::DRAINING.of(found) == 0 && status::BUSY.of(found) == 0 {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Clock cycles that the last program took, low 32 bits.
pub fn cycles<R: Registers>(of: &mut R) -> Result<u32, R::Error> {
    of.read(Csr::Cycles.offset())
}

/// Event counters of the last program, in the order of [`COUNTERS`].
pub fn counters<R: Registers>(of: &mut R) -> Result<[u32; COUNTERS.len()], R::Error> {
    let mut counters = [0; COUNTERS.len()];
    for (i, counter) in (0..).zip(&mut counters) {
        *counter = of.read(CSR_COUNTER_BASE + 4 * i)?;
    }
    Ok(counters)
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use std::string::ToString;
    use std::vec::Vec;

    /// Remembers what was written; reads give the next of a list.
    struct Fake {
        written: Vec<(u32, u32)>,
        answers: Vec<u32>,
    }

    impl Registers for Fake {
        type Error = ();
        fn read(&mut self, _: u32) -> Result<u32, ()> {
            Ok(self.answers.remove(0))
        }
        fn write(&mut self, offset: u32, value: u32) -> Result<(), ()> {
            self.written.push((offset, value));
            Ok(())
        }
    }

    #[test]
    fn a_program_starts_when_its_place_is_known_and_the_counters_are_clear() {
        let mut fake = Fake { written: Vec::new(), answers: Vec::new() };
        start(&mut fake, 0x12_3456_7880, 77).unwrap();
        assert_eq!(fake.written, [(0x18, 0x3456_7880), (0x1c, 0x12), (0x20, 77), (0x0c, 2), (0x0c, 1)]);
    }

    #[test]
    fn a_drain_ends_when_neither_program_nor_drain_is_left_or_the_patience_is() {
        let mut fake = Fake { written: Vec::new(), answers: std::vec![0b1001, 0b1000, 0b0001, 0b0110] };
        assert_eq!(drain(&mut fake, 9), Ok(true));
        assert_eq!((fake.written, fake.answers), (std::vec![(0x0c, 4)], Vec::new()));
        let mut fake = Fake { written: Vec::new(), answers: std::vec![0b1000; 3] };
        assert_eq!(drain(&mut fake, 3), Ok(false));
    }

    #[test]
    fn an_error_is_reported_before_the_end_and_with_its_source() {
        let mut fake = Fake { written: Vec::new(), answers: std::vec![0b001, 0b010, 0b110, 7 << 8 | 2] };
        assert_eq!(poll(&mut fake), Ok(State::Running));
        assert_eq!(poll(&mut fake), Ok(State::Done));
        let Ok(State::Failed(failure)) = poll(&mut fake) else { panic!("bit 2 is set") };
        let text = "the overlay reports: bus error response to the weight stream, after 7 descriptors were fetched";
        assert_eq!(failure.to_string(), text);
        assert_eq!(Failure::of(9).source, None);
    }
}
