//! How the parts of a configuration fit together, beyond what each says by itself.
//!
//! Is: what is wrong, in words, and what to do. Is not: a decision about any tool.
//! Clauses: POL-1, UP-2 (operator's files), UP-10 (the `login` key), SES-4 (OAuth).

mod oauth;

pub(super) use oauth::oauth;

use super::{Console, Entitled, Http, Length, OperatorName, Server, Service, Variable, oidc, remote};
use agent_core::id::{Alias, ToolId, WireName};
use agent_core::limits::{GRANT_MS, TOOLS_TOTAL_MOST, WAIT_MS};
use agent_core::name::skeleton;
use agent_core::safety::is_hidden;
use agent_core::session::ProfileId;
use agent_engine::policy::{Profile, Rule, Verdict};
use http::uri::Authority;
use std::collections::BTreeMap;
use std::ops::Range;
use std::time::Duration;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

pub(crate) type Wrong = (String, &'static str);

/// The first list where none belongs, by its key. A reader of tables would take a list for one, value by value.
pub(super) fn lists<'a>(under: &[&'a str], table: &'a DeTable<'_>) -> Option<(Range<usize>, &'a str)> {
    table.iter().find_map(|(key, value)| {
        let path = [under, &[key.get_ref().as_ref()]].concat();
        let wrong = (key.span(), key.get_ref().as_ref());
        let belongs = matches!(
            path[..],
            ["rule"]
                | ["rule", "tools" | "capabilities"]
                | ["http", "hosts" | "origins"]
                | ["console", "hosts"]
                | ["console", "oidc", "scopes" | "algorithms" | "acr"]
                | ["operators", _, "principals" | "is"]
                | ["profiles", _, "tools" | "presets"]
                | ["oauth", "algorithms" | "required"]
                | ["servers", _, "args" | "capabilities" | "tags"]
                | ["servers", _, "oauth", "scopes"]
        );
        match value.get_ref() {
            DeValue::Table(table) => lists(&path, table),
            DeValue::Array(_) if !belongs => Some(wrong),
            DeValue::Array(items) => items.iter().find_map(|item| match item.get_ref() {
                DeValue::Array(_) => Some(wrong.clone()),
                DeValue::Table(table) => lists(&path, table),
                _ => None,
            }),
            _ => None,
        }
    })
}

/// A key of a rule that has another name by now, by its place.
pub(super) fn renamed(table: &DeTable<'_>) -> Option<(Range<usize>, Wrong)> {
    let DeValue::Array(rules) = table.get("rule")?.get_ref() else { return None };
    let tables = rules.iter().filter_map(|rule| if let DeValue::Table(table) = rule.get_ref() { Some(table) } else { None });
    let (key, _) = tables.flat_map(DeTable::iter).find(|(key, _)| key.get_ref() == "strong")?;
    Some((
        key.span(),
        ("a rule has no `strong` any more".to_owned(), "write `strength = \"strong\"` for `strong = true`, and nothing for `false`"),
    ))
}

/// One rule beside the servers and profiles that it names.
pub(super) fn rule(rule: &Rule, servers: &BTreeMap<Alias, Spanned<Server>>, profiles: &BTreeMap<ProfileId, Profile>) -> Result<(), Wrong> {
    let grants = matches!(rule.decision, Verdict::Auto | Verdict::Prompt);
    match (&rule.server, &rule.profile) {
        (Some(alias), _) if !servers.contains_key(alias) => Err((format!("no server `{alias}`"), "write `[servers.ALIAS]` for it")),
        (_, Some(name)) if !profiles.contains_key(name) => Err((format!("no profile `{name}`"), "write `[profiles.NAME]` for it")),
        _ if rule.strength.is_some() && rule.decision != Verdict::Prompt => {
            wrong("`strength` says what a person's answer must prove, and this rule asks nobody", "use it with `decision = \"prompt\"`")
        }
        _ if rule.new.is_some() && rule.decision != Verdict::Auto => {
            wrong("`new` is an exception to `auto`, and this rule is not `auto`", "use it with `decision = \"auto\"`")
        }
        _ if rule.max_calls.is_some() && !grants => {
            wrong("`max_calls` bounds a grant, and this rule gives none", "use it with `auto` or `prompt`")
        }
        _ if rule.ttl.is_some() && !grants => wrong("`ttl` bounds a grant, and this rule gives none", "use it with `auto` or `prompt`"),
        _ if rule.ttl.is_some_and(|ttl| ttl.ms() > GRANT_MS) => wrong("`ttl` is longer than any grant lasts", "12h at the most"),
        _ if rule.max_calls == Some(0) => wrong("`max_calls` is 0", "use `decision = \"deny\"`"),
        _ => Ok(()),
    }
}

/// The profile in use.
pub(super) fn profile(name: &ProfileId, profiles: &BTreeMap<ProfileId, Profile>) -> Result<(), Wrong> {
    if profiles.contains_key(name) {
        return Ok(());
    }
    let known: Vec<_> = profiles.keys().map(ProfileId::as_str).collect();
    let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
    Err((format!("no profile `{name}`; there are: {known}"), "write `[profiles.NAME]` for it"))
}

/// How long a person is waited for.
pub(super) fn wait(wait: Length) -> Result<Duration, Wrong> {
    let most = Duration::from_millis(WAIT_MS);
    if wait.0 <= most { Ok(wait.0) } else { Err((format!("`wait` is longer than {most:?}"), "choose a shorter time")) }
}

/// Tools of all servers together.
pub(super) fn tools(tools: usize) -> Result<usize, Wrong> {
    match tools {
        1..=TOOLS_TOTAL_MOST => Ok(tools),
        _ => Err((format!("`tools` is not from 1 to {TOOLS_TOTAL_MOST}"), "choose a number in between")),
    }
}

/// One server: what can be handed to a program at all, or shown to a person as a command.
pub(super) fn server(server: &Server) -> Result<(), Wrong> {
    let plain = server.env.values().filter_map(|variable| match variable {
        Variable::Plain(value) => Some(value),
        Variable::Env(_) | Variable::File(_) => None,
    });
    let mut texts = std::iter::once(&server.command).chain(&server.args).chain(server.env.keys()).chain(plain);
    remote::server(server)?;
    if server.url.is_none() && server.command.is_empty() {
        return wrong("it has neither a `command` nor a `url`", "name the program that runs the server, or where it is reached");
    }
    if texts.any(|text| text.contains('\0')) || server.env.keys().any(|name| name.is_empty() || name.contains('=')) {
        return wrong("a program can't be given this", "no zero bytes, and no `=` in the name of a variable");
    }
    if server.login.as_ref().is_some_and(|login| login.trim().is_empty() || login.chars().any(is_hidden)) {
        return wrong("`login` is not a command that a person can read and copy", "one line, nothing in it that can't be seen");
    }
    Ok(())
}

/// One wire name beside the others: for a preset tool, and for that one alone (ID-3).
pub(super) fn name(
    id: &ToolId,
    name: &WireName,
    names: &BTreeMap<ToolId, Spanned<WireName>>,
    profiles: &BTreeMap<ProfileId, Profile>,
) -> Result<(), Wrong> {
    if !profiles.values().any(|profile| profile.presets.contains(id)) {
        return Err((format!("`{id}` is no profile's preset"), "only preset tools are given names of their own"));
    }
    if names.iter().any(|(other, taken)| other != id && taken.get_ref() == name) {
        return Err((format!("`{name}` is given to two tools"), "give each a name of its own"));
    }
    Ok(())
}

/// Two aliases that a person could take for one another.
pub(super) fn alike(servers: &BTreeMap<Alias, Spanned<Server>>) -> Option<(&Spanned<Server>, Wrong)> {
    let mut seen = BTreeMap::new();
    servers.iter().find_map(|(alias, server)| {
        let other = seen.insert(skeleton(alias.as_str()), alias)?;
        Some((server, (format!("`{alias}` could be taken for `{other}`"), "give one of them another name")))
    })
}

pub(super) fn wrong(what: &str, hint: &'static str) -> Result<(), Wrong> {
    Err((what.to_owned(), hint))
}

/// Names by which a host is reached.
pub(super) fn hosts(hosts: &[String]) -> Result<(), Wrong> {
    if let Some(host) = hosts.iter().find(|host| host.parse::<Authority>().is_err() || host.contains('@')) {
        return Err((format!("`{host}` is not a host"), "write a name, with a port where clients use one: `mcp.example.com:8443`"));
    }
    hosts.iter().try_for_each(|host| port(host, host))
}

/// A host's port, where it names one, beside the whole that it is part of.
fn port(host: &str, whole: &str) -> Result<(), Wrong> {
    let named = host.parse::<Authority>().ok().filter(|authority| authority.host().len() < host.len());
    if named.is_some_and(|authority| authority.port_u16().is_none_or(|port| port == 0)) {
        return Err((format!("`{whole}` names a port that there is not"), "a port is from 1 to 65535"));
    }
    Ok(())
}

/// The operators' pages, and who logs in there at a provider.
pub(super) fn console(console: &Console, operators: &BTreeMap<OperatorName, Spanned<Entitled>>) -> Result<(), Wrong> {
    hosts(&console.hosts)?;
    let Some(provider) = &console.oidc else { return Ok(()) };
    oidc::table(provider)?;
    oidc::nobody(operators)
}

/// The names that clients use, and the pages that may call.
pub(super) fn http(http: &Http) -> Result<(), Wrong> {
    hosts(&http.hosts)?;
    let origin = |text: &str| {
        let (scheme, host) = text.split_once("://")?;
        (matches!(scheme, "http" | "https") && host.parse::<Authority>().is_ok()).then_some(())
    };
    if let Some(odd) = http.origins.iter().find(|text| origin(text).is_none()) {
        return Err((format!("`{odd}` is not an origin"), "write scheme and host as a browser does: `https://app.example.com`"));
    }
    http.origins.iter().try_for_each(|origin| port(origin.split_once("://").map_or("", |(_, host)| host), origin))?;
    match http.body {
        1024..=16_777_216 => Ok(()),
        _ => wrong("`body` is from 1024 to 16777216 bytes", "leave it out for 1 MiB"),
    }
}

/// What a profile's clients may take up over HTTP.
pub(super) fn service(service: &Service) -> Result<(), Wrong> {
    match (service.sessions, service.requests) {
        (1..=1_000_000, 1..=100_000) => Ok(()),
        (0 | 1_000_001.., _) => wrong("`sessions` is from 1 to 1000000", "leave it out for 256"),
        _ => wrong("`requests` is from 1 to 100000", "leave it out for 256"),
    }
}
