//! Charts as SVG: the harvest of a crawl, and lines and bars of experiments.

use std::fmt::Write;

use askama::filters::{Html, escape};
use linkscent_core::crawl::Expected;

const WIDTH: f64 = 460.0;
const HEIGHT: f64 = 200.0;
const LEFT: f64 = 50.0;
const BOTTOM: f64 = 28.0;
const TOP: f64 = 10.0;
/// The same of the curve of a harvest, which stands alone on its screen.
const CURVE_WIDTH: f64 = 640.0;
const CURVE_HEIGHT: f64 = 220.0;
const CURVE_LEFT: f64 = 44.0;
const CURVE_MARGIN: f64 = 26.0;
/// Colours of the style sheet.
const COLOURS: usize = 6;

/// Writes a text as HTML.
pub fn escaped(text: &str) -> String {
    escape(text, Html)
        .map(|text| text.to_string())
        .unwrap_or_default()
}

/// A line with its name; one value a label of the axis.
pub struct Line<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its values.
    pub values: Vec<f64>,
}

/// Lines over common labels, from 0 to the greatest value.
pub fn lines(labels: &[String], lines: &[Line<'_>]) -> String {
    drawn(labels, lines, false)
}

/// The same on a logarithmic scale, from 1: less is drawn as 1.
pub fn log_lines(labels: &[String], lines: &[Line<'_>]) -> String {
    drawn(labels, lines, true)
}

fn drawn(labels: &[String], lines: &[Line<'_>], is_log: bool) -> String {
    let values = lines.iter().flat_map(|line| &line.values);
    let top = values.fold(f64::MIN_POSITIVE, |top, &value| top.max(value));
    let step = (WIDTH - LEFT - 20.0) / (labels.len().max(2) - 1) as f64;
    let x = |place: usize| LEFT + 6.0 + step * place as f64;
    let y = |value: f64| TOP + (HEIGHT - BOTTOM - TOP) * (1.0 - value / top);
    let y = |value: f64| {
        if is_log {
            y(top * value.max(1.0).ln() / top.max(2.0).ln())
        } else {
            y(value)
        }
    };
    let marks: Vec<f64> = if is_log {
        (0..=top.max(1.0).log10() as i32)
            .map(|power| 10_f64.powi(power))
            .collect()
    } else {
        quarters(top)
    };
    let mut svg = frame(&marks, y);
    for (place, label) in labels.iter().enumerate() {
        let _ = write!(
            svg,
            r#"<text x="{:.1}" y="{}" text-anchor="middle">{}</text>"#,
            x(place),
            HEIGHT - 8.0,
            escaped(label)
        );
    }
    let mut legend = String::new();
    for (number, line) in lines.iter().enumerate() {
        let dash = ["", " dashed", " dotted"][(number + number / COLOURS) % 3];
        let class = format!("c{}{dash}", number % COLOURS);
        let mut path = String::new();
        for (place, value) in line.values.iter().enumerate() {
            let command = if place == 0 { 'M' } else { 'L' };
            let _ = write!(path, "{command}{:.1} {:.1}", x(place), y(*value));
        }
        let _ = write!(svg, r#"<path class="line {class}" d="{path}"/>"#);
        let _ = write!(
            legend,
            r#"<li><svg viewBox="0 0 34 8"><path class="line {class}" d="M0 4H34"/></svg> {}</li>"#,
            escaped(line.name)
        );
    }
    format!("<div class=\"card\">{svg}</svg><ul class=\"legend\">{legend}</ul></div>")
}

/// Bars, one a label.
pub fn bars(labels: &[String], values: &[f64]) -> String {
    let top = values
        .iter()
        .fold(f64::MIN_POSITIVE, |top, &value| top.max(value));
    let step = (WIDTH - LEFT - 10.0) / labels.len().max(1) as f64;
    let y = |value: f64| TOP + (HEIGHT - BOTTOM - TOP) * (1.0 - value / top);
    let mut svg = frame(&quarters(top), y);
    for (place, (label, value)) in labels.iter().zip(values).enumerate() {
        let x = LEFT + step * place as f64;
        let label = escaped(label);
        let _ = write!(
            svg,
            r#"<rect class="bar" x="{:.1}" y="{:.1}" width="{:.1}" height="{:.1}"><title>{label}: {value:.4}</title></rect><text x="{:.1}" y="{}" text-anchor="middle">{label}</text>"#,
            x + 1.0,
            y(*value),
            (step - 2.0).max(1.0),
            y(0.0) - y(*value),
            x + step / 2.0,
            HEIGHT - 8.0
        );
    }
    format!("<div class=\"card\">{svg}</svg></div>")
}

fn quarters(top: f64) -> Vec<f64> {
    (0..=4).map(|part| top * f64::from(part) / 4.0).collect()
}

fn frame(marks: &[f64], y: impl Fn(f64) -> f64) -> String {
    let mut svg = format!(r#"<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img">"#);
    for &value in marks {
        let _ = write!(
            svg,
            r#"<path class="grid" d="M{LEFT} {0:.1}H{WIDTH}"/><text x="{1}" y="{2:.1}" text-anchor="end">{3}</text>"#,
            y(value),
            LEFT - 5.0,
            y(value) + 4.0,
            short(value)
        );
    }
    svg
}

fn short(value: f64) -> String {
    if value >= 10.0 || value == 0.0 {
        format!("{value:.0}")
    } else if value >= 0.1 {
        format!("{value:.2}")
    } else {
        format!("{value:.1e}")
    }
}

/// The curve of a crawl, from whether each scored page was relevant. A dashed
/// line shows a crawl in which every page is.
pub fn harvest(relevant: &[bool]) -> String {
    curve(relevant, &[], "pages scored")
}

/// The same over its requests: what was found for what it cost; and how many there were to be found,
/// as was estimated by the number of requests.
pub fn cost(relevant: &[bool], there_are: &[(usize, Expected)]) -> String {
    curve(relevant, there_are, "requests")
}

fn curve(relevant: &[bool], there_are: &[(usize, Expected)], over: &str) -> String {
    let all = relevant.len().max(1);
    let found = relevant.iter().filter(|hit| **hit).count();
    let estimated = thinned(relevant, there_are);
    // Of what was estimated on the way only what has room is drawn.
    let top = estimated
        .last()
        .map_or(found, |point| found.max(point.about))
        .max(1);
    let x = |n: usize| CURVE_LEFT + (CURVE_WIDTH - CURVE_LEFT - 8.0) * n as f64 / all as f64;
    let y = |n: usize| {
        CURVE_MARGIN + (CURVE_HEIGHT - CURVE_MARGIN - CURVE_MARGIN) * (1.0 - n as f64 / top as f64)
    };
    let step = all.div_ceil(300);
    let mut path = format!("M{:.1} {:.1}", x(0), y(0));
    let mut count = 0;
    for (index, hit) in relevant.iter().enumerate() {
        count += usize::from(*hit);
        if (index + 1).is_multiple_of(step) || index + 1 == relevant.len() {
            let _ = write!(path, "L{:.1} {:.1}", x(index + 1), y(count));
        }
    }
    let (x0, x1, y0, y1) = (x(0), x(all), y(0), y(top));
    let best = top.min(all);
    let (perfect, perfect_y) = (x(best), y(best));
    let expected = drawn_estimates(&estimated, x, |n| y(n.min(top)));
    let dotted = if estimated.is_empty() {
        ""
    } else {
        "; dotted: about how many there are to be found, as was estimated then; shaded: how far off \
         that may be"
    };
    format!(
        r#"<figure class="plot"><svg class="chart" viewBox="0 0 {CURVE_WIDTH} {CURVE_HEIGHT}" role="img" aria-label="{found} relevant pages among {all} {over}">
<path class="axis" d="M{x0} {y1}V{y0}H{x1}"/>
{expected}<path class="perfect" d="M{x0} {y0}L{perfect:.1} {perfect_y:.1}"/>
<path class="curve" d="{path}"/>
<text x="{tx}" y="{ty}" text-anchor="end">{top}</text><text x="{tx}" y="{y0}" text-anchor="end">0</text>
<text x="{x1}" y="{by}" text-anchor="end">{all} {over}</text>
</svg><figcaption>Relevant pages found; dashed: if every page were{dotted}.</figcaption></figure>"#,
        tx = x0 - 6.0,
        ty = y1 + 8.0,
        by = CURVE_HEIGHT - 6.0,
    )
}

/// A point of the line of all there is to be found.
struct Estimated {
    requests: usize,
    least: usize,
    about: usize,
    most: usize,
}

/// Requests after which an estimate is drawn: before, hardly anything was learned.
const LEARNED: usize = 100;

/// At most a few hundred points.
fn thinned(relevant: &[bool], there_are: &[(usize, Expected)]) -> Vec<Estimated> {
    let learned = there_are.partition_point(|(requests, _)| *requests < LEARNED);
    let there_are = &there_are[learned..];
    let step = there_are.len().div_ceil(300).max(1);
    let last = there_are.len().saturating_sub(1);
    let number = |many: u64| usize::try_from(many).unwrap_or(usize::MAX);
    let points = there_are.iter().enumerate();
    points
        .filter(|(place, _)| place.is_multiple_of(step) || *place == last)
        .map(|(_, (requests, all))| Estimated {
            requests: (*requests).min(relevant.len()),
            least: number(all.least),
            about: number(all.about),
            most: number(all.most),
        })
        .collect()
}

fn drawn_estimates(
    points: &[Estimated],
    x: impl Fn(usize) -> f64,
    y: impl Fn(usize) -> f64,
) -> String {
    if points.is_empty() {
        return String::new();
    }
    let (mut line, mut above, mut below) = (String::new(), String::new(), String::new());
    for (place, point) in points.iter().enumerate() {
        let command = if place == 0 { 'M' } else { 'L' };
        let x = x(point.requests);
        let _ = write!(line, "{command}{x:.1} {:.1}", y(point.about));
        let _ = write!(above, "{command}{x:.1} {:.1}", y(point.most));
        below = format!("L{x:.1} {:.1}{below}", y(point.least));
    }
    format!("<path class=\"band\" d=\"{above}{below}Z\"/><path class=\"estimate\" d=\"{line}\"/>\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_labels_are_escaped() {
        let labels = ["<b>".to_owned()];
        let (name, values) = ("<i>", vec![1.0]);
        let drawn = lines(&labels, &[Line { name, values }]) + &bars(&labels, &[1.0]);
        assert!(!drawn.contains("<b>") && !drawn.contains("<i>"), "{drawn}");
    }

    #[test]
    fn what_there_is_stands_above_what_was_found() {
        let expected = |about: u64| Expected::around(about as f64);
        let mut hits = [false; 400];
        (hits[0], hits[300]) = (true, true);
        let counted = [(99, 50), (200, 5), (400, 4), (900, 0)];
        let counted = counted.map(|(at, about)| (at, expected(about)));
        let points = thinned(&hits, &counted);
        let all: Vec<_> = points
            .iter()
            .map(|point| [point.requests, point.least, point.about, point.most])
            .collect();
        assert_eq!(all, [[200, 1, 5, 17], [400, 0, 4, 14], [400, 0, 0, 2]]);
        let svg = cost(&hits, &counted[..3]);
        // The four that there are at the end are the top, and what does not fit is drawn there.
        assert!(
            svg.contains("class=\"estimate\" d=\"M338.0 26.0L632.0 26.0\""),
            "{svg}"
        );
        assert!(svg.contains(">4</text>"), "{svg}");
        let many: Vec<(usize, Expected)> = (1..50_000).map(|at| (at, expected(3))).collect();
        assert!(cost(&vec![true; 100_000], &many).len() < 40_000);
        assert!(!cost(&hits, &[]).contains("estimate"));
    }

    #[test]
    fn the_curve_ends_at_its_counts() {
        let svg = harvest(&[true, false, true, false]);
        assert!(svg.contains("2 relevant pages among 4 pages scored"));
        assert!(svg.contains("L632.0 26.0\""), "{svg}");
        assert!(harvest(&[]).contains("0 relevant"));
        assert!(harvest(&vec![true; 100_000]).len() < 10_000);
    }
}
