//! What the person means by a topic, as directions: where its targets lie, seen from the mean
//! of all pages, and where the words lie that it is called by.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::Meaning;
use crate::features::{HEAVIEST_TERMS, PageTerms};
use crate::text::{Language, TermId, Vocabulary, terms};

/// Pages without a direction that count towards the mean.
const MEAN_BEFORE: f32 = 1.0;
/// Pages with a greater cosine to the targets or the name do not tell what other pages are
/// like.
const SET_ASIDE: f64 = 0.6;
/// Groups of targets with a smaller mean cosine between them are of two subtopics, where the person
/// did not say of which they are: groups of two and more, or of any number. A single target that
/// lies apart is rarely a subtopic of its own.
const GROUPS_APART: f32 = -0.14;
const ANY_APART: f32 = -0.3;
/// Targets that groups are made of; others join the nearest.
const MOST_GROUPED: usize = 40;

/// What the person told of a topic, and what stands beside it.
#[derive(Debug, Clone)]
pub struct Told<'a> {
    /// What the topic is called, and what was said of it in words.
    pub wanted: Vec<&'a str>,
    /// What was said that it is not.
    pub unwanted: Vec<&'a str>,
    /// Pages that were marked, in an order that stays.
    pub targets: Vec<ToldTarget<'a>>,
    /// Pages that were marked as "not this".
    pub not_targets: Vec<&'a PageTerms>,
    /// Pages seen and not marked, the newest first.
    pub unmarked: Vec<&'a PageTerms>,
    /// All words, with the counts of all pages seen.
    pub vocabulary: &'a Vocabulary,
    /// In which the name and the phrases are read.
    pub language: Language,
}

/// A page that was marked.
#[derive(Debug, Clone, Copy)]
pub struct ToldTarget<'a> {
    /// Its words.
    pub terms: &'a PageTerms,
    /// The subtopic of the topic that the person says it is of.
    pub subtopic: Option<&'a str>,
}

/// Directions of length 1, or nothing where nothing is known.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct TopicMeaning {
    /// The mean of the pages seen that do not look like targets.
    mean: Meaning,
    /// Of each target, in the order of the marks, with the number of its subtopic.
    targets: Vec<(Meaning, usize)>,
    not_targets: Vec<Meaning>,
    /// Of the targets of each subtopic together.
    subtopics: Vec<Meaning>,
    /// Of the words of the targets of each subtopic as they stand, seen from those of all pages:
    /// what the few words of a link are compared with.
    words: Vec<Meaning>,
    /// Of the name and of the phrases that are looked for, all weighing as much.
    name: Meaning,
    /// Of each phrase that is not looked for.
    not_phrases: Vec<Meaning>,
    /// In which the name and the phrases are read.
    language: Language,
    /// Terms of the name and the phrases that are looked for, ordered, each once.
    name_terms: Vec<TermId>,
    /// Terms of the other phrases that are not among those, ordered, each once.
    not_terms: Vec<TermId>,
}

impl Told<'_> {
    /// Ordered, each once.
    fn terms_of(&self, texts: &[&str]) -> Vec<TermId> {
        let found = texts.iter().flat_map(|text| terms(text, self.language));
        let ids = found.filter_map(|term| self.vocabulary.id(&term));
        let ids: BTreeSet<TermId> = ids.collect();
        ids.into_iter().collect()
    }
}

impl TopicMeaning {
    /// By the marks, the pages seen, the topic's name and what was said of it.
    pub fn of(told: &Told<'_>) -> Self {
        let unmarked = told.unmarked.iter();
        let of_all = unmarked.map(|terms| Meaning::of_page(terms, told.vocabulary).unit());
        let of_all: Vec<Meaning> = of_all.collect();
        let first = Self::around(mean_of(of_all.iter()), told);
        let others = of_all.iter().filter(|page| {
            let direction = page.without(&first.mean).unit();
            !first.looks_like_a_target(&direction)
        });
        let name_terms = told.terms_of(&told.wanted);
        let mut not_terms = told.terms_of(&told.unwanted);
        not_terms.retain(|term| name_terms.binary_search(term).is_err());
        let seen = Self::around(mean_of(others), told);
        Self {
            words: directions_of_words(told, seen.subtopics_of_targets()),
            name_terms,
            not_terms,
            ..seen
        }
    }

    /// Seen from a mean.
    fn around(mean: Meaning, told: &Told<'_>) -> Self {
        let directions = |pages: &[&PageTerms]| -> Vec<Meaning> {
            let pages = pages.iter();
            let pages = pages.map(|terms| Meaning::of_page(terms, told.vocabulary).unit());
            pages.map(|page| page.without(&mean).unit()).collect()
        };
        let not_targets = directions(&told.not_targets);
        let targets: Vec<&PageTerms> = told.targets.iter().map(|target| target.terms).collect();
        let told_subtopics = told.targets.iter().map(|target| target.subtopic);
        let targets = with_subtopics(directions(&targets), &told_subtopics.collect::<Vec<_>>());
        let mut subtopics = vec![Meaning::default(); targets.len()];
        for (target, subtopic) in &targets {
            subtopics[*subtopic] += target;
        }
        subtopics.retain(|subtopic| *subtopic != Meaning::default());
        let of_text = |text: &str| Meaning::of_text(text).unit();
        let mut name = Meaning::default();
        for text in &told.wanted {
            name += &of_text(text);
        }
        Self {
            subtopics: subtopics.iter().map(Meaning::unit).collect(),
            name: name.unit(),
            language: told.language,
            not_phrases: told.unwanted.iter().copied().map(of_text).collect(),
            words: Vec::new(),
            name_terms: Vec::new(),
            not_terms: Vec::new(),
            mean,
            targets,
            not_targets,
        }
    }

    /// Whether a page of these words looks like a target: such do not tell what the rest of
    /// the web is like.
    pub fn is_like_targets(&self, terms: &PageTerms, vocabulary: &Vocabulary) -> bool {
        self.looks_like_a_target(&self.direction(terms, vocabulary))
    }

    fn looks_like_a_target(&self, direction: &Meaning) -> bool {
        self.to_subtopic(direction).max(self.to_name(direction)) > SET_ASIDE
    }

    /// Targets that were marked.
    pub fn targets(&self) -> usize {
        self.targets.len()
    }

    /// The subtopic of each target, in the order of the targets.
    pub fn subtopics_of_targets(&self) -> impl Iterator<Item = usize> {
        self.targets.iter().map(|row| row.1)
    }

    /// Whether the topic's name, or what was said of it, has a meaning.
    pub fn is_named(&self) -> bool {
        self.name != Meaning::default()
    }

    /// In which language the name and the phrases are read.
    pub fn language(&self) -> Language {
        self.language
    }

    /// Terms of the topic's name and of what was said of it, ordered, each once.
    pub fn name_terms(&self) -> &[TermId] {
        &self.name_terms
    }

    /// Other terms, of what was said that it is not, ordered, each once.
    pub fn not_terms(&self) -> &[TermId] {
        &self.not_terms
    }

    /// Where a page lies, seen from the mean of all.
    pub fn direction(&self, terms: &PageTerms, vocabulary: &Vocabulary) -> Meaning {
        let page = Meaning::of_page(terms, vocabulary).unit();
        if page == Meaning::default() {
            return page;
        }
        page.without(&self.mean).unit()
    }

    /// Mean cosine of a direction to the targets of the nearest subtopic, leaving out the target
    /// numbered `left_out`, -1..=1; 0 without any.
    pub fn to_targets(&self, direction: &Meaning, left_out: Option<usize>) -> f64 {
        let mut sums = vec![(0.0, 0.0); self.targets.len()];
        for (number, (target, subtopic)) in self.targets.iter().enumerate() {
            if Some(number) != left_out {
                sums[*subtopic].0 += f64::from(direction.dot(target));
                sums[*subtopic].1 += 1.0;
            }
        }
        let means = sums.into_iter().filter(|(_, count)| *count > 0.0);
        let means = means.map(|(sum, count)| sum / count);
        means.reduce(f64::max).unwrap_or(0.0)
    }

    /// Cosine to the nearest page that was marked as "not this"; -1 without any.
    pub fn to_not_targets(&self, direction: &Meaning) -> f64 {
        let cosines = self.not_targets.iter().map(|page| direction.dot(page));
        f64::from(cosines.fold(-1.0, f32::max))
    }

    /// Cosine of a few words to those of the targets of the nearest subtopic; 0 without any.
    pub fn to_words(&self, direction: &Meaning) -> f64 {
        let cosines = self.words.iter().map(|subtopic| direction.dot(subtopic));
        f64::from(cosines.reduce(f32::max).unwrap_or(0.0))
    }

    /// Cosine to the nearest subtopic, its targets taken together; 0 without any.
    fn to_subtopic(&self, direction: &Meaning) -> f64 {
        let cosines = self
            .subtopics
            .iter()
            .map(|subtopic| direction.dot(subtopic));
        f64::from(cosines.reduce(f32::max).unwrap_or(0.0))
    }

    /// Cosine to the topic's name and what was said of it, less by what a phrase is nearer that
    /// it is not.
    pub fn to_name(&self, direction: &Meaning) -> f64 {
        let near = direction.dot(&self.name);
        let others = self.not_phrases.iter().map(|phrase| direction.dot(phrase));
        let beyond = others
            .map(|other| (other - near).max(0.0))
            .fold(0.0, f32::max);
        f64::from(near - beyond)
    }
}

/// By the subtopics of the targets, in the order of their numbers.
fn directions_of_words(told: &Told<'_>, subtopics: impl Iterator<Item = usize>) -> Vec<Meaning> {
    let words = |terms: &PageTerms| {
        let heaviest = terms.heaviest(HEAVIEST_TERMS).damped();
        Meaning::of_terms(heaviest, told.vocabulary).unit()
    };
    let all: Vec<Meaning> = told.unmarked.iter().map(|terms| words(terms)).collect();
    let mean = mean_of(all.iter());
    let mut by_subtopic: BTreeMap<usize, Meaning> = BTreeMap::new();
    for (target, subtopic) in told.targets.iter().zip(subtopics) {
        *by_subtopic.entry(subtopic).or_default() += &words(target.terms).without(&mean).unit();
    }
    by_subtopic.values().map(Meaning::unit).collect()
}

/// Targets with the numbers of their subtopics: what the person said, or else groups that lie
/// apart.
fn with_subtopics(targets: Vec<Meaning>, told: &[Option<&str>]) -> Vec<(Meaning, usize)> {
    let mut subtopics = vec![0; targets.len()];
    let names: BTreeSet<&str> = told.iter().flatten().copied().collect();
    for (number, name) in names.iter().enumerate() {
        for (subtopic, _) in subtopics
            .iter_mut()
            .zip(told)
            .filter(|row| *row.1 == Some(*name))
        {
            *subtopic = number;
        }
    }
    let unsaid = (0..targets.len()).filter(|&target| told[target].is_none());
    for (number, group) in groups(&targets, unsaid.collect()).into_iter().enumerate() {
        for target in group {
            subtopics[target] = names.len() + number;
        }
    }
    targets.into_iter().zip(subtopics).collect()
}

/// Groups of some of the targets, which grow by average linkage until all that are left lie
/// apart.
fn groups(targets: &[Meaning], mut members: Vec<usize>) -> Vec<Vec<usize>> {
    let late = members.split_off(members.len().min(MOST_GROUPED));
    let mean_cosine = |a: &[usize], b: &[usize]| {
        let pairs = a
            .iter()
            .flat_map(|&one| b.iter().map(move |&other| (one, other)));
        let cosines = pairs.map(|(one, other)| targets[one].dot(&targets[other]));
        cosines.sum::<f32>() / (a.len() * b.len()) as f32
    };
    let mut groups: Vec<Vec<usize>> = members.into_iter().map(|target| vec![target]).collect();
    loop {
        let pairs = (1..groups.len()).flat_map(|later| (0..later).map(move |one| (one, later)));
        let pairs = pairs.map(|(one, later)| {
            let cosine = mean_cosine(&groups[one], &groups[later]);
            let are_many = groups[one].len() > 1 && groups[later].len() > 1;
            let apart = if are_many { GROUPS_APART } else { ANY_APART };
            (one, later, cosine, cosine < apart)
        });
        let nearest = pairs
            .filter(|pair| !pair.3)
            .max_by(|a, b| a.2.total_cmp(&b.2));
        let Some((one, later, ..)) = nearest else {
            break;
        };
        let merged = groups.swap_remove(later);
        groups[one].extend(merged);
    }
    for target in late {
        let near = |group: &&mut Vec<usize>| mean_cosine(group, &[target]);
        let nearest = groups.iter_mut().max_by(|a, b| near(a).total_cmp(&near(b)));
        if let Some(group) = nearest {
            group.push(target);
        }
    }
    groups
}

fn mean_of<'a>(pages: impl Iterator<Item = &'a Meaning>) -> Meaning {
    let (mut sum, mut count) = (Meaning::default(), MEAN_BEFORE);
    for page in pages {
        sum += page;
        count += 1.0;
    }
    sum.scaled(1.0 / count)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::meaning::{DIMENSIONS, Vector};

    /// A direction in a plane, by degrees.
    fn at(degrees: f32) -> Meaning {
        let mut numbers = [0.0; DIMENSIONS];
        (numbers[1], numbers[0]) = degrees.to_radians().sin_cos();
        Vector(numbers)
    }

    fn subtopics(degrees: &[f32], told: &[Option<&str>]) -> Vec<usize> {
        let targets = degrees.iter().map(|&degrees| at(degrees)).collect();
        let rows = with_subtopics(targets, told);
        // Numbers by the order in which they come.
        let mut order: Vec<usize> = Vec::new();
        let number = |subtopic: usize| {
            let known = order.iter().position(|&one| one == subtopic);
            known.unwrap_or_else(|| {
                order.push(subtopic);
                order.len() - 1
            })
        };
        rows.into_iter().map(|row| row.1).map(number).collect()
    }

    #[test]
    fn groups_of_two_and_more_that_lie_apart_are_subtopics() {
        let unsaid = [None; 5];
        assert_eq!(
            subtopics(&[0.0, 110.0, 10.0, 120.0], &unsaid[..4]),
            [0, 1, 0, 1]
        );
        // Not far enough.
        assert_eq!(subtopics(&[0.0, 80.0, 10.0, 85.0], &unsaid[..4]), [0; 4]);
        // One alone lies apart only where it points nearly the other way.
        assert_eq!(subtopics(&[0.0, 10.0, 5.0, 105.0], &unsaid[..4]), [0; 4]);
        assert_eq!(
            subtopics(&[0.0, 10.0, 5.0, 170.0], &unsaid[..4]),
            [0, 0, 0, 1]
        );
        assert_eq!(
            subtopics(&[0.0, 10.0, 120.0, 130.0, 245.0], &unsaid),
            [0, 0, 1, 1, 2]
        );
        assert_eq!(subtopics(&[], &[]), Vec::<usize>::new());
    }

    #[test]
    fn what_was_said_decides_and_the_others_are_grouped_by_themselves() {
        let (a, b) = (Some("a"), Some("b"));
        assert_eq!(subtopics(&[0.0, 5.0, 0.0], &[a, b, a]), [0, 1, 0]);
        assert_eq!(
            subtopics(&[0.0, 180.0, 0.0, 3.0], &[a, a, None, None]),
            [0, 0, 1, 1]
        );
        let said = [a, None, None, None, None];
        assert_eq!(
            subtopics(&[0.0, 0.0, 5.0, 120.0, 125.0], &said),
            [0, 1, 1, 2, 2]
        );
    }

    #[test]
    fn of_many_targets_the_last_join_the_nearest_group() {
        let degrees: Vec<f32> = (0..MOST_GROUPED + 10)
            .map(|number| if number % 2 == 0 { 0.0 } else { 120.0 })
            .collect();
        let told = vec![None; degrees.len()];
        let expected: Vec<usize> = (0..degrees.len()).map(|number| number % 2).collect();
        assert_eq!(subtopics(&degrees, &told), expected);
    }
}
