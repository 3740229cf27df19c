//! `report_clocks`: the table of clocks.

use super::text::{ReportError, Text};
use serde::Serialize;

/// A clock.
#[derive(Debug, Serialize, PartialEq)]
pub struct Clock {
    /// Name.
    pub name: String,
    /// Period.
    pub period_ns: f64,
}

/// Sections behind the table, in their order.
const SECTIONS: [&str; 3] = ["Generated Clocks", "User Uncertainty", "User Jitter"];

/// Read the first table of a report that is there to its end.
pub(crate) fn clocks(text: &Text) -> Result<Vec<Clock>, ReportError> {
    let head = |l: &str| l.split_whitespace().take(2).eq(["Clock", "Period(ns)"]);
    let (head, _) = text.find(0, "a line that begins with `Clock  Period(ns)`", head)?;
    let rows = text.lines().skip(head + 1).take_while(|(_, l)| !l.trim().is_empty());
    let clock = |(index, line): (usize, &str)| {
        let mut words = line.split_whitespace();
        let (Some(name), Some(period)) = (words.next(), words.next()) else {
            return Err(text.fault(index, "a name and a period"));
        };
        let count = |bracket: char| line.matches(bracket).count();
        if count('{') < 2 || count('{') != count('}') || !line.trim_end().ends_with('}') {
            return Err(text.fault(index, "a name, a period, a waveform, attributes and sources"));
        }
        Ok(Clock { name: name.to_string(), period_ns: text.number(index, &format!("the period of {name}"), period)? })
    };
    let clocks: Vec<Clock> = rows.map(clock).collect::<Result<_, _>>()?;
    if clocks.is_empty() {
        return Err(text.fault(head + 1, "at least one clock"));
    }
    let mut at = head + 1 + clocks.len();
    for section in SECTIONS {
        at = text.find(at, &format!("the section `{section}`"), |l| l.trim() == section)?.0 + 1;
        if !text.line(at).starts_with("===") {
            return Err(text.fault(at, &format!("a rule `===` below `{section}`")));
        }
    }
    Ok(clocks)
}
