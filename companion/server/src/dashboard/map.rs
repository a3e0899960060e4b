//! The map of a topic: its pages as marks, beside a list of the same for those who read it.

use std::collections::BTreeMap;

use askama::Template;
use axum::extract::{Path, State};
use axum::routing::get;
use axum::{Extension, Router};

use super::{PageResult, show};
use crate::api::{App, Base};
use linkscent_service::{MapPage, TopicMap};
use linkscent_store::Topic;

/// Width and height of the drawing, and what is left free around it.
const SIZE: f64 = 1_000.0;
const MARGIN: f64 = 30.0;
/// Height of names on wide and on narrow screens, as the style has them; width of a letter to it.
const WIDE: f64 = 24.0;
const NARROW: f64 = 42.0;
const LETTER: f64 = 0.66;

pub(super) fn routes() -> Router<App> {
    Router::new().route("/topic/{id}/map", get(map))
}

#[derive(Template)]
#[template(path = "map.html")]
struct MapScreen {
    base: String,
    topic: Topic,
    marks: Vec<Mark>,
    names: Vec<Name>,
    /// For small screens.
    few_names: Vec<Name>,
    groups: Vec<Group>,
    finds: usize,
}

/// A page as a mark.
struct Mark {
    address: String,
    is_find: bool,
    x: String,
    y: String,
    from: Option<From>,
}

/// The page that led to another, and where it lies.
struct From {
    place: usize,
    x: String,
    y: String,
}

/// A group's name on the map.
struct Name {
    text: String,
    x: String,
    y: String,
}

/// A group in the list.
struct Group {
    name: String,
    pages: Vec<(String, bool)>,
}

fn at(place: f64) -> String {
    format!("{:.1}", MARGIN + place * (SIZE - 2.0 * MARGIN))
}

async fn map(
    State(app): State<App>,
    Extension(Base(base)): Extension<Base>,
    Path(id): Path<i64>,
) -> PageResult {
    let topic = app.service.topics.topic(id).await?;
    let TopicMap { pages, groups } = app.service.library.map(&topic).await?;
    let from = |page: &MapPage| {
        let place = page.from?;
        let [x, y] = pages.get(place)?.place.map(at);
        Some(From { place, x, y })
    };
    let marks = pages.iter().map(|page| {
        let [x, y] = page.place.map(at);
        Mark {
            address: page.address.clone(),
            is_find: page.is_find,
            x,
            y,
            from: from(page),
        }
    });
    show(&MapScreen {
        base,
        topic,
        marks: marks.collect(),
        names: names(&pages, &groups, WIDE),
        few_names: names(&pages, &groups, NARROW),
        groups: listed(&pages, &groups),
        finds: pages.iter().filter(|page| page.is_find).count(),
    })
}

/// Where names stand: in the middle of their groups, or a little above or below. Larger groups
/// choose first, and a name for which there is no room is left to the list.
fn names(pages: &[MapPage], groups: &[String], size: f64) -> Vec<Name> {
    let mut taken: Vec<[f64; 3]> = Vec::new();
    let mut names = Vec::new();
    for (group, name) in groups
        .iter()
        .enumerate()
        .filter(|(_, name)| !name.is_empty())
    {
        let of = pages.iter().filter(|page| page.group == Some(group));
        let places: Vec<[f64; 2]> = of.map(|page| page.place).collect();
        let mean = |axis: usize| {
            let sum: f64 = places.iter().map(|place| place[axis]).sum();
            MARGIN + sum / places.len().max(1) as f64 * (SIZE - 2.0 * MARGIN)
        };
        let half = (LETTER * size * name.chars().count() as f64 / 2.0).min(SIZE / 2.0);
        let x = mean(0).clamp(half, SIZE - half);
        let rows = [-0.6, 1.2, -1.6, 2.2, -2.6, 3.2];
        let free = rows.iter().map(|row| mean(1) + 1.3 * size * row).find(|y| {
            let is_off = |[at, of, line]: &[f64; 3]| {
                (at - x).abs() > of + half || (line - y).abs() > 1.2 * size
            };
            (size..SIZE).contains(y) && taken.iter().all(is_off)
        });
        if let Some(y) = free {
            taken.push([x, half, y]);
            names.push(Name {
                text: name.clone(),
                x: format!("{x:.0}"),
                y: format!("{y:.0}"),
            });
        }
    }
    names
}

/// The pages by their groups, finds first; those of no group last.
fn listed(pages: &[MapPage], groups: &[String]) -> Vec<Group> {
    let mut by_group: BTreeMap<usize, Vec<(String, bool)>> = BTreeMap::new();
    for page in pages {
        let group = page.group.unwrap_or(groups.len());
        let of = by_group.entry(group).or_default();
        of.push((page.address.clone(), page.is_find));
    }
    let groups = by_group.into_iter().map(|(group, mut pages)| {
        pages.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        let name = groups.get(group).filter(|name| !name.is_empty());
        Group {
            name: name.cloned().unwrap_or_else(|| "others".to_owned()),
            pages,
        }
    });
    groups.collect()
}
