//! Bars over time as SVG, drawn on this side.
//!
//! Is: a figure with a title, its numbers in a table beside it for whoever can't see bars. No script, no style of its own: colours
//! come from the style sheet, by class. Is not: a library of charts.

use agent_core::time::Instant;
use maud::{Markup, html};

/// One thing that is counted over time.
pub struct Series<'a> {
    /// What it is called in the legend.
    pub name: &'a str,
    /// Its class in the style sheet: `good`, `bad`, `plain` or `accent`.
    pub tone: &'static str,
    /// How many, by bucket.
    pub values: Vec<u64>,
}

/// Where the buckets stand in time.
#[derive(Debug, Clone, Copy)]
pub struct Times {
    /// When the first begins, in milliseconds since the epoch.
    pub from: u64,
    /// How long each is.
    pub width: u64,
}

const WIDE: usize = 380;
const HIGH: usize = 96;
const LEFT: usize = 34;
const FOOT: usize = 16;

/// A figure of stacked bars.
#[must_use]
pub fn bars(title: &str, series: &[Series<'_>], times: Times) -> Markup {
    let count = series.iter().map(|one| one.values.len()).max().unwrap_or_default();
    let at = |one: &Series<'_>, place: usize| one.values.get(place).copied().unwrap_or_default();
    let most = (0..count).map(|place| series.iter().map(|one| at(one, place)).sum()).max().unwrap_or_default();
    let top = round(most);
    let step = (WIDE - LEFT) / count.max(1);
    let tall = |value: u64| usize::try_from(u128::from(value) * HIGH as u128 / u128::from(top)).unwrap_or(HIGH);
    let sums: Vec<_> = series.iter().map(|one| format!("{} {}", compact(one.values.iter().sum()), one.name)).collect();
    html! {
        figure.chart {
            figcaption { b { (title) } @for (one, sum) in series.iter().zip(&sums) { " " span class={ "key " (one.tone) } { (sum) } } }
            svg viewBox={ "0 0 " (WIDE) " " (HIGH + FOOT + 8) } role="img" aria-label={ (title) ": " (sums.join(", ")) } {
                @for (value, y) in [(top, 4), (top / 2, 4 + HIGH / 2), (0, 4 + HIGH)] {
                    line class="grid" x1=(LEFT) x2=(WIDE) y1=(y) y2=(y) {}
                    @if value > 0 || y > HIGH { text class="tick" x=(LEFT - 6) y=(y + 4) text-anchor="end" { (compact(value)) } }
                }
                @for place in 0..count {
                    @let heights = stack(series.iter().map(|one| tall(at(one, place)).max(usize::from(at(one, place) > 0))));
                    @for (one, (below, height)) in series.iter().zip(heights) {
                        @if height > 0 {
                            rect class=(one.tone) x=(LEFT + place * step) width=(step.saturating_sub(2).max(1)) y=(4 + HIGH.saturating_sub(below + height)) height=(height) rx="1" {
                                title { (hour(times, place)) ": " (at(one, place)) " " (one.name) }
                            }
                        }
                    }
                }
                text class="tick" x=(LEFT) y=(HIGH + FOOT + 4) { (hour(times, 0)) }
                text class="tick" x=(LEFT + count * step) y=(HIGH + FOOT + 4) text-anchor="end" { "now" }
            }
            details {
                summary { "as a table" }
                table.rows {
                    thead { tr { th scope="col" { "from (UTC)" } @for one in series { th.num scope="col" { (one.name) } } } }
                    tbody { @for place in (0..count).filter(|place| series.iter().any(|one| at(one, *place) > 0)) {
                        tr { th scope="row" { (hour(times, place)) } @for one in series { td.num { (at(one, place)) } } }
                    } }
                }
            }
        }
    }
}

/// Each height on top of those before it.
fn stack(heights: impl Iterator<Item = usize>) -> Vec<(usize, usize)> {
    let mut below = 0;
    heights
        .map(|height| {
            below += height;
            (below - height, height)
        })
        .collect()
}

/// The next number that a scale ends well with: 2, 4, 10, 20, 40, 100 and so on.
fn round(most: u64) -> u64 {
    let mut unit = 1u64;
    while unit < u64::MAX / 100 {
        if let Some(top) = [2, 4, 10].into_iter().map(|times| times * unit).find(|top| most <= *top) {
            return top;
        }
        unit *= 10;
    }
    u64::MAX
}

/// `940`, `1.2k`, `35M`.
#[must_use]
pub fn compact(value: u64) -> String {
    let (unit, sign) = match value {
        0..1_000 => return value.to_string(),
        1_000..1_000_000 => (1_000, "k"),
        1_000_000..1_000_000_000 => (1_000_000, "M"),
        _ => (1_000_000_000, "G"),
    };
    let (whole, tenth) = (value / unit, value % unit * 10 / unit);
    if whole < 10 && tenth > 0 { format!("{whole}.{tenth}{sign}") } else { format!("{whole}{sign}") }
}

/// When a bucket begins: `Nov 30 14:30` without the month's name, for every reader: `11-30 14:30`.
fn hour(times: Times, place: usize) -> String {
    let wall = times.from + times.width * place as u64;
    let whole = Instant { wall, boot: 0, boot_id: 0 }.utc();
    format!("{} {}", whole.get(5..10).unwrap_or_default(), whole.get(11..16).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scale_ends_above_the_most_and_near_it() {
        for (most, top) in [(0, 2), (2, 2), (3, 4), (5, 10), (11, 20), (40, 40), (41, 100), (1_000, 1_000)] {
            assert_eq!(round(most), top);
        }
        assert!(round(u64::MAX) >= 1);
        assert_eq!([compact(999), compact(1_250), compact(35_000_000)], ["999", "1.2k", "35M"]);
    }

    #[test]
    fn a_small_number_beside_a_large_one_is_still_seen() {
        let series = [Series { name: "calls", tone: "accent", values: vec![1, 100_000] }];
        let drawn = bars("Calls", &series, Times { from: 0, width: 60_000 }).into_string();
        assert_eq!(drawn.matches("<rect").count(), 2);
        assert!(drawn.contains("height=\"1\"") && drawn.contains("01-01 00:01: 100000 calls"), "{drawn}");
        assert!(!drawn.contains("style="));
    }
}
