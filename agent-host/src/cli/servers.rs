//! `servers`: what is configured, what the lock file knows of each, and how it is in the host that runs. Starts none.
//!
//! Clauses: UP-10, CAT-5. Invariant: I-6.

use super::Failure;
use super::print::{json, print, stopped as banner};
use super::table::{table, width};
use crate::admin::{Request, Response, Stop, ask};
use crate::config::Config;
use crate::lock::Lock;
use crate::shell::quoted;
use crate::store::kept;
use crate::upstream::{Health, Upstreams};
use agent_core::id::Alias;
use agent_core::safety::visible;
use agent_core::state::HostState;
use agent_core::transition::Stream;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::Path;

/// How a server is, as far as its configuration and the running host say.
#[derive(Serialize)]
#[serde(tag = "is", rename_all = "kebab-case")]
pub(super) enum State<'a> {
    Disabled,
    /// The host that runs has another configuration: an older one, or of another file.
    NotInTheRunningHost,
    #[serde(untagged)]
    Known(&'a Health),
}

impl State<'_> {
    /// In a word or two.
    pub(super) const fn word(&self) -> &'static str {
        match self {
            Self::Disabled => "disabled",
            Self::NotInTheRunningHost => "not in the running host",
            Self::Known(Health::Unstarted) => "not started",
            Self::Known(Health::Running { .. }) => "running",
            Self::Known(Health::Failed { .. }) => "failed",
            Self::Known(Health::NeedsLogin { .. }) => "needs login",
        }
    }

    /// What a word doesn't say.
    fn note(&self) -> Option<String> {
        match self {
            Self::Known(health @ (Health::Failed { .. } | Health::NeedsLogin { .. })) => Some(health.to_string()),
            Self::NotInTheRunningHost => {
                Some("`agent-host reload` makes the running host read the configuration again, or says why it does not".to_owned())
            }
            _ => None,
        }
    }
}

/// One row.
#[derive(Serialize)]
struct Row<'a> {
    name: &'a Alias,
    enabled: bool,
    state: State<'a>,
    command: Option<String>,
    url: Option<String>,
    description: &'a str,
    /// Null where it was never asked.
    tools: Option<usize>,
    refused: Option<usize>,
    protocol: Option<&'a str>,
    /// Why its list is not whole.
    cut: Option<&'a str>,
}

pub(super) async fn servers(config: &Config, state: &Path, as_json: bool) -> Result<(), Failure> {
    let lock = Lock::read(&Lock::path(config))?;
    let (health, stopped) = health(config, state).await?;
    let rows = rows(config, &lock, &health);
    let said = stopped.iter().map(banner);
    print(&if as_json { json(&rows)? } else { said.chain(lines(&rows, width())).collect() });
    Ok(())
}

/// As the running host has it; without one, what can be known of a server that does not run. And who stopped everything.
pub(super) async fn health(config: &Config, state: &Path) -> Result<(BTreeMap<Alias, Health>, Option<Stop>), Failure> {
    if let Ok(Response::Servers { health, stopped }) = ask(state, &Request::Servers {}).await {
        return Ok((health, stopped));
    }
    let host: HostState = kept(state, &Stream::Host)?;
    let stopped = host.stopped.map(|by| Stop { by, since: host.stopped_since });
    Ok((Upstreams::new(&config.servers, &BTreeMap::new()).health().into_iter().collect(), stopped))
}

fn rows<'a>(config: &'a Config, lock: &'a Lock, health: &'a BTreeMap<Alias, Health>) -> Vec<Row<'a>> {
    let catalog = lock.catalog(config);
    let row = |(name, settings): (&'a Alias, &'a crate::config::Server)| {
        let listed = lock.servers.get(name);
        let known = listed.filter(|_| settings.enabled);
        Row {
            name,
            enabled: settings.enabled,
            state: match health.get(name) {
                _ if !settings.enabled => State::Disabled,
                None => State::NotInTheRunningHost,
                Some(health) => State::Known(health),
            },
            command: settings.url.is_none().then(|| settings.shown().iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")),
            url: settings.url.as_ref().and_then(|_| settings.shown().pop()),
            description: &settings.description,
            tools: known.map(|_| catalog.tools().iter().filter(|tool| tool.descriptor.id.is_of(name)).count()),
            refused: known.map(|_| catalog.quarantined().iter().filter(|tool| tool.server == *name).count()),
            protocol: listed.and_then(|listed| listed.protocol.as_deref()),
            cut: listed.and_then(|listed| listed.cut.as_deref()),
        }
    };
    config.servers.iter().map(row).collect()
}

fn lines(rows: &[Row<'_>], width: Option<u16>) -> Vec<String> {
    if rows.is_empty() {
        return vec!["no servers are configured".to_owned()];
    }
    let number = |number: Option<usize>| number.map_or_else(|| "-".to_owned(), |number| number.to_string());
    let row = |row: &Row<'_>| {
        let protocol = row.protocol.unwrap_or("-").to_owned();
        let had = row.command.as_ref().or(row.url.as_ref()).cloned().unwrap_or_default();
        vec![row.name.to_string(), row.state.word().to_owned(), number(row.tools), number(row.refused), protocol, had]
    };
    let cells: Vec<_> = rows.iter().map(row).collect();
    let mut lines = table(&["SERVER", "STATE", "TOOLS", "REFUSED", "PROTOCOL", "COMMAND"], &cells, width);
    let notes = rows.iter().flat_map(|row| {
        let notes = row.state.note().into_iter().chain(row.cut.map(str::to_owned));
        notes.map(|note| format!("note: {}: {}", row.name, visible(&note)))
    });
    lines.extend(notes);
    if rows.iter().any(|row| row.enabled && row.tools.is_none()) {
        lines.push("hint: `agent-host sync` asks those that have not told their tools yet".to_owned());
    }
    lines
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing)]
    use super::super::tools::tests::{config, lock};
    use super::*;
    use std::time::Duration;

    fn health() -> BTreeMap<Alias, Health> {
        let failed = Health::Failed { why: "it ended".to_owned(), retry_in: Duration::from_millis(1500) };
        [("clock", Health::Unstarted), ("later", failed)].map(|(alias, health)| (Alias::parse(alias).unwrap(), health)).into()
    }

    #[test]
    fn i_6_servers_are_listed_from_the_lock_file() {
        let (config, lock) = (config(), lock());
        let health = health();
        let rows = rows(&config, &lock, &health);
        let lines = lines(&rows, None);
        let words: Vec<Vec<&str>> = lines.iter().map(|line| line.split_whitespace().collect()).collect();
        assert_eq!(words[0], ["SERVER", "STATE", "TOOLS", "REFUSED", "PROTOCOL", "COMMAND"]);
        assert_eq!(words[1], ["clock", "not", "started", "2", "1", "2025-11-25", "/nowhere/clock", "'two", "words'", "'\\u{202e}'"]);
        assert_eq!(words[2], ["idle", "disabled", "-", "-", "-", "idle"]);
        assert_eq!(words[3], ["later", "failed", "-", "-", "-", "later"]);
        assert!(lines[4].starts_with("note: clock: ") && lines[6].starts_with("hint: "), "{lines:?}");
        assert_eq!(lines[5], "note: later: failed: it ended; it is tried again in 2s");
        let text = json(&rows).unwrap().concat();
        assert!(text.contains("\\u202e") && !text.contains('\u{202e}'));
        let read: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!((&read[0]["state"]["is"], &read[1]["state"]["is"]), (&"not-started".into(), &"disabled".into()));
        assert_eq!(read[2]["state"], serde_json::json!({ "is": "failed", "why": "it ended", "retry_in_s": 2 }));
        assert_eq!((&read[0]["tools"], &read[1]["enabled"], &read[2]["tools"]), (&2.into(), &false.into(), &serde_json::Value::Null));
    }

    #[test]
    fn up_10_a_host_tells_how_its_servers_are_without_loss() {
        let mut health = health();
        health.insert(Alias::parse("busy").unwrap(), Health::Running { processes: 2, calls: 1 });
        health.insert(Alias::parse("poor").unwrap(), Health::NeedsLogin { why: "no token".to_owned(), command: None });
        let text = serde_json::to_string(&Response::Servers { health: health.clone(), stopped: None }).unwrap();
        let Ok(Response::Servers { health: read, stopped: None }) = serde_json::from_str(&text) else { unreachable!("{text}") };
        health.insert(Alias::parse("later").unwrap(), Health::Failed { why: "it ended".to_owned(), retry_in: Duration::from_secs(2) });
        assert_eq!(read, health);
    }
}
