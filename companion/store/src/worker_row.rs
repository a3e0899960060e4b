//! A worker, as a person sees it.

use std::fmt;

/// One of the workers there are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkerRow {
    /// What it calls itself.
    pub name: String,
    /// When it began, in milliseconds since 1970 by the database's clock.
    pub since: i64,
    /// Milliseconds since it said that it is there.
    pub silent: i64,
    /// Requests that it makes just now.
    pub under_way: i64,
    /// Answers that were taken from it.
    pub answers: i64,
    /// Answers that came too late or twice.
    pub refused: i64,
    /// Bytes of answers.
    pub bytes: i64,
    /// What keeps it from its work, if anything does.
    pub problem: String,
}

impl fmt::Display for WorkerRow {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            out,
            "{}: {} answers, {} requests under way",
            self.name, self.answers, self.under_way
        )?;
        if self.refused > 0 {
            write!(out, ", {} answers refused", self.refused)?;
        }
        if !self.problem.is_empty() {
            write!(out, "; {}", self.problem)?;
        }
        Ok(())
    }
}
