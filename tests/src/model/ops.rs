//! Random sequences: a few tools and few sessions, so that operations meet.
//!
//! Each turn, one operation or a few that belong together, is made from one number by dice: drawing one is cheap, and
//! dropping some leaves the others as they are.

use agent_core::limits::IDS_PER_REQUEST;
use agent_spec::model::{Answer, Commits, Decision, Id, Op, Policy, Scope, Which};
use proptest::arbitrary::any;
use proptest::collection::vec;
use proptest::strategy::Strategy;
use std::collections::BTreeMap;

const MINUTE: u64 = 60 * 1000;
const HOUR: u64 = 60 * MINUTE;

/// What a model might make of an id.
const WRONG: [&str; 7] = ["mcp:even/T00", "mcp:even/t0", "even__t00", "mcp:even/t00 ", "mcp:none/t00", "*", ""];

/// What a sequence is about.
#[derive(Clone, Copy)]
struct Shape {
    tools: usize,
    /// Ids of one request at the most.
    batch: usize,
    /// Times in a hundred that the ledger changes its mind.
    faults: usize,
}

pub(super) fn few_tools() -> impl Strategy<Value = Vec<Op>> {
    sequence(Shape { tools: 5, batch: 4, faults: 0 })
}

pub(super) fn failing_ledger() -> impl Strategy<Value = Vec<Op>> {
    sequence(Shape { tools: 4, batch: 2, faults: 12 })
}

pub(super) fn many_tools() -> impl Strategy<Value = Vec<Op>> {
    sequence(Shape { tools: 50, batch: IDS_PER_REQUEST, faults: 0 })
}

/// A policy, a catalog and two sessions of one principal, then anything.
fn sequence(shape: Shape) -> impl Strategy<Value = Vec<Op>> {
    let all = (0..shape.tools).map(|at| (tool(at), 1)).collect();
    let open = Op::Open { principal: 0, profile: false };
    let start = [Op::Publish(all), open.clone(), open];
    (any::<u64>(), vec(any::<u64>(), 0..=60)).prop_map(move |(first, numbers)| {
        let mut ops = vec![Op::SetPolicy(Dice(first, shape).policy())];
        ops.extend(start.clone());
        ops.extend(numbers.into_iter().flat_map(|number| Dice(number, shape).turn()));
        ops
    })
}

fn tool(at: usize) -> Id {
    format!("mcp:{}/t{at:02}", if at.is_multiple_of(2) { "even" } else { "odd" })
}

/// Chances drawn from one number.
struct Dice(u64, Shape);

/// Makes an operation for a session, a tool and a place in a row.
type Make = fn(&mut Dice, usize, Id, usize) -> Op;

impl Dice {
    /// A number below `bound`: splitmix64.
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((mixed ^ (mixed >> 31)) % bound as u64).unwrap()
    }

    fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    /// One of these, each as likely as its weight.
    fn pick<T: Clone>(&mut self, choices: &[(u32, T)]) -> T {
        let total: u32 = choices.iter().map(|(weight, _)| weight).sum();
        let mut at = u32::try_from(self.below(total as usize)).unwrap();
        let hit = choices.iter().find(|(weight, _)| at.checked_sub(*weight).map(|rest| at = rest).is_none());
        hit.unwrap().1.clone()
    }

    fn id(&mut self) -> Id {
        tool(self.below(self.1.tools))
    }

    fn ids(&mut self, from: usize, to: usize) -> Vec<Id> {
        (0..from + self.below(to - from)).map(|_| self.id()).collect()
    }

    /// Mostly ids of tools; now and then something else.
    fn written(&mut self) -> Id {
        if self.once_in(60) { WRONG[self.below(WRONG.len())].to_owned() } else { self.id() }
    }

    /// Neighbours, or a few of anything, some of it twice.
    fn batch(&mut self) -> Vec<Id> {
        let Shape { tools, batch, .. } = self.1;
        let (from, count) = (self.below(tools), 1 + self.below(batch));
        if self.below(8) < batch.min(5) {
            (from..from + count).map(|at| tool(at % tools)).collect()
        } else {
            (0..count.min(4)).map(|_| self.written()).collect()
        }
    }

    fn policy(&mut self) -> Policy {
        use Decision::{Auto, Deny, Hide, Prompt};
        let default = self.pick(&[(6, Auto), (6, Prompt), (1, Deny)]);
        let rules: BTreeMap<Id, Decision> =
            self.ids(0, 3).into_iter().map(|id| (id, self.pick(&[(2, Auto), (2, Prompt), (1, Deny), (1, Hide)]))).collect();
        let some: Vec<&Id> = rules.keys().filter(|_| self.once_in(3)).collect();
        let ttl = some.into_iter().map(|id| (id.clone(), self.pick(&[(1, MINUTE), (1, HOUR)]))).collect();
        let strong = rules.keys().filter(|_| self.once_in(4)).cloned().collect();
        let ceiling = self.once_in(3).then(|| self.ids(0, 1 + self.1.tools).into_iter().collect());
        Policy { default, rules, ttl, strong, ceiling, presets: self.ids(0, 3) }
    }

    /// Most tools as at the beginning, a few moved or away.
    fn catalog(&mut self) -> BTreeMap<Id, u32> {
        let still = 4 * u32::try_from(self.1.tools).unwrap();
        let versions: Vec<_> = (0..self.1.tools).map(|at| (tool(at), self.pick(&[(still, 1), (3, 2), (1, 3), (1, 0)]))).collect();
        versions.into_iter().filter(|(_, version)| *version > 0).collect()
    }

    fn session(&mut self) -> usize {
        self.pick(&[(8, 0), (5, 1), (1, 2), (1, 3)])
    }

    fn answer(&mut self) -> Answer {
        let some = Answer::DenySome(self.ids(1, 3).into_iter().collect());
        self.pick(&[(4, Answer::Approve), (2, Answer::Once), (3, Answer::Always), (2, Answer::Deny), (2, some), (1, Answer::Dismiss)])
    }

    fn commits(&mut self) -> Commits {
        let unknown = Commits::Unknown { written: self.once_in(2) };
        self.pick(&[(4, Commits::Work), (2, Commits::Refuse), (1, unknown)])
    }

    /// Mostly one operation; often a session that asks, what becomes of it and a call, or a call that starts; now and then
    /// a tool whose new definition is accepted.
    fn turn(&mut self) -> Vec<Op> {
        let (session, id) = (self.session(), self.id());
        let admit = Op::Admit { session, id: id.clone() };
        match self.below(20) {
            0..6 => {
                let word = self.pick(&[(4, Answer::Approve), (1, Answer::Once), (2, Answer::Always)]);
                let yes = Op::Answer { session, which: Which::Latest, right: true, answer: word };
                let other = Op::Answer { session, which: Which::Latest, right: true, answer: self.answer() };
                let late = Op::Advance(16 * MINUTE);
                let then = self.pick(&[(8, yes), (2, other), (1, late)]);
                let last = self.pick(&[(3, admit), (1, Op::Wait { session })]);
                vec![Op::Request { session, ids: self.batch(), dropped: false }, then, last]
            }
            6 | 7 if self.once_in(3) => vec![admit.clone(), Op::Permit(self.below(8)), admit],
            6 | 7 => vec![admit, Op::Permit(self.below(8))],
            8 if self.once_in(2) => {
                let mut moved = self.catalog();
                moved.insert(id.clone(), 1 + u32::try_from(self.below(3)).unwrap());
                vec![Op::Publish(moved), Op::Accept(id), admit]
            }
            _ => vec![self.op()],
        }
    }

    fn op(&mut self) -> Op {
        let (session, id, nth) = (self.session(), self.id(), self.below(8));
        let makes: [(u32, Make); 25] = [
            (20, |dice, session, _, _| Op::Request { session, ids: dice.batch(), dropped: dice.once_in(5) }),
            (12, |dice, session, _, _| {
                let which = dice.pick(&[(20, Which::Latest), (1, Which::Before), (1, Which::Unknown)]);
                Op::Answer { session, which, right: !dice.once_in(20), answer: dice.answer() }
            }),
            (5, |_, session, _, _| Op::Wait { session }),
            (2, |_, session, _, _| Op::Search { session }),
            (2, |dice, _, _, _| Op::Open { principal: dice.below(2), profile: dice.once_in(2) }),
            (8, |_, session, id, _| Op::Revoke(Scope::One(session, id))),
            (3, |_, _, id, _| Op::Revoke(Scope::Everywhere(id))),
            (1, |_, session, _, _| Op::Revoke(Scope::Session(session))),
            (1, |dice, _, _, _| Op::Revoke(Scope::Principal(dice.below(2)))),
            (1, |dice, _, _, _| Op::Revoke(Scope::Server(dice.pick(&[(1, "even"), (1, "odd")]).to_owned()))),
            (3, |dice, session, _, _| Op::Deactivate { session, ids: dice.batch() }),
            (1, |dice, session, _, _| if dice.once_in(2) { Op::Close { session } } else { Op::Wait { session } }),
            (2, |dice, _, id, _| Op::Forget { principal: dice.below(2), id: (!dice.once_in(3)).then_some(id) }),
            (1, |_, _, _, _| Op::Stop),
            (5, |_, _, _, _| Op::Resume),
            (16, |dice, session, _, _| Op::Admit { session, id: dice.written() }),
            (12, |_, _, _, nth| Op::Permit(nth)),
            (3, |_, _, _, nth| Op::End(nth)),
            (2, |_, _, _, nth| Op::DropCall(nth)),
            (8, |dice, _, _, _| Op::Publish(dice.catalog())),
            (5, |dice, _, _, _| Op::SetPolicy(dice.policy())),
            (6, |_, _, id, _| Op::Accept(id)),
            (4, |dice, _, _, _| Op::Advance(dice.pick(&[(4, MINUTE), (3, 16 * MINUTE), (1, 6 * HOUR), (1, 13 * HOUR), (1, 25 * HOUR)]))),
            (1, |_, _, _, _| Op::Restart),
            (1, |dice, _, _, _| Op::Commits(dice.commits())),
        ];
        if self.below(100) < self.1.faults { Op::Commits(self.commits()) } else { self.pick(&makes)(self, session, id, nth) }
    }
}
