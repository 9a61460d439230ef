//! The wire by itself: what a server writes on one side, what rmcp is given on the other.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use super::*;
use crate::config::Server;
use crate::upstream::gate::UNANSWERED;
use crate::upstream::news::{News, told};
use agent_core::id::Alias;
use rmcp::model::{
    CancelledNotification, CancelledNotificationParam, ClientNotification, ClientRequest, JsonRpcMessage, ListToolsRequest, PingRequest,
    RequestId,
};
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, ReadHalf, WriteHalf, split};

struct Stage {
    wire: Wire<ReadHalf<DuplexStream>>,
    lists: Lists,
    server: WriteHalf<DuplexStream>,
    /// What was written to the server, read by nobody unless a test does.
    sent: ReadHalf<DuplexStream>,
}

impl Stage {
    fn new() -> Self {
        let (ours, theirs) = tokio::io::duplex(1 << 20);
        let (read, write) = split(ours);
        let (sent, server) = split(theirs);
        let news = News::new(&Alias::parse("s").unwrap(), &Server::new("x".to_owned()), told());
        let (wire, lists, _) = Wire::new(read, write, Stale::new(tokio::sync::watch::Sender::new(()), news), Listeners::default());
        Self { wire, lists, server, sent }
    }

    async fn ask(&mut self, id: i64, tools: bool) {
        let list = || ClientRequest::ListToolsRequest(ListToolsRequest::default());
        let ping = || ClientRequest::PingRequest(PingRequest::default());
        let request = if tools { list() } else { ping() };
        self.wire.send(JsonRpcMessage::request(request, RequestId::Number(id))).await.unwrap();
    }

    async fn give_up(&mut self, id: i64) {
        let param = CancelledNotificationParam::new(Some(RequestId::Number(id)), None);
        let notification = ClientNotification::CancelledNotification(CancelledNotification::new(param));
        self.wire.send(JsonRpcMessage::notification(notification)).await.unwrap();
    }

    /// Everything that is read of these bytes, in short.
    async fn read(&mut self, bytes: &[u8]) -> Vec<String> {
        let (server, wire) = (&mut self.server, &mut self.wire);
        let mark = b"\n{\"jsonrpc\":\"2.0\",\"method\":\"notifications/the_end\"}\n";
        let write = async {
            server.write_all(bytes).await.unwrap();
            server.write_all(mark).await.unwrap();
        };
        let read = async {
            let mut found = Vec::new();
            loop {
                match wire.receive().await.unwrap() {
                    JsonRpcMessage::Notification(_) => return found,
                    JsonRpcMessage::Response(answer) => found.push(format!("answer {}", answer.id)),
                    JsonRpcMessage::Error(error) => found.push(format!("error {} {}", error.error.code.0, error.id.unwrap())),
                    JsonRpcMessage::Request(request) => found.push(format!("request {}", request.id)),
                }
            }
        };
        tokio::join!(write, read).1
    }
}

#[tokio::test]
async fn cat_3_a_list_is_kept_as_it_was_sent() {
    let mut stage = Stage::new();
    stage.ask(1, true).await;
    let list = r#"{ "tools":[{"x-new": 1.0e2,"name":"a","inputSchema":null}, null ,7], "ttlMs":0}"#;
    let answer = format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{list}}}\r\n");
    assert_eq!(stage.read(answer.as_bytes()).await, ["answer 1"]);
    assert_eq!(stage.lists.take(&RequestId::Number(1)).unwrap().get(), list);
    assert!(stage.lists.take(&RequestId::Number(1)).is_none());
}

#[tokio::test]
async fn attack_50_answers_that_nobody_waits_for_are_dropped() {
    let mut stage = Stage::new();
    for id in 1..=3 {
        stage.ask(id, id == 3).await;
    }
    stage.give_up(2).await;
    stage.give_up(3).await;
    let answers: Vec<_> = [9, 1, 1, 2, 3].map(|id| format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{{\"tools\":[]}}}}\n")).into();
    assert_eq!(stage.read(answers.concat().as_bytes()).await, ["answer 1"]);
    assert!(stage.lists.is_empty(), "nothing is kept of them");
}

#[tokio::test]
async fn attack_49_an_answer_too_long_is_an_error_and_no_more() {
    let mut stage = Stage::new();
    stage.ask(1, false).await;
    stage.ask(2, false).await;
    let mut bytes = b"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"text\":\"".to_vec();
    bytes.resize(LINE_BYTES + 1000, b'x');
    bytes.extend(b"\"}}\n{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}\n");
    assert_eq!(stage.read(&bytes).await, [format!("error {} 1", UNREAD.0), "answer 2".to_owned()]);
}

#[tokio::test]
async fn attack_51_noise_is_skipped() {
    let mut stage = Stage::new();
    stage.ask(1, false).await;
    stage.ask(2, true).await;
    let deep = format!("{{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{{\"tools\":[{}{}]}}}}\n", "[".repeat(100_000), "]".repeat(100_000));
    let noise: [&[u8]; 10] = [
        b"{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32700,\"message\":\"of nothing\"}}\n",
        b"Starting up...\n",
        b"\n\r\n",
        b"{\"jsonrpc\":\"2.0\",\"id\":1,\n",
        b"\xff\xfe{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n",
        b"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"a\":\"\xff\"}}\n",
        b"[{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}]\n",
        b"{\"jsonrpc\":\"2.0\",\"id\":1,\"id\":2,\"result\":{}}\n",
        b"\xef\xbb\xbf{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\r\n",
        deep.as_bytes(),
    ];
    assert_eq!(stage.read(&noise.concat()).await, ["answer 1", "answer 2"]);
    let kept = stage.lists.take(&RequestId::Number(2)).unwrap();
    let page = crate::upstream::listing::page::Page::read(kept.get()).unwrap();
    assert!(matches!(&page.entries[..], [crate::upstream::listing::page::Entry::Refused { .. }]), "one tool of it is too deep");
}

#[tokio::test]
async fn attack_49_a_server_that_asks_and_never_reads_is_not_waited_for() {
    let mut stage = Stage::new();
    let flood =
        |from: i64| (from..from + 500).map(|id| format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"ping\"}}\n")).collect::<String>();
    assert_eq!(stage.read(flood(0).as_bytes()).await.len(), UNANSWERED);
    let answer = rmcp::model::ClientResult::empty(());
    stage.wire.send(JsonRpcMessage::response(answer, RequestId::Number(0))).await.unwrap();
    assert_eq!(stage.read(flood(1000).as_bytes()).await, ["request 1000"]);
}

#[tokio::test]
async fn messages_leave_in_order() {
    let mut stage = Stage::new();
    let list = ClientRequest::ListToolsRequest(ListToolsRequest::default());
    let later = stage.wire.send(JsonRpcMessage::request(list, RequestId::Number(1)));
    stage.give_up(1).await;
    later.await.unwrap();
    let mut sent = vec![0; 4096];
    let count = stage.sent.read(&mut sent).await.unwrap();
    let text = String::from_utf8_lossy(&sent[..count]).into_owned();
    assert!(text.find("tools/list") < text.find("notifications/cancelled"), "{text}");
}

#[tokio::test]
async fn attack_53_an_answer_that_says_more_than_its_text_is_an_error_in_its_place() {
    let mut stage = Stage::new();
    for id in 1..=4 {
        stage.ask(id, false).await;
    }
    let hidden = r#"{"\u0024serde_json::private::RawValue":"{\"_meta\":1}"}"#;
    let structured = format!(r#"{{"jsonrpc":"2.0","id":1,"result":{{"content":[],"structuredContent":{{"a":[{hidden}]}}}}}}"#);
    let block = format!(r#"{{"jsonrpc":"2.0","id":2,"result":{{"content":[{hidden}]}}}}"#);
    let number = r#"{"jsonrpc":"2.0","id":3,"result":{"content":[],"structuredContent":{"a":1e999}}}"#;
    let text = r#"{"jsonrpc":"2.0","id":4,"result":{"content":[{"type":"text","text":"$serde_json::private::RawValue"}]}}"#;
    let request = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"ping","params":{hidden}}}"#);
    let lines = [structured, block, number.to_owned(), text.to_owned(), request].join("\n");
    let unread = |id: i64| format!("error {} {id}", UNREAD.0);
    assert_eq!(stage.read(lines.as_bytes()).await, [unread(1), unread(2), unread(3), "answer 4".to_owned()]);
}

#[tokio::test]
async fn up_1_what_waits_for_a_server_that_does_not_read_is_bounded() {
    let mut stage = Stage::new();
    let long = |id| {
        let param = CancelledNotificationParam::new(Some(RequestId::Number(id)), Some("x".repeat(QUEUE_BYTES / 4 * 3)));
        JsonRpcMessage::notification(ClientNotification::CancelledNotification(CancelledNotification::new(param)))
    };
    let first = stage.wire.send(long(1));
    let second = tokio::time::timeout(std::time::Duration::from_secs(5), stage.wire.send(long(2))).await;
    assert_eq!(second.unwrap().unwrap_err().kind(), io::ErrorKind::WouldBlock);
    // Once it reads, there is room again.
    let reads = tokio::spawn(async move {
        let _ = tokio::io::copy(&mut stage.sent, &mut tokio::io::sink()).await;
    });
    first.await.unwrap();
    stage.wire.send(long(3)).await.unwrap();
    reads.abort();
}
