//! `linkscent import`: a topic whose pages are judged by the classes of a taxonomy, or a
//! topic file for the bench.

mod archive;

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::{Args, ValueEnum};
use flate2::read::MultiGzDecoder;
use indicatif::{ProgressBar, ProgressFinish, ProgressStyle};
use linkscent_output::print_json;
use serde_json::json;

use linkscent_archive::taxonomy::{Choice, ClassPages, Taxonomy};
use linkscent_archive::write_whole;
use linkscent_core::address::Address;
use linkscent_core::critics;
use linkscent_core::critics::taxonomy::{ClassPage, HeldOut, MOST_CLASSES, is_under};

use self::archive::ArchiveImport;
use super::place::Place;
use linkscent_service::crawler::way::Way;
use linkscent_service::{Services, TopicFile};

/// What is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum SourceKind {
    /// A DMOZ content dump (RDF), plain or gzip.
    Dmoz,
    /// Bookmarks as a browser exports them.
    Bookmarks,
    /// A folder tree of pages (HTML, WARC) and lists of addresses.
    Folder,
    /// An archive that others made (WARC, WACZ): no taxonomy, but pages, which become a crawl.
    Archive,
    /// A topic file that `export --format topic` wrote.
    Topic,
}

/// Bring in what others made: a topic, an archive of pages as a crawl of a topic, or a taxonomy, by
/// whose classes pages are judged, some of which are good.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  linkscent import archive web.wacz --topic bees
  linkscent import topic bees.topic
  linkscent import folder sorted-pages --topic bees --good Science/Bees
  linkscent import bookmarks bookmarks.html --topic bees --good Bees --pages crawl-1.warc.gz
  linkscent import dmoz content.rdf.u8.gz --good Top/Science/Biology/Bees --out bees.toml")]
pub struct Import {
    /// What is read.
    kind: SourceKind,
    /// File or folder.
    from: PathBuf,
    /// A DMOZ structure dump: nodes that the focus refers to belong to it.
    #[arg(long)]
    structure: Option<PathBuf>,
    /// A node that is good, with all below it; can be given repeatedly, and chosen later on
    /// the topic's page.
    #[arg(long, visible_alias = "focus", value_name = "NODE")]
    good: Vec<String>,
    /// Name of the topic; by default the first good node.
    #[arg(long, visible_alias = "name")]
    topic: Option<String>,
    /// A WARC file with pages that the taxonomy only names; can be given repeatedly. Of
    /// others only what the taxonomy says is learned: title and description.
    #[arg(long)]
    pages: Vec<PathBuf>,
    /// Depth down to which classes of the rest are told apart.
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u8).range(1..=10))]
    depth: u8,
    /// Pages kept of every class.
    #[arg(long, default_value_t = 60)]
    most: usize,
    /// A class with fewer pages joins its parent; by default 3, in a topic file 10.
    #[arg(long)]
    least: Option<usize>,
    /// Pages in all of classes that are not good.
    #[arg(long, default_value_t = 500)]
    others: usize,
    /// What random numbers start from.
    #[arg(long, default_value_t = 1)]
    random_seed: u64,
    /// Write a topic file for the bench in place of a topic.
    #[arg(long, requires = "good")]
    out: Option<PathBuf>,
    #[command(flatten)]
    place: Place,
    /// Only say what is in the archive or the topic file.
    #[arg(long)]
    dry_run: bool,
    /// Print one JSON object in place of sentences.
    #[arg(long)]
    json: bool,
}

impl Import {
    /// Takes in the archive; or reads the taxonomy and makes the topic, or writes the topic file.
    pub async fn run(self) -> Result<()> {
        if let SourceKind::Topic = self.kind {
            return self.take_topic_in().await;
        }
        if let SourceKind::Archive = self.kind {
            let topic = self
                .topic
                .context("an archive is for a topic: give --topic")?;
            let store = self.place.open().await?;
            let import = ArchiveImport {
                store: store.clone(),
                service: Services::new(store, Way::default()),
                file: self.from,
                topic,
                dry_run: self.dry_run,
                json: self.json,
            };
            return import.run().await;
        }
        let choice = Choice {
            focus: self.good.clone(),
            depth: usize::from(self.depth),
            most: self.most,
            least: self
                .least
                .unwrap_or(if self.out.is_some() { 10 } else { 3 }),
        };
        if self.good.is_empty() && self.topic.is_none() {
            bail!("give a node that is good by --good, or the name of a topic by --topic");
        }
        let mut taxonomy = Taxonomy::new(choice, self.random_seed);
        let place = || format!("reading {}", self.from.display());
        match self.kind {
            SourceKind::Dmoz => {
                if let Some(structure) = &self.structure {
                    let place = || format!("reading {}", structure.display());
                    let input = self.open(structure).with_context(place)?;
                    taxonomy.read_dmoz_structure(input).with_context(place)?;
                }
                taxonomy.read_dmoz(self.open(&self.from).with_context(place)?)?;
            }
            SourceKind::Bookmarks => {
                let bytes = std::fs::read(&self.from).with_context(place)?;
                taxonomy.read_bookmarks(&String::from_utf8_lossy(&bytes));
            }
            SourceKind::Folder | SourceKind::Archive | SourceKind::Topic => {
                taxonomy.read_folders(&self.from)?;
            }
        }
        let mut found = 0;
        for archive in &self.pages {
            let place = || format!("reading {}", archive.display());
            found += taxonomy.read_pages(archive).with_context(place)?;
        }
        for problem in &taxonomy.problems {
            message!("linkscent: {}: {problem}", self.from.display());
        }
        if taxonomy.more_problems > 0 {
            message!(
                "linkscent: and {} more such entries",
                taxonomy.more_problems
            );
        }
        for node in taxonomy.unknown_focus() {
            message!("linkscent: the structure has no node {node:?}");
        }
        let most = if self.out.is_some() {
            usize::MAX
        } else {
            MOST_CLASSES
        };
        let classes = taxonomy.classes(self.others, most);
        if !self.good.is_empty() && !classes.iter().any(|class| class.is_focus) {
            bail!(
                "no page stands at {:?}: {} pages were read",
                self.good,
                taxonomy.pages
            );
        }
        match &self.out {
            Some(out) => self.write(&taxonomy, &classes, out),
            None => self.make_topic(&taxonomy, classes, found).await,
        }
    }

    /// Makes a topic of a topic file.
    async fn take_topic_in(&self) -> Result<()> {
        let file = TopicFile::open(&self.from)?;
        if !self.dry_run {
            let store = self.place.open().await?;
            let service = Services::new(store, Way::default());
            service
                .topics
                .take_topic_in(&file, self.topic.as_deref())
                .await?;
        }
        let name = self.topic.as_ref().unwrap_or(&file.name);
        let (targets, said) = (file.targets(), file.said.len());
        if self.json {
            print_json(&json!({ "topic": name, "targets": targets, "said": said }))?;
        } else {
            print_line!("“{name}”: {targets} targets, {said} things said in all");
        }
        Ok(())
    }

    /// Makes the topic in the data folder.
    async fn make_topic(
        &self,
        read: &Taxonomy,
        classes: Vec<ClassPages>,
        found: usize,
    ) -> Result<()> {
        let only_said = classes.iter().flat_map(|class| &class.pages);
        let only_said = only_said.filter(|page| page.words.is_empty()).count();
        let mut pages = BTreeMap::new();
        for class in classes {
            let page = |page: linkscent_archive::taxonomy::Entry| ClassPage {
                address: Address::parse(&page.address).ok(),
                words: page.known_words(),
            };
            pages.insert(class.name, class.pages.into_iter().map(page).collect());
        }
        let (taxonomy, held_out) = critics::Taxonomy::of(pages)?;
        // Nodes that the good ones refer to are good, too, if they have pages.
        let nodes = taxonomy.nodes();
        let is_there = |node: &&String| nodes.contains_key(node.as_str());
        let good: Vec<String> = read.focus().iter().filter(is_there).cloned().collect();
        let name = self.topic.as_ref().or(self.good.first());
        let name = name.context("a topic needs a name: give --topic")?;
        let store = self.place.open().await?;
        let service = Services::new(store, Way::default());
        let given = (!self.good.is_empty()).then_some(good.as_slice());
        let topic = service
            .topics
            .import_taxonomy(name, &taxonomy, given)
            .await?;
        let classes = service.topics.classes(&topic).await?;
        let good = classes.map(|classes| classes.good).unwrap_or_default();
        self.report(&taxonomy, &good, held_out, read, (only_said, found))
    }

    fn report(
        &self,
        taxonomy: &critics::Taxonomy,
        good: &[String],
        held_out: HeldOut,
        read: &Taxonomy,
        (only_said, found): (usize, usize),
    ) -> Result<()> {
        let examples = taxonomy.examples().len();
        if self.json {
            let said = json!({
                "pages": read.pages, "classes": taxonomy.classes().len(), "examples": examples,
                "only_title_and_description": only_said, "found_in_archives": found,
                "good": good, "held_out": held_out.pages, "held_out_right": held_out.right,
                "length": taxonomy.length(),
                "problems": read.problems.len() + read.more_problems,
            });
            print_json(&said)?;
            return Ok(());
        }
        for (node, pages) in taxonomy.nodes() {
            let depth = node.matches('/').count();
            let is_good = good.iter().any(|good| is_under(node, good));
            let last = node.rsplit('/').next().unwrap_or_default();
            let mark = if is_good { '+' } else { ' ' };
            print_line!("{mark} {:indent$}{last} ({pages})", "", indent = 2 * depth);
        }
        print_line!(
            "{} pages read; {examples} of them stand for {} classes",
            read.pages,
            taxonomy.classes().len()
        );
        if only_said > 0 {
            print_line!(
                "of {only_said} of these only title and description are known: give --pages with \
                 archives that have them, or expect a worse judge"
            );
        }
        if held_out.pages > 0 {
            print_line!(
                "held out, {} of {} pages were put into their own class",
                held_out.right,
                held_out.pages
            );
        }
        if good.is_empty() {
            print_line!("no class is good yet: choose some on the topic's page, or by --good NODE");
        }
        Ok(())
    }

    /// Opens a dump, plain or gzip, with a bar for how far it is read.
    fn open(&self, path: &Path) -> Result<Box<dyn BufRead>> {
        let file = File::open(path)?;
        let bar = ProgressBar::new(file.metadata()?.len());
        if self.json {
            bar.set_draw_target(indicatif::ProgressDrawTarget::hidden());
        }
        let style =
            ProgressStyle::with_template("{elapsed_precise} {bar:30} {bytes}/{total_bytes}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        let input = bar.with_finish(ProgressFinish::AndClear).wrap_read(file);
        let is_packed = path.extension().is_some_and(|end| end == "gz");
        Ok(if is_packed {
            Box::new(BufReader::new(MultiGzDecoder::new(input)))
        } else {
            Box::new(BufReader::new(input))
        })
    }

    fn write(&self, taxonomy: &Taxonomy, classes: &[ClassPages], out: &Path) -> Result<()> {
        let name = self.topic.as_ref().unwrap_or(&self.good[0]);
        // What JSON writes for texts and lists of texts is TOML as well.
        let mut text = format!(
            "name = {}\nfocus = {}\n",
            serde_json::to_string(name)?,
            serde_json::to_string_pretty(taxonomy.focus())?
        );
        for class in classes {
            let pages = class.pages.iter().map(|page| &page.address);
            let pages: Vec<&String> = pages.filter(|page| !page.is_empty()).collect();
            text.push_str(&format!(
                "\n[[class]]\nname = {}\npages = {}\n",
                serde_json::to_string(&class.name)?,
                serde_json::to_string_pretty(&pages)?
            ));
        }
        write_whole(out, text.as_bytes()).with_context(|| format!("writing {}", out.display()))?;
        let count = |is_focus: bool| -> (usize, usize) {
            let of_kind = classes.iter().filter(|class| class.is_focus == is_focus);
            (
                of_kind.clone().map(|class| class.pages.len()).sum(),
                of_kind.count(),
            )
        };
        let ((examples, focus_classes), (others, other_classes)) = (count(true), count(false));
        if self.json {
            let said = json!({
                "pages": taxonomy.pages, "examples": examples, "others": others,
                "focus_classes": focus_classes, "other_classes": other_classes,
                "problems": taxonomy.problems.len() + taxonomy.more_problems,
            });
            print_json(&said)?;
        } else {
            print_line!(
                "{} pages read; {examples} examples of {focus_classes} classes and {others} pages \
                 of {other_classes} other classes are in {}",
                taxonomy.pages,
                out.display()
            );
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Command {
        #[command(flatten)]
        import: Import,
    }

    #[tokio::test]
    async fn a_folder_of_pages_becomes_a_topic_whose_good_classes_have_pages() {
        let folder = tempfile::tempdir().unwrap();
        let (pages, data) = (folder.path().join("pages"), folder.path().join("data"));
        for (class, text) in [("Science/Bees", "honey"), ("Travel/Trains", "a timetable")] {
            std::fs::create_dir_all(pages.join(class)).unwrap();
            for number in 0..6 {
                let html = format!("<title>Page {number}</title><p>{text}</p>");
                std::fs::write(pages.join(class).join(format!("{number}.html")), html).unwrap();
            }
        }
        let words = [
            "import",
            "folder",
            pages.to_str().unwrap(),
            "--topic",
            "bees",
            "--data",
            data.to_str().unwrap(),
            "--good",
        ];
        let import = |node: &str| {
            Command::parse_from(words.iter().chain([&node]))
                .import
                .run()
        };
        let refused = import("Nowhere").await.unwrap_err();
        assert!(refused.to_string().contains("Nowhere"), "{refused}");
        import("Science").await.unwrap();
        let store = linkscent_store::Store::open(&data).await.unwrap();
        assert!(store.find_topic("bees").await.unwrap().is_some());
    }
}
