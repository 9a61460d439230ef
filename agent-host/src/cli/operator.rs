//! The commands that see and take back: asked of the running host, or done here where none runs.
//!
//! Without a host this process takes the store's lock, restores what is kept and commits by the same handler; it starts
//! no server and serves nobody. Clauses: HOST-3 (socket), AUTH-9, REV-1, REV-4.

use super::approve::shown;
use super::far::At;
use super::print::{json, print, session, stopped as banner};
use super::{Exit, Failure};
use crate::admin::{Office, Operator, Request, Response, Users, handle};
use crate::question::NOT_RECORDED;
use crate::store::{SqliteLedger, StoreError};
use crate::system::{SystemClock, SystemEntropy};
use agent_core::request::Question;
use agent_engine::call::Router;
use agent_engine::desk::Desk;
use agent_engine::engine::{Parts, build};
use agent_engine::policy::Policy;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// How often a host is looked for that has the folder and does not listen yet. Between two looks its lock is waited for.
const LOOKS: u32 = 15;

/// Asks the host, or does it here, where a host ran before.
pub(super) async fn done(at: At<'_>, request: Request) -> Result<Response, Failure> {
    match at {
        At::Here(state) if !state.exists() => Err(StoreError::Missing(state.to_owned()).into()),
        _ => done_under(at, &Policy::default(), request).await,
    }
}

/// Asks the host, or does it here under this policy. A host that is just starting is waited for.
pub(super) async fn done_under(at: At<'_>, policy: &Policy, request: Request) -> Result<Response, Failure> {
    let mut looks = 0;
    loop {
        if let Some(response) = live(at, &request).await? {
            return Ok(response);
        }
        let At::Here(state) = at else { return Err(odd()) };
        match alone(state, policy, request.clone()).await {
            Err(Failure { exit: Exit::InUse, .. }) if looks < LOOKS => looks += 1,
            response => return did(response?),
        }
    }
}

/// Asks the host. None where none runs.
pub(super) async fn live(at: impl Into<At<'_>>, request: &Request) -> Result<Option<Response>, Failure> {
    at.into().ask(request).await?.map(did).transpose()
}

pub(super) fn did(response: Response) -> Result<Response, Failure> {
    match response {
        Response::Failed { what, hint } => Err(Failure::new(Exit::Failed, format!("{what}\nhint: {hint}"))),
        response => Ok(response),
    }
}

async fn alone(state: &Path, policy: &Policy, request: Request) -> Result<Response, Failure> {
    Ok(handled(state, desk(state, policy.clone()).await?, request).await)
}

/// Takes the store's lock and restores what is kept.
pub(super) async fn desk(state: &Path, policy: Policy) -> Result<Desk, Failure> {
    let ledger = Arc::new(SqliteLedger::open(state)?);
    let mut parts = Parts::new(ledger, Arc::new(Router::default()), Arc::new(SystemClock::new()), Arc::new(SystemEntropy));
    parts.policy = policy;
    let (_, desk) = build(parts).await.map_err(|error| Failure::new(Exit::Failed, format!("the store can't be read: {error}")))?;
    Ok(desk)
}

/// Commits by the handler that a host would use.
pub(super) async fn handled(state: &Path, desk: Desk, request: Request) -> Response {
    let users = Users::started_by_client();
    let operator = Operator::local(users, rustix::process::geteuid().as_raw());
    handle(&Office::new(state, desk, users), &operator, request).await
}

/// `fresh`: no host ever ran on the folder.
pub(super) async fn sessions(at: At<'_>, fresh: bool, as_json: bool) -> Result<(), Failure> {
    let response = match fresh {
        true => Response::Sessions { sessions: Vec::new(), stopped: None, boundary: Users::started_by_client().boundary() },
        false => done(at, Request::Sessions {}).await?,
    };
    let Response::Sessions { sessions, stopped, boundary } = response else { return Err(odd()) };
    if as_json {
        print(&json(&Response::Sessions { sessions, stopped, boundary })?);
        return Ok(());
    }
    let mut lines: Vec<String> = stopped.iter().map(banner).collect();
    lines.extend(sessions.iter().map(session));
    if sessions.is_empty() {
        lines.push("no sessions".to_owned());
    }
    lines.push(format!("boundary: {}", boundary.as_str()));
    print(&lines);
    Ok(())
}

/// `fresh`: as [`sessions`].
pub(super) async fn approvals(at: At<'_>, fresh: bool, as_json: bool) -> Result<(), Failure> {
    let response = match fresh {
        true => Response::Approvals {
            waiting: Vec::new(),
            shown: BTreeMap::new(),
            stopped: None,
            boundary: Users::started_by_client().boundary(),
        },
        false => done(at, Request::Approvals {}).await?,
    };
    let Response::Approvals { waiting, stopped, boundary, .. } = response else { return Err(odd()) };
    if as_json {
        let with_digest = |question: &Question| {
            let mut shown = serde_json::to_value(question).unwrap_or_default();
            if let Some(members) = shown.as_object_mut() {
                members.insert("digest".to_owned(), question.digest().to_string().into());
            }
            shown
        };
        print(&json(&waiting.iter().map(with_digest).collect::<Vec<_>>())?);
        return Ok(());
    }
    let mut lines: Vec<String> = stopped.iter().map(banner).collect();
    for question in &waiting {
        lines.push(shown(question, boundary));
        lines.push(format!("`agent-host approve {}` asks for a yes", question.id));
        lines.push(String::new());
    }
    if waiting.is_empty() {
        lines.push("nothing waits for a person".to_owned());
        lines.push(format!("boundary: {}", boundary.as_str()));
    }
    print(&lines);
    Ok(())
}

pub(super) async fn stop(at: At<'_>) -> Result<(), Failure> {
    let Response::Stopped { recorded } = done(at, Request::Stop {}).await? else { return Err(odd()) };
    in_effect(&["everything is stopped; `agent-host resume` lifts it".to_owned()], recorded)
}

pub(super) async fn resume(at: At<'_>) -> Result<(), Failure> {
    match done(at, Request::Resume {}).await? {
        Response::Resumed => {
            print(&["the stop is lifted".to_owned()]);
            Ok(())
        }
        _ => Err(odd()),
    }
}

/// What narrows is in effect either way; that it is not recorded is a failure to be told (AUD-1).
pub(super) fn in_effect(lines: &[String], recorded: bool) -> Result<(), Failure> {
    print(lines);
    if recorded {
        return Ok(());
    }
    Err(not_recorded())
}

/// What narrowed is in effect, and could not be recorded.
pub(super) fn not_recorded() -> Failure {
    Failure::new(Exit::Failed, format!("{}\nhint: {}", NOT_RECORDED.0, NOT_RECORDED.1))
}

pub(super) fn odd() -> Failure {
    Failure::new(Exit::Failed, "the running host answered something else\nhint: is it of another version?")
}
