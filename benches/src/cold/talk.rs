//! A client that says no more than it must to have one search answered.
//!
//! Is: JSON-RPC lines written by hand, so that no client's own work is measured. Is not: an MCP client.

use anyhow::{Context as _, bail};
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Instant;

/// Milliseconds from the start of a host to the answer of its first search, which must find something.
pub(super) fn search(host: &Path, config: &Path, state: &Path) -> anyhow::Result<f64> {
    let start = Instant::now();
    let mut command = Command::new(host);
    command.args(["serve", "--standalone", "--config"]).arg(config).arg("--state").arg(state);
    let mut talk = Talk::over(command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?)?;
    let me = json!({"name": "bench", "version": "1"});
    talk.ask("initialize", &json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": me}))?;
    talk.say(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))?;
    let answer = talk.ask("tools/call", &json!({"name": "search_tools", "arguments": {"query": "create or read a file"}}))?;
    let took = start.elapsed();
    let text = answer.pointer("/content/0/text").and_then(Value::as_str).context("a search without a text")?;
    let found: Value = serde_json::from_str(text).with_context(|| format!("a search was answered with `{text}`"))?;
    if found["tools"].as_array().is_none_or(Vec::is_empty) {
        bail!("the search found nothing");
    }
    talk.end()?;
    Ok(took.as_secs_f64() * 1e3)
}

struct Talk {
    host: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    asked: u64,
}

impl Talk {
    fn over(mut host: Child) -> anyhow::Result<Self> {
        let input = host.stdin.take().context("no standard input")?;
        let output = BufReader::new(host.stdout.take().context("no standard output")?);
        Ok(Self { host, input, output, asked: 0 })
    }

    fn say(&mut self, message: &Value) -> anyhow::Result<()> {
        let mut line = message.to_string();
        line.push('\n');
        Ok(self.input.write_all(line.as_bytes())?)
    }

    /// Asks, and gives the result; whatever is said in between is passed over.
    fn ask(&mut self, method: &str, params: &Value) -> anyhow::Result<Value> {
        self.asked += 1;
        self.say(&json!({"jsonrpc": "2.0", "id": self.asked, "method": method, "params": params}))?;
        let mut line = String::new();
        while self.output.read_line(&mut line)? > 0 {
            let mut message: Value = serde_json::from_str(&line)?;
            if message["id"] == self.asked {
                return Ok(message["result"].take());
            }
            line.clear();
        }
        bail!("`{method}` was not answered")
    }

    /// Closes its input and waits for it to end.
    fn end(mut self) -> anyhow::Result<()> {
        drop(self.input);
        let status = self.host.wait()?;
        if !status.success() {
            bail!("the host ended with {status}");
        }
        Ok(())
    }
}
