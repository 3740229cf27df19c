//! `sagen diff`, two overlays side by side: what differs in config, ports, derived figures, modules and resources.

use anyhow::Result;
use clap::Args;
use sagen::estimate::{self, EstimateError};
use sagen::family;
use sagen_host::columns::{Align, lines, row};
use sagen_host::{cache, outcome};
use sagen_lang::{Direction, Manifest};
use sagen_overlay::Overlay;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// What to compare.
#[derive(Args)]
pub(crate) struct Options {
    /// Name of a config, or path of a YAML file.
    first: String,
    /// The other one.
    second: String,
    /// yosys whose cached netlists give the resources.
    #[arg(long, default_value = "yosys")]
    yosys: PathBuf,
}

/// Print what differs.
pub(crate) fn run(options: &Options) -> Result<()> {
    let (first, second) = (family::overlay(&options.first)?, family::overlay(&options.second)?);
    let estimate = estimate::Options { program: &options.yosys, cache: &cache::folder()?, jobs: 1 };
    Ok(outcome::print(&compare(&first, &second, &estimate)?)?)
}

/// The comparison as text.
fn compare(a: &Overlay, b: &Overlay, options: &estimate::Options<'_>) -> Result<String, EstimateError> {
    let (first, second) = (estimate::sources(a)?.0, estimate::sources(b)?.0);
    let mut parts = vec![section("config", a, b, &differing(&fields(a), &fields(b)))];
    parts.push(section("ports", a, b, &differing(&ports(a, &first), &ports(b, &second))));
    let figures = |o: &Overlay| o.figures.iter().map(|f| (f.name.to_string(), f.value.clone())).collect();
    parts.push(section("figures", a, b, &differing(&figures(a), &figures(b))));
    parts.push(modules(&first, &second));
    parts.push(resources(a, b, options)?);
    Ok(parts.join("\n"))
}

type Table = BTreeMap<String, String>;

/// Name, first, second of every entry that is not the same in both.
fn differing(a: &Table, b: &Table) -> Vec<Vec<String>> {
    let names: BTreeSet<&String> = a.keys().chain(b.keys()).collect();
    let cell = |table: &Table, name: &String| table.get(name).cloned().unwrap_or_else(|| "-".to_string());
    let rows = names.into_iter().filter(|n| a.get(*n) != b.get(*n));
    rows.map(|n| vec![n.clone(), cell(a, n), cell(b, n)]).collect()
}

fn section(title: &str, a: &Overlay, b: &Overlay, rows: &[Vec<String>]) -> String {
    if rows.is_empty() {
        return format!("{title}: the same\n");
    }
    let mut all = vec![row([title, &a.name, &b.name])];
    all.extend(rows.iter().cloned());
    let align = [Align::Left, Align::Right, Align::Right];
    lines(&align, &all).into_iter().map(|l| l + "\n").collect()
}

/// Leaves of the config by path.
fn fields(overlay: &Overlay) -> Table {
    fn add(path: &str, value: &Value, table: &mut Table) {
        match value {
            Value::Object(map) => {
                let dot = if path.is_empty() { "" } else { "." };
                map.iter().for_each(|(key, value)| add(&format!("{path}{dot}{key}"), value, table));
            }
            Value::String(text) => drop(table.insert(path.to_string(), text.clone())),
            other => drop(table.insert(path.to_string(), other.to_string())),
        }
    }
    let mut table = Table::new();
    let value: Value = serde_json::from_str(&overlay.config).expect("an overlay's config is JSON");
    add("", &value, &mut table);
    table
}

/// Ports of the top. An interface is one line with the number of its ports, and one for each of its data.
fn ports(overlay: &Overlay, manifest: &Manifest) -> Table {
    let top = manifest.modules.last().expect("the top is the last module");
    let mut table = Table::new();
    let mut buses: BTreeMap<&str, usize> = BTreeMap::new();
    for port in &top.ports {
        let way = match port.direction {
            Direction::Input => "input",
            Direction::Output => "output",
        };
        let interface = overlay.interfaces.iter().find(|i| i.signal(&port.name).is_some());
        if let Some(interface) = interface {
            *buses.entry(&interface.name).or_insert(0) += 1;
        }
        // Addresses, controls and handshakes are the same wherever the bus is.
        let wide = ["data", "strb"].iter().any(|end| port.name.ends_with(end));
        if wide || interface.is_none() {
            table.insert(port.name.clone(), format!("{way} {}", port.ty.width));
        }
    }
    table.extend(buses.into_iter().map(|(bus, n)| (bus.to_string(), format!("{n} ports"))));
    table
}

fn modules(a: &Manifest, b: &Manifest) -> String {
    let hashes = |m: &Manifest| m.modules.iter().map(|m| (m.name.clone(), m.hash.clone())).collect::<Table>();
    let (a, b) = (hashes(a), hashes(b));
    let shared = a.keys().filter(|n| b.contains_key(*n)).count();
    let same = a.iter().filter(|(n, h)| b.get(*n) == Some(h)).count();
    let (only_a, only_b) = (a.len() - shared, b.len() - shared);
    format!(
        "modules: {same} the same, {} differ, {only_a} only in the first, {only_b} only in the second\n",
        shared - same
    )
}

fn resources(a: &Overlay, b: &Overlay, options: &estimate::Options<'_>) -> Result<String, EstimateError> {
    let mut missing: Vec<String> = [a, b]
        .into_iter()
        .filter_map(|o| match estimate::cached(o, options) {
            Ok(Some(_)) => None,
            Ok(None) => Some(Ok(format!("sagen estimate --config {}", o.name))),
            Err(error) => Some(Err(error)),
        })
        .collect::<Result<_, _>>()?;
    missing.dedup();
    if !missing.is_empty() {
        return Ok(format!("resources: not estimated yet; run {}\n", missing.join(" and ")));
    }
    let table = |o: &Overlay| -> Result<Table, EstimateError> {
        let r = estimate::cached(o, options)?.unwrap_or_default();
        let rows = [("LUT", r.lut), ("FF", r.ff), ("DSP", r.dsp), ("URAM", r.uram)];
        let counted = rows.into_iter().map(|(name, n)| (name.to_string(), n.to_string()));
        Ok(counted.chain([("BRAM36".to_string(), r.bram36().to_string())]).collect())
    };
    Ok(section("resources", a, b, &differing(&table(a)?, &table(b)?)))
}
