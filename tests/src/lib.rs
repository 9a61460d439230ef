//! Scenario, attack, property and tidy tests over the whole of agent-host: one binary. Nothing here ships.

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing))]

#[cfg(test)]
mod counts;
#[cfg(test)]
mod engine;
#[cfg(test)]
mod ledger;
#[cfg(test)]
mod model;
#[cfg(test)]
mod races;
#[cfg(test)]
mod scenario;
#[cfg(test)]
mod sync;
#[cfg(test)]
mod tidy;
#[cfg(test)]
mod tokens;
#[cfg(test)]
mod vectors;
#[cfg(test)]
mod world;
