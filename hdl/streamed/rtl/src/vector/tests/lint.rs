//! The Verilog of the unit, as Verilator sees it.

use super::bench::{FORMS, Form};
use crate::testing::lint;
use crate::vector::vector_unit;
use sagen_lang::{Design, ModuleId};
use sagen_streamed_arch::StreamedConfig;

#[test]
fn verilator_has_nothing_to_say_about_the_verilog() {
    lint(vector_unit);
}

/// The unit in one form, whatever lanes and clock the overlay has.
fn unit<const FORM: usize>(d: &mut Design, overlay: &StreamedConfig) -> ModuleId {
    let form: Form = FORMS[FORM];
    vector_unit(d, &form.of(overlay))
}

#[test]
fn verilator_has_nothing_to_say_about_fewer_lanes() {
    lint(unit::<1>);
    lint(unit::<2>);
}

#[test]
fn verilator_has_nothing_to_say_about_the_deep_pipeline() {
    lint(unit::<3>);
    lint(unit::<4>);
    lint(unit::<5>);
}
