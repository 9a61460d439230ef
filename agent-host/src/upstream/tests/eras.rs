//! Servers of both eras, told or found out.

use super::*;

const LEGACY: &str = "2025-11-25";
const MODERN: &str = "2026-07-28";

fn known(part: &str, protocol: &str) -> BTreeMap<Alias, Listed> {
    [(Alias::parse(part).unwrap(), Listed { protocol: Some(protocol.to_owned()), ..Listed::default() })].into()
}

/// The version that is spoken with a server in the end, and how it was greeted.
async fn spoken(part: &str, era: config::Era, known: BTreeMap<Alias, Listed>) -> (Option<String>, Vec<String>) {
    let stage = Stage::with(&[part], known, |server| server.era = era);
    let answered = stage.lease(&format!("mcp:{part}/echo")).await;
    let protocol = answered.ok().and_then(|_| stage.pool.servers()[&Alias::parse(part).unwrap()].listed()?.protocol.clone());
    stage.pool.close().await;
    (protocol, stage.lines("greetings"))
}

#[tokio::test]
async fn up_6_a_server_s_era_is_told_known_or_asked_for() {
    use config::Era::{Auto, Legacy, Modern};
    let none = BTreeMap::new;
    for (part, era, before, version, greetings) in [
        ("plain", Auto, none(), Some(LEGACY), vec!["server/discover", "initialize"]),
        ("plain", Auto, known("plain", LEGACY), Some(LEGACY), vec!["initialize"]),
        ("plain", Auto, known("plain", MODERN), Some(LEGACY), vec!["server/discover", "server/discover", "initialize"]),
        ("plain", Legacy, known("plain", MODERN), Some(LEGACY), vec!["initialize"]),
        ("plain", Modern, none(), None, vec!["server/discover"]),
        ("modern", Auto, none(), Some(MODERN), vec!["server/discover"]),
        ("modern", Auto, known("modern", LEGACY), Some(MODERN), vec!["initialize", "server/discover"]),
        ("modern", Modern, none(), Some(MODERN), vec!["server/discover"]),
        ("modern", Legacy, none(), None, vec!["initialize"]),
    ] {
        let found = spoken(part, era, before).await;
        assert_eq!((found.0.as_deref(), found.1), (version, greetings.into_iter().map(str::to_owned).collect()), "{part}, {era:?}");
    }
}

#[tokio::test]
async fn up_6_a_modern_server_s_notice_is_heard() {
    let stage = stage(&["modern"]).await;
    let before = stage.lease("mcp:modern/echo").await.unwrap();
    let Outcome::Ok(result) = stage.call("mcp:modern/echo", json!({"a": 1})).await else { unreachable!() };
    assert_eq!(result.structured, Some(json!({"a": 1})));
    assert!(matches!(stage.call("mcp:modern/turn", json!({})).await, Outcome::Ok(_)));
    let server = stage.pool.servers()[&Alias::parse("modern").unwrap()].clone();
    until("it is read again", || server.listed().unwrap().live.get("echo") != before.as_ref()).await;
    assert_ne!(stage.lease("mcp:modern/echo").await.unwrap(), before);
    stage.pool.close().await;
}
