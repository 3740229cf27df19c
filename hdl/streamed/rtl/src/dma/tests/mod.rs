//! The movers and the memories against what they say of themselves, and their Verilog.

mod bench;
mod load;
mod memories;
mod store;
mod stream;

use crate::control::csr::{Identity, csr_block};
use crate::control::fetch::fetch_unit;
use crate::control::scheduler::scheduler;
use crate::memory::code_memory::code_memory;
use crate::memory::scale_file::scale_file;
use crate::memory::scratchpad::scratchpad;
use crate::testing::lint;

#[test]
fn verilator_has_nothing_to_say_about_the_movers() {
    lint(super::stream::stream_unit);
    lint(super::load::load_unit);
    lint(super::store::store_unit);
    lint(|d, overlay| sagen_blocks::axi::arbiter::read_arbiter(d, 3, overlay.port_bytes() as u32));
}

#[test]
fn verilator_has_nothing_to_say_about_control_and_memories() {
    lint(fetch_unit);
    lint(|d, _| scheduler(d));
    lint(|d, _| csr_block(d, Identity { build_hash: 1, geometry: 2 }));
    lint(scratchpad);
    lint(code_memory);
    lint(|d, _| scale_file(d));
}
