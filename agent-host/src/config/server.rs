//! One server as the file has it: how it is started or reached, and what the operator says of its tools.
//!
//! Is not: a process or a connection. Clauses: UP-2 (operator's files), UP-5 (HTTP), UP-6 (eras), UP-10 (its login), AUTH-8, SAFE-1.
//! Neighbour: `remote` checks what goes with a URL.

use super::secret::{masked, veiled_url};
use super::{Length, OAuthClient, Variable};
use agent_core::effect::{Acts, Capability, Declared, Effect};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A server: a program that is started and speaks MCP over its standard input and output, or a URL at which one is reached
/// over streamable HTTP.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(extend("oneOf" = [{ "required": ["command"] }, { "required": ["url"] }]))
)]
#[serde(deny_unknown_fields)]
pub struct Server {
    /// The program, by name or path. A server has either this or a `url`.
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub command: String,
    /// Where it is reached: `https`, or `http` where `private` is true. No user, password or fragment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// What is sent with each request to its URL, such as `Authorization`.
    #[serde(default)]
    pub headers: BTreeMap<String, Variable>,
    /// Whether its URL may lead to this machine or a private network.
    #[serde(default)]
    pub private: bool,
    /// With whose login its URL is reached.
    #[serde(default)]
    pub identity: Identity,
    /// As which client one logs in at its URL with `agent-host login`. It may be left out also where one logs in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub oauth: Option<OAuthClient>,
    /// Its arguments; no shell reads them.
    #[serde(default)]
    pub args: Vec<String>,
    /// Its whole environment, besides `PATH` and `HOME`.
    #[serde(default)]
    pub env: BTreeMap<String, Variable>,
    /// The folder it runs in; the configuration's own where left out, never the client's.
    pub cwd: Option<PathBuf>,
    /// Which era of MCP is spoken with it.
    #[serde(default)]
    pub era: Era,
    /// Whether one process serves every principal. Left out, each has one of its own.
    #[serde(default)]
    pub shared: bool,
    /// Whether it is started when a tool of it is activated, not only when one is called.
    #[serde(default)]
    pub prewarm: bool,
    /// How long it runs on without a call; 10 minutes where left out.
    pub idle: Option<Length>,
    /// How long it has to start and to shake hands; 30 seconds where left out.
    pub start: Option<Length>,
    /// How long a call of it may take; 2 minutes where left out.
    pub timeout: Option<Length>,
    /// The command by which a person gets it the credential it needs; shown, never run.
    pub login: Option<String>,
    /// Whether its annotations may narrow what is assumed of its tools.
    #[serde(default)]
    pub trust: bool,
    /// Whether its prompts are relayed, to whoever the rules let use it.
    #[serde(default)]
    pub prompts: bool,
    /// Whether its resources are relayed, to whoever the rules let use it.
    #[serde(default)]
    pub resources: bool,
    /// Who answers what it asks of a person while it is called. Left out, it can ask nobody.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub questions: Option<Asked>,
    /// What its tools can change.
    pub effect: Option<Effect>,
    /// The legs of the trifecta that its tools have.
    pub capabilities: Option<BTreeSet<Capability>>,
    /// Whether a call that may have happened can be sent again.
    #[serde(default)]
    pub repeatable: bool,
    /// Words by which its tools are found.
    #[serde(default)]
    pub tags: Vec<String>,
    /// What it is for, for people.
    #[serde(default)]
    pub description: String,
    /// Whether it is served at all.
    #[serde(default = "yes")]
    pub enabled: bool,
}

/// Which era of MCP is spoken with a server.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Era {
    /// What it was last found to speak; else it is asked.
    #[default]
    Auto,
    /// MCP up to 2025-11-25: a handshake.
    Legacy,
    /// MCP from 2026-07-28: no handshake.
    Modern,
}

/// With whose login a server is reached.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Identity {
    /// With the operator's, whoever calls.
    #[default]
    Operator,
    /// With that of the principal who calls.
    PerPrincipal,
}

/// Who answers what a server asks of a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Asked {
    /// The operators, over the channels by which they answer requests.
    Operator,
}

const fn yes() -> bool {
    true
}

impl Server {
    /// A server with nothing but a program.
    #[must_use]
    pub const fn new(command: String) -> Self {
        Self {
            command,
            url: None,
            headers: BTreeMap::new(),
            private: false,
            identity: Identity::Operator,
            oauth: None,
            args: Vec::new(),
            env: BTreeMap::new(),
            cwd: None,
            era: Era::Auto,
            shared: false,
            prewarm: false,
            idle: None,
            start: None,
            timeout: None,
            login: None,
            trust: false,
            prompts: false,
            resources: false,
            questions: None,
            effect: None,
            capabilities: None,
            repeatable: false,
            tags: Vec::new(),
            description: String::new(),
            enabled: true,
        }
    }

    /// A server with nothing but a URL.
    #[must_use]
    pub fn at(url: &str) -> Self {
        Self { url: Some(url.to_owned()), ..Self::new(String::new()) }
    }

    /// Everything that it is given by a reference or in the open: variables of a program, headers of a request.
    pub fn given(&self) -> impl Iterator<Item = (&String, &Variable)> {
        self.env.iter().chain(&self.headers)
    }

    /// How long it runs on without a call.
    #[must_use]
    pub fn idle(&self) -> Duration {
        self.idle.map_or(Duration::from_secs(600), |idle| idle.0)
    }

    /// How long it has to start and to shake hands.
    #[must_use]
    pub fn start(&self) -> Duration {
        self.start.map_or(Duration::from_secs(30), |start| start.0)
    }

    /// How long a call of it may take.
    #[must_use]
    pub fn timeout(&self) -> Duration {
        self.timeout.map_or(Duration::from_secs(120), |timeout| timeout.0)
    }

    /// Its command line or its URL as it is shown, without what may be a secret.
    #[must_use]
    pub fn shown(&self) -> Vec<String> {
        if let Some(url) = &self.url {
            return vec![veiled_url(url).unwrap_or_else(|| url.clone())];
        }
        masked(std::iter::once(&self.command).chain(&self.args).map(String::as_str))
    }

    /// What the operator declares of its tools.
    #[must_use]
    pub fn declared(&self) -> Declared {
        Declared {
            trust: self.trust,
            effect: self.effect,
            capabilities: self.capabilities.clone(),
            repeatable: self.repeatable,
            acts: self.acts(),
        }
    }

    /// As whom its tools act there; none where no login is a matter of it.
    const fn acts(&self) -> Option<Acts> {
        match (&self.url, self.identity) {
            (None, _) => None,
            (Some(_), Identity::Operator) => Some(Acts::Operator),
            (Some(_), Identity::PerPrincipal) => Some(Acts::Principal),
        }
    }

    /// With its paths taken from the file's folder.
    pub(super) fn resolved(mut self, folder: &Path) -> Self {
        self.headers = self.headers.into_iter().map(|(name, value)| (name, value.resolved(folder))).collect();
        self.oauth = self.oauth.map(|oauth| oauth.resolved(folder));
        if self.url.is_some() {
            return self;
        }
        if self.command.contains('/') {
            self.command = folder.join(&self.command).to_string_lossy().into_owned();
        }
        // Not where the client works: a program may take code and settings from the folder it runs in.
        self.cwd = Some(self.cwd.map_or_else(|| folder.to_owned(), |cwd| folder.join(cwd)));
        self.env = self.env.into_iter().map(|(name, variable)| (name, variable.resolved(folder))).collect();
        self
    }
}
