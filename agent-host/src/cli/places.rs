//! Which configuration and which state folder a command is about.
//!
//! Is: the flags that every command takes, and with them the layers of the configuration. Is not: what the layers may say,
//! which is `config`'s. Clause: UP-2 (operator's files).

use super::print::warn;
use super::{Exit, Failure};
use crate::config::{Config, ConfigError, Environment, Flags, default_config, default_state, in_project};
use crate::lock::Lock;
use agent_core::session::ProfileId;
use clap::Args;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Reads a configuration again as it was read at first, and says which state folder it names. Warnings are left in it.
pub(crate) type Again = Arc<dyn Fn() -> Result<(Config, PathBuf), Failure> + Send + Sync>;

/// Where things are.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct Places {
    /// The configuration, in place of `AGENT_HOST_CONFIG` or the platform's.
    #[arg(long, global = true, help_heading = "Global options", value_name = "FILE")]
    pub(super) config: Option<PathBuf>,
    /// The state folder, in place of the configuration's or the platform's.
    #[arg(long, global = true, help_heading = "Global options", value_name = "DIR")]
    pub(super) state: Option<PathBuf>,
    /// The profile, in place of the configuration's.
    #[arg(long, global = true, help_heading = "Global options", value_name = "NAME", value_parser = ProfileId::parse)]
    pub(super) profile: Option<ProfileId>,
}

impl Places {
    /// The file, and whether somebody named it.
    pub(super) fn file(&self, environment: &Environment) -> Result<(PathBuf, bool), Failure> {
        if let Some(file) = &self.config {
            return Ok((file.clone(), true));
        }
        if let Some(file) = environment.config()? {
            return Ok((file, true));
        }
        let homeless =
            || Failure::new(Exit::Usage, "there is no home folder to look for a configuration in\nhint: name one with `--config FILE`");
        Ok((default_config().ok_or_else(homeless)?, false))
    }

    /// As [`Places::read`], for somebody who was warned already.
    pub(super) fn read_again(&self) -> Result<Option<Config>, Failure> {
        let environment = Environment::ours();
        let (file, named) = self.file(&environment)?;
        if !named && !file.exists() { Ok(None) } else { self.layers(&environment).map(Some) }
    }

    /// Every layer together; where no file is named and the platform's is not there, the others alone.
    pub(super) fn load(&self, environment: &Environment) -> Result<Config, Failure> {
        let config = self.layers(environment)?;
        config.warnings.iter().for_each(|warning| warn(warning));
        Ok(config)
    }

    fn layers(&self, environment: &Environment) -> Result<Config, Failure> {
        let (file, named) = self.file(environment)?;
        let flags = Flags { state: self.state.clone(), profile: self.profile.clone() };
        Ok(Config::load(&file, !named, environment, &flags)?)
    }

    /// The configuration, where there is a file.
    pub(crate) fn read(&self) -> Result<Option<Config>, Failure> {
        let config = self.read_again()?;
        config.iter().flat_map(|config| &config.warnings).for_each(|warning| warn(warning));
        Ok(config)
    }

    /// The state folder: as told, as configured, or the platform's.
    pub(crate) fn state(&self, config: Option<&Config>) -> Result<PathBuf, Failure> {
        let told = || Ok::<_, ConfigError>(if config.is_none() { Environment::ours().state()? } else { None });
        let configured = config.and_then(|config| config.state.clone());
        let state = self.state.clone().or(configured).or(told()?).or_else(default_state);
        state.ok_or_else(|| Failure::new(Exit::Usage, "there is no home folder to keep state in\nhint: name a folder with `--state DIR`"))
    }

    /// The state folder for a command that needs nothing else: told by a flag, it needs no configuration that can be read.
    pub(super) fn state_folder(&self) -> Result<PathBuf, Failure> {
        if let Some(state) = &self.state {
            return Ok(state.clone());
        }
        let aside = |failure: Failure| Failure {
            text: format!("{}\nhint: `--state DIR` names the state folder, and then no configuration is needed", failure.text),
            ..failure
        };
        self.state(self.read().map_err(aside)?.as_ref())
    }

    /// The configuration, for a command that is nothing without one, and the state folder.
    pub(crate) fn configured(&self) -> Result<(Config, PathBuf), Failure> {
        let found = self.found()?;
        found.0.warnings.iter().for_each(|warning| warn(warning));
        Ok(found)
    }

    /// As [`Places::configured`], with the warnings left in it.
    pub(super) fn found(&self) -> Result<(Config, PathBuf), Failure> {
        let environment = Environment::ours();
        let (file, named) = self.file(&environment)?;
        if !named && !file.exists() {
            let hint = "`agent-host init` begins one from what other clients have, `agent-host add NAME -- COMMAND` by hand; another is named with `--config FILE`";
            return Err(Failure::new(Exit::Usage, format!("there is no configuration at {}\nhint: {hint}", file.display())));
        }
        let config = self.layers(&environment)?;
        let state = self.state(Some(&config))?;
        Ok((config, state))
    }

    /// What `serve` runs on. What lies in the folder that its client works in could be written by the model's other tools,
    /// or have come with a checkout; it is taken only where the command line says so.
    pub(crate) fn serving(&self, trust_here: bool) -> Result<(Config, PathBuf), Failure> {
        let (config, state) = self.configured()?;
        if !trust_here {
            all_apart(&config, &state)?;
        }
        Ok((config, state))
    }

    /// Reads the same file, environment and flags whenever it is called. `apart`: nothing of it may lie in the folder that
    /// the client works in, which is this process's.
    pub(crate) fn again(&self, apart: bool) -> Again {
        let places = self.clone();
        Arc::new(move || {
            let (config, state) = places.found()?;
            if apart {
                all_apart(&config, &state)?;
            }
            Ok((config, state))
        })
    }
}

/// Nothing that is served from lies in the folder that the client works in.
fn all_apart(config: &Config, state: &Path) -> Result<(), Failure> {
    let Ok(here) = std::env::current_dir() else { return Ok(()) };
    let home = std::env::var_os("HOME").map(PathBuf::from);
    let lock = Lock::path(config);
    let places = [("configuration", config.path.as_path()), ("lock file", &lock), ("state", state)];
    places.into_iter().try_for_each(|(what, path)| apart(what, path, &here, home.as_deref()))
}

fn apart(what: &str, path: &Path, here: &Path, home: Option<&Path>) -> Result<(), Failure> {
    if !in_project(path, here, home) {
        return Ok(());
    }
    let hint = "keep it elsewhere, or say `--trust-here` if nothing but you writes to that folder";
    let text = format!("the {what} {} lies in the folder that the client works in\nhint: {hint}", path.display());
    Err(Failure::new(Exit::Usage, text))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn the_state_folder_is_as_told_before_as_configured() {
        let config = Config::parse(Path::new("/etc/demo/c.toml"), "state = \"kept\"").unwrap();
        let places = |state: Option<&str>| Places { state: state.map(PathBuf::from), ..Places::default() };
        assert_eq!(places(Some("/told")).state(Some(&config)).unwrap(), PathBuf::from("/told"));
        assert_eq!(places(None).state(Some(&config)).unwrap(), PathBuf::from("/etc/demo/kept"));
    }

    #[test]
    fn up_2_the_file_is_as_told_before_as_the_environment_has_it() {
        let environment: Environment = [("AGENT_HOST_CONFIG", "/env/c.toml")].into_iter().collect();
        let told = Places { config: Some("told.toml".into()), ..Places::default() };
        assert_eq!(told.file(&environment).unwrap(), ("told.toml".into(), true));
        assert_eq!(Places::default().file(&environment).unwrap(), ("/env/c.toml".into(), true));
        let relative: Environment = [("AGENT_HOST_CONFIG", "c.toml")].into_iter().collect();
        let failure = Places::default().file(&relative).unwrap_err();
        assert!(failure.exit == Exit::Usage && failure.text.starts_with("AGENT_HOST_CONFIG: the path is not absolute"), "{}", failure.text);
    }

    #[test]
    fn a_stop_needs_no_readable_configuration() {
        let folder = tempfile::tempdir().unwrap();
        let broken = folder.path().join("c.toml");
        std::fs::write(&broken, "= nonsense").unwrap();
        let places = |state: Option<&str>| Places { config: Some(broken.clone()), state: state.map(PathBuf::from), profile: None };
        assert_eq!(places(Some("/told")).state_folder().unwrap(), PathBuf::from("/told"));
        assert!(places(None).state_folder().unwrap_err().text.contains("hint: `--state DIR` names"));
    }

    #[test]
    fn up_2_attack_63_what_lies_in_the_clients_folder_is_not_served() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("agent-host.toml");
        let failure = apart("configuration", &file, folder.path(), None).unwrap_err();
        assert!(failure.exit == Exit::Usage && failure.text.contains("`--trust-here`"), "{}", failure.text);
        assert!(apart("state", Path::new("/elsewhere"), folder.path(), None).is_ok());
    }
}
