//! Files of a design: one per module, `files.f` with children before parents, the lint waivers.

use super::options::Options;
use super::waivers::{self, WAIVERS};
use crate::design::{Design, Entity, ModuleId, Source};
use std::collections::BTreeSet;

/// The files below `top` as (name, text): Verilog, that from elsewhere too, children first; then the lint waivers, and the
/// list of Verilog files `files.f`.
///
/// # Panics
/// If the design has errors: [`Design::finish`] reports them.
pub fn print(design: &Design, top: ModuleId) -> Vec<(String, String)> {
    print_with(design, &[top], &Options::default())
}

/// The files below several tops, with a header.
///
/// # Panics
/// If the design has errors: [`Design::finish`] reports them.
pub fn print_with(design: &Design, tops: &[ModuleId], options: &Options) -> Vec<(String, String)> {
    assert!(design.finish().is_ok(), "a design with errors is not printed; call Design::finish first");
    let header: String = options.header.iter().map(|line| format!("// {line}").trim_end().to_string() + "\n").collect();
    let mut files: Vec<(String, String)> = Vec::new();
    let mut waived = String::from("`verilator_config\n");
    for id in all_below(design, tops) {
        match &*design.entities[id.0] {
            Entity::Module(def) => {
                let (text, waivers) = super::module::print(design, def);
                let file = format!("{}.v", def.name);
                waived += &waivers.lines(&format!("{}{file}", options.folder));
                let between = if header.is_empty() || def.doc.is_empty() { "" } else { "//\n" };
                files.push((file, format!("{header}{between}{text}")));
            }
            Entity::BlackBox(b) => {
                for source in &b.sources {
                    if files.iter().all(|(file, _)| *file != source.file) {
                        waived += &waivers::foreign(&source.file);
                        files.push((source.file.clone(), source.text.clone()));
                    }
                }
            }
        }
    }
    let list = files.iter().map(|(file, _)| format!("{file}\n")).collect();
    files.push((WAIVERS.into(), waived));
    files.push(("files.f".into(), list));
    files
}

/// The files from elsewhere that `top` needs, each once.
pub fn sources(design: &Design, top: ModuleId) -> Vec<&Source> {
    let mut found: Vec<&Source> = Vec::new();
    for id in below(design, top) {
        if let Entity::BlackBox(b) = &*design.entities[id.0] {
            found.extend(
                b.sources.iter().filter(|s| found.iter().all(|known| known.file != s.file)).collect::<Vec<_>>(),
            );
        }
    }
    found
}

/// What each top needs and no earlier one did.
fn all_below(design: &Design, tops: &[ModuleId]) -> Vec<ModuleId> {
    let mut all: Vec<ModuleId> = Vec::new();
    for &top in tops {
        let more: Vec<ModuleId> = below(design, top).into_iter().filter(|id| !all.contains(id)).collect();
        all.extend(more);
    }
    all
}

/// The text of one module without header and attributes; a black box has none.
pub(crate) fn module_text(design: &Design, id: ModuleId) -> String {
    match &*design.entities[id.0] {
        Entity::Module(def) => super::module::print(design, def).0,
        Entity::BlackBox(_) => String::new(),
    }
}

/// `top` and everything it needs, children before parents: modules are built in that order.
pub(crate) fn below(design: &Design, top: ModuleId) -> Vec<ModuleId> {
    let mut needed = BTreeSet::from([top]);
    for id in (0..=top.0).rev().map(ModuleId) {
        if let (true, Entity::Module(def)) = (needed.contains(&id), &*design.entities[id.0]) {
            needed.extend(def.instances.iter().map(|i| i.module));
        }
    }
    needed.into_iter().collect()
}
