//! What silence costs: answered queries against queries that rightly get no answer, at every threshold of a search's sureness.
//!
//! Is: one line for each folder and kind of unanswerable query, with marks where the shipped thresholds stand; as a drawing without
//! a background, in colours that can be read on dark and light, and as a table. Is not: the choice of a threshold.

use super::honest::{Honesty, Kind, Told};
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// Colours of the folders, in turn.
const COLOURS: [&str; 6] = ["#3d85c6", "#cf7a1f", "#38965c", "#a763c2", "#c94f5d", "#808a1f"];
/// Of axes and words.
const GREY: &str = "#7b7b7b";
/// The drawing's field, in pixels.
const SIDE: f64 = 400.0;
const LEFT: f64 = 60.0;
const TOP: f64 = 20.0;
const WIDTH: f64 = 800.0;
const HEIGHT: f64 = 480.0;

/// Where a threshold leads: the share of queries that are still answered, of those whose right tool is found at all, and the share of
/// unanswerable ones that are not answered.
type Point = (f64, f64);

/// One kind of unanswerable query in one folder.
struct Line {
    folder: String,
    kind: &'static str,
    dashed: bool,
    points: Vec<Point>,
    /// As shipped: where nothing is said, and where what is said is marked as well.
    marks: [Point; 2],
}

/// All lines.
#[derive(Default)]
pub(crate) struct Curve(Vec<Line>);

impl Curve {
    /// Adds a folder, searched as shipped, and with every tool let through.
    pub(crate) fn add(&mut self, folder: &str, [shipped, open]: [Honesty; 2]) {
        let found = open.answerable.share(|told| told.right);
        for dashed in [false, true] {
            let kind = if dashed { "right tools taken out" } else { "for what no tool does" };
            let [of_shipped, of_open] = [&shipped, &open].map(|all| if dashed { &all.taken_out } else { &all.unrelated });
            let point = |answerable: &Kind, unanswerable: &Kind, is: &dyn Fn(&Told) -> bool| {
                (answerable.share(|told| told.right && is(told)) / found, unanswerable.share(|told| !is(told)))
            };
            let levels: BTreeSet<u16> = open.answerable.0.iter().chain(&of_open.0).map(|told| told.confidence).collect();
            let points = levels.iter().map(|level| point(&open.answerable, of_open, &|told| !told.nothing && told.confidence >= *level));
            let marks = [
                point(&shipped.answerable, of_shipped, &|told| !told.nothing),
                point(&shipped.answerable, of_shipped, &|told| !told.nothing && !told.low),
            ];
            let points = points.chain([(0.0, 1.0)]).collect();
            self.0.push(Line { folder: folder.replace(['<', '&'], "_"), kind, dashed, points, marks });
        }
    }

    /// The silence that each share of answers leaves.
    pub(crate) fn table(&self) -> String {
        let kept = [0.99, 0.95, 0.9, 0.8];
        let mut out = String::from("| silent, of queries | folder |");
        kept.iter().for_each(|kept| out += &format!(" at {kept:.2} answered |"));
        out += " as shipped | answered |\n|---|---|--:|--:|--:|--:|--:|--:|";
        for Line { folder, kind, points, marks: [_, (answered, silent)], .. } in &self.0 {
            let _ = write!(out, "\n| {kind} | {folder} |");
            for kept in kept {
                let best = points.iter().filter(|(answered, _)| *answered >= kept).map(|(_, silent)| *silent).fold(0.0, f64::max);
                let _ = write!(out, " {best:.2} |");
            }
            let _ = write!(out, " {silent:.2} | {answered:.2} |");
        }
        out
    }

    pub(crate) fn svg(&self) -> String {
        let mut out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"sans-serif\" font-size=\"13\" fill=\"{GREY}\">\n\
             <title>Queries that are answered against unanswerable ones that are not</title>\n"
        );
        for fifth in 0..=5u32 {
            let share = f64::from(fifth) / 5.0;
            let (x, y) = place((share, share));
            let (right, bottom) = place((1.0, 0.0));
            let _ = writeln!(
                out,
                "<path d=\"M{x:.0} {TOP}V{bottom:.0}M{LEFT} {y:.0}H{right:.0}\" stroke=\"{GREY}\" stroke-opacity=\".35\" fill=\"none\"/>\n\
                 <text x=\"{x:.0}\" y=\"{:.0}\" text-anchor=\"middle\">{share:.1}</text>\n\
                 <text x=\"{:.0}\" y=\"{:.0}\" text-anchor=\"end\">{share:.1}</text>",
                bottom + 20.0,
                LEFT - 8.0,
                y + 4.0
            );
        }
        let _ = writeln!(
            out,
            "<text x=\"{:.0}\" y=\"{:.0}\" text-anchor=\"middle\">queries that are answered</text>\n\
             <text transform=\"translate(18 {:.0}) rotate(-90)\" text-anchor=\"middle\">unanswerable queries that are not</text>",
            LEFT + SIDE / 2.0,
            TOP + SIDE + 45.0,
            TOP + SIDE / 2.0
        );
        for (number, (line, colour)) in self.0.iter().zip(COLOURS.iter().flat_map(|colour| [colour; 2]).cycle()).enumerate() {
            out += &line.drawn(number, colour);
        }
        out + "</svg>\n"
    }
}

impl Line {
    fn drawn(&self, number: usize, colour: &str) -> String {
        let dashes = if self.dashed { " stroke-dasharray=\"6 4\"" } else { "" };
        let stroke = format!("stroke=\"{colour}\" stroke-width=\"2\" fill=\"none\"{dashes}");
        let mut path = String::new();
        for (count, point) in self.points.iter().enumerate() {
            let (x, y) = place(*point);
            let _ = write!(path, "{}{x:.1} {y:.1}", if count == 0 { 'M' } else { 'L' });
        }
        let mut out = format!("<path d=\"{path}\" {stroke}/>\n");
        for (radius, point) in [6, 3].iter().zip(self.marks) {
            let (x, y) = place(point);
            let _ = writeln!(out, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius}\" fill=\"{colour}\"/>");
        }
        let (x, y) = (LEFT + SIDE + 20.0, TOP + 14.0 + 22.0 * number as f64);
        let Self { folder, kind, .. } = self;
        let _ = writeln!(
            out,
            "<path d=\"M{x:.0} {:.0}h24\" {stroke}/>\n<text x=\"{:.0}\" y=\"{y:.0}\" fill=\"{colour}\">{folder}: {kind}</text>",
            y - 4.0,
            x + 30.0
        );
        out
    }
}

/// Where a point stands in the drawing.
fn place((answered, silent): Point) -> (f64, f64) {
    (SIDE.mul_add(answered, LEFT), SIDE.mul_add(1.0 - silent, TOP))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::indexing_slicing)]
    use super::*;

    #[test]
    fn a_threshold_gives_up_answers_for_silence() {
        let told = |right, confidence| Told { nothing: false, low: confidence < 500, right, confidence };
        let honesty = || Honesty {
            answerable: Kind(vec![told(true, 900), told(true, 600), told(true, 400), told(false, 700)]),
            taken_out: Kind(vec![told(false, 700), told(false, 300)]),
            unrelated: Kind(vec![told(false, 100), told(false, 200)]),
        };
        let mut curve = Curve::default();
        curve.add("a<b", [honesty(), honesty()]);
        let unrelated = &curve.0[0];
        assert_eq!(unrelated.points[0], (1.0, 0.0));
        assert!(unrelated.points.contains(&(1.0, 1.0)), "at 400: {:?}", unrelated.points);
        assert!(curve.0[1].points.iter().any(|point| point.1 == 1.0 && (point.0 - 1.0 / 3.0).abs() < 1e-9), "at 900");
        assert!((unrelated.marks[1].0 - 2.0 / 3.0).abs() < 1e-9 && unrelated.marks[0] == (1.0, 0.0));
        assert!(curve.table().contains("| for what no tool does | a_b | 1.00 | 1.00 | 1.00 | 1.00 | 1.00 | 0.67 |"), "{}", curve.table());
    }
}
