//! Bearer tokens: made, found again by what a client presents, and taken back.
//!
//! A token says whom its bearer is taken for, and nothing of what they may do. Is not: transport, nor the sessions that a
//! bearer opened; whoever keeps those follows [`Desk::watch_tokens`](crate::desk::Desk::watch_tokens). Clauses: SES-4 (tokens), AUD-1. Invariants: I-4, I-8.

use crate::ledger::{CommitError, Journal};
use crate::view::Views;
use agent_core::limits::{TOKEN_MS, TOKENS};
use agent_core::session::{PrincipalId, ProfileId, TokenId, TokenNote};
use agent_core::state::HostState;
use agent_core::time::{Entropy, Instant};
use agent_core::token::{Token, TokenRecord};
use agent_core::transition::Transition;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;

/// The ids of the tokens that stand.
pub type Standing = Arc<BTreeSet<TokenId>>;

/// What a token is to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wanted {
    /// Whom its bearer is taken for.
    pub principal: PrincipalId,
    /// The ceiling of its bearer's sessions.
    pub profile: Option<ProfileId>,
    /// How long it stands; without one until it is taken back.
    pub lasts: Option<Duration>,
    /// Whether it may stand in a URL.
    pub url: bool,
    /// What the operator writes beside it.
    pub note: Option<TokenNote>,
}

/// Why no token was made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotMade {
    /// The policy in force doesn't have the profile; it has these.
    #[error("no profile `{0}`")]
    NoProfile(ProfileId, Vec<ProfileId>),
    /// As many as may be stand already.
    #[error("{TOKENS} tokens stand, and no more may")]
    Full,
    /// It could not be recorded.
    #[error(transparent)]
    Commit(#[from] CommitError),
}

/// What became of a token that was to be taken back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TakenBack {
    /// Whether there was such a token.
    pub known: bool,
    /// Whether it is recorded; it is in effect either way.
    pub recorded: bool,
}

/// The tokens of a host.
pub struct Tokens {
    views: Arc<Views>,
    journal: Arc<Journal>,
    entropy: Arc<dyn Entropy>,
    standing: watch::Sender<Standing>,
}

impl Tokens {
    pub(crate) fn new(views: Arc<Views>, journal: Arc<Journal>, entropy: Arc<dyn Entropy>) -> Self {
        let tokens = Self { views, journal, entropy, standing: watch::Sender::default() };
        tokens.look();
        tokens
    }

    /// Makes a token, recorded before it is worth anything.
    // INVARIANT: I-8
    pub(crate) async fn create(&self, wanted: Wanted, by: &str) -> Result<(Arc<TokenRecord>, Token), NotMade> {
        let Wanted { principal, profile, lasts, url, note } = wanted;
        let policy = self.views.policy.load_full();
        if let Some(profile) = profile.as_ref().filter(|profile| !policy.policy.profiles.contains_key(profile)) {
            return Err(NotMade::NoProfile(profile.clone(), policy.policy.profiles.keys().cloned().collect()));
        }
        let (token, made) = (Token::new(self.entropy.bits(), self.entropy.bits()), self.views.clock.now());
        let most = |lasts: Duration| u64::try_from(lasts.as_millis()).unwrap_or(TOKEN_MS).min(TOKEN_MS);
        let until = lasts.map(|lasts| made.after(most(lasts)));
        let id = TokenId::new(self.entropy.bits());
        let record = Arc::new(TokenRecord { id, principal, profile, digest: token.digest(), url, note, made, until });
        let room = |host: &HostState| host.tokens.values().filter(|held| !held.over(made)).count() < TOKENS;
        let plan = |host: &HostState| room(host).then(|| Transition::TokenMade { token: record.clone(), by: by.to_owned() });
        let made = self.views.standing.change(&self.journal, plan).await?;
        self.look();
        if made { Ok((record, token)) } else { Err(NotMade::Full) }
    }

    /// Takes a token back. Once it returns, nobody is found by it.
    pub(crate) async fn revoke(&self, id: TokenId, by: &str) -> TakenBack {
        if !self.all().iter().any(|token| token.id == id) {
            return TakenBack { known: false, recorded: true };
        }
        let entry = self.views.standing.narrow(&self.journal, Transition::TokenRevoked { id, by: by.to_owned() });
        self.look();
        let recorded = self.journal.commit(Vec::new(), vec![entry]).await.is_ok();
        TakenBack { known: true, recorded }
    }

    /// Those that stand, oldest first.
    pub(crate) fn all(&self) -> Vec<Arc<TokenRecord>> {
        let now = self.views.clock.now();
        let mut tokens: Vec<_> = standing(&self.views.standing.host().state, now).cloned().collect();
        tokens.sort_by_key(|token| (token.made.wall, token.id));
        tokens
    }

    /// What a text is worth as a token. It is found by its digest: how long that takes tells nothing of a secret, since
    /// nobody can choose the digest of what they present.
    pub(crate) fn find(&self, text: &str) -> Option<Arc<TokenRecord>> {
        let token = Token::parse(text)?;
        let (host, now) = (self.views.standing.host(), self.views.clock.now());
        let record = host.state.tokens.get(&token.digest())?;
        (token.matches(&record.digest) && record.stands(now)).then(|| record.clone())
    }

    /// Wakes whenever other tokens stand than before.
    pub(crate) fn watch(&self) -> watch::Receiver<Standing> {
        self.standing.subscribe()
    }

    /// Tells those who watch, if there is something to tell. The tokens are read in the watch's lock, so that nobody is
    /// told of an earlier state last.
    // INVARIANT: I-4
    pub(crate) fn look(&self) {
        self.standing.send_if_modified(|told| {
            let now = self.views.clock.now();
            let ids: BTreeSet<_> = standing(&self.views.standing.host().state, now).map(|token| token.id).collect();
            let other = ids != **told;
            if other {
                *told = Arc::new(ids);
            }
            other
        });
    }
}

fn standing(host: &HostState, now: Instant) -> impl Iterator<Item = &Arc<TokenRecord>> {
    host.tokens.values().filter(move |token| token.stands(now))
}
