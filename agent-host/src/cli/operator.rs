//! The commands that see and take back: asked of the running host, or done here where none runs.
//!
//! Without a host this process takes the store's lock, restores what is kept and commits by the same handler; it starts
//! no server and serves nobody. Clauses: HOST-3 (see and take back), REV-1, REV-4.

use super::print::{Out, question, session};
use super::{Exit, Failure};
use crate::admin::{Request, Response, Unanswered, ask, handle};
use crate::store::{SqliteLedger, StoreError};
use crate::system::{SystemClock, SystemEntropy, user};
use agent_core::id::ToolId;
use agent_core::session::SessionId;
use agent_engine::call::Router;
use agent_engine::engine::{Parts, build};
use serde::Serialize;
use std::path::Path;
use std::sync::Arc;

/// Asks the host, or does it here.
async fn done(state: &Path, request: Request) -> Result<Response, Failure> {
    let response = match ask(state, &request).await {
        Ok(response) => response,
        Err(Unanswered::NoHost) => alone(state, request).await?,
        Err(error) => return Err(Failure::new(Exit::Failed, format!("{error}\nhint: it may be done; `agent-host audit show` says"))),
    };
    match response {
        Response::Failed { what, hint } => Err(Failure::new(Exit::Failed, format!("{what}\nhint: {hint}"))),
        response => Ok(response),
    }
}

async fn alone(state: &Path, request: Request) -> Result<Response, Failure> {
    if !state.exists() {
        return Err(StoreError::Missing(state.to_owned()).into());
    }
    let ledger = Arc::new(SqliteLedger::open(state)?);
    let parts = Parts::new(ledger, Arc::new(Router::default()), Arc::new(SystemClock::new()), Arc::new(SystemEntropy));
    let (_, desk) = build(parts).await.map_err(|error| Failure::new(Exit::Failed, format!("the store can't be read: {error}")))?;
    Ok(handle(&desk, &user(), request).await)
}

pub(super) async fn sessions(state: &Path, json: bool) -> Result<(), Failure> {
    let Response::Sessions { sessions, stopped } = done(state, Request::Sessions {}).await? else { return Err(odd()) };
    if json {
        return whole(&Response::Sessions { sessions, stopped });
    }
    let mut lines: Vec<String> = stopped.iter().map(|by| format!("everything is stopped by {by}; `agent-host resume` lifts it")).collect();
    lines.extend(sessions.iter().map(session));
    if sessions.is_empty() {
        lines.push("no sessions".to_owned());
    }
    print(&lines);
    Ok(())
}

pub(super) async fn approvals(state: &Path, json: bool) -> Result<(), Failure> {
    let Response::Approvals { waiting } = done(state, Request::Approvals {}).await? else { return Err(odd()) };
    if json {
        return whole(&waiting);
    }
    let mut lines: Vec<_> = waiting.iter().map(question).collect();
    if lines.is_empty() {
        lines.push("nothing waits for a person".to_owned());
    }
    print(&lines);
    Ok(())
}

pub(super) async fn revoke(state: &Path, session: SessionId, tool: ToolId, cancel: bool) -> Result<(), Failure> {
    let asked = Request::Revoke { session, tool: tool.clone(), cancel };
    let Response::Revoked { known, removed, running, recorded } = done(state, asked).await? else { return Err(odd()) };
    if !removed {
        let why = if known { "did not hold it" } else { "is not a session of this host" };
        let text = format!("nothing was taken back: {session} {why}\nhint: `agent-host sessions` shows what each holds");
        return Err(Failure::new(Exit::Nothing, text));
    }
    let mut lines = vec![format!("{tool} is taken back from {session}; no call of it starts any more")];
    if !running.is_empty() {
        let calls: Vec<_> = running.iter().map(ToString::to_string).collect();
        lines.push(format!("{}: {}", if cancel { "given up while running" } else { "still running" }, calls.join(", ")));
    }
    in_effect(&lines, recorded)
}

pub(super) async fn stop(state: &Path) -> Result<(), Failure> {
    let Response::Stopped { recorded } = done(state, Request::Stop {}).await? else { return Err(odd()) };
    in_effect(&["everything is stopped; `agent-host resume` lifts it".to_owned()], recorded)
}

pub(super) async fn resume(state: &Path) -> Result<(), Failure> {
    match done(state, Request::Resume {}).await? {
        Response::Resumed => {
            print(&["the stop is lifted".to_owned()]);
            Ok(())
        }
        _ => Err(odd()),
    }
}

/// What narrows is in effect either way; that it is not recorded is a failure to be told (AUD-1).
fn in_effect(lines: &[String], recorded: bool) -> Result<(), Failure> {
    print(lines);
    if recorded {
        return Ok(());
    }
    Err(Failure::new(Exit::Failed, "in effect, not recorded\nhint: see whether the disk is full; the host tries again by itself"))
}

fn print(lines: &[String]) {
    let mut out = Out::new();
    let _ = lines.iter().try_for_each(|line| out.line(line));
}

fn whole(value: &impl Serialize) -> Result<(), Failure> {
    let json = serde_json::to_string_pretty(value).map_err(|error| Failure::new(Exit::Failed, error.to_string()))?;
    let _ = Out::new().line(&json);
    Ok(())
}

fn odd() -> Failure {
    Failure::new(Exit::Failed, "the running host answered something else\nhint: is it of another version?")
}
