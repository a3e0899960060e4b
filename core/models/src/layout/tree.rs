//! Repulsion between many nodes: what lies far away counts as one body at its centre
//! of mass (Barnes and Hut 1986). The list of bodies is made once for all nodes of a
//! leaf.

use crate::layout::plane::{Point, corners};

/// Nodes in a leaf at most.
const LEAF: usize = 12;
/// A cell counts as one body from this many of its widths away, and nearer is opened:
/// forces are wrong by less than a fiftieth.
const FAR: f64 = 1.1;
/// Cells are halved this often at most; nodes that are still together lie as good as
/// at the same place.
const DEPTH: usize = 48;

/// A square of the plane and what lies in it.
struct Cell {
    centre: Point,
    mass: f64,
    width: f64,
    /// The cell after all those within this one.
    next: usize,
    /// Its nodes, as places in the tree's order.
    from: usize,
    to: usize,
    is_leaf: bool,
}

/// The outline of a cell that is being made.
#[derive(Clone, Copy)]
struct Outline {
    middle: Point,
    width: f64,
    depth: usize,
}

/// Nodes sorted into squares.
pub(crate) struct Tree {
    /// Parents before children.
    cells: Vec<Cell>,
    /// The node at each place of the order.
    order: Vec<usize>,
    /// Places and masses in that order.
    xs: Vec<f64>,
    ys: Vec<f64>,
    masses: Vec<f64>,
}

/// Bodies that push the nodes of a leaf.
#[derive(Default)]
struct Bodies {
    xs: Vec<f64>,
    ys: Vec<f64>,
    masses: Vec<f64>,
}

impl Bodies {
    /// The push at a place per unit of mass there, and the sum of masses over squared
    /// distances. A body at the place itself does not push.
    fn push(&self, x: f64, y: f64) -> (Point, f64) {
        let mut sums = [0.0; 3];
        for ((there, up), mass) in self.xs.iter().zip(&self.ys).zip(&self.masses) {
            let [right, up] = [x - there, y - up];
            let square = right * right + up * up;
            let share = if square > 0.0 { mass / square } else { 0.0 };
            sums[0] += share * right;
            sums[1] += share * up;
            sums[2] += share;
        }
        ([sums[0], sums[1]], sums[2])
    }
}

impl Tree {
    /// The tree of nodes at these places with these masses, as many.
    pub(crate) fn new(places: &[Point], masses: &[f64]) -> Self {
        let (low, high) = corners(places);
        let mut tree = Self {
            cells: Vec::with_capacity(places.len() / 2),
            order: (0..places.len()).collect(),
            xs: Vec::new(),
            ys: Vec::new(),
            masses: Vec::new(),
        };
        let width = (high[0] - low[0]).max(high[1] - low[1]);
        let mut order = std::mem::take(&mut tree.order);
        let middle = [low[0] + width / 2.0, low[1] + width / 2.0];
        let outline = Outline {
            middle,
            width,
            depth: 0,
        };
        tree.divide(places, masses, &mut order, 0, outline);
        tree.xs = order.iter().map(|&node| places[node][0]).collect();
        tree.ys = order.iter().map(|&node| places[node][1]).collect();
        tree.masses = order.iter().map(|&node| masses[node]).collect();
        tree.order = order;
        tree
    }

    /// Adds the cell of these nodes, the first of which has this place in the order,
    /// and those within it.
    fn divide(
        &mut self,
        places: &[Point],
        masses: &[f64],
        nodes: &mut [usize],
        from: usize,
        outline: Outline,
    ) {
        if nodes.is_empty() {
            return;
        }
        let mut sums = [0.0; 3];
        for &node in nodes.iter() {
            sums[0] += masses[node] * places[node][0];
            sums[1] += masses[node] * places[node][1];
            sums[2] += masses[node];
        }
        let Outline {
            middle,
            width,
            depth,
        } = outline;
        let number = self.cells.len();
        let is_leaf = nodes.len() <= LEAF || depth == DEPTH;
        self.cells.push(Cell {
            centre: [sums[0] / sums[2], sums[1] / sums[2]],
            mass: sums[2],
            width,
            next: number + 1,
            from,
            to: from + nodes.len(),
            is_leaf,
        });
        if is_leaf {
            return;
        }
        let rows = partition(nodes, |node| places[node][1] < middle[1]);
        let (below, above) = nodes.split_at_mut(rows);
        let mut at = from;
        for (half, up) in [(below, -0.25), (above, 0.25)] {
            let column = partition(half, |node| places[node][0] < middle[0]);
            let (left, right) = half.split_at_mut(column);
            for (part, along) in [(left, -0.25), (right, 0.25)] {
                let outline = Outline {
                    middle: [middle[0] + along * width, middle[1] + up * width],
                    width: width / 2.0,
                    depth: depth + 1,
                };
                self.divide(places, masses, part, at, outline);
                at += part.len();
            }
        }
        self.cells[number].next = self.cells.len();
    }

    /// For each node the push of all others, the product of masses over the distance,
    /// away from them; and how much of it there is per unit of distance, the sum of
    /// products of masses over squared distances.
    pub(crate) fn pushes(&self) -> Vec<(Point, f64)> {
        let mut pushes = vec![([0.0; 2], 0.0); self.order.len()];
        let mut bodies = Bodies::default();
        for leaf in self.cells.iter().filter(|cell| cell.is_leaf) {
            self.gather(leaf, &mut bodies);
            for at in leaf.from..leaf.to {
                let (push, stiffness) = bodies.push(self.xs[at], self.ys[at]);
                let mass = self.masses[at];
                pushes[self.order[at]] = (push.map(|value| value * mass), stiffness * mass);
            }
        }
        pushes
    }

    /// What pushes the nodes of a leaf: far cells as one body, and the nodes of leaves
    /// that are near, its own among them.
    fn gather(&self, leaf: &Cell, bodies: &mut Bodies) {
        bodies.xs.clear();
        bodies.ys.clear();
        bodies.masses.clear();
        let (mut low, mut high) = ([f64::INFINITY; 2], [f64::NEG_INFINITY; 2]);
        for at in leaf.from..leaf.to {
            low = [low[0].min(self.xs[at]), low[1].min(self.ys[at])];
            high = [high[0].max(self.xs[at]), high[1].max(self.ys[at])];
        }
        let mut number = 0;
        while let Some(cell) = self.cells.get(number) {
            let gap = |axis: usize| {
                let beside = low[axis] - cell.centre[axis];
                beside.max(cell.centre[axis] - high[axis]).max(0.0)
            };
            let square = gap(0) * gap(0) + gap(1) * gap(1);
            let reach = FAR * cell.width;
            if square > reach * reach {
                bodies.xs.push(cell.centre[0]);
                bodies.ys.push(cell.centre[1]);
                bodies.masses.push(cell.mass);
                number = cell.next;
            } else if cell.is_leaf {
                bodies.xs.extend_from_slice(&self.xs[cell.from..cell.to]);
                bodies.ys.extend_from_slice(&self.ys[cell.from..cell.to]);
                let masses = &self.masses[cell.from..cell.to];
                bodies.masses.extend_from_slice(masses);
                number = cell.next;
            } else {
                number += 1;
            }
        }
    }
}

/// Moves the nodes that are so to the front, and says how many they are.
fn partition(nodes: &mut [usize], is_so: impl Fn(usize) -> bool) -> usize {
    let mut count = 0;
    for at in 0..nodes.len() {
        if is_so(nodes[at]) {
            nodes.swap(at, count);
            count += 1;
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Rng, SplitMix};

    #[test]
    fn far_nodes_push_as_one_nearly_like_each() {
        let mut rng = SplitMix(8);
        let mut places = Vec::new();
        for number in 0..800 {
            // Two thick clouds and a thin one; some at the same place.
            let [wide, x] = [[1.0, 0.0], [0.1, 3.0], [20.0, -4.0]][number % 3];
            places.push([x + wide * rng.unit(), wide * rng.unit()]);
        }
        places.extend([[2.0, 2.0]; 30]);
        let masses: Vec<f64> = places.iter().map(|_| 1.0 + 9.0 * rng.unit()).collect();
        let (mut errors, mut lengths) = (0.0, 0.0);
        for (node, (push, stiffness)) in Tree::new(&places, &masses).pushes().iter().enumerate() {
            let (mut exact, mut stiff) = ([0.0; 2], 0.0);
            for (other, place) in places.iter().enumerate() {
                let [x, y] = [0, 1].map(|axis| places[node][axis] - place[axis]);
                let square = x * x + y * y;
                if square > 0.0 {
                    let share = masses[node] * masses[other] / square;
                    exact = [exact[0] + share * x, exact[1] + share * y];
                    stiff += share;
                }
            }
            errors += (push[0] - exact[0]).powi(2) + (push[1] - exact[1]).powi(2);
            lengths += exact[0].powi(2) + exact[1].powi(2);
            assert!(
                (stiffness / stiff - 1.0).abs() < 0.15,
                "{stiffness} {stiff}"
            );
        }
        assert!((errors / lengths).sqrt() < 0.02, "{}", errors / lengths);
    }
}
