//! The console over its real listener, by requests that say exactly what they are told to.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

mod attacks;
mod logging_in;
mod stage;
mod working;
