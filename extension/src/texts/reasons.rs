//! Why a link is promising, or why not, in one line.

use linkscent_core::topic_model::{Part, Place, Reason, Tie};
use linkscent_core::web_graph::Mark;

use super::confidence;
use crate::ports::Texts;

/// How likely, and why: a line to show beside a link.
pub fn why(texts: &impl Texts, probability: f64, reasons: &[Reason]) -> String {
    let likely = capitalised(&confidence(texts, probability));
    let reasons: Vec<String> = reasons.iter().map(|one| reason(texts, one)).collect();
    if reasons.is_empty() {
        return likely;
    }
    texts.text("likely_because", &[&likely, &reasons.join("; ")])
}

fn reason(texts: &impl Texts, reason: &Reason) -> String {
    match reason {
        Reason::Described(text) => text.clone(),
        Reason::Word(word, ties) => match &ties[..] {
            [first, second, ..] => {
                let values = [&**word, &tie(texts, first), &tie(texts, second)];
                texts.text("word_is_and", &values)
            }
            [only] => texts.text("word_is", &[word, &tie(texts, only)]),
            [] => word.clone(),
        },
        Reason::Near {
            word,
            place,
            tie: told,
            led,
        } => {
            let mut parts = vec![texts.text("word_at_place", &[word, &self::place(texts, *place)])];
            parts.extend(told.as_ref().map(|told| tie(texts, told)));
            if let Some((good, all)) = led {
                let values = [&*good.to_string(), &all.to_string()];
                parts.push(texts.text("led_to_good_pages", &values));
            }
            parts.join(if told.is_some() { "; " } else { " " })
        }
        Reason::SaysMuch(part) => texts.text(
            match part {
                Part::Link => "link_says_much",
                Part::Beside => "beside_says_much",
                Part::Links => "links_say_much",
                Part::Page => "this_page_looks_good",
            },
            &[],
        ),
        Reason::SaysLittle(part) => texts.text(
            match part {
                Part::Link => "says_little_of_topic",
                Part::Beside => "beside_says_little",
                Part::Links => "links_say_little",
                Part::Page => "page_says_little",
            },
            &[],
        ),
        Reason::LittleSpeaks => texts.text("little_speaks_for_it", &[]),
        Reason::Marked(Mark::Target) => texts.text("page_behind_is_marked", &[]),
        Reason::Marked(Mark::NotTarget) => texts.text("page_behind_is_not_wanted", &[]),
    }
}

fn tie(texts: &impl Texts, tie: &Tie) -> String {
    match tie {
        Tie::InName => texts.text("in_name_of_topic", &[]),
        Tie::CloseToName(name) => texts.text("close_to_name", &[name]),
        Tie::InTarget => texts.text("in_your_target", &[]),
        Tie::InTargets(some, all) if some == all => texts.text("in_all_targets", &[]),
        Tie::InTargets(some, all) => {
            let values = [&*some.to_string(), &all.to_string()];
            texts.text("in_some_targets", &values)
        }
        Tie::CloseToTarget => texts.text("close_to_target", &[]),
        Tie::CloseToTargets => texts.text("close_to_targets", &[]),
    }
}

fn place(texts: &impl Texts, place: Place) -> String {
    let key = match place {
        Place::Before => "before_the_link",
        Place::JustBefore => "just_before_the_link",
        Place::Within => "in_the_link",
        Place::JustAfter => "just_after_the_link",
        Place::After => "after_the_link",
        Place::Address => "in_the_address",
        Place::Heading => "in_the_heading",
    };
    texts.text(key, &[])
}

fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().into_iter().flat_map(char::to_uppercase);
    first.chain(letters).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fakes::English;

    #[test]
    fn a_line_says_how_likely_and_why() {
        let word = Reason::Word("castle".to_owned(), vec![Tie::InName, Tie::InTargets(2, 3)]);
        let near = Reason::Near {
            word: "keep".to_owned(),
            place: Place::JustBefore,
            tie: None,
            led: Some((3.0, 4.0)),
        };
        assert_eq!(
            why(&English, 0.7, &[word, near]),
            "Likely (60 to 80 %): “castle” is in your topic's name and in 2 of your 3 targets; \
             “keep” just before the link led to a good page 3 of 4 times"
        );
        assert_eq!(why(&English, 0.1, &[]), "Unlikely (under 15 %)");
        let name = Reason::Word(
            "fort".to_owned(),
            vec![Tie::CloseToName("castles".to_owned())],
        );
        assert_eq!(
            why(&English, 0.5, &[name, Reason::SaysMuch(Part::Page)]),
            "About even (40 to 60 %): “fort” is close in meaning to “castles”; this page looks \
             like what you look for"
        );
    }
}
