//! A grant has no maker but `issue`.

use agent_core::grant::GrantRecord;
use agent_engine::grant::Grant;

fn grant(record: GrantRecord) -> Grant {
    Grant(record)
}

fn main() {}
