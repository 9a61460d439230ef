//! The whole way, from a client to a real process and back. Clause: UP-6.

use super::*;

/// The way from a client to a real process and back.
struct Whole {
    client: RunningService<RoleClient, Person>,
    log: Arc<Mutex<Vec<String>>>,
    folder: tempfile::TempDir,
    pool: Arc<Upstreams>,
}

async fn whole() -> Whole {
    let folder = tempfile::tempdir().unwrap();
    let servers = [(Alias::parse("play").unwrap(), crate::upstream::tests::settings("plain", folder.path()))];
    let pool = Arc::new(Upstreams::new(&servers.into(), &[].into()));
    assert_eq!(pool.refresh().await, []);
    let ledger = Arc::new(MemoryLedger::default());
    let mut parts = Parts::new(ledger, pool.clone(), Arc::new(ManualClock::default()), Arc::new(SeededEntropy::new(1)));
    parts.policy = Policy::of(Verdict::Auto);
    let (front, desk) = build(parts).await.unwrap();
    desk.publish(assemble(&pool.listing())).await;
    let (ours, theirs) = tokio::io::duplex(1 << 16);
    tokio::spawn(serve(super::connection(front, desk, SHORT).await, tokio::io::split(ours)));
    let log = Arc::new(Mutex::new(Vec::new()));
    let client = Person { does: None, links: false, log: log.clone() }.serve(theirs).await.unwrap();
    let whole = Whole { client, log, folder, pool };
    let tools = ["mcp:play/steps", "mcp:play/slow", "mcp:play/meta"];
    let active = whole.sent("activate_tools", json!({"tools": tools})).await.await_response().await.unwrap();
    assert!(matches!(active, ServerResult::CallToolResult(result) if result.is_error == Some(false)));
    whole.log.lock().clear();
    whole
}

impl Whole {
    async fn sent(&self, name: &'static str, arguments: Value) -> RequestHandle<RoleClient> {
        let mut params = CallToolRequestParams::new(name).with_arguments(arguments.as_object().cloned().unwrap());
        params.meta = serde_json::from_value(json!({"example.org/secret": 1})).unwrap();
        let request = ClientRequest::CallToolRequest(CallToolRequest::new(params));
        self.client.send_cancellable_request(request, PeerRequestOptions::no_options()).await.unwrap()
    }
}

#[tokio::test]
async fn up_6_progress_is_relayed_with_the_clients_own_token() {
    let whole = whole().await;
    for (name, arguments) in [("play__steps", json!({})), ("call_tool", json!({"id": "mcp:play/steps", "arguments": {}}))] {
        let call = whole.sent(name, arguments).await;
        let token = serde_json::to_string(&call.progress_token).unwrap();
        call.await_response().await.unwrap();
        tokio::task::yield_now().await;
        let expect = [format!("{token} 1 of Some(3.0): half \\u{{202e}} way"), format!("{token} 3 of Some(3.0): ")];
        assert_eq!(*whole.log.lock(), expect, "a number that does not grow is not relayed");
        whole.log.lock().clear();
    }
    whole.pool.close().await;
}

#[tokio::test]
async fn up_6_nothing_of_the_clients_meta_goes_out() {
    let whole = whole().await;
    let answer = whole.sent("play__meta", json!({})).await.await_response().await.unwrap();
    let ServerResult::CallToolResult(result) = answer else { unreachable!() };
    let meta = result.structured_content.unwrap();
    assert_eq!(meta.as_object().unwrap().keys().collect::<Vec<_>>(), ["progressToken"]);
    whole.pool.close().await;
}

#[tokio::test]
async fn up_6_cancel_reaches_the_server() {
    let whole = whole().await;
    let call = whole.sent("play__slow", json!({})).await;
    tokio::time::sleep(Duration::from_millis(200)).await;
    call.cancel(Some("changed my mind".to_owned())).await.unwrap();
    let marks = whole.folder.path().join("cancelled");
    let read = || std::fs::read_to_string(&marks).unwrap_or_default();
    for _ in 0..500 {
        if !read().is_empty() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert_eq!(read(), "the caller went away\n");
    whole.pool.close().await;
}
