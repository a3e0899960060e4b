//! From lines to headings and paragraphs, by how far apart lines stand and how large their
//! letters are.

use std::collections::BTreeMap;

use super::letters::Line;
use crate::html::{Page, Piece};
use crate::text::linked;

/// The distance of lines in a paragraph at most, in heights of letters.
const APART: f64 = 1.8;
/// How far a paragraph's first line may be set in, in heights of letters.
const INDENT: f64 = 0.8;
/// How much the letters of one paragraph differ in height.
const UNLIKE: f64 = 1.12;
/// How much larger than most letters those of headings are.
const LARGER: f64 = 1.15;
/// Letters of a heading at most.
const LONGEST_HEADING: usize = 200;

/// The title as the first page displays it: its largest letters, if some are larger than most.
pub(super) fn title(lines: &[Line]) -> Option<String> {
    let body = body_size(lines);
    let first = lines.first()?.sheet;
    let page = || lines.iter().filter(|line| line.sheet == first);
    // A single large letter begins a chapter or is a logo.
    let is_said = |line: &&Line| line.letters > 3;
    let largest = page()
        .filter(is_said)
        .map(|line| line.size)
        .fold(0.0, f64::max);
    if largest < LARGER * body {
        return None;
    }
    let is_large = |line: &&Line| line.size > largest / UNLIKE;
    let words = page()
        .skip_while(|line| !is_large(line) || !is_said(line))
        .take_while(is_large)
        .take(4)
        .map(Line::words);
    let title = words.collect::<Vec<_>>().join(" ");
    title.contains(char::is_alphabetic).then_some(title)
}

/// Writes all lines.
pub(super) fn write(lines: Vec<Line>, page: &mut Page) {
    let body = body_size(&lines);
    let mut block: Vec<Line> = Vec::new();
    for line in lines {
        if !block.is_empty() && !goes_on(&block, &line) {
            write_block(std::mem::take(&mut block), body, page);
        }
        block.push(line);
        if page.is_full() {
            return;
        }
    }
    write_block(block, body, page);
}

/// The height of most letters.
fn body_size(lines: &[Line]) -> f64 {
    let mut letters: BTreeMap<i64, usize> = BTreeMap::new();
    for line in lines {
        *letters.entry((line.size * 4.0).round() as i64).or_default() += line.letters;
    }
    let most = letters.into_iter().max_by_key(|(_, letters)| *letters);
    most.map_or(0.0, |(size, _)| size as f64 / 4.0)
}

/// Whether a line is of the paragraph of those before it.
fn goes_on(block: &[Line], line: &Line) -> bool {
    let Some(before) = block.last() else {
        return false;
    };
    let (small, large) = (before.size.min(line.size), before.size.max(line.size));
    if line.letters == 0 || before.letters == 0 || large > UNLIKE * small {
        return false;
    }
    let way = line.start - before.start;
    let (along, down) = (way.dot(line.direction), way.cross(line.direction));
    let is_next = line.sheet == before.sheet && down > 0.0 && down < APART * large;
    let said = before.words();
    let is_ended = said.trim_end().ends_with(['.', '!', '?', ':', '”', '"']);
    if is_next && line.direction.dot(before.direction) > 0.99 {
        // The second line of an entry in a list is set in, too.
        let is_set_in = along > INDENT * large && (block.len() > 1 || is_ended);
        return !is_set_in;
    }
    // The next column or page goes on with a sentence.
    let is_elsewhere = line.sheet != before.sheet || down < 0.0;
    is_elsewhere && !is_ended && line.words().starts_with(char::is_lowercase)
}

fn write_block(block: Vec<Line>, body: f64, page: &mut Page) {
    let letters: usize = block.iter().map(|line| line.letters).sum();
    let size = block.iter().map(|line| line.size).fold(0.0, f64::max);
    let is_heading = size > LARGER * body && (2..=LONGEST_HEADING).contains(&letters);
    let mut joined: Vec<Piece> = Vec::new();
    let last = block.len().saturating_sub(1);
    for (number, line) in block.into_iter().enumerate() {
        append(&mut joined, with_addresses(line.pieces, number == last));
    }
    match size / body {
        _ if !is_heading => page.paragraph(&joined),
        larger if larger > 1.7 => page.heading(1, &joined),
        larger if larger > 1.3 => page.heading(2, &joined),
        _ => page.heading(3, &joined),
    }
}

/// Bare addresses in the words become links. One at the end of a line may go on in the next, so
/// it is one only at the end of all.
fn with_addresses(pieces: Vec<Piece>, is_last: bool) -> Vec<Piece> {
    let last = pieces.len().saturating_sub(1);
    let mut found = Vec::new();
    for (number, piece) in pieces.into_iter().enumerate() {
        if piece.link.is_some() || !piece.words.contains("://") {
            found.push(piece);
            continue;
        }
        let mut parts = linked(&piece.words);
        if let Some(part) = parts.last_mut()
            && number == last
            && !is_last
        {
            part.link = None;
        }
        found.extend(parts);
    }
    found
}

/// Appends a line to those before it, with a space; a word that was parted is one again, and
/// a link that goes on is one link.
fn append(joined: &mut Vec<Piece>, line: Vec<Piece>) {
    let mut line = line.into_iter();
    let Some(before) = joined.last_mut() else {
        joined.extend(line);
        return;
    };
    let Some(first) = line.next() else {
        return;
    };
    let mut ends = before.words.chars().rev();
    let (end, second) = (ends.next(), ends.next());
    let start = first.words.chars().next();
    let is_parted = matches!(end, Some('-' | '\u{ad}' | '\u{2010}'))
        && second.is_some_and(char::is_alphabetic)
        && start.is_some_and(char::is_lowercase);
    if is_parted {
        before.words.pop();
    }
    let is_close = is_parted || end.is_some_and(is_dense) && start.is_some_and(is_dense);
    if before.link == first.link {
        before.words.extend((!is_close).then_some(' '));
        before.words.push_str(&first.words);
    } else {
        if !is_close {
            joined.push(Piece::text(" "));
        }
        joined.push(first);
    }
    joined.extend(line);
}

/// Whether a letter is of a script that is written without spaces.
fn is_dense(letter: char) -> bool {
    matches!(letter, '\u{3000}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{ff00}'..='\u{ff60}')
}
