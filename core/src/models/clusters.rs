//! Clusters of points: k-means, and X-means, which finds the number of clusters
//! itself by the Bayesian information criterion (Pelleg and Moore 2000).

use crate::draw::Draw;

/// Rounds of k-means at most.
const ROUNDS: usize = 40;

/// Points dealt into clusters.
#[derive(Debug, Clone, PartialEq)]
pub struct Clusters {
    /// The middle of each cluster.
    pub middles: Vec<Vec<f64>>,
    /// The cluster of each point.
    pub of: Vec<usize>,
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum()
}

fn nearest(point: &[f64], middles: &[Vec<f64>]) -> usize {
    let distances = middles.iter().map(|middle| distance(point, middle));
    let best = distances.enumerate().min_by(|a, b| a.1.total_cmp(&b.1));
    best.map_or(0, |row| row.0)
}

/// k-means from these middles. A cluster that runs empty keeps its middle.
fn settle(points: &[&[f64]], mut middles: Vec<Vec<f64>>) -> Clusters {
    let mut of = vec![usize::MAX; points.len()];
    for _ in 0..ROUNDS {
        let now: Vec<usize> = points
            .iter()
            .map(|point| nearest(point, &middles))
            .collect();
        if now == of {
            break;
        }
        of = now;
        for (cluster, middle) in middles.iter_mut().enumerate() {
            let mine = points.iter().zip(&of).filter(|row| *row.1 == cluster);
            let mut sum = vec![0.0; middle.len()];
            let mut count = 0.0;
            for (point, _) in mine {
                count += 1.0;
                sum.iter_mut()
                    .zip(*point)
                    .for_each(|(slot, value)| *slot += value);
            }
            if count > 0.0 {
                *middle = sum.into_iter().map(|value| value / count).collect();
            }
        }
    }
    Clusters { middles, of }
}

/// Bayesian information criterion of points dealt into clusters, taken as balls
/// of one common size; greater is better. Minus infinity where there are too few
/// points to tell.
fn criterion(points: &[&[f64]], clusters: &Clusters) -> f64 {
    let (n, k) = (points.len() as f64, clusters.middles.len() as f64);
    let dimensions = points.first().map_or(0, |point| point.len()) as f64;
    if n <= k {
        return f64::NEG_INFINITY;
    }
    let spread: f64 = points
        .iter()
        .zip(&clusters.of)
        .map(|(point, &cluster)| distance(point, &clusters.middles[cluster]))
        .sum();
    let variance = (spread / (dimensions * (n - k))).max(1e-12);
    let mut likelihood = 0.0;
    for cluster in 0..clusters.middles.len() {
        let here = clusters.of.iter().filter(|&&of| of == cluster).count() as f64;
        if here > 0.0 {
            likelihood += here * (here / n).ln();
        }
    }
    likelihood -= n * dimensions / 2.0 * (2.0 * std::f64::consts::PI * variance).ln();
    likelihood -= dimensions * (n - k) / 2.0;
    likelihood - k * (dimensions + 1.0) / 2.0 * n.ln()
}

/// X-means: clusters are split in two where that explains their points better,
/// and where it does so nowhere, all of them, to at most `most`; of all the
/// stages the one that explains all points best.
pub fn x_means(points: &[Vec<f64>], most: usize, draw: &mut dyn Draw) -> Clusters {
    let all: Vec<&[f64]> = points.iter().map(Vec::as_slice).collect();
    if all.is_empty() {
        return Clusters {
            middles: Vec::new(),
            of: Vec::new(),
        };
    }
    let mut now = settle(&all, vec![all[0].to_vec()]);
    let mut best = (criterion(&all, &now), now.clone());
    loop {
        let before = now.middles.len();
        let mut middles = split_where(&all, &now, most, false, draw);
        if middles.len() == before {
            middles = split_where(&all, &now, most, true, draw);
        }
        if middles.len() == before {
            return best.1;
        }
        now = settle(&all, middles);
        let worth = criterion(&all, &now);
        if worth > best.0 {
            best = (worth, now.clone());
        }
    }
}

/// The middles after a round of splits: where they explain more, or wherever
/// there are points enough.
fn split_where(
    all: &[&[f64]],
    clusters: &Clusters,
    most: usize,
    everywhere: bool,
    draw: &mut dyn Draw,
) -> Vec<Vec<f64>> {
    let count = clusters.middles.len();
    let mut middles = Vec::new();
    for (cluster, middle) in clusters.middles.iter().enumerate() {
        let mine = all.iter().zip(&clusters.of).filter(|row| *row.1 == cluster);
        let mine: Vec<&[f64]> = mine.map(|row| *row.0).collect();
        let has_room = middles.len() + (count - cluster) < most;
        match split(&mine, middle, everywhere, draw).filter(|_| has_room) {
            Some(pair) => middles.extend(pair),
            None => middles.push(middle.clone()),
        }
    }
    middles
}

/// Two middles in place of one, if they explain the points better or are wanted
/// anyway.
fn split(
    points: &[&[f64]],
    middle: &[f64],
    anyway: bool,
    draw: &mut dyn Draw,
) -> Option<Vec<Vec<f64>>> {
    if points.len() < 4 {
        return None;
    }
    let one = Clusters {
        middles: vec![middle.to_vec()],
        of: vec![0; points.len()],
    };
    // From a point and the one that lies farthest from it.
    let first = points[(draw.unit() * points.len() as f64) as usize];
    let farthest = points
        .iter()
        .max_by(|a, b| distance(a, first).total_cmp(&distance(b, first)))?;
    if distance(first, farthest) == 0.0 {
        return None;
    }
    let two = settle(points, vec![first.to_vec(), farthest.to_vec()]);
    let is_better = criterion(points, &two) > criterion(points, &one);
    (anyway || is_better).then_some(two.middles)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::SplitMix;

    fn clouds(centres: &[[f64; 2]], each: usize) -> Vec<Vec<f64>> {
        let mut draw = SplitMix(5);
        let centres = centres
            .iter()
            .flat_map(|centre| std::iter::repeat_n(centre, each));
        centres
            .map(|centre| {
                // Nearly normal: a sum of even draws.
                let mut noise = || (0..6).map(|_| draw.unit() - 0.5).sum::<f64>();
                vec![centre[0] + noise(), centre[1] + noise()]
            })
            .collect()
    }

    #[test]
    fn it_finds_how_many_clouds_there_are() {
        let centres = [
            [0.0, 0.0],
            [20.0, 0.0],
            [0.0, 20.0],
            [20.0, 20.0],
            [40.0, 10.0],
        ];
        for count in 1..=5 {
            let points = clouds(&centres[..count], 40);
            let found = x_means(&points, 12, &mut SplitMix(2));
            assert_eq!(found.middles.len(), count);
            for cloud in found.of.chunks(40) {
                assert!(cloud.iter().all(|cluster| *cluster == cloud[0]));
            }
        }
        let found = x_means(&clouds(&centres, 40), 3, &mut SplitMix(2));
        assert_eq!(found.middles.len(), 3, "no more than allowed");
        assert!(x_means(&[], 3, &mut SplitMix(2)).middles.is_empty());
        let same = vec![vec![1.0, 2.0]; 9];
        assert_eq!(x_means(&same, 5, &mut SplitMix(2)).of, [0; 9]);
    }
}
