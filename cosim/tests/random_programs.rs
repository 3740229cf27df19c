//! Random programs on every overlay's RTL, compared with golden after every descriptor.
//! `SAGEN_PROGRAMS` sets how many in all, `SAGEN_SEED` where the seeds begin.

mod overlay;

use overlay::number;
use sagen_cosim::verilate::{Variant, XInitial};

#[test]
fn random_programs_leave_the_same_bits_in_rtl_and_golden() {
    let (programs, first) = (number("SAGEN_PROGRAMS", 1000), number("SAGEN_SEED", 1));
    let configs = overlay::configs();
    for (i, name) in configs.iter().enumerate() {
        let o = overlay::overlay(name);
        let (folder, ports) = overlay::emit(&o, "random");
        // Power-up values differ from seed to seed, so that a missing reset shows.
        let variant = Variant { x_initial: XInitial::Unique, assertions: true, ..Variant::default() };
        let built = overlay::simulator(&folder, &ports, variant);
        let seeds = (first..first + programs).filter(|s| *s as usize % configs.len() == i);
        println!("{name}: {} programs from seed {first}", seeds.clone().count());
        for seed in seeds {
            let random = overlay::program(&o, seed);
            let Err(error) = overlay::run(&built.library, &o, &random, seed) else { continue };
            let small = random.shrink(|r| overlay::run(&built.library, &o, r, seed).is_err());
            let again = overlay::run(&built.library, &o, &small, seed).unwrap_err();
            let steps: Vec<String> = small.routine.steps.iter().map(|s| format!("{:?}", s.descriptor)).collect();
            panic!(
                "{name}, seed {seed}: {error}\nshrunken to {} actions: {again}\n{}",
                small.actions(),
                steps.join("\n")
            );
        }
    }
}
