//! The fixed text of memories: simple dual port (registered or asynchronous read, optional write lanes), true dual port
//! (two ports that read before they write), initial contents, ROM. These are the forms that AMD's synthesis infers (UG901).

use super::expr::{Forms, literal, range};
use super::waivers::{Rule, Waivers};
use crate::bits::Bits;
use crate::memory::{MemDef, MemRead, MemWrite, RamStyle};
use crate::types::unsigned;
use std::fmt::Write;

/// The arrays and read registers of a memory.
///
/// `read` tells whether the array is read at all, `partly` whether a read register is read only in part.
pub(super) fn declarations(
    mem: &MemDef,
    read: bool,
    partly: impl Fn(&MemRead) -> bool,
    waivers: &mut Waivers,
) -> Vec<String> {
    let mut out = Vec::new();
    let kind = if mem.rom { "rom_style" } else { "ram_style" };
    let style = match mem.style {
        RamStyle::Auto => String::new(),
        RamStyle::Block => format!("(* {kind} = \"block\" *) "),
        RamStyle::Ultra => format!("(* {kind} = \"ultra\" *) "),
        RamStyle::Distributed => format!("(* {kind} = \"distributed\" *) "),
    };
    let word = range(mem.width);
    for copy in 0..mem.copies() {
        out.push(format!("{style}reg {word}{} [0:{}];", array(mem, copy), mem.depth - 1));
        if !read {
            waivers.add(Rule::UnusedSignal, &array(mem, copy));
        }
    }
    for read in &mem.reads {
        out.push(format!("reg {word}{};", read.name));
        if partly(read) {
            waivers.add(Rule::UnusedSignal, &read.name);
        }
    }
    out
}

/// The always block of each array or read-write port, and initial contents.
pub(super) fn blocks(mem: &MemDef, forms: &Forms, text: &mut String) {
    if let Some(contents) = &mem.contents {
        (0..mem.copies()).for_each(|copy| initial(mem, &array(mem, copy), contents, text));
    }
    if mem.dual_port() {
        return (0..mem.reads.len()).for_each(|read| port(mem, read, forms, text));
    }
    for copy in 0..mem.copies() {
        let reads: Vec<&MemRead> = match mem.replicated() {
            true => mem.reads.iter().skip(copy).take(1).collect(),
            false => mem.reads.iter().collect(),
        };
        if mem.writes.is_empty() && reads.is_empty() {
            continue;
        }
        text.push_str("\n  always @(posedge clk) begin\n");
        let name = array(mem, copy);
        mem.writes.iter().for_each(|w| write_port(mem, w, &name, 4, forms, text));
        for read in reads {
            let assignment = format!("{} <= {name}[{}];", read.name, forms.text(read.addr));
            let _ = writeln!(text, "    {}", guarded(forms.text(read.enable), &assignment));
        }
        text.push_str("  end\n");
    }
}

/// The words that are given, and zero in the others.
fn initial(mem: &MemDef, name: &str, contents: &[Bits], text: &mut String) {
    let given = contents.len() as u32;
    if given < mem.depth {
        let zero = literal(&Bits::zero(unsigned(mem.width)));
        let _ = writeln!(text, "\n  initial begin : _{name}_init\n    integer _i;");
        let _ = writeln!(text, "    for (_i = {given}; _i < {}; _i = _i + 1) {name}[_i] = {zero};", mem.depth);
    } else {
        text.push_str("\n  initial begin\n");
    }
    for (i, value) in contents.iter().enumerate() {
        let _ = writeln!(text, "    {name}[{i}] = {};", literal(value));
    }
    text.push_str("  end\n");
}

/// A port of a true dual-port memory: it reads, and writes if it can.
fn port(mem: &MemDef, number: usize, forms: &Forms, text: &mut String) {
    let read = &mem.reads[number];
    let enable = forms.text(read.enable);
    let always = enable == "1'd1";
    let indent = if always { 4 } else { 6 };
    text.push_str("\n  always @(posedge clk) begin\n");
    if !always {
        let _ = writeln!(text, "    if ({enable}) begin");
    }
    let writes = mem.writes.iter().filter(|w| w.port == Some(number));
    writes.for_each(|w| write_port(mem, w, &mem.name, indent, forms, text));
    let _ = writeln!(text, "{:indent$}{} <= {}[{}];", "", read.name, mem.name, forms.text(read.addr));
    text.push_str(if always { "  end\n" } else { "    end\n  end\n" });
}

fn write_port(mem: &MemDef, write: &MemWrite, name: &str, indent: usize, forms: &Forms, text: &mut String) {
    let word = format!("{name}[{}]", forms.text(write.addr));
    let (data, enable) = (forms.text(write.data), forms.text(write.enable));
    let Some((mask, lane)) = write.mask.zip(mem.lane).filter(|(_, lane)| *lane < mem.width) else {
        let whole = write.mask.map(|m| guarded(forms.text(m), &format!("{word} <= {data};")));
        let assignment = whole.unwrap_or(format!("{word} <= {data};"));
        let _ = writeln!(text, "{:indent$}{}", "", guarded(enable, &assignment));
        return;
    };
    // A port has its enable around it; a write port of its own always says its own.
    let inner = if write.port.is_some() { indent } else { indent + 2 };
    if write.port.is_none() {
        let _ = writeln!(text, "{:indent$}if ({enable}) begin", "");
    }
    for i in 0..mem.width / lane {
        let bits = match lane {
            1 => format!("[{i}]"),
            _ => format!("[{}:{}]", lane * (i + 1) - 1, lane * i),
        };
        let _ = writeln!(text, "{:inner$}if ({}[{i}]) {word}{bits} <= {data}{bits};", "", forms.text(mask));
    }
    if write.port.is_none() {
        let _ = writeln!(text, "{:indent$}end", "");
    }
}

fn guarded(enable: &str, assignment: &str) -> String {
    if enable == "1'd1" { assignment.into() } else { format!("if ({enable}) {assignment}") }
}

fn array(mem: &MemDef, copy: usize) -> String {
    if copy == 0 { mem.name.clone() } else { format!("_{}_copy{copy}", mem.name) }
}
