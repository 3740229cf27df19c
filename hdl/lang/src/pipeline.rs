//! What pipelines are made of: flags with their registers, and values that move on with a valid bit.

use crate::module::Module;
use crate::signal::{Signal, cat};
use crate::types::{bit, unsigned};
use std::ops::Range;

/// A pipeline that never stops: stage 0 is its input; what leaves stage i in a valid cycle is kept for stage i + 1.
pub struct Pipeline<'a> {
    m: &'a Module,
    valid: Vec<Signal>,
}

impl Module {
    /// A flag one cycle later; 0 after reset.
    #[track_caller]
    pub fn flag(&self, name: &str, flag: impl Into<Signal>) -> Signal {
        let reg = self.reg(name, bit()).reset(0);
        self.set(reg, flag);
        reg.q()
    }

    /// A flag in each of the next cycles: item i is i cycles late, its register is called `name` and i.
    #[track_caller]
    pub fn flags(&self, name: &str, flag: impl Into<Signal>, cycles: u32) -> Vec<Signal> {
        let mut all = vec![flag.into()];
        for i in 1..=cycles {
            all.push(self.flag(&format!("{name}{i}"), all[all.len() - 1]));
        }
        all
    }

    /// The last values of a flag, two or more, in one register, the latest lowest; 0 after reset.
    #[track_caller]
    pub fn history(&self, name: &str, flag: impl Into<Signal>, cycles: u32) -> Signal {
        let line = self.reg(name, unsigned(cycles)).reset(0);
        self.set(line, cat(&[line.slice(0, cycles - 1), flag.into()]));
        line.q()
    }

    /// A pipeline of registers `valid1`, `valid2` and so on.
    #[track_caller]
    pub fn pipeline(&self, valid: impl Into<Signal>, stages: u32) -> Pipeline<'_> {
        Pipeline { m: self, valid: self.flags("valid", valid, stages) }
    }
}

impl Pipeline<'_> {
    /// Whether a stage holds something.
    pub fn valid(&self, stage: u32) -> Signal {
        self.valid[stage as usize]
    }

    /// A value of this stage in the next one; its register is called `name` and the number of that.
    #[track_caller]
    pub fn reg(&self, name: &str, stage: u32, value: impl Into<Signal>) -> Signal {
        self.m.reg_en(&format!("{name}{}", stage + 1), self.valid(stage), value).q()
    }

    /// A value of the first of these stages in the one that follows them.
    #[track_caller]
    pub fn delay(&self, name: &str, stages: Range<u32>, value: impl Into<Signal>) -> Signal {
        stages.fold(value.into(), |value, stage| self.reg(name, stage, value))
    }
}
