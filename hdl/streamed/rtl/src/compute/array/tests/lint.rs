//! The Verilog of the engine, as Verilator sees it.

use super::{LARGE, ONE_ARRAY, SMALL, deep};
use crate::compute::array::{array_engine, engine};
use crate::testing::lint;

#[test]
fn verilator_has_nothing_to_say_about_the_verilog() {
    lint(array_engine);
    lint(|d, _| engine(d, LARGE));
    lint(|d, _| engine(d, deep(ONE_ARRAY)));
    lint(|d, _| engine(d, deep(SMALL)));
}
