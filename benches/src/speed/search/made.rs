//! Catalogs of any size with words as uneven as in real ones, and queries for them; the same on every run.
//!
//! Is: what search is timed on where no real catalog is as large. A few words stand nearly everywhere and most hardly
//! anywhere, so postings are as long as they would be. Is not: labelled, nor fit to judge what is found.

use agent_engine::testing::Dice;
use serde_json::{Map, Value, json};
use std::io::{BufWriter, Write as _};
use std::path::Path;

/// Tools of one server.
const PER_SERVER: usize = 40;
/// Words are drawn from so many, as a power of two.
const WORDS: usize = 13;

const VERBS: [&str; 32] = [
    "list", "get", "create", "update", "delete", "find", "send", "export", "merge", "archive", "assign", "copy", "count", "check", "move",
    "watch", "search", "fetch", "read", "write", "open", "close", "start", "stop", "run", "add", "remove", "set", "upload", "download",
    "convert", "analyze",
];
const NOUNS: [&str; 48] = [
    "issue",
    "invoice",
    "branch",
    "calendar",
    "ticket",
    "payment",
    "contact",
    "report",
    "folder",
    "message",
    "order",
    "device",
    "budget",
    "record",
    "schedule",
    "image",
    "comment",
    "account",
    "project",
    "shipment",
    "query",
    "page",
    "webhook",
    "backup",
    "user",
    "file",
    "table",
    "database",
    "event",
    "channel",
    "email",
    "document",
    "repository",
    "customer",
    "product",
    "price",
    "weather",
    "map",
    "route",
    "flight",
    "video",
    "song",
    "token",
    "wallet",
    "cluster",
    "container",
    "metric",
    "alert",
];
const FILL: [&str; 12] = ["the", "of", "a", "with", "for", "by", "in", "from", "which", "and", "to", "is"];
const SYLLABLES: [&str; 20] =
    ["ba", "cor", "den", "fi", "gal", "hu", "jen", "ka", "lor", "mi", "nas", "o", "per", "quo", "ri", "sta", "tu", "ven", "wal", "zo"];
const ENDINGS: [&str; 6] = ["", "s", "tion", "ing", "er", "al"];

/// Queries of a set.
const QUERIES: usize = 500;

/// Writes a set of so many tools into a folder.
pub(super) fn write(folder: &Path, tools: usize) -> anyhow::Result<()> {
    let mut file = BufWriter::new(std::fs::File::create(folder.join("tools.jsonl"))?);
    for at in 0..tools {
        writeln!(file, "{}", tool(at / PER_SERVER, at % PER_SERVER))?;
    }
    file.flush()?;
    let mut file = BufWriter::new(std::fs::File::create(folder.join("queries.jsonl"))?);
    let mut dice = Dice::of(1);
    for at in 0..QUERIES {
        writeln!(file, "{}", json!({"qid": at.to_string(), "query": query(&mut dice, tools), "relevant": []}))?;
    }
    Ok(file.flush()?)
}

/// Verb and noun of one of the tools, and up to four words more.
fn query(dice: &mut Dice, tools: usize) -> String {
    let at = dice.below(tools);
    let (verb, noun) = named(at / PER_SERVER, at % PER_SERVER);
    let more = (0..1 + dice.below(4)).map(|_| word(dice)).collect::<Vec<_>>().join(" ");
    format!("{verb} {noun} {more}")
}

/// Verb and noun of a name; no two tools of a server share both.
fn named(server: usize, place: usize) -> (&'static str, &'static str) {
    (pick(&VERBS, place), pick(&NOUNS, place / VERBS.len() + server * 5 + place * 3))
}

fn tool(server: usize, place: usize) -> Value {
    let mut dice = Dice::of((server * PER_SERVER + place) as u64 + 2);
    let (verb, noun) = named(server, place);
    let last = word(&mut dice);
    let name = match server % 3 {
        0 => format!("{verb}_{noun}_{last}"),
        1 => format!("{verb}-{noun}-{last}"),
        _ => format!("{verb}{}{}", capital(noun), capital(&last)),
    };
    let mut properties = Map::new();
    for at in 0..2 + dice.below(5) {
        let name = if at == 0 { format!("{noun}_id") } else { word(&mut dice) };
        properties.insert(name, json!({"type": "string", "description": prose(&mut dice, 4, 6)}));
    }
    let required: Vec<_> = properties.keys().take(2).cloned().map(Value::from).collect();
    let schema = json!({"type": "object", "properties": properties, "required": required});
    let description = format!("{} the {noun} {}", capital(verb), prose(&mut dice, 10, 24));
    let server = format!("{}-{server}", pick(&NOUNS, server * 7));
    json!({"id": format!("{server}:{name}"), "server": server, "name": name, "description": description, "input_schema": schema})
}

/// At least `least` words and fewer than `more` further ones, every third of which says nothing.
fn prose(dice: &mut Dice, least: usize, more: usize) -> String {
    let count = least + dice.below(more);
    let words = (0..count).map(|at| if at % 3 == 1 { pick(&FILL, dice.below(FILL.len())).to_owned() } else { word(dice) });
    words.collect::<Vec<_>>().join(" ")
}

/// A word; the n-th commonest comes about 1/n as often as the commonest (Zipf).
fn word(dice: &mut Dice) -> String {
    let bits = 3 + dice.below(WORDS - 2);
    let rank = dice.below(1 << bits);
    match rank.checked_sub(NOUNS.len()) {
        None => pick(&NOUNS, rank).to_owned(),
        Some(rank) => {
            let syllable = |step: usize| pick(&SYLLABLES, rank / step);
            format!("{}{}{}{}", syllable(1), syllable(20), if rank < 400 { "" } else { syllable(400) }, pick(&ENDINGS, rank))
        }
    }
}

fn capital(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or_else(String::new, |first| first.to_ascii_uppercase().to_string() + letters.as_str())
}

fn pick(words: &[&'static str], at: usize) -> &'static str {
    words.get(at % words.len()).copied().unwrap_or_default()
}
