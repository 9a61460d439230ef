//! The console over its real listener, by requests that say exactly what they are told to.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)]

mod attacks;
mod following;
mod logging_in;
mod questions;
mod remembering;
mod stage;
mod working;
