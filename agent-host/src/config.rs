//! `agent-host.toml`: what the operator wrote, checked as far as a file by itself can be.
//!
//! Is: one file, read once, every key known, every error with its line; all of them stand in `agent-host.example.toml`. Is
//! not: the policy in force (the engine's `policy`), nor anything that a client or an upstream could write.
//! Clauses: POL-1, SAFE-1, UP-2 (the one file). Neighbours: `upstream` starts its servers, `app` puts its policy in force.

mod check;
mod error;
mod length;
mod place;
mod server;
mod surface;
mod variable;

#[cfg(test)]
mod tests;

pub use error::ConfigError;
pub use length::Length;
pub use place::default_state;
pub use server::{Era, Server};
pub use surface::Surface;
pub use variable::{FromEnv, FromFile, Variable};

use agent_core::id::{Alias, ToolId, WireName};
use agent_core::limits::WAIT_MS;
use agent_core::session::ProfileId;
use agent_engine::policy::{Policy, Profile, Rule, Verdict};
use agent_engine::session::Starts;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::Duration;
use toml::Spanned;

/// Bytes of a configuration file.
const FILE_BYTES: u64 = 4 * 1024 * 1024;

/// One configuration, whole and consistent.
#[derive(Debug, Clone)]
pub struct Config {
    /// The file it came from.
    pub path: PathBuf,
    /// What may be switched on, by whom, after whose yes.
    pub policy: Policy,
    /// The profile that `serve` uses unless told another.
    pub profile: Option<ProfileId>,
    /// The servers by alias, those switched off included.
    pub servers: BTreeMap<Alias, Server>,
    /// Wire names that the operator gave to preset tools.
    pub names: BTreeMap<ToolId, WireName>,
    /// How long an asker waits for a person before it is told `pending`.
    pub wait: Duration,
    /// What clients are listed; without a word each client's era decides.
    pub surface: Option<Surface>,
    /// How a call's start is recorded.
    pub starts: Starts,
    /// The state folder, where the file names one.
    pub state: Option<PathBuf>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    activation: Activation,
    #[serde(default)]
    rule: Vec<Spanned<Rule>>,
    #[serde(default)]
    profiles: BTreeMap<ProfileId, Profile>,
    profile: Option<Spanned<ProfileId>>,
    #[serde(default)]
    servers: BTreeMap<Alias, Spanned<Server>>,
    #[serde(default)]
    names: BTreeMap<ToolId, Spanned<WireName>>,
    surface: Option<Surface>,
    #[serde(default)]
    approval: Approval,
    #[serde(default)]
    records: Records,
    state: Option<PathBuf>,
}

/// The default decision; `hide` is for rules alone.
#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Activation {
    Auto,
    #[default]
    Prompt,
    Deny,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Approval {
    wait: Option<Spanned<Length>>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Records {
    start: Starts,
}

impl Config {
    /// Reads a file.
    ///
    /// # Errors
    /// [`ConfigError`] names the file, the line and what to do.
    pub fn read(path: &Path) -> Result<Self, ConfigError> {
        let unreadable =
            |error: std::io::Error| ConfigError::whole(path, format!("can't be read: {error}"), "name a file with `--config FILE`");
        let length = std::fs::metadata(path).map_err(unreadable)?.len();
        if length > FILE_BYTES {
            return Err(ConfigError::whole(path, format!("larger than {FILE_BYTES} bytes"), "split what is not configuration out of it"));
        }
        Self::parse(path, &std::fs::read_to_string(path).map_err(unreadable)?)
    }

    /// Reads a text as if it stood in `path`; relative paths are taken from its folder.
    ///
    /// # Errors
    /// As [`Config::read`].
    pub fn parse(path: &Path, text: &str) -> Result<Self, ConfigError> {
        let file: File = toml::from_str(text).map_err(|error| ConfigError::of_toml(path, text, &error))?;
        let error = |span: Range<usize>, what: String, hint: &str| ConfigError::at(path, text, span.start, what, hint);
        for rule in &file.rule {
            if let Err((what, hint)) = check::rule(rule.get_ref(), &file.servers, &file.profiles) {
                return Err(error(rule.span(), what, hint));
            }
        }
        if let Some(name) = &file.profile
            && !file.profiles.contains_key(name.get_ref())
        {
            return Err(error(name.span(), format!("no profile `{}`", name.get_ref()), "write `[profiles.NAME]` for it"));
        }
        for server in file.servers.values() {
            if let Err((what, hint)) = check::server(server.get_ref()) {
                return Err(error(server.span(), what, hint));
            }
        }
        for (id, name) in &file.names {
            if let Err((what, hint)) = check::name(id, name.get_ref(), &file.names, &file.profiles) {
                return Err(error(name.span(), what, hint));
            }
        }
        let most = Duration::from_millis(WAIT_MS);
        let wait = file.approval.wait.map_or(Ok(most), |wait| match wait.get_ref().0 {
            short if short <= most => Ok(short),
            _ => Err(error(wait.span(), format!("`wait` is longer than {most:?}"), "choose a shorter time")),
        })?;
        let folder = path.parent().unwrap_or(Path::new(""));
        let resolved = |server: Spanned<Server>| server.into_inner().resolved(folder);
        Ok(Self {
            path: path.to_owned(),
            policy: Policy {
                activation: match file.activation {
                    Activation::Auto => Verdict::Auto,
                    Activation::Prompt => Verdict::Prompt,
                    Activation::Deny => Verdict::Deny,
                },
                rules: file.rule.into_iter().map(Spanned::into_inner).collect(),
                profiles: file.profiles,
            },
            names: file.names.into_iter().map(|(id, name)| (id, name.into_inner())).collect(),
            wait,
            surface: file.surface,
            starts: file.records.start,
            profile: file.profile.map(Spanned::into_inner),
            servers: file.servers.into_iter().map(|(alias, server)| (alias, resolved(server))).collect(),
            state: file.state.map(|state| folder.join(state)),
        })
    }
}
