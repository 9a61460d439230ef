//! A client that says no more than it must.
//!
//! Is: JSON-RPC lines written by hand over a program's standard input and output, so that no client's own work is measured.
//! Is not: an MCP client.

use anyhow::{Context as _, bail};
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// A conversation with a program, which ends when its input does.
pub(crate) struct Talk {
    program: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    asked: u64,
}

impl Talk {
    /// Starts the program.
    pub(crate) fn start(command: &mut Command) -> anyhow::Result<Self> {
        let mut program = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
        let input = program.stdin.take().context("no standard input")?;
        let output = BufReader::new(program.stdout.take().context("no standard output")?);
        Ok(Self { program, input, output, asked: 0 })
    }

    /// Shakes hands as clients of the legacy era do.
    pub(crate) fn greet(&mut self) -> anyhow::Result<()> {
        let me = json!({"name": "bench", "version": "1"});
        self.ask("initialize", &json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": me}))?;
        self.say(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))
    }

    /// Calls a tool, which must succeed, and gives its text.
    pub(crate) fn call(&mut self, name: &str, arguments: &Value) -> anyhow::Result<String> {
        let mut answer = self.ask("tools/call", &json!({"name": name, "arguments": arguments}))?;
        match answer.pointer_mut("/content/0/text").map(Value::take) {
            Some(Value::String(text)) if answer["isError"] != true => Ok(text),
            text => bail!("`{name}` was answered with {text:?}"),
        }
    }

    /// Searches, and must find something.
    pub(crate) fn search(&mut self, query: &str) -> anyhow::Result<()> {
        let text = self.call("search_tools", &json!({"query": query}))?;
        let found: Value = serde_json::from_str(&text).with_context(|| format!("a search was answered with `{text}`"))?;
        if found["tools"].as_array().is_none_or(Vec::is_empty) {
            bail!("the search found nothing");
        }
        Ok(())
    }

    /// The program's process.
    pub(crate) fn pid(&self) -> u32 {
        self.program.id()
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
    pub(crate) fn end(mut self) -> anyhow::Result<()> {
        drop(self.input);
        let status = self.program.wait()?;
        if !status.success() {
            bail!("the program ended with {status}");
        }
        Ok(())
    }
}
