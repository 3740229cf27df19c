//! A recording of what the memory model drives, replayed by the bare C++ loop, ends in the same state.

mod bench;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};
use sagen_cosim::axi::{Ddr, Memory, Profile, Region};
use sagen_cosim::bridge::Sim;
use sagen_cosim::rig::Rig;
use sagen_cosim::verilate::{Design, Tools, TopPort, Variant, verilate};
use std::path::Path;

const LEN: u64 = 64 << 20;

/// Signals of a read-only port: name, width, whether the design drives it.
const READ: &[(&str, u32, bool)] = &[
    ("araddr", 40, true),
    ("arlen", 8, true),
    ("arsize", 3, true),
    ("arburst", 2, true),
    ("arvalid", 1, true),
    ("arready", 1, false),
    ("rdata", 128, false),
    ("rresp", 2, false),
    ("rlast", 1, false),
    ("rvalid", 1, false),
    ("rready", 1, true),
];

/// The rest of a port that also writes.
const WRITE: &[(&str, u32, bool)] = &[
    ("awaddr", 40, true),
    ("awlen", 8, true),
    ("awsize", 3, true),
    ("awburst", 2, true),
    ("awvalid", 1, true),
    ("awready", 1, false),
    ("wdata", 128, true),
    ("wstrb", 16, true),
    ("wlast", 1, true),
    ("wvalid", 1, true),
    ("wready", 1, false),
    ("bresp", 2, false),
    ("bvalid", 1, false),
    ("bready", 1, true),
];

fn design() -> Design {
    let mut ports = vec![TopPort::input("clk", 1), TopPort::input("rst", 1), TopPort::output("sum", 32)];
    let mut body = String::new();
    for port in 0..6u64 {
        let signals = READ.iter().chain(if port < 4 { &[][..] } else { WRITE });
        let mut links = String::new();
        for (name, width, driven) in signals {
            let full = format!("m{port}_axi_{name}");
            if port >= 4 && *driven {
                body.push_str(&format!("assign {full} = {width}'d0;\n"));
            } else if *name != "rresp" && *name != "rlast" {
                links.push_str(&format!(", .{name}({full})"));
            }
            let make = if *driven { TopPort::output } else { TopPort::input };
            ports.push(make(&full, *width));
        }
        if port < 4 {
            let base = port * (LEN / 4);
            body.push_str(&format!(
                "wire [31:0] sum{port};\nstream s{port}(.clk(clk), .rst(rst), .base(40'd{base}), .sum(sum{port}){links});\n"
            ));
        }
    }
    let header: Vec<String> = ports
        .iter()
        .map(|p| {
            let way = if p.direction == sagen_cosim::verilate::Direction::Input { "input" } else { "output" };
            format!("{way} wire [{}:0] {}", p.width - 1, p.name)
        })
        .collect();
    let text = format!(
        "{}\nmodule streams({});\n{body}assign sum = sum0 ^ sum1 ^ sum2 ^ sum3;\nendmodule\n",
        include_str!("verilog/streams.v"),
        header.join(",\n")
    );
    Design::read(&bench::folder("streams", &text), "streams", &ports).unwrap()
}

fn rig(library: &Path) -> Rig {
    let sim = Sim::load(library, 0).unwrap();
    let mut ddr = Ddr::new(0, LEN).unwrap();
    let mut data = vec![0; LEN as usize];
    ChaCha8Rng::seed_from_u64(1).fill_bytes(&mut data);
    ddr.load(0, &data).unwrap();
    let all = Region { name: "all".into(), base: 0, len: LEN, readable: true, writable: true };
    let memory = Memory::attach(&sim, ddr, vec![all], bench::kv260(Profile::Board, 100_000_000)).unwrap();
    let mut rig = Rig::new(sim, memory).unwrap();
    rig.reset(4).unwrap();
    rig
}

fn sum(sim: &Sim) -> u32 {
    sim.port::<u32>("sum").unwrap().get()
}

#[test]
fn a_replayed_recording_ends_in_the_same_state() {
    let built = verilate(&design(), Variant::default(), &Tools::find(None).unwrap(), &bench::cache()).unwrap();
    let mut recorded = rig(&built.library);
    recorded.sim_mut().record();
    recorded.run(5000).unwrap();
    let stimulus = recorded.sim_mut().take_recording();
    let mut replayed = rig(&built.library);
    replayed.sim_mut().replay(&stimulus, 5000).unwrap();
    assert_eq!(sum(replayed.sim()), sum(recorded.sim()));
    assert_ne!(sum(replayed.sim()), 0);
}
