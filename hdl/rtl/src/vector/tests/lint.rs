//! The Verilog of the unit, as Verilator sees it.

use crate::testing::lint;
use crate::vector::vector_unit;

#[test]
fn verilator_has_nothing_to_say_about_the_verilog() {
    lint(vector_unit);
}
