//! One name registry per module: ports, nets, registers, memories, instances and state constants share it.

use crate::errors::Problem;
use std::collections::BTreeMap;

/// Reserved in Verilog-2001 and SystemVerilog (Verilator reads SystemVerilog).
const VERILOG: &str = "accept_on alias always always_comb always_ff always_latch and assert assign assume automatic \
before begin bind bins binsof bit break buf bufif0 bufif1 byte case casex casez cell chandle checker class clocking \
cmos config const constraint context continue cover covergroup coverpoint cross deassign default defparam design \
disable dist do edge else end endcase endchecker endclass endclocking endconfig endfunction endgenerate endgroup \
endinterface endmodule endpackage endprimitive endprogram endproperty endspecify endsequence endtable endtask enum \
event eventually expect export extends extern final first_match for force foreach forever fork forkjoin function \
generate genvar global highz0 highz1 if iff ifnone ignore_bins illegal_bins implements implies import incdir include \
initial inout input inside instance int integer interconnect interface intersect join join_any join_none large let \
liblist library local localparam logic longint macromodule matches medium modport module nand negedge nettype new \
nexttime nmos nor noshowcancelled not notif0 notif1 null or output package packed parameter pmos posedge primitive \
priority program property protected pull0 pull1 pulldown pullup pulsestyle_ondetect pulsestyle_onevent pure rand \
randc randcase randsequence rcmos real realtime ref reg reject_on release repeat restrict return rnmos rpmos rtran \
rtranif0 rtranif1 s_always s_eventually s_nexttime s_until s_until_with scalared sequence shortint shortreal \
showcancelled signed small soft solve specify specparam static string strong strong0 strong1 struct super supply0 \
supply1 sync_accept_on sync_reject_on table tagged task this throughout time timeprecision timeunit tran tranif0 \
tranif1 tri tri0 tri1 triand trior trireg type typedef union unique unique0 unsigned until until_with untyped use \
uwire var vectored virtual void wait wait_order wand weak weak0 weak1 while wildcard wire with within wor xnor xor";

/// Reserved in C++ (ports become members of the simulation model) and not already in Verilog.
const CPP: &str = "alignas alignof and_eq asm auto bitand bitor bool catch char char8_t char16_t char32_t co_await \
co_return co_yield compl concept const_cast consteval constexpr constinit decltype delete double dynamic_cast \
explicit false float friend goto inline long mutable namespace noexcept not_eq nullptr operator or_eq private public \
register reinterpret_cast requires short sizeof static_assert static_cast switch template thread_local throw true \
try typeid typename using volatile wchar_t xor_eq";

/// Taken names of one module, each with what holds it.
#[derive(Debug)]
pub(crate) struct Names(BTreeMap<String, &'static str>);

impl Names {
    /// A registry in which the implicit clock and reset are taken.
    pub(crate) fn new() -> Names {
        Names(BTreeMap::from([("clk".into(), "the clock"), ("rst".into(), "the reset")]))
    }

    /// Takes `name` for a `kind` ("input", "register", ...).
    pub(crate) fn take(&mut self, name: &str, kind: &'static str) -> Result<(), Problem> {
        check(name)?;
        match self.0.insert(name.into(), kind) {
            None => Ok(()),
            Some(holder) => {
                let reason = format!("({kind}) is already taken by {holder}");
                Err(Problem::Name { name: name.into(), reason })
            }
        }
    }

    /// Takes `base`, or `base` with the first free number.
    pub(crate) fn free(&mut self, base: &str, kind: &'static str) -> String {
        let candidates = std::iter::once(base.to_string()).chain((1..).map(|i| format!("{base}{i}")));
        let name = candidates.into_iter().find(|n| !self.0.contains_key(n)).expect("numbers never run out");
        self.0.insert(name.clone(), kind);
        name
    }
}

/// Whether `name` is an identifier that every tool accepts as it is.
pub(crate) fn check(name: &str) -> Result<(), Problem> {
    let refuse = |reason: &str| Err(Problem::Name { name: name.into(), reason: reason.into() });
    let starts_well = name.starts_with(|c: char| c.is_ascii_alphabetic());
    let plain = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if !starts_well || !plain || name.contains("__") {
        return refuse("must be a letter followed by letters, digits and single underscores");
    }
    let listed = |words: &str| words.split_whitespace().any(|w| w == name);
    match (listed(VERILOG), listed(CPP)) {
        (true, _) => refuse("is a Verilog keyword"),
        (_, true) => refuse("is a C++ keyword"),
        _ => Ok(()),
    }
}
