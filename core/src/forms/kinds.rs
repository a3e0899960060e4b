//! What kind of form it is, by a decision tree over its [`FormShape`] (\[D\] 3.4,
//! the generic form classifier). Everything hangs on whether it is *searchable*:
//! whether it asks a database.
//!
//! The tree that ships was trained by `linkscent-lab forms` on forms that
//! people had annotated; it is a text file that can be read.

use std::cmp::Reverse;
use std::sync::OnceLock;

use super::shape::FormShape;
use super::tree::{FormTree, KindsError};
use crate::dom::Form;
use crate::models::TreeParams;

const GROWTH: TreeParams = TreeParams {
    deepest: 24,
    smallest_leaf: 3,
};
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

/// What a form is for: one tree for whether a form is searchable, one for what the
/// others are.
#[derive(Debug, Clone, PartialEq)]
pub struct FormKinds {
    searchable: FormTree,
    others: FormTree,
}

/// What the trees say of a form.
#[derive(Debug, Clone, PartialEq)]
pub struct KindVerdict {
    /// The likeliest kind.
    pub kind: FormKind,
    /// The share of searchable forms among those of the same leaf, one more of
    /// each sort counted, 0..=1.
    pub searchable: f64,
    /// The features by which it was decided whether it is searchable.
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
    ///
    /// # Panics
    /// Never: a test reads the text that ships.
    pub fn shipped() -> &'static Self {
        static KINDS: OnceLock<FormKinds> = OnceLock::new();
        KINDS.get_or_init(|| Self::read(SHIPPED).expect("a test reads it"))
    }

    /// Trains on forms of known kinds.
    pub fn train(examples: &[(&FormShape, FormKind)]) -> Self {
        let is_searchable = |kind: FormKind| usize::from(kind == FormKind::Search);
        let two = examples
            .iter()
            .map(|&(shape, kind)| (shape, is_searchable(kind)));
        let two: Vec<_> = two.collect();
        let others = examples
            .iter()
            .filter(|example| is_searchable(example.1) == 0);
        let others: Vec<_> = others
            .map(|&(shape, kind)| (shape, kind as usize))
            .collect();
        Self {
            searchable: FormTree::train(&two, 2, GROWTH),
            others: FormTree::train(&others, FormKind::ALL.len(), GROWTH),
        }
    }

    /// Judges a form.
    pub fn judge(&self, form: &Form) -> KindVerdict {
        self.judge_shape(&FormShape::of(form))
    }

    /// Judges a form by what it looks like.
    pub fn judge_shape(&self, shape: &FormShape) -> KindVerdict {
        let (asked, counts) = self.searchable.leaf(shape);
        let [no, yes] = [0, 1].map(|class| f64::from(counts[class]));
        let kind = if yes > no {
            FormKind::Search
        } else {
            let counts = self.others.leaf(shape).1.iter().enumerate();
            let best = counts.max_by_key(|&(kind, count)| (count, Reverse(kind)));
            best.map_or(FormKind::Other, |best| FormKind::ALL[best.0].0)
        };
        KindVerdict {
            kind,
            searchable: (yes + 1.0) / (no + yes + 2.0),
            asked: asked.into_iter().map(str::to_owned).collect(),
        }
    }

    /// Nodes of both trees.
    pub fn size(&self) -> usize {
        self.searchable.size() + self.others.size()
    }

    /// As text: a title, the nodes of the first tree, an empty line, the nodes of
    /// the second.
    pub fn write(&self) -> String {
        format!(
            "{TITLE}\n{}\n{}",
            self.searchable.write(),
            self.others.write()
        )
    }

    /// Back from [`Self::write`].
    pub fn read(text: &str) -> Result<Self, KindsError> {
        let lines: Vec<(usize, &str)> = (1..).zip(text.lines()).collect();
        let wrong = |line, message| KindsError { line, message };
        let Some(((_, TITLE), nodes)) = lines.split_first() else {
            return Err(wrong(1, "this is no tree of form kinds"));
        };
        let gap = nodes.iter().position(|line| line.1.is_empty());
        let gap = gap.ok_or_else(|| wrong(lines.len(), "the second tree is missing"))?;
        Ok(Self {
            searchable: FormTree::read(&nodes[..gap], 2)?,
            others: FormTree::read(&nodes[gap + 1..], FormKind::ALL.len())?,
        })
    }
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
        let examples: Vec<_> = shapes.iter().zip((0..).map(kind)).collect();
        let tree = FormKinds::train(&examples);
        let read = FormKinds::read(&tree.write()).unwrap();
        assert_eq!(read.write(), tree.write());
        for (shape, kind) in examples {
            assert_eq!(read.judge_shape(shape).kind, kind);
        }
    }

    #[test]
    fn what_is_no_tree_is_refused_with_its_line() {
        let good = "leaf 0 1\n\nleaf 0 0 0 0 0 0 0 1";
        assert!(FormKinds::read(&format!("form kinds 1\n{good}")).is_ok());
        let cases = [
            ("", 1),
            ("form kinds 1", 1),
            ("form kinds 1\nleaf 1\n\nleaf 0 0 0 0 0 0 0 1", 2),
            (
                "form kinds 1\nask 0.5 1 9 count text\nleaf 0 1\n\nleaf 1",
                3,
            ),
            ("form kinds 1\nask NaN 1 1 x\nleaf 0 1\n\nleaf 1", 2),
            ("form kinds 1\nleaf 0 1\n\nbranch", 4),
        ];
        for (text, line) in cases {
            assert_eq!(FormKinds::read(text).unwrap_err().line, line, "{text:?}");
        }
    }
}
