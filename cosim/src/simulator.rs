//! From an overlay to a simulator: emit its Verilog, then build it, both cached.

use std::path::Path;

use sagen::build::BuildError;
use sagen_host::progress::Progress;
use sagen_overlay::Overlay;

use crate::verilate::{self, Built, Cache, Design, Tools, ToolsError, TopPort, Variant, VerilateError};

/// An overlay without a simulator.
#[derive(Debug, thiserror::Error)]
pub enum SimulatorError {
    /// It could not be emitted.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// Verilator or a compiler is missing.
    #[error(transparent)]
    Tools(#[from] ToolsError),
    /// The simulator could not be built.
    #[error(transparent)]
    Verilate(#[from] VerilateError),
}

/// Emit an overlay into `out` and turn it into a simulator.
pub fn simulator(
    overlay: &Overlay,
    out: &Path,
    variant: Variant,
    verilator: Option<&Path>,
) -> Result<Built, SimulatorError> {
    let build = sagen::build::build(overlay, out)?;
    let design = Design::read(&build.folder, &overlay.sim_top, &TopPort::of(&build.manifest))?;
    let tools = Tools::find(verilator)?;
    let _building = Progress::spinner(format!("building the simulator of {} (cached afterwards)", overlay.name));
    Ok(verilate::verilate(&design, variant, &tools, &Cache::user()?)?)
}
