//! What a crawl is doing, or how it came to rest.

use std::fmt;

/// What a crawl is doing, or how it came to rest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CrawlState {
    /// It runs, or did when whoever ran it died.
    Running,
    /// It rests and can go on.
    Paused,
    /// It was ended by the person.
    Stopped,
    /// It came to its end.
    Done,
}

impl CrawlState {
    const ALL: [Self; 4] = [Self::Running, Self::Paused, Self::Stopped, Self::Done];

    /// As it is stored and sent.
    pub fn code(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Paused => "paused",
            Self::Stopped => "stopped",
            Self::Done => "done",
        }
    }

    /// Back from [`Self::code`].
    pub fn of(code: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.code() == code)
    }

    /// Whether it runs.
    pub fn is_running(self) -> bool {
        self == Self::Running
    }

    /// Whether it rests and can go on.
    pub fn is_paused(self) -> bool {
        self == Self::Paused
    }

    /// Whether there is nothing more to come.
    pub fn is_over(self) -> bool {
        matches!(self, Self::Stopped | Self::Done)
    }
}

impl fmt::Display for CrawlState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}
