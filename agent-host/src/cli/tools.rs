//! `tools`: every tool that the lock file knows, served or not, and where it stands with what was accepted.
//!
//! Is: read from configuration, lock file and store; it starts nothing. Clauses: HOST-3 (see), CAT-4, CAT-7 (pins), CAT-8
//! (drifted). Invariant: I-6.

use super::Failure;
use super::drift::asked;
use super::lack::Lack;
use super::print::{json, print};
use super::table::{table, width};
pub(super) use crate::admin::Standing;
use crate::config::Config;
use crate::lock::Lock;
use crate::store::pins;
use agent_core::digest::Digest;
use agent_core::id::{Alias, ToolId};
use agent_engine::catalog::{Snapshot, Tool};
use clap::Args;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::Path;

/// Which tools.
#[derive(Debug, Args)]
pub(crate) struct Tools {
    /// Only those of one server.
    #[arg(long, value_name = "NAME", value_parser = Alias::parse)]
    pub(super) server: Option<Alias>,
    /// One JSON document.
    #[arg(long)]
    json: bool,
}

/// What is known without asking a server.
pub(super) struct Known {
    pub(super) lock: Lock,
    pub(super) catalog: Snapshot,
    pub(super) pins: BTreeMap<ToolId, Digest>,
}

impl Known {
    /// Reads the lock file and the pins.
    ///
    /// # Errors
    /// [`Failure`] where one can't be read, where there is no lock, or where a server that was named isn't configured.
    pub(super) fn read(config: &Config, state: &Path, server: Option<&Alias>) -> Result<Self, Failure> {
        if let Some(alias) = server.filter(|alias| !config.servers.contains_key(*alias)) {
            return Err(Lack::unconfigured(config, alias).failure());
        }
        let lock = asked(config)?;
        Ok(Self { catalog: lock.catalog(config), pins: pins(state)?, lock })
    }

    /// Why a server that was chosen has no tools.
    pub(super) fn lack(&self, config: &Config, server: Option<&Alias>) -> Option<Lack> {
        Lack::of(config, &self.lock, server?)
    }

    pub(super) fn standing(&self, tool: &Tool) -> Standing {
        Standing::of(tool, &self.pins)
    }
}

/// One row. A tool that is refused has no effect, and its name may be none that an id could have.
#[derive(Serialize)]
struct Row {
    id: String,
    effect: Option<&'static str>,
    state: &'static str,
    /// Why it is refused.
    reason: Option<String>,
    title: Option<String>,
    digest: Option<Digest>,
}

pub(super) fn tools(config: &Config, state: &Path, tools: &Tools) -> Result<(), Failure> {
    let known = Known::read(config, state, tools.server.as_ref())?;
    let rows = rows(&known, tools.server.as_ref());
    let lack = known.lack(config, tools.server.as_ref());
    print(&match lack {
        _ if tools.json => json(&rows)?,
        Some(lack) => lack.lines(),
        None => lines(&rows, width()),
    });
    Ok(())
}

fn rows(known: &Known, server: Option<&Alias>) -> Vec<Row> {
    let served = known.catalog.tools().iter().filter(|tool| server.is_none_or(|alias| tool.descriptor.id.is_of(alias)));
    let mut rows: Vec<Row> = served
        .map(|tool| Row {
            id: tool.descriptor.id.to_string(),
            effect: Some(tool.descriptor.safety.effect.as_str()),
            state: known.standing(tool).as_str(),
            reason: None,
            title: tool.descriptor.title.clone(),
            digest: Some(tool.descriptor.digest),
        })
        .collect();
    let refused = known.catalog.quarantined().iter().filter(|tool| server.is_none_or(|alias| tool.server == *alias));
    rows.extend(refused.map(|tool| Row {
        id: format!("mcp:{}/{}", tool.server, tool.name),
        effect: None,
        state: "refused",
        reason: Some(tool.reason.to_string()),
        title: None,
        digest: None,
    }));
    rows.sort_by(|a, b| a.id.cmp(&b.id));
    rows
}

fn lines(rows: &[Row], width: Option<u16>) -> Vec<String> {
    if rows.is_empty() {
        return vec!["no tools".to_owned()];
    }
    let row = |row: &Row| {
        let state = row.reason.as_ref().map_or_else(|| row.state.to_owned(), |why| format!("{}: {why}", row.state));
        vec![row.id.clone(), row.effect.unwrap_or("-").to_owned(), state, row.title.clone().unwrap_or_default()]
    };
    table(&["ID", "EFFECT", "STATE", "TITLE"], &rows.iter().map(row).collect::<Vec<_>>(), width)
}

#[cfg(test)]
pub(super) mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing)]
    use super::super::Exit;
    use super::*;
    use crate::upstream::Listed;

    /// A clock with tools, a server that is off, and one that was never asked.
    pub(in crate::cli) fn config() -> Config {
        let text = "[servers.clock]\ncommand = \"/nowhere/clock\"\nargs = [\"two words\", \"\\u202e\"]\n\
            [servers.idle]\ncommand = \"idle\"\nenabled = false\n[servers.later]\ncommand = \"later\"\n";
        Config::parse(Path::new("/etc/demo/agent-host.toml"), text).unwrap()
    }

    pub(in crate::cli) fn lock() -> Lock {
        let now = r#"{"name":"now","title":"The\u202e time","description":"Says what time it is.","inputSchema":{"type":"object","properties":{"zone":{"type":"string","description":"of the earth","enum":["UTC","CET"]}},"required":["zone"]}}"#;
        let set = r#"{"name":"set","inputSchema":{"type":"object","properties":[]}}"#;
        let mut listed = Listed::default();
        listed.protocol = Some("2025-11-25".to_owned());
        listed.definitions = [now, set, r#"{"name":"bad"}"#].map(str::to_owned).into();
        listed.cut = Some("its list is too long".to_owned());
        Lock { servers: [(Alias::parse("clock").unwrap(), listed)].into() }
    }

    pub(in crate::cli) fn known() -> Known {
        let catalog = lock().catalog(&config());
        let now = catalog.get("mcp:clock/now").unwrap().bound();
        let other = Digest::parse(&"7".repeat(64)).unwrap();
        Known { pins: [(now.id, now.digest), (ToolId::parse("mcp:clock/set").unwrap(), other)].into(), catalog, lock: lock() }
    }

    #[test]
    fn cat_8_drifted_tools_are_told_from_accepted_and_new_ones() {
        let known = known();
        let lines = lines(&rows(&known, None), None);
        let expect = [
            "ID             EFFECT       STATE                                                   TITLE",
            "mcp:clock/bad  -            refused: `inputSchema` is missing or of the wrong kind",
            "mcp:clock/now  destructive  accepted                                                The\\u{202e} time",
            "mcp:clock/set  destructive  changed",
        ];
        assert_eq!(lines, expect);
        let fresh = Known { pins: BTreeMap::new(), ..known };
        let clock = Alias::parse("clock").unwrap();
        assert_eq!(rows(&fresh, Some(&clock)).iter().map(|row| row.state).collect::<Vec<_>>(), ["refused", "new", "new"]);
        assert!(rows(&fresh, Some(&Alias::parse("later").unwrap())).is_empty());
        let text = json(&rows(&fresh, None)).unwrap().concat();
        let read: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!((&read[0]["state"], &read[1]["effect"]), (&"refused".into(), &"destructive".into()));
    }

    #[test]
    fn a_terminal_folds_cells_and_a_pipe_does_not() {
        let rows = rows(&known(), None);
        let narrow = lines(&rows, Some(60));
        assert!(narrow.iter().all(|line| line.chars().count() <= 60) && narrow.len() > 4, "{narrow:?}");
        assert_eq!(lines(&rows, None).len(), 4);
    }

    #[test]
    fn what_is_not_there_is_said_with_what_to_do() {
        let folder = tempfile::tempdir().unwrap();
        let config = Config::parse(&folder.path().join("agent-host.toml"), "[servers.a]\ncommand = \"x\"\n").unwrap();
        let none = Alias::parse("none").unwrap();
        let unknown = Known::read(&config, folder.path(), Some(&none)).err().unwrap();
        assert!(unknown.exit == Exit::Usage && unknown.text.contains("no server `none`"), "{unknown:?}");
        let unsynced = Known::read(&config, folder.path(), None).err().unwrap();
        assert!(unsynced.exit == Exit::Failed && unsynced.text.contains("agent-host sync"), "{unsynced:?}");
    }
}
