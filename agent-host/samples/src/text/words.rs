//! Words and matches.

use crate::pattern::{Patience, expression};
use crate::server::{Answer, RESULT_BYTES, Wrong, wrong};
use regex::NoExpand;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Arguments of `count_words`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Count {
    /// The text to count.
    #[schemars(length(max = 100_000))]
    text: String,
}

/// What a text has.
#[derive(Serialize, JsonSchema)]
pub(super) struct Counted {
    /// Words, separated by space.
    words: usize,
    /// Characters, with spaces.
    characters: usize,
    /// Lines.
    lines: usize,
    /// Sentences, by their closing signs.
    sentences: usize,
    /// Bytes in UTF-8.
    bytes: usize,
}

pub(super) fn count(_: &(), Count { text }: Count) -> Answer<Counted> {
    let ends = |c: char| matches!(c, '.' | '!' | '?' | '。' | '！' | '？');
    let counted = Counted {
        words: text.split_whitespace().count(),
        characters: text.chars().count(),
        lines: text.lines().count(),
        sentences: text.split(ends).filter(|part| part.chars().any(char::is_alphanumeric)).count(),
        bytes: text.len(),
    };
    let Counted { words, characters, lines, sentences, bytes } = &counted;
    Ok((format!("{words} words, {characters} characters, {lines} lines, {sentences} sentences, {bytes} bytes"), counted))
}

/// Arguments of `find_matches`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Find {
    /// The text to search.
    #[schemars(length(max = 100_000))]
    text: String,
    /// The regular expression; there are no back references and no look-around.
    #[schemars(length(min = 1, max = 1000))]
    pattern: String,
    /// Take upper and lower case for the same.
    #[serde(default)]
    ignore_case: bool,
    /// How many matches to give at most.
    #[serde(default = "hundred")]
    #[schemars(range(min = 1, max = 500))]
    limit: usize,
}

fn hundred() -> usize {
    100
}

/// One match.
#[derive(Serialize, JsonSchema)]
pub(super) struct Match {
    /// The line it begins in, from 1.
    line: usize,
    /// What matched.
    text: String,
    /// What each group matched; empty where it took no part.
    groups: Vec<String>,
}

/// The matches.
#[derive(Serialize, JsonSchema)]
pub(super) struct Matches {
    /// The matches, in order.
    matches: Vec<Match>,
    /// Whether those are all.
    complete: bool,
}

pub(super) fn find(_: &(), Find { text, pattern, ignore_case, limit }: Find) -> Answer<Matches> {
    let pattern = expression(&pattern, ignore_case)?;
    let (mut line, mut at, mut matches) = (1, 0, Vec::new());
    let mut found = pattern.captures_iter(&text);
    let patience = Patience::new();
    for captures in found.by_ref().take(limit) {
        patience.holds()?;
        let (Some(whole), groups) = (captures.get(0), captures.iter().skip(1)) else { continue };
        line += text.get(at..whole.start()).unwrap_or_default().matches('\n').count();
        at = whole.start();
        let groups = groups.map(|group| group.map(|group| group.as_str().to_owned()).unwrap_or_default()).collect();
        matches.push(Match { line, text: whole.as_str().to_owned(), groups });
    }
    let complete = found.next().is_none();
    let mut lines: Vec<String> = matches.iter().map(|found| format!("{}: {}", found.line, found.text)).collect();
    if lines.is_empty() {
        lines.push("nothing matches".to_owned());
    }
    if !complete {
        lines.push("(and more)".to_owned());
    }
    Ok((lines.join("\n"), Matches { matches, complete }))
}

/// Arguments of `replace_text`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Replace {
    /// The text to change.
    #[schemars(length(max = 100_000))]
    text: String,
    /// What to replace.
    #[schemars(length(min = 1, max = 1000))]
    find: String,
    /// What to put in its place.
    #[schemars(length(max = 10_000))]
    with: String,
    /// Read `find` as a regular expression, and `$1` in `with` as its first group.
    #[serde(default)]
    regex: bool,
    /// Take upper and lower case for the same.
    #[serde(default)]
    ignore_case: bool,
}

pub(super) fn replace(_: &(), asked: Replace) -> Result<String, Wrong> {
    let Replace { text, find, with, regex, ignore_case } = asked;
    let pattern = if regex { find } else { regex::escape(&find) };
    let pattern = expression(&pattern, ignore_case)?;
    // What it can come to is known before it is made: no group is longer than its match.
    let groups = if regex { with.matches('$').count() } else { 0 };
    let (patience, mut size) = (Patience::new(), text.len());
    for found in pattern.find_iter(&text) {
        patience.holds()?;
        size = size.saturating_add(with.len()).saturating_add(groups.saturating_mul(found.len()));
    }
    if size > RESULT_BYTES {
        return wrong("with everything replaced the text could be too long; give a part of it");
    }
    Ok(if regex { pattern.replace_all(&text, with.as_str()) } else { pattern.replace_all(&text, NoExpand(&with)) }.into_owned())
}
