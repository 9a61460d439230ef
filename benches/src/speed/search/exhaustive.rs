//! An index as plain as can be: for each word the tools that hold it, each with its weighed and saturated count.
//!
//! Is: BM25F with every posting read and all that depends on no query done beforehand: what ranking by words costs at the
//! least. Is not: what we ship. It stems nothing, knows no exact names, no typos and no synonyms, and renders nothing.

use super::taken::{Set, Taken};
use std::collections::HashMap;
use std::hint::black_box;

/// Weights of name, server, description and parameters.
const WEIGHTS: [f32; 4] = [2.0, 1.0, 1.0, 0.5];
const SATURATION: f32 = 1.2;
const LENGTH: f32 = 0.5;
const HITS: usize = 8;

/// Name, server, description and parameters of a tool.
type Texts = [String; 4];

#[derive(Default)]
struct Index {
    postings: HashMap<String, Vec<(u32, f32)>>,
    /// By tool; all 0 between searches.
    scores: Vec<f32>,
}

impl Index {
    fn of(set: &Set<Texts>) -> Self {
        let mut totals = [0.0; 4];
        for tool in &set.tools {
            tool.iter().zip(&mut totals).for_each(|(text, total)| *total += words(text).len() as f32);
        }
        let averages = totals.map(|total: f32| total.max(1.0) / set.tools.len().max(1) as f32);
        let mut postings: HashMap<String, Vec<(u32, f32)>> = HashMap::new();
        for (tool, texts) in set.tools.iter().enumerate() {
            for ((text, average), weight) in texts.iter().zip(averages).zip(WEIGHTS) {
                let words = words(text);
                let adds = weight / (1.0 - LENGTH + LENGTH * words.len() as f32 / average);
                for word in words {
                    let places = postings.entry(word).or_default();
                    match places.last_mut() {
                        Some((last, count)) if *last == tool as u32 => *count += adds,
                        _ => places.push((tool as u32, adds)),
                    }
                }
            }
        }
        let scores = vec![0.0; set.tools.len()];
        for places in postings.values_mut() {
            let (holding, all) = (places.len() as f32, scores.len() as f32);
            let rarity = ((all - holding + 0.5) / (holding + 0.5)).ln_1p();
            places.iter_mut().for_each(|(_, count)| *count = rarity * *count * (SATURATION + 1.0) / (SATURATION + *count));
            places.shrink_to_fit();
        }
        Self { postings, scores }
    }

    /// The best tools, the best first.
    fn search(&mut self, query: &str) -> Vec<(f32, u32)> {
        let found: Vec<_> = words(query).iter().filter_map(|word| self.postings.get(word)).collect();
        for (tool, adds) in found.iter().copied().flatten() {
            self.scores.get_mut(*tool as usize).into_iter().for_each(|score| *score += adds);
        }
        let mut best: Vec<(f32, u32)> = Vec::with_capacity(HITS + 1);
        for (tool, _) in found.into_iter().flatten() {
            // Each score is taken once.
            let score = self.scores.get_mut(*tool as usize).map(std::mem::take).unwrap_or_default();
            if score > 0.0 && (best.len() < HITS || best.last().is_some_and(|(last, _)| score > *last)) {
                best.insert(best.partition_point(|(other, _)| *other >= score), (score, *tool));
                best.truncate(HITS);
            }
        }
        best
    }
}

/// Split where letters and digits end and where an upper case letter follows a lower case one.
pub(super) fn words(text: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut lower = false;
    for letter in text.chars() {
        if !letter.is_alphanumeric() || (lower && letter.is_uppercase()) {
            words.push(String::new());
        }
        if letter.is_alphanumeric() {
            words.last_mut().into_iter().for_each(|word| word.extend(letter.to_lowercase()));
        }
        lower = letter.is_lowercase();
    }
    words.retain(|word| !word.is_empty());
    words
}

pub(super) fn run(set: &Set<Texts>) -> anyhow::Result<Taken> {
    set.take(
        || Ok(Index::of(set)),
        |index, query| {
            black_box(index.search(query));
            Ok(())
        },
    )
}
