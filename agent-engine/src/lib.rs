//! Decisions of agent-host: what a model can find, switch on and call, and who said yes.
//!
//! Is: the engine as a library, from catalog to call. Is not: anything that opens a socket or a file (I-9); a host gives
//! it a ledger, a tool host, a clock and entropy. Start at `engine::build`.

pub mod activation;
pub mod authority;
pub mod builtins;
pub mod call;
mod carry;
pub mod catalog;
pub mod desk;
pub mod engine;
pub mod gate;
pub mod grant;
pub mod index;
pub mod ledger;
pub mod policy;
pub mod projection;
pub mod request;
pub mod revocation;
pub mod search;
pub mod session;
pub mod shape;
mod standing;
mod sync;
pub mod testing;
pub mod view;
