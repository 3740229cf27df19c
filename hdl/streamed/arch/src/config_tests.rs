//! What a person is told about a config that cannot be used.

use crate::StreamedConfig;
use crate::config::overlay;
use expect_test::{Expect, expect};
use sagen_config::{Board, parse};

const BOARD: &str = include_str!("../../../../configs/boards/kv260.yaml");
const OVERLAY: &str = include_str!("../../../../configs/d16_100mhz_w128_p6.yaml");

fn read(text: &str) -> Result<StreamedConfig, String> {
    let board: Board = parse("kv260.yaml", BOARD).unwrap();
    overlay("x.yaml", text, &[board]).map_err(|e| e.to_string())
}

/// The message for the config with one piece replaced.
fn refused(found: &str, instead: &str, message: Expect) {
    assert!(OVERLAY.contains(found));
    message.assert_eq(&read(&OVERLAY.replace(found, instead)).unwrap_err());
}

#[test]
fn the_main_overlay_is_accepted() {
    let overlay = read(OVERLAY).unwrap();
    assert_eq!((overlay.beat_bytes(), overlay.data_port(), overlay.command_port()), (64, 4, 5));
    assert_eq!(overlay.prefetch_beats(), 2048);
}

#[test]
fn a_misspelt_key_is_named_with_line_column_and_the_nearest_key() {
    refused(
        "clock_mhz",
        "clok_mhz",
        expect![
            "x.yaml:4:1: unknown key `clok_mhz`, did you mean `clock_mhz`? (allowed here: name, family, board, clock_mhz, array, ports, vector_lanes, prefetch_bytes, scratchpad)"
        ],
    );
    refused(
        "side: 16",
        "sides: 16",
        expect!["x.yaml:5:10: unknown key `sides`, did you mean `side`? (allowed here: side, count)"],
    );
}

#[test]
fn a_value_of_the_wrong_type_is_located() {
    refused("clock_mhz: 100", "clock_mhz: fast", expect!["x.yaml:4:12: invalid u32, in `clock_mhz: fast`"]);
}

#[test]
fn a_missing_key_is_named() {
    refused(
        "clock_mhz: 100\n",
        "",
        expect![
            "x.yaml:8:1: missing field `clock_mhz`, in `scratchpad: { vector_words: 8192, code_words: 1024, score_rows: 2048 }`"
        ],
    );
}

#[test]
fn a_name_that_disagrees_with_the_fields_is_refused() {
    refused(
        "clock_mhz: 100",
        "clock_mhz: 200",
        expect![
            "x.yaml: name = d16_100mhz_w128_p6 does not match the fields, which make d16_200mhz_w128_p6; `d16_200mhz_w128_p6` and `word_d16_200mhz_w128_p6` are allowed"
        ],
    );
}

#[test]
fn impossible_values_are_refused_with_what_is_allowed() {
    refused("side: 16", "side: 12", expect!["x.yaml: array.side = 12 is not one of 8, 16, 32"]);
    refused("width: 128", "width: 100", expect!["x.yaml: ports.width = 100 is not one of 32, 64, 128"]);
    refused("stream: 4", "stream: 3", expect!["x.yaml: ports.stream = 3 is not one of 1, 2, 4"]);
    refused("clock_mhz: 100", "clock_mhz: 5000", expect!["x.yaml: clock_mhz = 5000 is outside 10..=300"]);
    refused(
        "vector_words: 8192",
        "vector_words: 512",
        expect!["x.yaml: scratchpad.vector_words = 512 is outside 1024..=16384"],
    );
    refused(
        "vector_words: 8192",
        "vector_words: 5000",
        expect!["x.yaml: scratchpad.vector_words = 5000: must be a multiple of 512"],
    );
}

#[test]
fn keys_without_a_choice_are_refused_with_the_reason() {
    let with = |line: &str, message: Expect| message.assert_eq(&read(&format!("{OVERLAY}{line}\n")).unwrap_err());
    with(
        "control_core: none",
        expect![
            "x.yaml:10:1: `control_core`: the host drives the queue, and a resident core is not built yet; remove the line"
        ],
    );
    with(
        "pcpi: false",
        expect!["x.yaml:10:1: `pcpi`: it needs a control core, which is not built yet; remove the line"],
    );
}

#[test]
fn a_family_that_nobody_knows_is_refused() {
    refused(
        "board: kv260",
        "board: kv260\nfamily: onchip",
        expect!["x.yaml:4:9: unknown variant `onchip`, expected one of streamed, in `family: onchip`"],
    );
    assert_eq!(read(&format!("{OVERLAY}family: streamed\n")), read(OVERLAY));
}

#[test]
fn a_word_before_the_derived_name_tells_overlays_apart() {
    let named = |name: &str| read(&OVERLAY.replace("name: d16_100mhz_w128_p6", &format!("name: {name}")));
    let (plain, other) = (read(OVERLAY).unwrap(), named("long-context_d16_100mhz_w128_p6").unwrap());
    assert_ne!(plain.id(), other.id());
    for name in ["_d16_100mhz_w128_p6", "xd16_100mhz_w128_p6", "../x_d16_100mhz_w128_p6", "d16_100mhz_w128_p6_x"] {
        assert!(named(name).is_err(), "{name}");
    }
}

#[test]
fn impossible_combinations_are_refused() {
    refused(
        "total: 6, stream: 4",
        "total: 2, stream: 4",
        expect!["x.yaml: ports.stream = 4 is more than ports.total = 2"],
    );
    refused(
        "total: 6, stream: 4",
        "total: 6, stream: 2",
        expect![
            "x.yaml: ports.total = 6 leaves 2 port(s) unused: ports.stream = 2 plus at most one load/store and one command port"
        ],
    );
    refused(
        "total: 6, stream: 4",
        "total: 8, stream: 4",
        expect![
            "x.yaml: ports.total = 8 leaves 2 port(s) unused: ports.stream = 4 plus at most one load/store and one command port"
        ],
    );
    refused(
        "width: 128, total: 6, stream: 4",
        "width: 32, total: 3, stream: 1",
        expect![
            "x.yaml: name = d16_100mhz_w128_p6 does not match the fields, which make d16_100mhz_w32_p3; `d16_100mhz_w32_p3` and `word_d16_100mhz_w32_p3` are allowed"
        ],
    );
    refused("board: kv260", "board: kv26", expect!["x.yaml: board = kv26 is unknown; known boards: kv260"]);
}

#[test]
fn arrays_that_take_more_channels_than_a_beat_has_are_refused() {
    refused(
        "side: 16, count: 1",
        "side: 32, count: 2",
        expect!["x.yaml: array.count = 2: arrays of side 32 take 64 channels each, 128 together, and a beat has 64"],
    );
    let narrow = OVERLAY.replace("width: 128, total: 6, stream: 4", "width: 64, total: 1, stream: 1");
    let with = |found: &str, instead: &str, name: &str| {
        read(&narrow.replace("side: 16, count: 1", instead).replace("d16_100mhz_w128_p6", name)).map_err(|e| {
            assert!(e.contains(found), "{e}");
        })
    };
    assert!(with("", "side: 16, count: 1", "d16_100mhz").is_ok());
    assert!(with("", "side: 32, count: 1", "d32_100mhz").is_ok());
    assert!(with("8 channels each, 16 together, and a beat has 8", "side: 8, count: 2", "d8_100mhz_a2").is_err());
}

/// The message for the main overlay on a board with one piece replaced.
fn board_refused(found: &str, instead: &str, message: Expect) {
    assert!(BOARD.contains(found), "{found}");
    let board: Board = parse("kv260.yaml", &BOARD.replacen(found, instead, 1)).unwrap();
    message.assert_eq(&overlay("x.yaml", OVERLAY, &[board]).unwrap_err().to_string());
}

#[test]
fn a_board_that_cannot_be_is_refused_with_field_and_rule() {
    board_refused(
        "part: xck26",
        "part: \"x[exit]\" #",
        expect![[
            r#"x.yaml: board kv260: part: "x[exit]": a part of this family begins with xck or xczu, letters, digits, - and _ follow"#
        ]],
    );
    board_refused(
        "part: xck26",
        "part: xc7z020",
        expect![[
            r#"x.yaml: board kv260: part: "xc7z020-sfvc784-2LV-c": a part of this family begins with xck or xczu, letters, digits, - and _ follow"#
        ]],
    );
    board_refused(
        "kv260_som:part0",
        "\"kv260 som\"",
        expect![[
            r#"x.yaml: board kv260: board_part: "xilinx.com:\"kv260 som\"" is not made of letters, digits, -, _, . and :"#
        ]],
    );
    board_refused(
        "suffix: \"\"",
        "suffix: a/../b",
        expect![[r#"x.yaml: board kv260: suffix: "a/../b" is not made of letters and digits"#]],
    );
    board_refused(
        "dsp: 1248",
        "dsp: 0",
        expect!["x.yaml: board kv260: resources: every part has lut, ff, dsp and bram36; only uram may be 0"],
    );
    board_refused(
        "max_divider: 63",
        "max_divider: 4294967295",
        expect![
            "x.yaml: board kv260: fabric_clock: pll_khz must not be 0, and max_divider = 4294967295 is outside 1..=63"
        ],
    );
    board_refused(
        "pll_khz: 1499985",
        "pll_khz: 0",
        expect!["x.yaml: board kv260: fabric_clock: pll_khz must not be 0, and max_divider = 63 is outside 1..=63"],
    );
    board_refused(
        "name: HP1, width: 128",
        "name: HP1, width: 100",
        expect!["x.yaml: board kv260: ports: HP1 has a width of 100; 32, 64 and 128 are allowed"],
    );
    board_refused("name: HP1", "name: HP0", expect!["x.yaml: board kv260: ports: HP0 is listed twice"]);
    board_refused(
        "base: 0xa0000000",
        "base: 0xa0000004",
        expect![
            "x.yaml: board kv260: control.window: 0x10000 bytes at 0xa0000004: a power of two of at least 0x10000, at a multiple of itself, below 0x10000000000 is needed"
        ],
    );
    board_refused(
        "bytes: 0x10000 }",
        "bytes: 0x100 }",
        expect![
            "x.yaml: board kv260: control.window: 0x100 bytes at 0xa0000000: a power of two of at least 0x10000, at a multiple of itself, below 0x10000000000 is needed"
        ],
    );
    board_refused(
        "base: 0xa0000000",
        "base: 0x10000000",
        expect!["x.yaml: board kv260: ddr.windows: 0x0..0x7ff00000 meets control.window (0x10000000..0x10010000)"],
    );
    board_refused(
        "bytes: 0x7ff00000",
        "bytes: 0x900000000",
        expect!["x.yaml: board kv260: ddr.windows: 0x0..0x900000000 meets control.window (0xa0000000..0xa0010000)"],
    );
    board_refused(
        "reserved: { base: 0x800000000",
        "reserved: { base: 0x700000000",
        expect![
            "x.yaml: board kv260: ddr.reserved: 0x700000000..0x780000000 lies in none of ddr.windows (0x0..0x7ff00000, 0x800000000..0x880000000)"
        ],
    );
    board_refused(
        "reserved: { base: 0x800000000, bytes: 0x80000000",
        "reserved: { base: 0x800000800, bytes: 0x1000",
        expect!["x.yaml: board kv260: ddr.reserved: 0x800000800 is not a multiple of 4096"],
    );
    board_refused(
        "mb_per_s: 19200",
        "mb_per_s: 0",
        expect![
            "x.yaml: board kv260: ddr.timing: mb_per_s and outstanding must not be 0, refresh_stall_ns is less than refresh_period_ns"
        ],
    );
    board_refused(
        "refresh_stall_ns: 60",
        "refresh_stall_ns: 7800",
        expect![
            "x.yaml: board kv260: ddr.timing: mb_per_s and outstanding must not be 0, refresh_stall_ns is less than refresh_period_ns"
        ],
    );
}
