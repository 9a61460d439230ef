//! The world round the engine: files, processes, sockets, and people.
//!
//! Is: a library with a thin `main`. Is not: a place where anything is decided; that is `agent-engine`.
//! Left to right: `config`, `store` and `system`, `upstream`, `admin`, `mcp`, `app`, `cli`.

pub mod admin;
pub mod config;
pub mod store;
pub mod system;
pub mod upstream;
