//! Limits of what a worker answers.

use std::time::Duration;

/// Limits of an answer. Each is checked before what it limits is used (`wire`). A page's leaves, links, forms and text
/// are limited as for a page that is read here (`Document::check`), rules of robots.txt by `Robots::is_sound`, and
/// addresses by `Address::parse`.
pub(super) struct AnswerLimits {
    /// Bytes as it is sent. The database takes no more, either.
    pub packed: usize,
    /// Bytes once it is unpacked.
    pub unpacked: u32,
    /// Bytes of its records for the archive, once they are unpacked.
    pub records: u64,
    /// Characters of a problem, or of why a page comes later.
    pub text: usize,
    /// Time that a page took to read, or to fetch. More counts as this.
    pub work: Duration,
    /// Time for which a host that asked for it rests. More counts as this.
    pub rest: Duration,
    /// Time for which a page is put off. More counts as this.
    pub put_off: Duration,
}

/// See [`AnswerLimits`].
pub(super) const LIMITS: AnswerLimits = AnswerLimits {
    packed: 64_000_000,
    unpacked: 128 << 20,
    records: 128 << 20,
    text: 500,
    work: Duration::from_mins(1),
    rest: Duration::from_hours(24),
    put_off: Duration::from_hours(25),
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_database_takes_no_larger_answer() {
        let functions = include_str!("../../../../store/migrations/postgres/0009_workers.sql");
        let limit = format!("octet_length(given.answer) BETWEEN 1 AND {}", LIMITS.packed);
        assert!(functions.contains(&limit));
    }
}
