//! When processes start, whom they serve, and when they end (UP-1).

use super::*;

/// What a lock file would say of a server.
async fn known(part: &str) -> BTreeMap<Alias, Listed> {
    let folder = tempfile::tempdir().unwrap();
    [(
        Alias::parse(part).unwrap(),
        Upstreams::look(&Alias::parse(part).unwrap(), &settings(part, folder.path()), Arc::new(NoLogins)).await.unwrap(),
    )]
    .into()
}

#[tokio::test]
async fn up_1_opening_and_listing_start_nothing() {
    let stage = Stage::with(&["plain"], known("plain").await, |_| {});
    assert_eq!(stage.pool.refresh().await, []);
    assert!(stage.names("plain").contains(&"echo".to_owned()), "the catalog is what is known");
    stage.pool.sweep().await;
    assert_eq!((stage.starts(), stage.health("plain")), (0, Health::Unstarted));
    assert!(matches!(stage.call("mcp:plain/echo", json!({})).await, Outcome::Ok(_)));
    assert_eq!((stage.starts(), stage.health("plain")), (1, Health::Running { processes: 1, calls: 0 }));
    stage.pool.close().await;
}

#[tokio::test]
async fn up_1_ten_callers_start_one_process() {
    let stage = Stage::with(&["plain"], BTreeMap::new(), |_| {});
    assert_eq!(stage.callers("mcp:plain/echo", 10).await, 10);
    assert_eq!(stage.starts(), 1);
    stage.pool.close().await;
}

#[tokio::test]
async fn up_1_a_caller_who_goes_away_does_not_stop_the_start() {
    let stage = Stage::with(&["plain"], BTreeMap::new(), |_| {});
    let given_up = tokio::time::timeout(Duration::from_millis(1), stage.lease("mcp:plain/echo")).await;
    assert!(given_up.is_err());
    until("it runs", || matches!(stage.health("plain"), Health::Running { calls: 0, .. })).await;
    assert!(stage.lease("mcp:plain/echo").await.is_ok());
    assert_eq!(stage.starts(), 1);
    stage.pool.close().await;
}

#[tokio::test]
async fn up_1_a_process_serves_one_principal_unless_it_is_shared() {
    let stage = stage(&["plain"]).await;
    for principal in ["local:1", "local:2", "local:1"] {
        assert!(stage.reserve(principal, "mcp:plain/echo").await.is_ok());
    }
    assert_eq!(stage.starts(), 2, "the one that was listed served nobody, and is the first principal's");
    assert_eq!(stage.health("plain"), Health::Running { processes: 2, calls: 0 });
    stage.pool.close().await;

    let shared = Stage::with(&["plain"], BTreeMap::new(), |server| server.shared = true);
    for principal in ["local:1", "local:2"] {
        assert!(shared.reserve(principal, "mcp:plain/echo").await.is_ok());
    }
    assert_eq!(shared.starts(), 1);
    shared.pool.close().await;
}

#[tokio::test]
async fn up_1_what_nobody_uses_is_stopped_and_started_again() {
    let idle = Duration::from_millis(50);
    let stage = Stage::with(&["plain"], BTreeMap::new(), |server| server.idle = Some(config::Length(idle)));
    let lease = stage.reserve("local:0", "mcp:plain/echo").await.unwrap();
    tokio::time::sleep(idle * 2).await;
    stage.pool.sweep().await;
    assert_eq!(stage.health("plain"), Health::Running { processes: 1, calls: 1 }, "somebody holds it");
    drop(lease);
    tokio::time::sleep(idle * 2).await;
    stage.pool.sweep().await;
    assert_eq!(stage.health("plain"), Health::Unstarted);
    let pid = stage.lines("starts").remove(0);
    until("it is gone", || stat(&pid).is_none()).await;
    assert!(stage.names("plain").contains(&"echo".to_owned()));
    assert!(matches!(stage.call("mcp:plain/echo", json!({})).await, Outcome::Ok(_)));
    assert_eq!(stage.starts(), 2);
    stage.pool.close().await;
}

#[tokio::test]
async fn up_1_a_server_that_fails_is_left_alone_for_longer_each_time() {
    let stage = Stage::with(&["dead"], BTreeMap::new(), |_| {});
    for (starts, rest) in [(1, "it is tried again in 1s"), (2, "it is tried again in 2s")] {
        let mut why = stage.refused("mcp:dead/echo").await;
        while !why.ends_with(rest) {
            tokio::time::sleep(Duration::from_millis(20)).await;
            why = stage.refused("mcp:dead/echo").await;
        }
        assert!(
            why.starts_with("server `dead`: ") && !why.contains("license"),
            "what it wrote to its standard error is for operators: {why}"
        );
        assert_eq!(stage.starts(), starts, "nothing is started while it rests");
    }
    assert!(matches!(stage.health("dead"), Health::Failed { why, .. } if why.contains("no license found")));
    stage.pool.close().await;
}

#[tokio::test]
async fn up_1_a_silent_server_holds_up_nobody_else() {
    let stage = Stage::with(&["plain", "silent"], known("plain").await, |_| {});
    let silent = async {
        let lease = stage.lease("mcp:silent/echo").await;
        unreachable!("{lease:?}")
    };
    let sibling = async { stage.call("mcp:plain/echo", json!({})).await };
    tokio::select! {
        outcome = sibling => assert!(matches!(outcome, Outcome::Ok(_))),
        () = silent => {}
    }
    stage.pool.close().await;
    assert!(stage.refused("mcp:silent/echo").await.contains("this host is ending"));
}

#[tokio::test]
async fn up_1_prewarm_starts_what_says_so() {
    let (id, other) = (ToolId::parse("mcp:plain/echo").unwrap(), ToolId::parse("mcp:noisy/echo").unwrap());
    let stage = Stage::with(&["plain", "noisy"], BTreeMap::new(), |server| server.prewarm = server.env["PLAY"] == "plain".into());
    stage.pool.activated(&asker("local:0"), &[other, id]);
    until("it runs", || matches!(stage.health("plain"), Health::Running { .. })).await;
    assert!(stage.lease("mcp:plain/echo").await.is_ok());
    assert_eq!((stage.starts(), stage.health("noisy")), (1, Health::Unstarted));
    stage.pool.close().await;
}

#[tokio::test]
async fn attack_52_a_crash_loop_with_grandchildren_leaves_no_process() {
    let stage = Stage::with(&["crash"], known("crash").await, |_| {});
    for starts in 1..=2 {
        while stage.lease("mcp:crash/echo").await.is_err() {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        assert_eq!(stage.starts(), starts);
        // The grandchild holds the pipes, so that only the process's own end tells.
        let mut call = Box::pin(stage.call("mcp:crash/die", json!({})));
        let outcome = loop {
            tokio::select! {
                outcome = &mut call => break outcome,
                () = tokio::time::sleep(Duration::from_millis(50)) => stage.pool.sweep().await,
            }
        };
        assert!(matches!(outcome, Outcome::Lost(_)), "{outcome:?}");
        stage.pool.sweep().await;
        let Health::Failed { why, .. } = stage.health("crash") else { unreachable!() };
        assert_eq!(why, "it ended soon after it was started");
    }
    for pid in stage.lines("starts").into_iter().chain(stage.lines("grandchildren")) {
        until("every process is gone", || stat(&pid).is_none_or(|stat| stat == "Z" && stage.lines("grandchildren").contains(&pid))).await;
    }
    stage.pool.close().await;
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn attack_56_a_server_is_given_its_three_pipes_and_no_more() {
    let stage = stage(&["plain"]).await;
    let Outcome::Ok(result) = stage.call("mcp:plain/descriptors", json!({})).await else { unreachable!() };
    let open: Vec<String> = serde_json::from_value(result.structured.unwrap()["open"].clone()).unwrap();
    let (pipes, others): (Vec<_>, Vec<_>) = open.iter().partition(|path| path.starts_with("pipe:"));
    // The one beside is the folder that it reads to find out.
    assert_eq!((pipes.len(), others.len()), (3, 1), "{open:?}");
    stage.pool.close().await;
}
