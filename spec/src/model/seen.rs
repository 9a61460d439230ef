//! What can be seen of a system after each operation, as values that are compared whole.

use super::op::{Id, Op};

/// Something that operations are done to: the engine behind an adapter, or the model.
pub trait System {
    /// Does one operation and looks.
    fn step(&mut self, op: &Op) -> Seen;
}

/// What an operation came to, and every session after it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seen {
    /// What the one who did it is told.
    pub told: Told,
    /// Every session that was opened, in order.
    pub sessions: Vec<Face>,
    /// What stands of a person's always, by principal and tool.
    pub standing: Vec<(usize, Id)>,
}

/// What the one who did it is told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Told {
    /// Nothing: there was nothing to do it to, or nobody left to be told.
    Nothing,
    /// It was done.
    Done,
    /// It was refused, with this code.
    Refused(&'static str),
    /// A session opened; its presets that could not be activated, and why.
    Opened(Vec<(Id, &'static str)>),
    /// Tools found.
    Found(Vec<Id>),
    /// Tools are active: how many were added, and the set's version of exactly this batch.
    Active {
        /// Added by this request.
        added: usize,
        /// The version.
        set: u64,
    },
    /// The same, where a person said always; and whether that stands for later requests.
    Always {
        /// Added by this request.
        added: usize,
        /// The version.
        set: u64,
        /// Whether it stands.
        stands: bool,
    },
    /// Of these a person is asked again from now on.
    Forgotten(Vec<Id>, Recorded),
    /// A person is asked.
    Waiting,
    /// It is in effect.
    InEffect(Recorded),
    /// A session gave these up.
    GivenUp(Vec<Id>),
    /// Tools were taken away: of which session, and with which of its calls running.
    Taken(Vec<(usize, Vec<Id>, Vec<usize>)>, Recorded),
    /// The call was admitted.
    Admitted,
    /// The call runs.
    Running,
}

/// Whether a narrowing, in effect either way, is in the ledger.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Recorded {
    /// It is.
    Yes,
    /// In effect, not recorded.
    No,
}

/// One session from outside. Of one that ended, only its running calls are seen.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Face {
    /// Whether it ended.
    pub ended: bool,
    /// The version of its set.
    pub set: u64,
    /// What it holds in activation order, each with the code of why it is suspended.
    pub active: Vec<(Id, Option<&'static str>)>,
    /// The wire names that it is listed.
    pub listed: Vec<String>,
    /// What a person is being asked.
    pub waiting: Option<Vec<Id>>,
    /// What a person refused it.
    pub denied: Vec<Id>,
    /// Its running calls, by the number of their admission.
    pub running: Vec<usize>,
}
