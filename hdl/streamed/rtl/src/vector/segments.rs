//! Finds the multiplier of each segment from the recorded magnitudes, ahead of the code pass.
//! Golden twins: `golden::quantise::Quantiser::new`, `golden::sfu::recip`.
//!
//! One table entry a cycle, then a pipeline without stalls: normalise (2), seed and Newton step (2), multiplier (1).
//! Results wait in four slots, which the code pass (`code_*`) and the scale computation (`scale_*`) leave at their
//! own pace; a scan starts once both have left its slot. `code_ready` rises while the multiplier is still two
//! cycles away: the code pass uses it two cycles after its first read.

use super::scan::scan;
use sagen_arith::tables::recip_seeds;
use sagen_blocks::scale::{clamp, shift_out_zeros};
use sagen_lang::{
    Design, Layout, Mem, Module, ModuleId, RamStyle, Reg, Signal, bit, bundle, cat, interface, lit, low, signed,
    unsigned,
};

const SLOTS: u32 = 4;
/// The shift of a code is this plus the exponent of the segment's amax.
const CODE_SHIFT: i32 = 24;

/// The scanner. `load` starts it with `rows`, `segments` and `groups` (of a segment).
pub(super) fn vector_segments(d: &mut Design) -> ModuleId {
    d.module("vector_segments", |m| {
        m.doc("Greatest magnitude and multiplier of each segment.");
        let free = m.wire("slot_free", bit());
        let (begins, found, amax) = scan(m, free.q());
        let normal = normalise(m, found, amax);
        let multiplier = multiplier(m, normal.valid, normal.scale.mantissa);

        let code = Slots::new(m, "code", begins, normal.valid, m.input("code_take", bit()), m.input("code_pop", bit()));
        m.output("code_ready", code.ready);
        let entries = m.master("scale_", Segment::layout());
        let scale = Slots::new(m, "scale", begins, normal.valid, entries.pop, entries.pop);
        entries.ready.drive(scale.ready);
        free.drive(code.free & scale.free);

        m.output("code_amax", slots(m, "amaxes", found, amax).read_async(code.slot));
        let layout = Scale::layout();
        let normals = slots(m, "normals", normal.valid, layout.pack(normal.scale).into());
        let [for_code, for_scale] = [code.slot, scale.slot].map(|slot| layout.packed(normals.read_async(slot)));
        m.output("code_shift", for_code.get(|s| s.exponent).as_unsigned().add_lit(CODE_SHIFT as u32));
        entries.mantissa.drive(for_scale.get(|s| s.mantissa));
        entries.exponent.drive(for_scale.get(|s| s.exponent));
        m.output("code_multiplier", slots(m, "multipliers", multiplier.0, multiplier.1).read_async(code.slot));
    })
}

/// Four entries, written in turn.
fn slots(m: &Module, name: &str, valid: Signal, value: Signal) -> Mem {
    let slot = m.reg(&format!("{name}_slot"), unsigned(SLOTS.ilog2())).reset(0);
    m.when(valid, || m.set(slot, slot.add_lit(1)));
    let memory = m.memory(name, SLOTS, value.width()).style(RamStyle::Distributed);
    memory.write(valid, slot, value);
    memory
}

/// One reader's view of the slots.
struct Slots {
    slot: Signal,
    ready: Signal,
    free: Signal,
}

impl Slots {
    /// `begin` reserves a slot, `fill` makes it ready, `take` announces its use, `pop` leaves it.
    fn new(m: &Module, name: &str, begin: Signal, fill: Signal, take: Signal, pop: Signal) -> Self {
        let used = counter(m, &format!("{name}_used"), begin, pop);
        let ready = counter(m, &format!("{name}_filled"), fill, take);
        let ready = !ready.is_zero();
        let slot = m.reg(&format!("{name}_slot"), unsigned(SLOTS.ilog2())).reset(0);
        m.when(pop, || m.set(slot, slot.add_lit(1)));
        Self { slot: slot.q(), ready, free: used.ne_lit(SLOTS) }
    }
}

fn counter(m: &Module, name: &str, up: Signal, down: Signal) -> Reg {
    let count = m.reg(name, unsigned(SLOTS.ilog2() + 1)).reset(0);
    m.when(up & !down, || m.set(count, count.add_lit(1)));
    m.when(down & !up, || m.set(count, count.sub_lit(1)));
    count
}

interface! {
    /// Amax of one segment after the other.
    pub(super) struct Segment() {
        ready: -> bit(),
        mantissa: -> unsigned(16),
        exponent: -> signed(6),
        /// The segment is taken.
        pop: <- bit(),
    }
}

bundle! {
    /// A positive number.
    struct Scale() {
        mantissa: unsigned(16),
        exponent: signed(6),
    }
}

struct Normal {
    valid: Signal,
    scale: Scale,
}

/// One pipeline register for `valid`.
fn follow(m: &Module, name: &str, valid: Signal) -> Signal {
    let next = m.reg(name, bit()).reset(0);
    m.set(next, valid);
    next.q()
}

/// `Scale::from_integer`, two registers.
fn normalise(m: &Module, found: Signal, amax: Signal) -> Normal {
    let (x, zeros) = shift_out_zeros(amax, &[16, 8]);
    let (x1, zeros1) = (m.reg_en("shifted1", found, x), m.reg_en("zeros1", found, zeros));
    let valid1 = follow(m, "valid1", found);
    let (x, zeros) = shift_out_zeros(x1.q(), &[4, 2, 1]);
    let zeros = cat(&[low(), zeros1.q(), zeros]).as_signed();
    let exponent = x.msb().mux(m.lit(signed(6), 16) - zeros, m.lit(signed(6), 0));
    Normal {
        valid: follow(m, "valid2", valid1),
        scale: Scale {
            mantissa: m.reg_en("mantissa2", valid1, x.slice(16, 16)).q(),
            exponent: m.reg_en("exponent2", valid1, exponent).q(),
        },
    }
}

/// `(127 * recip_mantissa(m) + 64) >> 7`, valid two cycles after the mantissa.
fn multiplier(m: &Module, valid: Signal, mantissa: Signal) -> (Signal, Signal) {
    // Zero counts as 2^15.
    let operand = cat(&[lit(1, 1), mantissa.slice(0, 15)]);
    let seed = m.rom("seeds", &recip_seeds(), 16).lookup(mantissa.slice(9, 6));
    let product = m.reg_en("product3", valid, operand.mul(seed));
    let seed3 = m.reg_en("seed3", valid, seed);
    let valid3 = follow(m, "valid3", valid);
    // 2^32 minus a product that is never zero.
    let error = product.neg().slice(14, 18);
    let refined = m.reg_en("refined4", valid3, seed3.mul(error));
    let valid4 = follow(m, "valid4", valid3);
    let rounded = refined.add_lit(1 << 16).slice(17, 17);
    let inverse = clamp(rounded);
    let times127 = inverse.extend(23).shl(7).sub(inverse.extend(23)).add_lit(64);
    (valid4, times127.slice(7, 16))
}
