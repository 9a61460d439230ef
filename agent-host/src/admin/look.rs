//! The handlers that show: catalog, search, policy, records, numbers. Nothing here changes anything.
//!
//! Each answer is bounded, however large the host is. What is a principal's is left out where the operator is not over it.
//! Clauses: SRCH-3 (explain), CAT-7 (pins), CAT-8 (diff), POL-1, AUD-2. Invariant: I-6 (no server is asked).

use super::handle::{Office, failed, seen, session};
use super::tally::{self, Tally};
use super::{
    CatalogPage, Found, Listed, Numbers, Operator, PolicyPage, RecordPage, Records, RefusedTool, Response, RuleRow, Served, SessionPage,
    Span, Standing, ToolRow, WholeTool,
};
use crate::store::Definitions;
use crate::store::audit::{Audit, Wanted};
use crate::upstream::Health;
use agent_core::digest::Digest;
use agent_core::id::{Alias, ToolId};
use agent_core::limits::{HITS_MAX, QUERY_BYTES};
use agent_core::safety::echo;
use agent_core::session::{Asker, PrincipalId, ProfileId, SessionId};
use agent_core::state::SessionState;
use agent_core::transition::Stream;
use agent_engine::catalog::diff::moved;
use agent_engine::catalog::{Snapshot, Tool, notes};
use agent_engine::policy::Policy;
use agent_engine::session::Cell;
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use tokio::sync::Semaphore;

/// Tools of one page of the catalog.
pub const ROWS: usize = 100;
/// Tools that are not served, and tools that drifted, of one page.
pub const REFUSED: usize = 200;
/// Sessions of one page.
pub const SESSIONS: usize = 200;
/// Records of one page.
pub const RECORDS: usize = 100;
/// Bytes of what records are searched for.
const TEXT_BYTES: usize = 256;

/// What the handlers remember, so that they need not look at everything again.
pub(super) struct Looks {
    state: PathBuf,
    tally: Mutex<Tally>,
    decides: Mutex<Option<Decides>>,
    /// One verification at a time: it reads everything.
    verifying: Semaphore,
}

/// Under which catalog and policy, and how many tools each rule decides; the last number is of those that none does.
type Decides = ((u64, Digest), Arc<Vec<usize>>);

impl Looks {
    pub(super) fn new(state: PathBuf) -> Self {
        Self { state, tally: Mutex::default(), decides: Mutex::default(), verifying: Semaphore::new(1) }
    }

    fn decides(&self, catalog: &Snapshot, policy: &Policy, digest: Digest) -> Arc<Vec<usize>> {
        let key = (catalog.generation(), digest);
        if let Some((_, counts)) = self.decides.lock().as_ref().filter(|(of, _)| *of == key) {
            return counts.clone();
        }
        let counts = Arc::new(decides(catalog, policy));
        *self.decides.lock() = Some((key, counts.clone()));
        counts
    }
}

/// How many tools each rule decides for whom it names, and how many none decides for an asker whom no rule names.
pub(crate) fn decides(catalog: &Snapshot, policy: &Policy) -> Vec<usize> {
    let mut counts = vec![0; policy.rules.len() + 1];
    let mut places: BTreeMap<(Option<PrincipalId>, Option<ProfileId>), Vec<usize>> =
        BTreeMap::from([((None, None), vec![policy.rules.len()])]);
    for (place, rule) in policy.rules.iter().enumerate() {
        places.entry((rule.principal.clone(), rule.profile.clone())).or_default().push(place);
    }
    let Ok(nobody) = PrincipalId::parse("nobody that a rule names") else { return counts };
    for ((principal, profile), places) in places {
        let asker = Asker { session: SessionId::new(0), principal: principal.unwrap_or_else(|| nobody.clone()), profile };
        for tool in catalog.tools() {
            let place = policy.decide(&asker, &tool.descriptor, true).rule.unwrap_or(policy.rules.len());
            if let Some(count) = counts.get_mut(place).filter(|_| places.contains(&place)) {
                *count += 1;
            }
        }
    }
    counts
}

impl Office {
    pub(super) fn session_list(&self, operator: &Operator, list: &Listed) -> Response {
        if list.text.len() > TEXT_BYTES {
            return failed(format!("a text has at most {TEXT_BYTES} bytes"), "search for less");
        }
        let seen = seen(&self.desk, operator);
        let (all, looked) = (seen.len(), seen.into_iter().map(|cell| (cell.state(), cell)));
        let mut fit: Vec<_> = looked.filter(|(state, cell)| fits(list, state, cell)).collect();
        fit.sort_by_key(|(state, _)| std::cmp::Reverse((state.waiting.is_some(), state.last.map_or(0, |last| last.wall))));
        let sessions = fit.iter().skip(list.from).take(SESSIONS).map(|(_, cell)| session(cell)).collect();
        Response::SessionList { page: Box::new(SessionPage { sessions, fit: fit.len(), all }) }
    }

    pub(super) fn catalog(&self, server: Option<&Alias>, after: Option<&ToolId>) -> Response {
        let (catalog, host) = (self.desk.catalog(), self.desk.host());
        let mut servers: BTreeMap<Alias, Served> = catalog
            .servers()
            .iter()
            .map(|(alias, description)| (alias.clone(), Served { description: description.clone(), ..Served::default() }))
            .collect();
        for tool in catalog.tools() {
            servers.entry(tool.descriptor.id.server()).or_default().tools += 1;
        }
        for tool in catalog.quarantined() {
            servers.entry(tool.server.clone()).or_default().refused += 1;
        }
        let from = after.map_or(0, |id| catalog.tools().partition_point(|tool| tool.descriptor.id <= *id));
        let of = |tool: &&Arc<Tool>| server.is_none_or(|alias| tool.descriptor.id.is_of(alias));
        let mut rest = catalog.tools().iter().skip(from).filter(of);
        let rows: Vec<_> = rest.by_ref().take(ROWS).map(|tool| row(tool, &host.pins)).collect();
        let next = rest.next().and_then(|_| rows.last().map(|row| row.id.clone()));
        let refused = catalog.quarantined().iter().filter(|tool| server.is_none_or(|alias| tool.server == *alias)).take(REFUSED);
        let refused =
            refused.map(|tool| RefusedTool { server: tool.server.clone(), name: tool.name.clone(), why: tool.reason.to_string() });
        let changed = changed(&catalog, &host.pins).filter(|id| server.is_none_or(|alias| id.is_of(alias)));
        let page = CatalogPage {
            generation: catalog.generation(),
            digest: catalog.digest(),
            tools: catalog.tools().len(),
            servers,
            rows,
            next,
            refused: refused.collect(),
            changed: changed.take(REFUSED).cloned().collect(),
        };
        Response::Catalog { page: Box::new(page) }
    }

    pub(super) async fn search(&self, words: &str, server: Option<&Alias>) -> Response {
        let words = words.trim();
        if words.is_empty() || words.len() > QUERY_BYTES {
            return failed(format!("a query has 1 to {QUERY_BYTES} bytes"), "search for what a tool does, or by its name");
        }
        match self.desk.search(words, HITS_MAX, server).await {
            Ok(explained) => Response::Found { found: Found::of(explained, &self.desk.host().pins) },
            Err(error) => failed(format!("nothing was searched: {error}"), "try again"),
        }
    }

    pub(super) async fn tool(&self, id: &ToolId) -> Response {
        let (catalog, host) = (self.desk.catalog(), self.desk.host());
        let Some(tool) = catalog.get(id.as_str()).cloned() else { return Response::Tool { tool: None } };
        let (state, accepted) = (Standing::of(&tool, &host.pins), host.pins.get(id).copied());
        let moved = match accepted.filter(|_| state == Standing::Changed) {
            None => None,
            Some(pinned) => {
                let (definitions, now) = (Definitions::of(&self.looks.state), tool.definition.raw.clone());
                let compared = tokio::task::spawn_blocking(move || moved(&definitions.get(&pinned)?, &now).ok());
                compared.await.unwrap_or_default()
            }
        };
        let (descriptor, definition) = (tool.descriptor.clone(), tool.definition.raw.to_string());
        Response::Tool {
            tool: Some(Box::new(WholeTool { descriptor, state, accepted, notes: notes(&tool.definition), definition, moved })),
        }
    }

    pub(super) fn policy(&self, operator: &Operator) -> Response {
        let (catalog, force) = (self.desk.catalog(), self.desk.policy());
        let policy = &force.policy;
        let counts = self.looks.decides(&catalog, policy, force.digest);
        let seen = |principal: &Option<PrincipalId>| principal.as_ref().is_none_or(|principal| operator.sees(principal));
        let rules = policy.rules.iter().zip(counts.iter());
        let rules = rules.map(|(rule, decides)| RuleRow { rule: seen(&rule.principal).then(|| rule.clone()), decides: *decides });
        let page = PolicyPage {
            activation: policy.activation,
            digest: force.digest,
            rules: rules.collect(),
            otherwise: counts.last().copied().unwrap_or_default(),
            tools: catalog.tools().len(),
            profiles: policy.profiles.iter().map(|(name, profile)| (name.to_string(), profile.clone())).collect(),
        };
        Response::Policy { page: Box::new(page) }
    }

    pub(super) async fn records(&self, operator: &Operator, asked: Records) -> Response {
        if asked.text.as_ref().is_some_and(|text| text.len() > TEXT_BYTES) {
            return failed(format!("a text has at most {TEXT_BYTES} bytes"), "search for less");
        }
        let (state, operator, desk) = (self.looks.state.clone(), operator.clone(), self.desk.clone());
        let read = tokio::task::spawn_blocking(move || {
            let audit = Audit::open(&state)?;
            let mut owners = BTreeMap::new();
            let sees = |stream: &Stream| match stream {
                Stream::Host => tally::sees(&operator, None),
                Stream::Principal(principal) => operator.sees(principal),
                Stream::Session(session) => {
                    let live = || desk.session(*session).map(|cell| cell.asker().principal.clone());
                    let owner = owners.entry(*session).or_insert_with(|| live().or_else(|| audit.owner(*session)));
                    tally::sees(&operator, owner.as_ref())
                }
            };
            let Records { stream, kind, text, before } = asked;
            audit.slice(&Wanted { stream, kind, text, before, limit: RECORDS }, sees)
        });
        match read.await.map_err(|error| error.to_string()).and_then(|read| read.map_err(|error| error.to_string())) {
            Ok(slice) => {
                let (records, broken): (Vec<_>, Vec<_>) = slice.records.into_iter().partition(Result::is_ok);
                let broken = broken.into_iter().filter_map(Result::err).map(|broken| broken.to_string()).collect();
                let page =
                    RecordPage { records: records.into_iter().flatten().collect(), broken, next: slice.next, stopped: slice.stopped };
                Response::Records { page: Box::new(page) }
            }
            Err(error) => failed(format!("the records can't be read: {}", echo(&error)), "see who owns the state folder"),
        }
    }

    pub(super) async fn verify(&self) -> Response {
        let Ok(_one) = self.looks.verifying.try_acquire() else {
            return failed("the chain is being verified".to_owned(), "wait for that to end");
        };
        let state = self.looks.state.clone();
        let read = tokio::task::spawn_blocking(move || Audit::open(&state)?.verify()).await;
        match read.map_err(|error| error.to_string()).and_then(|read| read.map_err(|error| error.to_string())) {
            Ok(report) => Response::Verified {
                records: report.records,
                streams: report.streams,
                head: report.head,
                broken: report.broken.map(|broken| broken.to_string()),
            },
            Err(error) => failed(format!("nothing was verified: {}", echo(&error)), "see who owns the state folder"),
        }
    }

    pub(super) async fn overview(&self, operator: &Operator, span: Span) -> Response {
        let (looks, asker, now) = (self.looks.clone(), operator.clone(), self.desk.now().wall);
        let read = tokio::task::spawn_blocking(move || {
            let mut tally = looks.tally.lock();
            if let Err(error) = tally.read(&looks.state) {
                tracing::warn!(%error, "records can't be counted");
            }
            tally.shown(&asker, span, now)
        });
        let (from, buckets) = read.await.unwrap_or_default();
        let (catalog, host) = (self.desk.catalog(), self.desk.host());
        let health = self.health();
        let down = |health: &Health| matches!(health, Health::Failed { .. } | Health::NeedsLogin { .. });
        let mut numbers = Numbers {
            servers: health.len(),
            down: health.iter().filter(|(_, health)| down(health)).map(|(alias, _)| alias.clone()).collect(),
            tools: catalog.tools().len(),
            refused: catalog.quarantined().len(),
            changed: changed(&catalog, &host.pins).count(),
            bytes: catalog.tools().iter().map(|tool| tool.descriptor.size as u64).sum(),
            from,
            width: span.buckets().0,
            buckets,
            ..Numbers::default()
        };
        for cell in seen(&self.desk, operator) {
            let state = cell.state();
            numbers.sessions += usize::from(!state.ended);
            numbers.waiting += usize::from(state.waiting.is_some());
            numbers.active += state.active.len();
            numbers.running += cell.running().len();
        }
        Response::Overview { numbers: Box::new(numbers) }
    }
}

fn fits(list: &Listed, state: &SessionState, cell: &Cell) -> bool {
    let asker = cell.asker();
    let holds = |text: &str| text.contains(&list.text);
    (list.ended || !state.ended)
        && (list.text.is_empty()
            || holds(asker.principal.as_str())
            || asker.profile.as_ref().is_some_and(|profile| holds(profile.as_str()))
            || cell.client().is_some_and(|client| holds(&client))
            || state.active.iter().any(|held| holds(held.grant.bound.id.as_str()))
            || holds(&asker.session.to_string()))
}

fn row(tool: &Tool, pins: &BTreeMap<ToolId, Digest>) -> ToolRow {
    let face = &tool.descriptor;
    ToolRow {
        id: face.id.clone(),
        effect: face.safety.effect.as_str().to_owned(),
        state: Standing::of(tool, pins),
        summary: face.summary.clone(),
    }
}

/// The tools that were accepted as something else than they are.
fn changed<'a>(catalog: &'a Snapshot, pins: &'a BTreeMap<ToolId, Digest>) -> impl Iterator<Item = &'a ToolId> {
    let moved = move |id: &ToolId, pin: &Digest| catalog.get(id.as_str()).is_some_and(|tool| tool.descriptor.digest != *pin);
    pins.iter().filter(move |(id, pin)| moved(id, pin)).map(|(id, _)| id)
}
