//! How often the counted tests run: one table, two tiers.
//!
//! `./tests/run` takes the first column, `./.ci/soak` (`AGENT_SOAK=1`) the second.

/// One count of each tier.
#[derive(Debug, Clone, Copy)]
pub struct Count {
    run: u32,
    soak: u32,
}

impl Count {
    /// The count of the tier that runs.
    #[must_use]
    pub fn get(self) -> u32 {
        if std::env::var_os("AGENT_SOAK").is_some() { self.soak } else { self.run }
    }
}

macro_rules! counts {
    ($($(#[$doc:meta])* $name:ident: $run:literal, $soak:literal;)*) => {
        $($(#[$doc])* pub const $name: Count = Count { run: $run, soak: $soak };)*
    };
}

counts! {
    /// Random sequences of operations in which engine and reference model must agree.
    MODEL_SEQUENCES: 10_000, 200_000;
    /// Processes killed at a random instant while they commit batches.
    KILLS: 100, 1_000;
    /// Schedules of the shipped session cell that the checker of interleavings tries.
    INTERLEAVINGS: 5_000, 200_000;
    /// Withheld subsets of the 500-tool catalog.
    WITHHELD_SUBSETS: 64, 2_000;
}
