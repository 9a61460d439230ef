//! Why a server can't be used.
//!
//! Is: words for an operator, and whether a credential is what is missing. Clause: UP-10 (the answer).

use super::gate::{LOGIN, LOST, REFUSED, UNREAD, UNSENT};
use agent_core::safety::prose;
use rmcp::model::{ErrorCode, ErrorData};
use rmcp::service::{ClientInitializeError, ServiceError};
use std::fmt;

/// Bytes kept of what a server wrote.
const WORDS: usize = 300;

/// Why there is no connection, or no listing on it. Shown whole to an operator; [`StartError::why`] is for models as well.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct StartError {
    /// Whether a credential is what is missing.
    pub(super) login: bool,
    pub(super) why: String,
    /// The command by which who lacks it gets it, where the host knows one. Of one principal, so it goes with this error alone.
    pub(super) command: Option<String>,
    /// What the program last wrote to its standard error, which may hold secrets.
    said: String,
}

impl fmt::Display for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.why)?;
        if self.said.is_empty() { Ok(()) } else { write!(f, "; it last said: {}", self.said) }
    }
}

impl StartError {
    /// It needs a credential that it wasn't given.
    pub(super) const fn login(why: String) -> Self {
        Self { login: true, why, command: None, said: String::new() }
    }

    /// Anything else.
    pub(super) const fn other(why: String) -> Self {
        Self { login: false, why, command: None, said: String::new() }
    }

    /// Its own answer, which asks for a login. The words are a stranger's, and no command of the operator's.
    fn asks_for_login(message: &str) -> Self {
        Self::login(format!("the server says, not checked: \"{}\"", prose(message, WORDS).replace(['`', '"'], "'")))
    }

    /// An answer that says that a credential is missing: the server's own (MCP 2025-11-25, elicitation by URL), or ours in its
    /// place.
    pub(super) fn of_login(error: &ErrorData) -> Option<Self> {
        match error.code {
            ErrorCode(-32_042) => Some(Self::asks_for_login(&error.message)),
            LOGIN => {
                let command = error.data.as_ref().and_then(|data| data.as_str()).map(str::to_owned);
                Some(Self::login(error.message.to_string()).met_by(command))
            }
            _ => None,
        }
    }

    /// Of a handshake, in words without types.
    pub(super) fn of_handshake(error: &ClientInitializeError) -> Self {
        let why = match error {
            ClientInitializeError::ConnectionClosed(_) => "it closed its output".to_owned(),
            ClientInitializeError::TransportError { .. } => "it closed its input".to_owned(),
            ClientInitializeError::JsonRpcError(error) => return Self::answered("it would not shake hands", error),
            ClientInitializeError::LegacyFallbackFailed { fallback, .. } => return Self::of_handshake(fallback),
            ClientInitializeError::NoCompatibleProtocolVersion { .. } => "it speaks no version of MCP that is known here".to_owned(),
            _ => "its answer is not one to a handshake".to_owned(),
        };
        Self::other(format!("it would not shake hands: {why}"))
    }

    /// Of a request; `what` says which.
    pub(super) fn of_service(what: &str, error: &ServiceError) -> Self {
        match error {
            ServiceError::McpError(error) => Self::answered(what, error),
            ServiceError::TransportSend(_) | ServiceError::TransportClosed => Self::other(format!("{what}: the connection was lost")),
            error => Self::other(format!("{what}: {}", prose(&error.to_string(), WORDS))),
        }
    }

    fn answered(what: &str, error: &ErrorData) -> Self {
        if let Some(login) = Self::of_login(error) {
            return login;
        }
        // Words of our own, which say whose they are.
        if [UNREAD, UNSENT, LOST, REFUSED].contains(&error.code) {
            return Self::other(format!("{what}: {}", error.message));
        }
        Self::other(format!("{what}: it answered: {}", prose(&error.message, WORDS)))
    }

    /// The same with the command that gets what is lacking.
    pub(super) fn met_by(self, command: Option<String>) -> Self {
        Self { command, ..self }
    }

    /// The same with what the program said last.
    pub(super) fn saying(self, said: &str) -> Self {
        Self { said: said.to_owned(), ..self }
    }

    /// The same with more to say of it.
    pub(super) fn and(&self, more: &str) -> Self {
        Self { why: format!("{}; {more}", self.why), ..self.clone() }
    }
}
