//! `linkscent import`: a topic file out of a taxonomy.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::{Args, ValueEnum};
use flate2::read::MultiGzDecoder;
use indicatif::{ProgressBar, ProgressFinish, ProgressStyle};
use serde_json::json;

use crate::taxonomy::{Choice, ClassPages, Taxonomy};
use crate::visits::write_whole;

/// What is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum SourceKind {
    /// A DMOZ content dump (RDF), plain or gzip.
    Dmoz,
    /// Bookmarks as a browser exports them.
    Bookmarks,
    /// A folder tree of lists of addresses.
    Folder,
}

/// Make a topic file from nodes of a taxonomy.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  linkscent import dmoz content.rdf.u8.gz --focus Top/Science/Biology/Bees --out bees.toml")]
pub struct Import {
    /// What is read.
    kind: SourceKind,
    /// File or folder.
    from: PathBuf,
    /// A DMOZ structure dump: nodes that the focus refers to belong to it.
    #[arg(long)]
    structure: Option<PathBuf>,
    /// A node that is the topic, with all below it; can be given repeatedly.
    #[arg(long, required = true)]
    focus: Vec<String>,
    /// Name of the topic; by default the first focus.
    #[arg(long)]
    name: Option<String>,
    /// Depth down to which classes of the rest are told apart.
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u8).range(1..=10))]
    depth: u8,
    /// Pages kept of the focus, and of every class.
    #[arg(long, default_value_t = 60)]
    most: usize,
    /// A class with fewer pages joins its parent.
    #[arg(long, default_value_t = 10)]
    least: usize,
    /// Pages of the rest in all.
    #[arg(long, default_value_t = 500)]
    others: usize,
    /// What random numbers start from.
    #[arg(long, default_value_t = 1)]
    random_seed: u64,
    /// The topic file to write.
    #[arg(long)]
    out: PathBuf,
    /// Print one JSON object in place of sentences.
    #[arg(long)]
    json: bool,
}

impl Import {
    /// Reads the taxonomy and writes the topic file.
    pub fn run(self) -> Result<()> {
        let choice = Choice {
            focus: self.focus.clone(),
            depth: usize::from(self.depth),
            most: self.most,
            least: self.least,
        };
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
            SourceKind::Folder => taxonomy.read_folders(&self.from)?,
        }
        for problem in &taxonomy.problems {
            eprintln!("linkscent: {}: {problem}", self.from.display());
        }
        if taxonomy.more_problems > 0 {
            eprintln!(
                "linkscent: and {} more such entries",
                taxonomy.more_problems
            );
        }
        for node in taxonomy.unknown_focus() {
            eprintln!("linkscent: the structure has no node {node:?}");
        }
        let classes = taxonomy.classes(self.others);
        if !classes.iter().any(|class| class.is_focus) {
            bail!(
                "no page stands at {:?}: {} pages were read",
                self.focus,
                taxonomy.pages
            );
        }
        self.write(&taxonomy, &classes)
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

    fn write(&self, taxonomy: &Taxonomy, classes: &[ClassPages]) -> Result<()> {
        let name = self.name.as_ref().unwrap_or(&self.focus[0]);
        // What JSON writes for texts and lists of texts is TOML as well.
        let mut text = format!(
            "name = {}\nfocus = {}\n",
            serde_json::to_string(name)?,
            serde_json::to_string_pretty(taxonomy.focus())?
        );
        for class in classes {
            text.push_str(&format!(
                "\n[[class]]\nname = {}\npages = {}\n",
                serde_json::to_string(&class.name)?,
                serde_json::to_string_pretty(&class.pages)?
            ));
        }
        write_whole(&self.out, text.as_bytes())?;
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
            println!("{said}");
        } else {
            println!(
                "{} pages read; {examples} examples of {focus_classes} classes and {others} pages \
                 of {other_classes} other classes are in {}",
                taxonomy.pages,
                self.out.display()
            );
        }
        Ok(())
    }
}
