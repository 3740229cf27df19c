//! A summary as aligned text.

use super::{Loss, STATES, State, Summary, Tally};
use sagen_host::columns::{Align, lines};
use sagen_streamed_isa::{UNITS, Unit};

/// Rows of the table of losses.
const LOSSES: usize = 16;

/// The tables of units, layers and losses, and what the columns mean.
#[must_use]
pub fn table(summary: &Summary) -> String {
    let mut text = format!("cycles of each unit, of {}\n{}", summary.cycles, align(&units(summary)));
    text += "\ncycles of compute by layer; the last columns count cycles in which the other units execute\n";
    text += &align(&parts(summary));
    text += &format!("\nlosses of compute, the greatest {LOSSES}\n{}", align(&losses(summary)));
    text += "\n";
    for state in STATES.into_iter().filter(|s| summary.units.iter().any(|u| u.get(*s) > 0)) {
        text += &format!("{:<13} {}\n", state.name(), state.meaning());
    }
    text
}

fn units(summary: &Summary) -> Vec<Vec<String>> {
    let states = occurring(&summary.units);
    let mut rows = vec![header("unit", &states)];
    for unit in UNITS {
        let tally = &summary.units[unit.index()];
        let mut row = vec![unit.name().to_string()];
        row.extend(states.iter().map(|s| count(tally.get(*s))));
        rows.push(row);
    }
    rows
}

fn parts(summary: &Summary) -> Vec<Vec<String>> {
    let compute: Vec<Tally> = summary.parts.iter().map(|p| p.units[Unit::Compute.index()]).collect();
    let states = occurring(&compute);
    let others = UNITS.iter().filter(|u| **u != Unit::Compute);
    let mut head = header("", &states);
    head.insert(1, "cycles".to_string());
    head.extend(others.clone().map(|u| u.name().to_string()));
    let mut rows = vec![head];
    for (part, tally) in summary.parts.iter().zip(&compute) {
        let mut row = vec![part.part.to_string(), count(tally.total())];
        row.extend(states.iter().map(|s| count(tally.get(*s))));
        row.extend(others.clone().map(|u| count(part.units[u.index()].in_flight())));
        rows.push(row);
    }
    rows
}

fn losses(summary: &Summary) -> Vec<Vec<String>> {
    let head = ["operation", "compute", "cycles", "share", "times", "each"];
    let mut rows = vec![head.map(String::from).to_vec()];
    let row = |loss: &Loss| {
        vec![
            loss.operation.clone(),
            loss.state.name().to_string(),
            loss.cycles.to_string(),
            format!("{:.2} %", 100.0 * loss.cycles as f64 / summary.cycles as f64),
            loss.descriptors.to_string(),
            format!("{:.1}", loss.cycles as f64 / loss.descriptors as f64),
        ]
    };
    rows.extend(summary.losses.iter().take(LOSSES).map(row));
    rows
}

/// States that at least one tally counted.
pub(super) fn occurring(tallies: &[Tally]) -> Vec<State> {
    STATES.into_iter().filter(|s| tallies.iter().any(|t| t.get(*s) > 0)).collect()
}

fn header(first: &str, states: &[State]) -> Vec<String> {
    std::iter::once(first).chain(states.iter().map(|s| s.name())).map(String::from).collect()
}

/// A zero is shown as a dot, so that the others stand out.
fn count(cycles: u64) -> String {
    if cycles == 0 { ".".to_string() } else { cycles.to_string() }
}

/// First column to the left, the others to the right.
fn align(rows: &[Vec<String>]) -> String {
    let columns = rows.first().map_or(0, Vec::len);
    let align: Vec<Align> = (0..columns).map(|c| if c == 0 { Align::Left } else { Align::Right }).collect();
    lines(&align, rows).join("\n") + "\n"
}
