//! Files of a design: one per module, and `files.f` with children before parents.

use crate::design::{Design, Entity, ModuleId, Source};
use std::collections::BTreeSet;

/// The Verilog files below `top` as (name, text), those from elsewhere too, children first; the last one is `files.f`.
///
/// # Panics
/// If the design has errors: [`Design::finish`] reports them.
pub fn print(design: &Design, top: ModuleId) -> Vec<(String, String)> {
    assert!(design.finish().is_ok(), "a design with errors is not printed; call Design::finish first");
    let mut files: Vec<(String, String)> = Vec::new();
    for id in below(design, top) {
        match &*design.entities[id.0] {
            Entity::Module(def) => {
                files.push((format!("{}.v", def.name), super::module::print(design, def)));
            }
            Entity::BlackBox(b) => {
                for source in &b.sources {
                    if files.iter().all(|(file, _)| *file != source.file) {
                        files.push((source.file.clone(), source.text.clone()));
                    }
                }
            }
        }
    }
    let list = files.iter().map(|(file, _)| format!("{file}\n")).collect();
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

/// The text of one module; a black box has none.
pub(crate) fn module_text(design: &Design, id: ModuleId) -> String {
    match &*design.entities[id.0] {
        Entity::Module(def) => super::module::print(design, def),
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
