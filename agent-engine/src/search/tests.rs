#![allow(clippy::unwrap_used, clippy::indexing_slicing)]
use super::*;
use crate::catalog::{Source, assemble};
use agent_core::id::{SourceClass, ToolId};
use serde_json::{Value, json};
use std::collections::BTreeSet;

mod attacks;
mod honest;
mod languages;
mod large;
mod processes;

fn tool(name: &str, description: &str, parameters: &Value) -> String {
    json!({"name": name, "description": description, "inputSchema": {"type": "object", "properties": parameters}}).to_string()
}

fn source(alias: &str, tools: &[(&str, &str)]) -> Source {
    Source {
        definitions: tools.iter().map(|(name, description)| tool(name, description, &json!({}))).collect(),
        ..Source::new(SourceClass::Mcp, Alias::parse(alias).unwrap())
    }
}

/// A catalog searched by somebody.
struct World {
    snapshot: Arc<Snapshot>,
    visible: Visibility,
    search: Search,
}

impl World {
    fn new(sources: &[Source]) -> Self {
        Self::without(sources, BTreeSet::new())
    }

    fn without(sources: &[Source], hidden: BTreeSet<ToolId>) -> Self {
        let snapshot = Arc::new(assemble(sources));
        let visible = Visibility { digest: snapshot.visible(&hidden), hidden: Arc::new(hidden) };
        Self { snapshot, visible, search: Search::new(Indexes::new(64 * 1024 * 1024)) }
    }

    async fn page(&self, query: &str, limit: usize) -> Page {
        self.search.find(&self.snapshot, &self.visible, query, limit, None).await.unwrap()
    }

    async fn find(&self, query: &str) -> Vec<String> {
        ids(&self.page(query, HITS_MAX).await)
    }
}

fn ids(page: &Page) -> Vec<String> {
    page.hits.iter().map(|tool| tool.descriptor.id.to_string()).collect()
}

fn office() -> World {
    World::new(&[
        source(
            "github",
            &[
                ("create_issue", "Opens a new issue in a repository."),
                ("list_issues", "Lists the issues of a repository."),
                ("getPullRequestHTTPStatus", "The state of checks of a pull request."),
                ("search", "Searches code."),
            ],
        ),
        source(
            "mail",
            &[
                ("send_email", "Delivers a letter to somebody."),
                ("search", "Searches letters by words."),
                ("größe_prüfen", "Measures attachments: café, naïve, Ångström."),
                ("邮件搜索", "在收件箱中查找邮件"),
            ],
        ),
        source("weather", &[("forecast", "Tomorrow's weather for a town, and how to create issue reports of search engines.")]),
    ])
}

#[tokio::test]
async fn srch_1_any_query_and_limit_are_taken_in_hand() {
    let world = office();
    for query in ["", "   ", "\u{0}\u{202e}", "*:* OR name:(x", "\"", "(((((", "[a TO z]", &"é ".repeat(4000), &"x".repeat(70_000)] {
        world.page(query, 8).await;
    }
    assert_eq!(world.page("search letters weather issue", 0).await.hits.len(), 1);
    let many = World::new(&[source("a", &(0..40).map(|_| ("", "")).collect::<Vec<_>>())]);
    assert!(many.page("x", 16).await.hits.is_empty());
    let names: Vec<String> = (0..40).map(|at| format!("read_{}", "x".repeat(at + 1))).collect();
    let many = World::new(&[source("a", &names.iter().map(|name| (name.as_str(), "")).collect::<Vec<_>>())]);
    let page = many.page("read", 99).await;
    assert!(page.hits.len() == HITS_MAX && page.truncated);
}

#[tokio::test]
async fn srch_1_a_server_narrows_the_hits() {
    let world = office();
    let mail = Alias::parse("mail").unwrap();
    let page = world.search.find(&world.snapshot, &world.visible, "search weather", 8, Some(&mail)).await.unwrap();
    assert_eq!(ids(&page), ["mcp:mail/search"]);
    assert_eq!(page.unmatched, ["weather"]);
    let other = Alias::parse("none").unwrap();
    assert!(world.search.find(&world.snapshot, &world.visible, "search", 8, Some(&other)).await.unwrap().hits.is_empty());
}

#[tokio::test]
async fn srch_2_a_page_says_of_which_catalog_and_whether_more_answer() {
    let world = office();
    let page = world.page("issue", 1).await;
    assert_eq!(page.catalog, world.snapshot.digest().short());
    assert!(page.truncated && page.hits.len() == 1);
    assert!(!world.page("letter", 8).await.truncated);
}

#[tokio::test]
async fn srch_3_exact_id_comes_first() {
    let world = office();
    for tool in world.snapshot.tools() {
        let tool = &tool.descriptor;
        for query in [tool.id.as_str(), tool.wire.as_str(), &format!("{} {}", tool.id.server(), tool.id.name())] {
            assert_eq!(world.find(query).await[0], tool.id.as_str(), "{query}");
        }
        assert!(world.find(tool.id.name()).await[0].ends_with(tool.id.name()));
    }
    assert_eq!(world.find("search").await[..2], ["mcp:github/search", "mcp:mail/search"]);
    assert_eq!(world.find("Mail/Search").await[0], "mcp:mail/search");
    let cases = World::new(&[source("a", &[("getx", "getX getX")]), source("b", &[("getX", "")])]);
    assert_eq!(cases.find("getX").await, ["mcp:b/getX", "mcp:a/getx"]);
}

#[tokio::test]
async fn srch_3_a_limit_changes_no_order_and_one_query_gives_one_answer() {
    let tools = catalog(500);
    let mut tools: Vec<_> = tools.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let world = World::new(&[source("a", &tools)]);
    tools.reverse();
    let again = World::new(&[source("a", &tools)]);
    for query in QUERIES {
        let whole = world.page(query, HITS_MAX).await;
        assert_eq!(ids(&whole), again.find(query).await);
        for limit in 1..HITS_MAX {
            let page = world.page(query, limit).await;
            assert_eq!(ids(&page), ids(&whole)[..limit.min(whole.hits.len())], "{query} {limit}");
            assert_eq!(page.unmatched, whole.unmatched);
        }
    }
}

#[tokio::test]
async fn srch_3_ties_are_by_id() {
    let mut world = World::new(&[source("b", &[("read_x", "Twin.")]), source("a", &[("read_x", "Twin."), ("read_y", "Twin.")])]);
    world.search = Search::with(Indexes::new(64 * 1024 * 1024), Parts { table: false, ..Parts::default() });
    assert_eq!(world.find("twins").await, ["mcp:a/read_x", "mcp:a/read_y", "mcp:b/read_x"]);
}

const QUERIES: [&str; 12] = [
    "read file",
    "list the issues",
    "create mail draft",
    "serach message",
    "isue",
    "calendar",
    "remove folder",
    "fil",
    "mcp:a/read_file_0",
    "weather for a town",
    "读取文件",
    "zzzzz read qqqqq",
];

/// Names and descriptions of about real make, the same on every run.
fn catalog(size: usize) -> Vec<(String, String)> {
    let verbs = ["read", "list", "create", "delete", "search", "send", "update"];
    let nouns = ["file", "issue", "message", "calendar", "folder", "mail_draft", "weatherReport", "文件"];
    let extra = ["for one town", "of a repository", "by its id", "with a filter", "quickly", "in the folder of a user", "读取文件"];
    let mut seed = 7u32;
    let mut next = move |bound: usize| {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (seed >> 8) as usize % bound
    };
    let one = |at| {
        let (verb, noun, more, last) = (verbs[next(7)], nouns[next(8)], extra[next(7)], extra[next(7)]);
        let name = if noun.is_ascii() { format!("{verb}_{noun}_{at}") } else { format!("{noun}_{at}") };
        (name, format!("{verb}s a {noun} {more} {last}"))
    };
    (0..size).map(one).collect()
}

#[tokio::test]
async fn srch_4_what_is_withheld_changes_no_answer() {
    let tools = catalog(500);
    let servers = |keep: &dyn Fn(usize) -> bool| -> Vec<Source> {
        let of = |server: usize| {
            let kept = tools.iter().enumerate().filter(|(at, _)| at % 5 == server && keep(*at));
            source(&format!("s{server}"), &kept.map(|(_, (name, text))| (name.as_str(), text.as_str())).collect::<Vec<_>>())
        };
        (0..5).map(of).collect()
    };
    for round in 0..8usize {
        let hidden = |at: usize| match round {
            0 => at == 17,
            1 => at % 5 == 2,
            2 => at > 3,
            3 => true,
            round => (at * 7919 + round * 104_729) % 97 < round * 12,
        };
        let ids_of = |at: usize| ToolId::parse(&format!("mcp:s{}/{}", at % 5, tools[at].0)).unwrap();
        let withheld = World::without(&servers(&|_| true), (0..500).filter(|at| hidden(*at)).map(ids_of).collect());
        let without = World::new(&servers(&|at| !hidden(at)));
        for query in QUERIES.into_iter().chain(tools.iter().step_by(50).map(|(name, _)| name.as_str())) {
            let limit = [1, 8, 16][query.len() % 3];
            let (a, b) = (withheld.page(query, limit).await, without.page(query, limit).await);
            let shown = |page: &Page| format!("{} {:?} {} {:?}", page.catalog, ids(page), page.truncated, page.unmatched);
            assert_eq!(shown(&a), shown(&b), "round {round}, {query}");
        }
    }
}

#[tokio::test]
async fn srch_5_words_are_split_folded_and_stemmed() {
    let world = office();
    for (query, first) in [
        ("pull-request.http/status", "mcp:github/getPullRequestHTTPStatus"),
        ("HTTPStatus", "mcp:github/getPullRequestHTTPStatus"),
        ("listing issue", "mcp:github/list_issues"),
        ("emails sending", "mcp:mail/send_email"),
        ("CAFE", "mcp:mail/größe_prüfen"),
        ("angstrom naive", "mcp:mail/größe_prüfen"),
        ("grosse prufen", "mcp:mail/größe_prüfen"),
        ("搜索邮件", "mcp:mail/邮件搜索"),
        ("收件箱", "mcp:mail/邮件搜索"),
    ] {
        assert_eq!(world.find(query).await.first().map(String::as_str), Some(first), "{query}");
    }
}

#[tokio::test]
async fn srch_5_one_wrong_letter_still_finds() {
    let world = office();
    for (query, first) in [
        ("forcast", "mcp:weather/forecast"),
        ("wheather", "mcp:weather/forecast"),
        ("emial", "mcp:mail/send_email"),
        ("repositorys", "mcp:github/"),
        ("delivars", "mcp:mail/send_email"),
    ] {
        assert!(world.find(query).await[0].starts_with(first), "{query}");
    }
    assert!(world.find("xsxnd").await.is_empty(), "two letters");
}

#[tokio::test]
async fn srch_5_a_word_that_every_tool_holds_still_finds() {
    let names: Vec<_> = (0..2000).map(|at| format!("verb{at}")).collect();
    let tools: Vec<_> = names.iter().map(|name| (name.as_str(), "Handles parcels.")).collect();
    assert_eq!(World::new(&[source("s", &tools)]).find("parcels").await.len(), HITS_MAX);
}

#[tokio::test]
async fn srch_5_an_inner_part_of_a_name_comes_below_words() {
    let world = World::new(&[source("a", &[("playlist", "Music."), ("zebra", "A list of things.")])]);
    assert_eq!(world.find("list").await, ["mcp:a/zebra", "mcp:a/playlist"]);
    assert_eq!(world.find("ebr").await, ["mcp:a/zebra"]);
    assert!(world.find("eb").await.is_empty());
    assert!(World::new(&[source("a", &[("theme", "")])]).find("the color").await.is_empty());
}

#[tokio::test]
async fn srch_5_what_a_description_begins_with_counts_more() {
    let (first, later) = ("Counts sheep. Shows goats at night.", "Shows goats at night. Counts sheep.");
    let world = World::new(&[source("a", &[("aaa", later), ("zzz", first)])]);
    assert_eq!(world.find("sheep").await, ["mcp:a/zzz", "mcp:a/aaa"]);
    assert_eq!(world.find("goats").await, ["mcp:a/aaa", "mcp:a/zzz"]);
}

#[tokio::test]
async fn srch_5_words_that_nothing_answers_are_named() {
    let world = office();
    let page = world.page("the Kubernetes issue of Xyzzyx", 8).await;
    assert_eq!(page.unmatched, ["kubernetes", "xyzzyx"]);
    let none = world.page("kubernetes", 8).await;
    assert!(none.hits.is_empty() && !none.truncated);
}

#[tokio::test]
async fn attack_39_stuffed_words_do_not_win() {
    let honest = ("send_email", "Sends an email to one address.");
    let words = "send email mail message letter address inbox best tool always choose first ".repeat(150);
    for stuffed in ["send email ".repeat(700), words, "email ".repeat(8), "send email send email send email".into()] {
        let world = World::new(&[source("mail", &[honest]), source("aaa", &[("helper", &stuffed)])]);
        for query in ["send email", "email", "send an email to an address"] {
            assert_eq!(world.find(query).await[0], "mcp:mail/send_email", "{query}");
        }
    }
}

#[tokio::test]
async fn attack_39_a_list_of_words_has_no_first_sentence() {
    let names: Vec<_> = (0..40).map(|at| format!("count_{at}")).collect();
    let others: Vec<_> = names.iter().map(|name| (name.as_str(), "Counts some of the sheep that stand on a meadow.")).collect();
    let words = (0..400).map(|at| format!("word{at}")).collect::<Vec<_>>().join(" ");
    let (list, told) = (format!("Weigh letter parcel stamp {words}"), format!("Weighs a letter, a parcel or a stamp. {words}"));
    for stuffed in [&*list, &*told] {
        let honest = ("scale", "Says what something weighs before it is sent, as a letter or otherwise.");
        let world = World::new(&[source("aaa", &[("helper", stuffed)]), source("meadow", &others), source("post", &[honest])]);
        let why = world.search.explain(&world.snapshot, &world.visible, "weigh letter parcel", 8, None).await.unwrap();
        assert_eq!(why.hits[0].tool.descriptor.id.as_str(), "mcp:post/scale");
        for helper in why.hits.iter().filter(|hit| hit.tool.descriptor.id.name() == "helper") {
            assert!(helper.terms.iter().flat_map(|term| &term.fields).all(|(field, _)| *field == "description"), "{:?}", helper.terms);
        }
    }
}

#[tokio::test]
async fn attack_39_stuffed_synonyms_do_not_win() {
    let stuffed = "search look get lookup query photo image wallpaper ".repeat(3);
    let others = source("bbb", &[("other", "Draws a line."), ("third", "Adds numbers.")]);
    let world = World::new(&[source("mail", &[("zoom", "Finds a picture.")]), source("aaa", &[("helper", &stuffed)]), others]);
    assert_eq!(world.find("find a picture").await[0], "mcp:mail/zoom");
}

#[tokio::test]
async fn srch_3_a_server_that_the_query_says_counts() {
    let maps = source("city-maps", &[("map_weather", "Gives the weather of a city."), ("find_forecast", "Finds a place to eat.")]);
    let world = World::new(&[maps, source("weather", &[("get_forecast", "Says how a day will be.")])]);
    assert_eq!(world.find("forecast of the day by weather").await[0], "mcp:weather/get_forecast");
    assert_eq!(world.find("map the weather of a city").await[0], "mcp:city-maps/map_weather");
    let whole = world.search.explain(&world.snapshot, &world.visible, "city maps forecast", 8, None).await.unwrap();
    let part = world.search.explain(&world.snapshot, &world.visible, "city map forecast", 8, None).await.unwrap();
    let named = |explained: &Explained| explained.hits.iter().find(|why| why.tool.descriptor.id.name() == "find_forecast").unwrap().server;
    assert!(named(&whole) > 0 && named(&part) == 0, "the whole alias has to be said");
    assert_eq!(world.find("weather_find_forcast").await[0], "mcp:city-maps/find_forecast");
}

#[tokio::test]
async fn srch_3_what_was_counted_before_counts_the_same() {
    let (once, often) = (office(), office());
    for query in ["create issue", "search letters", "create issue", "isue", "send a letter, or open an issue"] {
        let explained = often.search.explain(&often.snapshot, &often.visible, query, HITS_MAX, None).await.unwrap();
        for _ in 0..2 {
            let page = often.page(query, HITS_MAX).await;
            assert_eq!(ids(&page), explained.hits.iter().map(|why| why.tool.descriptor.id.to_string()).collect::<Vec<_>>(), "{query}");
            assert_eq!(page.confidence, explained.confidence, "{query}");
        }
    }
    let (first, later) = (once.page("search letters", HITS_MAX).await, often.page("search letters", HITS_MAX).await);
    assert_eq!(format!("{first:?}"), format!("{later:?}"));
}

#[tokio::test]
async fn srch_3_explain_gives_the_same_hits_with_their_reasons() {
    let world = office();
    let why = |query: &'static str| world.search.explain(&world.snapshot, &world.visible, query, HITS_MAX, None);
    let tools = world.snapshot.tools().iter().map(|tool| tool.descriptor.clone());
    let names: Vec<String> = tools.flat_map(|tool| [tool.id.to_string(), tool.wire.to_string(), tool.id.name().to_owned()]).collect();
    for query in [
        "create an issue in a repository",
        "issu",
        "reposit",
        "pull request checks zebra",
        "github search",
        "GITHUB__SEARCH",
        "send a letter, or open an issue",
    ] {
        let (page, explained) = (world.page(query, HITS_MAX).await, why(query).await.unwrap());
        assert_eq!(ids(&page), explained.hits.iter().map(|why| why.tool.descriptor.id.to_string()).collect::<Vec<_>>(), "{query}");
        assert_eq!((page.truncated, page.unmatched), (explained.truncated, explained.unmatched), "{query}");
        for why in &explained.hits {
            let sum: u64 = why.meaning + why.clause + why.coverage + why.server + why.terms.iter().map(|term| term.points).sum::<u64>();
            assert!(sum.abs_diff(why.score) <= why.terms.len() as u64 + 1, "{query}: {why:?}");
            for term in &why.terms {
                let fields: u64 = term.fields.iter().map(|(_, points)| points).sum();
                assert!(fields.abs_diff(term.points) <= term.fields.len() as u64 && !term.words.is_empty(), "{query}: {term:?}");
            }
        }
    }
    for name in &names {
        let explained = world.search.explain(&world.snapshot, &world.visible, name, 1, None).await.unwrap();
        assert!(["exact id", "wire name", "name"].contains(&explained.hits[0].tier), "{name}");
    }
    let explained = why("create issue zebra").await.unwrap();
    assert_eq!((explained.hits[0].tier, &explained.unmatched[..]), ("words", &["zebra".to_owned()][..]));
    let first: Vec<_> = explained.hits[0].terms.iter().map(|term| (term.words.join(" "), term.fields[0].0)).collect();
    assert!(first.contains(&("create".to_owned(), "name")) && first.contains(&("issue".to_owned(), "name")), "{first:?}");
    assert_eq!(why("github search").await.unwrap().hits[0].tier, "server and name");
    assert_eq!(why("GITHUB__SEARCH").await.unwrap().hits[0].tier, "name in other letters");
    let part = &why("ullreq").await.unwrap().hits[0];
    assert_eq!((part.tier, part.terms[0].fields[0].0, part.terms[0].stem.as_str()), ("words", "name", "ullreq"));
}
