//! The layout against what a map must show, hostile input and least stress.

use super::plane::{Graph, Point};
use super::start::distances;
use super::{Edge, LayoutParams, layout};
use crate::rng::{Rng, SplitMix};

type Pairs = Vec<(usize, usize)>;

fn edges(pairs: &[(usize, usize)]) -> Vec<Edge> {
    let edge = |&(from, to): &(usize, usize)| Edge {
        from,
        to,
        weight: 1.0,
    };
    pairs.iter().map(edge).collect()
}

fn laid(nodes: usize, pairs: &[(usize, usize)]) -> Vec<Point> {
    let params = LayoutParams::default();
    layout(nodes, &edges(pairs), &params, &mut SplitMix(4))
}

fn distance(a: Point, b: Point) -> f64 {
    (a[0] - b[0]).hypot(a[1] - b[1])
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn path(nodes: usize) -> Pairs {
    (1..nodes).map(|node| (node - 1, node)).collect()
}

fn clique(nodes: std::ops::Range<usize>) -> Pairs {
    let all = nodes.clone();
    all.flat_map(|a| (a + 1..nodes.end).map(move |b| (a, b)))
        .collect()
}

fn grid(side: usize) -> Pairs {
    let numbers = (0..side * side).flat_map(|node| {
        let right = (node % side + 1 < side).then_some((node, node + 1));
        let down = (node + side < side * side).then_some((node, node + side));
        [right, down]
    });
    numbers.flatten().collect()
}

/// Distances in edges between all nodes of a connected graph.
fn all_distances(nodes: usize, pairs: &[(usize, usize)]) -> Vec<Vec<usize>> {
    let mut graph: Graph = vec![Vec::new(); nodes];
    for &(a, b) in pairs {
        graph[a].push((b, 1.0));
        graph[b].push((a, 1.0));
    }
    (0..nodes).map(|node| distances(&graph, node)).collect()
}

/// Each two nodes: distance in edges, distance on the plane.
fn both_distances(places: &[Point], pairs: &[(usize, usize)]) -> Vec<(f64, f64)> {
    let hops = all_distances(places.len(), pairs);
    let all = clique(0..places.len()).into_iter();
    all.map(|(a, b)| (hops[a][b] as f64, distance(places[a], places[b])))
        .collect()
}

/// The least distance between two places.
fn least_distance(places: &[Point]) -> f64 {
    let all = clique(0..places.len()).into_iter();
    all.map(|(a, b)| distance(places[a], places[b]))
        .fold(f64::INFINITY, f64::min)
}

/// Spearman's rank correlation; equal values have their mean rank.
fn spearman(rows: &[(f64, f64)]) -> f64 {
    let ranks = |values: Vec<f64>| -> Vec<f64> {
        let rank = |value: &f64| {
            let below = values.iter().filter(|other| *other < value).count();
            let equal = values.iter().filter(|other| *other == value).count();
            below as f64 + (equal as f64 - 1.0) / 2.0
        };
        values.iter().map(rank).collect()
    };
    let a = ranks(rows.iter().map(|row| row.0).collect());
    let b = ranks(rows.iter().map(|row| row.1).collect());
    let middle = mean(&a);
    let product = |a: &[f64], b: &[f64]| -> f64 {
        let rows = a.iter().zip(b);
        rows.map(|(a, b)| (a - middle) * (b - middle)).sum()
    };
    product(&a, &b) / (product(&a, &a) * product(&b, &b)).sqrt()
}

#[test]
fn two_cliques_stand_apart() {
    let mut pairs = clique(0..12);
    pairs.extend(clique(12..30));
    pairs.push((3, 20));
    let places = laid(30, &pairs);
    let (mut within, mut between) = (Vec::new(), Vec::new());
    for (a, b) in clique(0..30) {
        let is_within = (a < 12) == (b < 12);
        let rows = if is_within { &mut within } else { &mut between };
        rows.push(distance(places[a], places[b]));
    }
    let (within, between) = (mean(&within), mean(&between));
    assert!(20.0 * within < between, "{within} {between}");
}

#[test]
fn planted_groups_stay_together() {
    let mut rng = SplitMix(3);
    let mut number = |below: usize| (rng.unit() * below as f64) as usize;
    let mut pairs = Vec::new();
    for from in 0..300 {
        pairs.push((from, number(300)));
        pairs.extend((0..3).map(|_| (from, from / 25 * 25 + number(25))));
    }
    let places = laid(300, &pairs);
    let mut same = 0;
    for node in 0..300 {
        let to = |other: usize| distance(places[node], places[other]);
        let mut others: Vec<usize> = (0..300).filter(|other| *other != node).collect();
        others.sort_by(|&a, &b| to(a).total_cmp(&to(b)));
        let near = others.iter().take(5);
        same += near.filter(|other| *other / 25 == node / 25).count();
    }
    assert!(same >= 1_350, "{same} of 1500");
}

#[test]
fn light_edges_pull_less() {
    // Three cliques; the middle one hangs on one side by heavier edges.
    let mut all = edges(&clique(0..8));
    all.extend(edges(&clique(8..16)));
    all.extend(edges(&clique(16..24)));
    for node in 0..4 {
        let edge = |from, to, weight| Edge { from, to, weight };
        all.push(edge(node, 8 + node, 1.0));
        all.push(edge(12 + node, 16 + node, 0.1));
    }
    let places = layout(24, &all, &LayoutParams::default(), &mut SplitMix(4));
    let centre = |nodes: std::ops::Range<usize>| {
        [0, 1].map(|axis| mean(&nodes.clone().map(|n| places[n][axis]).collect::<Vec<_>>()))
    };
    let heavy = distance(centre(0..8), centre(8..16));
    let light = distance(centre(8..16), centre(16..24));
    assert!(1.3 * heavy < light, "{heavy} {light}");
}

#[test]
fn a_path_lies_along_the_plane() {
    for nodes in [10, 60, 300] {
        let rows = both_distances(&laid(nodes, &path(nodes)), &path(nodes));
        let correlation = spearman(&rows);
        assert!(correlation > 0.9, "{nodes}: {correlation}");
    }
}

#[test]
fn neighbours_in_a_grid_are_nearest() {
    let places = laid(100, &grid(10));
    let rows = both_distances(&places, &grid(10));
    let far = |least: f64, most: f64| {
        let here = rows.iter().filter(|row| row.0 >= least && row.0 <= most);
        here.map(|row| row.1).collect::<Vec<f64>>()
    };
    assert!(3.0 * mean(&far(1.0, 1.0)) < mean(&far(2.0, 18.0)));
    // For each node, its neighbours lie nearer than nodes further away.
    let hops = all_distances(100, &grid(10));
    for (away, share) in [(2, 0.985), (3, 0.995), (5, 1.0)] {
        let (mut right, mut all) = (0.0, 0.0);
        for (node, hops) in hops.iter().enumerate() {
            let to = |other: usize| distance(places[node], places[other]);
            for near in (0..100).filter(|near| hops[*near] == 1) {
                for far in (0..100).filter(|far| hops[*far] >= away) {
                    right += f64::from(u8::from(to(near) < to(far)));
                    all += 1.0;
                }
            }
        }
        assert!(right >= share * all, "{away}: {right} of {all}");
    }
    assert!(spearman(&rows) > 0.9, "{}", spearman(&rows));
}

#[test]
fn hostile_input_stays_in_the_box() {
    let edge = |from, to, weight| Edge { from, to, weight };
    let star: Vec<Edge> = (1..3_000).map(|to| edge(0, to, 0.5)).collect();
    let twice = [edge(0, 1, 0.2), edge(1, 0, 0.9), edge(0, 1, 1.0)];
    let invalid = [
        edge(0, 9, 1.0),
        edge(9, 0, 1.0),
        edge(1, 1, 1.0),
        edge(0, 1, f64::NAN),
        edge(0, 1, 0.0),
        edge(0, 1, -1.0),
        edge(usize::MAX, 1, 1.0),
    ];
    let extreme = [
        edge(0, 1, f64::INFINITY),
        edge(1, 2, f64::MIN_POSITIVE),
        edge(2, 3, 1e300),
        edge(3, 4, 1e-300),
    ];
    let dense = edges(&clique(0..120));
    let cases: [(usize, &[Edge]); 9] = [
        (0, &[]),
        (0, &twice),
        (1, &[]),
        (2, &[]),
        (3, &twice),
        (5, &extreme),
        (3_000, &star),
        (2_500, &[]),
        (700, &dense),
    ];
    let radii = [0.004, 0.0, 0.2, f64::NAN, -1.0, f64::INFINITY];
    for (nodes, edges) in cases {
        for radius in &radii[..if nodes > 1_000 { 1 } else { radii.len() }] {
            for steps in [0, 1, 60] {
                let params = LayoutParams {
                    steps,
                    radius: *radius,
                };
                let places = layout(nodes, edges, &params, &mut SplitMix(1));
                assert_eq!(places.len(), nodes);
                let is_inside = |value: &f64| (0.0..=1.0).contains(value);
                assert!(places.iter().flatten().all(is_inside), "{nodes} {radius}");
                assert!(least_distance(&places) > 1e-7, "{nodes} {radius}");
                let (low, high) = super::plane::corners(&places);
                let side = (high[0] - low[0]).max(high[1] - low[1]);
                let wanted = if nodes < 2 { 0.0 } else { 1.0 };
                assert!((side - wanted).abs() < 0.02, "{nodes} {radius}: {side}");
            }
        }
    }
    // Invalid edges are as if they were not there, and so are lighter ones of two.
    let params = LayoutParams::default();
    let one = layout(4, &[edge(0, 1, 1.0)], &params, &mut SplitMix(1));
    assert_eq!(layout(4, &twice, &params, &mut SplitMix(1)), one);
    let some = [&invalid[..], &twice[..]].concat();
    assert_eq!(layout(4, &some, &params, &mut SplitMix(1)), one);
    let none = layout(4, &[], &params, &mut SplitMix(1));
    assert_eq!(layout(4, &invalid, &params, &mut SplitMix(1)), none);
}

#[test]
fn the_same_input_gives_the_same_places() {
    let mut pairs = grid(8);
    pairs.extend([(70, 71), (71, 72), (80, 81)]);
    let places = laid(90, &pairs);
    assert_eq!(laid(90, &pairs), places);
    pairs.reverse();
    assert_eq!(laid(90, &pairs), places, "the order of edges is nothing");
    // The same bits as on the machine where this was written.
    let bits = places.iter().flatten().map(|value| value.to_bits());
    let digest = bits.fold(0u64, |sum, bits| sum.rotate_left(7) ^ bits);
    assert_eq!(digest, 0x7f9b_7cb1_c11a_65c9, "{digest:#x}");
}

#[test]
fn components_lie_side_by_side() {
    let mut pairs = grid(12);
    let mut sizes = vec![144];
    let mut add = |size: usize, shape: fn(usize) -> Pairs| {
        let first: usize = sizes.iter().sum();
        pairs.extend(shape(size).into_iter().map(|(a, b)| (first + a, first + b)));
        sizes.push(size);
    };
    add(40, path);
    add(20, |size| clique(0..size));
    add(30, |size| (1..size).map(|to| (0, to)).collect());
    for _ in 0..25 {
        add(2, path);
        add(3, path);
    }
    let joined: usize = sizes.iter().sum();
    let places = laid(joined + 50, &pairs);
    let radius = LayoutParams::default().radius;
    assert!(least_distance(&places) > 1.99 * radius);
    // The boxes around the components, and that around the nodes without edges.
    sizes.push(50);
    let mut rest = &places[..];
    let mut boxes = Vec::new();
    for size in sizes {
        let (here, after) = rest.split_at(size);
        boxes.push(super::plane::corners(here));
        rest = after;
    }
    for (number, a) in boxes.iter().enumerate() {
        for b in &boxes[..number] {
            let gap = |axis: usize| (a.0[axis] - b.1[axis]).max(b.0[axis] - a.1[axis]);
            assert!(gap(0).max(gap(1)) > 2.0 * radius, "{a:?} {b:?}");
        }
    }
    // No great part of the box is empty.
    let area = |(low, high): &(Point, Point)| (high[0] - low[0]) * (high[1] - low[1]);
    let covered: f64 = boxes.iter().map(area).sum();
    assert!(covered > 0.2, "{covered}");
    // Nodes without edges: a lattice below all else.
    let (block, above) = boxes.split_last().unwrap();
    assert!(above.iter().all(|(_, high)| high[1] < block.0[1]));
}

/// The sum of squared differences between distances in edges and on the plane, at the
/// scale that makes it least.
fn stress(places: &[Point], pairs: &[(usize, usize)]) -> f64 {
    let rows = both_distances(places, pairs);
    let product: f64 = rows.iter().map(|row| row.0 * row.1).sum();
    let scale = product / rows.iter().map(|row| row.1 * row.1).sum::<f64>();
    rows.iter().map(|row| (row.0 - scale * row.1).powi(2)).sum()
}

/// The least stress found by majorization (Gansner, Koren, North 2004) from many
/// random starts.
fn least_stress(nodes: usize, pairs: &[(usize, usize)]) -> f64 {
    let hops = all_distances(nodes, pairs);
    let mut rng = SplitMix(3);
    let mut least = f64::INFINITY;
    for _ in 0..30 {
        let mut places: Vec<Point> = (0..nodes)
            .map(|_| [0; 2].map(|_: i32| rng.unit() * nodes as f64))
            .collect();
        for _ in 0..300 {
            for node in 0..nodes {
                let mut sum = [0.0; 2];
                for other in (0..nodes).filter(|other| *other != node) {
                    let apart = distance(places[node], places[other]).max(1e-9);
                    let wanted = hops[node][other] as f64 / apart;
                    for (axis, sum) in sum.iter_mut().enumerate() {
                        let there = places[other][axis];
                        *sum += there + wanted * (places[node][axis] - there);
                    }
                }
                places[node] = sum.map(|sum| sum / (nodes - 1) as f64);
            }
        }
        least = least.min(stress(&places, pairs));
    }
    least
}

#[test]
fn stress_is_not_far_above_the_least() {
    let tree: Pairs = (1..15).map(|node| ((node - 1) / 2, node)).collect();
    let mut ring = path(14);
    ring.push((13, 0));
    let mut ladder = path(8);
    ladder.extend((9..16).map(|node| (node - 1, node)));
    ladder.extend((0..8).map(|node| (node, node + 8)));
    let mut cliques = clique(0..6);
    cliques.extend(clique(6..12));
    cliques.push((0, 6));
    let graphs: [(&str, usize, Pairs); 6] = [
        ("grid", 25, grid(5)),
        ("ring", 14, ring),
        ("tree", 15, tree),
        ("ladder", 16, ladder),
        ("clique", 7, clique(0..7)),
        ("two cliques", 12, cliques),
    ];
    for (name, nodes, pairs) in graphs {
        let (ours, least) = (
            stress(&laid(nodes, &pairs), &pairs),
            least_stress(nodes, &pairs),
        );
        assert!(ours < 6.0 * least, "{name}: {ours} {least}");
    }
    // A path can lie without any stress: here, how much is left of what there is.
    let rows = both_distances(&laid(12, &path(12)), &path(12));
    let all: f64 = rows.iter().map(|row| row.0 * row.0).sum();
    assert!(stress(&laid(12, &path(12)), &path(12)) < 0.02 * all);
}
