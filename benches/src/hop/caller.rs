//! A host over HTTP, and a caller on one connection that stays open.

use crate::relay::{HUNG, Rig, Running, Tool};
use anyhow::{Context as _, ensure};
use serde::Deserialize;
use serde_json::{Value, json};
use std::borrow::Cow;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::time::{Duration, Instant};

/// How long a host, or another gateway, may take to come up.
const PATIENCE: Duration = Duration::from_secs(30);
/// What a principal may take up here: the bounds are not what is measured.
pub(crate) const PROFILE: &str = "profile = \"bench\"\n[profiles.bench.http]\nsessions = 1000000\nrequests = 1000\n";

/// A host that listens, and a token for it.
pub(crate) struct Host {
    running: Running,
    rig: Rig,
    at: SocketAddr,
    token: String,
}

impl Host {
    pub(super) fn new(host: &Path, state: &Path, starts: &str) -> anyhow::Result<Self> {
        Self::of(Rig::with(host, state, starts, PROFILE)?)
    }

    /// One with a server more, which answers no call.
    pub(crate) fn hung(host: &Path, state: &Path) -> anyhow::Result<Self> {
        let program = std::env::current_exe()?;
        let hung = format!("[servers.{HUNG}]\ncommand = {program:?}\nargs = [\"echo\", \"1\", \"--hung\"]\nera = \"legacy\"\n");
        Self::of(Rig::with(host, state, "buffered", &format!("{PROFILE}{hung}"))?)
    }

    fn of(rig: Rig) -> anyhow::Result<Self> {
        let at = TcpListener::bind("127.0.0.1:0")?.local_addr()?;
        let running = rig.started(&["run", "--http", &at.to_string()])?;
        comes_up(at)?;
        let token = rig.output(&["token", "create", "--principal", "bench"])?;
        Ok(Self { running, rig, at, token: token.trim().to_owned() })
    }

    pub(super) fn pid(&self) -> u32 {
        self.running.pid()
    }

    /// A caller on a connection of its own, in the session of another.
    pub(crate) fn beside(&self, other: &Caller) -> anyhow::Result<Caller> {
        let stream = connected(self.at)?;
        Ok(Caller { stream, head: other.head.clone(), session: other.session.clone(), ready: other.ready.clone() })
    }

    /// A caller with a session of its own in which the tool is active.
    pub(crate) fn caller(&self, tool: &Tool) -> anyhow::Result<Caller> {
        Self::active(Caller::connect(self.at, &self.token)?, tool)
    }

    /// The same, once the tool's server has listed it.
    pub(crate) fn once_listed(&self, tool: &Tool) -> anyhow::Result<Caller> {
        let until = Instant::now() + PATIENCE;
        loop {
            match self.caller(tool) {
                Err(_) if Instant::now() < until => std::thread::sleep(Duration::from_millis(100)),
                caller => return caller,
            }
        }
    }

    /// The same of another principal, with a token of its own.
    pub(crate) fn caller_of(&self, principal: &str, tool: &Tool) -> anyhow::Result<Caller> {
        let token = self.rig.output(&["token", "create", "--principal", principal])?;
        Self::active(Caller::connect(self.at, token.trim())?, tool)
    }

    fn active(mut caller: Caller, tool: &Tool) -> anyhow::Result<Caller> {
        caller.another(tool)?;
        Ok(caller)
    }

    /// A caller that opened no session.
    pub(super) fn stranger(&self) -> anyhow::Result<Caller> {
        Caller::connect(self.at, &self.token)
    }
}

/// Waits until somebody listens there.
pub(super) fn comes_up(at: SocketAddr) -> anyhow::Result<()> {
    let until = Instant::now() + PATIENCE;
    while TcpStream::connect(at).is_err() {
        ensure!(Instant::now() < until, "nothing listens at {at}");
        std::thread::sleep(Duration::from_millis(10));
    }
    Ok(())
}

fn connected(at: SocketAddr) -> anyhow::Result<BufReader<TcpStream>> {
    let stream = TcpStream::connect(at)?;
    stream.set_nodelay(true)?;
    Ok(BufReader::new(stream))
}

/// One caller.
pub(crate) struct Caller {
    stream: BufReader<TcpStream>,
    head: String,
    session: String,
    /// The call of the tool in that session, made once: what is measured is not the caller.
    ready: Vec<u8>,
}

/// As much of an answer as says whether it is what the tool was given.
#[derive(Deserialize)]
struct Answered<'a> {
    #[serde(borrow)]
    result: Whole<'a>,
}

#[derive(Deserialize)]
struct Whole<'a> {
    #[serde(borrow)]
    content: Vec<Block<'a>>,
}

#[derive(Deserialize)]
struct Block<'a> {
    #[serde(borrow)]
    text: Cow<'a, str>,
}

impl Caller {
    pub(crate) fn connect(at: SocketAddr, token: &str) -> anyhow::Result<Self> {
        let head = format!(
            "POST /mcp HTTP/1.1\r\nHost: {at}\r\nAuthorization: Bearer {token}\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\n"
        );
        Ok(Self { stream: connected(at)?, head, session: String::new(), ready: Vec::new() })
    }

    /// One that calls the tool by its server's name for it, at a gateway that knows no sessions.
    pub(super) fn by_name(at: SocketAddr, tool: &Tool) -> anyhow::Result<Self> {
        let mut caller = Self::connect(at, "none")?;
        caller.ready = caller.request(tool.name(), tool.arguments());
        Ok(caller)
    }

    /// Searches without a session, and keeps the one that was opened for it.
    pub(crate) fn search(&mut self) -> anyhow::Result<()> {
        let found: Value = serde_json::from_str(&self.call("search_tools", json!({"query": "create or read a file"}))?)?;
        self.goes_on_in(found["session"].as_str().with_context(|| format!("no session in {found}"))?);
        Ok(())
    }

    /// Opens a session in which the tool is active, and goes on in it.
    pub(super) fn another(&mut self, tool: &Tool) -> anyhow::Result<String> {
        self.search()?;
        let session = self.session.clone();
        self.call("activate_tools", json!({"tools": [tool.id()], "session": session}))?;
        Ok(session)
    }

    /// Goes on in a session.
    pub(super) fn goes_on_in(&mut self, session: &str) {
        session.clone_into(&mut self.session);
        self.ready.clear();
    }

    /// Calls the tool; what it answers must be what it was given.
    pub(crate) fn tool(&mut self, tool: &Tool) -> anyhow::Result<()> {
        self.begin(tool)?;
        let answer = self.answer()?;
        let text =
            serde_json::from_slice::<Answered<'_>>(&answer).ok().and_then(|answer| Some(answer.result.content.into_iter().next()?.text));
        ensure!(text.as_deref() == Some(tool.text()), "the call was answered with {}", String::from_utf8_lossy(&answer));
        Ok(())
    }

    /// Calls the tool, and waits for nothing.
    pub(crate) fn begin(&mut self, tool: &Tool) -> anyhow::Result<()> {
        if self.ready.is_empty() {
            self.ready = self.request("call_tool", &json!({"id": tool.id(), "arguments": tool.arguments(), "session": self.session}));
        }
        Ok(self.stream.get_mut().write_all(&self.ready)?)
    }

    fn request(&self, name: &str, arguments: &Value) -> Vec<u8> {
        let meta = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        let params = json!({"name": name, "arguments": arguments, "_meta": meta});
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).to_string();
        format!("{}Mcp-Name: {name}\r\nContent-Length: {}\r\n\r\n{body}", self.head, body.len()).into_bytes()
    }

    fn call(&mut self, name: &str, arguments: Value) -> anyhow::Result<String> {
        let request = self.request(name, &arguments);
        self.stream.get_mut().write_all(&request)?;
        let answer: Value = serde_json::from_slice(&self.answer()?)?;
        let text = answer.pointer("/result/content/0/text").and_then(Value::as_str);
        ensure!(answer["result"]["isError"] != true, "`{name}` was answered with {answer}");
        Ok(text.with_context(|| format!("`{name}` was answered with {answer}"))?.to_owned())
    }

    /// The body of an answer, whose length is said, or that of each of its pieces.
    fn answer(&mut self) -> anyhow::Result<Vec<u8>> {
        let (mut length, mut in_pieces) = (None, false);
        loop {
            let line = self.line()?;
            match line.trim_end().split_once(": ") {
                Some((name, value)) if name.eq_ignore_ascii_case("content-length") => length = Some(value.parse()?),
                Some((name, value)) if name.eq_ignore_ascii_case("transfer-encoding") => in_pieces = value == "chunked",
                None if line == "\r\n" => break,
                _ => {}
            }
        }
        if !in_pieces {
            return self.piece(length.context("an answer of unknown length")?);
        }
        let mut body = Vec::new();
        loop {
            let size = usize::from_str_radix(self.line()?.trim_end(), 16)?;
            body.extend(self.piece(size)?);
            self.line()?;
            if size == 0 {
                return Ok(body);
            }
        }
    }

    fn line(&mut self) -> anyhow::Result<String> {
        let mut line = String::new();
        ensure!(self.stream.read_line(&mut line)? > 0, "the connection was closed");
        Ok(line)
    }

    fn piece(&mut self, size: usize) -> anyhow::Result<Vec<u8>> {
        let mut piece = vec![0; size];
        self.stream.read_exact(&mut piece)?;
        Ok(piece)
    }
}
