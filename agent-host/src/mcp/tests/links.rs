//! Questions that demand a strong answer, put as a link to the console.

use super::raw::{activate, connect, modern, retry, text};
use super::{Does, LONG, NOW, SHORT, Stage, host, says, stage_of};
use agent_core::request::{Answer, Channel, Decider, Decision, Strength};
use agent_engine::policy::{Policy, Rule, Verdict};
use rmcp::model::ElicitationAction::{self, Accept};
use serde_json::{Value, json};
use std::time::Duration;

const PAGES: &str = "http://127.0.0.1:8751/c/7f";

fn strong() -> Policy {
    let rule: Rule = serde_json::from_value(json!({"decision": "prompt", "strength": "strong"})).unwrap();
    Policy { rules: vec![rule], ..Policy::of(Verdict::Prompt) }
}

async fn linked(action: ElicitationAction, content: Option<Value>, policy: Policy, wait: Duration) -> Stage {
    let mut connection = host(policy, wait).await;
    connection.pages = Some(PAGES.to_owned());
    let does: Option<Does> = says(action, content);
    stage_of(connection, does, true).await
}

/// An operator's yes at the console.
async fn approve(stage: &Stage) {
    let waiting = async {
        loop {
            let asked = !stage.log.lock().is_empty();
            if let Some(question) = stage.session.state().waiting.as_deref().cloned().filter(|_| asked) {
                return question;
            }
            tokio::task::yield_now().await;
        }
    };
    let question = tokio::time::timeout(LONG, waiting).await.unwrap();
    let by = Decider::Person { name: "owner".to_owned(), channel: Channel::Console, strength: Strength::Strong };
    let answer = Answer { shown: question.digest(), decision: Decision::Approve, by };
    stage.desk.answer(question.asker.session, question.id, answer).await;
}

#[tokio::test]
async fn auth_4_a_link_leads_to_the_request_and_the_call_goes_on_once_it_is_decided() {
    let stage = linked(Accept, None, strong(), LONG).await;
    let (done, ()) = tokio::join!(stage.activate(), approve(&stage));
    assert!(!done.0 && done.1.contains("time__now"), "{}", done.1);
    let log = stage.log.lock().clone();
    assert!(log[0].starts_with(&format!("{PAGES}/approvals/r_")) && log[0].len() == PAGES.len() + "/approvals/r_".len() + 32, "{log:?}");
}

#[tokio::test]
async fn attack_29_that_a_link_was_opened_decides_nothing() {
    for content in [None, Some(json!({"approve": true}))] {
        let stage = linked(Accept, content, strong(), SHORT).await;
        let (_, told) = stage.activate().await;
        assert!(told.contains("has a link to the page") && told.contains("--strong") && !told.contains(PAGES), "{told}");
        assert!(stage.session.state().active.is_empty() && stage.session.state().waiting.is_some());
    }
    let denied = linked(ElicitationAction::Decline, None, strong(), LONG).await;
    assert!(denied.activate().await.1.contains("a person said no"));
}

#[tokio::test]
async fn auth_4_a_form_stays_a_form_where_a_weak_answer_will_do() {
    let stage = linked(Accept, Some(json!({"approve": true})), Policy::of(Verdict::Prompt), LONG).await;
    assert!(!stage.activate().await.0 && !stage.log.lock()[0].contains(PAGES));
}

#[tokio::test]
async fn auth_4_a_modern_client_is_given_the_link_and_comes_again() {
    let mut connection = host(strong(), LONG).await;
    connection.pages = Some(PAGES.to_owned());
    let (desk, session) = (connection.desk.clone(), connection.session.clone());
    let mut client = connect(connection);
    let call = || {
        let mut call = modern(activate());
        call["_meta"]["io.modelcontextprotocol/clientCapabilities"] = json!({"elicitation": {"url": {}}});
        call
    };
    let asked = client.call(call()).await;
    let link = &asked["result"]["inputRequests"]["approve"]["params"];
    let question = session.state().waiting.as_deref().cloned().unwrap();
    assert_eq!(
        (link["mode"].as_str(), link["url"].as_str()),
        (Some("url"), Some(format!("{PAGES}/approvals/{}", question.id).as_str())),
        "{asked}"
    );
    let mut again = retry(&asked, json!({"action": "accept", "content": {"approve": true}}));
    again["_meta"] = call()["_meta"].clone();
    let id = client.send("tools/call", again).await;
    let by = Decider::Person { name: "owner".to_owned(), channel: Channel::Console, strength: Strength::Strong };
    assert!(session.state().active.is_empty());
    desk.answer(question.asker.session, question.id, Answer { shown: question.digest(), decision: Decision::Approve, by }).await;
    let done = client.answer(id).await;
    assert!(text(&done).contains(NOW), "{done}");
}
