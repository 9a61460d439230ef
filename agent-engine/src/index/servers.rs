//! Which server each tool is of, and which servers a query can name.
//!
//! Is: runs of tools, which stand together because ids begin with the server. Is not: a server's own words; an alias is the operator's,
//! so no server can take another's name to be found. Clauses: SRCH-3, SRCH-7.

use super::words::words;
use crate::catalog::Tool;
use agent_core::id::Alias;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

/// Words of an alias.
const WORDS: usize = 64;

/// The servers of an index's tools, in the order of their aliases.
pub(crate) struct Servers {
    /// The number of each tool's server.
    of: Vec<u32>,
    /// Where each server's tools stand.
    tools: Vec<Range<usize>>,
    /// The numbers of the servers whose alias is made of these words, with a space between two.
    called: HashMap<String, Vec<usize>>,
    /// Words of the longest alias.
    longest: usize,
}

impl Servers {
    pub(super) fn of(tools: &[Arc<Tool>]) -> Self {
        let mut servers = Self { of: Vec::with_capacity(tools.len()), tools: Vec::new(), called: HashMap::new(), longest: 0 };
        for some in tools.chunk_by(|a, b| source(a) == source(b)) {
            let (number, first) = (servers.tools.len(), servers.of.len());
            servers.of.resize(first + some.len(), u32::try_from(number).unwrap_or(u32::MAX));
            servers.tools.push(first..servers.of.len());
            let alias = some.first().map_or_else(String::new, |tool| tool.descriptor.id.server().to_string());
            let said: Vec<_> = words(&alias, WORDS).into_iter().filter(|word| !word.whole).map(|word| word.plain).collect();
            servers.longest = servers.longest.max(said.len());
            if !said.is_empty() {
                servers.called.entry(said.join(" ")).or_default().push(number);
            }
        }
        servers
    }

    /// The number of a tool's server.
    pub(crate) fn server(&self, doc: usize) -> usize {
        self.of.get(doc).map_or(0, |server| *server as usize)
    }

    /// Where the tools of an alias stand; at no place where it has none.
    pub(crate) fn range(&self, alias: &Alias, tools: &[Arc<Tool>]) -> Range<usize> {
        let first = |range: &&Range<usize>| tools.get(range.start).is_some_and(|tool| tool.descriptor.id.is_of(alias));
        self.tools.iter().find(first).cloned().unwrap_or_default()
    }

    /// Where the tools of the servers stand whose whole alias these words say, word after word.
    pub(crate) fn named<'a>(&'a self, words: &'a [&'a str]) -> impl Iterator<Item = Range<usize>> + 'a {
        let phrases = (1..=self.longest.min(words.len())).flat_map(|count| words.windows(count));
        phrases.filter_map(|phrase| self.called.get(&phrase.join(" "))).flatten().filter_map(|number| self.tools.get(*number).cloned())
    }

    pub(super) fn bytes(&self) -> usize {
        self.of.capacity() * size_of::<u32>() + self.called.keys().map(|alias| alias.len() + SERVER_BYTES).sum::<usize>()
    }
}

/// What of a tool's id is its server's.
fn source(tool: &Tool) -> Option<&str> {
    tool.descriptor.id.as_str().split_once('/').map(|(source, _)| source)
}

/// Bytes of a server besides its alias, about.
const SERVER_BYTES: usize = 96;
