//! What a model has to read, counted: the first list, the instructions, and the longest answers of a search.
//!
//! Is: o200k tokens and bytes over made-up catalogs. Clauses: BLT-4, SRCH-2.

use agent_core::limits::{ANSWER_BYTES, HITS_MAX};
use agent_core::session::{Listing, PrincipalId};
use agent_engine::builtins::Reply;
use agent_engine::catalog::assemble;
use agent_engine::engine::{Front, Parts, build};
use agent_engine::ledger::MemoryLedger;
use agent_engine::policy::{Policy, Verdict};
use agent_engine::projection::Terms;
use agent_engine::projection::text::instructions;
use agent_engine::session::Cell;
use agent_engine::shape::mcp;
use agent_engine::testing::{Length, ManualClock, SeededEntropy, StaticHost, sources};
use serde_json::{Value, json};
use std::sync::Arc;

/// The first word of a hundred of the made-up names.
const VERB: &str = "list";

/// A host of so many tools, and a session of it.
async fn host(tools: usize, length: Length) -> (Front, Arc<Cell>) {
    let ledger = Arc::new(MemoryLedger::default());
    let (clock, entropy) = (Arc::new(ManualClock::default()), Arc::new(SeededEntropy::new(1)));
    let mut parts = Parts::new(ledger, Arc::new(StaticHost::default()), clock, entropy);
    parts.policy = Policy::of(Verdict::Prompt);
    let (front, desk) = build(parts).await.unwrap();
    desk.publish(assemble(&sources(tools, length))).await;
    let session = front.open(PrincipalId::parse("local:1").unwrap(), None, false).await.unwrap().session;
    (front, session)
}

async fn search(front: &Front, session: &Arc<Cell>, arguments: Value) -> String {
    let Value::Object(arguments) = arguments else { panic!("no arguments: {arguments}") };
    match front.call(session, "search_tools", arguments).await {
        Reply::Done { text, .. } => text,
        other => panic!("no answer: {other:?}"),
    }
}

fn count(text: &str) -> usize {
    tiktoken_rs::o200k_base_singleton().encode_ordinary(text).len()
}

#[tokio::test]
async fn blt_4_first_list_is_under_700_tokens_at_any_size() {
    for (listing, handles) in [(Listing::Held, false), (Listing::Builtins, false), (Listing::Builtins, true)] {
        let mut lists = Vec::new();
        for (tools, length) in [(10, Length::Usual), (1000, Length::Usual), (1000, Length::Longest)] {
            let (front, session) = host(tools, length).await;
            let front = front.under(Terms { listing, handles, ..Terms::default() });
            lists.push(serde_json::to_string(&mcp::tools(&front.surface(&session))).unwrap());
        }
        let tokens = count(&lists[0]);
        assert!((100..700).contains(&tokens), "{tokens} tokens");
        assert!(lists.iter().all(|list| *list == lists[0]), "{lists:?}");
    }
}

#[test]
fn blt_4_instructions_are_under_120_tokens() {
    for (listing, handles) in [(Listing::Held, false), (Listing::Builtins, false), (Listing::Builtins, true)] {
        let tokens = count(instructions(&Terms { listing, handles, ..Terms::default() }));
        assert!((20..120).contains(&tokens), "{tokens} tokens");
    }
}

#[tokio::test]
async fn srch_2_answers_stay_within_8_kib() {
    let (front, session) = host(1000, Length::Longest).await;
    let text = search(&front, &session, json!({"query": VERB, "limit": HITS_MAX})).await;
    let mut answer: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(answer["truncated"], true);
    answer["session"] = "0".repeat(32).into();
    let sent = Value::from(answer.to_string()).to_string().len();
    assert!((ANSWER_BYTES / 2..=ANSWER_BYTES).contains(&sent), "{sent} bytes");
}

#[tokio::test]
async fn srch_2_default_answers_fit_in_600_tokens() {
    for tools in [10, 1000] {
        let (front, session) = host(tools, Length::Usual).await;
        let names = assemble(&sources(tools, Length::Usual))
            .tools()
            .iter()
            .map(|tool| tool.descriptor.id.name().replace('_', " "))
            .collect::<Vec<_>>();
        let mut counts = Vec::new();
        for at in 0..100 {
            counts.push(count(&search(&front, &session, json!({"query": names[at * 37 % names.len()]})).await));
        }
        counts.sort_unstable();
        assert!(counts[94] <= 600, "{} tokens at the 95th percentile of {tools} tools", counts[94]);
    }
}
