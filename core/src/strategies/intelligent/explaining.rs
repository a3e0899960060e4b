//! Why a link scores as it does by interest ratios: the ratios are those of the events, and
//! what damps their sum is a node of its own.

use super::{Counts, Inlinks, Intelligent, Telling, distinct_tokens};
use crate::strategies::{Candidate, Explanation, Known};
use crate::web_graph::KnownPage;

/// Words, and links, named in an explanation; the others are summed up.
const NAMED: usize = 6;

/// An event with its interest ratio, and what it adds to the score.
struct Event {
    name: String,
    ratio: f64,
    adds: f64,
}

impl Intelligent {
    /// What the score follows from.
    pub(super) fn explained(&self, link: &Candidate, known: Known<'_>) -> Explanation {
        let mut parts = self.url_part(link);
        let pages = self.inlinks(link, known);
        match (self.form.inlinks, pages.as_slice()) {
            (Inlinks::Each, [page, ..]) => parts.extend(self.page_parts(page, known)),
            (_, []) => {}
            (Inlinks::Product, pages) => parts.push(self.all_inlinks(pages, known)),
        }
        Explanation::sum("logarithm of the interest ratio", parts)
    }

    /// Every known inlink, those that count most by name.
    fn all_inlinks(&self, pages: &[&KnownPage], known: Known<'_>) -> Explanation {
        let of_page = |page: &&KnownPage| {
            let label = format!("the link on {}", page.address);
            Explanation::sum(label, self.page_parts(page, known))
        };
        let parts = pages.iter().map(of_page).collect();
        let label = format!("pages known to link there: {}", pages.len());
        Explanation::sum(label, strongest(parts, "more links"))
    }

    fn url_part(&self, link: &Candidate) -> Vec<Explanation> {
        let weight = self.form.factors.url;
        if weight == 0.0 {
            return Vec::new();
        }
        let tokens = distinct_tokens(link);
        let telling = self.telling_tokens(&tokens);
        let named = |token: &&str| format!("URL token {token}");
        damped("tokens of its address", weight, &telling, named)
            .into_iter()
            .collect()
    }

    /// What a page with a link says of it.
    fn page_parts(&self, page: &KnownPage, known: Known<'_>) -> Vec<Explanation> {
        let factors = self.form.factors;
        let mut parts = Vec::new();
        if factors.content != 0.0 {
            let telling = self.telling_words(page);
            parts.extend(damped(
                "words of the page",
                factors.content,
                &telling,
                |term| format!("word {}", known.graph.vocabulary.surface(*term)),
            ));
        }
        if factors.link != 0.0 {
            let counts = self.counts.links[usize::from(page.judgment.is_target)];
            let part = logarithm(link_name(page), self.link_ratio(page), counts);
            parts.push(weighted(factors.link, part));
        }
        if factors.sibling != 0.0 {
            let counts = self.siblings.get(&page.address);
            let counts = counts.copied().unwrap_or_default();
            let part = logarithm("its other links", self.sibling_ratio(page), counts);
            parts.push(weighted(factors.sibling, part));
        }
        parts
    }

    /// The event that adds most to the score of a link, if any does, with its ratio.
    pub(super) fn strongest(&self, link: &Candidate, known: Known<'_>) -> Option<String> {
        let factors = self.form.factors;
        let mut events = Vec::new();
        if factors.url != 0.0 {
            let tokens = distinct_tokens(link);
            let telling = self.telling_tokens(&tokens);
            let named = |token: &&str| format!("URL token {token}");
            events.extend(strongest_of(&telling, factors.url, named));
        }
        for page in self.inlinks(link, known) {
            if factors.content != 0.0 {
                let telling = self.telling_words(page);
                events.extend(strongest_of(&telling, factors.content, |term| {
                    format!("word {}", known.graph.vocabulary.surface(*term))
                }));
            }
            for (weight, name, ratio) in [
                (factors.link, link_name(page), self.link_ratio(page)),
                (factors.sibling, "its other links", self.sibling_ratio(page)),
            ] {
                events.push(Event {
                    name: name.to_owned(),
                    ratio,
                    adds: weight * ratio.ln(),
                });
            }
        }
        let best = events
            .into_iter()
            .max_by(|a, b| a.adds.total_cmp(&b.adds))?;
        let said = format!("{}: {:.1} times the base rate", best.name, best.ratio);
        (best.adds > 0.0).then_some(said)
    }
}

fn link_name(page: &KnownPage) -> &'static str {
    if page.judgment.is_target {
        "a link from a page looked for"
    } else {
        "a link from another page"
    }
}

/// The logarithm of an event's interest ratio.
fn logarithm(event: &str, ratio: f64, counts: Counts) -> Explanation {
    let Counts { seen, held } = counts;
    let label = format!("interest ratio; {held} of {seen} pages were what is looked for");
    Explanation::logarithm(event, vec![Explanation::given(label, ratio)])
}

fn weighted(weight: f64, part: Explanation) -> Explanation {
    if weight == 1.0 {
        return part;
    }
    let weight = Explanation::given("weight of the factor", weight);
    Explanation::product("weighted", vec![weight, part])
}

/// Events of one kind: the sum of their logarithms, divided by the root of their number.
/// `None` if there are none.
fn damped<E>(
    label: &str,
    weight: f64,
    telling: &Telling<E>,
    named: impl Fn(&E) -> String,
) -> Option<Explanation> {
    if telling.events.is_empty() {
        return None;
    }
    let part = |(event, counts): &(E, Counts)| {
        logarithm(&named(event), counts.ratio(telling.base_rate), *counts)
    };
    let parts = strongest(telling.events.iter().map(part).collect(), "more");
    let root = Explanation::given(
        "root of their number, so that many weak ones do not outshout the rest",
        telling.root(),
    );
    let quotient = Explanation::quotient(label, Explanation::sum("all of them", parts), root);
    Some(weighted(weight, quotient))
}

fn strongest_of<E>(
    telling: &Telling<E>,
    weight: f64,
    named: impl Fn(&E) -> String,
) -> Option<Event> {
    let ratio = |counts: &Counts| counts.ratio(telling.base_rate);
    let (event, counts) = telling
        .events
        .iter()
        .max_by(|a, b| ratio(&a.1).total_cmp(&ratio(&b.1)))?;
    let ratio = ratio(counts);
    Some(Event {
        name: named(event),
        ratio,
        adds: weight * ratio.ln() / telling.root(),
    })
}

/// The parts that count most, and the sum of the others.
fn strongest(mut parts: Vec<Explanation>, others: &str) -> Vec<Explanation> {
    parts.sort_by(|a, b| b.value.abs().total_cmp(&a.value.abs()));
    if parts.len() > NAMED {
        let rest = parts.split_off(NAMED);
        let sum = rest.iter().map(|part| part.value).sum();
        parts.push(Explanation::given(format!("{} {others}", rest.len()), sum));
    }
    parts
}
