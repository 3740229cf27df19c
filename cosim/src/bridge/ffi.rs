//! The cxx bridge to `class Model` and the raw port storage behind it: all unsafe code of the bridge.
//!
//! A loaded model is shared by `Rc`: every port handle keeps its model alive, and none of them can leave the thread, so
//! port storage is never touched while `eval` runs.
// The bridge macro makes its items `pub` whatever the module says.
#![allow(unsafe_code, unreachable_pub)]

use std::ptr::NonNull;
use std::rc::Rc;

#[cxx::bridge(namespace = "sagen")]
mod cpp {
    /// One top-level port as the generated glue declares it.
    struct PortEntry {
        name: String,
        address: usize,
        width: u32,
        input: bool,
    }

    unsafe extern "C++" {
        include!("sagen-cosim/src/bridge/loader.h");

        type Model;

        fn load_model(library: &str, seed: u32) -> Result<UniquePtr<Model>>;
        fn port_table(model: &Model) -> Vec<PortEntry>;
        fn eval(self: &Model) -> Result<()>;
        fn finish(self: &Model) -> Result<()>;
        fn replay(model: &Model, stimulus: &[u8], cycles: u64) -> Result<()>;
        fn can_trace(self: &Model) -> bool;
        fn trace_open(model: &Model, path: &str) -> Result<()>;
        fn trace_dump(self: &Model, time: u64) -> Result<()>;
        fn trace_close(self: &Model) -> Result<()>;
    }
}

/// A port of the loaded design: its width in bits, its direction, its storage.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    pub(super) name: String,
    pub(super) width: u32,
    pub(super) input: bool,
    address: usize,
}

impl Entry {
    /// Bytes of storage.
    pub(super) fn storage(&self) -> usize {
        storage_bytes(self.width)
    }
}

/// Bytes of storage Verilator gives a port.
pub(crate) fn storage_bytes(width: u32) -> usize {
    match width {
        0..=8 => 1,
        9..=16 => 2,
        17..=32 => 4,
        33..=64 => 8,
        _ => width.div_ceil(32) as usize * 4,
    }
}

/// A design loaded from its shared object.
pub(super) struct Loaded {
    model: cxx::UniquePtr<cpp::Model>,
    pub(super) ports: Vec<Entry>,
}

impl Loaded {
    pub(super) fn open(library: &str, seed: u32) -> Result<Self, cxx::Exception> {
        let model = cpp::load_model(library, seed)?;
        let entry = |e: cpp::PortEntry| Entry { name: e.name, width: e.width, input: e.input, address: e.address };
        let ports = cpp::port_table(&model).into_iter().map(entry).collect();
        Ok(Self { model, ports })
    }

    #[inline]
    pub(super) fn eval(&self) -> Result<(), cxx::Exception> {
        self.model.eval()
    }

    pub(super) fn finish(&self) -> Result<(), cxx::Exception> {
        self.model.finish()
    }

    /// `stimulus` must hold `cycles` times the storage of all inputs but the clock.
    pub(super) fn replay(&self, stimulus: &[u8], cycles: u64) -> Result<(), cxx::Exception> {
        let per_cycle: usize = self.stimulus_ports().map(Entry::storage).sum();
        assert_eq!(stimulus.len() as u64, cycles * per_cycle as u64);
        cpp::replay(&self.model, stimulus, cycles)
    }

    /// The inputs a recorded stimulus holds, in its order.
    pub(super) fn stimulus_ports(&self) -> impl Iterator<Item = &Entry> {
        self.ports.iter().filter(|p| p.input && p.name != "clk")
    }

    /// Appends the present values of all inputs but the clock.
    pub(super) fn record(&self, into: &mut Vec<u8>) {
        for port in self.stimulus_ports() {
            // SAFETY: the glue's table gives the address of `storage()` bytes inside the model, which lives as long
            // as `self`; nothing writes them during this call.
            let bytes = unsafe { std::slice::from_raw_parts(port.address as *const u8, port.storage()) };
            into.extend_from_slice(bytes);
        }
    }

    pub(super) fn can_trace(&self) -> bool {
        self.model.can_trace()
    }

    pub(super) fn trace_open(&self, path: &str) -> Result<(), cxx::Exception> {
        cpp::trace_open(&self.model, path)
    }

    pub(super) fn trace_dump(&self, time: u64) -> Result<(), cxx::Exception> {
        self.model.trace_dump(time)
    }

    pub(super) fn trace_close(&self) -> Result<(), cxx::Exception> {
        self.model.trace_close()
    }
}

mod sealed {
    pub trait Sealed {}
}

/// The integer types in which Verilator stores ports of up to 64 bits.
pub trait Word: Copy + sealed::Sealed {
    /// Bits of the type.
    const BITS: u32;
}

macro_rules! words {
    ($($t:ty),*) => { $(
        impl sealed::Sealed for $t {}
        impl Word for $t { const BITS: u32 = <$t>::BITS; }
    )* };
}
words!(u8, u16, u32, u64);

/// A port of at most 64 bits, read and written in place.
pub struct Port<T> {
    storage: NonNull<T>,
    _model: Rc<Loaded>,
}

impl<T: Word> Port<T> {
    /// `None` when the port is not stored as `T`.
    pub(super) fn new(model: &Rc<Loaded>, entry: &Entry) -> Option<Self> {
        if entry.width > 64 || entry.storage() * 8 != T::BITS as usize {
            return None;
        }
        let storage = NonNull::new(entry.address as *mut T)?;
        Some(Self { storage, _model: Rc::clone(model) })
    }

    /// The present value.
    #[inline(always)]
    pub fn get(&self) -> T {
        // SAFETY: `storage` points at a `T` inside the model that `_model` keeps alive; single thread.
        unsafe { self.storage.as_ptr().read() }
    }

    /// Drives the port; bits above its width must be zero.
    #[inline(always)]
    pub fn set(&self, value: T) {
        // SAFETY: as in `get`.
        unsafe { self.storage.as_ptr().write(value) }
    }
}

/// A port of any width as little-endian bytes.
pub struct Bus {
    storage: NonNull<u8>,
    len: usize,
    _model: Rc<Loaded>,
}

impl Bus {
    pub(super) fn new(model: &Rc<Loaded>, entry: &Entry) -> Option<Self> {
        if cfg!(target_endian = "big") {
            return None;
        }
        let storage = NonNull::new(entry.address as *mut u8)?;
        Some(Self { storage, len: entry.storage(), _model: Rc::clone(model) })
    }

    /// Bytes of storage: 1, 2, 4, 8 or whole 32-bit words.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Never: a port has at least one bit.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Copies the present value out.
    #[inline(always)]
    pub fn copy_to(&self, out: &mut [u8]) {
        assert_eq!(out.len(), self.len, "bus width");
        // SAFETY: `storage` points at `len` bytes inside the model that `_model` keeps alive; single thread; no
        // reference to the storage exists anywhere, so `out` cannot overlap it.
        unsafe { copy(self.storage.as_ptr(), out.as_mut_ptr(), self.len) }
    }

    /// Drives the port; bits above its width must be zero.
    #[inline(always)]
    pub fn set(&self, value: &[u8]) {
        assert_eq!(value.len(), self.len, "bus width");
        // SAFETY: as in `copy_to`.
        unsafe { copy(value.as_ptr(), self.storage.as_ptr(), self.len) }
    }
}

/// A copy whose usual lengths compile to single moves.
///
/// SAFETY: both pointers must be valid for `len` bytes and must not overlap.
#[inline(always)]
unsafe fn copy(from: *const u8, to: *mut u8, len: usize) {
    // SAFETY: the caller's promise.
    unsafe {
        match len {
            16 => std::ptr::copy_nonoverlapping(from, to, 16),
            8 => std::ptr::copy_nonoverlapping(from, to, 8),
            4 => std::ptr::copy_nonoverlapping(from, to, 4),
            _ => std::ptr::copy_nonoverlapping(from, to, len),
        }
    }
}
