//! What a start does with what an earlier run left.
//!
//! Clauses: ACT-4, ACT-5, AUTH-5, AUTH-8, AUD-1, STO-1. Invariant: I-8.

use crate::grant::expired;
use crate::ledger::{CommitError, Journal};
use crate::revocation::Revocation;
use crate::session::Registry;
use crate::view::Views;
use agent_core::outcome::End;
use agent_core::state::Held;
use agent_core::transition::{Stream, Transition, Withdrawal};
use std::sync::Arc;

/// Restores every session that did not end.
pub(super) async fn all(views: &Views, journal: &Arc<Journal>, sessions: &Registry, revocation: &Revocation) -> Result<(), CommitError> {
    let owed = journal.marked();
    for stream in journal.streams().await? {
        let Stream::Session(_) = stream else { continue };
        let Some(cell) = sessions.restore(journal, &stream).await? else { continue };
        views.standing.admit(journal, &cell.asker().principal).await?;
        let state = cell.state();
        // Before anything else is recorded: every record moves the last instant, by which a clock set back is known.
        let now = journal.now();
        let over = |held: &&Held| expired(&held.grant, state.last, now);
        let over: Vec<_> = state.active.iter().filter(over).map(|held| held.grant.bound.id.clone()).collect();
        if !over.is_empty() {
            cell.narrow(journal, Transition::Expired { ids: over }, Vec::new(), false).await;
        }
        state.running.keys().for_each(|call| cell.ended(journal, *call, End::OutcomeUnknown));
        if let Some(question) = &state.waiting {
            let what = Transition::Withdrawn { request: question.id, why: Withdrawal::Restarted };
            cell.narrow(journal, what, Vec::new(), false).await;
        }
        for inquiry in &state.inquiries.waiting {
            let what = Transition::InquiryWithdrawn { index: inquiry.index, why: Withdrawal::Restarted };
            cell.narrow(journal, what, Vec::new(), false).await;
        }
    }
    if owed && revocation.stop("the host: an earlier run left a narrowing unrecorded").await && !journal.unmark() {
        tracing::error!("the marker of unrecorded narrowings can't be lowered: the next start stops everything again");
    }
    Ok(())
}
