//! Tables (RFC 4180): the cells of the first column that is named as one of addresses.

use super::pages::LONGEST;
use super::{ListError, Pages};

/// Bytes of a table's first line within which its columns are looked for.
const LONGEST_HEAD: usize = 64 << 10;
/// Signs that may part cells.
const PARTING: [char; 3] = [',', ';', '\t'];

/// A table whose first line names a column of addresses.
pub(super) struct Table<'a> {
    text: &'a str,
    parting: char,
    column: usize,
}

impl<'a> Table<'a> {
    /// The table that a text is, if it is one.
    pub(super) fn of(text: &'a str) -> Option<Self> {
        let line = text.lines().next().unwrap_or_default();
        let head = &line[..line.floor_char_boundary(LONGEST_HEAD)];
        let parting = PARTING
            .into_iter()
            .filter(|part| head.contains(*part))
            .max_by_key(|part| head.matches(*part).count())?;
        let mut column = None;
        // Only the first line is a head: cells of it may go on behind its end.
        let mut cells = Cells::new(head, parting);
        while let Some(cell) = cells.next(|_| true) {
            if cell.row > 0 || column.is_some() {
                break;
            }
            if is_column(&cell.text) {
                column = Some(cell.column);
            }
        }
        column.map(|column| Self {
            text,
            parting,
            column,
        })
    }

    /// Adds the pages of its column to those found.
    pub(super) fn read(&self, pages: &mut Pages) -> Result<(), ListError> {
        let mut cells = Cells::new(self.text, self.parting);
        while let Some(cell) = cells.next(|column| column == self.column) {
            if cell.row > 0 && cell.column == self.column {
                pages.add(&cell.text)?;
            }
        }
        Ok(())
    }
}

fn is_column(name: &str) -> bool {
    let name = name.trim().to_ascii_lowercase();
    matches!(&*name, "url" | "address" | "link" | "href" | "uri")
}

/// A cell and where it stands, both from 0.
struct Cell {
    row: usize,
    column: usize,
    /// Its text, if that is wanted: at most a little more than an address may have.
    text: String,
}

/// The cells of a table, one after the other.
struct Cells<'a> {
    signs: std::iter::Peekable<std::str::Chars<'a>>,
    parting: char,
    row: usize,
    column: usize,
    is_over: bool,
}

impl<'a> Cells<'a> {
    fn new(text: &'a str, parting: char) -> Self {
        Self {
            signs: text.chars().peekable(),
            parting,
            row: 0,
            column: 0,
            is_over: false,
        }
    }

    /// The next cell; its text is kept only if its column is wanted.
    fn next(&mut self, is_wanted: impl Fn(usize) -> bool) -> Option<Cell> {
        if self.is_over {
            return None;
        }
        let mut cell = Cell {
            row: self.row,
            column: self.column,
            text: String::new(),
        };
        let is_wanted = is_wanted(self.column);
        let (mut is_quoted, mut is_empty) = (false, true);
        loop {
            let Some(sign) = self.signs.next() else {
                self.is_over = true;
                break;
            };
            match sign {
                '"' if is_quoted && self.signs.peek() == Some(&'"') => {
                    self.signs.next();
                }
                '"' if is_quoted || is_empty => {
                    is_quoted = !is_quoted;
                    continue;
                }
                '\n' if !is_quoted => {
                    (self.row, self.column) = (self.row + 1, 0);
                    break;
                }
                '\r' if !is_quoted => continue,
                sign if sign == self.parting && !is_quoted => {
                    self.column += 1;
                    break;
                }
                _ => {}
            }
            is_empty = false;
            if is_wanted && cell.text.len() <= LONGEST {
                cell.text.push(sign);
            }
        }
        Some(cell)
    }
}
