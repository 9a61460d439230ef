//! The operator's pages, served by the same binary.
//!
//! Is: the admin handlers behind a login, rendered on this side. Is not: anything that decides; `admin::handle` and the engine do.
//! Reading and deciding work without scripts. Clauses: AUTH-2, AUTH-4 (console, login), REV-1, REV-4. Neighbours: `admin` is asked for
//! everything that is shown and done, `question` words what is asked.

pub mod page;
