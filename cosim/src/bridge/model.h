// The one interface between the bridge and every Verilated design.
// It is compiled twice: into this crate, and into each design's shared object.
// Methods are const because the state belongs to the design that a Model points to.
#pragma once
#include <cstddef>
#include <cstdint>

namespace sagen {

struct PortDesc {
    const char* name;
    void* data;
    std::uint32_t width;
    bool input;
};

class Model {
  public:
    virtual ~Model() = default;
    virtual void eval() const = 0;
    virtual void finish() const = 0;
    virtual const PortDesc* ports() const = 0;
    virtual std::size_t port_count() const = 0;
    // Drives every input except the clock from `stimulus`: all inputs of one cycle, in port order, each as wide as its
    // storage, then the next cycle.
    virtual void replay(const std::uint8_t* stimulus, std::uint64_t cycles) const = 0;
    virtual bool can_trace() const = 0;
    virtual void trace_open(const char* path) const = 0;
    virtual void trace_dump(std::uint64_t time) const = 0;
    virtual void trace_close() const = 0;
};

// What a shared object exports as `sagen_create_model`.
using CreateModel = Model*(std::uint32_t seed);

}  // namespace sagen
