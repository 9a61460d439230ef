#![allow(clippy::unwrap_used, clippy::indexing_slicing)]
use super::*;

/// What stands in for a query's first words: stem, weight in hundredths, number of the words.
fn of(synonyms: &Synonyms, text: &str) -> Vec<(String, u32, usize)> {
    let words = words(text, 99);
    let phrase: Vec<_> = words.iter().collect();
    let shown = |(one, count): (&StandIn, usize)| (one.stem.clone(), (one.weight * 100.0).round() as u32, count);
    synonyms.of(&phrase).map(shown).collect()
}

fn stems(synonyms: &Synonyms, text: &str) -> Vec<String> {
    of(synonyms, text).into_iter().map(|(stem, ..)| stem).collect()
}

#[test]
fn srch_5_every_built_in_line_is_read() {
    let text = include_str!("../synonyms.txt");
    let mut table = Table::default();
    for line in text.lines() {
        assert_eq!(table.add(line), Ok(()), "{line}");
    }
    assert!(text.len() < SYNONYM_BYTES && text.lines().count() < SYNONYM_LINES);
}

#[test]
fn srch_5_a_group_an_arrow_and_a_translation() {
    let own = Synonyms::extended("qlamp qdesk QLIGHT\r\nqbugs -> qissue\n\n# qa qb\n籤圖屏 qbild => qscreen_shot\n").unwrap();
    let expect = |text: &str, found: &[(&str, u32, usize)]| {
        let found: Vec<_> = found.iter().map(|(stem, weight, count)| ((*stem).to_owned(), *weight, *count)).collect();
        assert_eq!(of(&own, text), found, "{text}");
    };
    expect("qdesks", &[("qlamp", 20, 1), ("qlight", 20, 1)]);
    expect("qbug", &[("qissu", 20, 1)]);
    expect("qissue", &[]);
    expect("qa", &[]);
    expect("籤圖屏", &[("qscreen", 57, 2), ("shot", 57, 2), ("qbild", 20, 2)]);
    expect("qbild", &[("qscreen", 57, 1), ("shot", 57, 1)]);
    expect("qbilds", &[]);
}

#[test]
fn srch_5_words_that_stand_together_have_a_meaning_of_their_own() {
    let synonyms = Synonyms::default();
    assert!(stems(&synonyms, "sign in please").contains(&"login".to_owned()));
    assert!(!stems(&synonyms, "sign a contract").contains(&"login".to_owned()));
    assert!(stems(&synonyms, "屏幕截图").contains(&"screen".to_owned()));
}

#[test]
fn srch_5_an_operator_adds_to_what_is_built_in() {
    let own = Synonyms::extended("Datei Akte => file\nissue qticketz").unwrap();
    assert!(stems(&own, "issues").contains(&"qticketz".to_owned()) && stems(&own, "issues").contains(&"bug".to_owned()));
    assert!(stems(&own, "Akte").contains(&"file".to_owned()));
    assert!(!stems(&Synonyms::default(), "issue").contains(&"qticketz".to_owned()));
}

#[test]
fn srch_5_a_line_that_cannot_be_read_is_named() {
    for (text, line, says) in [
        ("# fine\nalone", 2, "a single word"),
        ("a1 -> ", 1, "no word on one side"),
        ("=> x1", 1, "no word on one side"),
        ("a1 -> b1 -> c1", 1, "one `->`"),
        ("a1 b1\n\nthe -> x1", 3, "`the` has no word"),
        ("--- x1", 1, "`---` has no word"),
    ] {
        let error = Synonyms::extended(text).unwrap_err();
        assert!(error.line == line && error.to_string().contains(says), "{text}: {error}");
    }
    let wide = (0..=SYNONYM_WORDS).map(|at| format!("q{at}")).collect::<Vec<_>>().join(" ");
    assert_eq!(Synonyms::extended(&wide).unwrap_err().line, 1);
    let long = "qa qb\n".repeat(SYNONYM_LINES + 1);
    assert_eq!(Synonyms::extended(&long).unwrap_err().line, SYNONYM_LINES + 1);
    assert!(Synonyms::extended(&"#".repeat(SYNONYM_BYTES + 1)).is_err());
}
