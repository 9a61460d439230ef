//! Reloads of a host on real files and real servers.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

mod order;

use super::super::publish::LockFile;
use super::*;
use crate::config::{Environment, Flags};
use crate::system::{SystemClock, SystemEntropy};
use crate::upstream::tests::settings;
use crate::upstream::{Listed, NoLogins};
use agent_core::id::{Alias, ToolId};
use agent_core::outcome::Outcome;
use agent_core::session::PrincipalId;
use agent_core::transition::Transition;
use agent_engine::builtins::Reply;
use agent_engine::engine::{Front, Parts, build};
use agent_engine::ledger::MemoryLedger;
use agent_engine::session::Cell;
use serde_json::{Map, json};
use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::sync::Arc;
use std::time::Duration;

const ECHO: &str = "mcp:plain/echo";
const ALLOWS: &str = "activation = \"auto\"\n";

/// A host without its sockets, and one session.
struct Stage {
    folder: tempfile::TempDir,
    front: Front,
    desk: Desk,
    ledger: Arc<MemoryLedger>,
    session: Arc<Cell>,
    upstreams: Arc<Upstreams>,
}

/// What the servers of `play` list, asked of one of them.
async fn listed() -> Listed {
    let folder = tempfile::tempdir().unwrap();
    Upstreams::look(&Alias::parse("plain").unwrap(), &settings("plain", folder.path()), Arc::new(NoLogins)).await.unwrap()
}

fn alias(name: &str) -> Alias {
    Alias::parse(name).unwrap()
}

impl Stage {
    /// A host that serves a policy and servers that a lock file knows, of which each has a variable more by which it is told.
    async fn open(policy: &str, servers: &[(&str, &str)], known: bool) -> (Self, Reload, watch::Receiver<Arc<Config>>) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("agent-host.toml");
        if known {
            let all = ["plain", "noisy", "odd"].map(alias);
            let listed = listed().await;
            let lock = Lock { servers: all.into_iter().map(|alias| (alias, listed.clone())).collect() };
            lock.write(&folder.path().join("agent-host.lock")).unwrap();
        }
        std::fs::write(&path, text(folder.path(), policy, servers)).unwrap();
        let again: Again = Arc::new(move || {
            let config = Config::load(&path, false, &Environment::default(), &Flags::default())?;
            let state = config.state.clone().unwrap_or_default();
            Ok((config, state))
        });
        let (config, state) = again().unwrap();
        let mut file = LockFile::of(&config);
        let lock = file.read().unwrap();
        let upstreams = Arc::new(Upstreams::new(&config.servers, &lock.servers));
        let ledger = Arc::new(MemoryLedger::default());
        let mut parts = Parts::new(ledger.clone(), upstreams.clone(), Arc::new(SystemClock::new()), Arc::new(SystemEntropy));
        parts.policy = config.policy.clone();
        let (front, desk) = build(parts).await.unwrap();
        let catalog = Publishing::new(&config, &state, upstreams.clone(), desk.clone(), file, &lock);
        catalog.publish().await;
        desk.put_in_force(config.policy.clone()).await;
        let session = front.open(PrincipalId::parse("local:0").unwrap(), None, false).await.unwrap().session;
        let (config, told) = tokio::sync::watch::channel(Arc::new(config));
        let reload = Reload::new(again, config, state, upstreams.clone(), desk.clone(), catalog);
        (Self { folder, front, desk, ledger, session, upstreams }, reload, told)
    }

    fn write(&self, policy: &str, servers: &[(&str, &str)]) {
        std::fs::write(self.path(), text(self.folder.path(), policy, servers)).unwrap();
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("agent-host.toml")
    }

    async fn activate(&self, id: &str) {
        let arguments = json!({"tools": [id]}).as_object().cloned().unwrap();
        let reply = self.front.call(&self.session, "activate_tools", arguments).await;
        assert!(matches!(reply, Reply::Done { .. }), "{reply:?}");
    }

    async fn call(&self, name: &str) -> Reply {
        self.front.call(&self.session, name, Map::new()).await
    }

    async fn runs(&self, name: &str) -> bool {
        matches!(self.call(name).await, Reply::Ran(ran) if matches!(ran.outcome, Outcome::Ok(_)))
    }

    fn tools(&self, server: &str) -> usize {
        self.desk.catalog().tools().iter().filter(|tool| tool.descriptor.id.is_of(&alias(server))).count()
    }
}

/// A configuration file. A server is its part and the name of a variable.
fn text(folder: &std::path::Path, policy: &str, servers: &[(&str, &str)]) -> String {
    let server = |(part, more): &(&str, &str)| {
        let settings = settings(part, folder);
        let folder = folder.display();
        let (name, keys) = more.split_once(' ').unwrap_or((more, ""));
        format!(
            "[servers.{part}]\ncommand = {:?}\nargs = {:?}\nenv = {{ PLAY = {part:?}, FOLDER = \"{folder}\", {name} = \"1\" }}\n{keys}\n",
            settings.command, settings.args
        )
    };
    std::iter::once(policy.to_owned()).chain(servers.iter().map(server)).collect()
}

fn taken(reloaded: Reloaded) -> Changes {
    match reloaded {
        Reloaded::Taken(changes) => *changes,
        Reloaded::Refused { why } => unreachable!("{why}"),
    }
}

#[tokio::test]
async fn host_2_servers_come_and_go_while_a_session_lasts() {
    let (stage, mut reload, mut told) = Stage::open(ALLOWS, &[("plain", "A"), ("noisy", "A")], true).await;
    stage.activate(ECHO).await;
    assert!(stage.runs("plain__echo").await && stage.tools("noisy") > 0 && stage.tools("odd") == 0);
    let before = stage.upstreams.health();
    stage.write(ALLOWS, &[("plain", "A"), ("odd", "A")]);
    let changes = taken(reload.reload().await);
    assert_eq!((changes.added, changes.changed, changes.removed), (vec![alias("odd")], vec![], vec![alias("noisy")]));
    assert!(!changes.new_policy && (changes.suspended, changes.back) == (0, 0) && stage.tools("odd") > 0 && stage.tools("noisy") == 0);
    assert!(told.has_changed().unwrap() && told.borrow_and_update().servers.contains_key("odd"));
    assert_eq!(stage.upstreams.health()[1], before[1], "the one that was left alone runs on");
    assert!(stage.runs("plain__echo").await);
    stage.write(ALLOWS, &[("odd", "A")]);
    assert_eq!(taken(reload.reload().await).suspended, 1, "what it held is away");
    assert!(!stage.runs("plain__echo").await);
    stage.write(ALLOWS, &[("plain", "B"), ("odd", "A")]);
    assert_eq!(taken(reload.reload().await).back, 1, "the very digest is there again");
    assert!(stage.runs("plain__echo").await);
    assert!(taken(reload.reload().await).is_nothing());
    stage.upstreams.close().await;
}

#[tokio::test]
async fn host_2_a_server_of_which_nothing_is_known_is_listed_in_the_background() {
    let (stage, mut reload, _told) = Stage::open(ALLOWS, &[], false).await;
    let changed = stage.upstreams.changed();
    stage.write(ALLOWS, &[("plain", "A")]);
    assert_eq!(taken(reload.reload().await).added, [alias("plain")]);
    assert_eq!(stage.tools("plain"), 0);
    let (_ask, asked) = mpsc::channel(1);
    let _following = tokio::spawn(reload.follow(asked, Hangups::new(), changed, Vec::new()));
    until(|| stage.tools("plain") > 0).await;
    stage.activate(ECHO).await;
    assert!(stage.runs("plain__echo").await);
    stage.upstreams.close().await;
}

#[tokio::test]
async fn pol_2_a_narrowed_policy_suspends_and_the_old_one_frees() {
    let (stage, mut reload, _told) = Stage::open(ALLOWS, &[("plain", "A")], true).await;
    stage.activate(ECHO).await;
    let narrow = "activation = \"auto\"\n[[rule]]\ntools = [\"mcp:plain/e*\"]\ndecision = \"deny\"\n";
    stage.write(narrow, &[("plain", "A")]);
    let changes = taken(reload.reload().await);
    assert!(changes.new_policy && changes.recorded && (changes.suspended, changes.back) == (1, 0), "{changes:?}");
    assert!(!stage.runs("plain__echo").await);
    let set = |policy| move |record: &agent_core::transition::Record| record.what == Transition::PolicySet { policy };
    assert_eq!(stage.ledger.records().iter().filter(|record| set(changes.policy)(record)).count(), 1);
    stage.write(ALLOWS, &[("plain", "A")]);
    let changes = taken(reload.reload().await);
    assert!(changes.new_policy && (changes.suspended, changes.back) == (0, 1), "{changes:?}");
    assert!(stage.runs("plain__echo").await);
    assert!(changes.changed.is_empty() && stage.upstreams.health()[0].1.to_string().starts_with("running"));
    stage.upstreams.close().await;
}

type Spoils = Box<dyn Fn(&Stage)>;

#[tokio::test]
async fn host_2_what_is_wrong_anywhere_is_refused_whole() {
    let servers = [("plain", "A")];
    let (stage, mut reload, told) = Stage::open(ALLOWS, &servers, true).await;
    stage.activate(ECHO).await;
    let path = stage.path().display().to_string();
    let narrow = "[[rule]]\ntools = [\"mcp:plain/*\"]\ndecision = \"hide\"\n";
    let cases = [
        (format!("{narrow}activation = deny\n"), format!("{path}:4:14: ")),
        (format!("{narrow}[[rule]]\nserver = \"none\"\ndecision = \"deny\"\n"), format!("{path}:4:1: no server `none`")),
        (format!("activaton = \"auto\"\n{narrow}"), format!("{path}:1:1: unknown field `activaton`")),
        (format!("state = \"other\"\n{narrow}"), format!("{path}:1: `state` can't change")),
        (format!("{narrow}[records]\nstart = \"buffered\"\n"), format!("{path}:5: `records.start` can't change")),
    ];
    let mut wrong: Vec<(Spoils, String)> = Vec::new();
    for (policy, why) in cases {
        wrong.push((Box::new(move |stage| stage.write(&policy, &[("noisy", "A")])), why));
    }
    wrong.push((
        Box::new(|stage| {
            stage.write("activation = \"deny\"\n", &[]);
            std::fs::set_permissions(stage.path(), std::fs::Permissions::from_mode(0o666)).unwrap();
        }),
        "others can write".to_owned(),
    ));
    wrong.push((Box::new(|stage| std::fs::remove_file(stage.path()).unwrap()), format!("{path}: can't be read")));
    wrong.push((
        Box::new(|stage| {
            stage.write("activation = \"deny\"\n", &[]);
            std::fs::write(stage.folder.path().join("agent-host.lock"), "{").unwrap();
        }),
        "agent-host.lock".to_owned(),
    ));
    for (spoil, why) in wrong {
        spoil(&stage);
        let Reloaded::Refused { why: told } = reload.reload().await else { unreachable!("{why}") };
        assert!(told.contains(&why) && told.contains("\nhint: "), "{why}: {told}");
        assert!(stage.runs("plain__echo").await && stage.tools("noisy") == 0, "{why}");
    }
    assert!(!told.has_changed().unwrap());
    assert_eq!(stage.upstreams.health().len(), 1);
    stage.write(ALLOWS, &servers);
    assert!(taken(reload.reload().await).is_nothing());
    stage.upstreams.close().await;
}

#[tokio::test]
async fn host_2_what_clients_are_served_by_is_told_once_it_holds() {
    let (stage, mut reload, mut told) = Stage::open(ALLOWS, &[], true).await;
    let profile = "profile = \"work\"\nsurface = \"stable\"\napproval = { wait = \"3s\", notify = true }\n[profiles.work]\npresets = [\"mcp:plain/echo\"]\n";
    stage.write(&format!("{ALLOWS}{profile}[names]\n\"mcp:plain/echo\" = \"say\"\n"), &[("plain", "A")]);
    let changes = taken(reload.reload().await);
    assert_eq!(changes.for_clients, ["profile", "presets", "surface", "approval.wait"]);
    assert!(changes.at_once == ["names", "approval.notify"] && stage.desk.catalog().by_wire("say").is_some());
    let config = told.borrow_and_update().clone();
    assert_eq!((config.wait, config.profile.as_ref().unwrap().as_str()), (Duration::from_secs(3), "work"));
    let principal = PrincipalId::parse("local:0").unwrap();
    let later = stage.front.open(principal, config.profile.clone(), false).await.unwrap();
    assert!(later.refused.is_empty() && later.session.state().active.len() == 1 && stage.session.state().active.is_empty());
    stage.upstreams.close().await;
}

/// Waits until something holds.
async fn until(holds: impl Fn() -> bool) {
    let waited = async {
        while !holds() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), waited).await.unwrap();
}

#[tokio::test]
async fn host_2_command_signal_and_file_lead_to_the_same() {
    let (stage, reload, mut told) = Stage::open(ALLOWS, &[], true).await;
    let (ask, asked) = mpsc::channel(1);
    let changed = stage.upstreams.changed();
    let hangups = Hangups::new();
    let following = tokio::spawn(reload.follow(asked, hangups, changed, Vec::new()));
    let command = async || {
        let (tell, answer) = oneshot::channel();
        ask.send(tell).await.unwrap();
        answer.await.unwrap()
    };
    stage.write("activation = \"deny\"\n", &[]);
    assert!(taken(command().await).new_policy && told.has_changed().unwrap());
    told.mark_unchanged();
    stage.write("activation = \"prompt\"\n", &[]);
    rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::HUP).unwrap();
    told.changed().await.unwrap();
    stage.write("activation = \"auto\"\n", &[]);
    told.changed().await.unwrap();
    std::fs::write(stage.path(), "activation = ").unwrap();
    assert!(matches!(command().await, Reloaded::Refused { .. }));
    stage.write("activation = \"deny\"\n", &[]);
    told.changed().await.unwrap();
    assert!(taken(command().await).is_nothing());
    following.abort();
}

#[tokio::test]
async fn cat_4_a_bound_on_tools_that_changed_holds_at_once() {
    let bound = |tools: usize| format!("{ALLOWS}[catalog]\ntools = {tools}\n");
    let (stage, mut reload, _told) = Stage::open(ALLOWS, &[("plain", "A")], true).await;
    let all = stage.tools("plain");
    stage.write(&bound(all - 1), &[("plain", "A")]);
    assert_eq!(taken(reload.reload().await).at_once, ["catalog.tools"]);
    assert_eq!((stage.tools("plain"), stage.desk.catalog().quarantined().len()), (all - 1, 1));
    stage.write(&bound(1_000_001), &[("plain", "A")]);
    assert!(matches!(reload.reload().await, Reloaded::Refused { why } if why.contains("`tools` is not from 1")));
    assert_eq!(stage.tools("plain"), all - 1);
    stage.write(ALLOWS, &[("plain", "A")]);
    assert!(!taken(reload.reload().await).is_nothing() && stage.tools("plain") == all);
    stage.upstreams.close().await;
}

#[tokio::test]
async fn srch_5_synonyms_that_changed_hold_for_the_next_search() {
    let policy = format!("{ALLOWS}[search]\nsynonyms = \"words.txt\"\n");
    let (stage, mut reload, _told) = Stage::open(ALLOWS, &[("plain", "A")], true).await;
    let words = stage.folder.path().join("words.txt");
    let finds = async || {
        let query = json!({"query": "qshout"}).as_object().cloned().unwrap();
        let reply = stage.front.call(&stage.session, "search_tools", query).await;
        format!("{reply:?}").contains(ECHO)
    };
    assert!(!finds().await);
    std::fs::write(&words, "qshout -> echo\n").unwrap();
    stage.write(&policy, &[("plain", "A")]);
    let changes = taken(reload.reload().await);
    assert_eq!((changes.at_once, changes.for_clients.len()), (vec!["search.synonyms".to_owned()], 0));
    assert!(finds().await);
    std::fs::write(&words, "alone\n").unwrap();
    let Reloaded::Refused { why } = reload.reload().await else { unreachable!() };
    assert!(why.contains("words.txt:1:1: a single word") && finds().await, "{why}");
    std::fs::write(&words, "qwhisper -> echo\n").unwrap();
    assert!(!taken(reload.reload().await).is_nothing() && !finds().await);
    assert!(taken(reload.reload().await).is_nothing());
    stage.upstreams.close().await;
}

#[tokio::test]
async fn host_2_what_a_refused_reload_lacked_is_looked_at_too() {
    let (stage, reload, mut told) = Stage::open(ALLOWS, &[], true).await;
    let (ask, asked) = mpsc::channel(1);
    let following = tokio::spawn(reload.follow(asked, Hangups::new(), stage.upstreams.changed(), Vec::new()));
    let words = stage.folder.path().join("words.txt");
    let lock = stage.folder.path().join("agent-host.lock");
    let refused = async || {
        let (tell, answer) = oneshot::channel();
        ask.send(tell).await.unwrap();
        assert!(matches!(answer.await.unwrap(), Reloaded::Refused { .. }));
    };
    std::fs::write(&words, "alone\n").unwrap();
    stage.write(&format!("{ALLOWS}[search]\nsynonyms = \"words.txt\"\n"), &[]);
    refused().await;
    std::fs::write(&words, "qshout -> echo\n").unwrap();
    told.changed().await.unwrap();
    assert_eq!(told.borrow_and_update().synonyms_file.as_ref(), Some(&words));
    let whole = std::fs::read(&lock).unwrap();
    std::fs::write(&lock, "broken").unwrap();
    stage.write(ALLOWS, &[("plain", "A")]);
    refused().await;
    std::fs::write(&lock, whole).unwrap();
    told.changed().await.unwrap();
    assert!(told.borrow().servers.contains_key(&alias("plain")) && stage.tools("plain") > 0);
    following.abort();
    stage.upstreams.close().await;
}
