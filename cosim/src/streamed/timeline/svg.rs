//! A summary as a picture: one stacked bar a layer of what compute did. The upper panel shows all cycles, the lower
//! one only what was lost, on its own scale.

use super::table::occurring;
use super::{Part, PartTally, State, Summary, Tally};
use sagen_streamed_isa::Unit;
use std::fmt::Write;

const WIDTH: f64 = 1000.0;
const HEIGHT: f64 = 640.0;
const LEFT: f64 = 84.0;
/// Right end of the bars; the legend follows.
const RIGHT: f64 = 790.0;
/// Most lines of a scale.
const TICKS: f64 = 5.0;

/// Top, bottom and states of a panel.
struct Panel<'a> {
    title: &'a str,
    top: f64,
    bottom: f64,
    states: &'a [State],
}

/// The file's contents.
#[must_use]
pub fn svg(summary: &Summary, title: &str) -> String {
    let compute = |p: &PartTally| (p.part, p.units[Unit::Compute.index()]);
    let bars: Vec<(Part, Tally)> = summary.parts.iter().map(compute).filter(|(_, t)| t.total() > 0).collect();
    let states = occurring(&[summary.units[Unit::Compute.index()]]);
    let lossy: Vec<State> = states.iter().copied().filter(|s| s.is_loss()).collect();
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"sans-serif\" \
         font-size=\"12\">\n<rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"#ffffff\"/>\n"
    );
    text(&mut out, LEFT, 28.0, "start", "font-size=\"17\" font-weight=\"bold\"", title);
    let all = Panel { title: "all cycles of compute", top: 64.0, bottom: 318.0, states: &states };
    let lost = Panel { title: "cycles lost", top: 366.0, bottom: 590.0, states: &lossy };
    for panel in [&all, &lost] {
        panel.draw(&mut out, &bars);
    }
    text(&mut out, (LEFT + RIGHT) / 2.0, HEIGHT - 14.0, "middle", "", "layer");
    legend(&mut out, &states, &summary.units[Unit::Compute.index()], summary.cycles);
    out + "</svg>\n"
}

impl Panel<'_> {
    fn draw(&self, out: &mut String, bars: &[(Part, Tally)]) {
        let height = |bar: &Tally| self.states.iter().map(|s| bar.get(*s)).sum::<u64>();
        let greatest = bars.iter().map(|(_, bar)| height(bar)).max().unwrap_or(0) as f64;
        let step = tick(greatest);
        let lines = (greatest / step).ceil().max(1.0);
        let scale = (self.bottom - self.top) / (step * lines);
        text(out, LEFT, self.top - 12.0, "start", "font-weight=\"bold\"", self.title);
        for i in 0..=lines as u32 {
            let value = f64::from(i) * step;
            let y = self.bottom - value * scale;
            line(out, LEFT, y, RIGHT);
            text(out, LEFT - 8.0, y + 4.0, "end", "", &cycles(value));
        }
        let y = (self.top + self.bottom) / 2.0;
        text(out, 0.0, 0.0, "middle", &format!("transform=\"translate(18 {y}) rotate(-90)\""), "clock cycles");
        let pitch = (RIGHT - LEFT) / bars.len().max(1) as f64;
        for (i, (part, bar)) in bars.iter().enumerate() {
            let x = LEFT + (i as f64 + 0.12) * pitch;
            let mut y = self.bottom;
            for state in self.states.iter().filter(|s| bar.get(**s) > 0) {
                let h = bar.get(*state) as f64 * scale;
                y -= h;
                rectangle(
                    out,
                    (x, y, 0.76 * pitch, h),
                    *state,
                    &format!("{part}: {} {}", state.name(), bar.get(*state)),
                );
            }
            text(out, x + 0.38 * pitch, self.bottom + 16.0, "middle", "font-size=\"10\"", &name(*part));
        }
    }
}

/// Distance of the lines of a scale up to `greatest`: 1, 2, 2.5 or 5 times a power of ten.
fn tick(greatest: f64) -> f64 {
    let least = (greatest / TICKS).max(1.0);
    let power = 10f64.powf(least.log10().floor());
    let fitting = [1.0, 2.0, 2.5, 5.0, 10.0].into_iter().find(|f| f * power >= least);
    fitting.map_or(10.0 * power, |f| f * power)
}

fn cycles(value: f64) -> String {
    if value < 10_000.0 { format!("{value}") } else { format!("{} k", value / 1000.0) }
}

fn name(part: Part) -> String {
    match part {
        Part::Before => "in".to_string(),
        Part::Layer(layer) => layer.to_string(),
        Part::After => "head".to_string(),
    }
}

fn legend(out: &mut String, states: &[State], tally: &Tally, total: u64) {
    let x = RIGHT + 18.0;
    text(out, x, 64.0, "start", "font-weight=\"bold\"", "compute, whole run");
    // In the order of the stack, from above.
    for (i, state) in states.iter().rev().enumerate() {
        let y = 78.0 + 38.0 * i as f64;
        rectangle(out, (x, y, 13.0, 13.0), *state, state.name());
        text(out, x + 20.0, y + 11.0, "start", "", state.meaning());
        let count = tally.get(*state);
        let share = format!("{count} ({:.2} %)", 100.0 * count as f64 / total as f64);
        text(out, x + 20.0, y + 25.0, "start", "fill=\"#555555\" font-size=\"11\"", &share);
    }
}

/// Colours that differ in lightness too.
fn colour(state: State) -> &'static str {
    match state {
        State::Beat => "#9ecae1",
        State::Array => "#4292c6",
        State::Busy => "#08306b",
        State::Starved => "#fdd0a2",
        State::Unfed => "#e6550d",
        State::Blocked => "#bdbdbd",
        State::WaitStream => "#8c2d04",
        State::WaitCompute => "#636363",
        State::WaitVector => "#cb181d",
        State::WaitLoad => "#a1d99b",
        State::WaitStore => "#238b45",
        State::Fetch => "#756bb1",
        State::Issue => "#dadaeb",
        State::Finished => "#f0f0f0",
    }
}

fn rectangle(out: &mut String, (x, y, w, h): (f64, f64, f64, f64), state: State, hint: &str) {
    let fill = colour(state);
    let _ = writeln!(
        out,
        "<rect x=\"{x:.1}\" y=\"{y:.2}\" width=\"{w:.1}\" height=\"{h:.2}\" fill=\"{fill}\"><title>{hint}</title></rect>"
    );
}

fn line(out: &mut String, x: f64, y: f64, to: f64) {
    let _ = writeln!(out, "<line x1=\"{x}\" x2=\"{to}\" y1=\"{y:.1}\" y2=\"{y:.1}\" stroke=\"#d9d9d9\"/>");
}

fn text(out: &mut String, x: f64, y: f64, anchor: &str, style: &str, words: &str) {
    let words = words.replace('&', "&amp;").replace('<', "&lt;");
    let _ = writeln!(out, "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" {style}>{words}</text>");
}
