//! What the demo is played on: a folder with a configuration, a lock file and a state folder, and sample servers.

use super::super::{Exit, Failure};
use crate::config::Config;
use crate::lock::Lock;
use crate::upstream::{NoLogins, Upstreams};
use agent_host_samples::Sample;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// How long the host stays once its client is gone, unless it is ended sooner.
const PATIENCE: Duration = Duration::from_secs(5);

/// Bytes of the folder for temporary files, up to which sockets below it can be named on every system.
const PLACE_BYTES: usize = 60;

/// A folder that goes away with it.
pub(super) struct Stage {
    folder: tempfile::TempDir,
    pub(super) program: PathBuf,
    pub(super) state: PathBuf,
    config: PathBuf,
    /// Every definition as its server wrote it.
    pub(super) definitions: Vec<String>,
}

impl Stage {
    /// Writes the configuration, and asks the servers once what they have, as `sync` does.
    pub(super) async fn new() -> Result<Self, Failure> {
        let temporary = std::path::absolute(std::env::temp_dir()).map_err(|error| failed(&error))?;
        // A socket's path has room for about a hundred bytes.
        let place = if temporary.as_os_str().len() > PLACE_BYTES { Path::new("/tmp") } else { &temporary };
        let folder = tempfile::Builder::new().prefix("agent-host-demo-").tempdir_in(place);
        let folder = folder.map_err(|error| failed(&format!("{error}\nhint: `TMPDIR` names another folder to play in")))?;
        let program = std::env::current_exe().map_err(|error| failed(&error))?;
        let (config, state) = (folder.path().join("agent-host.toml"), folder.path().join("state"));
        let (files, work) = (folder.path().join("files"), folder.path().join("work"));
        [&files, &work].into_iter().try_for_each(std::fs::create_dir).map_err(|error| failed(&error))?;
        std::fs::write(&config, configuration(&program, &files)).map_err(|error| failed(&error))?;
        let read = Config::read(&config)?;
        let mut lock = Lock { servers: BTreeMap::new() };
        for (alias, settings) in &read.servers {
            let listed =
                Upstreams::look(alias, settings, Arc::new(NoLogins)).await.map_err(|why| failed(&format!("server `{alias}`: {why}")))?;
            lock.servers.insert(alias.clone(), listed);
        }
        lock.write(&Lock::path(&read))?;
        let definitions = lock.servers.into_values().flat_map(|listed| listed.definitions).collect();
        Ok(Self { folder, program, state, config, definitions })
    }

    /// How many servers there are.
    pub(super) const fn servers(&self) -> usize {
        Sample::ALL.len()
    }

    /// Bytes of all definitions.
    pub(super) fn bytes(&self) -> usize {
        self.definitions.iter().map(String::len).sum()
    }

    /// The folder that the client works in.
    pub(super) fn work(&self) -> PathBuf {
        self.folder.path().join("work")
    }

    /// Where it all lies.
    pub(super) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// What a client is told to start.
    pub(super) fn serve(&self) -> Vec<OsString> {
        vec!["serve".into(), "--config".into(), self.config.clone().into(), "--state".into(), self.state.clone().into()]
    }

    /// Ends the host, and takes the folder away.
    pub(super) async fn end(self) {
        let pid = std::fs::read_to_string(self.state.join("lock")).ok().and_then(|text| text.trim().parse().ok());
        let Some(host) = pid.and_then(rustix::process::Pid::from_raw) else { return };
        let until = tokio::time::Instant::now() + PATIENCE;
        let mut running = rustix::process::kill_process(host, rustix::process::Signal::TERM).is_ok();
        while running && tokio::time::Instant::now() < until {
            tokio::time::sleep(Duration::from_millis(20)).await;
            running = self.state.join("client.sock").exists() || rustix::process::test_kill_process(host).is_ok();
        }
    }
}

fn configuration(program: &Path, files: &Path) -> String {
    let quoted = |path: &Path| toml::Value::String(path.display().to_string()).to_string();
    let mut text = "activation = \"prompt\"\n".to_owned();
    for sample in Sample::ALL {
        let server = sample.name();
        let folder = if sample.wants_folder() { format!(", \"--folder\", {}", quoted(files)) } else { String::new() };
        let _ = write!(
            text,
            "\n[servers.{server}]\ncommand = {}\nargs = [\"sample-server\", \"{server}\"{folder}]\ntrust = true\n",
            quoted(program)
        );
    }
    text
}

fn failed(why: &dyn std::fmt::Display) -> Failure {
    Failure::new(Exit::Failed, format!("the demo can't be played: {why}"))
}
