//! Faults that must be noticed: one line of the Verilog is changed, and random programs must fail. A checker that
//! lets one of these pass would let real faults pass.

mod overlay;

use sagen_cosim::verilate::Variant;

/// Programs that a fault may survive at most.
const PROGRAMS: u64 = 60;
const CONFIG: &str = "d8_100mhz";

/// Replace `from` by `to` in one file of the overlay; the error of the first program that fails.
fn caught(name: &str, file: &str, from: &str, to: &str) -> String {
    let o = overlay::overlay(CONFIG);
    let (folder, ports) = overlay::emit(&o, name);
    let path = folder.join("rtl").join(file);
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.contains(from), "{file} no longer contains `{from}`");
    std::fs::write(&path, text.replace(from, to)).unwrap();
    let built = overlay::simulator(&folder, &ports, Variant::default());
    let failure =
        (1..=PROGRAMS).find_map(|seed| overlay::run(&built.library, &o, &overlay::program(&o, seed), seed).err());
    failure.unwrap_or_else(|| panic!("{PROGRAMS} random programs passed on the mutant {name}")).to_string()
}

#[test]
fn a_wrong_constant_is_caught() {
    // The least code becomes -126.
    let error = caught("constant", "vector_lane.v", "8'sd129", "8'sd130");
    assert!(error.contains("golden"), "{error}");
}

#[test]
fn a_wrong_rounding_rule_is_caught() {
    // Just below a half rounds up no more.
    let error = caught("rounding", "requant_lane.v", "50'sh0000000002000", "50'sh0000000001fff");
    assert!(error.contains("golden"), "{error}");
}

#[test]
fn a_fifo_that_is_too_shallow_is_caught() {
    // More descriptors are asked for than the queue holds.
    let error = caught("depth", "fetch_unit.v", "room <= 7'd64;", "room <= 7'd127;");
    assert!(error.contains("hangs") || error.contains("golden") || error.contains("overlay reports"), "{error}");
}

#[test]
fn a_wrong_axi_length_is_caught() {
    // Every burst asks for one beat too many.
    let error = caught("length", "bursts_8b_64x_9.v", "assign len = _n11[7:0];", "assign len = length[7:0];");
    assert!(error.contains("AR burst of") && error.contains("crosses a 4 KiB boundary"), "{error}");
}
