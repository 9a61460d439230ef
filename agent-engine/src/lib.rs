//! Decisions of agent-host: what a model can find, switch on and call, and who said yes.
//!
//! Is: the engine as a library, from catalog to call. Is not: anything that opens a socket or a file (I-9); a host gives
//! it a ledger, a tool host, a clock and entropy.
//!
//! An agent in Rust uses it alone, in five steps; `examples/in_process.rs` plays them whole.
//!
//! 1. Bring the [`engine::Parts`]: a [`ledger::Ledger`] (or [`ledger::MemoryLedger`]), a [`call::ToolHost`] that runs the
//!    tools, a clock, entropy, and a [`policy::Policy`].
//! 2. [`engine::build`] gives two faces. The [`engine::Front`] is for the model's side: it opens sessions, lists, asks and
//!    calls. The [`desk::Desk`] is for who is entitled to say yes. Neither can do the other's part.
//! 3. [`catalog::assemble`] judges raw definitions; [`desk::Desk::publish`] puts the snapshot in force.
//! 4. Give the model [`engine::Front::surface`] through a [`shape`], and every call it makes to [`engine::Front::call`]. A
//!    [`builtins::Reply::Waiting`] is a question for a person: show it, and bring the answer to [`desk::Desk::answer`].
//! 5. Call [`desk::Desk::tick`] every second or so.

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
pub mod inquiry;
pub mod ledger;
pub mod policy;
pub mod projection;
pub mod request;
pub mod revocation;
pub mod schema;
pub mod search;
pub mod session;
pub mod shape;
mod standing;
mod sync;
mod table;
pub mod testing;
pub mod token;
pub mod view;
