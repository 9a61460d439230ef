//! The first words between a relay and a host: one line said, one heard, both JSON; then frames.
//!
//! Is not: a login; the host asks the kernel who connects. Clauses: HOST-1, SES-1 (the key).

use agent_core::session::{PrincipalId, ProfileId, SessionId, SessionName};
use agent_engine::policy::Verdict;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// The version of what is said before the frames; another one is not understood.
pub const DOOR: u32 = 1;

/// What a relay says first.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Hello {
    /// [`DOOR`].
    pub door: u32,
    /// The program's version.
    pub version: String,
    /// The configuration that the client was started with: a host on another one is not its host.
    pub config: PathBuf,
    /// The profile asked for.
    pub profile: Option<ProfileId>,
    /// What the client's environment makes `activation`, where it says something. A looser host is not its host.
    pub activation: Option<Verdict>,
    /// The principal named at launch.
    pub principal: Option<PrincipalId>,
    /// What the launcher calls the conversation.
    pub name: Option<SessionName>,
    /// The session to be taken up again, and its key.
    pub resume: Option<(SessionId, String)>,
}

/// What a host answers that serves the client.
#[derive(Clone, Serialize, Deserialize)]
pub struct Welcome {
    /// The host's version.
    pub version: String,
    /// The host's process.
    pub pid: u32,
    /// The client's session.
    pub session: SessionId,
    /// Its key, shown this once; none where the session was taken up again.
    pub key: Option<String>,
    /// What whoever started the client is told, line by line.
    pub told: Vec<String>,
}

/// What a host answers that doesn't. Every version understands it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Refused {
    /// Why.
    pub refused: String,
    /// What to do.
    pub hint: String,
}

/// Either.
#[derive(Deserialize)]
#[serde(untagged)]
pub(super) enum Answer {
    Welcome(Welcome),
    Refused(Refused),
}
