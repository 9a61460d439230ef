//! By how much one run is better than another over the same queries, and how sure that is.
//!
//! Is: a paired bootstrap; queries are drawn with their differences, so that hard and easy ones weigh alike in both runs.
//! Source: Sakai 2006 on the bootstrap for retrieval; xorshift64* of Vigna 2016, from a fixed seed.

use std::collections::BTreeMap;

/// How often queries are drawn anew.
const RESAMPLES: usize = 10_000;

/// A mean of differences.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Difference {
    pub(crate) queries: usize,
    pub(crate) mean: f64,
    /// 95 of 100 draws lie within these.
    pub(crate) low: f64,
    pub(crate) high: f64,
}

/// How much more a run has than another, over the queries that both have.
pub(crate) fn difference(run: &BTreeMap<String, f64>, other: &BTreeMap<String, f64>) -> Option<Difference> {
    let pairs: Vec<f64> = run.iter().filter_map(|(query, value)| Some(value - other.get(query)?)).collect();
    let count = pairs.len();
    let mean = |sum: f64| sum / count as f64;
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let mut draw = || mean((0..count).filter_map(|_| pairs.get(random.below(count))).sum());
    let mut means: Vec<f64> = (0..RESAMPLES).map(|_| draw()).collect();
    means.sort_by(f64::total_cmp);
    let (low, high) = (*means.get(RESAMPLES / 40)?, *means.get(RESAMPLES - RESAMPLES / 40 - 1)?);
    (count > 0).then(|| Difference { queries: count, mean: mean(pairs.iter().sum()), low, high })
}

struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let high = self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 32;
        ((high * bound as u64) >> 32) as usize
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn run(values: impl IntoIterator<Item = f64>) -> BTreeMap<String, f64> {
        values.into_iter().enumerate().map(|(at, value)| (format!("q{at}"), value)).collect()
    }

    #[test]
    fn a_difference_has_the_interval_that_theory_gives() {
        // 400 pairs, half of them better by 1: the mean is .5, its standard error .5 / sqrt(400) = .025, and 1.96 of those .049.
        let found = difference(&run((0..400).map(|at| f64::from(at % 2))), &run([0.0; 400])).unwrap();
        assert_eq!((found.queries, found.mean), (400, 0.5));
        assert!((found.low - 0.451).abs() < 0.004 && (found.high - 0.549).abs() < 0.004, "{found:?}");
        let same = difference(&run([0.3, 0.7]), &run([0.3, 0.7, 0.9])).unwrap();
        assert_eq!(same, Difference { queries: 2, mean: 0.0, low: 0.0, high: 0.0 });
        assert_eq!(difference(&run([]), &run([1.0])), None);
    }
}
