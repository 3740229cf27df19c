//! Overlays for tests, and machines that hold a program.
#![allow(dead_code, reason = "every test binary uses its own part")]

use sagen_config::Board;
use sagen_streamed_arch::{Device, Program, StreamedConfig, config};
use sagen_streamed_golden::Machine;
use sagen_streamed_isa::Register;
use std::path::Path;

/// Beats of 32, 16 and 8 bytes; the configs have 64 and 8.
const EXTRA: [&str; 3] = [
    "name: d8_100mhz_w64_p6\nports: { width: 64, total: 6, stream: 4 }",
    "name: d8_100mhz_w128_p3\nports: { width: 128, total: 3, stream: 1 }",
    "name: d8_100mhz_w32_p4\nports: { width: 32, total: 4, stream: 2 }",
];
const REST: &str = "
board: kv260
clock_mhz: 100
array: { side: 8, count: 1 }
vector_lanes: 16
prefetch_bytes: 8192
scratchpad: { vector_words: 1024, code_words: 256, score_rows: 128 }
";

/// Boards of the repository.
pub(crate) fn boards() -> Vec<Board> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../configs/boards");
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let board = |path| sagen_config::parse("board", &std::fs::read_to_string(path).unwrap()).unwrap();
    files.into_iter().map(board).collect()
}

/// Every geometry of ports, the main overlay first.
pub(crate) fn overlays() -> Vec<StreamedConfig> {
    let configs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../configs");
    let read = |path: &Path| std::fs::read_to_string(path).unwrap();
    let board: Board = boards().into_iter().find(|b| b.name == "kv260").unwrap();
    let files = ["d16_100mhz_w128_p6", "d8_100mhz"].map(|name| read(&configs.join(name).with_extension("yaml")));
    let extra = EXTRA.map(|head| format!("{head}{REST}"));
    let overlay = |text: &String| config::overlay("test", text, std::slice::from_ref(&board)).unwrap();
    files.iter().chain(&extra).map(overlay).collect()
}

/// A machine that holds a program.
pub(crate) fn machine(overlay: &StreamedConfig, program: &Program, registers: &[(Register, u32)]) -> Machine {
    let mut machine = Machine::new(overlay);
    machine.load(program).unwrap();
    for (register, value) in registers {
        machine.set_register(*register, *value).unwrap();
    }
    machine
}
