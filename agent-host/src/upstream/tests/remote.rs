//! Servers behind URLs, as they should be and as the network makes them.

use super::site::{Heard, Say, Site, bare, good};
use super::*;
use crate::config::{FromFile, Server, Variable};
use agent_engine::call::{Progress, later};
use std::sync::atomic::{AtomicUsize, Ordering};

/// A pool with the one server `far`, of which nothing is known.
pub(super) fn far(site: &Site, set: impl Fn(&mut config::Server)) -> Stage {
    let mut server = Server { private: true, ..Server::at(&site.url()) };
    set(&mut server);
    let pool = Upstreams::new(&[(Alias::parse("far").unwrap(), server)].into(), &BTreeMap::new());
    Stage { folder: tempfile::tempdir().unwrap(), pool, troubles: Vec::new() }
}

pub(super) const ECHO: &str = "mcp:far/echo";

#[tokio::test]
async fn up_1_http_a_legacy_server_has_one_session_and_is_told_its_end() {
    let site = Site::new(|heard| good(heard, Some("s-1"))).await;
    let stage = far(&site, |server| server.era = config::Era::Legacy);
    assert_eq!(stage.pool.refresh().await, []);
    assert_eq!(stage.names("far"), ["echo", "other"]);
    let Outcome::Ok(result) = stage.call(ECHO, json!({"a": 1})).await else { unreachable!() };
    assert_eq!(result.structured, Some(json!({"a": 1})));
    until("its own stream was asked for", || !site.of("GET").is_empty()).await;
    stage.pool.close().await;
    let heard = site.heard();
    let greeting = &site.of("initialize")[0];
    assert_eq!((site.of("initialize").len(), greeting.header("mcp-session-id"), greeting.header("mcp-protocol-version")), (1, None, None));
    assert!(heard.iter().skip(1).all(|heard| heard.header("mcp-session-id") == Some("s-1")), "in all that follows");
    assert!(heard.iter().skip(1).filter(|heard| heard.verb == "POST").all(|h| h.header("mcp-protocol-version") == Some("2025-11-25")));
    assert!(heard.iter().all(|heard| heard.header("mcp-method").is_none()));
    assert_eq!(site.of("DELETE").len(), 1);
}

#[tokio::test]
async fn up_1_http_a_modern_server_has_no_session_and_every_request_says_what_it_is() {
    let site = Site::new(|heard| good(heard, None)).await;
    let stage = far(&site, |_| {});
    assert_eq!(stage.pool.refresh().await, []);
    assert!(matches!(stage.call(ECHO, json!({"a": 1})).await, Outcome::Ok(_)));
    stage.pool.close().await;
    let call = &site.of("tools/call")[0];
    let headers = ["mcp-protocol-version", "mcp-method", "mcp-name", "mcp-session-id"].map(|name| call.header(name));
    assert_eq!(headers, [Some("2026-07-28"), Some("tools/call"), Some("echo"), None]);
    assert_eq!(call.header("accept"), Some("application/json, text/event-stream"));
    assert!(site.of("initialize").is_empty() && site.of("GET").is_empty() && site.of("DELETE").is_empty());
}

#[tokio::test]
async fn up_6_http_an_open_era_is_asked_for() {
    let site = Site::new(|heard| good(heard, Some("s"))).await;
    let stage = far(&site, |_| {});
    assert_eq!(stage.pool.refresh().await, []);
    let asked: Vec<_> = site.heard().iter().take(2).map(|heard| heard.method().to_owned()).collect();
    assert_eq!(asked, ["server/discover", "initialize"]);
    stage.pool.close().await;
}

#[tokio::test]
async fn cat_3_http_definitions_are_kept_as_the_bytes_that_came() {
    for events in [false, true] {
        let site = Site::new(move |heard| match good(heard, None) {
            Say::Whole(200, _, body) if events && heard.method() == "tools/list" => Say::Events(vec![format!("data: {body}")], true),
            say => say,
        })
        .await;
        let stage = far(&site, |_| {});
        assert_eq!(stage.pool.refresh().await, []);
        let raw = &stage.pool.listing()[0].definitions[0];
        assert!(raw.contains(r#""ours":{"kept":1.5}"#), "{raw}");
        stage.pool.close().await;
    }
}

#[tokio::test]
async fn up_1_http_many_callers_make_one_connection_and_nobody_asks_before_it_is_needed() {
    let site = Site::new(|heard| good(heard, Some("s"))).await;
    let stage = far(&site, |server| server.shared = true);
    assert!(stage.pool.listing()[0].definitions.is_empty() && matches!(stage.health("far"), Health::Unstarted));
    assert!(site.heard().is_empty());
    assert_eq!(stage.callers(ECHO, 20).await, 20);
    assert_eq!(site.of("initialize").len(), 1);
    assert!(matches!(stage.health("far"), Health::Running { processes: 1, .. }));
    stage.pool.close().await;
}

#[tokio::test]
async fn up_1_http_each_principal_has_a_session_of_its_own() {
    let sessions = AtomicUsize::new(0);
    let site = Site::new(move |heard| good(heard, Some(&format!("s-{}", sessions.fetch_add(1, Ordering::SeqCst))))).await;
    let stage = far(&site, |server| server.era = config::Era::Legacy);
    let (one, two) = (stage.reserve("local:1", ECHO).await, stage.reserve("local:2", ECHO).await);
    assert!(one.is_ok() && two.is_ok());
    assert_eq!(site.of("initialize").len(), 2);
    drop((one, two));
    stage.pool.close().await;
    let ended: std::collections::BTreeSet<_> =
        site.of("DELETE").iter().map(|heard| heard.header("mcp-session-id").map(str::to_owned)).collect();
    assert_eq!(ended.len(), 2);
}

#[tokio::test]
async fn up_1_http_an_idle_session_is_ended() {
    let site = Site::new(|heard| good(heard, Some("s"))).await;
    let stage = far(&site, |server| server.idle = Some(config::Length(Duration::from_millis(1))));
    assert_eq!(stage.pool.refresh().await, []);
    tokio::time::sleep(Duration::from_millis(5)).await;
    stage.pool.sweep().await;
    assert_eq!((site.of("DELETE").len(), stage.health("far")), (1, Health::Unstarted));
}

/// A server that knows each session for one call.
fn forgets(calls: &AtomicUsize, heard: &Heard) -> Say {
    let session = |calls: usize| format!("s-{}", calls / 2);
    match heard.method() {
        "tools/call" if heard.header("mcp-session-id") != Some(&session(calls.fetch_add(1, Ordering::SeqCst))) => {
            heard.error(404, -32001, "Session not found")
        }
        _ => good(heard, Some(&session(calls.load(Ordering::SeqCst)))),
    }
}

#[tokio::test]
async fn up_1_http_a_forgotten_session_is_begun_anew_and_the_call_never_left() {
    let calls = AtomicUsize::new(1);
    let site = Site::new(move |heard| forgets(&calls, heard)).await;
    let stage = far(&site, |server| server.era = config::Era::Legacy);
    assert!(matches!(stage.call(ECHO, json!({})).await, Outcome::Ok(_)));
    let Outcome::Unreachable(why) = stage.call(ECHO, json!({})).await else { unreachable!() };
    assert_eq!(why, "it does not know the session any more");
    assert!(matches!(stage.call(ECHO, json!({})).await, Outcome::Ok(_)), "no rest is taken for that");
    assert_eq!((site.of("initialize").len(), site.of("tools/list").len()), (2, 2), "and the list is read anew");
    stage.pool.close().await;
}

#[tokio::test]
async fn up_1_http_a_server_that_is_gone_is_left_alone_and_found_again() {
    let site = Site::new(|heard| good(heard, Some("s"))).await;
    let stage = far(&site, |_| {});
    assert!(matches!(stage.call(ECHO, json!({})).await, Outcome::Ok(_)));
    let port = site.kill().await;
    let Outcome::Unreachable(why) = stage.call(ECHO, json!({})).await else { unreachable!() };
    assert!(why.starts_with("it can't be reached: "), "{why}");
    let why = stage.refused(ECHO).await;
    assert!(why.contains("can't be reached") && why.contains("tried again in"), "{why}");
    assert!(matches!(stage.health("far"), Health::Failed { .. }));
    assert!(stage.names("far").contains(&"echo".to_owned()));
    let _site = Site::at(port, |heard| good(heard, Some("t"))).await;
    tokio::time::sleep(Duration::from_millis(1100)).await;
    assert!(matches!(stage.call(ECHO, json!({})).await, Outcome::Ok(_)));
    stage.pool.close().await;
}

#[tokio::test]
async fn up_6_http_progress_comes_before_the_answer_and_to_its_call_alone() {
    let site = Site::new(|heard| match heard.method() {
        "tools/call" => {
            let token = &heard.body["params"]["_meta"]["progressToken"];
            let step = |token: &Value, at: u32| {
                let params = json!({"progressToken": token, "progress": at, "total": 2, "message": "on it"});
                format!("event: message\ndata: {}", json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": params}))
            };
            let answer = heard.answer(&json!({"content": [], "resultType": "complete"}));
            Say::Events(vec![step(&json!(4_000_000), 9), step(token, 1), step(token, 2), format!("data: {answer}")], true)
        }
        _ => good(heard, None),
    })
    .await;
    let stage = far(&site, |_| {});
    let id = ToolId::parse(ECHO).unwrap();
    let lease = stage.pool.server(&id).unwrap().lease(&asker("local:0"), &id).await.unwrap();
    let (progress, mut steps) = Progress::heard();
    assert!(matches!(lease.hand_over(Map::new(), progress, pending()).await, Outcome::Ok(_)));
    let mut told = Vec::new();
    while let Some(step) = steps.next().await {
        told.push(step.progress as u32);
    }
    assert_eq!(told, [1, 2]);
    stage.pool.close().await;
}

#[tokio::test]
async fn up_6_http_a_call_given_up_is_cancelled_as_its_era_has_it() {
    for session in [Some("s"), None] {
        let site = Site::new(move |heard| if heard.method() == "tools/call" { Say::Hang } else { good(heard, session) }).await;
        let stage = far(&site, |server| server.timeout = Some(config::Length(Duration::from_millis(200))));
        let Outcome::TimedOut(_) = stage.call(ECHO, json!({})).await else { unreachable!() };
        until("its stream is closed", || site.closed() == 1).await;
        let id = site.of("tools/call")[0].body["id"].clone();
        let cancelled: Vec<_> = site.of("notifications/cancelled").iter().map(|heard| heard.body["params"]["requestId"].clone()).collect();
        assert_eq!(cancelled, session.map(|_| id).into_iter().collect::<Vec<_>>(), "{session:?}");
        stage.pool.close().await;
    }
}

#[tokio::test]
async fn up_1_http_a_stream_that_breaks_off_is_taken_up_where_it_was() {
    let site = Site::new(|heard| match (heard.verb.as_str(), heard.method(), heard.header("last-event-id")) {
        ("POST", "tools/call", _) => Say::Events(vec!["id: 7\nretry: 20\ndata:".to_owned()], false),
        ("GET", _, Some("7")) => Say::Events(
            vec![format!("data: {}", json!({"jsonrpc": "2.0", "id": LAST.load(Ordering::SeqCst), "result": {"content": []}}))],
            true,
        ),
        _ => good(heard, Some("s")),
    })
    .await;
    static LAST: AtomicUsize = AtomicUsize::new(0);
    let stage = far(&site, |server| server.era = config::Era::Legacy);
    assert_eq!(stage.pool.refresh().await, []);
    let called = async {
        until("it is called", || !site.of("tools/call").is_empty()).await;
        LAST.store(site.of("tools/call")[0].body["id"].as_u64().unwrap() as usize, Ordering::SeqCst);
    };
    let (outcome, ()) = tokio::join!(stage.call(ECHO, json!({})), called);
    assert!(matches!(outcome, Outcome::Ok(_)), "{outcome:?}");
    stage.pool.close().await;
}

#[tokio::test]
async fn cat_6_http_a_notice_on_the_server_s_own_stream_is_heard() {
    let site = Site::new(|heard| match heard.verb.as_str() {
        "GET" => Say::Events(vec![r#"data: {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#.to_owned()], true),
        _ => good(heard, Some("s")),
    })
    .await;
    let stage = far(&site, |server| server.era = config::Era::Legacy);
    assert_eq!(stage.pool.refresh().await, []);
    until("it is listed again", || site.of("tools/list").len() == 2).await;
    stage.pool.close().await;
}

#[tokio::test]
async fn up_10_http_401_is_a_missing_login_and_never_no_tools() {
    let locked = std::sync::Arc::new(AtomicUsize::new(0));
    let lock = locked.clone();
    let site = Site::new(move |heard| match lock.load(Ordering::SeqCst) {
        1 => Say::Whole(
            401,
            vec![("WWW-Authenticate", "Bearer resource_metadata=\"https://evil.example\"".to_owned())],
            "secret words".to_owned(),
        ),
        2 if heard.method() == "tools/call" => bare(403),
        _ => good(heard, Some("s")),
    })
    .await;
    let stage = far(&site, |server| server.login = Some("demo login".to_owned()));
    assert!(matches!(stage.call(ECHO, json!({})).await, Outcome::Ok(_)));
    locked.store(1, Ordering::SeqCst);
    let Outcome::Refused(why) = stage.call(ECHO, json!({})).await else { unreachable!() };
    assert!(why.starts_with("needs login: run `demo login` (it answered 401"), "{why}");
    assert!(!why.contains("evil") && !why.contains("secret"), "{why}");
    assert!(matches!(stage.health("far"), Health::NeedsLogin { command: Some(_), .. }));
    let why = stage.refused(ECHO).await;
    assert!(why.contains("needs login: run `demo login`"), "{why}");
    assert!(stage.names("far").contains(&"echo".to_owned()), "never: no tools");
    locked.store(0, Ordering::SeqCst);
    until("it is tried again", || matches!(stage.health("far"), Health::NeedsLogin { .. })).await;
    tokio::time::sleep(Duration::from_millis(1100)).await;
    assert!(matches!(stage.call(ECHO, json!({})).await, Outcome::Ok(_)));
    locked.store(2, Ordering::SeqCst);
    let Outcome::Refused(why) = stage.call(ECHO, json!({})).await else { unreachable!() };
    assert!(why.contains("403"), "{why}");
    stage.pool.close().await;
}

#[tokio::test]
async fn up_10_http_a_header_that_can_t_be_read_is_named_and_nothing_is_sent() {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("token");
    let site = Site::new(|heard| good(heard, None)).await;
    let stage = far(&site, |server| {
        let token = FromFile { file: file.clone(), prefix: "Bearer ".to_owned() };
        server.headers.insert("Authorization".to_owned(), Variable::File(token));
    });
    assert!(stage.refused(ECHO).await.contains("needs login: `"));
    assert!(site.heard().is_empty());
    std::fs::write(&file, "ours\n").unwrap();
    assert!(matches!(stage.call(ECHO, json!({})).await, Outcome::Ok(_)));
    assert!(site.heard().iter().all(|heard| heard.header("authorization") == Some("Bearer ours")));
    stage.pool.close().await;
}

#[tokio::test]
async fn up_8_http_what_is_said_of_a_task_names_it_in_its_headers() {
    let task = |status: &str| json!({"taskId": "job 1", "status": status, "createdAt": "2026-01-01T00:00:00Z", "lastUpdatedAt": "2026-01-01T00:00:00Z", "ttlMs": null, "pollIntervalMs": 100});
    let with = |mut task: Value, more: Value| {
        task.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        task
    };
    let form =
        json!({"mode": "form", "message": "Who?", "requestedSchema": {"type": "object", "properties": {"name": {"type": "string"}}}});
    let asks = json!({"resultType": "complete", "inputRequests": {"who": {"method": "elicitation/create", "params": form}}});
    let site = Site::new(move |heard| match heard.method() {
        "server/discover" => heard.json(&json!({
            "supportedVersions": ["2026-07-28"], "resultType": "complete", "ttlMs": 0, "cacheScope": "private",
            "capabilities": {"tools": {}, "extensions": {"io.modelcontextprotocol/tasks": {}}},
        })),
        "tools/call" => heard.json(&with(task("working"), json!({"resultType": "task"}))),
        "tasks/get" => heard.json(&with(task("input_required"), asks.clone())),
        "tasks/update" | "tasks/cancel" => heard.json(&json!({"resultType": "complete"})),
        _ => good(heard, None),
    })
    .await;
    let stage = far(&site, |_| {});
    let id = ToolId::parse(ECHO).unwrap();
    let lease = stage.pool.server(&id).unwrap().lease(&asker("local:0"), &id).await.unwrap();
    let ((later, follower), (stop, stopped)) = (later(true), tokio::sync::oneshot::channel::<()>());
    let call = tokio::spawn(lease.hand_over(Map::new(), Progress::none().taking(later), async { drop(stopped.await) }));
    until("it asks", || follower.stage().is_some_and(|stage| !stage.asks.is_empty())).await;
    follower.answer([("who".to_owned(), json!({"action": "accept", "content": {"name": "Ada"}}))].into());
    until("it is told", || !site.of("tasks/update").is_empty()).await;
    stop.send(()).unwrap();
    assert!(matches!(call.await.unwrap(), Outcome::Lost(_)));
    until("it is cancelled", || !site.of("tasks/cancel").is_empty()).await;
    for method in ["tasks/get", "tasks/update", "tasks/cancel"] {
        let said = &site.of(method)[0];
        let headers = ["mcp-protocol-version", "mcp-method", "mcp-name"].map(|name| said.header(name));
        assert_eq!(headers, [Some("2026-07-28"), Some(method), Some("job 1")], "{:?}", said.headers);
    }
    stage.pool.close().await;
}
