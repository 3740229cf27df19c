//! What an overlay would take of its part, and how much logic lies between its registers: yosys synthesises every
//! module by itself, with its children as black boxes; totals and levels are then put together along the module tree.
//! LUT counts are upper bounds and logic levels are no clock rate: see `docs/estimate.md`.

pub mod levels;
pub mod netlist;
pub mod resources;
pub mod rules;
pub mod show;
#[cfg(test)]
mod tests;
mod units;
mod yosys;

pub use yosys::{Source, Yosys, YosysError};

use crate::emit::{self, EmitError};
use crate::tree::TreeError;
use levels::{Levels, Path};
use resources::{Counted, Resources};
use sagen_lang::{Manifest, ModuleEntry};
use sagen_overlay::{Overlay, Reference};
use serde::Serialize;
use std::collections::BTreeMap;
use std::path;
use std::sync::atomic::AtomicBool;

/// Stands for the build hash: the true one changes with every source, and with it the CSR block's netlist.
const ANY_HASH: u32 = 0x5a3c_96e1;

/// Why there is no estimate.
#[derive(Debug, thiserror::Error)]
pub enum EstimateError {
    /// The overlay cannot be emitted.
    #[error(transparent)]
    Emit(#[from] EmitError),
    /// A module cannot be synthesised.
    #[error(transparent)]
    Yosys(#[from] YosysError),
    /// A netlist holds a cell that the rules do not know.
    #[error(transparent)]
    Cell(#[from] resources::UnknownCell),
    /// A loop without a register.
    #[error(transparent)]
    Loop(#[from] levels::Loop),
    /// The family's list of units does not fit its module tree: a fault of ours.
    #[error("units of the estimate: {0}; its family lists them")]
    Units(#[from] TreeError),
    /// A black box whose Verilog nobody has.
    #[error("module {0} is a black box without a source; an estimate needs the Verilog of every module")]
    BlackBox(String),
}

/// Resources of one unit of the overlay.
#[derive(Clone, Debug, Serialize, PartialEq)]
pub struct Unit {
    /// As in the module tree, without number.
    pub name: String,
    /// How many of them.
    pub instances: usize,
    /// All together.
    pub resources: Resources,
}

/// One module.
#[derive(Clone, Debug, Serialize, PartialEq)]
pub struct Module {
    /// Name.
    pub name: String,
    /// How often the overlay holds it.
    pub instances: usize,
    /// Resources of one.
    #[serde(flatten)]
    pub resources: Counted,
    /// Levels between registers, from an input, to an output, from input to output.
    pub levels: [u32; 4],
}

/// A path between registers and the module in which both ends are known.
#[derive(Clone, Debug, Serialize, PartialEq)]
pub struct ModulePath {
    /// Module.
    pub module: String,
    /// Path.
    #[serde(flatten)]
    pub path: Path,
}

/// Everything known about one overlay.
#[derive(Clone, Debug, Serialize, PartialEq)]
pub struct Estimate {
    /// Overlay.
    pub overlay: String,
    /// Board.
    pub board: String,
    /// Part.
    pub part: String,
    /// Clock in MHz.
    pub clock_mhz: u32,
    /// Version line of yosys.
    pub yosys: String,
    /// What the part holds.
    pub available: sagen_config::board::Resources,
    /// What the overlay takes.
    pub total: Resources,
    /// By unit.
    pub units: Vec<Unit>,
    /// Modules, greatest first.
    pub modules: Vec<Module>,
    /// Levels allowed at this clock.
    pub level_limit: u32,
    /// The longest path of all.
    pub worst: Option<ModulePath>,
    /// Paths longer than allowed: one a register, longest first.
    pub long_paths: Vec<ModulePath>,
    /// Published figures of a comparable overlay, where there is one.
    pub reference: Option<Reference>,
}

/// How to synthesise.
#[derive(Debug)]
pub struct Options<'a> {
    /// yosys.
    pub program: &'a path::Path,
    /// Folder of the cache.
    pub cache: &'a path::Path,
    /// Modules at once.
    pub jobs: usize,
}

/// Estimate an overlay; what is not cached is synthesised.
pub fn estimate(overlay: &Overlay, options: &Options<'_>, stop: &AtomicBool) -> Result<Estimate, EstimateError> {
    let yosys = Yosys::find(options.program, overlay.board.family, options.cache)?;
    let (manifest, sources) = sources(overlay)?;
    let netlists = yosys.synthesise(&sources, options.jobs, stop)?;
    let order: Vec<String> = manifest.modules.iter().map(|m| m.name.clone()).collect();
    let counted = resources::count(&order, &netlists)?;
    let levels = levels::analyse(&order, &netlists)?;
    assemble(overlay, &manifest, &counted, &levels, yosys.version())
}

/// What the overlay takes, where every module is cached.
pub fn cached(overlay: &Overlay, options: &Options<'_>) -> Result<Option<Resources>, EstimateError> {
    let Ok(yosys) = Yosys::find(options.program, overlay.board.family, options.cache) else { return Ok(None) };
    let (manifest, sources) = sources(overlay)?;
    let netlists = yosys.cached(&sources);
    if netlists.len() < sources.len() {
        return Ok(None);
    }
    let order: Vec<String> = manifest.modules.iter().map(|m| m.name.clone()).collect();
    Ok(resources::count(&order, &netlists)?.get(&manifest.top).map(|c| c.total))
}

/// The module tree below the synthesis top, and the Verilog of its modules.
pub fn sources(overlay: &Overlay) -> Result<(Manifest, Vec<Source>), EstimateError> {
    let design = emit::tree(overlay, ANY_HASH)?;
    let top = design.lookup(&overlay.top).expect("the synthesis top was just built");
    let manifest = design.manifest(top);
    let mut texts: BTreeMap<String, String> = emit::modules(&design, top).into_iter().collect();
    let foreign = sagen_lang::verilog::sources(&design, top);
    for module in &manifest.modules {
        let Some(black_box) = &module.black_box else { continue };
        let of_it = foreign.iter().filter(|s| black_box.sources.iter().any(|entry| entry.file == s.file));
        let text: String = of_it.map(|s| s.text.as_str()).collect();
        // One without a file stays out, and is told below.
        if !text.is_empty() {
            texts.insert(module.name.clone(), text);
        }
    }
    let source = |m: &ModuleEntry| {
        let mut children: Vec<String> = m.instances.iter().map(|i| i.module.clone()).collect();
        children.sort();
        children.dedup();
        let interface = format!("{} {} {} {:?}", m.name, m.clocked, m.resettable, m.ports);
        let text = texts.get(&m.name).ok_or_else(|| EstimateError::BlackBox(m.name.clone()))?.clone();
        Ok(Source { name: m.name.clone(), text, interface, children })
    };
    let sources = manifest.modules.iter().map(source).collect::<Result<_, EstimateError>>()?;
    Ok((manifest, sources))
}

fn assemble(
    overlay: &Overlay,
    manifest: &Manifest,
    counted: &BTreeMap<String, Counted>,
    levels: &BTreeMap<String, Levels>,
    yosys: &str,
) -> Result<Estimate, EstimateError> {
    let limit = overlay.logic_levels;
    let paths = || {
        let of = |(module, levels): (&String, &Levels)| {
            let one = |path: &Path| ModulePath { module: module.clone(), path: path.clone() };
            levels.paths.iter().map(one).collect::<Vec<_>>()
        };
        levels.iter().flat_map(of)
    };
    let mut long: Vec<ModulePath> = paths().filter(|p| p.path.levels > limit).collect();
    long.sort_by_key(|p| std::cmp::Reverse(p.path.levels));
    Ok(Estimate {
        overlay: overlay.name.clone(),
        board: overlay.board.name.clone(),
        part: overlay.board.part.clone(),
        clock_mhz: overlay.clock_mhz,
        yosys: yosys.to_string(),
        available: overlay.board.resources,
        total: counted[&manifest.top].total,
        units: units::units(&overlay.units, manifest, counted)?,
        modules: modules(manifest, counted, levels),
        level_limit: limit,
        worst: paths().max_by_key(|p| p.path.levels),
        long_paths: long,
        reference: overlay.reference,
    })
}

fn modules(manifest: &Manifest, counted: &BTreeMap<String, Counted>, levels: &BTreeMap<String, Levels>) -> Vec<Module> {
    let mut instances: BTreeMap<&str, usize> = BTreeMap::from([(manifest.top.as_str(), 1)]);
    for module in manifest.modules.iter().rev() {
        let here = instances.get(module.name.as_str()).copied().unwrap_or(0);
        for instance in &module.instances {
            *instances.entry(&instance.module).or_insert(0) += here;
        }
    }
    let module = |m: &ModuleEntry| {
        let l = &levels[&m.name];
        Module {
            name: m.name.clone(),
            instances: instances[m.name.as_str()],
            resources: counted[&m.name],
            levels: [l.worst(), l.input(), l.output(), l.through()],
        }
    };
    let mut modules: Vec<Module> = manifest.modules.iter().map(module).collect();
    modules.sort_by_key(|m| (std::cmp::Reverse(m.resources.total.lut), m.name.clone()));
    modules
}
