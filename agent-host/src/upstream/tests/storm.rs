//! A server that says again and again that its list changed (CAT-6).

use super::*;

#[tokio::test]
async fn cat_6_a_storm_of_notices_costs_few_listings_and_no_call() {
    let began = std::time::Instant::now();
    let stage = stage(&["plain", "noisy"]).await;
    let listings = || stage.lines("listings").iter().filter(|part| *part == "plain").count();
    assert_eq!(listings(), 1);
    assert!(matches!(stage.call("mcp:plain/storm", json!({})).await, Outcome::Ok(_)));
    for _ in 0..3 {
        assert!(matches!(stage.call("mcp:plain/echo", json!({})).await, Outcome::Ok(_)));
    }
    until("the list was read as often as it may be at once", || listings() >= 6).await;
    tokio::time::sleep(Duration::from_millis(1500)).await;
    // The next call has to wait for its turn, which is nothing to the sibling.
    let waiting = stage.lease("mcp:plain/echo");
    let sibling = stage.call("mcp:noisy/echo", json!({}));
    tokio::select! {
        biased;
        outcome = sibling => assert!(matches!(outcome, Outcome::Ok(_))),
        lease = waiting => assert!(lease.is_ok()),
    }
    let allowed = 6 + usize::try_from(began.elapsed().as_secs() / 10).unwrap();
    assert!(listings() <= allowed, "{} listings where {allowed} may be", listings());
    stage.pool.close().await;
}

#[tokio::test]
async fn cat_6_callers_who_wait_together_share_one_listing() {
    let stage = stage(&["plain"]).await;
    let listings = || stage.lines("listings").len();
    assert!(matches!(stage.call("mcp:plain/storm", json!({})).await, Outcome::Ok(_)));
    until("it is known that the list changes", || listings() > 1).await;
    let before = listings();
    assert_eq!(stage.callers("mcp:plain/echo", 10).await, 10);
    // One for them all; of the others there may be as many as were left at once.
    assert!(listings() - before <= 5, "{} listings", listings() - before);
    stage.pool.close().await;
}

#[tokio::test]
async fn cat_6_a_change_is_told_to_whoever_publishes() {
    let stage = stage(&["plain"]).await;
    let mut changed = stage.pool.changed();
    assert!(matches!(stage.call("mcp:plain/turn", json!({})).await, Outcome::Ok(_)));
    changed.changed().await.unwrap();
    assert!(stage.pool.listing()[0].definitions.iter().any(|raw| raw.contains("says it differently")), "read without a call");
    stage.pool.close().await;
}
