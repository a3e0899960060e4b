//! The harvest curve as SVG: relevant pages found against pages fetched.

use std::fmt::Write;

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 220.0;
const LEFT: f64 = 44.0;
const TOP: f64 = 26.0;
const BOTTOM: f64 = 26.0;

/// The curve of a crawl, from whether each scored page was relevant. A dashed
/// line shows a crawl in which every page is.
pub fn harvest(relevant: &[bool]) -> String {
    let all = relevant.len().max(1);
    let found = relevant.iter().filter(|hit| **hit).count();
    let top = found.max(1);
    let x = |n: usize| LEFT + (WIDTH - LEFT - 8.0) * n as f64 / all as f64;
    let y = |n: usize| TOP + (HEIGHT - BOTTOM - TOP) * (1.0 - n as f64 / top as f64);
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
    let perfect = x(top.min(all));
    format!(
        r#"<svg class="chart" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{found} relevant pages among {all} fetched">
<path class="axis" d="M{x0} {y1}V{y0}H{x1}"/>
<path class="perfect" d="M{x0} {y0}L{perfect:.1} {y1}"/>
<path class="curve" d="{path}"/>
<text x="{tx}" y="{ty}" text-anchor="end">{top}</text><text x="{tx}" y="{y0}" text-anchor="end">0</text>
<text x="{x0}" y="{ly}">Relevant pages found; dashed: if every page were one</text>
<text x="{x1}" y="{by}" text-anchor="end">{all} pages scored</text>
</svg>"#,
        tx = x0 - 6.0,
        ty = y1 + 8.0,
        ly = TOP - 10.0,
        by = HEIGHT - 6.0,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_curve_ends_at_its_counts() {
        let svg = harvest(&[true, false, true, false]);
        assert!(svg.contains("2 relevant pages among 4 fetched"));
        assert!(svg.contains("L632.0 26.0\""), "{svg}");
        assert!(harvest(&[]).contains("0 relevant"));
        assert!(harvest(&vec![true; 100_000]).len() < 10_000);
    }
}
