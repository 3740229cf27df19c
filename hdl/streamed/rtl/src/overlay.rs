//! A streamed overlay for tools.

use crate::diagram::diagram;
use crate::instructions::instructions;
use crate::registers::registers;
use crate::top::{SIM_TOP, TOP};
use crate::{figures, top, units};
use sagen_config::{ConfigError, ConfigFile};
use sagen_lang::Design;
use sagen_overlay::{Elaborate, Interface, InterfaceKind, MemoryMaster, Overlay, Stamp};
use sagen_streamed_arch::{StreamedConfig, config};

/// Bursts of reads for which a port should have room: the arbiter lets so many be on their way.
const READS_OUTSTANDING: u32 = sagen_blocks::axi::arbiter::IN_FLIGHT;

/// The overlay that a config file describes.
pub fn read(file: &ConfigFile) -> Result<Overlay, ConfigError> {
    Ok(overlay(&config::read(file)?))
}

/// The overlay of a config.
#[must_use]
pub fn overlay(config: &StreamedConfig) -> Overlay {
    Overlay {
        name: config.name().to_string(),
        id: config.id(),
        family: config.file().family,
        board: config.board().clone(),
        clock_mhz: config.clock_mhz(),
        logic_levels: config.logic_levels(),
        config: config.canonical(),
        prefix: String::new(),
        top: TOP.to_string(),
        sim_top: SIM_TOP.to_string(),
        elaborate: elaborate(config.clone()),
        registers: registers(),
        interfaces: interfaces(config),
        instructions: Some(instructions()),
        figures: figures::of(config),
        units: units::units(),
        reference: units::reference(config.side()),
        diagram: diagram(config),
    }
}

fn elaborate(config: StreamedConfig) -> Elaborate {
    Box::new(move |Stamp { build_hash, prefix }| {
        let mut design = Design::prefixed(prefix);
        top::overlay(&mut design, &config, build_hash);
        design.finish()?;
        Ok(design)
    })
}

fn interfaces(config: &StreamedConfig) -> Vec<Interface> {
    let registers = Interface { name: "s_axi".to_string(), bits: 32, kind: InterfaceKind::Registers };
    let master = |port: usize| {
        let writes = port == config.data_port();
        let master = MemoryMaster {
            board_port: port,
            writes,
            reads_outstanding: READS_OUTSTANDING,
            writes_outstanding: if writes { crate::dma::store::OUTSTANDING as u32 } else { 0 },
            longest_burst: crate::dma::stream::LONGEST,
        };
        let bits = 8 * config.port_bytes() as u32;
        Interface { name: format!("m{port}_axi"), bits, kind: InterfaceKind::Memory(master) }
    };
    std::iter::once(registers).chain((0..config.ports()).map(master)).collect()
}
