//! Names that commands had before: they still work, and say what they are called now.

use std::ffi::OsString;

/// Each old name, and the words in its place.
const RENAMED: [(&str, [&str; 2]); 16] = [
    ("account", ["team", "account"]),
    ("ahead", ["inspect", "dry-run"]),
    ("archives", ["data", "archives"]),
    ("backup", ["data", "backup"]),
    ("check", ["data", "check"]),
    ("completions", ["config", "completions"]),
    ("judge", ["inspect", "judge"]),
    ("man", ["config", "man"]),
    ("migrate", ["data", "migrate"]),
    ("model", ["data", "model"]),
    ("prune", ["data", "prune"]),
    ("repair", ["data", "repair"]),
    ("replay", ["research", "replay"]),
    ("sites", ["data", "sites"]),
    ("train", ["research", "train"]),
    ("verify", ["research", "verify"]),
];

/// The words of a command line by today's names; and the command's new name, if it had an old one.
pub fn by_new_name(mut words: Vec<OsString>) -> (Vec<OsString>, Option<String>) {
    let Some(word) = words.get(1).and_then(|word| word.to_str()) else {
        return (words, None);
    };
    let is_page = |word: &OsString| {
        let known = ["page", "judge", "dry-run", "help", "-h", "--help"];
        word.to_str().is_none_or(|word| !known.contains(&word))
    };
    let new: [&str; 2] = match word {
        "work" => ["team", "work"],
        "inspect" if words.get(2).is_some_and(is_page) => ["inspect", "page"],
        word => match RENAMED.iter().find(|row| row.0 == word) {
            Some(row) => row.1,
            None => return (words, None),
        },
    };
    words.splice(1..2, new.map(OsString::from));
    (words, Some(new.join(" ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn renamed(line: &str) -> (String, Option<String>) {
        let words = line.split(' ').map(OsString::from).collect();
        let (words, new) = by_new_name(words);
        let words: Vec<String> = words
            .into_iter()
            .map(|word| word.into_string().unwrap())
            .collect();
        (words.join(" "), new)
    }

    #[test]
    fn old_names_become_new_ones_and_new_ones_stay() {
        for (old, new) in [
            ("linkscent check --data x", "data check"),
            ("linkscent work --name w", "team work"),
            ("linkscent inspect page.html --json", "inspect page"),
        ] {
            let (words, said) = renamed(old);
            let rest = old.split(' ').skip(2).collect::<Vec<_>>().join(" ");
            assert_eq!(words, format!("linkscent {new} {rest}"));
            assert_eq!(said.as_deref(), Some(new));
        }
        for line in [
            "linkscent",
            "linkscent crawl --data check",
            "linkscent inspect judge page.html",
            "linkscent inspect --help",
            "linkscent data check",
        ] {
            assert_eq!(renamed(line), (line.to_owned(), None));
        }
    }
}
