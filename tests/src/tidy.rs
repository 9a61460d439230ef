//! The house rules that no compiler holds.
//!
//! Is: tests that read the repository's own text. Is not: a judge of style; `cargo fmt` and clippy are.
//! A finding is one line that says where, what, and what to do. `ARCHITECTURE.md` is the one source of the rooms and the
//! invariants, `spec/README.md` of the clauses.

mod absent;
mod attacks;
mod locks;
mod promises;
mod rooms;
mod shape;
pub(crate) mod source;

/// Fails with the findings, if there are any.
fn none(findings: &[String]) {
    assert!(findings.is_empty(), "{} findings:\n{}\n", findings.len(), findings.join("\n"));
}
