//! Tests over the whole of agent-host: the house rules, and the gateway played with real clients and servers.
//!
//! Is: one test binary. Is not: part of the product. `./tests/run` runs it as part of everything.

#[cfg(test)]
mod tidy;
