// What Rust sees of a loaded design. Every C++ exception becomes a Rust error.
#pragma once
#include "model.h"
#include "rust/cxx.h"
#include <memory>

namespace sagen {

struct PortEntry;

std::unique_ptr<Model> load_model(rust::Str library, std::uint32_t seed);
rust::Vec<PortEntry> port_table(const Model& model);
void replay(const Model& model, rust::Slice<const std::uint8_t> stimulus, std::uint64_t cycles);
void trace_open(const Model& model, rust::Str path);

}  // namespace sagen
