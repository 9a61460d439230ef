use super::{check_clauses, check_invariants, clauses, invariants};
use crate::tidy::source::File;

fn code(text: &str) -> [File; 1] {
    [File { path: "agent-core/src/a.rs".to_owned(), text: text.to_owned() }]
}

#[test]
fn a_held_clause_needs_a_test_and_a_later_one_has_none() {
    let (promised, odd) = clauses(
        "| clause | state | where |\n|---|---|---|\n| CAT-3 (digest) | held | x |\n| CAT-3 (raw) | later | |\n| POL-4 | later | |\n| UP-1 | done | |",
    );
    assert_eq!((promised.len(), odd.len()), (3, 1));
    let found = |name: &str| check_clauses(&promised, &code(&format!("#[test] fn {name}() {{}}")));
    assert_eq!(found("cat_3_two_definitions_differ"), Vec::<String>::new());
    assert_eq!(found("attack_45_cat_3_two_definitions_differ"), Vec::<String>::new());
    assert_eq!(found("other"), ["CAT-3 is held, but no test has it in its name"]);
    assert_eq!(found("cat_3"), ["CAT-3 is held, but no test has it in its name"]);
    assert_eq!(found("cat_3_pol_4_both"), ["POL-4 is later, but `cat_3_pol_4_both` names it"]);
    assert_eq!(found("cat_3_cat_9_both"), ["CAT-9 is named by a test, and not listed"]);
    let header = "//! As UTF-8. Clauses: CAT-3 (digest),\n//! POL-4\n//! (a part), POL-5.\n\n//! CAT-8\n#[test] fn cat_3_x() {}";
    assert_eq!(check_clauses(&promised, &code(header)), ["agent-core/src/a.rs: its header names POL-5, which is not listed"]);
    let whole = "//! Clauses: CAT-3, POL-4 (a part), POL-4, UP-1 (another).\n#[test] fn cat_3_x() {}";
    let finding = "agent-core/src/a.rs: its header names POL-4, which is later; say in brackets which part";
    assert_eq!(check_clauses(&promised, &code(whole)), [finding]);
}

#[test]
fn an_invariant_needs_a_comment_and_a_test() {
    let promised = invariants("# I-5\n- **I-1** one\n- **I-2** (later) two\n- **ACT-3** no invariant");
    assert_eq!(promised.len(), 2);
    let found = |text: &str| check_invariants(&promised, &code(text));
    let both = "// INVARIANT: I-1\n#[test]\nfn i_1_holds() {}\n";
    assert_eq!(found(both), Vec::<String>::new());
    assert_eq!(found("").len(), 2);
    assert_eq!(found(&format!("{both}    // INVARIANT: I-2, and why\n")), Vec::<String>::new());
    assert_eq!(found(&both.replace('1', "2").repeat(2)).len(), 3);
    assert_eq!(found(&format!("{both}// INVARIANT: I-7\n#[test] fn i_8_x() {{}}")).len(), 2);
}
