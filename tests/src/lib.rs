//! Tests over the whole of agent-host. Nothing here ships.

#![cfg(test)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod engine;
mod world;
