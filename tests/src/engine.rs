//! The engine's rules, clause by clause, driven through its two faces.

mod activation;
mod answers;
mod audit;
mod authority;
mod builtins;
mod explain;
mod gate;
mod inquiries;
mod revocation;
mod sessions;
mod tokens;
mod why;
