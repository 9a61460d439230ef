//! One tool that answers, and where it stands.
//!
//! Is: the order of hits. Is not: how points come about (`score`, `merge`, `clauses`). Clause: SRCH-3.

use super::exact::Exact;
use std::cmp::Ordering;

/// Where a hit stands; the first is the lowest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Tier {
    Inner,
    Words,
    Exact(Exact),
}

impl Tier {
    /// For people.
    pub(super) const fn name(self) -> &'static str {
        use Exact::{Id, Name, OtherCase, ServerAndName, Wire};
        match self {
            Self::Exact(Id) => "exact id",
            Self::Exact(Wire) => "wire name",
            Self::Exact(Name) => "name",
            Self::Exact(ServerAndName) => "server and name",
            Self::Exact(OtherCase) => "name in other letters",
            Self::Words => "words",
            Self::Inner => "part of the name",
        }
    }
}

/// One tool that answers. Small, since a query finds thousands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Hit {
    pub(super) tier: Tier,
    /// What it stands by among those of its tier: in words and meaning up to a million, in parts of a name bytes.
    pub(super) points: u32,
    /// How much of the points is by meaning.
    pub(super) meaning: u32,
    /// How much of them is by one clause of the query alone.
    pub(super) clause: u32,
    /// The tool's number in its index.
    pub(super) doc: u32,
}

impl Hit {
    /// Its number as an index takes one.
    pub(super) const fn doc(&self) -> usize {
        self.doc as usize
    }
}

impl Ord for Hit {
    /// The better one is the lesser: it stands before.
    fn cmp(&self, other: &Self) -> Ordering {
        (other.tier, other.points, self.doc).cmp(&(self.tier, self.points, other.doc))
    }
}

impl PartialOrd for Hit {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
