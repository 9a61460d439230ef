//! The known word that a slip was probably meant to be.

/// The nearest of some words, where one is near enough to be meant: a third of its letters at the most are wrong.
pub(crate) fn nearest<'a>(written: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let distance = |word: &&str| strsim::osa_distance(&written.to_lowercase(), &word.to_lowercase());
    known.into_iter().min_by_key(distance).filter(|word| distance(word) * 3 <= word.len().max(3))
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn a_slip_is_told_from_another_word() {
        let known = ["activation", "approval", "args", "env", "cwd", "enabled"];
        for (written, meant) in [
            ("activate", Some("activation")),
            ("Activation", Some("activation")),
            ("aprpoval", Some("approval")),
            ("enabeld", Some("enabled")),
            ("arg", Some("args")),
            ("evn", Some("env")),
            ("shell", None),
            ("", None),
        ] {
            assert_eq!(nearest(written, known), meant, "{written}");
        }
    }
}
