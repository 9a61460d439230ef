//! The other end of an HTTP connection: a server written by hand, so that it can misbehave.

use parking_lot::Mutex;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

/// One request as it came.
#[derive(Clone)]
pub(super) struct Heard {
    pub(super) verb: String,
    pub(super) headers: BTreeMap<String, String>,
    pub(super) body: Value,
}

/// What is answered.
pub(super) enum Say {
    /// A status, headers and a body.
    Whole(u16, Vec<(&'static str, String)>, String),
    /// Events, and then the end, or nothing for ever.
    Events(Vec<String>, bool),
    /// The beginning of events, and nothing more for ever.
    Begun(String),
    /// Bytes, again and again, in place of any answer.
    Flood(&'static [u8], Vec<u8>),
    /// Nothing.
    Hang,
    /// The connection is closed.
    Close,
}

type Part = Arc<dyn Fn(&Heard) -> Say + Send + Sync>;

/// A server on a port of its own. It ends with this value.
pub(super) struct Site {
    pub(super) port: u16,
    heard: Arc<Mutex<Vec<Heard>>>,
    closed: Arc<Mutex<usize>>,
    serving: JoinSet<()>,
}

impl Heard {
    pub(super) fn method(&self) -> &str {
        self.body["method"].as_str().unwrap_or_default()
    }

    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(String::as_str)
    }

    pub(super) fn answer(&self, result: &Value) -> String {
        json!({"jsonrpc": "2.0", "id": self.body["id"], "result": result}).to_string()
    }

    /// An answer as JSON.
    pub(super) fn json(&self, result: &Value) -> Say {
        Say::Whole(200, vec![("content-type", "application/json".to_owned())], self.answer(result))
    }

    pub(super) fn error(&self, status: u16, code: i32, message: &str) -> Say {
        let body = json!({"jsonrpc": "2.0", "id": self.body["id"], "error": {"code": code, "message": message}});
        Say::Whole(status, vec![("content-type", "application/json".to_owned())], body.to_string())
    }
}

pub(super) fn bare(status: u16) -> Say {
    Say::Whole(status, Vec::new(), String::new())
}

/// A server as it should be, of the legacy era where `session` is its session's name, else of the modern one.
pub(super) fn good(heard: &Heard, session: Option<&str>) -> Say {
    let tool = |name: &str| json!({"name": name, "inputSchema": {"type": "object"}, "ours": {"kept": 1.50}});
    match (heard.verb.as_str(), heard.method(), session) {
        ("GET", ..) => bare(405),
        ("DELETE", ..) => bare(200),
        (_, "initialize", Some(session)) => {
            let body = json!({"protocolVersion": "2025-11-25", "capabilities": {"tools": {"listChanged": true}}, "serverInfo": {"name": "s", "version": "1"}});
            let headers = vec![("content-type", "application/json; charset=utf-8".to_owned()), ("Mcp-Session-Id", session.to_owned())];
            Say::Whole(200, headers, heard.answer(&body))
        }
        (_, "server/discover", None) => heard.json(&json!({
            "supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}, "resultType": "complete", "ttlMs": 0, "cacheScope": "private",
        })),
        (_, "server/discover", Some(_)) => Say::Whole(400, Vec::new(), "what is that?".to_owned()),
        (_, "initialize", None) => heard.error(400, -32601, "no handshakes here"),
        (_, "tools/list", _) => {
            heard.json(&json!({"tools": [tool("echo"), tool("other")], "resultType": "complete", "ttlMs": 0, "cacheScope": "private"}))
        }
        (_, "tools/call", _) => {
            let arguments = heard.body["params"]["arguments"].clone();
            heard.json(&json!({"content": [], "structuredContent": arguments, "resultType": "complete"}))
        }
        _ => bare(202),
    }
}

impl Site {
    pub(super) async fn new(part: impl Fn(&Heard) -> Say + Send + Sync + 'static) -> Self {
        Self::at(0, part).await
    }

    pub(super) async fn at(port: u16, part: impl Fn(&Heard) -> Say + Send + Sync + 'static) -> Self {
        let socket = tokio::net::TcpSocket::new_v4().unwrap();
        socket.set_reuseaddr(true).unwrap();
        socket.bind(([127, 0, 0, 1], port).into()).unwrap();
        let listener = socket.listen(64).unwrap();
        let port = listener.local_addr().unwrap().port();
        let (heard, closed, part): (_, _, Part) = (Arc::new(Mutex::default()), Arc::new(Mutex::default()), Arc::new(part));
        let mut serving = JoinSet::new();
        serving.spawn(accept(listener, part, heard.clone(), closed.clone()));
        Self { port, heard, closed, serving }
    }

    pub(super) fn url(&self) -> String {
        format!("http://127.0.0.1:{}/mcp", self.port)
    }

    /// Every request so far.
    pub(super) fn heard(&self) -> Vec<Heard> {
        self.heard.lock().clone()
    }

    /// The requests so far of one method of MCP, or of HTTP.
    pub(super) fn of(&self, word: &str) -> Vec<Heard> {
        self.heard().into_iter().filter(|heard| heard.method() == word || (heard.verb == word && word != "POST")).collect()
    }

    /// Connections that the other end closed while they waited for an answer.
    pub(super) fn closed(&self) -> usize {
        *self.closed.lock()
    }

    /// Ends at once, in the middle of whatever it does.
    pub(super) async fn kill(mut self) -> u16 {
        self.serving.shutdown().await;
        self.port
    }
}

async fn accept(listener: TcpListener, part: Part, heard: Arc<Mutex<Vec<Heard>>>, closed: Arc<Mutex<usize>>) {
    let mut connections = JoinSet::new();
    while let Ok((stream, _)) = listener.accept().await {
        let (part, heard, closed) = (part.clone(), heard.clone(), closed.clone());
        connections.spawn(async move {
            let mut stream = BufReader::new(stream);
            while let Some(request) = read(&mut stream).await {
                heard.lock().push(request.clone());
                if !answer(&mut stream, part(&request), &closed).await {
                    break;
                }
            }
        });
    }
}

async fn read(stream: &mut BufReader<TcpStream>) -> Option<Heard> {
    let mut lines = Vec::new();
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line).await.ok()? == 0 {
            return None;
        }
        if line.trim().is_empty() {
            break;
        }
        lines.push(line.trim().to_owned());
    }
    let headers: BTreeMap<_, _> = lines[1..]
        .iter()
        .filter_map(|line| line.split_once(':').map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned())))
        .collect();
    let mut body = vec![0; headers.get("content-length").map_or(0, |length| length.parse().unwrap())];
    stream.read_exact(&mut body).await.ok()?;
    let verb = lines[0].split(' ').next().unwrap().to_owned();
    Some(Heard { verb, headers, body: serde_json::from_slice(&body).unwrap_or_default() })
}

/// Whether the connection can be used again.
async fn answer(stream: &mut BufReader<TcpStream>, say: Say, closed: &Mutex<usize>) -> bool {
    match say {
        Say::Whole(status, headers, body) => {
            let headers: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
            let text = format!("HTTP/1.1 {status} x\r\ncontent-length: {}\r\n{headers}\r\n{body}", body.len());
            stream.write_all(text.as_bytes()).await.is_ok()
        }
        Say::Events(events, stays) => {
            let text: String = events.iter().map(|event| format!("{event}\n\n")).collect();
            let sent = stream.write_all(format!("{EVENTS}{text}").as_bytes()).await;
            if stays && sent.is_ok() {
                gone(stream, closed).await;
            }
            false
        }
        Say::Begun(text) => {
            if stream.write_all(format!("{EVENTS}{text}").as_bytes()).await.is_ok() {
                gone(stream, closed).await;
            }
            false
        }
        Say::Flood(head, piece) => {
            let mut sent = stream.write_all(head).await;
            while sent.is_ok() {
                sent = stream.write_all(&piece).await;
            }
            *closed.lock() += 1;
            false
        }
        Say::Hang => {
            gone(stream, closed).await;
            false
        }
        Say::Close => false,
    }
}

const EVENTS: &str = "HTTP/1.1 200 x\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";

/// Waits until the other end closes the connection.
async fn gone(stream: &mut BufReader<TcpStream>, closed: &Mutex<usize>) {
    let mut byte = [0];
    if !matches!(stream.read(&mut byte).await, Ok(1..)) {
        *closed.lock() += 1;
    }
    tokio::time::sleep(Duration::ZERO).await;
}
