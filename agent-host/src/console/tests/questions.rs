//! Questions of servers on the pages: seen, answered and left by who may, without a script.

use super::stage::{Stage, WORD};
use crate::admin::{Replied, Request, Response, ask};
use agent_core::inquiry::{Reply, Wording};
use agent_core::request::{Channel, Strength};
use agent_core::session::{PrincipalId, SessionId};
use agent_core::transition::Transition;
use agent_engine::inquiry::Unanswered;
use std::collections::BTreeMap;
use tokio::task::JoinHandle;

const EVIL: &str = "<img src=x onerror=alert(1)>";

/// A question in a session of a principal's, once it waits.
async fn asked(stage: &Stage, principal: &str, choices: &[&str]) -> (SessionId, JoinHandle<Result<Reply, Unanswered>>) {
    let cell = stage.front.open(PrincipalId::parse(principal).unwrap(), None, false).await.unwrap().session;
    let context = BTreeMap::from([("server".to_owned(), EVIL.to_owned())]);
    let wording = Wording::new(format!("Which? {EVIL}"), choices.iter().map(|choice| (*choice).to_owned()).collect(), context).unwrap();
    let (asker, session, mut changed) = (stage.desk.inquiring(), cell.asker().session, cell.listen());
    let task = tokio::spawn(async move { asker.ask(session, wording).await });
    while cell.state().inquiries.waiting.is_empty() {
        changed.changed().await.unwrap();
    }
    (session, task)
}

#[tokio::test]
async fn auth_8_a_choice_is_a_button_and_free_text_a_field() {
    let stage = Stage::with_owner().await;
    let browser = stage.owner().await;
    let (session, chosen) = asked(&stage, "local:7", &["main", "<next>"]).await;
    let id = session.to_string();
    for path in ["/approvals".to_owned(), format!("/questions/{session}/1")] {
        let (status, page) = browser.page(&path).await;
        assert!(status == 200 && page.contains(r#"<button type="submit" name="said" value="&lt;next&gt;">"#), "{page}");
        assert!(!page.contains("<img") && page.contains("Never type a password or a key here"), "{page}");
        assert_eq!(page.contains("http-equiv=\"refresh\""), path == "/approvals", "one who types is not interrupted");
    }
    let reply = |fields: &[(&'static str, &'static str)]| {
        [
            &[("session", id.clone()), ("index", "1".to_owned())][..],
            &fields.iter().map(|(name, value)| (*name, (*value).to_owned())).collect::<Vec<_>>(),
        ]
        .concat()
    };
    for (fields, told) in [
        (reply(&[("said", "next")]), "nothing was answered: that is not one of the choices"),
        (reply(&[]), "nothing was answered: the form says nothing"),
        (reply(&[("said", "main"), ("said", "<next>")]), "nothing was answered: the form says nothing"),
        (reply(&[("said", "<next>")]), "answered"),
        (reply(&[("said", "main")]), "nothing was answered: no such question waits any more"),
    ] {
        let fields: Vec<(&str, &str)> = fields.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let said = browser.act("reply", &fields).await;
        assert!(said.starts_with(told), "{fields:?}: {said}");
    }
    assert_eq!(chosen.await.unwrap(), Ok(Reply::Said("<next>".to_owned())));

    let (session, free) = asked(&stage, "local:7", &[]).await;
    let (_, page) = browser.page(&format!("/questions/{session}/1")).await;
    assert!(page.contains(r#"type="text" name="said""#), "{page}");
    assert!(
        browser
            .act("reply", &[("session", &session.to_string()), ("index", "1"), ("declined", "yes"), ("said", "x")])
            .await
            .starts_with("answered")
    );
    assert_eq!(free.await.unwrap(), Ok(Reply::Declined));
    assert_eq!(browser.page(&format!("/questions/{session}/1")).await.0, 404);
}

#[tokio::test]
async fn auth_8_who_may_not_see_a_principal_sees_no_question_of_it() {
    let config = "[operators.ada]\nrole = \"approver\"\nprincipals = [\"alice\"]\nis = [\"alice\"]\n[operators.eve]\nrole = \"viewer\"\nprincipals = \"*\"\n";
    let stage = Stage::new(config).await;
    let (mut ada, mut eve) = (stage.browser(), stage.browser());
    for (name, browser) in [("ada", &mut ada), ("eve", &mut eve)] {
        stage.set(name, WORD);
        assert_eq!(browser.log_in(&[("name", name), ("passphrase", WORD)]).await.status(), 303);
    }
    let (theirs, waits) = asked(&stage, "bob", &["a"]).await;
    let (own, mine) = asked(&stage, "alice", &["a"]).await;
    let (_, page) = ada.page("/approvals").await;
    assert!(page.contains(&own.to_string()) && !page.contains(&theirs.to_string()), "{page}");
    assert_eq!(ada.page(&format!("/questions/{theirs}/1")).await.0, 404);
    let (theirs, own) = (theirs.to_string(), own.to_string());
    let said = ada.act("reply", &[("session", &theirs), ("index", "1"), ("said", "a")]).await;
    assert!(said.starts_with("nothing was answered: no such question"), "{said}");
    let said = ada.act("reply", &[("session", &own), ("index", "1"), ("said", "a")]).await;
    assert!(said.contains("would answer for themselves"), "{said}");
    let (_, page) = eve.page("/approvals").await;
    assert!(page.contains(&theirs) && !page.contains("name=\"said\"") && page.contains("A viewer answers nothing"), "{page}");
    let said = eve.act("reply", &[("session", &theirs), ("index", "1"), ("said", "a")]).await;
    assert!(said.contains("`eve` may not answer"), "{said}");
    assert!(!waits.is_finished() && !mine.is_finished());
    assert!(
        ada.act("reply", &[("session", &own), ("index", "1"), ("declined", "yes")]).await.starts_with("answered"),
        "a no needs nobody else"
    );
    assert_eq!(mine.await.unwrap(), Ok(Reply::Declined));
}

#[tokio::test]
async fn auth_8_an_answer_at_the_socket_says_by_whom_it_was_and_the_page_follows() {
    let stage = Stage::with_owner().await;
    let browser = stage.owner().await;
    let mut live = browser.get("/live").header("sec-fetch-dest", "empty").send().await.unwrap();
    assert_eq!(live.chunk().await.unwrap().unwrap(), "event: changed\ndata: all\n\n");
    let (session, task) = asked(&stage, "local:7", &["a"]).await;
    let mut told = String::new();
    while !told.contains("approvals") {
        told.push_str(std::str::from_utf8(&live.chunk().await.unwrap().unwrap()).unwrap());
    }
    let Response::Questions { waiting } = ask(stage.state.path(), &Request::Questions {}).await.unwrap() else { panic!("no questions") };
    assert_eq!(waiting.len(), 1);
    let request = |text: &str| Request::Reply { session, index: 1, reply: Reply::Said(text.to_owned()) };
    assert_eq!(ask(stage.state.path(), &request("b")).await.unwrap(), Response::Replied { replied: Replied::NotAChoice });
    assert_eq!(ask(stage.state.path(), &request("a")).await.unwrap(), Response::Replied { replied: Replied::Taken });
    assert_eq!(task.await.unwrap(), Ok(Reply::Said("a".to_owned())));
    let cell = stage.desk.session(session).unwrap();
    assert!(cell.state().inquiries.waiting.is_empty() && cell.state().active.is_empty());
    let records = stage.ledger.records();
    let by =
        records.iter().find_map(|record| if let Transition::Replied { by, .. } = &record.what { Some(by.clone()) } else { None }).unwrap();
    assert_eq!((by.channel, by.strength), (Channel::Socket, Strength::Weak));
}
