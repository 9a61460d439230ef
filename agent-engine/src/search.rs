//! Finding tools by words.
//!
//! Is: exact names first, then words by weight, then inner parts of names. Is not: a permission; finding a tool changes
//! nothing, starts nothing, and `gate` can't see this room. What is hidden from the asker is in no index that is read
//! here. Texts are rendered by `projection`. Uses `catalog` and `index`. Clauses: SRCH-1,
//! SRCH-2, SRCH-3, SRCH-4, SRCH-5. Invariants: I-6.

mod exact;
mod explain;
mod query;
mod score;
mod synonyms;

pub use explain::{Explained, Term, Why};
pub use synonyms::{Synonyms, SynonymsError};

use crate::catalog::{Snapshot, Tool};
use crate::index::{Index, IndexError, Indexes};
use agent_core::id::Alias;
use agent_core::limits::{HITS_MAX, QUERY_BYTES};
use agent_core::session::Visibility;
use arc_swap::ArcSwap;
use query::Query;
use score::{Scores, Watch};
use std::ops::Range;
use std::sync::Arc;

/// What a query found.
#[derive(Debug, Clone)]
pub struct Page {
    /// The first 8 hexadecimal digits of the digest of what this asker can find.
    pub catalog: String,
    /// The tools, the best first.
    pub hits: Vec<Arc<Tool>>,
    /// Whether more tools than these answer.
    pub truncated: bool,
    /// Words of the query, in lower case, that nothing answers; at most 64 bytes each.
    pub unmatched: Vec<String>,
    /// Whether no hit is likely to be what is meant.
    pub low_confidence: bool,
    /// How likely the best hit is what is meant, in thousandths.
    pub confidence: u16,
}

/// The parts of a ranking; benchmarks switch them off to see what each gives.
#[derive(Debug, Clone, Copy)]
#[allow(clippy::struct_excessive_bools)]
pub struct Parts {
    /// Names as queries come first.
    pub exact: bool,
    /// A name that the query covers adds to a score.
    pub coverage: bool,
    /// Words stand in for others that mean about the same.
    pub synonyms: bool,
    /// Words that no tool holds are read as ones that are a letter away.
    pub typos: bool,
    /// The table of meanings counts.
    pub table: bool,
    /// Where nothing is likely to fit, nothing is found.
    pub floor: bool,
    /// One server has no more than its share of a page.
    pub share: bool,
}

impl Default for Parts {
    fn default() -> Self {
        Self { exact: true, coverage: true, synonyms: true, typos: true, table: true, floor: true, share: true }
    }
}

/// The searching of catalogs.
pub struct Search {
    indexes: Indexes,
    synonyms: ArcSwap<Synonyms>,
    parts: Parts,
}

/// Where a hit stands; the first is the lowest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Tier {
    Inner,
    Words,
    Exact(exact::Exact),
}

impl Tier {
    /// For people.
    const fn name(self) -> &'static str {
        use exact::Exact::{Id, Name, OtherCase, ServerAndName, Wire};
        match self {
            Self::Exact(Id) => "exact id",
            Self::Exact(Wire) => "wire name",
            Self::Exact(Name) => "name",
            Self::Exact(ServerAndName) => "server and name",
            Self::Exact(OtherCase) => "name in other letters",
            Self::Words => "words",
            Self::Inner => "part of the name",
        }
    }
}

impl Search {
    /// Searches by these indexes, with the built-in synonyms.
    #[must_use]
    pub fn new(indexes: Indexes) -> Self {
        Self::with(indexes, Parts::default())
    }

    /// The same with some parts of the ranking alone.
    #[must_use]
    pub fn with(indexes: Indexes, parts: Parts) -> Self {
        Self { indexes, synonyms: ArcSwap::from_pointee(Synonyms::default()), parts }
    }

    /// Uses these synonyms for every search that begins from now on.
    pub fn use_synonyms(&self, synonyms: Synonyms) {
        self.synonyms.store(Arc::new(synonyms));
    }

    /// The best tools for a query among those that the asker can find, of one server where one is named. A query beyond
    /// 256 bytes is cut, and a limit brought into 1 to 16; callers refuse both (SRCH-1).
    ///
    /// # Errors
    /// [`IndexError`] where there is no index to read.
    pub async fn find(
        &self,
        snapshot: &Arc<Snapshot>,
        visible: &Visibility,
        query: &str,
        limit: usize,
        server: Option<&Alias>,
    ) -> Result<Page, IndexError> {
        let index = self.indexes.of(snapshot, visible).await?;
        let found = rank(&index, &self.synonyms.load(), bounded(query), server, &mut ())?;
        let limit = limit.clamp(1, HITS_MAX);
        Ok(Page {
            catalog: visible.digest.short(),
            truncated: found.order.len() > limit,
            hits: found.order.into_iter().take(limit).filter_map(|(.., doc)| index.tools().get(doc).cloned()).collect(),
            unmatched: found.unmatched,
            low_confidence: false,
            confidence: u16::from(self.parts.floor),
        })
    }

    /// The same hits with the reasons for each, for people.
    ///
    /// # Errors
    /// As [`Self::find`].
    pub async fn explain(
        &self,
        snapshot: &Arc<Snapshot>,
        visible: &Visibility,
        query: &str,
        limit: usize,
        server: Option<&Alias>,
    ) -> Result<Explained, IndexError> {
        let index = self.indexes.of(snapshot, visible).await?;
        explain::explain(&index, &self.synonyms.load(), bounded(query), limit.clamp(1, HITS_MAX), server)
    }
}

/// As much of a query as is read.
fn bounded(query: &str) -> &str {
    let query = query.trim();
    query.get(..query.floor_char_boundary(QUERY_BYTES)).unwrap_or_default()
}

struct Found {
    query: Query,
    /// The best first: tier, score and document of each.
    order: Vec<(Tier, u64, usize)>,
    unmatched: Vec<String>,
}

/// Every tool that answers, in order. A page is the beginning of it, so that no limit changes what stands before.
fn rank(index: &Index, synonyms: &Synonyms, text: &str, server: Option<&Alias>, watch: &mut impl Watch) -> Result<Found, IndexError> {
    let within = range(index, server);
    let query = Query::read(text, index, synonyms)?;
    let scores = Scores::of(index, &query, &within, watch)?;
    let inner = query.inner();
    let mut answered = scores.answered;
    let mut found = Vec::new();
    for (doc, tool) in index.tools().iter().enumerate().take(within.end).skip(within.start) {
        let score = scores.points.get(doc).copied().unwrap_or_default();
        let name = index.names().get(doc).map_or("", String::as_str);
        let open = |word: &usize| score == 0 || !answered.contains(word);
        let parts: Vec<_> = inner.iter().filter(|(word, part)| open(word) && name.contains(part)).collect();
        answered.extend(parts.iter().map(|(word, _)| *word));
        let tier = match exact::exact(&tool.descriptor, text) {
            Some(exact) => Tier::Exact(exact),
            None if score > 0 => Tier::Words,
            None if !parts.is_empty() => Tier::Inner,
            None => continue,
        };
        let score = if tier == Tier::Inner { parts.iter().map(|(_, part)| part.len() as u64).sum() } else { score };
        found.push((tier, score, doc));
    }
    found.sort_unstable_by(|(a_tier, a_score, a), (b_tier, b_score, b)| (b_tier, b_score, a).cmp(&(a_tier, a_score, b)));
    let unmatched = query.unmatched(&answered);
    Ok(Found { query, order: found, unmatched })
}

/// The documents of a server, which stand together because ids begin with it; all where none is named.
fn range(index: &Index, server: Option<&Alias>) -> Range<usize> {
    let Some(server) = server else { return 0..index.tools().len() };
    let of = |tool: &Arc<Tool>| tool.descriptor.id.server() == *server;
    let first = index.tools().iter().position(of).unwrap_or_default();
    let last = index.tools().iter().rposition(of).map_or(first, |last| last + 1);
    first..last
}

#[cfg(test)]
mod tests;
