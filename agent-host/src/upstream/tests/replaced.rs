//! A pool that is given other servers while it runs (HOST-2).

use super::*;

fn alias(name: &str) -> Alias {
    Alias::parse(name).unwrap()
}

/// Settings of these servers; those that are marked have one variable more.
fn servers(stage: &Stage, parts: &[&str], mark: &str) -> BTreeMap<Alias, config::Server> {
    let server = |part: &&str| {
        let mut server = settings(part, stage.folder.path());
        if !mark.is_empty() {
            server.env.insert(mark.to_owned(), "1".into());
        }
        (alias(part), server)
    };
    parts.iter().map(server).collect()
}

async fn variables(stage: &Stage) -> Vec<String> {
    let Outcome::Ok(result) = stage.call("mcp:plain/environment", json!({})).await else { unreachable!() };
    serde_json::from_value(result.structured.unwrap()["names"].clone()).unwrap()
}

#[tokio::test]
async fn host_2_a_server_with_the_same_settings_stays_as_it_is() {
    let stage = stage(&["plain", "noisy"]).await;
    let known = stage.names("plain");
    assert_eq!(stage.pool.withdraw(&servers(&stage, &["plain", "odd"], "")), [alias("noisy")]);
    stage.pool.admit(&servers(&stage, &["plain", "odd"], ""), &BTreeMap::new());
    stage.pool.sweep().await;
    assert_eq!((stage.health("plain"), stage.names("plain")), (Health::Running { processes: 1, calls: 0 }, known));
    assert_eq!((stage.health("odd"), stage.names("odd")), (Health::Unstarted, Vec::<String>::new()));
    assert!(matches!(stage.lease("mcp:noisy/echo").await, Err(Outcome::Unreachable(why)) if why.contains("has the alias `noisy`")));
    assert!(stage.lease("mcp:plain/echo").await.is_ok());
    assert_eq!(stage.starts(), 2, "nothing was started anew");
    let pids = stage.lines("starts");
    until("the one that is gone ended", || pids.iter().filter(|pid| stat(pid).is_some()).count() == 1).await;
    stage.pool.close().await;
}

#[tokio::test]
async fn host_2_a_disabled_server_is_withdrawn() {
    let stage = stage(&["plain"]).await;
    let off = servers(&stage, &["plain"], "").into_iter().map(|(alias, server)| (alias, config::Server { enabled: false, ..server }));
    let off = off.collect();
    assert_eq!(stage.pool.withdraw(&off), [alias("plain")]);
    stage.pool.admit(&off, &BTreeMap::new());
    assert_eq!((stage.pool.listing().len(), stage.pool.health().len()), (0, 0));
    assert!(stage.lease("mcp:plain/echo").await.is_err());
    stage.pool.close().await;
    let pid = stage.lines("starts").remove(0);
    assert_eq!(stat(&pid), None, "also one that is leaving is ended");
}

#[tokio::test]
async fn host_2_calls_that_started_run_out_and_then_the_process_ends() {
    let stage = stage(&["plain"]).await;
    let id = ToolId::parse("mcp:plain/slow").unwrap();
    let (tell, told) = tokio::sync::oneshot::channel::<()>();
    let lease = stage.pool.server(&id).unwrap().lease(&asker("local:0"), &id).await.unwrap();
    let running = tokio::spawn(lease.hand_over(Map::new(), Progress::none(), async move { drop(told.await) }));
    let old = stage.lines("starts").remove(0);
    let next = servers(&stage, &["plain"], "NEXT");
    stage.pool.withdraw(&next);
    stage.pool.admit(&next, &BTreeMap::new());
    assert!(variables(&stage).await.contains(&"NEXT".to_owned()), "the next call is the successor's");
    for _ in 0..3 {
        stage.pool.sweep().await;
    }
    assert!(stat(&old).is_some() && !running.is_finished(), "the call that runs keeps its process");
    tell.send(()).unwrap();
    assert!(matches!(running.await.unwrap(), Outcome::Lost(_)));
    stage.pool.sweep().await;
    assert_eq!((stat(&old), stage.starts(), stage.pool.leaving.lock().len()), (None, 2, 0));
    stage.pool.close().await;
}

#[tokio::test]
async fn host_2_a_lease_of_what_was_withdrawn_starts_no_call() {
    let stage = stage(&["plain"]).await;
    let (echo, who) = (ToolId::parse("mcp:plain/echo").unwrap(), asker("local:0"));
    let server = stage.pool.server(&echo).unwrap();
    let lease = server.lease(&who, &echo).await.unwrap();
    stage.pool.withdraw(&servers(&stage, &["plain"], "NEXT"));
    let outcome = lease.hand_over(Map::new(), Progress::none(), pending()).await;
    assert!(matches!(&outcome, Outcome::Unreachable(why) if why.contains("has other settings by now")), "{outcome:?}");
    stage.pool.sweep().await;
    assert!(server.lease(&who, &echo).await.is_err(), "whoever still holds it starts nothing of it");
    assert_eq!(stage.starts(), 1);
    stage.pool.close().await;
}

#[tokio::test]
async fn host_2_a_start_that_is_under_way_ends_with_its_server() {
    let stage = Stage::with(&["silent"], BTreeMap::new(), |_| {});
    let waiting = async { stage.refused("mcp:silent/echo").await };
    let withdrawing = async {
        until("it was started", || stage.starts() == 1).await;
        stage.pool.withdraw(&BTreeMap::new());
    };
    let (why, ()) = tokio::join!(waiting, withdrawing);
    assert!(why.contains("taken out of the configuration"), "{why}");
    let pid = stage.lines("starts").remove(0);
    until("its process ended", || stat(&pid).is_none()).await;
    stage.pool.close().await;
}
