//! A bundle as one bus, in a register, in a memory.

use crate::bundle::{Each, Layout};
use crate::memory::{Mem, RamStyle};
use crate::module::Module;
use crate::register::Reg;
use crate::signal::Signal;
use crate::types::Type;

/// A bundle as one bus. Its bits cannot be taken by number, only by [`Packed::unpack`].
#[derive(Clone, Copy, Debug)]
pub struct Packed<L> {
    pub(crate) bus: Signal,
    pub(crate) layout: L,
}

/// Where a field lies in a packed bundle.
#[derive(Clone, Copy, Debug)]
pub struct Slot {
    lo: u32,
    ty: Type,
}

impl<L: Layout> Packed<L> {
    /// All fields.
    #[track_caller]
    pub fn unpack(self) -> L::Of<Signal> {
        let mut lo = 0;
        self.layout.each("", &mut |_, ty| {
            lo += ty.width;
            self.slice(Slot { lo: lo - ty.width, ty })
        })
    }

    /// One field, as in `plan.get(|p| p.shift)`.
    #[track_caller]
    pub fn get<E: Each<Slot>>(self, field: impl FnOnce(L::Of<Slot>) -> E) -> E::Of<Signal> {
        let mut lo = 0;
        let slots = self.layout.each("", &mut |_, ty| {
            lo += ty.width;
            Slot { lo: lo - ty.width, ty }
        });
        field(slots).each("", &mut |_, slot| self.slice(slot))
    }

    #[track_caller]
    fn slice(self, slot: Slot) -> Signal {
        let bits = self.bus.slice(slot.lo, slot.ty.width);
        if slot.ty.signed { bits.as_signed() } else { bits }
    }

    /// The bus under a name.
    #[track_caller]
    pub fn net(self, m: &Module, name: &str) -> Self {
        Self { bus: m.net(name, self.bus), ..self }
    }

    /// One cycle later.
    #[track_caller]
    pub fn reg_next(self, m: &Module, name: &str) -> Self {
        Self { bus: m.reg_next(name, self.bus).q(), ..self }
    }

    /// As it was when `enable` was last 1.
    #[track_caller]
    pub fn reg_en(self, m: &Module, name: &str, enable: impl Into<Signal>) -> Self {
        Self { bus: m.reg_en(name, enable, self.bus).q(), ..self }
    }

    /// `n` cycles later.
    #[track_caller]
    pub fn delay(self, m: &Module, name: &str, n: u32) -> Self {
        Self { bus: m.delay(name, self.bus, n), ..self }
    }

    /// Buses of one layout, chosen or merged by `f`.
    #[track_caller]
    pub fn choose<const N: usize>(of: [Self; N], f: impl FnOnce([Signal; N]) -> Signal) -> Self {
        of[0].layout.packed(f(of.map(|p| p.bus)))
    }
}

impl<L> From<Packed<L>> for Signal {
    fn from(packed: Packed<L>) -> Signal {
        packed.bus
    }
}

/// A register that holds a packed bundle.
#[derive(Clone, Copy, Debug)]
pub struct PackedReg<L> {
    pub(crate) reg: Reg,
    pub(crate) layout: L,
}

impl<L: Layout> PackedReg<L> {
    /// Assigned at the clock edge, under the enclosing conditions.
    #[track_caller]
    pub fn set(self, m: &Module, value: Packed<L>) {
        m.set(self.reg, value.bus);
    }

    /// Its value.
    pub fn q(self) -> Packed<L> {
        Packed { bus: self.reg.q(), layout: self.layout }
    }
}

/// A memory of packed bundles.
#[derive(Clone, Copy, Debug)]
pub struct MemOf<L> {
    pub(crate) mem: Mem,
    pub(crate) layout: L,
}

impl<L: Layout> MemOf<L> {
    /// Asks for a kind of FPGA memory.
    #[must_use]
    pub fn style(self, style: RamStyle) -> Self {
        Self { mem: self.mem.style(style), ..self }
    }

    /// The write port.
    #[track_caller]
    pub fn write(self, enable: impl Into<Signal>, addr: impl Into<Signal>, value: Packed<L>) {
        self.mem.write(enable, addr, value.bus);
    }

    /// A registered read port.
    #[track_caller]
    pub fn read(self, enable: impl Into<Signal>, addr: impl Into<Signal>) -> Packed<L> {
        Packed { bus: self.mem.read(enable, addr), layout: self.layout }
    }

    /// An asynchronous read port.
    #[track_caller]
    pub fn read_async(self, addr: impl Into<Signal>) -> Packed<L> {
        Packed { bus: self.mem.read_async(addr), layout: self.layout }
    }
}
