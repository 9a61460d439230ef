//! What came of a form, in words for the next page.
//!
//! Is not: markup; the page escapes it. Clauses: AUTH-3, AUTH-9, REV-1, REV-4.

use super::logins::Flash;
use crate::admin::{Answered, Reloaded, Response};
use crate::question::how;
use agent_core::safety::visible;

/// What is said of what narrowed and could not be recorded.
const NOT_RECORDED: &str = "in effect, not recorded: see whether the disk is full; the host tries again by itself";

fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

fn narrowed(recorded: bool, text: String) -> Flash {
    Flash { done: recorded, text: if recorded { text } else { format!("{text}; {NOT_RECORDED}") } }
}

fn not(text: impl Into<String>) -> Flash {
    Flash { done: false, text: text.into() }
}

fn done(text: impl Into<String>) -> Flash {
    Flash { done: true, text: text.into() }
}

pub(super) fn told(response: Response) -> Flash {
    match response {
        Response::Answered { answered } => answer(answered),
        Response::Cleared => done("the denials are forgotten; a person can be asked again"),
        Response::Revoked { known: false, .. } => not("nothing was taken back: there is no such session"),
        Response::Revoked { removed: false, .. } => not("nothing was taken back: the session does not hold it"),
        Response::Revoked { running, recorded, .. } => {
            let left = if running.is_empty() { String::new() } else { format!("; {} of it had started", counted(running.len(), "call")) };
            narrowed(recorded, format!("taken back; no further call of it starts{left}"))
        }
        Response::Stopped { recorded } => narrowed(recorded, "everything is stopped; nothing is activated and no call starts".to_owned()),
        Response::Resumed => done("the stop is lifted"),
        Response::Reloaded { reloaded: Reloaded::Taken(changes) } if changes.is_nothing() => done("read again; nothing changed"),
        Response::Reloaded { reloaded: Reloaded::Taken(_) } => done("read again, and in force"),
        Response::Reloaded { reloaded: Reloaded::Refused { why } } => not(format!("refused, what was in force still is: {why}")),
        Response::Accepted => done("accepted"),
        Response::Verified { records, streams, head, broken: None } => {
            let of = counted(streams, "stream");
            done(format!("the chain is whole: {records} records of {of}, head {}; not anchored", head.short()))
        }
        Response::Verified { records, broken: Some(broken), .. } => not(format!(
            "the chain is broken: {} ({records} records before it stand; keep the folder as it is, and find out who wrote to it)",
            visible(&broken)
        )),
        Response::TokenRevoked { known: true, recorded } => narrowed(recorded, "the token is taken back".to_owned()),
        Response::TokenRevoked { .. } => not("there is no such token"),
        Response::Failed { what, hint } => not(format!("{what} ({hint})")),
        _ => not("there was an answer to something else"),
    }
}

fn answer(answered: Answered) -> Flash {
    match answered {
        Answered::Granted { added, .. } => done(format!("approved: {} active", counted(added, "tool"))),
        Answered::Denied { recorded } => narrowed(recorded, "denied: not asked again for 24 hours".to_owned()),
        Answered::Withdrawn { ended } => not(format!("nothing was granted: {}", how(ended.as_ref()))),
        Answered::TooWeak => not("nothing was decided: a rule demands a stronger answer, and the request waits for it"),
        Answered::Void { waits: true, .. } => not("nothing was decided: the request asks for something else than was shown; look again"),
        Answered::Void { ended, .. } => not(format!("nothing was decided here: {}", how(ended.as_ref()))),
        Answered::Failed { why } => not(format!("it could not be put in effect, and the request waits on: {why}")),
    }
}
