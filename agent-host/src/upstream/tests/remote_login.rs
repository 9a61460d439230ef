//! Servers behind URLs that want a login: each principal's own, and what who lacks one is told.

use super::remote::ECHO;
use super::site::{Say, Site, good};
use super::*;
use crate::config::Server;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Whoever keeps logins: an old one for each, and a new one where the old one was refused.
struct Logins;

#[async_trait]
impl Authorize for Logins {
    async fn authorize(&self, access: &Access) -> Result<Option<::http::HeaderValue>, NoAccess> {
        let who = access.principal.as_ref().map_or("operator", PrincipalId::as_str);
        match &access.refused {
            _ if who == "local:9" => Err(NoAccess::NeedsLogin { why: "nobody is logged in".to_owned(), command: command(who) }),
            None => Ok(Some(::http::HeaderValue::from_str(&format!("Bearer old {who}")).unwrap())),
            Some(refused) => {
                assert_eq!((refused.challenge.as_str(), refused.value.is_some()), ("Bearer realm=x", true));
                Ok(Some(::http::HeaderValue::from_str(&format!("Bearer new {who}")).unwrap()))
            }
        }
    }

    fn command(&self, access: &Access) -> Option<String> {
        Some(access.principal.as_ref().map_or_else(|| "agent-host login far".to_owned(), |principal| command(principal.as_str())))
    }
}

fn command(who: &str) -> String {
    format!("agent-host login far --principal {who}")
}

#[tokio::test]
async fn up_5_http_each_principal_has_a_login_of_its_own_and_a_refused_one_is_renewed() {
    let site = Site::new(|heard| match heard.header("authorization") {
        Some(login) if login.starts_with("Bearer new") => good(heard, None),
        _ => Say::Whole(401, vec![("WWW-Authenticate", "Bearer realm=x".to_owned())], String::new()),
    })
    .await;
    let server = Server { private: true, identity: config::Identity::PerPrincipal, ..Server::at(&site.url()) };
    let servers = [(Alias::parse("far").unwrap(), server)].into();
    let pool = Upstreams::with_logins(&servers, &BTreeMap::new(), std::sync::Arc::new(Logins));
    let stage = Stage { folder: tempfile::tempdir().unwrap(), pool, troubles: Vec::new() };
    assert_eq!(stage.pool.refresh().await, []);
    assert!(site.heard().iter().all(|heard| heard.header("authorization").unwrap().ends_with("operator")), "it is listed as the operator");
    let before = site.heard().len();
    assert!(stage.reserve("local:1", ECHO).await.is_ok());
    let since: Vec<_> = site.heard().iter().skip(before).map(|heard| heard.header("authorization").unwrap().to_owned()).collect();
    assert!(since.len() > 2 && since.iter().all(|login| login.ends_with("local:1")), "on a connection of its own: {since:?}");
    let Err(Outcome::Unreachable(why)) = stage.reserve("local:9", ECHO).await else { unreachable!() };
    assert_eq!(why, "server `far`: needs login: run `agent-host login far --principal local:9` (nobody is logged in)");
    stage.pool.close().await;
}

#[tokio::test]
async fn up_5_http_what_one_principal_lacks_is_told_to_no_other() {
    let site = Site::new(|heard| match (heard.header("authorization"), heard.method()) {
        (Some("Bearer new local:1"), "tools/call") => heard.error(200, -32042, "visit us"),
        (Some(login), _) if login.starts_with("Bearer new") => good(heard, None),
        _ => Say::Whole(401, vec![("WWW-Authenticate", "Bearer realm=x".to_owned())], String::new()),
    })
    .await;
    let server = Server { private: true, identity: config::Identity::PerPrincipal, ..Server::at(&site.url()) };
    let pool = Upstreams::with_logins(&[(Alias::parse("far").unwrap(), server)].into(), &BTreeMap::new(), std::sync::Arc::new(Logins));
    let stage = Stage { folder: tempfile::tempdir().unwrap(), pool, troubles: Vec::new() };
    assert_eq!(stage.pool.refresh().await, []);
    let Err(Outcome::Unreachable(why)) = stage.reserve("local:9", ECHO).await else { unreachable!() };
    assert!(why.contains("--principal local:9"), "{why}");
    let Outcome::Refused(why) = stage.call_of("local:1", ECHO, json!({})).await else { unreachable!() };
    assert_eq!(why, "needs login: the server says, not checked: \"visit us\"");
    let health = stage.health("far");
    assert!(matches!(health, Health::Running { .. }), "the server is as good as before to everybody else: {health:?}");
    stage.pool.close().await;
}

#[tokio::test]
async fn up_10_http_who_is_refused_is_told_the_command_each_time() {
    let locked = std::sync::Arc::new(AtomicUsize::new(0));
    let lock = locked.clone();
    let site = Site::new(move |heard| match heard.header("authorization") {
        Some(login) if login.starts_with("Bearer new") && lock.load(Ordering::SeqCst) == 0 => good(heard, Some("s")),
        _ => Say::Whole(401, vec![("WWW-Authenticate", "Bearer realm=x".to_owned())], String::new()),
    })
    .await;
    let server = Server { private: true, ..Server::at(&site.url()) };
    let pool = Upstreams::with_logins(&[(Alias::parse("far").unwrap(), server)].into(), &BTreeMap::new(), std::sync::Arc::new(Logins));
    let stage = Stage { folder: tempfile::tempdir().unwrap(), pool, troubles: Vec::new() };
    assert!(matches!(stage.call(ECHO, json!({})).await, Outcome::Ok(_)));
    locked.store(1, Ordering::SeqCst);
    let Outcome::Refused(why) = stage.call(ECHO, json!({})).await else { unreachable!() };
    assert!(why.starts_with("needs login: run `agent-host login far` (it answered 401"), "{why}");
    for _ in 0..3 {
        let why = stage.refused(ECHO).await;
        assert!(why.contains("needs login: run `agent-host login far` ("), "{why}");
        assert!(matches!(stage.health("far"), Health::NeedsLogin { command: Some(_), .. }), "{:?}", stage.health("far"));
    }
    stage.pool.close().await;
}
