//! Whether one order of a history's operations explains every answer: a search that steps the reference model.

use super::history::{Did, Event, Got, History};
use agent_spec::model::{Decision, Model, Op, Policy, Recorded, Scope, Seen, System, Told, Which};
use std::collections::BTreeSet;

/// The tools of every history here, each of one definition.
pub(super) const TOOLS: [&str; 4] = ["mcp:text/count_words", "mcp:text/csv_to_json", "mcp:text/hash_text", "mcp:text/sort_lines"];

/// The model after an order of events, and the ids of the requests that were put, oldest first.
struct Played {
    model: Model,
    seen: Option<Seen>,
    put: Vec<String>,
}

impl Played {
    fn new() -> Self {
        let mut model = Model::default();
        model.step(&Op::Publish(TOOLS.iter().map(|id| ((*id).to_owned(), 1)).collect()));
        model.step(&Op::SetPolicy(Policy { default: Decision::Prompt, ..Policy::default() }));
        let seen = Some(model.step(&Op::Open { principal: 0, profile: false }));
        Self { model, seen, put: Vec::new() }
    }

    fn waits(&self) -> bool {
        self.seen.as_ref().is_some_and(|seen| seen.sessions[0].waiting.is_some())
    }

    /// Does it to the model; whether the model gives the very answer.
    fn explains(&mut self, event: &Event) -> bool {
        let op = match &event.did {
            Did::Request(ids) => Op::Request { session: 0, ids: ids.clone(), dropped: false },
            Did::Answer(request, answer) => {
                let which = if self.put.last() == Some(request) { Which::Latest } else { Which::Unknown };
                Op::Answer { session: 0, which, right: true, answer: answer.clone() }
            }
            Did::Revoke(id) => Op::Revoke(Scope::One(0, id.clone())),
            Did::Look => Op::Search { session: 0 },
        };
        let waited = self.waits();
        let seen = self.model.step(&op);
        let same = match (&event.got, &seen.told) {
            (
                Got::Active(added, set),
                Told::Active { added: in_model, set: version } | Told::Always { added: in_model, set: version, .. },
            ) => added == in_model && set.is_none_or(|set| set == *version),
            (Got::Waiting(id), Told::Waiting) if waited => self.put.last() == Some(id),
            (Got::Waiting(id), Told::Waiting) => {
                let new = !self.put.contains(id);
                self.put.push(id.clone());
                new
            }
            (Got::Refused(code), Told::Refused(in_model)) => code == in_model,
            (Got::Denied, Told::InEffect(Recorded::Yes)) | (Got::Void, Told::Nothing) => true,
            (Got::Taken(held), Told::Taken(taken, Recorded::Yes)) => *held == taken.iter().any(|(_, ids, _)| !ids.is_empty()),
            (Got::Holds(set, ids), Told::Found(_)) => {
                let face = &seen.sessions[0];
                face.set == *set && face.active.iter().map(|(id, _)| id).eq(ids)
            }
            _ => false,
        };
        self.seen = Some(seen);
        same
    }

    /// All that later answers depend on.
    fn key(&self) -> String {
        format!("{:?} {:?}", self.seen.as_ref().map(|seen| &seen.sessions), self.put)
    }
}

/// An order that explains a history, by its events' places. None where there is none.
pub(super) fn explained(history: &History) -> Option<Vec<usize>> {
    let (mut order, mut dead) = (Vec::new(), BTreeSet::new());
    search(&history.events, &mut order, &mut dead).then_some(order)
}

/// Each event that may be the next in time is tried after those of the order. What was reached before, by the same events in
/// another order, is not tried again.
fn search(events: &[Event], order: &mut Vec<usize>, dead: &mut BTreeSet<(Vec<usize>, String)>) -> bool {
    let left: Vec<_> = (0..events.len()).filter(|at| !order.contains(at)).collect();
    let Some(first) = left.iter().map(|at| events[*at].ended).min() else { return true };
    for at in left.into_iter().filter(|at| events[*at].began < first || events[*at].ended == first) {
        let mut played = Played::new();
        if !order.iter().all(|done| played.explains(&events[*done])) {
            return false;
        }
        if !played.explains(&events[at]) {
            continue;
        }
        order.push(at);
        let mut set = order.clone();
        set.sort_unstable();
        if dead.insert((set, played.key())) && search(events, order, dead) {
            return true;
        }
        order.pop();
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use agent_spec::model::Answer;

    fn history(events: &[(u64, u64, Did, Got)]) -> History {
        let event = |(began, ended, did, got): &(u64, u64, Did, Got)| Event {
            began: *began,
            ended: *ended,
            did: did.clone(),
            got: got.clone(),
            way: "test",
        };
        History { events: events.iter().map(event).collect() }
    }

    fn request() -> Did {
        Did::Request(vec![TOOLS[0].to_owned()])
    }

    fn yes() -> Did {
        Did::Answer("one".to_owned(), Answer::Approve)
    }

    fn waiting() -> Got {
        Got::Waiting("one".to_owned())
    }

    #[test]
    fn what_can_have_happened_is_explained() {
        let revoke = Did::Revoke(TOOLS[0].to_owned());
        // The revoke began before the yes and ended after it: it may have come second.
        let at_once = [(0, 1, request(), waiting()), (2, 9, revoke.clone(), Got::Taken(true)), (3, 5, yes(), Got::Active(1, Some(1)))];
        assert_eq!(explained(&history(&at_once)), Some(vec![0, 2, 1]));
        let either = [(0, 1, request(), waiting()), (2, 9, revoke, Got::Taken(false)), (3, 5, yes(), Got::Active(1, Some(1)))];
        assert!(explained(&history(&either)).is_some());
        let joined = [(0, 5, request(), waiting()), (1, 6, request(), waiting()), (7, 8, Did::Look, Got::Holds(0, Vec::new()))];
        assert!(explained(&history(&joined)).is_some());
    }

    #[test]
    fn what_can_not_have_happened_is_not() {
        let two_yes = [(0, 1, request(), waiting()), (2, 9, yes(), Got::Active(1, Some(1))), (3, 8, yes(), Got::Active(1, Some(1)))];
        let late = [(0, 1, request(), waiting()), (2, 3, yes(), Got::Active(1, Some(1))), (4, 5, Did::Look, Got::Holds(0, Vec::new()))];
        let undone = [
            (0, 1, request(), waiting()),
            (2, 3, yes(), Got::Active(1, Some(1))),
            (4, 5, Did::Revoke(TOOLS[0].to_owned()), Got::Taken(true)),
            (6, 7, request(), Got::Active(0, Some(1))),
        ];
        let unasked = [(0, 1, request(), Got::Active(1, Some(1)))];
        let two_questions = [(0, 1, request(), waiting()), (2, 3, request(), Got::Waiting("two".to_owned()))];
        for events in [&two_yes[..], &late, &undone, &unasked, &two_questions] {
            assert_eq!(explained(&history(events)), None, "{}", history(events));
        }
    }
}
