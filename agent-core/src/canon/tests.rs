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
