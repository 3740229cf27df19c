//! The Verilog of the engine, as Verilator sees it.

use crate::compute::array::array_engine;
use crate::testing::lint;

#[test]
fn verilator_has_nothing_to_say_about_the_verilog() {
    lint(array_engine);
}
