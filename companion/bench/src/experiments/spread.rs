//! What an experiment found over all topics: mean, standard deviation and range of a figure.

use std::fmt::Write;

use serde_json::Value;

use crate::report::Section;

/// Which rows belong together, and which of their figures are looked at.
#[derive(Clone, Copy)]
pub struct Spread {
    /// The field by which rows are told apart.
    pub by: &'static str,
    /// The fields with figures.
    pub figures: &'static [&'static str],
}

/// A figure over topics.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Moments {
    topics: usize,
    mean: f64,
    deviation: f64,
    least: f64,
    most: f64,
}

impl Moments {
    fn of(values: &[f64]) -> Self {
        let topics = values.len();
        let mean = values.iter().sum::<f64>() / topics.max(1) as f64;
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        Self {
            topics,
            mean,
            deviation: (squares / topics.saturating_sub(1).max(1) as f64).sqrt(),
            least: values.iter().copied().fold(f64::INFINITY, f64::min),
            most: values.iter().copied().fold(f64::NEG_INFINITY, f64::max),
        }
    }
}

impl Spread {
    /// A line for each group of rows and figure.
    fn lines(self, rows: &[Value]) -> Vec<(String, &'static str, Moments)> {
        let name = |row: &Value| match &row[self.by] {
            Value::Null => None,
            Value::String(text) => Some(text.clone()),
            other => Some(other.to_string()),
        };
        let mut names: Vec<String> = Vec::new();
        for found in rows.iter().filter_map(name) {
            if !names.contains(&found) {
                names.push(found);
            }
        }
        let mut lines = Vec::new();
        for group in names {
            for &figure in self.figures {
                let of_group = rows.iter().filter(|row| name(row).as_ref() == Some(&group));
                let values: Vec<f64> = of_group.filter_map(|row| row[figure].as_f64()).collect();
                if !values.is_empty() {
                    lines.push((group.clone(), figure, Moments::of(&values)));
                }
            }
        }
        lines
    }

    /// As lines of text for the shell.
    pub fn text(self, rows: &[Value]) -> String {
        let mut text = format!(
            "{:<36} {:<20} {:>8} {:>8} {:>8} {:>8} {:>6}\n",
            self.by, "figure", "mean", "s.d.", "least", "most", "topics"
        );
        for (name, figure, found) in self.lines(rows) {
            let Moments {
                topics,
                mean,
                deviation,
                least,
                most,
            } = found;
            let _ = writeln!(
                text,
                "{name:<36} {figure:<20} {mean:>8.3} {deviation:>8.3} {least:>8.3} {most:>8.3} {topics:>6}"
            );
        }
        text
    }

    /// As a section of the report.
    pub fn section(self, experiment: &str, rows: &[Value]) -> Section {
        let mut body = format!(
            "<table><thead><tr><th>{}</th><th>figure</th><th>mean</th><th>s.d.</th><th>least</th>\
             <th>most</th><th>topics</th></tr></thead><tbody>",
            self.by
        );
        for (name, figure, found) in self.lines(rows) {
            let _ = write!(
                body,
                "<tr><td>{name}</td><td>{figure}</td><td>{:.3}</td><td>{:.3}</td><td>{:.3}</td>\
                 <td>{:.3}</td><td>{}</td></tr>",
                found.mean, found.deviation, found.least, found.most, found.topics
            );
        }
        body.push_str("</tbody></table>");
        Section {
            title: format!("{experiment}: over all topics"),
            body,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn moments_by_hand() {
        let rows = [
            json!({ "form": "a", "gap": 1.0 }),
            json!({ "form": "b", "gap": 7.0 }),
            json!({ "form": "a", "gap": 3.0 }),
            json!({ "form": "a", "gap": null }),
            json!({ "other": 5.0 }),
        ];
        let spread = Spread {
            by: "form",
            figures: &["gap"],
        };
        let found = spread.lines(&rows);
        let of_a = Moments {
            topics: 2,
            mean: 2.0,
            deviation: 2.0_f64.sqrt(),
            least: 1.0,
            most: 3.0,
        };
        assert_eq!(found[0], ("a".to_owned(), "gap", of_a));
        assert_eq!((found.len(), found[1].2.topics), (2, 1));
        assert!(spread.text(&rows).contains("2.000"));
    }
}
