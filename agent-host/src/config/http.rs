//! How clients come over HTTP: what the host answers to, and what a profile's clients may take up.
//!
//! Is not: where it listens, which is said when it is started; nor who may come, which tokens say. Clauses: SES-2 (HTTP), SES-3,
//! SES-4.

use super::Length;
use agent_core::id::ToolId;
use agent_engine::policy::{Pattern, Profile};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Clients over HTTP (`agent-host run --http ADDRESS`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Http {
    /// The names, with a port where one is used, by which clients reach this host, besides its own address and, on loopback,
    /// `localhost`.
    pub hosts: Vec<String>,
    /// The web pages that may call it, such as `https://app.example.com`. Others are refused, whatever credential they bring.
    pub origins: Vec<String>,
    /// The certificate by which it speaks TLS itself.
    pub tls: Option<Tls>,
    /// Whether a proxy in front ends TLS; without this or `tls` nothing but loopback is listened on.
    pub proxy: bool,
    /// Bytes of one request's body at the most; from 1 KiB to 16 MiB.
    #[cfg_attr(feature = "schema", schemars(range(min = 1024, max = 16_777_216)))]
    pub body: usize,
}

/// A certificate and its key, PEM files.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Tls {
    /// The certificate, and those that vouch for it.
    pub certificate: PathBuf,
    /// Its private key.
    pub key: PathBuf,
}

impl Default for Http {
    fn default() -> Self {
        Self { hosts: Vec::new(), origins: Vec::new(), tls: None, proxy: false, body: 1024 * 1024 }
    }
}

impl Http {
    pub(super) fn resolved(mut self, folder: &Path) -> Self {
        self.tls = self.tls.map(|tls| tls.resolved(folder));
        self
    }
}

impl Tls {
    pub(super) fn resolved(self, folder: &Path) -> Self {
        Self { certificate: folder.join(self.certificate), key: folder.join(self.key) }
    }
}

/// A ceiling, what is active under it from the start, and what its clients over HTTP may take up.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Profile"))]
#[serde(deny_unknown_fields, default)]
pub(super) struct Written {
    /// Nothing else can be found or run; everything can where it is left out.
    tools: Option<Vec<Pattern>>,
    /// Active from the start, each a batch of its own.
    presets: Vec<ToolId>,
    /// Its clients over HTTP.
    http: Service,
}

impl Written {
    pub(super) fn parts(self) -> (Profile, Service) {
        (Profile { tools: self.tools, presets: self.presets }, self.http)
    }
}

/// What clients over HTTP may take up, for each of a profile's principals.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Service {
    /// What tells the conversations of a modern client apart.
    pub session: By,
    /// Whether a new session takes over what an ended one of the same credential held.
    pub retain: Retain,
    /// Sessions at a time, and sessions opened in a minute; 256 where left out.
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 1_000_000)))]
    pub sessions: usize,
    /// Requests at a time, open streams included; 256 where left out.
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 100_000)))]
    pub requests: usize,
    /// How long a session lasts that nobody uses; 2 hours where left out.
    pub idle: Length,
    /// How long a session lasts at all; 30 days where left out.
    pub lifetime: Length,
}

impl Default for Service {
    fn default() -> Self {
        Self {
            session: By::default(),
            retain: Retain::default(),
            sessions: 256,
            requests: 256,
            idle: Length(Duration::from_secs(2 * 3600)),
            lifetime: Length(Duration::from_secs(30 * 24 * 3600)),
        }
    }
}

/// What tells the conversations of a modern client apart.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum By {
    /// A handle that the first search answers, and that each later call passes.
    #[default]
    Handle,
    /// The credential: every conversation under it is one session.
    Credential,
}

/// Whether a new session takes over what an ended one held.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Retain {
    /// It does not.
    #[default]
    None,
    /// From the one session of the same credential that its client left behind, if none of the principal's is live.
    Credential,
}
