//! Why a server can't be used.
//!
//! Is: words for an operator, and whether a credential is what is missing. Clause: UP-10 (the answer).

use agent_core::safety::prose;
use rmcp::model::{ErrorCode, ErrorData};
use rmcp::service::{ClientInitializeError, ServiceError};

/// Bytes kept of what a server wrote.
const WORDS: usize = 300;

/// Why there is no connection, or no listing on it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum StartError {
    /// It needs a credential that it wasn't given.
    #[error("{0}")]
    NeedsLogin(String),
    /// Anything else.
    #[error("{0}")]
    Other(String),
}

impl StartError {
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
        Self::Other(format!("it would not shake hands: {why}"))
    }

    /// Of a request; `what` says which.
    pub(super) fn of_service(what: &str, error: &ServiceError) -> Self {
        match error {
            ServiceError::McpError(error) => Self::answered(what, error),
            ServiceError::TransportSend(_) | ServiceError::TransportClosed => Self::Other(format!("{what}: the connection was lost")),
            error => Self::Other(format!("{what}: {}", prose(&error.to_string(), WORDS))),
        }
    }

    fn answered(what: &str, error: &ErrorData) -> Self {
        let why = format!("{what}: it answered: {}", prose(&error.message, WORDS));
        if needs_login(error.code) { Self::NeedsLogin(why) } else { Self::Other(why) }
    }

    /// The same with what the program said last.
    pub(super) fn saying(self, said: &str) -> Self {
        let with = |why: String| if said.is_empty() { why } else { format!("{why}; it last said: {said}") };
        match self {
            Self::NeedsLogin(why) => Self::NeedsLogin(with(why)),
            Self::Other(why) => Self::Other(with(why)),
        }
    }
}

/// Whether an answer says that a person has to go somewhere first (MCP 2025-11-25, elicitation by URL).
pub(super) const fn needs_login(code: ErrorCode) -> bool {
    code.0 == -32_042
}
