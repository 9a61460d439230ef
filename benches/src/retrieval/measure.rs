//! The measures: each a mean over queries.
//!
//! Source: Järvelin and Kekäläinen 2002 for nDCG, here with a gain of 1 for the first hit of each group of equals.

/// What is measured of one query.
#[derive(Clone, Copy, Default)]
pub(crate) struct Measured([f64; 6]);

/// What each is.
const NAMES: [&str; 6] = ["hit_at_1", "recall_at_1", "recall_at_5", "recall_at_10", "ndcg_at_10", "mrr"];

impl Measured {
    /// What a query found, the best first, beside the groups that it should find, any member of one will do.
    pub(crate) fn of(hits: &[&str], groups: &[Vec<&str>]) -> Self {
        let places: Vec<Option<usize>> =
            groups.iter().map(|group| hits.iter().position(|hit| group.iter().any(|id| !id.is_empty() && id == hit))).collect();
        let all = groups.len().max(1) as f64;
        let within = |depth: usize| places.iter().flatten().filter(|place| **place < depth).count() as f64;
        let gain = |place: usize| 1.0 / (place as f64 + 2.0).log2();
        let best: f64 = (0..groups.len().min(10)).map(gain).sum();
        let dcg: f64 = places.iter().flatten().filter(|place| **place < 10).map(|place| gain(*place)).sum();
        let reciprocal = places.iter().flatten().min().map_or(0.0, |place| 1.0 / (*place as f64 + 1.0));
        let hit = f64::from(u8::from(places.contains(&Some(0))));
        let ndcg = if best > 0.0 { dcg / best } else { 0.0 };
        Self([hit, within(1) / all, within(5) / all, within(10) / all, ndcg, reciprocal])
    }

    /// nDCG@10.
    pub(crate) const fn ndcg(&self) -> f64 {
        let [.., ndcg, _] = self.0;
        ndcg
    }
}

/// Sums over the queries so far.
#[derive(Default)]
pub(crate) struct Mean {
    queries: u32,
    sums: [f64; 6],
}

impl Mean {
    /// Adds one query.
    pub(crate) fn add(&mut self, one: Measured) {
        self.queries += 1;
        for (sum, value) in self.sums.iter_mut().zip(one.0) {
            *sum += value;
        }
    }

    /// How many queries.
    pub(crate) const fn queries(&self) -> u32 {
        self.queries
    }

    /// The means by name.
    pub(crate) fn figures(&self) -> [(&'static str, f64); 6] {
        let mut out = NAMES.map(|name| (name, 0.0));
        for (figure, sum) in out.iter_mut().zip(self.sums) {
            figure.1 = sum / f64::from(self.queries.max(1));
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::{Mean, Measured};

    fn check(hits: &[&str], groups: &[Vec<&str>], expect: [f64; 6]) {
        let mut mean = Mean::default();
        mean.add(Measured::of(hits, groups));
        for ((name, value), expect) in mean.figures().into_iter().zip(expect) {
            assert!((value - expect).abs() < 1e-4, "{name}: {value}, not {expect}");
        }
    }

    #[test]
    fn measures_agree_with_ones_made_by_hand() {
        check(&["a", "b"], &[vec!["a"]], [1.0, 1.0, 1.0, 1.0, 1.0, 1.0]);
        check(&["x", "b", "a"], &[vec!["a", "b"]], [0.0, 0.0, 1.0, 1.0, 0.6309, 0.5]);
        check(&["a", "x", "c"], &[vec!["a"], vec!["b"], vec!["c"]], [1.0, 0.3333, 0.6667, 0.6667, 0.7039, 1.0]);
        // Found 2nd and 4th of two: (1/log2(3) + 1/log2(5)) / (1 + 1/log2(3)) = (.6309 + .4307) / 1.6309.
        check(&["x", "a", "y", "b"], &[vec!["a"], vec!["b"]], [0.0, 0.0, 1.0, 1.0, 0.6509, 0.5]);
        check(&["x"; 16], &[vec![""]], [0.0; 6]);
    }
}
