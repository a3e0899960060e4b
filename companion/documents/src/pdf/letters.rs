//! From letters, each at its place, to lines of words.
//!
//! A letter goes on with the line of the one before it if it stands on about the same base line
//! and not far behind the other's end; a gap between them is a space. So lines come in the order
//! they are drawn in, which is the order of reading in what word processors and TeX write.

use std::collections::HashSet;

use hayro_interpret::font::{Glyph, GlyphRun};
use hayro_interpret::hayro_cmap::{BfString, WritingMode};
use hayro_interpret::kurbo::{Affine, BezPath, Point, Vec2};
use hayro_interpret::{
    BlendMode, ClipPath, Device, DrawMode, DrawProps, Image, ImageDrawProps, SoftMask,
};

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
        self.pieces.iter().map(|piece| piece.words.as_str()).collect()
    }
}

/// What a page draws, as lines.
#[derive(Debug)]
pub(super) struct Letters {
    sheet: usize,
    links: Links,
    lines: Vec<Line>,
    /// Where the last letter ends, and its height.
    end: Point,
    height: f64,
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
            end: Point::ZERO,
            height: 0.0,
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
    pub(super) fn into_lines(self) -> Vec<Line> {
        let mut lines = self.lines;
        lines.retain(|line| line.letters > 0);
        let sheet = self.sheet;
        lines.extend(self.links.without_words().map(|address| Line {
            sheet,
            pieces: vec![Piece::link(&*address, &*address)],
            size: 0.0,
            letters: 0,
            start: Point::ZERO,
            direction: Vec2::new(1.0, 0.0),
        }));
        lines
    }

    /// Takes a letter; `place` brings it from the units of its font to its page.
    fn letter(&mut self, glyph: &Glyph<'_>, place: Affine, is_upright: bool) {
        let origin = place * Point::ZERO;
        let up = (place * Point::new(0.0, UNITS)) - origin;
        let height = up.hypot();
        let along = if is_upright { -up } else { (place * Point::new(UNITS, 0.0)) - origin };
        let is_real = origin.is_finite() && height.is_finite() && height > 0.01;
        if !is_real || along.hypot() <= 0.0 {
            return;
        }
        let width = match glyph {
            _ if is_upright => None,
            Glyph::Outline(outline) => outline.advance_width(),
            Glyph::Type3(drawn) => drawn.advance_width(),
        };
        let width = f64::from(width.unwrap_or(UNITS as f32));
        let end = origin + along * (width / UNITS);
        let direction = along / along.hypot();
        let words = glyph.as_unicode().map(meant).unwrap_or_default();
        self.goes_on(origin, direction, height);
        (self.end, self.height) = (end, height);
        if words.trim().is_empty() {
            self.has_space |= !words.is_empty();
            return;
        }
        let middle = origin.midpoint(end) + up * 0.25;
        self.push(words, origin, middle, direction, height);
    }

    /// Whether a letter is on the line of the last one: a gap before it becomes a space, and if it
    /// is not, the line ends.
    fn goes_on(&mut self, origin: Point, direction: Vec2, height: f64) {
        let way = origin - self.end;
        let (gap, rise) = (way.dot(direction), way.cross(direction).abs());
        let largest = height.max(self.height);
        let is_same = self.lines.last().is_some_and(|line| {
            line.direction.dot(direction) > 0.99
                && rise < RAISED * largest
                && gap > -BACK * largest
        });
        if !is_same {
            self.has_space = false;
            self.lines.push(Line {
                sheet: self.sheet,
                pieces: Vec::new(),
                size: 0.0,
                letters: 0,
                start: origin,
                direction,
            });
        } else if gap > GAP * height.min(self.height) {
            self.has_space = true;
        }
    }

    fn push(&mut self, words: String, origin: Point, middle: Point, direction: Vec2, height: f64) {
        let grid = |at: f64| (at * 20.0).round() as i64;
        if !self.seen.insert((words.clone(), grid(origin.x), grid(origin.y))) {
            return;
        }
        if self.left <= words.len() {
            self.left = 0;
            return;
        }
        let Some(line) = self.lines.last_mut() else {
            return;
        };
        self.left -= words.len();
        if line.letters == 0 {
            (line.start, line.direction) = (origin, direction);
        }
        line.letters += 1;
        line.size += (height - line.size) / line.letters as f64;
        let has_space = std::mem::take(&mut self.has_space) && line.letters > 1;
        let link = self.links.at(middle);
        match line.pieces.last_mut() {
            Some(piece) if piece.link.as_deref() == link => {
                piece.words.extend(has_space.then_some(' '));
                piece.words.push_str(&words);
            }
            before => {
                // A space between a link and what is around it belongs to neither of two links.
                let link = link.map(str::to_owned);
                let mut words = words;
                match before {
                    Some(before) if has_space && before.link.is_none() => before.words.push(' '),
                    Some(_) if has_space && link.is_none() => words.insert(0, ' '),
                    Some(_) if has_space => line.pieces.push(Piece::text(" ")),
                    _ => {}
                }
                line.pieces.push(Piece { words, link });
            }
        }
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
            self.letter(glyph, props.transform * glyph.transform(), is_upright);
        }
    }

    fn draw_path(&mut self, _: &BezPath, _: DrawProps<'a>, _: &DrawMode) {}
    fn push_clip_path(&mut self, _: &ClipPath) {}
    fn push_transparency_group(&mut self, _: f32, _: Option<SoftMask<'a>>, _: BlendMode) {}
    fn draw_image(&mut self, _: Image<'a, '_>, _: ImageDrawProps<'a>) {}
    fn pop_clip(&mut self) {}
    fn pop_transparency_group(&mut self) {}
}
