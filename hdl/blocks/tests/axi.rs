//! Bursts and the read arbiter, each by itself against a plain statement of what it does.

use sagen_arith::draw::Draw;
use sagen_blocks::axi::AxiRead;
use sagen_blocks::axi::arbiter::{IN_FLIGHT, read_arbiter};
use sagen_blocks::axi::burst::{BEATS_BITS, bursts};
use sagen_lang::{Design, Sim, bit, low, unsigned};
use std::collections::VecDeque;

const BYTES: u32 = 16;
const ROOM_BITS: u32 = 9;

fn high(sim: &mut Sim, port: &str) -> bool {
    sim.get(port).to_u64() == 1
}

/// The engine on a channel whose data nobody takes.
fn engine(longest: u32) -> Sim {
    let mut d = Design::new();
    let engine = bursts(&mut d, BYTES, longest, ROOM_BITS);
    let top = d.module("top", |m| {
        let axi = m.master("", AxiRead::layout(BYTES, false));
        let engine = engine.place(m, "u_bursts", &axi);
        let (address, beats) = (m.input("address", unsigned(40)), m.input("beats", unsigned(BEATS_BITS)));
        engine.begin(m.input("start", bit()), address, beats);
        engine.room(m.input("room", unsigned(ROOM_BITS)));
        axi.r_ready.drive(low());
        m.output("idle", engine.idle());
        m.output("issued", engine.issued());
        m.output("issued_beats", engine.issued_beats());
    });
    let mut sim = Sim::new(&d, top).unwrap();
    sim.reset();
    sim
}

#[test]
fn a_transfer_is_cut_at_pages_and_at_the_longest_burst_and_waits_for_room() {
    for (longest, seed) in [(4, 1), (64, 2), (256, 3)] {
        let (mut sim, mut draw) = (engine(longest), Draw::new(seed));
        for _ in 0..60 {
            let (address, beats) = (u64::from(BYTES) * draw.below(1 << 20), 1 + draw.below(700));
            assert!(high(&mut sim, "idle"));
            sim.set("start", true);
            sim.set("address", address);
            sim.set("beats", beats);
            sim.step();
            sim.set("start", false);
            let (mut at, mut left, mut room, mut shown) = (address, beats, draw.below(300), None);
            while left > 0 {
                // Room never shrinks while a burst is shown: only bursts take it.
                room = (room + draw.below(9)).min(300);
                sim.set("room", room);
                sim.set("ar_ready", draw.one_in(3));
                let valid = high(&mut sim, "ar_valid");
                let now = valid.then(|| (sim.get("ar_addr").to_u64(), sim.get("ar_len").to_u64() + 1));
                assert!(shown.is_none() || shown == now, "a burst that was shown changed");
                shown = now.filter(|_| !high(&mut sim, "ar_ready"));
                let taken = now.filter(|_| high(&mut sim, "ar_ready"));
                assert_eq!(high(&mut sim, "issued"), taken.is_some());
                assert!(!high(&mut sim, "idle"));
                if let Some((address, length)) = taken {
                    let to_page = (4096 - at % 4096) / u64::from(BYTES);
                    assert_eq!((address, length), (at, left.min(to_page).min(u64::from(longest))));
                    assert!(length <= room, "{length} beats with room for {room}");
                    assert_eq!(sim.get("issued_beats").to_u64(), length);
                    (at, left, room) = (at + length * u64::from(BYTES), left - length, room - length);
                }
                sim.step();
            }
        }
    }
}

/// Readers that ask at random; each datum names the reader, its burst and its beat.
#[test]
fn every_reader_gets_its_own_data_in_order_and_the_first_that_asks_wins() {
    for readers in [2u32, 3] {
        let mut d = Design::new();
        let top = read_arbiter(&mut d, readers, BYTES);
        let mut sim = Sim::new(&d, top).unwrap();
        sim.reset();
        let mut draw = Draw::new(u64::from(readers));
        let count = readers as usize;
        let (mut asked, mut requests) = (vec![0u64; count], vec![None; count]);
        let mut wanted = vec![VecDeque::<u64>::new(); count];
        let (mut memory, mut shown, mut most) = (VecDeque::<(u64, u64)>::new(), None, 0);
        let mut arrived = vec![0; count];
        for cycle in 0..12_000u64 {
            let lazy = cycle / 1500 % 2 == 1;
            for (i, request) in requests.iter_mut().enumerate() {
                if request.is_none() && draw.one_in(6) {
                    *request = Some(((i as u64) << 32 | asked[i] << 8, draw.below(4)));
                    asked[i] += 1;
                }
                sim.set(&format!("q{i}_ar_valid"), request.is_some());
                let (address, length) = request.unwrap_or_default();
                sim.set(&format!("q{i}_ar_addr"), address);
                sim.set(&format!("q{i}_ar_len"), length);
                sim.set(&format!("q{i}_r_ready"), draw.one_in(2));
            }
            sim.set("ar_ready", draw.one_in(2));
            let beat = memory.front().copied().filter(|_| draw.one_in(if lazy { 60 } else { 2 }));
            sim.set("r_valid", beat.is_some());
            sim.set("r_data", beat.map_or(0, |(data, _)| data));
            sim.set("r_last", beat.is_some_and(|b| b.1 == 1));
            let now = high(&mut sim, "ar_valid").then(|| (sim.get("ar_addr").to_u64(), sim.get("ar_len").to_u64()));
            assert!(shown.is_none() || shown == now, "cycle {cycle}: what was shown changed");
            if let (None, Some(now)) = (shown, now) {
                assert_eq!(Some(now), requests.iter().flatten().next().copied(), "cycle {cycle}: not the first");
            }
            let taken = now.filter(|_| high(&mut sim, "ar_ready"));
            shown = now.filter(|_| taken.is_none());
            for i in 0..count {
                let accepted = high(&mut sim, &format!("q{i}_ar_ready"));
                assert_eq!(accepted, taken.is_some() && taken == requests[i], "cycle {cycle}, reader {i}");
                if accepted {
                    let (address, length) = requests[i].take().unwrap();
                    wanted[i].extend((0..=length).map(|beat| address + beat));
                }
                if high(&mut sim, &format!("q{i}_r_valid")) {
                    let data = sim.get(&format!("q{i}_r_data")).to_u64();
                    assert_eq!(Some(&data), wanted[i].front(), "cycle {cycle}, reader {i}");
                    if high(&mut sim, &format!("q{i}_r_ready")) {
                        wanted[i].pop_front();
                        arrived[i] += 1;
                    }
                }
            }
            memory.extend(taken.map(|(address, length)| (address, length + 1)));
            if beat.is_some() && high(&mut sim, "r_ready") {
                let (data, left) = memory.pop_front().unwrap();
                (left > 1).then(|| memory.push_front((data + 1, left - 1)));
            }
            most = most.max(memory.len());
            sim.step();
        }
        assert!(arrived.iter().all(|a| *a > 50) && most as u32 == IN_FLIGHT, "{arrived:?} {most}");
    }
}
