//! Where the nodes of a connected graph start: classical scaling of their distances,
//! in edges, from a few pivots (Brandes and Pich 2007, "Eigensolver methods for
//! progressive multidimensional scaling of large data").

use crate::layout::plane::{Graph, Point, extent};
use crate::rng::Rng;

/// Pivots at most.
const PIVOTS: usize = 40;
/// Recrawls of power iteration for each axis.
const ROUNDS: usize = 60;
/// Nodes are moved by up to this share of the longer side, so that those with the
/// same distances do not start at the same place.
const NOISE: f64 = 0.01;

/// A place for each node, in no particular unit.
pub(crate) fn start(graph: &Graph, rng: &mut dyn Rng) -> Vec<Point> {
    let columns = squared_distances(graph);
    let centred = centred(columns, graph.len());
    let product = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let square: Vec<Vec<f64>> = centred
        .iter()
        .map(|a| centred.iter().map(|b| product(a, b)).collect())
        .collect();
    let first = axis(&square, None, rng);
    let second = axis(&square, Some(&first), rng);
    let mut places = vec![[0.0; 2]; graph.len()];
    for (number, column) in centred.iter().enumerate() {
        for (place, cell) in places.iter_mut().zip(column) {
            place[0] += cell * first[number];
            place[1] += cell * second[number];
        }
    }
    let sides = extent(&places);
    let longer = sides[0].max(sides[1]);
    let noise = if longer > 0.0 { longer * NOISE } else { 1.0 };
    for place in &mut places {
        *place = place.map(|value| value + noise * (rng.unit() - 0.5));
    }
    places
}

/// Squared distances of all nodes from each pivot; each pivot is a node that lies
/// furthest from those before it.
fn squared_distances(graph: &Graph) -> Vec<Vec<f64>> {
    let mut nearest = vec![usize::MAX; graph.len()];
    let mut columns = Vec::new();
    let mut pivot = 0;
    for _ in 0..PIVOTS.min(graph.len()) {
        let distances = distances(graph, pivot);
        for (nearest, distance) in nearest.iter_mut().zip(&distances) {
            *nearest = (*nearest).min(*distance);
        }
        columns.push(distances.iter().map(|&d| (d * d) as f64).collect());
        // The first of those furthest away.
        let furthest = nearest.iter().enumerate().rev();
        pivot = furthest.max_by_key(|row| *row.1).map_or(0, |row| row.0);
    }
    columns
}

/// How many edges the shortest way from a node to each has; 0 where there is none.
pub(crate) fn distances(graph: &Graph, from: usize) -> Vec<usize> {
    let mut distances = vec![usize::MAX; graph.len()];
    distances[from] = 0;
    let mut found = vec![from];
    let mut next = 0;
    while let Some(&node) = found.get(next) {
        next += 1;
        for &(to, _) in &graph[node] {
            if distances[to] == usize::MAX {
                distances[to] = distances[node] + 1;
                found.push(to);
            }
        }
    }
    for distance in &mut distances {
        if *distance == usize::MAX {
            *distance = 0;
        }
    }
    distances
}

/// Takes the means of rows and columns away, and halves what is left with its sign
/// turned: scalar products in place of squared distances.
fn centred(mut columns: Vec<Vec<f64>>, nodes: usize) -> Vec<Vec<f64>> {
    let pivots = columns.len() as f64;
    let mut of_rows = vec![0.0; nodes];
    for column in &columns {
        for (mean, cell) in of_rows.iter_mut().zip(column) {
            *mean += cell / pivots;
        }
    }
    let of_all = of_rows.iter().sum::<f64>() / nodes as f64;
    for column in &mut columns {
        let of_column = column.iter().sum::<f64>() / nodes as f64;
        for (cell, of_row) in column.iter_mut().zip(&of_rows) {
            *cell = -0.5 * (*cell - of_column - of_row + of_all);
        }
    }
    columns
}

/// The eigenvector of the greatest eigenvalue, at right angles to one already found,
/// by power iteration; zeros where there is none.
fn axis(square: &[Vec<f64>], beside: Option<&[f64]>, rng: &mut dyn Rng) -> Vec<f64> {
    let mut axis: Vec<f64> = square.iter().map(|_| rng.unit() - 0.5).collect();
    let scale: f64 = (0..square.len()).map(|place| square[place][place]).sum();
    for _ in 0..ROUNDS {
        let mut next: Vec<f64> = square
            .iter()
            .map(|row| {
                row.iter()
                    .zip(&axis)
                    .map(|(cell, value)| cell * value)
                    .sum()
            })
            .collect();
        if let Some(other) = beside {
            let share: f64 = next.iter().zip(other).map(|(a, b)| a * b).sum();
            for (value, along) in next.iter_mut().zip(other) {
                *value -= share * along;
            }
        }
        let norm = next.iter().map(|value| value * value).sum::<f64>().sqrt();
        if norm <= 1e-9 * scale {
            return vec![0.0; square.len()];
        }
        axis = next.into_iter().map(|value| value / norm).collect();
    }
    axis
}
