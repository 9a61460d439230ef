//! Sessions that ask, two requests of each at a time, and operators who answer and take back for as long.

use super::check::TOOLS;
use super::history::{Did, Event, Got, History, Ticks};
use super::host::{Conversation, Host};
use super::operators::{Way, operate};
use agent_core::session::SessionId;
use agent_host::admin::{Request, Response};
use parking_lot::Mutex;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Requests of a session that run at the same time, and how many follow one another in each.
const LANES: usize = 2;
const EACH: usize = 2;

/// How often a request is put again where another one waits, and how long after.
const AGAIN: usize = 8;
const REST: Duration = Duration::from_millis(400);

/// What everybody writes down.
pub(super) struct Notes {
    pub(super) ticks: Ticks,
    pub(super) sessions: BTreeMap<SessionId, Mutex<History>>,
    /// What was asked for and may be held by now, for whoever takes back.
    pub(super) asked: Mutex<Vec<(SessionId, String)>>,
    pub(super) over: AtomicBool,
}

impl Notes {
    pub(super) fn write(&self, session: SessionId, event: Event) {
        self.sessions[&session].lock().events.push(event);
    }
}

/// Activates so many times over, and returns each session's history.
pub(super) async fn drive(activations: usize) -> Vec<History> {
    let host = Arc::new(Host::start().await);
    // The client wants one even where nothing is encrypted.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let web = reqwest::Client::new();
    let mut clients = Vec::new();
    for number in 0..activations.div_ceil(LANES * EACH) {
        clients.push(host.client(&web, number).await);
    }
    let sessions = sessions(&host).await;
    assert_eq!(sessions.len(), clients.len());
    let histories = sessions.values().map(|session| (*session, Mutex::default())).collect();
    let notes = Arc::new(Notes { ticks: Ticks::default(), sessions: histories, asked: Mutex::default(), over: AtomicBool::new(false) });
    let mut operators = Vec::new();
    for (seed, way) in Way::ALL.into_iter().enumerate() {
        // One login after the other: of those at the same time one counts.
        let desk = way.desk(&host).await;
        operators.push(tokio::spawn(operate(host.clone(), notes.clone(), way, desk, seed as u64)));
    }
    let lanes: Vec<_> = clients
        .into_iter()
        .enumerate()
        .flat_map(|(number, client)| (0..LANES).map(move |lane| (number, lane, client.clone())))
        .map(|(number, lane, client)| {
            tokio::spawn(asks(client, notes.clone(), sessions[&format!("person{number}")], number * LANES + lane))
        })
        .collect();
    for lane in lanes {
        lane.await.unwrap();
    }
    notes.over.store(true, Ordering::Relaxed);
    for operator in operators {
        operator.await.unwrap();
    }
    for session in sessions.values() {
        notes.write(*session, look(&host, &notes, *session).await);
    }
    let notes = Arc::into_inner(notes).unwrap();
    notes.sessions.into_values().map(Mutex::into_inner).collect()
}

/// Each principal's one session.
async fn sessions(host: &Host) -> BTreeMap<String, SessionId> {
    let Response::Sessions { sessions, .. } = host.asked(Request::Sessions {}).await else { panic!("no sessions") };
    sessions.into_iter().map(|session| (session.asker.principal.to_string(), session.asker.session)).collect()
}

async fn asks(client: Conversation, notes: Arc<Notes>, session: SessionId, seed: usize) {
    for turn in 0..EACH {
        let place = seed * EACH + turn;
        let ids: Vec<String> = (0..=place % 2).map(|more| TOOLS[(place / 2 + more) % TOOLS.len()].to_owned()).collect();
        for _ in 0..=AGAIN {
            let began = notes.ticks.next();
            let (text, form) = client.call("activate_tools", json!({"tools": ids})).await;
            let (ended, got) = (notes.ticks.next(), came(&text, form));
            let again = got == Got::Refused("another-waiting");
            notes.write(session, Event { began, ended, did: Did::Request(ids.clone()), got, way: "the model" });
            if !again {
                break;
            }
            tokio::time::sleep(REST).await;
        }
    }
}

/// What a model was told, from its words.
fn came(text: &str, form: bool) -> Got {
    if form {
        let (_, id) = text.rsplit_once("request ").unwrap_or_else(|| panic!("no request in {text}"));
        return Got::Waiting(id.chars().take_while(|letter| letter.is_ascii_alphanumeric() || *letter == '_').collect());
    }
    if let Ok(answer) = serde_json::from_str::<Value>(text) {
        let count = |key: &str| answer[key].as_u64().unwrap_or_else(|| panic!("no {key} in {text}"));
        return Got::Active(usize::try_from(count("added")).unwrap(), Some(count("set")));
    }
    let codes = [("a person said no", "denied-by-person"), ("another request", "another-waiting"), ("ended without a yes", "withdrawn")];
    let code = codes.iter().find(|(words, _)| text.starts_with(words) || text.contains(words));
    Got::Refused(code.unwrap_or_else(|| panic!("not known: {text}")).1)
}

async fn look(host: &Host, notes: &Notes, session: SessionId) -> Event {
    let began = notes.ticks.next();
    let Response::Session { session: Some(whole) } = host.asked(Request::Session { session }).await else { panic!("no session") };
    let ids = whole.session.active.iter().map(|held| held.grant.bound.id.to_string()).collect();
    Event { began, ended: notes.ticks.next(), did: Did::Look, got: Got::Holds(whole.set, ids), way: "socket" }
}
