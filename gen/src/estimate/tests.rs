//! A netlist written by hand, in which every rule decides one path.

use super::levels::{self, Levels};
use super::netlist::Netlist;
use super::resources::{self, Counted, Resources};
use super::rules;
use super::show::Style;
use super::{Estimate, Module};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// A cell from its pins: inputs, then outputs.
fn cell(kind: &str, inputs: &[(&str, Value)], outputs: &[(&str, Value)]) -> Value {
    let pins = |way: &'static str, pins: &[(&str, Value)]| -> Vec<(String, Value)> {
        pins.iter().map(|(pin, _)| (pin.to_string(), json!(way))).collect()
    };
    let directions: BTreeMap<String, Value> =
        pins("input", inputs).into_iter().chain(pins("output", outputs)).collect();
    let connections: BTreeMap<&str, &Value> = inputs.iter().chain(outputs).map(|(pin, nets)| (*pin, nets)).collect();
    json!({ "type": kind, "port_directions": directions, "connections": connections })
}

fn flip_flop(d: u32, q: u32) -> Value {
    cell(
        "FDRE",
        &[("C", json!([2])), ("CE", json!(["1"])), ("D", json!([d])), ("R", json!(["0"]))],
        &[("Q", json!([q]))],
    )
}

/// A module of named cells; nets get the name `n<number>`.
fn module(ports: Value, cells: &[(&str, Value)]) -> Netlist {
    let names: BTreeMap<String, Value> = (2..40).map(|n| (format!("n{n}"), json!({ "bits": [n] }))).collect();
    let cells: BTreeMap<&str, &Value> = cells.iter().map(|(name, cell)| (*name, cell)).collect();
    serde_json::from_value(json!({ "ports": ports, "cells": cells, "netnames": names })).unwrap()
}

fn analysed(modules: Vec<(&str, Netlist)>) -> (BTreeMap<String, Counted>, BTreeMap<String, Levels>) {
    let order: Vec<String> = modules.iter().map(|(name, _)| name.to_string()).collect();
    let netlists = modules.into_iter().map(|(name, netlist)| (name.to_string(), netlist)).collect();
    (resources::count(&order, &netlists).unwrap(), levels::analyse(&order, &netlists).unwrap())
}

/// Levels of a module in which cells lead from the register at net 3 to the one that reads net 9.
fn between(cells: &[(&str, Value)]) -> u32 {
    let mut all = vec![("first", flip_flop(30, 3)), ("last", flip_flop(9, 31))];
    all.extend(cells.iter().cloned());
    analysed(vec![("m", module(json!({}), &all))]).1["m"].worst()
}

fn dsp(registers: Value) -> Value {
    let mut dsp = cell("DSP48E2", &[("CLK", json!([2])), ("A", json!([3])), ("B", json!(["0"]))], &[("P", json!([9]))]);
    dsp["parameters"] = registers;
    dsp
}

#[test]
fn each_kind_of_cell_adds_its_levels() {
    let lut = |i, o| cell("LUT1", &[("I0", json!([i]))], &[("O", json!([o]))]);
    assert_eq!(between(&[("a", lut(3, 9))]), 1);
    assert_eq!(between(&[("a", lut(3, 4)), ("b", lut(4, 5)), ("c", lut(5, 9))]), 3);
    assert_eq!(between(&[("a", lut(3, 4)), ("b", cell("MUXF7", &[("I0", json!([4]))], &[("O", json!([9]))]))]), 1);
    let enter = cell("CARRY4", &[("S", json!([3])), ("CI", json!(["0"]))], &[("CO", json!([5]))]);
    let pass = cell("CARRY4", &[("S", json!(["0"])), ("CI", json!([5]))], &[("O", json!([9]))]);
    assert_eq!(between(&[("a", enter), ("b", pass)]), 1, "a chain counts once");
}

#[test]
fn memories_start_late_and_end_early() {
    let ram = |kind, address| cell(kind, &[("WCLK", json!([2])), (address, json!([3]))], &[("DOA", json!([9]))]);
    assert_eq!(between(&[("a", ram("RAM32M", "ADDRA"))]), 1);
    assert_eq!(between(&[("a", ram("RAM32M", "DIA"))]), 1, "contents to output");
    assert_eq!(between(&[("a", cell("SRL16E", &[("CLK", json!([2])), ("D", json!([3]))], &[("Q", json!([9]))]))]), 1);
    for (kind, clock) in [("RAMB36E2", "CLKARDCLK"), ("URAM288", "CLK")] {
        let memory = cell(kind, &[(clock, json!([2])), ("ADDR", json!([3]))], &[("DO", json!([9]))]);
        assert_eq!(between(&[("a", memory)]), 2, "{kind}");
    }
}

#[test]
fn registers_of_a_dsp_block_split_its_levels() {
    let longest = |registers: Value| between(&[("a", dsp(registers))]);
    assert_eq!(longest(json!({})), 4);
    assert_eq!(longest(json!({ "AREG": "1" })), 4, "from the operand register");
    assert_eq!(longest(json!({ "MREG": "00000000000000000000000000000001" })), 2, "on each side");
    assert_eq!(longest(json!({ "PREG": 1 })), 4, "before the output register");
    assert_eq!(longest(json!({ "AREG": 1, "MREG": 1 })), 2);
    assert_eq!(longest(json!({ "AREG": 1, "MREG": 1, "PREG": 1 })), 0);
}

/// A child with a register behind one LUT, an output behind another, and a LUT from input to output.
fn child() -> Netlist {
    let ports = json!({
        "d": { "direction": "input", "bits": [3] },
        "q": { "direction": "output", "bits": [6] },
        "x": { "direction": "output", "bits": [7] },
    });
    let lut = |i, o| cell("LUT2", &[("I0", json!([i])), ("I1", json!(["1"]))], &[("O", json!([o]))]);
    module(ports, &[("a", lut(3, 4)), ("r", flip_flop(4, 5)), ("b", lut(5, 6)), ("c", lut(3, 7))])
}

#[test]
fn a_path_through_modules_counts_where_both_ends_are_known() {
    let instance = |d, q, x| cell("child", &[("d", json!([d]))], &[("q", json!([q])), ("x", json!([x]))]);
    // u0.q -> u1 (through) -> u2.d: 1 + 1 + 1 levels, all of them in children.
    let cells = [("u0", instance(30, 10, 31)), ("u1", instance(10, 32, 11)), ("u2", instance(11, 33, 34))];
    let (counted, levels) = analysed(vec![("child", child()), ("parent", module(json!({}), &cells))]);
    assert_eq!(levels["child"].worst(), 0);
    assert_eq!((levels["child"].input(), levels["child"].output(), levels["child"].through()), (1, 1, 1));
    let worst = &levels["parent"].paths[0];
    assert_eq!((worst.levels, worst.from.as_str(), worst.to.as_str()), (3, "u0/n5", "u2/n5.D"));
    assert_eq!(worst.nets, [("n10".to_string(), 1), ("n11".to_string(), 2)]);
    assert_eq!(counted["parent"].total, Resources { lut: 9, ff: 3, ..Resources::default() });
    assert_eq!(counted["parent"].own, Resources::default());
}

#[test]
fn every_resource_is_counted() {
    let kinds = [
        "LUT6", "SRLC32E", "RAM32M", "RAM64M8", "FDSE", "DSP48E1", "DSP48E2", "RAMB36E1", "RAMB18E2", "URAM288", "INV",
        "MUXF8", "CARRY4",
    ];
    let cells: Vec<(&str, Value)> = kinds.iter().map(|k| (*k, cell(k, &[], &[]))).collect();
    let (counted, _) = analysed(vec![("m", module(json!({}), &cells))]);
    assert_eq!(counted["m"].total, Resources { lut: 14, ff: 1, dsp: 2, bram18: 3, uram: 1 });
    assert_eq!(counted["m"].total.bram36(), 1.5);
}

#[test]
fn an_unknown_cell_is_refused() {
    let netlists = BTreeMap::from([("m".to_string(), module(json!({}), &[("u_x", cell("GTY", &[], &[]))]))]);
    let error = resources::count(&["m".to_string()], &netlists).unwrap_err();
    assert_eq!(error.to_string(), "m: cell u_x is a GTY, which the estimate does not know");
}

#[test]
fn a_combinational_loop_is_refused() {
    let lut = |i, o| cell("LUT1", &[("I0", json!([i]))], &[("O", json!([o]))]);
    let netlists = BTreeMap::from([("m".to_string(), module(json!({}), &[("a", lut(3, 4)), ("b", lut(4, 3))]))]);
    let error = levels::analyse(&["m".to_string()], &netlists).unwrap_err();
    assert_eq!(error.to_string(), "m: combinational loop through n3, n4");
}

#[test]
fn the_document_states_the_rules() {
    let document = include_str!("../../../docs/estimate.md");
    for (passed, levels) in rules::TABLE {
        assert!(document.contains(&format!("| {passed} | {levels} |")), "docs/estimate.md lacks: {passed}, {levels}");
    }
    let rows = document.lines().filter(|l| l.starts_with("| ")).count();
    assert_eq!(rows, rules::TABLE.len() + 1, "a row without a rule");
}

#[test]
fn names_of_any_length_leave_the_columns_of_the_levels_straight() {
    let module = |name: &str| Module {
        name: name.to_string(),
        instances: 1,
        resources: Counted { own: Resources::default(), total: Resources::default() },
        levels: [0; 4],
    };
    let estimate = Estimate {
        overlay: "any".to_string(),
        board: "any".to_string(),
        part: "any".to_string(),
        clock_mhz: 100,
        yosys: "any".to_string(),
        available: serde_json::from_value(json!({ "lut": 1, "ff": 1, "dsp": 1, "bram36": 1, "uram": 1 })).unwrap(),
        total: Resources::default(),
        units: Vec::new(),
        modules: vec![module("a_module_with_a_name_that_is_longer_than_most"), module("short")],
        level_limit: 9,
        worst: None,
        long_paths: Vec::new(),
        reference: None,
    };
    let text = estimate.text(Style { colour: false });
    let bars: Vec<usize> = text.lines().filter_map(|l| l.find(" | ")).collect();
    assert!(bars.len() == 3 && bars.iter().all(|b| *b == bars[0]), "{text}");
}
