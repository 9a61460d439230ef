//! The operator's API over TCP: the requests of the socket as `POST /api/v1/<do>`, after a login.
//!
//! Is: a table of what can be asked, the document that says so, routes on the console's address, and the end that
//! `agent-host --at` speaks. Is not: another set of handlers; `admin` has the one there is. A client's MCP token is worth nothing
//! here, and neither is a cookie. Clause: HOST-3 (login). Invariant: I-9.
//! Neighbours: `console` listens and keeps the logins, `cli` asks.

mod document;
mod far;
mod login;
mod operation;

pub use document::DOCUMENT;
#[cfg(feature = "schema")]
pub use document::generate;
pub(crate) use far::{Far, NoAnswer, address};
pub(crate) use login::{Come, Coming};
pub use operation::{OPERATIONS, Operation};

/// What every path of it begins with.
pub const PREFIX: &str = "/api/v1/";
