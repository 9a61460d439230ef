//! What an upstream may call its tools, and which two names a person could take for one another.
//!
//! Clause: ID-2. Source: UTS 39 (mixed scripts, confusable skeletons); MCP 2025-11-25 tool names.

use crate::limits::NAME_BYTES;
use crate::safety::is_hidden;
use unicode_script::{Script, UnicodeScript};
use unicode_security::GeneralSecurityProfile;

/// Why a name is not served.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NameError {
    /// Not 1 to 128 bytes.
    #[error("the name is empty or longer than {NAME_BYTES} bytes")]
    Length,
    /// An empty, `.` or `..` part between slashes.
    #[error("the name has an empty, `.` or `..` part between slashes")]
    Part,
    /// Control, bidi, zero-width or tag characters.
    #[error("the name holds a character that can't be seen")]
    Hidden,
    /// Anything else than letters, digits, `_`, `.`, `-` and `/`.
    #[error("the name holds a character other than letters, digits, `_`, `.`, `-` and `/`")]
    Character,
    /// Letters of two scripts.
    #[error("the name mixes letters of two scripts")]
    MixedScript,
}

/// Whether a served name is worth a second look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NameKind {
    /// `[A-Za-z0-9_.\-/]` alone.
    Ascii,
    /// Letters of one other script, to be flagged.
    OtherScript,
}

/// Judges an upstream's tool name by itself.
///
/// # Errors
/// [`NameError`] says why the tool is quarantined.
pub fn judge(name: &str) -> Result<NameKind, NameError> {
    if name.is_empty() || name.len() > NAME_BYTES {
        return Err(NameError::Length);
    }
    if name.chars().any(is_hidden) {
        return Err(NameError::Hidden);
    }
    if name.split('/').any(|part| matches!(part, "" | "." | "..")) {
        return Err(NameError::Part);
    }
    let plain = |character: char| character.is_ascii_alphanumeric() || "_.-/".contains(character);
    let mut script = None;
    for character in name.chars().filter(|character| !plain(*character)) {
        if !character.is_alphabetic() && !is_mark(character) || !character.identifier_allowed() {
            return Err(NameError::Character);
        }
        match (group(character), script) {
            (None, _) => {}
            (Some(new), None) => script = Some(new),
            (Some(new), Some(old)) if new == old => {}
            _ => return Err(NameError::MixedScript),
        }
    }
    let latin = name.chars().any(|character| character.is_ascii_alphabetic());
    match script {
        None if name.is_ascii() => Ok(NameKind::Ascii),
        Some(other) if latin && other != Script::Latin => Err(NameError::MixedScript),
        _ => Ok(NameKind::OtherScript),
    }
}

/// The form in which two names that a person could mistake for one another are equal (UTS 39 4).
#[must_use]
pub fn skeleton(name: &str) -> String {
    unicode_security::skeleton(name).collect::<String>().to_ascii_lowercase()
}

fn is_mark(character: char) -> bool {
    use unicode_general_category::{GeneralCategory, get_general_category};
    matches!(get_general_category(character), GeneralCategory::NonspacingMark | GeneralCategory::SpacingMark)
}

/// The scripts that one language mixes count as one (UTS 39 5.1: Japanese and Korean).
fn group(character: char) -> Option<Script> {
    match character.script() {
        Script::Common | Script::Inherited => None,
        Script::Hiragana | Script::Katakana | Script::Han | Script::Hangul | Script::Bopomofo => Some(Script::Han),
        script => Some(script),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn id_2_names() {
        let check = |name: &str, expect| assert_eq!(judge(name), expect, "{name:?}");
        check("create_issue", Ok(NameKind::Ascii));
        check("a.b-c/d", Ok(NameKind::Ascii));
        check("検索する", Ok(NameKind::OtherScript));
        check("поиск", Ok(NameKind::OtherScript));
        check("größe", Ok(NameKind::OtherScript));
        check("", Err(NameError::Length));
        check(&"a".repeat(129), Err(NameError::Length));
        check("has space", Err(NameError::Character));
        check("a:b", Err(NameError::Character));
        check("../x", Err(NameError::Part));
        check("a//b", Err(NameError::Part));
        check("a/./b", Err(NameError::Part));
        check("a\u{1b}b", Err(NameError::Hidden));
        check("a\nb", Err(NameError::Hidden));
        check("a\0b", Err(NameError::Hidden));
        check("a\u{200b}b", Err(NameError::Hidden));
        check("a\u{202e}b", Err(NameError::Hidden));
        check("a\u{e0041}b", Err(NameError::Hidden));
        check("gm\u{430}il", Err(NameError::MixedScript));
        check("поиск検索", Err(NameError::MixedScript));
    }

    #[test]
    fn id_2_look_alikes_share_a_skeleton() {
        assert_eq!(skeleton("gmail"), skeleton("gm\u{430}il"));
        assert_eq!(skeleton("list_a11"), skeleton("list_all"));
        assert_ne!(skeleton("read_file"), skeleton("write_file"));
    }
}
