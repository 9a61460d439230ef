//! Both ends of the socket, over a real one.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

mod answers;
mod looks;
mod standing;
mod tokens;

use super::*;
use agent_core::digest::Digest;
use agent_core::id::Alias;
use agent_core::outcome::{self, ToolResult};
use agent_core::request::{Channel, Strength};
use agent_core::session::PrincipalId;
use agent_engine::builtins::Reply;
use agent_engine::catalog::{Source, assemble};
use agent_engine::desk::Desk;
use agent_engine::engine::{Front, Parts, build};
use agent_engine::ledger::MemoryLedger;
use agent_engine::policy::{Outcome, Policy, Verdict};
use agent_engine::session::{Cell, Told};
use agent_engine::testing::{ManualClock, SeededEntropy, StaticHost};
use serde_json::json;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::Arc;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;

const NOW: &str = "mcp:time/now";

async fn engine(verdict: Verdict) -> (Front, Desk, Arc<Cell>) {
    engine_of(Policy::of(verdict)).await
}

/// A session that asked for the one tool.
async fn engine_of(policy: Policy) -> (Front, Desk, Arc<Cell>) {
    let now = ToolId::parse(NOW).unwrap();
    let tools = StaticHost::default().with(now, None, |_| outcome::Outcome::Ok(ToolResult::text("noon")));
    let ledger = Arc::new(MemoryLedger::default());
    let mut parts = Parts::new(ledger, Arc::new(tools), Arc::new(ManualClock::default()), Arc::new(SeededEntropy::new(1)));
    parts.policy = policy;
    let (front, desk) = build(parts).await.unwrap();
    let source = Source {
        definitions: vec![json!({"name": "now", "inputSchema": {"type": "object"}}).to_string()],
        ..Source::new(agent_core::id::SourceClass::Mcp, Alias::parse("time").unwrap())
    };
    desk.publish(assemble(&[source])).await;
    let session = front.open(PrincipalId::parse("local:7").unwrap(), None, false).await.unwrap().session;
    let arguments = json!({"tools": [NOW]}).as_object().cloned().unwrap();
    front.call(&session, "activate_tools", arguments).await;
    (front, desk, session)
}

/// A listener of a host whose client is of the same user.
fn open(state: &Path, desk: Desk) -> std::io::Result<Listener> {
    Listener::open(state, Office::new(state, desk, Users::started_by_client()))
}

async fn send(state: &Path, bytes: &[u8]) -> String {
    let mut stream = UnixStream::connect(socket(state)).await.unwrap();
    stream.write_all(bytes).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    answer
}

#[tokio::test]
async fn rev_1_one_grant_is_taken_back_over_the_socket() {
    let state = tempfile::tempdir().unwrap();
    let (front, desk, session) = engine(Verdict::Auto).await;
    let _listener = open(state.path(), desk).unwrap();
    assert!(matches!(front.call(&session, "time__now", serde_json::Map::new()).await, Reply::Ran(_)));
    let Response::Sessions { sessions, stopped: None, .. } = ask(state.path(), &Request::Sessions {}).await.unwrap() else {
        unreachable!()
    };
    assert_eq!((sessions.len(), sessions[0].active[0].grant.bound.id.as_str()), (1, NOW));

    let revoke = |session| Request::Revoke { scope: Scope::Grant { session, tool: ToolId::parse(NOW).unwrap() }, running: Running::Leave };
    let nowhere = ask(state.path(), &revoke(SessionId::new(9))).await.unwrap();
    assert_eq!(nowhere, Response::Revoked { known: false, running: Running::Leave, sessions: Vec::new() });
    let taken = only(ask(state.path(), &revoke(session.asker().session)).await.unwrap());
    assert_eq!((taken.removed, taken.running, taken.recorded), (vec![ToolId::parse(NOW).unwrap()], Vec::new(), true));
    assert_eq!(taken.told, Told::Absent, "nobody serves its client here");
    assert!(matches!(front.call(&session, "time__now", serde_json::Map::new()).await, Reply::Refused { .. }));
    let again = only(ask(state.path(), &revoke(session.asker().session)).await.unwrap());
    assert!(again.removed.is_empty() && again.recorded);
}

/// What was taken back of the one session that it was taken of.
fn only(response: Response) -> TakenBack {
    let Response::Revoked { known: true, mut sessions, .. } = response else { unreachable!("{response:?}") };
    assert_eq!(sessions.len(), 1);
    sessions.remove(0)
}

#[tokio::test]
async fn rev_1_each_scope_is_taken_back_over_the_socket() {
    for scope in [
        json!({"of": "everywhere", "tool": NOW}),
        json!({"of": "session", "session": null}),
        json!({"of": "principal", "principal": "local:7"}),
        json!({"of": "server", "server": "time"}),
    ] {
        let state = tempfile::tempdir().unwrap();
        let (front, desk, session) = engine(Verdict::Auto).await;
        let _listener = open(state.path(), desk).unwrap();
        let mut request = json!({"do": "revoke", "scope": scope, "running": "cancel"});
        if request["scope"]["of"] == "session" {
            request["scope"]["session"] = session.asker().session.to_string().into();
        }
        let answer: Response = serde_json::from_str(&send(state.path(), format!("{request}\n").as_bytes()).await).unwrap();
        assert_eq!(only(answer).removed, [ToolId::parse(NOW).unwrap()], "{request}");
        assert!(matches!(front.call(&session, "time__now", serde_json::Map::new()).await, Reply::Refused { .. }));
    }
    for slip in [
        json!({"of": "principal", "principal": "ada", "tool": NOW}),
        json!({"of": "server"}),
        json!({"of": "server", "server": "*"}),
        json!({"of": "everything"}),
    ] {
        let state = tempfile::tempdir().unwrap();
        let (_front, desk, _session) = engine(Verdict::Auto).await;
        let _listener = open(state.path(), desk).unwrap();
        let said = send(state.path(), format!("{}\n", json!({"do": "revoke", "scope": slip})).as_bytes()).await;
        assert!(said.contains("not a request"), "{said}");
    }
}

#[tokio::test]
async fn rev_1_a_session_is_ended_over_the_socket() {
    let state = tempfile::tempdir().unwrap();
    let (front, desk, session) = engine(Verdict::Prompt).await;
    let _listener = open(state.path(), desk.clone()).unwrap();
    assert_eq!(desk.waiting().len(), 1);
    let end = Request::EndSession { session: session.asker().session };
    let Response::Ended { session: Some(taken) } = ask(state.path(), &end).await.unwrap() else { unreachable!() };
    assert!(taken.recorded && session.taken() && desk.waiting().is_empty() && desk.sessions().is_empty());
    let reply = front.call(&session, "time__now", serde_json::Map::new()).await;
    let Reply::Refused { refusal, text } = reply else { unreachable!("{reply:?}") };
    assert!(refusal.code() == "session-ended" && text.contains("tell the user"), "{text}");
    assert_eq!(ask(state.path(), &end).await.unwrap(), Response::Ended { session: None });
}

#[tokio::test]
async fn rev_1_what_is_not_theirs_is_not_there_for_an_operator() {
    let state = tempfile::tempdir().unwrap();
    let (front, desk, session) = engine(Verdict::Auto).await;
    let office = Office::new(state.path(), desk.clone(), Users::started_by_client());
    let theirs = |principal: &str| Over::Only([PrincipalId::parse(principal).unwrap()].into());
    let (channel, strength) = (Channel::Socket, Strength::Weak);
    let operator = |over| Operator { name: "ada".to_owned(), role: Role::Approver, over, channel, strength };
    let (id, mine) = (session.asker().session, PrincipalId::parse("local:7").unwrap());
    let revoke = |scope| Request::Revoke { scope, running: Running::Cancel };
    let other = operator(theirs("local:8"));
    let nothing = Response::Revoked { known: false, running: Running::Cancel, sessions: Vec::new() };
    assert_eq!(handle(&office, &other, revoke(Scope::Session { session: id })).await, nothing);
    assert_eq!(handle(&office, &other, Request::EndSession { session: id }).await, Response::Ended { session: None });
    let tool = ToolId::parse(NOW).unwrap();
    for request in [
        revoke(Scope::Principal { principal: mine.clone() }),
        revoke(Scope::Server { server: Alias::parse("time").unwrap() }),
        revoke(Scope::Everywhere { tool: tool.clone() }),
        Request::Explain { principal: mine.clone(), profile: None, tool: tool.clone() },
    ] {
        assert!(matches!(handle(&office, &other, request.clone()).await, Response::Failed { .. }), "{request:?}");
    }
    assert!(matches!(front.call(&session, "time__now", serde_json::Map::new()).await, Reply::Ran(_)));
    let own = operator(theirs("local:7"));
    let explain = Request::Explain { principal: mine.clone(), profile: None, tool };
    let Response::Explained { explained: Some(explained) } = handle(&office, &own, explain).await else { unreachable!() };
    assert_eq!((explained.policy, explained.judged.outcome), (desk.policy().digest, Outcome::Granted));
    assert_eq!(only(handle(&office, &own, revoke(Scope::Principal { principal: mine })).await).removed.len(), 1);
}

#[tokio::test]
async fn rev_4_stop_and_resume_over_the_socket() {
    let state = tempfile::tempdir().unwrap();
    let (front, desk, session) = engine(Verdict::Auto).await;
    let _listener = open(state.path(), desk.clone()).unwrap();
    assert_eq!(ask(state.path(), &Request::Stop {}).await.unwrap(), Response::Stopped { recorded: true });
    assert_eq!(desk.stopped(), Some(format!("local:{}", rustix::process::geteuid().as_raw())));
    let banner = Some(Stop { by: desk.stopped().unwrap(), since: desk.stopped_since() });
    assert!(desk.stopped_since().is_some());
    for request in [Request::Sessions {}, Request::Approvals {}, Request::Servers {}] {
        let (Response::Sessions { stopped, .. } | Response::Approvals { stopped, .. } | Response::Servers { stopped, .. }) =
            ask(state.path(), &request).await.unwrap()
        else {
            unreachable!()
        };
        assert_eq!(stopped, banner, "{request:?}");
    }
    let told = front.call(&session, "time__now", serde_json::Map::new()).await;
    assert!(matches!(&told, Reply::Refused { text, .. } if text.contains("an operator has stopped all")), "{told:?}");
    assert_eq!(ask(state.path(), &Request::Resume {}).await.unwrap(), Response::Resumed);
    assert_eq!((desk.stopped(), desk.stopped_since()), (None, None));
    assert!(matches!(front.call(&session, "time__now", serde_json::Map::new()).await, Reply::Ran(_)));
}

#[tokio::test]
async fn cat_8_the_live_definition_is_accepted_over_the_socket() {
    let state = tempfile::tempdir().unwrap();
    let (_front, desk, _session) = engine(Verdict::Auto).await;
    let _listener = open(state.path(), desk.clone()).unwrap();
    let live = desk.catalog().get(NOW).unwrap().bound();
    let moved = Bound { digest: Digest::parse(&"0".repeat(64)).unwrap(), ..live.clone() };
    let accept = |bounds| Request::Accept { bounds };
    let refused = ask(state.path(), &accept(vec![live.clone(), moved])).await.unwrap();
    assert!(matches!(&refused, Response::Failed { what, .. } if what.contains("another definition of `mcp:time/now`")), "{refused:?}");
    // As many as one server can have.
    assert_eq!(ask(state.path(), &accept(vec![live; agent_core::limits::TOOLS_PER_SOURCE])).await.unwrap(), Response::Accepted);
}

#[tokio::test]
async fn what_waits_is_listed() {
    let state = tempfile::tempdir().unwrap();
    let (_front, desk, session) = engine(Verdict::Prompt).await;
    let _listener = open(state.path(), desk).unwrap();
    let Response::Approvals { waiting, boundary: Boundary::SameUser, .. } = ask(state.path(), &Request::Approvals {}).await.unwrap() else {
        unreachable!()
    };
    assert_eq!((waiting.len(), waiting[0].asker.session), (1, session.asker().session));
}

#[tokio::test]
async fn host_3_what_is_no_request_is_refused_and_bounded() {
    let state = tempfile::tempdir().unwrap();
    let (_front, desk, _session) = engine(Verdict::Auto).await;
    let listener = open(state.path(), desk).unwrap();
    assert_eq!(std::fs::metadata(socket(state.path())).unwrap().permissions().mode() & 0o777, 0o600);
    for wrong in [
        "{}\n",
        "nonsense\n",
        "\n",
        "{\"do\":\"sessions\",\"more\":1}\n",
        "{\"do\":\"grant\"}\n",
        "{\"do\":\"revoke\",\"session\":\"s_\"}\n",
    ] {
        assert!(send(state.path(), wrong.as_bytes()).await.contains("not a request"), "{wrong}");
    }
    let long = [b"\"".as_slice(), &[b'x'; REQUEST_BYTES]].concat();
    assert!(send(state.path(), &long).await.contains("a request has at most"));
    assert!(send(state.path(), b"{\"do\":\"sessions\"}\n").await.contains("\"is\":\"sessions\""));
    drop(listener);
    assert!(matches!(ask(state.path(), &Request::Sessions {}).await, Err(Unanswered::NoHost)));
}

#[tokio::test]
async fn a_socket_left_by_a_host_that_died_is_taken_over() {
    let state = tempfile::tempdir().unwrap();
    drop(std::os::unix::net::UnixListener::bind(socket(state.path())).unwrap());
    assert!(matches!(ask(state.path(), &Request::Sessions {}).await, Err(Unanswered::NoHost)));
    let (_front, desk, _session) = engine(Verdict::Auto).await;
    let _listener = open(state.path(), desk).unwrap();
    assert!(ask(state.path(), &Request::Sessions {}).await.is_ok());
}
