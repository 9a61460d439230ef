//! Every value in effect, for a person to read.
//!
//! Is: keys with what holds and where it came from; a value of `env`, and what looks like a secret, is not in there. Is
//! not: a file that could be read back. Clause: UP-2 (operator's files).

use super::origin::join;
use super::{Config, Length, Origin, Server, default_state, secret};
use serde::Serialize;
use serde_json::{Value, json};
use std::fmt;

/// One value in effect.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Row {
    /// As the file would have it: `servers.time.command`.
    pub key: String,
    /// What holds; null where nothing is set.
    pub value: Value,
    /// Where it came from.
    pub from: Origin,
}

impl Config {
    /// Every value in effect, by key. Of a rule, only the conditions that it has.
    #[must_use]
    pub fn rows(&self) -> Vec<Row> {
        let mut rows = Vec::new();
        self.flatten("", &self.view(), &mut rows);
        rows
    }

    fn view(&self) -> Value {
        let servers: serde_json::Map<_, _> = self.servers.iter().map(|(alias, server)| (alias.to_string(), shown(server))).collect();
        let profiles: serde_json::Map<_, _> = self
            .policy
            .profiles
            .iter()
            .map(|(name, profile)| {
                let service = self.services.get(name).cloned().unwrap_or_default();
                (name.to_string(), json!({ "tools": profile.tools, "presets": profile.presets, "http": service }))
            })
            .collect();
        json!({
            "activation": self.policy.activation,
            "approval": { "wait": Length(self.wait), "notify": self.notify, "own": self.own },
            "catalog": { "tools": self.tools },
            "console": self.console,
            "names": self.names,
            "oauth": self.oauth,
            "operators": self.operators,
            "profile": self.profile,
            "http": self.http,
            "profiles": profiles,
            "records": { "start": self.starts },
            "rule": self.policy.rules,
            "search": { "synonyms": self.synonyms_file },
            "servers": servers,
            "surface": self.surface,
            "state": self.state.clone().or_else(default_state),
        })
    }

    fn flatten(&self, key: &str, value: &Value, rows: &mut Vec<Row>) {
        match value {
            Value::Object(members) => members.iter().for_each(|(name, value)| self.flatten(&join(key, name), value, rows)),
            Value::Array(items) if items.iter().any(Value::is_object) => {
                items.iter().enumerate().for_each(|(at, item)| self.flatten(&format!("{key}[{at}]"), item, rows));
            }
            _ if key == "rule" || (key.starts_with("rule[") && self.origins.line(key).is_none()) => {}
            value => rows.push(Row { key: key.to_owned(), value: value.clone(), from: self.origins.get(key) }),
        }
    }

    /// A row as a line: `activation = "prompt"  (default)`.
    #[must_use]
    pub fn line(&self, row: &Row) -> String {
        let file = self.path.file_name().unwrap_or_default().to_string_lossy();
        let from = match row.from {
            Origin::Default => "default".to_owned(),
            Origin::File { line } => format!("{file}:{line}"),
            Origin::Environment { name } | Origin::Flag { name } => name.to_owned(),
        };
        format!("{}{}  ({from})", row.key, Written(&row.value))
    }
}

/// A server as it is shown: its times filled in, its secrets taken out.
fn shown(server: &Server) -> Value {
    let mut server = server.clone();
    server.idle = Some(Length(server.idle()));
    server.start = Some(Length(server.start()));
    server.timeout = Some(Length(server.timeout()));
    server.args = secret::masked(server.args.iter().map(String::as_str));
    server.url = server.url.map(|url| secret::veiled_url(&url).unwrap_or(url));
    server.login = server.login.map(|login| secret::masked(login.split(' ')).join(" "));
    serde_json::to_value(server).unwrap_or_default()
}

/// ` = ` and the value as TOML writes it.
struct Written<'a>(&'a Value);

impl fmt::Display for Written<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Value::Null => f.write_str(" is not set"),
            Value::Array(items) => {
                let items: Vec<_> = items.iter().map(ToString::to_string).collect();
                write!(f, " = [{}]", items.join(", "))
            }
            value => write!(f, " = {value}"),
        }
    }
}
