//! Probabilities as people say them.

/// How likely something is, as coarsely as it is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Confidence {
    /// Under 15 %.
    Unlikely,
    /// 15 to 40 %.
    Perhaps,
    /// 40 to 60 %.
    Even,
    /// 60 to 80 %.
    Likely,
    /// From 80 % on.
    VeryLikely,
}

/// Each but the first with the probability it begins at.
const FROM: [(Confidence, f64); 4] = [
    (Confidence::VeryLikely, 0.8),
    (Confidence::Likely, 0.6),
    (Confidence::Even, 0.4),
    (Confidence::Perhaps, 0.15),
];

impl Confidence {
    /// Of a probability, 0..=1.
    ///
    /// ```
    /// use linkscent_core::confidence::Confidence;
    ///
    /// assert_eq!(Confidence::of(0.7).words(), "likely");
    /// ```
    pub fn of(probability: f64) -> Self {
        let confidence = FROM.iter().find(|row| probability >= row.1);
        confidence.map_or(Self::Unlikely, |row| row.0)
    }

    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Unlikely => "unlikely",
            Self::Perhaps => "perhaps",
            Self::Even => "about even",
            Self::Likely => "likely",
            Self::VeryLikely => "very likely",
        }
    }

    /// As a range of percentages.
    pub fn range(self) -> &'static str {
        match self {
            Self::Unlikely => "under 15 %",
            Self::Perhaps => "15 to 40 %",
            Self::Even => "40 to 60 %",
            Self::Likely => "60 to 80 %",
            Self::VeryLikely => "over 80 %",
        }
    }
}

impl std::fmt::Display for Confidence {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.words())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn confidences_begin_where_they_say() {
        let confidences = [0.0, 0.149, 0.15, 0.4, 0.599, 0.6, 0.8, 1.0].map(Confidence::of);
        assert_eq!(
            confidences,
            [
                Confidence::Unlikely,
                Confidence::Unlikely,
                Confidence::Perhaps,
                Confidence::Even,
                Confidence::Even,
                Confidence::Likely,
                Confidence::VeryLikely,
                Confidence::VeryLikely
            ]
        );
        assert_eq!(Confidence::of(f64::NAN), Confidence::Unlikely);
        for (confidence, from) in FROM {
            let first = confidence.range().trim_start_matches("over ");
            let first: f64 = first.split(' ').next().unwrap().parse().unwrap();
            assert_eq!(first, 100.0 * from, "{confidence}");
        }
    }
}
