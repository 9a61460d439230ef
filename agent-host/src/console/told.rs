//! What came of a form, in words for the next page.
//!
//! Is not: markup; the page escapes it. Clauses: AUTH-3, AUTH-9, POL-4, REV-1, REV-4.

use super::logins::{Flash, Next};
use crate::admin::{Answered, Reloaded, Replied, Response, Running, TakenBack};
use crate::question::{NOT_RECORDED, came_to, counted};
use agent_core::request::Decider;
use agent_core::safety::visible;

fn narrowed(recorded: bool, text: String) -> Flash {
    Flash::new(recorded, if recorded { text } else { format!("{text}; {}: {}", NOT_RECORDED.0, NOT_RECORDED.1) })
}

fn not(text: impl Into<String>) -> Flash {
    Flash::new(false, text)
}

fn done(text: impl Into<String>) -> Flash {
    Flash::new(true, text)
}

pub(super) fn told(response: Response) -> Flash {
    match response {
        Response::Answered { answered } => answer(&answered),
        Response::Replied { replied: Replied::Taken } => done("answered; whoever asked is told"),
        Response::Replied { replied: Replied::NotAChoice } => {
            not("nothing was answered: that is not one of the choices, or no text within bounds; the question waits on")
        }
        Response::Replied { replied: Replied::Gone } => not("nothing was answered: no such question waits any more"),
        Response::Cleared => done("the denials are forgotten; a person can be asked again"),
        Response::StandingWithdrawn { tools, .. } if tools.is_empty() => not("nothing was taken back: no such approval stands"),
        Response::StandingWithdrawn { recorded, .. } => {
            narrowed(recorded, "taken back; a person is asked again, and sessions keep what they hold".to_owned())
        }
        Response::Revoked { known: false, .. } => not("nothing was taken back: there is no such session"),
        Response::Revoked { sessions, .. } if sessions.iter().all(|taken| taken.removed.is_empty()) => {
            not("nothing was taken back: the session does not hold it")
        }
        Response::Revoked { sessions, running, .. } => {
            let calls = sessions.iter().map(|taken| taken.running.len()).sum();
            let left = match (calls, running) {
                (0, _) => String::new(),
                (_, Running::Leave) => format!("; {} of it left to run", counted(calls, "call")),
                (_, Running::Cancel) => format!("; {} of it given up", counted(calls, "call")),
            };
            let next = sessions.iter().find_map(standing);
            let stands = if next.is_some() { "; an always stands, so it comes back unasked" } else { "" };
            let told = format!("taken back; no further call of it starts{left}{stands}");
            Flash { next, ..narrowed(sessions.iter().all(|taken| taken.recorded), told) }
        }
        Response::Ended { session: None } => not("there is no such session"),
        Response::Ended { session: Some(taken) } => {
            let (tools, calls) = (counted(taken.removed.len(), "tool"), counted(taken.running.len(), "call"));
            narrowed(taken.recorded, format!("the session is ended: {tools} taken back, {calls} given up"))
        }
        Response::Stopped { recorded } => narrowed(recorded, "everything is stopped; nothing is activated and no call starts".to_owned()),
        Response::Resumed => done("the stop is lifted"),
        Response::Reloaded { reloaded: Reloaded::Taken(changes) } => {
            narrowed(changes.recorded, format!("read again, and in force: {}", changes.lines().join("; ")))
        }
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

/// The way to end the always by which what was taken back would come back.
fn standing(taken: &TakenBack) -> Option<Next> {
    let tool = taken.stands.first()?;
    let fields = vec![("principal", taken.principal.to_string()), ("tool", tool.to_string())];
    Some(Next { what: "end-standing", fields, label: "End the always too" })
}

fn name(by: &Decider) -> &str {
    match by {
        Decider::Person { name, .. } | Decider::Standing { name, .. } => name,
        Decider::Policy { .. } => "the policy",
    }
}

fn answer(answered: &Answered) -> Flash {
    let text = came_to(answered, |by| name(by).to_owned());
    match answered {
        Answered::Granted { .. } | Answered::Always { .. } => done(text),
        Answered::Denied { recorded } => narrowed(*recorded, text),
        _ => not(text),
    }
}
