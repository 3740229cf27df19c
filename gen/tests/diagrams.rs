//! Every overlay has a diagram that shows its ports and memories, in XML that a parser accepts.

use sagen::{diagram, emit, family};
use sagen_config::find;
use std::process::Command;

fn picture(name: &str) -> String {
    let overlay = family::overlay(name).unwrap();
    diagram::diagram(&overlay, &emit::verilog(&overlay).unwrap()).unwrap().text
}

#[test]
fn every_overlay_has_a_diagram_of_its_ports_units_and_memories() {
    for name in find::names(&find::configs().unwrap()).unwrap() {
        let overlay = sagen_streamed_arch::config::named(&name).unwrap();
        let text = picture(&name);
        let ports = overlay.board().ports[..overlay.ports()].iter().map(|p| p.name.clone());
        let units = ["CSR block", "fetch", "scheduler", "load unit", "store unit", "stream unit", "compute unit"];
        let memories = ["scratchpad", "code memory", "scale file"].map(str::to_string);
        let beat = (8 * overlay.beat_bytes()).to_string();
        let lanes = format!("{} lanes", overlay.vector_lanes());
        for shown in ports.chain(units.map(str::to_string)).chain(memories).chain([beat, lanes]) {
            assert!(text.contains(&format!(">{shown}</text>")), "{name} lacks {shown}");
        }
        assert_eq!(text.matches(">FIFO ").count(), overlay.stream_ports(), "{name}");
        let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.svg"));
        std::fs::write(&path, &text).unwrap();
        let parse = "import sys, xml.dom.minidom as x; x.parse(sys.argv[1])";
        assert!(Command::new("python3").args(["-c", parse]).arg(&path).status().unwrap().success(), "{name}");
    }
}

#[test]
fn a_part_without_a_box_and_a_box_without_a_part_are_errors() {
    let mut overlay = family::overlay("d8_100mhz").unwrap();
    let emitted = emit::verilog(&overlay).unwrap();
    overlay.diagram.placed.retain(|path| path != "u_core/u_vector");
    let error = diagram::diagram(&overlay, &emitted).unwrap_err().to_string();
    assert_eq!(error, "diagram: instance u_vector of overlay_core has no place; its family describes the diagram");
    overlay.diagram.placed.push("u_core/u_topk".to_string());
    let error = diagram::diagram(&overlay, &emitted).unwrap_err().to_string();
    assert_eq!(error, "diagram: overlay_core has no u_topk; its family describes the diagram");
}

/// Boxes and labels of one picture as (x, y, width, height).
fn rectangles(text: &str) -> Vec<[i32; 4]> {
    let number = |line: &str, key: &str| {
        let (_, rest) = line.split_once(&format!(" {key}=\"")).unwrap();
        rest.split_once('"').unwrap().0.parse().unwrap()
    };
    let rows = text.lines().filter(|l| l.starts_with("<rect"));
    rows.map(|l| ["x", "y", "width", "height"].map(|key| number(l, key))).collect()
}

#[test]
fn boxes_lie_inside_each_other_or_apart() {
    for name in find::names(&find::configs().unwrap()).unwrap() {
        let text = picture(&name);
        let all = rectangles(&text);
        // Memory ports straddle the edge of the processing system on purpose: it is the first after the background.
        let boxes = &all[2..];
        let holds = |a: &[i32; 4], b: &[i32; 4]| {
            a[0] <= b[0] && a[1] <= b[1] && a[0] + a[2] >= b[0] + b[2] && a[1] + a[3] >= b[1] + b[3]
        };
        let apart = |a: &[i32; 4], b: &[i32; 4]| {
            a[0] + a[2] <= b[0] || b[0] + b[2] <= a[0] || a[1] + a[3] <= b[1] || b[1] + b[3] <= a[1]
        };
        for (i, a) in boxes.iter().enumerate() {
            assert!(holds(&all[0], a), "{name}: {a:?} leaves the picture");
            for b in &boxes[i + 1..] {
                assert!(apart(a, b) || holds(a, b) || holds(b, a), "{name}: {a:?} and {b:?} overlap");
            }
        }
    }
}
