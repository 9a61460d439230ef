//! An authorization server of its own for a test: `tests/servers/issuer.py`, started, told what to do, and ended.
//!
//! Is not: a mock; its tokens come from its token endpoint, and its keys from its address. Its opening lines list the commands.

use super::built;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// The address of the endpoint that tokens are for; nobody listens there.
pub(super) const RESOURCE: &str = "http://127.0.0.1:7070/mcp";

/// One that runs.
pub(super) struct Issuer {
    child: Child,
    commands: ChildStdin,
    answers: BufReader<ChildStdout>,
    pub(super) address: String,
}

impl Issuer {
    pub(super) fn start() -> Self {
        Self::started(&[])
    }

    /// One that speaks HTTPS; its certificate is `cert.pem` of the folder.
    pub(super) fn over_tls(folder: &Path) -> Self {
        Self::started(&["--tls", folder.to_str().unwrap()])
    }

    fn started(arguments: &[&str]) -> Self {
        let python = built().0.join("tools/python/bin/python");
        assert!(python.exists(), "{} is missing: run `./tests/tools/install`, or `./tests/run`, which does it all", python.display());
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("servers/issuer.py");
        let mut command = Command::new(python);
        command.args(["-B", "-W", "ignore"]).arg(script).args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let (commands, answers) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
        let mut issuer = Self { child, commands, answers, address: String::new() };
        issuer.address = issuer.answer().as_str().unwrap().to_owned();
        issuer
    }

    fn answer(&mut self) -> Value {
        let mut line = String::new();
        self.answers.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("the issuer said {line:?}: {error}"))
    }

    /// One command, and its answer.
    pub(super) fn does(&mut self, command: &Value) -> Value {
        writeln!(self.commands, "{command}").unwrap();
        self.answer()
    }

    /// A token of its token endpoint for `robot`.
    pub(super) fn token(&mut self, algorithm: &str, scope: &str, resource: &str) -> String {
        let command = json!({ "do": "token", "alg": algorithm, "client": "robot", "scope": scope, "resource": resource });
        self.does(&command).as_str().unwrap().to_owned()
    }

    /// The same token with other parts, signed by that key.
    pub(super) fn forged(&mut self, token: &str, header: &Value, claims: &Value, key: &str) -> String {
        let command = json!({ "do": "forge", "token": token, "header": header, "claims": claims, "key": key });
        self.does(&command).as_str().unwrap().to_owned()
    }

    /// How often it was asked for its keys.
    pub(super) fn asked(&mut self) -> u64 {
        self.does(&json!({ "do": "asked" })).as_u64().unwrap()
    }
}

impl Drop for Issuer {
    fn drop(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}
