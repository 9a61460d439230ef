//! Who a request over HTTP comes from, as its credential proves.
//!
//! Is: a value, made where credentials are checked and nowhere else; nothing that a client says of itself is in it. Is not:
//! a session; one caller has many. Clauses: SES-4, SES-2 (HTTP). Neighbours: `http` makes it, `mcp` opens sessions for it.

use agent_core::digest::{Digest, Domain, Hasher};
use agent_core::session::{PrincipalId, ProfileId};
use std::time::SystemTime;

/// A proven caller.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    /// Whom its sessions belong to.
    pub principal: PrincipalId,
    /// Its ceiling, where its credential names one.
    pub profile: Option<ProfileId>,
    /// What it came with: the digest of a name that stays while the credential does, itself no secret.
    pub credential: Digest,
    /// When it is over, if it is some day.
    pub until: Option<SystemTime>,
}

impl Caller {
    /// A caller whose credential is of a kind, and has a name there.
    #[must_use]
    pub fn new(principal: PrincipalId, profile: Option<ProfileId>, (kind, name): (&str, &str), until: Option<SystemTime>) -> Self {
        Self { principal, profile, credential: credential(kind, name), until }
    }
}

/// The digest of a credential's kind and name.
#[must_use]
pub fn credential(kind: &str, name: &str) -> Digest {
    Hasher::new(Domain::Credential).part(kind.as_bytes()).part(name.as_bytes()).finish()
}
