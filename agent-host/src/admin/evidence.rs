//! What an answer over the socket proves, and where the host's boundary lies: both from user ids that the kernel tells.
//!
//! Is: pure. Is not: asked of the one who answers; strength is the host's to say. Clauses: AUTH-4 (socket), AUTH-9.
//! Neighbours: `listen` brings the peer, `operator` makes a visitor of it.

use super::Boundary;
use agent_core::request::Strength;

/// The users on both sides of a host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Users {
    host: u32,
    client: u32,
}

impl Users {
    /// A host that runs as one user and is used by clients of another, or of the same.
    #[must_use]
    pub const fn new(host: u32, client: u32) -> Self {
        Self { host, client }
    }

    /// A host that its client started: it runs as the client's own user. Where something in between changed the user,
    /// nothing tells whom the client could still be, so no more is claimed.
    #[must_use]
    pub fn started_by_client() -> Self {
        let us = rustix::process::geteuid().as_raw();
        Self::new(us, us)
    }

    /// The host's own user.
    #[must_use]
    pub const fn host(self) -> u32 {
        self.host
    }

    /// Whether the client can reach what the host rests on. A client of the superuser always can.
    #[must_use]
    pub const fn boundary(self) -> Boundary {
        if self.client == self.host || self.client == 0 { Boundary::SameUser } else { Boundary::SeparateUser }
    }

    /// Whether a user may ask at all.
    pub(super) const fn admits(self, peer: u32) -> bool {
        peer == 0 || peer == self.host
    }

    /// What it proves that a user asks. Another user than the client's proves that the client didn't.
    pub(super) fn strength(self, peer: u32) -> Strength {
        let apart = peer != self.client && self.client != 0;
        if apart { Strength::Strong } else { Strength::Weak }
    }
}

/// A user as records name it.
pub(super) fn name(user: u32) -> String {
    format!("local:{user}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn auth_4_strength_is_of_the_evidence() {
        let strength = |host, client, peer| Users::new(host, client).strength(peer);
        assert_eq!(strength(7, 7, 7), Strength::Weak);
        assert_eq!(strength(7, 7, 0), Strength::Strong);
        assert_eq!(strength(7, 8, 7), Strength::Strong);
        assert_eq!(strength(0, 0, 0), Strength::Weak);
        assert_eq!(strength(7, 0, 7), Strength::Weak, "a client of the superuser can be anybody");
    }

    #[test]
    fn auth_9_no_boundary_is_claimed_that_is_not_there() {
        assert_eq!(Users::new(7, 8).boundary(), Boundary::SeparateUser);
        assert_eq!(Users::new(7, 7).boundary(), Boundary::SameUser);
        assert_eq!(Users::new(7, 0).boundary(), Boundary::SameUser);
        assert_eq!(Users::started_by_client().boundary(), Boundary::SameUser);
        assert_eq!(Boundary::SameUser.as_str(), "same user: advisory only");
    }
}
