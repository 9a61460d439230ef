//! One immutable index for each digest of a visible catalog.
//!
//! Is: what tools say, as words with places, in one tantivy segment in memory. Is not: a ranking (`search` weighs), nor a
//! filter over a larger index: it is built of the visible tools alone, so a hidden one can't move a count or a length.
//! Document n is the n-th visible tool by id; tantivy stores nothing. Uses `catalog` and `table`. Clauses: SRCH-4, SRCH-5.
//! Invariants: I-6.

mod held;
mod names;
mod servers;
mod texts;
mod vectors;
mod vocabulary;
mod words;
mod worth;

pub use held::Indexes;
pub(crate) use names::Names;
pub(crate) use servers::Servers;
use texts::text;
pub(crate) use vectors::{Vectors, vector};
use vocabulary::Said;
pub(crate) use vocabulary::{Vocabulary, one_apart};
pub(crate) use words::{Reader, Use, Word, uses, words};
pub(crate) use worth::{Worth, Worths};

use crate::catalog::{Snapshot, Tool};
use crate::table::Vector;
use agent_core::session::Visibility;
use rayon::prelude::*;
use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::{Arc, OnceLock};
use tantivy::directory::RamDirectory;
use tantivy::fieldnorm::FieldNormReader;
use tantivy::postings::TermInfo;
use tantivy::schema::{Field as Column, IndexRecordOption, Schema, TextFieldIndexing, TextOptions};
use tantivy::tokenizer::{PreTokenizedString, Token};
use tantivy::{InvertedIndexReader, SegmentReader, TantivyDocument};

/// An index could not be built or read: its memory is broken, or the host is stopping.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the search index failed: {0}")]
pub struct IndexError(String);

impl From<tantivy::TantivyError> for IndexError {
    fn from(error: tantivy::TantivyError) -> Self {
        Self(error.to_string())
    }
}

impl From<std::io::Error> for IndexError {
    fn from(error: std::io::Error) -> Self {
        Self(error.to_string())
    }
}

impl From<tokio::task::JoinError> for IndexError {
    fn from(error: tokio::task::JoinError) -> Self {
        Self(error.to_string())
    }
}

/// What a word of a tool was part of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Field {
    Name,
    Server,
    Title,
    Description,
    Parameters,
    Details,
    Tags,
    /// The first sentence of the description, once more.
    Opening,
}

impl Field {
    pub(crate) const ALL: [Self; 8] =
        [Self::Name, Self::Server, Self::Title, Self::Description, Self::Parameters, Self::Details, Self::Tags, Self::Opening];

    /// For people.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Name => "name",
            Self::Server => "server",
            Self::Title => "title",
            Self::Description => "description",
            Self::Parameters => "parameter names",
            Self::Details => "parameter texts",
            Self::Tags => "tags",
            Self::Opening => "first sentence",
        }
    }

    /// Words of the field that count; a tool that says more is not read on (attack 39).
    const fn limit(self) -> usize {
        match self {
            Self::Name | Self::Server | Self::Title | Self::Tags | Self::Opening => 64,
            Self::Description | Self::Details => 512,
            Self::Parameters => 128,
        }
    }
}

/// The words of one visible catalog.
pub struct Index {
    tools: Vec<Arc<Tool>>,
    servers: Servers,
    names: Names,
    vocabulary: Vocabulary,
    /// Each stem with the fields that hold it, and where tantivy has its places there.
    stems: Stems,
    columns: Vec<Filled>,
    /// None where there are too many tools to hold them.
    vectors: Option<Vectors>,
    bytes: usize,
}

impl std::fmt::Debug for Index {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Index({} tools, {} bytes)", self.tools.len(), self.bytes)
    }
}

type Stems = HashMap<Box<str>, Stem>;

/// A stem that some tool holds.
struct Stem {
    fields: Vec<(Field, TermInfo)>,
    /// What it is worth in each tool, once a search asked for it.
    worth: OnceLock<Worths>,
}

/// One field of all tools.
struct Filled {
    places: Arc<InvertedIndexReader>,
    /// Which of tantivy's 256 lengths the field has in each tool.
    norms: FieldNormReader,
    /// What each of these lengths is beside the average over all tools.
    lengths: [f32; 256],
}

impl Filled {
    fn length(&self, doc: u32) -> f32 {
        self.lengths.get(usize::from(self.norms.fieldnorm_id(doc))).copied().unwrap_or_default()
    }
}

/// One tool that holds a word in one field.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place {
    /// The tool's number.
    pub(crate) doc: usize,
    /// How often the field holds it.
    pub(crate) count: u32,
    /// How long the field is in this tool, beside the average over all tools.
    pub(crate) length: f32,
}

impl Index {
    /// Builds the index of what is visible. Takes about 25 ms for a thousand tools.
    // INVARIANT: I-6
    pub(crate) fn build(snapshot: &Snapshot, visible: &Visibility) -> Result<Self, IndexError> {
        let tools: Vec<_> = snapshot.tools().iter().filter(|tool| visible.shows(&tool.descriptor.id)).cloned().collect();
        let mut schema = Schema::builder();
        let indexing = TextFieldIndexing::default().set_index_option(IndexRecordOption::WithFreqs);
        let options = TextOptions::default().set_indexing_options(indexing);
        let columns: Vec<_> = Field::ALL.iter().map(|field| schema.add_text_field(&format!("{field:?}"), options.clone())).collect();
        let memory = RamDirectory::create();
        let writer = tantivy::Index::builder().schema(schema.build());
        let mut writer = writer.single_segment_index_writer(memory.clone(), WRITER_BYTES)?;
        let mut vocabulary = HashMap::<String, Said>::new();
        let mut totals = vec![0usize; columns.len()];
        let mut vectors = (tools.len() <= VECTORS_HELD).then(Vectors::default);
        for some in tools.chunks(AT_ONCE) {
            for (found, vector) in some.par_chunks(BY_ONE).flat_map_iter(|some| read(some, vectors.is_some())).collect::<Vec<_>>() {
                let mut document = TantivyDocument::default();
                for (((field, found), column), total) in Field::ALL.iter().zip(found).zip(&columns).zip(&mut totals) {
                    *total += found.len();
                    document.add_pre_tokenized_text(*column, tokens(&found));
                    for word in found {
                        let said = vocabulary.entry(word.plain).or_default();
                        said.named |= *field == Field::Name;
                        said.apart |= !word.whole;
                    }
                }
                writer.add_document(document)?;
                vectors.iter_mut().for_each(|vectors| vectors.push(vector.as_ref()));
            }
        }
        let searcher = writer.finalize()?.reader()?.searcher();
        let filled = |segment: &SegmentReader| {
            let columns = columns.iter().zip(&totals);
            columns.map(|(column, total)| fill(segment, *column, *total, tools.len())).collect::<Result<Vec<_>, _>>()
        };
        let columns = searcher.segment_readers().first().map_or(Ok(Vec::new()), filled)?;
        let stems = stems(&columns)?;
        let names = Names::of(&tools);
        let servers = Servers::of(&tools);
        let vocabulary = Vocabulary::of(vocabulary);
        let kept = tools.iter().map(|tool| tool.descriptor.size + KEPT_BYTES).sum::<usize>();
        let stemmed = stems.iter().map(|(stem, held)| stem.len() + held.bytes(vectors.is_some())).sum::<usize>();
        let own = names.bytes() + servers.bytes() + vocabulary.bytes() + stemmed + vectors.as_ref().map_or(0, Vectors::bytes);
        Ok(Self { bytes: memory.total_mem_usage() + kept + own, tools, servers, names, vocabulary, stems, columns, vectors })
    }

    /// The visible tools, by id.
    #[must_use]
    pub fn tools(&self) -> &[Arc<Tool>] {
        &self.tools
    }

    /// Bytes in memory, with the definitions that it keeps alive.
    #[must_use]
    pub const fn bytes(&self) -> usize {
        self.bytes
    }

    pub(crate) const fn servers(&self) -> &Servers {
        &self.servers
    }

    /// How long a field is in a tool, beside the average over all tools.
    pub(crate) fn length(&self, field: Field, doc: usize) -> f32 {
        let of = |filled: &Filled| Some(filled.length(u32::try_from(doc).ok()?));
        self.columns.get(field as usize).and_then(of).unwrap_or_default()
    }

    pub(crate) const fn names(&self) -> &Names {
        &self.names
    }

    /// Where the tools stand in the table's space; nothing where there are too many.
    pub(crate) const fn vectors(&self) -> Option<&Vectors> {
        self.vectors.as_ref()
    }

    /// Every word that any tool holds.
    pub(crate) const fn vocabulary(&self) -> &Vocabulary {
        &self.vocabulary
    }

    /// Whether any tool holds a stem.
    pub(crate) fn knows(&self, stem: &str) -> bool {
        self.stems.contains_key(stem)
    }

    /// Whether the name of any tool holds a stem.
    pub(crate) fn names_with(&self, stem: &str) -> bool {
        self.stems.get(stem).is_some_and(|held| held.fields.iter().any(|(field, _)| *field == Field::Name))
    }

    /// Whether tools of one server alone hold a stem. An alias is the operator's word: what it says, somebody else says.
    pub(crate) fn said_by_one(&self, stem: &str) -> bool {
        let (mut one, mut more) = (None, false);
        let read = self.places(stem, |field, place| {
            let server = self.servers.server(place.doc);
            more |= field == Field::Server || *one.get_or_insert(server) != server;
        });
        read.is_ok() && one.is_some() && !more
    }

    /// What a stem is worth in each tool that holds it: `made` the first time, and the same from then on. An index that is too large to
    /// hold directions does not hold these either.
    pub(crate) fn worth(&self, stem: &str, made: impl FnOnce() -> Result<Worths, IndexError>) -> Result<Cow<'_, Worths>, IndexError> {
        let held = self.stems.get(stem).filter(|_| self.vectors.is_some()).map(|held| &held.worth);
        match held.map(|held| (held, held.get())) {
            None => made().map(Cow::Owned),
            Some((_, Some(worth))) => Ok(Cow::Borrowed(worth)),
            Some((held, None)) => made().map(|made| Cow::Borrowed(held.get_or_init(|| made))),
        }
    }

    /// Gives every place of a stem to `each`, by field and document.
    pub(crate) fn places(&self, stem: &str, mut each: impl FnMut(Field, Place)) -> Result<(), IndexError> {
        let mut block = None;
        for (field, info) in self.stems.get(stem).iter().flat_map(|held| &held.fields) {
            let Some(filled) = self.columns.get(*field as usize) else { continue };
            let places = &filled.places;
            match &mut block {
                Some(block) => places.reset_block_postings_from_terminfo(info, block)?,
                None => block = Some(places.read_block_postings_from_terminfo(info, IndexRecordOption::WithFreqs)?),
            }
            let Some(block) = &mut block else { continue };
            while !block.docs().is_empty() {
                for (doc, count) in block.docs().iter().zip(block.freqs()) {
                    each(*field, Place { doc: *doc as usize, count: *count, length: filled.length(*doc) });
                }
                block.advance();
            }
        }
        Ok(())
    }
}

impl Stem {
    /// Bytes in memory, about, and of what searches add to it where they may.
    fn bytes(&self, held: bool) -> usize {
        let places = self.fields.iter().map(|(_, info)| info.doc_freq as usize).max().unwrap_or_default();
        STEM_BYTES + size_of_val(&self.fields[..]) + if held { places * size_of::<Worth>() } else { 0 }
    }
}

/// Opens one field of a segment.
#[allow(clippy::cast_precision_loss)]
fn fill(segment: &SegmentReader, column: Column, words: usize, tools: usize) -> Result<Filled, IndexError> {
    let average = words.max(1) as f32 / tools.max(1) as f32;
    let length = |id| u8::try_from(id).map_or(0, FieldNormReader::id_to_fieldnorm) as f32 / average;
    let (places, norms) = (segment.inverted_index(column)?, segment.get_fieldnorms_reader(column)?);
    Ok(Filled { places, norms, lengths: std::array::from_fn(length) })
}

/// Every stem of some fields, with where each has it.
fn stems(columns: &[Filled]) -> Result<Stems, IndexError> {
    let mut stems = Stems::new();
    for (field, filled) in Field::ALL.into_iter().zip(columns) {
        let mut held = filled.places.terms().stream()?;
        while let Some((stem, info)) = held.next() {
            let Ok(stem) = std::str::from_utf8(stem) else { continue };
            match stems.get_mut(stem) {
                Some(held) => held.fields.push((field, info.clone())),
                None => drop(stems.insert(stem.into(), Stem { fields: vec![(field, info.clone())], worth: OnceLock::new() })),
            }
        }
    }
    Ok(stems)
}

/// Tools whose vectors are held; beyond it the table looks at the best by words alone.
const VECTORS_HELD: usize = 100_000;
/// Tools whose words are in memory at once while an index is built.
const AT_ONCE: usize = 512;
/// Tools that one reader reads.
const BY_ONE: usize = 256;
/// What the writer sizes its table by; it grows past it where it must.
const WRITER_BYTES: usize = 16 * 1024 * 1024;
/// Bytes of a stem besides its letters and fields, about.
const STEM_BYTES: usize = 72;
/// Bytes of a tool besides its definition's text, about.
const KEPT_BYTES: usize = 1024;

/// The words of each field of a tool.
type Words = [Vec<Word>; Field::ALL.len()];

/// Some tools, read, with their places in the table's space where these are held.
fn read(tools: &[Arc<Tool>], held: bool) -> impl Iterator<Item = (Words, Option<Vector>)> {
    let mut reader = Reader::default();
    tools.iter().map(move |tool| {
        let words = Field::ALL.map(|field| reader.words(&text(tool, field), field.limit()));
        let vector = if held { vector(tool, &mut reader) } else { None };
        (words, vector)
    })
}

fn tokens(words: &[Word]) -> PreTokenizedString {
    let token = |(position, word): (usize, &Word)| Token { text: word.stem.clone(), position, ..Token::default() };
    PreTokenizedString { text: String::new(), tokens: words.iter().enumerate().map(token).collect() }
}

#[cfg(test)]
mod tests;
