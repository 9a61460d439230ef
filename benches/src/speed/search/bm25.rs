//! The `bm25` crate, over all texts of a tool as one.
//!
//! Is not: with its own words, whose stemmer and stop words bring a dozen further crates: it gets those of `exhaustive`.

use super::exhaustive::words;
use super::taken::{Set, Taken};
use bm25::{SearchEngineBuilder, Tokenizer};
use std::hint::black_box;

const HITS: usize = 8;

struct Words;

impl Tokenizer for Words {
    fn tokenize(&self, text: &str) -> Vec<String> {
        words(text)
    }
}

pub(super) fn run(set: &Set<String>) -> anyhow::Result<Taken> {
    set.take(
        || {
            let texts = set.tools.iter().map(String::as_str);
            Ok(SearchEngineBuilder::<u32, u32, Words>::with_tokenizer_and_corpus(Words, texts).build())
        },
        |engine, query| {
            black_box(engine.search(query, HITS));
            Ok(())
        },
    )
}
