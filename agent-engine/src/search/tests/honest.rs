//! What is said where nothing fits, and what one server can take.

use super::*;

#[tokio::test]
async fn srch_6_nothing_is_found_where_nothing_fits() {
    let world = office();
    for query in ["quantum banana telescope", "xyzzyx", "knit a woollen scarf", "the ear of the moon", "牛乳を買う"] {
        let page = world.page(query, HITS_MAX).await;
        assert!(page.hits.is_empty() && !page.truncated && !page.low_confidence, "{query}: {:?}", ids(&page));
        assert!(!page.unmatched.is_empty(), "{query}");
    }
    let whole = Search::with(Indexes::new(64 * 1024 * 1024), Parts { floor: false, ..Parts::default() });
    let page = whole.find(&world.snapshot, &world.visible, "knit a woollen scarf", HITS_MAX, None).await.unwrap();
    assert!(page.hits.len() > 3, "without the floor the table finds something for everything");
}

#[tokio::test]
async fn srch_6_a_weak_answer_is_marked_and_a_name_is_sure() {
    let world = office();
    let weak = world.page("somebody should look after my garden tomorrow", 8).await;
    assert!(weak.low_confidence && !weak.hits.is_empty(), "{} {:?}", weak.confidence, ids(&weak));
    let good = world.page("open an issue in a repository", 8).await;
    assert!(!good.low_confidence && good.confidence > weak.confidence, "{}", good.confidence);
    assert_eq!(world.page("mcp:mail/send_email", 8).await.confidence, 1000);
}

#[tokio::test]
async fn srch_7_a_server_cannot_fill_a_page_that_others_answer_too() {
    let copies: Vec<String> = (0..200).map(|at| format!("send_email_{at}")).collect();
    let flood = source("aaa", &copies.iter().map(|name| (name.as_str(), "Sends an email to an address. Send email.")).collect::<Vec<_>>());
    let others = ["mail", "post", "letters", "outbox"].map(|alias| source(alias, &[("send_email", "Sends an email to an address.")]));
    let world = World::new(&[std::slice::from_ref(&flood), &others[..]].concat());
    for query in ["send an email", "email", "email to an address"] {
        let found = world.find(query).await;
        let others = found.iter().take(8).filter(|id| !id.starts_with("mcp:aaa/")).count();
        assert!(others >= 4, "{query}: {found:?}");
        for limit in 1..HITS_MAX {
            assert_eq!(ids(&world.page(query, limit).await), found[..limit], "{query} {limit}");
        }
    }
    let alone = World::new(&[flood, source("zoo", &[("feed", "Feeds the animals.")])]);
    assert!(alone.find("send an email").await.iter().take(8).all(|id| id.starts_with("mcp:aaa/")), "nobody else answers");
}

#[tokio::test]
async fn srch_3_a_name_that_another_host_would_give_is_a_name() {
    let world = office();
    assert_eq!(world.find("mcp__github__create_issue").await[0], "mcp:github/create_issue");
    assert_eq!(world.find("mcp__mail__search").await[0], "mcp:mail/search");
}

#[tokio::test]
async fn srch_5_what_stands_inside_of_a_parameter_is_found() {
    let committer =
        json!({"committer": {"type": "object", "properties": {"zip_code": {"type": "string", "description": "Of the postman."}}}});
    let nested = Source {
        definitions: vec![tool("write_file", "Writes one file.", &committer), tool("read_file", "Reads one file.", &json!({}))],
        ..source("git", &[])
    };
    let world = World::new(&[nested]);
    for query in ["zip code", "postman"] {
        assert_eq!(world.find(query).await, ["mcp:git/write_file"], "{query}");
    }
}

#[tokio::test]
async fn srch_5_where_no_places_are_held_the_best_by_words_are_placed() {
    let world = office();
    let search = Search::with(Indexes::new(64 * 1024 * 1024), Parts { places: false, ..Parts::default() });
    for query in ["open an issue in a repository", "send a letter", "tomorrow's weather"] {
        let page = search.find(&world.snapshot, &world.visible, query, 8, None).await.unwrap();
        assert_eq!(ids(&page)[0], world.find(query).await[0], "{query}");
    }
    let meant = search.find(&world.snapshot, &world.visible, "storm", 8, None).await.unwrap();
    assert!(meant.hits.is_empty(), "what no word finds is not placed: {:?}", ids(&meant));
    assert_eq!(world.find("storm").await, ["mcp:weather/forecast"]);
}

#[tokio::test]
async fn srch_6_a_part_of_a_name_alone_is_no_sure_answer() {
    let world = World::new(&[source("a", &[("playlist", "Music."), ("zebra", "A list of things.")])]);
    let server = Alias::parse("a").unwrap();
    let page = world.search.find(&world.snapshot, &world.visible, "list", 8, Some(&server)).await.unwrap();
    assert_eq!(ids(&page), ["mcp:a/zebra", "mcp:a/playlist"]);
    assert!(page.confidence < 1000);
}

#[tokio::test]
async fn srch_3_what_a_server_is_worth_and_what_its_share_moved_is_said_by_its_own_name() {
    let copies: Vec<String> = (0..9).map(|at| format!("send_email_{at}")).collect();
    let flood = source("aaa", &copies.iter().map(|name| (name.as_str(), "Sends an email. Send email.")).collect::<Vec<_>>());
    let world = World::new(&[flood, source("zeta", &[("send_letter", "Sends an email to an address."), ("zip", "")])]);
    let why = |query: &'static str| world.search.explain(&world.snapshot, &world.visible, query, HITS_MAX, None);
    let found = why("send an email").await.unwrap().hits;
    let place = found.iter().position(|hit| hit.tool.descriptor.id.as_str() == "mcp:zeta/send_letter").unwrap();
    assert_eq!(place, 3);
    assert!(found.iter().enumerate().all(|(at, hit)| hit.moved == (at > place) && hit.server == 0));
    let said = &why("zeta letter email").await.unwrap().hits[0];
    assert!(said.server > 0 && said.tool.descriptor.id.name() == "send_letter");
    let alone = why("zeta zebra address").await.unwrap().hits;
    assert!(alone[0].server > 0 && alone[0].coverage == 0, "no word of the name is said: {:?}", alone[0]);
}

#[tokio::test]
async fn srch_6_a_better_word_is_one_that_the_asker_can_find() {
    let tools = [source("github", &[("create_issue", "")]), source("weather", &[("forecast", "")])];
    let world = World::new(&tools);
    let page = world.page("furecaszt zzzzz", 8).await;
    assert_eq!((page.hits.len(), page.better), (0, vec![("furecaszt".to_owned(), "forecast".to_owned())]));
    let hidden = BTreeSet::from([ToolId::parse("mcp:weather/forecast").unwrap()]);
    let page = World::without(&tools, hidden).page("furecaszt zzzzz", 8).await;
    assert_eq!((page.hits.len(), page.better.len(), page.unmatched.len()), (0, 0, 2));
}

#[tokio::test]
async fn srch_6_what_has_no_word_is_said_as_it_was_asked() {
    let world = office();
    let long = "x".repeat(80);
    for (query, said) in
        [("what can You do", "what can you do"), ("\u{1f389} +++", "\u{1f389} +++"), (&*long, &*format!("{}…", "x".repeat(61)))]
    {
        let page = world.page(query, 8).await;
        assert_eq!((page.hits.len(), page.unmatched.join(" ")), (0, said.to_owned()));
    }
    let letters: String = ('\u{5000}'..).take(85).collect();
    assert_eq!(world.page(&letters, 8).await.unmatched.len(), 84, "each pair of letters is read");
}
