//! Labelled sequences as files, to be looked at, exchanged and trained on: the
//! text format of `CRFsuite` with real values, or lines of JSON.
//!
//! `CRFsuite`: a line a position, `label<TAB>feature:value<TAB>...`, an empty line
//! after every sequence; `:` and `\` within a name are escaped by `\`, and a
//! value of 1 may be left out. Where a sequence's pages are known, a comment before it,
//! `# KIND<TAB>page<TAB>page...`, names them. JSON: a line a sequence,
//! `[["T1", {"feature": 0.5}], ...]`, or with its pages
//! `{"kind": KIND, "pages": [...], "positions": [["T1", {"feature": 0.5}], ...]}`.

use std::fs::File;
use std::io::{BufRead, BufWriter, Write};
use std::path::Path;

use anyhow::{Context, Result, bail};
use linkscent_core::hops::FeatureIndex;
use linkscent_core::models::{Feature, Sequences};
use serde::Deserialize;
use serde_json::{Map, Value, json};

/// Labels of states at most.
const MOST_LABELS: usize = 64;

/// Sequences with the names of their features and states.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Named {
    /// The sequences.
    pub sequences: Sequences,
    /// Names of the features.
    pub features: FeatureIndex,
    /// Names of the states, by number.
    pub labels: Vec<String>,
    /// Where each sequence is from; empty where nobody knows.
    pub origins: Vec<Origin>,
}

/// Where a sequence is from.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Origin {
    /// What it is: a path, a walk.
    pub kind: String,
    /// The page at each position.
    pub pages: Vec<String>,
}

/// How a file is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// `CRFsuite`'s text.
    Crfsuite,
    /// Lines of JSON.
    Json,
}

impl Format {
    /// By the ending: `.jsonl` is JSON, all else `CRFsuite`'s.
    pub fn of(path: &Path) -> Self {
        if path.extension().is_some_and(|end| end == "jsonl") {
            Self::Json
        } else {
            Self::Crfsuite
        }
    }
}

type Position = (Vec<Feature>, u8);
type Rows = Vec<(String, Map<String, Value>)>;

/// A line of JSON.
#[derive(Deserialize)]
#[serde(untagged)]
enum Line {
    Positions(Rows),
    WithPages {
        #[serde(default)]
        kind: String,
        #[serde(default)]
        pages: Vec<String>,
        positions: Rows,
    },
}

impl Line {
    fn parts(self) -> (Rows, Origin) {
        match self {
            Self::Positions(positions) => (positions, Origin::default()),
            Self::WithPages {
                kind,
                pages,
                positions,
            } => (positions, Origin { kind, pages }),
        }
    }
}

impl Named {
    /// Hop distances `T0`, `T1`, ... as labels.
    pub fn of_hops(sequences: Sequences, features: FeatureIndex) -> Self {
        let labels = (0..linkscent_core::hops::STATES).map(|state| format!("T{state}"));
        Self {
            sequences,
            features,
            labels: labels.collect(),
            origins: Vec::new(),
        }
    }

    /// Writes all sequences to a file, in the format of its ending.
    pub fn write_file(&self, path: &Path) -> Result<()> {
        let place = || format!("writing {}", path.display());
        let mut out = BufWriter::new(File::create(path).with_context(place)?);
        self.write(Format::of(path), &mut out).with_context(place)?;
        out.flush().with_context(place)
    }

    /// Writes all sequences.
    pub fn write(&self, format: Format, mut out: impl Write) -> Result<()> {
        for (number, positions) in self.sequences.iter().enumerate() {
            let mut line = Vec::new();
            let origin = self
                .origins
                .get(number)
                .filter(|origin| !origin.pages.is_empty());
            if let (Format::Crfsuite, Some(origin)) = (format, origin) {
                writeln!(out, "# {}\t{}", origin.kind, origin.pages.join("\t"))?;
            }
            for at in positions {
                let label = &self.labels[self.sequences.state(at)];
                let features = self.sequences.observation(at);
                match format {
                    Format::Crfsuite => {
                        let sign = if label.starts_with('#') { "\\" } else { "" };
                        write!(out, "{sign}{}", escaped(label))?;
                        for &(feature, value) in features {
                            write!(out, "\t{}:{value}", escaped(self.features.name(feature)))?;
                        }
                        writeln!(out)?;
                    }
                    Format::Json => {
                        let features: Map<String, Value> = features
                            .iter()
                            .map(|&(feature, value)| {
                                (self.features.name(feature).to_owned(), json!(value))
                            })
                            .collect();
                        line.push(json!([label, features]));
                    }
                }
            }
            match format {
                Format::Crfsuite => writeln!(out)?,
                Format::Json => match origin {
                    Some(Origin { kind, pages }) => {
                        let line = json!({ "kind": kind, "pages": pages, "positions": line });
                        writeln!(out, "{line}")?;
                    }
                    None => writeln!(out, "{}", Value::Array(line))?,
                },
            }
        }
        Ok(())
    }

    /// Reads sequences; what is wrong is named with its line.
    pub fn read(format: Format, input: impl BufRead) -> Result<Self> {
        let mut named = Self::default();
        let mut waiting: Vec<Position> = Vec::new();
        let mut origin = Origin::default();
        for (number, line) in input.lines().enumerate() {
            let place = || format!("line {}", number + 1);
            let line = line.with_context(place)?;
            match format {
                Format::Crfsuite if line.trim().is_empty() => {
                    named.push(std::mem::take(&mut waiting), std::mem::take(&mut origin));
                }
                Format::Crfsuite if line.starts_with('#') => {
                    let mut fields = line[1..].trim_start().split('\t').map(str::to_owned);
                    origin = Origin {
                        kind: fields.next().unwrap_or_default(),
                        pages: fields.collect(),
                    };
                }
                Format::Crfsuite => waiting.push(named.text_position(&line).with_context(place)?),
                Format::Json => {
                    let line: Line = serde_json::from_str(&line)
                        .context("a list of [label, features] is wanted, or an object with it")
                        .with_context(place)?;
                    let (positions, origin) = line.parts();
                    let positions = named.json_sequence(positions).with_context(place)?;
                    named.push(positions, origin);
                }
            }
        }
        named.push(waiting, origin);
        if named.sequences.is_empty() {
            bail!("there is no sequence in it");
        }
        Ok(named)
    }

    /// Adds a sequence. What names other pages than it has positions is no origin of it.
    fn push(&mut self, positions: Vec<Position>, mut origin: Origin) {
        let (before, length) = (self.sequences.len(), positions.len());
        if origin.pages.len() != length {
            origin = Origin::default();
        }
        self.sequences.push(positions);
        self.origins
            .extend((self.sequences.len() > before).then_some(origin));
    }

    fn state(&mut self, label: &str) -> Result<u8> {
        let known = self.labels.iter().position(|known| known == label);
        let state = known.unwrap_or_else(|| {
            self.labels.push(label.to_owned());
            self.labels.len() - 1
        });
        if state >= MOST_LABELS {
            bail!("more than {MOST_LABELS} labels; the last is {label:?}");
        }
        Ok(state as u8)
    }

    fn text_position(&mut self, line: &str) -> Result<Position> {
        let mut fields = line.split('\t');
        let (label, _) = name_and_value(fields.next().unwrap_or_default())?;
        let state = self.state(&label)?;
        let mut features = Vec::new();
        for field in fields.filter(|field| !field.is_empty()) {
            let (name, value) = name_and_value(field)?;
            features.push((self.features.intern(&name), value));
        }
        Ok((features, state))
    }

    fn json_sequence(&mut self, rows: Rows) -> Result<Vec<Position>> {
        let mut positions = Vec::new();
        for (label, row) in rows {
            let state = self.state(&label)?;
            let mut features = Vec::new();
            for (name, value) in row {
                let value = value.as_f64().filter(|value| value.is_finite());
                let value = value.with_context(|| format!("the value of {name:?} is no number"))?;
                features.push((self.features.intern(&name), value as f32));
            }
            positions.push((features, state));
        }
        Ok(positions)
    }
}

fn escaped(name: &str) -> String {
    let name = name.replace('\\', "\\\\").replace(':', "\\:");
    name.replace(['\t', '\n', '\r'], " ")
}

/// `name` or `name:value`.
fn name_and_value(field: &str) -> Result<(String, f32)> {
    let mut name = String::new();
    let mut letters = field.char_indices();
    while let Some((at, letter)) = letters.next() {
        match letter {
            '\\' => name.extend(letters.next().map(|row| row.1)),
            ':' => {
                let value: f32 = field[at + 1..]
                    .parse()
                    .with_context(|| format!("{field:?} has no number behind its colon"))?;
                if !value.is_finite() {
                    bail!("{field:?}: the value is no number");
                }
                return Ok((name, value));
            }
            _ => name.push(letter),
        }
    }
    Ok((name, 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named() -> Named {
        let mut features = FeatureIndex::default();
        let (a, b) = (
            features.intern("link's address: a:b\\c"),
            features.intern("x"),
        );
        let mut sequences = Sequences::default();
        sequences.push([(vec![], 2), (vec![(a, 0.25), (b, 1.0)], 1)]);
        sequences.push([(vec![(b, -3.5)], 0)]);
        Named::of_hops(sequences, features)
    }

    /// As text, since numbers of states and features depend on the order met.
    fn lines(named: &Named) -> String {
        let mut out = Vec::new();
        named.write(Format::Crfsuite, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn both_formats_bring_everything_back() {
        let mut named = named();
        let pages = |pages: &[&str]| Origin {
            kind: "path".to_owned(),
            pages: pages.iter().map(ToString::to_string).collect(),
        };
        named.origins = vec![
            pages(&["http://a.test/", "http://b.test/"]),
            Origin::default(),
        ];
        named.labels[2] = "#2".to_owned();
        assert!(lines(&named).starts_with("# path\thttp://a.test/\thttp://b.test/\n\\#2\n"));
        assert!(lines(&named).contains("T1\tlink's address\\: a\\:b\\\\c:0.25\tx:1\n\n"));
        for format in [Format::Crfsuite, Format::Json] {
            let mut out = Vec::new();
            named.write(format, &mut out).unwrap();
            let back = Named::read(format, out.as_slice()).unwrap();
            assert_eq!(lines(&back), lines(&named), "{format:?}");
        }
    }

    #[test]
    fn what_is_wrong_is_named_with_its_line() {
        let said = |format: Format, text: &str| {
            let error = Named::read(format, text.as_bytes()).unwrap_err();
            format!("{error:#}")
        };
        assert!(said(Format::Crfsuite, "A\tx\nB\ty:z\n").starts_with("line 2: \"y:z\" has no"));
        assert!(said(Format::Crfsuite, "A\tx:nan\n").starts_with("line 1"));
        assert!(said(Format::Json, "[]\n{\n").starts_with("line 2: a list of"));
        assert!(said(Format::Json, "[[\"A\",{\"x\":\"y\"}]]").contains("\"x\" is no number"));
        assert_eq!(said(Format::Crfsuite, "\n\n"), "there is no sequence in it");
        let many: String = (0..99).map(|n| format!("L{n}\n")).collect();
        assert!(said(Format::Crfsuite, &many).starts_with("line 65: more than"));
        let plain = Named::read(Format::Crfsuite, "A\tx\ty\n\nB\n".as_bytes()).unwrap();
        assert_eq!(plain.sequences.len(), 2);
        assert_eq!(plain.sequences.observation(0), [(0, 1.0), (1, 1.0)]);
    }
}
