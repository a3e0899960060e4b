//! Truncated singular value decomposition of a sparse matrix, by subspace
//! iteration from a random start (Halko, Martinsson, Tropp 2011, algorithms 4.4
//! and 5.1).

use super::sequences::Feature;
use crate::rng::Rng;

/// Directions looked at beyond those wanted.
const SPARE: usize = 8;
/// Iterations; each sharpens the smaller singular values.
const ITERATIONS: usize = 7;

/// The right singular vectors that belong to the greatest singular values.
#[derive(Debug, Clone, PartialEq)]
pub struct Svd {
    /// Singular values, greatest first.
    pub values: Vec<f64>,
    /// `columns * rank`: row by row, the coordinates of each column of the
    /// matrix.
    pub vectors: Vec<f64>,
}

/// A dense matrix, `rows * width`.
#[derive(Clone)]
struct Dense {
    width: usize,
    cells: Vec<f64>,
}

impl Dense {
    fn zeros(rows: usize, width: usize) -> Self {
        Self {
            width,
            cells: vec![0.0; rows * width],
        }
    }

    fn row(&self, row: usize) -> &[f64] {
        &self.cells[row * self.width..][..self.width]
    }

    fn row_mut(&mut self, row: usize) -> &mut [f64] {
        &mut self.cells[row * self.width..][..self.width]
    }

    fn rows(&self) -> usize {
        self.cells.len() / self.width.max(1)
    }

    /// Makes the columns orthonormal (Gram and Schmidt, twice); columns that
    /// depend on others become zero.
    fn orthonormalise(&mut self) {
        for column in 0..self.width {
            for _ in 0..2 {
                for other in 0..column {
                    let share = self.dot(column, other);
                    for row in 0..self.rows() {
                        let cells = self.row_mut(row);
                        cells[column] -= share * cells[other];
                    }
                }
            }
            let norm = self.dot(column, column).sqrt();
            for row in 0..self.rows() {
                let cell = &mut self.row_mut(row)[column];
                *cell = if norm > 1e-10 { *cell / norm } else { 0.0 };
            }
        }
    }

    fn dot(&self, a: usize, b: usize) -> f64 {
        self.cells
            .chunks(self.width)
            .map(|row| row[a] * row[b])
            .sum()
    }
}

/// `matrix * dense`.
fn times(matrix: &[Vec<Feature>], dense: &Dense) -> Dense {
    let mut product = Dense::zeros(matrix.len(), dense.width);
    for (number, row) in matrix.iter().enumerate() {
        let out = product.row_mut(number);
        for &(column, value) in row {
            for (slot, cell) in out.iter_mut().zip(dense.row(column as usize)) {
                *slot += f64::from(value) * cell;
            }
        }
    }
    product
}

/// `transposed matrix * dense`.
fn transposed_times(matrix: &[Vec<Feature>], columns: usize, dense: &Dense) -> Dense {
    let mut product = Dense::zeros(columns, dense.width);
    for (number, row) in matrix.iter().enumerate() {
        for &(column, value) in row {
            let out = product.row_mut(column as usize);
            for (slot, cell) in out.iter_mut().zip(dense.row(number)) {
                *slot += f64::from(value) * cell;
            }
        }
    }
    product
}

/// Decomposes a matrix given by its sparse rows. The rank may come out lower
/// than wanted.
pub fn truncated(matrix: &[Vec<Feature>], columns: usize, rank: usize, rng: &mut dyn Rng) -> Svd {
    let width = (rank + SPARE).min(columns).min(matrix.len());
    let mut right = Dense::zeros(columns, width);
    for cell in &mut right.cells {
        *cell = rng.unit() - 0.5;
    }
    for _ in 0..ITERATIONS {
        right.orthonormalise();
        let left = times(matrix, &right);
        right = transposed_times(matrix, columns, &left);
    }
    right.orthonormalise();
    // In the space found, the matrix is small: diagonalise its square.
    let left = times(matrix, &right);
    let mut square = Dense::zeros(width, width);
    for row in left.cells.chunks(width.max(1)) {
        for (a, first) in row.iter().enumerate() {
            for (slot, second) in square.row_mut(a).iter_mut().zip(row) {
                *slot += first * second;
            }
        }
    }
    let (values, turned) = jacobi(square);
    let mut order: Vec<usize> = (0..width).collect();
    order.sort_by(|&a, &b| values[b].total_cmp(&values[a]));
    order.retain(|&place| values[place] > 1e-12 * values[order_first(&values)]);
    order.truncate(rank);
    let mut vectors = Vec::with_capacity(columns * order.len());
    for row in 0..columns {
        let row = right.row(row);
        for &place in &order {
            vectors.push((0..width).map(|k| row[k] * turned.row(k)[place]).sum());
        }
    }
    Svd {
        values: order.iter().map(|&place| values[place].sqrt()).collect(),
        vectors,
    }
}

fn order_first(values: &[f64]) -> usize {
    let numbered = values.iter().enumerate();
    numbered
        .max_by(|a, b| a.1.total_cmp(b.1))
        .map_or(0, |row| row.0)
}

/// Eigenvalues and eigenvectors (in columns) of a symmetric matrix, by
/// Jacobi's rotations.
fn jacobi(mut matrix: Dense) -> (Vec<f64>, Dense) {
    let n = matrix.width;
    let mut vectors = Dense::zeros(n, n);
    for place in 0..n {
        vectors.row_mut(place)[place] = 1.0;
    }
    for _ in 0..60 {
        let off: f64 = (0..n)
            .flat_map(|p| (p + 1..n).map(move |q| (p, q)))
            .map(|(p, q)| matrix.row(p)[q].powi(2))
            .sum();
        if off < 1e-22 * matrix.cells.iter().map(|cell| cell * cell).sum::<f64>() {
            break;
        }
        for p in 0..n {
            for q in p + 1..n {
                rotate(&mut matrix, &mut vectors, p, q);
            }
        }
    }
    let values = (0..n).map(|place| matrix.row(place)[place].max(0.0));
    (values.collect(), vectors)
}

fn rotate(matrix: &mut Dense, vectors: &mut Dense, p: usize, q: usize) {
    let off = matrix.row(p)[q];
    if off == 0.0 {
        return;
    }
    let theta = (matrix.row(q)[q] - matrix.row(p)[p]) / (2.0 * off);
    let tangent = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
    let cosine = 1.0 / (tangent * tangent + 1.0).sqrt();
    let sine = tangent * cosine;
    for row in 0..matrix.width {
        for dense in [&mut *matrix, &mut *vectors] {
            let cells = dense.row_mut(row);
            let (a, b) = (cells[p], cells[q]);
            cells[p] = cosine * a - sine * b;
            cells[q] = sine * a + cosine * b;
        }
    }
    for column in 0..matrix.width {
        let (a, b) = (matrix.row(p)[column], matrix.row(q)[column]);
        matrix.row_mut(p)[column] = cosine * a - sine * b;
        matrix.row_mut(q)[column] = sine * a + cosine * b;
    }
}

impl Svd {
    /// Number of singular values kept.
    pub fn rank(&self) -> usize {
        self.values.len()
    }

    /// Coordinates of a row in the space of the singular vectors, scaled to
    /// length 1; all zero for a row that lies outside. Columns beyond the
    /// matrix count for nothing.
    pub fn embed(&self, row: &[Feature]) -> Vec<f64> {
        let rank = self.rank();
        let mut place = vec![0.0; rank];
        for &(column, value) in row {
            let start = column as usize * rank;
            let cells = self.vectors.get(start..start + rank).unwrap_or(&[]);
            for (slot, cell) in place.iter_mut().zip(cells) {
                *slot += f64::from(value) * cell;
            }
        }
        let norm = place.iter().map(|value| value * value).sum::<f64>().sqrt();
        if norm > 0.0 {
            for value in &mut place {
                *value /= norm;
            }
        }
        place
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::SplitMix;

    /// Row `i`, column `j`: a number that `NumPy` was given as well.
    fn matrix() -> Vec<Vec<Feature>> {
        let cell = |i: u32, j: u32| ((i * 7 + j * 13 + i * j) % 11) as f32;
        let row = |i: u32| (0..9).map(|j| (j, cell(i, j))).collect();
        (0..12).map(row).collect()
    }

    #[test]
    fn singular_values_are_those_of_numpy() {
        let svd = truncated(&matrix(), 9, 4, &mut SplitMix(1));
        let numpy = [
            56.363_657_216_371_01,
            18.541_381_338_342_394,
            14.345_052_282_524_525,
            11.025_333_650_799_496,
        ];
        for (ours, theirs) in svd.values.iter().zip(numpy) {
            assert!((ours - theirs).abs() < 1e-6, "{ours} {theirs}");
        }
        assert_eq!(svd.rank(), 4);
        // The vectors are orthonormal, and each is stretched by its value.
        for a in 0..4 {
            for b in 0..4 {
                let dot: f64 = svd.vectors.chunks(4).map(|row| row[a] * row[b]).sum();
                assert!((dot - f64::from(u8::from(a == b))).abs() < 1e-9);
            }
            let image: f64 = matrix()
                .iter()
                .map(|row| {
                    let cells = row
                        .iter()
                        .map(|&(j, v)| f64::from(v) * svd.vectors[j as usize * 4 + a]);
                    cells.sum::<f64>().powi(2)
                })
                .sum();
            assert!((image.sqrt() - svd.values[a]).abs() < 1e-6);
        }
    }

    #[test]
    fn a_matrix_of_low_rank_has_no_more_values() {
        let rows: Vec<Vec<Feature>> = (1..6)
            .map(|i| vec![(0, i as f32), (2, 2.0 * i as f32)])
            .collect();
        let svd = truncated(&rows, 4, 3, &mut SplitMix(1));
        assert_eq!(svd.rank(), 1, "{:?}", svd.values);
        let place = svd.embed(&[(0, 1.0), (2, 2.0)]);
        assert!((place[0].abs() - 1.0).abs() < 1e-9);
        assert_eq!(svd.embed(&[(1, 1.0), (70, 1.0)]), [0.0]);
        assert_eq!(truncated(&[], 4, 3, &mut SplitMix(1)).rank(), 0);
    }
}
