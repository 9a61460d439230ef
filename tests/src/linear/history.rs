//! What was done to one session at the same time, and what came of it.

use agent_spec::model::{Answer, Id};
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};

/// One thing done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Did {
    /// The session asks for tools.
    Request(Vec<Id>),
    /// An operator answers a request, by its id.
    Answer(String, Answer),
    /// An operator takes a tool back.
    Revoke(Id),
    /// An operator looks at what the session holds.
    Look,
}

/// What whoever did it was told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Got {
    /// Tools are active: how many were added, and the set's version where it is told.
    Active(usize, Option<u64>),
    /// A person is asked: the request's id.
    Waiting(String),
    /// A refusal, by its code.
    Refused(&'static str),
    /// A no was taken.
    Denied,
    /// It was no answer to what waits.
    Void,
    /// Whether the tool was held.
    Taken(bool),
    /// The set's version, and what is held in activation order.
    Holds(u64, Vec<Id>),
}

/// One operation, between two ticks of one counter.
#[derive(Debug, Clone)]
pub(super) struct Event {
    pub(super) began: u64,
    pub(super) ended: u64,
    pub(super) did: Did,
    pub(super) got: Got,
    /// The way it went.
    pub(super) way: &'static str,
}

impl Event {
    /// What came of it, in a word or two.
    pub(super) fn word(&self) -> String {
        match &self.got {
            Got::Refused(code) => format!("refused {code}"),
            Got::Taken(false) => "not held".to_owned(),
            got => format!("{got:?}").split('(').next().unwrap_or_default().to_lowercase(),
        }
    }
}

/// All that happened to one session.
#[derive(Debug, Default)]
pub(super) struct History {
    pub(super) events: Vec<Event>,
}

impl fmt::Display for History {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut events: Vec<_> = self.events.iter().collect();
        events.sort_by_key(|event| event.began);
        for Event { began, ended, did, got, way } in events {
            writeln!(f, "{began:6} to {ended:6} by {way}: {did:?} -> {got:?}")?;
        }
        Ok(())
    }
}

/// A counter that says which of two moments came first.
#[derive(Default)]
pub(super) struct Ticks(AtomicU64);

impl Ticks {
    pub(super) fn next(&self) -> u64 {
        self.0.fetch_add(1, Ordering::SeqCst)
    }
}
