//! The Vivado flow of an emitted overlay: the synthesis top and what lies below it.

use super::{File, Verilog};
use sagen_lang::Direction;
use sagen_streamed_arch::StreamedConfig;
use sagen_vivado::{FlowError, Port, Source, flow};

/// Scripts and constraints; nothing for a board without constraints, which can be simulated all the same.
pub fn vivado(overlay: &StreamedConfig, emitted: &Verilog) -> Result<Vec<File>, FlowError> {
    if flow::supported(overlay).is_err() {
        return Ok(Vec::new());
    }
    let sim = format!("rtl/{}.v", sagen_streamed_rtl::top::SIM_TOP);
    let sources = emitted.files.iter().filter(|f| f.path.ends_with(".v") && f.path != sim);
    let sources: Vec<Source<'_>> = sources.map(|f| Source { path: &f.path, text: &f.text }).collect();
    let files = sagen_vivado::files(overlay, &ports(emitted), &sources, emitted.build_hash)?;
    Ok(files.into_iter().map(|f| File { path: f.path, text: f.text }).collect())
}

/// The synthesis top has the ports of the co-simulation top without the observation outputs.
fn ports(emitted: &Verilog) -> Vec<Port> {
    let top = emitted.manifest.modules.last().expect("a manifest holds its top");
    let ports = top.ports.iter().filter(|p| !p.name.starts_with("tap_"));
    let port = |p: &sagen_lang::Port| Port {
        name: p.name.clone(),
        width: p.ty.width,
        direction: match p.direction {
            Direction::Input => sagen_vivado::Direction::Input,
            Direction::Output => sagen_vivado::Direction::Output,
        },
    };
    ports.map(port).collect()
}
