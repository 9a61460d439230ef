//! Answers over the socket: what they say is theirs, what they prove is the host's to find.

use super::*;
use agent_core::request::{Channel, Decider, Question, Strength};
use agent_core::session::Listing;
use agent_core::state::Settlement;
use agent_engine::gate::Condition;
use agent_engine::policy::Rule;
use agent_engine::projection::Terms;
use zeroize::Zeroizing;

fn strong() -> Policy {
    let rule: Rule = serde_json::from_value(json!({"decision": "prompt", "strength": "strong"})).unwrap();
    Policy { rules: vec![rule], ..Policy::of(Verdict::Prompt) }
}

pub(super) fn waits(session: &Cell) -> Question {
    *session.state().waiting.clone().unwrap()
}

pub(super) fn says(question: &Question, answer: Decision, passphrase: Option<&str>) -> Request {
    let passphrase = passphrase.map(|text| Secret::new(Zeroizing::new(text.to_owned())).unwrap());
    Request::Answer { session: question.asker.session, request: question.id, shown: question.digest(), answer, passphrase }
}

pub(super) async fn answered(state: &Path, request: &Request) -> Answered {
    let response = ask(state, request).await.unwrap();
    let Response::Answered { answered } = response else { unreachable!("{response:?}") };
    answered
}

fn by(session: &Cell) -> (Channel, Strength, String) {
    let Decider::Person { name, channel, strength } = session.state().active[0].grant.by.clone() else { unreachable!() };
    (channel, strength, name)
}

pub(super) fn us() -> u32 {
    rustix::process::geteuid().as_raw()
}

#[tokio::test]
async fn auth_4_a_yes_over_the_socket_is_weak_and_the_hosts_to_name() {
    let state = tempfile::tempdir().unwrap();
    let (_front, desk, session) = engine(Verdict::Prompt).await;
    let _listener = open(state.path(), desk).unwrap();
    let question = waits(&session);
    assert_eq!(answered(state.path(), &says(&question, Decision::Approve, None)).await, Answered::Granted { set: 1, added: 1 });
    assert_eq!(by(&session), (Channel::Socket, Strength::Weak, format!("local:{}", us())));
    let again = answered(state.path(), &says(&question, Decision::Approve, None)).await;
    let by = session.state().active[0].grant.by.clone();
    assert_eq!(again, Answered::Before { decision: Decision::Approve, by, ended: Some(Settlement::Active(1, 1)) });
}

#[tokio::test]
async fn auth_4_attack_25_attack_26_the_clients_own_user_does_not_answer_a_strong_question() {
    let state = tempfile::tempdir().unwrap();
    let (_front, desk, session) = engine_of(strong()).await;
    let listener = open(state.path(), desk.clone()).unwrap();
    let question = waits(&session);
    assert_eq!(answered(state.path(), &says(&question, Decision::Approve, None)).await, Answered::TooWeak);
    assert_eq!(waits(&session), question);
    drop(listener);
    let _listener = Listener::open(state.path(), Office::new(state.path(), desk, Users::new(us(), us() + 1))).unwrap();
    assert_eq!(answered(state.path(), &says(&question, Decision::Approve, None)).await, Answered::Granted { set: 1, added: 1 });
    assert_eq!(by(&session), (Channel::Socket, Strength::Strong, format!("local:{}", us())));
}

#[tokio::test]
async fn auth_4_the_passphrase_answers_a_strong_question() {
    let state = tempfile::tempdir().unwrap();
    let (_front, desk, session) = engine_of(strong()).await;
    let _listener = open(state.path(), desk).unwrap();
    let question = waits(&session);
    let refused = |response: Response, words: &str| {
        let Response::Failed { what, .. } = &response else { unreachable!("{response:?}") };
        assert!(what.contains(words) && what.starts_with("nothing was decided"), "{what}");
    };
    let wrong = says(&question, Decision::Approve, Some("wrong horse"));
    refused(ask(state.path(), &wrong).await.unwrap(), "no passphrase is set");
    passphrase::set(state.path(), &crate::config::OperatorName::owner(), &Secret::new(Zeroizing::new("correct horse".to_owned())).unwrap())
        .unwrap();
    refused(ask(state.path(), &wrong).await.unwrap(), "the next try counts in 1 s");
    let right = says(&question, Decision::Approve, Some("correct horse"));
    assert!(!format!("{right:?}").contains("horse"));
    refused(ask(state.path(), &right).await.unwrap(), "too soon");
    tokio::time::sleep(Duration::from_millis(1010)).await;
    assert_eq!(answered(state.path(), &right).await, Answered::Granted { set: 1, added: 1 });
    assert_eq!(by(&session), (Channel::Passphrase, Strength::Strong, format!("local:{}", us())));
}

#[tokio::test]
async fn attack_18_attack_22_only_an_answer_in_its_own_words_is_one() {
    let state = tempfile::tempdir().unwrap();
    let (_front, desk, session) = engine(Verdict::Prompt).await;
    let _listener = open(state.path(), desk).unwrap();
    let question = waits(&session);
    let whole = serde_json::to_value(says(&question, Decision::Approve, None)).unwrap();
    let change = |key: &str, value: serde_json::Value| {
        let mut changed = whole.clone();
        changed[key] = value;
        changed.to_string() + "\n"
    };
    for wrong in [
        change("answer", json!(true)),
        change("answer", json!("approve")),
        change("answer", json!({"decision": "yes"})),
        change("answer", json!({"decision": "Approve"})),
        change("answer", serde_json::Value::Null),
        change("strength", json!("strong")),
        change("by", json!({"decider": "person", "name": "ada", "channel": "code", "strength": "strong"})),
        change("channel", json!("code")),
        change("passphrase", json!("short")),
    ] {
        assert!(send(state.path(), wrong.as_bytes()).await.contains("not a request"), "{wrong}");
    }
    assert_eq!(waits(&session), question);
    assert!(session.state().active.is_empty());
    let dismissed = answered(state.path(), &says(&question, Decision::Dismiss, None)).await;
    assert!(matches!(dismissed, Answered::Withdrawn { ended: Some(Settlement::Withdrawn(_)) }), "{dismissed:?}");
}

#[tokio::test]
async fn i_3_attack_33_an_answer_counts_for_the_question_that_was_shown() {
    let state = tempfile::tempdir().unwrap();
    let (_front, desk, session) = engine(Verdict::Prompt).await;
    let _listener = open(state.path(), desk).unwrap();
    let question = waits(&session);
    let mut other = question.clone();
    other.what[0].bound.digest = Digest::of(agent_core::digest::Domain::Definition, b"another");
    assert_eq!(answered(state.path(), &says(&other, Decision::Approve, None)).await, Answered::Void { waits: true, ended: None });
    other = question.clone();
    other.asker.session = SessionId::new(9);
    assert_eq!(answered(state.path(), &says(&other, Decision::Approve, None)).await, Answered::Void { waits: false, ended: None });
    // What crosses the socket is the question, byte for byte as far as its digest goes.
    let Response::Approvals { waiting, .. } = ask(state.path(), &Request::Approvals {}).await.unwrap() else { unreachable!() };
    assert_eq!(waiting[0].digest(), question.digest());
    assert!(session.state().active.is_empty());
}

#[tokio::test]
async fn auth_6_attack_71_a_no_is_remembered_until_it_is_cleared() {
    let state = tempfile::tempdir().unwrap();
    let (front, desk, session) = engine(Verdict::Prompt).await;
    let _listener = open(state.path(), desk).unwrap();
    let question = waits(&session);
    assert_eq!(answered(state.path(), &says(&question, Decision::Deny, None)).await, Answered::Denied { recorded: true });
    let asks = |session: Arc<Cell>| {
        let front = front.clone();
        async move { front.call(&session, "activate_tools", json!({"tools": [NOW]}).as_object().cloned().unwrap()).await }
    };
    let second = front.open(question.asker.principal.clone(), None, false).await.unwrap().session;
    for session in [session.clone(), second.clone()] {
        assert!(matches!(asks(session).await, Reply::Refused { .. }));
    }
    let principal = question.asker.principal.clone();
    assert_eq!(ask(state.path(), &Request::ClearDenials { principal, tool: None }).await.unwrap(), Response::Cleared);
    for session in [session, second] {
        assert!(matches!(asks(session).await, Reply::Waiting(_)));
    }
}

#[tokio::test]
async fn gate_1_why_and_all_of_a_session_over_the_socket() {
    let state = tempfile::tempdir().unwrap();
    let (front, desk, session) = engine(Verdict::Prompt).await;
    let _listener = open(state.path(), desk).unwrap();
    let question = waits(&session);
    let id = question.asker.session;
    let why = || Request::Why { session: id, tool: ToolId::parse(NOW).unwrap() };
    let Response::Why { why: Some(before) } = ask(state.path(), &why()).await.unwrap() else { unreachable!() };
    assert!(before.refused.unwrap().starts_with("not active"));
    let fails: Vec<_> = before.conditions.iter().filter(|(_, holds)| *holds == Some(false)).collect();
    assert_eq!(fails, [&(Condition::Granted, Some(false))]);
    answered(state.path(), &says(&question, Decision::Approve, None)).await;
    let Response::Why { why: Some(after) } = ask(state.path(), &why()).await.unwrap() else { unreachable!() };
    assert_eq!((after.refused, after.by_name, after.facts.held.unwrap().grant.request), (None, None, question.id));
    let stable = front.under(Terms { listing: Listing::Builtins, ..Terms::default() });
    assert!(matches!(stable.call(&session, "time__now", serde_json::Map::new()).await, Reply::Refused { .. }));
    let Response::Why { why: Some(stable) } = ask(state.path(), &why()).await.unwrap() else { unreachable!() };
    assert_eq!((stable.refused, stable.conditions[0]), (None, (Condition::Listed, Some(false))));
    assert!(stable.by_name.unwrap().starts_with("no tool of this name is listed"));
    let Response::Session { session: Some(whole) } = ask(state.path(), &Request::Session { session: id }).await.unwrap() else {
        unreachable!()
    };
    assert_eq!((whole.set, whole.session.active.len(), whole.settled), (1, 1, vec![(question.id, Settlement::Active(1, 1))]));
    let nobody = ask(state.path(), &Request::Session { session: SessionId::new(9) }).await.unwrap();
    assert_eq!(nobody, Response::Session { session: None });
}
