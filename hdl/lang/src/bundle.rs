//! Bundles: structs whose fields are signals, declared by [`crate::bundle!`].
//!
//! The struct is generic in what its fields are: `Tag<Type>` is a layout, `Tag` holds signals, `Tag<Output>` ports to be
//! driven. Widths may depend on run-time values. Everything else is a generic function over [`Each`]: what a layout makes
//! is in [`Layout`], what signals can do in [`Bundle`], one bus of all fields is [`Packed`].

use crate::builder::{self, Line};
use crate::errors::Problem;
use crate::instance::Instance;
use crate::interface::Sink;
use crate::module::{Module, Output};
use crate::packed::{MemOf, Packed, PackedReg};
use crate::signal::{Signal, pack};
use crate::types::{Type, unsigned};
use std::panic::Location;

/// Something made of `T`s with names: one `T`, several, one that may be absent, or the fields of a bundle.
pub trait Each<T>: Sized {
    /// The same with a `U` in place of each `T`.
    type Of<U>;

    /// Made by name; `None` if `make` has no such name.
    fn build_each(name: &str, make: &mut dyn FnMut(&str) -> Option<T>) -> Option<Self>;

    /// Every `T` and a `U` of the same place to a `V`, lowest bits first.
    fn zip_each<U, V>(self, other: Self::Of<U>, name: &str, f: &mut dyn FnMut(&str, T, U) -> V) -> Self::Of<V>;

    /// Every `T` to a `U`, lowest bits first.
    fn each<U>(self, name: &str, f: &mut dyn FnMut(&str, T) -> U) -> Self::Of<U>;
}

impl<T> Each<T> for T {
    type Of<U> = U;
    fn build_each(name: &str, make: &mut dyn FnMut(&str) -> Option<T>) -> Option<T> {
        make(name)
    }
    fn zip_each<U, V>(self, other: U, name: &str, f: &mut dyn FnMut(&str, T, U) -> V) -> V {
        f(name, self, other)
    }
    fn each<U>(self, name: &str, f: &mut dyn FnMut(&str, T) -> U) -> U {
        f(name, self)
    }
}

impl<T> Each<T> for Option<T> {
    type Of<U> = Option<U>;
    fn build_each(name: &str, make: &mut dyn FnMut(&str) -> Option<T>) -> Option<Self> {
        Some(make(name))
    }
    #[track_caller]
    fn zip_each<U, V>(self, other: Option<U>, name: &str, f: &mut dyn FnMut(&str, T, U) -> V) -> Option<V> {
        if self.is_some() != other.is_some() {
            let (line, field) = (Location::caller(), name.to_string());
            builder::innermost(|b| b.fail(line, Problem::OneSided { field }));
        }
        self.zip(other).map(|(t, u)| f(name, t, u))
    }
    fn each<U>(self, name: &str, f: &mut dyn FnMut(&str, T) -> U) -> Option<U> {
        self.map(|t| f(name, t))
    }
}

impl<T, const N: usize> Each<T> for [T; N] {
    type Of<U> = [U; N];
    fn build_each(name: &str, make: &mut dyn FnMut(&str) -> Option<T>) -> Option<Self> {
        let all: Option<Vec<T>> = (0..N).map(|i| make(&format!("{name}{i}"))).collect();
        all?.try_into().ok()
    }
    fn zip_each<U, V>(self, other: [U; N], name: &str, f: &mut dyn FnMut(&str, T, U) -> V) -> [V; N] {
        let mut pairs = self.into_iter().zip(other).enumerate();
        std::array::from_fn(|_| {
            let (i, (t, u)) = pairs.next().expect("N of them");
            f(&format!("{name}{i}"), t, u)
        })
    }
    fn each<U>(self, name: &str, f: &mut dyn FnMut(&str, T) -> U) -> [U; N] {
        let mut all = self.into_iter().enumerate();
        std::array::from_fn(|_| all.next().map(|(i, t)| f(&format!("{name}{i}"), t)).expect("N of them"))
    }
}

/// What the types of a bundle make: buses, ports, registers, memories.
pub trait Layout: Each<Type> + Copy {
    /// Bits of the packed bundle.
    fn width(self) -> u32 {
        let mut width = 0;
        self.each("", &mut |_, ty| width += ty.width);
        width
    }

    /// The type of the packed bundle.
    fn bus(self) -> Type {
        unsigned(Layout::width(self))
    }

    /// As one bus, the first field lowest. Every field must have its type.
    #[track_caller]
    fn pack(self, fields: Self::Of<Signal>) -> Packed<Self> {
        let (line, mut all) = (Location::caller(), Vec::new());
        self.zip_each(fields, "", &mut |name, ty, signal: Signal| {
            expect_type(line, &format!("field `{name}`"), signal, ty);
            all.push(signal);
        });
        Packed { bus: pack(&all), layout: self }
    }

    /// A bus that is packed this way.
    #[track_caller]
    fn packed(self, bus: impl Into<Signal>) -> Packed<Self> {
        let bus = bus.into();
        expect_type(Location::caller(), "a packed bundle", bus, self.bus());
        Packed { bus, layout: self }
    }

    /// An input port that carries the packed bundle.
    #[track_caller]
    fn input(self, m: &Module, name: &str) -> Packed<Self> {
        Packed { bus: m.input(name, self.bus()), layout: self }
    }

    /// An output port of an instance that carries the packed bundle.
    #[track_caller]
    fn output_of(self, u: Instance, name: &str) -> Packed<Self> {
        self.packed(u.output(name))
    }

    /// An input port for each field, called after it behind the prefix.
    #[track_caller]
    fn inputs(self, m: &Module, prefix: &str) -> Self::Of<Signal> {
        let line = Location::caller();
        self.each("", &mut |name, ty| m.input_at(line, &format!("{prefix}{name}"), ty))
    }

    /// The output of an instance for each field, called after it behind the prefix.
    #[track_caller]
    fn outputs_of(self, u: Instance, prefix: &str) -> Self::Of<Signal> {
        let line = Location::caller();
        self.each("", &mut |name, ty| {
            let port = format!("{prefix}{name}");
            let signal = u.output_at(line, &port);
            expect_type(line, &format!("output `{port}`"), signal, ty);
            signal
        })
    }

    /// A register for the packed bundle, to be assigned by [`PackedReg::set`].
    #[track_caller]
    fn reg(self, m: &Module, name: &str) -> PackedReg<Self> {
        PackedReg { reg: m.reg(name, self.bus()), layout: self }
    }

    /// A memory of packed bundles.
    #[track_caller]
    fn memory(self, m: &Module, name: &str, depth: u32) -> MemOf<Self> {
        MemOf { mem: m.memory(name, depth, Layout::width(self)), layout: self }
    }
}
impl<L: Each<Type> + Copy> Layout for L {}

/// What the signals of a bundle can do.
pub trait Bundle: Each<Signal> {
    /// Another signal for each, by its name: `tag.map(|name, s| m.reg_en(&format!("{name}_q"), load, s).q())`.
    fn map(self, mut f: impl FnMut(&str, Signal) -> Signal) -> Self::Of<Signal> {
        self.each("", &mut f)
    }

    /// Every signal, lowest bits first.
    fn signals(self) -> Vec<Signal> {
        let mut all = Vec::new();
        self.each("", &mut |_, signal| all.push(signal));
        all
    }

    /// To the inputs of an instance that are called after the fields behind the prefix.
    #[track_caller]
    fn to_inputs(self, u: Instance, prefix: &str) {
        let line = Location::caller();
        self.each("", &mut |name, signal| u.input_at(line, &format!("{prefix}{name}"), signal));
    }

    /// An output port for each field, called after it behind the prefix.
    #[track_caller]
    fn outputs(self, m: &Module, prefix: &str) {
        let line = Location::caller();
        self.each("", &mut |name, signal| m.output_at(line, &format!("{prefix}{name}"), signal));
    }
}
impl<B: Each<Signal>> Bundle for B {}

/// A bundle of output ports of the module.
pub trait Outputs: Each<Output> {
    /// Gives each its value.
    #[track_caller]
    fn drive_each(self, values: Self::Of<Signal>) {
        let line = Location::caller();
        self.zip_each(values, "", &mut |_, port, signal| port.drive_at(line, signal));
    }
}
impl<B: Each<Output>> Outputs for B {}

/// A bundle of input ports of an instance.
pub trait Sinks: Each<Sink> {
    /// Gives each its value.
    #[track_caller]
    fn drive_each(self, values: Self::Of<Signal>) {
        let line = Location::caller();
        self.zip_each(values, "", &mut |_, port, signal| port.drive_at(line, signal));
    }
}
impl<B: Each<Sink>> Sinks for B {}

fn expect_type(line: Line, what: &str, signal: Signal, ty: Type) {
    builder::innermost(|b| {
        let node = b.resolve(line, signal);
        b.expect_type(line, node, what, ty)
    });
}

/// Declares a bundle. Fields lie lowest first; the arguments are those of `layout`, so that widths may depend on them.
///
/// ```
/// use sagen_lang::*;
///
/// bundle! {
///     /// Ends of a row.
///     pub struct Edges() { first: bit(), last: bit() }
/// }
/// bundle! {
///     /// A word of a row.
///     pub struct Tag(parts: u32) {
///         row: unsigned(4),
///         limit[2]: signed(17),                                       // an array
///         part(optional): (parts > 1).then(|| unsigned(parts.ilog2())), // an `Option`: not there in every overlay
///         edges as Edges: Edges::layout(),                            // a bundle inside; its names get no prefix
///     }
/// }
///
/// let mut d = Design::new();
/// d.module("late", |m| {
///     let tag = Tag::layout(4).input(m, "tag").reg_next(m, "tag_q");
///     m.output("row", tag.get(|t| t.row));
///     m.output("ends", tag.unpack().edges.last);
/// });
/// d.finish().unwrap();
/// assert_eq!(Layout::width(Tag::layout(4)), 4 + 2 * 17 + 2 + 2);
/// ```
///
/// `[n]`, `(optional)` and `as` exclude one another.
#[macro_export]
macro_rules! bundle {
    ($(#[$meta:meta])* $vis:vis struct $name:ident($($arg:ident: $of:ty),*) {
        $($(#[$doc:meta])* $field:ident $([$n:expr])? $(($optional:ident))? $(as $nested:ident)?: $ty:expr),* $(,)?
    }) => {
        $(#[$meta])*
        $vis struct $name<T = $crate::Signal> {
            $($(#[$doc])* $vis $field: $crate::bundle!(@field T $([$n])? $(($optional))? $(as $nested)?)),*
        }
        impl $name<$crate::Type> {
            /// The types of its fields.
            $vis fn layout($($arg: $of),*) -> Self {
                Self { $($field: $crate::bundle!(@types $ty $(, [$n])?)),* }
            }
        }
        // `derive` refuses types that a macro makes.
        impl<T: Copy> Copy for $name<T> {}
        impl<T: Copy> Clone for $name<T> {
            fn clone(&self) -> Self {
                *self
            }
        }
        impl<T> $crate::Each<T> for $name<T> {
            type Of<U> = $name<U>;
            fn build_each(_: &str, make: &mut dyn FnMut(&str) -> Option<T>) -> Option<Self> {
                Some(Self { $($field: $crate::Each::<T>::build_each(stringify!($field), make)?),* })
            }
            #[track_caller]
            fn zip_each<U, V>(self, other: $name<U>, _: &str, f: &mut dyn FnMut(&str, T, U) -> V) -> $name<V> {
                $name { $($field: $crate::Each::<T>::zip_each(self.$field, other.$field, stringify!($field), f)),* }
            }
            fn each<U>(self, _: &str, f: &mut dyn FnMut(&str, T) -> U) -> $name<U> {
                $name { $($field: $crate::Each::<T>::each(self.$field, stringify!($field), f)),* }
            }
        }
    };
    (@field $t:ident) => { $t };
    (@field $t:ident [$n:expr]) => { [$t; $n] };
    (@field $t:ident (optional)) => { Option<$t> };
    (@field $t:ident as $nested:ident) => { $nested<$t> };
    (@types $ty:expr) => { $ty };
    (@types $ty:expr, [$n:expr]) => { [$ty; $n] };
}
