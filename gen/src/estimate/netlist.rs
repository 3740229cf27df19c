//! One synthesised module: the part of yosys's JSON that an estimate needs. The cache holds the same format.

use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::collections::BTreeMap;
use std::fmt::{self, Formatter};

/// What `write_json` wrote.
#[derive(Debug, Deserialize, Serialize)]
pub struct Written {
    /// Modules by name.
    pub modules: BTreeMap<String, Netlist>,
}

/// A module of device cells and instances.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub struct Netlist {
    /// Ports by name.
    pub ports: BTreeMap<String, Port>,
    /// Cells by name.
    pub cells: BTreeMap<String, Cell>,
    /// Names of nets.
    pub netnames: BTreeMap<String, Name>,
}

/// Which way a port carries its value.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Way {
    /// Into the module or cell.
    Input,
    /// Out of it.
    Output,
    /// Both.
    Inout,
}

/// A port of the module.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Port {
    /// Which way.
    pub direction: Way,
    /// Its bits, lowest first.
    pub bits: Vec<Bit>,
}

/// A name that a net has in the Verilog.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Name {
    /// Its bits, lowest first.
    pub bits: Vec<Bit>,
}

/// A device cell or an instance.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Cell {
    /// Device cell or module.
    #[serde(rename = "type")]
    pub kind: String,
    /// Parameters that decide where a DSP block has registers.
    #[serde(default)]
    pub parameters: Registers,
    /// Which way each pin goes.
    #[serde(default)]
    pub port_directions: BTreeMap<String, Way>,
    /// Nets at each pin, lowest bit first.
    pub connections: BTreeMap<String, Vec<Bit>>,
}

/// Register stages of a DSP block; zero in every other cell.
#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize, PartialEq, Eq)]
#[serde(rename_all = "UPPERCASE", default)]
pub struct Registers {
    /// At operand A.
    pub areg: Stages,
    /// At operand B.
    pub breg: Stages,
    /// At operand C.
    pub creg: Stages,
    /// Behind the multiplier.
    pub mreg: Stages,
    /// At the output.
    pub preg: Stages,
}

/// A count of register stages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stages(pub u32);

/// One bit of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bit {
    /// A net.
    Net(u32),
    /// 0, 1, unknown or open.
    Constant,
}

impl Netlist {
    /// One more than the greatest net.
    pub fn nets(&self) -> usize {
        let ports = self.ports.values().flat_map(|p| &p.bits);
        let pins = self.cells.values().flat_map(|c| c.connections.values().flatten());
        ports.chain(pins).filter_map(|b| b.net()).max().map_or(0, |n| n as usize + 1)
    }

    /// A name for every net: the one in the Verilog where there is one.
    pub fn names(&self) -> Vec<Option<String>> {
        let mut names: Vec<Option<String>> = vec![None; self.nets()];
        for (name, value) in &self.netnames {
            for (i, net) in value.bits.iter().enumerate().filter_map(|(i, b)| Some((i, b.net()?))) {
                let made = |n: &str| n.contains('$');
                let Some(old) = names.get_mut(net as usize) else { continue };
                if old.as_deref().is_none_or(|o| made(o) && !made(name)) {
                    *old = Some(if value.bits.len() == 1 { name.clone() } else { format!("{name}[{i}]") });
                }
            }
        }
        names
    }
}

impl Bit {
    /// The net, where it is one.
    pub fn net(self) -> Option<u32> {
        match self {
            Self::Net(net) => Some(net),
            Self::Constant => None,
        }
    }
}

impl Serialize for Bit {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Net(net) => s.serialize_u32(*net),
            Self::Constant => s.serialize_str("x"),
        }
    }
}

impl<'de> Deserialize<'de> for Bit {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        struct Reader;
        impl Visitor<'_> for Reader {
            type Value = Bit;
            fn expecting(&self, f: &mut Formatter<'_>) -> fmt::Result {
                f.write_str("a net number or one of \"0\", \"1\", \"x\", \"z\"")
            }
            fn visit_u64<E: Error>(self, net: u64) -> Result<Bit, E> {
                u32::try_from(net).map(Bit::Net).map_err(E::custom)
            }
            fn visit_str<E: Error>(self, _constant: &str) -> Result<Bit, E> {
                Ok(Bit::Constant)
            }
        }
        d.deserialize_any(Reader)
    }
}

impl Serialize for Stages {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.serialize_u32(self.0)
    }
}

impl<'de> Deserialize<'de> for Stages {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        struct Reader;
        impl Visitor<'_> for Reader {
            type Value = Stages;
            fn expecting(&self, f: &mut Formatter<'_>) -> fmt::Result {
                f.write_str("a number, or a string of binary digits")
            }
            fn visit_u64<E: Error>(self, count: u64) -> Result<Stages, E> {
                u32::try_from(count).map(Stages).map_err(E::custom)
            }
            fn visit_str<E: Error>(self, digits: &str) -> Result<Stages, E> {
                u32::from_str_radix(digits, 2).map(Stages).map_err(E::custom)
            }
        }
        d.deserialize_any(Reader)
    }
}
