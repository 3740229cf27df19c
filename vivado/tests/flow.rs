//! What the settings of a flow say for a board and a config, and which boards are refused with what reason.

use sagen_config::Board;
use sagen_overlay::Overlay;
use sagen_streamed_arch::{StreamedConfig, StreamedFile};
use sagen_vivado::{Direction, File, FlowError, Port, Source, files};
use std::fs;
use std::path::Path;

fn read(path: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../configs").join(path)).unwrap()
}

/// An overlay with a changed config and a changed board; the name follows the clock and the suffix.
fn overlay(config: &str, board: &str, change: impl Fn(&mut StreamedFile, &mut Board)) -> Overlay {
    let mut file: StreamedFile = sagen_config::parse("config", &read(&format!("{config}.yaml"))).unwrap();
    let mut board: Board = sagen_config::parse("board", &read(&format!("boards/{board}.yaml"))).unwrap();
    file.board = board.name.clone();
    change(&mut file, &mut board);
    if !board.suffix.is_empty() {
        file.name = format!("{}_{}", file.name, board.suffix);
    }
    sagen_streamed_rtl::overlay::overlay(&StreamedConfig::new(file, board).unwrap())
}

fn ports(masters: usize) -> Vec<Port> {
    let names = (0..masters).map(|i| format!("m{i}_axi_araddr"));
    let all = names.chain(["s_axi_awaddr".to_string(), "m0_axi_awaddr".to_string()]);
    all.map(|name| Port { name, width: 40, direction: Direction::Output }).collect()
}

fn flow(overlay: &Overlay) -> Result<Vec<File>, FlowError> {
    files(overlay, &ports(overlay.masters().count()), &[Source { path: "rtl/overlay.v", text: "" }], 0x12ab)
}

fn settings(overlay: &Overlay) -> String {
    let files = flow(overlay).unwrap();
    files.into_iter().find(|f| f.path == "vivado/settings.tcl").unwrap().text
}

fn refusal(overlay: &Overlay) -> String {
    flow(overlay).unwrap_err().to_string()
}

#[test]
fn a_port_of_the_same_width_and_protocol_is_connected_directly() {
    let wide = settings(&overlay("d16_100mhz_w128_p6", "kv260", |_, _| {}));
    assert!(wide.contains("m0_axi READ_ONLY S_AXI_HP0_FPD saxihp0_fpd_aclk 1\n"), "{wide}");
    assert!(wide.contains("m4_axi READ_WRITE S_AXI_HPC0_FPD saxihpc0_fpd_aclk 1\n"), "{wide}");
    assert!(wide.contains("m5_axi READ_ONLY S_AXI_HPC1_FPD saxihpc1_fpd_aclk 1\n"), "{wide}");
    assert!(settings(&overlay("d8_100mhz", "kv260", |_, _| {})).contains("S_AXI_HP0_FPD saxihp0_fpd_aclk 0\n"));
    // The same width, but AXI3.
    assert!(settings(&overlay("d8_100mhz", "pynq-z1", |_, _| {})).contains("S_AXI_HP0 S_AXI_HP0_ACLK 0\n"));
}

#[test]
fn an_interconnect_is_told_how_many_bursts_are_on_their_way() {
    let wide = settings(&overlay("d16_100mhz_w128_p6", "kv260", |_, _| {}));
    let reads = "{ NUM_READ_OUTSTANDING 16 MAX_BURST_LENGTH 256 SUPPORTS_NARROW_BURST 0 }";
    let both = "{ NUM_READ_OUTSTANDING 16 NUM_WRITE_OUTSTANDING 15 MAX_BURST_LENGTH 256 SUPPORTS_NARROW_BURST 0 }";
    assert_eq!((wide.matches(reads).count(), wide.matches(both).count()), (5, 1), "{wide}");
}

#[test]
fn every_master_sees_every_window_rounded_to_a_power_of_two() {
    let kv260 = settings(&overlay("d8_100mhz", "kv260", |_, _| {}));
    assert!(kv260.contains("{ SAXIGP2/HP0_DDR_LOW 0x0 0x80000000 SAXIGP2/HP0_DDR_HIGH 0x800000000 0x80000000 }"));
    let z1 = settings(&overlay("d8_100mhz", "pynq-z1", |_, _| {}));
    assert!(z1.contains("{ S_AXI_HP0/HP0_DDR_LOWOCM 0x0 0x20000000 }"), "{z1}");
    assert!(z1.contains("variable control { M_AXI_GP0 M_AXI_GP0_ACLK 0x43c00000 0x10000 }"), "{z1}");
}

#[test]
fn the_clock_asked_for_is_never_below_the_one_expected() {
    let below = settings(&overlay("d16_250mhz_w128_p6", "kv260", |_, _| {}));
    assert!(below.contains("REF_CTRL__FREQMHZ 250.000 ") && below.contains("clock_khz 249997\n"), "{below}");
    let above = settings(&overlay("d8_100mhz", "kv260", |_, b| b.fabric_clock.pll_khz = 100_050));
    assert!(above.contains("REF_CTRL__FREQMHZ 100.051 ") && above.contains("clock_khz 100050\n"), "{above}");
}

#[test]
fn the_key_follows_sources_scripts_and_settings() {
    let key = |o: &Overlay, hash: u32| {
        let files = files(o, &ports(o.masters().count()), &[Source { path: "rtl/overlay.v", text: "" }], hash).unwrap();
        let json: serde_json::Value =
            serde_json::from_str(&files.iter().find(|f| f.path == "vivado/flow.json").unwrap().text).unwrap();
        json["key"].as_str().unwrap().to_string()
    };
    let plain = overlay("d8_100mhz", "kv260", |_, _| {});
    let moved = overlay("d8_100mhz", "kv260", |_, b| b.control.window.base = 0xa001_0000);
    assert!(key(&plain, 1).starts_with("00000001-") && key(&plain, 2).starts_with("00000002-"));
    assert_eq!(key(&plain, 1), key(&plain, 1));
    assert_ne!(key(&plain, 1), key(&moved, 1));
}

#[test]
fn boards_that_the_family_does_not_fit_are_refused_by_name() {
    let refused = |change: fn(&mut StreamedFile, &mut Board)| refusal(&overlay("d8_100mhz", "kv260", change));
    assert_eq!(
        refused(|_, b| b.ports[0].name = "HP9".to_string()),
        "board kv260: ports names HP9, which zynq_ultra_ps_e does not have; it has HPC0, HPC1, HP0, HP1, HP2, HP3"
    );
    assert_eq!(
        refused(|_, b| b.control.name = "GP0".to_string()),
        "board kv260: control.name names GP0, which zynq_ultra_ps_e does not have; it has HPM0_FPD, HPM1_FPD, HPM0_LPD"
    );
    let window = refused(|_, b| b.ddr.windows[0].base = 0x1000_0000);
    assert!(window.starts_with("board kv260: ddr.windows: 0x10000000..0x8ff00000 is not mapped by "), "{window}");
    assert!(window.ends_with("one segment below 4 GiB and one from 32 GiB on, both aligned to their size"), "{window}");
    let unknown = refused(|f, b| (f.board, b.name) = ("mine".to_string(), "mine".to_string()));
    let known = "board mine has no folder constraints/mine; boards that have one: kv260, pynq-z1, zcu104; ";
    assert!(unknown.starts_with(known) && unknown.ends_with("after adding the folder, build sagen again"), "{unknown}");
}

#[test]
fn a_top_without_the_ports_of_a_bus_is_refused() {
    let overlay = overlay("d8_100mhz", "kv260", |_, _| {});
    let missing = files(&overlay, &[], &[], 0).unwrap_err().to_string();
    assert_eq!(missing, "the synthesis top has no port s_axi_awaddr");
    let mut some = ports(1);
    some.retain(|p| p.name != "m0_axi_araddr");
    let missing = files(&overlay, &some, &[], 0).unwrap_err().to_string();
    assert_eq!(missing, "the synthesis top has no port m0_axi_araddr");
}
