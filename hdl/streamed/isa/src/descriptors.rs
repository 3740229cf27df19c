//! The only descriptor table. Bit positions are computed from field order.

use crate::layout::{checked, put, sign_extend, take};
use crate::{BODY_BIT, Field, FieldError, Layout, Unit, WAIT_BIT, Words};

macro_rules! field_type {
    (u) => {
        u64
    };
    (s) => {
        i64
    };
}
macro_rules! field_signed {
    (u) => {
        false
    };
    (s) => {
        true
    };
}
macro_rules! field_value {
    (u, $raw:expr, $width:expr) => {
        $raw
    };
    (s, $raw:expr, $width:expr) => {
        sign_extend($raw, $width)
    };
}

macro_rules! descriptors {
    ($( $(#[doc = $doc:literal])+ $name:ident = $opcode:literal on $unit:ident {
        $( $(#[doc = $fdoc:literal])+ $field:ident : $kind:ident $width:literal, )+
    } )+) => {
        $(
            $(#[doc = $doc])+
            #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
            pub struct $name { $( $(#[doc = $fdoc])+ pub $field: field_type!($kind), )+ }

            impl $name {
                const FIELDS: &'static [Field] = &{
                    let mut fields = [$( Field {
                        name: stringify!($field), doc: concat!($($fdoc),+).trim_ascii(), lo: 0,
                        width: $width, signed: field_signed!($kind),
                    }, )+];
                    let (mut i, mut lo) = (0, BODY_BIT);
                    while i < fields.len() {
                        fields[i].lo = lo;
                        lo += fields[i].width;
                        i += 1;
                    }
                    assert!(lo <= 512, "the descriptor is wider than 512 bits");
                    fields
                };
            }

            impl From<$name> for Operation {
                fn from(op: $name) -> Self { Operation::$name(op) }
            }
        )+

        /// What a descriptor asks its unit to do.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Operation { $( $(#[doc = $doc])+ $name($name), )+ }

        /// Every descriptor type, by opcode.
        pub const LAYOUTS: &[Layout] = &[$( Layout {
            name: stringify!($name), doc: concat!($($doc),+).trim_ascii(), opcode: $opcode,
            unit: Unit::$unit, fields: $name::FIELDS,
        }, )+];

        /// Two descriptor types with one opcode do not compile.
        const _: fn(u8) = |opcode| match opcode { $( $opcode => {} )+ _ => {} };

        impl Operation {
            /// The layout of this descriptor type.
            pub fn layout(&self) -> &'static Layout {
                let opcode = match self { $( Operation::$name(_) => $opcode, )+ };
                LAYOUTS.iter().find(|l| l.opcode == opcode).expect("every operation has a layout")
            }
            fn pack(&self, words: &mut Words) -> Result<(), FieldError> {
                match self { $( Operation::$name(op) => {
                    let mut fields = $name::FIELDS.iter();
                    $( let field = fields.next().expect("one entry per field");
                       put(words, field.lo, field.width,
                           checked(stringify!($name), field, i128::from(op.$field))?); )+
                } )+ }
                Ok(())
            }
            fn unpack(opcode: u8, words: &Words) -> Option<Self> {
                match opcode { $( $opcode => {
                    let mut fields = $name::FIELDS.iter();
                    Some(Operation::$name($name { $( $field: {
                        let field = fields.next().expect("one entry per field");
                        field_value!($kind, take(words, field.lo, field.width), field.width)
                    }, )+ }))
                } )+ _ => None }
            }
        }
    };
}

descriptors! {
    /// Read `beats + registers[reg] * reg_beats` beats from every stream port into the prefetch FIFO.
    /// A beat is the concatenation of one transfer of each port, port 0 lowest.
    Stream = 0x10 on Stream {
        /// Byte address of port 0's region, a multiple of the port width.
        base: u 40,
        /// Bytes from one port's region to the next port's.
        port_stride: u 40,
        /// Beats, constant part.
        beats: u 32,
        /// Step register that adds to the count.
        reg: u 5,
        /// Beats per unit of that register.
        reg_beats: u 16,
    }
    /// Multiply streamed weight blocks by up to four resident code vectors (GEMV, dot mode).
    /// A block is one scale beat group (16 x 4 bytes) and `groups * 64 / beat` runs of 16 beats, one a row.
    Matvec = 0x20 on Compute {
        /// Code word of vector 0.
        x: u 16,
        /// Code words from one vector to the next.
        x_stride: u 16,
        /// Vectors, 1..=4.
        vectors: u 3,
        /// Input channels / 64.
        groups: u 8,
        /// Output rows / 16.
        blocks: u 16,
        /// Scratchpad word of vector 0's result; one word a block.
        y: u 16,
        /// Scratchpad words from one vector's result to the next.
        y_stride: u 16,
        /// Scale entry of vector 0.
        scale: u 12,
        /// Scale entries from one vector to the next.
        scale_stride: u 12,
        /// Right shift before exponents are subtracted.
        shift: s 8,
        /// 1 writes the results to the scratchpad.
        write: u 1,
        /// 1 keeps the greatest result of vector 0 and writes its row id to `reg`.
        argmax: u 1,
        /// 1 starts a new argmax, 0 continues that of the previous descriptor.
        argmax_first: u 1,
        /// Row id of the first row.
        id_base: u 24,
        /// Rows that take part in the argmax; later ones are padding.
        id_limit: u 24,
        /// Step register that receives the id.
        reg: u 5,
    }
    /// Multiply streamed K rows by resident query codes; scaled scores go to the score buffer.
    /// K blocks are laid out as weight blocks without scale beats.
    Score = 0x21 on Compute {
        /// Code word of vector 0.
        x: u 16,
        /// Code words from one vector to the next.
        x_stride: u 16,
        /// Vectors, 1..=4.
        vectors: u 3,
        /// Head channels / 64.
        groups: u 8,
        /// Key blocks of 16, constant part.
        blocks: u 16,
        /// Step register added to `blocks`.
        reg: u 5,
        /// Scale entry of vector 0.
        scale: u 12,
        /// Scale entries from one vector to the next.
        scale_stride: u 12,
        /// Right shift before the exponent is subtracted.
        shift: s 8,
        /// Step register of the first row's position: vector v sees keys 0..=register + row v.
        limit_reg: u 5,
        /// Row of vector 0 within the chunk.
        row0: u 4,
        /// Row of vector 1.
        row1: u 4,
        /// Row of vector 2.
        row2: u 4,
        /// Row of vector 3.
        row3: u 4,
    }
    /// Softmax of the score buffer times streamed V rows of one slab (GEMV, accumulate mode).
    /// A slab is as many channels as a beat has bytes.
    WeightedSum = 0x22 on Compute {
        /// Vectors, 1..=4.
        vectors: u 3,
        /// Keys, constant part.
        keys: u 16,
        /// Step register added to `keys`.
        reg: u 5,
        /// As in `Score`.
        limit_reg: u 5,
        /// Row of vector 0 within the chunk.
        row0: u 4,
        /// Row of vector 1.
        row1: u 4,
        /// Row of vector 2.
        row2: u 4,
        /// Row of vector 3.
        row3: u 4,
        /// Scratchpad word of vector 0's result.
        y: u 16,
        /// First lane of that word; non-zero only where a beat is narrower than 16 bytes.
        y_lane: u 4,
        /// Scratchpad words from one vector's result to the next.
        y_stride: u 16,
        /// Mantissa of the V scale.
        v_mantissa: u 16,
        /// Exponent of the V scale.
        v_exponent: s 8,
        /// Right shift before exponents are subtracted.
        shift: s 8,
    }
    /// Multiply up to 16 rows of codes by streamed weight blocks on the systolic array.
    Matmul = 0x23 on Compute {
        /// Code word of row 0.
        x: u 16,
        /// Code words from one row to the next.
        x_stride: u 16,
        /// Rows, 1..=16.
        rows: u 5,
        /// Input channels / 64.
        groups: u 8,
        /// Output rows / 16.
        blocks: u 16,
        /// Scratchpad word of row 0's result; one word a block.
        y: u 16,
        /// Scratchpad words from one row's result to the next.
        y_stride: u 16,
        /// Scale entry of row 0.
        scale: u 12,
        /// Scale entries from one row to the next.
        scale_stride: u 12,
        /// Right shift before exponents are subtracted.
        shift: s 8,
    }
    /// d = saturate(round(a * b >> shift)), elementwise.
    Mul = 0x30 on Vector {
        /// Rows, 1..=16.
        rows: u 5,
        /// Words of 16 elements in a row.
        words: u 12,
        /// Scratchpad word of operand a.
        a: u 16,
        /// Words from one row of a to the next.
        a_stride: u 16,
        /// Step register: its value times `a_stride` is added to `a`.
        a_reg: u 5,
        /// Scratchpad word of operand b.
        b: u 16,
        /// Words from one row of b to the next; 0 uses one row for all.
        b_stride: u 16,
        /// Scratchpad word of the result.
        d: u 16,
        /// Words from one row of the result to the next.
        d_stride: u 16,
        /// 1 takes `immediate` for operand a.
        a_immediate: u 1,
        /// 1 takes `immediate` for operand b.
        b_immediate: u 1,
        /// 1 reads b as packed 16-bit elements, 32 a word.
        b_half: u 1,
        /// Immediate operand.
        immediate: s 32,
        /// Right shift, 0..=63.
        shift: u 6,
        /// 1 writes the result.
        write: u 1,
        /// 1 records the greatest magnitude of every 64 results of the row.
        amax: u 1,
        /// 1 records the row's sum of squares of operand a.
        sum_squares: u 1,
    }
    /// d = saturate(a + b), elementwise.
    Add = 0x31 on Vector {
        /// Rows, 1..=16.
        rows: u 5,
        /// Words of 16 elements in a row.
        words: u 12,
        /// Scratchpad word of operand a.
        a: u 16,
        /// Words from one row of a to the next.
        a_stride: u 16,
        /// Scratchpad word of operand b.
        b: u 16,
        /// Words from one row of b to the next.
        b_stride: u 16,
        /// Scratchpad word of the result.
        d: u 16,
        /// Words from one row of the result to the next.
        d_stride: u 16,
    }
    /// Rotate pairs: words 2j and 2j+1 of a head hold the two halves of 16 pairs, word j of the
    /// table 16 cosines (low half) and 16 sines (high half) in Q15.
    Rope = 0x32 on Vector {
        /// Rows, 1..=16.
        rows: u 5,
        /// Words of 16 elements in a row, even.
        words: u 12,
        /// Scratchpad word of the input.
        a: u 16,
        /// Words from one row of the input to the next.
        a_stride: u 16,
        /// Scratchpad word of the table row of row 0.
        b: u 16,
        /// Words from one table row to the next.
        b_stride: u 16,
        /// Scratchpad word of the result.
        d: u 16,
        /// Words from one row of the result to the next.
        d_stride: u 16,
        /// Words of one head.
        head_words: u 8,
        /// 1 records the greatest magnitude of every 64 results of the row.
        amax: u 1,
    }
    /// d = saturate(round(gate(a) * b >> shift)), gate(a) = a * sigmoid(a) or gelu(a), in Q12.
    Glu = 0x33 on Vector {
        /// Rows, 1..=16.
        rows: u 5,
        /// Words of 16 elements in a row.
        words: u 12,
        /// Scratchpad word of the gate input.
        a: u 16,
        /// Words from one row of a to the next.
        a_stride: u 16,
        /// Scratchpad word of the up input.
        b: u 16,
        /// Words from one row of b to the next.
        b_stride: u 16,
        /// Scratchpad word of the result.
        d: u 16,
        /// Words from one row of the result to the next.
        d_stride: u 16,
        /// 0 is SiLU, 1 is GELU (tanh form).
        function: u 1,
        /// Right shift of the product, 0..=63.
        shift: u 6,
        /// 1 records the greatest magnitude of every 64 results of the row.
        amax: u 1,
    }
    /// Quantise rows to int8 codes, segment by segment, by the recorded amax or by a constant.
    Quant = 0x34 on Vector {
        /// Rows, 1..=16.
        rows: u 5,
        /// Segments in a row; each has its own scale.
        segments: u 8,
        /// Words of 16 elements in a segment, a multiple of 4.
        segment_words: u 10,
        /// Scratchpad word of the input.
        a: u 16,
        /// Words from one row of the input to the next.
        a_stride: u 16,
        /// Code word (or scratchpad word) of row 0's codes, 64 a word.
        d: u 16,
        /// Words from one row's codes to the next.
        d_stride: u 16,
        /// 1 writes the codes to the scratchpad, 0 to the code memory.
        to_scratchpad: u 1,
        /// 1 quantises by `multiplier` and `shift` without group shifts and writes no scale.
        fixed: u 1,
        /// Multiplier of fixed mode.
        multiplier: u 16,
        /// Right shift of fixed mode, 0..=63.
        shift: u 6,
        /// 1 multiplies the scale by rsqrt(sum of squares + epsilon).
        norm: u 1,
        /// Added to the sum of squares.
        epsilon: u 40,
        /// Mantissa of the constant factor of the scale.
        factor_mantissa: u 16,
        /// Exponent of the constant factor of the scale.
        factor_exponent: s 8,
        /// Scale entry of row 0, segment 0.
        scale: u 12,
        /// Scale entries from one row to the next.
        scale_stride: u 12,
    }
    /// Copy `rows` runs of `row_words` words from DDR to the scratchpad.
    Load = 0x40 on Load {
        /// Byte address, a multiple of 64.
        base: u 40,
        /// Step register added to the address.
        reg: u 5,
        /// Bytes per unit of that register, a multiple of 64.
        reg_stride: u 32,
        /// 1 takes the next register for every row (gather).
        reg_step: u 1,
        /// Runs.
        rows: u 16,
        /// Words of 64 bytes in a run.
        row_words: u 16,
        /// Bytes from one run to the next in DDR, a multiple of 64.
        ddr_stride: u 32,
        /// Scratchpad word of the first run.
        v: u 16,
        /// Scratchpad words from one run to the next.
        v_stride: u 16,
    }
    /// Copy runs of `beats` port-wide pieces from the scratchpad to DDR. A run is contiguous in DDR.
    /// Three outer loops step the two addresses of the runs.
    Store = 0x41 on Store {
        /// Byte address, a multiple of the port width.
        base: u 40,
        /// First step register added to the address.
        reg_a: u 5,
        /// Bytes per unit of `reg_a`.
        reg_a_stride: u 32,
        /// Second step register added to the address.
        reg_b: u 5,
        /// Bytes per unit of `reg_b`.
        reg_b_stride: u 32,
        /// Scratchpad byte address, a multiple of the port width.
        v: u 22,
        /// Pieces in a run.
        beats: u 16,
        /// Scratchpad bytes from one piece to the next.
        v_beat_stride: u 20,
        /// Innermost outer loop: count.
        count1: u 8,
        /// Its DDR stride in bytes.
        ddr1: u 32,
        /// Its scratchpad stride in bytes.
        v1: u 20,
        /// Middle outer loop: count.
        count2: u 8,
        /// Its DDR stride in bytes.
        ddr2: u 32,
        /// Its scratchpad stride in bytes.
        v2: u 20,
        /// Outermost loop: count.
        count3: u 8,
        /// Its DDR stride in bytes.
        ddr3: u 32,
        /// Its scratchpad stride in bytes.
        v3: u 20,
    }
}

/// One descriptor: an operation and what it waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Descriptor {
    /// Descriptors that each unit must have completed, by `Unit::index`.
    pub waits: [u16; 5],
    /// What to do.
    pub operation: Operation,
}

impl Descriptor {
    /// A descriptor that waits for nothing.
    pub fn new(operation: impl Into<Operation>) -> Self {
        Self { waits: [0; 5], operation: operation.into() }
    }
    /// The unit that executes it.
    pub fn unit(&self) -> Unit {
        self.operation.layout().unit
    }
    /// Pack into 64 bytes; a value that does not fit its field is an error.
    pub fn encode(&self) -> Result<Words, FieldError> {
        let mut words = [0; 8];
        put(&mut words, 0, 8, u64::from(self.operation.layout().opcode));
        for (i, wait) in self.waits.iter().enumerate() {
            put(&mut words, WAIT_BIT + 16 * i as u32, 16, u64::from(*wait));
        }
        self.operation.pack(&mut words)?;
        Ok(words)
    }
    /// Unpack; `None` where the opcode is unknown.
    pub fn decode(words: &Words) -> Option<Self> {
        let operation = Operation::unpack(take(words, 0, 8) as u8, words)?;
        let waits = core::array::from_fn(|i| take(words, WAIT_BIT + 16 * i as u32, 16) as u16);
        Some(Self { waits, operation })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_packed_descriptor_reads_back() {
        let mul = Mul { rows: 3, words: 36, a: 0xffff, shift: 63, immediate: -5, write: 1, ..Mul::default() };
        let d = Descriptor { waits: [1, 2, 3, 4, 65535], operation: mul.into() };
        assert_eq!(Descriptor::decode(&d.encode().unwrap()), Some(d));
        let store = Store { base: (1 << 40) - 1, v3: (1 << 20) - 1, ddr3: 1 << 31, ..Store::default() };
        let d = Descriptor::new(store);
        assert_eq!(Descriptor::decode(&d.encode().unwrap()), Some(d));
    }

    #[test]
    fn a_value_too_wide_for_its_field_is_refused() {
        extern crate alloc;
        let e = Descriptor::new(Matvec { vectors: 9, ..Matvec::default() }).encode().unwrap_err();
        assert_eq!(alloc::string::ToString::to_string(&e), "Matvec.vectors = 9 is outside 0..=7");
    }
}
