//! A classification tree: yes-or-no questions of single features, chosen by
//! Gini impurity as CART does. Grown and cut back by how few instances a leaf may
//! hold, not pruned afterwards.
//!
//! Instances are rows of numbers, most of them 0; only what is not 0 is given.

/// A feature's number with its value, where that is not 0.
pub type Row = Vec<(u32, f32)>;

/// How far a tree grows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TreeParams {
    /// Questions on the way to a leaf, at most.
    pub deepest: usize,
    /// Instances in a leaf, at least.
    pub smallest_leaf: usize,
}

/// A node of a tree.
#[derive(Debug, Clone, PartialEq)]
pub enum TreeNode {
    /// Instances with at most `threshold` of the feature go to the node `low`,
    /// the others to `high`.
    Question {
        /// The feature.
        feature: u32,
        /// Halfway between two values of the training set.
        threshold: f32,
        /// A node's number, greater than this one's.
        low: u32,
        /// The same.
        high: u32,
    },
    /// Training instances by class.
    Leaf(Vec<u32>),
}

/// A decision tree in one list of nodes. The first node is the root.
#[derive(Debug, Clone, PartialEq)]
pub struct DecisionTree {
    nodes: Vec<TreeNode>,
}

/// Instances of one feature that are not 0, ordered by value.
type Column = Vec<(f32, u32)>;

struct Grower<'a> {
    columns: Vec<Column>,
    labels: &'a [usize],
    classes: usize,
    growth: TreeParams,
    nodes: Vec<TreeNode>,
}

/// The best question found for a node.
#[derive(Clone, Copy)]
struct Split {
    feature: u32,
    threshold: f32,
    impurity: f64,
}

/// Gini impurity times the number of instances.
fn impurity(counts: &[u32]) -> f64 {
    let all: f64 = counts.iter().map(|&count| f64::from(count)).sum();
    if all == 0.0 {
        return 0.0;
    }
    let squares: f64 = counts.iter().map(|&count| f64::from(count).powi(2)).sum();
    all - squares / all
}

impl DecisionTree {
    /// Trains on rows with features below `features` and labels below `classes`.
    /// Of features equally good the last is asked, of its thresholds the lowest.
    pub fn train(rows: &[Row], labels: &[usize], classes: usize, growth: TreeParams) -> Self {
        let features = rows.iter().flatten().map(|cell| cell.0 as usize + 1).max();
        let mut columns = vec![Column::new(); features.unwrap_or(0)];
        for (row, number) in rows.iter().zip(0..) {
            for &(feature, value) in row.iter().filter(|cell| cell.1 != 0.0) {
                columns[feature as usize].push((value, number));
            }
        }
        for column in &mut columns {
            column.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        }
        let mut grower = Grower {
            columns,
            labels,
            classes,
            growth,
            nodes: Vec::new(),
        };
        grower.grow((0..rows.len() as u32).collect(), 0);
        Self {
            nodes: grower.nodes,
        }
    }

    /// From nodes as [`Self::nodes`] has them; `None` if a question leads
    /// backwards or nowhere.
    pub fn from_nodes(nodes: Vec<TreeNode>) -> Option<Self> {
        let leads_on = |(number, node): (usize, &TreeNode)| match node {
            TreeNode::Leaf(counts) => !counts.is_empty(),
            TreeNode::Question { low, high, .. } => [low, high].iter().all(|&&next| {
                let next = next as usize;
                next > number && next < nodes.len()
            }),
        };
        let is_tree = !nodes.is_empty() && nodes.iter().enumerate().all(leads_on);
        is_tree.then_some(Self { nodes })
    }

    /// All nodes, the root first.
    pub fn nodes(&self) -> &[TreeNode] {
        &self.nodes
    }

    /// The features on the way to a row's leaf, and the training instances in
    /// that leaf by class. `value` says what the row has of a feature.
    pub fn leaf(&self, value: impl Fn(u32) -> f32) -> (Vec<u32>, &[u32]) {
        let (mut at, mut asked) = (0, Vec::new());
        loop {
            match &self.nodes[at] {
                TreeNode::Leaf(counts) => return (asked, counts),
                TreeNode::Question {
                    feature,
                    threshold,
                    low,
                    high,
                } => {
                    asked.push(*feature);
                    let next = if value(*feature) <= *threshold {
                        low
                    } else {
                        high
                    };
                    at = *next as usize;
                }
            }
        }
    }
}

impl Grower<'_> {
    /// Grows the node for some instances; returns its number.
    fn grow(&mut self, instances: Vec<u32>, depth: usize) -> u32 {
        let counts = self.counts(&instances);
        let number = self.nodes.len() as u32;
        self.nodes.push(TreeNode::Leaf(counts.clone()));
        let may_grow =
            depth < self.growth.deepest && instances.len() >= 2 * self.growth.smallest_leaf;
        if !may_grow || impurity(&counts) == 0.0 {
            return number;
        }
        let Some(split) = self.best_split(&instances, &counts) else {
            return number;
        };
        let column = &self.columns[split.feature as usize];
        let values: rustc_hash::FxHashMap<u32, f32> =
            column.iter().map(|&(value, row)| (row, value)).collect();
        let is_low = |row: &u32| values.get(row).copied().unwrap_or(0.0) <= split.threshold;
        let (low, high): (Vec<u32>, Vec<u32>) = instances.into_iter().partition(is_low);
        let low = self.grow(low, depth + 1);
        let high = self.grow(high, depth + 1);
        self.nodes[number as usize] = TreeNode::Question {
            feature: split.feature,
            threshold: split.threshold,
            low,
            high,
        };
        number
    }

    fn counts(&self, instances: &[u32]) -> Vec<u32> {
        let mut counts = vec![0; self.classes];
        for &row in instances {
            counts[self.labels[row as usize]] += 1;
        }
        counts
    }

    fn best_split(&self, instances: &[u32], counts: &[u32]) -> Option<Split> {
        let mut is_here = vec![false; self.labels.len()];
        for &row in instances {
            is_here[row as usize] = true;
        }
        let mut best: Option<Split> = None;
        for (column, feature) in self.columns.iter().zip(0..) {
            let found = self.best_threshold(column, counts, instances.len(), &is_here);
            if let Some((threshold, impurity)) = found
                && best.is_none_or(|best| impurity <= best.impurity + 1e-9)
            {
                best = Some(Split {
                    feature,
                    threshold,
                    impurity,
                });
            }
        }
        best.filter(|best| best.impurity < impurity(counts) - 1e-9)
    }

    /// The threshold of a feature that leaves the least impurity. Rows that the
    /// column does not name have 0.
    fn best_threshold(
        &self,
        column: &Column,
        counts: &[u32],
        all: usize,
        is_here: &[bool],
    ) -> Option<(f32, f64)> {
        let here = column.iter().filter(|cell| is_here[cell.1 as usize]);
        let here: Vec<(f32, u32)> = here.copied().collect();
        let mut zeros: Vec<u32> = counts.to_vec();
        for &(_, row) in &here {
            zeros[self.labels[row as usize]] -= 1;
        }
        let at_zero = all - here.len();
        let mut groups: Vec<(f32, Vec<u32>, usize)> = Vec::new();
        let mut add = |value: f32, counts: &[u32], size: usize| match groups.last_mut() {
            Some(last) if last.0 == value => {
                for (sum, count) in last.1.iter_mut().zip(counts) {
                    *sum += count;
                }
                last.2 += size;
            }
            _ => groups.push((value, counts.to_vec(), size)),
        };
        let mut zero_is_in = at_zero == 0;
        for &(value, row) in &here {
            if !zero_is_in && value > 0.0 {
                add(0.0, &zeros, at_zero);
                zero_is_in = true;
            }
            let mut one = vec![0; self.classes];
            one[self.labels[row as usize]] = 1;
            add(value, &one, 1);
        }
        if !zero_is_in {
            add(0.0, &zeros, at_zero);
        }
        let mut low = vec![0; self.classes];
        let mut high = counts.to_vec();
        let (mut size, mut best) = (0, None);
        for pair in groups.windows(2) {
            for (place, count) in pair[0].1.iter().enumerate() {
                low[place] += count;
                high[place] -= count;
            }
            size += pair[0].2;
            let smaller = size.min(all - size);
            let left = impurity(&low) + impurity(&high);
            if smaller >= self.growth.smallest_leaf
                && best.is_none_or(|(_, least)| left < least - 1e-9)
            {
                best = Some((f32::midpoint(pair[0].0, pair[1].0), left));
            }
        }
        best
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GROWN: TreeParams = TreeParams {
        deepest: 10,
        smallest_leaf: 1,
    };

    fn tree(rows: &[&[f32]], labels: &[usize], growth: TreeParams) -> DecisionTree {
        let rows: Vec<Row> = rows
            .iter()
            .map(|row| (0..).zip(row.iter().copied()).collect())
            .collect();
        DecisionTree::train(&rows, labels, 2, growth)
    }

    fn said(tree: &DecisionTree, row: &[f32]) -> Vec<u32> {
        tree.leaf(|feature| row[feature as usize]).1.to_vec()
    }

    #[test]
    fn two_questions_tell_what_one_cannot() {
        // Good only where the first is high and the second low.
        let rows: [&[f32]; 6] = [
            &[0.0, 0.0],
            &[0.0, 3.0],
            &[2.0, 3.0],
            &[2.0, 0.0],
            &[3.0, 0.0],
            &[-1.0, 0.0],
        ];
        let labels = [0, 0, 0, 1, 1, 0];
        let tree = tree(&rows, &labels, GROWN);
        assert_eq!(tree.nodes().len(), 5, "{tree:?}");
        for (row, label) in rows.iter().zip(labels) {
            let counts = said(&tree, row);
            assert!(counts[label] > 0 && counts[1 - label] == 0, "{row:?}");
        }
        assert!(matches!(
            tree.nodes()[0],
            TreeNode::Question { feature: 0, threshold, .. } if threshold == 1.0
        ));
    }

    #[test]
    fn leaves_are_never_smaller_than_asked() {
        let rows: Vec<Vec<f32>> = (0..30u8).map(|n| vec![f32::from(n)]).collect();
        let rows: Vec<&[f32]> = rows.iter().map(Vec::as_slice).collect();
        let labels: Vec<usize> = (0..30).map(|n| usize::from(n % 7 == 0)).collect();
        let growth = TreeParams {
            deepest: 10,
            smallest_leaf: 4,
        };
        let tree = tree(&rows, &labels, growth);
        for node in tree.nodes() {
            if let TreeNode::Leaf(counts) = node {
                assert!(counts.iter().sum::<u32>() >= 4, "{counts:?}");
            }
        }
    }

    #[test]
    fn nodes_that_lead_in_circles_are_no_tree() {
        let question = |low, high| TreeNode::Question {
            feature: 0,
            threshold: 0.5,
            low,
            high,
        };
        let leaf = || TreeNode::Leaf(vec![1, 2]);
        assert!(DecisionTree::from_nodes(vec![question(1, 2), leaf(), leaf()]).is_some());
        assert!(DecisionTree::from_nodes(vec![question(0, 1), leaf()]).is_none());
        assert!(DecisionTree::from_nodes(vec![question(1, 7), leaf()]).is_none());
        assert!(DecisionTree::from_nodes(Vec::new()).is_none());
    }
}
