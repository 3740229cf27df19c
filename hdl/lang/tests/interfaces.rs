//! Bundles and interfaces: what they build, and what they refuse.

#![allow(missing_docs)]

use sagen_lang::*;

bundle! {
    pub struct Tag(bits: u32) {
        row: unsigned(4),
        last: bit(),
        limit[2]: signed(3),
        part(optional): (bits > 0).then(|| unsigned(bits)),
    }
}

bundle! {
    pub struct Ends() {
        first: bit(),
        last: bit(),
    }
}

interface! {
    pub struct Words() {
        valid: -> bit(),
        ends as Ends: -> Ends::layout(),
        count(optional): <- None,
    }
}

interface! {
    pub struct UnitPort() {
        desc: -> unsigned(8),
        valid: -> bit(),
        ready: <- bit(),
    }
}

fn tag(row: Signal) -> Tag {
    Tag { row, last: low(), limit: [lit(3, 5).as_signed(); 2], part: None }
}

fn unit(d: &mut Design) -> ModuleId {
    d.module("unit", |m| m.slave("", UnitPort::layout()).ready.drive(high()))
}

fn source(d: &mut Design) -> ModuleId {
    d.module("source", |m| {
        let port = m.master("x_", UnitPort::layout());
        port.desc.drive(lit(8, 7));
        port.valid.drive(port.ready);
    })
}

fn problems(d: &Design) -> Vec<String> {
    d.finish().unwrap_err().0.iter().map(|e| format!("{}: {}", e.module, e.problem)).collect()
}

#[test]
fn fields_lie_lowest_first_and_keep_their_signs() {
    for bits in [0, 5] {
        let mut d = Design::new();
        let top = d.module("top", |m| {
            let layout = Tag::layout(bits);
            let tag = layout.input(m, "tag").reg_next(m, "held").unpack();
            m.output("row", tag.row);
            m.output("limit1", tag.limit[1]);
            m.output("again", layout.pack(tag));
        });
        d.finish().unwrap();
        assert_eq!(Layout::width(Tag::layout(bits)), 11 + bits);
        let mut sim = Sim::new(&d, top).unwrap();
        sim.set("tag", 0b110_0111_1001u64);
        sim.step();
        assert_eq!((sim.get("row").to_u64(), sim.get("limit1").to_i64()), (9, -2));
        assert_eq!(sim.get("again").to_u64(), 0b110_0111_1001);
    }
}

#[test]
fn a_master_and_a_slave_are_joined_by_name() {
    let mut d = Design::new();
    let (unit, source) = (unit(&mut d), source(&mut d));
    let top = d.module("top", |m| {
        let (u, s) = (m.instance("u_unit", unit), m.instance("u_source", source));
        connect(&s.master::<UnitPort>("x_"), &u.slave::<UnitPort>(""));
        m.output("valid", s.master::<UnitPort>("x_").ports().valid);
    });
    d.finish().unwrap();
    assert_eq!(Sim::new(&d, top).unwrap().get("valid").to_u64(), 1);
}

#[test]
fn a_bundle_in_an_interface_has_a_port_for_each_field() {
    let mut d = Design::new();
    let source = d.module("source", |m| {
        let words = m.master("w_", Words::layout());
        words.valid.drive(high());
        words.ends.drive_each(Ends { first: low(), last: high() });
    });
    let names: Vec<String> = d.ports(source).iter().map(|p| p.name.clone()).collect();
    assert_eq!(names, ["w_valid", "w_first", "w_last"]);
    let sink = d.module("sink", |m| {
        let words = m.slave("", Words::layout());
        m.output("both", words.valid & words.ends.last & !words.ends.first);
    });
    let top = d.module("top", |m| {
        let (source, sink) = (m.instance("u_source", source), m.instance("u_sink", sink));
        let (from, to) = (source.master::<Words>("w_").ports(), sink.slave::<Words>("").ports());
        to.valid.drive(from.valid);
        to.ends.drive_each(from.ends);
        m.output("both", sink.output("both"));
    });
    d.finish().unwrap();
    assert_eq!(Sim::new(&d, top).unwrap().get("both").to_u64(), 1);
}

#[test]
fn a_bundle_has_a_port_for_each_field() {
    let mut d = Design::new();
    let late = d.module("late", |m| {
        let ends = Ends::layout().inputs(m, "in_");
        ends.map(|name, s| m.flag(&format!("{name}_q"), s)).outputs(m, "out_");
    });
    let top = d.module("top", |m| {
        let u = m.instance("u_late", late);
        Ends { first: high(), last: low() }.to_inputs(u, "in_");
        Ends::layout().outputs_of(u, "out_").outputs(m, "");
    });
    d.finish().unwrap();
    let mut sim = Sim::new(&d, top).unwrap();
    sim.step();
    assert_eq!((sim.get("first").to_u64(), sim.get("last").to_u64()), (1, 0));
}

#[test]
fn values_move_on_with_their_valid_bit() {
    let mut d = Design::new();
    let top = d.module("top", |m| {
        let (valid, x) = (m.input("valid", bit()), m.input("x", unsigned(8)));
        let p = m.pipeline(valid, 3);
        m.output("y", p.delay("x", 0..2, x));
        m.output("y_valid", p.valid(3));
        m.output("seen", m.history("seen_q", valid, 3));
    });
    d.finish().unwrap();
    let mut sim = Sim::new(&d, top).unwrap();
    sim.reset();
    let mut seen = Vec::new();
    for i in 0..4u64 {
        sim.set("valid", i != 1);
        sim.set("x", 10 + i);
        sim.step();
        seen.push(["y", "y_valid", "seen"].map(|name| sim.get(name).to_u64()));
    }
    assert_eq!(seen, [[0, 0, 0b001], [10, 0, 0b010], [10, 1, 0b101], [12, 0, 0b011]]);
}

#[test]
fn mistakes_stand_in_the_line_of_the_caller() {
    let mut d = Design::new();
    d.module("port", |m| _ = (m.input("valid", bit()), m.slave("", UnitPort::layout())));
    d.module("field", |m| _ = (m.input("row", bit()), Tag::layout(0).inputs(m, "")));
    d.module("drive", |m| {
        let words = m.master("w_", Words::layout());
        words.ends.drive_each(Ends { first: lit(2, 0), last: high() });
    });
    let unit = unit(&mut d);
    d.module("joined", |m| Ends { first: low(), last: high() }.to_inputs(m.instance("u_unit", unit), "x_"));
    let errors = d.finish().unwrap_err().0;
    assert_eq!(errors.len(), 4);
    assert!(errors.iter().all(|e| e.location.file().ends_with("interfaces.rs")), "{errors:?}");
}

#[test]
fn mistakes_name_the_port_and_what_is_there() {
    let mut d = Design::new();
    d.module("undriven", |m| m.output("x", m.slave("", UnitPort::layout()).valid));
    d.module("twice", |m| {
        let ready = m.slave("", UnitPort::layout()).ready;
        ready.drive(high());
        ready.drive(low());
    });
    d.module("width", |m| m.output("x", Tag::layout(0).pack(tag(lit(5, 0)))));
    d.module("absent", |m| m.output("x", Tag::layout(2).pack(tag(lit(4, 0)))));
    let (unit, source) = (unit(&mut d), source(&mut d));
    d.module("prefix", |m| {
        let (u, s) = (m.instance("u_unit", unit), m.instance("u_source", source));
        connect(&s.master::<UnitPort>("y_"), &u.slave::<UnitPort>(""));
    });
    d.module("unconnected", |m| m.output("r", m.instance("u_unit", unit).slave::<UnitPort>("").ports().ready));
    d.module("missing", |m| Ends::layout().outputs_of(m.instance("u_source", source), "x_").outputs(m, ""));
    let expected = [
        "undriven: output `ready` is never driven",
        "twice: output `ready` is already driven; once is allowed",
        "width: field `row` is unsigned(5); it must be unsigned(4)",
        "absent: field `part` is absent on one side; it must be on both or on neither",
        "prefix: instance `u_source` of source has no master UnitPort `y_`; it has master UnitPort `x_`",
        "unconnected: instance `u_unit` of unit: input `desc` is not connected",
        "missing: instance `u_source` of source has no output `x_first`; it has x_desc, x_valid",
    ];
    assert_eq!(problems(&d), expected);
}
