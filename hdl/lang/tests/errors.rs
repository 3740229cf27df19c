//! Mistakes are reported with module, line, what was found and what is allowed; the first of each module.

use expect_test::{Expect, expect};
use sagen_lang::*;

fn check(body: impl Fn(&Module), expected: Expect) {
    let mut d = Design::new();
    d.module("top", body);
    let errors = d.finish().expect_err("the mistake is found");
    expected.assert_eq(&errors.0[0].problem.to_string());
}

#[test]
fn an_error_names_module_file_and_line() {
    let mut d = Design::new();
    d.module("pe_i8_acc32", |m| {
        let (a, b) = (m.input("a", signed(8)), m.input("b", unsigned(8)));
        m.output("y", a + b);
        m.output("z", a.trunc(9));
    });
    d.module("good", |m| m.output("one", high()));
    d.module("other", |m| m.output("y", lit(2, 4)));
    let line = line!() - 5;
    let expected = format!(
        "module pe_i8_acc32 at hdl/lang/tests/errors.rs:{line}: add: left is signed(8), right is unsigned(8); \
         both must have the same width and sign\n\
         module other at hdl/lang/tests/errors.rs:{}: 4 does not fit in unsigned(2) (0..=3)",
        line + 4
    );
    assert_eq!(d.finish().unwrap_err().to_string(), expected);
}

#[test]
fn operators_refuse_other_widths_and_signs() {
    let with = |f: fn(Signal, Signal) -> Signal| {
        move |m: &Module| m.output("y", f(m.input("a", unsigned(8)), m.input("b", signed(4))))
    };
    check(
        with(|a, b| a.add_full(b)),
        expect!["add_full: left is unsigned(9), right is signed(9); both must have the same width and sign"],
    );
    check(
        with(|a, b| a * b),
        expect![
            "mul: left is unsigned(8), right is signed(4); both must have the same sign (an unsigned operand becomes signed by as_signed_ext)"
        ],
    );
    check(
        with(|a, b| a.gt(b)),
        expect!["gt: left is unsigned(8), right is signed(4); both must have the same width and sign"],
    );
    check(
        with(|a, b| high().mux(a, b)),
        expect!["mux: left is unsigned(8), right is signed(4); both must have the same width and sign"],
    );
    check(with(|a, b| a.mux(b, b)), expect!["mux: the selector is unsigned(8); it must be unsigned(1)"]);
    check(with(|a, b| b.select(&[a])), expect!["select: the index is signed(4); it must be unsigned"]);
    check(with(|a, b| a.shl_dyn(b)), expect!["shift: the amount is signed(4); it must be unsigned"]);
    check(with(|a, _| a.sat(4)), expect!["sat: the operand is unsigned(8); it must be signed"]);
    check(with(|a, _| a.extend(7)), expect!["extend to 7 bits of unsigned(8): extend never narrows (trunc does)"]);
    check(with(|_, b| b.trunc(5)), expect!["trunc to 5 bits of signed(4): trunc never widens (extend does)"]);
    check(with(|a, _| a.slice(5, 4)), expect!["bits 5..9 of unsigned(8): there are only bits 0..8"]);
    check(with(|a, _| a.lanes(3)[2]), expect!["unsigned(8) does not divide into lanes of 3 bits"]);
    check(with(|a, _| a.add_lit(256)), expect!["256 does not fit in unsigned(8) (0..=255)"]);
    check(with(|_, b| b.eq_lit(-9)), expect!["-9 does not fit in signed(4) (-8..=7)"]);
    check(with(|_, _| pack(&[])), expect!["pack needs at least one item"]);
    check(with(|a, _| a.repeat(0)), expect!["repeat has width 0; allowed are 1 to 1048576"]);
}

#[test]
fn names_are_unique_and_no_keywords() {
    let named = |name: &'static str| move |m: &Module| _ = m.input(name, bit());
    check(named("wire"), expect!["name `wire` is a Verilog keyword"]);
    check(named("class"), expect!["name `class` is a Verilog keyword"]);
    check(named("namespace"), expect!["name `namespace` is a C++ keyword"]);
    check(named("_n1"), expect!["name `_n1` must be a letter followed by letters, digits and single underscores"]);
    check(named("a.b"), expect!["name `a.b` must be a letter followed by letters, digits and single underscores"]);
    check(named("clk"), expect!["name `clk` (an input) is already taken by the clock"]);
    let twice = |m: &Module| {
        let q = m.reg_next("q", m.input("x", bit()));
        m.output("q", q);
    };
    check(twice, expect!["name `q` (an output) is already taken by a register"]);
    let mut d = Design::new();
    d.module("signed", |m| m.output("one", high()));
    expect!["name `signed` is a Verilog keyword"].assert_eq(&d.finish().unwrap_err().0[0].problem.to_string());
}

#[test]
fn registers_and_wires_are_driven_once_and_fully() {
    check(|m| _ = m.reg("r", bit()), expect!["register `r` is never assigned"]);
    check(|m| _ = m.wire("w", bit()), expect!["wire `w` is never driven"]);
    check(|m| _ = m.memory("ram", 4, 8), expect!["memory `ram` is never written"]);
    let twice = |m: &Module| {
        let w = m.wire("w", bit());
        w.drive(high());
        w.drive(low());
    };
    check(twice, expect!["wire `w` is already driven; once is allowed"]);
    check(
        |m| m.set(m.reg("r", signed(4)), lit(4, 1)),
        expect!["the value of register `r` is unsigned(4); it must be signed(4)"],
    );
    check(|m| m.set(m.reg_next("r", high()), low()), expect!["register `r` is already driven; once is allowed"]);
    let in_when = |m: &Module| _ = m.when(m.input("c", bit()), || _ = m.reg_next("r", high()));
    check(in_when, expect!["a delay register inside when/switch would not be conditional; write it outside"]);
    check(|m| _ = m.when(lit(2, 1), || {}), expect!["when: the condition is unsigned(2); it must be unsigned(1)"]);
    let cases = |m: &Module| _ = m.switch(m.input("c", unsigned(2))).case(1, || {}).case(1, || {});
    check(cases, expect!["switch: value 1 has two cases"]);
    let state = |m: &Module| m.set_state(&m.fsm("st", &["idle", "run"]), "done");
    check(state, expect!["state machine `st` has no state `done`; it has idle, run"]);
}

#[test]
fn memories_refuse_what_the_hardware_cannot_do() {
    let with = |f: fn(&Module, Mem)| move |m: &Module| f(m, m.memory("ram", 16, 32));
    check(
        with(|_, ram| ram.write(high(), lit(5, 0), lit(32, 0))),
        expect!["the address of memory `ram` is unsigned(5); it must be unsigned(4)"],
    );
    check(
        with(|_, ram| ram.write(high(), lit(4, 0), lit(8, 0))),
        expect!["the data of memory `ram` is unsigned(8); it must be unsigned(32)"],
    );
    check(
        with(|_, ram| ram.write_masked(high(), lit(4, 0), lit(32, 0), lit(4, 0))),
        expect!["memory `ram`: a mask needs byte_enable"],
    );
    check(
        with(|_, ram| _ = ram.read_async(lit(4, 0))),
        expect!["memory `ram`: read_async with style Auto; it must be Distributed"],
    );
    check(with(|_, ram| _ = ram.byte_enable(5)), expect!["unsigned(32) does not divide into lanes of 5 bits"]);
    check(|m| _ = m.memory("ram", 0, 8), expect!["memory `ram`: depth is 0; at least 1 is needed"]);
    check(with(|_, ram| _ = ram.init(&[0; 17])), expect!["memory `ram`: 17 initial words; it has 16"]);
    check(
        with(|_, ram| _ = ram.init(&[0]).init(&[1])),
        expect!["memory `ram` is already initialised; once is allowed"],
    );
    check(
        with(|_, ram| ram.init(&[1]).style(RamStyle::Ultra).write(high(), lit(4, 0), lit(32, 0))),
        expect![
            "memory `ram`: initial contents with style Ultra, which cannot have any; Auto, Block and Distributed can"
        ],
    );
}

#[test]
fn memories_have_as_many_ports_as_block_ram() {
    let write = |ram: Mem| ram.write(high(), lit(4, 0), lit(32, 0));
    let port = |ram: Mem| _ = ram.port(high(), low(), lit(4, 0), lit(32, 0));
    let with = |f: &dyn Fn(Mem), expected: Expect| {
        check(|m: &Module| f(m.memory("ram", 16, 32).style(RamStyle::Block)), expected)
    };
    with(
        &|ram| [write, write].map(|w| w(ram)).into_iter().collect(),
        expect!["memory `ram` is already written; once is allowed"],
    );
    with(&|ram| (0..3).for_each(|_| port(ram)), expect!["memory `ram`: 3 ports; block RAM has 2"]);
    with(
        &|ram| {
            port(ram);
            write(ram);
        },
        expect!["memory `ram`: a write port beside read-write ports; it has one kind or the other"],
    );
    with(
        &|ram| port(ram.style(RamStyle::Ultra)),
        expect!["memory `ram`: read-write ports with style Ultra; it must be Block"],
    );
}

#[test]
fn instances_name_the_ports_that_exist() {
    let with = |f: fn(Instance)| {
        let mut d = Design::new();
        let leaf = d.module("leaf", |m| m.output("y", m.input("x", unsigned(4))));
        d.module("top", |m| f(m.instance("u", leaf)));
        d.finish().unwrap_err().0[0].problem.to_string()
    };
    expect!["instance `u` of leaf has no input `z`; it has x"].assert_eq(&with(|u| u.input("z", high())));
    expect!["instance `u` of leaf has no output `x`; it has y"].assert_eq(&with(|u| _ = u.output("x")));
    expect!["instance `u` of leaf: input `x` is not connected"].assert_eq(&with(|u| _ = u.output("y")));
    expect!["input `x` of instance `u` is unsigned(1); it must be unsigned(4)"]
        .assert_eq(&with(|u| u.input("x", high())));
    let twice = with(|u| (0..2).for_each(|_| u.input("x", lit(4, 0))));
    expect!["port `u.x` is already connected; once is allowed"].assert_eq(&twice);
}

#[test]
fn a_signal_of_another_module_is_refused() {
    let mut stolen = None;
    let mut d = Design::new();
    d.module("first", |m| stolen = Some(m.input("x", bit())));
    d.module("second", |m| m.output("y", stolen.unwrap()));
    expect!["this signal belongs to another module (or to none); a module may use only its own signals"]
        .assert_eq(&d.finish().unwrap_err().0[0].problem.to_string());
}

#[test]
fn one_name_stands_for_one_body() {
    let leaf = |d: &mut Design, width| d.module("leaf", |m| m.output("y", m.input("x", unsigned(width))));
    let mut d = Design::new();
    let first = leaf(&mut d, 4);
    assert_eq!(leaf(&mut d, 4), first);
    assert_eq!(d.lookup("leaf"), Some(first));
    assert!(d.finish().is_ok());
    leaf(&mut d, 5);
    expect!["a second build of this name has another body; one name stands for one (type, parameters)"]
        .assert_eq(&d.finish().unwrap_err().0[0].problem.to_string());
}

#[test]
fn an_error_in_a_child_is_reported_once() {
    let mut d = Design::new();
    let leaf = d.module("leaf", |m| m.output("y", m.input("x", unsigned(4)).trunc(5)));
    d.module("top", |m| {
        let u = m.instance("u", leaf);
        m.output("y", u.output("missing"));
        u.input("x", lit(4, 0));
    });
    assert_eq!(d.finish().unwrap_err().0.len(), 1);
}

#[test]
fn a_combinational_loop_is_named() {
    let mut d = Design::new();
    let inc = d.module("inc", |m| m.output("y", m.input("x", unsigned(8)).add_lit(1)));
    let top = d.module("top", |m| {
        let back = m.wire("back", unsigned(8));
        let u = m.instance("u_inc", inc);
        u.input("x", back);
        back.drive(m.net("half", u.output("y").shr(1)));
    });
    let error = Sim::new(&d, top).err().expect("the loop is found");
    expect!["combinational loop: u_inc.x <- back <- half <- u_inc.x"].assert_eq(&error.to_string());
    let mut d = Design::new();
    let top = d.module("top", |m| {
        let (a, b) = (m.wire("a", bit()), m.wire("b", bit()));
        a.drive(b);
        b.drive(a);
    });
    expect!["combinational loop: a <- b <- a"].assert_eq(&Sim::new(&d, top).err().unwrap().to_string());
}

#[test]
fn a_black_box_cannot_be_interpreted() {
    let mut d = Design::new();
    let vendor = d.black_box("VENDOR", &[Port::input("clk", bit()), Port::output("y", bit())], &[], &[]);
    let top = d.module("top", |m| m.output("y", m.instance("u_v", vendor).output("y")));
    let error = Sim::new(&d, top).err().unwrap();
    expect!["instance `u_v` is the black box VENDOR, which the interpreter cannot run"].assert_eq(&error.to_string());
}

#[test]
fn files_of_black_boxes_have_one_plain_name_and_one_text() {
    let with = |file: &str, text: &str, module: &str| {
        let mut d = Design::new();
        let source = |file: &str, text: &str| Source { file: file.into(), licence: "ISC".into(), text: text.into() };
        d.black_box("FIRST", &[], &[], &[source("core.v", "")]);
        d.black_box("SECOND", &[], &[], &[source(file, text)]);
        d.module(module, |_| {});
        d.finish().unwrap_err().0[0].problem.to_string()
    };
    expect!["file `../core.v` must be letters, digits, `_` and `-`, then `.v`"].assert_eq(&with(
        "../core.v",
        "",
        "top",
    ));
    expect!["file `core.v` has other contents or another licence in another black box"]
        .assert_eq(&with("core.v", "//", "top"));
    expect!["name `core` is the name of a file of a black box"].assert_eq(&with("core.v", "", "core"));
}

#[test]
fn building_goes_on_after_a_panic() {
    let caught = std::panic::catch_unwind(|| {
        Design::new().module("bad", |_| panic!("a bug of the generator"));
    });
    assert!(caught.is_err());
    assert_eq!(high().width(), 1);
    let mut d = Design::new();
    d.module("good", |m| m.output("one", high()));
    assert!(d.finish().is_ok());
}
