//! Where each tool stands in the table's space.
//!
//! Is: what a tool says it does, as one direction. Is not: held of a catalog beyond a hundred thousand tools; there the few
//! that words found are placed one by one. Weights and lengths are those that the table was made for (`table/README.md`).
//! Clause: SRCH-5 (quality).

use super::words::Reader;
use super::{Field, text};
use crate::catalog::Tool;
use crate::table::{DIMENSIONS, Parts, Vector, embed, product};

/// What a word counts by where it stands, and how many letters of the field are read: what follows is seldom about what a
/// tool does.
const fn weight(field: Field) -> (f32, usize) {
    match field {
        Field::Name => (2.0, 128),
        Field::Server => (1.0, 64),
        Field::Description => (1.0, 300),
        Field::Parameters => (0.5, 4096),
        Field::Details => (0.6, 400),
        Field::Title | Field::Tags | Field::Opening => (0.0, 0),
    }
}

/// Where a tool stands; nowhere where the table knows no word of it.
pub(crate) fn vector(tool: &Tool, reader: &mut Reader) -> Option<Vector> {
    let mut read = |field: Field| {
        let (weight, letters) = weight(field);
        let text = text(tool, field).split_whitespace().collect::<Vec<_>>().join(" ");
        let end = text.char_indices().nth(letters).map_or(text.len(), |(at, _)| at);
        let words = reader.words(text.get(..end).unwrap_or_default(), field.limit()).into_iter();
        words.filter(|word| !word.whole).map(|word| (word.plain, weight)).collect::<Vec<_>>()
    };
    let words = [Field::Name, Field::Server, Field::Description, Field::Parameters, Field::Details].map(&mut read).concat();
    embed(words.iter().map(|(word, weight)| (word.as_str(), *weight)))
}

/// The directions of an index's tools.
#[derive(Default)]
pub(crate) struct Vectors {
    parts: Vec<Parts>,
    /// A tool that stands nowhere has a step of 0.
    steps: Vec<f32>,
}

impl Vectors {
    /// Takes the direction of the next tool.
    pub(super) fn push(&mut self, vector: Option<&Vector>) {
        self.parts.push(vector.map_or([0; DIMENSIONS], |vector| vector.parts));
        self.steps.push(vector.map_or(0.0, |vector| vector.step));
    }

    /// How near each tool is to a direction, from -1 to 1.
    #[allow(clippy::cast_precision_loss)]
    pub(crate) fn nearness(&self, to: &Vector) -> Vec<f32> {
        let near = |(row, step): (&Parts, &f32)| product(row, &to.parts) as f32 * step * to.step;
        self.parts.iter().zip(&self.steps).map(near).collect()
    }

    /// The same of these tools alone.
    #[allow(clippy::cast_precision_loss)]
    pub(crate) fn nearness_of(&self, docs: impl Iterator<Item = usize>, to: &Vector) -> Vec<f32> {
        let near = |doc: usize| Some(product(self.parts.get(doc)?, &to.parts) as f32 * self.steps.get(doc)? * to.step);
        docs.map(|doc| near(doc).unwrap_or_default()).collect()
    }

    pub(super) const fn bytes(&self) -> usize {
        self.parts.capacity() * size_of::<Parts>() + self.steps.capacity() * size_of::<f32>()
    }
}
