#![allow(clippy::unwrap_used, clippy::indexing_slicing)]
use super::*;
use crate::catalog::{Source, assemble};
use agent_core::id::{Alias, SourceClass};
use std::collections::BTreeSet;

fn snapshot(names: &[&str]) -> Arc<Snapshot> {
    let definition = |name: &&str| serde_json::json!({"name": name, "inputSchema": {}}).to_string();
    Arc::new(assemble(&[Source {
        definitions: names.iter().map(definition).collect(),
        ..Source::new(SourceClass::Mcp, Alias::parse("a").unwrap())
    }]))
}

fn all(snapshot: &Snapshot) -> Visibility {
    Visibility { hidden: Arc::default(), digest: snapshot.digest() }
}

fn check(text: &str, expect: &[&str]) {
    let found: Vec<String> = words(text, 99).into_iter().map(|word| word.stem).collect();
    assert_eq!(found, expect, "{text}");
}

#[test]
fn srch_5_words() {
    check("getHTTPResponse2xx_by-id", &["get", "http", "respons", "2", "xx", "gethttpresponse2xx", "id"]);
    check("a.b:c/d", &["b", "c"]);
    check("GitHub URLs", &["git", "hub", "github", "url"]);
    check("HTTPServer2 web_fetch createIssue", &["http", "server", "2", "httpserver2", "web", "fetch", "creat", "issu", "createissu"]);
    check("bitable_v1_appTableRecord", &["bitabl", "v", "1", "v1", "app", "tabl", "record", "apptablerecord"]);
    check("OAuth2Login IPv4", &["o", "auth", "2", "login", "oauth", "oauth2login", "pv", "4", "ipv", "ipv4"]);
    check("", &[]);
}

#[test]
fn srch_5_a_topic_and_what_is_given_are_told_from_what_is_asked() {
    use Use::{Asked, Given, Topic};
    assert_eq!(uses("find a note about new_plans, send it"), [Asked, Asked, Asked, Asked, Topic, Topic, Asked, Asked]);
    assert_eq!(uses("About us: read ~/a regarding /b c"), [Asked, Topic, Asked, Given, Asked, Given, Topic]);
}

#[test]
fn srch_5_words_are_folded() {
    check("Cre\u{301}er Ångström groß", &["creer", "angstrom", "gross"]);
    check("Größe İSTANBUL ırmak ΣΊΣΥΦΟΣ Ёлка", &["gross", "istanbul", "irmak", "σισυφοσ", "елка"]);
    check("ﬁle ＡＢＣ ﾌｧｲﾙ", &["file", "abc", "ファ", "ァイ", "イル"]);
    check("हिन्दी", &["हिन्दी"]);
}

#[test]
fn srch_5_words_without_spaces_are_pairs_of_letters() {
    check("读取文件", &["读取", "取文", "文件"]);
    check("解析pdf", &["解析", "pdf"]);
    check("用 weather 工具查北京天气", &["weather", "具查", "查北", "北京", "京天", "天气"]);
    check("ファイルを読み込みます。", &["ファ", "ァイ", "イル", "読", "込"]);
    check("パソコン 件 人々", &["パソ", "ソコ", "コン", "件", "人々"]);
    check("파일을 읽습니다", &["파일", "일을", "읽습"]);
    check("ไฟ", &["ไฟ"]);
}

#[test]
fn a_reader_reads_a_run_again_as_it_did_at_first() {
    let mut reader = Reader::default();
    let text = "getURL 读取文件 the getURL";
    assert_eq!(reader.words(text, 99), reader.words(text, 99));
    assert_eq!(reader.words(text, 99), words(text, 99));
    assert_eq!(reader.words(text, 2), words(text, 99)[..2]);
}

#[tokio::test]
async fn srch_4_one_index_for_a_digest_and_the_oldest_is_let_go() {
    let (one, two) = (snapshot(&["x"]), snapshot(&["y"]));
    let indexes = Indexes::new(1);
    let visible = all(&one);
    let (a, b) = tokio::join!(indexes.of(&one, &visible), indexes.of(&one, &visible));
    let a = a.unwrap();
    assert!(Arc::ptr_eq(&a, &b.unwrap()), "built once");
    assert!(Arc::ptr_eq(&a, &indexes.of(&one, &all(&one)).await.unwrap()), "held");
    indexes.of(&two, &all(&two)).await.unwrap();
    assert!(!Arc::ptr_eq(&a, &indexes.of(&one, &all(&one)).await.unwrap()), "let go");
}

#[tokio::test]
async fn srch_4_a_dropped_caller_stops_no_build() {
    let one = snapshot(&["x"]);
    let indexes = Indexes::new(1024 * 1024);
    drop(tokio::time::timeout(std::time::Duration::ZERO, indexes.of(&one, &all(&one))).await);
    assert_eq!(indexes.of(&one, &all(&one)).await.unwrap().tools().len(), 1);
}

#[tokio::test]
async fn srch_4_no_more_than_two_indexes_are_built_at_once() {
    let whole = snapshot(&["a", "b", "c", "d", "e"]);
    let indexes = Indexes::new(1024 * 1024);
    let turns = indexes.builds.clone();
    let all_turns = turns.clone().acquire_many_owned(2).await.unwrap();
    assert_eq!(turns.available_permits(), 0);
    let views = whole.tools().iter().map(|tool| BTreeSet::from([tool.descriptor.id.clone()]));
    let views: Vec<_> = views.map(|hidden| Visibility { digest: whole.visible(&hidden), hidden: Arc::new(hidden) }).collect();
    let mut asked: Vec<_> = views.iter().map(|view| Box::pin(indexes.of(&whole, view))).collect();
    for one in &mut asked {
        assert!(tokio::time::timeout(std::time::Duration::from_millis(20), one).await.is_err(), "it waits for its turn");
    }
    drop(all_turns);
    for one in asked {
        assert_eq!(one.await.unwrap().tools().len(), 4);
    }
}

#[test]
fn i_6_an_index_holds_the_visible_alone() {
    let whole = snapshot(&["alpha", "beta"]);
    let hidden: BTreeSet<_> = [whole.tools()[0].descriptor.id.clone()].into();
    let visible = Visibility { digest: whole.visible(&hidden), hidden: Arc::new(hidden) };
    let index = Index::build(&whole, &visible).unwrap();
    assert_eq!(index.tools().len(), 1);
    assert_eq!((index.vocabulary().near("betas", 9), index.vocabulary().near("alphas", 9)), (vec!["beta"], vec![]));
    assert!(format!("{index:?}").starts_with("Index(1 tools"));
}

#[test]
fn an_empty_catalog_has_an_index() {
    let none = snapshot(&[]);
    let index = Index::build(&none, &all(&none)).unwrap();
    let mut places = 0;
    index.places("x", |_, _| places += 1).unwrap();
    assert_eq!(places, 0);
}
