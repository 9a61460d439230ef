//! Catalogs that are ranked by a thread that may take its time.

use super::*;
use agent_core::limits::TOOLS_PER_SOURCE;
use tokio::task::JoinSet;

/// One tool more than are searched where the question comes in.
fn sources() -> Vec<Source> {
    let tools = |server: usize| TOOLS_PER_SOURCE.min(DIRECT + 1 - server * TOOLS_PER_SOURCE);
    let names = |server: usize| -> Vec<String> {
        (0..tools(server)).map(|at| format!("{}_{}_{at}", ["list", "create", "send"][at % 3], ["issue", "letter"][server % 2])).collect()
    };
    let server = |server: usize| {
        let names = names(server);
        source(&format!("s{server}"), &names.iter().map(|name| (name.as_str(), "")).collect::<Vec<_>>())
    };
    (0..=DIRECT / TOOLS_PER_SOURCE).map(server).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn srch_3_a_large_catalog_is_ranked_as_a_small_one_is() {
    let world = Arc::new(World::new(&sources()));
    assert_eq!(world.snapshot.tools().len(), DIRECT + 1);
    let ranking = world.search.ranking(&world.snapshot, &world.visible).await.unwrap();
    let mut tasks = JoinSet::new();
    for query in ["list issues", "send_letter_17", "send a letter, or find the issue 40", "isue", "xyzzy"] {
        for limit in [1, 8, HITS_MAX] {
            // What a catalog that is searched where the question came in does.
            let below = page(&ranking.index, &world.visible, ranking.rank(query, None, &mut ()).unwrap(), limit);
            let world = world.clone();
            tasks.spawn(async move { (format!("{below:?}"), format!("{:?}", world.page(query, limit).await), query) });
        }
    }
    for (below, above, query) in tasks.join_all().await {
        assert_eq!(below, above, "{query}");
    }
}
