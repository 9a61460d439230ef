//! What one server can say to keep others from being found.

use super::*;
use crate::search::query::{Mended, Query, Role};

#[tokio::test]
async fn attack_39_a_flood_has_its_share_of_a_query_of_clauses_too() {
    let names: Vec<String> = (0..1500).map(|at| format!("send_email_{at}")).collect();
    let flood = source("flood", &names.iter().map(|name| (name.as_str(), "Sends an email message to an address.")).collect::<Vec<_>>());
    let others =
        (0..30).map(|at| source(&format!("mail{at}"), &[("send", "Sends an email message to an address."), ("list", "Lists mail.")]));
    let world = World::new(&std::iter::once(flood).chain(others).collect::<Vec<_>>());
    for query in ["send an email message to an address", "send an email message, to an address", "email; message; address"] {
        let found = world.find(query).await;
        let flooding = found.iter().filter(|id| id.starts_with("mcp:flood/")).count();
        assert!(found.len() == HITS_MAX && flooding <= HITS_MAX / 2, "{query}: {found:?}");
    }
}

#[tokio::test]
async fn attack_39_a_tool_that_says_a_slip_keeps_nobody_from_being_found() {
    let slips = ["isue", "serach", "emial", "forcast"];
    let values = json!({"what": {"type": "string", "enum": slips}});
    let evil = |name: &str, parameters: &Value| Source { definitions: vec![tool(name, "Does it.", parameters)], ..source("evil", &[]) };
    let honest = |evil: Source| {
        let more =
            [source("jira", &[("create_issue", "Opens an issue."), ("search", "Searches issues.")]), source("post", &[("send_email", "")])];
        let weather = source("sky", &[("forecast", "Says how the day will be.")]);
        World::new(&[&more[..], &[weather, source("mail", &[("read_email", "")]), evil]].concat())
    };
    for world in [honest(evil("helper", &values)), honest(evil(&slips.join("_"), &json!({})))] {
        for (query, right) in [("isue", "issue"), ("serach", "search"), ("emial", "email"), ("forcast", "forecast")] {
            let found = world.find(query).await;
            assert!(found.iter().take(3).any(|id| id.contains(right)), "{query}: {found:?}");
            assert!(found.iter().any(|id| id.starts_with("mcp:evil/")), "{query}: the word itself still counts");
        }
    }
}

#[tokio::test]
async fn srch_5_what_one_server_says_is_a_word_where_no_better_one_is_near() {
    let world =
        World::new(&[source("a", &[("zorbel_read", "Reads it.")]), source("b", &[("corbel_read", "")]), source("c", &[("corbel", "")])]);
    let why = |query: &'static str| world.search.explain(&world.snapshot, &world.visible, query, 8, None);
    let found = why("zorbel").await.unwrap();
    assert_eq!(found.hits[0].tool.descriptor.id.as_str(), "mcp:a/zorbel_read");
    assert!(why("corbel").await.unwrap().hits.iter().flat_map(|hit| &hit.terms).all(|term| term.role == "word"));
}

#[tokio::test]
async fn srch_5_what_is_written_as_one_is_found_by_its_words_and_by_names_like_it() {
    let world = World::new(&[
        source("web", &[("HTTPServer2", "Starts one."), ("createIssue2", ""), ("draw", "Draws a line.")]),
        source("git", &[("create_issue", ""), ("list_branches", "")]),
    ]);
    for query in ["httpserver", "HTTPServer", "http_server"] {
        let page = world.page(query, HITS_MAX).await;
        assert_eq!(ids(&page).first().map(String::as_str), Some("mcp:web/HTTPServer2"), "{query}");
        assert!(!page.low_confidence && page.unmatched.is_empty(), "{query}: {}", page.confidence);
    }
    let found = world.page("createissue", HITS_MAX).await;
    assert_eq!(ids(&found)[..2].iter().collect::<BTreeSet<_>>().len(), 2);
    assert!(ids(&found)[..2].iter().all(|id| id.contains("ssue")) && !found.low_confidence, "{:?} {}", ids(&found), found.confidence);
}

#[tokio::test]
async fn srch_5_three_words_of_a_query_are_mended_in_all_its_clauses() {
    let world = office();
    let index = Indexes::new(1 << 26).of(&world.snapshot, &world.visible).await.unwrap();
    let mut mended = Mended::default();
    let mut mends = |text: &str| {
        let query = Query::read(text, &index, &Synonyms::default(), Parts::default(), &mut mended);
        query.terms.iter().filter(|term| term.role == Role::Mended).map(|term| term.stem.clone()).collect::<Vec<_>>()
    };
    let whole = mends("forcast, emial, isue, serach");
    assert_eq!(whole, ["forecast", "email", "issu"]);
    assert_eq!(mends("isue"), ["issu"]);
    assert!(mends("serach").is_empty());
}
