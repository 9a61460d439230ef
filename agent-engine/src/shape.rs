//! Wire shapes: pure functions from neutral values to JSON, one module per wire.
//!
//! Is not: a transport. Clauses: BLT-1.

#[cfg(feature = "mcp")]
pub mod mcp;
