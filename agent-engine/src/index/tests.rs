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
    check("Cre\u{301}er Ångström groß", &["creer", "angstrom", "gross"]);
    check("ﬁle ＡＢＣ", &["file", "abc"]);
    check("读取文件", &["读取", "取文", "文件"]);
    check("が 件", &["が", "件"]);
    check("", &[]);
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

#[test]
fn i_6_an_index_holds_the_visible_alone() {
    let whole = snapshot(&["alpha", "beta"]);
    let hidden: BTreeSet<_> = [whole.tools()[0].descriptor.id.clone()].into();
    let visible = Visibility { digest: whole.visible(&hidden), hidden: Arc::new(hidden) };
    let index = Index::build(&whole, &visible).unwrap();
    assert_eq!(index.tools().len(), 1);
    assert_eq!(index.vocabulary(), ["beta"]);
    assert!(format!("{index:?}").starts_with("Index(1 tools"));
}

#[test]
fn an_empty_catalog_has_an_index() {
    let none = snapshot(&[]);
    let index = Index::build(&none, &all(&none)).unwrap();
    let mut places = 0;
    index.places(Field::Name, "x", |_| places += 1).unwrap();
    assert_eq!(places, 0);
    assert!(index.average(Field::Name) > 0.0);
}
