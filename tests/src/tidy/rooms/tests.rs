use super::{TABLE, check, parse};
use crate::tidy::source::File;

fn findings(table: &str, code: &[(&str, &str)]) -> Vec<String> {
    let file = |(path, text): &(&str, &str)| File { path: format!("agent-engine/src/{path}"), text: (*text).to_owned() };
    check(&parse(&format!("{TABLE}\n```text\n{table}\n```\n")), &code.iter().map(file).collect::<Vec<_>>())
}

#[test]
fn an_edge_of_the_table_is_allowed_however_it_is_written() {
    let table = "a: - | first\nb: a | second\ne: all";
    let code = [
        ("a.rs", "use crate::sync::X;"),
        ("b/part.rs", "use super::super::a::X; fn f() { crate::b::g() }"),
        ("b.rs", ""),
        ("e.rs", "use crate::{a, b};"),
    ];
    assert_eq!(findings(table, &code), Vec::<String>::new());
}

#[test]
fn an_edge_outside_the_table_is_found_however_it_is_written() {
    for text in ["use crate::{sync, b::X};", "fn f() { crate::b::g() }", "use super::b;", "pub(crate) use crate::b;"] {
        let found = findings("a: -\nb: -", &[("a.rs", text), ("b.rs", "")]);
        assert!(found.len() == 1 && found[0].contains("`a` uses `b`"), "{text}: {found:?}");
    }
}

#[test]
fn the_table_says_what_is_there_and_what_is_used() {
    let code = [("a.rs", ""), ("b.rs", "#[cfg(test)] mod tests { use crate::a; }"), ("d.rs", "use crate::a;")];
    let found = findings("a (later): -\nb: a\nc: a\nd: (a)", &code);
    let expected = ["room `a` is there", "`b` does not use `a`", "`d` uses `(a)`", "room `c` (1 edges) is not there"];
    assert!(found.len() == 4 && found.iter().zip(expected).all(|(found, expected)| found.starts_with(expected)), "{found:?}");
    assert_eq!(findings("a: -", &[("a.rs", ""), ("b.rs", "")]).len(), 1);
    assert_eq!(findings("a: (b)\nb: -", &[("a.rs", ""), ("b.rs", "")]).len(), 1);
    assert_eq!(findings("a: -\nb (later): a", &[("a.rs", "")]), Vec::<String>::new());
}
