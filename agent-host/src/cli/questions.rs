//! `questions` and `reply`: what servers ask of a person while they are called, and a person's answer.
//!
//! Is not: `approve`; an answer here activates nothing, and no flag says one unasked. Clause: AUTH-8.

use super::far::At;
use super::operator::{done, live, odd};
use super::print::{json, moment, print};
use super::tty::Tty;
use super::{Exit, Failure};
use crate::admin::{Replied, Request, Response};
use crate::question::inquiry as text;
use agent_core::inquiry::{Inquiry, Reply};
use agent_core::session::SessionId;
use clap::Args;

/// An answer to a question.
#[derive(Debug, Args)]
pub(crate) struct Replying {
    /// The session that it is about, as `questions` shows it.
    #[arg(value_parser = super::session)]
    session: SessionId,
    /// Which of its questions, by number.
    index: u64,
    /// The answer: one of the choices as they are written, or free text. Left out, it is asked for at the terminal.
    #[arg(conflicts_with = "decline")]
    answer: Option<String>,
    /// Say that nobody answers it.
    #[arg(long)]
    decline: bool,
}

/// `fresh`: no host ever ran on the folder.
pub(super) async fn list(at: At<'_>, fresh: bool, as_json: bool) -> Result<(), Failure> {
    let response = if fresh { Response::Questions { waiting: Vec::new() } } else { done(at, Request::Questions {}).await? };
    let Response::Questions { waiting } = response else { return Err(odd()) };
    if as_json {
        print(&json(&waiting)?);
        return Ok(());
    }
    let mut lines = Vec::new();
    for inquiry in &waiting {
        lines.push(shown(inquiry));
        lines.push(format!("`agent-host reply {} {}` asks for an answer", inquiry.asker.session, inquiry.index));
        lines.push(String::new());
    }
    if waiting.is_empty() {
        lines.push("no question waits for a person".to_owned());
    }
    print(&lines);
    Ok(())
}

fn shown(inquiry: &Inquiry) -> String {
    format!("{}\nUntil {}.", text(inquiry), moment(inquiry.expires))
}

/// Hands an answer in, asked for at the terminal where none was given.
pub(super) async fn reply(at: At<'_>, Replying { session, index, answer, decline }: Replying) -> Result<(), Failure> {
    let reply = match answer {
        Some(answer) => Reply::Said(answer),
        None if decline => Reply::Declined,
        None => Reply::Said(asked(at, session, index).await?),
    };
    let response = live(at, &Request::Reply { session, index, reply }).await?.ok_or_else(gone)?;
    match response {
        Response::Replied { replied: Replied::Taken } => {
            print(&["answered; whoever asked is told".to_owned()]);
            Ok(())
        }
        Response::Replied { replied: Replied::NotAChoice } => {
            let what = "nothing was answered: that is not one of the choices, or no text within bounds; the question waits on";
            Err(Failure::new(Exit::Undecided, format!("{what}\nhint: `agent-host questions` shows what can be said")))
        }
        Response::Replied { replied: Replied::Gone } => Err(gone()),
        _ => Err(odd()),
    }
}

async fn asked(at: At<'_>, session: SessionId, index: u64) -> Result<String, Failure> {
    let Some(Response::Questions { waiting }) = live(at, &Request::Questions {}).await? else { return Err(gone()) };
    let inquiry = waiting.into_iter().find(|inquiry| inquiry.asker.session == session && inquiry.index == index).ok_or_else(gone)?;
    let mut tty = Tty::open_or("name the answer after the number")?;
    tty.say(&shown(&inquiry))?;
    let choices = &inquiry.wording.choices;
    tty.ask(if choices.is_empty() { "answer: " } else { "number of the answer: " })?;
    let line = tty.answer().await?;
    let typed = std::str::from_utf8(&line).map_err(|_| Failure::new(Exit::Usage, "not a text"))?.trim();
    let number = typed.parse::<usize>().ok().and_then(|number| choices.get(number.checked_sub(1)?));
    Ok(number.map_or(typed, String::as_str).to_owned())
}

fn gone() -> Failure {
    let what = "no such question waits: it was answered, came to its end or was taken back, or never was";
    Failure::new(Exit::Nothing, format!("{what}\nhint: `agent-host questions` lists what waits"))
}
