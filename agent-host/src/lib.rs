//! The world round the engine: its store, its clock and its randomness.

pub mod store;
pub mod system;
