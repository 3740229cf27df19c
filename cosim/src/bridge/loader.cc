#include "loader.h"

#include "sagen-cosim/src/bridge/ffi.rs.h"

#include <dlfcn.h>
#include <stdexcept>
#include <string>

namespace sagen {

// The handle is never closed: Verilator's run time registers thread-local destructors that must outlive the model.
std::unique_ptr<Model> load_model(rust::Str library, std::uint32_t seed) {
    const std::string path{library};
    void* const handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle) throw std::runtime_error(dlerror());
    void* const symbol = dlsym(handle, "sagen_create_model");
    if (!symbol) throw std::runtime_error(dlerror());
    return std::unique_ptr<Model>{reinterpret_cast<CreateModel*>(symbol)(seed)};
}

rust::Vec<PortEntry> port_table(const Model& model) {
    rust::Vec<PortEntry> table;
    for (std::size_t i = 0; i < model.port_count(); ++i) {
        const PortDesc& port = model.ports()[i];
        table.push_back(
            PortEntry{port.name, reinterpret_cast<std::size_t>(port.data), port.width, port.input});
    }
    return table;
}

void replay(const Model& model, rust::Slice<const std::uint8_t> stimulus, std::uint64_t cycles) {
    model.replay(stimulus.data(), cycles);
}

void trace_open(const Model& model, rust::Str path) { model.trace_open(std::string{path}.c_str()); }

}  // namespace sagen
