//! The Verilog of the unit, as Verilator sees it.

use crate::compute::compute_unit;
use crate::testing::lint;

#[test]
fn verilator_has_nothing_to_say_about_the_verilog() {
    lint(compute_unit);
}
