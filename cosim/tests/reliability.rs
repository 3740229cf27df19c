//! What goes wrong around the overlay: a reset in mid-program, error responses, wrong descriptors. Whatever it was, the
//! next program must run with golden's bits. `docs/reliability.md` lists the cases.

mod overlay;

use overlay::number;
use sagen_cosim::axi::Profile;
use sagen_cosim::streamed::device::{Check, RtlDevice};
use sagen_cosim::verilate::{Built, Variant};
use sagen_streamed_arch::{Device, DeviceError, StreamedConfig};
use sagen_streamed_fuzz::program::RandomProgram;
use sagen_streamed_isa::protocol;

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
            reset.and_then(|()| next_program(&mut device, &second))
                .unwrap_or_else(|e| panic!("{name}, seed {seed}, reset after {cycles} cycles: {e}"));
        }
    }
}
