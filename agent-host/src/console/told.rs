//! What came of a form, in words for the next page.
//!
//! Is not: markup; the page escapes it. Clauses: AUTH-3, AUTH-9, REV-1, REV-4.

use super::logins::Flash;
use crate::admin::{Answered, Reloaded, Response};
use crate::question::how;

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
        Response::Revoked { sessions, .. } if sessions.iter().all(|taken| taken.removed.is_empty()) => {
            not("nothing was taken back: the session does not hold it")
        }
        Response::Revoked { sessions, .. } => {
            let started = sessions.iter().map(|taken| taken.running.len()).sum();
            let left = if started == 0 { String::new() } else { format!("; {} of it had started", counted(started, "call")) };
            let recorded = sessions.iter().all(|taken| taken.recorded);
            narrowed(recorded, format!("taken back; no further call of it starts{left}"))
        }
        Response::Stopped { recorded } => narrowed(recorded, "everything is stopped; nothing is activated and no call starts".to_owned()),
        Response::Resumed => done("the stop is lifted"),
        Response::Reloaded { reloaded: Reloaded::Taken(changes) } if changes.is_nothing() => done("read again; nothing changed"),
        Response::Reloaded { reloaded: Reloaded::Taken(_) } => done("read again, and in force"),
        Response::Reloaded { reloaded: Reloaded::Refused { why } } => not(format!("refused, what was in force still is: {why}")),
        Response::Accepted => done("accepted"),
        Response::TokenRevoked { known: true, recorded } => narrowed(recorded, "the token is taken back".to_owned()),
        Response::TokenRevoked { .. } => not("there is no such token"),
        Response::Failed { what, hint } => not(format!("{what} ({hint})")),
        _ => not("there was an answer to something else"),
    }
}

fn answer(answered: Answered) -> Flash {
    match answered {
        Answered::Granted { added, .. } => done(format!("approved: {} active", counted(added, "tool"))),
        Answered::Always { added, stands: true, .. } => {
            done(format!("approved: {} active, and always from now on", counted(added, "tool")))
        }
        Answered::Always { added, stands: false, .. } => {
            done(format!("approved: {} active; not for always, for a rule demands a strong answer each time", counted(added, "tool")))
        }
        Answered::Before { ended, .. } => not(format!("nothing was decided here: somebody did before; {}", how(ended.as_ref()))),
        Answered::Denied { recorded } => narrowed(recorded, "denied: not asked again for 24 hours".to_owned()),
        Answered::Withdrawn { ended } => not(format!("nothing was granted: {}", how(ended.as_ref()))),
        Answered::TooWeak => not("nothing was decided: a rule demands a stronger answer, and the request waits for it"),
        Answered::Void { waits: true, .. } => not("nothing was decided: the request asks for something else than was shown; look again"),
        Answered::Void { ended, .. } => not(format!("nothing was decided here: {}", how(ended.as_ref()))),
        Answered::Failed { why } => not(format!("it could not be put in effect, and the request waits on: {why}")),
    }
}
