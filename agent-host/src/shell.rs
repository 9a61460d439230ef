//! A command as a person can paste it into a shell.
//!
//! Is: quoting for a POSIX shell. Is not: a shell; none is ever started here.

/// A word as a shell reads it back.
pub(crate) fn quoted(word: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-./:=@%+,".contains(&byte);
    if !word.is_empty() && word.bytes().all(plain) { word.to_owned() } else { format!("'{}'", word.replace('\'', r"'\''")) }
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn a_word_with_anything_in_it_is_quoted() {
        for (word, expect) in
            [("/a-b/c_d.e", "/a-b/c_d.e"), ("", "''"), ("a b", "'a b'"), ("it's", r"'it'\''s'"), ("$(x)", "'$(x)'"), ("~", "'~'")]
        {
            assert_eq!(quoted(word), expect);
        }
    }
}
