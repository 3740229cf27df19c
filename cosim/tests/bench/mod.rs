//! The test design `masters.v` on a rig.
#![allow(dead_code, unreachable_pub, reason = "every test binary uses its own part")]

use sagen_cosim::axi::{Conditions, Ddr, Memory, Profile, Region};
use sagen_cosim::bridge::{Port, Sim};
use sagen_cosim::rig::{Rig, RigError};
use sagen_cosim::verilate::{Built, Cache, Design, Tools, TopPort, Variant, verilate};
use std::path::{Path, PathBuf};

pub const DDR_BASE: u64 = 0x1000_0000;
pub const DDR_LEN: u64 = 64 << 20;

pub const AR_MOVES: u8 = 1;
pub const AR_FALLS: u8 = 2;
pub const AR_SIZE: u8 = 3;
pub const AR_FIXED: u8 = 4;
pub const AW_MOVES: u8 = 16;
pub const AW_FALLS: u8 = 17;
pub const W_MOVES: u8 = 18;
pub const W_FALLS: u8 = 19;
pub const W_EARLY: u8 = 20;
pub const W_NEVER: u8 = 21;
pub const W_BELOW: u8 = 22;
pub const W_SPARSE: u8 = 23;

/// Shared by all tests, so that the runtime is compiled once.
pub fn cache() -> Cache {
    Cache::at(Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache"))
}

/// A build folder with one file.
pub fn folder(name: &str, verilog: &str) -> PathBuf {
    let process = std::process::id();
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{process}"));
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("top.v"), verilog).unwrap();
    std::fs::write(folder.join("files.f"), "# the only file\ntop.v\n").unwrap();
    folder
}

/// `masters.v` with beats of `width` bits.
pub fn masters(width: u32) -> Design {
    let text = include_str!("../verilog/masters.v").replace("W = 64", &format!("W = {width}"));
    let thread = format!("{:?}", std::thread::current().id()).replace(['(', ')'], "");
    let folder = folder(&format!("masters-{width}-{thread}"), &text);
    Design::read(&folder, "masters", &ports(&text, width)).unwrap()
}

/// The ports of a header written one port per line.
fn ports(text: &str, width: u32) -> Vec<TopPort> {
    let header = text.split(");").next().unwrap();
    let port = |line: &str| {
        let line = line.trim().trim_end_matches(',');
        let (input, rest) = match line.split_once(' ')? {
            ("input", rest) => (true, rest),
            ("output", rest) => (false, rest),
            _ => return None,
        };
        let name = rest.split(' ').next_back()?;
        let bits = match rest.split_once('[').map(|(_, r)| r.split(':').next().unwrap()) {
            None => 1,
            Some("W-1") => width,
            Some("W/8-1") => width / 8,
            Some(high) => high.parse::<u32>().unwrap() + 1,
        };
        Some(if input { TopPort::input(name, bits) } else { TopPort::output(name, bits) })
    };
    header.lines().filter_map(port).collect()
}

pub fn build(width: u32, variant: Variant) -> Built {
    let tools = Tools::find(None).unwrap();
    verilate(&masters(width), variant, &tools, &cache()).unwrap_or_else(|e| panic!("{e}"))
}

pub struct Bench {
    pub rig: Rig,
    go: Port<u8>,
    pub fault: Port<u8>,
    pub hold_r: Port<u8>,
    pub hold_b: Port<u8>,
    pub r_beats: Port<u32>,
    pub w_answers: Port<u16>,
    r_base: Port<u64>,
    r_len: Port<u8>,
    r_bursts: Port<u16>,
    w_base: Port<u64>,
    w_len: Port<u8>,
    w_bursts: Port<u16>,
}

pub fn regions() -> Vec<Region> {
    let region = |name: &str, base, len, readable, writable| Region {
        name: name.into(),
        base: DDR_BASE + base,
        len,
        readable,
        writable,
    };
    vec![
        region("weights", 0, 32 << 20, true, false),
        region("results", 32 << 20, 1 << 20, true, true),
        region("mailbox", 40 << 20, 1 << 20, false, true),
    ]
}

/// The memory of the KV260.
pub fn kv260(profile: Profile, clock_hz: u64) -> Conditions {
    let boards = sagen_config::find::boards(&sagen_config::find::configs().unwrap()).unwrap();
    let board = boards.iter().find(|b| b.name == "kv260").unwrap();
    Conditions { profile, ddr: board.ddr.timing, clock_hz }
}

impl Bench {
    pub fn new(width: u32, profile: Profile, clock_hz: u64) -> Self {
        Self::with(&build(width, Variant::default()), profile, clock_hz)
    }

    /// A rig after reset, with the first 4 MiB of the weights loaded.
    pub fn with(built: &Built, profile: Profile, clock_hz: u64) -> Self {
        let sim = Sim::load(&built.library, 1).unwrap();
        let mut ddr = Ddr::new(DDR_BASE, DDR_LEN).unwrap();
        let weights: Vec<u8> = (0..4u32 << 20).map(|i| (i ^ (i >> 8)) as u8).collect();
        ddr.load(DDR_BASE, &weights).unwrap();
        let memory = Memory::attach(&sim, ddr, regions(), kv260(profile, clock_hz)).unwrap();
        let bench = Self {
            go: sim.port("go").unwrap(),
            fault: sim.port("fault").unwrap(),
            hold_r: sim.port("hold_r").unwrap(),
            hold_b: sim.port("hold_b").unwrap(),
            r_beats: sim.port("r_beats").unwrap(),
            w_answers: sim.port("w_answers").unwrap(),
            r_base: sim.port("r_base").unwrap(),
            r_len: sim.port("r_len").unwrap(),
            r_bursts: sim.port("r_bursts").unwrap(),
            w_base: sim.port("w_base").unwrap(),
            w_len: sim.port("w_len").unwrap(),
            w_bursts: sim.port("w_bursts").unwrap(),
            rig: Rig::new(sim, memory).unwrap(),
        };
        let mut bench = bench;
        bench.rig.reset(4).unwrap();
        bench
    }

    /// Sets the reader up: `bursts` bursts of `len` beats from `offset` in the DDR.
    pub fn read(&mut self, offset: u64, len: u32, bursts: u16) -> &mut Self {
        self.r_base.set(DDR_BASE.wrapping_add(offset));
        self.r_len.set((len - 1) as u8);
        self.r_bursts.set(bursts);
        self
    }

    /// Sets the writer up.
    pub fn write(&mut self, offset: u64, len: u32, bursts: u16) -> &mut Self {
        self.w_base.set(DDR_BASE.wrapping_add(offset));
        self.w_len.set((len - 1) as u8);
        self.w_bursts.set(bursts);
        self
    }

    /// Starts both.
    pub fn start(&mut self) -> Result<(), RigError> {
        self.go.set(1);
        self.rig.step()?;
        self.go.set(0);
        Ok(())
    }

    /// Starts both and runs until `beats` are read and `answers` have come, at most 1,000,000 cycles. Returns the cycles.
    pub fn run(&mut self, beats: u32, answers: u16) -> Result<u64, RigError> {
        self.start()?;
        for cycle in 1..1_000_000 {
            self.rig.step()?;
            if self.r_beats.get() >= beats && self.w_answers.get() >= answers {
                return Ok(cycle);
            }
        }
        panic!("hung: {:?}", self.rig.memory().waiting());
    }

    /// The violation that a run must end with, without port and cycle.
    pub fn violation(&mut self) -> String {
        match self.run(u32::MAX, u16::MAX) {
            Err(RigError::Violation(v)) => v.to_string().split_once("address ").unwrap().1.to_owned(),
            other => panic!("no violation: {other:?}"),
        }
    }
}
