//! What one process answers, every other answers.

use super::*;
use crate::projection::found;
use agent_core::state::SessionState;
use std::process::Command;

/// Set for a process that is to say its answers.
const SAYS: &str = "AGENT_ENGINE_SAYS_ANSWERS";

#[tokio::test]
async fn srch_3_every_process_gives_the_same_bytes() {
    if std::env::var_os(SAYS).is_some() {
        println!("\n{}", answers().await.join("\n"));
        return;
    }
    let (_, module) = module_path!().split_once("::").unwrap();
    let this = format!("{module}::srch_3_every_process_gives_the_same_bytes");
    let said = || {
        let output =
            Command::new(std::env::current_exe().unwrap()).args([&this, "--exact", "--nocapture"]).env(SAYS, "1").output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        text.lines().filter(|line| line.starts_with("{\"catalog\"")).map(str::to_owned).collect::<Vec<_>>()
    };
    let first = said();
    assert_eq!(first.len(), QUERIES.len() + 3);
    assert_eq!(first, said());
    assert_eq!(first, answers().await);
}

async fn answers() -> Vec<String> {
    let tools = catalog(500);
    let tools: Vec<_> = tools.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let (left, right) = tools.split_at(200);
    let world = World::new(&[source("a", left), source("b", right)]);
    let mut said = Vec::new();
    for query in QUERIES.into_iter().chain(["raed file, lsit isue or mial", "readfile", "furecaszt zzzzz"]) {
        let page = world.page(query, HITS_MAX).await;
        said.push(serde_json::to_string(&found(page, &[], &[], &SessionState::default())).unwrap());
    }
    said
}
