//! Puts places into the unit box and moves marks apart that overlap.

use crate::layout::plane::{Point, fit};

/// Rounds at most of each pass.
const ROUNDS: usize = 200;
/// Passes that may grow beyond the box, which is fitted around them again.
const GROWING: usize = 4;
/// Of the distance between nodes of a square lattice that fills the box, how much can
/// be asked for.
const FILL: f64 = 0.7;
/// Distances short by no more than this share are taken as reached.
const SLACK: f64 = 1e-3;

/// Puts places into the unit box, and apart until no two are nearer than two radii, or as far as a box with
/// so many has room for: 0.7 divided by the root of their number. Where marks lie too
/// thick for the rounds there are, some still overlap, but none lie at the same place.
pub(crate) fn move_apart(places: &mut [Point], radius: f64) {
    fit(places);
    if places.len() < 2 {
        return;
    }
    let room = 1.0 / (places.len() as f64).sqrt();
    // A radius that is no number counts as none.
    let least = (2.0 * radius).max(1e-6).min(FILL * room);
    let columns = (1.0 / least.max(room / 2.0)).floor().max(1.0);
    let mut grid = Grid::new(columns as usize);
    // Places held in the box from the start would be pressed flat against its sides.
    for _ in 0..GROWING {
        grid.part_all(places, least, [f64::NEG_INFINITY, f64::INFINITY]);
        fit(places);
    }
    grid.part_all(places, least, [0.0, 1.0]);
}

/// Nodes sorted into the squares of a lattice over the unit box, each at least as wide
/// as the distance that is wanted. What lies outside counts to the nearest square.
struct Grid {
    columns: usize,
    /// Where the nodes of each square begin in `nodes`; one more at the end.
    begins: Vec<usize>,
    nodes: Vec<usize>,
}

impl Grid {
    fn new(columns: usize) -> Self {
        Self {
            columns,
            begins: Vec::new(),
            nodes: Vec::new(),
        }
    }

    /// Column and row of a place.
    fn square(&self, place: Point) -> [usize; 2] {
        place.map(|value| ((value * self.columns as f64) as usize).min(self.columns - 1))
    }

    fn sort(&mut self, places: &[Point]) {
        let number = |place: Point| {
            let [column, row] = self.square(place);
            row * self.columns + column
        };
        let numbers: Vec<usize> = places.iter().map(|&place| number(place)).collect();
        let mut begins = vec![0; self.columns * self.columns + 1];
        for &number in &numbers {
            begins[number + 1] += 1;
        }
        for number in 1..begins.len() {
            begins[number] += begins[number - 1];
        }
        let mut next = begins.clone();
        let mut nodes = vec![0; places.len()];
        for (node, &number) in numbers.iter().enumerate() {
            nodes[next[number]] = node;
            next[number] += 1;
        }
        (self.begins, self.nodes) = (begins, nodes);
    }

    /// Rounds until no two are nearer than the least distance.
    fn part_all(&mut self, places: &mut [Point], least: f64, bounds: [f64; 2]) {
        for _ in 0..ROUNDS {
            self.sort(places);
            if !self.round(places, least, bounds) {
                break;
            }
        }
    }

    /// Moves each two that are too near by half of what is missing each. Whether there
    /// were any.
    fn round(&self, places: &mut [Point], least: f64, bounds: [f64; 2]) -> bool {
        let mut has_moved = false;
        for node in 0..places.len() {
            let [column, row] = self.square(places[node]);
            let columns = column.saturating_sub(1)..=(column + 1).min(self.columns - 1);
            for row in row.saturating_sub(1)..=(row + 1).min(self.columns - 1) {
                let first = self.begins[row * self.columns + columns.start()];
                let last = self.begins[row * self.columns + columns.end() + 1];
                for &other in &self.nodes[first..last] {
                    if other > node {
                        has_moved |= part(places, [node, other], least, bounds);
                    }
                }
            }
        }
        has_moved
    }
}

/// Moves two nodes apart if they are too near, not out of the bounds.
fn part(places: &mut [Point], [a, b]: [usize; 2], least: f64, [low, high]: [f64; 2]) -> bool {
    let [x, y] = [places[b][0] - places[a][0], places[b][1] - places[a][1]];
    let square = x * x + y * y;
    let enough = least * (1.0 - SLACK);
    if square >= enough * enough {
        return false;
    }
    let distance = square.sqrt();
    // Nodes at the same place part in directions that differ from pair to pair.
    let along = if distance > 1e-12 {
        [x / distance, y / distance]
    } else {
        let slope = ((a * 7 + b * 13) % 31) as f64 / 15.0 - 1.0;
        let length = (1.0 + slope * slope).sqrt();
        [1.0 / length, slope / length]
    };
    let step = (least - distance) / 2.0;
    for axis in 0..2 {
        places[a][axis] = (places[a][axis] - step * along[axis]).clamp(low, high);
        places[b][axis] = (places[b][axis] + step * along[axis]).clamp(low, high);
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Rng, SplitMix};

    fn least(places: &[Point]) -> f64 {
        assert!(places.iter().flatten().all(|value| value.is_finite()));
        let mut least = f64::INFINITY;
        for (number, a) in places.iter().enumerate() {
            for b in &places[..number] {
                least = least.min((a[0] - b[0]).hypot(a[1] - b[1]));
            }
        }
        least
    }

    #[test]
    fn no_two_are_nearer_than_two_radii() {
        let mut rng = SplitMix(2);
        let mut places: Vec<Point> = (0..900).map(|_| [rng.unit(), rng.unit()]).collect();
        assert!(least(&places) < 0.002);
        let before = places.clone();
        move_apart(&mut places, 0.008);
        assert!(
            least(&places) >= 0.016 * (1.0 - SLACK),
            "{}",
            least(&places)
        );
        // They stay near where they were.
        for (a, b) in places.iter().zip(&before) {
            assert!((a[0] - b[0]).hypot(a[1] - b[1]) < 0.06, "{a:?} {b:?}");
        }
    }

    #[test]
    fn nodes_at_the_same_place_part() {
        let mut places = vec![[0.3, 0.7]; 40];
        places.extend([[0.1, 0.1], [0.9, 0.9]]);
        move_apart(&mut places, 0.02);
        assert!(least(&places) >= 0.04 * (1.0 - SLACK), "{}", least(&places));
    }
}
