//! One handler for each request, over the engine's desk.
//!
//! What an operator's role does not allow is not done, and what lies beyond the principals it is over is not there.
//! Is not: a login, nor what it proves; whoever took the operator in says that. Clauses: AUTH-4, AUTH-8, CAT-8 (accept), HOST-2, REV-1, REV-2, REV-4, SES-4 (tokens). Invariant: I-3.

use super::evidence::Users;
use super::look::Looks;
use super::operator::{Operator, Over, Role};
use super::passphrase::{Lock, Secret, Unproved};
use super::{
    Answered, Reloaded, Replied, Request, Response, Session, Stop, Whole, Why, explain, questions, revoke, standing as approvals, token,
};
use crate::config::Config;
use crate::upstream::{Health, Upstreams};
use agent_core::id::Alias;
use agent_core::inquiry::Reply;
use agent_core::refusal::Refusal;
use agent_core::request::{Answer, Decision, Question};
use agent_core::safety::echo;
use agent_core::session::{Listing, PrincipalId, RequestId, SessionId};
use agent_core::state::Settlement;
use agent_engine::activation::Settled;
use agent_engine::desk::{Desk, NotAccepted};
use agent_engine::inquiry::Attending;
use agent_engine::projection::text::refusal;
use agent_engine::session::Cell;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, OnceLock};
use tokio::sync::{mpsc, oneshot, watch};

/// What a handler has: the desk, and what it takes to judge who sits at it.
#[derive(Clone)]
pub struct Office {
    pub(super) desk: Desk,
    pub(super) users: Users,
    lock: Arc<Lock>,
    servers: Option<Arc<Upstreams>>,
    reload: Option<AskReload>,
    pub(super) looks: Arc<Looks>,
    config: Option<watch::Receiver<Arc<Config>>>,
    console: Arc<OnceLock<String>>,
}

/// Where whoever reloads is asked to. It answers each with what it came to.
pub type AskReload = mpsc::Sender<oneshot::Sender<Reloaded>>;

impl Office {
    /// The office of a host on a state folder.
    #[must_use]
    pub fn new(state: &Path, desk: Desk, users: Users) -> Self {
        let looks = Arc::new(Looks::new(state.to_owned()));
        let (config, console) = (None, Arc::default());
        Self { desk, users, lock: Arc::new(Lock::new(state)), servers: None, reload: None, looks, config, console }
    }

    /// With the servers that the host runs.
    #[must_use]
    pub fn with(self, servers: Arc<Upstreams>) -> Self {
        Self { servers: Some(servers), ..self }
    }

    /// With whoever reloads the configuration.
    #[must_use]
    pub fn reloading(self, reload: AskReload) -> Self {
        Self { reload: Some(reload), ..self }
    }

    /// How each server is; none of a host that runs no servers.
    pub(super) fn health(&self) -> BTreeMap<Alias, Health> {
        self.servers.iter().flat_map(|servers| servers.health()).collect()
    }

    /// The same for an operator.
    fn health_for(&self, operator: &Operator) -> BTreeMap<Alias, Health> {
        let whole = operator.over == Over::All && operator.role == Role::Admin;
        let told = |(alias, health)| (alias, if whole { health } else { veiled(health) });
        self.health().into_iter().map(told).collect()
    }

    /// Under a configuration, which says who may answer for themselves.
    #[must_use]
    pub fn under(self, config: watch::Receiver<Arc<Config>>) -> Self {
        Self { config: Some(config), ..self }
    }

    /// Notes where the operator's pages are served.
    pub(crate) fn serves(&self, url: String) {
        // A host opens one console.
        let _ = self.console.set(url);
    }

    /// Now by the host's clock, in milliseconds since the epoch.
    pub(crate) fn now(&self) -> u64 {
        self.desk.now().wall
    }

    /// Says that operators can be asked, as long as what it gives is held.
    pub(super) fn attend(&self) -> Attending {
        self.desk.attend()
    }

    /// Who stopped everything, while it is stopped.
    pub(crate) fn stopped(&self) -> Option<String> {
        self.desk.stopped()
    }

    /// Whether an answer would be an operator's own yes to themselves, where that counts for nothing. A principal of an
    /// operator's own name is that operator.
    /// Who proves to know the owner's passphrase is the owner too.
    fn bars(&self, operator: &Operator, principal: &PrincipalId, owner: bool) -> bool {
        let Some(config) = self.config.as_ref().map(|config| config.borrow().clone()) else { return false };
        let mut names = [operator.name.as_str()].into_iter().chain(owner.then_some(OWNER));
        let is = |name: &str| config.operators.get(name).is_some_and(|named| named.is.contains(principal)) || principal.as_str() == name;
        !config.own && names.any(is)
    }

    /// Whether the owner's passphrase is anybody's: among named operators `owner` is one only where it is named.
    fn owned(&self) -> bool {
        let Some(config) = self.config.as_ref().map(|config| config.borrow().clone()) else { return true };
        config.operators.is_empty() || config.operators.contains_key(OWNER)
    }

    async fn reload(&self) -> Option<Reloaded> {
        let (tell, told) = oneshot::channel();
        self.reload.as_ref()?.send(tell).await.ok()?;
        told.await.ok()
    }
}

/// The operator who is there where none is named.
const OWNER: &str = "owner";
/// Said in place of what an admin over everybody is told.
const VEILED: &str = "an admin over everybody is told why";

/// The state alone: what a server said last may be about anybody's call.
fn veiled(health: Health) -> Health {
    match health {
        Health::Failed { retry_in, .. } => Health::Failed { why: VEILED.to_owned(), retry_in },
        Health::NeedsLogin { .. } => Health::NeedsLogin { why: VEILED.to_owned(), command: None },
        health => health,
    }
}

/// Does what an operator asks, as far as they may.
pub async fn handle(office: &Office, operator: &Operator, request: Request) -> Response {
    if let Some(lacks) = operator.lacks(&request) {
        return failed(format!("`{}` may not {lacks}", echo(&operator.name)), "ask an operator who may");
    }
    if let Some(principal) = request.principal().filter(|principal| !operator.sees(principal)) {
        return failed(format!("`{}` is not a principal of yours", echo(principal.as_str())), "ask an operator who is over it");
    }
    let (desk, by) = (&office.desk, &operator.name);
    let boundary = office.users.boundary();
    match request {
        Request::Servers {} => Response::Servers { health: office.health_for(operator), stopped: stop(desk) },
        Request::Sessions {} => {
            Response::Sessions { sessions: seen(desk, operator).iter().map(|cell| session(cell)).collect(), stopped: stop(desk), boundary }
        }
        Request::SessionList { list } => office.session_list(operator, &list),
        Request::Session { session } => Response::Session { session: find(desk, operator, session).map(|cell| Box::new(whole(&cell))) },
        Request::Overview { span } => office.overview(operator, span).await,
        Request::Catalog { server, after } => office.catalog(server.as_ref(), after.as_ref()),
        Request::Search { words, server } => office.search(&words, server.as_ref()).await,
        Request::Tool { id } => office.tool(&id).await,
        Request::Policy {} => office.policy(operator),
        Request::Records { records } => office.records(operator, records).await,
        Request::Verify {} => office.verify().await,
        Request::Approvals {} => {
            let waiting: Vec<Question> = desk.waiting().into_iter().filter(|question| operator.sees(&question.asker.principal)).collect();
            let shown = waiting.iter().map(|question| (question.id, question.digest())).collect();
            Response::Approvals { waiting, shown, stopped: stop(desk), boundary }
        }
        Request::Answer { session, request, shown, answer, passphrase } => {
            office.answer(operator, session, request, Shown { digest: shown, decision: answer }, passphrase).await
        }
        Request::Denials {} => approvals::denials(desk, operator).await,
        Request::Questions {} => questions::waiting(desk, operator),
        Request::Reply { session, index, reply } => match questions::find(desk, operator, session, index) {
            Some(inquiry) if reply != Reply::Declined && office.bars(operator, &inquiry.asker.principal, false) => failed(
                format!("nothing was answered: `{}` would answer for themselves", echo(&operator.name)),
                "another operator can; `[approval] own = true` lets each answer for themselves",
            ),
            Some(_) => questions::reply(desk, operator, session, index, reply).await,
            None => Response::Replied { replied: Replied::Gone },
        },
        Request::Standing {} => approvals::list(desk, operator).await,
        Request::WithdrawStanding { principal, tool } => approvals::withdraw(desk, &principal, tool.as_ref(), by).await,
        Request::ClearDenials { principal, tool } => match desk.clear_denials(&principal, tool.as_ref(), by).await {
            Ok(()) => Response::Cleared,
            Err(error) => failed(format!("the denials stand, or a part of them: {error}"), "try again"),
        },
        Request::Why { session, tool } => {
            let why = find(desk, operator, session).and_then(|_| desk.why(session, &tool)).map(|why| {
                let listing = why.facts.listing.unwrap_or_default();
                let text = |why: &Refusal| refusal(why, listing);
                let (refused, by_name) = (why.refusal.as_ref().map(text), why.by_name.as_ref().map(text));
                Box::new(Why { refused, by_name, conditions: why.conditions, facts: why.facts })
            });
            Response::Why { why }
        }
        Request::Explain { principal, profile, tool } => explain::explain(desk, operator, principal, profile, tool).await,
        Request::Revoke { scope, running } => {
            let taken = match scope.session().is_none_or(|named| find(desk, operator, named).is_some()) {
                true => Some(revoke::revoke(desk, scope, running, by).await),
                false => None,
            };
            Response::Revoked { known: taken.is_some(), running, sessions: taken.unwrap_or_default() }
        }
        Request::EndSession { session } => Response::Ended {
            session: match find(desk, operator, session) {
                Some(_) => revoke::end(desk, session, by).await,
                None => None,
            },
        },
        Request::Stop {} => Response::Stopped { recorded: desk.stop(by).await },
        Request::Accept { bounds } => match desk.accept(bounds).await {
            Ok(()) => Response::Accepted,
            Err(NotAccepted::Moved(bound)) => Response::Failed {
                what: format!("nothing was accepted: the host has another definition of `{}`, or none", bound.id),
                hint: "it reads a changed lock file within seconds: `agent-host diff`, then accept again".to_owned(),
            },
            Err(NotAccepted::Commit(error)) => {
                Response::Failed { what: format!("nothing was accepted: {error}"), hint: "try again".to_owned() }
            }
        },
        Request::CreateToken { token } => token::create(desk, token, by).await,
        Request::Tokens {} => Response::Tokens { tokens: desk.tokens().iter().map(|token| (**token).clone()).collect() },
        Request::RevokeToken { id } => {
            let taken = desk.revoke_token(id, by).await;
            Response::TokenRevoked { known: taken.known, recorded: taken.recorded }
        }
        Request::Reload {} => match office.reload().await {
            Some(reloaded) => Response::Reloaded { reloaded },
            None => failed("nothing was reloaded: no configuration is in force here, or the host is ending".to_owned(), "try again"),
        },
        Request::Console {} => Response::Console { url: office.console.get().cloned() },
        Request::Resume {} => match desk.resume(by).await {
            Ok(()) => Response::Resumed,
            Err(error) => failed(format!("the stop stands: {error}"), "try again"),
        },
    }
}

/// What somebody decided, and on which question.
struct Shown {
    digest: agent_core::digest::Digest,
    decision: Decision,
}

impl Office {
    // INVARIANT: I-3 the answer names the question that was shown
    async fn answer(
        &self,
        operator: &Operator,
        session: SessionId,
        request: RequestId,
        shown: Shown,
        passphrase: Option<Secret>,
    ) -> Response {
        if find(&self.desk, operator, session).is_none() {
            return Response::Answered { answered: Answered::Void { waits: false, ended: None } };
        }
        let principal = find(&self.desk, operator, session).map(|cell| cell.asker().principal.clone());
        if shown.decision.is_yes() && principal.is_some_and(|principal| self.bars(operator, &principal, passphrase.is_some())) {
            let what = format!("nothing was decided: `{}` would approve for themselves", echo(&operator.name));
            return failed(what, "another operator can; `[approval] own = true` lets each approve for themselves");
        }
        let proved = passphrase.is_some();
        if proved && !self.owned() {
            return failed(
                "nothing was decided: that passphrase is nobody's any more".to_owned(),
                "name `[operators.owner]`, or answer at the console",
            );
        }
        if let Some(secret) = passphrase {
            let lock = self.lock.clone();
            match tokio::task::spawn_blocking(move || lock.prove(&secret)).await {
                Ok(Ok(())) => {}
                Ok(Err(error)) => {
                    let hint = if matches!(error, Unproved::Unset) { "`agent-host passphrase set` sets one" } else { "try again then" };
                    return failed(format!("nothing was decided: {error}"), hint);
                }
                Err(error) => return failed(format!("nothing was decided: {error}"), "try again"),
            }
        }
        let answer = Answer { shown: shown.digest, decision: shown.decision, by: operator.decider(proved) };
        let settled = self.desk.answer(session, request, answer).await;
        let (waits, ended) = standing(&self.desk, operator, session, request);
        let answered = match settled {
            Settled::Granted { set, added } => Answered::Granted { set, added },
            Settled::Always { set, added, stands } => Answered::Always { set, added, stands },
            Settled::Denied { recorded } => Answered::Denied { recorded },
            Settled::Withdrawn => Answered::Withdrawn { ended },
            Settled::TooWeak => Answered::TooWeak,
            Settled::NotAnAnswer => match self.desk.decided(request).filter(|_| ended.is_some()) {
                Some(word) => Answered::Before { decision: word.decision, by: word.by, ended },
                None => Answered::Void { waits, ended },
            },
            Settled::Failed(why) => Answered::Failed { why: refusal(&why, Listing::default()) },
        };
        Response::Answered { answered }
    }
}

/// Whether a request waits, and how it ended.
fn standing(desk: &Desk, operator: &Operator, session: SessionId, request: RequestId) -> (bool, Option<Settlement>) {
    let Some(state) = find(desk, operator, session).map(|cell| cell.state()) else { return (false, None) };
    let waits = state.waiting.as_ref().is_some_and(|question| question.id == request);
    (waits, state.settlement(request).cloned())
}

pub(super) fn failed(what: String, hint: &str) -> Response {
    Response::Failed { what, hint: hint.to_owned() }
}

fn stop(desk: &Desk) -> Option<Stop> {
    desk.stopped().map(|by| Stop { by, since: desk.stopped_since() })
}

/// The sessions that are there for an operator.
pub(super) fn seen(desk: &Desk, operator: &Operator) -> Vec<Arc<Cell>> {
    desk.sessions().into_iter().filter(|cell| operator.sees(&cell.asker().principal)).collect()
}

fn find(desk: &Desk, operator: &Operator, session: SessionId) -> Option<Arc<Cell>> {
    seen(desk, operator).into_iter().find(|cell| cell.asker().session == session)
}

pub(super) fn session(cell: &Cell) -> Session {
    let state = cell.state();
    let waiting = state.waiting.as_deref().cloned();
    let (asker, running, last) = (cell.asker().clone(), cell.running(), state.last);
    Session { asker, active: state.active.clone(), waiting, running, last, ended: state.ended, client: cell.client() }
}

fn whole(cell: &Cell) -> Whole {
    let state = cell.state();
    Whole {
        session: session(cell),
        ended: state.ended,
        set: state.set,
        former: state.former.clone(),
        denied: state.denied.clone(),
        settled: state.settled.clone(),
        calls: state.running.iter().map(|(call, started)| (*call, started.bound.clone())).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn host_3_what_a_server_said_is_not_for_everybody() {
        let (why, command) = ("it last said: token=s3cret".to_owned(), Some("login --as bob".to_owned()));
        for health in [Health::Failed { why: why.clone(), retry_in: Duration::ZERO }, Health::NeedsLogin { why, command }] {
            let told = format!("{:?}", veiled(health));
            assert!(!told.contains("s3cret") && !told.contains("bob") && told.contains(VEILED), "{told}");
        }
    }
}
