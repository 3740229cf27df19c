//! The movers build on every kind of overlay.

use crate::testing::overlay;
use sagen_lang::Design;

#[test]
fn every_mover_builds_on_every_overlay() {
    for name in ["d16_100mhz_w128_p6", "d16_100mhz_w128_p6_a4", "d8_100mhz"] {
        let overlay = overlay(name);
        let mut d = Design::new();
        super::stream::stream_unit(&mut d, &overlay);
        super::load::load_unit(&mut d, &overlay);
        super::store::store_unit(&mut d, &overlay);
        super::arbiter::read_arbiter(&mut d, 3, overlay.port_bytes() as u32);
        crate::control::fetch::fetch_unit(&mut d, &overlay);
        crate::control::scheduler::scheduler(&mut d);
        crate::memory::scratchpad::scratchpad(&mut d, &overlay);
        crate::memory::code_memory::code_memory(&mut d, &overlay);
        crate::memory::scale_file::scale_file(&mut d);
        let identity = crate::control::csr::Identity { build_hash: 1, geometry: 2 };
        crate::control::csr::csr_block(&mut d, identity);
        d.finish().unwrap_or_else(|e| panic!("{name}: {e}"));
    }
}
