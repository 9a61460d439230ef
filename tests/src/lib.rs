//! Scenario, attack, property and tidy tests over the whole of agent-host: one binary.

#[cfg(test)]
mod counts;
#[cfg(test)]
mod races;
#[cfg(test)]
mod sync;
#[cfg(test)]
mod witness;
