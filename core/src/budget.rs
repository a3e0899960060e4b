//! Limits on everything that comes from outside: how much one input may send, how much work it may
//! cause and how much memory reading it may take.
//!
//! All limits stand in one table, so that the code that enforces a limit, the message that names it
//! and the test that drives an input to it read the same number.

use std::time::Duration;

use thiserror::Error;

/// Limits on one kind of input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// Name of the input in messages, with its article.
    pub input: &'static str,
    /// Most bytes of one input.
    pub bytes: usize,
    /// Most bytes that one input may unpack to. Equal to `bytes` where nothing is packed.
    pub unpacked: usize,
    /// Most things that are read from one input: words, addresses, pages.
    pub items: usize,
    /// Name of those things in messages, in the plural.
    pub item: &'static str,
    /// Most levels of nesting.
    pub depth: usize,
    /// Most bytes of memory that reading one input takes, besides the input itself.
    pub memory: usize,
    /// Longest time that reading one input takes on one processor core, in a release build.
    pub time: Duration,
}

/// A limit of a [`Budget`] that an input exceeds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum OverBudget {
    /// Too many bytes.
    #[error("{input} may have at most {most} bytes, and this has {found}")]
    Bytes {
        /// Name of the input.
        input: &'static str,
        /// The limit.
        most: usize,
        /// Bytes of this input.
        found: usize,
    },
    /// Too many things in it.
    #[error("{input} may have at most {most} {item}, and this has more")]
    Items {
        /// Name of the input.
        input: &'static str,
        /// The limit.
        most: usize,
        /// Name of the things.
        item: &'static str,
    },
    /// Nested too deeply.
    #[error("{input} may be nested at most {most} levels deep, and this goes deeper")]
    Depth {
        /// Name of the input.
        input: &'static str,
        /// The limit.
        most: usize,
    },
    /// It would take too much memory.
    #[error("{input} may take at most {most} bytes of memory, and this would take more")]
    Memory {
        /// Name of the input.
        input: &'static str,
        /// The limit.
        most: usize,
    },
    /// It took too long.
    #[error("{input} may take at most {} s, and this took longer", most.as_secs_f32())]
    Time {
        /// Name of the input.
        input: &'static str,
        /// The limit.
        most: Duration,
    },
}

impl Budget {
    /// Fails if an input of this many bytes is too large.
    pub fn check_bytes(&self, found: usize) -> Result<(), OverBudget> {
        let (input, most) = (self.input, self.bytes);
        if found > most {
            return Err(OverBudget::Bytes { input, most, found });
        }
        Ok(())
    }

    /// Fails if an input with this many things has too many.
    pub fn check_items(&self, found: usize) -> Result<(), OverBudget> {
        if found > self.items {
            return Err(OverBudget::Items {
                input: self.input,
                most: self.items,
                item: self.item,
            });
        }
        Ok(())
    }

    /// Fails if an input that is nested this deep goes too deep.
    pub fn check_depth(&self, found: usize) -> Result<(), OverBudget> {
        let (input, most) = (self.input, self.depth);
        if found > most {
            return Err(OverBudget::Depth { input, most });
        }
        Ok(())
    }

    /// Fails if this many bytes of memory are too many.
    pub fn check_memory(&self, found: usize) -> Result<(), OverBudget> {
        let (input, most) = (self.input, self.memory);
        if found > most {
            return Err(OverBudget::Memory { input, most });
        }
        Ok(())
    }

    /// Fails if this took too long.
    pub fn check_time(&self, taken: Duration) -> Result<(), OverBudget> {
        let (input, most) = (self.input, self.time);
        if taken > most {
            return Err(OverBudget::Time { input, most });
        }
        Ok(())
    }
}

const KIB: usize = 1 << 10;
const MIB: usize = 1 << 20;

/// What a person or a program types into a search field.
pub const QUERY: Budget = Budget {
    input: "a search",
    bytes: 4 * KIB,
    unpacked: 4 * KIB,
    items: 100,
    item: "words",
    depth: 1,
    memory: 64 * MIB,
    time: Duration::from_secs(5),
};

/// A condition on pages that a person writes, or that a topic file brings.
pub const PREDICATE: Budget = Budget {
    input: "a condition",
    bytes: 40_000,
    unpacked: 40_000,
    items: 10_000,
    item: "characters",
    depth: 64,
    memory: 64 * MIB,
    time: Duration::from_secs(1),
};

/// A list of pages from another program: bookmarks, feeds, references, tables, plain lines.
pub const LIST: Budget = Budget {
    input: "a list",
    bytes: 32 * MIB,
    unpacked: 32 * MIB,
    items: 100_000,
    item: "pages",
    depth: 128,
    memory: 64 * MIB,
    time: Duration::from_secs(5),
};

/// A topic that somebody else gives away as a file.
pub const TOPIC_FILE: Budget = Budget {
    input: "a topic file",
    bytes: 64 * MIB,
    unpacked: 64 * MIB,
    items: 100_000,
    item: "marks, phrases and notes",
    depth: 64,
    memory: 512 * MIB,
    time: Duration::from_secs(20),
};

/// A WARC or WACZ file that somebody else made. It is read in a stream, so that `bytes` does not
/// limit the file, but one page in it.
pub const ARCHIVE: Budget = Budget {
    input: "an archive",
    bytes: 16 * MIB,
    unpacked: 1 << 30,
    items: 200_000,
    item: "pages",
    depth: 2,
    memory: 512 * MIB,
    time: Duration::from_mins(5),
};

/// A PDF, an office document, a feed or a plain text that a crawl fetched.
pub const DOCUMENT: Budget = Budget {
    input: "a document",
    bytes: 16 * MIB,
    unpacked: 64 * MIB,
    items: 4 * MIB,
    item: "bytes of HTML",
    depth: 100,
    memory: 400 * MIB,
    time: Duration::from_secs(20),
};

/// An answer of a web server: a page as it is unpacked.
pub const ANSWER: Budget = Budget {
    input: "a page",
    bytes: 4 * MIB,
    unpacked: 4 * MIB,
    items: 10_000,
    item: "links",
    depth: 1_000,
    memory: 512 * MIB,
    time: Duration::from_secs(5),
};

/// A model file: all that a topic learned.
pub const MODEL: Budget = Budget {
    input: "a model file",
    bytes: 256 * MIB,
    unpacked: 256 * MIB,
    items: MIB,
    item: "words",
    depth: 64,
    memory: 1 << 30,
    time: Duration::from_secs(20),
};

/// A message of a paired browser, and the body of any other request.
pub const MESSAGE: Budget = Budget {
    input: "a message",
    bytes: 16 * MIB,
    unpacked: 16 * MIB,
    items: 1_000,
    item: "events",
    depth: 128,
    memory: 64 * MIB,
    time: Duration::from_secs(2),
};

/// Every budget there is.
pub const ALL: [Budget; 9] = [
    QUERY, PREDICATE, LIST, TOPIC_FILE, ARCHIVE, DOCUMENT, ANSWER, MODEL, MESSAGE,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_itself_is_allowed_and_one_more_is_not() {
        for budget in ALL {
            assert!(budget.check_bytes(budget.bytes).is_ok());
            assert!(budget.check_items(budget.items).is_ok());
            assert!(budget.check_depth(budget.depth).is_ok());
            assert!(budget.check_memory(budget.memory).is_ok());
            assert!(budget.check_time(budget.time).is_ok());
            let more = budget.time + Duration::from_millis(1);
            let errors = [
                budget.check_bytes(budget.bytes + 1),
                budget.check_items(budget.items + 1),
                budget.check_depth(budget.depth + 1),
                budget.check_memory(budget.memory + 1),
                budget.check_time(more),
            ];
            for error in errors {
                let said = error.unwrap_err().to_string();
                assert!(said.starts_with(budget.input), "{said}");
            }
        }
        let said = QUERY.check_bytes(5_000).unwrap_err().to_string();
        assert_eq!(
            said,
            "a search may have at most 4096 bytes, and this has 5000"
        );
    }
}
