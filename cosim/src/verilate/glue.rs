//! The C++ that makes a Verilated class a `Model`.

use super::design::{Design, Direction, TopPort};
use super::{Variant, XInitial};
use crate::bridge::storage_bytes;
use std::fmt::Write;

/// Class name given to Verilator.
pub(super) const CLASS: &str = "Vdesign";

/// The interface, as the bridge compiles it.
pub(super) const MODEL_H: &str = include_str!("../bridge/model.h");

const HEAD: &str = r#"
#include "sagen_model.h"
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>

void vl_fatal(const char* file, int line, const char*, const char* message) {
    throw std::runtime_error(std::string{file} + ":" + std::to_string(line) + ": " + message);
}
void vl_stop(const char* file, int line, const char* scope) {
    vl_fatal(file, line, scope, "the design executed $stop or a failing assertion");
}

namespace {

class Design final : public sagen::Model {
    std::unique_ptr<VerilatedContext> context_{new VerilatedContext};
    std::unique_ptr<Vdesign> top_;
"#;

const BODY: &str = r#"
    void eval() const override { top_->eval(); }
    void finish() const override { top_->final(); }
    const sagen::PortDesc* ports() const override { return ports_; }
    std::size_t port_count() const override { return sizeof ports_ / sizeof *ports_; }
"#;

const TRACE: &str = r#"
    mutable std::unique_ptr<VerilatedFstC> trace_;
    bool can_trace() const override { return true; }
    void trace_open(const char* path) const override {
        trace_.reset(new VerilatedFstC);
        top_->trace(trace_.get(), 99);
        trace_->open(path);
        if (!trace_->isOpen()) throw std::runtime_error(std::string{path} + ": cannot open the trace");
    }
    void trace_dump(std::uint64_t time) const override { trace_->dump(time); }
    void trace_close() const override { trace_->close(); }
"#;

const NO_TRACE: &str = r#"
    bool can_trace() const override { return false; }
    void trace_open(const char*) const override {}
    void trace_dump(std::uint64_t) const override {}
    void trace_close() const override {}
"#;

const TAIL: &str = r#"
};

}  // namespace

extern "C" __attribute__((visibility("default"))) sagen::Model* sagen_create_model(std::uint32_t seed) {
    return new Design{seed};
}
"#;

/// The glue proper; `includes` goes before it.
pub(super) fn source(design: &Design, variant: Variant) -> String {
    let mut s = String::new();
    if variant.trace {
        s.push_str("#include \"verilated_fst_c.h\"\n");
    }
    s.push_str(HEAD);
    push_port_table(&mut s, &design.ports);
    push_constructor(&mut s, &design.ports, variant);
    s.push_str(BODY);
    push_replay(&mut s, &design.ports);
    s.push_str(if variant.trace { TRACE } else { NO_TRACE });
    s.push_str(TAIL);
    s
}

/// Everything Verilator wrote, in one translation unit.
pub(super) fn includes(generated: &[String]) -> String {
    generated.iter().map(|name| format!("#include \"{name}\"\n")).collect()
}

fn push_port_table(s: &mut String, ports: &[TopPort]) {
    writeln!(s, "    sagen::PortDesc ports_[{}];", ports.len()).expect("writing to a String");
}

fn push_constructor(s: &mut String, ports: &[TopPort], variant: Variant) {
    s.push_str("\n  public:\n    explicit Design(std::uint32_t seed) {\n");
    s.push_str("        context_->randSeed(static_cast<int>(seed & 0x7fffffff));\n");
    if variant.x_initial == XInitial::Unique {
        s.push_str("        context_->randReset(2);\n");
    }
    if variant.trace {
        s.push_str("        context_->traceEverOn(true);\n");
    }
    s.push_str("        top_.reset(new Vdesign{context_.get()});\n");
    for (i, port) in ports.iter().enumerate() {
        let TopPort { name, width, direction } = port;
        let input = *direction == Direction::Input;
        let line = format!(
            "        static_assert(sizeof top_->{name} == {}, \"width of {name}\");\n        \
             ports_[{i}] = {{\"{name}\", &top_->{name}, {width}, {input}}};\n",
            storage_bytes(*width)
        );
        s.push_str(&line);
    }
    for port in ports.iter().filter(|p| p.direction == Direction::Input) {
        writeln!(s, "        std::memset(&top_->{0}, 0, sizeof top_->{0});", port.name).expect("writing to a String");
    }
    s.push_str("    }\n");
}

/// Straight-line code, so that the loop is as bare as a hand-written one.
fn push_replay(s: &mut String, ports: &[TopPort]) {
    s.push_str("\n    void replay(const std::uint8_t* p, std::uint64_t cycles) const override {\n");
    s.push_str("        for (std::uint64_t i = 0; i < cycles; ++i) {\n");
    for port in ports {
        if port.direction == Direction::Input && port.name != "clk" {
            let (name, bytes) = (&port.name, storage_bytes(port.width));
            let line = format!("            std::memcpy(&top_->{name}, p, {bytes});\n            p += {bytes};\n");
            s.push_str(&line);
        }
    }
    s.push_str("            top_->clk = 0;\n            top_->eval();\n");
    s.push_str("            top_->clk = 1;\n            top_->eval();\n        }\n    }\n");
}
