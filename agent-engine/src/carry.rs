//! What a new catalog, a new policy, an accepted definition or a later instant does to the sets that stand.
//!
//! Is: the records of it. The gate judges the same things live and waits for none of these records. Clauses: ACT-4,
//! ACT-5, AUTH-5, AUTH-8, CAT-8, POL-2. Invariants: I-3, I-7.

use crate::gate::suspension;
use crate::grant::expired;
use crate::ledger::Journal;
use crate::policy::Verdict;
use crate::session::{Cell, InLine};
use crate::view::{Frame, Views};
use agent_core::digest::Digest;
use agent_core::grant::Suspended;
use agent_core::id::ToolId;
use agent_core::session::Bound;
use agent_core::state::Held;
use agent_core::transition::{Transition, Withdrawal};
use std::sync::Arc;

/// Brings one session's set in line with what holds now. What narrows is in effect before it is recorded; a suspension
/// is lifted only once that is recorded, and left for the next time where it can't be.
pub(crate) async fn over(views: &Views, journal: &Arc<Journal>, cell: &Cell) {
    let frame = views.frame(cell);
    let Some(narrowings) = cell.in_line().with(|found| judge(&frame, found)) else { return };
    for narrowing in narrowings {
        cell.narrow(journal, narrowing, Vec::new(), false).await;
    }
    let frame = views.frame(cell);
    let suspended = frame.state.active.iter().filter(|held| held.suspended.is_some());
    let back: Vec<_> = suspended.filter(|held| now(&frame, held).is_none()).map(|held| held.grant.bound.id.clone()).collect();
    if !back.is_empty() {
        let lifted = cell.record(journal, frame.at(), Transition::Unsuspended { ids: back }, frame.seen()).await;
        if let Err(error) = lifted {
            tracing::debug!(session = %cell.asker().session, %error, "a suspension stays for now");
        }
    }
}

/// What narrows a set that is not in line; nothing where it is.
fn judge(frame: &Frame, found: &mut InLine) -> Option<Vec<Transition>> {
    let doubtful = doubtful(frame, found);
    let narrowings = narrowings(frame, &doubtful);
    if !narrowings.is_empty() || doubtful.iter().any(|held| held.suspended.is_some()) {
        return Some(narrowings);
    }
    found.host = frame.host_at();
    if !doubtful.is_empty() {
        found.under = Some(under(frame));
        found.grants = frame.state.active.iter().map(|held| held.grant.clone()).collect();
    }
    None
}

/// What must be judged: everything but the grants found in line with this very catalog and policy, whose pins still stand.
/// Sets keep their order, so one pass over both finds them.
fn doubtful<'a>(frame: &'a Frame, found: &InLine) -> Vec<&'a Held> {
    let same = found.under == Some(under(frame));
    let mut grants = found.grants.iter();
    let mut known = |held: &Held| same && held.suspended.is_none() && grants.any(|grant| Arc::ptr_eq(grant, &held.grant));
    let pinned = |held: &Held| found.host == frame.host_at() || frame.host.accepted(&held.grant.bound.id, &held.grant.bound.digest);
    frame.state.active.iter().filter(|held| !(known(held) && pinned(held))).collect()
}

fn under(frame: &Frame) -> (u64, Digest) {
    (frame.catalog.generation(), frame.policy.digest)
}

fn narrowings(frame: &Frame, doubtful: &[&Held]) -> Vec<Transition> {
    let ids = |held: &mut dyn Iterator<Item = &Held>| held.map(|held| held.grant.bound.id.clone()).collect::<Vec<_>>();
    let over = ids(&mut frame.state.active.iter().filter(|held| expired(&held.grant, frame.state.last, frame.now)));
    let replaced = ids(&mut doubtful.iter().copied().filter(|held| !over.contains(&held.grant.bound.id) && replaced(frame, held)));
    let stays = |id: &ToolId| !over.contains(id) && !replaced.contains(id);
    let suspend = |held: &&Held| {
        let (id, why) = (&held.grant.bound.id, now(frame, held)?);
        (stays(id) && held.suspended != Some(why)).then(|| (id.clone(), why))
    };
    let suspended: Vec<_> = doubtful.iter().filter_map(suspend).collect();
    let waiting = frame.state.waiting.as_ref().and_then(|question| {
        let why = match () {
            () if frame.now.reached(question.expires) => Withdrawal::Expired,
            () if question.what.iter().any(|asked| !stands(frame, &asked.bound)) => Withdrawal::Changed,
            () => return None,
        };
        Some(Transition::Withdrawn { request: question.id, why })
    });
    let mut made = Vec::new();
    if !suspended.is_empty() {
        made.push(Transition::Suspended { ids: suspended });
    }
    if !over.is_empty() {
        made.push(Transition::Expired { ids: over });
    }
    if !replaced.is_empty() {
        made.push(Transition::Replaced { ids: replaced });
    }
    made.extend(waiting);
    let over = frame.state.inquiries.waiting.iter().filter(|inquiry| frame.now.reached(inquiry.expires));
    made.extend(over.map(|inquiry| Transition::InquiryWithdrawn { index: inquiry.index, why: Withdrawal::Expired }));
    made
}

/// Whether what a person was shown is still what a yes would grant; else the question is taken back, to be put anew.
fn stands(frame: &Frame, shown: &Bound) -> bool {
    let live = frame.catalog.get(shown.id.as_str()).filter(|tool| tool.descriptor.digest == shown.digest);
    live.is_some_and(|tool| frame.shows(tool) && frame.verdict(tool) != Verdict::Deny)
}

fn now(frame: &Frame, held: &Held) -> Option<Suspended> {
    suspension(frame, held, frame.catalog.get(held.grant.bound.id.as_str()))
}

/// Whether the live definition was accepted in place of the granted one; such a grant is dropped, never revived (CAT-8).
fn replaced(frame: &Frame, held: &Held) -> bool {
    let live = frame.catalog.get(held.grant.bound.id.as_str()).map(|tool| tool.descriptor.digest);
    live.is_some_and(|live| live != held.grant.bound.digest && frame.host.accepted(&held.grant.bound.id, &live))
}
