//! One call from admission to its end.

mod port;

pub use port::{Cancel, Lease, LeaseFacts, Sent, ToolHost};
