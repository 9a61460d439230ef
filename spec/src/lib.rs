//! The second opinion on agent-host: its rules once more, plain, obvious and slow.
//!
//! Is: what the engine is compared with. Is not: a part of the product; nothing but tests depends on it, and it knows
//! `agent-core` alone. Start at `model`.

pub mod model;
