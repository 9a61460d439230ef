//! The endpoint as clients meet it: raw requests of both eras, several principals, and what must not come through.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)]

mod direct;
mod legacy;
mod modern;
mod slow;
mod stage;
mod tokens;
mod wire;
