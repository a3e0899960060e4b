//! What a person sees highlighted who has marked a few pages and goes on reading: on those
//! pages, on pages that they link to, and on pages that have nothing to do with them.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use linkscent_core::critics;
use linkscent_core::page::Outlink;
use linkscent_core::strategies::{Ensemble, Rng, SplitMix, Strategy};
use linkscent_core::text::Vocabulary;
use linkscent_core::topic_model::TopicModel;
use linkscent_core::web_graph::Mark;
use linkscent_core::wire::views::PageView;
use linkscent_sentences::{CHARACTERS, Meant};
use serde::Serialize;

use super::scent::{Brings, CuedLink, CuedPage, Worth, look};
use super::{NAME, Sought, checksum};
use crate::sentences::Sentences;
use crate::web::EvalWeb;

/// Pages that are read after those that were marked: so many links are followed, and so many
/// pages opened that are drawn from all.
const FOLLOWED: usize = 10;
const ELSEWHERE: usize = 10;
/// Pages of the category itself that links are learned from.
const OF_CATEGORY: usize = 6;
/// Pages without a link to the category that are read last: none of their links is to be
/// highlighted.
const UNRELATED: usize = 50;
/// Links to pages of the category that make a page worth going to.
const ENOUGH_LINKS: usize = 2;

/// Links that were highlighted, and how many of them were right.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Highlights {
    /// Pages that were read.
    pub pages: usize,
    /// Pages without any highlight.
    pub without: usize,
    /// Links of any grade.
    pub links: usize,
    /// Links of grade 3.
    pub best: usize,
    /// Those of them that lead to the category or to a page that links to two of its pages.
    pub right: usize,
    /// Those of them that lead to the category.
    pub into_category: usize,
    /// Pages without a link to the category that were read.
    pub unrelated: usize,
    /// Those of them with a highlight.
    pub wrongly: usize,
}

/// Reads pages as the extension does. A mark has the strategy begin afresh: a form that cannot is the
/// one of the registry here.
pub(super) fn of(web: &Arc<EvalWeb>, sought: &Sought, strategy: Box<dyn Strategy>) -> Highlights {
    let critic = Box::new(critics::Topic::default());
    let mut topic_model = TopicModel::joining(critic, strategy, Vocabulary::default());
    topic_model.name_topic(&sought.name);
    let brought = &sought.brought;
    for &page in brought {
        topic_model.mark(&web.pages[page as usize], Some(Mark::Target));
    }
    let subtopics = sought.subtopics.iter();
    let subtopics =
        subtopics.map(|(page, subtopic)| (web.pages[*page as usize].address.clone(), subtopic));
    topic_model.take_subtopics(subtopics.map(|(page, subtopic)| (page, subtopic.clone())));
    let mut rng = SplitMix(u64::from(checksum(&sought.path)) + 1);
    let mut found = Highlights::default();
    for number in read(web, brought, &mut rng) {
        let page = &web.pages[number as usize];
        let visit = topic_model.visit(page, &[], None, &mut rng);
        let view = PageView::of(page, &visit, &topic_model);
        found.pages += 1;
        found.without += usize::from(view.links.is_empty());
        for shown in &view.links[..view.most] {
            found.links += 1;
            let link = page.outlinks.iter().find(|link| link.place == shown.place);
            let Some(target) = link.and_then(|link| web.number(&link.target)) else {
                continue;
            };
            if shown.grade == 3 {
                let is_of_category = sought.pages.contains(&target);
                found.best += 1;
                found.into_category += usize::from(is_of_category);
                found.right += usize::from(is_of_category || links_to(web, target, &sought.pages));
            }
        }
    }
    for _ in 0..UNRELATED {
        let number = (rng.unit() * web.pages.len() as f64) as usize;
        let page = &web.pages[number];
        let leads_there = |link: &Outlink| {
            let target = web.number(&link.target);
            target.is_some_and(|target| sought.pages.contains(&target))
        };
        if page.outlinks.iter().any(leads_there) {
            continue;
        }
        let visit = topic_model.visit(page, &[], None, &mut rng);
        let view = PageView::of(page, &visit, &topic_model);
        found.unrelated += 1;
        found.wrongly += usize::from(view.most > 0);
    }
    found
}

/// Pages that a person of a category may read, with the cues of their links; those that lead into the
/// category are worth it.
pub(super) fn cued(
    web: &EvalWeb,
    sought: &Sought,
    brings: Brings,
    reading: Option<&Sentences>,
) -> Vec<CuedPage> {
    let critic = Box::new(critics::Topic::default());
    let strategy = Box::new(Ensemble::default());
    let mut topic_model = TopicModel::joining(critic, strategy, Vocabulary::default());
    if brings.name {
        topic_model.name_topic(&sought.name);
    }
    for &page in sought.brought.iter().take(brings.marks) {
        topic_model.mark(&web.pages[page as usize], Some(Mark::Target));
    }
    let mut rng = SplitMix(u64::from(checksum(&sought.path)) + 1);
    let own: Vec<u32> = sought.pages.iter().copied().collect();
    let mut pages = read(web, &sought.brought, &mut rng);
    pages.extend((0..OF_CATEGORY).map(|_| own[(rng.unit() * own.len() as f64) as usize]));
    let pages: BTreeSet<u32> = pages.into_iter().collect();
    let pages = pages.into_iter().map(|number| &web.pages[number as usize]);
    let marked = sought.brought.iter().take(brings.marks);
    let begin = marked.map(|page| web.pages[*page as usize].document().main_text(CHARACTERS));
    let begin: Vec<String> = begin.collect();
    let begin: Vec<&str> = begin.iter().map(String::as_str).collect();
    let targets = reading.map_or_else(Vec::new, |model| model.vectors(&begin));
    let targets: Vec<Meant> = targets.into_iter().flatten().collect();
    let cued = pages.map(|page| {
        topic_model.visit(page, &[], None, &mut rng);
        let look = look(page, topic_model.graph(), reading, &targets);
        let links = page.outlinks.iter().enumerate();
        let links = links.filter_map(|(at, link)| {
            let target = web.number(&link.target)?;
            let worth = if sought.pages.contains(&target) {
                Worth::Yes
            } else {
                Worth::No
            };
            let is_marked = sought.brought.contains(&target);
            (!is_marked).then(|| CuedLink::of(link.target.to_string(), worth, &look, at))
        });
        CuedPage {
            id: sought.path.clone(),
            kind: NAME.to_owned(),
            lang: "en".to_owned(),
            outlinks: page.outlinks.len(),
            links: links.collect(),
        }
    });
    cued.filter(|page| !page.links.is_empty()).collect()
}

/// Pages that were marked, pages that links of those lead to, and others.
fn read(web: &EvalWeb, brought: &[u32], rng: &mut SplitMix) -> Vec<u32> {
    let mut pages = brought.to_vec();
    let linked: Vec<u32> = brought
        .iter()
        .flat_map(|&page| &web.pages[page as usize].outlinks)
        .filter_map(|link| web.number(&link.target))
        .collect();
    let mut draw = |count: usize| (rng.unit() * count as f64) as usize;
    if !linked.is_empty() {
        pages.extend((0..FOLLOWED).map(|_| linked[draw(linked.len())]));
    }
    pages.extend((0..ELSEWHERE).map(|_| draw(web.pages.len()) as u32));
    pages
}

fn links_to(web: &EvalWeb, page: u32, own: &BTreeSet<u32>) -> bool {
    let links = web.pages[page as usize].outlinks.iter();
    let targets = links.filter_map(|link| web.number(&link.target));
    let targets: HashSet<u32> = targets.filter(|target| own.contains(target)).collect();
    targets.len() >= ENOUGH_LINKS
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use linkscent_core::strategies::Ensemble;

    use super::*;

    #[test]
    fn highlights_are_held_against_the_category() {
        let link = |to: &str, text: &str| format!("<p><a href='/{to}'>{text}</a></p>");
        let castle = "A castle of stone with towers, walls and a moat; a fortress of knights.";
        let list = format!("{}{}", link("keep", "castle"), link("tower", "fortress"));
        let pages = [
            (
                "home",
                format!(
                    "{castle}{}{}",
                    link("list", "castles"),
                    link("tax", "tax forms")
                ),
            ),
            ("list", list),
            ("keep", castle.to_owned()),
            ("tower", castle.to_owned()),
            (
                "tax",
                format!("Tax forms are due. {}", link("keep", "castle")),
            ),
        ];
        let pages = pages.map(|(name, text)| {
            let html = format!("<title>{name}</title>{text}");
            (format!("http://a.test/{name}"), html)
        });
        let web = Arc::new(EvalWeb::from_pages(pages).unwrap());
        let number = |name: &str| web.find(&format!("http://a.test/{name}")).unwrap();
        let sought = Sought {
            name: "castles".to_owned(),
            kind: "",
            path: "subject.Castles".to_owned(),
            pages: ["keep", "tower", "home"].map(number).into(),
            brought: vec![number("home")],
            subtopics: BTreeMap::new(),
        };
        let own = &sought.pages;
        assert!(links_to(&web, number("list"), own) && !links_to(&web, number("tax"), own));
        let found = of(&web, &sought, Box::new(Ensemble::default()));
        assert_eq!(found.pages, 1 + FOLLOWED + ELSEWHERE);
        assert!(found.without > 0 && found.best > 0, "{found:?}");
        assert_eq!(found.right, found.best, "nothing else is of grade 3");
        assert!(found.into_category < found.right, "the list is none itself");
    }
}
