//! The attacks of `spec/attacks.md`, against the tests that hold them, both ways.
//!
//! Is: each number from 1 to [`LAST`] has one row, `| 17 | held | ...` or with the part of the program that it waits for; a
//! held one has a test with `attack_17_` in its name, another has none. A number above, of an attack that somebody thought of since, has
//! a row if and only if a test names it.

use super::source::{self, File};
use std::collections::{BTreeMap, BTreeSet};

/// Up to it no row may be missing.
const LAST: u32 = 73;
const LATER: [&str; 1] = ["console (D)"];

/// The attacks that tests name: `attack_17_` anywhere in a name.
fn tested(code: &[File]) -> BTreeSet<u32> {
    let names = code.iter().flat_map(|file| source::test_names(&file.text));
    let of = |name: String| -> Vec<u32> {
        let numbers = name.split("attack_").skip(1).filter_map(|rest| rest.split_once('_'));
        numbers.filter_map(|(number, _)| number.parse().ok()).collect()
    };
    names.flat_map(of).collect()
}

fn check(document: &str, code: &[File]) -> Vec<String> {
    let (tested, mut findings, mut seen) = (tested(code), Vec::new(), BTreeMap::<u32, usize>::new());
    for line in document.lines() {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let [_, number, state, _, _] = cells.as_slice() else { continue };
        let Ok(number) = number.parse::<u32>() else { continue };
        *seen.entry(number).or_default() += 1;
        match (*state, tested.contains(&number)) {
            ("held", true) => {}
            ("held", false) => findings.push(format!("attack {number} is held, but no test has `attack_{number}_` in its name")),
            (later, false) if LATER.contains(&later) => {}
            (later, true) if LATER.contains(&later) => findings.push(format!("attack {number} waits for {later}, but a test names it")),
            _ => findings.push(format!("spec/attacks.md: attack {number} is `{state}`, neither held nor one of {LATER:?}")),
        }
    }
    let rows = |number: u32| seen.get(&number).copied().unwrap_or_default();
    findings.extend((1..=LAST).filter(|number| rows(*number) != 1).map(|number| format!("attack {number} has {} rows", rows(number))));
    findings.extend(
        tested
            .iter()
            .filter(|number| **number > LAST && rows(**number) != 1)
            .map(|number| format!("attack {number} has a test and {} rows", rows(*number))),
    );
    findings
}

#[test]
fn attacks_on_the_gateway_are_held_or_wait_for_what_they_attack() {
    let document = source::document("spec/attacks.md").unwrap();
    super::none(&check(&document, &source::files(".rs")));
}

#[test]
fn a_row_and_its_tests_agree() {
    let code = |name: &str| [File { path: "a/src/a.rs".to_owned(), text: format!("#[test]\nfn {name}() {{}}\n") }];
    let of = |state: &str, name: &str| {
        let document: String = (1..=LAST).map(|at| format!("| {at} | {} | x |\n", if at == 17 { state } else { "console (D)" })).collect();
        check(&document, &code(name)).len()
    };
    assert_eq!((of("held", "auth_6_attack_17_a_flood"), of("console (D)", "other")), (0, 0));
    assert_eq!((of("held", "attack_171_x"), of("held", "attack_17"), of("held", "attack_1_x")), (2, 1, 2), "171 has no row");
    assert_eq!((of("console (D)", "attack_17_x"), of("soon", "attack_17_x")), (1, 1));
    assert_eq!(check("| 1 | held | x |\n| 1 | held | x |\n| 74 | held | x |\n", &code("attack_1_x")).len(), 74);
    let above = |rows: &str, name: &str| {
        let document: String = (1..=LAST).map(|at| format!("| {at} | console (D) | x |\n")).collect();
        check(&(document + rows), &code(name)).len()
    };
    assert_eq!((above("| 74 | held | x |\n", "attack_74_x"), above("", "attack_74_x"), above("| 74 | held | x |\n", "other")), (0, 1, 1));
}
