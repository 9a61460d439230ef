//! Where each value of a configuration came from.
//!
//! Is: keys as operators write them, dotted, and their lines. Is not: the values. Clause: UP-2 (operator's files).

use serde::Serialize;
use std::collections::BTreeMap;
use toml::de::{DeTable, DeValue};

/// Where a value came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(tag = "layer", rename_all = "lowercase")]
pub enum Origin {
    /// Nobody said anything.
    Default,
    /// A line of the file.
    File {
        /// From 1.
        line: usize,
    },
    /// A variable of our environment.
    Environment {
        /// Its name.
        name: &'static str,
    },
    /// The command line.
    Flag {
        /// With its dashes.
        name: &'static str,
    },
}

/// The origins of one configuration.
#[derive(Debug, Clone, Default)]
pub struct Origins {
    lines: BTreeMap<String, usize>,
    told: BTreeMap<&'static str, Origin>,
}

impl Origins {
    /// Of a file as read and its text, in which every key has its line.
    pub(super) fn of(table: &DeTable<'_>, text: &str) -> Self {
        let mut lines = BTreeMap::new();
        let ends: Vec<usize> = text.match_indices('\n').map(|(at, _)| at).collect();
        table_lines("", table, &ends, &mut lines);
        Self { lines, told: BTreeMap::new() }
    }

    /// A later layer's word.
    pub(super) fn tell(&mut self, key: &'static str, origin: Origin) {
        self.told.insert(key, origin);
    }

    /// The line that has a key.
    pub(super) fn line(&self, key: &str) -> Option<usize> {
        self.lines.get(key).copied()
    }

    /// Where a key's value came from.
    #[must_use]
    pub fn get(&self, key: &str) -> Origin {
        let file = || self.line(key).map(|line| Origin::File { line });
        self.told.get(key).copied().or_else(file).unwrap_or(Origin::Default)
    }
}

/// A key under a table: `servers.time`, `names."mcp:time/now"`.
pub(super) fn join(table: &str, key: &str) -> String {
    let bare = !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte));
    let key = if bare { key.to_owned() } else { serde_json::Value::from(key).to_string() };
    if table.is_empty() { key } else { format!("{table}.{key}") }
}

fn table_lines(under: &str, table: &DeTable<'_>, ends: &[usize], lines: &mut BTreeMap<String, usize>) {
    for (key, value) in table {
        let path = join(under, key.get_ref());
        lines.insert(path.clone(), ends.partition_point(|end| *end < key.span().start) + 1);
        value_lines(&path, value.get_ref(), ends, lines);
    }
}

fn value_lines(path: &str, value: &DeValue<'_>, ends: &[usize], lines: &mut BTreeMap<String, usize>) {
    match value {
        DeValue::Table(table) => table_lines(path, table, ends, lines),
        DeValue::Array(items) => {
            for (at, item) in items.iter().enumerate() {
                value_lines(&format!("{path}[{at}]"), item.get_ref(), ends, lines);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn every_key_has_its_line() {
        let text = "# head\nactivation = \"auto\"\napproval.wait = \"5s\"\n[[rule]]\ndecision = \"deny\"\n[[rule]]\n\ntools = [\n\"*\"]\n\
                    [servers.a]\nenv = { A = \"1\", \"B C\" = { env = \"X\" } }\n[servers.a.more]\n[names]\n\"mcp:a/b\" = \"x\"\n";
        let origins = Origins::of(DeTable::parse(text).unwrap().get_ref(), text);
        for (key, line) in [
            ("activation", 2),
            ("approval.wait", 3),
            ("rule[0].decision", 5),
            ("rule[1].tools", 8),
            ("servers.a.env.A", 11),
            ("servers.a.env.\"B C\"", 11),
            ("names.\"mcp:a/b\"", 14),
        ] {
            assert_eq!(origins.get(key), Origin::File { line }, "{key}");
        }
        assert_eq!(origins.get("profile"), Origin::Default);
    }
}
