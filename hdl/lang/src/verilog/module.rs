//! The text of one module: ports, declarations, nets, instances, clocked blocks, assertions.

use super::expr::{Forms, range};
use super::plan::Plan;
use super::waivers::{Rule, Waivers};
use super::{clocked, memory};
use crate::design::{Design, Direction, Entity};
use crate::memory::MemRead;
use crate::node::{InstanceDef, ModuleDef, NodeId, Op};
use crate::types::Type;
use std::collections::BTreeSet;
use std::fmt::Write;

/// The text, and what lint is to pass over in it.
pub(super) fn print(design: &Design, def: &ModuleDef) -> (String, Waivers) {
    let plan = Plan::new(def);
    let mut printer = Printer {
        design,
        def,
        plan: &plan,
        forms: Forms::new(def, &plan),
        generated: BTreeSet::new(),
        anonymous: 0,
        dangling: vec![],
        waivers: Waivers::default(),
    };
    (printer.module(), printer.waivers)
}

struct Printer<'a> {
    design: &'a Design,
    def: &'a ModuleDef,
    plan: &'a Plan,
    forms: Forms<'a>,
    generated: BTreeSet<String>,
    anonymous: u32,
    /// Nets of instance outputs that nothing reads: instance, port, net.
    dangling: Vec<(usize, usize, String)>,
    waivers: Waivers,
}

impl Printer<'_> {
    fn module(&mut self) -> String {
        let def = self.def;
        let mut text: String = def.doc.iter().map(|l| format!("// {l}").trim_end().to_string() + "\n").collect();
        text.push_str("`timescale 1ns / 1ps\n`default_nettype none\n");
        text += &self.header();
        let mut declarations = self.declarations();
        declarations.extend(self.nets(&self.plan.live.clone()));
        declarations.iter().for_each(|d| _ = writeln!(text, "  {d}"));
        self.assignments(&mut text);
        if !def.instances.is_empty() {
            text.push('\n');
        }
        for (i, instance) in def.instances.iter().enumerate() {
            let _ = writeln!(text, "  {}", self.instance(i, instance));
        }
        clocked::block(def, &self.forms, &mut text);
        def.mems.iter().for_each(|mem| memory::blocks(mem, &self.forms, &mut text));
        self.assertions(&mut text);
        text.push_str("\nendmodule\n`default_nettype wire\n");
        text
    }

    /// The name and the ports, one a line with what its interface says of it.
    fn header(&mut self) -> String {
        let (def, mut ports) = (self.def, Vec::new());
        let mut implicit = |name: &str, used: bool| {
            ports.push((name.to_string(), format!("input wire {name}"), String::new()));
            if !used {
                self.waivers.add(Rule::UnusedSignal, name);
            }
        };
        if def.clocked {
            implicit("clk", clock_used(self.design, def));
        }
        if def.resettable {
            implicit("rst", reset_used(self.design, def, self.plan));
        }
        for port in &def.ports {
            let text = format!("{} wire {}{}", port.direction.word(), typed(port.ty), port.name);
            let doc = if port.doc.is_empty() { String::new() } else { format!(" // {}", port.doc) };
            ports.push((port.name.clone(), text, doc));
            if self.input_unread(&port.name) {
                self.waivers.add(Rule::UnusedSignal, &port.name);
            }
        }
        let mut text = format!("module {} (", def.name);
        for (i, (name, port, doc)) in ports.iter().enumerate() {
            let comma = if i + 1 < ports.len() { "," } else { "" };
            let attributes = self.attributes(name);
            let _ = write!(text, "\n  {attributes}{port}{comma}{doc}");
        }
        text + "\n);\n"
    }

    /// Attributes of a port, each on a line before it.
    fn attributes(&self, port: &str) -> String {
        let of_port = self.design.attributes.get(&(self.def.name.clone(), port.to_string()));
        of_port.into_iter().flatten().map(|(name, value)| format!("(* {name} = \"{value}\" *)\n  ")).collect()
    }

    fn input_unread(&self, name: &str) -> bool {
        let of_port = |op: &Op| matches!(op, Op::Input(p) if self.def.ports[*p as usize].name == name);
        let node = self.def.nodes.iter().position(|n| of_port(&n.op));
        node.is_some_and(|n| self.plan.dropped[n])
    }

    /// State constants, registers, memories, wires and instance outputs; gives each its name.
    fn declarations(&mut self) -> Vec<String> {
        let (def, mut out) = (self.def, Vec::new());
        self.state_constants(&mut out);
        for (i, node) in def.nodes.iter().enumerate() {
            if let (Op::Input(_) | Op::Reg(_) | Op::Wire(_) | Op::SyncRead { .. }, Some(name)) = (&node.op, &node.name)
            {
                self.forms.name(i as NodeId, name);
            }
        }
        for reg in &def.regs {
            let attribute = if reg.use_dsp { "(* use_dsp = \"yes\" *) " } else { "" };
            self.waive(reg.node, &reg.name);
            out.push(format!("{attribute}reg {}{};", typed(reg.ty), reg.name));
        }
        for (m, mem) in def.mems.iter().enumerate() {
            let of_mem = |op: &Op| matches!(op, Op::AsyncRead { mem, .. } if *mem as usize == m);
            let mut live = def.nodes.iter().zip(&self.plan.live);
            let read = !mem.reads.is_empty() || live.any(|(n, live)| *live && of_mem(&n.op));
            let partly = |read: &MemRead| self.plan.dropped[read.node as usize];
            out.extend(memory::declarations(mem, read, partly, &mut self.waivers));
        }
        for wire in &def.wires {
            let ty = def.nodes[wire.node as usize].ty;
            self.waive(wire.node, &wire.name);
            out.push(format!("wire {}{};", typed(ty), wire.name));
        }
        for (i, instance) in def.instances.iter().enumerate() {
            self.instance_outputs(i, instance, &mut out);
        }
        out
    }

    fn state_constants(&mut self, out: &mut Vec<String>) {
        for (f, fsm) in self.def.fsms.iter().enumerate() {
            let width = (fsm.states.len().max(2) - 1).ilog2() + 1;
            for (i, constant) in fsm.constants.iter().enumerate() {
                out.push(format!("localparam {}{constant} = {width}'d{i};", range(width)));
                let op = Op::State { fsm: f as u32, index: i as u32 };
                let read = self.def.nodes.iter().zip(&self.plan.live).any(|(n, live)| *live && n.op == op);
                if !read {
                    self.waivers.add(Rule::UnusedParam, constant);
                }
            }
        }
    }

    fn instance_outputs(&mut self, number: usize, instance: &InstanceDef, out: &mut Vec<String>) {
        let entity = self.design.entities[instance.module.0].clone();
        for (p, port) in entity.ports().iter().enumerate().filter(|(_, p)| p.direction == Direction::Output) {
            let node = instance.outputs[p];
            let user = node.and_then(|n| self.def.nodes[n as usize].name.clone());
            let name = user.unwrap_or_else(|| self.generate(&format!("_{}_{}", instance.name, port.name)));
            out.push(format!("wire {}{name};", typed(port.ty)));
            match node {
                Some(node) => {
                    self.forms.name(node, &name);
                    self.waive(node, &name);
                }
                None => {
                    self.waivers.add(Rule::UnusedSignal, &name);
                    self.dangling.push((number, p, name));
                }
            }
        }
    }

    /// Declarations of the nets in this set of nodes, in order.
    fn nets(&mut self, set: &[bool]) -> Vec<String> {
        let mut out = Vec::new();
        for (i, node) in self.def.nodes.iter().enumerate().filter(|(i, _)| set[*i]) {
            let id = i as NodeId;
            match node.op {
                Op::Input(_) | Op::Reg(_) | Op::Wire(_) | Op::SyncRead { .. } | Op::InstanceOutput { .. } => continue,
                Op::Reset => {
                    self.forms.name(id, "rst");
                    continue;
                }
                _ => {}
            }
            let form = match self.forms.shifted_extension(id) {
                Some((a, n)) => {
                    let top = self.next_anonymous();
                    out.push(format!("wire {}{top} = {{{}, {n}'d0}};", typed(node.ty), self.forms.text(a)));
                    Forms::shifted_down(&top, n)
                }
                None => self.forms.expression(id),
            };
            if node.name.is_none() && self.forms.fits(id, &form) {
                self.forms.inline(id, form);
                continue;
            }
            let name = node.name.clone().unwrap_or_else(|| self.next_anonymous());
            self.forms.name(id, &name);
            self.waive(id, &name);
            out.push(format!("wire {}{name} = {};", typed(node.ty), form.text));
        }
        out
    }

    fn next_anonymous(&mut self) -> String {
        self.anonymous += 1;
        format!("_n{}", self.anonymous)
    }

    /// Bits that are dropped on purpose are no news.
    fn waive(&mut self, node: NodeId, name: &str) {
        if self.plan.dropped[node as usize] {
            self.waivers.add(Rule::UnusedSignal, name);
        }
    }

    fn assignments(&self, text: &mut String) {
        for wire in &self.def.wires {
            let driver = wire.driver.expect("checked when the module was finished");
            let _ = writeln!(text, "  assign {} = {};", wire.name, self.forms.text(driver));
        }
        for (port, driver) in self.def.ports.iter().zip(&self.def.outputs) {
            driver.iter().for_each(|&d| _ = writeln!(text, "  assign {} = {};", port.name, self.forms.text(d)));
        }
    }

    fn instance(&self, number: usize, instance: &InstanceDef) -> String {
        let entity = &self.design.entities[instance.module.0];
        let mut pins = Vec::new();
        if entity.clocked() {
            pins.push(".clk(clk)".to_string());
        }
        if entity.resettable() {
            let reset = instance.reset.map_or("rst", |n| self.forms.text(n));
            pins.push(format!(".rst({reset})"));
        }
        for (p, port) in entity.ports().iter().enumerate() {
            let dangling = self.dangling.iter().find(|(i, q, _)| (*i, *q) == (number, p)).map(|(_, _, n)| n.as_str());
            let node = instance.inputs[p].or(instance.outputs[p]).map(|n| self.forms.text(n));
            pins.push(format!(".{}({})", port.name, node.or(dangling).expect("every port has a net")));
        }
        let params = match &**entity {
            Entity::BlackBox(b) if !b.params.is_empty() => {
                let values: Vec<String> = b.params.iter().map(|(k, v)| format!(".{k}({v})")).collect();
                format!(" #({})", values.join(", "))
            }
            Entity::BlackBox(_) | Entity::Module(_) => String::new(),
        };
        format!("{}{params} {} ({});", entity.name(), instance.name, pins.join(", "))
    }

    fn assertions(&mut self, text: &mut String) {
        if self.def.asserts.is_empty() {
            return;
        }
        text.push_str("\n`ifdef SAGEN_ASSERT\n");
        let nets = self.nets(&self.plan.asserted.clone());
        nets.iter().for_each(|net| _ = writeln!(text, "  {net}"));
        text.push_str("  always @(posedge clk) begin\n");
        for assertion in &self.def.asserts {
            let message = assertion.message.replace('\\', "\\\\").replace('"', "\\\"").replace('%', "%%");
            let _ = writeln!(text, "    if ({}) begin", self.forms.text(assertion.violated));
            let _ = writeln!(text, "      $display(\"%m: assertion failed: {message}\");\n      $stop;\n    end");
        }
        text.push_str("  end\n`endif\n");
    }

    /// A name that no user can have given.
    fn generate(&mut self, base: &str) -> String {
        let candidates = std::iter::once(base.to_string()).chain((1..).map(|i| format!("{base}_{i}")));
        let name = candidates.into_iter().find(|n| !self.generated.contains(n)).expect("numbers never run out");
        self.generated.insert(name.clone());
        name
    }
}

fn clock_used(design: &Design, def: &ModuleDef) -> bool {
    let instances = def.instances.iter().any(|i| design.entities[i.module.0].clocked());
    let memories = def.mems.iter().any(|m| !m.writes.is_empty() || !m.reads.is_empty());
    instances || memories || !def.regs.is_empty()
}

fn reset_used(design: &Design, def: &ModuleDef, plan: &Plan) -> bool {
    let inherits = |i: &InstanceDef| i.reset.is_none() && design.entities[i.module.0].resettable();
    let instances = def.instances.iter().any(inherits);
    let mut nodes = def.nodes.iter().zip(&plan.live);
    let read = nodes.any(|(n, live)| *live && n.op == Op::Reset);
    instances || read || def.regs.iter().any(|r| r.reset.is_some())
}

/// `signed [7:0] ` and so on.
fn typed(ty: Type) -> String {
    format!("{}{}", if ty.signed { "signed " } else { "" }, range(ty.width))
}
