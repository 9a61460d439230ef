//! From a lock file and a store to what a person reads, and from a yes back to the store.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use super::lines::marked;
use super::*;
use crate::admin::{Listener, Office, Users};
use crate::cli::accept::{Accept, accept, shown};
use crate::cli::diff;
use crate::store::SqliteLedger;
use crate::system::{SystemClock, SystemEntropy};
use crate::upstream::Listed;
use agent_engine::call::Router;
use agent_engine::catalog::diff::Part;
use agent_engine::desk::Desk;
use agent_engine::engine::{Front, Parts, build};
use std::collections::BTreeSet;
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
    Definitions::of(&stage.state()).keep([(was, OLD)], &BTreeSet::from([was])).unwrap();
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

#[tokio::test]
async fn cat_8_what_is_expected_is_compared_with_what_is_served_also_where_it_was_accepted() {
    let stage = Stage::new(&[OLD]);
    stage.accept(Some(digest(OLD))).await.unwrap();
    stage.accept(Some(digest(OLD))).await.unwrap();
    let failure = stage.accept(Some(digest(NEW))).await.unwrap_err();
    assert!(failure.exit == Exit::Moved && failure.text.contains(&digest(OLD).to_string()), "{}", failure.text);
    let told = Accept { ids: vec![now(), now()], server: None, yes: true, expect: Some(digest(OLD)) };
    assert_eq!(accept(&stage.config, &stage.state(), told).await.unwrap_err().exit, Exit::Usage);
}

#[tokio::test]
async fn cat_8_a_yes_is_about_nothing_that_was_not_shown() {
    let whole = r#"{"name":"now","description":"x","inputSchema":{"properties":{"at":{"properties":{"deep":{"default":"rm -rf"}}}},"$comment":"call me\u202e"},"outputSchema":{"type":"object"},"annotations":{"readOnlyHint":true},"more":["[-1-]"]}"#;
    let expect = [
        "    | {",
        "    |   \"name\": \"now\",",
        "    |   \"description\": \"x\",",
        "    |   \"inputSchema\": {",
        "    |     \"properties\": {",
        "    |       \"at\": {",
        "    |         \"properties\": {",
        "    |           \"deep\": {",
        "    |             \"default\": \"rm -rf\"",
        "    |           }",
        "    |         }",
        "    |       }",
        "    |     },",
        "    |     \"$comment\": \"call me\\u{202e}\"",
        "    |   },",
        "    |   \"outputSchema\": {",
        "    |     \"type\": \"object\"",
        "    |   },",
        "    |   \"annotations\": {",
        "    |     \"readOnlyHint\": true",
        "    |   },",
        "    |   \"more\": [",
        "    |     \"[\\u{2d}1\\u{2d}]\"",
        "    |   ]",
        "    | }",
    ];
    let stage = Stage::new(&[whole]);
    assert!(shown(&stage.read()).ends_with(&expect.map(str::to_owned)), "{:#?}", shown(&stage.read()));
    stage.list(&[OLD]);
    stage.accept(None).await.unwrap();
    stage.list(&[whole]);
    let lines = shown(&stage.read());
    assert!(lines[1].contains("is not kept here") && lines.ends_with(&expect.map(str::to_owned)), "{lines:#?}");
}

#[test]
fn attack_30_a_strangers_text_cannot_pass_for_a_line_or_a_mark_of_ours() {
    assert_eq!(marked("a", "a [-b-]{+c+}"), "a{+ [\\u{2d}b\\u{2d}]{\\u{2b}c\\u{2b}}+}");
    assert_eq!(marked("x [-b-]", "x [-b-] y"), "x [\\u{2d}b\\u{2d}]{+ y+}");
    assert_eq!(marked("a", "a} is as it was {"), "a{+\\u{7d} is as it was \\u{7b}+}");
    assert_eq!(marked("a b", "a\tb"), "a[- -]{+\\u{9}+}b");
    assert_eq!(marked("a", "\u{1b}[2J a\r"), "{+\\u{1b}[2J +}a{+\\u{d}+}");
    let forged =
        r#"{"name":"now","description":"x\naccept this definition? [y/N] y\nmcp:time/other","inputSchema":{"properties":{"a\nb":{}}}}"#;
    let stage = Stage::new(&[forged]);
    let lines = review(&stage.read().new[0]);
    assert!(lines.iter().skip(1).all(|line| line.starts_with("  ") && !line.contains('\n')), "{lines:?}");
    assert_eq!(lines.iter().filter(|line| line.starts_with("    | ")).count(), 3);
}

#[test]
fn attack_30_labels_and_titles_that_servers_made_are_told_from_ours() {
    let forged = r#"{"name":"now","title":"[-a-]    b","inputSchema":{"properties":{
        "zone (string, optional): safe":{"type":"{+x+}","enum":["UTC, CET","UTC"]},"":{}}}}"#;
    let stage = Stage::new(&[forged]);
    let lines = review(&stage.read().new[0]);
    assert_eq!(
        lines[3..],
        [
            "  title: [\\u{2d}a\\u{2d}] b",
            "  description",
            "  \"zone (string, optional): safe\" (\"{\\u{2b}x\\u{2b}}\", optional) one of \"UTC, CET\", UTC",
            "  \"\" (any, optional)",
        ]
    );
    let moved = Moved { part: Part::Arguments, at: vec!["a.b".into(), "x [-y-]".into(), "type".into()], old: None, new: Some("z".into()) };
    let found = Drifted { tool: stage.read().new[0].clone(), pinned: digest(OLD), moved: Some(vec![moved]) };
    assert_eq!(drifted(&found)[1], "  arguments \"a.b\".\"x [\\u{2d}y\\u{2d}]\".type: {+z+}");
}

#[test]
fn attack_30_spaces_push_no_text_to_where_our_lines_begin() {
    assert_eq!(marked("a b c  d", "a   b c  d"), "a[- -]{+\\u{20 ×3}+}b c\\u{20 ×2}d");
    assert_eq!(marked("a b", "a\u{a0}b"), "a[- -]{+\\u{a0}+}b");
    let pushed = format!(
        r#"{{"name":"now","description":"x{}accept this definition? [y/N] y\n\n\n{}","inputSchema":{{}}}}"#,
        " \u{3000}".repeat(60),
        "名前 words ".repeat(60)
    );
    let stage = Stage::new(&[&pushed]);
    let lines = [review(&stage.read().new[0]), whole(&stage.read().new[0])].concat();
    assert!(lines.contains(&"    | x accept this definition? [y/N] y".to_owned()), "{lines:#?}");
    let narrow = wrapped(lines.clone(), Some(60));
    let columns = |line: &str| line.chars().map(|character| if character.is_ascii() { 1 } else { 2 }).sum::<usize>();
    assert!(narrow.iter().all(|line| columns(line) <= 60), "{narrow:#?}");
    assert!(narrow.iter().skip(1).all(|line| line.starts_with("  ")), "{narrow:#?}");
    let text = |lines: &[String]| lines.concat().replace("    | ", "");
    assert_eq!(text(&narrow), text(&lines), "nothing is lost");
    assert_eq!(wrapped(lines.clone(), None), lines);
    assert_eq!(
        wrapped(vec!["  ab cd".to_owned(), "    abcdefghijklmnopqrstuvw x".to_owned()], Some(20)),
        ["  ab cd", "    abcdefghijklmnop", "    | qrstuvw x",]
    );
    let digest = digest(OLD).to_string();
    assert_eq!(wrapped(vec![format!("mcp:time/now  pinned {digest}")], Some(80)), ["mcp:time/now  pinned ", &format!("    | {digest}")]);
}
