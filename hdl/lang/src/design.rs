//! A design: modules in build order, children before parents, each built once per name.

use crate::builder::{self, Line};
use crate::errors::{BuildError, Errors, Problem};
use crate::instance;
use crate::memory;
use crate::module::{self, Module};
use crate::names;
use crate::node::{ModuleDef, Statement};
use crate::types::Type;
use serde::Serialize;
use std::collections::BTreeMap;
use std::panic::Location;
use std::sync::Arc;

/// A finished module of a [`Design`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, PartialOrd, Ord)]
pub struct ModuleId(pub(crate) usize);

/// Which way a port carries its value.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    /// Into the module.
    Input,
    /// Out of the module.
    Output,
}

impl Direction {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Direction::Input => "input",
            Direction::Output => "output",
        }
    }
}

/// A port; clock and reset are not among the ports of a module.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Port {
    /// As in the Verilog.
    pub name: String,
    /// Into or out of the module.
    pub direction: Direction,
    /// Width and sign.
    #[serde(flatten)]
    pub ty: Type,
    /// What its interface says of it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub doc: String,
}

impl Port {
    /// An input port.
    pub fn input(name: &str, ty: Type) -> Port {
        Port { name: name.into(), direction: Direction::Input, ty, doc: String::new() }
    }

    /// An output port.
    pub fn output(name: &str, ty: Type) -> Port {
        Port { name: name.into(), direction: Direction::Output, ty, doc: String::new() }
    }
}

/// A Verilog file that was written elsewhere. It is printed as it is and listed before the modules that need it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Source {
    /// Its name, ending in `.v`.
    pub file: String,
    /// Under which licence it may be passed on, as an SPDX expression.
    pub licence: String,
    /// Its contents.
    pub text: String,
}

/// A module whose Verilog comes from elsewhere. Ports named `clk` and `rst` connect to clock and reset.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BlackBox {
    pub(crate) name: String,
    pub(crate) ports: Vec<Port>,
    pub(crate) params: Vec<(String, String)>,
    pub(crate) sources: Vec<Source>,
    pub(crate) clocked: bool,
    pub(crate) resettable: bool,
}

#[derive(Clone, Debug, PartialEq)]
#[allow(clippy::large_enum_variant)] // One allocation each, behind an `Arc`.
pub(crate) enum Entity {
    Module(ModuleDef),
    BlackBox(BlackBox),
}

impl Entity {
    pub(crate) fn name(&self) -> &str {
        match self {
            Entity::Module(m) => &m.name,
            Entity::BlackBox(b) => &b.name,
        }
    }

    pub(crate) fn ports(&self) -> &[Port] {
        match self {
            Entity::Module(m) => &m.ports,
            Entity::BlackBox(b) => &b.ports,
        }
    }

    fn source(&self, file: &str) -> Option<&Source> {
        match self {
            Entity::Module(_) => None,
            Entity::BlackBox(b) => b.sources.iter().find(|s| s.file == file),
        }
    }

    pub(crate) fn clocked(&self) -> bool {
        match self {
            Entity::Module(m) => m.clocked,
            Entity::BlackBox(b) => b.clocked,
        }
    }

    pub(crate) fn resettable(&self) -> bool {
        match self {
            Entity::Module(m) => m.resettable,
            Entity::BlackBox(b) => b.resettable,
        }
    }

    pub(crate) fn failed(&self) -> bool {
        match self {
            Entity::Module(m) => m.failed,
            Entity::BlackBox(_) => false,
        }
    }
}

/// Modules in build order.
#[derive(Default, Debug)]
pub struct Design {
    pub(crate) entities: Vec<Arc<Entity>>,
    names: BTreeMap<String, ModuleId>,
    errors: Vec<BuildError>,
    prefix: String,
    /// By module and port.
    pub(crate) attributes: BTreeMap<(String, String), Vec<(String, String)>>,
}

impl Design {
    /// An empty design.
    pub fn new() -> Design {
        Design::default()
    }

    /// An empty design whose modules all have names that begin so; black boxes keep theirs.
    pub fn prefixed(prefix: impl Into<String>) -> Design {
        Design { prefix: prefix.into(), ..Design::default() }
    }

    /// Builds a module. A name that exists already must get the same body again.
    #[track_caller]
    pub fn module(&mut self, name: impl AsRef<str>, body: impl FnOnce(&Module)) -> ModuleId {
        let (line, name) = (Location::caller(), name.as_ref());
        let serial = builder::start(&format!("{}{name}", self.prefix), self.entities.clone());
        let unwinding = Unwinding;
        body(&Module { serial });
        std::mem::forget(unwinding);
        let (def, error) = complete(line);
        self.errors.extend(error);
        self.add(line, Entity::Module(def))
    }

    /// Declares a module whose Verilog is in `sources`; every instance gets the same `params`. Without sources it is one
    /// that the tools know by themselves.
    #[track_caller]
    pub fn black_box(
        &mut self,
        name: impl AsRef<str>,
        ports: &[Port],
        params: &[(&str, &str)],
        sources: &[Source],
    ) -> ModuleId {
        let has = |wanted: &str| ports.iter().any(|p| p.name == wanted);
        let own = |p: &&Port| p.name != "clk" && p.name != "rst";
        let entity = BlackBox {
            name: name.as_ref().into(),
            ports: ports.iter().filter(own).cloned().collect(),
            params: params.iter().map(|(k, v)| (k.to_string(), v.to_string())).collect(),
            sources: sources.to_vec(),
            clocked: has("clk"),
            resettable: has("rst"),
        };
        let line = Location::caller();
        let problem = sources.iter().find_map(|source| self.refused(source));
        self.errors.extend(problem.map(|problem| BuildError { module: name.as_ref().into(), location: line, problem }));
        self.add(line, Entity::BlackBox(entity))
    }

    /// What is wrong with a file from elsewhere.
    fn refused(&self, source: &Source) -> Option<Problem> {
        let refuse = |reason: &str| Some(Problem::Source { file: source.file.clone(), reason: reason.into() });
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        if !source.file.strip_suffix(".v").is_some_and(|name| !name.is_empty() && name.chars().all(plain)) {
            return refuse("must be letters, digits, `_` and `-`, then `.v`");
        }
        match self.entities.iter().find_map(|entity| entity.source(&source.file)) {
            Some(known) if known != source => refuse("has other contents or another licence in another black box"),
            Some(_) | None => None,
        }
    }

    /// Puts an attribute before a port of a module, clock and reset included, for tools that read the Verilog:
    /// `(* name = "value" *)`.
    ///
    /// # Panics
    /// If the module has no such port, or the value holds a quotation mark or a line break.
    pub fn attribute(&mut self, module: ModuleId, port: &str, name: &str, value: &str) {
        let implicit = port == "clk" && self.clocked(module) || port == "rst" && self.resettable(module);
        let known = implicit || self.ports(module).iter().any(|p| p.name == port);
        assert!(known, "attribute {name} is of port `{port}`, which {} has not", self.name(module));
        assert!(!value.contains(['"', '\n']), "attribute {name} of {port}: {value:?} is no Verilog string");
        let key = (self.name(module).to_string(), port.to_string());
        self.attributes.entry(key).or_default().push((name.to_string(), value.to_string()));
    }

    /// The module of this name, with its prefix.
    pub fn lookup(&self, name: &str) -> Option<ModuleId> {
        self.names.get(name).copied()
    }

    /// The name of a module.
    pub fn name(&self, id: ModuleId) -> &str {
        self.entities[id.0].name()
    }

    /// The ports of a module, in declaration order, without clock and reset.
    pub fn ports(&self, id: ModuleId) -> &[Port] {
        self.entities[id.0].ports()
    }

    /// Whether the module has a `clk` port.
    pub fn clocked(&self, id: ModuleId) -> bool {
        self.entities[id.0].clocked()
    }

    /// Whether the module has a `rst` port.
    pub fn resettable(&self, id: ModuleId) -> bool {
        self.entities[id.0].resettable()
    }

    /// All recorded errors, the first of each module.
    pub fn finish(&self) -> Result<(), Errors> {
        if self.errors.is_empty() { Ok(()) } else { Err(Errors(self.errors.clone())) }
    }

    fn add(&mut self, line: Line, entity: Entity) -> ModuleId {
        let name = entity.name().to_string();
        let problem = match self.names.get(&name) {
            Some(&id) => {
                let known = &self.entities[id.0];
                let same = **known == entity || known.failed() || entity.failed();
                if !same {
                    self.errors.push(BuildError { module: name, location: line, problem: Problem::OtherBody });
                }
                return id;
            }
            None if self.entities.iter().any(|e| e.source(&format!("{name}.v")).is_some() && e.name() != name) => {
                let reason = "is the name of a file of a black box".to_string();
                Some(Problem::Name { name: name.clone(), reason })
            }
            None => names::check(&name).err(),
        };
        let id = ModuleId(self.entities.len());
        self.entities.push(Arc::new(entity));
        self.names.insert(name.clone(), id);
        self.errors.extend(problem.map(|problem| BuildError { module: name, location: line, problem }));
        id
    }
}

/// Takes a module off the stack when its closure panics, so that the thread can build again.
struct Unwinding;

impl Drop for Unwinding {
    fn drop(&mut self) {
        builder::finish();
    }
}

fn complete(line: Line) -> (ModuleDef, Option<BuildError>) {
    let mut b = builder::finish().expect("started by Design::module");
    module::check_complete(&mut b, line);
    memory::check(&mut b, line);
    instance::check_connected(&mut b, line);
    let body: Vec<Statement> = b.blocks.pop().expect("the body block is always open");
    let mut def = b.def;
    def.body = body;
    def.failed = b.error.is_some();
    (def, b.error)
}
