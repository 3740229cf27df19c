//! The weight stream between its ports and the compute unit.

use crate::dma::stream::stream_unit;
use crate::testing::{Random, overlay};
use sagen_lang::{Bits, Design, Sim};
use sagen_streamed_isa::{Descriptor, Register, Stream};
use std::collections::VecDeque;

struct Bench {
    sim: Sim,
    ports: usize,
    bytes: u64,
    registers: [u32; 32],
    /// By port: beats on their way, each with its own address.
    memory: Vec<VecDeque<u64>>,
}

impl Bench {
    fn new(config: &str, random: &mut Random) -> Self {
        let overlay = overlay(config);
        let mut d = Design::new();
        let top = stream_unit(&mut d, &overlay);
        let mut sim = Sim::new(&d, top).unwrap();
        sim.reset();
        let ports = overlay.stream_ports();
        let registers = std::array::from_fn(|i| if i == 0 { 0 } else { random.below(200) as u32 });
        Self { sim, ports, bytes: overlay.port_bytes() as u64, registers, memory: vec![VecDeque::new(); ports] }
    }

    fn flag(&mut self, name: &str) -> bool {
        self.sim.get(name).to_u64() == 1
    }

    fn port(&mut self, p: usize, pace: u64, random: &mut Random) {
        let (ready, beat) = (random.percent(pace), self.memory[p].front().copied().filter(|_| random.percent(pace)));
        self.sim.set(&format!("p{p}_ar_ready"), ready);
        self.sim.set(&format!("p{p}_r_valid"), beat.is_some());
        let limbs = [beat.unwrap_or(u64::MAX); 2];
        let data = Bits::from_limbs(&limbs[..self.bytes.div_ceil(8) as usize], 8 * self.bytes as u32);
        self.sim.set(&format!("p{p}_r_data"), data);
        assert!(self.flag(&format!("p{p}_r_ready")), "space was reserved");
        beat.iter().for_each(|_| _ = self.memory[p].pop_front());
        if ready && self.flag(&format!("p{p}_ar_valid")) {
            let at = self.sim.get(&format!("p{p}_ar_addr")).to_u64();
            let length = self.sim.get(&format!("p{p}_ar_len")).to_u64() + 1;
            assert!(at % 4096 + length * self.bytes <= 4096, "a burst crosses 4 KiB");
            let bytes = self.bytes;
            self.memory[p].extend((0..length).map(|i| at + i * bytes));
        }
    }

    /// Runs descriptors; the compute unit takes no beat in the first `held` cycles.
    fn run(&mut self, work: &[Stream], held: u64, pace: u64, random: &mut Random) {
        let beats = |s: &Stream| s.beats + u64::from(self.registers[s.register.index()]) * s.register_beats;
        let expected: Vec<(u64, u64)> =
            work.iter().flat_map(|s| (0..beats(s)).map(|i| (s.base + i * self.bytes, s.port_stride))).collect();
        let (mut next, mut found, mut done) = (0, 0, 0);
        for cycle in 0.. {
            assert!(cycle < 400_000, "no progress: {next} {found} {done}");
            let index = self.sim.get("step_index").to_u64() as usize;
            self.sim.set("step_value", self.registers[index]);
            let limbs = work.get(next).map_or([u64::MAX; 8], |s| Descriptor::new(*s).encode().unwrap());
            self.sim.set("desc", Bits::from_limbs(&limbs, 512));
            self.sim.set("desc_valid", next < work.len());
            let ready = cycle >= held && random.percent(pace);
            self.sim.set("beat_ready", ready);
            (0..self.ports).for_each(|p| self.port(p, pace, random));
            if ready && self.flag("beat_valid") {
                let (beat, (base, stride)) = (self.sim.get("beat"), expected[found]);
                for p in 0..self.ports {
                    let lane = beat.lane(p as u32, 8 * self.bytes as u32).limbs()[0];
                    assert_eq!(lane & ((1 << 40) - 1), (base + p as u64 * stride) & ((1 << 40) - 1), "beat {found}");
                }
                found += 1;
            }
            next += usize::from(next < work.len() && self.flag("desc_ready"));
            done += usize::from(self.flag("done"));
            self.sim.step();
            if done == work.len() && found == expected.len() {
                break;
            }
        }
        self.sim.set("desc_valid", false);
        (0..20).for_each(|_| self.sim.step());
        self.rests();
    }

    /// Every credit is back.
    fn rests(&mut self) {
        assert!(!self.flag("busy") && !self.flag("beat_valid"));
        for p in 0..self.ports {
            let of = |name: &str| format!("u_lane{p}.{name}");
            let values = ["u_queue.count", "u_queue.reserved", "u_bursts.left"].map(|n| self.sim.peek(&of(n)).to_u64());
            assert_eq!(values, [0; 3], "lane {p}");
            let room = self.sim.peek(&of("room"));
            assert_eq!(room.to_u64(), 1 << (room.width() - 1), "lane {p}");
        }
    }
}

fn draw(random: &mut Random, bytes: u64, longest: u64) -> Stream {
    Stream {
        base: bytes * random.below(1 << 24),
        port_stride: bytes * random.below(1 << 16),
        beats: 1 + random.below(longest),
        register: Register::new(random.below(32) as usize).unwrap(),
        register_beats: random.below(3),
    }
}

#[test]
fn beats_are_those_of_the_regions_in_order_and_all_credits_come_back() {
    for (config, seed) in [("d8_100mhz", 1), ("d16_100mhz_w128_p6", 2)] {
        let mut random = Random::new(seed);
        let mut bench = Bench::new(config, &mut random);
        for (longest, held, pace) in [(1, 0, 100), (40, 0, 50), (900, 0, 90), (300, 2000, 100)] {
            let work: Vec<Stream> = (0..10).map(|_| draw(&mut random, bench.bytes, longest)).collect();
            bench.run(&work, held, pace, &mut random);
        }
    }
}
