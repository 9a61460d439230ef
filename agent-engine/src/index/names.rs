//! What tools are called, for whole names and for inner parts of them.
//!
//! Is not: a judgement; whether a query names a tool, and how, is `search`'s to say of the few that it is given here.
//! Clauses: SRCH-3 (exact), SRCH-5 (inner part).

use super::words::{fold, words};
use crate::catalog::Tool;
use memchr::memmem::Finder;
use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hasher};
use std::sync::Arc;

/// Words of a name that count.
const WORDS: usize = 64;

/// The names of an index's tools.
pub(crate) struct Names {
    /// Every name, folded, each with a line end behind it: no name holds one.
    text: String,
    /// Where each name begins.
    starts: Vec<usize>,
    /// Different words of each name.
    words: Vec<u8>,
    /// A hash of each id, wire name and name without regard to case, with the tool's number; sorted.
    keys: Vec<(u64, usize)>,
}

impl Names {
    pub(super) fn of(tools: &[Arc<Tool>]) -> Self {
        let mut names = Self { text: String::new(), starts: Vec::new(), words: Vec::new(), keys: Vec::with_capacity(3 * tools.len()) };
        for (doc, tool) in tools.iter().enumerate() {
            let tool = &tool.descriptor;
            let name = tool.id.name();
            names.starts.push(names.text.len());
            names.text.push_str(&fold(name));
            names.text.push('\n');
            let stems: BTreeSet<_> = words(name, WORDS).into_iter().filter(|word| !word.whole).map(|word| word.stem).collect();
            names.words.push(u8::try_from(stems.len()).unwrap_or(u8::MAX));
            names.keys.extend([tool.id.as_str(), tool.wire.as_str(), name].map(|key| (hash(key), doc)));
        }
        names.keys.sort_unstable();
        names
    }

    /// Tools whose id, wire name or name may be this text but for the case of its letters; the caller looks closer.
    pub(crate) fn called(&self, text: &str) -> impl Iterator<Item = usize> {
        let hash = hash(text);
        let first = self.keys.partition_point(|(key, _)| *key < hash);
        self.keys.get(first..).unwrap_or_default().iter().take_while(move |(key, _)| *key == hash).map(|(_, doc)| *doc)
    }

    /// Tools whose folded names hold this folded text, by number.
    pub(crate) fn holding(&self, part: &str) -> Vec<usize> {
        let mut found: Vec<usize> = Vec::new();
        for place in Finder::new(part).find_iter(self.text.as_bytes()) {
            let doc = self.starts.partition_point(|start| *start <= place).saturating_sub(1);
            if found.last() != Some(&doc) {
                found.push(doc);
            }
        }
        found
    }

    /// Different words of a tool's name, joined forms aside.
    pub(crate) fn words(&self, doc: usize) -> u8 {
        self.words.get(doc).copied().unwrap_or_default()
    }

    pub(super) const fn bytes(&self) -> usize {
        self.text.capacity() + self.words.capacity() + self.starts.capacity() * size_of::<usize>() + self.keys.capacity() * 16
    }
}

fn hash(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(text.to_ascii_lowercase().as_bytes());
    hasher.finish()
}
