//! Servers as other MCP clients have them configured, read so that a person can take them over.
//!
//! Is: where five clients keep their files, what stands in them, and what of it can be ours. Reading is pure: bytes in, entries
//! and notes out; nothing is expanded, started or written, and what can't be read gives nothing but its place. Is not: a
//! conversation (`cli::init`) or a writer (`config`). A client's own approvals are never carried over. Clause: UP-2 (project
//! files).
//!
//! The shapes are those of the clients' public documentation as of November 2026; each client's module names its page.

mod alias;
mod client;
mod entry;
mod file;
mod find;
mod json;
mod note;
mod paste;
mod pinned;
mod plan;
mod reference;
mod told;
mod toml;
mod tree;
mod words;

pub use client::Client;
pub use entry::{Entry, How, Remote, Run};
pub use file::{File, Malformed, read};
pub use find::{Machine, Platform, Scope, Source, named, project_of};
pub use note::{Kind, Note};
pub use paste::paste;
pub use plan::{Fate, Offer, Plan, Planned, Reading};
pub use told::{offered, offered_one};
pub use tree::Place;
