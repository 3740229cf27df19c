//! The memory model: data, timing, checks, determinism.

mod bench;

use bench::{Bench, DDR_BASE};
use expect_test::expect;
use sagen_cosim::axi::{PortStats, Profile};
use sagen_cosim::rig::RigError;

const MHZ: u64 = 1_000_000;
const RESULTS: u64 = 32 << 20;
const MAILBOX: u64 = 40 << 20;

fn ideal() -> Bench {
    Bench::new(64, Profile::Ideal, 100 * MHZ)
}

/// The reader's checksum as the test computes it from the image.
fn sum(bytes: &[u8], width: u32) -> u128 {
    let mask = if width == 128 { u128::MAX } else { (1 << width) - 1 };
    bytes.chunks(width as usize / 8).fold(0, |sum: u128, beat| {
        let mut word = [0; 16];
        word[..beat.len()].copy_from_slice(beat);
        (((sum << 1) | (sum >> (width - 1))) & mask) ^ u128::from_le_bytes(word)
    })
}

fn r_sum(bench: &Bench, width: u32) -> u128 {
    let mut word = [0; 16];
    bench.rig.sim().bus("r_sum").unwrap().copy_to(&mut word[..width as usize / 8]);
    u128::from_le_bytes(word)
}

#[test]
fn reads_deliver_the_image_at_every_width_and_profile() {
    for width in [32, 64, 128] {
        for profile in [Profile::Ideal, Profile::Board, Profile::Random(3)] {
            let mut bench = Bench::new(width, profile, 100 * MHZ);
            let bytes = u64::from(width) / 8 * 16 * 40;
            bench.read(0x2000, 16, 40).run(640, 0).unwrap();
            let image = bench.rig.memory().ddr().bytes(DDR_BASE + 0x2000, bytes).unwrap();
            assert_eq!(r_sum(&bench, width), sum(image, width), "{width} {profile}");
        }
    }
}

#[test]
fn writes_land_in_the_image_and_are_reported() {
    for width in [32, 64, 128] {
        for profile in [Profile::Ideal, Profile::Board, Profile::Random(4)] {
            let mut bench = Bench::new(width, profile, 100 * MHZ);
            bench.rig.memory_mut().log_writes(true);
            bench.write(RESULTS, 8, 10).run(0, 10).unwrap();
            let beat = width as usize / 8;
            let image = bench.rig.memory().ddr().bytes(DDR_BASE + RESULTS, beat as u64 * 80).unwrap();
            for (count, got) in image.chunks(beat).enumerate() {
                let word = (count as u32).to_le_bytes();
                assert_eq!(got, word.repeat(beat / 4), "{width} {profile} beat {count}");
            }
            let writes = bench.rig.memory_mut().take_writes();
            assert_eq!(writes.len(), 10);
            assert_eq!(writes[1].address, DDR_BASE + RESULTS + beat as u64 * 8);
            assert_eq!((writes[1].port, writes[1].bytes), (1, beat as u64 * 8));
            assert!(bench.rig.memory().is_idle());
        }
    }
}

#[test]
fn unaligned_writes_touch_no_byte_below_their_start_and_none_behind_their_end() {
    let mut bench = ideal();
    bench.write(RESULTS + 3, 2, 1).run(0, 1).unwrap();
    let ddr = bench.rig.memory().ddr();
    let from = DDR_BASE + RESULTS;
    assert_eq!(ddr.first_unwritten(from, 16).unwrap(), Some(from));
    assert_eq!(ddr.first_unwritten(from + 3, 32).unwrap(), Some(from + 16));
    assert_eq!(ddr.bytes(from, 16).unwrap(), [0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0]);
}

#[test]
fn sparse_strobes_write_only_their_lanes() {
    let mut bench = ideal();
    bench.fault.set(bench::W_SPARSE);
    bench.write(RESULTS, 2, 1).run(0, 1).unwrap();
    let ddr = bench.rig.memory().ddr();
    let from = DDR_BASE + RESULTS;
    assert_eq!(ddr.first_unwritten(from, 1).unwrap(), None);
    assert_eq!(ddr.first_unwritten(from + 1, 1).unwrap(), Some(from + 1));
    assert_eq!(ddr.first_unwritten(from + 14, 1).unwrap(), None);
}

#[test]
fn a_burst_of_exactly_4096_bytes_is_legal_in_both_directions() {
    let mut bench = Bench::new(128, Profile::Board, 100 * MHZ);
    bench.read(0x3000, 256, 3).write(RESULTS, 256, 3).run(768, 3).unwrap();
    assert!(bench.rig.memory().is_idle());
}

#[test]
fn a_long_read_on_a_64_bit_port_runs_at_the_measured_rate() {
    for (mhz, measured) in [(100, 794.0), (50, 397.0)] {
        let mut bench = Bench::new(64, Profile::Board, mhz * MHZ);
        let cycles = bench.read(0, 16, 32768).run(524_288, 0).unwrap();
        let rate = 4_194_304.0 / (cycles as f64 / mhz as f64);
        println!("{mhz} MHz: {rate:.2} MB/s, {:.2} % of the port", rate / (mhz as f64 * 8.0) * 100.0);
        assert!((rate / measured - 1.0).abs() < 0.005, "{mhz} MHz: {rate}");
        assert!((0.9915..0.9935).contains(&(rate / (mhz as f64 * 8.0))), "{mhz} MHz: {rate}");
    }
}

#[test]
fn latency_is_a_time_so_a_faster_clock_waits_more_cycles() {
    let first_beat = |mhz: u64| Bench::new(64, Profile::Board, mhz * MHZ).read(0, 1, 1).run(1, 0).unwrap();
    let (slow, fast) = (first_beat(100), first_beat(300));
    assert_eq!((slow, fast - slow), (26, 50));
}

#[test]
fn an_ideal_memory_streams_a_beat_per_cycle() {
    let cycles = ideal().read(0, 16, 1000).run(16_000, 0).unwrap();
    assert!(cycles <= 16_004, "{cycles}");
    let cycles = ideal().write(RESULTS, 16, 1000).run(0, 1000).unwrap();
    assert!(cycles <= 16_006, "{cycles}");
}

fn outcome(profile: Profile) -> (u64, Vec<PortStats>, u128) {
    let mut bench = Bench::new(64, profile, 100 * MHZ);
    let cycles = bench.read(0, 16, 100).write(RESULTS, 8, 100).run(1600, 100).unwrap();
    (cycles, bench.rig.memory().stats(), r_sum(&bench, 64))
}

#[test]
fn the_same_seed_gives_the_same_cycles_and_other_seeds_give_others() {
    let runs: Vec<_> = (1..6).map(|seed| outcome(Profile::Random(seed))).collect();
    for (seed, run) in (1..6).zip(&runs) {
        assert_eq!(*run, outcome(Profile::Random(seed)), "seed {seed}");
        assert_eq!(run.2, runs[0].2, "seed {seed}: other data");
    }
    let cycles: std::collections::BTreeSet<u64> = runs.iter().map(|run| run.0).collect();
    assert_eq!(cycles.len(), 5, "{cycles:?}");
}

#[test]
fn statistics_count_beats_bursts_and_stalls() {
    let mut bench = ideal();
    bench.read(0, 4, 2).write(RESULTS, 4, 3).run(8, 3).unwrap();
    let stats = bench.rig.memory().stats();
    assert_eq!((stats[0].read_bursts, stats[0].read_beats), (2, 8));
    assert_eq!((stats[1].write_bursts, stats[1].write_beats), (3, 12));
    assert_eq!(stats[0].r_stall, 0);
}

#[test]
fn a_design_that_is_not_ready_shows_as_a_stall_and_in_what_is_waiting() {
    let mut bench = ideal();
    bench.hold_r.set(1);
    bench.hold_b.set(1);
    bench.read(0, 4, 1).write(RESULTS, 4, 1);
    bench.start().unwrap();
    bench.rig.run(50).unwrap();
    assert!(bench.rig.memory().stats()[0].r_stall > 40);
    expect![[r#"
        port m0: 1 reads outstanding, first at 0x10000000, 4 beats left, RVALID waits for RREADY
        port m1: BVALID waits for BREADY"#]]
    .assert_eq(&bench.rig.memory().waiting().join("\n"));
}

#[test]
fn bursts_that_cross_4_kib_are_refused() {
    let mut bench = ideal();
    let text = bench.read(0x1fc0, 9, 1).violation();
    expect!["0x10001fc0: AR burst of 72 bytes crosses a 4 KiB boundary"].assert_eq(&text);
    let mut bench = ideal();
    let text = bench.write(RESULTS + 0xff8, 2, 1).violation();
    expect!["0x12000ff8: AW burst of 16 bytes crosses a 4 KiB boundary"].assert_eq(&text);
}

#[test]
fn bursts_outside_the_regions_are_refused() {
    let text = ideal().read(RESULTS - 8, 2, 1).violation();
    expect!["0x11fffff8: AR burst of 16 bytes crosses a 4 KiB boundary"].assert_eq(&text);
    let text = ideal().read(36 << 20, 2, 1).violation();
    expect!["0x12400000: AR burst of 16 bytes is not inside one region; region `results` is 0x12000000..0x12100000"]
        .assert_eq(&text);
    let text = ideal().read(0u64.wrapping_sub(64), 2, 1).violation();
    expect!["0xfffffc0: AR burst of 16 bytes is not inside one region; no region lies at or below it"].assert_eq(&text);
}

#[test]
fn regions_say_who_may_read_and_write() {
    let text = ideal().write(0x100, 2, 1).violation();
    expect!["0x10000100: AW burst of 16 bytes in region `weights`, which is not writable"].assert_eq(&text);
    let text = ideal().read(MAILBOX, 2, 1).violation();
    expect!["0x12800000: AR burst of 16 bytes in region `mailbox`, which is not readable"].assert_eq(&text);
}

#[test]
fn reads_of_bytes_never_written_name_the_first_of_them() {
    let mut bench = ideal();
    bench.rig.memory_mut().ddr_mut().load(DDR_BASE + RESULTS, &[1; 21]).unwrap();
    let text = bench.read(RESULTS, 4, 1).violation();
    expect!["0x12000015: AR burst of 32 bytes reads bytes of region `results` that were never written"]
        .assert_eq(&text);
}

#[test]
fn addresses_must_hold_while_they_wait() {
    for (fault, expected) in [
        (bench::AR_MOVES, expect!["0x10000800: AR payload changed while VALID was high and READY low"]),
        (bench::AR_FALLS, expect!["0x10000800: AR VALID fell before READY rose"]),
    ] {
        let mut bench = Bench::new(64, Profile::Board, 100 * MHZ);
        bench.fault.set(fault);
        // In the first cycle nobody is ready yet; later the queue fills up.
        let text = bench.read(0, 16, 100).violation();
        expected.assert_eq(&text);
    }
    for (fault, expected) in [
        (bench::AW_MOVES, expect!["0x12000800: AW payload changed while VALID was high and READY low"]),
        (bench::AW_FALLS, expect!["0x12000800: AW VALID fell before READY rose"]),
        (bench::W_MOVES, expect!["0x12000000: W payload changed while VALID was high and READY low"]),
        (bench::W_FALLS, expect!["0x12000000: W VALID fell before READY rose"]),
    ] {
        let mut bench = Bench::new(64, Profile::Board, 100 * MHZ);
        bench.fault.set(fault);
        let text = bench.write(RESULTS, 16, 100).violation();
        expected.assert_eq(&text);
    }
}

#[test]
fn only_incrementing_bursts_of_full_beats_are_allowed() {
    for (fault, expected) in [
        (bench::AR_SIZE, expect!["0x10000000: AR burst type 1, size 2; allowed: type 1 (INCR), size 3"]),
        (bench::AR_FIXED, expect!["0x10000000: AR burst type 0, size 3; allowed: type 1 (INCR), size 3"]),
    ] {
        let mut bench = ideal();
        bench.fault.set(fault);
        expected.assert_eq(&bench.read(0, 4, 1).violation());
    }
}

#[test]
fn wlast_must_mark_the_last_beat_and_no_other() {
    for (fault, expected) in [
        (bench::W_EARLY, expect!["0x12000000: WLAST is 1 on beat 3 of a burst of 4"]),
        (bench::W_NEVER, expect!["0x12000000: WLAST is 0 on beat 4 of a burst of 4"]),
    ] {
        let mut bench = ideal();
        bench.fault.set(fault);
        expected.assert_eq(&bench.write(RESULTS, 4, 1).violation());
    }
}

#[test]
fn strobes_below_the_start_address_are_refused() {
    let mut bench = ideal();
    bench.fault.set(bench::W_BELOW);
    let text = bench.write(RESULTS + 3, 2, 1).violation();
    expect!["0x12000003: WSTRB 0xff selects bytes below the start address of the burst"].assert_eq(&text);
}

#[test]
fn a_read_of_bytes_whose_write_has_not_been_answered_is_a_race() {
    let mut bench = ideal();
    bench.hold_b.set(1);
    bench.write(RESULTS, 16, 1).start().unwrap();
    bench.rig.run(40).unwrap();
    bench.hold_b.set(1);
    let text = bench.read(RESULTS + 64, 1, 1).write(RESULTS + 4096, 1, 0).violation();
    expect!["0x12000040: AR burst of 8 bytes overlaps a burst of port m1 at 0x12000000 that has not ended"]
        .assert_eq(&text);
}

#[test]
fn a_write_of_bytes_that_are_still_being_read_is_a_race() {
    let mut bench = ideal();
    bench.rig.memory_mut().ddr_mut().mark_written(DDR_BASE + RESULTS, 4096).unwrap();
    let text = bench.read(RESULTS + 64, 1, 100).write(RESULTS, 16, 1).violation();
    expect!["0x12000000: AW burst of 128 bytes overlaps a burst of port m0 at 0x12000040 that has not ended"]
        .assert_eq(&text);
}

#[test]
fn a_violation_names_port_and_cycle() {
    let mut bench = ideal();
    let e = bench.read(0x1fc0, 9, 1).run(1, 0).unwrap_err();
    expect!["port m0, cycle 5, address 0x10001fc0: AR burst of 72 bytes crosses a 4 KiB boundary"]
        .assert_eq(&e.to_string());
}

#[test]
fn registers_can_be_written_and_read_and_errors_are_named() {
    let mut bench = ideal();
    bench.rig.csr_write(0x10, 0xdead_beef).unwrap();
    assert_eq!(bench.rig.csr_read(0x10).unwrap(), 0xdead_beef);
    let text = |r: Result<u32, RigError>| r.unwrap_err().to_string();
    expect!["CSR read at 0x0014: response 2 (2 = SLVERR, 3 = DECERR)"].assert_eq(&text(bench.rig.csr_read(0x14)));
    expect!["CSR write at 0x0014: response 2 (2 = SLVERR, 3 = DECERR)"]
        .assert_eq(&text(bench.rig.csr_write(0x14, 0).map(|()| 0)));
    expect!["CSR read at 0xff00: no answer in 10000 cycles, waiting for ARREADY"]
        .assert_eq(&text(bench.rig.csr_read(0xff00)));
    assert_eq!(bench.rig.csr_read(0x10).unwrap(), 0xdead_beef);
}
