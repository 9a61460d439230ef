//! The world round the engine: files, processes, sockets, and people.
//!
//! Is: a library with a thin `main`. Is not: a place where anything is decided; that is `agent-engine`.
//! Left to right: `config`, `store` and `system`, `upstream`, `lock`, `admin`, `question`, `mcp`, `cli`, `app`.

pub mod admin;
pub mod app;
pub mod cli;
pub mod config;
pub mod lock;
pub mod mcp;
mod question;
mod replace;
pub mod store;
pub mod system;
pub mod upstream;
