//! The same call over stdio: straight, through relay and host, and through a gateway that others make.
//!
//! Is: one caller, in turns. Is not: HTTP (`latency`).

use super::latency::{ADDED, turn};
use crate::measure::{Bound, Figure, Samples};
use crate::relay::{Rig, Tool, straight};
use crate::talk::Talk;
use std::path::Path;
use std::process::Command;

/// FastMCP's proxy in front of one server's program.
const FASTMCP: &str = "import sys
from fastmcp.client.transports import StdioTransport
from fastmcp.server import create_proxy
create_proxy(StdioTransport(sys.argv[1], sys.argv[2:])).run(transport='stdio', show_banner=False)";

pub(super) fn figures(host: &Path, state: &Path, turns: usize, python: &Path) -> anyhow::Result<Vec<Figure>> {
    let tool = Tool::new()?;
    let (buffered, durable) = (Rig::new(host, state, "buffered")?, Rig::new(host, state, "durable")?);
    let _running = (buffered.run()?, durable.run()?);
    let (mut bare, mut quick, mut safe) = (straight()?, buffered.client(&["serve"], &tool)?, durable.client(&["serve"], &tool)?);
    let mut proxy = python.exists().then(|| fastmcp(python, tool.place())).transpose()?;
    let mut took: [Samples; 4] = Default::default();
    for _ in 0..turns {
        let [of_bare, of_quick, of_safe, of_proxy] = &mut took;
        turn(of_bare, || tool.call(&mut bare, false))?;
        turn(of_quick, || tool.call(&mut quick, true))?;
        turn(of_safe, || tool.call(&mut safe, true))?;
        if let Some(proxy) = &mut proxy {
            turn(of_proxy, || tool.call(proxy, false))?;
        }
    }
    [bare, quick, safe].into_iter().try_for_each(Talk::end)?;
    let [bare, quick, safe, of_proxy] = &took;
    let added = |what: &str, way: &Samples, bound| Figure::added(format!("added by {what}"), "ms", way, &[bare], bound);
    let under = |most| Some(Bound::Under(most));
    Ok(vec![
        added("relay and host over stdio, buffered", quick, under(ADDED.0)),
        added("relay and host over stdio, durable", safe, under(ADDED.1)),
        match proxy {
            Some(_) => added("FastMCP's proxy over stdio", of_proxy, None),
            None => Figure::missing(format!("added by FastMCP's proxy: no `{}`, which tests/tools/install makes", python.display())),
        },
    ])
}

fn fastmcp(python: &Path, place: usize) -> anyhow::Result<Talk> {
    let mut command = Command::new(python);
    command.args(["-I", "-c", FASTMCP]).arg(std::env::current_exe()?).args(["echo", &place.to_string()]);
    let mut talk = Talk::start(&mut command)?;
    talk.greet()?;
    Ok(talk)
}
