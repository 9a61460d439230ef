//! Tools that are described in several languages are found in those languages, and by English names in all.

use super::*;
use std::collections::BTreeMap;

/// One query of `languages.txt`: what is typed, within how many hits, which tool.
type Asked = (String, usize, String);

fn read() -> (Vec<Source>, Vec<Asked>) {
    let mut tools = BTreeMap::<&str, Vec<(&str, &str)>>::new();
    let (mut asked, mut id) = (Vec::new(), String::new());
    for line in include_str!("languages.txt").lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        match line.split_at(2) {
            ("! ", query) => asked.push((query.to_owned(), 1, id.clone())),
            ("? ", query) => asked.push((query.to_owned(), 3, id.clone())),
            _ => {
                let (name, description) = line.split_once(' ').unwrap();
                let (server, name) = name.split_once('/').unwrap();
                tools.entry(server).or_default().push((name, description));
                id = format!("mcp:{server}/{name}");
            }
        }
    }
    (tools.iter().map(|(server, tools)| source(server, tools)).collect(), asked)
}

#[tokio::test]
async fn srch_5_tools_are_found_in_the_languages_that_they_speak() {
    let (sources, asked) = read();
    let world = World::new(&sources);
    assert!(world.snapshot.tools().len() > 50 && asked.len() > 120, "{:?}", world.snapshot.quarantined());
    for (query, within, id) in asked {
        let found = world.find(&query).await;
        assert!(found.iter().take(within).any(|hit| *hit == id), "{query}: {id} is not in the first {within} of {found:?}");
    }
}

#[tokio::test]
async fn srch_5_a_word_of_another_language_finds_what_it_means() {
    let names = ["read_file", "get_weather", "send_email", "create_issue", "delete_file", "search_flights"];
    let mut tools: Vec<_> = names.iter().map(|name| (*name, "")).collect();
    tools.push(("screenshot", "Takes a picture of the screen."));
    let world = World::new(&[source("a", &tools)]);
    for (query, name) in [
        ("帮我看看现在屏幕上是什么", "screenshot"),
        ("明日の天気", "get_weather"),
        ("날씨 알려줘", "get_weather"),
        ("Wie wird das Wetter?", "get_weather"),
        ("メールを送信", "send_email"),
        ("파일을 삭제해줘", "delete_file"),
        ("Datei löschen", "delete_file"),
        ("buscar vuelos", "search_flights"),
        ("读取文件", "read_file"),
    ] {
        assert_eq!(world.find(query).await.first(), Some(&format!("mcp:a/{name}")), "{query}");
    }
}
