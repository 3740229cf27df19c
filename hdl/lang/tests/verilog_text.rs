//! The Verilog of small modules, word for word, and the three cases in which another builder was silently wrong.

mod support;

use expect_test::{Expect, expect};
use sagen_lang::*;

fn text(body: impl Fn(&Module), expected: Expect) {
    let mut d = Design::new();
    let top = d.module("top", body);
    d.finish().unwrap_or_else(|e| panic!("{e}"));
    let files = verilog::print(&d, top);
    expected.assert_eq(&files[0].1);
}

#[test]
fn a_processing_element_reads_like_handwritten_code() {
    text(
        |m| {
            m.doc("Processing element: `p_out = p_in + a_in * w`.");
            let (load, en) = (m.input("load", bit()), m.input("en", bit()));
            let (a_in, w_in) = (m.input("a_in", signed(8)), m.input("w_in", signed(8)));
            let p_in = m.input("p_in", signed(32));
            let w = m.reg_en("w", load, w_in);
            let product = m.net("product", a_in * w);
            m.output("a_out", m.reg_en("a", en, a_in));
            m.output("p_out", m.reg_en("p", en, p_in + product.extend(32)).use_dsp());
        },
        expect![[r#"
            // Processing element: `p_out = p_in + a_in * w`.
            `timescale 1ns / 1ps
            `default_nettype none
            module top (
              input wire clk,
              input wire load,
              input wire en,
              input wire signed [7:0] a_in,
              input wire signed [7:0] w_in,
              input wire signed [31:0] p_in,
              output wire signed [7:0] a_out,
              output wire signed [31:0] p_out
            );
              reg signed [7:0] w;
              reg signed [7:0] a;
              (* use_dsp = "yes" *) reg signed [31:0] p;
              wire signed [15:0] _n1 = {{8{a_in[7]}}, a_in};
              wire signed [15:0] _n2 = {{8{w[7]}}, w};
              wire signed [15:0] product = _n1 * _n2;
              wire signed [31:0] _n3 = {product, 16'd0};
              wire signed [31:0] _n4 = _n3 >>> 16;
              assign a_out = a;
              assign p_out = p;

              always @(posedge clk) begin
                if (load) begin
                  w <= w_in;
                end
                if (en) begin
                  a <= a_in;
                  p <= p_in + _n4;
                end
              end

            endmodule
            `default_nettype wire
        "#]],
    );
}

#[test]
fn states_conditions_and_assertions_keep_their_shape() {
    text(
        |m| {
            let (go, x) = (m.input("go", bit()), m.input("x", unsigned(8)));
            let st = m.fsm("state", &["idle", "run"]);
            let sum = m.reg("sum", unsigned(8));
            m.switch_state(&st).case("idle", || _ = m.when(go, || m.set_state(&st, "run"))).case("run", || {
                m.when(x.is_zero(), || m.set_state(&st, "idle")).otherwise(|| m.set(sum, sum + x));
            });
            m.assert(sum.le_lit(200), "sum stays below 200");
            m.output("total", sum);
        },
        expect![[r#"
            `timescale 1ns / 1ps
            `default_nettype none
            module top (
              input wire clk,
              input wire rst,
              input wire go,
              input wire [7:0] x,
              output wire [7:0] total
            );
              localparam STATE_IDLE = 1'd0;
              localparam STATE_RUN = 1'd1;
              reg state;
              reg [7:0] sum;
              assign total = sum;

              always @(posedge clk) begin
                case (state)
                  STATE_IDLE: begin
                    if (go) begin
                      state <= STATE_RUN;
                    end
                  end
                  STATE_RUN: begin
                    if (x == 8'd0) begin
                      state <= STATE_IDLE;
                    end else begin
                      sum <= sum + x;
                    end
                  end
                  default: begin
                  end
                endcase
                if (rst) begin
                  state <= STATE_IDLE;
                end
              end

            `ifdef SAGEN_ASSERT
              always @(posedge clk) begin
                if ((~rst) & (~(sum <= 8'd200))) begin
                  $display("%m: assertion failed: sum stays below 200");
                  $stop;
                end
              end
            `endif

            endmodule
            `default_nettype wire
        "#]],
    );
}

#[test]
fn memories_are_fixed_templates() {
    text(
        |m| {
            let (we, addr, data) = (m.input("we", bit()), m.input("addr", unsigned(4)), m.input("data", unsigned(16)));
            let ram = m.memory("ram", 16, 16).style(RamStyle::Block).byte_enable(8);
            ram.write_masked(we, addr, data, m.input("mask", unsigned(2)));
            m.output("q0", ram.read(high(), addr));
            m.output("q1", ram.read(we, data.slice(0, 4)));
        },
        expect![[r#"
            `timescale 1ns / 1ps
            `default_nettype none
            module top (
              input wire clk,
              input wire we,
              input wire [3:0] addr,
              input wire [15:0] data,
              input wire [1:0] mask,
              output wire [15:0] q0,
              output wire [15:0] q1
            );
              (* ram_style = "block" *) reg [15:0] ram [0:15];
              (* ram_style = "block" *) reg [15:0] _ram_copy1 [0:15];
              reg [15:0] ram_q;
              reg [15:0] ram_q1;
              wire [3:0] _n1 = data[3:0];
              assign q0 = ram_q;
              assign q1 = ram_q1;

              always @(posedge clk) begin
                if (we) begin
                  if (mask[0]) ram[addr][7:0] <= data[7:0];
                  if (mask[1]) ram[addr][15:8] <= data[15:8];
                end
                ram_q <= ram[addr];
              end

              always @(posedge clk) begin
                if (we) begin
                  if (mask[0]) _ram_copy1[addr][7:0] <= data[7:0];
                  if (mask[1]) _ram_copy1[addr][15:8] <= data[15:8];
                end
                if (we) ram_q1 <= _ram_copy1[_n1];
              end

            endmodule
            `default_nettype wire
        "#]],
    );
}

/// Checks `y` in the interpreter and in Icarus.
fn check(body: impl Fn(&Module), inputs: &[(&str, u64)], expected: u64) {
    let mut d = Design::new();
    let top = d.module("top", body);
    d.finish().unwrap_or_else(|e| panic!("{e}"));
    let mut sim = Sim::new(&d, top).unwrap();
    inputs.iter().for_each(|(name, value)| sim.set(name, *value));
    let found = sim.get("y");
    assert_eq!(found.to_u64(), expected, "interpreter");
    let dir = support::directory();
    for (name, text) in verilog::print(&d, top) {
        std::fs::write(dir.path().join(name), text).unwrap();
    }
    let width = |name: &str| d.ports(top).iter().find(|p| p.name == name).unwrap().ty.width;
    let pins: Vec<String> = inputs.iter().map(|(name, value)| format!(".{name}({}'d{value}), ", width(name))).collect();
    let bench = format!(
        "`timescale 1ns / 1ps\nmodule bench;\n  wire [{}:0] y;\n  top top ({}.y(y));\n  initial begin #1 $display(\"%0d\", y); end\nendmodule\n",
        width("y") - 1,
        pins.concat()
    );
    std::fs::write(dir.path().join("bench.v"), bench).unwrap();
    support::run(dir.path(), "iverilog", &["-g2001", "-s", "bench", "-o", "bench.out", "-f", "files.f", "bench.v"]);
    assert_eq!(support::run(dir.path(), "vvp", &["-n", "bench.out"]).trim(), expected.to_string(), "Icarus");
    let lint = support::run(
        dir.path(),
        &support::verilator(),
        &["--lint-only", "-Wall", "--top-module", "top", verilog::WAIVERS, "-f", "files.f"],
    );
    assert!(!lint.contains("%Warning"), "{lint}");
}

#[test]
fn a_product_keeps_all_its_bits_in_a_sum() {
    let body = |m: &Module| {
        let (p, a, w) = (m.input("p", signed(32)), m.input("a", signed(8)), m.input("w", signed(8)));
        m.output("y", p + (a * w).extend(32));
    };
    check(body, &[("p", 0), ("a", 100), ("w", 100)], 10000);
}

#[test]
fn a_wrapped_sum_loses_its_carry_before_it_is_extended() {
    let body = |m: &Module| m.output("y", (m.input("a", unsigned(16)) + m.input("b", unsigned(16))).extend(32));
    check(body, &[("a", 0xffff), ("b", 1)], 0);
}

#[test]
fn a_wrapped_sum_loses_its_carry_before_it_is_compared() {
    let body = |m: &Module| m.output("y", (m.input("a", unsigned(16)) + m.input("b", unsigned(16))).gt_lit(10));
    check(body, &[("a", 0xffff), ("b", 1)], 0);
}

fn source(file: &str, text: &str) -> Source {
    Source { file: file.into(), licence: "ISC".into(), text: text.into() }
}

#[test]
fn the_manifest_tells_ports_hierarchy_and_sources() {
    let mut d = Design::new();
    let vendor = d.black_box(
        "VENDOR",
        &[Port::input("clk", bit()), Port::input("d", signed(4)), Port::output("q", signed(4))],
        &[("DEPTH", "8")],
        &[source("vendor.v", "module VENDOR (); endmodule\n")],
    );
    let top = d.module("top", |m| {
        let u = m.instance("u_v", vendor);
        u.input("d", m.input("x", signed(4)));
        m.output("y", u.output("q"));
    });
    let files = verilog::print(&d, top);
    assert_eq!(files[0], ("vendor.v".to_string(), "module VENDOR (); endmodule\n".to_string()));
    assert!(files[1].1.contains("VENDOR #(.DEPTH(8)) u_v (.clk(clk), .d(x), .q(_u_v_q));"));
    assert_eq!(files.last().unwrap(), &("files.f".to_string(), "vendor.v\ntop.v\n".to_string()));
    let mut manifest = serde_json::to_value(d.manifest(top)).unwrap();
    manifest["modules"].as_array_mut().unwrap().iter_mut().for_each(|m| _ = m["hash"].take());
    manifest["modules"][0]["black_box"]["sources"][0]["hash"].take();
    expect![[r#"{"modules":[{"black_box":{"params":{"DEPTH":"8"},"sources":[{"file":"vendor.v","hash":null,"licence":"ISC"}]},"clocked":true,"hash":null,"instances":[],"name":"VENDOR","ports":[{"direction":"input","name":"d","signed":true,"width":4},{"direction":"output","name":"q","signed":true,"width":4}],"resettable":false},{"clocked":true,"hash":null,"instances":[{"module":"VENDOR","name":"u_v"}],"name":"top","ports":[{"direction":"input","name":"x","signed":true,"width":4},{"direction":"output","name":"y","signed":true,"width":4}],"resettable":false}],"top":"top"}"#]].assert_eq(&serde_json::to_string(&manifest).unwrap());
    let other = d.module("top2", |m| m.output("y", m.input("x", signed(4))));
    assert_ne!(d.manifest(top).modules[1].hash, d.manifest(other).modules[0].hash);
}

#[test]
fn a_file_that_two_black_boxes_share_is_printed_once() {
    let mut d = Design::new();
    let ports = [Port::input("x", bit())];
    let one = d.black_box("ONE", &ports, &[], &[source("both.v", "// both\n")]);
    let two = d.black_box("TWO", &ports, &[], &[source("both.v", "// both\n")]);
    let top = d.module("top", |m| {
        let x = m.input("x", bit());
        m.instance("u_one", one).input("x", x);
        m.instance("u_two", two).input("x", x);
    });
    let files: Vec<String> = verilog::print(&d, top).into_iter().map(|(file, _)| file).collect();
    assert_eq!(files, ["both.v", "top.v", "lint.vlt", "files.f"]);
}
