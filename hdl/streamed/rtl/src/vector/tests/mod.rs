//! The unit against the golden machine and the golden case lists.

mod bench;
mod cases;
mod lint;
mod programs;
mod timing;
