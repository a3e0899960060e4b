//! The links of a page: where they lie and where they lead.

use std::sync::Arc;

use hayro_interpret::hayro_syntax::object::{Array, Dict, Name, Rect as Bounds, String as Bytes};
use hayro_interpret::hayro_syntax::page::Page as Sheet;
use hayro_interpret::kurbo::{Point, Rect};

/// Links that are read of a page.
const MOST_LINKS: usize = 1_000;
/// Areas of one link.
const MOST_AREAS: usize = 20;

/// The links of a page.
#[derive(Debug, Default)]
pub(super) struct Links {
    addresses: Vec<Arc<str>>,
    /// Whether words lie under each.
    has_words: Vec<bool>,
    /// Areas, and which link each belongs to.
    areas: Vec<(Rect, usize)>,
    /// The area that was found last: the next letter mostly lies in the same.
    last: usize,
}

/// Links to web pages; those inside the document and those to files are passed over.
pub(super) fn of(sheet: &Sheet<'_>) -> Links {
    let mut links = Links::default();
    let Some(annotations) = sheet.raw().get::<Array<'_>>("Annots") else {
        return links;
    };
    for annotation in annotations.iter::<Dict<'_>>().take(10 * MOST_LINKS) {
        if links.addresses.len() == MOST_LINKS {
            break;
        }
        let (Some(address), Some(areas)) = (address(&annotation), areas(&annotation)) else {
            continue;
        };
        let link = links.addresses.len();
        links.addresses.push(address);
        links.has_words.push(false);
        links
            .areas
            .extend(areas.into_iter().map(|area| (area, link)));
    }
    links
}

fn address(annotation: &Dict<'_>) -> Option<Arc<str>> {
    let is = |dict: &Dict<'_>, key: &str, value: &[u8]| {
        dict.get::<Name<'_>>(key)
            .is_some_and(|name| *name == *value)
    };
    let action = annotation.get::<Dict<'_>>("A")?;
    if !is(annotation, "Subtype", b"Link") || !is(&action, "S", b"URI") {
        return None;
    }
    let address = action.get::<Bytes<'_>>("URI")?;
    let address = String::from_utf8_lossy(address.as_bytes());
    let address = address.trim();
    let scheme = address.split_once("://")?.0;
    let is_web = ["http", "https"]
        .iter()
        .any(|web| scheme.eq_ignore_ascii_case(web));
    is_web.then(|| address.into())
}

/// The areas of a link: one for each line it goes over, if it says so.
fn areas(annotation: &Dict<'_>) -> Option<Vec<Rect>> {
    let whole = annotation.get::<Bounds>("Rect")?;
    let whole = Rect::new(whole.x0, whole.y0, whole.x1, whole.y1).abs();
    let corners = annotation.get::<Array<'_>>("QuadPoints");
    let corners: Vec<f64> = corners.map_or_else(Vec::new, |corners| {
        let numbers = corners.iter::<f32>().take(8 * MOST_AREAS);
        numbers.map(f64::from).collect()
    });
    let parts: Vec<Rect> = corners
        .chunks_exact(8)
        .map(|corners| {
            let first = Rect::from_points((corners[0], corners[1]), (corners[2], corners[3]));
            first
                .union_pt((corners[4], corners[5]))
                .union_pt((corners[6], corners[7]))
        })
        // Some give areas of nothing.
        .filter(|part| part.area() > 0.0 && !part.intersect(whole).is_zero_area())
        .collect();
    Some(if parts.is_empty() { vec![whole] } else { parts })
}

impl Links {
    /// The address of the link over a place.
    pub(super) fn at(&mut self, place: Point) -> Option<&Arc<str>> {
        let is_over = |area: &(Rect, usize)| area.0.contains(place);
        if !self.areas.get(self.last).is_some_and(is_over) {
            self.last = self.areas.iter().position(is_over)?;
        }
        let link = self.areas[self.last].1;
        self.has_words[link] = true;
        Some(&self.addresses[link])
    }

    /// Addresses of links over no words: over pictures, mostly.
    pub(super) fn without_words(self) -> impl Iterator<Item = Arc<str>> {
        let links = self.addresses.into_iter().zip(self.has_words);
        links.filter_map(|(address, has_words)| (!has_words).then_some(address))
    }
}
