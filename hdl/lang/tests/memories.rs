//! Initial contents and true dual-port memories: their text, what they do, and that yosys finds block RAM in them.
//! Random designs of `cross_check.rs` hold them against Verilator and Icarus.

mod support;

use expect_test::expect;
use sagen_lang::*;

/// A firmware memory: a processor on one port, the host on the other, a program in it.
fn firmware(depth: u32) -> (Design, ModuleId) {
    let mut d = Design::new();
    let top = d.module("top", |m| {
        let ram = m.memory("ram", depth, 32).style(RamStyle::Block).byte_enable(8).init(&[0x13, 0xdead_beef_u32]);
        let addr = unsigned(ram.addr_width());
        let port = |name: &str, ty| m.input(name, ty);
        let (en, mask) = (port("en", bit()), port("mask", unsigned(4)));
        let core = ram.port_masked(en, mask, port("addr", addr), port("data", unsigned(32)));
        let host = ram.port(high(), port("load", bit()), port("load_addr", addr), port("load_data", unsigned(32)));
        m.output("core", core);
        m.output("host", host);
    });
    d.finish().unwrap_or_else(|e| panic!("{e}"));
    (d, top)
}

#[test]
fn two_ports_and_initial_contents_are_fixed_templates() {
    let (d, top) = firmware(16);
    expect![[r#"
        `timescale 1ns / 1ps
        `default_nettype none
        module top (
          input wire clk,
          input wire en,
          input wire [3:0] mask,
          input wire [3:0] addr,
          input wire [31:0] data,
          input wire load,
          input wire [3:0] load_addr,
          input wire [31:0] load_data,
          output wire [31:0] core,
          output wire [31:0] host
        );
          (* ram_style = "block" *) reg [31:0] ram [0:15];
          reg [31:0] ram_q;
          reg [31:0] ram_q1;
          assign core = ram_q;
          assign host = ram_q1;

          initial begin : _ram_init
            integer _i;
            for (_i = 2; _i < 16; _i = _i + 1) ram[_i] = 32'd0;
            ram[0] = 32'd19;
            ram[1] = 32'hdeadbeef;
          end

          always @(posedge clk) begin
            if (en) begin
              if (mask[0]) ram[addr][7:0] <= data[7:0];
              if (mask[1]) ram[addr][15:8] <= data[15:8];
              if (mask[2]) ram[addr][23:16] <= data[23:16];
              if (mask[3]) ram[addr][31:24] <= data[31:24];
              ram_q <= ram[addr];
            end
          end

          always @(posedge clk) begin
            if (load) ram[load_addr] <= load_data;
            ram_q1 <= ram[load_addr];
          end

        `ifdef SAGEN_ASSERT
          always @(posedge clk) begin
            if (en & 1'd1 & (|mask) & (1'd1 & load) & (addr == load_addr)) begin
              $display("%m: assertion failed: memory `ram` is written by one port at a time in each word");
              $stop;
            end
          end
        `endif

        endmodule
        `default_nettype wire
    "#]]
    .assert_eq(&verilog::print(&d, top)[0].1);
}

#[test]
fn a_port_reads_the_word_as_it_was_and_contents_survive_reset() {
    let (d, top) = firmware(16);
    let mut sim = Sim::new(&d, top).unwrap();
    let all = [
        ("en", 1),
        ("mask", 0b0110),
        ("addr", 1),
        ("data", 0x1122_3344),
        ("load", 0),
        ("load_addr", 1),
        ("load_data", 7),
    ];
    all.iter().for_each(|(name, value)| sim.set(name, *value));
    sim.step();
    assert_eq!((sim.get("core").to_u64(), sim.get("host").to_u64()), (0xdead_beef, 0xdead_beef), "old data on both");
    assert_eq!(sim.peek_word("ram", 1).to_u64(), 0xde22_33ef, "two lanes were stored");
    sim.set("mask", 0);
    sim.step();
    assert_eq!(sim.get("core").to_u64(), 0xde22_33ef);
    sim.set("en", false);
    sim.set("mask", 15);
    sim.set("load", true);
    sim.set("load_addr", 2);
    sim.step();
    assert_eq!(sim.get("core").to_u64(), 0xde22_33ef, "a port that is not enabled holds");
    assert_eq!((sim.peek_word("ram", 1).to_u64(), sim.peek_word("ram", 2).to_u64()), (0xde22_33ef, 7));
    assert_eq!((sim.peek_word("ram", 0).to_u64(), sim.peek_word("ram", 15).to_u64()), (0x13, 0));
}

#[test]
fn two_writes_of_one_word_violate_an_assertion() {
    let (d, top) = firmware(16);
    let mut sim = Sim::new(&d, top).unwrap();
    let all = [("en", 1), ("mask", 1), ("addr", 3), ("data", 5), ("load", 1), ("load_addr", 4), ("load_data", 7)];
    all.iter().for_each(|(name, value)| sim.set(name, *value));
    sim.step();
    sim.set("load_addr", 3);
    let stopped = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| sim.step()));
    let message = *stopped.expect_err("it stops").downcast::<String>().unwrap();
    expect!["cycle 1: assertion failed: memory `ram` is written by one port at a time in each word"]
        .assert_eq(&message);
}

#[test]
fn the_template_is_clean_in_lint_and_becomes_block_ram() {
    let (d, top) = firmware(1024);
    let dir = support::directory();
    for (name, text) in verilog::print(&d, top) {
        std::fs::write(dir.path().join(name), text).unwrap();
    }
    let args = ["--lint-only", "-Wall", "-DSAGEN_ASSERT", "--top-module", "top", verilog::WAIVERS, "-f", "files.f"];
    let lint = support::run(dir.path(), &support::verilator(), &args);
    assert!(!lint.contains("%Warning"), "{lint}");
    support::run(dir.path(), "iverilog", &["-g2001", "-Wall", "-s", "top", "-o", "top.out", "-f", "files.f"]);
    let script = "read_verilog top.v; synth_xilinx -family xcup -top top -noiopad; stat; write_verilog netlist.v";
    let text = support::run(dir.path(), "yosys", &["-q", "-p", &format!("{script}; tee -o stat.txt stat")]);
    let stat = std::fs::read_to_string(dir.path().join("stat.txt")).unwrap();
    let count = |cell: &str| {
        let line = stat.lines().rev().find(|l| l.trim_start().starts_with(cell));
        line.map_or(0, |l| l.split_whitespace().last().unwrap().parse::<u32>().unwrap())
    };
    assert_eq!((count("RAMB36E2"), count("FDRE"), count("RAM")), (1, 0, 1), "{stat}\n{text}");
    let netlist = std::fs::read_to_string(dir.path().join("netlist.v")).unwrap();
    assert!(netlist.to_lowercase().contains("deadbeef"), "the contents are in the block RAM");
}
