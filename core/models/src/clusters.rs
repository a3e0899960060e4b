//! Clusters of points: k-means, and X-means, which finds the number of clusters
//! itself by the Bayesian information criterion (Pelleg and Moore 2000).

use crate::rng::Rng;

/// Rounds of k-means at most.
const ROUNDS: usize = 40;

/// Points dealt into clusters.
#[derive(Debug, Clone, PartialEq)]
pub struct Clusters {
    /// The centroid of each cluster.
    pub centroids: Vec<Vec<f64>>,
    /// The cluster of each point.
    pub of: Vec<usize>,
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum()
}

fn nearest(point: &[f64], centroids: &[Vec<f64>]) -> usize {
    let distances = centroids.iter().map(|centroid| distance(point, centroid));
    let best = distances.enumerate().min_by(|a, b| a.1.total_cmp(&b.1));
    best.map_or(0, |row| row.0)
}

/// k-means from these centroids. A cluster that runs empty keeps its centroid.
fn lloyd(points: &[&[f64]], mut centroids: Vec<Vec<f64>>) -> Clusters {
    let mut of = vec![usize::MAX; points.len()];
    for _ in 0..ROUNDS {
        let now: Vec<usize> = points
            .iter()
            .map(|point| nearest(point, &centroids))
            .collect();
        if now == of {
            break;
        }
        of = now;
        for (cluster, centroid) in centroids.iter_mut().enumerate() {
            let mine = points.iter().zip(&of).filter(|row| *row.1 == cluster);
            let mut sum = vec![0.0; centroid.len()];
            let mut count = 0.0;
            for (point, _) in mine {
                count += 1.0;
                sum.iter_mut()
                    .zip(*point)
                    .for_each(|(slot, value)| *slot += value);
            }
            if count > 0.0 {
                *centroid = sum.into_iter().map(|value| value / count).collect();
            }
        }
    }
    Clusters { centroids, of }
}

/// Bayesian information criterion of points dealt into clusters, taken as balls
/// of one common size; greater is better. Minus infinity where there are too few
/// points to tell.
fn criterion(points: &[&[f64]], clusters: &Clusters) -> f64 {
    let (n, k) = (points.len() as f64, clusters.centroids.len() as f64);
    let dimensions = points.first().map_or(0, |point| point.len()) as f64;
    if n <= k {
        return f64::NEG_INFINITY;
    }
    let spread: f64 = points
        .iter()
        .zip(&clusters.of)
        .map(|(point, &cluster)| distance(point, &clusters.centroids[cluster]))
        .sum();
    let variance = (spread / (dimensions * (n - k))).max(1e-12);
    let mut likelihood = 0.0;
    for cluster in 0..clusters.centroids.len() {
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
pub fn x_means(points: &[Vec<f64>], most: usize, rng: &mut dyn Rng) -> Clusters {
    let all: Vec<&[f64]> = points.iter().map(Vec::as_slice).collect();
    if all.is_empty() {
        return Clusters {
            centroids: Vec::new(),
            of: Vec::new(),
        };
    }
    let mut now = lloyd(&all, vec![all[0].to_vec()]);
    let mut best = (criterion(&all, &now), now.clone());
    loop {
        let before = now.centroids.len();
        let mut centroids = split_where(&all, &now, most, false, rng);
        if centroids.len() == before {
            centroids = split_where(&all, &now, most, true, rng);
        }
        if centroids.len() == before {
            return best.1;
        }
        now = lloyd(&all, centroids);
        let worth = criterion(&all, &now);
        if worth > best.0 {
            best = (worth, now.clone());
        }
    }
}

/// The centroids after a round of splits: where they explain more, or wherever
/// there are points enough.
fn split_where(
    all: &[&[f64]],
    clusters: &Clusters,
    most: usize,
    everywhere: bool,
    rng: &mut dyn Rng,
) -> Vec<Vec<f64>> {
    let count = clusters.centroids.len();
    let mut centroids = Vec::new();
    for (cluster, centroid) in clusters.centroids.iter().enumerate() {
        let mine = all.iter().zip(&clusters.of).filter(|row| *row.1 == cluster);
        let mine: Vec<&[f64]> = mine.map(|row| *row.0).collect();
        let has_room = centroids.len() + (count - cluster) < most;
        match split(&mine, centroid, everywhere, rng).filter(|_| has_room) {
            Some(pair) => centroids.extend(pair),
            None => centroids.push(centroid.clone()),
        }
    }
    centroids
}

/// Two centroids in place of one, if they explain the points better or are wanted
/// anyway.
fn split(
    points: &[&[f64]],
    centroid: &[f64],
    anyway: bool,
    rng: &mut dyn Rng,
) -> Option<Vec<Vec<f64>>> {
    if points.len() < 4 {
        return None;
    }
    let one = Clusters {
        centroids: vec![centroid.to_vec()],
        of: vec![0; points.len()],
    };
    // From a point and the one that lies farthest from it.
    let first = points[(rng.unit() * points.len() as f64) as usize];
    let farthest = points
        .iter()
        .max_by(|a, b| distance(a, first).total_cmp(&distance(b, first)))?;
    if distance(first, farthest) == 0.0 {
        return None;
    }
    let two = lloyd(points, vec![first.to_vec(), farthest.to_vec()]);
    let is_better = criterion(points, &two) > criterion(points, &one);
    (anyway || is_better).then_some(two.centroids)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::SplitMix;

    fn clouds(centres: &[[f64; 2]], each: usize) -> Vec<Vec<f64>> {
        let mut rng = SplitMix(5);
        let centres = centres
            .iter()
            .flat_map(|centre| std::iter::repeat_n(centre, each));
        centres
            .map(|centre| {
                // Nearly normal: a sum of even draws.
                let mut noise = || (0..6).map(|_| rng.unit() - 0.5).sum::<f64>();
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
            assert_eq!(found.centroids.len(), count);
            for cloud in found.of.chunks(40) {
                assert!(cloud.iter().all(|cluster| *cluster == cloud[0]));
            }
        }
        let found = x_means(&clouds(&centres, 40), 3, &mut SplitMix(2));
        assert_eq!(found.centroids.len(), 3, "no more than allowed");
        assert!(x_means(&[], 3, &mut SplitMix(2)).centroids.is_empty());
        let same = vec![vec![1.0, 2.0]; 9];
        assert_eq!(x_means(&same, 5, &mut SplitMix(2)).of, [0; 9]);
    }
}
