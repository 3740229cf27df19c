//! What the manifest tells of ports and memories.

use expect_test::expect;
use sagen_lang::{Design, RamStyle, bit, connect, high, interface, unsigned};

interface! {
    /// A word a cycle.
    struct Words() {
        valid: -> bit(),
        data: -> unsigned(8),
        ready: <- bit(),
    }
}

interface! {
    /// One direction only.
    struct Tap() {
        seen: -> bit(),
    }
}

/// A store of words below a shell that hides its tap, if told so.
fn shell(tap: bool) -> (Design, sagen_lang::ModuleId) {
    let mut d = Design::new();
    let store = d.module("store", |m| {
        let words = m.slave("in_", Words::layout());
        words.ready.drive(high());
        m.master("tap_", Tap::layout()).seen.drive(words.valid);
        let at = m.reg("at", unsigned(4)).reset(0);
        let memory = m.memory("words", 16, 8).style(RamStyle::Block);
        memory.write(words.valid, at, words.data);
        let [a, b] = [0, 1].map(|_| memory.read(high(), at));
        m.output("sum", a + b);
        m.set(at, at.add_lit(1));
    });
    let top = d.module("top", |m| m.pass_all(m.instance("u_store", store), |i| tap || i.prefix != "tap_"));
    d.finish().unwrap();
    (d, top)
}

#[test]
fn the_manifest_tells_interfaces_and_memories() {
    let (d, top) = shell(true);
    let manifest = d.manifest(top);
    let store = manifest.module("store").unwrap();
    expect![[r#"[{"copies":2,"depth":16,"name":"words","rom":false,"style":"block","width":8}]"#]]
        .assert_eq(&serde_json::to_value(&store.memories).unwrap().to_string());
    assert_eq!(store.memories[0].bits(), 2 * 16 * 8);
    let words = r#"{"interface":"Words","ports":{"data":"in_data","ready":"in_ready","valid":"in_valid"},"prefix":"in_","role":"slave"}"#;
    let tap = r#"{"interface":"Tap","ports":{"seen":"tap_seen"},"prefix":"tap_","role":"master"}"#;
    assert_eq!(serde_json::to_value(&store.interfaces).unwrap().to_string(), format!("[{words},{tap}]"));
    assert_eq!(manifest.top().interfaces, store.interfaces);
    assert_eq!(manifest.top().ports, store.ports);
    let field = |field: &str| manifest.top().interface("Words", "in_").unwrap().port(field).map(str::to_string);
    assert_eq!((field("data"), field("address")), (Some("in_data".to_string()), None));
}

#[test]
fn a_shell_hides_the_interfaces_that_it_refuses() {
    let (d, top) = shell(false);
    let manifest = d.manifest(top);
    let ports: Vec<&str> = manifest.top().ports.iter().map(|p| p.name.as_str()).collect();
    assert_eq!(ports, ["in_valid", "in_data", "in_ready", "sum"]);
    assert_eq!(manifest.top().interfaces.len(), 1);
}

#[test]
fn interfaces_of_a_shell_are_joined_as_those_of_its_child() {
    let (mut d, store) = shell(false);
    let source = d.module("source", |m| {
        let words = m.master("", Words::layout());
        words.valid.drive(words.ready);
        words.data.drive(m.input("given", unsigned(8)));
    });
    d.module("both", |m| {
        let (source, store) = (m.instance("u_source", source), m.instance("u_store", store));
        source.input("given", m.input("given", unsigned(8)));
        connect(&source.master::<Words>(""), &store.slave::<Words>("in_"));
        m.output("sum", store.output("sum"));
    });
    d.finish().unwrap();
}
