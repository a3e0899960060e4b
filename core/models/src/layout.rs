//! Places the nodes of a graph on a plane, for a map: what hangs together lies
//! together, groups stand apart.
//!
//! Each connected component is laid out by itself: a start by pivots
//! (`start`), then forces between its nodes, with far repulsion summed by
//! Barnes and Hut (`tree`). Nodes push each other by the product of their
//! degrees over the distance, and an edge pulls by its weight however long it is: the
//! edge-repulsion `LinLog` model (Noack 2007, "Energy models for graph clustering"),
//! which of all such models sets groups furthest apart. As it crowds what lies at the
//! rim, an edge pulls as much again when it has the usual length, and in proportion
//! when it is longer or shorter.
//!
//! On graphs with planted groups of 25 (`benches/layout.rs`), of the five nearest of a
//! node 90 of 100 are of its group at 5,000 nodes, 99 at 1,000, like `LinLog` alone;
//! with the proportional pull alone 20 and 67, and with one that grows by the square
//! of the length, as that of Fruchterman and Reingold (1991), 5 and 25.
//!
//! The components are then laid side by side, largest first, nodes without edges in a
//! block below them (`pack`), and marks that overlap are moved apart
//! (`apart`).
//!
//! Only sums, products, quotients and square roots are used, so that the same input
//! gives the same bits on every machine.
//!
//! Left out: the direction of edges (an edge pulls both ends alike), the room that
//! labels need, bundled or bent edges, and a layout that stays the same when nodes
//! are added.

mod apart;
mod pack;
mod plane;
mod start;
#[cfg(test)]
mod tests;
mod tree;

use crate::layout::apart::move_apart;
use crate::layout::pack::pack;
use crate::layout::plane::{Graph, Point, extent};
use crate::layout::start::start;
use crate::layout::tree::Tree;
use crate::rng::Rng;

/// A weight below this counts as this.
const LEAST_WEIGHT: f64 = 1e-6;
/// How far a node may move in the first round, in longer sides of the start.
const REACH: f64 = 0.1;
/// The share of a node's move that it makes again in the next round.
const KEPT: f64 = 0.85;
/// Distances below this pull as this one does; a graph is some units wide.
const NEAR: f64 = 1e-9;

/// An edge between two nodes; its direction counts for nothing.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Edge {
    /// One end, a number below that of the nodes.
    pub from: usize,
    /// The other end.
    pub to: usize,
    /// How hard the edge pulls, above 0 and up to 1; what lies above counts as 1, and
    /// what lies below 0.000001 as that.
    pub weight: f64,
}

/// How a graph is laid out.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LayoutParams {
    /// Rounds of forces. More untangle better and take longer in proportion.
    pub steps: usize,
    /// The radius of a node's mark, as a share of the side of the box. Marks are
    /// moved apart until they touch at most; where the box has no room for so many
    /// of them, as far as it has.
    pub radius: f64,
}

impl Default for LayoutParams {
    fn default() -> Self {
        Self {
            steps: 100,
            radius: 0.004,
        }
    }
}

/// Lays out a graph: a place for each of the nodes, both coordinates in 0..=1, y
/// downwards. The longer side of what is drawn fills the box, the shorter is centred
/// in it. `params.steps` of 0 leaves the nodes where they start.
///
/// Edges that name no node, lead from a node to itself or have a weight that is not
/// above 0 are passed over; of several between the same two nodes, the heaviest
/// counts.
pub fn layout(
    nodes: usize,
    edges: &[Edge],
    params: &LayoutParams,
    rng: &mut dyn Rng,
) -> Vec<Point> {
    let graph = graph(nodes, edges);
    let (components, alone) = components(&graph);
    let mut drawn = Vec::with_capacity(components.len());
    for component in &components {
        drawn.push(component_places(&graph, component, params.steps, rng));
    }
    pack(&mut drawn, alone.len(), nodes);
    let mut places = vec![[0.0; 2]; nodes];
    let numbers = components.iter().flatten().chain(&alone);
    for (&node, place) in numbers.zip(drawn.into_iter().flatten()) {
        places[node] = place;
    }
    move_apart(&mut places, params.radius);
    places
}

/// The graph without edges that are invalid or said twice.
fn graph(nodes: usize, edges: &[Edge]) -> Graph {
    let mut graph = vec![Vec::new(); nodes];
    for edge in edges {
        let is_valid = edge.from < nodes && edge.to < nodes && edge.from != edge.to;
        if is_valid && edge.weight > 0.0 {
            let weight = edge.weight.clamp(LEAST_WEIGHT, 1.0);
            graph[edge.from].push((edge.to, weight));
            graph[edge.to].push((edge.from, weight));
        }
    }
    for row in &mut graph {
        row.sort_by(|a, b| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)));
        row.dedup_by_key(|edge| edge.0);
    }
    graph
}

/// The nodes of each component of two nodes and more, and those without edges; both
/// in ascending order.
fn components(graph: &Graph) -> (Vec<Vec<usize>>, Vec<usize>) {
    let mut is_seen = vec![false; graph.len()];
    let (mut components, mut alone) = (Vec::new(), Vec::new());
    for node in 0..graph.len() {
        if std::mem::replace(&mut is_seen[node], true) {
            continue;
        }
        let mut found = vec![node];
        let mut next = 0;
        while let Some(&from) = found.get(next) {
            next += 1;
            for &(to, _) in &graph[from] {
                if !std::mem::replace(&mut is_seen[to], true) {
                    found.push(to);
                }
            }
        }
        if found.len() == 1 {
            alone.push(node);
        } else {
            found.sort_unstable();
            components.push(found);
        }
    }
    (components, alone)
}

/// Places of a component's nodes, in the order given, in units of their own.
fn component_places(
    graph: &Graph,
    component: &[usize],
    steps: usize,
    rng: &mut dyn Rng,
) -> Vec<Point> {
    let here = |node: usize| component.binary_search(&node).ok();
    let local: Graph = component
        .iter()
        .map(|&node| {
            let row = graph[node].iter();
            row.filter_map(|&(to, weight)| Some((here(to)?, weight)))
                .collect()
        })
        .collect();
    let mut places = start(&local, rng);
    relax(&local, &mut places, steps);
    places
}

/// Pulls and pushes the nodes of a connected graph for some rounds.
///
/// Each round moves a node by its force over the sum of what pulls and pushes at it
/// per unit of distance, which for the pulls alone is Weiszfeld's step to their
/// balance, and by a share of its move before (Polyak's heavy ball: as good after 100
/// rounds as after more than 800 without); no further than a bound that shrinks to
/// nothing (Fruchterman and Reingold 1991 call it temperature).
fn relax(graph: &Graph, places: &mut [Point], steps: usize) {
    let degree = |row: &Vec<(usize, f64)>| row.iter().map(|edge| edge.1).sum::<f64>();
    let masses: Vec<f64> = graph.iter().map(|row| 1.0 + degree(row)).collect();
    let usual = usual_length(graph, &masses);
    to_balance(graph, &masses, usual, places);
    let sides = extent(places);
    let widest = REACH * sides[0].max(sides[1]);
    let mut moves = vec![[0.0; 2]; places.len()];
    for step in 0..steps {
        let left = 1.0 - step as f64 / steps as f64;
        let bound = widest * left * left;
        let pushes = Tree::new(places, &masses).pushes();
        let before = places.to_vec();
        for (node, place) in places.iter_mut().enumerate() {
            let (mut force, mut stiffness) = pushes[node];
            for &(to, weight) in &graph[node] {
                let [x, y] = [before[to][0] - place[0], before[to][1] - place[1]];
                // Nodes at the same place do not pull each other.
                let distance = (x * x + y * y).sqrt().max(NEAR);
                let pull = weight * (1.0 / distance + 1.0 / usual);
                force = [force[0] + pull * x, force[1] + pull * y];
                stiffness += pull;
            }
            let mut step = [0, 1].map(|axis| force[axis] / stiffness + KEPT * moves[node][axis]);
            let length = (step[0] * step[0] + step[1] * step[1]).sqrt();
            if length > bound {
                step = step.map(|value| value * bound / length);
            }
            *place = [place[0] + step[0], place[1] + step[1]];
            moves[node] = step;
        }
    }
}

/// How long edges would be if they were all equally long, pulled as hard at any
/// length, and held by pushes along all pairs of nodes of that length.
fn usual_length(graph: &Graph, masses: &[f64]) -> f64 {
    let mass: f64 = masses.iter().sum();
    mass * mass / graph.iter().flatten().map(|edge| edge.1).sum::<f64>()
}

/// Scales places so that what pulls them together is as much as what pushes them
/// apart.
fn to_balance(graph: &Graph, masses: &[f64], usual: f64, places: &mut [Point]) {
    // Each edge is seen from both ends.
    let (mut even, mut growing) = (0.0, 0.0);
    for (from, row) in graph.iter().enumerate() {
        for &(to, weight) in row {
            let [x, y] = [0, 1].map(|axis| places[from][axis] - places[to][axis]);
            let square = x * x + y * y;
            even += weight * square.sqrt() / 2.0;
            growing += weight * square / (2.0 * usual);
        }
    }
    let mass: f64 = masses.iter().sum();
    let push = (mass * mass - masses.iter().map(|mass| mass * mass).sum::<f64>()) / 2.0;
    // scale * even + scale * scale * growing = push
    let root = (even * even + 4.0 * growing * push).sqrt();
    if root > 0.0 {
        let scale = 2.0 * push / (even + root);
        for place in places {
            *place = place.map(|value| value * scale);
        }
    }
}
