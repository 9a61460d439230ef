//! Scenario, attack, property and tidy tests over the whole of agent-host: one binary. Nothing here ships.

#![cfg(test)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod api;
mod console;
mod counts;
mod docs;
mod engine;
mod field;
mod import;
mod ledger;
mod linear;
mod model;
mod races;
mod scenario;
mod schema;
mod sync;
mod tidy;
mod tokens;
mod vectors;
mod world;
