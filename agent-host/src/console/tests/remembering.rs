//! What persons said once, and the tokens, on their pages: listed to whom they concern, and ended.

use super::stage::Stage;
use agent_core::session::PrincipalId;
use agent_engine::token::Wanted;

const TWO: &str =
    "[operators.ada]\nrole = \"approver\"\nprincipals = [\"alice\"]\n[operators.root]\nrole = \"admin\"\nprincipals = \"*\"\n";

async fn two() -> (Stage, super::stage::Browser, super::stage::Browser) {
    let stage = Stage::new(TWO).await;
    let (mut ada, mut root) = (stage.browser(), stage.browser());
    for (name, browser) in [("ada", &mut ada), ("root", &mut root)] {
        let word = format!("correct horse of {name}");
        stage.set(name, &word);
        assert_eq!(browser.log_in(&[("name", name), ("passphrase", &word)]).await.status(), 303);
    }
    (stage, ada, root)
}

#[tokio::test]
async fn pol_4_an_always_is_listed_on_its_page_to_whom_it_concerns_and_ended_there() {
    let (stage, ada, root) = two().await;
    for principal in ["alice", "bob"] {
        let (_, question) = stage.asks(principal).await;
        assert!(root.answer(&question, "always").await.starts_with("approved, now and always"));
    }
    let (_, page) = root.page("/remembered").await;
    assert!(page.contains("2 standing approvals") && page.contains("alice") && page.contains("bob"), "{page}");
    let (_, page) = ada.page("/remembered").await;
    assert!(page.contains("1 standing approval<") && page.contains("alice") && !page.contains("bob"), "{page}");
    let told = ada.act("end-standing", &[("principal", "bob"), ("tool", super::stage::NOW)]).await;
    assert!(told.contains("is not a principal of yours"), "{told}");
    let told = ada.act("end-standing", &[("principal", "alice"), ("tool", super::stage::NOW)]).await;
    assert!(told.starts_with("taken back; a person is asked again"), "{told}");
    assert_eq!(stage.desk.standing_approvals().await.unwrap().len(), 1);
}

#[tokio::test]
async fn pol_4_a_revoke_that_leaves_an_always_offers_to_end_it_too() {
    let stage = Stage::with_owner().await;
    let (session, question) = stage.asks("local:7").await;
    let browser = stage.owner().await;
    browser.answer(&question, "always").await;
    let (id, csrf) = (session.asker().session.to_string(), browser.csrf().await);
    let back = format!("/sessions/{id}");
    let fields = [("session", id.as_str()), ("tool", super::stage::NOW), ("csrf", csrf.as_str()), ("back", back.as_str())];
    assert_eq!(browser.post("/do/revoke", &fields).send().await.unwrap().status(), 303);
    let (_, page) = browser.page(&back).await;
    let said = page.split("role=\"status\">").nth(1).and_then(|rest| rest.split("</div>").next()).unwrap();
    for part in ["an always stands", "/do/end-standing", "name=\"principal\" value=\"local:7\"", "name=\"tool\" value=\"mcp:time/now\""] {
        assert!(said.contains(part), "{part}: {said}");
    }
    browser.act("end-standing", &[("principal", "local:7"), ("tool", super::stage::NOW)]).await;
    assert!(stage.desk.standing_approvals().await.unwrap().is_empty());
}

#[tokio::test]
async fn auth_6_denials_are_listed_and_forgotten_on_their_page() {
    let (stage, ada, root) = two().await;
    let (session, question) = stage.asks("alice").await;
    root.answer(&question, "deny").await;
    let (_, other) = stage.asks("bob").await;
    root.answer(&other, "deny").await;
    let (_, page) = ada.page("/remembered").await;
    assert!(page.contains("1 denial<") && page.contains("alice") && !page.contains("bob"), "{page}");
    let (_, page) = ada.page(&format!("/sessions/{}", session.asker().session)).await;
    assert!(page.contains("Denied by a person") && page.contains("/do/clear-denials"), "{page}");
    let told = ada.act("clear-denials", &[("principal", "bob"), ("tool", super::stage::NOW)]).await;
    assert!(told.contains("is not a principal of yours"), "{told}");
    ada.act("clear-denials", &[("principal", "alice"), ("tool", super::stage::NOW)]).await;
    assert!(session.state().denied.is_empty());
    let left = stage.desk.denials().await.unwrap();
    assert_eq!(left.iter().map(|(principal, ..)| principal.as_str()).collect::<Vec<_>>(), ["bob"]);
    stage.clock.advance(agent_core::limits::DENIAL_MS);
    assert!(stage.desk.denials().await.unwrap().is_empty(), "a day later nothing is remembered");
}

#[tokio::test]
async fn ses_4_tokens_are_listed_and_taken_back_by_an_admin_and_never_shown() {
    let (stage, ada, root) = two().await;
    let principal = PrincipalId::parse("carol").unwrap();
    let wanted = Wanted { principal, profile: None, lasts: None, url: false, note: None };
    let (record, secret) = stage.desk.create_token(wanted, "root").await.unwrap();
    let (_, page) = root.page("/tokens").await;
    assert!(page.contains("carol") && page.contains(&record.id.to_string()), "{page}");
    assert!(!page.contains(&secret.reveal()) && !page.contains(&record.digest.to_string()), "{page}");
    let (_, page) = ada.page("/tokens").await;
    assert!(page.contains("may not") && !page.contains("carol") && !page.contains("/tokens\""), "nor is it in the menu: {page}");
    let id = record.id.to_string();
    assert!(ada.act("revoke-token", &[("token", &id)]).await.contains("may not") && stage.desk.token(&secret.reveal()).is_some());
    assert_eq!(root.act("revoke-token", &[("token", &id)]).await, "the token is taken back");
    assert!(stage.desk.token(&secret.reveal()).is_none());
}

#[tokio::test]
async fn host_2_only_who_may_is_offered_a_reload() {
    let (_stage, ada, root) = two().await;
    for path in ["/policy", "/servers"] {
        assert!(root.page(path).await.1.contains("/do/reload") && !ada.page(path).await.1.contains("/do/reload"), "{path}");
    }
    assert!(ada.act("reload", &[]).await.contains("may not") && !root.act("reload", &[]).await.contains("may not"));
}
