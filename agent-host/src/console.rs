//! The operator's pages, served by the same binary.
//!
//! Is: the admin handlers behind a login, rendered on this side. Is not: anything that decides; `admin::handle` and the engine do.
//! Reading and deciding work without scripts. Clauses: AUTH-2, AUTH-4 (console, login), REV-1, REV-4. Neighbours: `admin` is asked for
//! everything that is shown and done, `question` words what is asked.

pub mod chart;
pub mod page;
pub mod show;

/// The style sheet of every page.
pub const STYLE: &str = include_str!("console/style.css");
/// The script of every page, which none of them needs.
pub const SCRIPT: &str = include_str!("console/script.js");
