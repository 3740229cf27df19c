//! What moves data between DDR and the overlay.

pub mod load;
mod offset;
pub mod store;
pub mod stream;

#[cfg(test)]
mod tests;

// What compilers align regions to is what bursts do not cross.
const _: () = assert!(sagen_blocks::axi::PAGE_BYTES as u64 == sagen_streamed_isa::PAGE_BYTES);
