//! The pool against real processes: this very test binary, told to play a server.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

mod eras;
mod login;
mod play;
mod pool;
mod remote;
mod remote_hostile;
mod remote_login;
mod replaced;
mod site;
mod storm;

use super::*;
use agent_core::digest::Digest;
use agent_core::session::{PrincipalId, SessionId};
use agent_engine::call::{Progress, Step};
use serde_json::{Map, Value, json};
use std::future::pending;
use std::path::Path;
use std::time::Duration;

pub(crate) fn settings(part: &str, folder: &Path) -> config::Server {
    let env = [("PLAY".to_owned(), part.into()), ("FOLDER".to_owned(), folder.to_str().unwrap().into())];
    config::Server {
        args: ["--exact", "upstream::tests::play::plays_a_server", "--ignored"].map(str::to_owned).into(),
        env: env.into(),
        cwd: Some(folder.to_owned()),
        tags: vec!["demo".to_owned()],
        description: "a server of tests".to_owned(),
        ..config::Server::new(std::env::current_exe().unwrap().display().to_string())
    }
}

struct Stage {
    folder: tempfile::TempDir,
    pool: Upstreams,
    troubles: Vec<Trouble>,
}

/// Servers of which nothing is known, listed once.
async fn stage(parts: &[&str]) -> Stage {
    let mut stage = Stage::with(parts, BTreeMap::new(), |_| {});
    stage.troubles = stage.pool.refresh().await;
    stage
}

fn asker(principal: &str) -> Asker {
    Asker { session: SessionId::new(1), principal: PrincipalId::parse(principal).unwrap(), profile: None }
}

/// Waits until something holds.
async fn until(what: &str, holds: impl Fn() -> bool) {
    for _ in 0..2000 {
        if holds() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    unreachable!("never: {what}");
}

impl Stage {
    /// Servers set up in one way, none of them started.
    fn with(parts: &[&str], known: BTreeMap<Alias, Listed>, set: impl Fn(&mut config::Server)) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let server = |part: &&str| {
            let mut server = settings(part, folder.path());
            set(&mut server);
            (Alias::parse(part).unwrap(), server)
        };
        let pool = Upstreams::new(&parts.iter().map(server).collect(), &known);
        Self { folder, pool, troubles: Vec::new() }
    }

    /// The lines of a file that the servers write to.
    fn lines(&self, file: &str) -> Vec<String> {
        let text = std::fs::read_to_string(self.folder.path().join(file)).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }

    /// Processes started so far.
    fn starts(&self) -> usize {
        self.lines("starts").len()
    }

    fn health(&self, alias: &str) -> Health {
        self.pool.health().into_iter().find(|(found, _)| found.as_str() == alias).unwrap().1
    }

    fn names(&self, alias: &str) -> Vec<String> {
        let listing = self.pool.listing();
        let source = listing.iter().find(|source| source.alias.as_str() == alias).unwrap();
        let name = |raw: &String| serde_json::from_str::<Value>(raw).unwrap()["name"].as_str().unwrap_or("?").to_owned();
        source.definitions.iter().map(name).collect()
    }

    fn reason(&self, alias: &str) -> &str {
        &self.troubles.iter().find(|trouble| trouble.server.as_str() == alias).unwrap().what
    }

    async fn lease(&self, id: &str) -> Result<Option<Digest>, Outcome> {
        self.reserve("local:0", id).await.map(|lease| lease.facts().live)
    }

    async fn reserve(&self, principal: &str, id: &str) -> Result<Box<dyn Lease>, Outcome> {
        self.pool.reserve(&asker(principal), &ToolId::parse(id).unwrap()).await
    }

    /// So many leases at a time; gives how many were given.
    async fn callers(&self, id: &str, count: usize) -> usize {
        let id = ToolId::parse(id).unwrap();
        let (server, principal) = (self.pool.server(&id).unwrap(), asker("local:0"));
        let mut callers = JoinSet::new();
        for _ in 0..count {
            let (server, principal, id) = (server.clone(), principal.clone(), id.clone());
            callers.spawn(async move { server.lease(&principal, &id).await.is_ok() });
        }
        callers.join_all().await.into_iter().filter(|given| *given).count()
    }

    /// The words of a lease that was not given.
    async fn refused(&self, id: &str) -> String {
        match self.lease(id).await {
            Err(Outcome::Unreachable(why)) => why,
            other => unreachable!("{other:?}"),
        }
    }

    async fn call(&self, id: &str, arguments: Value) -> Outcome {
        self.call_of("local:0", id, arguments).await
    }

    async fn call_of(&self, principal: &str, id: &str, arguments: Value) -> Outcome {
        let id = ToolId::parse(id).unwrap();
        let server = self.pool.server(&id).unwrap();
        let Value::Object(arguments) = arguments else { unreachable!() };
        server.lease(&asker(principal), &id).await.unwrap().hand_over(arguments, Progress::none(), pending()).await
    }
}

#[tokio::test]
async fn up_4_an_outcome_says_what_is_known() {
    let stage = stage(&["plain"]).await;
    assert_eq!(stage.troubles, []);
    let Outcome::Ok(result) = stage.call("mcp:plain/echo", json!({"b": 1, "a": "x"})).await else { unreachable!() };
    assert_eq!(result.content, [json!({"type": "text", "text": r#"{"a":"x","b":1}"#})]);
    assert_eq!(result.structured, Some(json!({"a": "x", "b": 1})));
    assert!(matches!(stage.call("mcp:plain/fail", json!({})).await, Outcome::ToolFailed(_)));
    assert!(matches!(stage.call("mcp:plain/burst", json!({})).await, Outcome::ToolFailed(_)));
    assert!(matches!(stage.call("mcp:plain/refuse", json!({})).await, Outcome::Refused(_)));
    assert!(matches!(stage.call("mcp:plain/odd", json!({})).await, Outcome::Malformed(_)));
    let malformed = [("input", "asks for more input"), ("task", "with a task"), ("partial", "not a tool's result")];
    for (name, why) in malformed {
        let outcome = stage.call(&format!("mcp:plain/{name}"), json!({})).await;
        assert!(matches!(&outcome, Outcome::Malformed(what) if what.contains(why)), "{name}: {outcome:?}");
    }
    let login = stage.call("mcp:plain/login", json!({})).await;
    assert!(matches!(&login, Outcome::Refused(what) if what.contains("needs login") && what.contains("visit us")), "{login:?}");
    assert!(matches!(stage.call("mcp:plain/die", json!({})).await, Outcome::Lost(_)));
    stage.pool.close().await;
}

#[tokio::test]
async fn a_lost_server_is_started_again() {
    let stage = stage(&["plain"]).await;
    let before = stage.lease("mcp:plain/echo").await.unwrap().unwrap();
    assert!(matches!(stage.call("mcp:plain/die", json!({})).await, Outcome::Lost(_)));
    let mut again = stage.lease("mcp:plain/echo").await;
    while let Err(Outcome::Unreachable(why)) = &again {
        assert!(why.contains("it ended soon after it was started") && why.contains("it is tried again in 1s"), "{why}");
        tokio::time::sleep(Duration::from_millis(50)).await;
        again = stage.lease("mcp:plain/echo").await;
    }
    assert_eq!(again, Ok(Some(before)));
    assert!(matches!(stage.call("mcp:plain/echo", json!({})).await, Outcome::Ok(_)));
    assert!(matches!(stage.lease("mcp:other/echo").await, Err(Outcome::Unreachable(_))));
    stage.pool.close().await;
    assert!(matches!(stage.lease("mcp:plain/echo").await, Err(Outcome::Unreachable(_))));
}

#[tokio::test]
async fn only_the_configured_environment_reaches_a_server() {
    let stage = stage(&["plain"]).await;
    let Outcome::Ok(result) = stage.call("mcp:plain/environment", json!({})).await else { unreachable!() };
    let names: Vec<String> = serde_json::from_value(result.structured.unwrap()["names"].clone()).unwrap();
    let expected = ["FOLDER", "HOME", "PATH", "PLAY"].iter().filter(|name| names.contains(&(**name).to_owned())).count();
    assert_eq!((names.len(), expected), (4, 4), "{names:?}");
    stage.pool.close().await;
}

#[tokio::test]
async fn one_broken_server_does_not_stop_another() {
    let stage = stage(&["plain", "dead", "noisy", "nothing"]).await;
    assert!(stage.reason("dead").contains("it last said: no license found"), "{}", stage.reason("dead"));
    assert!(stage.reason("nothing").contains("would not list its tools"), "{}", stage.reason("nothing"));
    assert_eq!(stage.troubles.len(), 2, "{:?}", stage.troubles);
    assert!(stage.names("plain").contains(&"echo".to_owned()) && stage.names("noisy").contains(&"echo".to_owned()));
    assert!(stage.names("dead").is_empty());
    stage.pool.close().await;
}

#[tokio::test]
async fn a_program_that_is_not_there_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let absent = config::Server { command: "/nowhere/server".to_owned(), ..settings("plain", folder.path()) };
    let off = config::Server { enabled: false, ..absent.clone() };
    let servers = [(Alias::parse("absent").unwrap(), absent), (Alias::parse("off").unwrap(), off)];
    let pool = Upstreams::new(&servers.into(), &BTreeMap::new());
    let troubles = pool.refresh().await;
    assert!(troubles[0].to_string().starts_with("server `absent`: `/nowhere/server` could not be started"), "{}", troubles[0]);
    assert_eq!((troubles.len(), pool.listing().len()), (1, 1));
}

#[tokio::test(start_paused = true)]
async fn a_silent_server_costs_its_time_and_no_more() {
    let stage = stage(&["silent"]).await;
    assert!(stage.reason("silent").contains("did not shake hands within"), "{}", stage.reason("silent"));
}

#[tokio::test]
async fn cat_4_each_definition_is_judged_by_itself() {
    let stage = stage(&["odd"]).await;
    assert_eq!(stage.names("odd"), ["good", "no_schema", "twice", "twice"]);
    let snapshot = agent_engine::catalog::assemble(&stage.pool.listing());
    assert_eq!(snapshot.tools().len(), 1);
    assert_eq!(snapshot.quarantined().len(), 3);
    let shown = snapshot.get("mcp:odd/good").unwrap().descriptor.digest;
    assert_eq!(stage.lease("mcp:odd/good").await, Ok(Some(shown)), "what runs is what the catalog shows");
    assert!(stage.lease("mcp:odd/twice").await.is_err(), "what the catalog does not serve is not leased");
    stage.pool.close().await;
}

#[tokio::test]
async fn cat_4_a_listing_is_bounded() {
    let stage = stage(&["crowd", "circle", "endless"]).await;
    assert_eq!(stage.names("crowd").len(), 4096);
    assert!(stage.reason("crowd").contains("more than 4096 tools"));
    assert_eq!(stage.names("circle").len(), 2);
    assert!(stage.reason("circle").contains("a page that it named before"));
    assert_eq!(stage.names("endless").len(), 256);
    assert!(stage.reason("endless").contains("more than 256 pages"));
    stage.pool.close().await;
}

#[tokio::test]
async fn i_3_a_list_that_changed_is_read_before_the_next_call() {
    let stage = stage(&["plain"]).await;
    let before = stage.lease("mcp:plain/echo").await.unwrap();
    assert!(matches!(stage.call("mcp:plain/turn", json!({})).await, Outcome::Ok(_)));
    let mut after = stage.lease("mcp:plain/echo").await.unwrap();
    while after == before {
        tokio::time::sleep(Duration::from_millis(10)).await;
        after = stage.lease("mcp:plain/echo").await.unwrap();
    }
    assert_eq!(stage.pool.listing()[0].definitions.iter().filter(|raw| raw.contains("says it differently")).count(), 1);
    stage.pool.close().await;
}

#[tokio::test]
async fn a_call_given_up_is_told_to_the_server() {
    let stage = stage(&["plain"]).await;
    let id = ToolId::parse("mcp:plain/slow").unwrap();
    let server = stage.pool.server(&id).unwrap();
    let (tell, told) = tokio::sync::oneshot::channel::<()>();
    let principal = asker("local:0");
    let running = server.lease(&principal, &id).await.unwrap();
    let running = tokio::spawn(running.hand_over(Map::new(), Progress::none(), async move { drop(told.await) }));
    tell.send(()).unwrap();
    assert!(matches!(running.await.unwrap(), Outcome::Lost(_)));
    let dropped = server.lease(&principal, &id).await.unwrap().hand_over(Map::new(), Progress::none(), pending());
    drop(dropped);
    until("both are told", || stage.lines("cancelled").len() == 2).await;
    assert_eq!(stage.lines("cancelled"), ["given up by the host", "the caller went away"]);
    stage.pool.close().await;
}

#[tokio::test]
async fn up_6_progress_reaches_exactly_its_call() {
    let stage = stage(&["plain"]).await;
    let id = ToolId::parse("mcp:plain/steps").unwrap();
    let server = stage.pool.server(&id).unwrap();
    let (mine, mut heard) = Progress::heard();
    let (other, mut silence) = Progress::heard();
    let principal = asker("local:0");
    let echo = ToolId::parse("mcp:plain/echo").unwrap();
    let echo = server.lease(&principal, &echo).await.unwrap().hand_over(Map::new(), other, pending());
    let steps = server.lease(&principal, &id).await.unwrap().hand_over(Map::new(), mine, pending());
    let (echo, steps) = tokio::join!(echo, steps);
    assert!(matches!((echo, steps), (Outcome::Ok(_), Outcome::Ok(_))));
    let told: Vec<_> = std::iter::from_fn(|| heard.told()).collect();
    let step = |progress, message: Option<&str>| Step { progress, total: Some(3.0), message: message.map(str::to_owned) };
    assert_eq!(told, [step(1.0, Some("half \\u{202e} way")), step(1.0, None), step(3.0, None)]);
    assert_eq!(silence.told(), None);
    assert_eq!((heard.next().await, silence.next().await), (None, None), "nobody can tell a call that ended");
    stage.pool.close().await;
}

#[tokio::test]
async fn up_4_no_answer_in_time_is_in_doubt() {
    let timeout = Some(config::Length(Duration::from_millis(50)));
    let stage = Stage::with(&["plain"], BTreeMap::new(), |server| server.timeout = timeout);
    assert!(matches!(stage.call("mcp:plain/slow", json!({})).await, Outcome::TimedOut(_)));
    stage.pool.close().await;
}

#[tokio::test]
async fn what_a_server_started_ends_with_it() {
    let stage = stage(&["family"]).await;
    let pid = stage.lines("grandchildren").remove(0);
    assert_eq!(stat(&pid).as_deref(), Some("S"));
    drop(stage.pool);
    until("the grandchild ended", || stat(&pid).is_none_or(|stat| stat == "Z")).await;
}

/// What `ps` says of a process, if there is one: running, sleeping, a zombie.
fn stat(pid: &str) -> Option<String> {
    let stat = std::process::Command::new("ps").args(["-o", "stat=", "-p", pid]).output().unwrap();
    String::from_utf8_lossy(&stat.stdout).trim().get(..1).map(str::to_owned)
}

#[tokio::test]
async fn attack_40_a_listing_given_up_is_still_owed() {
    let stage = stage(&["lazy"]).await;
    let before = stage.lease("mcp:lazy/echo").await.unwrap();
    assert!(matches!(stage.call("mcp:lazy/turn", json!({})).await, Outcome::Ok(_)));
    // Once it is known that the list changed, the list is read; slowly, and this caller does not wait for it.
    while let Ok(lease) = tokio::time::timeout(Duration::from_millis(100), stage.lease("mcp:lazy/echo")).await {
        assert_eq!(lease.unwrap(), before);
    }
    assert_ne!(stage.lease("mcp:lazy/echo").await.unwrap(), before, "the changed definition was read");
    stage.pool.close().await;
}

#[tokio::test]
async fn cat_7_a_lock_file_that_says_something_else_ends_what_runs() {
    let stage = stage(&["plain"]).await;
    let alias = Alias::parse("plain").unwrap();
    let listed = (*stage.pool.servers()[&alias].listed().unwrap()).clone();
    let learn = |listed: &Listed| stage.pool.learn(&[(alias.clone(), listed.clone())].into());
    learn(&listed);
    stage.pool.sweep().await;
    assert_eq!(stage.pool.health()[0].1, Health::Running { processes: 1, calls: 0 }, "it says the same");
    let newer = r#"{"name":"newer","inputSchema":{}}"#.to_owned();
    learn(&Listed { definitions: vec![newer], ..listed });
    assert_eq!(stage.names("plain"), ["newer"]);
    stage.pool.sweep().await;
    assert_eq!((stage.pool.health()[0].1.clone(), stage.starts()), (Health::Unstarted, 1));
    assert!(stage.lease("mcp:plain/echo").await.is_ok(), "the next call starts what is installed by now");
    assert_eq!(stage.starts(), 2);
    stage.pool.close().await;
}

#[tokio::test]
async fn attack_48_a_list_without_end_takes_nothing_away() {
    let stage = stage(&["spoilt"]).await;
    let whole = stage.names("spoilt");
    let mut changed = stage.pool.changed();
    assert!(matches!(stage.call("mcp:spoilt/turn", json!({})).await, Outcome::Ok(_)));
    changed.changed().await.unwrap();
    assert!(stage.lease("mcp:spoilt/echo").await.is_err(), "what the server lists now has no end, and not this tool");
    assert_eq!(stage.names("spoilt"), whole);
    assert!(stage.pool.troubles()[0].what.ends_with("what it listed before is served"), "{:?}", stage.pool.troubles());
    stage.pool.close().await;
}

#[tokio::test]
async fn i_3_a_definition_that_can_no_longer_be_served_is_not_leased() {
    let stage = stage(&["gone"]).await;
    assert!(stage.lease("mcp:gone/echo").await.unwrap().is_some());
    assert!(matches!(stage.call("mcp:gone/turn", json!({})).await, Outcome::Ok(_)));
    while stage.lease("mcp:gone/echo").await.is_ok() {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert!(stage.refused("mcp:gone/echo").await.contains("no longer lists this tool"));
    stage.pool.close().await;
}
