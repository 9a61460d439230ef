//! A server that lacks a credential (UP-10).

use super::*;
use crate::config::Variable;

#[tokio::test]
async fn up_10_a_missing_credential_is_named_with_the_command_and_the_tools_stay() {
    let known = {
        let folder = tempfile::tempdir().unwrap();
        [(
            Alias::parse("plain").unwrap(),
            Upstreams::look(&Alias::parse("plain").unwrap(), &settings("plain", folder.path()), Arc::new(NoLogins)).await.unwrap(),
        )]
        .into()
    };
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("token");
    let stage = Stage::with(&["plain"], known, |server| {
        server.login = Some("demo login".to_owned());
        server.env.insert("TOKEN".to_owned(), Variable::file(file.clone()));
    });
    let why = stage.refused("mcp:plain/echo").await;
    assert!(why.starts_with("server `plain`: needs login: run `demo login` ("), "{why}");
    assert!(matches!(stage.health("plain"), Health::NeedsLogin { command: Some(_), why } if why.contains("token")));
    assert!(stage.pool.troubles()[0].to_string().contains("needs login: run `demo login`"));
    assert!(stage.names("plain").contains(&"echo".to_owned()), "never: no tools");
    assert_eq!(stage.starts(), 0);
    std::fs::write(&file, "secret\n").unwrap();
    assert_eq!(stage.health("plain"), Health::Unstarted);
    assert!(stage.lease("mcp:plain/echo").await.is_ok(), "what was put in its place is found at once");
    stage.pool.close().await;
}

#[tokio::test]
async fn up_10_without_a_command_the_place_is_told() {
    let stage = Stage::with(&["plain"], BTreeMap::new(), |server| {
        server.env.insert("TOKEN".to_owned(), Variable::file("/nowhere/token"));
    });
    assert!(stage.pool.refresh().await[0].what.starts_with("needs login: `/nowhere/token` can't be read"));
    assert!(stage.refused("mcp:plain/echo").await.contains("needs login: `/nowhere/token` can't be read"));
    assert_eq!(stage.starts(), 0);
}

#[tokio::test]
async fn srch_6_a_search_hears_of_servers_that_never_listed() {
    let known = [(Alias::parse("noisy").unwrap(), Listed::default())].into();
    let stage = Stage::with(&["dead", "noisy", "plain"], known, |server| {
        let secret = server.env.get("PLAY").is_some_and(|part| *part != "dead".into());
        secret.then(|| server.env.insert("TOKEN".to_owned(), Variable::file("/nowhere/token")));
    });
    stage.pool.refresh().await;
    let absent = stage.pool.absent();
    let told: Vec<_> = absent.iter().map(|one| (one.server.as_str(), one.how.as_str())).collect();
    assert_eq!(told, [("dead", "it could not be started"), ("plain", "it needs login, by a person")], "what one of them listed is known");
    assert_eq!(absent[0].words, "demo a server of tests");
    stage.pool.close().await;
}

#[tokio::test]
async fn up_10_a_server_can_ask_for_a_login_itself() {
    let stage = Stage::with(&["locked", "plain"], BTreeMap::new(), |server| server.login = Some("demo login".to_owned()));
    let why = stage.refused("mcp:locked/echo").await;
    assert!(why.contains("needs login: run `demo login` (") && why.contains("go to the login page"), "{why}");
    assert!(matches!(stage.health("locked"), Health::NeedsLogin { .. }));
    let Outcome::Refused(why) = stage.call("mcp:plain/login", json!({})).await else { unreachable!() };
    assert_eq!(why, "needs login: run `demo login` (the server says, not checked: \"visit us\")");
    assert!(matches!(stage.health("plain"), Health::NeedsLogin { .. }));
    assert!(matches!(stage.call("mcp:plain/echo", json!({})).await, Outcome::Ok(_)));
    assert!(matches!(stage.health("plain"), Health::Running { .. }), "another answer says that it is over");
    stage.pool.close().await;
}
