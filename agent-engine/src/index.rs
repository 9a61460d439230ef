//! One immutable index for each digest of a visible catalog.
//!
//! Is: what tools say, as words with places, in one tantivy segment in memory. Is not: a ranking (`search` weighs), nor a
//! filter over a larger index: it is built of the visible tools alone, so a hidden one can't move a count or a length.
//! Document n is the n-th visible tool by id; tantivy stores nothing. Uses `catalog`. Clauses: SRCH-4, SRCH-5.
//! Invariants: I-6.

mod held;
mod vocabulary;
mod words;

pub use held::Indexes;
pub(crate) use vocabulary::Vocabulary;
pub(crate) use words::{Reader, Word, fold, words};

use crate::catalog::{Snapshot, Tool};
use agent_core::session::Visibility;
use rayon::prelude::*;
use std::collections::HashMap;
use std::sync::Arc;
use tantivy::directory::RamDirectory;
use tantivy::postings::Postings;
use tantivy::schema::{Field as Column, IndexRecordOption, Schema, TextFieldIndexing, TextOptions};
use tantivy::tokenizer::{PreTokenizedString, Token};
use tantivy::{DocSet, SegmentReader, TERMINATED, TantivyDocument, Term};

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
}

impl Field {
    pub(crate) const ALL: [Self; 7] =
        [Self::Name, Self::Server, Self::Title, Self::Description, Self::Parameters, Self::Details, Self::Tags];

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
        }
    }

    /// Words of the field that count; a tool that says more is not read on (attack 39).
    const fn limit(self) -> usize {
        match self {
            Self::Name | Self::Server | Self::Title | Self::Tags => 64,
            Self::Description | Self::Details => 512,
            Self::Parameters => 128,
        }
    }
}

/// The words of one visible catalog.
pub struct Index {
    tools: Vec<Arc<Tool>>,
    /// Each tool's name, folded, for inner parts.
    names: Vec<String>,
    vocabulary: Vocabulary,
    segment: Option<SegmentReader>,
    columns: Vec<Column>,
    averages: Vec<f64>,
    bytes: usize,
}

impl std::fmt::Debug for Index {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Index({} tools, {} bytes)", self.tools.len(), self.bytes)
    }
}

/// One tool that holds a word in one field.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place {
    /// The tool's number.
    pub(crate) doc: u32,
    /// How often the field holds it.
    pub(crate) count: u32,
    /// Words of the field in this tool.
    pub(crate) words: u32,
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
        let mut vocabulary = HashMap::<String, bool>::new();
        let mut totals = vec![0usize; columns.len()];
        for some in tools.chunks(AT_ONCE) {
            for found in some.par_chunks(BY_ONE).flat_map_iter(read).collect::<Vec<_>>() {
                let mut document = TantivyDocument::default();
                for (((field, found), column), total) in Field::ALL.iter().zip(found).zip(&columns).zip(&mut totals) {
                    *total += found.len();
                    document.add_pre_tokenized_text(*column, tokens(&found));
                    for word in found {
                        *vocabulary.entry(word.plain).or_default() |= *field == Field::Name;
                    }
                }
                writer.add_document(document)?;
            }
        }
        let searcher = writer.finalize()?.reader()?.searcher();
        #[allow(clippy::cast_precision_loss)]
        let averages = totals.iter().map(|total| (*total).max(1) as f64 / tools.len().max(1) as f64).collect();
        let names: Vec<String> = tools.iter().map(|tool| fold(tool.descriptor.id.name())).collect();
        let vocabulary = Vocabulary::of(vocabulary);
        let kept = tools.iter().map(|tool| tool.descriptor.size + KEPT_BYTES).sum::<usize>();
        let own = names.iter().map(|text| text.len() + size_of::<String>()).sum::<usize>() + vocabulary.bytes();
        let segment = searcher.segment_readers().first().cloned();
        Ok(Self { bytes: memory.total_mem_usage() + kept + own, tools, names, vocabulary, segment, columns, averages })
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

    /// The tools' names, folded, in the order of the tools.
    pub(crate) fn names(&self) -> &[String] {
        &self.names
    }

    /// Every word that any tool holds.
    pub(crate) const fn vocabulary(&self) -> &Vocabulary {
        &self.vocabulary
    }

    /// Words of a field in a tool, on the average over all tools; more than 0.
    pub(crate) fn average(&self, field: Field) -> f64 {
        self.averages.get(field as usize).copied().unwrap_or(1.0)
    }

    /// Gives every place of a stem in a field to `each`, by document.
    pub(crate) fn places(&self, field: Field, stem: &str, mut each: impl FnMut(Place)) -> Result<(), IndexError> {
        let Some((segment, column)) = self.column(field) else { return Ok(()) };
        let term = Term::from_field_text(column, stem);
        let found = segment.inverted_index(column)?.read_postings(&term, IndexRecordOption::WithFreqs)?;
        let Some(mut postings) = found else { return Ok(()) };
        let lengths = segment.get_fieldnorms_reader(column)?;
        while postings.doc() != TERMINATED {
            let doc = postings.doc();
            each(Place { doc, count: postings.term_freq(), words: lengths.fieldnorm(doc) });
            postings.advance();
        }
        Ok(())
    }

    fn column(&self, field: Field) -> Option<(&SegmentReader, Column)> {
        Some((self.segment.as_ref()?, *self.columns.get(field as usize)?))
    }
}

/// Tools whose words are in memory at once while an index is built.
const AT_ONCE: usize = 2048;
/// Tools that one reader reads.
const BY_ONE: usize = 512;
/// What the writer sizes its table by; it grows past it where it must.
const WRITER_BYTES: usize = 16 * 1024 * 1024;
/// Bytes of a tool besides its definition's text, about.
const KEPT_BYTES: usize = 1024;

/// The words of each field of some tools.
fn read(tools: &[Arc<Tool>]) -> impl Iterator<Item = [Vec<Word>; Field::ALL.len()]> {
    let mut reader = Reader::default();
    tools.iter().map(move |tool| Field::ALL.map(|field| reader.words(&text(tool, field), field.limit())))
}

fn text(tool: &Tool, field: Field) -> String {
    let definition = &tool.definition;
    let id = &tool.descriptor.id;
    match field {
        Field::Name => id.name().to_owned(),
        Field::Server => id.server().to_string(),
        Field::Title => definition.title.clone().unwrap_or_default(),
        Field::Description => definition.description.clone(),
        Field::Parameters => definition.parameters.iter().map(|one| one.name.as_str()).collect::<Vec<_>>().join(" "),
        Field::Details => {
            let one =
                |one: &agent_core::definition::Parameter| format!("{} {} {}", one.description, one.values.join(" "), one.titles.join(" "));
            definition.parameters.iter().map(one).collect::<Vec<_>>().join(" ")
        }
        Field::Tags => tool.descriptor.tags.join(" "),
    }
}

fn tokens(words: &[Word]) -> PreTokenizedString {
    let token = |(position, word): (usize, &Word)| Token { text: word.stem.clone(), position, ..Token::default() };
    PreTokenizedString { text: String::new(), tokens: words.iter().enumerate().map(token).collect() }
}

#[cfg(test)]
mod tests;
