//! The same calls through a gateway from npm, in front of the same server program.
//!
//! Is: `mcp-proxy`, which serves over HTTP what a program serves over stdio, and looks at no call. Is not: a host of sessions, of
//! grants, or of records.

use super::caller::{Caller, comes_up};
use super::latency::{together, turn};
use crate::measure::{Figure, Samples};
use crate::relay::{Tool, straight};
use std::net::{SocketAddr, TcpListener};
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// The gateway, ended when this is dropped.
struct Gateway {
    program: Child,
    at: SocketAddr,
}

impl Gateway {
    fn start(tools: &Path, place: usize) -> anyhow::Result<Self> {
        let at = TcpListener::bind("127.0.0.1:0")?.local_addr()?;
        let modules = tools.join("node_modules");
        let mut command = Command::new(modules.join(".bin/node"));
        command.arg(modules.join(".bin/mcp-proxy")).args([
            "--server",
            "stream",
            "--host",
            "127.0.0.1",
            "--port",
            &at.port().to_string(),
            "--",
        ]);
        command.arg(std::env::current_exe()?).args(["echo", &place.to_string()]);
        let program = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
        let gateway = Self { program, at };
        comes_up(at)?;
        Ok(gateway)
    }
}

impl Drop for Gateway {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.program.kill();
        let _ = self.program.wait();
    }
}

pub(super) fn figures(turns: usize, calls: usize, tools: &Path) -> anyhow::Result<Vec<Figure>> {
    let tool = Tool::new()?;
    if !tools.join("node_modules/.bin/mcp-proxy").exists() {
        return Ok(vec![Figure::missing(format!(
            "added by npm's mcp-proxy: not in `{}`, which tests/tools/install makes",
            tools.display()
        ))]);
    }
    let gateway = Gateway::start(tools, tool.place())?;
    let (mut bare, mut proxied): (Samples, Samples) = Default::default();
    let (mut talk, mut caller) = (straight()?, Caller::by_name(gateway.at, &tool)?);
    for _ in 0..turns {
        turn(&mut bare, || tool.call(&mut talk, false))?;
        turn(&mut proxied, || caller.tool(&tool))?;
    }
    talk.end()?;
    let mut figures = vec![Figure::added("added by npm's mcp-proxy over HTTP".to_owned(), "ms", &proxied, &[&bare], None)];
    for callers in [1, 8, 64] {
        let ready = (0..callers).map(|_| Caller::by_name(gateway.at, &tool)).collect::<anyhow::Result<_>>()?;
        figures.extend(together("npm's mcp-proxy", &tool, ready, calls / callers)?);
    }
    Ok(figures)
}
