//! Small charts of the experiments, as SVG.

use std::fmt::Write;

const WIDTH: f64 = 460.0;
const HEIGHT: f64 = 200.0;
const LEFT: f64 = 50.0;
const BOTTOM: f64 = 28.0;
const TOP: f64 = 10.0;
/// Colours of the style sheet.
const COLOURS: usize = 6;

/// A line with its name; one value a label of the axis.
pub struct Line<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its values.
    pub values: Vec<f64>,
}

/// Lines over common labels, from 0 to the greatest value.
pub fn lines(labels: &[String], lines: &[Line<'_>]) -> String {
    let values = lines.iter().flat_map(|line| &line.values);
    let top = values.fold(f64::MIN_POSITIVE, |top, &value| top.max(value));
    let step = (WIDTH - LEFT - 20.0) / (labels.len().max(2) - 1) as f64;
    let x = |place: usize| LEFT + 6.0 + step * place as f64;
    let y = |value: f64| TOP + (HEIGHT - BOTTOM - TOP) * (1.0 - value / top);
    let mut svg = frame(top, y);
    for (place, label) in labels.iter().enumerate() {
        let _ = write!(
            svg,
            r#"<text x="{:.1}" y="{}" text-anchor="middle">{label}</text>"#,
            x(place),
            HEIGHT - 8.0
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
            line.name
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
    let mut svg = frame(top, y);
    for (place, (label, value)) in labels.iter().zip(values).enumerate() {
        let x = LEFT + step * place as f64;
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

fn frame(top: f64, y: impl Fn(f64) -> f64) -> String {
    let mut svg = format!(r#"<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img">"#);
    for part in 0..=4 {
        let value = top * f64::from(part) / 4.0;
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
