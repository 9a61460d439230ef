//! Finding tools by words.
//!
//! Is: exact names first, then words by weight beside meaning by the table, of the whole query and of its clauses, then inner parts
//! of names; nothing where nothing is likely to fit. Is not: a permission; finding a tool changes
//! nothing, starts nothing, and `gate` can't see this room. What is hidden from the asker is in no index that is read
//! here. Texts are rendered by `projection`. Uses `catalog`, `index` and `table`. Clauses: SRCH-1,
//! SRCH-2, SRCH-3, SRCH-4, SRCH-5, SRCH-6, SRCH-7. Invariants: I-6.

mod clauses;
mod exact;
mod explain;
mod hit;
mod inner;
mod merge;
mod query;
mod score;
mod share;
mod sure;
mod synonyms;

pub use explain::{Explained, Term, Why};
pub use synonyms::{Synonyms, SynonymsError};

use crate::catalog::{Snapshot, Tool};
pub(crate) use crate::index::one_apart;
use crate::index::{Index, IndexError, Indexes, Reader, vector, words};
use agent_core::id::Alias;
use agent_core::limits::{HITS_MAX, QUERY_BYTES};
use agent_core::session::Visibility;
use arc_swap::ArcSwap;
use hit::{Hit, Tier};
use query::{Mended, Query};
use score::{Scores, Watch};
use std::collections::{BTreeMap, BTreeSet};
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
    /// Where nothing is found: for words that nothing answers, the word of a tool's name that each may be meant for.
    pub better: Vec<(String, String)>,
    /// How likely it is that the first hit does what was asked for, in thousandths; 1000 where the query names it.
    pub confidence: u16,
    /// Whether it is likelier that none of the hits does.
    pub low_confidence: bool,
}

/// The parts of a ranking. Benchmarks switch them off to see what each gives; nothing else does.
#[derive(Debug, Clone, Copy)]
#[allow(clippy::struct_excessive_bools)]
pub struct Parts {
    /// Tools that the query names come first.
    pub exact: bool,
    /// A name that the query covers adds to a score.
    pub coverage: bool,
    /// A server whose alias the query says adds to its tools' scores.
    pub servers: bool,
    /// What a clause of a query finds counts beside the whole.
    pub clauses: bool,
    /// Words stand in for others that mean about the same.
    pub synonyms: bool,
    /// Words that no tool holds are read as ones that are a letter away.
    pub typos: bool,
    /// The table of meanings counts.
    pub table: bool,
    /// The table looks at every tool, not only at the best by words, as it does in a catalog beyond a hundred thousand.
    pub places: bool,
    /// What is not likely to fit is not found.
    pub floor: bool,
    /// One server has no more than its share of a page that others answer too.
    pub share: bool,
}

impl Default for Parts {
    fn default() -> Self {
        Self {
            exact: true,
            coverage: true,
            servers: true,
            clauses: true,
            synonyms: true,
            typos: true,
            table: true,
            places: true,
            floor: true,
            share: true,
        }
    }
}

/// The searching of catalogs.
pub struct Search {
    indexes: Indexes,
    synonyms: ArcSwap<Synonyms>,
    parts: Parts,
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
        let ranking = self.ranking(snapshot, visible).await?;
        let index = ranking.index.clone();
        let found = ranking.run(query, server, |ranking, query, server| ranking.rank(query, server, &mut ())).await?;
        Ok(page(&index, visible, found, limit))
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
        let (ranking, limit) = (self.ranking(snapshot, visible).await?, limit.clamp(1, HITS_MAX));
        ranking.run(query, server, move |ranking, query, server| explain::explain(ranking, query, limit, server)).await
    }

    async fn ranking(&self, snapshot: &Arc<Snapshot>, visible: &Visibility) -> Result<Ranking, IndexError> {
        let index = self.indexes.of(snapshot, visible).await?;
        Ok(Ranking { index, synonyms: Synonyms::clone(&self.synonyms.load()), parts: self.parts })
    }
}

/// The beginning of what was found.
fn page(index: &Index, visible: &Visibility, found: Found, limit: usize) -> Page {
    let limit = limit.clamp(1, HITS_MAX);
    Page {
        better: if found.count == 0 { query::better(index, &found.unmatched) } else { Vec::new() },
        catalog: visible.digest.short(),
        truncated: found.count > limit,
        hits: found.order.iter().take(limit).filter_map(|hit| index.tools().get(hit.doc()).cloned()).collect(),
        low_confidence: found.low(),
        confidence: found.confidence,
        unmatched: found.unmatched,
    }
}

/// Hits for which there is room before any is found.
const USUAL: usize = 2048;

/// Tools that are searched where the question came in, which takes a millisecond or two at the most; more of them by a thread
/// that may take its time.
const DIRECT: usize = 16_384;

/// How many words of a query a text holds, and of how many, each once and by its stem.
#[must_use]
pub fn shared(query: &str, text: &str) -> (usize, usize) {
    let stems =
        |text: &str| -> BTreeSet<_> { words(text, WORDS_SHARED).into_iter().filter(|word| !word.whole).map(|word| word.stem).collect() };
    let asked = stems(bounded(query));
    (asked.intersection(&stems(text)).count(), asked.len())
}

/// Words of a text that are looked at for what it shares with a query.
const WORDS_SHARED: usize = 512;

/// As much of a query as is read.
fn bounded(query: &str) -> &str {
    let query = query.trim();
    query.get(..query.floor_char_boundary(QUERY_BYTES)).unwrap_or_default()
}

struct Found {
    query: Query,
    /// Each tool's score in words.
    words: Vec<f32>,
    /// The best first, as many as a page can hold.
    order: Vec<Hit>,
    /// How many answer.
    count: usize,
    unmatched: Vec<String>,
    confidence: u16,
}

impl Found {
    fn low(&self) -> bool {
        !self.order.is_empty() && self.confidence < sure::LOW
    }
}

/// What a ranking is made with.
struct Ranking {
    index: Arc<Index>,
    synonyms: Synonyms,
    parts: Parts,
}

impl Ranking {
    /// Runs where the question came in, or by a thread that may take its time.
    async fn run<T: Send + 'static>(
        self,
        query: &str,
        server: Option<&Alias>,
        ranked: impl FnOnce(&Self, &str, Option<&Alias>) -> Result<T, IndexError> + Send + 'static,
    ) -> Result<T, IndexError> {
        if self.index.tools().len() <= DIRECT {
            return ranked(&self, bounded(query), server);
        }
        let (query, server) = (bounded(query).to_owned(), server.cloned());
        tokio::task::spawn_blocking(move || ranked(&self, &query, server.as_ref())).await?
    }

    /// The tools that answer, in order. A page is the beginning of it, so that no limit changes what stands before.
    fn rank(&self, text: &str, server: Option<&Alias>, watch: &mut impl Watch) -> Result<Found, IndexError> {
        let (index, parts) = (&*self.index, self.parts);
        let within = range(index, server);
        let mut mended = Mended::default();
        let query = Query::read(text, index, &self.synonyms, parts, &mut mended);
        let scores = Scores::of(index, &query, &within, parts, watch)?;
        let near = if parts.table { nearness(index, &query, &scores.points, parts) } else { vec![0.0; scores.points.len()] };
        let exact = if parts.exact { exact::named(index, text) } else { BTreeMap::new() };
        let (words, near_by) = (some(&scores.points, &within), some(&near, &within));
        let shares = merge::Shares::of(most(words), most(near_by));
        let floor = if parts.floor { sure::FLOOR } else { f32::NEG_INFINITY };
        let reach = scores.most.max(f32::MIN_POSITIVE);
        let sure = |words: f32, near: f32| sure::of(if words < reach { words / reach } else { 1.0 }, near);
        let hit = |tier: Tier, words: f32, near: f32, doc: u32| {
            let (words, meaning) = shares.points(words, near);
            Hit { tier, points: words + meaning, meaning, clause: 0, doc }
        };
        let likely = words.iter().zip(near_by).map(|(words, near)| sure(*words, *near)).collect::<Vec<_>>();
        let mut found = Vec::with_capacity(likely.len().min(USUAL));
        for (place, _) in likely.iter().enumerate().filter(|(_, likely)| **likely >= floor) {
            let doc = u32::try_from(within.start + place);
            let (Some(words), Some(near), Ok(doc)) = (words.get(place), near_by.get(place), doc) else { continue };
            if (*words > 0.0 || *near > 0.0) && !exact.contains_key(&(doc as usize)) {
                found.push(hit(Tier::Words, *words, *near, doc));
            }
        }
        let clauses = if parts.clauses { clauses::of(text) } else { Vec::new() };
        if clauses.len() > 1 {
            clauses::weigh(self, &clauses, &mut mended, &mut found)?;
        }
        let named = exact.iter().filter(|(doc, _)| within.contains(doc));
        let named = named.filter_map(|(doc, exact)| Some((Tier::Exact(*exact), *doc, u32::try_from(*doc).ok()?)));
        found.extend(named.map(|(tier, doc, number)| hit(tier, at(&scores.points, doc), at(&near, doc), number)));
        let mut answered = scores.answered;
        if found.len() < HITS_MAX {
            found.extend(inner::inner(index, &query, &within, &scores.points, &mut answered));
        }
        let count = found.len();
        let order = first(found, index, parts);
        let confidence = order.first().map_or(0, |hit| match exact.contains_key(&hit.doc()) {
            true => 1000,
            false => sure::thousandths(sure(at(&scores.points, hit.doc()), at(&near, hit.doc()))),
        });
        let unmatched = if query.terms.is_empty() { query::wordless(text) } else { query.unmatched(&answered) };
        Ok(Found { query, words: scores.points, order, count, unmatched, confidence })
    }
}

fn at(of: &[f32], doc: usize) -> f32 {
    of.get(doc).copied().unwrap_or_default()
}

/// What a range of tools has of something.
fn some<'a>(of: &'a [f32], within: &Range<usize>) -> &'a [f32] {
    of.get(within.clone()).unwrap_or_default()
}

/// The most of some numbers, in lanes and by a comparison, as vector instructions take it.
fn most(of: &[f32]) -> f32 {
    let (lanes, rest) = of.as_chunks::<4>();
    let more = |most: f32, one: f32| if one > most { one } else { most };
    let mut most = [0.0f32; 4];
    for [a, b, c, d] in lanes {
        let [most_a, most_b, most_c, most_d] = most;
        most = [more(most_a, *a), more(most_b, *b), more(most_c, *c), more(most_d, *d)];
    }
    most.iter().chain(rest).copied().fold(0.0, more)
}

/// The best, as many as a page can hold.
fn first(mut found: Vec<Hit>, index: &Index, parts: Parts) -> Vec<Hit> {
    if parts.share {
        found = share::bounded(&mut found, |hit| index.servers().server(hit.doc()));
    }
    if found.len() > share::LOOKED_AT {
        found.select_nth_unstable(share::LOOKED_AT);
        found.truncate(share::LOOKED_AT);
    }
    found.sort_unstable();
    if parts.share {
        found = share::share(found, |hit| index.servers().server(hit.doc()));
    }
    found.truncate(HITS_MAX);
    found
}

/// How near each tool is to what a query means. Where the index holds no places, the best by words alone are placed.
fn nearness(index: &Index, query: &Query, points: &[f32], parts: Parts) -> Vec<f32> {
    let mut near = vec![0.0; points.len()];
    let Some(to) = query.vector() else { return near };
    if let Some(vectors) = index.vectors().filter(|_| parts.places) {
        return vectors.nearness(&to);
    }
    let mut best: Vec<_> = points.iter().enumerate().filter(|(_, points)| **points > 0.0).collect();
    if best.len() > PLACED {
        best.select_nth_unstable_by(PLACED, |(a, a_points), (b, b_points)| b_points.total_cmp(a_points).then(a.cmp(b)));
        best.truncate(PLACED);
    }
    let mut reader = Reader::default();
    for (doc, _) in best {
        let vector = index.tools().get(doc).and_then(|tool| vector(tool, &mut reader));
        near.get_mut(doc).into_iter().for_each(|near| *near = vector.as_ref().map_or(0.0, |vector| vector.nearness(&to)));
    }
    near
}

/// Tools that the table looks at where the index holds no places.
const PLACED: usize = 128;

/// The documents of a server; all where none is named.
fn range(index: &Index, server: Option<&Alias>) -> Range<usize> {
    server.map_or(0..index.tools().len(), |server| index.servers().range(server, index.tools()))
}

#[cfg(test)]
mod tests;
