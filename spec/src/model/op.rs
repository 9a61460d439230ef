//! What can be done to a system, as plain values: sessions and principals by number, ids as texts.

use std::collections::{BTreeMap, BTreeSet};

/// A tool's id as anybody may write it: known, unknown or not an id at all.
pub type Id = String;

/// What a policy says of one tool.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Decision {
    /// Granted when asked for.
    Auto,
    /// A person is asked.
    #[default]
    Prompt,
    /// Refused when asked for; found all the same.
    Deny,
    /// Not there.
    Hide,
}

/// A policy: a default, rules for single tools, and what it says of the one profile.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Policy {
    /// Where no rule names the tool.
    pub default: Decision,
    /// What rules say of single tools.
    pub rules: BTreeMap<Id, Decision>,
    /// How long a grant by such a rule lasts, in milliseconds, where the rule says so.
    pub ttl: BTreeMap<Id, u64>,
    /// The tools whose rule, where it says `prompt`, demands a strong answer. All answers here are.
    pub strong: BTreeSet<Id>,
    /// All that a session with a profile can find and hold, where there is a ceiling.
    pub ceiling: Option<BTreeSet<Id>>,
    /// What a session with a profile has active from the start.
    pub presets: Vec<Id>,
}

/// What a person says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// Yes to the whole, for this session.
    Approve,
    /// The same, for one call of each tool.
    Once,
    /// The same, and for every later request of the principal for these definitions.
    Always,
    /// No to every id.
    Deny,
    /// No to these.
    DenySome(BTreeSet<Id>),
    /// No decision.
    Dismiss,
}

/// Which request of a session an answer names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Which {
    /// The last one that was put to a person.
    Latest,
    /// The one before it.
    Before,
    /// One that never was.
    Unknown,
}

/// What an operator takes back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Scope {
    /// One tool of one session.
    One(usize, Id),
    /// One tool wherever it is held.
    Everywhere(Id),
    /// All that a session holds.
    Session(usize),
    /// All that the sessions of a principal hold.
    Principal(usize),
    /// All that is held of one server's tools, by its alias.
    Server(String),
}

/// How the ledger answers commits.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Commits {
    /// It writes and acknowledges them.
    #[default]
    Work,
    /// It writes none and says so.
    Refuse,
    /// It says that it doesn't know.
    Unknown {
        /// Whether it wrote them all the same.
        written: bool,
    },
}

/// One operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Op {
    /// The catalog is these tools, each with the number of its definition.
    Publish(BTreeMap<Id, u32>),
    /// The policy is this.
    SetPolicy(Policy),
    /// A session opens.
    Open {
        /// For which principal.
        principal: usize,
        /// Whether under the profile, and so with its presets.
        profile: bool,
    },
    /// A session looks at all that it can find.
    Search {
        /// Which session.
        session: usize,
    },
    /// A session asks for tools.
    Request {
        /// Which session.
        session: usize,
        /// What for, 1 to 16.
        ids: Vec<Id>,
        /// Whether the caller goes away before it is answered.
        dropped: bool,
    },
    /// Somebody answers a question.
    Answer {
        /// Of which session.
        session: usize,
        /// Which of its requests.
        which: Which,
        /// Whether the digest named is that of the question.
        right: bool,
        /// What is said.
        answer: Answer,
    },
    /// A session asks how its latest request stands.
    Wait {
        /// Which session.
        session: usize,
    },
    /// A session gives tools up.
    Deactivate {
        /// Which session.
        session: usize,
        /// What.
        ids: Vec<Id>,
    },
    /// An operator takes back; running calls are left to end.
    Revoke(Scope),
    /// An operator takes back what stands of a person's always: of one tool of a principal, or all of it.
    Forget {
        /// Whose.
        principal: usize,
        /// Of which tool.
        id: Option<Id>,
    },
    /// A session ends.
    Close {
        /// Which session.
        session: usize,
    },
    /// An operator accepts the definition that a tool has now.
    Accept(Id),
    /// Time passes, in milliseconds, and the host looks at what came to its end.
    Advance(u64),
    /// An operator stops every activation and call.
    Stop,
    /// An operator lifts the stop.
    Resume,
    /// A call is admitted, or refused with nothing reserved.
    Admit {
        /// Of which session.
        session: usize,
        /// Of which tool.
        id: Id,
    },
    /// An admitted call is recorded as starting and decided again. The number, modulo their count, picks among the
    /// admitted calls in order of their admission.
    Permit(usize),
    /// A running call ends well; picked likewise among the running ones.
    End(usize),
    /// The caller of a call goes away; picked likewise among those admitted or running.
    DropCall(usize),
    /// From now on the ledger answers commits like this.
    Commits(Commits),
    /// The process ends and another begins on the same ledger, with the same catalog and policy.
    Restart,
}
