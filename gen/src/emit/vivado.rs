//! The Vivado flow of an emitted overlay: the synthesis top and what lies below it.

use super::{File, Verilog};
use sagen_lang::Direction;
use sagen_overlay::Overlay;
use sagen_vivado::{FlowError, Port, Source, flow};

/// Scripts and constraints; nothing for a board without constraints, which can be simulated all the same.
pub fn vivado(overlay: &Overlay, emitted: &Verilog) -> Result<Vec<File>, FlowError> {
    if flow::supported(overlay).is_err() {
        return Ok(Vec::new());
    }
    let sim = format!("rtl/{}.v", overlay.sim_top);
    let sources = emitted.files.iter().filter(|f| f.path.ends_with(".v") && f.path != sim);
    let sources: Vec<Source<'_>> = sources.map(|f| Source { path: &f.path, text: &f.text }).collect();
    let files = sagen_vivado::files(overlay, &ports(emitted), &sources, emitted.build_hash)?;
    Ok(files.into_iter().map(|f| File { path: f.path, text: f.text }).collect())
}

fn ports(emitted: &Verilog) -> Vec<Port> {
    let port = |p: &sagen_lang::Port| Port {
        name: p.name.clone(),
        width: p.ty.width,
        direction: match p.direction {
            Direction::Input => sagen_vivado::Direction::Input,
            Direction::Output => sagen_vivado::Direction::Output,
        },
    };
    emitted.ports.iter().map(port).collect()
}
