//! Whole syncs with real processes: this very test binary, told to be a server that lists what a file holds.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use super::*;
use agent_core::digest::Digest;
use serde_json::{Value, json};
use std::io::{BufRead, Write};
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;

const NOW: &str = r#"{"name":"now","inputSchema":{"type":"object"},"x":1.50}"#;
const LATER: &str = r#"{"name":"now","inputSchema":{"type":"object"},"x":2}"#;
const ZONES: &str = r#"{"name":"zones","inputSchema":{"type":"object"}}"#;

#[test]
#[ignore = "the server that the other tests start"]
fn lists_a_file() {
    for line in std::io::stdin().lock().lines() {
        let message: Value = serde_json::from_str(&line.unwrap()).unwrap();
        let Some(id) = message.get("id") else { continue };
        let answer = match message["method"].as_str().unwrap_or_default() {
            "initialize" => json!({
                "protocolVersion": "2025-11-25",
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "file", "version": "7"},
            })
            .to_string(),
            // As it stands there: the text is not parsed on its way.
            "tools/list" => std::fs::read_to_string(std::env::var_os("LISTED").unwrap()).unwrap(),
            _ => {
                println!("{}", json!({"jsonrpc": "2.0", "id": id, "error": {"code": -32601, "message": "no"}}));
                continue;
            }
        };
        println!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{answer}}}");
        std::io::stdout().flush().unwrap();
    }
}

struct Stage {
    folder: tempfile::TempDir,
    config: Config,
}

impl Stage {
    /// Servers that list nothing yet.
    fn new(aliases: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let config = Config::parse(&folder.path().join("agent-host.toml"), "").unwrap();
        let mut stage = Self { folder, config };
        for alias in aliases {
            let listed = stage.listed(alias);
            let settings = config::Server {
                args: ["--exact", "cli::sync::tests::lists_a_file", "--ignored", "--nocapture"].map(str::to_owned).into(),
                env: [("LISTED".to_owned(), listed.to_str().unwrap().into())].into(),
                ..config::Server::new(std::env::current_exe().unwrap().display().to_string())
            };
            stage.config.servers.insert(Alias::parse(alias).unwrap(), settings);
            stage.list(alias, &[]);
        }
        stage
    }

    fn listed(&self, alias: &str) -> PathBuf {
        self.folder.path().join(format!("{alias}.json"))
    }

    fn list(&self, alias: &str, definitions: &[&str]) {
        std::fs::write(self.listed(alias), format!("{{\"tools\":[{}]}}", definitions.join(","))).unwrap();
    }

    fn settings(&mut self, alias: &str) -> &mut config::Server {
        self.config.servers.get_mut(&Alias::parse(alias).unwrap()).unwrap()
    }

    fn state(&self) -> PathBuf {
        self.folder.path().join("state")
    }

    async fn sync(&self, aliases: &[&str], check: bool) -> Result<(), Exit> {
        let aliases = aliases.iter().map(|alias| Alias::parse(alias).unwrap()).collect();
        sync(&self.config, &self.state(), Sync { aliases, check }).await.map_err(|failure| failure.exit)
    }

    fn lock(&self) -> Lock {
        Lock::read(&Lock::path(&self.config)).unwrap()
    }

    fn definitions(&self, alias: &str) -> Vec<String> {
        self.lock().servers[&Alias::parse(alias).unwrap()].definitions.clone()
    }

    fn inode(&self) -> u64 {
        std::fs::metadata(Lock::path(&self.config)).unwrap().ino()
    }
}

fn digest(text: &str) -> Digest {
    agent_core::definition::Definition::parse(text).unwrap().digest
}

#[tokio::test]
async fn cat_7_a_sync_keeps_what_servers_say_as_they_say_it() {
    let stage = Stage::new(&["time", "other"]);
    stage.list("time", &[ZONES, NOW, r#"{"name":"odd"}"#]);
    stage.sync(&[], false).await.unwrap();
    assert_eq!(stage.definitions("time"), [NOW, r#"{"name":"odd"}"#, ZONES]);
    let said = &stage.lock().servers[&Alias::parse("time").unwrap()];
    assert_eq!(said.protocol.as_deref(), Some("2025-11-25"));
    assert_eq!(said.claims, Some(("file".to_owned(), "7".to_owned())));

    let before = stage.inode();
    stage.sync(&[], false).await.unwrap();
    assert_eq!(stage.sync(&[], true).await, Ok(()));
    assert_eq!(stage.inode(), before, "the same words are not written again");

    stage.list("time", &[LATER]);
    assert_eq!(stage.sync(&[], true).await, Err(Exit::Moved));
    assert_eq!(stage.inode(), before, "a check changes nothing");
    stage.sync(&["time"], false).await.unwrap();
    assert_eq!(stage.definitions("time"), [LATER]);
    let kept = Definitions::of(&stage.state());
    assert_eq!(kept.get(&digest(NOW)).as_deref(), Some(NOW));
    assert_eq!(kept.get(&digest(ZONES)).as_deref(), Some(ZONES));
    assert_eq!(kept.get(&digest(LATER)), None);
}

#[tokio::test]
async fn cat_7_one_failure_hurts_no_other_server() {
    let mut stage = Stage::new(&["time", "other"]);
    stage.list("time", &[NOW]);
    stage.sync(&[], false).await.unwrap();
    stage.list("time", &[LATER]);
    stage.list("other", &[ZONES]);
    stage.settings("time").command = "/nowhere/server".to_owned();
    assert_eq!(stage.sync(&[], false).await, Err(Exit::Failed));
    assert_eq!((stage.definitions("time"), stage.definitions("other")), (vec![NOW.to_owned()], vec![ZONES.to_owned()]));
}

#[tokio::test]
async fn cat_7_a_lock_follows_the_configuration() {
    let mut stage = Stage::new(&["time", "other", "third"]);
    stage.list("time", &[NOW]);
    stage.sync(&[], false).await.unwrap();
    stage.settings("time").enabled = false;
    stage.config.servers.remove(&Alias::parse("other").unwrap());
    stage.list("time", &[LATER]);
    stage.sync(&[], false).await.unwrap();
    let lock = stage.lock();
    assert_eq!(lock.servers.keys().map(Alias::as_str).collect::<Vec<_>>(), ["third", "time"]);
    assert_eq!(stage.definitions("time"), [NOW], "who is disabled is not asked and not forgotten");
    assert_eq!(stage.sync(&["time"], false).await, Err(Exit::Usage));
    assert_eq!(stage.sync(&["other"], false).await, Err(Exit::Usage));
}

#[tokio::test]
async fn cat_7_a_bad_merge_is_mended_by_asking_everybody() {
    let stage = Stage::new(&["time", "other"]);
    stage.list("time", &[NOW]);
    stage.sync(&[], false).await.unwrap();
    let path = Lock::path(&stage.config);
    let whole = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, whole.replace("1.50", "1.60")).unwrap();
    assert_eq!(stage.sync(&["time"], false).await, Err(Exit::Usage));
    assert_eq!(stage.sync(&[], true).await, Err(Exit::Usage));
    stage.sync(&[], false).await.unwrap();
    assert_eq!(std::fs::read_to_string(&path).unwrap(), whole);
}

#[tokio::test]
async fn cat_7_what_cant_be_read_is_not_made_anew_without_a_server_that_fails() {
    let mut stage = Stage::new(&["time", "other"]);
    stage.list("time", &[NOW]);
    stage.sync(&[], false).await.unwrap();
    let path = Lock::path(&stage.config);
    let broken = std::fs::read_to_string(&path).unwrap().replace("1.50", "1.60");
    std::fs::write(&path, &broken).unwrap();
    stage.settings("time").command = "/nowhere/server".to_owned();
    let failed = sync(&stage.config, &stage.state(), Sync::default()).await.unwrap_err();
    assert!(failed.text.starts_with("nothing is written: ") && failed.text.contains("holds of `time` would be lost\nhint: "), "{failed:?}");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), broken);
    std::fs::remove_file(&path).unwrap();
    assert_eq!(stage.sync(&[], false).await, Err(Exit::Failed));
    assert_eq!(stage.lock().servers.keys().map(Alias::as_str).collect::<Vec<_>>(), ["other"]);
}

#[tokio::test]
async fn cat_7_who_listed_a_part_is_told_from_who_could_not_be_asked() {
    let mut stage = Stage::new(&["time", "other"]);
    stage.list("time", &[NOW, ZONES]);
    stage.sync(&[], false).await.unwrap();
    let part = format!("{{\"tools\":[{LATER}],\"nextCursor\":\"again\"}}");
    std::fs::write(stage.listed("time"), part).unwrap();
    stage.settings("other").command = "/nowhere/server".to_owned();
    let failed = sync(&stage.config, &stage.state(), Sync::default()).await.unwrap_err();
    let lines: Vec<_> = failed.text.lines().collect();
    assert!(lines[0].starts_with("`time` listed only a part (") && lines[0].ends_with("); what it listed before stays"), "{lines:?}");
    assert_eq!(lines[1], "1 server could not be asked (`other`); what is known of it stays");
    assert_eq!(stage.definitions("time"), [NOW, ZONES]);
}

#[test]
fn cat_7_what_changed_is_told_by_tool() {
    let stage = Stage::new(&["time", "gone"]);
    let lock = |servers: &[(&str, &[&str])]| {
        let listed = |definitions: &[&str]| {
            let mut listed = Listed::default();
            listed.definitions = definitions.iter().map(|raw| (*raw).to_owned()).collect();
            listed
        };
        Lock { servers: servers.iter().map(|(alias, definitions)| (Alias::parse(alias).unwrap(), listed(definitions))).collect() }
    };
    let old = lock(&[("time", &[NOW, ZONES]), ("gone", &[])]);
    let new = lock(&[("time", &[LATER, r#"{"name":"a\u001bb","inputSchema":{}}"#, r#"{"name":"new","inputSchema":{}}"#])]);
    let pins = BTreeMap::from([(agent_core::id::ToolId::parse("mcp:time/now").unwrap(), digest(NOW))]);
    let told = changes::lines(&old.catalog(&stage.config), &new.catalog(&stage.config), &old, &new, &pins);
    assert_eq!(
        told,
        [
            "time:",
            "  added mcp:time/new",
            "  changed mcp:time/now, not as it was accepted",
            "  gone mcp:time/zones",
            "  refused `a\\u{1b}b`: the name holds a character that can't be seen",
            "gone: not configured any more",
            "1 tool moved from what was accepted: `agent-host diff` shows what, `agent-host accept ID` frees one",
        ]
    );
    assert!(changes::lines(&old.catalog(&stage.config), &old.catalog(&stage.config), &old, &old, &BTreeMap::new()).is_empty());
}
