//! Changes to `agent-host.toml` that leave everything else of it as it was written.
//!
//! Is: one server added, removed or switched in the file's text, read back as a whole before anything is replaced; rules that
//! withhold tools of one just added. Is not: a way to change other rules, nor reachable by a client or an upstream: the command line of the operator is its one caller.
//! Clauses: UP-2 (operator's files), ID-2.

mod change;
mod replace;
mod rules;

use super::{Config, ConfigError, Era, Length, Variable, private};
use agent_core::id::Alias;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A configuration file being changed. Nothing is written before [`Edit::save`].
#[derive(Debug)]
pub struct Edit {
    path: PathBuf,
    /// The file behind any links.
    real: PathBuf,
    /// What was read; none where there was no file.
    before: Option<(String, u32)>,
    text: String,
    config: Config,
}

/// What can be said of a server as it is added.
#[derive(Debug, Clone, Default)]
pub struct Added {
    /// The program, by name or absolute path; empty where it is reached at a URL.
    pub command: String,
    /// Where it is reached.
    pub url: Option<String>,
    /// What is sent with each request.
    pub headers: BTreeMap<String, Variable>,
    /// Whether its URL may lead to this machine or a private network.
    pub private: bool,
    /// Its arguments.
    pub args: Vec<String>,
    /// Its environment.
    pub env: BTreeMap<String, Variable>,
    /// The folder it runs in.
    pub cwd: Option<PathBuf>,
    /// Which era is spoken with it.
    pub era: Era,
    /// Whether its annotations may narrow what is assumed of its tools.
    pub trust: bool,
    /// Whether one process serves every principal.
    pub shared: bool,
    /// Whether it is started when a tool of it is activated.
    pub prewarm: bool,
    /// How long it has to start.
    pub start: Option<Length>,
    /// How long a call of it may take.
    pub timeout: Option<Length>,
    /// Whether it is kept, and neither started nor served.
    pub disabled: bool,
}

impl Edit {
    /// Reads a file to change; one that isn't there is begun.
    ///
    /// # Errors
    /// The file can't be read, others can write it, or it is no valid configuration: then it is not touched.
    pub fn open(path: &Path) -> Result<Self, ConfigError> {
        let missing = std::fs::symlink_metadata(path).is_err_and(|error| error.kind() == std::io::ErrorKind::NotFound);
        let whole = |error: std::io::Error| ConfigError::whole(path, format!("can't be read: {error}"), "name a file with `--config FILE`");
        let path = std::path::absolute(path).map_err(whole)?;
        let (real, before) = if missing {
            (path.clone(), None)
        } else {
            (path.canonicalize().map_err(whole)?, Some(private::read(&path, private::CONFIGURATION)?))
        };
        let text = before.as_ref().map(|(text, _)| text.clone()).unwrap_or_default();
        let config = Config::parse(&path, &text)?;
        Ok(Self { path, real, before, text, config })
    }

    /// The configuration as changed so far.
    #[must_use]
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// The text as changed so far.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Adds a server at the end of the file.
    ///
    /// # Errors
    /// The name is taken, or what is added is no valid server.
    pub fn add(&mut self, alias: &Alias, added: &Added) -> Result<(), ConfigError> {
        if self.config.servers.contains_key(alias) {
            let hint = format!("choose another name, or `agent-host remove {alias}` first");
            return Err(self.at(&format!("servers.{alias}"), format!("there is a server `{alias}`"), hint));
        }
        let text = change::added(&self.text, alias, added).map_err(|what| self.whole(what))?;
        self.take(alias, text)
    }

    /// Whether rules about one server's tools could be added, and no rule that is there would decide before them or be
    /// decided for by them.
    #[must_use]
    pub fn could_narrow(&self, alias: &Alias) -> bool {
        self.config.policy.rules.iter().all(|rule| rules::elsewhere(rule, alias))
    }

    /// Adds rules that withhold tools of one server: those of `deny`, and all but those of `allow`.
    ///
    /// # Errors
    /// A tool that is denied has a name that no rule can hold, or [`Edit::could_narrow`] says no.
    pub fn narrow(&mut self, alias: &Alias, allow: Option<&[String]>, deny: &[String]) -> Result<(), ConfigError> {
        if !self.could_narrow(alias) {
            return Err(self.whole(format!("other rules decide on tools of `{alias}`")));
        }
        let rules = rules::narrowing(alias, allow, deny, self.config.policy.activation).map_err(|what| self.whole(what))?;
        let text = change::ruled(&self.text, &rules);
        let config = Config::parse(&self.path, &text)?;
        let mut expected = self.config.policy.clone();
        expected.rules.extend(rules);
        if (&config.policy, &config.servers) != (&expected, &self.config.servers) {
            return Err(self.whole(format!("more than the rules of `{alias}` would change")));
        }
        (self.text, self.config) = (text, config);
        Ok(())
    }

    /// Removes a server that nothing names any more.
    ///
    /// # Errors
    /// There is none, or a rule, a profile or a wire name still names it.
    pub fn remove(&mut self, alias: &Alias) -> Result<(), ConfigError> {
        self.known(alias)?;
        if let Some((key, what)) = change::named(&self.config, alias) {
            return Err(self.at(&key, format!("{what} still names `{alias}`"), "change or remove this first"));
        }
        let text = change::removed(&self.text, alias).map_err(|what| self.whole(what))?;
        self.take(alias, text)
    }

    /// Switches a server on or off; false where it already was.
    ///
    /// # Errors
    /// There is none.
    pub fn enable(&mut self, alias: &Alias, enabled: bool) -> Result<bool, ConfigError> {
        self.known(alias)?;
        if self.config.servers.get(alias).is_some_and(|server| server.enabled == enabled) {
            return Ok(false);
        }
        let text = change::switched(&self.text, alias, enabled).map_err(|what| self.whole(what))?;
        self.take(alias, text)?;
        Ok(true)
    }

    /// Replaces the file as a whole, with its mode kept; a new one is its owner's alone, like the folder made for it.
    ///
    /// # Errors
    /// It can't be written, or somebody changed it meanwhile. Then it is as it was.
    pub fn save(self) -> Result<Config, ConfigError> {
        replace::replace(&self.real, self.before.as_ref(), &self.text)
            .map_err(|error| ConfigError::whole(&self.path, format!("was not written: {error}"), "nothing was changed; try again"))?;
        Ok(self.config)
    }

    fn known(&self, alias: &Alias) -> Result<(), ConfigError> {
        if self.config.servers.contains_key(alias) {
            return Ok(());
        }
        let known: Vec<_> = self.config.servers.keys().map(Alias::as_str).collect();
        let hint = match super::near::nearest(alias.as_str(), known.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None if known.is_empty() => "it has no servers; `agent-host add NAME -- COMMAND` adds one".to_owned(),
            None => format!("it has: {}", known.join(", ")),
        };
        Err(ConfigError::whole(&self.path, format!("no server `{alias}`"), hint))
    }

    /// Takes a changed text, if it reads back and differs in one server alone.
    fn take(&mut self, alias: &Alias, text: String) -> Result<(), ConfigError> {
        let config = Config::parse(&self.path, &text)?;
        let others = |config: &Config| {
            let mut servers = config.servers.clone();
            servers.remove(alias);
            (servers, config.policy.clone(), config.profile.clone(), config.names.clone(), config.state.clone())
        };
        if others(&config) != others(&self.config) {
            return Err(self.whole(format!("more than `{alias}` would change")));
        }
        (self.text, self.config) = (text, config);
        Ok(())
    }

    fn at(&self, key: &str, what: String, hint: impl Into<String>) -> ConfigError {
        let line = self.config.origins.line(key).unwrap_or(1);
        let offset = self.text.split_inclusive('\n').take(line - 1).map(str::len).sum();
        ConfigError::at(&self.path, &self.text, offset, what, hint)
    }

    fn whole(&self, what: String) -> ConfigError {
        ConfigError::whole(&self.path, what, "nothing was changed; edit the file by hand")
    }
}

#[cfg(test)]
mod tests;
