//! Plain values of agent-host: ids, digests, descriptors, records and the folds over them.
//!
//! Is: what every other crate speaks in. Is not: anything that decides, waits, reads a clock, opens a file or draws a
//! random number (I-9). Neighbours: `agent-engine` decides with these values; `spec/` models them.

pub mod canon;
pub mod definition;
pub mod descriptor;
pub mod digest;
pub mod effect;
pub mod grant;
pub mod id;
pub mod inquiry;
pub mod length;
pub mod limits;
pub mod mirrored;
pub mod name;
pub mod outcome;
pub mod refusal;
pub mod request;
pub mod safety;
pub mod session;
pub mod state;
pub mod subschema;
pub mod time;
pub mod token;
pub mod transition;
