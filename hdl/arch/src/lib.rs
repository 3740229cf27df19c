//! Overlay configuration, memory map, program and device.
