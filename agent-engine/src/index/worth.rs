//! What a stem is worth in the tools that hold it, as `search` counts it once for all queries.
//!
//! Is not: how it is counted (`search/score.rs`). Clause: SRCH-3.

/// What a stem is worth in a tool that holds it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Worth {
    /// The tool's number.
    pub(crate) doc: u32,
    pub(crate) worth: f32,
}

/// What a stem is worth in every tool that holds it.
#[derive(Debug, Clone)]
pub(crate) struct Worths {
    each: Box<[Worth]>,
    /// How many of the first have it in their names.
    named: usize,
}

impl Worths {
    /// Of these, the first so many of which have it in their names.
    pub(crate) fn of(each: Vec<Worth>, named: usize) -> Self {
        Self { each: each.into(), named }
    }

    pub(crate) fn each(&self) -> &[Worth] {
        &self.each
    }

    /// Those that have it in their names.
    pub(crate) fn named(&self) -> &[Worth] {
        self.each.get(..self.named).unwrap_or_default()
    }
}
