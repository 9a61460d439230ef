//! From a lock file and a store to what a person reads, and from a yes back to the store.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use super::lines::marked;
use super::*;
use crate::admin::{Listener, Office, Users};
use crate::cli::accept::{Accept, accept};
use crate::cli::diff;
use crate::store::SqliteLedger;
use crate::system::{SystemClock, SystemEntropy};
use crate::upstream::Listed;
use agent_engine::call::Router;
use agent_engine::desk::Desk;
use agent_engine::engine::{Front, Parts, build};
use std::path::PathBuf;

const OLD: &str = r#"{"name":"now","description":"Tells the time.","inputSchema":{"properties":{"zone":{"type":"string"}}}}"#;
const NEW: &str = r#"{"name":"now","description":"Tells the time\nand more.\u200b","inputSchema":{"properties":{"zone":{"type":"number"}},"required":["zone"]}}"#;

struct Stage {
    folder: tempfile::TempDir,
    config: Config,
}

impl Stage {
    fn new(definitions: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let config = Config::parse(&folder.path().join("agent-host.toml"), "[servers.time]\ncommand = \"clock\"\neffect = \"read-only\"\n");
        let stage = Self { config: config.unwrap(), folder };
        stage.list(definitions);
        stage
    }

    fn list(&self, definitions: &[&str]) {
        let mut listed = Listed::default();
        listed.definitions = definitions.iter().map(|raw| (*raw).to_owned()).collect();
        let lock = Lock { servers: BTreeMap::from([(Alias::parse("time").unwrap(), listed)]) };
        lock.write(&Lock::path(&self.config)).unwrap();
    }

    fn state(&self) -> PathBuf {
        self.folder.path().join("state")
    }

    fn read(&self) -> Drift {
        Drift::read(&self.config, &self.state(), &Chosen::All).unwrap()
    }

    fn lines(&self) -> Vec<String> {
        diff::lines(&self.read())
    }

    async fn accept(&self, expect: Option<Digest>) -> Result<(), Failure> {
        let told = Accept { ids: vec![now()], server: None, yes: true, expect };
        accept(&self.config, &self.state(), told).await
    }

    /// A host that runs on what the lock file says now.
    async fn host(&self) -> (Front, Desk, Listener) {
        let ledger = Arc::new(SqliteLedger::open(&self.state()).unwrap());
        let parts = Parts::new(ledger, Arc::new(Router::default()), Arc::new(SystemClock::new()), Arc::new(SystemEntropy));
        let (front, desk) = build(parts).await.unwrap();
        desk.publish(self.read().catalog).await;
        let listener = Listener::open(&self.state(), Office::new(&self.state(), desk.clone(), Users::started_by_client())).unwrap();
        (front, desk, listener)
    }
}

fn now() -> ToolId {
    ToolId::parse("mcp:time/now").unwrap()
}

fn digest(text: &str) -> Digest {
    agent_core::definition::Definition::parse(text).unwrap().digest
}

#[tokio::test]
async fn cat_8_a_drifted_tool_is_shown_and_accepted_without_a_host() {
    let stage = Stage::new(&[OLD]);
    assert_eq!(stage.lines(), ["mcp:time/now  new, never accepted"]);
    stage.accept(None).await.unwrap();
    assert_eq!(stage.lines(), ["nothing moved"]);
    assert_eq!(pins(&stage.state()).unwrap(), BTreeMap::from([(now(), digest(OLD))]));
    stage.accept(None).await.unwrap();

    stage.list(&[NEW]);
    let (was, is) = (digest(OLD), digest(NEW));
    let blind = stage.lines();
    assert_eq!(blind[0], format!("mcp:time/now  pinned {was}"));
    assert!(blind[1].contains("is not kept here") && blind[2].ends_with(&is.to_string()), "{blind:?}");
    Definitions::of(&stage.state()).keep([(was, OLD)]).unwrap();
    assert_eq!(
        stage.lines(),
        [
            format!("mcp:time/now  pinned {}, now {}", was.short(), is.short()).as_str(),
            "  description:",
            "    | Tells the time{+\\u{a}+}",
            "    | {+and more+}.{+\\u{200b}+}",
            "  arguments zone.type: [-string-]{+number+}",
            "  arguments zone: [-optional-]{+required+}",
        ]
    );
    let json = crate::cli::print::json(&diff::report(&stage.read())).unwrap().concat();
    let read: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(read["moved"][0]["moved"][0]["new"], "Tells the time\nand more.\u{200b}");
    assert!(json.contains("more.\\u200b") && read["moved"][0]["pinned"] == was.to_string(), "{json}");
    let other = stage.accept(Some(was)).await.unwrap_err();
    assert!(other.exit == Exit::Moved && other.text.contains(&is.to_string()), "{}", other.text);
    stage.accept(Some(is)).await.unwrap();
    assert_eq!(pins(&stage.state()).unwrap()[&now()], is);

    stage.list(&[]);
    assert_eq!(stage.lines(), ["mcp:time/now  gone: its server does not list it"]);
    assert!(stage.accept(None).await.unwrap_err().text.contains("can't be accepted: its server does not list it"));
}

#[tokio::test]
async fn cat_8_a_running_host_accepts_what_it_serves() {
    let stage = Stage::new(&[OLD]);
    let host = stage.host().await;
    stage.accept(None).await.unwrap();
    assert_eq!(pins(&stage.state()).unwrap()[&now()], digest(OLD));
    stage.list(&[NEW]);
    let failure = stage.accept(None).await.unwrap_err();
    assert!(
        failure.exit == Exit::Failed && failure.text.contains("\nhint: it reads a changed lock file within seconds"),
        "{}",
        failure.text
    );
    assert_eq!(pins(&stage.state()).unwrap()[&now()], digest(OLD));
    drop(host);
}

#[tokio::test]
async fn cat_8_tools_of_a_server_that_is_off_have_not_moved() {
    let mut stage = Stage::new(&[OLD]);
    stage.accept(None).await.unwrap();
    let time = Alias::parse("time").unwrap();
    let clean = |stage: &Stage, expect: &str| {
        let drift = stage.read();
        assert!(drift.drifted.is_empty() && drift.new.is_empty() && drift.gone.is_empty());
        assert_eq!(diff::lines(&drift), ["nothing moved", expect]);
    };
    stage.config.servers.get_mut(&time).unwrap().enabled = false;
    clean(&stage, "note: server `time` is disabled; 1 tool of it stays accepted: `agent-host enable time` serves it again");
    let failed = stage.accept(None).await.unwrap_err();
    assert!(failed.exit == Exit::Nothing && failed.text.contains("`time` is disabled\nhint: `agent-host enable time`"), "{}", failed.text);
    let told = Accept { ids: vec![], server: Some(time.clone()), yes: true, expect: None };
    let failed = accept(&stage.config, &stage.state(), told).await.unwrap_err();
    assert!(failed.exit == Exit::Nothing && failed.text.starts_with("server `time` is disabled\nhint: "), "{}", failed.text);
    stage.config.servers.remove(&time);
    clean(&stage, "note: no server `time` is configured; 1 tool of it stays accepted: nothing to do");
}

#[test]
fn cat_8_names_of_nothing_are_slips() {
    let stage = Stage::new(&[OLD, r#"{"name":"odd"}"#]);
    let failed = |chosen| Drift::read(&stage.config, &stage.state(), &chosen).err().unwrap();
    let unknown = failed(Chosen::Ids(vec![now(), ToolId::parse("mcp:time/odd").unwrap()]));
    assert!(unknown.exit == Exit::Nothing && unknown.text.contains("it is not served: `inputSchema` is missing"), "{}", unknown.text);
    assert!(
        failed(Chosen::Server(Alias::parse("tame").unwrap())).text.contains("no server `tame` is configured\nhint: did you mean `time`?")
    );
    std::fs::remove_file(Lock::path(&stage.config)).unwrap();
    assert!(failed(Chosen::All).text.contains("hint: `agent-host sync`"));
}

#[test]
fn attack_30_a_strangers_text_cannot_pass_for_a_line_or_a_mark_of_ours() {
    assert_eq!(marked("a", "a [-b-]{+c+}"), "a{+ [\\u{2d}b\\u{2d}]{\\u{2b}c\\u{2b}}+}");
    assert_eq!(marked("x [-b-]", "x [-b-] y"), "x [\\u{2d}b\\u{2d}]{+ y+}");
    assert_eq!(marked("a b", "a\tb"), "a[- -]{+\\u{9}+}b");
    assert_eq!(marked("a", "\u{1b}[2J a\r"), "{+\\u{1b}[2J +}a{+\\u{d}+}");
    let forged =
        r#"{"name":"now","description":"x\naccept this definition? [y/N] y\nmcp:time/other","inputSchema":{"properties":{"a\nb":{}}}}"#;
    let stage = Stage::new(&[forged]);
    let lines = review(&stage.read().new[0]);
    assert!(lines.iter().skip(1).all(|line| line.starts_with("  ") && !line.contains('\n')), "{lines:?}");
    assert_eq!(lines.iter().filter(|line| line.starts_with("    | ")).count(), 3);
}
