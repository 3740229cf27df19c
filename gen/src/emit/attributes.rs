//! Attributes on the ports of the synthesis top, by which Vivado knows its interfaces when it is placed in a block design
//! as a module, without being packaged: which port is which signal of which bus, the clock of the buses, the reset's
//! polarity.

use sagen_lang::Design;
use sagen_overlay::{Interface, InterfaceKind, Overlay};

const SIGNAL: &str = "X_INTERFACE_INFO";
const PARAMETERS: &str = "X_INTERFACE_PARAMETER";

/// Put them on the synthesis top.
pub(super) fn annotate(design: &mut Design, overlay: &Overlay) {
    let top = design.lookup(&overlay.top).expect("the synthesis top was just built");
    let buses: Vec<&str> = overlay.interfaces.iter().map(|i| i.name.as_str()).collect();
    design.attribute(top, "clk", SIGNAL, "xilinx.com:signal:clock:1.0 clk CLK");
    let clock = format!("XIL_INTERFACENAME clk, ASSOCIATED_BUSIF {}, ASSOCIATED_RESET rst", buses.join(":"));
    design.attribute(top, "clk", PARAMETERS, &clock);
    design.attribute(top, "rst", SIGNAL, "xilinx.com:signal:reset:1.0 rst RST");
    design.attribute(top, "rst", PARAMETERS, "XIL_INTERFACENAME rst, POLARITY ACTIVE_HIGH");
    let ports: Vec<String> = design.ports(top).iter().map(|p| p.name.clone()).collect();
    for interface in &overlay.interfaces {
        let signals = ports.iter().filter_map(|p| Some((p, interface.signal(p)?.to_uppercase())));
        for (i, (port, signal)) in signals.enumerate() {
            let bus = format!("xilinx.com:interface:aximm:1.0 {} {signal}", interface.name);
            design.attribute(top, port, SIGNAL, &bus);
            // Those of the bus stand at one of its ports.
            if i == 0 {
                design.attribute(top, port, PARAMETERS, &parameters(interface));
            }
        }
    }
}

fn parameters(interface: &Interface) -> String {
    let (protocol, mode) = match &interface.kind {
        InterfaceKind::Registers => ("AXI4LITE", "READ_WRITE"),
        InterfaceKind::Memory(master) => ("AXI4", if master.writes { "READ_WRITE" } else { "READ_ONLY" }),
    };
    let bits = interface.bits;
    let fixed =
        format!("XIL_INTERFACENAME {}, DATA_WIDTH {bits}, PROTOCOL {protocol}, READ_WRITE_MODE {mode}", interface.name);
    interface.parameters().into_iter().fold(fixed, |text, (name, value)| format!("{text}, {name} {value}"))
}
