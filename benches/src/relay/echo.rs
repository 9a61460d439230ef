//! An MCP server whose tools answer with what they are given.
//!
//! Is: a process of its own, one thread, lines read and written as they come. Is not: a server of the modern era, nor one
//! that looks at what it is asked beyond the method.

use agent_engine::catalog::Source;
use agent_engine::testing::{Length, sources};
use anyhow::Context as _;
use serde::Deserialize;
use serde_json::json;
use serde_json::value::RawValue;
use std::io::{BufRead as _, Write as _};

/// Tools of all servers together.
const TOOLS: usize = 60;

/// What the servers list, one by one.
pub(super) fn servers() -> Vec<Source> {
    sources(TOOLS, Length::Usual)
}

#[derive(Deserialize)]
struct Asked<'a> {
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    method: &'a str,
    #[serde(borrow)]
    params: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Call<'a> {
    #[serde(borrow)]
    arguments: &'a RawValue,
}

/// Serves what one of the servers lists until the input ends; one that hangs answers no call.
pub(crate) fn echo(place: usize, hung: bool) -> anyhow::Result<()> {
    let servers = servers();
    let tools = servers.get(place).context("no such server")?.definitions.join(",");
    let (mut input, mut output) = (std::io::stdin().lock(), std::io::stdout().lock());
    let mut line = String::new();
    while input.read_line(&mut line)? > 0 {
        let Asked { id, method, params } = serde_json::from_str(&line)?;
        if let Some(id) = id.filter(|_| !(hung && method == "tools/call")) {
            let answer = answer(method, params, &tools)?;
            output.write_all(format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},{answer}}}\n").as_bytes())?;
            output.flush()?;
        }
        line.clear();
    }
    Ok(())
}

fn answer(method: &str, params: Option<&RawValue>, tools: &str) -> anyhow::Result<String> {
    Ok(match method {
        "initialize" => {
            let me = json!({"name": "echo", "version": "1"});
            format!("\"result\":{}", json!({"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": me}))
        }
        "tools/list" => format!("\"result\":{{\"tools\":[{tools}]}}"),
        "tools/call" => {
            let call: Call<'_> = serde_json::from_str(params.context("a call of nothing")?.get())?;
            let text = serde_json::to_string(call.arguments.get())?;
            format!("\"result\":{{\"content\":[{{\"type\":\"text\",\"text\":{text}}}]}}")
        }
        _ => "\"error\":{\"code\":-32601,\"message\":\"no such method\"}".to_owned(),
    })
}
