//! The engine and the reference model, driven side by side through random sequences of everything that can happen.
//!
//! Is: one comparison of all that can be seen, after every operation. Is not: about threads; what interleaves here does
//! so at the seams that operations have. Neighbours: `agent_spec::model`, which is the second opinion.

mod engine;
mod ops;
mod ports;

use crate::counts::model_sequences;
use agent_spec::model::{Model, Op, System, Told};
use engine::Engine;
use proptest::strategy::Strategy;
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestError, TestRng, TestRunner};
use std::cell::RefCell;
use std::collections::BTreeMap;

/// Plays one sequence to both.
fn agree(ops: &[Op]) -> Result<(), TestCaseError> {
    let mut engine = Engine::new();
    let mut model = Model::default();
    for (place, op) in ops.iter().enumerate() {
        let expected = model.step(op);
        let found = engine.step(op);
        if found != expected {
            let sessions = found.sessions.iter().zip(&expected.sessions).enumerate();
            let sessions = sessions.filter(|(_, (found, expected))| found != expected);
            let sessions: Vec<_> = sessions.map(|(at, (found, expected))| format!("session {at}\n  {found:?}\n  {expected:?}")).collect();
            let message =
                format!("operation {place}: engine, then model\n  {:?}\n  {:?}\n{}", found.told, expected.told, sessions.join("\n"));
            return Err(TestCaseError::fail(message));
        }
    }
    Ok(())
}

/// What the one who did it was told, in one word.
fn word(told: &Told) -> String {
    match told {
        Told::Refused(code) => (*code).to_owned(),
        Told::Active { added: 0, .. } => "active-already".to_owned(),
        Told::Taken(taken, _) if taken.iter().any(|(_, _, running)| !running.is_empty()) => "taken-while-running".to_owned(),
        told => format!("{told:?}").split(['(', ' ']).next().unwrap_or_default().to_lowercase(),
    }
}

/// The seed is fixed, so that a run repeats; `AGENT_SEED` chooses another.
fn play(sequences: u32, lane: u8, ops: impl Strategy<Value = Vec<Op>>, check: impl Fn(&[Op]) -> Result<(), TestCaseError>) {
    let mut seed = [lane; 32];
    let chosen = std::env::var("AGENT_SEED").ok().and_then(|text| text.parse::<u64>().ok()).unwrap_or_default();
    seed[..8].copy_from_slice(&chosen.to_le_bytes());
    let config = Config { cases: sequences, failure_persistence: None, max_shrink_iters: 4000, ..Config::default() };
    let mut runner = TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &seed));
    match runner.run(&ops, |ops| check(&ops)) {
        Ok(()) => {}
        Err(TestError::Abort(reason)) => panic!("{reason}"),
        Err(TestError::Fail(reason, ops)) => {
            let ops: Vec<_> = ops.iter().enumerate().map(|(place, op)| format!("{place:3} {op:?}")).collect();
            panic!("{reason}\n{}", ops.join("\n"));
        }
    }
}

#[test]
fn the_engine_and_the_model_agree() {
    play(model_sequences() * 11 / 20, 1, ops::few_tools(), agree);
}

#[test]
fn the_engine_and_the_model_agree_while_the_ledger_fails() {
    play(model_sequences() * 2 / 5, 2, ops::failing_ledger(), agree);
}

#[test]
fn the_engine_and_the_model_agree_on_many_tools() {
    play(model_sequences() / 20, 3, ops::many_tools(), agree);
}

/// Agreement says something only of what was reached.
#[test]
fn the_sequences_reach_every_answer() {
    const ANSWERS: &str = "active active-already admitted always another-waiting away calls-spent deactivated denied-by-person denied-by-policy \
        done drifted expired forgotten found givenup ineffect not-active not-recorded nothing opened record-unknown replaced \
        request-expired revoked running session-closed session-ended stopped suspended-by-policy suspended-by-strength taken \
        taken-while-running too-many-active too-often unknown-ids waiting withdrawn";
    let reached = RefCell::new(BTreeMap::<String, u32>::new());
    let reach = |ops: &[Op]| {
        let mut model = Model::default();
        ops.iter().for_each(|op| *reached.borrow_mut().entry(word(&model.step(op).told)).or_default() += 1);
        Ok(())
    };
    play(1000, 1, ops::few_tools(), reach);
    play(500, 2, ops::failing_ledger(), reach);
    play(500, 3, ops::many_tools(), reach);
    let reached = reached.into_inner();
    let missed: Vec<_> = ANSWERS.split_whitespace().filter(|answer| reached.get(*answer).is_none_or(|times| *times < 3)).collect();
    assert!(missed.is_empty(), "{missed:?} of {reached:?}");
}
