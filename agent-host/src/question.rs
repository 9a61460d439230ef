//! A question in our words, the same in a form and at a terminal, and what an answer to it came to.
//!
//! Is: what is asked for, by exact id, what it can do, for whom, and how far a yes reaches. The server's own words are cut,
//! escaped and labelled; no word of a model is in it. Is not: where or how it is answered. Clauses: AUTH-2, AUTH-8, AUTH-9, CAT-5,
//! SES-2 (stdio).

use crate::admin::{Answered, Boundary};
use agent_core::effect::{Acts, Capability};
use agent_core::inquiry::Inquiry;
use agent_core::length::Length;
use agent_core::request::{Asked, Covers, Decider, Decision, Novelty, Question};
use agent_core::safety::{prose, visible};
use agent_core::session::PrincipalId;
use agent_core::state::Settlement;
use agent_core::transition::Withdrawal;
use std::fmt::Display;

/// Bytes of a server's words about one tool.
const SAYS_BYTES: usize = 200;

/// The whole text. Every line of it can be shown as it is.
pub(crate) fn text(question: &Question, boundary: Boundary) -> String {
    let whom = whom(&question.covers);
    let head = format!("agent-host: allow {} for {whom}?", counted(question.what.len() as u64, "tool"));
    let asker = &question.asker;
    let mut tail = format!(
        "A yes covers these exact definitions for {whom} until it ends, at most 12 hours, acting as `{}`. Session {}, request {}.\nBoundary: {}.",
        asker.principal,
        asker.session,
        question.id,
        boundary.as_str()
    );
    if question.strong {
        tail.push_str(" A rule demands a strong answer.");
    }
    let tools = question.what.iter().map(|asked| one(asked, &asker.principal));
    std::iter::once(head).chain(tools).chain([tail]).collect::<Vec<_>>().join("\n\n")
}

/// A question that is about no permission, its choices numbered. Every line of it can be shown as it is.
pub(crate) fn inquiry(inquiry: &Inquiry) -> String {
    let Inquiry { asker, wording, index, .. } = inquiry;
    let mut lines = vec![format!("Question {index} of session {}, for `{}`. An answer activates nothing.", asker.session, asker.principal)];
    lines.extend(wording.context.iter().map(|(name, text)| format!("  {}: {}", visible(name), visible(text))));
    lines.push(format!("The server says (not checked): {}", visible(&wording.text)));
    lines.extend(wording.choices.iter().enumerate().map(|(at, choice)| format!("  {}) {}", at + 1, visible(choice))));
    if wording.choices.is_empty() {
        lines.push("  (free text; never a password or a key)".to_owned());
    }
    lines.join("\n")
}

/// `1 tool`, `2 tools`.
pub(crate) fn counted<N: Display + PartialEq + From<u8>>(count: N, noun: &str) -> String {
    let end = if count == N::from(1) { "" } else { "s" };
    format!("{count} {noun}{end}")
}

/// For whom a yes holds.
pub(crate) fn whom(covers: &Covers) -> String {
    match covers {
        Covers::Session => "this session".to_owned(),
        Covers::Named(name) => format!("the session `{}`", visible(name.as_str())),
        Covers::Process => "every conversation in this process".to_owned(),
        Covers::Credential => "every conversation under this token".to_owned(),
    }
}

/// How far a yes to one tool reaches, where a rule says it.
pub(crate) fn good_for(asked: &Asked) -> Option<String> {
    let calls = asked.max_calls.map(|most| counted(most, "call"));
    match (calls, asked.ttl.map(Length::words)) {
        (Some(calls), Some(time)) => Some(format!("{calls} within {time}")),
        (Some(only), None) | (None, Some(only)) => Some(only),
        (None, None) => None,
    }
}

/// The tools of other servers that its words name.
pub(crate) fn named(asked: &Asked) -> String {
    asked.names.iter().map(|id| visible(id.as_str())).collect::<Vec<_>>().join(", ")
}

fn one(asked: &Asked, principal: &PrincipalId) -> String {
    let legs: Vec<_> = asked.capabilities.iter().copied().map(Capability::as_str).collect();
    let legs = if legs.is_empty() { "no capabilities".to_owned() } else { legs.join(", ") };
    let novelty = match asked.novelty {
        Novelty::New => "never accepted before",
        Novelty::Known => "accepted before",
    };
    let id = &asked.bound.id;
    let mut lines = vec![
        visible(id.as_str()),
        format!("  server `{}`; {}; {legs}", id.server(), asked.effect.as_str()),
        format!("  definition {}, {novelty}", asked.bound.digest.short()),
    ];
    match asked.acts {
        Some(Acts::Operator) => lines.push("  acts there as the operator, with one login for everybody".to_owned()),
        Some(Acts::Principal) => lines.push(format!("  acts there as `{principal}`, with a login of its own")),
        None => {}
    }
    if let Some(good) = good_for(asked) {
        lines.push(format!("  a yes is good for {good}"));
    }
    if asked.flagged {
        lines.push("  look twice: it holds hidden characters or letters of another script".to_owned());
    }
    if !asked.names.is_empty() {
        lines.push(format!("  look twice: its words name what is not its server's: {}", named(asked)));
    }
    if !asked.says.is_empty() {
        lines.push(format!("  the server says of it (not checked): \"{}\"", prose(&asked.says, SAYS_BYTES)));
    }
    lines.join("\n")
}

/// How a request ended.
pub(crate) fn how(ended: Option<&Settlement>) -> &'static str {
    match ended {
        Some(Settlement::Active(..)) => "the request was approved",
        Some(Settlement::Denied(_)) => "the request was denied",
        Some(Settlement::Withdrawn(Withdrawal::Changed)) => "what it asked for is no longer what was shown",
        Some(Settlement::Withdrawn(Withdrawal::Refused)) => "the policy or the session's cap no longer allows it",
        Some(Settlement::Withdrawn(Withdrawal::Expired)) => "the request expired",
        Some(Settlement::Withdrawn(Withdrawal::Restarted)) => "the host restarted",
        Some(Settlement::Withdrawn(Withdrawal::Dismissed)) => "the request was given up by the one who asked, or dismissed",
        None => "the request is gone",
    }
}

/// What somebody did to a request.
const fn did(decision: &Decision) -> &'static str {
    match decision {
        Decision::Approve => "approved it",
        Decision::Once => "approved it for one call of each tool",
        Decision::Always => "approved it for always",
        Decision::Deny => "denied it",
        Decision::DenySome(_) => "denied a part of it",
        Decision::Dismiss => "dismissed it",
    }
}

/// What is said of what narrowed and could not be recorded, and what to do about it (AUD-1).
pub(crate) const NOT_RECORDED: (&str, &str) = ("in effect, not recorded", "see whether the disk is full; the host tries again by itself");

/// What an answer came to, in words; `who` says who decided where somebody did before. Whether it is recorded is said beside it.
pub(crate) fn came_to(answered: &Answered, who: impl FnOnce(&Decider) -> String) -> String {
    match answered {
        Answered::Granted { added, .. } => format!("approved: {} active", are(*added)),
        Answered::Always { added, stands: true, .. } => format!("approved, now and always: {} active", are(*added)),
        Answered::Always { added, .. } => {
            format!("approved: {} active; nothing is remembered, for a rule demands a strong answer each time", are(*added))
        }
        Answered::Before { decision, by, ended } => {
            format!("nothing was decided here: {} {} before; {}", who(by), did(decision), how(ended.as_ref()))
        }
        Answered::Denied { .. } => "denied: not asked again for 24 hours".to_owned(),
        Answered::Withdrawn { ended } => format!("nothing was granted: {}", how(ended.as_ref())),
        Answered::TooWeak => "nothing was decided: a rule demands a stronger answer, and the request waits for it".to_owned(),
        Answered::Void { waits: true, .. } => {
            "nothing was decided: the request asks for something else than was shown; look again".to_owned()
        }
        Answered::Void { ended, .. } => format!("nothing was decided here: {}", how(ended.as_ref())),
        Answered::Failed { why } => format!("it could not be put in effect, and the request waits on: {why}"),
    }
}

fn are(tools: usize) -> String {
    if tools == 1 { "1 tool is".to_owned() } else { format!("{tools} tools are") }
}
