//! What goes wrong around the overlay: a reset in mid-program, error responses, wrong descriptors. Whatever it was, the
//! next program must run with golden's bits. `docs/reliability.md` lists the cases.

mod overlay;

use overlay::number;
use sagen_cosim::axi::{Access, Failure, Profile, Response};
use sagen_cosim::streamed::device::{Check, RtlDevice};
use sagen_cosim::verilate::{Built, Variant};
use sagen_streamed_arch::{Device, DeviceError, StreamedConfig};
use sagen_streamed_fuzz::program::RandomProgram;
use sagen_streamed_isa::protocol::{self, State};
use sagen_streamed_isa::{Csr, DESCRIPTOR_BYTES, ErrorSource, LAYOUTS};

/// One port that everything shares, and six ports.
const OVERLAYS: [&str; 2] = ["d8_50mhz", "d16_100mhz_w128_p6"];

fn simulator(o: &StreamedConfig) -> Built {
    let (folder, ports) = overlay::emit(o, "reliability");
    overlay::simulator(&folder, &ports, Variant::default())
}

fn device(built: &Built, o: &StreamedConfig, profile: Profile) -> RtlDevice {
    RtlDevice::new(&built.library, o, profile, Check::Descriptor)
}

fn set_registers(device: &mut RtlDevice, random: &RandomProgram) -> Result<(), DeviceError> {
    random.registers.iter().try_for_each(|(index, value)| device.set_register(*index, *value))
}

/// Gives the device the program and runs it.
fn next_program(device: &mut RtlDevice, random: &RandomProgram) -> Result<(), DeviceError> {
    device.reload(&random.program)?;
    set_registers(device, random)?;
    device.run(&random.routine).map(|_| ())
}

/// Starts a program and leaves it alone after so many cycles.
fn begin(device: &mut RtlDevice, random: &RandomProgram, cycles: u64) {
    device.load(&random.program).unwrap();
    set_registers(device, random).unwrap();
    let rig = device.rig().unwrap();
    protocol::start(rig, random.routine.address, random.routine.steps.len() as u32).unwrap();
    rig.run(cycles).unwrap();
}

#[test]
fn a_reset_in_mid_program_leaves_nothing_behind_that_the_next_program_sees() {
    for name in OVERLAYS {
        let o = overlay::overlay(name);
        let built = simulator(&o);
        for seed in 1..=number("SAGEN_PROGRAMS", 24) {
            let (first, second) = (overlay::program(&o, seed), overlay::program(&o, seed + 1000));
            let mut device = device(&built, &o, if seed % 3 == 0 { Profile::Board } else { Profile::Random(seed) });
            let cycles = seed * 7919 % 2500;
            begin(&mut device, &first, cycles);
            let reset = device.reset();
            reset
                .and_then(|()| next_program(&mut device, &second))
                .unwrap_or_else(|e| panic!("{name}, seed {seed}, reset after {cycles} cycles: {e}"));
        }
    }
}

/// Every channel of the overlay's ports.
fn channels(o: &StreamedConfig) -> Vec<(usize, Access)> {
    let reads = (0..o.ports()).map(|port| (port, Access::Read));
    reads.chain([(o.data_port(), Access::Write)]).collect()
}

/// Who may report a bad response on a channel.
fn sources(o: &StreamedConfig, (port, access): (usize, Access)) -> Vec<ErrorSource> {
    let reads = [
        (o.command_port() == port, ErrorSource::Fetch),
        (o.data_port() == port, ErrorSource::Load),
        (port < o.stream_ports(), ErrorSource::Stream),
    ];
    match access {
        Access::Write => vec![ErrorSource::Store],
        Access::Read => reads.into_iter().filter(|(there, _)| *there).map(|(_, source)| source).collect(),
    }
}

/// Runs a program with this failure, then another; whether the first one failed as it should.
fn failing(built: &Built, o: &StreamedConfig, failure: Failure, seed: u64) -> bool {
    let (first, second) = (overlay::program(o, seed), overlay::program(o, seed + 1000));
    let profile = if seed.is_multiple_of(2) { Profile::Board } else { Profile::Random(seed) };
    let mut device = device(built, o, profile);
    device.load(&first.program).unwrap();
    device.rig().unwrap().memory_mut().fail(failure).unwrap();
    set_registers(&mut device, &first).unwrap();
    let outcome = device.run(&first.routine);
    let happened = device.rig().unwrap().memory_mut().end_failures();
    let allowed = sources(o, (failure.port, failure.access));
    match &outcome {
        Ok(_) => assert!(!happened, "{failure}, seed {seed}: nobody noticed"),
        Err(DeviceError::Failed(text)) => {
            let reported = allowed.iter().any(|source| text.contains(source.describe()));
            assert!(reported, "{failure}, seed {seed}: {text}");
        }
        Err(other) => panic!("{failure}, seed {seed}: {other}"),
    }
    next_program(&mut device, &second).unwrap_or_else(|e| panic!("after {failure}, seed {seed}: {e}"));
    outcome.is_err()
}

#[test]
fn every_error_response_on_every_port_is_reported_and_the_next_program_runs() {
    for name in OVERLAYS {
        let o = overlay::overlay(name);
        let built = simulator(&o);
        for (port, access) in channels(&o) {
            let mut failed = 0;
            for response in [Response::Slave, Response::Decode] {
                for (after, seed) in [(0, 5), (1, 6), (3, 7), (7, 8)] {
                    failed += u32::from(failing(&built, &o, Failure { port, access, after, response }, seed));
                }
            }
            assert!(failed > 0, "{name}: no burst of port m{port} ever failed");
        }
    }
}

#[test]
fn random_programs_with_one_random_error_response_end_and_the_next_program_runs() {
    let o = overlay::overlay(OVERLAYS[0]);
    let built = simulator(&o);
    let failed = (1..=number("SAGEN_PROGRAMS", 40))
        .filter(|seed| failing(&built, &o, Failure::random(*seed, &channels(&o)), *seed));
    assert!(failed.count() > 10);
}

#[test]
fn an_unknown_opcode_ends_the_program_and_nothing_after_it_is_handed_out() {
    let o = overlay::overlay(OVERLAYS[0]);
    let built = simulator(&o);
    let unknown = |opcode: &u8| LAYOUTS.iter().all(|layout| layout.opcode as u8 != *opcode);
    for (seed, opcode) in (1..).zip((0..=0xff).step_by(15).filter(unknown)) {
        let (mut first, second) = (overlay::program(&o, seed), overlay::program(&o, seed + 1000));
        let steps = first.routine.steps.len() as u64;
        let wrong = seed * 37 % steps;
        let descriptors = first.program.image.iter_mut().find(|s| s.base == first.routine.address).unwrap();
        descriptors.bytes[wrong as usize * DESCRIPTOR_BYTES] = opcode;
        let mut device = RtlDevice::new(&built.library, &o, Profile::Random(seed), Check::End);
        device.load(&first.program).unwrap();
        set_registers(&mut device, &first).unwrap();
        let error = device.run(&first.routine).unwrap_err().to_string();
        let text = format!("the overlay reports: unknown opcode, after {wrong} descriptors were fetched");
        assert_eq!(error, text, "seed {seed}");
        assert_eq!(device.rig().unwrap().csr_read(Csr::Fetched.offset() as u16).unwrap(), wrong as u32);
        next_program(&mut device, &second).unwrap_or_else(|e| panic!("seed {seed}: {e}"));
    }
}

#[test]
fn a_drain_in_mid_program_brings_the_overlay_back() {
    for name in OVERLAYS {
        let o = overlay::overlay(name);
        let built = simulator(&o);
        for seed in 1..=number("SAGEN_PROGRAMS", 24) {
            let (first, second) = (overlay::program(&o, seed), overlay::program(&o, seed + 2000));
            let mut device = device(&built, &o, if seed % 3 == 0 { Profile::Ideal } else { Profile::Random(seed) });
            let cycles = seed * 6007 % 2500;
            begin(&mut device, &first, cycles);
            let drained = device.drain();
            drained
                .and_then(|()| next_program(&mut device, &second))
                .unwrap_or_else(|e| panic!("{name}, seed {seed}, drained after {cycles} cycles: {e}"));
        }
    }
}

#[test]
fn a_start_in_mid_program_changes_nothing() {
    let o = overlay::overlay(OVERLAYS[0]);
    let built = simulator(&o);
    let random = overlay::program(&o, 4);
    let mut device = device(&built, &o, Profile::Board);
    let length = random.routine.steps.len() as u32;
    begin(&mut device, &random, 300);
    let rig = device.rig().unwrap();
    protocol::start(rig, 0, 1).unwrap();
    let state = (0..200_000).map(|_| protocol::poll(rig).unwrap()).find(|state| *state != State::Running);
    assert_eq!(state, Some(State::Done));
    assert_eq!(rig.csr_read(Csr::Fetched.offset() as u16).unwrap(), length);
}

#[test]
fn programs_follow_each_other_on_one_device() {
    for name in OVERLAYS {
        let o = overlay::overlay(name);
        let built = simulator(&o);
        let mut device = device(&built, &o, Profile::Random(11));
        let programs: Vec<RandomProgram> = (1..=12).map(|seed| overlay::program(&o, seed)).collect();
        device.load(&programs[0].program).unwrap();
        for (i, random) in programs.iter().enumerate() {
            next_program(&mut device, random).unwrap_or_else(|e| panic!("{name}, program {i}: {e}"));
        }
    }
}
