//! What an operator or a channel may do: see what waits, answer, take back, stop, accept, publish, hand out tokens.
//!
//! Is: the face that a client is never given. Is not: a login; the host knows who sits at the desk.
//! Clauses: AUTH-5, AUTH-6, POL-4, GATE-1, REV-1, REV-4, CAT-7, CAT-8, POL-2, CAT-6, AUTH-8, SES-4 (tokens).

use crate::activation::{Answering, Settled, Word};
use crate::carry;
use crate::catalog::Snapshot;
use crate::gate::{Explanation, explain};
use crate::inquiry::{Attending, Inquiring, Replying, Unanswered};
use crate::ledger::{CommitError, Journal};
use crate::policy::{Judged, Policy};
use crate::revocation::{Revocation, Revoked, Scope};
use crate::search::{Explained, Search, Synonyms};
use crate::session::{Cell, Narrowed, Registry};
use crate::token::{NotMade, Standing, TakenBack, Tokens, Wanted};
use crate::view::{InForce, Views};
use agent_core::digest::Digest;
use agent_core::id::{Alias, ToolId};
use agent_core::inquiry::{Answerer, Inquiry, Reply};
use agent_core::request::{Answer, Question};
use agent_core::session::{Asker, Bound, PrincipalId, ProfileId, RequestId, SessionId, TokenId, Visibility};
use agent_core::state::{HostState, PrincipalState, StandingApproval};
use agent_core::time::Instant;
use agent_core::token::{Token, TokenRecord};
use agent_core::transition::Transition;
use std::sync::Arc;
use tokio::sync::watch;

/// The operator's face.
#[derive(Clone)]
pub struct Desk {
    answering: Answering,
    replying: Replying,
    revocation: Arc<Revocation>,
    views: Arc<Views>,
    journal: Arc<Journal>,
    sessions: Arc<Registry>,
    search: Arc<Search>,
    tokens: Arc<Tokens>,
}

impl Desk {
    pub(crate) fn new(
        answering: Answering,
        revocation: Arc<Revocation>,
        views: Arc<Views>,
        journal: Arc<Journal>,
        sessions: Arc<Registry>,
        search: Arc<Search>,
        tokens: Arc<Tokens>,
    ) -> Self {
        let replying = Replying::new(views.clone(), journal.clone(), sessions.clone());
        Self { answering, replying, revocation, views, journal, sessions, search, tokens }
    }

    /// Everything that waits for a person, oldest first.
    #[must_use]
    pub fn waiting(&self) -> Vec<Question> {
        self.answering.waiting()
    }

    /// Answers one request.
    pub async fn answer(&self, session: SessionId, request: RequestId, answer: Answer) -> Settled {
        self.answering.answer(session, request, answer).await
    }

    /// Who decided a request, and what: of the last that persons decided since the process began.
    #[must_use]
    pub fn decided(&self, request: RequestId) -> Option<Word> {
        self.answering.decided(request)
    }

    /// The questions that are about no permission and wait for a person, oldest first.
    #[must_use]
    pub fn inquiries(&self) -> Vec<Inquiry> {
        self.replying.waiting()
    }

    /// Answers one of them. Of two answers the first decides.
    ///
    /// # Errors
    /// [`Unanswered::NotAChoice`], after which it waits on, and [`Unanswered::Failed`].
    pub async fn reply(&self, session: SessionId, index: u64, reply: Reply, by: Answerer) -> Result<(), Unanswered> {
        self.replying.reply(session, index, reply, by).await
    }

    /// Says that persons can be asked, as long as what it gives is held. Where nobody holds one, nothing is asked.
    #[must_use]
    pub fn attend(&self) -> Attending {
        self.replying.attend()
    }

    /// What asks: for whoever runs calls, who can't answer by it.
    #[must_use]
    pub fn inquiring(&self) -> Inquiring {
        self.replying.asker()
    }

    /// Every session of this host.
    #[must_use]
    pub fn sessions(&self) -> Vec<Arc<Cell>> {
        self.sessions.all()
    }

    /// Why a session may or may not call a tool now. None where this host has no such session.
    #[must_use]
    pub fn why(&self, session: SessionId, tool: &ToolId) -> Option<Explanation> {
        let cell = self.sessions.find(session)?;
        Some(explain(&self.views.frame(&cell), tool, cell.listing(), cell.running().len()))
    }

    /// What would become of a principal's request for a tool, session apart, and which rule says so. None where the catalog
    /// does not have the tool.
    ///
    /// # Errors
    /// [`CommitError`] where what the principal was denied can't be read.
    pub async fn judge(&self, principal: &PrincipalId, profile: Option<&ProfileId>, tool: &ToolId) -> Result<Option<Judged>, CommitError> {
        let Some(tool) = self.views.catalog.current().get(tool.as_str()).cloned() else { return Ok(None) };
        let known = self.views.standing.seen(&self.journal, principal).await?;
        let asker = Asker { session: SessionId::new(0), principal: principal.clone(), profile: profile.cloned() };
        let (policy, host) = (self.views.policy.load_full(), self.views.standing.host().state);
        Ok(Some(policy.policy.judge(&asker, &tool.descriptor, &host, &known, self.views.clock.now())))
    }

    /// The policy in force, and its digest.
    #[must_use]
    pub fn policy(&self) -> Arc<InForce> {
        self.views.policy.load_full()
    }

    /// Takes back; see [`Revocation::revoke`].
    pub async fn revoke(&self, scope: &Scope, by: &str, cancel: bool) -> Vec<Revoked> {
        self.revocation.revoke(scope, by, cancel).await
    }

    /// Ends a session under its client: it loses all that it holds and waits for, and its running calls are given up. None
    /// where this host has no such session.
    pub async fn end(&self, session: SessionId, by: &str) -> Option<(Arc<Cell>, Narrowed)> {
        let cell = self.sessions.find(session)?;
        let narrowed = self.revocation.end(&cell, by).await;
        Some((cell, narrowed))
    }

    /// Stops every activation and start; in effect once it returns. Returns whether it is recorded.
    pub async fn stop(&self, by: &str) -> bool {
        self.revocation.stop(by).await
    }

    /// Lifts the stop.
    ///
    /// # Errors
    /// [`CommitError`] where it could not be recorded; the stop stands then.
    pub async fn resume(&self, by: &str) -> Result<(), CommitError> {
        self.revocation.resume(by).await
    }

    /// Who stopped everything, while it is stopped.
    #[must_use]
    pub fn stopped(&self) -> Option<String> {
        self.views.standing.host().state.stopped.clone()
    }

    /// Since when everything is stopped, where that is known.
    #[must_use]
    pub fn stopped_since(&self) -> Option<Instant> {
        self.views.standing.host().state.stopped_since
    }

    /// Forgets a principal's denials, and those of its sessions, so that a person can be asked again: those of one tool,
    /// or all.
    ///
    /// # Errors
    /// [`CommitError`] of the first that could not be recorded. The others are cleared; what was not recorded stands.
    pub async fn clear_denials(&self, principal: &PrincipalId, tool: Option<&ToolId>, by: &str) -> Result<(), CommitError> {
        self.views.standing.admit(&self.journal, principal).await?;
        let what = Transition::DenialsCleared { tool: tool.cloned(), by: by.to_owned() };
        let at = self.views.standing.principal(principal).version;
        let entry = self.views.standing.principal_entry(principal, at, what.clone());
        self.journal.commit(Vec::new(), vec![entry]).await?;
        let mut done = Ok(());
        for cell in self.sessions.all().iter().filter(|cell| cell.asker().principal == *principal && !cell.state().ended) {
            done = done.and(cell.append(&self.journal, what.clone()).await);
        }
        done
    }

    /// Every standing approval of every principal (POL-4), by principal and id.
    ///
    /// # Errors
    /// [`CommitError`] where the ledger can't be read.
    pub async fn standing_approvals(&self) -> Result<Vec<(PrincipalId, ToolId, StandingApproval)>, CommitError> {
        let everybody = self.views.standing.everybody(&self.journal).await?;
        let of = |(principal, state): (PrincipalId, Arc<PrincipalState>)| {
            let given: Vec<_> = state.standing.iter().map(|(id, given)| (principal.clone(), id.clone(), given.clone())).collect();
            given
        };
        Ok(everybody.into_iter().flat_map(of).collect())
    }

    /// What persons said no to and is still remembered of it (AUTH-6), by principal, id and digest, and until when.
    ///
    /// # Errors
    /// [`CommitError`] where the ledger can't be read.
    pub async fn denials(&self) -> Result<Vec<(PrincipalId, Bound, Instant)>, CommitError> {
        let (everybody, now) = (self.views.standing.everybody(&self.journal).await?, self.views.clock.now());
        let mut found = Vec::new();
        for (principal, state) in everybody {
            let noes = state.denied.iter().flat_map(|(id, digests)| digests.iter().map(move |(digest, until)| (id, digest, until)));
            let stand = noes.filter(|(_, _, until)| !now.reached(**until));
            found.extend(stand.map(|(id, digest, until)| (principal.clone(), Bound { id: id.clone(), digest: *digest }, *until)));
        }
        Ok(found)
    }

    /// Which of these a principal is granted without being asked, by what a person said before. Of a principal with a session here.
    #[must_use]
    pub fn stands(&self, principal: &PrincipalId, tools: &[ToolId]) -> Vec<ToolId> {
        let given = self.views.standing.principal(principal).state;
        tools.iter().filter(|tool| given.standing.contains_key(*tool)).cloned().collect()
    }

    /// Takes back a principal's standing approval of one tool, or all of them: the next request asks a person again. What
    /// sessions hold by then they keep; [`Desk::revoke`] takes that.
    ///
    /// # Errors
    /// [`CommitError`] where the principal's state can't be read; nothing was taken back then.
    pub async fn withdraw_standing(&self, principal: &PrincipalId, tool: Option<&ToolId>, by: &str) -> Result<NoLonger, CommitError> {
        let standing = &self.views.standing;
        standing.admit(&self.journal, principal).await?;
        let given = standing.principal(principal).state;
        let tools: Vec<_> = given.standing.keys().filter(|id| tool.is_none_or(|tool| tool == *id)).cloned().collect();
        if tools.is_empty() {
            return Ok(NoLonger { tools, recorded: true });
        }
        let what = Transition::StandingRevoked { tool: tool.cloned(), by: by.to_owned() };
        let entry = standing.narrow_principal(&self.journal, principal, what);
        let recorded = self.journal.commit(Vec::new(), vec![entry]).await.is_ok();
        Ok(NoLonger { tools, recorded })
    }

    /// Makes a bearer token. Its secret is nowhere but in the answer.
    ///
    /// # Errors
    /// [`NotMade`]; no token of it is worth anything then.
    pub async fn create_token(&self, wanted: Wanted, by: &str) -> Result<(Arc<TokenRecord>, Token), NotMade> {
        self.tokens.create(wanted, by).await
    }

    /// Takes a bearer token back: nobody is found by it once this returns, and [`Desk::watch_tokens`] has woken.
    pub async fn revoke_token(&self, id: TokenId, by: &str) -> TakenBack {
        self.tokens.revoke(id, by).await
    }

    /// The bearer tokens that stand, oldest first.
    #[must_use]
    pub fn tokens(&self) -> Vec<Arc<TokenRecord>> {
        self.tokens.all()
    }

    /// What a text that a client presents is worth as a bearer token now. An unknown one, one that was taken back and one
    /// that is over are the same nothing. It waits for nobody, and is meant for every request.
    #[must_use]
    pub fn token(&self, text: &str) -> Option<Arc<TokenRecord>> {
        self.tokens.find(text)
    }

    /// The bearer tokens that stand, and a wake whenever others do: at once when one is made or taken back, and with a
    /// tick when one comes to its end. Who opens a session by a token looks here once more after noting it down.
    #[must_use]
    pub fn watch_tokens(&self) -> watch::Receiver<Standing> {
        self.tokens.watch()
    }

    /// Accepts definitions as they are live now. Grants of other digests are dropped, never revived (CAT-8).
    ///
    /// # Errors
    /// [`NotAccepted`] where one is not the live definition any more, or it could not be recorded; nothing is then.
    pub async fn accept(&self, bounds: Vec<Bound>) -> Result<(), NotAccepted> {
        let catalog = self.views.catalog.current();
        let live = |bound: &Bound| catalog.get(bound.id.as_str()).is_some_and(|tool| tool.descriptor.digest == bound.digest);
        if let Some(moved) = bounds.iter().find(|bound| !live(bound)) {
            return Err(NotAccepted::Moved(moved.clone()));
        }
        let pinned = |_: &HostState| Some(Transition::Pinned { bounds: bounds.clone() });
        let done = self.views.standing.change(&self.journal, pinned).await;
        self.carry_over().await;
        done.map(drop).map_err(NotAccepted::Commit)
    }

    /// Uses these synonyms for every search from now on. They decide nothing but what is found (I-5).
    pub fn use_synonyms(&self, synonyms: Synonyms) {
        self.search.use_synonyms(synonyms);
    }

    /// The catalog in force.
    #[must_use]
    pub fn catalog(&self) -> Arc<Snapshot> {
        self.views.catalog.current()
    }

    /// Why a search over the whole catalog answers what it answers, tools withheld from models included. For people: nothing that
    /// a model is told comes from here.
    ///
    /// # Errors
    /// What stood in the way of the index.
    pub async fn search(&self, words: &str, limit: usize, server: Option<&Alias>) -> Result<Explained, String> {
        let snapshot = self.catalog();
        let everything = Visibility { hidden: Arc::default(), digest: snapshot.digest() };
        self.search.explain(&snapshot, &everything, words, limit, server).await.map_err(|error| error.to_string())
    }

    /// What holds for the whole host: the stop, the pins, the tokens.
    #[must_use]
    pub fn host(&self) -> Arc<HostState> {
        self.views.standing.host().state
    }

    /// The host's clock.
    #[must_use]
    pub fn now(&self) -> Instant {
        self.views.clock.now()
    }

    /// One session of this host.
    #[must_use]
    pub fn session(&self, session: SessionId) -> Option<Arc<Cell>> {
        self.sessions.find(session)
    }

    /// Publishes a catalog, and carries every session over to it. None where it changes nothing.
    pub async fn publish(&self, snapshot: Snapshot) -> Option<Arc<Snapshot>> {
        let published = self.views.catalog.publish(snapshot)?;
        self.revocation.barrier();
        self.carry_over().await;
        Some(published)
    }

    /// Puts a policy in force: published, then every session's lock taken once, then recorded and carried over. Returns
    /// its digest, and whether it is recorded; it is in effect either way.
    pub async fn put_in_force(&self, policy: Policy) -> (Digest, bool) {
        let in_force = InForce::new(policy);
        let digest = in_force.digest;
        self.views.policy.store(in_force);
        self.revocation.barrier();
        let set = |host: &HostState| (host.policy != Some(digest)).then_some(Transition::PolicySet { policy: digest });
        let recorded = self.views.standing.change(&self.journal, set).await.is_ok();
        self.carry_over().await;
        (digest, recorded)
    }

    /// Ends what came to its end, tries again to record what could not be, and writes down counted refusals. Hosts call
    /// it every second or so; nothing that is enforced waits for it.
    pub async fn tick(&self) {
        self.views.standing.mend_host(&self.journal).await;
        for cell in self.sessions.all() {
            self.views.standing.mend(&self.journal, &cell.asker().principal).await;
            cell.mend(&self.journal).await;
            self.revocation.forget(&cell);
        }
        self.carry_over().await;
        self.tokens.look();
        self.journal.flush();
    }

    async fn carry_over(&self) {
        for cell in self.sessions.all() {
            carry::over(&self.views, &self.journal, &cell).await;
        }
    }
}

/// Which standing approvals were taken back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoLonger {
    /// Of which tools, by id.
    pub tools: Vec<ToolId>,
    /// Whether it is recorded; it is in effect either way.
    pub recorded: bool,
}

/// Why a definition was not accepted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotAccepted {
    /// It is not the live definition.
    #[error("`{}` has another definition now", .0.id)]
    Moved(Bound),
    /// It could not be recorded.
    #[error(transparent)]
    Commit(#[from] CommitError),
}
