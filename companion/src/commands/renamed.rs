//! Names that commands and flags had before: they still work, and say what they are called now.

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

/// Each old flag, and the one in its place.
const FLAGS: [(&str, &str); 2] = [
    ("--by-hands", "--by-workers"),
    ("--remarks", "--annotations"),
];

/// The words of a command line by today's names; and what is said of each that had an old one.
pub fn by_new_names(words: Vec<OsString>) -> (Vec<OsString>, Vec<String>) {
    let (mut words, command) = with_new_command(words);
    let said = command.map(|name| format!("this command is now called `linkscent {name}`"));
    let mut said: Vec<String> = said.into_iter().collect();
    for (old, new) in FLAGS {
        for word in words.iter_mut().filter(|word| *word == old) {
            *word = new.into();
            said.push(format!("{old} is now called {new}"));
        }
    }
    (words, said)
}

/// The words with the command's new name, which is also given by itself if the command had an old one.
fn with_new_command(mut words: Vec<OsString>) -> (Vec<OsString>, Option<String>) {
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

    fn renamed(line: &str) -> (String, Vec<String>) {
        let words = line.split(' ').map(OsString::from).collect();
        let (words, said) = by_new_names(words);
        let words: Vec<String> = words
            .into_iter()
            .map(|word| word.into_string().unwrap())
            .collect();
        (words.join(" "), said)
    }

    #[test]
    fn old_flags_become_new_ones() {
        let (words, said) = renamed("linkscent serve --by-hands --data by-hands");
        assert_eq!(words, "linkscent serve --by-workers --data by-hands");
        assert_eq!(said, ["--by-hands is now called --by-workers"]);
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
            assert_eq!(
                said,
                [format!("this command is now called `linkscent {new}`")]
            );
        }
        for line in [
            "linkscent",
            "linkscent crawl --data check",
            "linkscent inspect judge page.html",
            "linkscent inspect --help",
            "linkscent data check",
        ] {
            assert_eq!(renamed(line), (line.to_owned(), Vec::new()));
        }
    }
}
