//! Why a link scores as it does, as a tree that adds up.

use crate::features::OffsetTerm;

/// How a node's value follows from its parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    /// A fact: there are no parts.
    Given,
    /// The sum of the parts.
    Sum,
    /// The product of the parts.
    Product,
    /// The first part divided by the second.
    Quotient,
    /// The greatest part.
    Maximum,
    /// The one part, log-odds, as a probability.
    Logistic,
    /// The natural logarithm of the sum of the parts.
    Logarithm,
}

impl Operation {
    /// What stands between a value and its parts, in words; empty for a fact.
    pub fn said(self) -> &'static str {
        match self {
            Self::Given => "",
            Self::Sum => "sum of",
            Self::Product => "product of",
            Self::Quotient => "first divided by second of",
            Self::Maximum => "greatest of",
            Self::Logistic => "probability by log-odds of",
            Self::Logarithm => "logarithm of",
        }
    }
}

/// A word near a link, and what became of links with that word there.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cue {
    /// The word and where it stands.
    pub feature: OffsetTerm,
    /// Occurrences at links that led to a good page.
    pub high: f32,
    /// Occurrences at links that did not.
    pub low: f32,
}

/// A number and where it comes from.
#[derive(Debug, Clone, PartialEq)]
pub struct Explanation {
    /// What the number is.
    pub label: String,
    /// The number.
    pub value: f64,
    /// How it follows from `parts`.
    pub operation: Operation,
    /// What it follows from.
    pub parts: Vec<Explanation>,
    /// The word it is about, if it is about one.
    pub cue: Option<Cue>,
}

impl Explanation {
    /// A fact.
    pub fn given(label: impl Into<String>, value: f64) -> Self {
        Self::of(label, Operation::Given, value, Vec::new())
    }

    /// The sum of `parts`.
    pub fn sum(label: impl Into<String>, parts: Vec<Self>) -> Self {
        Self::computed(label, Operation::Sum, parts)
    }

    /// The product of `parts`.
    pub fn product(label: impl Into<String>, parts: Vec<Self>) -> Self {
        Self::computed(label, Operation::Product, parts)
    }

    /// `above` divided by `below`.
    pub fn quotient(label: impl Into<String>, above: Self, below: Self) -> Self {
        Self::computed(label, Operation::Quotient, vec![above, below])
    }

    /// The greatest of `parts`.
    pub fn maximum(label: impl Into<String>, parts: Vec<Self>) -> Self {
        Self::computed(label, Operation::Maximum, parts)
    }

    /// The probability whose log-odds `part` is.
    pub fn logistic(label: impl Into<String>, part: Self) -> Self {
        Self::computed(label, Operation::Logistic, vec![part])
    }

    /// The natural logarithm of the sum of `parts`.
    pub fn logarithm(label: impl Into<String>, parts: Vec<Self>) -> Self {
        Self::computed(label, Operation::Logarithm, parts)
    }

    /// A number that stands for itself, with what it was found from.
    pub fn because(label: impl Into<String>, value: f64, parts: Vec<Self>) -> Self {
        Self::of(label, Operation::Given, value, parts)
    }

    /// Says which word it is about.
    #[must_use]
    pub fn about(mut self, cue: Cue) -> Self {
        self.cue = Some(cue);
        self
    }

    fn of(label: impl Into<String>, operation: Operation, value: f64, parts: Vec<Self>) -> Self {
        Self {
            label: label.into(),
            value,
            operation,
            parts,
            cue: None,
        }
    }

    fn computed(label: impl Into<String>, operation: Operation, parts: Vec<Self>) -> Self {
        let mut node = Self::of(label, operation, 0.0, parts);
        node.value = node.recomputed();
        node
    }

    /// The value as it follows from the parts' values.
    pub fn recomputed(&self) -> f64 {
        let values = self.parts.iter().map(|part| part.value);
        match self.operation {
            Operation::Given => self.value,
            Operation::Sum => values.sum(),
            Operation::Product => values.product(),
            Operation::Quotient => {
                let mut values = values;
                let above = values.next().unwrap_or(0.0);
                above / values.next().unwrap_or(1.0)
            }
            Operation::Maximum => values.fold(f64::NEG_INFINITY, f64::max),
            Operation::Logistic => 1.0 / (1.0 + (-values.sum::<f64>()).exp()),
            Operation::Logarithm => values.sum::<f64>().ln(),
        }
    }

    /// Every node, this one first.
    pub fn nodes(&self) -> impl Iterator<Item = &Self> {
        let mut waiting = vec![self];
        std::iter::from_fn(move || {
            let node = waiting.pop()?;
            waiting.extend(node.parts.iter().rev());
            Some(node)
        })
    }
}

impl std::fmt::Display for Explanation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        fn line(
            node: &Explanation,
            depth: usize,
            f: &mut std::fmt::Formatter<'_>,
        ) -> std::fmt::Result {
            let indent = depth * 2;
            write!(f, "{:indent$}{:+.4} {}", "", node.value, node.label)?;
            match node.operation.said() {
                "" => writeln!(f)?,
                operation => writeln!(f, " = {operation}")?,
            }
            node.parts
                .iter()
                .try_for_each(|part| line(part, depth + 1, f))
        }
        line(self, 0, f)
    }
}
