//! From letters, each at its place, to lines of words.
//!
//! A letter goes on with the line of the one before it if it stands on about the same base line
//! and not far behind the other's end; a gap between them is a space. So lines come in the order
//! they are drawn in, which is the order of reading in what word processors and TeX write.

use std::collections::HashSet;
use std::sync::Arc;

use hayro_interpret::font::{Glyph, GlyphRun};
use hayro_interpret::hayro_cmap::{BfString, WritingMode};
use hayro_interpret::kurbo::{Affine, BezPath, Point, Vec2};
use hayro_interpret::{
    BlendMode, ClipPath, Device, DrawMode, DrawProps, Image, ImageDrawProps, SoftMask,
};

use super::accents::{mark, with_mark};
use super::codes;
use super::links::Links;
use crate::html::Piece;

/// Units of a font in the height of its letters.
const UNITS: f64 = 1_000.0;
/// The gap between words, in heights of letters. TeX sets spaces as narrow as 0.2.
const GAP: f64 = 0.15;
/// How far a letter may stand above or below its line: what is raised or lowered.
const RAISED: f64 = 0.55;
/// How far a letter may begin before the end of the one before: accents, kerning.
const BACK: f64 = 1.0;

/// Words on one line.
#[derive(Debug)]
pub(super) struct Line {
    /// The page, from 0.
    pub(super) sheet: usize,
    pub(super) pieces: Vec<Piece>,
    /// The height of its letters, in points, on average; 0 of a link without words.
    pub(super) size: f64,
    pub(super) letters: usize,
    pub(super) start: Point,
    /// Where its letters go: a vector of length 1.
    pub(super) direction: Vec2,
}

impl Line {
    pub(super) fn words(&self) -> String {
        self.pieces
            .iter()
            .map(|piece| piece.words.as_str())
            .collect()
    }

    /// Appends a letter. A space between words of a link and others is not the link's.
    fn append(&mut self, words: &str, link: Option<&Arc<str>>, has_space: bool) {
        let space = if has_space { " " } else { "" };
        match self.pieces.last_mut() {
            Some(before) if before.link.as_ref() == link => {
                before.words.push_str(space);
                before.words.push_str(words);
                return;
            }
            Some(before) if before.link.is_none() => before.words.push_str(space),
            Some(_) if has_space && link.is_some() => self.pieces.push(Piece::text(space)),
            Some(_) if has_space => {
                self.pieces.push(Piece::text(format!("{space}{words}")));
                return;
            }
            _ => {}
        }
        self.pieces.push(Piece {
            words: words.to_owned(),
            link: link.cloned(),
        });
    }
}

/// A letter at its place.
#[derive(Debug, Clone)]
struct Letter {
    words: String,
    origin: Point,
    end: Point,
    /// Its height, as a way from its base line.
    up: Vec2,
    direction: Vec2,
}

impl Letter {
    /// Whether the middle of another lies over or under it.
    fn is_under(&self, other: &Self) -> bool {
        let middle = other.origin.midpoint(other.end) - self.origin;
        let width = (self.end - self.origin).dot(self.direction);
        let height = self.up.hypot();
        let at = middle.dot(self.direction);
        let is_near = middle.cross(self.direction).abs() < height;
        at > 0.0 && at < width && is_near && self.direction.dot(other.direction) > 0.99
    }
}

/// What a page draws, as lines.
#[derive(Debug)]
pub(super) struct Letters {
    sheet: usize,
    links: Links,
    lines: Vec<Line>,
    /// The last letter.
    last: Option<Letter>,
    /// An accent whose letter may come next.
    accent: Option<Letter>,
    /// Whether a space comes before the next letter.
    has_space: bool,
    /// Letters by their places: many programs draw the same twice for bold print.
    seen: HashSet<(String, i64, i64)>,
    /// Bytes that are still taken.
    left: usize,
}

impl Letters {
    pub(super) fn new(sheet: usize, links: Links, left: usize) -> Self {
        Self {
            sheet,
            links,
            lines: Vec::new(),
            last: None,
            accent: None,
            has_space: false,
            seen: HashSet::new(),
            left,
        }
    }

    /// Bytes that are still taken of the next page; 0 if something was left out here.
    pub(super) fn left(&self) -> usize {
        self.left
    }

    /// The lines, and behind them the links that lie over no words.
    pub(super) fn into_lines(mut self) -> Vec<Line> {
        if let Some(accent) = self.accent.take() {
            self.take(accent);
        }
        let mut lines = self.lines;
        lines.retain(|line| line.letters > 0);
        let sheet = self.sheet;
        lines.extend(self.links.without_words().map(|address| Line {
            sheet,
            pieces: vec![Piece::link(&*address, Arc::clone(&address))],
            size: 0.0,
            letters: 0,
            start: Point::ZERO,
            direction: Vec2::new(1.0, 0.0),
        }));
        lines
    }

    /// Takes what a font draws; `place` brings it from the units of the font to the page.
    fn glyph(&mut self, glyph: &Glyph<'_>, place: Affine, is_upright: bool) {
        let origin = place * Point::ZERO;
        let up = (place * Point::new(0.0, UNITS)) - origin;
        let across = (place * Point::new(UNITS, 0.0)) - origin;
        let along = if is_upright { -up } else { across };
        let (height, length) = (up.hypot(), along.hypot());
        let is_real = origin.is_finite() && height.is_finite() && length.is_finite();
        if !is_real || height < 0.01 || length < 0.01 {
            return;
        }
        let width = match glyph {
            _ if is_upright => None,
            Glyph::Outline(outline) => outline.advance_width(),
            Glyph::Type3(drawn) => drawn.advance_width(),
        };
        let words = match (glyph, glyph.as_unicode()) {
            (_, Some(said)) => meant(said),
            (Glyph::Type3(drawn), None) => codes::letter(drawn.char_code()).unwrap_or_default(),
            (Glyph::Outline(_), None) => String::new(),
        };
        let letter = Letter {
            words,
            origin,
            end: origin + along * width.map_or(1.0, |width| f64::from(width) / UNITS),
            up,
            direction: along / length,
        };
        if let Some(accent) = self.accent.take() {
            let mut signs = letter.words.chars();
            if let (Some(mark), Some(sign), None) =
                (mark(&accent.words), signs.next(), signs.next())
                && sign.is_alphabetic()
                && letter.is_under(&accent)
            {
                let words = with_mark(sign, mark);
                self.take(Letter { words, ..letter });
                return;
            }
            self.take(accent);
        }
        if mark(&letter.words).is_some() {
            self.accent = Some(letter);
        } else {
            self.take(letter);
        }
    }

    fn take(&mut self, letter: Letter) {
        let grid = |at: f64| (at * 20.0).round() as i64;
        let place = (grid(letter.origin.x), grid(letter.origin.y));
        if !self.seen.insert((letter.words.clone(), place.0, place.1)) {
            return;
        }
        self.goes_on(&letter);
        let words = letter.words.trim();
        if words.is_empty() {
            self.has_space |= !letter.words.is_empty();
        } else {
            self.push(words, &letter);
        }
        self.last = Some(letter);
    }

    /// Whether a letter is on the line of the last one: a gap before it becomes a space, and if it
    /// is not, the line ends.
    fn goes_on(&mut self, letter: &Letter) {
        let height = letter.up.hypot();
        if let Some(last) = &self.last
            && last.direction.dot(letter.direction) > 0.99
        {
            let way = letter.origin - last.end;
            let gap = way.dot(letter.direction);
            let rise = way.cross(letter.direction).abs();
            let before = last.up.hypot();
            if rise < RAISED * height.max(before) && gap > -BACK * height.max(before) {
                self.has_space |= gap > GAP * height.min(before);
                return;
            }
        }
        self.has_space = false;
        self.lines.push(Line {
            sheet: self.sheet,
            pieces: Vec::new(),
            size: 0.0,
            letters: 0,
            start: letter.origin,
            direction: letter.direction,
        });
    }

    fn push(&mut self, words: &str, letter: &Letter) {
        if self.left <= words.len() {
            self.left = 0;
            return;
        }
        let Some(line) = self.lines.last_mut() else {
            return;
        };
        self.left -= words.len();
        if line.letters == 0 {
            (line.start, line.direction) = (letter.origin, letter.direction);
        }
        line.letters += 1;
        line.size += (letter.up.hypot() - line.size) / line.letters as f64;
        let has_space = std::mem::take(&mut self.has_space) && line.letters > 1;
        let link = self
            .links
            .at(letter.origin.midpoint(letter.end) + letter.up * 0.25);
        line.append(words, link, has_space);
    }
}

/// What a letter means. Ligatures are the letters they are made of.
fn meant(letter: BfString) -> String {
    let sign = match letter {
        BfString::Char(sign) => sign,
        BfString::String(signs) => return signs.replace('\0', ""),
    };
    let ligature = match sign {
        '\u{fb00}' => "ff",
        '\u{fb01}' => "fi",
        '\u{fb02}' => "fl",
        '\u{fb03}' => "ffi",
        '\u{fb04}' => "ffl",
        '\u{fb05}' | '\u{fb06}' => "st",
        '\0' => "",
        _ => return sign.into(),
    };
    ligature.to_owned()
}

/// Only letters are taken of what is drawn.
impl<'a> Device<'a> for Letters {
    fn draw_glyph_run(&mut self, run: &GlyphRun<'_, 'a>, props: DrawProps<'a>, _: &DrawMode) {
        let is_upright = matches!(run.writing_mode(), WritingMode::Vertical);
        for glyph in run.glyphs() {
            if self.left == 0 {
                return;
            }
            self.glyph(glyph, props.transform * glyph.transform(), is_upright);
        }
    }

    fn draw_path(&mut self, _: &BezPath, _: DrawProps<'a>, _: &DrawMode) {}
    fn push_clip_path(&mut self, _: &ClipPath) {}
    fn push_transparency_group(&mut self, _: f32, _: Option<SoftMask<'a>>, _: BlendMode) {}
    fn draw_image(&mut self, _: Image<'a, '_>, _: ImageDrawProps<'a>) {}
    fn pop_clip(&mut self) {}
    fn pop_transparency_group(&mut self) {}
}
