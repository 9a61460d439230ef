//! `approve` and `deny`: one request, shown to the person who typed the command, and their answer handed in.
//!
//! Is: the question, the digest of what was shown, and words for what came of it. Is not: a judge of who answers; the host
//! takes that from the socket. Clauses: AUTH-2, AUTH-3, AUTH-4 (socket, passphrase), AUTH-9, POL-4. Invariant: I-3.

use super::far::At;
use super::inspect::who;
use super::operator::{live, not_recorded, odd};
use super::print::{moment, print};
use super::tty::{Tty, is_yes};
use super::{Answering, Exit, Failure};
use crate::admin::passphrase::Secret;
use crate::admin::{Answered, Boundary, Request, Response};
use crate::question::{came_to, text};
use agent_core::request::{Decision, Question};
use agent_core::safety::visible;
use clap::Args;
use std::time::Duration;

/// Between two looks at whether a question on the screen still waits.
const LOOK: Duration = Duration::from_millis(500);

/// A yes, and how far it reaches.
#[derive(Debug, Args)]
pub(crate) struct Approving {
    #[command(flatten)]
    pub(super) answering: Answering,
    /// For one call of each tool.
    #[arg(long, conflicts_with = "always")]
    pub(super) once: bool,
    /// Also for every later request for these exact definitions; `standing` lists and revokes it.
    #[arg(long)]
    pub(super) always: bool,
}

/// `approve`.
pub(super) async fn approve(at: At<'_>, Approving { answering, once, always }: Approving) -> Result<(), Failure> {
    let decision = match (once, always) {
        (true, _) => Decision::Once,
        (_, true) => Decision::Always,
        _ => Decision::Approve,
    };
    answer(at, answering, decision).await
}

/// `approve` and `deny`.
pub(super) async fn answer(at: At<'_>, options: Answering, decision: Decision) -> Result<(), Failure> {
    let (waiting, boundary) = waiting(at).await?.ok_or_else(no_host)?;
    let Some(question) = waiting.into_iter().find(|question| question.id == options.request) else {
        let what = format!("request {} does not wait here: it was answered, expired or withdrawn, or never was", options.request);
        return Err(Failure::new(Exit::Nothing, format!("{what}\nhint: `agent-host approvals` lists what waits")));
    };
    if options.expect.is_some_and(|expect| expect != question.digest()) {
        let what = format!("nothing was decided: request {} asks for something else than expected", question.id);
        return Err(Failure::new(Exit::Moved, format!("{what}\nhint: `agent-host approvals` shows what it asks for now")));
    }
    // Who logged in to be asked has typed the passphrase.
    let options = Answering { strong: options.strong && !at.is_far(), ..options };
    let secret = if options.yes && !options.strong { None } else { ask(at, &question, boundary, &options, &decision).await? };
    print(&[told(&question, hand_in(at, &question, decision, secret).await?)?]);
    Ok(())
}

/// Asks at the terminal, for a yes and for the passphrase as the options say.
async fn ask(
    at: At<'_>,
    question: &Question,
    boundary: Boundary,
    options: &Answering,
    decision: &Decision,
) -> Result<Option<Secret>, Failure> {
    let mut tty = Tty::open_or("`--yes --expect DIGEST` answers without one")?;
    if !options.yes {
        show(&tty, question, boundary)?;
        let asked = match decision {
            Decision::Approve => "approve? [y/N] ".to_owned(),
            Decision::Once => "approve, for one call of each? [y/N] ".to_owned(),
            Decision::Always => format!("approve, now and always for {}? [y/N] ", visible(question.asker.principal.as_str())),
            _ => "deny? [y/N] ".to_owned(),
        };
        let line = put(&mut tty, at, question, &asked).await?.ok_or_else(|| gone(question))?;
        if !is_yes(&line) {
            return Err(undecided(question));
        }
    }
    if options.strong { passphrase(&mut tty).await.map(Some) } else { Ok(None) }
}

/// A question on the screen, with the digest that an answer names.
pub(super) fn show(tty: &Tty, question: &Question, boundary: Boundary) -> Result<(), Failure> {
    tty.say(&shown(question, boundary))
}

/// A question as a terminal shows it.
pub(super) fn shown(question: &Question, boundary: Boundary) -> String {
    format!("{}\nDigest {}, until {}.", text(question, boundary), question.digest(), moment(question.expires))
}

/// Asks about what is on the screen. None where it was settled elsewhere before anything was typed.
pub(super) async fn put(tty: &mut Tty, at: At<'_>, question: &Question, asked: &str) -> Result<Option<super::tty::Line>, Failure> {
    tty.ask(asked)?;
    loop {
        tokio::select! {
            biased;
            line = tty.answer() => return line.map(Some),
            () = tokio::time::sleep(LOOK) => {}
        }
        if !waiting(at).await?.is_some_and(|(waiting, _)| waiting.contains(question)) {
            tty.say("")?;
            return Ok(None);
        }
    }
}

/// Asks for the passphrase.
pub(super) async fn passphrase(tty: &mut Tty) -> Result<Secret, Failure> {
    let text = tty.secret("passphrase: ").await?;
    Secret::new(text).map_err(|error| Failure::new(Exit::Undecided, format!("nothing was decided: {error}")))
}

/// What waits, and where the host stands. None where no host runs: nothing waits without one, and its folder is left alone.
pub(super) async fn waiting(at: At<'_>) -> Result<Option<(Vec<Question>, Boundary)>, Failure> {
    match live(at, &Request::Approvals {}).await? {
        None => Ok(None),
        Some(Response::Approvals { waiting, boundary, .. }) => Ok(Some((waiting, boundary))),
        Some(_) => Err(odd()),
    }
}

fn no_host() -> Failure {
    let what = "no host runs on this state folder, so nothing waits";
    Failure::new(Exit::Nothing, format!("{what}\nhint: a request ends with its host; `--state DIR` names another folder"))
}

/// Hands an answer to the very question that was shown to the host.
// INVARIANT: I-3
pub(super) async fn hand_in(at: At<'_>, question: &Question, answer: Decision, passphrase: Option<Secret>) -> Result<Answered, Failure> {
    let (session, request, shown) = (question.asker.session, question.id, question.digest());
    match live(at, &Request::Answer { session, request, shown, answer, passphrase }).await? {
        None => Err(no_host()),
        Some(Response::Answered { answered }) => Ok(answered),
        Some(_) => Err(odd()),
    }
}

/// What an answer came to, in words, with what to do next.
pub(super) fn told(question: &Question, answered: Answered) -> Result<String, Failure> {
    let (id, session, principal) = (question.id, question.asker.session, &question.asker.principal);
    let text = came_to(&answered, |by| visible(&who(by)));
    let (exit, hint) = match answered {
        Answered::Granted { .. } | Answered::Always { stands: false, .. } => {
            return Ok(format!("{text}; `agent-host revoke {session} TOOL` takes one back"));
        }
        Answered::Always { stands: true, .. } => {
            return Ok(format!(
                "{text}; {principal} is not asked about these definitions again, and `agent-host standing revoke {principal} TOOL` takes that back"
            ));
        }
        Answered::Denied { recorded: true } => return Ok(format!("{text}; `agent-host denials clear {principal}` forgets it")),
        Answered::Denied { recorded: false } => return Err(not_recorded()),
        Answered::Before { .. } => (Exit::Undecided, format!("`agent-host session {session}` shows what it holds")),
        Answered::TooWeak => {
            let strong =
                "the passphrase is strong (`--strong`), and so is an answer by another user than the client's, such as the superuser";
            (Exit::TooWeak, strong.to_owned())
        }
        Answered::Withdrawn { .. } => (Exit::Undecided, "what is still needed is asked for again".to_owned()),
        Answered::Void { waits: true, .. } => (Exit::Undecided, "`agent-host approvals` shows what it asks for now".to_owned()),
        Answered::Void { .. } => (Exit::Undecided, "`agent-host approvals` lists what waits".to_owned()),
        Answered::Failed { .. } => (Exit::Failed, format!("request {id} waits on; try again")),
    };
    Err(Failure::new(exit, format!("{text}\nhint: {hint}")))
}

/// The request ended before anything was typed.
fn gone(question: &Question) -> Failure {
    let what = format!("nothing was decided here: request {} was settled elsewhere meanwhile", question.id);
    Failure::new(Exit::Undecided, format!("{what}\nhint: `agent-host session {}` says how", question.asker.session))
}

/// Whatever was typed was no yes.
fn undecided(question: &Question) -> Failure {
    let what = format!("nothing was decided; request {} waits on", question.id);
    Failure::new(Exit::Undecided, format!("{what}\nhint: only `y` or `yes` is a yes; `agent-host deny {}` is a no", question.id))
}
