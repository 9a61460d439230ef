//! What is said of a server that lacks a credential.
//!
//! Is: whether what the operator configured can be read, and the words. Is not: a login; the operator's command is shown and
//! never run. Clause: UP-10.

use super::health::Health;
use super::start_error::StartError;
use crate::config;

/// Whether every variable that a server is to be given can be read now. Nothing is kept, so what was put in its place since
/// is found.
pub(super) fn credentials(settings: &config::Server) -> Result<(), StartError> {
    settings.env.values().try_for_each(|variable| variable.read().map(drop)).map_err(StartError::login)
}

/// The state of a server that lacks something.
pub(super) fn needed(settings: &config::Server, why: String) -> Health {
    Health::NeedsLogin { why, command: settings.login.clone() }
}

/// An error as an operator reads it.
pub(super) fn told(settings: &config::Server, error: &StartError) -> String {
    if error.login { needed(settings, error.to_string()).to_string() } else { error.to_string() }
}

/// An error as a model reads it: without what the program wrote to its standard error.
pub(super) fn told_to_model(settings: &config::Server, error: &StartError) -> String {
    if error.login { needed(settings, error.why.clone()).to_string() } else { error.why.clone() }
}

/// The same where a search tells of a server that lacks something; nothing of where it was looked for.
pub(super) fn told_to_asker(command: Option<&str>) -> String {
    command.map_or_else(|| "it needs login, by a person".to_owned(), |command| format!("it needs login, a person runs `{command}`"))
}
