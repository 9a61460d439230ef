#![allow(clippy::unwrap_used, clippy::indexing_slicing)]
use super::*;

fn check(input: &str, expect: &str) {
    assert_eq!(String::from_utf8(canonical(input, 8, 64).unwrap()).unwrap(), expect);
}

#[test]
fn cat_3_rfc_8785_samples() {
    check(
        r#"{"numbers":[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001],"string":"\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/","literals":[null,true,false]}"#,
        "{\"literals\":[null,true,false],\"numbers\":[\u{1}333333333.33333329,1e+30,4.5,0.002,1e-27],\"string\":\"\u{20ac}$\\u000f\\nA'B\\\"\\\\\\\\\\\"/\"}",
    );
    check(
        r#"{"\u20ac":1,"\r":2,"\ufb33":3,"1":4,"\ud83d\ude00":5,"\u0080":6,"\u00f6":7}"#,
        "{\"\\r\":2,\"1\":4,\"\u{80}\":6,\"ö\":7,\"€\":1,\"😀\":5,\"\u{fb33}\":3}",
    );
}

#[test]
fn cat_3_numbers_that_a_double_cannot_carry_keep_their_literal() {
    check("[9007199254740992,9007199254740993]", "[9007199254740992,\u{1}9007199254740993]");
    check("[1e400,-1e400,1e99999999999]", "[\u{1}1e400,\u{1}-1e400,\u{1}1e99999999999]");
    check("[1.0,100e-2,1,-0,0.10]", "[1,1,1,0,0.1]");
    check("[0.1,0.1000000000000000055511151231257827]", "[0.1,\u{1}0.1000000000000000055511151231257827]");
}

#[test]
fn cat_3_duplicate_keys_are_malformed() {
    assert_eq!(canonical(r#"{"a":1,"b":{"c":1,"\u0063":2}}"#, 8, 64), Err(CanonError::DuplicateKey("c".into())));
}

#[test]
fn cat_4_depth_and_nodes_are_bounded() {
    assert_eq!(canonical("[[[1]]]", 2, 64), Err(CanonError::Depth(2)));
    assert!(canonical("[[[1]]]", 3, 64).is_ok());
    assert_eq!(canonical("[1,2,3]", 2, 3), Err(CanonError::Nodes(3)));
    assert!(canonical("[1,2,3]", 2, 4).is_ok());
    let deep = "[".repeat(100_000) + &"]".repeat(100_000);
    assert!(canonical(&deep, 32, 8192).is_err());
}

#[test]
fn malformed_texts_are_refused() {
    for text in ["", "{", "[1,]", "nul", "\"\\ud800\"", "01", "{\"a\" 1}", "1 2"] {
        assert!(matches!(canonical(text, 8, 64), Err(CanonError::Malformed(_))), "{text}");
    }
}

#[test]
fn attack_53_a_parsers_own_keys_are_malformed_wherever_they_stand() {
    let inside = r#""{\"a\":1}""#;
    for key in ["$serde_json::private::RawValue", "$serde_json::private::Number", r"\u0024serde_json::private::R\u0061wValue"] {
        let object = format!(r#"{{"{key}":{inside}}}"#);
        for text in
            [object.clone(), format!(r#"[1,{object}]"#), format!(r#"{{"b":{{"c":[{object}]}}}}"#), format!(r#"{{"b":1,"{key}":{inside}}}"#)]
        {
            assert!(matches!(canonical(&text, 8, 64), Err(CanonError::Malformed(_))) && !plain(text.as_bytes()), "{text}");
        }
    }
    // As a value, and a key that only looks like one, it is nobody's.
    for text in [r#"{"a":"$serde_json::private::RawValue"}"#, r#"{"$serde_json":{"x$serde_json::private::":[null,true,-1,1.5,1]}}"#] {
        assert!(canonical(text, 8, 64).is_ok() && plain(text.as_bytes()));
    }
    assert!(!plain(b"[1") && !plain(b"1 2"));
}

#[test]
fn cat_3_a_value_is_made_of_the_tree_and_no_text_is_read_twice() {
    let exact = r#"{"a":[1,-1,1.5,-0,1e3,18446744073709551615,9007199254740993,0.1,1e-7],"b":{"c":null,"d":true,"e":"\u0000\"x"}}"#;
    assert_eq!(Node::parse(exact, 8, 64).unwrap().value(), serde_json::from_str(exact).ok());
    assert_eq!(Node::parse("[1e999]", 8, 64).unwrap().value(), None);
    // Even a tree that no text gives stays what it is.
    let hidden = Node::Object(vec![("$serde_json::private::RawValue".to_owned(), Node::String("[1]".to_owned()))]);
    assert_eq!(hidden.value().unwrap()["$serde_json::private::RawValue"], "[1]");
}
