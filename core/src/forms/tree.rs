//! A decision tree over [`FormShape`]s that can be written as text and read.

use std::collections::BTreeMap;
use std::fmt::Write;

use thiserror::Error;

use super::shape::FormShape;
use crate::models::{DecisionTree, Row, TreeNode, TreeParams};

/// Forms that have to have a feature for it to be asked.
const FEWEST: usize = 4;

/// What is wrong with a text that should be a tree of kinds.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("tree of form kinds, line {line}: {message}")]
pub struct KindsError {
    /// From 1.
    pub line: usize,
    /// What.
    pub message: &'static str,
}

/// A tree whose questions are asked by name.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct FormTree {
    tree: DecisionTree,
    /// Names of the features by number.
    features: Vec<String>,
}

/// Features that enough of these forms have.
pub fn common_features(shapes: &[&FormShape]) -> Vec<String> {
    let mut forms_with: BTreeMap<String, usize> = BTreeMap::new();
    for name in shapes.iter().flat_map(|shape| shape.names()) {
        *forms_with.entry(name).or_default() += 1;
    }
    forms_with.retain(|_, forms| *forms >= FEWEST);
    forms_with.into_keys().collect()
}

impl FormTree {
    /// Trains on forms with their classes, numbers below `classes`.
    pub(super) fn train(
        examples: &[(&FormShape, usize)],
        classes: usize,
        growth: TreeParams,
    ) -> Self {
        let shapes: Vec<&FormShape> = examples.iter().map(|example| example.0).collect();
        let features = common_features(&shapes);
        let row = |shape: &&FormShape| -> Row {
            let values = features.iter().map(|name| shape.get(name));
            (0..).zip(values).filter(|cell| cell.1 != 0.0).collect()
        };
        let rows: Vec<Row> = shapes.iter().map(row).collect();
        let labels: Vec<usize> = examples.iter().map(|example| example.1).collect();
        Self {
            tree: DecisionTree::train(&rows, &labels, classes, growth),
            features,
        }
    }

    /// The names of the features that decided, and the training forms in the
    /// same leaf by class.
    pub(super) fn leaf(&self, shape: &FormShape) -> (Vec<&str>, &[u32]) {
        let name = |feature: u32| self.features[feature as usize].as_str();
        let (asked, counts) = self.tree.leaf(|feature| shape.get(name(feature)));
        (asked.into_iter().map(name).collect(), counts)
    }

    pub(super) fn size(&self) -> usize {
        self.tree.nodes().len()
    }

    /// A line a node, in the order of their numbers.
    pub(super) fn write(&self) -> String {
        let mut text = String::new();
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

    /// Back from [`Self::write`], lines with their numbers.
    pub(super) fn read(lines: &[(usize, &str)], classes: usize) -> Result<Self, KindsError> {
        let wrong = |line, message| KindsError { line, message };
        let (mut nodes, mut features) = (Vec::new(), Vec::<String>::new());
        for &(number, line) in lines {
            let node = if let Some(counts) = line.strip_prefix("leaf ") {
                let counts: Result<Vec<u32>, _> = counts.split(' ').map(str::parse).collect();
                let counts = counts.ok().filter(|counts| counts.len() == classes);
                TreeNode::Leaf(counts.ok_or_else(|| wrong(number, "a leaf has a count a class"))?)
            } else {
                let question = read_question(line, &mut features);
                question.ok_or_else(|| wrong(number, "neither a question nor a leaf"))?
            };
            nodes.push(node);
        }
        let last = lines.last().map_or(1, |line| line.0);
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
