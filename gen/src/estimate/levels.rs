//! Logic levels between registers. Each module is analysed once, children first; what its parent needs of it is how
//! late its outputs are, how much its inputs still have before them, and how far it is from input to output.
//! A path that crosses modules is so found in the module in which both ends are known.

use super::netlist::{Bit, Netlist, Way};
use super::rules::{self, Entry};
use serde::Serialize;
use std::collections::BTreeMap;

/// A loop without a register.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("{module}: combinational loop through {nets}")]
pub struct Loop {
    /// Module.
    pub module: String,
    /// Some of its nets.
    pub nets: String,
}

/// The longest path to one register.
#[derive(Clone, Debug, Serialize, PartialEq, Eq, PartialOrd, Ord)]
pub struct Path {
    /// Levels.
    pub levels: u32,
    /// Where it starts.
    pub from: String,
    /// Named nets on the way, with the levels so far.
    pub nets: Vec<(String, u32)>,
    /// Where it ends.
    pub to: String,
}

/// One bit of a port.
type Pin = (String, usize);

/// Levels of one module.
#[derive(Clone, Debug, Default)]
pub struct Levels {
    /// The longest path to each register that ends or starts here, longest first. Bits of a register count as one.
    pub paths: Vec<Path>,
    outputs: BTreeMap<Pin, (u32, String)>,
    inputs: BTreeMap<Pin, (u32, String)>,
    through: BTreeMap<Pin, Vec<(Pin, u32)>>,
}

impl Levels {
    /// Levels of the longest path between registers.
    pub fn worst(&self) -> u32 {
        self.paths.first().map_or(0, |p| p.levels)
    }
    /// Levels from an input to the farthest register.
    pub fn input(&self) -> u32 {
        self.inputs.values().map(|i| i.0).max().unwrap_or(0)
    }
    /// Levels from the farthest register to an output.
    pub fn output(&self) -> u32 {
        self.outputs.values().map(|o| o.0).max().unwrap_or(0)
    }
    /// Levels from input to output.
    pub fn through(&self) -> u32 {
        self.through.values().flatten().map(|t| t.1).max().unwrap_or(0)
    }
}

/// Levels of every module; `order` has children before parents. Cells must be known to the rules.
pub fn analyse(order: &[String], netlists: &BTreeMap<String, Netlist>) -> Result<BTreeMap<String, Levels>, Loop> {
    let mut done: BTreeMap<String, Levels> = BTreeMap::new();
    for module in order {
        let levels = Graph::of(&netlists[module], &done).levels(module, &netlists[module])?;
        done.insert(module.clone(), levels);
    }
    Ok(done)
}

/// Nets as nodes, cells and instances as edges.
struct Graph {
    names: Vec<Option<String>>,
    edges: Vec<Vec<(u32, u32)>>,
    starts: Vec<Option<(u32, String)>>,
    ends: Vec<Option<(u32, String)>>,
}

/// What an analysis knows of each net: levels from the latest register, and the net before it.
struct Arrivals {
    levels: Vec<Option<u32>>,
    before: Vec<Option<u32>>,
}

fn later(slot: &mut Option<(u32, String)>, levels: u32, label: impl FnOnce() -> String) {
    if slot.as_ref().is_none_or(|s| s.0 < levels) {
        *slot = Some((levels, label()));
    }
}

fn nets(bits: &[Bit]) -> impl Iterator<Item = (usize, usize)> {
    bits.iter().enumerate().filter_map(|(i, b)| Some((i, b.net()? as usize)))
}

impl Graph {
    fn of(netlist: &Netlist, children: &BTreeMap<String, Levels>) -> Self {
        let n = netlist.nets();
        let mut graph =
            Self { names: netlist.names(), edges: vec![Vec::new(); n], starts: vec![None; n], ends: vec![None; n] };
        for (name, cell) in &netlist.cells {
            match (children.get(&cell.kind), rules::kind(cell)) {
                (Some(child), _) => graph.place(name, &cell.connections, child),
                (None, Some(kind)) => graph.cell(name, cell, kind),
                (None, None) => {}
            }
        }
        graph
    }

    fn place(&mut self, name: &str, connections: &BTreeMap<String, Vec<Bit>>, child: &Levels) {
        let at = |pin: &Pin| connections.get(&pin.0).and_then(|bits| bits.get(pin.1)?.net()).map(|n| n as usize);
        for (pin, (levels, label)) in &child.outputs {
            if let Some(net) = at(pin) {
                later(&mut self.starts[net], *levels, || format!("{name}/{label}"));
            }
        }
        for (pin, (levels, label)) in &child.inputs {
            if let Some(net) = at(pin) {
                later(&mut self.ends[net], *levels, || format!("{name}/{label}"));
            }
        }
        for (from, to) in &child.through {
            let Some(from) = at(from) else { continue };
            let to = to.iter().filter_map(|(pin, levels)| Some((at(pin)? as u32, *levels)));
            self.edges[from].extend(to);
        }
    }

    fn cell(&mut self, name: &str, cell: &super::netlist::Cell, kind: rules::Kind) {
        let pins = |way| cell.connections.iter().filter(move |(pin, _)| cell.port_directions.get(*pin) == Some(&way));
        let outputs: Vec<usize> = pins(Way::Output).flat_map(|(_, bits)| nets(bits)).map(|(_, net)| net).collect();
        // A register is called as the net that it drives, and so is a cell to which yosys gave a name of its own.
        let driven = outputs.first().and_then(|o| self.names[*o].clone());
        let called = match kind == rules::Kind::FlipFlop || name.contains('$') {
            true => driven.unwrap_or_else(|| name.to_string()),
            false => name.to_string(),
        };
        for net in outputs.iter().filter(|_| kind.start().is_some()) {
            later(&mut self.starts[*net], kind.start().unwrap_or(0), || called.clone());
        }
        for (pin, bits) in pins(Way::Input) {
            let (register, through) = match kind.entry(pin) {
                Entry::Clock => (None, None),
                Entry::Register(levels) => (Some(levels), None),
                Entry::Outputs(levels) => (None, Some(levels)),
                Entry::Both(levels) => (Some(0), Some(levels)),
            };
            for (_, net) in nets(bits) {
                if let Some(levels) = register {
                    later(&mut self.ends[net], levels, || format!("{called}.{pin}"));
                }
                if let Some(levels) = through {
                    self.edges[net].extend(outputs.iter().map(|o| (*o as u32, levels)));
                }
            }
        }
    }

    fn levels(&self, module: &str, netlist: &Netlist) -> Result<Levels, Loop> {
        let order = self.order(module)?;
        let arrivals = self.arrivals(&order);
        let needs = self.needs(&order);
        let mut levels = Levels { paths: self.paths(&arrivals), ..Levels::default() };
        let outputs = self.reaches_output(netlist, &order);
        let place = Place { order: &order, outputs: &outputs };
        for (name, port) in &netlist.ports {
            for (i, net) in nets(&port.bits) {
                let pin = (name.clone(), i);
                match port.direction {
                    Way::Input => {
                        let through = self.distances(net, &place, netlist);
                        if !through.is_empty() {
                            levels.through.insert(pin.clone(), through);
                        }
                        levels.inputs.extend(needs[net].clone().map(|need| (pin, need)));
                    }
                    Way::Output => {
                        let late = arrivals.levels[net].map(|l| (pin, (l, self.source(&arrivals, net))));
                        levels.outputs.extend(late);
                    }
                    Way::Inout => {}
                }
            }
        }
        Ok(levels)
    }

    /// Nets before all that depend on them.
    fn order(&self, module: &str) -> Result<Vec<usize>, Loop> {
        let mut waits = vec![0u32; self.edges.len()];
        self.edges.iter().flatten().for_each(|(to, _)| waits[*to as usize] += 1);
        let mut order: Vec<usize> = (0..waits.len()).filter(|n| waits[*n] == 0).collect();
        let mut next = 0;
        while next < order.len() {
            for (to, _) in &self.edges[order[next]] {
                waits[*to as usize] -= 1;
                if waits[*to as usize] == 0 {
                    order.push(*to as usize);
                }
            }
            next += 1;
        }
        if order.len() == waits.len() {
            return Ok(order);
        }
        let looped = (0..waits.len()).filter(|n| waits[*n] > 0).map(|n| self.name(n));
        let nets: Vec<String> = looped.filter(|n| !n.contains('$')).take(4).collect();
        Err(Loop { module: module.to_string(), nets: nets.join(", ") })
    }

    fn name(&self, net: usize) -> String {
        self.names[net].clone().unwrap_or_else(|| format!("${net}"))
    }

    fn arrivals(&self, order: &[usize]) -> Arrivals {
        let levels = self.starts.iter().map(|s| s.as_ref().map(|s| s.0)).collect();
        let mut arrivals = Arrivals { levels, before: vec![None; self.edges.len()] };
        for &net in order {
            let Some(here) = arrivals.levels[net] else { continue };
            for &(to, step) in &self.edges[net] {
                if arrivals.levels[to as usize].is_none_or(|l| l < here + step) {
                    arrivals.levels[to as usize] = Some(here + step);
                    arrivals.before[to as usize] = Some(net as u32);
                }
            }
        }
        arrivals
    }

    /// Levels that lie between each net and the farthest register behind it.
    fn needs(&self, order: &[usize]) -> Vec<Option<(u32, String)>> {
        let mut needs = self.ends.clone();
        for &net in order.iter().rev() {
            for &(to, step) in &self.edges[net] {
                let Some(levels) = needs[to as usize].as_ref().map(|n| n.0 + step) else { continue };
                if needs[net].as_ref().is_none_or(|n| n.0 < levels) {
                    needs[net] = needs[to as usize].as_ref().map(|n| (levels, n.1.clone()));
                }
            }
        }
        needs
    }

    fn chain(&self, arrivals: &Arrivals, net: usize) -> Vec<usize> {
        let mut chain = vec![net];
        while let Some(before) = arrivals.before[chain[chain.len() - 1]] {
            chain.push(before as usize);
        }
        chain.reverse();
        chain
    }

    fn source(&self, arrivals: &Arrivals, net: usize) -> String {
        let first = self.chain(arrivals, net)[0];
        self.starts[first].as_ref().map_or_else(|| self.name(first), |s| s.1.clone())
    }

    /// The longest path to each register.
    fn paths(&self, arrivals: &Arrivals) -> Vec<Path> {
        let mut longest: BTreeMap<String, (u32, usize)> = BTreeMap::new();
        for (net, end) in self.ends.iter().enumerate() {
            let (Some(here), Some((more, label))) = (arrivals.levels[net], end) else { continue };
            let slot = longest.entry(without_indices(label)).or_insert((here + more, net));
            if slot.0 < here + more {
                *slot = (here + more, net);
            }
        }
        let path = |(register, (levels, net)): (String, (u32, usize))| {
            let chain = self.chain(arrivals, net);
            let named = chain.iter().filter_map(|n| Some((self.names[*n].clone()?, arrivals.levels[*n]?)));
            let nets = named.filter(|(name, _)| !name.contains('$')).collect();
            Path { levels, from: self.source(arrivals, net), nets, to: register }
        };
        let mut paths: Vec<Path> = longest.into_iter().map(path).collect();
        paths.sort_by(|a, b| b.levels.cmp(&a.levels).then_with(|| a.cmp(b)));
        paths
    }

    /// Nets from which an output is reached without a register.
    fn reaches_output(&self, netlist: &Netlist, order: &[usize]) -> Vec<bool> {
        let mut reaches = vec![false; self.edges.len()];
        let outputs = netlist.ports.values().filter(|p| p.direction == Way::Output);
        outputs.flat_map(|p| nets(&p.bits)).for_each(|(_, net)| reaches[net] = true);
        for &net in order.iter().rev() {
            reaches[net] |= self.edges[net].iter().any(|(to, _)| reaches[*to as usize]);
        }
        reaches
    }

    /// Levels from one input to each output that it reaches.
    fn distances(&self, input: usize, place: &Place<'_>, netlist: &Netlist) -> Vec<(Pin, u32)> {
        if !place.outputs[input] {
            return Vec::new();
        }
        let mut levels: Vec<Option<u32>> = vec![None; self.edges.len()];
        levels[input] = Some(0);
        for &net in place.order {
            let Some(here) = levels[net] else { continue };
            for &(to, step) in self.edges[net].iter().filter(|(to, _)| place.outputs[*to as usize]) {
                let slot = &mut levels[to as usize];
                *slot = (*slot).max(Some(here + step));
            }
        }
        let outputs = netlist.ports.iter().filter(|(_, p)| p.direction == Way::Output);
        let bits = outputs.flat_map(|(name, port)| nets(&port.bits).map(move |(i, net)| ((name.clone(), i), net)));
        bits.filter_map(|(pin, net)| Some((pin, levels[net]?))).collect()
    }
}

struct Place<'a> {
    order: &'a [usize],
    outputs: &'a [bool],
}

/// `regs[3].D` as `regs.D`: the bits of one register are one register.
fn without_indices(label: &str) -> String {
    let mut depth = 0;
    let mut kept = String::new();
    for c in label.chars() {
        match c {
            '[' => depth += 1,
            ']' => depth -= 1,
            _ if depth == 0 => kept.push(c),
            _ => {}
        }
    }
    kept
}
