//! The changed text: a server's table appended, taken out, or one key of it set.
//!
//! Is: text in, text out. Is not: a check that the result means what it should; `edit` reads it back.

use super::{Added, Config, Era, Variable};
use crate::config::{FromEnv, FromFile};
use agent_core::id::Alias;
use agent_engine::policy::Rule;
use std::path::Path;
use toml_edit::{Array, DocumentMut, InlineTable, Item, Table, Value};

type Changed = Result<String, String>;

/// With one more server: at the end of the text, which stays as it is in front of it. Where the servers are written inside
/// of a value, in there.
pub(super) fn added(text: &str, alias: &Alias, added: &Added) -> Changed {
    let mut document = parsed(text)?;
    let table = table(added)?;
    match document.get_mut("servers") {
        Some(Item::Value(Value::InlineTable(servers))) => {
            inside(servers, |servers| drop(servers.insert(alias.as_str(), Value::InlineTable(table.into_inline_table()))));
        }
        Some(Item::Table(servers)) if servers.is_dotted() => {
            let mut table = table;
            table.set_dotted(true);
            servers.insert(alias.as_str(), Item::Table(table));
        }
        _ => {
            let end = if text.contains("\r\n") { "\r\n" } else { "\n" };
            let between = match text {
                "" => "",
                _ if text.ends_with('\n') => end,
                _ => &format!("{end}{end}"),
            };
            return Ok(format!("{text}{between}[servers.{alias}]{end}{}", table.to_string().replace('\n', end)));
        }
    }
    Ok(written(text, &document))
}

fn table(added: &Added) -> Result<Table, String> {
    let mut table = Table::new();
    let mut set = |key: &str, value: Value| drop(table.insert(key, Item::Value(value)));
    match &added.url {
        Some(url) => set("url", url.as_str().into()),
        None => set("command", added.command.as_str().into()),
    }
    if !added.args.is_empty() {
        set("args", Value::Array(added.args.iter().map(String::as_str).collect::<Array>()));
    }
    for (key, given) in [("env", &added.env), ("headers", &added.headers)] {
        if !given.is_empty() {
            let given: Result<InlineTable, String> = given.iter().map(|(name, variable)| Ok((name, value(variable)?))).collect();
            set(key, Value::InlineTable(given?));
        }
    }
    if let Some(cwd) = &added.cwd {
        set("cwd", utf8(cwd)?.into());
    }
    match added.era {
        Era::Auto => {}
        Era::Legacy => set("era", "legacy".into()),
        Era::Modern => set("era", "modern".into()),
    }
    for (key, length) in [("start", added.start), ("timeout", added.timeout)] {
        if let Some(length) = length {
            set(key, length.to_string().into());
        }
    }
    if added.disabled {
        set("enabled", false.into());
    }
    for (key, holds) in [("trust", added.trust), ("shared", added.shared), ("prewarm", added.prewarm), ("private", added.private)] {
        if holds {
            set(key, true.into());
        }
    }
    Ok(table)
}

/// With rules at its end.
pub(super) fn ruled(text: &str, rules: &[Rule]) -> String {
    let end = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let mut text = text.to_owned();
    for rule in rules {
        let patterns = rule.tools.iter().map(|pattern| String::from(pattern.clone())).collect::<Array>();
        let server = rule.server.iter().map(|alias| format!("server = \"{alias}\"{end}")).collect::<String>();
        let tools = if patterns.is_empty() { String::new() } else { format!("tools = {patterns}{end}") };
        let decision = serde_json::to_value(rule.decision).unwrap_or_default();
        text.push_str(&format!("{end}[[rule]]{end}{server}{tools}decision = {decision}{end}"));
    }
    text
}

fn value(variable: &Variable) -> Result<Value, String> {
    let place = |key: &str, place: &str, prefix: &str| {
        let prefix = (!prefix.is_empty()).then(|| ("prefix", Value::from(prefix)));
        Value::InlineTable([(key, Value::from(place))].into_iter().chain(prefix).collect())
    };
    Ok(match variable {
        Variable::Plain(value) => value.as_str().into(),
        Variable::Env(FromEnv { env, prefix }) => place("env", env, prefix),
        Variable::File(FromFile { file, prefix }) => place("file", utf8(file)?, prefix),
    })
}

fn utf8(path: &Path) -> Result<&str, String> {
    path.to_str().ok_or_else(|| format!("`{}` is not UTF-8, which TOML is", path.display()))
}

/// Without a server. Comments right above its header go with it; what stands apart by a blank line stays.
pub(super) fn removed(text: &str, alias: &Alias) -> Changed {
    let mut document = parsed(text)?;
    let removed = match document.get_mut("servers") {
        Some(Item::Table(servers)) => servers.remove(alias.as_str()),
        Some(Item::Value(Value::InlineTable(servers))) => {
            inside(servers, |servers| drop(servers.remove(alias.as_str())));
            None
        }
        _ => return Err("it has no servers".to_owned()),
    };
    if let Some(Item::Table(table)) = &removed
        && let Some(above) = table.decor().prefix().and_then(|prefix| prefix.as_str())
        && let Some(position) = table.position()
    {
        let kept = kept(above, text.starts_with(above)).to_owned();
        if kept.contains('#') {
            attach(&mut document, position, &kept);
        }
    }
    Ok(written(text, &document))
}

/// What of the lines above a header stands apart from it. At the head of the file, all of it.
fn kept(above: &str, head: bool) -> &str {
    let attached: usize = above.split_inclusive('\n').rev().take_while(|line| line.trim_start().starts_with('#')).map(str::len).sum();
    if head { above } else { above.get(..above.len() - attached).unwrap_or_default() }
}

/// Puts lines above the first table after a place, or at the end.
fn attach(document: &mut DocumentMut, after: isize, lines: &str) {
    let mut next: Option<&mut Table> = None;
    let mut open: Vec<&mut Item> = document.as_table_mut().iter_mut().map(|(_, item)| item).collect();
    while let Some(item) = open.pop() {
        let tables: Vec<&mut Table> = match item {
            Item::Table(table) => vec![table],
            Item::ArrayOfTables(tables) => tables.iter_mut().collect(),
            Item::Value(_) | Item::None => vec![],
        };
        for table in tables {
            let place = table.position().filter(|place| *place > after);
            let nearer = place.is_some_and(|place| next.as_ref().and_then(|next| next.position()).is_none_or(|best| place < best));
            if nearer && !table.is_implicit() && !table.is_dotted() {
                next = Some(table);
            } else {
                open.extend(table.iter_mut().map(|(_, item)| item));
            }
        }
    }
    match next {
        Some(table) => {
            let prefix = table.decor().prefix().and_then(|prefix| prefix.as_str()).unwrap_or_default();
            let prefix = format!("{lines}{prefix}");
            table.decor_mut().set_prefix(prefix);
        }
        None => {
            let trailing = format!("{lines}{}", document.trailing().as_str().unwrap_or_default());
            document.set_trailing(trailing);
        }
    }
}

/// With a server on or off. A key that is there keeps its place and its comment.
pub(super) fn switched(text: &str, alias: &Alias, enabled: bool) -> Changed {
    let mut document = parsed(text)?;
    let servers = document.get_mut("servers").and_then(Item::as_table_like_mut);
    let server = servers.and_then(|servers| servers.get_mut(alias.as_str())).ok_or_else(|| format!("no server `{alias}`"))?;
    let mut value = Value::from(enabled);
    match (server.get("enabled").and_then(Item::as_value).map(|old| old.decor().clone()), server) {
        (Some(decor), server) => {
            *value.decor_mut() = decor;
            if let Some(old) = server.get_mut("enabled") {
                *old = Item::Value(value);
            }
        }
        (None, Item::Value(Value::InlineTable(server))) => inside(server, |server| drop(server.insert("enabled", value))),
        (None, Item::Table(server)) => drop(server.insert("enabled", Item::Value(value))),
        (None, _) => return Err(format!("`{alias}` is not a table")),
    }
    Ok(written(text, &document))
}

/// Changes an inline table, and leaves the space before its brace where it was.
fn inside(table: &mut InlineTable, change: impl FnOnce(&mut InlineTable)) {
    let mut end = String::new();
    let mut last = |table: &mut InlineTable| {
        if let Some((_, last)) = table.iter_mut().last() {
            let suffix = last.decor().suffix().and_then(|suffix| suffix.as_str()).unwrap_or_default().to_owned();
            last.decor_mut().set_suffix(std::mem::replace(&mut end, suffix));
        }
    };
    last(table);
    change(table);
    last(table);
}

/// A key of the operator's that holds a server's name, and what it is of.
pub(super) fn named(config: &Config, alias: &Alias) -> Option<(String, &'static str)> {
    let under = format!("mcp:{alias}/");
    let pattern = |pattern: &agent_engine::policy::Pattern| String::from(pattern.clone()).starts_with(&under);
    for (at, rule) in config.policy.rules.iter().enumerate() {
        if rule.server.as_ref() == Some(alias) {
            return Some((format!("rule[{at}].server"), "a rule"));
        }
        if rule.tools.iter().any(pattern) {
            return Some((format!("rule[{at}].tools"), "a rule"));
        }
    }
    let join = crate::config::origin::join;
    for (name, profile) in &config.policy.profiles {
        let key = join("profiles", name.as_str());
        if profile.tools.iter().flatten().any(pattern) {
            return Some((format!("{key}.tools"), "a profile"));
        }
        if profile.presets.iter().any(|id| id.is_of(alias)) {
            return Some((format!("{key}.presets"), "a profile"));
        }
    }
    let name = config.names.keys().find(|id| id.is_of(alias))?;
    Some((join("names", name.as_str()), "a wire name"))
}

fn parsed(text: &str) -> Result<DocumentMut, String> {
    text.parse().map_err(|_| "can't be changed by a program".to_owned())
}

/// The document as text, with the line ends that the text had.
fn written(before: &str, document: &DocumentMut) -> String {
    let text = document.to_string();
    if before.contains("\r\n") { text.replace("\r\n", "\n").replace('\n', "\r\n") } else { text }
}
