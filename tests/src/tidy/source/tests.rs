use super::words::{Word, paths, test_names, words};
use std::collections::BTreeSet;

fn names(text: &str) -> Vec<String> {
    words(text).into_iter().filter_map(|word| if let Word::Name(name) = word { Some(name) } else { None }).collect()
}

fn joined(text: &str) -> BTreeSet<String> {
    paths(text).into_iter().map(|path| path.join("::")).collect()
}

#[test]
fn comments_and_strings_hold_no_names() {
    assert_eq!(names("a // b\n/* c /* d */ e */ f \"g\\\" h\" r#\"i \" j\"# b'k' '\\'' 'l' m<'n>"), ["a", "f", "m", "n"]);
}

#[test]
fn groups_are_written_out() {
    let expected = ["crate::b", "crate::c::d", "crate::c::e", "std::fs", "x::y"].map(str::to_owned);
    assert_eq!(joined("use crate::{b, c::{d, e as f}}; use std::fs; fn g() { x::y(1) }"), BTreeSet::from(expected));
}

#[test]
fn code_of_tests_is_not_shipped() {
    assert_eq!(
        joined("#[cfg(test)]\nmod tests { use a::b; fn f() { c::d() } }\n#[cfg(test)]\nuse e::f;\nuse g::h;"),
        BTreeSet::from(["g::h".to_owned()])
    );
}

#[test]
fn tests_are_found_by_their_attribute() {
    let text = "#[test] fn a() {} fn b() {} #[tokio::test(flavor = \"x\")] #[ignore] async fn c() {} #[cfg(test)] mod t { fn d() {} }";
    assert_eq!(test_names(text), ["a", "c"]);
}
