//! Clients that are slow to say, and slow to read. Time is not waited for: nothing else is under way while it goes on.

use super::stage::{Stage, read};
use crate::web::{FIRST, HEAD};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::Instant;

/// What comes until the host closes the connection, and after how long it did.
async fn closed(stream: &mut TcpStream) -> (String, Duration) {
    let (since, mut said) = (Instant::now(), Vec::new());
    let ended = stream.read_to_end(&mut said).await;
    assert!(ended.is_ok(), "{ended:?}");
    (String::from_utf8_lossy(&said).into_owned(), since.elapsed())
}

/// A request of somebody who is known, whose connection stays open.
fn asks(stage: &Stage, token: &str) -> String {
    let kind = "Content-Type: application/json\r\nContent-Length: 2";
    format!("POST /mcp HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {token}\r\n{kind}\r\n\r\n{{}}", stage.endpoint.at())
}

/// Whether a time is that one, as far as a timer can tell.
fn about(took: Duration, wanted: Duration) -> bool {
    took + Duration::from_millis(10) >= wanted && took <= wanted + Duration::from_secs(2)
}

#[tokio::test]
async fn attack_64_a_first_head_has_less_time_than_a_later_one() {
    let stage = Stage::new("").await;
    let (ada, at) = (stage.client("ada").await, stage.endpoint.at());
    tokio::time::pause();
    for said in ["", "GET /health HTTP/1.1\r\nHost: "] {
        let mut slow = TcpStream::connect(at).await.unwrap();
        slow.write_all(said.as_bytes()).await.unwrap();
        let (_, took) = closed(&mut slow).await;
        assert!(about(took, FIRST), "{took:?} after `{said}`");
    }
    let mut kept = TcpStream::connect(at).await.unwrap();
    kept.write_all(asks(&stage, &ada.token).as_bytes()).await.unwrap();
    let (said, took) = closed(&mut kept).await;
    assert!(said.starts_with("HTTP/1.1 4") && about(took, HEAD), "{took:?}: {said}");
}

#[tokio::test]
async fn attack_64_a_body_that_never_ends_is_answered_so() {
    let stage = Stage::new("").await;
    let (ada, at) = (stage.client("ada").await, stage.endpoint.at());
    let ready = read(ada.request(&serde_json::json!({})).send().await.unwrap()).await;
    assert!(ready.status >= 400, "{ready:?}");
    tokio::time::pause();
    let mut slow = TcpStream::connect(at).await.unwrap();
    let head = format!(
        "POST /mcp HTTP/1.1\r\nHost: {at}\r\nAuthorization: Bearer {}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{{\"jsonrpc\"",
        ada.token
    );
    slow.write_all(head.as_bytes()).await.unwrap();
    let (since, mut said) = (Instant::now(), vec![0; 4096]);
    let length = slow.read(&mut said).await.unwrap();
    let said = String::from_utf8_lossy(&said[..length]).into_owned();
    assert!(said.starts_with("HTTP/1.1 408") && about(since.elapsed(), Duration::from_secs(30)), "{:?}: {said}", since.elapsed());
}

#[tokio::test]
async fn attack_64_a_client_that_reads_nothing_is_left() {
    let stage = Stage::new("").await;
    let (ada, at) = (stage.client("ada").await, stage.endpoint.at());
    let mut deaf = TcpStream::connect(at).await.unwrap();
    tokio::time::pause();
    let asks = asks(&stage, &ada.token).repeat(1000);
    // As many answers as the system keeps for it, then none: whoever writes on is told that nobody is there.
    let asking = async { while deaf.write_all(asks.as_bytes()).await.is_ok() {} };
    tokio::time::timeout(Duration::from_secs(3600), asking).await.unwrap();
}
