//! Words and lines for a person at a terminal.
//!
//! Is: one line a record, a block a session. Nothing reaches a terminal with a character in it that can't be seen, whoever
//! wrote it: not the host that answers, either. Clause: CAT-5.

use super::{Exit, Failure};
use crate::admin::{Session, Stop};
use crate::lock::seen;
pub(crate) use crate::question::counted;
use agent_core::safety::{visible, visible_lines};
use agent_core::state::Held;
use agent_core::time::Instant;
use agent_core::transition::Record;
use serde::Serialize;
use serde_json::Value;
use std::io::Write;
use std::ops::ControlFlow;

/// Standard output, for as long as somebody reads it.
pub(super) struct Out(std::io::StdoutLock<'static>);

impl Out {
    pub(super) fn new() -> Self {
        Self(std::io::stdout().lock())
    }

    /// Prints a line, or a block of them; breaks off where the reader is gone.
    pub(super) fn line(&mut self, text: &str) -> ControlFlow<()> {
        if writeln!(self.0, "{}", visible_lines(text)).is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }
}

/// Prints lines for as long as somebody reads them.
pub(super) fn print(lines: &[String]) {
    let mut out = Out::new();
    // Where the reader is gone, the rest is nobody's.
    let _ = lines.iter().try_for_each(|line| out.line(line));
}

/// One JSON document, in which hidden characters are escaped.
pub(super) fn json(document: &impl Serialize) -> Result<Vec<String>, Failure> {
    let text = serde_json::to_string_pretty(document).map_err(|error| Failure::new(Exit::Failed, error.to_string()))?;
    Ok(vec![seen(text)])
}

/// A list to standard output: one document, or a line for each, or what there is to say of none.
pub(super) fn listed<T: Serialize>(items: &[T], as_json: bool, line: impl Fn(&T) -> String, none: &str) -> Result<(), Failure> {
    let lines = match items {
        items if as_json => json(&items)?,
        [] => vec![none.to_owned()],
        items => items.iter().map(line).collect(),
    };
    print(&lines);
    Ok(())
}

/// Lines to whoever started this, on standard error. Where that is gone, nobody is there to be told.
pub(crate) fn tell(text: &str) {
    let _ = writeln!(std::io::stderr(), "{}", visible_lines(text));
}

/// What an operator should know and no command failed by, on one line.
pub(super) fn warn(text: &str) {
    tell(&format!("warning: {}", visible(text)));
}

/// `12  2026-11-30T14:52:08.120Z  session:s_…  granted  {…}`
pub(super) fn record(record: &Record) -> String {
    let mut what = serde_json::to_value(&record.what).unwrap_or_default();
    let kind = what.as_object_mut().and_then(|members| members.remove("kind"));
    let kind = kind.as_ref().and_then(Value::as_str).unwrap_or("?");
    visible(&format!("{:>6}  {}  {}  {kind}  {what}", record.seq, moment(record.at), record.stream))
}

/// That everything is stopped: the first thing that is shown while it is.
pub(crate) fn stopped(stop: &Stop) -> String {
    let since = stop.since.map(|since| format!(" since {}", moment(since))).unwrap_or_default();
    visible(&format!("everything is stopped by {}{since}; `agent-host resume` lifts it", stop.by))
}

/// A session and what it holds.
pub(super) fn session(session: &Session) -> String {
    let asker = &session.asker;
    let profile = asker.profile.as_ref().map(|profile| format!(", profile {profile}")).unwrap_or_default();
    let mut lines = vec![format!("{}  {}{profile}", asker.session, asker.principal)];
    lines.extend(session.active.iter().map(held));
    if session.active.is_empty() {
        lines.push("  holds no tools".to_owned());
    }
    if let Some(question) = &session.waiting {
        lines.push(format!("  waits for a person: request {}", question.id));
    }
    if !session.running.is_empty() {
        lines.push(format!("  calls running: {}", session.running.len()));
    }
    lines.iter().map(|line| visible(line)).collect::<Vec<_>>().join("\n")
}

fn held(held: &Held) -> String {
    let grant = &held.grant;
    let mut text = format!("  {}  definition {}", grant.bound.id, grant.bound.digest.short());
    if grant.preset {
        text.push_str(", preset");
    }
    if let Some(end) = grant.end {
        text.push_str(&format!(", until {}", moment(end)));
    }
    match grant.max_calls {
        Some(most) => text.push_str(&format!(", {} of {most} calls used", held.used)),
        None => text.push_str(&format!(", {}", counted(held.used, "call"))),
    }
    if let Some(why) = held.suspended {
        let why = serde_json::to_value(why).unwrap_or_default();
        text.push_str(&format!(", suspended: {}", why.as_str().unwrap_or("?")));
    }
    text
}

/// RFC 3339 in UTC.
pub(super) fn moment(at: Instant) -> String {
    at.utc()
}
