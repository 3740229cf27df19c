//! Compiles the cxx bridge and the loader of Verilated designs.

fn main() {
    cxx_build::bridge("src/bridge/ffi.rs")
        .file("src/bridge/loader.cc")
        .std("c++17")
        .opt_level(2)
        .compile("sagen-cosim-bridge");
    println!("cargo:rustc-link-lib=dl");
    for file in ["ffi.rs", "loader.cc", "loader.h", "model.h"] {
        println!("cargo:rerun-if-changed=src/bridge/{file}");
    }
}
