//! Words that may be secrets, and are not shown again.
//!
//! Is: a guess, on the side of hiding. Is not: protection of what stands in arguments: every process of the machine can
//! read those. Secrets belong into `env`, kept in a file or a variable. Clause: UP-2 (operator's files).

/// Parts of names whose values are secrets.
const NAMES: [&str; 9] = ["token", "secret", "password", "passwd", "passphrase", "apikey", "credential", "auth", "bearer"];
/// What well-known tokens begin with.
const BEGINNINGS: [&str; 10] = ["sk-", "ghp_", "gho_", "ghs_", "github_pat_", "glpat-", "xoxb-", "xoxp-", "AKIA", "eyJ"];
/// Letters and digits of a word that nobody chose.
const RANDOM: usize = 28;
/// In place of a secret.
const HIDDEN: &str = "(hidden)";

/// Whether a word may be a secret, by itself or by the word before it.
#[must_use]
pub fn looks_secret(before: Option<&str>, word: &str) -> bool {
    shown(before, word) != word
}

/// Words as they are shown.
pub(super) fn masked<'a>(words: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let mut before = None;
    let mut show = |word: &'a str| shown(before.replace(word), word);
    words.into_iter().map(&mut show).collect()
}

/// A word as it is shown.
pub(crate) fn shown(before: Option<&str>, word: &str) -> String {
    if before.is_some_and(|before| before.starts_with('-') && !before.contains('=') && names_secret(before)) && !word.starts_with('-') {
        return HIDDEN.to_owned();
    }
    if let Some(at) = word.find(['=', ':'])
        && let (Some(name), Some(value)) = (word.get(..=at), word.get(at + 1..))
        && !value.is_empty()
        && !value.starts_with("//")
    {
        let secret = names_secret(name) || looks_random(value);
        return if secret { format!("{name}{HIDDEN}") } else { credentials_cut(word) };
    }
    if looks_random(word) { HIDDEN.to_owned() } else { credentials_cut(word) }
}

fn names_secret(name: &str) -> bool {
    let plain: String = name.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect();
    NAMES.iter().any(|part| plain.contains(part)) || plain.ends_with("key") || plain == "pass" || plain == "pat"
}

fn looks_random(word: &str) -> bool {
    let known = BEGINNINGS.iter().any(|beginning| word.starts_with(beginning) && word.len() >= beginning.len() + 8);
    let plain = word.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-+=".contains(&byte));
    let mixed = word.bytes().any(|byte| byte.is_ascii_digit()) && word.bytes().any(|byte| byte.is_ascii_alphabetic());
    known || (plain && mixed && word.len() >= RANDOM)
}

/// A URL as it is shown: nobody's password, and nothing in its path and query that looks like a secret. None for other words.
pub(crate) fn veiled_url(word: &str) -> Option<String> {
    let cut = shown(None, word);
    let (scheme, rest) = cut.split_once("://")?;
    let (host, path) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
    let (mut out, mut piece) = (format!("{scheme}://{host}"), String::new());
    for c in path.chars().chain(['\0']) {
        if !['/', '?', '&', '#', '\0'].contains(&c) {
            piece.push(c);
            continue;
        }
        out.push_str(&shown(None, &std::mem::take(&mut piece)));
        out.extend(Some(c).filter(|c| *c != '\0'));
    }
    Some(out)
}

/// A URL without `user:password@`.
fn credentials_cut(word: &str) -> String {
    let Some((scheme, rest)) = word.split_once("://") else { return word.to_owned() };
    let (authority, _) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
    match authority.rfind('@') {
        Some(at) => format!("{scheme}://{HIDDEN}{}", rest.get(at..).unwrap_or_default()),
        None => word.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn up_2_what_looks_like_a_secret_is_not_shown() {
        for (words, expect) in [
            ("--token abc --verbose", "--token (hidden) --verbose"),
            ("--api-key=abc x", "--api-key=(hidden) x"),
            ("API_KEY=abc", "API_KEY=(hidden)"),
            ("-H Authorization:Bearer", "-H Authorization:(hidden)"),
            ("--key k --pass p", "--key (hidden) --pass (hidden)"),
            ("ghp_0123456789abcdef", "(hidden)"),
            ("--x=sk-abcdefgh12345678", "--x=(hidden)"),
            ("postgres://me:pw@db/x?y", "postgres://(hidden)@db/x?y"),
            ("--url=https://me@host/p", "--url=https://(hidden)@host/p"),
            ("0123456789abcdef0123456789abcdef", "(hidden)"),
            (
                "-y @modelcontextprotocol/server-filesystem@2026.1.14 /srv/files",
                "-y @modelcontextprotocol/server-filesystem@2026.1.14 /srv/files",
            ),
            ("--local-timezone=UTC --port 8080 -m mcp_server_time", "--local-timezone=UTC --port 8080 -m mcp_server_time"),
            ("https://example.org/a:b --keyboard us", "https://example.org/a:b --keyboard us"),
        ] {
            assert_eq!(masked(words.split(' ')).join(" "), expect);
        }
    }
}
