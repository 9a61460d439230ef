//! What an operator is shown of the whole host, over a real store.

use super::*;
use crate::store::SqliteLedger;
use agent_core::outcome::{Outcome, ToolResult};
use agent_core::request::{Channel, Strength};
use agent_core::transition::Stream;
use std::collections::BTreeSet;

const POLICY: &str = r#"{"activation":"prompt","rules":[{"principal":"eve","decision":"deny"},{"effect":"read-only","decision":"deny"},
    {"tools":["mcp:time/*"],"decision":"auto"}]}"#;

/// A host on a store, where `ada` called a tool and `eve` was refused it.
async fn office(folder: &Path) -> Office {
    let state = &folder.join("state");
    let now = ToolId::parse(NOW).unwrap();
    let tools = StaticHost::default().with(now, None, |_| Outcome::Ok(ToolResult::text("noon")));
    let ledger = Arc::new(SqliteLedger::open(state).unwrap());
    let mut parts = Parts::new(ledger, Arc::new(tools), Arc::new(ManualClock::default()), Arc::new(SeededEntropy::new(1)));
    parts.policy = serde_json::from_str(POLICY).unwrap();
    let (front, desk) = build(parts).await.unwrap();
    let source = Source {
        definitions: vec![json!({"name": "now", "description": "the time", "inputSchema": {"type": "object"}}).to_string()],
        ..Source::new(agent_core::id::SourceClass::Mcp, Alias::parse("time").unwrap())
    };
    desk.publish(assemble(&[source])).await;
    for name in ["ada", "eve"] {
        let session = front.open(PrincipalId::parse(name).unwrap(), None, false).await.unwrap().session;
        front.call(&session, "activate_tools", json!({"tools": [NOW]}).as_object().cloned().unwrap()).await;
        front.call(&session, "time__now", serde_json::Map::new()).await;
    }
    desk.stop("root").await;
    desk.resume("root").await.unwrap();
    Office::new(state, desk, Users::started_by_client())
}

fn operator(over: Over) -> Operator {
    Operator { name: "root".to_owned(), role: Role::Viewer, over, channel: Channel::Console, strength: Strength::Strong }
}

fn over_ada() -> Operator {
    operator(Over::Only(BTreeSet::from([PrincipalId::parse("ada").unwrap()])))
}

async fn records(office: &Office, operator: &Operator, records: Records) -> RecordPage {
    match handle(office, operator, Request::Records { records }).await {
        Response::Records { page } => *page,
        other => unreachable!("{other:?}"),
    }
}

#[tokio::test]
async fn host_3_what_is_another_principals_is_in_nothing_that_is_shown() {
    let state = tempfile::tempdir().unwrap();
    let office = office(state.path()).await;
    let (all, some) = (operator(Over::All), over_ada());
    let (whole, part) = (records(&office, &all, Records::default()).await, records(&office, &some, Records::default()).await);
    let text = |page: &RecordPage| serde_json::to_string(page).unwrap();
    assert!(text(&whole).contains("\"eve\"") && whole.records.iter().any(|record| record.stream == Stream::Host));
    assert!(text(&part).contains("\"ada\"") && !part.records.is_empty() && part.records.len() < whole.records.len());
    assert!(!text(&part).contains("\"eve\"") && part.records.iter().all(|record| record.stream != Stream::Host));
    let eves =
        whole.records.iter().find(|record| text(&RecordPage { records: vec![(*record).clone()], ..part.clone() }).contains("\"eve\""));
    let eves = Records { stream: eves.map(|record| record.stream.clone()), ..Records::default() };
    assert!(!records(&office, &all, eves.clone()).await.records.is_empty());
    assert!(records(&office, &some, eves).await.records.is_empty(), "nor by the name of its stream");

    let numbers = async |operator: &Operator| match handle(&office, operator, Request::Overview { span: Span::Day }).await {
        Response::Overview { numbers } => *numbers,
        other => unreachable!("{other:?}"),
    };
    let sum = |numbers: &Numbers, of: fn(&Counts) -> u64| numbers.buckets.iter().map(of).sum::<u64>();
    let (whole, part) = (numbers(&all).await, numbers(&some).await);
    assert_eq!((whole.sessions, part.sessions), (2, 1));
    assert_eq!((sum(&whole, |counts| counts.opened), sum(&part, |counts| counts.opened)), (2, 1));
    assert_eq!((sum(&whole, |counts| counts.calls), sum(&part, |counts| counts.calls)), (1, 1));
    assert!(sum(&whole, |counts| counts.refused) > 0 && sum(&part, |counts| counts.refused) == 0);

    let Response::Policy { page } = handle(&office, &some, Request::Policy {}).await else { unreachable!() };
    assert!(page.rules[0].rule.is_none() && page.rules[2].rule.is_some());
    assert!(matches!(handle(&office, &some, Request::Verify {}).await, Response::Failed { .. }));
    assert!(matches!(handle(&office, &all, Request::Verify {}).await, Response::Verified { broken: None, .. }));
}

#[tokio::test]
async fn pol_1_each_rule_is_counted_for_whom_it_names() {
    let state = tempfile::tempdir().unwrap();
    let office = office(state.path()).await;
    let Response::Policy { page } = handle(&office, &operator(Over::All), Request::Policy {}).await else { unreachable!() };
    assert_eq!(page.rules.iter().map(|row| row.decides).collect::<Vec<_>>(), [1, 0, 1]);
    assert_eq!((page.otherwise, page.tools), (0, 1));
}

#[tokio::test]
async fn aud_1_records_are_found_by_kind_and_text_and_paged() {
    let state = tempfile::tempdir().unwrap();
    let office = office(state.path()).await;
    let all = operator(Over::All);
    let of = |kind: &str, text: &str| Records { kind: Some(kind.to_owned()), text: Some(text.to_owned()), ..Records::default() };
    assert_eq!(records(&office, &all, of("opened", "EVE")).await.records.len(), 1);
    assert!(records(&office, &all, of("granted", "eve")).await.records.is_empty());
    assert!(records(&office, &all, of("open", "eve")).await.records.is_empty(), "a kind is one whole word");
    let whole = records(&office, &all, Records::default()).await.records;
    let older = records(&office, &all, Records { before: Some(whole[0].seq), ..Records::default() }).await.records;
    assert_eq!(older[0].seq, whole[1].seq);
}

#[tokio::test]
async fn srch_3_a_person_searches_the_catalog_in_force() {
    let state = tempfile::tempdir().unwrap();
    let office = office(state.path()).await;
    let ask = async |request| handle(&office, &over_ada(), request).await;
    let Response::Found { found } = ask(Request::Search { words: "what time".to_owned(), server: None }).await else { unreachable!() };
    assert_eq!((found.hits[0].id.as_str(), found.hits[0].state), (NOW, Standing::Accepted));
    assert!(!found.hits[0].terms.is_empty());
    let Response::Tool { tool: Some(tool) } = ask(Request::Tool { id: ToolId::parse(NOW).unwrap() }).await else { unreachable!() };
    assert!(tool.definition.contains("the time") && tool.moved.is_none());
    assert!(matches!(ask(Request::Search { words: " ".to_owned(), server: None }).await, Response::Failed { .. }));
}

#[tokio::test]
async fn host_3_sessions_are_listed_by_the_page_and_to_whom_they_concern() {
    let state = tempfile::tempdir().unwrap();
    let office = office(state.path()).await;
    let list = async |operator: &Operator, list: Listed| match handle(&office, operator, Request::SessionList { list }).await {
        Response::SessionList { page } => *page,
        other => unreachable!("{other:?}"),
    };
    let (all, some) = (operator(Over::All), over_ada());
    let whole = list(&all, Listed::default()).await;
    assert_eq!((whole.sessions.len(), whole.fit, whole.all), (2, 2, 2));
    let part = list(&some, Listed::default()).await;
    assert_eq!((part.sessions.len(), part.fit, part.all, part.sessions[0].asker.principal.as_str()), (1, 1, 1, "ada"));
    let held = list(&all, Listed { text: NOW.to_owned(), ..Listed::default() }).await;
    assert_eq!((held.sessions.len(), held.fit, held.all), (1, 1, 2), "only one holds it");
    let rest = list(&all, Listed { from: 1, ..Listed::default() }).await;
    assert_eq!((rest.sessions.len(), rest.fit), (1, 2));
    let long = Request::SessionList { list: Listed { text: "x".repeat(257), ..Listed::default() } };
    assert!(matches!(handle(&office, &all, long).await, Response::Failed { .. }));
}
