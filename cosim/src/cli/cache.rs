//! `cosim cache`: what lies in the cache of both programs, and how it becomes smaller.

mod entry;

use anyhow::{Result, ensure};
use clap::{Args, Subcommand};
use entry::{Entry, entries};
use sagen_host::columns::{Align, lines, row};
use sagen_host::{cache, outcome};
use std::time::{Duration, SystemTime};

/// Options of `cosim cache`.
#[derive(Args)]
pub(crate) struct Options {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    /// List what is in the cache: kind, name, size, last use.
    List,
    /// Remove what was not used for long. What a run needs again is made or fetched again.
    Prune(Prune),
}

#[derive(Args)]
struct Prune {
    /// Remove what was not used for so many days.
    #[arg(long, value_name = "DAYS", default_value_t = 30, conflicts_with = "all")]
    older_than: u32,
    /// Remove everything.
    #[arg(long)]
    all: bool,
    /// Only say what would be removed.
    #[arg(long)]
    dry_run: bool,
}

const DAY: Duration = Duration::from_secs(24 * 3600);

/// List or prune.
pub(crate) fn run(options: &Options) -> Result<()> {
    let root = cache::folder()?;
    let found = entries(&root)?;
    match &options.verb {
        Verb::List => {
            let total = format!("{} in {}\n", size(found.iter().map(|e| e.bytes).sum()), root.display());
            Ok(outcome::print(&(table(&found) + &total))?)
        }
        Verb::Prune(prune) => {
            let limit = DAY * prune.older_than;
            remove(found.into_iter().filter(|entry| prune.all || entry.age() >= limit).collect(), prune.dry_run)
        }
    }
}

fn remove(doomed: Vec<Entry>, dry_run: bool) -> Result<()> {
    let (mut gone, mut in_use) = (Vec::new(), 0);
    for entry in doomed {
        match dry_run || entry.remove()? {
            true => gone.push(entry),
            false => in_use += 1,
        }
    }
    let bytes = size(gone.iter().map(|e| e.bytes).sum());
    let done = if dry_run { "would be removed" } else { "removed" };
    outcome::print(&(table(&gone) + &format!("{} of {bytes} {done}\n", count(gone.len()))))?;
    ensure!(in_use == 0, "{} left: another process works on it", count(in_use));
    Ok(())
}

fn count(entries: usize) -> String {
    if entries == 1 { "1 entry".to_owned() } else { format!("{entries} entries") }
}

fn table(entries: &[Entry]) -> String {
    let mut rows = vec![row(["kind", "name", "size", "last use"])];
    rows.extend(entries.iter().map(|e| row([e.kind.name(), &e.name, &size(e.bytes), &ago(e.age())])));
    let align = [Align::Left, Align::Left, Align::Right, Align::Right];
    lines(&align, &rows).into_iter().map(|line| line + "\n").collect()
}

fn size(bytes: u64) -> String {
    match bytes {
        0..1_000 => format!("{bytes} B"),
        1_000..1_000_000 => format!("{:.1} kB", bytes as f64 / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1} MB", bytes as f64 / 1e6),
        _ => format!("{:.1} GB", bytes as f64 / 1e9),
    }
}

fn ago(age: Duration) -> String {
    match age.as_secs() / DAY.as_secs() {
        0 => "today".to_owned(),
        1 => "1 day ago".to_owned(),
        days => format!("{days} days ago"),
    }
}

impl Entry {
    fn age(&self) -> Duration {
        // A clock that was set back makes nothing old.
        SystemTime::now().duration_since(self.used).unwrap_or_default()
    }
}
