//! `servers`: what is configured, and what the lock file knows of each. Starts none.
//!
//! Clauses: HOST-3 (see), CAT-5. Invariant: I-6.

use super::Failure;
use super::table::{json, print, table, width};
use crate::config::Config;
use crate::lock::Lock;
use agent_core::id::Alias;
use agent_core::safety::visible;
use serde::Serialize;

/// One row.
#[derive(Serialize)]
struct Row<'a> {
    name: &'a Alias,
    enabled: bool,
    command: String,
    description: &'a str,
    /// Null where it was never asked.
    tools: Option<usize>,
    refused: Option<usize>,
    protocol: Option<&'a str>,
    /// Why its list is not whole.
    cut: Option<&'a str>,
}

pub(super) fn servers(config: &Config, as_json: bool) -> Result<(), Failure> {
    let lock = Lock::read(&Lock::path(config))?;
    let rows = rows(config, &lock);
    print(&if as_json { json(&rows)? } else { lines(&rows, width()) });
    Ok(())
}

fn rows<'a>(config: &'a Config, lock: &'a Lock) -> Vec<Row<'a>> {
    let catalog = lock.catalog(config);
    let row = |(name, settings): (&'a Alias, &'a crate::config::Server)| {
        let listed = lock.servers.get(name);
        let known = listed.filter(|_| settings.enabled);
        Row {
            name,
            enabled: settings.enabled,
            command: std::iter::once(&settings.command).chain(&settings.args).map(|word| quoted(word)).collect::<Vec<_>>().join(" "),
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
        let enabled = if row.enabled { "yes" } else { "no" }.to_owned();
        vec![row.name.to_string(), enabled, number(row.tools), number(row.refused), protocol, row.command.clone()]
    };
    let cells: Vec<_> = rows.iter().map(row).collect();
    let mut lines = table(&["SERVER", "ENABLED", "TOOLS", "REFUSED", "PROTOCOL", "COMMAND"], &cells, width);
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

    #[test]
    fn i_6_servers_are_listed_from_the_lock_file() {
        let (config, lock) = (config(), lock());
        let lines = lines(&rows(&config, &lock), None);
        let words: Vec<Vec<&str>> = lines.iter().map(|line| line.split_whitespace().collect()).collect();
        assert_eq!(words[0], ["SERVER", "ENABLED", "TOOLS", "REFUSED", "PROTOCOL", "COMMAND"]);
        assert_eq!(words[1], ["clock", "yes", "2", "1", "2025-11-25", "/nowhere/clock", "'two", "words'", "'\\u{202e}'"]);
        assert_eq!(words[2], ["idle", "no", "-", "-", "-", "idle"]);
        assert_eq!(words[3], ["later", "yes", "-", "-", "-", "later"]);
        assert!(lines[4].starts_with("note: clock: ") && lines[5].starts_with("hint: "), "{lines:?}");
        let text = json(&rows(&config, &lock)).unwrap().concat();
        assert!(text.contains("\\u202e") && !text.contains('\u{202e}'));
        let read: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!((&read[0]["tools"], &read[1]["enabled"], &read[2]["tools"]), (&2.into(), &false.into(), &serde_json::Value::Null));
    }
}
