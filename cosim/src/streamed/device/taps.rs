//! Observation outputs of the co-simulation top: every write of every unit, cycle by cycle.

use crate::bridge::{BridgeError, Bus, Port, Sim};
use sagen_streamed_golden::machine::Write;
use sagen_streamed_isa::{GROUP, UNITS, Unit, WORD_BYTES};
use std::collections::VecDeque;

/// Writes since the unit's last completed descriptor.
pub(super) type Pending = [Vec<Write>; UNITS.len()];

struct Scratch {
    unit: Unit,
    valid: Port<u8>,
    addr: Port<u16>,
    data: Bus,
    mask: Port<u64>,
}

/// The tap ports.
pub(super) struct Taps {
    scratch: Vec<Scratch>,
    code: (Port<u8>, Port<u16>, Bus, Port<u8>, Port<u8>),
    scale: (Port<u8>, Port<u16>, Port<u32>),
    register: (Port<u8>, Port<u8>, Port<u32>),
    /// Code words are written in quarters: the words as they are by now.
    codes: std::collections::BTreeMap<u32, [i8; GROUP]>,
    pub(super) pending: Pending,
    /// Results of argmaxes that no completed descriptor has claimed. They come in the order of the descriptors, but a short
    /// one's may come before the last scratchpad word of the one before it.
    pub(super) results: VecDeque<Write>,
    pub(super) data_port: usize,
}

impl Taps {
    pub(super) fn attach(sim: &Sim, data_port: usize) -> Result<Self, BridgeError> {
        let scratch = |unit: Unit| {
            let name = unit.name();
            Ok(Scratch {
                unit,
                valid: sim.port(&format!("tap_{name}_valid"))?,
                addr: sim.port(&format!("tap_{name}_addr"))?,
                data: sim.bus(&format!("tap_{name}_data"))?,
                mask: sim.port(&format!("tap_{name}_mask"))?,
            })
        };
        Ok(Self {
            scratch: [Unit::Vector, Unit::Compute, Unit::Load].into_iter().map(scratch).collect::<Result<_, _>>()?,
            code: (
                sim.port("tap_c_valid")?,
                sim.port("tap_c_addr")?,
                sim.bus("tap_c_data")?,
                sim.port("tap_c_mask")?,
                sim.port("tap_c_shift")?,
            ),
            scale: (sim.port("tap_f_valid")?, sim.port("tap_f_addr")?, sim.port("tap_f_data")?),
            register: (sim.port("tap_reg_write")?, sim.port("tap_reg_index")?, sim.port("tap_reg_data")?),
            codes: Default::default(),
            pending: Default::default(),
            results: VecDeque::new(),
            data_port,
        })
    }

    /// Record the writes of this cycle.
    #[inline]
    pub(super) fn sample(&mut self) {
        for tap in &self.scratch {
            if tap.valid.get() == 1 {
                let mut bytes = [0; WORD_BYTES];
                tap.data.copy_to(&mut bytes);
                let mask = tap.mask.get();
                bytes.iter_mut().enumerate().filter(|(i, _)| mask >> i & 1 == 0).for_each(|(_, b)| *b = 0);
                let word = u32::from(tap.addr.get());
                self.pending[tap.unit.index()].push(Write::Scratch { word, mask, bytes });
            }
        }
        if self.code.0.get() == 1 {
            self.code_write();
        }
        if self.scale.0.get() == 1 {
            let (entry, value) = (u32::from(self.scale.1.get()), self.scale.2.get());
            self.pending[Unit::Vector.index()].push(Write::Scale { entry, value });
        }
        if self.register.0.get() == 1 {
            let (index, value) = (u32::from(self.register.1.get()), self.register.2.get());
            self.results.push_back(Write::Register { index, value });
        }
    }

    fn code_write(&mut self) {
        let word = u32::from(self.code.1.get());
        let mut bytes = [0; GROUP];
        self.code.2.copy_to(&mut bytes);
        let mask = self.code.3.get();
        let codes = self.codes.entry(word).or_insert([0; GROUP]);
        let quarter = GROUP / 4;
        for (i, code) in codes.iter_mut().enumerate().filter(|(i, _)| mask >> (i / quarter) & 1 == 1) {
            *code = bytes[i] as i8;
        }
        let write = Write::Code { word, codes: *codes, shift: self.code.4.get() };
        self.pending[Unit::Vector.index()].push(write);
    }
}
