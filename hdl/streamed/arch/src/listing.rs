//! A program as text, for people and for tests that hold it: what lies where in DDR, and one line a descriptor with its
//! unit, what it waits for, and its fields that are not zero. The sums pin the bytes even where names change.

use crate::{Instruction, Program, Region, Routine, Segment};
use sagen_streamed_isa::{FieldError, Layout, UNITS, Words};
use sha2::{Digest, Sha256};
use std::fmt::Write;

impl Program {
    /// The program as text.
    pub fn listing(&self) -> Result<String, FieldError> {
        let mut text = format!("program for {}\n\nDDR\n", self.overlay);
        let image = |r: &Region| self.image.iter().find(|s| s.base == r.base);
        for region in &self.regions {
            line(&mut text, &region_line(region, image(region)));
        }
        for routine in &self.routines {
            text.push('\n');
            line(&mut text, &routine_line(routine)?);
            for (i, step) in routine.steps.iter().enumerate() {
                line(&mut text, &step_line(i, step)?);
            }
        }
        Ok(text)
    }
}

fn line(text: &mut String, line: &str) {
    writeln!(text, "{}", line.trim_end()).expect("a string can be written to");
}

fn region_line(region: &Region, image: Option<&Segment>) -> String {
    let Region { name, kind, base, bytes } = region;
    let kind = format!("{kind:?}");
    let sum = image
        .map_or(String::new(), |s| format!("sha256 {}", base16ct::lower::encode_string(&Sha256::digest(&s.bytes))));
    format!("  {base:#012x} {bytes:>12} {kind:<12} {name:<20} {sum}")
}

fn routine_line(routine: &Routine) -> Result<String, FieldError> {
    let Routine { kind, slot, address, steps } = routine;
    let sum = base16ct::lower::encode_string(&Sha256::digest(routine.encode()?));
    let of = if slot.0 == 0 { String::new() } else { format!(" of slot {}", slot.0) };
    Ok(format!("{kind}{of} at {address:#x}: {} descriptors, sha256 {sum}", steps.len()))
}

fn step_line(index: usize, step: &Instruction) -> Result<String, FieldError> {
    let layout = step.descriptor.operation.layout();
    let waits: Vec<String> = (UNITS.iter().zip(step.descriptor.waits))
        .filter(|(_, count)| *count > 0)
        .map(|(unit, count)| format!("{}:{count}", unit.name()))
        .collect();
    let fields = fields(layout, &step.descriptor.encode()?);
    let (unit, name, label) = (layout.unit.name(), layout.name, step.label.to_string());
    Ok(format!("{index:5} {unit:<7} {name:<11} {label:<24} [{}] {fields}", waits.join(" ")))
}

fn fields(layout: &Layout, words: &Words) -> String {
    let set = layout.fields.iter().map(|f| (f.name, f.value(words))).filter(|(_, value)| *value != 0);
    set.map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(" ")
}
