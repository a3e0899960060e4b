//! Settings: flags before environment before the data folder's `linkscent.toml` before the
//! one in the platform's configuration folder before defaults.
//!
//! The command line is told of each setting as the default of the flag of that name, so
//! that a value is checked, and a wrong one named, as if it had been typed.

use std::fmt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Command};

/// The name of the file.
pub const FILE: &str = "linkscent.toml";
/// Flags that can be set in the file; each has an environment variable `LINKSCENT_...`.
/// `data` can only be set in the configuration folder.
pub const KEYS: [&str; 25] = [
    "data",
    "database",
    "port",
    "public",
    "provider",
    "provider_client",
    "provider_secret",
    "proxy",
    "allow_private",
    "allow_ports",
    "contact",
    "never",
    "by_site",
    "by_workers",
    "daily_requests",
    "daily_megabytes",
    "keep_days",
    "keep_megabytes",
    "budget",
    "delay",
    "hosts",
    "on_drift",
    "site_pages",
    "site_targets",
    "log",
];

/// Names that settings had before, in files and in the environment: they still work.
const RENAMED: [(&str, &str); 1] = [("by_hands", "by_workers")];

/// Those that may have several values.
const LISTS: [&str; 3] = ["allow_ports", "hosts", "never"];

/// Where a value comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// It was given with the command.
    Flag,
    /// A variable of the environment.
    Environment(String),
    /// A settings file.
    File(PathBuf),
    /// Nobody set it.
    Default,
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Flag => f.write_str("flag"),
            Self::Environment(name) => write!(f, "environment, {name}"),
            Self::File(path) => write!(f, "{}", path.display()),
            Self::Default => f.write_str("default"),
        }
    }
}

/// Values of the settings files, the nearest one's first.
#[derive(Debug, Default)]
pub struct Settings(Vec<Row>);

/// A value that a file sets.
#[derive(Debug)]
struct Row {
    key: &'static str,
    /// As they would be typed; several for a list.
    values: Vec<String>,
    /// A file, or a variable by an earlier name.
    source: Source,
}

impl Settings {
    /// Reads the files: that of the data folder, as it is given by these arguments or set,
    /// and that of the configuration folder.
    pub fn read(arguments: &[String]) -> Result<Self> {
        let mut own = Self::default();
        if let Some(folder) = configuration_folder() {
            own.add(&folder.join(FILE))?;
        }
        let data = own.data_folder(arguments)?;
        let mut settings = Self::default();
        settings.add_renamed_variables(|name| std::env::var(name).ok());
        settings.add(&data.join(FILE))?;
        if let Some(row) = settings.0.iter().find(|row| row.key == "data") {
            bail!(
                "{}: the data folder cannot be set from within itself; set `data` in {}",
                row.source,
                configuration_folder()
                    .unwrap_or_default()
                    .join(FILE)
                    .display()
            );
        }
        settings.0.append(&mut own.0);
        Ok(settings)
    }

    /// The data folder, before the command line is read as a whole.
    fn data_folder(&self, arguments: &[String]) -> Result<PathBuf> {
        let mut words = arguments.iter();
        while let Some(word) = words.next() {
            let given = match word.strip_prefix("--data") {
                Some("") => words.next().map(String::as_str),
                Some(rest) => rest.strip_prefix('='),
                None => None,
            };
            if let Some(given) = given {
                return Ok(PathBuf::from(given));
            }
        }
        if let Some(set) = std::env::var_os(variable("data")) {
            return Ok(PathBuf::from(set));
        }
        data_folder(self.value("data").map(|row| Path::new(&row.values[0])))
    }

    fn value(&self, key: &str) -> Option<&Row> {
        self.0.iter().find(|row| row.key == key)
    }

    /// Adds what variables of the environment set by names that they had before.
    fn add_renamed_variables(&mut self, value: impl Fn(&str) -> Option<String>) {
        for (old, key) in RENAMED {
            if let Some(value) = value(&variable(old)) {
                self.0.push(Row {
                    key,
                    values: vec![value],
                    source: Source::Environment(variable(old)),
                });
            }
        }
    }

    /// Adds what a file sets, if it is there.
    fn add(&mut self, file: &Path) -> Result<()> {
        let text = match std::fs::read_to_string(file) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(error).context(format!("reading {}", file.display())),
        };
        let table: toml::Table =
            toml::from_str(&text).with_context(|| format!("reading {}", file.display()))?;
        for (name, value) in table {
            let renamed = RENAMED.into_iter().find(|row| row.0 == name);
            let today = renamed.map_or(name.as_str(), |row| row.1);
            let Some(key) = KEYS.into_iter().find(|key| *key == today) else {
                bail!(
                    "{}: {name:?} is no setting; {}",
                    file.display(),
                    advice(&name)
                );
            };
            let values: Option<Vec<String>> = match value {
                toml::Value::Array(values) if LISTS.contains(&key) => {
                    values.iter().map(written).collect()
                }
                value => written(&value).map(|value| vec![value]),
            };
            let values: Vec<String> = values.with_context(|| {
                format!(
                    "{}: {name} is one value, or a list where it is one of {LISTS:?}",
                    file.display()
                )
            })?;
            self.0.push(Row {
                key,
                values,
                source: Source::File(file.to_owned()),
            });
        }
        Ok(())
    }

    /// The command line with these values as its defaults, everywhere.
    pub fn apply(&self, command: Command) -> Command {
        let command = command.mut_args(|arg| self.apply_to(arg));
        command.mut_subcommands(|inner| self.apply(inner))
    }

    fn apply_to(&self, arg: Arg) -> Arg {
        // A flag of the same name that is no setting, such as a bench's, stays as it is.
        let is_set_by = |key: &str| arg.get_env().is_some_and(|env| *env == *variable(key));
        let key = KEYS.into_iter().find(|key| is_set_by(key));
        match key.and_then(|key| self.value(key)) {
            Some(row) => arg.default_values(row.values.clone()),
            None => arg,
        }
    }

    /// Every setting with its value and where it comes from, as a command with these
    /// arguments finds them.
    pub fn effective(
        &self,
        command: &Command,
        found: &ArgMatches,
    ) -> Vec<(String, String, Source)> {
        let row = |key: &'static str| {
            let source = match (found.value_source(key), self.value(key)) {
                (Some(ValueSource::CommandLine), _) => Source::Flag,
                (Some(ValueSource::EnvVariable), _) => Source::Environment(variable(key)),
                (Some(ValueSource::DefaultValue), Some(row)) => row.source.clone(),
                _ => Source::Default,
            };
            let arg = command.get_arguments().find(|arg| arg.get_id() == key);
            let is_flag = arg.is_some_and(|arg| matches!(arg.get_action(), ArgAction::SetTrue));
            let values = found.get_raw(key).into_iter().flatten();
            let values: Vec<String> = values
                .map(|value| value.to_string_lossy().into_owned())
                .collect();
            let value = match values.as_slice() {
                [] if key == "data" => data_folder(None).unwrap_or_default().display().to_string(),
                [] if is_flag => "false".to_owned(),
                values if key == "database" => without_password(&values.concat()),
                values => values.join(", "),
            };
            (key.to_owned(), value, source)
        };
        KEYS.into_iter().map(row).collect()
    }
}

/// A database's address as it may be shown.
fn without_password(address: &str) -> String {
    let address = address.split_once('?').map_or(address, |parts| parts.0);
    let Some((before, place)) = address.rsplit_once('@') else {
        return address.to_owned();
    };
    match before.split_once("://") {
        Some((scheme, who)) => {
            let name = who.split(':').next().unwrap_or_default();
            format!("{scheme}://{name}@{place}")
        }
        None => format!("…@{place}"),
    }
}

/// The environment variable of a setting.
fn variable(key: &str) -> String {
    format!("LINKSCENT_{}", key.to_uppercase())
}

/// As it would be typed; nothing for a table or a date.
fn written(value: &toml::Value) -> Option<String> {
    Some(match value {
        toml::Value::String(text) => text.clone(),
        toml::Value::Integer(number) => number.to_string(),
        toml::Value::Float(number) => number.to_string(),
        toml::Value::Boolean(flag) => flag.to_string(),
        _ => return None,
    })
}

/// What may have been meant.
fn advice(name: &str) -> String {
    let name = name.replace('-', "_");
    let near = KEYS.into_iter().min_by_key(|key| distance(key, &name));
    match near.filter(|key| distance(key, &name) <= 2) {
        Some(key) => format!("is {key:?} meant?"),
        None => format!("there are {}", KEYS.join(", ")),
    }
}

/// Letters to be added, left out or changed to make one word of the other.
fn distance(a: &str, b: &str) -> usize {
    let mut row: Vec<usize> = (0..=b.chars().count()).collect();
    for (place, letter) in a.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], place + 1);
        for (column, other) in b.chars().enumerate() {
            let changed = diagonal + usize::from(letter != other);
            diagonal = row[column + 1];
            row[column + 1] = changed.min(row[column] + 1).min(diagonal + 1);
        }
    }
    row[row.len() - 1]
}

fn configuration_folder() -> Option<PathBuf> {
    let folders = directories::ProjectDirs::from("", "", "linkscent")?;
    Some(folders.config_dir().to_owned())
}

/// The data folder: as given or set, or the platform's own.
pub fn data_folder(given: Option<&Path>) -> Result<PathBuf> {
    if let Some(given) = given {
        return Ok(given.to_owned());
    }
    let folders = directories::ProjectDirs::from("", "", "linkscent");
    let folders = folders.context("there is no home folder; give --data DIR")?;
    Ok(folders.data_dir().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_is_not_shown() {
        for (address, shown) in [
            ("postgres://me:secret@host/db", "postgres://me@host/db"),
            ("postgres://me:s@cret@host/db", "postgres://me@host/db"),
            ("postgres://me@host:5432/db", "postgres://me@host:5432/db"),
            ("postgres://host/db", "postgres://host/db"),
            ("postgres://host/db?password=secret", "postgres://host/db"),
            ("me:secret@host", "…@host"),
        ] {
            assert_eq!(without_password(address), shown);
        }
    }

    fn read(text: &str) -> Result<Settings> {
        let folder = tempfile::tempdir()?;
        std::fs::write(folder.path().join(FILE), text)?;
        Settings::read(&["--data".to_owned(), folder.path().display().to_string()])
    }

    fn command() -> Command {
        let port = Arg::new("port")
            .long("port")
            .env("LINKSCENT_PORT")
            .default_value("7474");
        let hosts = Arg::new("hosts")
            .long("host")
            .env("LINKSCENT_HOSTS")
            .action(ArgAction::Append);
        Command::new("a").subcommand(Command::new("serve").arg(port).arg(hosts))
    }

    #[test]
    fn a_file_sets_defaults_and_flags_stand_above_it() {
        let settings = read("port = 9\nhosts = [\"a.org\", \"b.org\"]\n").unwrap();
        let parse = |words: &[&str]| {
            let found = settings.apply(command()).get_matches_from(words);
            let found = found.subcommand_matches("serve").unwrap().clone();
            let values = |key| -> Vec<String> {
                found
                    .get_many::<String>(key)
                    .into_iter()
                    .flatten()
                    .cloned()
                    .collect()
            };
            (values("port"), values("hosts"))
        };
        let (port, hosts) = parse(&["a", "serve"]);
        assert_eq!((port, hosts.len()), (vec!["9".to_owned()], 2));
        let (port, hosts) = parse(&["a", "serve", "--port", "8", "--host", "c.org"]);
        assert_eq!(port, ["8"]);
        assert_eq!(hosts, ["c.org"]);
        let found = settings.apply(command()).get_matches_from(["a", "serve"]);
        let found = found.subcommand_matches("serve").unwrap();
        assert!(found.get_raw("port").is_some());
    }

    #[test]
    fn settings_by_earlier_names_still_count() {
        let file = read("by_hands = true").unwrap();
        let mut both = Settings::default();
        both.add_renamed_variables(|name| (name == "LINKSCENT_BY_HANDS").then(|| "true".into()));
        for settings in [file, both] {
            let row = settings.value("by_workers").unwrap();
            assert_eq!(row.values, ["true"]);
        }
    }

    #[test]
    fn unknown_keys_are_refused_with_a_suggestion() {
        let said = |text: &str| format!("{:#}", read(text).unwrap_err());
        assert!(
            said("bugdet = 5").contains("is \"budget\" meant?"),
            "{}",
            said("bugdet = 5")
        );
        assert!(said("on-drift = \"tell\"").contains("\"on_drift\" meant"));
        assert!(said("colour = \"red\"").contains("there are data, database, port"));
        assert!(said("port = ").contains(FILE));
        assert!(said("data = \"x\"").contains("from within itself"));
        assert!(read("").unwrap().0.is_empty());
    }
}
