//! What a reload came to, and its words: the same at the operator's terminal and on the host's standard error.
//!
//! Clauses: HOST-2, POL-2.

use agent_core::digest::Digest;
use agent_core::id::Alias;
use serde::{Deserialize, Serialize};

/// Whole or not at all.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Reloaded {
    /// What was read is in force.
    Taken(Box<Changes>),
    /// Nothing changed: what was in force still is.
    Refused {
        /// Why, with the place in the file and what to do.
        why: String,
    },
}

/// What is other than before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Changes {
    /// Servers that were not there, or were disabled.
    pub added: Vec<Alias>,
    /// Servers with other settings.
    pub changed: Vec<Alias>,
    /// Servers that are gone, or disabled.
    pub removed: Vec<Alias>,
    /// The digest of the policy in force, as records name it.
    pub policy: Digest,
    /// Whether it was another before.
    pub new_policy: bool,
    /// Whether it is recorded; it is in force either way.
    pub recorded: bool,
    /// Other keys with other values, which hold at once.
    pub at_once: Vec<String>,
    /// The same, for clients that come from now on.
    pub for_clients: Vec<String>,
    /// Grants that were not suspended before.
    pub suspended: usize,
    /// Grants that were.
    pub back: usize,
}

impl Changes {
    /// A reload that found what is in force already.
    #[must_use]
    pub const fn none(policy: Digest) -> Self {
        Self {
            added: Vec::new(),
            changed: Vec::new(),
            removed: Vec::new(),
            policy,
            new_policy: false,
            recorded: true,
            at_once: Vec::new(),
            for_clients: Vec::new(),
            suspended: 0,
            back: 0,
        }
    }

    /// Whether everything is as it was.
    #[must_use]
    pub fn is_nothing(&self) -> bool {
        *self == Self::none(self.policy)
    }

    /// A line for each kind of change. Servers are named by aliases, which hold nothing that can't be seen.
    #[must_use]
    pub fn lines(&self) -> Vec<String> {
        let servers = |what: &str, servers: &[Alias]| {
            let names: Vec<_> = servers.iter().map(Alias::as_str).collect();
            (!names.is_empty()).then(|| format!("servers {what}: {}", names.join(", ")))
        };
        let mut lines: Vec<_> = [servers("added", &self.added), servers("changed", &self.changed), servers("removed", &self.removed)]
            .into_iter()
            .flatten()
            .collect();
        for (when, keys) in [("changed", &self.at_once), ("changed for clients that come from now on", &self.for_clients)] {
            if !keys.is_empty() {
                lines.push(format!("{when}: {}", keys.join(", ")));
            }
        }
        if self.suspended > 0 {
            lines.push(format!("grants suspended: {}", self.suspended));
        }
        if self.back > 0 {
            lines.push(format!("grants no longer suspended: {}", self.back));
        }
        if lines.is_empty() && !self.new_policy {
            lines.push("nothing changed".to_owned());
        }
        lines.push(format!("the policy in force is {}{}", if self.new_policy { "new: " } else { "" }, self.policy));
        lines
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn host_2_what_changed_is_told_in_words() {
        let policy = Digest::parse(&"ab".repeat(32)).unwrap();
        let none = Changes::none(policy);
        assert_eq!(none.lines(), ["nothing changed".to_owned(), format!("the policy in force is {policy}")]);
        let alias = |name: &str| Alias::parse(name).unwrap();
        let (added, removed) = (vec![alias("git"), alias("time")], vec![alias("files")]);
        let many = Changes { added, removed, new_policy: true, for_clients: vec!["surface".to_owned()], suspended: 2, ..none };
        let words = [
            "servers added: git, time",
            "servers removed: files",
            "changed for clients that come from now on: surface",
            "grants suspended: 2",
        ];
        let last = format!("the policy in force is new: {policy}");
        assert_eq!(many.lines(), [&words[..], &[last.as_str()]].concat());
        let line = serde_json::to_string(&Reloaded::Taken(Box::new(many.clone()))).unwrap();
        assert_eq!(serde_json::from_str::<Reloaded>(&line).unwrap(), Reloaded::Taken(Box::new(many)));
    }
}
