//! `servers`: what is configured, what the lock file knows of each, and how it is in the host that runs. Starts none.
//!
//! Clauses: UP-10, CAT-5. Invariant: I-6.

use super::Failure;
use super::table::{json, print, table, width};
use crate::admin::{Request, Response, ask};
use crate::config::Config;
use crate::lock::Lock;
use crate::upstream::Upstreams;
use agent_core::id::Alias;
use agent_core::safety::visible;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::Path;

/// One row.
#[derive(Serialize)]
struct Row<'a> {
    name: &'a Alias,
    enabled: bool,
    /// How it is, in words.
    state: String,
    command: String,
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
    let rows = rows(config, &lock, &health(config, state).await);
    print(&if as_json { json(&rows)? } else { lines(&rows, width()) });
    Ok(())
}

/// As the running host has it; without one, what can be known of a server that does not run.
async fn health(config: &Config, state: &Path) -> BTreeMap<Alias, String> {
    match ask(state, &Request::Servers {}).await {
        Ok(Response::Servers { health }) => health,
        _ => {
            let servers = Upstreams::new(&config.servers, &BTreeMap::new());
            servers.health().into_iter().map(|(alias, health)| (alias, health.to_string())).collect()
        }
    }
}

fn rows<'a>(config: &'a Config, lock: &'a Lock, health: &BTreeMap<Alias, String>) -> Vec<Row<'a>> {
    let catalog = lock.catalog(config);
    let row = |(name, settings): (&'a Alias, &'a crate::config::Server)| {
        let listed = lock.servers.get(name);
        let known = listed.filter(|_| settings.enabled);
        Row {
            name,
            enabled: settings.enabled,
            state: if settings.enabled { health.get(name).cloned().unwrap_or_default() } else { "disabled".to_owned() },
            command: settings.shown().iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" "),
            description: &settings.description,
            tools: known.map(|_| catalog.tools().iter().filter(|tool| tool.descriptor.id.is_of(name)).count()),
            refused: known.map(|_| catalog.quarantined().iter().filter(|tool| tool.server == *name).count()),
            protocol: listed.and_then(|listed| listed.protocol.as_deref()),
            cut: listed.and_then(|listed| listed.cut.as_deref()),
        }
    };
    config.servers.iter().map(row).collect()
}

/// A word as a shell reads it back.
fn quoted(word: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-./:=@%+,".contains(&byte);
    if !word.is_empty() && word.bytes().all(plain) { word.to_owned() } else { format!("'{}'", word.replace('\'', r"'\''")) }
}

fn lines(rows: &[Row<'_>], width: Option<u16>) -> Vec<String> {
    if rows.is_empty() {
        return vec!["no servers are configured".to_owned()];
    }
    let number = |number: Option<usize>| number.map_or_else(|| "-".to_owned(), |number| number.to_string());
    let row = |row: &Row<'_>| {
        let protocol = row.protocol.unwrap_or("-").to_owned();
        vec![row.name.to_string(), visible(&row.state), number(row.tools), number(row.refused), protocol, row.command.clone()]
    };
    let cells: Vec<_> = rows.iter().map(row).collect();
    let mut lines = table(&["SERVER", "STATE", "TOOLS", "REFUSED", "PROTOCOL", "COMMAND"], &cells, width);
    lines.extend(rows.iter().filter_map(|row| Some(format!("note: {}: {}", row.name, visible(row.cut?)))));
    if rows.iter().any(|row| row.enabled && row.tools.is_none()) {
        lines.push("hint: `agent-host sync` asks servers that were never asked".to_owned());
    }
    lines
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing)]
    use super::super::tools::tests::{config, lock};
    use super::*;

    fn health() -> BTreeMap<Alias, String> {
        let states = [("clock", "not started"), ("later", "needs login:")];
        states.map(|(alias, state)| (Alias::parse(alias).unwrap(), state.to_owned())).into()
    }

    #[test]
    fn i_6_servers_are_listed_from_the_lock_file() {
        let (config, lock) = (config(), lock());
        let lines = lines(&rows(&config, &lock, &health()), None);
        let words: Vec<Vec<&str>> = lines.iter().map(|line| line.split_whitespace().collect()).collect();
        assert_eq!(words[0], ["SERVER", "STATE", "TOOLS", "REFUSED", "PROTOCOL", "COMMAND"]);
        assert_eq!(words[1], ["clock", "not", "started", "2", "1", "2025-11-25", "/nowhere/clock", "'two", "words'", "'\\u{202e}'"]);
        assert_eq!(words[2], ["idle", "disabled", "-", "-", "-", "idle"]);
        assert_eq!(words[3], ["later", "needs", "login:", "-", "-", "-", "later"]);
        assert!(lines[4].starts_with("note: clock: ") && lines[5].starts_with("hint: "), "{lines:?}");
        let text = json(&rows(&config, &lock, &health())).unwrap().concat();
        assert!(text.contains("\\u202e") && !text.contains('\u{202e}'));
        let read: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!((&read[0]["tools"], &read[1]["enabled"], &read[2]["tools"]), (&2.into(), &false.into(), &serde_json::Value::Null));
    }
}
