//! `approvals --watch`: whatever waits, one request at a time, until Ctrl-C.
//!
//! Is: a person at a terminal, who sees each request as it comes and answers it or leaves it. Is not: a list; nothing is
//! asked before the one before it is out of the way. Clauses: AUTH-2, AUTH-3, AUTH-5.

use super::Failure;
use super::approve::{hand_in, passphrase, put, show, told, waiting};
use super::far::At;
use super::tty::{Tty, is_yes};
use crate::admin::Boundary;
use crate::system::asked_to_end;
use agent_core::request::{Decision, Question};
use agent_core::session::RequestId;
use std::collections::BTreeSet;
use std::time::Duration;

/// Between two looks at what waits.
const LOOK: Duration = Duration::from_millis(500);
/// Between a question that went away under somebody's fingers and the next one's answer.
const SETTLE: Duration = Duration::from_secs(1);

/// Watches until Ctrl-C.
pub(super) async fn watch(at: At<'_>) -> Result<(), Failure> {
    let mut tty = Tty::open()?;
    tokio::select! {
        ended = asking(&mut tty, at) => ended,
        () = asked_to_end() => Ok(()),
    }
}

/// Asks until the terminal is gone. Hosts may come and go meanwhile.
async fn asking(tty: &mut Tty, at: At<'_>) -> Result<(), Failure> {
    let mut left = BTreeSet::new();
    let mut idle = false;
    loop {
        let (questions, boundary) = waiting(at).await?.unwrap_or((Vec::new(), Boundary::SameUser));
        left.retain(|left| questions.iter().any(|question| question.id == *left));
        let Some(question) = questions.iter().find(|question| !left.contains(&question.id)) else {
            if !idle {
                tty.say(&format!("{}; Ctrl-C ends this", nothing(left.len())))?;
                idle = true;
            }
            tokio::time::sleep(LOOK).await;
            continue;
        };
        idle = false;
        if let Some(undecided) = one(tty, at, question, boundary).await? {
            left.insert(undecided);
        }
    }
}

fn nothing(left: usize) -> String {
    if left == 0 { "nothing waits for a person".to_owned() } else { format!("nothing else waits for a person, and {left} left undecided") }
}

/// Puts one question, and hands in what is answered. The request, where it was left undecided.
async fn one(tty: &mut Tty, at: At<'_>, question: &Question, boundary: Boundary) -> Result<Option<RequestId>, Failure> {
    tty.say("")?;
    show(tty, question, boundary)?;
    if tty.reading() {
        tokio::time::sleep(SETTLE).await;
    }
    let Some(line) = put(tty, at, question, "approve? [y/N, or `once`, `always`, `deny`] ").await? else {
        tty.say(&format!("request {} was settled elsewhere", question.id))?;
        return Ok(None);
    };
    let decision = match line.trim_ascii() {
        line if is_yes(line) => Decision::Approve,
        line if line.eq_ignore_ascii_case(b"once") => Decision::Once,
        line if line.eq_ignore_ascii_case(b"always") => Decision::Always,
        line if line.eq_ignore_ascii_case(b"deny") => Decision::Deny,
        _ => {
            tty.say(&format!("nothing was decided; `agent-host approve {}` asks again", question.id))?;
            return Ok(Some(question.id));
        }
    };
    // A login elsewhere was by the passphrase.
    let secret = if question.strong && decision.is_yes() && !at.is_far() { Some(passphrase(tty).await) } else { None };
    let done = match secret.transpose() {
        Ok(secret) => hand_in(at, question, decision, secret).await.and_then(|answered| told(question, answered)),
        Err(failed) => Err(failed),
    };
    match done {
        Ok(told) => {
            tty.say(&told)?;
            Ok(None)
        }
        Err(failed) => {
            tty.say(&failed.text)?;
            Ok(Some(question.id))
        }
    }
}
