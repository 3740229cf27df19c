//! Interfaces: named ports with a direction each, declared by [`crate::interface!`].
//!
//! A module offers them as [`Module::master`] or [`Module::slave`]; whoever places it joins them with [`connect`], which
//! only a master and a slave of one interface fit, or takes single ports by [`Master::ports`] and [`Slave::ports`]. A
//! finished module keeps which ports belong to which interface, so its parent names none of them.

use crate::builder::Line;
use crate::design::Direction;
use crate::errors::Problem;
use crate::instance::Instance;
use crate::module::{Module, Output};
use crate::signal::{self, Signal};
use crate::types::{Type, bit};
use serde::{Serialize, Serializer};
use std::cell::RefCell;
use std::marker::PhantomData;
use std::panic::Location;

/// A kind of interface: a struct of the types of its ports, made by [`crate::interface!`].
pub trait Interface: Copy {
    /// In messages and the manifest.
    const NAME: &'static str;
    /// What it says of its fields.
    const DOCS: &'static [(&'static str, &'static str)];
    /// An `F` for each port that the master drives, a `B` for each port that the slave drives.
    type Of<F, B>;

    /// Every type by its direction.
    fn each<F, B>(
        self,
        forward: &mut dyn FnMut(&str, Type) -> F,
        backward: &mut dyn FnMut(&str, Type) -> B,
    ) -> Self::Of<F, B>;

    /// Made by name; `None` if one of them has no such name.
    fn build<F, B>(
        forward: &mut dyn FnMut(&str) -> Option<F>,
        backward: &mut dyn FnMut(&str) -> Option<B>,
    ) -> Option<Self::Of<F, B>>;
}

/// Who drives the forward ports.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// The module that offers the interface.
    Master,
    /// The other side.
    Slave,
}

impl Role {
    fn word(self) -> &'static str {
        match self {
            Role::Master => "master",
            Role::Slave => "slave",
        }
    }
}

/// An interface of a finished module.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct InterfaceEntry {
    /// The kind.
    pub interface: &'static str,
    /// What tells several of a kind apart: the prefix of its ports.
    pub prefix: String,
    /// Which side the module is.
    pub role: Role,
    /// Field and port, in order; an object in the manifest.
    #[serde(serialize_with = "as_map")]
    pub ports: Vec<(String, String)>,
}

fn as_map<S: Serializer>(ports: &[(String, String)], to: S) -> Result<S::Ok, S::Error> {
    to.collect_map(ports.iter().map(|(field, port)| (field, port)))
}

impl InterfaceEntry {
    /// The port of a field.
    pub fn port(&self, field: &str) -> Option<&str> {
        self.ports.iter().find(|(f, _)| f == field).map(|(_, port)| port.as_str())
    }
}

/// How ports are named after the fields of an interface: by a prefix, or by a prefix and a rule.
pub trait Naming {
    /// The prefix.
    fn prefix(&self) -> &str;
    /// The name of a port.
    fn port(&self, field: &str) -> String {
        format!("{}{field}", self.prefix())
    }
}

impl<S: AsRef<str>> Naming for S {
    fn prefix(&self) -> &str {
        self.as_ref()
    }
}

/// A prefix, and a name for each field to follow it.
#[derive(Clone, Copy, Debug)]
pub struct Renamed<S>(pub S, pub fn(&str) -> String);

impl<S: AsRef<str>> Naming for Renamed<S> {
    fn prefix(&self) -> &str {
        self.0.as_ref()
    }
    fn port(&self, field: &str) -> String {
        format!("{}{}", self.0.as_ref(), self.1(field))
    }
}

/// An input port of an instance.
#[derive(Clone, Debug)]
pub struct Sink {
    instance: Instance,
    /// None if the interface is not there, which is an error of its own.
    port: Option<String>,
}

impl Sink {
    /// Gives the port its value.
    #[track_caller]
    pub fn drive(&self, signal: impl Into<Signal>) {
        self.drive_at(Location::caller(), signal.into());
    }

    pub(crate) fn drive_at(&self, line: Line, signal: Signal) {
        if let Some(port) = &self.port {
            self.instance.input_at(line, port, signal);
        }
    }
}

/// One interface of an instance; `M` says which side the instance is.
#[derive(Clone, Debug)]
struct End<I> {
    instance: Instance,
    entry: Option<InterfaceEntry>,
    kind: PhantomData<I>,
}

/// The master side of an interface, offered by an instance.
#[derive(Clone, Debug)]
pub struct Master<I>(End<I>);
/// The slave side of an interface, offered by an instance.
#[derive(Clone, Debug)]
pub struct Slave<I>(End<I>);

impl<I: Interface> End<I> {
    fn source(&self, field: &str) -> Option<Signal> {
        match &self.entry {
            Some(entry) => entry.port(field).map(|port| self.instance.output(port)),
            // The error is known: a stand-in.
            None => Some(signal::build(|b| b.quiet_poison(bit()))),
        }
    }

    fn sink(&self, field: &str) -> Option<Sink> {
        let port = match &self.entry {
            Some(entry) => Some(entry.port(field)?.to_string()),
            None => None,
        };
        Some(Sink { instance: self.instance, port })
    }

    #[track_caller]
    fn join(&self, other: &End<I>) {
        let (Some(from), Some(to)) = (&self.entry, &other.entry) else { return };
        for (field, port) in &from.ports {
            let Some(partner) = to.port(field) else { continue };
            if self.instance.port(port).0 == Direction::Output {
                other.instance.input(partner, self.instance.output(port));
            }
        }
    }
}

impl<I: Interface> Master<I> {
    /// Its signals, as the module that placed the instance sees them.
    #[track_caller]
    pub fn ports(&self) -> I::Of<Signal, Sink> {
        I::build(&mut |f| self.0.source(f), &mut |f| self.0.sink(f)).expect("fields are those of the interface")
    }
}

impl<I: Interface> Slave<I> {
    /// Its signals, as the module that placed the instance sees them.
    #[track_caller]
    pub fn ports(&self) -> I::Of<Sink, Signal> {
        I::build(&mut |f| self.0.sink(f), &mut |f| self.0.source(f)).expect("fields are those of the interface")
    }
}

/// Joins a master and a slave: each port of the one that the other has too.
#[track_caller]
pub fn connect<I: Interface>(master: &Master<I>, slave: &Slave<I>) {
    master.0.join(&slave.0);
    slave.0.join(&master.0);
}

impl Instance {
    /// The interface of this kind and prefix that the instance offers as a master.
    #[track_caller]
    pub fn master<I: Interface>(self, prefix: impl AsRef<str>) -> Master<I> {
        Master(self.end(Role::Master, prefix.as_ref()))
    }

    /// The interface of this kind and prefix that the instance offers as a slave.
    #[track_caller]
    pub fn slave<I: Interface>(self, prefix: impl AsRef<str>) -> Slave<I> {
        Slave(self.end(Role::Slave, prefix.as_ref()))
    }

    #[track_caller]
    fn end<I: Interface>(self, role: Role, prefix: &str) -> End<I> {
        let line = Location::caller();
        let known = self.interfaces();
        let entry = known.iter().find(|e| e.interface == I::NAME && e.role == role && e.prefix == prefix).cloned();
        if entry.is_none() {
            let text = |role: Role, interface: &str, prefix: &str| format!("{} {interface} `{prefix}`", role.word());
            let known: Vec<String> = known.iter().map(|e| text(e.role, e.interface, &e.prefix)).collect();
            let known = if known.is_empty() { "none".into() } else { known.join(", ") };
            let wanted = text(role, I::NAME, prefix);
            self.fail(line, |instance, module| Problem::UnknownInterface { instance, module, wanted, known });
        }
        End { instance: self, entry, kind: PhantomData }
    }
}

impl Module {
    /// Ports of an interface whose master is this module: it drives the forward ones.
    #[track_caller]
    pub fn master<I: Interface>(&self, naming: impl Naming, ports: I) -> I::Of<Output, Signal> {
        let (line, taken) = (Location::caller(), RefCell::new(Vec::new()));
        let name = |field: &str| note(&taken, &naming, field);
        let of =
            ports.each(&mut |f, ty| self.undriven(line, &name(f), ty), &mut |f, ty| self.input_at(line, &name(f), ty));
        self.offer::<I>(&naming, Role::Master, taken.into_inner());
        of
    }

    /// Ports of an interface whose slave is this module: it drives the backward ones.
    #[track_caller]
    pub fn slave<I: Interface>(&self, naming: impl Naming, ports: I) -> I::Of<Signal, Output> {
        let (line, taken) = (Location::caller(), RefCell::new(Vec::new()));
        let name = |field: &str| note(&taken, &naming, field);
        let of =
            ports.each(&mut |f, ty| self.input_at(line, &name(f), ty), &mut |f, ty| self.undriven(line, &name(f), ty));
        self.offer::<I>(&naming, Role::Slave, taken.into_inner());
        of
    }

    /// Offers the interface of a child as this module's own.
    #[track_caller]
    pub fn pass_master<I: Interface>(&self, naming: impl Naming, child: &Master<I>) {
        self.pass(&naming, Role::Master, &child.0);
    }

    /// Offers the interface of a child as this module's own.
    #[track_caller]
    pub fn pass_slave<I: Interface>(&self, naming: impl Naming, child: &Slave<I>) {
        self.pass(&naming, Role::Slave, &child.0);
    }

    #[track_caller]
    fn pass<I: Interface>(&self, naming: &impl Naming, role: Role, child: &End<I>) {
        let Some(entry) = &child.entry else { return };
        let taken = RefCell::new(Vec::new());
        for (field, port) in &entry.ports {
            let (name, (direction, ty)) = (note(&taken, naming, field), child.instance.port(port));
            match direction {
                Direction::Input => child.instance.input(port, self.input(&name, ty)),
                Direction::Output => self.output(&name, child.instance.output(port)),
            }
        }
        self.offer::<I>(naming, role, taken.into_inner());
    }

    /// Offers the ports and interfaces of a child as this module's own, but for the interfaces that `keep` refuses.
    #[track_caller]
    pub fn pass_all(&self, child: Instance, keep: impl Fn(&InterfaceEntry) -> bool) {
        let (kept, refused): (Vec<_>, Vec<_>) = child.interfaces().into_iter().partition(|entry| keep(entry));
        let is_refused = |name: &str| refused.iter().any(|entry| entry.ports.iter().any(|(_, port)| port == name));
        for port in child.ports().iter().filter(|port| !is_refused(&port.name)) {
            match port.direction {
                Direction::Input => child.input(&port.name, self.input(&port.name, port.ty)),
                Direction::Output => self.output(&port.name, child.output(&port.name)),
            }
        }
        let ports = child.ports();
        let doc = |name: &str| ports.iter().find(|p| p.name == name).map_or("", |p| p.doc.as_str());
        for entry in kept {
            let names = entry.ports.clone();
            let docs: Vec<(&str, &str)> = names.iter().map(|(field, port)| (field.as_str(), doc(port))).collect();
            self.record(entry, &docs);
        }
    }

    fn offer<I: Interface>(&self, naming: &impl Naming, role: Role, ports: Vec<(String, String)>) {
        self.record(InterfaceEntry { interface: I::NAME, prefix: naming.prefix().into(), role, ports }, I::DOCS);
    }
}

fn note(taken: &RefCell<Vec<(String, String)>>, naming: &impl Naming, field: &str) -> String {
    let name = naming.port(field);
    taken.borrow_mut().push((field.into(), name.clone()));
    name
}

/// Declares an interface. The master drives `->`, the slave `<-`; the arguments are those of `layout`.
///
/// ```
/// use sagen_lang::*;
///
/// bundle! {
///     /// A word of a row.
///     pub struct Tag() { row: unsigned(4), last: bit() }
/// }
/// interface! {
///     /// Words of a row.
///     pub struct Words(width: u32) {
///         valid: -> bit(),
///         data: -> unsigned(width),
///         tag as Tag: -> Tag::layout(),              // a port for each field of the bundle, without a prefix
///         ready: <- bit(),
///         error(optional): <- (width > 8).then(bit), // an `Option`: not there in every overlay
///     }
/// }
///
/// let mut d = Design::new();
/// let source = d.module("source", |m| {
///     let words = m.master("w_", Words::layout(8)); // ports w_valid, w_data, w_row, w_last, w_ready
///     words.valid.drive(words.ready);
///     words.data.drive(lit(8, 0x55));
///     words.tag.drive_each(Tag { row: lit(4, 3), last: high() });
/// });
/// let sink = d.module("sink", |m| m.slave("", Words::layout(8)).ready.drive(high()));
/// let top = d.module("top", |m| {
///     let (source, sink) = (m.instance("u_source", source), m.instance("u_sink", sink));
///     connect(&source.master::<Words>("w_"), &sink.slave::<Words>(""));
///     m.output("row", source.master::<Words>("w_").ports().tag.row);
/// });
/// d.finish().unwrap();
/// assert_eq!(Sim::new(&d, top).unwrap().get("row").to_u64(), 3);
/// ```
#[macro_export]
macro_rules! interface {
    ($(#[$meta:meta])* $vis:vis struct $name:ident($($arg:ident: $of:ty),*) {
        $($(#[doc = $doc:literal])* $field:ident $(($optional:ident))? $(as $nested:ident)?: $way:tt $ty:expr),* $(,)?
    }) => {
        $(#[$meta])*
        $vis struct $name<F = $crate::Type, B = $crate::Type> {
            $($(#[doc = $doc])* $vis $field: $crate::interface!(@field $way F B $(($optional))? $(as $nested)?),)*
            /// An interface may have one direction only.
            #[doc(hidden)]
            $vis ways: ::std::marker::PhantomData<(F, B)>,
        }
        impl $name {
            /// The types of its ports.
            $vis fn layout($($arg: $of),*) -> Self {
                Self { $($field: $ty,)* ways: ::std::marker::PhantomData }
            }
        }
        // `derive` refuses types that a macro makes.
        impl<F: Copy, B: Copy> Copy for $name<F, B> {}
        impl<F: Copy, B: Copy> Clone for $name<F, B> {
            fn clone(&self) -> Self {
                *self
            }
        }
        impl $crate::Interface for $name {
            const NAME: &'static str = stringify!($name);
            const DOCS: &'static [(&'static str, &'static str)] = &[$((stringify!($field), concat!($($doc),*))),*];
            type Of<F, B> = $name<F, B>;
            fn each<F, B>(
                self,
                _forward: &mut dyn FnMut(&str, $crate::Type) -> F,
                _backward: &mut dyn FnMut(&str, $crate::Type) -> B,
            ) -> $name<F, B> {
                $name { $($field: $crate::Each::<$crate::Type>::each(
                    self.$field, stringify!($field), $crate::interface!(@pick $way _forward _backward)),)*
                    ways: ::std::marker::PhantomData }
            }
            fn build<F, B>(
                _forward: &mut dyn FnMut(&str) -> Option<F>,
                _backward: &mut dyn FnMut(&str) -> Option<B>,
            ) -> Option<$name<F, B>> {
                Some($name { $($field: $crate::Each::<$crate::interface!(@pick $way F B)>::build_each(
                    stringify!($field), $crate::interface!(@pick $way _forward _backward))?,)*
                    ways: ::std::marker::PhantomData })
            }
        }
    };
    (@field $way:tt $f:ident $b:ident) => { $crate::interface!(@pick $way $f $b) };
    (@field $way:tt $f:ident $b:ident as $nested:ident) => { $nested<$crate::interface!(@pick $way $f $b)> };
    (@field $way:tt $f:ident $b:ident (optional)) => { Option<$crate::interface!(@pick $way $f $b)> };
    (@pick -> $f:ident $b:ident) => { $f };
    (@pick <- $f:ident $b:ident) => { $b };
}
