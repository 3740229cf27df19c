//! An estimate in print, and what is wrong with it.

use super::resources::Resources;
use super::{Estimate, ModulePath};
use std::fmt::Write;

/// Paths of one module that are printed; `--json` has them all.
const SHOWN: usize = 25;

/// Text with the colours of a terminal, or without.
#[derive(Clone, Copy, Debug)]
pub struct Style {
    /// Colours are wanted.
    pub colour: bool,
}

impl Style {
    fn bold(self, text: &str) -> String {
        if self.colour { format!("\x1b[1m{text}\x1b[0m") } else { text.to_string() }
    }
    fn red(self, text: &str) -> String {
        if self.colour { format!("\x1b[31m{text}\x1b[0m") } else { text.to_string() }
    }
}

impl Estimate {
    /// One line for everything that exceeds the part or the levels allowed.
    pub fn excess(&self) -> Vec<String> {
        let (t, a) = (&self.total, &self.available);
        let rows = [
            ("LUT", t.lut as f64, a.lut),
            ("FF", t.ff as f64, a.ff),
            ("DSP", t.dsp as f64, a.dsp),
            ("BRAM36", t.bram36(), a.bram36),
            ("URAM", t.uram as f64, a.uram),
        ];
        let over = rows.iter().filter(|(_, used, has)| *used > f64::from(*has));
        let part = over.map(|(what, used, has)| format!("{what}: {used} used, {} has {has}", self.part));
        let mut lines: Vec<String> = part.collect();
        let mut counts: Vec<(&str, usize)> = Vec::new();
        for long in &self.long_paths {
            let at = counts.iter().position(|c| c.0 == long.module).unwrap_or_else(|| {
                counts.push((&long.module, 0));
                counts.len() - 1
            });
            counts[at].1 += 1;
            if counts[at].1 <= SHOWN {
                lines.push(path(long));
            }
        }
        let more = counts.iter().filter(|c| c.1 > SHOWN);
        lines.extend(more.map(|(module, n)| format!("{module}: {} more paths, see --json", n - SHOWN)));
        lines
    }

    /// The tables for people.
    pub fn text(&self, style: Style) -> String {
        let mut text = format!(
            "{} on {} ({}), by {}\nLUT counts are upper bounds; no clock rate is claimed.\n\n",
            self.overlay, self.board, self.part, self.yosys
        );
        self.resources(&mut text, style);
        self.levels(&mut text, style);
        let excess = self.excess();
        if !excess.is_empty() {
            line(&mut text, &style.bold(&format!("\nexceeds the part, or {} levels:", self.level_limit)));
            excess.iter().for_each(|l| line(&mut text, &style.red(l)));
        }
        text
    }

    fn resources(&self, text: &mut String, style: Style) {
        let head = format!("{:<22} {:>9} {:>9} {:>6} {:>8} {:>6}", "unit", "LUT", "FF", "DSP", "BRAM36", "URAM");
        line(text, &style.bold(&head));
        for unit in &self.units {
            let name = match unit.instances {
                1 => unit.name.clone(),
                n => format!("{} x {n}", unit.name),
            };
            line(text, &row(&name, &unit.resources));
        }
        line(text, &style.bold(&row("in all", &self.total)));
        let a = &self.available;
        let part = format!("{} has", self.part.split('-').next().unwrap_or(&self.part));
        line(text, &format!("{part:<22} {:>9} {:>9} {:>6} {:>8} {:>6}", a.lut, a.ff, a.dsp, a.bram36, a.uram));
        let t = &self.total;
        let share = |used: f64, has: u32| match has {
            0 if used == 0.0 => "-".to_string(),
            _ => format!("{:.1} %", 100.0 * used / f64::from(has)),
        };
        let shares = [
            share(t.lut as f64, a.lut),
            share(t.ff as f64, a.ff),
            share(t.dsp as f64, a.dsp),
            share(t.bram36(), a.bram36),
            share(t.uram as f64, a.uram),
        ];
        let [lut, ff, dsp, bram, uram] = shares;
        line(text, &format!("{:<22} {lut:>9} {ff:>9} {dsp:>6} {bram:>8} {uram:>6}", "share"));
        if let Some(r) = self.reference {
            let dsp = r.dsp.map_or("-".to_string(), |d| d.to_string());
            line(
                text,
                &format!("{:<22} {:>9} {:>9} {dsp:>6} {:>8} {:>6}", "reference overlay", r.lut, "-", r.bram36, "-"),
            );
            line(text, &format!("(reference overlay: {}, published, placed and routed)", r.what));
        }
    }

    fn levels(&self, text: &mut String, style: Style) {
        let limit = format!("\nlogic levels (at most {} at {} MHz)", self.level_limit, self.clock_mhz);
        line(text, &limit);
        let wide = self.modules.iter().map(|m| m.name.len()).max().unwrap_or(0).max("module".len());
        let head = format!(
            "{:<wide$} {:>5} {:>7} {:>7} {:>5} | {:>9} {:>5} {:>6} {:>7}",
            "module", "count", "LUT", "own LUT", "DSP", "registers", "input", "output", "through"
        );
        line(text, &style.bold(&head));
        for m in &self.modules {
            let [worst, input, output, through] = m.levels;
            let row = format!(
                "{:<wide$} {:>5} {:>7} {:>7} {:>5} | {worst:>9} {input:>5} {output:>6} {through:>7}",
                m.name, m.instances, m.resources.total.lut, m.resources.own.lut, m.resources.total.dsp
            );
            line(text, &if worst > self.level_limit { style.red(&row) } else { row });
        }
        if let Some(worst) = &self.worst {
            line(text, &format!("\nlongest path: {}", path(worst)));
        }
    }
}

fn line(text: &mut String, line: &str) {
    writeln!(text, "{line}").expect("a string can be written to");
}

fn row(name: &str, r: &Resources) -> String {
    format!("{name:<22} {:>9} {:>9} {:>6} {:>8} {:>6}", r.lut, r.ff, r.dsp, r.bram36(), r.uram)
}

fn path(p: &ModulePath) -> String {
    let steps: String = p.path.nets.iter().map(|(net, at)| format!(" -> {net} ({at})")).collect();
    format!("{} levels in {}: {}{steps} => {}", p.path.levels, p.module, p.path.from, p.path.to)
}
