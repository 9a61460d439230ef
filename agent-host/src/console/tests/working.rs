//! What an operator does on the pages.

use super::stage::{SAYS, Stage};
use crate::admin::{Request, Response, ask};
use agent_core::request::{Channel, Decider, Strength};

#[tokio::test]
async fn auth_4_a_request_is_approved_on_its_page_and_strong() {
    let stage =
        Stage::new("activation = \"deny\"\n[[rule]]\ntools = [\"mcp:time/*\"]\ndecision = \"prompt\"\nstrength = \"strong\"\n").await;
    stage.set("owner", super::stage::WORD);
    let (session, question) = stage.asks("local:7").await;
    let browser = stage.owner().await;
    let (status, page) = browser.page("/approvals").await;
    assert!(status == 200 && page.contains(&question.id.to_string()), "{page}");
    let (_, page) = browser.page(&format!("/approvals/{}", question.id)).await;
    assert!(page.contains(&session.asker().session.to_string()) && page.contains("local:7") && page.contains("mcp:time/now"), "{page}");
    assert!(!page.contains(SAYS) && !page.contains("<img"), "{page}");
    assert_eq!(browser.answer(&question, "approve").await, "approved: 1 tool is active");
    assert!(stage.runs(&session).await);
    let by = session.state().active[0].grant.by.clone();
    assert_eq!(by, Decider::Person { name: "owner".to_owned(), channel: Channel::Console, strength: Strength::Strong });
    let (_, page) = browser.page(&format!("/sessions/{}", session.asker().session)).await;
    assert!(page.contains("mcp:time/now"), "{page}");
}

#[tokio::test]
async fn rev_1_a_tool_is_taken_back_and_everything_stopped_on_the_pages() {
    let stage = Stage::with_owner().await;
    let (session, question) = stage.asks("local:7").await;
    let browser = stage.owner().await;
    browser.answer(&question, "approve").await;
    let id = session.asker().session.to_string();
    let told = browser.act("revoke", &[("session", &id), ("tool", "mcp:time/now")]).await;
    assert!(told.starts_with("taken back") && !stage.runs(&session).await, "{told}");
    assert!(browser.act("stop", &[]).await.starts_with("everything is stopped") && stage.desk.stopped().as_deref() == Some("owner"));
    let (_, page) = browser.page("/").await;
    assert!(page.contains("Everything is stopped by owner"), "{page}");
    assert_eq!(browser.act("resume", &[]).await, "the stop is lifted");
}

#[tokio::test]
async fn auth_6_a_no_on_the_page_is_remembered_until_it_is_cleared() {
    let stage = Stage::with_owner().await;
    let (session, question) = stage.asks("local:7").await;
    let browser = stage.owner().await;
    assert!(browser.answer(&question, "deny").await.starts_with("denied"));
    assert_eq!(session.state().denied.len(), 1);
    assert!(browser.answer(&question, "approve").await.contains("the request was denied"), "what was decided stands");
    assert!(browser.act("clear-denials", &[("principal", "local:7")]).await.starts_with("the denials are forgotten"));
    assert!(session.state().denied.is_empty());
}

const TWO: &str = "[operators.ada]\nrole = \"approver\"\nprincipals = [\"alice\"]\nis = [\"alice\"]\n\
    [operators.eve]\nrole = \"viewer\"\nprincipals = \"*\"\n[operators.root]\nrole = \"admin\"\nprincipals = \"*\"\n";

#[tokio::test]
async fn auth_4_a_role_holds_on_the_pages_as_at_the_handler() {
    let stage = Stage::new(&format!("{TWO}[approval]\nown = true\n")).await;
    for (name, word) in [("ada", "word of ada"), ("eve", "word of eve")] {
        stage.set(name, word);
    }
    let (theirs, question) = stage.asks("alice").await;
    let (others, other) = stage.asks("bob").await;
    let (mut ada, mut eve) = (stage.browser(), stage.browser());
    assert_eq!(ada.log_in(&[("name", "ada"), ("passphrase", "word of eve")]).await.status(), 403);
    stage.set("ada", "word of ada");
    assert_eq!(eve.log_in(&[("name", "eve"), ("passphrase", "word of eve")]).await.status(), 303);
    // The wrong one made the next wait; another place does not.
    let mut ada_waited = tokio::time::interval(std::time::Duration::from_millis(100));
    while ada.log_in(&[("name", "ada"), ("passphrase", "word of ada")]).await.status() != 303 {
        ada_waited.tick().await;
    }
    let (_, page) = ada.page("/approvals").await;
    assert!(page.contains(&question.id.to_string()) && !page.contains(&other.id.to_string()), "{page}");
    assert_eq!(ada.page(&format!("/approvals/{}", other.id)).await.0, 404);
    assert_eq!(ada.page(&format!("/sessions/{}", others.asker().session)).await.0, 404);
    assert!(ada.answer(&other, "approve").await.starts_with("nothing was decided here") && !stage.runs(&others).await);
    assert!(ada.act("stop", &[]).await.contains("may not") && stage.desk.stopped().is_none());
    assert!(eve.answer(&question, "approve").await.contains("`eve` may not answer") && !stage.runs(&theirs).await);
    assert_eq!(ada.answer(&question, "approve").await, "approved: 1 tool is active");
}

#[tokio::test]
async fn auth_4_who_may_not_approve_for_themselves_does_not() {
    let local = format!("local:{}", rustix::process::geteuid().as_raw());
    let stage = Stage::new(TWO).await;
    stage.set("ada", "word of ada");
    let (session, question) = stage.asks("alice").await;
    let (mine, own) = stage.asks(&local).await;
    let mut ada = stage.browser();
    ada.log_in(&[("name", "ada"), ("passphrase", "word of ada")]).await;
    assert!(ada.answer(&question, "approve").await.contains("would approve for themselves") && !stage.runs(&session).await);
    let yes = |question: &agent_core::request::Question| Request::Answer {
        session: question.asker.session,
        request: question.id,
        shown: question.digest(),
        answer: agent_core::request::Decision::Approve,
        passphrase: None,
    };
    let told = ask(stage.state.path(), &yes(&own)).await.unwrap();
    assert!(matches!(&told, Response::Failed { what, .. } if what.contains("for themselves")) && !stage.runs(&mine).await, "{told:?}");
    assert!(matches!(ask(stage.state.path(), &yes(&question)).await.unwrap(), Response::Answered { .. }) && stage.runs(&session).await);
    stage.config.send_replace(std::sync::Arc::new(super::stage::parse(&format!("{TWO}[approval]\nown = true\n"))));
    assert!(matches!(ask(stage.state.path(), &yes(&own)).await.unwrap(), Response::Answered { .. }) && stage.runs(&mine).await);
}

#[tokio::test]
async fn auth_4_a_stream_tells_what_is_another_and_ends_with_its_login() {
    let stage = Stage::with_owner().await;
    let browser = stage.owner().await;
    assert_eq!(stage.browser().get("/live").send().await.unwrap().status(), 401);
    let mut live = browser.get("/live").header("sec-fetch-dest", "empty").send().await.unwrap();
    assert_eq!(live.chunk().await.unwrap().unwrap(), "event: changed\ndata: all\n\n");
    stage.asks("local:7").await;
    let mut told = String::new();
    while !(told.contains("approvals") && told.contains("sessions")) {
        told.push_str(std::str::from_utf8(&live.chunk().await.unwrap().unwrap()).unwrap());
    }
    assert!(told.starts_with("event: changed\ndata: ") && !told.contains("local:7") && !told.contains("stop"), "{told}");
    let csrf = browser.csrf().await;
    assert_eq!(browser.post("/logout", &[("csrf", &csrf)]).send().await.unwrap().status(), 303);
    while let Some(line) = live.chunk().await.unwrap() {
        assert!(line.starts_with(b":") || line.starts_with(b"event"), "{line:?}");
    }
}
