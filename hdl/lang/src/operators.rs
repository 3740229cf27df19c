//! `+ - * & | ^ !` on signals, registers and wires: the methods of the same meaning.

use crate::module::Wire;
use crate::register::Reg;
use crate::signal::Signal;
use std::ops::{Add, BitAnd, BitOr, BitXor, Deref, Mul, Neg, Not, Sub};

impl From<Reg> for Signal {
    fn from(reg: Reg) -> Signal {
        reg.q()
    }
}

impl From<Wire> for Signal {
    fn from(wire: Wire) -> Signal {
        wire.q()
    }
}

impl From<&Signal> for Signal {
    fn from(signal: &Signal) -> Signal {
        *signal
    }
}

macro_rules! named {
    ($($holder:ident)*) => {$(
        impl Deref for $holder {
            type Target = Signal;
            fn deref(&self) -> &Signal {
                &self.q
            }
        }
        impl $holder {
            /// Its value as a signal.
            pub fn q(self) -> Signal {
                self.q
            }
        }
    )*};
}
named!(Reg Wire);

macro_rules! binary_operators {
    ($holder:ident: $($trait:ident $method:ident => $name:ident),*) => {$(
        impl<T: Into<Signal>> $trait<T> for $holder {
            type Output = Signal;
            #[track_caller]
            fn $method(self, other: T) -> Signal {
                Signal::$name(self.into(), other)
            }
        }
    )*};
}

macro_rules! operators {
    ($($holder:ident)*) => {$(
        binary_operators!($holder: Add add => add, Sub sub => sub, Mul mul => mul,
            BitAnd bitand => and, BitOr bitor => or, BitXor bitxor => xor);
        impl Not for $holder {
            type Output = Signal;
            #[track_caller]
            fn not(self) -> Signal {
                Signal::not(self.into())
            }
        }
        impl Neg for $holder {
            type Output = Signal;
            #[track_caller]
            fn neg(self) -> Signal {
                Signal::neg(self.into())
            }
        }
    )*};
}
operators!(Signal Reg Wire);
