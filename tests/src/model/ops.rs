//! Random sequences: a few tools and few sessions, so that operations meet.

use agent_core::limits::IDS_PER_REQUEST;
use agent_spec::model::{Answer, Commits, Decision, Id, Op, Policy, Scope, Which};
use proptest::collection::{btree_set, vec};
use proptest::option;
use proptest::prelude::{Just, any, prop_oneof};
use proptest::sample::select;
use proptest::strategy::{BoxedStrategy, Strategy};
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
    /// How often the ledger changes its mind, in relation to the other operations.
    faults: u32,
}

pub(super) fn few_tools() -> impl Strategy<Value = Vec<Op>> {
    sequence(Shape { tools: 5, batch: 4, faults: 1 })
}

pub(super) fn failing_ledger() -> impl Strategy<Value = Vec<Op>> {
    sequence(Shape { tools: 4, batch: 2, faults: 12 })
}

pub(super) fn many_tools() -> impl Strategy<Value = Vec<Op>> {
    sequence(Shape { tools: 50, batch: IDS_PER_REQUEST, faults: 1 })
}

/// A catalog, a policy and two sessions of one principal, then anything.
fn sequence(shape: Shape) -> impl Strategy<Value = Vec<Op>> {
    let all = (0..shape.tools).map(|at| (tool(at), 1)).collect();
    let open = Op::Open { principal: 0, profile: false };
    let start = vec![Op::Publish(all), open.clone(), open];
    (policy(shape), vec(op(shape), 0..=100)).prop_map(move |(policy, ops)| {
        let mut made = vec![Op::SetPolicy(policy)];
        made.extend(start.clone());
        made.extend(ops);
        made
    })
}

fn tool(at: usize) -> Id {
    format!("mcp:{}/t{at:02}", if at.is_multiple_of(2) { "even" } else { "odd" })
}

fn id(shape: Shape) -> impl Strategy<Value = Id> {
    (0..shape.tools).prop_map(tool)
}

/// Mostly ids of tools; now and then something else.
fn written(shape: Shape) -> BoxedStrategy<Id> {
    prop_oneof![60 => id(shape), 1 => select(&WRONG[..]).prop_map(str::to_owned)].boxed()
}

/// Neighbours, with a repetition and the like; or single ones.
fn batch(shape: Shape) -> BoxedStrategy<Vec<Id>> {
    let row =
        (0..shape.tools, 1..=shape.batch).prop_map(move |(from, count)| (from..from + count).map(|at| tool(at % shape.tools)).collect());
    let few = vec(written(shape), 1..=shape.batch.min(4));
    prop_oneof![1 => row, 2 => few].boxed()
}

fn decision() -> impl Strategy<Value = Decision> {
    select(vec![Decision::Auto, Decision::Prompt, Decision::Deny, Decision::Hide])
}

fn policy(shape: Shape) -> impl Strategy<Value = Policy> {
    let default = prop_oneof![5 => Just(Decision::Auto), 5 => Just(Decision::Prompt), 1 => Just(Decision::Deny)];
    let rules = vec((id(shape), decision()), 0..3).prop_map(|rules| rules.into_iter().collect());
    let ceiling = option::weighted(0.5, btree_set(id(shape), 0..=shape.tools));
    let presets = vec(id(shape), 0..3);
    (default, rules, ceiling, presets).prop_map(|(default, rules, ceiling, presets)| Policy { default, rules, ceiling, presets })
}

/// Most tools as at the beginning, some moved, some away.
fn catalog(shape: Shape) -> impl Strategy<Value = BTreeMap<Id, u32>> {
    let version = prop_oneof![10 => Just(1), 3 => Just(2), 1 => Just(3), 2 => Just(0)];
    vec(version, shape.tools).prop_map(|versions| {
        let tools = versions.into_iter().enumerate().filter(|(_, version)| *version > 0);
        tools.map(|(at, version)| (tool(at), version)).collect()
    })
}

fn answer(shape: Shape) -> impl Strategy<Value = Answer> {
    prop_oneof![
        6 => Just(Answer::Approve),
        2 => Just(Answer::Deny),
        2 => btree_set(id(shape), 1..3).prop_map(Answer::DenySome),
        1 => Just(Answer::Dismiss),
    ]
}

fn which() -> impl Strategy<Value = Which> {
    prop_oneof![20 => Just(Which::Latest), 1 => Just(Which::Before), 1 => Just(Which::Unknown)]
}

fn commits() -> impl Strategy<Value = Commits> {
    prop_oneof![
        4 => Just(Commits::Work),
        2 => Just(Commits::Refuse),
        1 => any::<bool>().prop_map(|written| Commits::Unknown { written }),
    ]
}

fn op(shape: Shape) -> BoxedStrategy<Op> {
    let session = || prop_oneof![3 => Just(0usize), 2 => Just(1), 1 => Just(2), 1 => Just(3)];
    let moment = select(vec![MINUTE, 16 * MINUTE, 6 * HOUR, 13 * HOUR, 25 * HOUR]);
    let asks = prop_oneof![
        20 => (session(), batch(shape), proptest::bool::weighted(0.1)).prop_map(|(session, ids, dropped)| Op::Request { session, ids, dropped }),
        14 => (session(), which(), proptest::bool::weighted(0.95), answer(shape))
            .prop_map(|(session, which, right, answer)| Op::Answer { session, which, right, answer }),
        3 => session().prop_map(|session| Op::Wait { session }),
        2 => session().prop_map(|session| Op::Search { session }),
        2 => (0..2usize, any::<bool>()).prop_map(|(principal, profile)| Op::Open { principal, profile }),
    ];
    let takes = prop_oneof![
        6 => (session(), id(shape)).prop_map(|(session, id)| Op::Revoke(Scope::One(session, id))),
        2 => id(shape).prop_map(|id| Op::Revoke(Scope::Everywhere(id))),
        1 => session().prop_map(|session| Op::Revoke(Scope::Session(session))),
        3 => (session(), batch(shape)).prop_map(|(session, ids)| Op::Deactivate { session, ids }),
        1 => session().prop_map(|session| Op::Close { session }),
        1 => Just(Op::Stop),
        2 => Just(Op::Resume),
    ];
    let calls = prop_oneof![
        12 => (session(), written(shape)).prop_map(|(session, id)| Op::Admit { session, id }),
        9 => any::<usize>().prop_map(Op::Permit),
        4 => any::<usize>().prop_map(Op::End),
        2 => any::<usize>().prop_map(Op::DropCall),
    ];
    let moves = prop_oneof![
        8 => catalog(shape).prop_map(Op::Publish),
        4 => policy(shape).prop_map(Op::SetPolicy),
        3 => id(shape).prop_map(Op::Accept),
        4 => moment.prop_map(Op::Advance),
        1 => Just(Op::Restart),
    ];
    prop_oneof![
        40 => asks,
        12 => takes,
        24 => calls,
        14 => moves,
        shape.faults => commits().prop_map(Op::Commits),
    ]
    .boxed()
}
