//! How often the long tests repeat: one table, two columns. `AGENT_SOAK=1` picks the second.

/// Whether the long tier runs.
fn soak() -> bool {
    std::env::var_os("AGENT_SOAK").is_some_and(|value| value == "1")
}

const fn pick(soak: bool, ci: u32, long: u32) -> u32 {
    if soak { long } else { ci }
}

/// Kills of a process that commits.
pub(crate) fn crash_rounds() -> u32 {
    pick(soak(), 100, 1000)
}

/// Random scripts played to both ledgers.
pub(crate) fn ledger_scripts() -> u32 {
    pick(soak(), 20, 2000)
}

/// Random sequences in which engine and reference model must agree.
pub(crate) fn model_sequences() -> u32 {
    pick(soak(), 10_000, 200_000)
}

/// Orders of the locks of a stream's cell, of each scenario and each way to draw them.
pub(crate) fn interleavings() -> u32 {
    pick(soak(), 1_000, 100_000)
}

/// Random lives of a session whose gate is explained after each step.
pub(crate) fn explanations() -> u32 {
    pick(soak(), 400, 20_000)
}

/// Activations at once while operators answer and take back.
pub(crate) fn activations() -> u32 {
    pick(soak(), 1_000, 10_000)
}
