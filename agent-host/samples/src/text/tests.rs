#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use super::*;
use crate::tests::Client;
use serde_json::json;

async fn text() -> Client {
    Client::of(server()).await
}

#[tokio::test]
async fn words_are_counted_found_and_replaced() {
    let text = text().await;
    let counted = text.value("count_words", json!({"text": "Grüße! Wie geht es?\nGut."})).await;
    assert_eq!(counted, json!({"words": 5, "characters": 24, "lines": 2, "sentences": 3, "bytes": 26}));
    let found = text.value("find_matches", json!({"text": "a=1\nb=22", "pattern": "([a-z])=(\\d+)"})).await;
    assert_eq!(found["matches"][1], json!({"line": 2, "text": "b=22", "groups": ["b", "22"]}));
    assert!(text.text("find_matches", json!({"text": "aaa", "pattern": "a", "limit": 2})).await.ends_with("(and more)"));
    assert!(text.refusal("find_matches", json!({"text": "a", "pattern": "(?=a)"})).await.contains("regular expression"));
    let replaced = |find: &str, with: &str, regex: bool| json!({"text": "a.b axb", "find": find, "with": with, "regex": regex});
    assert_eq!(text.text("replace_text", replaced("a.b", "$0", false)).await, "$0 axb");
    assert_eq!(text.text("replace_text", replaced("a(.)b", "<$1>", true)).await, "<.> <x>");
    let bomb = json!({"text": "a".repeat(100_000), "find": "a", "with": "b".repeat(10_000)});
    assert!(text.refusal("replace_text", bomb).await.contains("too long"));
    let bomb = json!({"text": "a".repeat(100_000), "find": "a+", "with": "$0".repeat(5_000), "regex": true});
    assert!(text.refusal("replace_text", bomb).await.contains("too long"));
    for (to, written) in [
        ("upper", "PARSEHTTP HEADER"),
        ("title", "Parsehttp Header"),
        ("snake", "parse_http_header"),
        ("kebab", "parse-http-header"),
        ("camel", "parseHttpHeader"),
    ] {
        assert_eq!(text.text("change_case", json!({"text": "parseHTTP header", "to": to})).await, written);
    }
    // An expression that would take other engines for ever.
    let slow = json!({"text": "a".repeat(50_000), "pattern": "(a+)+$x"});
    assert_eq!(text.text("find_matches", slow).await, "nothing matches");
}

#[tokio::test]
async fn lines_are_compared_and_sorted() {
    let text = text().await;
    let diff = text.text("diff_texts", json!({"before": "a\nb\nc\n", "after": "a\nB\nc\n"})).await;
    assert_eq!(diff, "--- before\n+++ after\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n");
    assert_eq!(text.text("diff_texts", json!({"before": "a", "after": "a"})).await, "the texts are the same");
    assert_eq!(text.text("sort_lines", json!({"text": "b\nA\na", "ignore_case": true})).await, "A\na\nb");
    assert_eq!(text.text("sort_lines", json!({"text": "10 x\n9 y\nnone\n-1.5", "numeric": true})).await, "-1.5\n9 y\n10 x\nnone");
    assert_eq!(text.text("sort_lines", json!({"text": "1\n3\n2", "descending": true})).await, "3\n2\n1");
    let unique = text.value("unique_lines", json!({"text": "a\nb\nA\na", "ignore_case": true})).await;
    assert_eq!(unique, json!({"lines": [{"text": "a", "count": 3}, {"text": "b", "count": 1}], "removed": 2}));
}

#[tokio::test]
async fn texts_are_encoded_and_hashed() {
    let text = text().await;
    for url_safe in [false, true] {
        let coded = text.text("encode_base64", json!({"text": "Grüße?>", "url_safe": url_safe})).await;
        assert_eq!(text.text("decode_base64", json!({"base64": coded})).await, "Grüße?>");
    }
    assert_eq!(text.text("encode_base64", json!({"text": "a"})).await, "YQ==");
    assert!(text.refusal("decode_base64", json!({"base64": "Y!"})).await.contains("not Base64"));
    assert!(text.refusal("decode_base64", json!({"base64": "//79"})).await.contains("3 bytes"));
    let hash = text.text("hash_text", json!({"text": "abc"})).await;
    assert_eq!(hash, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    assert!(text.text("hash_text", json!({"text": "abc", "algorithm": "sha512"})).await.starts_with("ddaf35a193617aba"));
}

#[tokio::test]
async fn json_and_tables_are_read() {
    let text = text().await;
    let odd = r#"{"b":[1.0,100000000000000000000000],"a" : {}, "s":"x\\\" , {:"}"#;
    let shown = text.text("format_json", json!({"json": odd})).await;
    assert_eq!(shown, "{\n  \"b\": [\n    1.0,\n    100000000000000000000000\n  ],\n  \"a\": {},\n  \"s\": \"x\\\\\\\" , {:\"\n}");
    assert_eq!(text.text("format_json", json!({"json": shown, "indent": 0})).await, odd.replace(" : ", ":").replace("{}, ", "{},"));
    assert!(text.refusal("format_json", json!({"json": "{\"a\":}"})).await.contains("line 1 column 6"));
    text.refusal("format_json", json!({"json": "[".repeat(5_000)})).await;
    let shop = r#"{"orders": [{"price": 3, "a/b": true}, {"price": 4}]}"#;
    let query = |path: &str| json!({"json": shop, "path": path});
    assert_eq!(text.text("query_json", query("/orders/1/price")).await, "4");
    assert_eq!(text.text("query_json", query("/orders/*/price")).await, "[\n  3,\n  4\n]");
    assert_eq!(text.text("query_json", query("/orders/0/a~1b")).await, "true");
    assert!(text.refusal("query_json", query("/orders/2")).await.contains("no value has `2`"));
    assert!(text.refusal("query_json", query("orders")).await.contains("`/orders`"));
    let table = "name;note\nAnn;\"a;b\"\n";
    let rows = text.text("csv_to_json", json!({"csv": table, "separator": "semicolon"})).await;
    assert_eq!(serde_json::from_str::<serde_json::Value>(&rows).unwrap(), json!([{"name": "Ann", "note": "a;b"}]));
    assert!(text.refusal("csv_to_json", json!({"csv": "a,b\n1\n"})).await.contains("can't be read"));
    assert!(text.refusal("csv_to_json", json!({"csv": "a,a\n1,2\n"})).await.contains("same name"));
    let wide = format!("{}\n{}", (0..5_000).map(|n| n.to_string()).collect::<Vec<_>>().join(","), ",".repeat(4_999));
    text.text("csv_to_json", json!({"csv": wide.clone() + "\n"})).await;
    let rows = format!("{}\n", ",".repeat(499)).repeat(190);
    let names = (0..500).map(|n| format!("column{n}")).collect::<Vec<_>>().join(",");
    assert!(text.refusal("csv_to_json", json!({"csv": format!("{names}\n{rows}")})).await.contains("too long"));
}

/// Each match is looked for through all that is left of the text.
#[tokio::test]
async fn an_expression_that_searches_again_and_again_is_given_up() {
    let (text, letters) = (text().await, "A".repeat(100_000));
    let began = std::time::Instant::now();
    let said = text.refusal("replace_text", json!({"text": letters, "find": ".*[^A-Z]|[A-Z]", "with": "x", "regex": true})).await;
    assert!(said.contains("takes too long"), "{said}");
    assert!(began.elapsed() < std::time::Duration::from_secs(30), "{:?}", began.elapsed());
    let all = text.text("replace_text", json!({"text": letters, "find": "A", "with": "b", "regex": true})).await;
    assert_eq!(all, "b".repeat(100_000));
}
