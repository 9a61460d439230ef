//! What admits and what permits is out of reach.

use agent_engine::gate::{admit, decide, permit};

fn main() {}
