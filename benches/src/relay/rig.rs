//! A host in a folder of its own, the servers behind it, and clients in front of it.

use super::echo::servers;
use crate::talk::Talk;
use agent_core::id::ToolId;
use agent_engine::catalog::assemble;
use anyhow::{Context as _, bail};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use tempfile::TempDir;

/// How long a host may take to come up.
const PATIENCE: Duration = Duration::from_secs(30);

/// The server that answers no call, where a rig has one.
pub(crate) const HUNG: &str = "hung";

/// The tool that is called, and how.
pub(crate) struct Tool {
    id: ToolId,
    /// Its name at its server.
    name: String,
    /// Its name at the host.
    wire: String,
    /// The place of its server among all.
    place: usize,
    arguments: Value,
    /// The same, as it is sent and comes back.
    text: String,
}

impl Tool {
    /// The first one of the first server.
    pub(crate) fn new() -> anyhow::Result<Self> {
        let catalog = assemble(&servers());
        let tool = catalog.tools().first().context("an empty catalog")?;
        let required = tool.definition.parameters.iter().filter(|parameter| parameter.required);
        let arguments: Map<_, _> = required.map(|parameter| (parameter.name.clone(), json!("x"))).collect();
        let (id, name) = (tool.descriptor.id.clone(), tool.definition.name.to_string());
        let place = servers().iter().position(|server| server.alias == id.server()).context("a tool of no server")?;
        let arguments = Value::from(arguments);
        Ok(Self { id, name, place, wire: tool.descriptor.wire.to_string(), text: arguments.to_string(), arguments })
    }

    /// The same one at the server that answers no call.
    pub(crate) fn hung() -> anyhow::Result<Self> {
        let tool = Self::new()?;
        Ok(Self { id: ToolId::parse(&format!("mcp:{HUNG}/{}", tool.name))?, ..tool })
    }

    /// Its exact id.
    pub(crate) const fn id(&self) -> &ToolId {
        &self.id
    }

    /// Its name at its server.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// The place of its server: what `echo` is started with to be it.
    pub(crate) const fn place(&self) -> usize {
        self.place
    }

    /// What it is called with.
    pub(crate) const fn arguments(&self) -> &Value {
        &self.arguments
    }

    /// The text that it answers with.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Calls it, straight or at a host; what it answers must be what it was given.
    pub(crate) fn call(&self, talk: &mut Talk, at_host: bool) -> anyhow::Result<()> {
        let text = talk.call(if at_host { &self.wire } else { &self.name }, &self.arguments)?;
        anyhow::ensure!(serde_json::from_str::<Value>(&text)? == self.arguments, "the call was answered with `{text}`");
        Ok(())
    }
}

/// A folder with a configuration and a state.
pub(crate) struct Rig {
    folder: TempDir,
    host: PathBuf,
}

impl Rig {
    /// Of a host whose calls start as `starts` says.
    pub(crate) fn new(host: &Path, state: &Path, starts: &str) -> anyhow::Result<Self> {
        Self::with(host, state, starts, "")
    }

    /// The same, with a configuration that says more.
    pub(crate) fn with(host: &Path, state: &Path, starts: &str, more: &str) -> anyhow::Result<Self> {
        let folder = TempDir::new_in(state)?;
        let program = std::env::current_exe()?;
        let mut config = format!("activation = \"auto\"\n{more}[records]\nstart = \"{starts}\"\n");
        for (place, server) in servers().iter().enumerate() {
            config += &format!("[servers.{}]\ncommand = {program:?}\nargs = [\"echo\", \"{place}\"]\nera = \"legacy\"\n", server.alias);
        }
        std::fs::write(folder.path().join("agent-host.toml"), config)?;
        Ok(Self { folder, host: host.to_owned() })
    }

    pub(crate) fn state(&self) -> PathBuf {
        self.folder.path().join("state")
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(&self.host);
        command.args(words).arg("--config").arg(self.folder.path().join("agent-host.toml")).arg("--state").arg(self.state());
        command
    }

    /// Starts the host that relays find.
    pub(crate) fn run(&self) -> anyhow::Result<Running> {
        self.started(&["run"])
    }

    /// What a command prints.
    pub(crate) fn output(&self, words: &[&str]) -> anyhow::Result<String> {
        let output = self.command(words).output()?;
        anyhow::ensure!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
        Ok(String::from_utf8(output.stdout)?)
    }

    /// Starts a host by these words.
    pub(crate) fn started(&self, words: &[&str]) -> anyhow::Result<Running> {
        let stdio = Stdio::null;
        let mut host = Running(self.command(words).stdin(stdio()).stdout(stdio()).stderr(stdio()).spawn()?);
        let until = std::time::Instant::now() + PATIENCE;
        while !self.state().join("client.sock").exists() {
            if let Some(status) = host.0.try_wait()? {
                bail!("the host ended with {status}");
            }
            anyhow::ensure!(std::time::Instant::now() < until, "the host did not come up");
            std::thread::sleep(Duration::from_millis(10));
        }
        Ok(host)
    }

    /// A client that shook hands, searched, and activated the tool.
    pub(crate) fn client(&self, words: &[&str], tool: &Tool) -> anyhow::Result<Talk> {
        let mut talk = Talk::start(&mut self.command(words))?;
        talk.greet()?;
        talk.search("create or read a file")?;
        talk.call("activate_tools", &json!({"tools": [tool.id]}))?;
        Ok(talk)
    }
}

/// A host that is asked to end when this is dropped.
pub(crate) struct Running(Child);

impl Running {
    pub(crate) fn pid(&self) -> u32 {
        self.0.id()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // One that ended by itself has nothing more to say.
        let asked = Pid::from_child(&self.0);
        if kill_process(asked, Signal::TERM).is_ok() {
            drop(self.0.wait());
        }
    }
}
