//! Vectors whose directions say what words mean.

use std::ops::AddAssign;

use serde::{Deserialize, Serialize};

use crate::text::Pieces;

/// `N` numbers: the sum of the vectors of words.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Vec<f32>", into = "Vec<f32>")]
pub struct Vector<const N: usize>(pub(super) [f32; N]);

impl<const N: usize> From<Vector<N>> for Vec<f32> {
    fn from(Vector(numbers): Vector<N>) -> Self {
        numbers.into()
    }
}

impl<const N: usize> TryFrom<Vec<f32>> for Vector<N> {
    type Error = &'static str;

    fn try_from(numbers: Vec<f32>) -> Result<Self, Self::Error> {
        let numbers = numbers.try_into();
        numbers
            .map(Self)
            .map_err(|_| "a direction has another number of dimensions")
    }
}

impl<const N: usize> Default for Vector<N> {
    fn default() -> Self {
        Self([0.0; N])
    }
}

impl<const N: usize> AddAssign<&Self> for Vector<N> {
    fn add_assign(&mut self, other: &Self) {
        for (own, more) in self.0.iter_mut().zip(&other.0) {
            *own += more;
        }
    }
}

impl<const N: usize> Vector<N> {
    /// Adds a word with a weight: the mean of the rows that its pieces have in a table. A row is of
    /// `row` bytes: a scale, a little-endian f32, and what `read` makes numbers of.
    pub(super) fn add_pieces<I: Iterator<Item = f32>>(
        &mut self,
        (pieces, weight): (&Pieces, f32),
        (table, row): (&'static [u8], usize),
        read: impl Fn(&'static [u8]) -> I,
    ) {
        let rows = pieces.rows();
        let share = weight / rows.len() as f32;
        for &number in rows {
            let start = usize::from(number) * row;
            let Some((scale, numbers)) = table
                .get(start..start + row)
                .and_then(|row| row.split_first_chunk())
            else {
                continue;
            };
            let scale = share * f32::from_le_bytes(*scale);
            for (own, number) in self.0.iter_mut().zip(read(numbers)) {
                *own += scale * number;
            }
        }
    }

    /// Of length 1; nothing stays nothing.
    #[must_use]
    pub fn unit(&self) -> Self {
        let length = self.length();
        if length < 1e-9 {
            return Self::default();
        }
        self.scaled(1.0 / length)
    }

    /// Its length.
    pub fn length(&self) -> f32 {
        self.dot(self).sqrt()
    }

    /// Its numbers.
    pub fn numbers(&self) -> impl Iterator<Item = f32> + '_ {
        self.0.iter().copied()
    }

    /// Its direction, `factor` times its length.
    #[must_use]
    pub fn scaled(&self, factor: f32) -> Self {
        Self(self.0.map(|number| factor * number))
    }

    /// What it has that another has not.
    #[must_use]
    pub fn without(&self, other: &Self) -> Self {
        let mut rest = *self;
        rest += &other.scaled(-1.0);
        rest
    }

    /// The inner product: of two of length 1 the cosine of the angle between them, -1..=1.
    pub fn dot(&self, other: &Self) -> f32 {
        self.0.iter().zip(&other.0).map(|(a, b)| a * b).sum()
    }
}
