//! A server as it is configured, with whoever keeps its login; and what is said of it where it lacks a credential.
//!
//! Is: whether what the operator configured can be read, and the words. Is not: a connection, nor a login; the operator's
//! command is shown and never run. Clauses: UP-10, AUTH-8.

use super::authorize::Authorize;
use super::health::Health;
use super::news::{News, Told};
use super::questions::{Questions, Way};
use super::start_error::StartError;
use crate::config::{self, Asked};
use crate::egress::Clients;
use agent_core::id::Alias;
use std::sync::Arc;

/// What a connection is made to.
#[derive(Clone)]
pub(super) struct Target {
    pub(super) alias: Alias,
    pub(super) settings: config::Server,
    pub(super) logins: Arc<dyn Authorize>,
    pub(super) clients: Arc<Clients>,
    /// Who puts its questions to persons.
    pub(super) way: Way,
    /// Where it is told what it says of its prompts and resources.
    pub(super) told: Told,
}

impl Target {
    /// Whether everything that it is to be given can be read now. Nothing is kept, so what was put in its place since is found.
    pub(super) fn credentials(&self) -> Result<(), StartError> {
        self.settings.given().try_for_each(|(_, variable)| variable.read().map(drop)).map_err(StartError::login)
    }

    /// The questions of a new connection, where the operator has them put to persons.
    pub(super) fn questions(&self) -> Option<Questions> {
        self.settings.questions.map(|Asked::Operator| Questions::new(self.alias.clone(), self.way.clone()))
    }

    /// What a new connection says of its prompts and resources.
    pub(super) fn news(&self) -> News {
        News::new(&self.alias, &self.settings, self.told.clone())
    }

    /// The state of a server that lacks something; `why` is the error's own, with or without what the program wrote.
    pub(super) fn needs_login(&self, error: &StartError, why: String) -> Health {
        Health::NeedsLogin { why, command: self.settings.login.clone().or_else(|| error.command.clone()) }
    }

    /// An error as an operator reads it.
    pub(super) fn told(&self, error: &StartError) -> String {
        if error.login { self.needs_login(error, error.to_string()).to_string() } else { error.to_string() }
    }

    /// An error as a model reads it: without what the program wrote to its standard error.
    pub(super) fn told_to_model(&self, error: &StartError) -> String {
        if error.login { self.needs_login(error, error.why.clone()).to_string() } else { error.why.clone() }
    }
}
