//! Queries that ask for several things at once: what each of them would find alone counts beside the whole.
//!
//! Is: parts between commas, stops and `or`, and for each tool the part that it answers best. Is not: a grammar. A query of one part
//! is not touched. Clause: SRCH-3.

use super::hit::Hit;
use super::merge::Shares;
use super::query::{Mended, Query};
use super::score::Scores;
use super::{Ranking, at, most};
use crate::index::{IndexError, Reader, vector, words};

/// Clauses that are read; what follows is part of the last.
const READ: usize = 4;
/// Hits that are looked at again, the best by the whole.
const LOOKED_AT: usize = 256;
/// What the best clause is worth beside the whole, in hundredths.
const CLAUSE: u32 = 30;

/// What stands between two clauses, by itself or at a word's end.
const BETWEEN: [&str; 9] = ["or", "then", "+", "|", "&", "-", "/", ";", "→"];
const ENDS: [char; 6] = [',', ';', '.', ':', '?', '!'];

/// The clauses of a query that hold a word; none where it has no parts.
pub(super) fn of(text: &str) -> Vec<&str> {
    let (mut found, mut from, mut at) = (Vec::new(), 0, 0);
    for piece in text.split_inclusive(char::is_whitespace) {
        let (word, end) = (piece.trim_end(), at + piece.len());
        let between = BETWEEN.iter().any(|one| word.eq_ignore_ascii_case(one));
        if found.len() + 1 < READ && (between || word.ends_with(ENDS)) {
            found.extend(text.get(from..if between { at } else { end }).filter(|clause| !clause.trim().is_empty()));
            from = end;
        }
        at = end;
    }
    if found.is_empty() {
        return found;
    }
    found.push(text.get(from..).unwrap_or_default());
    found.retain(|clause| words(clause, usize::MAX).iter().any(|word| !word.whole));
    found
}

/// Brings hits by relevance to what they are by the whole and by the clause that each answers best.
pub(super) fn weigh(ranking: &Ranking, clauses: &[&str], mended: &mut Mended, found: &mut [Hit]) -> Result<(), IndexError> {
    let (index, synonyms, parts) = (&*ranking.index, &ranking.synonyms, ranking.parts);
    let mut hits = best(found);
    let mut reader = Reader::default();
    for clause in clauses {
        let query = Query::read(clause, index, synonyms, parts, mended);
        let scores = Scores::of(index, &query, &(0..index.tools().len()), parts, &mut ())?;
        let by_words: Vec<_> = hits.iter().map(|hit| at(&scores.points, hit.doc())).collect();
        let near: Vec<_> = match (query.vector().filter(|_| parts.table), index.vectors().filter(|_| parts.places)) {
            (None, _) => vec![0.0; hits.len()],
            (Some(to), Some(vectors)) => vectors.nearness_of(hits.iter().map(|hit| hit.doc()), &to),
            (Some(to), None) => {
                let mut place = |hit: &&mut Hit| vector(index.tools().get(hit.doc())?, &mut reader);
                hits.iter().map(|hit| place(hit).map_or(0.0, |vector| vector.nearness(&to))).collect()
            }
        };
        let shares = Shares::of(most(&by_words), most(&near));
        for (hit, (words, near)) in hits.iter_mut().zip(by_words.into_iter().zip(near)) {
            let (words, meaning) = shares.points(words, near);
            hit.clause = hit.clause.max(words + meaning);
        }
    }
    let best = hits.iter().map(|hit| hit.clause).max().unwrap_or_default().max(1);
    for hit in hits {
        hit.clause = u32::try_from(u64::from(hit.clause) * POINTS / u64::from(best)).unwrap_or_default();
        hit.points += hit.clause;
    }
    Ok(())
}

/// Those that are looked at again; all are brought to what the whole is worth. None changes its place: hits of a server stand together.
fn best(found: &mut [Hit]) -> Vec<&mut Hit> {
    let mut all = if found.len() > LOOKED_AT { found.to_vec() } else { Vec::new() };
    let beyond = if all.is_empty() { None } else { Some(*all.select_nth_unstable(LOOKED_AT).1) };
    let mut hits = Vec::with_capacity(LOOKED_AT);
    for hit in found {
        let looked_at = beyond.is_none_or(|beyond| *hit < beyond);
        (hit.points, hit.meaning) = (whole(hit.points), whole(hit.meaning));
        hits.extend(Some(hit).filter(|_| looked_at));
    }
    hits
}

const fn whole(points: u32) -> u32 {
    points * (100 - CLAUSE) / 100
}

/// Points for the best by a clause.
const POINTS: u64 = 1_000_000 * CLAUSE as u64 / 100;

#[cfg(test)]
mod tests {
    use super::of;

    #[test]
    fn srch_3_a_query_is_read_in_clauses() {
        assert_eq!(of("read a file, or search the web + 文件"), ["read a file, ", "search the web ", "文件"]);
        assert!(of("one.two a/b c-d e:f").is_empty());
        assert_eq!(of("first. the. Second!"), ["first. ", "Second!"]);
        assert_eq!(of("a1, b1, c1, d1, e1, f1"), ["a1, ", "b1, ", "c1, ", "d1, e1, f1"]);
        assert!(of("the , or").is_empty() && of("").is_empty());
    }
}
