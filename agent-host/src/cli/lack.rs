//! Why there is nothing of a server, in the one sentence that every command says of it.
//!
//! Is: the configuration and the lock file, compared for one server. Is not: how the server runs (`servers`). Clause: HOST-3
//! (see).

use super::{Exit, Failure};
use crate::config::{Config, nearest};
use crate::lock::Lock;
use agent_core::id::Alias;

/// Why a server has no tools here, and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Lack {
    pub(super) kind: Kind,
    pub(super) what: String,
    pub(super) hint: String,
}

/// How a server without tools stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Unconfigured,
    Disabled,
    /// Enabled, and not in the lock file: it was not asked, or did not answer.
    Unasked,
    /// It was asked, and there was nothing.
    Empty,
}

impl Lack {
    /// None where the lock file has something of an enabled server.
    pub(super) fn of(config: &Config, lock: &Lock, alias: &Alias) -> Option<Self> {
        let listed = lock.servers.get(alias);
        match (config.servers.get(alias), listed) {
            (None, _) => Some(Self::unconfigured(config, alias)),
            (Some(settings), _) if !settings.enabled => Some(Self::disabled(alias)),
            (_, None) => Some(Self::new(
                Kind::Unasked,
                format!("server `{alias}` has not told its tools yet"),
                format!("`agent-host sync {alias}` asks it"),
            )),
            (_, Some(listed)) if listed.definitions.is_empty() && listed.refused.is_empty() => {
                Some(Self::new(Kind::Empty, format!("server `{alias}` lists no tools"), format!("`agent-host sync {alias}` asks it again")))
            }
            _ => None,
        }
    }

    pub(super) fn unconfigured(config: &Config, alias: &Alias) -> Self {
        let known = || config.servers.keys().map(Alias::as_str);
        let hint = match nearest(alias.as_str(), known()) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None if config.servers.is_empty() => format!("`agent-host add {alias} -- COMMAND` adds it"),
            None => format!("the configuration has: {}", known().collect::<Vec<_>>().join(", ")),
        };
        Self::new(Kind::Unconfigured, format!("no server `{alias}` is configured"), hint)
    }

    pub(super) fn disabled(alias: &Alias) -> Self {
        let hint = format!("`agent-host enable {alias}` serves it again");
        Self::new(Kind::Disabled, format!("server `{alias}` is disabled"), hint)
    }

    const fn new(kind: Kind, what: String, hint: String) -> Self {
        Self { kind, what, hint }
    }

    /// For a list that there is nothing in.
    pub(super) fn lines(&self) -> Vec<String> {
        vec![self.what.clone(), format!("hint: {}", self.hint)]
    }

    /// For a command that can't do without. A name of nothing is a slip.
    pub(super) fn failure(&self) -> Failure {
        let exit = if self.kind == Kind::Unconfigured { Exit::Usage } else { Exit::Nothing };
        Failure::new(exit, self.lines().join("\n"))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::super::tools::tests::{config, lock};
    use super::*;
    use crate::upstream::Listed;

    #[test]
    fn host_3_a_server_without_tools_is_told_of_with_what_to_do() {
        let (config, mut lock) = (config(), lock());
        let alias = |name: &str| Alias::parse(name).unwrap();
        let said = |lock: &Lock, name: &str| Lack::of(&config, lock, &alias(name)).map(|lack| lack.lines().join("; "));
        assert_eq!(said(&lock, "clock"), None);
        for (name, expect) in [
            ("idle", "server `idle` is disabled; hint: `agent-host enable idle` serves it again"),
            ("later", "server `later` has not told its tools yet; hint: `agent-host sync later` asks it"),
            ("clokc", "no server `clokc` is configured; hint: did you mean `clock`?"),
            ("other", "no server `other` is configured; hint: the configuration has: clock, idle, later"),
        ] {
            assert_eq!(said(&lock, name).as_deref(), Some(expect));
        }
        lock.servers.insert(alias("later"), Listed::default());
        assert_eq!(said(&lock, "later").unwrap(), "server `later` lists no tools; hint: `agent-host sync later` asks it again");
    }
}
