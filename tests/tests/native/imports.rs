//! The order of the house, read from the sources: no files import each other in a
//! circle, and in `core` each module imports only from those before it.
//!
//! A module and its own submodules are one family: a part may use what its parent
//! declares, so imports along that line are no circle.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

/// Modules of a crate by their path, such as `["crawl", "session"]`.
type Modules = BTreeMap<Vec<String>, PathBuf>;
/// Who imports from whom.
type Imports = BTreeMap<Vec<String>, BTreeSet<Vec<String>>>;

fn modules(source: &Path) -> Result<Modules> {
    let mut modules = Modules::new();
    let mut folders = vec![(Vec::new(), source.to_owned())];
    while let Some((path, folder)) = folders.pop() {
        for entry in std::fs::read_dir(&folder)? {
            let file = entry?.path();
            let name = file.file_stem().context("no name")?.to_string_lossy();
            let mut inner: Vec<String> = path.clone();
            if file.is_dir() {
                inner.push(name.into_owned());
                folders.push((inner, file));
            } else if file.extension().is_some_and(|ending| ending == "rs") {
                if !matches!(&*name, "mod" | "lib" | "main") {
                    inner.push(name.into_owned());
                }
                modules.insert(inner, file);
            }
        }
    }
    Ok(modules)
}

/// The paths that a `use` names, its braces opened.
fn paths(tree: &str, before: &str, found: &mut Vec<String>) {
    let (mut depth, mut start) = (0, 0);
    let mut parts = Vec::new();
    for (at, letter) in tree.char_indices() {
        match letter {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(&tree[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&tree[start..]);
    for part in parts
        .into_iter()
        .map(str::trim)
        .filter(|part| !part.is_empty())
    {
        match part.split_once('{') {
            Some((outer, inner)) => {
                let inner = inner.trim_end().trim_end_matches('}');
                paths(inner, &format!("{before}{outer}"), found);
            }
            None => found.push(format!("{before}{part}")),
        }
    }
}

/// The module that a path leads into, seen from `module`.
fn target(path: &str, module: &[String], modules: &Modules) -> Option<Vec<String>> {
    let path = path.split(" as ").next().unwrap_or(path);
    let mut words = path.split("::").map(str::trim).peekable();
    let mut at: Vec<String> = match *words.peek()? {
        "crate" => {
            words.next();
            Vec::new()
        }
        "self" => {
            words.next();
            module.to_vec()
        }
        "super" => {
            let mut at = module.to_vec();
            while words.peek() == Some(&"super") {
                at.pop();
                words.next();
            }
            at
        }
        _ => module.to_vec(),
    };
    let start = at.len();
    for word in words {
        at.push(word.to_owned());
        if !modules.contains_key(&at) {
            at.pop();
            break;
        }
    }
    // A path of another crate, or of the module itself.
    let is_relative = !["crate", "self", "super"]
        .iter()
        .any(|first| path.starts_with(first));
    (!(is_relative && at.len() == start) && at != module).then_some(at)
}

fn imports(source: &Path) -> Result<Imports> {
    let modules = modules(source)?;
    let mut imports = Imports::new();
    for (module, file) in &modules {
        let text = std::fs::read_to_string(file)?;
        // Tests may use anything.
        let text = text
            .split("#[cfg(test)]\nmod tests {")
            .next()
            .unwrap_or_default();
        if module.iter().any(|name| name.ends_with("tests")) {
            continue;
        }
        let mut named = Vec::new();
        for statement in text.split(';') {
            let lines = statement
                .lines()
                .filter(|line| !line.trim_start().starts_with("//"));
            let statement = lines.collect::<Vec<_>>().join(" ");
            let words = statement.trim();
            let tree = words
                .rsplit_once("use ")
                .map(|(before, tree)| (before.trim(), tree));
            if let Some((before, tree)) = tree
                && (before.is_empty()
                    || before.ends_with("pub")
                    || before.ends_with(')')
                    || before.ends_with(']'))
            {
                paths(tree, "", &mut named);
            }
        }
        let targets = named
            .iter()
            .filter_map(|path| target(path, module, &modules));
        imports.insert(module.clone(), targets.collect());
    }
    Ok(imports)
}

fn is_family(a: &[String], b: &[String]) -> bool {
    a.starts_with(b) || b.starts_with(a)
}

/// Names of modules that import each other in a circle, the first that is found.
fn circle(imports: &Imports) -> Option<Vec<String>> {
    fn walk<'a>(
        at: &'a Vec<String>,
        imports: &'a Imports,
        way: &mut Vec<&'a Vec<String>>,
        done: &mut BTreeSet<&'a Vec<String>>,
    ) -> Option<Vec<String>> {
        if let Some(begun) = way.iter().position(|one| *one == at) {
            return Some(way[begun..].iter().map(|one| one.join("::")).collect());
        }
        if !done.insert(at) {
            return None;
        }
        way.push(at);
        let next = imports.get(at).into_iter().flatten();
        let found = next
            .filter(|next| !is_family(at, next))
            .find_map(|next| walk(next, imports, way, done));
        way.pop();
        found
    }
    let mut done = BTreeSet::new();
    imports
        .keys()
        .find_map(|module| walk(module, imports, &mut Vec::new(), &mut done))
}

/// The same between whole families: modules at the top of the crate.
fn families(imports: &Imports) -> Imports {
    let mut families = Imports::new();
    for (module, targets) in imports {
        let Some(from) = module.first() else { continue };
        let entry = families.entry(vec![from.clone()]).or_default();
        let others = targets.iter().filter_map(|target| target.first());
        entry.extend(others.filter(|to| *to != from).map(|to| vec![to.clone()]));
    }
    families
}

#[test]
fn no_files_import_each_other_in_a_circle() -> Result<()> {
    let root = linkscent_pack::root();
    let sources = [
        "core/models/src",
        "core/src",
        "companion/archive/src",
        "companion/bench/src",
        "companion/documents/src",
        "companion/server/src",
        "companion/service/src",
        "companion/src",
        "companion/store/src",
        "extension/src",
        "tests/src",
    ];
    for source in sources {
        let mut imports = imports(&root.join(source))?;
        ensure!(imports.len() > 5, "{source}: {} modules", imports.len());
        if source == "companion/service/src" {
            // What the services share is made of a part of each, as the crate's own file is.
            imports.remove(&vec!["context".to_owned()]);
        }
        let found = circle(&imports).or_else(|| circle(&families(&imports)));
        ensure!(
            found.is_none(),
            "{source}: {}",
            found.unwrap_or_default().join(" -> ")
        );
    }
    Ok(())
}

#[test]
fn core_imports_only_from_modules_before() -> Result<()> {
    let root = linkscent_pack::root();
    let text = std::fs::read_to_string(root.join("core/src/lib.rs"))?;
    let order: Vec<&str> = text
        .lines()
        .filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(';'))
        .collect();
    let place = |name: &str| order.iter().position(|module| *module == name);
    for (module, targets) in families(&imports(&root.join("core/src"))?) {
        for target in targets {
            let (from, to) = (place(&module[0]), place(&target[0]));
            ensure!(
                from.is_some() && to.is_some() && to < from,
                "{} imports from {}, which stands behind it",
                module[0],
                target[0]
            );
        }
    }
    Ok(())
}

/// Those without a browser run two at a time.
#[test]
fn a_browser_is_held_by_tests_that_run_alone() -> Result<()> {
    let folder = linkscent_pack::root().join("tests/tests");
    let holds_one = |name: &str| -> Result<usize> {
        let files = modules(&folder.join(name))?.into_values();
        let texts: Vec<String> = files
            .map(std::fs::read_to_string)
            .collect::<Result<_, _>>()?;
        let holds = |text: &&String| {
            let modules = ["browser", "stage"].map(|name| format!("linkscent_tests::{name}::"));
            modules.iter().any(|module| text.contains(module))
        };
        Ok(texts.iter().filter(holds).count())
    };
    ensure!(holds_one("browsers")? > 10);
    ensure!(holds_one("native")? == 0, "a browser beside another test");
    Ok(())
}

/// One that nobody names is compiled by nobody, and one outside of both folders is run by nobody.
#[test]
fn every_file_of_these_tests_is_run() -> Result<()> {
    let folder = linkscent_pack::root().join("tests/tests");
    for (list, folder) in [
        (folder.join("browsers.rs"), folder.join("browsers")),
        (folder.join("native.rs"), folder.join("native")),
        (folder.join("all.rs"), folder),
    ] {
        let is_all = list.ends_with("all.rs");
        let list = std::fs::read_to_string(list)?;
        let named = list
            .lines()
            .filter_map(|line| line.strip_prefix("mod ")?.strip_suffix(';'));
        let mut there = Vec::new();
        for entry in std::fs::read_dir(&folder)? {
            let file = entry?.path();
            let is_module = file.extension().is_some_and(|ending| ending == "rs");
            let name = file.file_stem().context("no name")?.to_string_lossy();
            if is_module && name != "all" {
                there.push(name.into_owned());
            }
        }
        there.sort_unstable();
        let named: Vec<&str> = named.collect();
        ensure!(
            named == there,
            "{}: {named:?} are named, {there:?} are there",
            folder.display()
        );
        ensure!(!is_all || there == ["browsers", "native"], "{there:?}");
    }
    Ok(())
}

#[test]
fn a_circle_is_found() {
    let module = |name: &str| -> Vec<String> { name.split("::").map(str::to_owned).collect() };
    let mut imports = Imports::new();
    imports.insert(module("a"), [module("b::c")].into());
    imports.insert(module("b::c"), [module("b"), module("d")].into());
    assert_eq!(circle(&imports), None);
    imports.insert(module("d"), [module("a")].into());
    assert_eq!(
        circle(&imports),
        Some(["a", "b::c", "d"].map(str::to_owned).to_vec())
    );
    let mut found = Vec::new();
    paths("super::{a::{B, c}, d}", "", &mut found);
    assert_eq!(found, ["super::a::B", "super::a::c", "super::d"]);
}
