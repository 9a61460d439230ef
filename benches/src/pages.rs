//! How long a page of the console takes to come, at a host of many sessions and many tools.
//!
//! Is: the release binary, with every tool out of a lock file, a ledger that is long from the start, sessions opened over HTTP, and an operator who logged in by the
//! passphrase; each page from the request to its last byte, over a connection that stays open. Is not: a browser, which lays it
//! out besides.

use crate::cold::lock;
use crate::hop::{Caller, PROFILE};
use crate::measure::{Bound, Figure, Place, Samples, millis};
use agent_core::session::PrincipalId;
use agent_core::time::Clock as _;
use agent_core::transition::{Stream, Transition};
use agent_engine::ledger::{Commit, Guard, Ledger as _, Write};
use agent_host::admin::passphrase::set;
use agent_host::config::OperatorName;
use agent_host::store::SqliteLedger;
use agent_host::system::SystemClock;
use anyhow::{Context as _, ensure};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

const PASSPHRASE: &str = "correct horse battery staple";
const PATIENCE: Duration = Duration::from_secs(60);
/// Milliseconds that a page may take.
const OPEN: f64 = 50.0;
/// Pages by their paths behind the prefix.
const PAGES: [&str; 14] = [
    "/",
    "/approvals",
    "/remembered",
    "/sessions",
    "/sessions?q=nobody&from=200",
    "/catalog",
    "/catalog?q=create+an+issue",
    "/servers",
    "/policy",
    "/tokens",
    "/audit",
    "/audit?before=50000",
    "/audit?text=what+no+record+holds",
    "/audit?stream=principal%3Abench&kind=stopped",
];
/// Records of one commit, while a ledger is made long.
const COMMIT: usize = 1_000;

/// What to measure.
#[derive(clap::Args)]
pub(crate) struct Options {
    #[command(flatten)]
    place: Place,
    /// Sessions of the host.
    #[arg(long, value_name = "N", default_value_t = 1_000)]
    sessions: usize,
    /// Tools of its catalog.
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    tools: usize,
    /// Records that its ledger has before it starts.
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    records: usize,
    /// How often each page is opened.
    #[arg(long, value_name = "N", default_value_t = 50)]
    times: usize,
}

/// Opens every page.
pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    options.place.take(&[&|host, state| pages(host, state, options)])
}

struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = (self.0.kill(), self.0.wait());
    }
}

fn pages(host: &Path, state: &Path, options: &Options) -> anyhow::Result<Vec<Figure>> {
    let folder = TempDir::new_in(state)?;
    let (config, state) = (folder.path().join("agent-host.toml"), folder.path().join("state"));
    let lock = lock::of(options.tools)?;
    let servers = lock::config(&lock)?;
    let (activation, servers) = servers.split_once('\n').context("an empty configuration")?;
    std::fs::write(&config, format!("{activation}\n{PROFILE}[records]\nstart = \"buffered\"\n{servers}"))?;
    std::fs::write(folder.path().join("agent-host.lock"), lock)?;
    lengthen(&state, options.records)?;
    let (clients, console) = (free()?, free()?);
    let command = |words: &[&str]| {
        let mut command = Command::new(host);
        command.args(words).arg("--config").arg(&config).arg("--state").arg(&state).stdin(Stdio::null()).stderr(Stdio::null());
        command
    };
    let words = ["run", "--http", &clients.to_string(), "--console", &console.to_string()];
    let _running = Running(command(&words).stdout(Stdio::null()).spawn()?);
    let until = Instant::now() + PATIENCE;
    while TcpStream::connect(clients).is_err() {
        ensure!(Instant::now() < until, "the host does not listen");
        std::thread::sleep(Duration::from_millis(20));
    }
    set(&state, &OperatorName::owner(), &serde_json::from_value(PASSPHRASE.into())?)?;
    let said = |words: &[&str]| -> anyhow::Result<String> { Ok(String::from_utf8(command(words).output()?.stdout)?.trim().to_owned()) };
    let token = said(&["token", "create", "--principal", "bench"])?;
    let mut stranger = Caller::connect(clients, &token)?;
    for _ in 0..options.sessions {
        stranger.search()?;
    }
    let url = said(&["console"])?;
    let (_, prefix) = url.trim_end_matches('/').split_once("/c/").context("no path in the console's URL")?;
    let mut browser = Browser::log_in(console, &format!("/c/{prefix}"))?;
    let mut figures = Vec::new();
    for path in PAGES {
        let (mut first, mut took) = (Samples::default(), Samples::default());
        for time in 0..=options.times {
            let start = Instant::now();
            browser.open(path)?;
            if time == 0 { first.add(millis(start)) } else { took.add(millis(start)) }
        }
        figures.push(Figure::new(
            format!("`{path}`, {} sessions, {} tools, {} records", options.sessions, options.tools, options.records),
            "ms",
            &took,
            Some(Bound::Under(OPEN)),
        ));
        figures.push(Figure::new(format!("`{path}`, opened the first time"), "ms", &first, None));
    }
    Ok(figures)
}

/// A store with so many records of a principal's, as a host would have written them over a long time.
fn lengthen(state: &Path, records: usize) -> anyhow::Result<()> {
    let (ledger, clock) = (SqliteLedger::open(state)?, SystemClock::new());
    let stream = Stream::Principal(PrincipalId::parse("bench").map_err(anyhow::Error::msg)?);
    let write = || Write {
        stream: stream.clone(),
        guard: Guard::Follow,
        what: Transition::DenialsCleared { tool: None, by: "the bench".to_owned() },
    };
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).build()?;
    for from in (0..records).step_by(COMMIT) {
        let writes = (from..records.min(from + COMMIT)).map(|_| write()).collect();
        runtime.block_on(ledger.commit(Commit { at: clock.now(), seen: Vec::new(), writes }))?;
    }
    Ok(())
}

fn free() -> anyhow::Result<SocketAddr> {
    Ok(TcpListener::bind("127.0.0.1:0")?.local_addr()?)
}

/// A connection to the console that stays open, with a login.
struct Browser {
    stream: BufReader<TcpStream>,
    at: SocketAddr,
    prefix: String,
    cookie: String,
}

impl Browser {
    fn log_in(at: SocketAddr, prefix: &str) -> anyhow::Result<Self> {
        let stream = TcpStream::connect(at)?;
        stream.set_nodelay(true)?;
        let mut browser = Self { stream: BufReader::new(stream), at, prefix: prefix.to_owned(), cookie: String::new() };
        let body = format!("passphrase={}", PASSPHRASE.replace(' ', "+"));
        let more = format!("Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {}\r\n", body.len());
        let (head, _) = browser.asked("POST", "/login", &more, &body)?;
        let set = head.lines().find_map(|line| line.strip_prefix("set-cookie: ")).with_context(|| format!("no login: {head}"))?;
        browser.cookie = set.split(';').next().unwrap_or_default().to_owned();
        Ok(browser)
    }

    fn open(&mut self, path: &str) -> anyhow::Result<()> {
        let (head, body) = self.asked("GET", path, "Sec-Fetch-Dest: document\r\n", "")?;
        ensure!(head.starts_with("HTTP/1.1 200") && body.ends_with(b"</html>"), "`{path}` was answered with {head}");
        Ok(())
    }

    /// An answer's head, and its body, whose length is said.
    fn asked(&mut self, method: &str, path: &str, more: &str, body: &str) -> anyhow::Result<(String, Vec<u8>)> {
        let Self { at, prefix, cookie, .. } = &*self;
        let request = format!(
            "{method} {prefix}{path} HTTP/1.1\r\nHost: {at}\r\nOrigin: http://{at}\r\nSec-Fetch-Site: same-origin\r\nCookie: {cookie}\r\n{more}\r\n{body}"
        );
        self.stream.get_mut().write_all(request.as_bytes())?;
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            ensure!(self.stream.read_line(&mut head)? > 0, "the console closed the connection");
        }
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")).map_or(Ok(0), str::parse)?;
        let mut body = vec![0; length];
        self.stream.read_exact(&mut body)?;
        Ok((head, body))
    }
}
