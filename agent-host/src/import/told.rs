//! What was found, in lines for a person, before anything is asked.
//!
//! Is: every word of what would be run, one on a line, and all that there is to know. Nothing that a file holds reaches a
//! terminal with a character that can't be seen, and no secret reaches one at all. Clauses: UP-2 (project files), CAT-5.

use super::entry::{How, Remote, Run};
use super::find::{Scope, Source};
use super::note::{Kind, Note};
use super::plan::{Fate, Offer, Planned};
use super::reference::is_name;
use super::words::{host, shown};
use crate::config::{FromEnv, FromFile, Variable, veiled, veiled_url};
use agent_core::safety::{echo, visible};

/// The one line of a file that can't be read: `path:line:column: what`.
fn malformed(planned: &Planned) -> Option<String> {
    let why = planned.notes.as_ref().err()?;
    let path = planned.source.path.display();
    Some(visible(&format!("{path}:{}: {}; nothing of it is taken", why.place, why.what)))
}

/// A file and its servers.
#[must_use]
pub fn offered(planned: &Planned) -> Vec<String> {
    let mut lines = vec![head(&planned.source)];
    lines.extend(malformed(planned).map(|line| format!("  {line}")));
    lines.extend(planned.notes.iter().flatten().map(|note| format!("  note: {note}")));
    if planned.notes.is_ok() && planned.offers.is_empty() {
        lines.push("  no servers".to_owned());
    }
    lines.extend(planned.offers.iter().flat_map(offer));
    lines.iter().map(|line| visible(line)).collect()
}

fn head(source: &Source) -> String {
    let of = match &source.scope {
        Scope::User | Scope::Local(_) => "yours".to_owned(),
        Scope::Project(folder) => format!("of the project {}", folder.display()),
    };
    format!("{}: {} ({of})", source.client.name(), source.path.display())
}

/// One server alone, with the file that it stands in.
#[must_use]
pub fn offered_one(source: &Source, one: &Offer) -> Vec<String> {
    let lines = std::iter::once(head(source)).chain(offer(one));
    lines.map(|line| visible(&line)).collect()
}

/// One server.
fn offer(offer: &Offer) -> Vec<String> {
    let entry = &offer.entry;
    // Our own marks stand round a name, and none in it.
    let name = echo(&entry.name).replace('`', "'");
    let mut lines = vec![match &offer.fate {
        Fate::New(alias) if alias.as_str() == entry.name => format!("  `{alias}`"),
        Fate::New(alias) => format!("  `{name}`, as `{alias}`"),
        Fate::Known(alias) => format!("  `{name}`: there already, as `{alias}`"),
        Fate::Same(alias) => format!("  `{name}`: the same as `{alias}`"),
        Fate::Ourselves => format!("  `{name}`: not taken; it is agent-host itself"),
        Fate::Unusable => format!("  `{name}`: not taken"),
    }];
    match &entry.how {
        How::Run(run) if matches!(offer.fate, Fate::New(_)) => lines.extend(running(run, &entry.notes)),
        How::Remote(Remote { why: Some(why), .. }) => lines.push(format!("      {why}")),
        How::Remote(remote) if matches!(offer.fate, Fate::New(_)) => lines.extend(reached(remote, &entry.notes)),
        How::Run(_) | How::Remote(_) => return lines,
        How::Unusable(why) => lines.push(format!("      {why}")),
    }
    lines.extend(entry.start.iter().map(|time| format!("      it has {time:?} to start")));
    lines.extend(entry.timeout.iter().map(|time| format!("      a call may take {time:?}")));
    lines.extend(entry.allow.iter().map(|tools| format!("      only these tools: {}", tools.join(", "))));
    if !entry.deny.is_empty() {
        lines.push(format!("      without these tools: {}", entry.deny.join(", ")));
    }
    lines.extend(entry.notes.iter().map(|note| format!("      note: {note}")));
    lines
}

/// Each word of a command, and each variable.
fn running(run: &Run, notes: &[Note]) -> Vec<String> {
    let mut before = None;
    let mut lines = Vec::new();
    for (at, word) in std::iter::once(&run.command).chain(&run.args).enumerate() {
        lines.push(format!("      {at:>2}  {}", shown(before, word)));
        before = Some(word.as_str());
    }
    lines.extend(run.env.iter().map(|(name, variable)| format!("      with {} = {}", plain(name), value("env", name, variable, notes))));
    lines.extend(run.cwd.iter().map(|cwd| format!("      in {}", cwd.display())));
    lines
}

/// Where a server is, and each header.
fn reached(remote: &Remote, notes: &[Note]) -> Vec<String> {
    let mut lines = vec![format!("      {}", veiled_url(&remote.url).unwrap_or_else(|| veiled(None, &remote.url)))];
    lines.extend(remote.is_private().then(|| "      without encryption, or on this machine: `private = true`".to_owned()));
    let header = |(name, variable): (&String, &Variable)| {
        let shown = if name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-') { name.clone() } else { plain(name) };
        format!("      with the header {shown} = {}", value("headers", name, variable, notes))
    };
    lines.extend(remote.given.iter().map(header));
    lines
}

/// A name, in quotes where it is no variable's.
fn plain(name: &str) -> String {
    if is_name(name) { name.to_owned() } else { serde_json::Value::from(name).to_string() }
}

/// What a variable or a header gets, without a secret.
fn value(table: &str, name: &str, variable: &Variable, notes: &[Note]) -> String {
    let secret = || notes.iter().any(|note| note.kind == Kind::SecretLiteral && note.subject == format!("{table}.{name}"));
    match variable {
        Variable::Plain(value) if secret() => match host(value) {
            Some(host) => format!("(hidden, a URL at {host}, to be kept in a file of its own)"),
            None => "(hidden, to be kept in a file of its own)".to_owned(),
        },
        Variable::Plain(value) => serde_json::Value::from(value.as_str()).to_string(),
        Variable::Env(FromEnv { env, prefix }) => format!("{}the variable {env}", before(prefix)),
        Variable::File(FromFile { file, prefix }) => format!("{}what {} holds", before(prefix), file.display()),
    }
}

fn before(prefix: &str) -> String {
    if prefix.is_empty() { String::new() } else { format!("{} and ", serde_json::Value::from(prefix)) }
}
