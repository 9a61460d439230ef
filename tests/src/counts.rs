//! How often the long tests repeat: one table, two columns. `AGENT_SOAK=1` picks the second.

/// Whether the long tier runs.
fn soak() -> bool {
    std::env::var_os("AGENT_SOAK").is_some_and(|value| value == "1")
}

const fn pick(soak: bool, ci: u32, long: u32) -> u32 {
    if soak { long } else { ci }
}

/// Orders of the locks of a stream's cell, of each scenario and each way to draw them.
pub(crate) fn interleavings() -> u32 {
    pick(soak(), 1_000, 100_000)
}
