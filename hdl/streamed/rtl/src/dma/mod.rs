//! What moves data between DDR and the overlay.

pub mod load;
mod offset;
pub mod store;
pub mod stream;

#[cfg(test)]
mod tests;
