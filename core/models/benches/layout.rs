//! How long the layout of a map takes, and how well it parts groups: graphs with
//! planted groups of 25 nodes, four edges a node, three of four within the group. Then
//! graphs of 5,000 nodes that are hard to lay out.
//!
//! `cargo bench --package linkscent-models --bench layout`
//!
//! With a directory behind `--`, a picture of each is written there.

use std::time::Instant;

use linkscent_models::layout::{Edge, LayoutParams, layout};
use linkscent_models::rng::{Rng, SplitMix};

/// Nodes in a planted group.
const GROUP: usize = 25;
/// Times each graph is laid out; the best counts.
const ROUNDS: usize = 3;

/// A graph with groups; now and then a node without edges.
fn planted(nodes: usize, rng: &mut SplitMix) -> Vec<Edge> {
    let mut edges = Vec::new();
    let mut number = |below: usize| (rng.unit() * below as f64) as usize;
    for from in 0..nodes {
        if from % 50 == 7 {
            continue;
        }
        for turn in 0..4 {
            let to = if turn == 0 {
                number(nodes)
            } else {
                (from / GROUP * GROUP + number(GROUP)).min(nodes - 1)
            };
            let weight = if turn == 0 { 0.4 } else { 0.8 };
            if to % 50 != 7 {
                edges.push(Edge { from, to, weight });
            }
        }
    }
    edges
}

/// Of the five nearest of each node, the share that is of its group.
fn purity(places: &[[f64; 2]]) -> f64 {
    let mut same = 0;
    let joined = |node: &usize| node % 50 != 7;
    for node in (0..places.len()).filter(joined) {
        let square = |other: usize| {
            let [x, y] = [0, 1].map(|axis| places[node][axis] - places[other][axis]);
            x * x + y * y
        };
        let others = (0..places.len()).filter(joined);
        let mut others: Vec<usize> = others.filter(|other| *other != node).collect();
        others.sort_by(|&a, &b| square(a).total_cmp(&square(b)));
        let near = others.iter().take(5);
        same += near.filter(|other| *other / GROUP == node / GROUP).count();
    }
    same as f64 / (5 * (0..places.len()).filter(joined).count()) as f64
}

fn least_distance(places: &[[f64; 2]]) -> f64 {
    let mut least = f64::INFINITY;
    for (number, a) in places.iter().enumerate() {
        for b in &places[..number] {
            least = least.min((a[0] - b[0]).powi(2) + (a[1] - b[1]).powi(2));
        }
    }
    least.sqrt()
}

fn picture(edges: &[Edge], places: &[[f64; 2]]) -> String {
    let mut text = String::from(
        "<svg xmlns='http://www.w3.org/2000/svg' viewBox='-20 -20 1040 1040' width='1040' height='1040'><rect x='-20' y='-20' width='1040' height='1040' fill='white'/>\n",
    );
    let at = |node: usize| places[node].map(|value| value * 1000.0);
    for edge in edges {
        let ([x, y], [to, down]) = (at(edge.from), at(edge.to));
        text += &format!(
            "<line x1='{x:.1}' y1='{y:.1}' x2='{to:.1}' y2='{down:.1}' stroke='#bbb' stroke-width='.4'/>\n"
        );
    }
    for node in 0..places.len() {
        let [x, y] = at(node);
        let hue = node / GROUP * 137 % 360;
        text += &format!("<circle cx='{x:.1}' cy='{y:.1}' r='4' fill='hsl({hue},70%,45%)'/>\n");
    }
    text + "</svg>\n"
}

/// Lays a graph out, and says how long that takes at best.
fn timed(nodes: usize, edges: &[Edge]) -> (Vec<[f64; 2]>, f64) {
    let mut least = f64::INFINITY;
    let mut places = Vec::new();
    for _ in 0..ROUNDS {
        let began = Instant::now();
        let params = LayoutParams::default();
        places = layout(nodes, edges, &params, &mut SplitMix(1));
        least = least.min(began.elapsed().as_secs_f64());
    }
    (places, least * 1e3)
}

/// Graphs of so many nodes that are long, crowded, in pieces or nothing but chance.
fn hard(nodes: usize) -> Vec<(&'static str, Vec<Edge>)> {
    let edge = |from, to| Edge {
        from,
        to,
        weight: 1.0,
    };
    let mut rng = SplitMix(9);
    let mut number = |below: usize| (rng.unit() * below as f64) as usize;
    let chance = (0..4 * nodes).map(|_| edge(number(nodes), number(nodes)));
    let chance = chance.collect();
    let clique = (0..200).flat_map(|a| (0..a).map(move |b| edge(a, b)));
    vec![
        ("star", (1..nodes).map(|to| edge(0, to)).collect()),
        ("path", (1..nodes).map(|to| edge(to - 1, to)).collect()),
        (
            "tree",
            (1..nodes).map(|to| edge((to - 1) / 3, to)).collect(),
        ),
        (
            "pairs",
            (0..nodes / 2).map(|n| edge(2 * n, 2 * n + 1)).collect(),
        ),
        ("clique of 200", clique.collect()),
        ("chance", chance),
        ("no edges", Vec::new()),
    ]
}

fn main() -> std::io::Result<()> {
    let directory = std::env::args().skip(1).find(|name| name != "--bench");
    for nodes in [300, 1_000, 5_000] {
        let edges = planted(nodes, &mut SplitMix(3));
        let (places, time) = timed(nodes, &edges);
        println!(
            "{nodes} nodes, {} edges: {time:.1} ms; of the five nearest {:.3} are of the \
             group; least distance {:.5}",
            edges.len(),
            purity(&places),
            least_distance(&places)
        );
        if let Some(directory) = &directory {
            let name = format!("{directory}/layout-{nodes}.svg");
            std::fs::write(name, picture(&edges, &places))?;
        }
    }
    for (name, edges) in hard(5_000) {
        let (places, time) = timed(5_000, &edges);
        let least = least_distance(&places);
        println!("{name}: {time:.1} ms; least distance {least:.5}");
        if let Some(directory) = &directory {
            let name = format!("{directory}/layout-{name}.svg");
            std::fs::write(name, picture(&edges, &places))?;
        }
    }
    Ok(())
}
