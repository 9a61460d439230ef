//! Texts: counted, compared, changed, encoded, searched, and read as JSON or CSV.
//!
//! Is: the list of its tools. Is not: a store; what comes in goes out again, and nothing is kept.
//! Neighbours: `words` counts and searches, `case` and `lines` change texts, `code` encodes, `json` and `data` read JSON and CSV.

mod case;
mod code;
mod data;
mod json;
mod lines;
mod words;

#[cfg(test)]
mod tests;

use crate::server::{About, Effect, Entry, Server};

const INSTRUCTIONS: &str = "Works on texts that are given with the call, of up to 100,000 characters, and keeps nothing.";

pub(crate) fn server() -> Server<()> {
    Server::new("text", INSTRUCTIONS, (), plain().into_iter().chain(coded()))
}

fn about(name: &'static str, title: &'static str, description: &'static str) -> About {
    About { name, title, description, effect: Effect::Reads, idempotent: true }
}

fn plain() -> [Entry<()>; 7] {
    [
        Entry::new(
            &about("count_words", "Count words", "Count the words, characters, lines, sentences and bytes of a text."),
            words::count,
        ),
        Entry::new(
            &about(
                "find_matches",
                "Find by regular expression",
                "Find everything in a text that matches a regular expression, with the groups and where each match is.",
            ),
            words::find,
        ),
        Entry::told(
            &about(
                "replace_text",
                "Replace in a text",
                "Replace every occurrence of a word or phrase in a text, or of a regular expression with groups such as `$1`.",
            ),
            words::replace,
        ),
        Entry::told(
            &about(
                "change_case",
                "Change upper and lower case",
                "Change the letters of a text to upper case, lower case, title case, snake_case, kebab-case or camelCase.",
            ),
            case::case,
        ),
        Entry::told(
            &about("diff_texts", "Compare two texts", "Compare two texts line by line and show what differs, as a unified diff."),
            lines::diff,
        ),
        Entry::told(
            &about("sort_lines", "Sort lines", "Sort the lines of a text by letters or by the numbers they begin with, up or down."),
            lines::sort,
        ),
        Entry::new(
            &about(
                "unique_lines",
                "Remove repeated lines",
                "Remove duplicate lines from a text, keep the first of each, and count how often each occurs.",
            ),
            lines::unique,
        ),
    ]
}

fn coded() -> [Entry<()>; 6] {
    [
        Entry::told(
            &about("encode_base64", "Encode as Base64", "Encode a text as Base64, in the usual alphabet or the one for URLs."),
            code::encode,
        ),
        Entry::told(
            &about("decode_base64", "Decode Base64", "Decode Base64 of either alphabet back to the text it stands for."),
            code::decode,
        ),
        Entry::told(
            &about("hash_text", "Hash a text", "Compute the SHA-256 or SHA-512 checksum (hash, digest) of a text, in hexadecimal."),
            code::hash,
        ),
        Entry::told(
            &about(
                "format_json",
                "Format JSON",
                "Check a JSON document and lay it out for reading (pretty-print), or without any spaces. Keys and numbers stay as they are.",
            ),
            json::format,
        ),
        Entry::told(
            &about(
                "query_json",
                "Query JSON",
                "Take values out of a JSON document by a path such as `/orders/0/price`, where `*` stands for every item.",
            ),
            json::query,
        ),
        Entry::told(
            &about("csv_to_json", "Convert CSV to JSON", "Convert a CSV table with a header line to a JSON list of objects."),
            data::csv,
        ),
    ]
}
