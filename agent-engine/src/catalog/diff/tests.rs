#![allow(clippy::unwrap_used, clippy::indexing_slicing)]
use super::*;

fn shown(old: &str, new: &str) -> Vec<String> {
    let side = |side: &Option<String>| side.clone().unwrap_or("-".to_owned());
    let line = |moved: &Moved| format!("{} {}: {} > {}", moved.part.as_str(), moved.at.join("."), side(&moved.old), side(&moved.new));
    moved(old, new).unwrap().iter().map(line).collect()
}

#[test]
fn cat_8_the_diff_names_each_part() {
    let old = r#"{"name":"read","description":"Reads a file.","inputSchema":{"type":"object","properties":
        {"path":{"type":"string","description":"Where"},"gone":{}},"required":["path"]},"annotations":{"readOnlyHint":true}}"#;
    let new = r#"{"name":"read","title":"Read","inputSchema":{"type":"object","properties":
        {"path":{"type":"string","description":"Where it is"},"note":{"type":"string"}},"required":["note"],"additionalProperties":false},
        "description":"Reads any file.","outputSchema":{"type":"object"},"annotations":{"readOnlyHint":false},"x":{"y":[1]}}"#;
    assert_eq!(
        shown(old, new),
        [
            "description : Reads a file. > Reads any file.",
            "arguments path.description: Where > Where it is",
            "arguments path: required > optional",
            "arguments gone: {} > -",
            "arguments note: - > {\"type\":\"string\"}",
            "arguments note: - > required",
            "arguments additionalProperties: - > false",
            "output : - > {\"type\":\"object\"}",
            "annotations readOnlyHint: true > false",
            "other title: - > \"Read\"",
            "other x: - > {\"y\":[1]}",
        ]
    );
}

#[test]
fn cat_8_what_the_digest_does_not_tell_apart_did_not_move() {
    let old = r#"{"name":"a","inputSchema":{"properties":{"n":{"maximum":1.50,"title":"\u00e9"}},"required":["n"]},"x":1}"#;
    let new = r#"{"x":1e0,"name":"a","inputSchema":{"required":["n"],"properties":{"n":{"title":"é","maximum":1.5}}}}"#;
    assert_eq!(moved(old, new), Ok(Vec::new()));
    assert_eq!(shown(old, &new.replace("1.5", "1.51")), ["arguments n.maximum: 1.50 > 1.51"]);
}

#[test]
fn cat_8_no_move_hides_in_an_odd_shape() {
    let check = |old: &str, new: &str, expect: &[&str]| {
        let whole = |schema: &str| format!(r#"{{"name":"a","inputSchema":{schema}}}"#);
        assert_eq!(shown(&whole(old), &whole(new)), expect);
    };
    check(r#"{"properties":{}}"#, r#"{"properties":[]}"#, &["arguments properties: {} > []"]);
    check(r#"{"required":["a"]}"#, r#"{"required":["a",1]}"#, &["arguments required: [\"a\"] > [\"a\",1]"]);
    check(r#"{"required":["a"]}"#, r#"{}"#, &["arguments a: required > optional"]);
    check(r#"{"properties":{"a":{}}}"#, r#"{"properties":{"a":true}}"#, &["arguments a: {} > true"]);
    check("{}", "true", &["arguments : {} > true"]);
    assert_eq!(shown(r#"{"name":"a"}"#, r#"{"name":"a","description":"b"}"#), ["description :  > b"]);
    assert_eq!(shown(r#"{"name":"a","x":"1"}"#, r#"{"name":"a","x":1}"#), ["other x: \"1\" > 1"]);
    assert!(moved("{", "{}").is_err());
}

#[test]
fn cat_8_whatever_moves_the_digest_is_shown() {
    let schemas = [
        "{}",
        "{\"properties\":{}}",
        "{\"properties\":null}",
        "{\"properties\":{\"a\":{}}}",
        "{\"properties\":{\"a\":null}}",
        "{\"required\":[]}",
        "{\"required\":[\"a\",\"b\"]}",
        "{\"required\":[\"b\",\"a\"]}",
        "{\"required\":[\"a\",\"a\",\"b\"]}",
        "{\"required\":\"a\"}",
        "{\"required\":[\"a\",1]}",
        "{\"properties\":{\"a\":{}},\"required\":[\"a\"]}",
        "{\"properties\":{\"\":{}},\"required\":[\"\"]}",
        "null",
        "[]",
        "{\"type\":\"object\"}",
    ];
    let of = |schema: &&str| format!("{{\"inputSchema\":{schema}}}");
    let odd = [
        "{}",
        "{\"description\":\"\"}",
        "{\"description\":null}",
        "{\"description\":\"a\"}",
        "{\"annotations\":{}}",
        "{\"outputSchema\":null}",
    ];
    let all: Vec<String> = schemas.iter().map(of).chain(odd.map(str::to_owned)).collect();
    for (old, new) in all.iter().flat_map(|old| all.iter().map(move |new| (old, new))) {
        assert_eq!(moved(old, new).unwrap().is_empty(), old == new, "{old} {new}");
    }
}

fn marked(old: &str, new: &str) -> String {
    let mark = |piece: &Piece<'_>| match piece {
        Piece::Same(text) => (*text).to_owned(),
        Piece::Old(text) => format!("[-{text}-]"),
        Piece::New(text) => format!("{{+{text}+}}"),
    };
    words(old, new).iter().map(mark).collect()
}

#[test]
fn cat_8_words_are_marked() {
    assert_eq!(marked("Reads a file.", "Reads any file, quickly."), "Reads [-a-]{+any+} file{+, quickly+}.");
    assert_eq!(marked("", "new"), "{+new+}");
    assert_eq!(marked("same", "same"), "same");
    assert_eq!(marked("ファイル", "ファイルズ"), "ファイル{+ズ+}");
    let (old, new) = ("a ".repeat(12_000), "b ".repeat(12_000));
    assert_eq!(words(&old, &new), [Piece::Old(&old), Piece::New(&new)]);
}

#[test]
fn cat_8_the_pieces_are_the_two_texts_again() {
    let texts = ["", "a b  c", "a\nb\tc d", "名前 a", "\u{200b}x\u{200b}", "[-a-]{+b+}", "it's a_b-c"];
    for (old, new) in texts.iter().flat_map(|old| texts.iter().map(move |new| (*old, *new))) {
        let (mut was, mut is) = (String::new(), String::new());
        for piece in words(old, new) {
            match piece {
                Piece::Same(text) => {
                    was.push_str(text);
                    is.push_str(text);
                }
                Piece::Old(text) => was.push_str(text),
                Piece::New(text) => is.push_str(text),
            }
        }
        assert_eq!((was.as_str(), is.as_str()), (old, new));
    }
}
