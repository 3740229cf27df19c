//! The scheduler between a list of descriptors and units of any speed.

use crate::control::scheduler::scheduler;
use crate::testing::Random;
use sagen_lang::{Bits, Design, Sim};
use sagen_streamed_isa::{LAYOUTS, UNITS, Unit, WAIT_BIT};
use std::collections::VecDeque;

/// Descriptors that a unit's queue holds.
const QUEUE: usize = 16;

struct Item {
    unit: Unit,
    waits: [u64; UNITS.len()],
    limbs: [u64; 8],
}

/// Descriptors that wait for some of those before them.
fn list(random: &mut Random, length: usize) -> Vec<Item> {
    let mut before = [0; UNITS.len()];
    let item = |_| {
        let layout = &LAYOUTS[random.below(LAYOUTS.len() as u64) as usize];
        let waits: [u64; UNITS.len()] =
            before.map(|n: u64| if random.percent(50) { n.saturating_sub(random.below(3)) } else { 0 });
        before[layout.unit.index()] += 1;
        let mut limbs = [0u64; 8];
        limbs[0] = layout.opcode as u64;
        for (u, wait) in waits.iter().enumerate() {
            let at = WAIT_BIT as usize + 16 * u;
            limbs[at / 64] |= wait << (at % 64);
            if at % 64 > 48 {
                limbs[at / 64 + 1] |= wait >> (64 - at % 64);
            }
        }
        Item { unit: layout.unit, waits, limbs }
    };
    (0..length).map(item).collect()
}

struct Bench {
    sim: Sim,
}

impl Bench {
    fn new() -> Self {
        let mut d = Design::new();
        let top = scheduler(&mut d);
        let mut sim = Sim::new(&d, top).unwrap();
        sim.reset();
        sim.set("drain", true);
        sim.step();
        sim.set("drain", false);
        Self { sim }
    }

    fn flag(&mut self, unit: Unit, name: &str) -> bool {
        self.sim.get(&format!("{}_{name}", unit.name())).to_u64() == 1
    }

    fn set(&mut self, unit: Unit, name: &str, value: bool) {
        self.sim.set(&format!("{}_{name}", unit.name()), value);
    }

    fn start(&mut self) {
        self.sim.set("start", true);
        self.sim.step();
        self.sim.set("start", false);
    }

    /// Runs the list; `held` is never ready for its first 2,000 cycles.
    fn run(&mut self, items: &[Item], held: Option<Unit>, random: &mut Random) {
        self.start();
        let (mut next, mut taken, mut done) = (0, [0usize; UNITS.len()], [0u64; UNITS.len()]);
        let mut running: [VecDeque<u64>; UNITS.len()] = Default::default();
        let of = |unit: Unit| items.iter().filter(move |i| i.unit == unit);
        for cycle in 0u64.. {
            assert!(cycle < 200_000, "no progress: {taken:?} {done:?}");
            let offer = next < items.len() && random.percent(80);
            let limbs = items.get(next).map_or([u64::MAX; 8], |i| i.limbs);
            self.sim.set("desc", Bits::from_limbs(&limbs, 512));
            self.sim.set("desc_valid", offer);
            let mut finished = [false; UNITS.len()];
            for unit in UNITS {
                let u = unit.index();
                finished[u] = running[u].front().is_some_and(|end| *end <= cycle);
                self.set(unit, "done", finished[u]);
                let ready = random.percent(60) && (held != Some(unit) || cycle >= 2000);
                self.set(unit, "ready", ready);
            }
            for unit in UNITS {
                let u = unit.index();
                if self.flag(unit, "valid") {
                    let item = of(unit).nth(taken[u]).expect("nothing is offered that was not handed in");
                    assert!(item.waits.iter().zip(done).all(|(wait, done)| *wait <= done), "{} {u}", taken[u]);
                    if self.flag(unit, "ready") {
                        running[u].push_back(cycle + 1 + random.below(30));
                        taken[u] += 1;
                    }
                }
            }
            let accepted = offer && self.sim.get("desc_ready").to_u64() == 1;
            assert_eq!(self.sim.get("blocked").to_u64() == 1, offer && !accepted);
            if offer {
                let unit = items[next].unit;
                let waiting =
                    of(unit).count() - items[next..].iter().filter(|i| i.unit == unit).count() - taken[unit.index()];
                assert!(accepted == (waiting < QUEUE) || waiting.abs_diff(QUEUE) <= 1, "{waiting}");
            }
            next += usize::from(accepted);
            self.sim.step();
            for unit in UNITS.into_iter().filter(|u| finished[u.index()]) {
                running[unit.index()].pop_front();
                done[unit.index()] += 1;
            }
            for unit in UNITS {
                let count = self.sim.get(&format!("{}_done_count", unit.name())).to_u64();
                assert_eq!(count, done[unit.index()]);
            }
            let all = done.iter().sum::<u64>() == items.len() as u64;
            if all {
                assert_eq!(self.sim.get("all_done").to_u64(), 1);
                self.sim.set("desc_valid", false);
                UNITS.into_iter().for_each(|unit| self.set(unit, "done", false));
                return;
            }
        }
    }
}

#[test]
fn descriptors_start_in_the_order_of_their_unit_and_after_what_they_wait_for() {
    let (mut bench, mut random) = (Bench::new(), Random::new(1));
    for length in [1, 7, 60, 300] {
        let items = list(&mut random, length);
        bench.run(&items, None, &mut random);
    }
    for unit in UNITS {
        let items = list(&mut random, 200);
        bench.run(&items, Some(unit), &mut random);
    }
}

#[test]
fn an_unknown_opcode_is_reported_and_never_taken() {
    let mut bench = Bench::new();
    bench.start();
    for opcode in (0u64..256).filter(|o| LAYOUTS.iter().all(|l| l.opcode as u64 != *o)) {
        bench.sim.set("desc", Bits::from_limbs(&[opcode; 8], 512));
        bench.sim.set("desc_valid", true);
        let seen = ["desc_ready", "blocked"].map(|port| bench.sim.get(port).to_u64());
        bench.sim.step();
        assert_eq!((seen, bench.sim.get("unknown").to_u64()), ([0, 0], 1), "{opcode:#x}");
    }
    bench.sim.set("desc_valid", false);
    bench.sim.step();
    assert_eq!(bench.sim.get("unknown").to_u64(), 0);
}

#[test]
fn a_drain_empties_the_queues_and_keeps_the_counts_until_the_next_start() {
    let (mut bench, mut random) = (Bench::new(), Random::new(3));
    let items = list(&mut random, 60);
    bench.run(&items, None, &mut random);
    let counts = |bench: &mut Bench| UNITS.map(|u| bench.sim.get(&format!("{}_done_count", u.name())).to_u64());
    let before = counts(&mut bench);
    for item in &list(&mut random, 5) {
        bench.sim.set("desc", Bits::from_limbs(&item.limbs, 512));
        bench.sim.set("desc_valid", true);
        bench.sim.step();
    }
    bench.sim.set("desc_valid", false);
    bench.sim.set("drain", true);
    (0..3).for_each(|_| bench.sim.step());
    bench.sim.set("drain", false);
    UNITS.into_iter().for_each(|unit| bench.set(unit, "ready", true));
    for _ in 0..20 {
        assert!(UNITS.into_iter().all(|u| !bench.flag(u, "valid") && !bench.flag(u, "held")));
        bench.sim.step();
    }
    assert_eq!(counts(&mut bench), before);
    bench.run(&items, None, &mut random);
}
