//! At no moment is a tool judged by a rule that was written for another, or a call answered by a server that was not meant.

use super::*;
use agent_engine::policy::Verdict;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

const VARIABLES: &str = "mcp:plain/environment";

/// Each rule is for the server as its own configuration declares it, so no moment may know a tool that none is for.
const EACH: [(&str, &str); 2] = [
    ("[[rule]]\neffect = \"destructive\"\ndecision = \"auto\"\n", "A"),
    ("[[rule]]\neffect = \"read-only\"\ndecision = \"deny\"\n", "A effect = \"read-only\""),
];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn host_2_pol_2_no_tool_is_judged_by_a_rule_that_is_not_for_it() {
    let (stage, mut reload, _told) = Stage::open(EACH[0].0, &[("plain", EACH[0].1)], true).await;
    stage.activate(ECHO).await;
    let (done, desk, session) = (Arc::new(AtomicBool::new(false)), stage.desk.clone(), stage.session.asker().session);
    let watching = done.clone();
    let watcher = std::thread::spawn(move || {
        let (mut seen, echo) = (BTreeMap::new(), ToolId::parse(ECHO).unwrap());
        while !watching.load(Ordering::Relaxed) {
            let verdict = desk.why(session, &echo).unwrap().facts.verdict;
            *seen.entry(format!("{verdict:?}")).or_insert(0) += 1;
            assert_ne!(verdict, Some(Verdict::Prompt), "{seen:?}");
        }
        seen
    });
    for round in 1..=100 {
        let (policy, server) = EACH[round % 2];
        stage.write(policy, &[("plain", server)]);
        let changes = taken(reload.reload().await);
        assert_eq!((changes.changed.len(), changes.suspended, changes.back), (1, round % 2, (round + 1) % 2));
    }
    done.store(true, Ordering::Relaxed);
    let seen = watcher.join().unwrap();
    assert!(seen.len() == 3, "each of the three was seen: {seen:?}");
    stage.upstreams.close().await;
}

/// By which variable a server is told, and whether its tool may be called.
const TURNS: [(&str, bool); 4] = [("A", true), ("B", false), ("C", true), ("D", true)];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn host_2_a_call_is_answered_by_the_server_of_the_rules_that_let_it_go() {
    let policy = |allowed: bool| {
        let decision = if allowed { "auto" } else { "deny" };
        format!("[[rule]]\ntools = [\"{VARIABLES}\"]\ndecision = \"{decision}\"\n")
    };
    let (stage, mut reload, _told) = Stage::open(&policy(true), &[("plain", "A")], true).await;
    stage.activate(VARIABLES).await;
    let stage = Arc::new(stage);
    // How many reloads began, and how many are done.
    let (began, done, over) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)), Arc::new(AtomicBool::new(false)));
    let caller = || {
        let (stage, began, done, over) = (stage.clone(), began.clone(), done.clone(), over.clone());
        tokio::spawn(async move {
            let mut answered = 0;
            while !over.load(Ordering::SeqCst) {
                tokio::time::sleep(Duration::from_millis(1)).await;
                let from = done.load(Ordering::SeqCst);
                let reply = stage.call("plain__environment").await;
                let to = began.load(Ordering::SeqCst);
                let Reply::Ran(ran) = reply else { continue };
                let Outcome::Ok(result) = ran.outcome else { continue };
                let names: Vec<String> = serde_json::from_value(result.structured.unwrap()["names"].clone()).unwrap();
                let may = |at: usize| TURNS[at % TURNS.len()].1 && names.iter().any(|name| name == TURNS[at % TURNS.len()].0);
                assert!((from..=to).any(may), "answered by {names:?} between {from} and {to}");
                answered += 1;
            }
            answered
        })
    };
    let callers: Vec<_> = (0..4).map(|_| caller()).collect();
    for turn in 1..=24 {
        let (mark, allowed) = TURNS[turn % TURNS.len()];
        stage.write(&policy(allowed), &[("plain", mark)]);
        began.store(turn, Ordering::SeqCst);
        taken(reload.reload().await);
        done.store(turn, Ordering::SeqCst);
        tokio::time::sleep(Duration::from_millis(60)).await;
        stage.upstreams.sweep().await;
    }
    over.store(true, Ordering::SeqCst);
    let mut answered = 0;
    for caller in callers {
        answered += caller.await.unwrap();
    }
    assert!(answered > 20, "{answered} calls were answered");
    stage.upstreams.close().await;
}
