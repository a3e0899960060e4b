//! The texts of the extension, by language, are in `web-ext-manifest/_locales` and nowhere else:
//! tests hold pages, scripts and languages to them.

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};
    use std::fs;
    use std::path::Path;

    use serde_json::Value;

    use crate::root;

    /// Languages with the forms that a number asks for in each, as Unicode's rules have it.
    const LANGUAGES: [(&str, &[&str]); 10] = [
        ("ar", &["zero", "one", "two", "few", "many", "other"]),
        ("de", &["one", "other"]),
        ("en", &["one", "other"]),
        ("es", &["one", "many", "other"]),
        ("fr", &["one", "many", "other"]),
        ("he", &["one", "two", "other"]),
        ("ja", &["other"]),
        ("pt_BR", &["one", "many", "other"]),
        ("ru", &["one", "few", "many", "other"]),
        ("zh_CN", &["other"]),
    ];
    const FORMS: [&str; 6] = ["zero", "one", "two", "few", "many", "other"];

    fn messages(language: &str) -> BTreeMap<String, String> {
        let path = root().join(format!(
            "web-ext-manifest/_locales/{language}/messages.json"
        ));
        let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{language}: {error}"));
        let all: BTreeMap<String, Value> = serde_json::from_str(&text).unwrap();
        let message = |(key, value): (String, Value)| {
            let text = value["message"].as_str().unwrap().to_owned();
            (key, text)
        };
        all.into_iter().map(message).collect()
    }

    /// A key without the form that a number asks for, if it has one.
    fn stem(key: &str) -> Option<&str> {
        let (stem, form) = key.rsplit_once('_')?;
        FORMS.contains(&form).then_some(stem)
    }

    /// Keys of texts that go by a number, without their forms.
    fn counted(english: &BTreeMap<String, String>) -> BTreeSet<String> {
        let stems = english.keys().filter_map(|key| key.strip_suffix("_other"));
        stems.map(str::to_owned).collect()
    }

    /// `{0}` and `$1` and the like, each as often as it stands there.
    fn places(text: &str) -> Vec<&str> {
        let is_place = |at: &usize| {
            let rest = &text.as_bytes()[*at..];
            matches!(
                rest,
                [b'{', b'0'..=b'9', b'}', ..] | [b'$', b'1'..=b'9', ..]
            )
        };
        let starts = text.char_indices().map(|(at, _)| at).filter(is_place);
        let mut places: Vec<&str> = starts.map(|at| &text[at..at + 2]).collect();
        places.sort_unstable();
        places
    }

    fn files(folder: &Path, end: &str) -> String {
        let mut text = String::new();
        let mut folders = vec![folder.to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else if path.to_string_lossy().ends_with(end) {
                    text += &fs::read_to_string(path).unwrap();
                }
            }
        }
        text
    }

    /// What stands between two texts, wherever it does.
    fn between<'a>(text: &'a str, before: &str, after: char) -> impl Iterator<Item = &'a str> {
        let found = text.split(before).skip(1).collect::<Vec<_>>();
        found
            .into_iter()
            .filter_map(move |rest| rest.split(after).next())
    }

    /// Keys that pages, scripts, screens and the manifest name.
    fn named() -> BTreeSet<String> {
        let extension = root().join("extension");
        let pages = files(&extension.join("pages"), ".html");
        let scripts = files(&extension.join("js"), ".js");
        let manifest = files(&root().join("web-ext-manifest"), "manifest.json");
        let screens = files(&extension.join("src"), ".rs");
        let of_pages = [
            "data-say=\"",
            "data-say-label=\"",
            "data-say-placeholder=\"",
        ];
        let of_scripts = ["getMessage(\"", "say(\"", "text(\""];
        let mut named: BTreeSet<String> = BTreeSet::new();
        named.extend(
            of_pages
                .iter()
                .flat_map(|before| between(&pages, before, '"'))
                .map(str::to_owned),
        );
        named.extend(
            of_scripts
                .iter()
                .flat_map(|before| between(&scripts, before, '"'))
                .map(str::to_owned),
        );
        named.extend(
            between(&manifest, "__MSG_", '"').map(|key| key.trim_end_matches('_').to_owned()),
        );
        // Rust names keys as plain strings, some of them chosen by a match, and a script
        // keeps reasons by their keys.
        let english = messages("en");
        let counted = counted(&english);
        let strings = screens.split('"').chain(scripts.split('"'));
        let strings: BTreeSet<&str> = strings.collect();
        named.extend(
            english
                .keys()
                .filter(|key| strings.contains(key.as_str()))
                .cloned(),
        );
        for stem in counted
            .iter()
            .filter(|stem| strings.contains(stem.as_str()))
        {
            named.extend(FORMS.iter().map(|form| format!("{stem}_{form}")));
        }
        named.extend(["counts_for_topic", "is_not_topic"].map(str::to_owned));
        // The browser's own.
        named.retain(|key| !key.starts_with("@@"));
        named
    }

    #[test]
    fn every_text_is_named_and_every_name_has_a_text() {
        let (english, named) = (messages("en"), named());
        let stale: Vec<&String> = english.keys().filter(|key| !named.contains(*key)).collect();
        assert!(stale.is_empty(), "nobody says {stale:?}");
        let is_form = |key: &&String| {
            stem(key).is_some_and(|stem| english.contains_key(&format!("{stem}_other")))
        };
        let missing = named.iter().filter(|key| !english.contains_key(*key));
        let missing: Vec<&String> = missing.filter(|key| !is_form(key)).collect();
        assert!(missing.is_empty(), "no text for {missing:?}");
        assert!(english.len() > 200);
    }

    #[test]
    fn languages_have_the_same_texts_with_the_same_places_and_all_forms() {
        let english = messages("en");
        let counted = counted(&english);
        for (language, forms) in LANGUAGES {
            let texts = messages(language);
            for (key, text) in &english {
                if stem(key).is_some_and(|stem| counted.contains(stem)) {
                    continue;
                }
                let said = texts
                    .get(key)
                    .unwrap_or_else(|| panic!("{language} lacks {key}"));
                assert_eq!(places(said), places(text), "{language}, {key}: {said}");
                assert!(!said.trim().is_empty(), "{language}: {key}");
            }
            for stem in &counted {
                for form in forms {
                    let key = format!("{stem}_{form}");
                    let said = texts
                        .get(&key)
                        .unwrap_or_else(|| panic!("{language} lacks {key}"));
                    let text = &english[&format!("{stem}_other")];
                    assert_eq!(places(said), places(text), "{language}, {key}: {said}");
                }
            }
            let is_known = |key: &&String| {
                english.contains_key(*key) || stem(key).is_some_and(|stem| counted.contains(stem))
            };
            let stale: Vec<&String> = texts.keys().filter(|key| !is_known(key)).collect();
            assert!(stale.is_empty(), "{language}: {stale:?} is said by nobody");
        }
        let folders = fs::read_dir(root().join("web-ext-manifest/_locales")).unwrap();
        assert_eq!(folders.count(), LANGUAGES.len());
    }

    /// No text stands in a page: between its tags are no letters.
    #[test]
    fn pages_hold_no_text() {
        for page in ["popup", "panel", "welcome", "words"] {
            let html =
                fs::read_to_string(root().join(format!("extension/pages/{page}.html"))).unwrap();
            let body = html.split("<body").nth(1).unwrap();
            for piece in between(body, ">", '<') {
                let is_code = body.contains(&format!("<code>{piece}</code>"));
                let has_letters = piece.chars().any(char::is_alphabetic);
                assert!(!has_letters || is_code, "{page}: {piece:?}");
            }
        }
    }
}
