//! The one clocked block of a module: delays grouped by enable, assignments as they were nested, then reset.

use super::expr::Forms;
use crate::node::{ModuleDef, NodeId, RegDrive, Statement};
use std::fmt::Write;

/// The text of the block, or nothing if there are no registers.
pub(super) fn block(def: &ModuleDef, forms: &Forms, text: &mut String) {
    if def.regs.is_empty() {
        return;
    }
    initial(def, forms, text);
    text.push_str("\n  always @(posedge clk) begin\n");
    for (enable, regs) in groups(def) {
        let indent = if enable.is_some() { 6 } else { 4 };
        enable.iter().for_each(|&e| _ = writeln!(text, "    if ({}) begin", forms.text(e)));
        for (reg, value) in regs {
            let _ = writeln!(text, "{:indent$}{} <= {};", "", def.regs[reg].name, forms.text(value));
        }
        enable.iter().for_each(|_| text.push_str("    end\n"));
    }
    statements(def, forms, &def.body, 4, text);
    if def.regs.iter().any(|r| r.reset.is_some()) {
        text.push_str("    if (rst) begin\n");
        for (reg, value) in def.regs.iter().filter_map(|r| Some((r, r.reset?))) {
            let _ = writeln!(text, "      {} <= {};", reg.name, forms.text(value));
        }
        text.push_str("    end\n");
    }
    text.push_str("  end\n");
}

/// What registers hold at power-up.
fn initial(def: &ModuleDef, forms: &Forms, text: &mut String) {
    let mut values = def.regs.iter().filter_map(|r| Some((r, r.initial?))).peekable();
    if values.peek().is_none() {
        return;
    }
    text.push_str("\n  initial begin\n");
    values.for_each(|(reg, value)| _ = writeln!(text, "    {} = {};", reg.name, forms.text(value)));
    text.push_str("  end\n");
}

type Group = (Option<NodeId>, Vec<(usize, NodeId)>);

/// Delay registers by enable, in order of the first register of each.
fn groups(def: &ModuleDef) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for (i, reg) in def.regs.iter().enumerate() {
        let RegDrive::Delay { enable, value } = reg.drive else {
            continue;
        };
        match groups.iter_mut().find(|(e, _)| *e == enable) {
            Some((_, regs)) => regs.push((i, value)),
            None => groups.push((enable, vec![(i, value)])),
        }
    }
    groups
}

fn statements(def: &ModuleDef, forms: &Forms, block: &[Statement], indent: usize, text: &mut String) {
    for statement in block {
        match statement {
            Statement::Set { reg, value } => {
                let name = &def.regs[*reg as usize].name;
                let _ = writeln!(text, "{:indent$}{name} <= {};", "", forms.text(*value));
            }
            Statement::If { arms, otherwise } => conditional(def, forms, (arms, otherwise), indent, text),
            Statement::Case { select, arms, otherwise } => {
                let _ = writeln!(text, "{:indent$}case ({})", "", forms.text(*select));
                for (label, block) in arms {
                    let _ = writeln!(text, "{:indent$}  {}: begin", "", forms.text(*label));
                    statements(def, forms, block, indent + 4, text);
                    let _ = writeln!(text, "{:indent$}  end", "");
                }
                let _ = writeln!(text, "{:indent$}  default: begin", "");
                statements(def, forms, otherwise, indent + 4, text);
                let _ = writeln!(text, "{:indent$}  end\n{:indent$}endcase", "", "");
            }
        }
    }
}

type Branches<'a> = (&'a [(NodeId, Vec<Statement>)], &'a [Statement]);

fn conditional(def: &ModuleDef, forms: &Forms, (arms, otherwise): Branches, indent: usize, text: &mut String) {
    for (i, (condition, block)) in arms.iter().enumerate() {
        let lead = if i == 0 { format!("{:indent$}", "") } else { " else ".into() };
        let _ = writeln!(text, "{lead}if ({}) begin", forms.text(*condition));
        statements(def, forms, block, indent + 2, text);
        let _ = write!(text, "{:indent$}end", "");
    }
    if !otherwise.is_empty() {
        text.push_str(" else begin\n");
        statements(def, forms, otherwise, indent + 2, text);
        let _ = write!(text, "{:indent$}end", "");
    }
    text.push('\n');
}
