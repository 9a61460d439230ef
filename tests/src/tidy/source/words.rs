//! A Rust text as words: names, `::` and single signs, and from them the paths it uses and the tests it holds.

use std::collections::BTreeSet;

/// One word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::tidy) enum Word {
    /// A name, keyword or number.
    Name(String),
    /// `::`.
    Of,
    /// Any other sign.
    Sign(char),
}

/// The words of a text, without comments and the insides of strings.
pub(in crate::tidy) fn words(text: &str) -> Vec<Word> {
    let (mut out, mut rest) = (Vec::new(), text);
    while let Some(first) = rest.chars().next() {
        let skipped = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            comment(rest)
        } else if let Some(length) = string(rest) {
            length
        } else if first.is_alphanumeric() || first == '_' {
            let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
            out.push(Word::Name(rest[..end].to_owned()));
            end
        } else if rest.starts_with("::") {
            out.push(Word::Of);
            2
        } else {
            if !first.is_whitespace() {
                out.push(Word::Sign(first));
            }
            first.len_utf8()
        };
        rest = &rest[skipped..];
    }
    out
}

fn comment(text: &str) -> usize {
    let (mut depth, mut at) = (0, 0);
    while at < text.len() {
        let rest = &text[at..];
        if rest.starts_with("/*") {
            (depth, at) = (depth + 1, at + 2);
        } else if rest.starts_with("*/") {
            (depth, at) = (depth - 1, at + 2);
            if depth == 0 {
                return at;
            }
        } else {
            at += rest.chars().next().map_or(1, char::len_utf8);
        }
    }
    at
}

/// The length of the string or character that the text starts with, if it does. A lifetime is none.
fn string(text: &str) -> Option<usize> {
    let body = text.trim_start_matches(['b', 'c']);
    let prefix = text.len() - body.len();
    if prefix > 1 {
        return None;
    }
    if let Some(raw) = body.strip_prefix('r') {
        let hashes = raw.len() - raw.trim_start_matches('#').len();
        let inner = raw[hashes..].strip_prefix('"')?;
        let close = format!("\"{}", "#".repeat(hashes));
        return Some(text.len() - inner.len() + inner.find(&close).map_or(inner.len(), |at| at + close.len()));
    }
    let quote = body.chars().next().filter(|c| *c == '"' || *c == '\'')?;
    let inner = &body[1..];
    if quote == '\'' && !inner.starts_with('\\') && inner.chars().nth(1) != Some('\'') {
        return None;
    }
    let mut escaped = false;
    let end = inner.char_indices().find(|(_, c)| {
        let ends = !escaped && *c == quote;
        escaped = !escaped && *c == '\\';
        ends
    });
    Some(text.len() - inner.len() + end.map_or(inner.len(), |(at, _)| at + 1))
}

/// Every path of two names or more, `use` groups written out, code under `cfg(test)` left out.
pub(in crate::tidy) fn paths(text: &str) -> BTreeSet<Vec<String>> {
    let (words, mut out) = (shipped(words(text)), BTreeSet::new());
    let mut at = 0;
    while at < words.len() {
        at = path(&words, at, Vec::new(), &mut out).max(at + 1);
    }
    out.retain(|path| path.len() > 1);
    out
}

/// Reads one path, or group of them, from `at`; returns where it ends.
fn path(words: &[Word], mut at: usize, mut before: Vec<String>, out: &mut BTreeSet<Vec<String>>) -> usize {
    while let Some(Word::Name(name)) = words.get(at) {
        before.push(name.clone());
        if words.get(at + 1) != Some(&Word::Of) {
            out.insert(before);
            return at + 1;
        }
        at += 2;
    }
    if before.is_empty() || words.get(at) != Some(&Word::Sign('{')) {
        out.insert(before);
        return at;
    }
    at += 1;
    while at < words.len() && words[at] != Word::Sign('}') {
        at = path(words, at, before.clone(), out);
        let next = words[at..].iter().position(|word| matches!(word, Word::Sign(',' | '}')));
        at = next.map_or(words.len(), |skipped| at + skipped + usize::from(words[at + skipped] == Word::Sign(',')));
    }
    at + 1
}

/// Without items under `cfg(test)`.
fn shipped(words: Vec<Word>) -> Vec<Word> {
    let mark = self::words("#[cfg(test)]");
    let (mut out, mut at) = (Vec::new(), 0);
    while at < words.len() {
        if !words[at..].starts_with(&mark) {
            out.push(words[at].clone());
            at += 1;
            continue;
        }
        let mut depth = 0;
        at += mark.len();
        while at < words.len() {
            match words[at] {
                Word::Sign('{') => depth += 1,
                Word::Sign('}') => depth -= 1,
                _ => {}
            }
            at += 1;
            if depth == 0 && matches!(words[at - 1], Word::Sign('}' | ';')) {
                break;
            }
        }
    }
    out
}

/// The names of the test functions: those under an attribute that ends in `test`.
pub(in crate::tidy) fn test_names(text: &str) -> Vec<String> {
    let words = words(text);
    let (mut out, mut marked) = (Vec::new(), false);
    for at in 0..words.len() {
        match &words[at..] {
            [Word::Sign('#'), Word::Sign('['), inner @ ..] => {
                let end = inner.iter().position(|word| matches!(word, Word::Sign(']' | '('))).unwrap_or(inner.len());
                marked |= end > 0 && inner[end - 1] == Word::Name("test".to_owned());
            }
            [Word::Name(key), Word::Name(name), ..] if key == "fn" && std::mem::take(&mut marked) => out.push(name.clone()),
            _ => {}
        }
    }
    out
}
