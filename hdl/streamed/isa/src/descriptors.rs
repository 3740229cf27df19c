//! The only descriptor table. Bit positions are computed from field order.

use crate::field::{Fields, Packer, Value, field_place, field_type};
use crate::table::descriptors;
use crate::{
    BODY_BIT, FieldError, GateFunction, Kind, Layout, Loop, REGISTER_BITS, Register, Rows, Unit, VECTORS, Words,
};

descriptors! {
    /// What the stream unit executes.
    Stream: StreamOpcode, StreamOperation {
        /// Read `beats + register * register_beats` beats from every stream port into the prefetch FIFO.
        /// A beat is the concatenation of one transfer of each port, port 0 lowest.
        Stream(StreamFields) = 0x10 {
            /// Byte address of port 0's region, a multiple of the port width.
            base: unsigned(40),
            /// Bytes from one port's region to the next port's.
            port_stride: unsigned(40),
            /// Beats, constant part.
            beats: unsigned(32),
            /// Step register that adds to the count.
            register: register,
            /// Beats per unit of that register.
            register_beats: unsigned(16),
        }
    }
    /// What the compute unit executes.
    Compute: ComputeOpcode, ComputeOperation {
        /// Multiply streamed weight blocks by up to four resident code vectors (GEMV, dot mode).
        /// A block is one scale beat group (16 x 4 bytes) and `groups * 64 / beat` runs of 16 beats, one a row.
        Matvec(MatvecFields) = 0x20 {
            /// Code word of vector 0.
            codes: rows(16, "Code words from one vector to the next."),
            /// Vectors, 1..=4.
            vectors: unsigned(3),
            /// Input channels / 64.
            groups: unsigned(8),
            /// Output rows / 16.
            blocks: unsigned(16),
            /// Scratchpad word of vector 0's result; one word a block.
            to: rows(16, "Scratchpad words from one vector's result to the next."),
            /// Scale entry of vector 0.
            scales: rows(12, "Scale entries from one vector to the next."),
            /// Right shift before exponents are subtracted.
            shift: signed(8),
            /// Writes the results to the scratchpad.
            write: flag,
            /// Keeps the greatest result of vector 0 and writes its row id to `register`.
            argmax: flag,
            /// Starts a new argmax, otherwise continues that of the previous descriptor.
            argmax_first: flag,
            /// Row id of the first row.
            id_base: unsigned(24),
            /// Rows that take part in the argmax; later ones are padding.
            id_limit: unsigned(24),
            /// Step register that receives the id.
            register: register,
        }
        /// Multiply streamed K rows by resident query codes; scaled scores go to the score buffer.
        /// K blocks are laid out as weight blocks without scale beats.
        Score(ScoreFields) = 0x21 {
            /// Code word of vector 0.
            codes: rows(16, "Code words from one vector to the next."),
            /// Vectors, 1..=4.
            vectors: unsigned(3),
            /// Head channels / 64.
            groups: unsigned(8),
            /// Key blocks of 16, constant part.
            blocks: unsigned(16),
            /// Step register added to `blocks`.
            register: register,
            /// Scale entry of vector 0.
            scales: rows(12, "Scale entries from one vector to the next."),
            /// Right shift before the exponent is subtracted.
            shift: signed(8),
            /// Step register of the first row's position: vector v sees keys 0..=register + row v.
            limit_register: register,
            /// Row of each vector within the chunk.
            row: each_vector(4),
        }
        /// Softmax of the score buffer times streamed V rows of one slab (GEMV, accumulate mode).
        /// A slab is as many channels as a beat has bytes.
        WeightedSum(WeightedSumFields) = 0x22 {
            /// Vectors, 1..=4.
            vectors: unsigned(3),
            /// Keys, constant part.
            keys: unsigned(16),
            /// Step register added to `keys`.
            register: register,
            /// As in `Score`.
            limit_register: register,
            /// Row of each vector within the chunk.
            row: each_vector(4),
            /// Scratchpad word of vector 0's result.
            to: unsigned(16),
            /// First lane of that word; non-zero only where a beat is narrower than 16 bytes.
            to_lane: unsigned(4),
            /// Scratchpad words from one vector's result to the next.
            to_stride: unsigned(16),
            /// Mantissa of the V scale.
            value_mantissa: unsigned(16),
            /// Exponent of the V scale.
            value_exponent: signed(8),
            /// Right shift before exponents are subtracted.
            shift: signed(8),
        }
        /// Multiply up to 16 rows of codes by streamed weight blocks on the systolic array.
        Matmul(MatmulFields) = 0x23 {
            /// Code word of row 0.
            codes: rows(16, "Code words from one row to the next."),
            /// Rows, 1..=16.
            rows: unsigned(5),
            /// Input channels / 64.
            groups: unsigned(8),
            /// Output rows / 16.
            blocks: unsigned(16),
            /// Scratchpad word of row 0's result; one word a block.
            to: rows(16, "Scratchpad words from one row's result to the next."),
            /// Scale entry of row 0.
            scales: rows(12, "Scale entries from one row to the next."),
            /// Right shift before exponents are subtracted.
            shift: signed(8),
        }
    }
    /// What the vector unit executes.
    Vector: VectorOpcode, VectorOperation {
        /// to = saturate(round(left * right >> shift)), elementwise.
        Mul(MulFields) = 0x30 {
            /// Rows, 1..=16.
            rows: unsigned(5),
            /// Words of 16 elements in a row.
            words: unsigned(12),
            /// Scratchpad word of the left operand.
            left: rows(16, "Words from one row of the left operand to the next."),
            /// Step register: its value times the left operand's stride is added to the base.
            left_register: register,
            /// Scratchpad word of the right operand.
            right: rows(16, "Words from one row of the right operand to the next; 0 uses one row for all."),
            /// Scratchpad word of the result.
            to: rows(16, "Words from one row of the result to the next."),
            /// Takes `immediate` for the left operand.
            left_immediate: flag,
            /// Takes `immediate` for the right operand.
            right_immediate: flag,
            /// Reads the right operand as packed 16-bit elements, 32 a word.
            right_half: flag,
            /// Immediate operand.
            immediate: signed(32),
            /// Right shift, 0..=63.
            shift: unsigned(6),
            /// Writes the result.
            write: flag,
            /// Records the greatest magnitude of every 64 results of the row.
            amax: flag,
            /// Records the row's sum of squares of the left operand.
            sum_squares: flag,
        }
        /// to = saturate(left + right), elementwise.
        Add(AddFields) = 0x31 {
            /// Rows, 1..=16.
            rows: unsigned(5),
            /// Words of 16 elements in a row.
            words: unsigned(12),
            /// Scratchpad word of the left operand.
            left: rows(16, "Words from one row of the left operand to the next."),
            /// Scratchpad word of the right operand.
            right: rows(16, "Words from one row of the right operand to the next."),
            /// Scratchpad word of the result.
            to: rows(16, "Words from one row of the result to the next."),
        }
        /// Rotate pairs: words 2j and 2j+1 of a head hold the two halves of 16 pairs, word j of the
        /// table 16 cosines (low half) and 16 sines (high half) in Q15.
        Rope(RopeFields) = 0x32 {
            /// Rows, 1..=16.
            rows: unsigned(5),
            /// Words of 16 elements in a row, even.
            words: unsigned(12),
            /// Scratchpad word of the input.
            from: rows(16, "Words from one row of the input to the next."),
            /// Scratchpad word of the table row of row 0.
            table: rows(16, "Words from one table row to the next."),
            /// Scratchpad word of the result.
            to: rows(16, "Words from one row of the result to the next."),
            /// Words of one head.
            head_words: unsigned(8),
            /// Records the greatest magnitude of every 64 results of the row.
            amax: flag,
        }
        /// to = saturate(round(g(gate) * up >> shift)), g(x) = x * sigmoid(x) or gelu(x), in Q12.
        Glu(GluFields) = 0x33 {
            /// Rows, 1..=16.
            rows: unsigned(5),
            /// Words of 16 elements in a row.
            words: unsigned(12),
            /// Scratchpad word of the gate input.
            gate: rows(16, "Words from one row of the gate input to the next."),
            /// Scratchpad word of the up input.
            up: rows(16, "Words from one row of the up input to the next."),
            /// Scratchpad word of the result.
            to: rows(16, "Words from one row of the result to the next."),
            /// What is done to the gate input.
            function: choice(GateFunction),
            /// Right shift of the product, 0..=63.
            shift: unsigned(6),
            /// Records the greatest magnitude of every 64 results of the row.
            amax: flag,
        }
        /// Quantise rows to int8 codes, segment by segment, by the recorded amax or by a constant.
        Quant(QuantFields) = 0x34 {
            /// Rows, 1..=16.
            rows: unsigned(5),
            /// Segments in a row; each has its own scale.
            segments: unsigned(8),
            /// Words of 16 elements in a segment, a multiple of 4.
            segment_words: unsigned(10),
            /// Scratchpad word of the input.
            from: rows(16, "Words from one row of the input to the next."),
            /// Code word (or scratchpad word) of row 0's codes, 64 a word.
            to: rows(16, "Words from one row's codes to the next."),
            /// Writes the codes to the scratchpad, otherwise to the code memory.
            to_scratchpad: flag,
            /// Quantises by `multiplier` and `shift` without group shifts and writes no scale.
            fixed: flag,
            /// Multiplier of fixed mode.
            multiplier: unsigned(16),
            /// Right shift of fixed mode, 0..=63.
            shift: unsigned(6),
            /// Multiplies the scale by rsqrt(sum of squares + epsilon).
            norm: flag,
            /// Added to the sum of squares.
            epsilon: unsigned(40),
            /// Mantissa of the constant factor of the scale.
            factor_mantissa: unsigned(16),
            /// Exponent of the constant factor of the scale.
            factor_exponent: signed(8),
            /// Scale entry of row 0, segment 0.
            scales: rows(12, "Scale entries from one row to the next."),
        }
    }
    /// What the load unit executes.
    Load: LoadOpcode, LoadOperation {
        /// Copy `rows` runs of `row_words` words from DDR to the scratchpad.
        Load(LoadFields) = 0x40 {
            /// Byte address, a multiple of 64.
            base: unsigned(40),
            /// Step register added to the address.
            register: register,
            /// Bytes per unit of that register, a multiple of 64.
            register_stride: unsigned(32),
            /// Takes the next register for every row.
            gather: flag,
            /// Runs.
            rows: unsigned(16),
            /// Words of 64 bytes in a run.
            row_words: unsigned(16),
            /// Bytes from one run to the next in DDR, a multiple of 64.
            ddr_stride: unsigned(32),
            /// Scratchpad word of the first run.
            to: rows(16, "Scratchpad words from one run to the next."),
        }
    }
    /// What the store unit executes.
    Store: StoreOpcode, StoreOperation {
        /// Copy runs of `beats` port-wide pieces from the scratchpad to DDR. A run is contiguous in DDR.
        /// Three outer loops step the two addresses of the runs.
        Store(StoreFields) = 0x41 {
            /// Byte address, a multiple of the port width.
            base: unsigned(40),
            /// First step register added to the address.
            register_1: register,
            /// Bytes per unit of `register_1`.
            register_1_stride: unsigned(32),
            /// Second step register added to the address.
            register_2: register,
            /// Bytes per unit of `register_2`.
            register_2_stride: unsigned(32),
            /// Scratchpad byte address, a multiple of the port width.
            from: unsigned(22),
            /// Pieces in a run.
            beats: unsigned(16),
            /// Scratchpad bytes from one piece to the next.
            from_stride: unsigned(20),
            /// Innermost outer loop.
            inner: repeat(8, 32, 20),
            /// Middle outer loop.
            middle: repeat(8, 32, 20),
            /// Outermost loop.
            outer: repeat(8, 32, 20),
        }
    }
}
