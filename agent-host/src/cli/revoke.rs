//! `revoke` and `end`: something taken back, and what came of it said: what is gone, which calls were stopped or left, which
//! clients were told.
//!
//! Is: the command lines and the words. Is not: the narrowing, which the engine does. Clauses: REV-1, REV-2.

use super::far::At;
use super::operator::{done, not_recorded, odd};
use super::print::{counted, json, print};
use super::{Exit, Failure};
use crate::admin::{Request, Response, Running, Scope, TakenBack};
use agent_core::id::{Alias, ToolId};
use agent_core::safety::visible;
use agent_core::session::{PrincipalId, SessionId};
use agent_engine::session::Told;
use clap::{ArgGroup, Args};

/// What is taken back, and what becomes of what runs.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("what").required(true).args(["session", "everywhere", "of", "principal", "server"]))]
pub(crate) struct Revoke {
    /// The session, as `sessions` shows it.
    #[arg(value_parser = super::session, requires = "tool")]
    session: Option<SessionId>,
    /// The tool's exact id.
    #[arg(value_parser = ToolId::parse, requires = "session")]
    tool: Option<ToolId>,
    /// One tool, of every session.
    #[arg(long, value_name = "TOOL", value_parser = ToolId::parse)]
    everywhere: Option<ToolId>,
    /// Everything of one session, presets too.
    #[arg(id = "of", long = "session", value_name = "SESSION", value_parser = super::session)]
    whole: Option<SessionId>,
    /// Everything of every session of a principal, presets too.
    #[arg(long, value_name = "PRINCIPAL", value_parser = PrincipalId::parse)]
    principal: Option<PrincipalId>,
    /// Every tool of one server, of every session, presets too.
    #[arg(long, value_name = "NAME", value_parser = Alias::parse)]
    server: Option<Alias>,
    /// What becomes of calls that run.
    #[arg(long, value_name = "WHAT", value_enum, default_value_t)]
    running: Running,
    /// One JSON document.
    #[arg(long)]
    json: bool,
}

/// Which session is ended.
#[derive(Debug, Args)]
pub(crate) struct Ending {
    /// The session, as `sessions` shows it.
    #[arg(value_parser = super::session)]
    session: SessionId,
    /// One JSON document.
    #[arg(long)]
    json: bool,
}

impl Revoke {
    fn scope(&self) -> Option<Scope> {
        match (self.session, &self.tool) {
            (Some(session), Some(tool)) => return Some(Scope::Grant { session, tool: tool.clone() }),
            (None, None) => {}
            _ => return None,
        }
        let everywhere = self.everywhere.clone().map(|tool| Scope::Everywhere { tool });
        let session = self.whole.map(|session| Scope::Session { session });
        let principal = self.principal.clone().map(|principal| Scope::Principal { principal });
        let server = self.server.clone().map(|server| Scope::Server { server });
        everywhere.or(session).or(principal).or(server)
    }
}

pub(super) async fn revoke(at: At<'_>, asked: Revoke) -> Result<(), Failure> {
    let scope = asked.scope().ok_or_else(|| Failure::new(Exit::Usage, "nothing is named\nhint: `agent-host revoke --help`"))?;
    let response = done(at, Request::Revoke { scope: scope.clone(), running: asked.running }).await?;
    let Response::Revoked { known, running, sessions } = &response else { return Err(odd()) };
    if asked.json {
        print(&json(&response)?);
    } else {
        let mut lines: Vec<_> = sessions.iter().flat_map(|taken| lines(taken, *running)).collect();
        lines.extend(sum(sessions));
        print(&lines);
    }
    if sessions.iter().all(|taken| taken.removed.is_empty() && taken.running.is_empty()) {
        let text = format!("nothing was taken back: {}\nhint: `agent-host sessions` shows what each holds", nothing(&scope, *known));
        return Err(Failure::new(Exit::Nothing, text));
    }
    recorded(sessions)
}

pub(super) async fn end(at: At<'_>, Ending { session: id, json: as_json }: Ending) -> Result<(), Failure> {
    let response = done(at, Request::EndSession { session: id }).await?;
    let Response::Ended { session } = &response else { return Err(odd()) };
    if as_json {
        print(&json(&response)?);
    }
    let Some(taken) = session else {
        let hint = "`agent-host sessions` lists them";
        return Err(Failure::new(Exit::Nothing, format!("nothing was ended: {id} is not a session of this host\nhint: {hint}")));
    };
    if !as_json {
        let mut said = vec![format!("{id} of {} is ended; every call in it is refused", visible(taken.principal.as_str()))];
        said.extend(lines(taken, Running::Cancel));
        print(&said);
    }
    recorded(std::slice::from_ref(taken))
}

/// What narrows is in effect either way; that it is not recorded is a failure to be told (AUD-1).
fn recorded(sessions: &[TakenBack]) -> Result<(), Failure> {
    if sessions.iter().all(|taken| taken.recorded) { Ok(()) } else { Err(not_recorded()) }
}

/// Why there was nothing.
fn nothing(scope: &Scope, known: bool) -> String {
    match scope {
        Scope::Grant { session, .. } | Scope::Session { session } if !known => format!("{session} is not a session of this host"),
        Scope::Grant { session, tool } => format!("{session} did not hold {tool}"),
        Scope::Session { session } => format!("{session} holds nothing"),
        Scope::Everywhere { tool } => format!("no session holds {tool}"),
        Scope::Principal { principal } => format!("no session of {} holds anything", visible(principal.as_str())),
        Scope::Server { server } => format!("no session holds a tool of `{server}`"),
    }
}

/// What came of it in one session.
fn lines(taken: &TakenBack, running: Running) -> Vec<String> {
    let of = format!("{} of {}", taken.session, visible(taken.principal.as_str()));
    let mut lines: Vec<_> = taken.removed.iter().map(|id| format!("{id} is taken back from {of}; no call of it starts any more")).collect();
    let ran = match running {
        Running::Leave => "still running",
        Running::Cancel => "given up while running",
    };
    lines.extend(taken.running.iter().map(|ran_on| format!("  {ran}: {} of {}", ran_on.call, ran_on.tool)));
    if !taken.removed.is_empty() {
        lines.push(format!("  its client {}", told(taken.told)));
    }
    lines.extend(taken.stands.iter().map(|id| {
        format!(
            "  an always stands: {id} comes back unasked; `agent-host standing revoke {} {id}` ends that",
            visible(taken.principal.as_str())
        )
    }));
    lines
}

const fn told(told: Told) -> &'static str {
    match told {
        Told::Sent => "was told",
        Told::Unlisted => "is listed nothing that changed; its next call is told",
        Told::Absent => "has no connection open; its next call is told",
        Told::NotYet => "has not taken the notice; its next call is told",
    }
}

/// Of several sessions, all in one line.
fn sum(sessions: &[TakenBack]) -> Option<String> {
    let count = |of: fn(&TakenBack) -> usize| sessions.iter().map(of).sum::<usize>();
    let (removed, running) = (count(|taken| taken.removed.len()), count(|taken| taken.running.len()));
    let told = sessions.iter().filter(|taken| taken.told == Told::Sent).count();
    let line = || {
        let (grants, of, calls) =
            (counted(removed as u64, "grant"), counted(sessions.len() as u64, "session"), counted(running as u64, "call"));
        format!("in all: {grants} of {of}, {calls} running, {} told", counted(told as u64, "client"))
    };
    (sessions.len() > 1).then(line)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing)]
    use super::*;
    use crate::admin::Ran;
    use agent_core::session::CallId;

    fn taken(told: Told, running: bool) -> TakenBack {
        let tool = ToolId::parse("mcp:a/b").unwrap();
        let ran = Ran { call: CallId::new(9), tool: tool.clone() };
        let principal = PrincipalId::parse("ada").unwrap();
        let running = running.then_some(ran).into_iter().collect();
        TakenBack { session: SessionId::new(7), principal, removed: vec![tool], running, recorded: true, told, stands: Vec::new() }
    }

    #[test]
    fn rev_2_calls_stopped_calls_left_and_clients_told_are_said() {
        let said = lines(&taken(Told::Sent, true), Running::Cancel);
        assert!(said[0].starts_with("mcp:a/b is taken back from s_") && said[0].contains(" of ada; no call"), "{said:?}");
        assert!(said[1].starts_with("  given up while running: c_") && said[1].ends_with(" of mcp:a/b"), "{said:?}");
        assert_eq!(said[2], "  its client was told");
        let said = lines(&taken(Told::Absent, true), Running::Leave);
        assert!(said[1].starts_with("  still running: c_") && said[2].starts_with("  its client has no connection"), "{said:?}");
        let both = [taken(Told::Sent, true), taken(Told::NotYet, false)];
        assert_eq!(sum(&both).unwrap(), "in all: 2 grants of 2 sessions, 1 call running, 1 client told");
        assert_eq!(sum(&both[..1]), None);
    }
}
