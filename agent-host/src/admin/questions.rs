//! Questions that are about no permission: those that wait for an operator, and an operator's answer to one.
//!
//! What lies beyond the principals an operator is over is not there. An answer activates nothing. Clause: AUTH-8.

use super::Response;
use super::handle::failed;
use super::operator::Operator;
use agent_core::inquiry::{Answerer, Inquiry, Reply};
use agent_core::session::SessionId;
use agent_engine::desk::Desk;
use agent_engine::inquiry::{Failure, Unanswered};
use agent_engine::projection::text::refusal;
use serde::{Deserialize, Serialize};

/// What an answer to a question came to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "came", rename_all = "kebab-case")]
pub enum Replied {
    /// It is on record, and whoever asked is told.
    Taken,
    /// Nothing changed: it is not one of the choices, or no text within bounds. The question waits on.
    NotAChoice,
    /// Nothing changed: no such question waits. It was answered, came to its end or was taken back, or never was.
    Gone,
}

/// Those that wait and are there for an operator, oldest first.
pub(super) fn waiting(desk: &Desk, operator: &Operator) -> Response {
    let waiting = desk.inquiries().into_iter().filter(|inquiry| operator.sees(&inquiry.asker.principal)).collect();
    Response::Questions { waiting }
}

/// The one that is there for an operator.
pub(super) fn find(desk: &Desk, operator: &Operator, session: SessionId, index: u64) -> Option<Inquiry> {
    let waiting = desk.inquiries().into_iter().filter(|inquiry| operator.sees(&inquiry.asker.principal));
    waiting.into_iter().find(|inquiry| inquiry.asker.session == session && inquiry.index == index)
}

/// Hands an answer in.
pub(super) async fn reply(desk: &Desk, operator: &Operator, session: SessionId, index: u64, reply: Reply) -> Response {
    let by = Answerer { name: operator.name.clone(), channel: operator.channel, strength: operator.strength };
    let replied = match desk.reply(session, index, reply, by).await {
        Ok(()) => Replied::Taken,
        Err(Unanswered::NotAChoice) => Replied::NotAChoice,
        Err(Unanswered::Failed(Failure::Refused(why))) => {
            let what = format!("the answer was not taken, and the question waits on: {}", refusal(&why, Default::default()));
            return failed(what, "try again");
        }
        Err(Unanswered::NoChannel | Unanswered::Failed(_)) => Replied::Gone,
    };
    Response::Replied { replied }
}
