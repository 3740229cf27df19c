//! Random overlays: legal ones are accepted, and one illegal field is refused by its name and the rule.

mod rig;

use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use rig::boards;
use sagen_streamed_arch::StreamedFile;
use sagen_streamed_fuzz::config::{named, random_overlay};

/// Field, a value that it must never have, and a part of the rule that has to be told.
type Fault = (&'static str, fn(&mut StreamedFile, u32), &'static str);

/// `n` is any number of 0..=255; each entry makes an illegal value of it.
const FAULTS: [Fault; 19] = [
    ("clock_mhz", |f, n| f.clock_mhz = n % 10, "is outside 10..=300"),
    ("clock_mhz", |f, n| f.clock_mhz = 301 + n, "is outside 10..=300"),
    ("clock_mhz", |f, n| f.clock_mhz = 290 + n % 10, "cannot make it; the nearest clocks are"),
    ("array.side", |f, n| f.array.side = 64 + n, "is not one of 8, 16, 32"),
    ("array.side", |f, n| f.array.side = n % 8, "is not one of 8, 16, 32"),
    ("array.count", |f, n| f.array.count = 5 + n, "is not one of 1, 2, 4"),
    ("array.count", |f, n| f.array.count = 3 * (n % 2), "is not one of 1, 2, 4"),
    ("ports.width", |f, n| f.ports.width = n % 32, "is not one of 32, 64, 128"),
    ("ports.width", |f, n| f.ports.width = 129 + n, "is not one of 32, 64, 128"),
    ("ports.stream", |f, n| f.ports.stream = 5 + n, "is not one of 1, 2, 4"),
    ("ports.stream", |f, _| (f.ports.stream, f.ports.total) = (4, 3), "is more than ports.total = 3"),
    ("ports.total", |f, n| f.ports.total = 9 + n, "is outside 1..=8"),
    ("ports.total", |f, _| (f.ports.stream, f.ports.total) = (2, 5), "leaves 1 port(s) unused"),
    ("vector_lanes", |f, n| f.vector_lanes = 17 + n, "is not one of 4, 8, 16"),
    ("vector_lanes", |f, n| f.vector_lanes = n % 4, "is not one of 4, 8, 16"),
    ("prefetch_bytes", |f, n| f.prefetch_bytes = n, "is outside 4096..="),
    ("prefetch_bytes", |f, n| f.prefetch_bytes = 4097 + n, "must be a power of two"),
    ("scratchpad.vector_words", |f, n| f.scratchpad.vector_words = 1025 + n, "must be a multiple of 512"),
    ("scratchpad.code_words", |f, n| f.scratchpad.code_words = n, "is outside 256..="),
];

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 200,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(1),
        ..ProptestConfig::default()
    })]

    #[test]
    fn an_illegal_field_is_refused_with_its_name_and_the_rule(seed: u64, fault in 0..FAULTS.len(), n in 0u32..256) {
        let boards = boards();
        let overlay = random_overlay(seed, &boards);
        let (field, change, rule) = FAULTS[fault];
        let mut file = overlay.file().clone();
        change(&mut file, n);
        let error = named(file, overlay.board()).expect_err(field).to_string();
        prop_assert!(error.starts_with(field) && error.contains(rule), "{field}: {error}");
    }

    #[test]
    fn a_legal_overlay_keeps_its_rules(seed: u64) {
        let o = random_overlay(seed, &boards());
        prop_assert_eq!(&o, &random_overlay(seed, &boards()));
        prop_assert!(o.beat_bytes() <= 64 && 64 % o.beat_bytes() == 0, "beat {}", o.beat_bytes());
        prop_assert!(o.data_port() < o.ports() && o.command_port() < o.ports());
        prop_assert!(o.stream_ports() <= o.ports() && o.ports() <= o.board().ports.len());
        prop_assert!(o.prefetch_beats() * o.beat_bytes() == o.file().prefetch_bytes as usize);
        prop_assert_eq!(o.deep_pipeline(), o.clock_mhz() > 125);
        let clock = o.board().fabric_clock.nearest(1000 * o.clock_mhz()).expect("the board makes the clock");
        prop_assert!(clock.abs_diff(1000 * o.clock_mhz()) <= o.clock_mhz());
    }
}
