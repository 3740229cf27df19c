//! The fixed text of memories: simple dual port, registered or asynchronous read, optional write lanes, ROM.

use super::expr::{Forms, literal, range};
use super::module::waive;
use crate::memory::{MemDef, MemRead, MemWrite, RamStyle};
use std::fmt::Write;

/// The arrays and read registers of a memory.
///
/// `read` tells whether the array is read at all, `waived` whether a read register is read only in part.
pub(super) fn declarations(mem: &MemDef, read: bool, waived: impl Fn(&MemRead) -> bool, out: &mut Vec<String>) {
    let kind = if mem.contents.is_some() { "rom_style" } else { "ram_style" };
    let style = match mem.style {
        RamStyle::Auto => String::new(),
        RamStyle::Block => format!("(* {kind} = \"block\" *) "),
        RamStyle::Ultra => format!("(* {kind} = \"ultra\" *) "),
        RamStyle::Distributed => format!("(* {kind} = \"distributed\" *) "),
    };
    let word = range(mem.width);
    for copy in 0..mem.copies() {
        let text = format!("{style}reg {word}{} [0:{}];", array(mem, copy), mem.depth - 1);
        out.push(if read { text } else { waive(&text) });
    }
    for read in &mem.reads {
        let text = format!("reg {word}{};", read.name);
        out.push(if waived(read) { waive(&text) } else { text });
    }
}

/// The always block of each array, and the contents of a ROM.
pub(super) fn blocks(mem: &MemDef, forms: &Forms, text: &mut String) {
    if let Some(contents) = &mem.contents {
        text.push_str("\n  initial begin\n");
        for copy in 0..mem.copies() {
            for (i, value) in contents.iter().enumerate() {
                let _ = writeln!(text, "    {}[{i}] = {};", array(mem, copy), literal(value));
            }
        }
        text.push_str("  end\n");
    }
    for copy in 0..mem.copies() {
        let reads: Vec<&MemRead> = match mem.replicated() {
            true => mem.reads.iter().skip(copy).take(1).collect(),
            false => mem.reads.iter().collect(),
        };
        if mem.write.is_none() && reads.is_empty() {
            continue;
        }
        text.push_str("\n  always @(posedge clk) begin\n");
        let name = array(mem, copy);
        mem.write.iter().for_each(|w| write_port(mem, w, &name, forms, text));
        for read in reads {
            let assignment = format!("{} <= {name}[{}];", read.name, forms.text(read.addr));
            let _ = writeln!(text, "    {}", guarded(forms.text(read.enable), &assignment));
        }
        text.push_str("  end\n");
    }
}

fn write_port(mem: &MemDef, write: &MemWrite, name: &str, forms: &Forms, text: &mut String) {
    let word = format!("{name}[{}]", forms.text(write.addr));
    let data = forms.text(write.data);
    let Some((mask, lane)) = write.mask.zip(mem.lane).filter(|(_, lane)| *lane < mem.width) else {
        let whole = write.mask.map(|m| guarded(forms.text(m), &format!("{word} <= {data};")));
        let assignment = whole.unwrap_or(format!("{word} <= {data};"));
        let _ = writeln!(text, "    {}", guarded(forms.text(write.enable), &assignment));
        return;
    };
    let _ = writeln!(text, "    if ({}) begin", forms.text(write.enable));
    for i in 0..mem.width / lane {
        let bits = match lane {
            1 => format!("[{i}]"),
            _ => format!("[{}:{}]", lane * (i + 1) - 1, lane * i),
        };
        let _ = writeln!(text, "      if ({}[{i}]) {word}{bits} <= {data}{bits};", forms.text(mask));
    }
    text.push_str("    end\n");
}

fn guarded(enable: &str, assignment: &str) -> String {
    if enable == "1'd1" { assignment.into() } else { format!("if ({enable}) {assignment}") }
}

fn array(mem: &MemDef, copy: usize) -> String {
    if copy == 0 { mem.name.clone() } else { format!("_{}_copy{copy}", mem.name) }
}
