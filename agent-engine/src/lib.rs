//! Decisions of agent-host: what a model can find, switch on and call, and who said yes.
//!
//! Is: the engine as a library, from catalog to call. Is not: anything that opens a socket or a file (I-9); a host gives
//! it a ledger, a tool host, a clock and entropy. Start at `engine::build`.

pub mod call;
pub mod catalog;
pub mod index;
pub mod ledger;
pub mod search;
mod sync;
