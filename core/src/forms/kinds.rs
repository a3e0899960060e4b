//! What kind of form it is, by a decision tree over its [`FormShape`] ([D] 3.4,
//! the generic form classifier). Everything hangs on whether it is *searchable*:
//! whether it asks a database.
//!
//! The tree that ships was trained by `linkscent train forms` on forms that
//! people had annotated; it is a text file that can be read.

use std::fmt::Write;
use std::sync::OnceLock;

use thiserror::Error;

use super::shape::FormShape;
use crate::dom::Form;
use crate::models::{DecisionTree, Growth, Row, TreeNode};

/// Questions on the way to a leaf, and forms in a leaf.
pub const GROWTH: Growth = Growth {
    deepest: 24,
    smallest_leaf: 2,
};
/// Forms that have to have a feature for it to be asked.
const FEWEST: usize = 4;
const SHIPPED: &str = include_str!("kinds.txt");
const TITLE: &str = "form kinds 1";

/// What a form is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FormKind {
    /// It asks a database.
    Search,
    /// Name and password of one who is known.
    Login,
    /// For one who wants to become known.
    Registration,
    /// For one who forgot.
    PasswordRecovery,
    /// A message or a comment.
    Contact,
    /// An address for a newsletter.
    MailingList,
    /// Something is bought.
    Order,
    /// Anything else.
    Other,
}

impl FormKind {
    /// All kinds, with the names that predicates call them by.
    pub const ALL: [(Self, &'static str); 8] = [
        (Self::Search, "search"),
        (Self::Login, "login"),
        (Self::Registration, "registration"),
        (Self::PasswordRecovery, "password recovery"),
        (Self::Contact, "contact"),
        (Self::MailingList, "mailing list"),
        (Self::Order, "order"),
        (Self::Other, "other"),
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        Self::ALL[self as usize].1
    }

    /// The kind of that name.
    pub fn named(name: &str) -> Option<Self> {
        let row = Self::ALL.iter().find(|row| row.1 == name)?;
        Some(row.0)
    }
}

/// What is wrong with a text that should be a tree of kinds.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("tree of form kinds, line {line}: {message}")]
pub struct KindsError {
    /// From 1.
    pub line: usize,
    /// What.
    pub message: &'static str,
}

/// See the module.
#[derive(Debug, Clone, PartialEq)]
pub struct FormKinds {
    tree: DecisionTree,
    /// Names of the features by number.
    features: Vec<String>,
}

/// What the tree says of a form.
#[derive(Debug, Clone, PartialEq)]
pub struct KindVerdict {
    /// The likeliest kind.
    pub kind: FormKind,
    /// The share of searchable forms among those of the same leaf, one more of
    /// each sort counted, 0..=1.
    pub searchable: f64,
    /// The features that decided.
    pub asked: Vec<String>,
}

impl KindVerdict {
    /// Whether the form asks a database.
    pub fn is_searchable(&self) -> bool {
        self.kind == FormKind::Search
    }
}

impl FormKinds {
    /// The one that ships.
    pub fn shipped() -> &'static Self {
        static TREE: OnceLock<FormKinds> = OnceLock::new();
        TREE.get_or_init(|| Self::read(SHIPPED).expect("a test reads it"))
    }

    /// Trains on forms of known kinds.
    pub fn train(lessons: &[(&FormShape, FormKind)], growth: Growth) -> Self {
        let mut seen = std::collections::BTreeMap::new();
        for (shape, _) in lessons {
            for (name, _) in shape.rows() {
                *seen.entry(name.to_owned()).or_insert(0) += 1;
            }
        }
        seen.retain(|_, forms| *forms >= FEWEST);
        let features: Vec<String> = seen.into_keys().collect();
        let row = |shape: &FormShape| -> Row {
            let cells = shape.rows().into_iter().filter_map(|(name, value)| {
                let feature = features.binary_search_by(|known| known.as_str().cmp(name));
                Some((feature.ok()? as u32, value))
            });
            cells.collect()
        };
        let rows: Vec<Row> = lessons.iter().map(|lesson| row(lesson.0)).collect();
        let labels: Vec<usize> = lessons.iter().map(|lesson| lesson.1 as usize).collect();
        Self {
            tree: DecisionTree::train(&rows, &labels, FormKind::ALL.len(), growth),
            features,
        }
    }

    /// Judges a form.
    pub fn judge(&self, form: &Form) -> KindVerdict {
        self.judge_shape(&FormShape::of(form))
    }

    /// Judges a form by what it looks like.
    pub fn judge_shape(&self, shape: &FormShape) -> KindVerdict {
        let (asked, counts) = self
            .tree
            .leaf(|feature| shape.get(&self.features[feature as usize]));
        let all: u32 = counts.iter().sum();
        let numbered = counts.iter().enumerate();
        let best = numbered.max_by_key(|&(kind, count)| (count, std::cmp::Reverse(kind)));
        let kind = best.map_or(FormKind::Other, |best| FormKind::ALL[best.0].0);
        let asked = asked.into_iter();
        KindVerdict {
            kind,
            searchable: (f64::from(counts[FormKind::Search as usize]) + 1.0)
                / (f64::from(all) + 2.0),
            asked: asked
                .map(|feature| self.features[feature as usize].clone())
                .collect(),
        }
    }

    /// Nodes of the tree.
    pub fn size(&self) -> usize {
        self.tree.nodes().len()
    }

    /// As text: a line a node, in the order of their numbers.
    pub fn write(&self) -> String {
        let mut text = format!("{TITLE}\n");
        for node in self.tree.nodes() {
            let _ = match node {
                TreeNode::Leaf(counts) => {
                    let counts: Vec<String> = counts.iter().map(u32::to_string).collect();
                    writeln!(text, "leaf {}", counts.join(" "))
                }
                TreeNode::Question {
                    feature,
                    threshold,
                    low,
                    high,
                } => {
                    let name = &self.features[*feature as usize];
                    writeln!(text, "ask {threshold} {low} {high} {name}")
                }
            };
        }
        text
    }

    /// Back from [`Self::write`].
    pub fn read(text: &str) -> Result<Self, KindsError> {
        let mut lines = (1..).zip(text.lines());
        let wrong = |line, message| KindsError { line, message };
        if lines.next().is_none_or(|line| line.1 != TITLE) {
            return Err(wrong(1, "this is no tree of form kinds"));
        }
        let (mut nodes, mut features) = (Vec::new(), Vec::<String>::new());
        for (number, line) in lines {
            let node = if let Some(counts) = line.strip_prefix("leaf ") {
                let counts: Result<Vec<u32>, _> = counts.split(' ').map(str::parse).collect();
                let counts = counts
                    .ok()
                    .filter(|counts| counts.len() == FormKind::ALL.len());
                TreeNode::Leaf(counts.ok_or_else(|| wrong(number, "a leaf has a count a kind"))?)
            } else {
                let question = read_question(line, &mut features);
                question.ok_or_else(|| wrong(number, "neither a question nor a leaf"))?
            };
            nodes.push(node);
        }
        let last = nodes.len() + 1;
        let tree = DecisionTree::from_nodes(nodes);
        let tree = tree.ok_or_else(|| wrong(last, "a question leads back or nowhere"))?;
        Ok(Self { tree, features })
    }
}

fn read_question(line: &str, features: &mut Vec<String>) -> Option<TreeNode> {
    let mut parts = line.strip_prefix("ask ")?.splitn(4, ' ');
    let threshold: f32 = parts.next()?.parse().ok()?;
    let low = parts.next()?.parse().ok()?;
    let high = parts.next()?.parse().ok()?;
    let name = parts.next()?;
    let known = features.iter().position(|feature| feature == name);
    let feature = known.unwrap_or_else(|| {
        features.push(name.to_owned());
        features.len() - 1
    });
    threshold.is_finite().then_some(TreeNode::Question {
        feature: feature as u32,
        threshold,
        low,
        high,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dom::{Field, LeafRange};

    fn form(kinds: &[(&str, &str)]) -> Form {
        let fields = kinds.iter().map(|(kind, naming)| Field {
            kind: (*kind).to_owned(),
            naming: (*naming).to_owned(),
            ..Field::default()
        });
        Form {
            action: "/go".to_owned(),
            method: "get".to_owned(),
            naming: String::new(),
            fields: fields.collect(),
            leaves: LeafRange { first: 0, end: 0 },
        }
    }

    #[test]
    fn the_tree_that_ships_tells_plain_cases() {
        let kinds = FormKinds::shipped();
        let cases: [(&[(&str, &str)], FormKind); 3] = [
            (
                &[("text", "q search"), ("submit", "search")],
                FormKind::Search,
            ),
            (
                &[
                    ("text", "username"),
                    ("password", "password"),
                    ("submit", "login"),
                ],
                FormKind::Login,
            ),
            (
                &[("email", "email newsletter"), ("submit", "subscribe")],
                FormKind::MailingList,
            ),
        ];
        for (fields, kind) in cases {
            let verdict = kinds.judge(&form(fields));
            assert_eq!(verdict.kind, kind, "{fields:?}: {verdict:?}");
            assert_eq!(verdict.searchable > 0.5, kind == FormKind::Search);
        }
    }

    #[test]
    fn a_tree_is_written_and_read() {
        let shapes: Vec<FormShape> = (0..20)
            .map(|n| {
                let naming = if n % 2 == 0 { "q" } else { "password" };
                FormShape::of(&form(&vec![("text", naming); 1 + n % 3]))
            })
            .collect();
        let kind = |n: usize| [FormKind::Search, FormKind::Login][n % 2];
        let lessons: Vec<_> = shapes.iter().zip((0..).map(kind)).collect();
        let tree = FormKinds::train(&lessons, GROWTH);
        let read = FormKinds::read(&tree.write()).unwrap();
        assert_eq!(read.write(), tree.write());
        for (shape, kind) in lessons {
            assert_eq!(read.judge_shape(shape).kind, kind);
        }
    }

    #[test]
    fn what_is_no_tree_is_refused_with_its_line() {
        let cases = [
            ("", 1),
            ("form kinds 1", 1),
            ("form kinds 1\nleaf 1 2", 2),
            (
                "form kinds 1\nask 0.5 1 9 count text\nleaf 0 0 0 0 0 0 0 1",
                3,
            ),
            ("form kinds 1\nask NaN 1 1 x\nleaf 0 0 0 0 0 0 0 1", 2),
            ("form kinds 1\nleaf 0 0 0 0 0 0 0 1\nbranch", 3),
        ];
        for (text, line) in cases {
            assert_eq!(FormKinds::read(text).unwrap_err().line, line, "{text:?}");
        }
    }
}
