//! A guard between an overlay that forgets everything in each drain and a memory that never does.

use super::{READS, read_guard, write_guard};
use sagen_arith::draw::Draw;
use sagen_lang::{Design, ModuleId, Sim};
use std::collections::VecDeque;

const BYTES: u32 = 8;
const CYCLES: u64 = 20_000;

fn simulate(guard: fn(&mut Design, u32) -> ModuleId) -> Sim {
    let mut d = Design::new();
    let top = guard(&mut d, BYTES);
    Sim::new(&d, top).unwrap()
}

fn high(sim: &mut Sim, port: &str) -> bool {
    sim.get(port).to_u64() == 1
}

/// When the overlay is drained: at random, and again as soon as the guard was quiet for a while.
struct Drains {
    active: bool,
    spent: u32,
    count: u32,
}

impl Drains {
    fn new() -> Self {
        Self { active: true, spent: 0, count: 0 }
    }

    /// Whether a drain begins in this cycle; one ends when the guard says that it is quiet.
    fn begins(&mut self, draw: &mut Draw, quiet: bool) -> bool {
        self.spent += 1;
        if self.active {
            self.active = !(quiet && self.spent > 4);
            return false;
        }
        self.active = draw.one_in(150);
        self.spent = 0;
        self.count += u32::from(self.active);
        self.active
    }
}

/// What a port was shown and has not taken must be shown again.
fn is_kept(sim: &mut Sim, held: &mut Option<Vec<u64>>, valid: &str, ready: &str, payload: &[&str]) {
    let shown = high(sim, valid).then(|| payload.iter().map(|p| sim.get(p).to_u64()).collect::<Vec<_>>());
    if held.is_some() {
        assert_eq!(*held, shown, "{valid} or what comes with it changed");
    }
    *held = if high(sim, ready) { None } else { shown };
}

#[test]
fn reads_that_nobody_waits_for_are_thrown_away_and_all_others_arrive_in_order() {
    let (mut sim, mut draw, mut drains) = (simulate(read_guard), Draw::new(5), Drains::new());
    // Beats left of each burst in the memory; what the overlay waits for, by first data word.
    let (mut memory, mut wanted) = (VecDeque::<(u64, u64)>::new(), VecDeque::<u64>::new());
    let (mut asked, mut arrived, mut most, mut held) = (0, 0, 0, None);
    let mut request: Option<(u64, u64)> = None;
    for cycle in 0..CYCLES {
        let quiet = high(&mut sim, "quiet");
        if drains.begins(&mut draw, quiet) {
            // Half of all drains are resets: they must not touch what the guard knows.
            (request, wanted) = (None, VecDeque::new());
        }
        sim.set("rst", drains.active && cycle.is_multiple_of(2));
        sim.set("drain", drains.active);
        if request.is_none() && !drains.active && draw.one_in(4) {
            request = Some((asked << 16, draw.below(6)));
            asked += 1;
        }
        sim.set("u_ar_valid", request.is_some());
        let (address, length) = request.unwrap_or_default();
        sim.set("u_ar_addr", address);
        sim.set("u_ar_len", length);
        let lazy = cycle / 2000 % 2 == 1;
        sim.set("u_r_ready", !drains.active && !draw.one_in(3));
        sim.set("ar_ready", draw.one_in(if lazy { 6 } else { 2 }));
        let beat = memory.front().copied().filter(|_| draw.one_in(if lazy { 200 } else { 2 }));
        sim.set("r_valid", beat.is_some());
        sim.set("r_data", beat.map_or(0, |(data, _)| data));
        sim.set("r_last", beat.is_some_and(|(_, left)| left == 1));
        is_kept(&mut sim, &mut held, "ar_valid", "ar_ready", &["ar_addr", "ar_len"]);
        if high(&mut sim, "ar_valid") && high(&mut sim, "ar_ready") {
            memory.push_back((sim.get("ar_addr").to_u64(), sim.get("ar_len").to_u64() + 1));
        }
        if high(&mut sim, "u_ar_valid") && high(&mut sim, "u_ar_ready") {
            wanted.extend((0..=length).map(|i| address + i));
            request = None;
        }
        if high(&mut sim, "u_r_valid") && high(&mut sim, "u_r_ready") {
            assert_eq!(Some(sim.get("r_data").to_u64()), wanted.pop_front(), "cycle {cycle}");
            arrived += 1;
        }
        assert!(!drains.active || !high(&mut sim, "u_r_valid") && !high(&mut sim, "u_ar_ready"), "cycle {cycle}");
        if high(&mut sim, "r_valid") && high(&mut sim, "r_ready") {
            let (data, left) = memory.pop_front().unwrap();
            (left > 1).then(|| memory.push_front((data + 1, left - 1)));
        }
        most = most.max(memory.len());
        sim.step();
    }
    assert!(arrived > 1000 && drains.count > 40 && most as u32 <= READS, "{arrived} {} {most}", drains.count);
}

#[test]
fn a_guard_takes_no_more_reads_than_it_can_count() {
    let mut sim = simulate(read_guard);
    sim.set("u_ar_valid", true);
    sim.set("ar_ready", true);
    let taken = (0..400).filter(|_| {
        let taken = high(&mut sim, "u_ar_ready");
        sim.step();
        taken
    });
    assert_eq!(taken.count() as u32, READS);
    sim.set("u_ar_valid", false);
    sim.set("drain", true);
    sim.set("r_last", true);
    for left in (0..READS).rev() {
        sim.set("r_valid", true);
        assert!(high(&mut sim, "r_ready"));
        sim.step();
        sim.set("r_valid", false);
        sim.step();
        assert_eq!(high(&mut sim, "quiet"), left == 0, "{left}");
    }
}

/// A memory that counts beats burst by burst.
#[derive(Default)]
struct Writes {
    /// Beats of each burst whose data is not complete.
    open: VecDeque<u64>,
    taken: u64,
    unanswered: u64,
    /// Bursts and beats, and those without strobes.
    totals: [u64; 3],
}

impl Writes {
    fn beat(&mut self, last: bool, strobes: u64) {
        self.taken += 1;
        self.totals[1] += 1;
        self.totals[2] += u64::from(strobes == 0);
        let beats = *self.open.front().expect("data follows its address");
        assert_eq!(last, self.taken == beats, "beat {} of {beats}", self.taken);
        if last {
            self.open.pop_front();
            (self.taken, self.unanswered) = (0, self.unanswered + 1);
            self.totals[0] += 1;
        }
    }
}

#[test]
fn writes_that_were_cut_get_the_rest_of_their_beats_without_strobes() {
    let (mut sim, mut draw, mut drains) = (simulate(write_guard), Draw::new(6), Drains::new());
    let (mut memory, mut answers) = (Writes::default(), 0i64);
    // What the overlay still has to announce and to send.
    let (mut announced, mut data) = (None, VecDeque::<(u64, bool)>::new());
    let (mut held_aw, mut held_w, mut number) = (None, None, 0u64);
    for cycle in 0..CYCLES {
        let quiet = high(&mut sim, "quiet");
        if drains.begins(&mut draw, quiet) {
            (announced, data, answers) = (None, VecDeque::new(), 0);
        }
        if drains.active && quiet && drains.spent > 4 {
            assert!(memory.open.is_empty() && memory.unanswered == 0, "cycle {cycle}");
        }
        sim.set("rst", drains.active && cycle.is_multiple_of(2));
        sim.set("drain", drains.active);
        if announced.is_none() && data.len() < 6 && !drains.active && draw.one_in(3) {
            let beats = 1 + draw.below(7);
            announced = Some(beats - 1);
            data.extend((1..=beats).map(|i| (number + i, i == beats)));
            number += beats;
        }
        sim.set("u_aw_valid", announced.is_some());
        sim.set("u_aw_len", announced.unwrap_or(0));
        sim.set("u_aw_addr", number);
        let beat = data.front().copied().filter(|_| !drains.active);
        sim.set("u_w_valid", beat.is_some());
        let (word, last) = beat.unwrap_or_default();
        sim.set("u_w_data", word);
        sim.set("u_w_last", last);
        sim.set("u_w_strb", 0xff);
        sim.set("u_b_ready", true);
        sim.set("aw_ready", draw.one_in(3));
        sim.set("w_ready", draw.one_in(2));
        sim.set("b_valid", memory.unanswered > 0 && draw.one_in(3));
        is_kept(&mut sim, &mut held_aw, "aw_valid", "aw_ready", &["aw_addr", "aw_len"]);
        is_kept(&mut sim, &mut held_w, "w_valid", "w_ready", &["w_data", "w_strb", "w_last"]);
        // The address of a beat is accepted before it, or shown beside it.
        if high(&mut sim, "aw_valid") && high(&mut sim, "aw_ready") {
            memory.open.push_back(sim.get("aw_len").to_u64() + 1);
        } else if memory.open.is_empty() {
            assert!(!high(&mut sim, "w_valid") || high(&mut sim, "aw_valid"), "cycle {cycle}");
            sim.set("w_ready", false);
            held_w =
                high(&mut sim, "w_valid").then(|| ["w_data", "w_strb", "w_last"].map(|p| sim.get(p).to_u64()).into());
        }
        if high(&mut sim, "u_aw_valid") && high(&mut sim, "u_aw_ready") {
            announced = None;
            answers += 1;
        }
        if high(&mut sim, "u_w_valid") && high(&mut sim, "u_w_ready") {
            data.pop_front();
        }
        if high(&mut sim, "w_valid") && high(&mut sim, "w_ready") {
            let strobes = sim.get("w_strb").to_u64();
            memory.beat(high(&mut sim, "w_last"), strobes);
        }
        answers -= i64::from(high(&mut sim, "u_b_valid"));
        assert!(answers >= 0, "cycle {cycle}: an answer that nobody waits for");
        if high(&mut sim, "b_valid") && high(&mut sim, "b_ready") {
            memory.unanswered -= 1;
        }
        sim.step();
    }
    let [bursts, beats, empty] = memory.totals;
    assert!(bursts > 500 && empty > 50 && beats - empty > 1000 && drains.count > 40, "{:?}", memory.totals);
}
