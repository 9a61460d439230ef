//! Servers behind URLs that misbehave (attacks 48 to 55, 60, 62).

use super::remote::{ECHO, far};
use super::site::{Say, Site, bare, good};
use super::*;
use agent_engine::catalog::assemble;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

const JSON: &[u8] = b"HTTP/1.1 200 x\r\ncontent-type: application/json\r\nconnection: close\r\n\r\n{\"jsonrpc\":\"2.0\",\"result\":\"";
const EVENTS: &[u8] = b"HTTP/1.1 200 x\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";

/// What one call comes to where the server does `say` in answer to it.
async fn called(say: impl Fn(&super::site::Heard) -> Say + Send + Sync + 'static) -> (Outcome, Stage, Site) {
    let site = Site::new(move |heard| if heard.method() == "tools/call" { say(heard) } else { good(heard, None) }).await;
    let stage = far(&site, |server| server.timeout = Some(config::Length(Duration::from_millis(1500))));
    let outcome = stage.call(ECHO, json!({})).await;
    (outcome, stage, site)
}

#[tokio::test]
async fn up_4_http_each_failure_says_what_is_known() {
    type Case = (fn(&super::site::Heard) -> Say, &'static str);
    let cases: [Case; 14] = [
        (|_| Say::Close, "Lost(\"the connection was lost"),
        (|_| Say::Hang, "TimedOut("),
        (|_| bare(500), "Lost(\"it answered 500\")"),
        (|_| bare(503), "Lost(\"it answered 503\")"),
        (|_| bare(429), "Refused(\"it answered 429\")"),
        (|_| bare(202), "Malformed(\"it answered 202 without a message\")"),
        (
            |_| Say::Whole(400, vec![("content-type", "text/plain".to_owned())], "no \u{202e}way".to_owned()),
            "Refused(\"it answered 400, and said: no ",
        ),
        (|_| Say::Whole(400, vec![("content-type", "text/html".to_owned())], "<b>no</b>".to_owned()), "Refused(\"it answered 400\")"),
        (|_| Say::Whole(200, vec![("content-type", "text/html".to_owned())], "<b>hi</b>".to_owned()), "Malformed("),
        (
            |_| Say::Whole(200, vec![("content-type", "application/json".to_owned())], "{\"a\":".to_owned()),
            "Malformed(\"what it sent does not answer",
        ),
        (|_| Say::Events(Vec::new(), false), "Lost(\"its answer broke off\")"),
        (|_| Say::Events(vec!["data: {]".to_owned(), "nonsense".to_owned()], false), "Lost(\"its answer broke off\")"),
        (|heard| heard.error(404, -32601, "no such method"), "Refused(\"no such method\")"),
        (|heard| heard.error(400, -32602, "that does not go"), "ToolFailed("),
    ];
    for (say, expect) in cases {
        let (outcome, stage, _site) = called(say).await;
        let told = format!("{outcome:?}");
        assert!(told.starts_with(expect), "{expect}: {told}");
        assert!(!told.contains('\u{202e}') && !told.contains("<b>"), "{told}");
        stage.pool.close().await;
    }
}

#[tokio::test]
async fn up_1_http_400_about_a_request_is_not_held_against_the_session() {
    for own in [true, false] {
        let site = Site::new(move |heard| match heard.method() {
            "tools/call" if own => heard.error(400, -32602, "that does not go"),
            "tools/call" => Say::Whole(400, vec![("content-type", "text/plain".to_owned())], "which session?".to_owned()),
            _ => good(heard, Some("s")),
        })
        .await;
        let stage = far(&site, |server| server.era = config::Era::Legacy);
        for _ in 0..3 {
            let outcome = stage.call(ECHO, json!({})).await;
            assert_eq!(matches!(outcome, Outcome::ToolFailed(_)), own, "{outcome:?}");
            if !own {
                break;
            }
        }
        assert_eq!(matches!(stage.health("far"), Health::Running { .. }), own, "{:?}", stage.health("far"));
        assert!(stage.reserve("local:9", ECHO).await.is_ok(), "another's first connection is not refused for it");
        stage.pool.close().await;
    }
}

#[tokio::test]
async fn attack_49_http_what_stops_halfway_on_its_own_stream_holds_no_answer_up() {
    let long = "x".repeat(200 * 1024);
    let site = Site::new(move |heard| match (heard.verb.as_str(), heard.method()) {
        ("GET", _) => Say::Begun(format!("data: {long}")),
        (_, "tools/call") => heard.json(&json!({"content": [{"type": "text", "text": long}]})),
        _ => good(heard, Some("s")),
    })
    .await;
    let stage = far(&site, |server| {
        server.era = config::Era::Legacy;
        server.timeout = Some(config::Length(Duration::from_millis(1500)));
    });
    assert_eq!(stage.pool.refresh().await, []);
    until("its stream is read", || !site.of("GET").is_empty()).await;
    for _ in 0..20 {
        let outcome = stage.call(ECHO, json!({})).await;
        assert!(matches!(outcome, Outcome::Ok(_)), "{outcome:?}");
    }
    stage.pool.close().await;
}

#[tokio::test]
async fn attack_49_http_a_body_or_an_event_without_end_is_given_up() {
    let piece = || vec![b'x'; 1 << 20];
    for head in [JSON, EVENTS] {
        let (outcome, stage, site) = called(move |_| Say::Flood(head, piece())).await;
        let Outcome::Malformed(why) = &outcome else { unreachable!("{outcome:?}") };
        assert!(why.contains("longer than 16777216 bytes"), "{why}");
        until("nobody reads it", || site.closed() == 1).await;
        stage.pool.close().await;
    }
}

#[tokio::test]
async fn attack_50_http_events_without_end_keep_no_call_alive() {
    let noise =
        b": still here\n\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{\"level\":\"info\",\"data\":1}}\n\n";
    let (outcome, stage, site) = called(move |_| Say::Flood(EVENTS, noise.repeat(64))).await;
    assert!(matches!(outcome, Outcome::TimedOut(_)), "{outcome:?}");
    until("nobody reads it", || site.closed() == 1).await;
    assert!(matches!(stage.health("far"), Health::Running { .. }));
    stage.pool.close().await;
}

#[tokio::test]
async fn attack_50_http_an_answer_to_something_else_is_none() {
    let forged = |heard: &super::site::Heard| {
        let id = heard.body["id"].as_i64().unwrap();
        let other = json!({"jsonrpc": "2.0", "id": id + 100, "result": {"content": []}});
        let twice = heard.answer(&json!({"content": [], "structuredContent": {"n": 1}, "resultType": "complete"}));
        Say::Events(vec![format!("data: {other}"), format!("data: {twice}"), format!("data: {twice}")], true)
    };
    let (outcome, stage, _site) = called(forged).await;
    assert!(matches!(outcome, Outcome::Ok(_)), "{outcome:?}");
    stage.pool.close().await;
}

#[tokio::test]
async fn up_4_http_a_server_can_t_say_what_only_we_say() {
    for code in -32_799..=-32_790 {
        let (outcome, stage, _site) = called(move |heard| heard.error(200, code, "never sent")).await;
        assert!(matches!(outcome, Outcome::ToolFailed(_)), "{code}: {outcome:?}");
        stage.pool.close().await;
    }
}

#[tokio::test]
async fn attack_48_http_a_list_without_end_is_cut() {
    let pages = Arc::new(AtomicUsize::new(0));
    let count = pages.clone();
    let site = Site::new(move |heard| match heard.method() {
        "tools/list" => {
            let page = count.fetch_add(1, Ordering::SeqCst);
            let tool = json!({"name": format!("t{page}"), "inputSchema": {"type": "object"}});
            heard.json(&json!({"tools": [tool], "nextCursor": format!("c{page}"), "resultType": "complete"}))
        }
        _ => good(heard, None),
    })
    .await;
    let stage = far(&site, |_| {});
    let troubles = stage.pool.refresh().await;
    assert!(troubles[0].what.contains("more than 256 pages"), "{troubles:?}");
    assert_eq!((pages.load(Ordering::SeqCst), stage.names("far").len()), (256, 256));
    stage.pool.close().await;
}

#[tokio::test]
async fn attack_50_http_a_silent_server_is_given_up_at_its_start() {
    for era in [config::Era::Legacy, config::Era::Modern] {
        let site = Site::new(|_| Say::Hang).await;
        let stage = far(&site, |server| {
            server.start = Some(config::Length(Duration::from_millis(300)));
            server.era = era;
        });
        let why = stage.refused(ECHO).await;
        assert!(why.contains("did not shake hands within 300ms"), "{why}");
        until("nobody waits for it", || site.closed() == 1).await;
    }
}

#[tokio::test]
async fn attack_54_http_a_tool_with_a_bad_header_is_refused_and_others_are_served() {
    let site = Site::new(|heard| match heard.method() {
        "tools/list" => {
            let marked = |name: &str, mark: &str| {
                let properties = json!({"region": {"type": "string", "x-mcp-header": mark}});
                json!({"name": name, "inputSchema": {"type": "object", "properties": properties}})
            };
            heard.json(&json!({"tools": [marked("echo", "Region"), marked("bad", "A\r\nB")], "resultType": "complete"}))
        }
        _ => good(heard, None),
    })
    .await;
    let stage = far(&site, |_| {});
    assert!(matches!(stage.call(ECHO, json!({"region": "eu\r\nX: y"})).await, Outcome::Ok(_)));
    let catalog = assemble(&stage.pool.listing());
    assert_eq!(catalog.tools().iter().map(|tool| tool.descriptor.id.name()).collect::<Vec<_>>(), ["echo"]);
    assert_eq!(catalog.quarantined()[0].name, "bad");
    let bad = stage.refused("mcp:far/bad").await;
    assert!(bad.contains("no longer lists this tool"), "{bad}");
    assert_eq!(site.of("tools/call").len(), 1);
    assert_eq!(site.of("tools/call")[0].header("mcp-param-region"), Some("=?base64?ZXUNClg6IHk=?="));
    stage.pool.close().await;
}

#[tokio::test]
async fn attack_60_http_a_server_gets_its_own_credential_and_nothing_of_a_client() {
    let site = Site::new(|heard| good(heard, Some("s"))).await;
    let stage = far(&site, |server| {
        server.headers = [("X-Key".to_owned(), "ours".into())].into();
    });
    assert!(matches!(stage.call(ECHO, json!({})).await, Outcome::Ok(_)));
    stage.pool.close().await;
    let known = [
        "accept",
        "content-length",
        "content-type",
        "host",
        "mcp-method",
        "mcp-name",
        "mcp-protocol-version",
        "mcp-session-id",
        "user-agent",
        "x-key",
    ];
    for heard in site.heard() {
        assert_eq!(heard.header("x-key"), Some("ours"));
        let others: Vec<_> = heard.headers.keys().filter(|name| !known.contains(&name.as_str())).collect();
        assert!(others.is_empty(), "{others:?}");
        let meta = heard.body["params"]["_meta"].as_object().cloned().unwrap_or_default();
        assert!(meta.keys().all(|key| key == "progressToken" || key.starts_with("io.modelcontextprotocol/")), "{meta:?}");
    }
}

#[tokio::test]
async fn attack_62_http_a_redirect_is_not_followed() {
    let inside = Site::new(|heard| good(heard, None)).await;
    let to = inside.url();
    for status in [301, 302, 303, 307, 308] {
        let to = to.clone();
        let (outcome, stage, _site) = called(move |_| Say::Whole(status, vec![("location", to.clone())], String::new())).await;
        let Outcome::Refused(why) = &outcome else { unreachable!("{outcome:?}") };
        assert_eq!(why, &format!("it answered {status}: a redirect, which is not followed"));
        stage.pool.close().await;
    }
    assert!(inside.heard().is_empty());
}

#[tokio::test]
async fn attack_62_http_this_machine_is_not_reached_unless_the_operator_says_so() {
    let site = Site::new(|heard| good(heard, None)).await;
    for host in ["127.0.0.1", "localhost", "2130706433", "[::ffff:127.0.0.1]"] {
        let stage = far(&site, |server| {
            server.private = false;
            server.url = Some(format!("http://{host}:{}/mcp", site.port));
        });
        let why = stage.refused(ECHO).await;
        assert!(why.contains("is a loopback address") && why.contains("`private = true`"), "{host}: {why}");
    }
    assert!(site.heard().is_empty());
}

#[tokio::test]
async fn attack_50_http_a_dead_or_slow_server_delays_no_other() {
    let dead = Site::new(|heard| if heard.method() == "tools/call" { Say::Hang } else { good(heard, Some("s")) }).await;
    let alive = Site::new(|heard| good(heard, Some("s"))).await;
    let server = |site: &Site| config::Server { private: true, era: config::Era::Legacy, ..config::Server::at(&site.url()) };
    let servers = [("far", server(&alive)), ("dead", server(&dead))].map(|(alias, server)| (Alias::parse(alias).unwrap(), server));
    let pool = Upstreams::new(&servers.into(), &BTreeMap::new());
    let stage = Stage { folder: tempfile::tempdir().unwrap(), pool, troubles: Vec::new() };
    assert_eq!(stage.pool.refresh().await, []);
    let hung = async {
        let mut calls = Vec::new();
        for _ in 0..40 {
            calls.push(stage.call("mcp:dead/echo", json!({})));
        }
        futures_all(calls).await
    };
    let work = async {
        until("all of them hang", || dead.of("tools/call").len() == 40).await;
        let began = std::time::Instant::now();
        for _ in 0..20 {
            assert!(matches!(stage.call(ECHO, json!({})).await, Outcome::Ok(_)));
        }
        assert!(began.elapsed() < Duration::from_secs(5));
        dead.kill().await;
    };
    let (lost, ()) = tokio::join!(hung, work);
    assert!(lost.iter().all(|outcome| matches!(outcome, Outcome::Lost(_))), "{lost:?}");
    assert!(matches!(stage.call(ECHO, json!({})).await, Outcome::Ok(_)));
    stage.pool.close().await;
}

async fn futures_all<F: Future<Output = Outcome>>(calls: Vec<F>) -> Vec<Outcome> {
    let mut calls: Vec<_> = calls.into_iter().map(Box::pin).collect();
    let mut done = Vec::new();
    std::future::poll_fn(move |context| {
        calls.retain_mut(|call| match call.as_mut().poll(context) {
            std::task::Poll::Ready(outcome) => {
                done.push(outcome);
                false
            }
            std::task::Poll::Pending => true,
        });
        if calls.is_empty() { std::task::Poll::Ready(std::mem::take(&mut done)) } else { std::task::Poll::Pending }
    })
    .await
}
