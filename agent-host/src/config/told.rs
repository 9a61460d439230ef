//! What stands over the file: variables of our environment, then flags.
//!
//! Is: the same readers and checks as the file's, with errors that name the variable. Is not: able to widen by environment.
//! A variable is inherited unseen, from a shell, a checkout's `.env` or a client's settings; so it can make `activation`
//! and `records.start` stricter, and name a profile or a state folder where the file names none, and no more. A flag
//! stands in the command that somebody wrote for `serve`. Clauses: POL-1, UP-2 (operator's files).

use super::error::words;
use super::file::Activation;
use super::near::nearest;
use super::{Config, ConfigError, Length, Origin, check};
use agent_core::session::ProfileId;
use agent_engine::policy::Verdict;
use agent_engine::session::Starts;
use serde::de::value::{Error, StrDeserializer};
use serde::de::{DeserializeOwned, IntoDeserializer};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;

const CONFIG: &str = "AGENT_HOST_CONFIG";
const STATE: &str = "AGENT_HOST_STATE";
pub(crate) const PROFILE: &str = "AGENT_HOST_PROFILE";
const ACTIVATION: &str = "AGENT_HOST_ACTIVATION";
const WAIT: &str = "AGENT_HOST_APPROVAL_WAIT";
const START: &str = "AGENT_HOST_RECORDS_START";
/// `AGENT_HOST_LOG` is read where the process begins.
const KNOWN: [&str; 7] = [CONFIG, STATE, PROFILE, ACTIVATION, WAIT, START, "AGENT_HOST_LOG"];

/// What the command line says beside the file.
#[derive(Debug, Clone, Default)]
pub struct Flags {
    /// `--state`
    pub state: Option<PathBuf>,
    /// `--profile`
    pub profile: Option<ProfileId>,
}

/// Our variables: those that begin with `AGENT_HOST_`.
#[derive(Debug, Clone, Default)]
pub struct Environment(BTreeMap<String, OsString>);

impl Environment {
    /// This process's.
    #[must_use]
    pub fn ours() -> Self {
        std::env::vars_os().collect()
    }

    /// Variables that nobody reads, each with what it may have been meant to be.
    #[must_use]
    pub fn unknown(&self) -> Vec<String> {
        let unknown = self.0.keys().filter(|name| !KNOWN.contains(&name.as_str()));
        unknown
            .map(|name| match nearest(name, KNOWN) {
                Some(known) => format!("the variable `{name}` is not known and changes nothing; did you mean `{known}`?"),
                None => format!("the variable `{name}` is not known and changes nothing"),
            })
            .collect()
    }

    /// The file, where a variable names it.
    ///
    /// # Errors
    /// The path is not absolute: it would be another file in each folder.
    pub fn config(&self) -> Result<Option<PathBuf>, ConfigError> {
        self.path(CONFIG)
    }

    /// The state folder, where a variable names it.
    ///
    /// # Errors
    /// As [`Environment::config`].
    pub fn state(&self) -> Result<Option<PathBuf>, ConfigError> {
        self.path(STATE)
    }

    fn path(&self, name: &'static str) -> Result<Option<PathBuf>, ConfigError> {
        let path = self.0.get(name).map(PathBuf::from);
        if path.as_ref().is_some_and(|path| !path.is_absolute()) {
            return Err(ConfigError::told(
                name,
                "the path is not absolute",
                "write it from the root: it is read in whatever folder a client runs",
            ));
        }
        Ok(path)
    }

    /// A value, read as the file's would be.
    fn read<T: DeserializeOwned>(&self, name: &'static str) -> Result<Option<T>, ConfigError> {
        let Some(value) = self.0.get(name) else { return Ok(None) };
        let text = value.to_str().ok_or_else(|| ConfigError::told(name, "is not UTF-8", "correct or unset it"))?;
        let read: StrDeserializer<'_, Error> = text.into_deserializer();
        T::deserialize(read).map(Some).map_err(|error| {
            let (what, hint) = words(&error.to_string());
            ConfigError::told(name, what, if hint == "correct this line" { "correct or unset it".to_owned() } else { hint })
        })
    }
}

impl<K: Into<OsString>, V: Into<OsString>> FromIterator<(K, V)> for Environment {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(all: I) -> Self {
        let ours = all.into_iter().map(|(name, value)| (name.into(), value.into()));
        Self(
            ours.filter_map(|(name, value)| Some((name.into_string().ok().filter(|name| name.starts_with("AGENT_HOST_"))?, value)))
                .collect(),
        )
    }
}

impl Config {
    /// Lays the environment and the flags over the file. What a flag says is not looked for in the environment.
    pub(super) fn overlay(&mut self, environment: &Environment, flags: &Flags) -> Result<(), ConfigError> {
        self.overlay_scalars(environment)?;
        if let Some(name) = &flags.profile {
            self.use_profile(name.clone(), "--profile", Origin::Flag { name: "--profile" })?;
        } else if let Some(name) = environment.read::<ProfileId>(PROFILE)? {
            let free = self.profile.as_ref().is_none_or(|written| *written == name);
            within(PROFILE, free, "the file names another profile, and the environment can't replace it", "unset it, or use `--profile`")?;
            self.use_profile(name, PROFILE, Origin::Environment { name: PROFILE })?;
        }
        if let Some(state) = &flags.state {
            self.state = Some(std::path::absolute(state).unwrap_or_else(|_| state.clone()));
            self.origins.tell("state", Origin::Flag { name: "--state" });
        } else if let Some(state) = environment.state()? {
            let free = self.state.as_ref().is_none_or(|written| *written == state);
            within(STATE, free, "the file names another state folder, and the environment can't replace it", "unset it, or use `--state`")?;
            self.state = Some(state);
            self.origins.tell("state", Origin::Environment { name: STATE });
        }
        Ok(())
    }

    fn overlay_scalars(&mut self, environment: &Environment) -> Result<(), ConfigError> {
        if let Some(activation) = environment.read::<Activation>(ACTIVATION)? {
            let (told, written) = (Verdict::from(activation), self.policy.activation);
            let what = "the environment can make `activation` stricter, never looser";
            within(ACTIVATION, strictness(told) >= strictness(written), what, "unset it; the file alone can loosen `activation`")?;
            self.policy.activation = told;
            self.origins.tell("activation", Origin::Environment { name: ACTIVATION });
        }
        if let Some(starts) = environment.read::<Starts>(START)? {
            let what = "the environment can make `records.start` durable, never buffered";
            within(START, starts == Starts::Durable || self.starts == starts, what, "unset it; the file alone can loosen `records.start`")?;
            self.starts = starts;
            self.origins.tell("records.start", Origin::Environment { name: START });
        }
        if let Some(wait) = environment.read::<Length>(WAIT)? {
            self.wait = check::wait(wait).map_err(|(what, hint)| ConfigError::told(WAIT, what, hint))?;
            self.origins.tell("approval.wait", Origin::Environment { name: WAIT });
        }
        Ok(())
    }

    fn use_profile(&mut self, name: ProfileId, by: &'static str, origin: Origin) -> Result<(), ConfigError> {
        check::profile(&name, &self.policy.profiles).map_err(|(what, hint)| ConfigError::told(by, what, hint))?;
        self.profile = Some(name);
        self.origins.tell("profile", origin);
        Ok(())
    }
}

/// The more, the stricter.
pub(crate) const fn strictness(activation: Verdict) -> u8 {
    match activation {
        Verdict::Auto => 0,
        Verdict::Prompt => 1,
        Verdict::Deny => 2,
        Verdict::Hide => 3,
    }
}

/// The environment never goes past what the file says, or past the default where it says nothing.
fn within(name: &'static str, holds: bool, what: &str, hint: &str) -> Result<(), ConfigError> {
    if holds { Ok(()) } else { Err(ConfigError::told(name, what, hint)) }
}

#[cfg(test)]
mod tests;
