//! What the diagram shows, read from the module tree, the Verilog and the config.

use super::DiagramError;
use crate::emit::Verilog;
use sagen_lang::ModuleEntry;
use sagen_streamed_arch::StreamedConfig;

/// Instances of the core that have a place, arbiters apart.
const CORE: [&str; 11] = [
    "u_csr",
    "u_fetch",
    "u_scheduler",
    "u_stream",
    "u_compute",
    "u_vector",
    "u_load",
    "u_store",
    "u_scratchpad",
    "u_code_memory",
    "u_scale_file",
];
/// Engines of the compute unit that have a place.
const ENGINES: [&str; 2] = ["u_gemv", "u_array"];

/// The memories of one kind below one module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Memory {
    pub(super) kind: String,
    pub(super) bits: u64,
}

impl Memory {
    pub(super) fn text(&self) -> String {
        let bytes = self.bits.div_ceil(8);
        let size = if bytes.is_multiple_of(1024) { format!("{} KiB", bytes / 1024) } else { format!("{bytes} bytes") };
        format!("{size} {}", self.kind)
    }
}

/// Bits on the arrows.
#[derive(Debug)]
pub(super) struct Widths {
    pub(super) csr: u32,
    pub(super) descriptor: u32,
    pub(super) registers: u32,
    pub(super) beat: u32,
    pub(super) load: u32,
    pub(super) store: u32,
    pub(super) read: u32,
    pub(super) result: u32,
    pub(super) codes: u32,
    pub(super) quantised: u32,
    pub(super) scale: u32,
}

#[derive(Debug)]
pub(super) struct Facts {
    pub(super) widths: Widths,
    /// Ports whose readers share it through an arbiter.
    pub(super) arbiters: Vec<usize>,
    pub(super) prefetch: Memory,
    pub(super) scores: Memory,
    pub(super) scratchpad: Memory,
    pub(super) codes: Memory,
    pub(super) scales: Memory,
}

impl Facts {
    pub(super) fn of(overlay: &StreamedConfig, emitted: &Verilog) -> Result<Self, DiagramError> {
        let tree = Tree { emitted };
        let core = tree.child(tree.module(&emitted.manifest.top)?, "u_core")?;
        let arbiters = known(core)?;
        let compute = tree.child(core, "u_compute")?;
        if let Some(engine) = compute.instances.iter().find(|i| !ENGINES.contains(&i.name.as_str())) {
            return Err(unplaced(&engine.name, &compute.name));
        }
        let lane = tree.child(tree.child(core, "u_stream")?, &format!("u_lane{}", overlay.stream_ports() - 1))?;
        let scores = tree.child(tree.child(compute, "u_gemv")?, "u_scores")?;
        let memory = |instance: &str| tree.memory(tree.child(core, instance)?);
        Ok(Self {
            widths: tree.widths(core)?,
            arbiters,
            prefetch: tree.memory(lane)?,
            scores: tree.memory(scores)?,
            scratchpad: memory("u_scratchpad")?,
            codes: memory("u_code_memory")?,
            scales: memory("u_scale_file")?,
        })
    }
}

fn unplaced(instance: &str, module: &str) -> DiagramError {
    DiagramError::Unplaced { instance: instance.to_string(), module: module.to_string() }
}

/// Ports with an arbiter; every other instance of the core must have a place.
fn known(core: &ModuleEntry) -> Result<Vec<usize>, DiagramError> {
    let others = core.instances.iter().map(|i| i.name.as_str()).filter(|name| !CORE.contains(name));
    let port = |name: &str| name.strip_prefix("u_arbiter")?.parse().ok();
    others.map(|name| port(name).ok_or_else(|| unplaced(name, &core.name))).collect()
}

struct Tree<'a> {
    emitted: &'a Verilog,
}

impl Tree<'_> {
    fn module(&self, name: &str) -> Result<&ModuleEntry, DiagramError> {
        let found = self.emitted.manifest.modules.iter().find(|m| m.name == name);
        found.ok_or_else(|| missing("the module tree", name))
    }

    fn child(&self, parent: &ModuleEntry, instance: &str) -> Result<&ModuleEntry, DiagramError> {
        let found = parent.instances.iter().find(|i| i.name == instance);
        self.module(&found.ok_or_else(|| missing(&parent.name, instance))?.module)
    }

    fn widths(&self, core: &ModuleEntry) -> Result<Widths, DiagramError> {
        let width = |instance: &str, port: &str| {
            let module = self.child(core, instance)?;
            let found = module.ports.iter().find(|p| p.name == port);
            found.map(|p| p.ty.width).ok_or_else(|| missing(&module.name, port))
        };
        Ok(Widths {
            csr: width("u_csr", "s_axi_wdata")?,
            descriptor: width("u_fetch", "desc")?,
            registers: width("u_csr", "vector_value")?,
            beat: width("u_stream", "beat")?,
            load: width("u_load", "w_data")?,
            store: width("u_store", "s_data")?,
            read: width("u_vector", "a_data")?,
            result: width("u_compute", "w_data")?,
            codes: width("u_code_memory", "r_data")?,
            quantised: width("u_vector", "c_data")?,
            scale: width("u_scale_file", "r_data")?,
        })
    }

    /// All memories below a module of the kind that holds most.
    fn memory(&self, module: &ModuleEntry) -> Result<Memory, DiagramError> {
        let mut kinds: Vec<Memory> = Vec::new();
        self.add(module, &mut kinds)?;
        kinds.into_iter().max_by_key(|m| m.bits).ok_or_else(|| missing(&module.name, "memory"))
    }

    fn add(&self, module: &ModuleEntry, kinds: &mut Vec<Memory>) -> Result<(), DiagramError> {
        let path = format!("rtl/{}.v", module.name);
        let text = self.emitted.files.iter().find(|f| f.path == path).map_or("", |f| f.text.as_str());
        for memory in text.lines().filter_map(declared) {
            match kinds.iter_mut().find(|m| m.kind == memory.kind) {
                Some(known) => known.bits += memory.bits,
                None => kinds.push(memory),
            }
        }
        module.instances.iter().try_for_each(|i| self.add(self.module(&i.module)?, kinds))
    }
}

fn missing(module: &str, wanted: &str) -> DiagramError {
    DiagramError::Missing { module: module.to_string(), wanted: wanted.to_string() }
}

/// `(* ram_style = "block" *) reg [31:0] name [0:63];`
fn declared(line: &str) -> Option<Memory> {
    let (_, rest) = line.split_once("ram_style = \"")?;
    let (style, rest) = rest.split_once('"')?;
    let width: u64 = rest.split_once('[')?.1.split_once(':')?.0.parse().ok()?;
    let last: u64 = rest.rsplit_once("[0:")?.1.split_once(']')?.0.parse().ok()?;
    let kind = match style {
        "ultra" => "UltraRAM",
        "block" => "block RAM",
        _ => "distributed RAM",
    };
    Some(Memory { kind: kind.to_string(), bits: (width + 1) * (last + 1) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use sagen_lang::InstanceEntry;

    fn core(names: &[&str]) -> ModuleEntry {
        let instance = |name: &&str| InstanceEntry { name: name.to_string(), module: "m".to_string() };
        ModuleEntry {
            name: "overlay_core".to_string(),
            hash: String::new(),
            clocked: true,
            resettable: true,
            ports: Vec::new(),
            instances: names.iter().map(instance).collect(),
            black_box: None,
        }
    }

    #[test]
    fn an_instance_without_a_place_is_an_error() {
        assert_eq!(known(&core(&["u_csr", "u_arbiter3"])), Ok(vec![3]));
        let error = known(&core(&["u_csr", "u_topk"])).unwrap_err();
        let text = "diagram: instance u_topk of overlay_core has no place in the layout (gen/src/diagram)";
        assert_eq!(error.to_string(), text);
    }

    #[test]
    fn memories_are_read_from_their_declarations() {
        let memory = declared("  (* ram_style = \"ultra\" *) reg [71:0] w [0:4095];").unwrap();
        assert_eq!((memory.kind.as_str(), memory.bits), ("UltraRAM", 72 * 4096));
        assert_eq!(memory.text(), "36 KiB UltraRAM");
        assert_eq!(declared("  reg [71:0] w_q;"), None);
    }
}
