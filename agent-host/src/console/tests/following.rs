//! The streams of the pages that are open: whose places they are, and what they tell of.

use super::stage::Stage;
use crate::admin::{Operator, Over, Role};
use crate::console::live::EACH;
use agent_core::request::{Channel, Strength};
use agent_core::session::PrincipalId;

const TWO: &str = "[operators.ada]\nrole = \"admin\"\nprincipals = \"*\"\n[operators.eve]\nrole = \"admin\"\nprincipals = \"*\"\n";

#[tokio::test]
async fn auth_4_no_operators_pages_take_every_place() {
    let stage = Stage::new(TWO).await;
    let (mut ada, mut eve) = (stage.browser(), stage.browser());
    for (name, browser) in [("ada", &mut ada), ("eve", &mut eve)] {
        let word = format!("correct horse of {name}");
        stage.set(name, &word);
        assert_eq!(browser.log_in(&[("name", name), ("passphrase", &word)]).await.status(), 303);
    }
    let mut open = Vec::new();
    for _ in 0..EACH {
        open.push(ada.get("/live").send().await.unwrap());
    }
    assert!(open.iter().all(|live| live.status() == 200));
    assert_eq!(ada.get("/live").send().await.unwrap().status(), 503);
    assert_eq!(eve.get("/live").send().await.unwrap().status(), 200);
    // Those of a login end with it, and are free again.
    let csrf = ada.csrf().await;
    assert_eq!(ada.post("/logout", &[("csrf", &csrf)]).send().await.unwrap().status(), 303);
    for live in &mut open {
        while live.chunk().await.unwrap().is_some() {}
    }
    assert_eq!(ada.log_in(&[("name", "ada"), ("passphrase", "correct horse of ada")]).await.status(), 303);
    assert_eq!(ada.get("/live").send().await.unwrap().status(), 200);
}

#[tokio::test]
async fn auth_4_what_is_not_theirs_changes_nothing_that_an_operator_follows() {
    let stage = Stage::with_owner().await;
    let only = |name: &str| Over::Only([PrincipalId::parse(name).unwrap()].into());
    let operator =
        |over| Operator { name: "ada".to_owned(), role: Role::Viewer, over, channel: Channel::Console, strength: Strength::Strong };
    let (alices, bobs, all) = (operator(only("alice")), operator(only("bob")), operator(Over::All));
    let office = &stage.console.house.office;
    let before = office.pulse();
    assert!(before == office.pulse(), "a look changes nothing");
    stage.asks("bob").await;
    let after = office.pulse();
    assert_eq!(after.of(&alices).others(&before.of(&alices)), Vec::<&str>::new());
    for operator in [bobs, all] {
        assert_eq!(after.of(&operator).others(&before.of(&operator)), ["approvals", "sessions"]);
    }
    stage.desk.stop("owner").await;
    assert_eq!(office.pulse().of(&alices).others(&after.of(&alices)), ["stop"]);
}
