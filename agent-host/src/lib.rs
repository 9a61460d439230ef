//! The world round the engine: files, processes, sockets, and people.
//!
//! Is: a library with a thin `main`. Is not: a place where anything is decided; that is `agent-engine`.
//! Left to right: `replace`, `lines`, `foreign`, `refusal`, `shell` and `socket`, `config`, `web`, `egress`, `browser`, `login`, `import`, `store` and `system`, `upstream`, `lock`, `admin`, `api`, `question`, `console`,
//! `caller`, `oauth`, `mcp`, `client`, `http`, `relay`, `door`, `notify`, `cli`, `app`.

pub mod admin;
pub mod api;
pub mod app;
mod browser;
pub mod caller;
pub mod cli;
pub mod client;
pub mod config;
pub mod console;
pub mod door;
mod egress;
mod foreign;
pub mod http;
pub mod import;
mod lines;
pub mod lock;
pub mod login;
pub mod mcp;
mod notify;
pub mod oauth;
mod question;
mod refusal;
pub mod relay;
mod replace;
mod shell;
mod socket;
pub mod store;
pub mod system;
pub mod upstream;
pub mod web;
