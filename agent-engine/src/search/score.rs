//! The weight of each tool for a query.
use super::query::Query;
use crate::index::{Field, Index, IndexError};
use std::collections::BTreeSet;
use std::ops::Range;

pub(super) fn tune(name: &str, default: f64) -> f64 {
    std::env::var(format!("T_{name}")).ok().and_then(|v| v.parse().ok()).unwrap_or(default)
}

/// What each tool gets.
pub(super) struct Scores {
    /// By document, in thousandths.
    pub(super) points: Vec<u64>,
    /// The numbers of the query's words that some tool holds.
    pub(super) answered: BTreeSet<usize>,
}

fn weight(field: Field) -> f64 {
    match field {
        Field::Name => tune("NAME", 2.0),
        Field::Server => tune("SERVER", 1.0),
        Field::Title => tune("TITLE", 1.0),
        Field::Description => tune("DESC", 1.0),
        Field::Parameters => tune("PARAM", 0.5),
        Field::Details => tune("DETAIL", 0.4),
        Field::Tags => tune("TAGS", 1.0),
        Field::ServerDescription => tune("SDESC", 0.0),
    }
}

#[derive(Clone, Default)]
struct Tally {
    score: f64,
    term: f64,
    covered: f64,
    name: u32,
}

impl Scores {
    pub(super) fn of(index: &Index, query: &Query, within: &Range<usize>) -> Result<Self, IndexError> {
        let mut tallies = vec![Tally::default(); index.tools().len()];
        let mut answered = BTreeSet::new();
        let (k1, b, cap, cover) = (tune("K1", 1.2), tune("B", 0.5), tune("CAP", 3.0), tune("COVER", 0.5));
        let mut fields = Vec::new();
        for field in Field::ALL {
            fields.push((field, weight(field), index.average(field)?));
        }
        for term in &query.terms {
            let mut touched: Vec<usize> = Vec::new();
            for (field, weight, average) in &fields {
                if *weight == 0.0 {
                    continue;
                }
                index.places(*field, &term.stem, |place| {
                    let Some(tally) = tallies.get_mut(place.doc as usize) else { return };
                    if tally.term == 0.0 {
                        touched.push(place.doc as usize);
                    }
                    let length = 1.0 - b + b * f64::from(place.words) / average.max(1e-9);
                    tally.term += weight * f64::from(place.count).min(cap) / length;
                    if *field == Field::Name {
                        tally.name = place.words;
                        tally.covered += term.weight * f64::from(place.count);
                    }
                })?;
            }
            let (n, all) = (touched.len() as f64, tallies.len() as f64);
            let idf = ((all - n + 0.5) / (n + 0.5)).ln_1p();
            for doc in touched {
                if within.contains(&doc) {
                    answered.insert(term.word);
                }
                let Some(tally) = tallies.get_mut(doc) else { continue };
                tally.score += term.weight * idf * tally.term * (k1 + 1.0) / (k1 + tally.term);
                tally.term = 0.0;
            }
        }
        let points = tallies.iter().map(|tally| {
            let share = if tally.name > 0 { (tally.covered / f64::from(tally.name)).min(1.0) } else { 0.0 };
            (tally.score * (1.0 + cover * share) * 1000.0).round() as u64
        });
        Ok(Self { points: points.collect(), answered })
    }
}
