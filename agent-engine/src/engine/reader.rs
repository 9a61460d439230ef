//! Whoever asks for what servers have besides tools: a session's client, or a principal's outside of any session.
//!
//! Prompts and resources carry no grant, so no session is needed to decide on them: the principal, its profile and the policy in force
//! do. Is not: a way to a tool; nothing is activated or called by it. Clauses: UP-6 (prompts, resources), REV-4, AUD-1.

use super::Front;
use crate::ledger::CommitError;
use crate::session::Cell;
use agent_core::id::{Alias, SourceClass};
use agent_core::safety::echo;
use agent_core::session::{Asker, PrincipalId, ProfileId, SessionId};
use agent_core::transition::{Stream, Transition};
use std::sync::Arc;

/// Who asks.
#[derive(Clone)]
pub struct Reader(Whose);

#[derive(Clone)]
enum Whose {
    Session(Arc<Cell>),
    /// The session that it names is none; rules about principals and profiles read none.
    Principal(Box<Asker>),
}

impl Reader {
    /// The client of a session.
    #[must_use]
    pub const fn of(session: Arc<Cell>) -> Self {
        Self(Whose::Session(session))
    }

    /// For whom.
    #[must_use]
    pub fn principal(&self) -> &PrincipalId {
        match &self.0 {
            Whose::Session(session) => &session.asker().principal,
            Whose::Principal(asker) => &asker.principal,
        }
    }
}

impl Front {
    /// A principal's client outside of any session.
    ///
    /// # Errors
    /// [`CommitError`] where what is recorded of the principal can't be read.
    pub async fn reader(&self, principal: PrincipalId, profile: Option<ProfileId>) -> Result<Reader, CommitError> {
        self.0.views.standing.admit(&self.0.journal, &principal).await?;
        Ok(Reader(Whose::Principal(Box::new(Asker { session: SessionId::new(0), principal, profile }))))
    }

    /// Whether somebody may use what a server has besides tools, now. Told of none where everything is stopped, what it rests on is
    /// not on record, or the session ended.
    #[must_use]
    pub fn relays(&self, reader: &Reader, server: &Alias) -> bool {
        let views = &self.0.views;
        match &reader.0 {
            Whose::Session(session) => {
                let frame = views.frame(session);
                frame.open().is_ok() && frame.policy.policy.relays(&frame.asker, SourceClass::Mcp, server)
            }
            Whose::Principal(asker) => views.open_to(asker) && views.policy.load().policy.relays(asker, SourceClass::Mcp, server),
        }
    }

    /// Records that something of a server's is asked for that is no tool, before it is.
    pub fn relayed(&self, reader: &Reader, server: &Alias, method: &str, about: &str) {
        let what = Transition::Relayed { server: server.clone(), method: method.to_owned(), about: echo(about) };
        let stream = match &reader.0 {
            Whose::Session(session) => session.stream(),
            Whose::Principal(asker) => Stream::Principal(asker.principal.clone()),
        };
        self.0.journal.note(stream, what);
    }
}
