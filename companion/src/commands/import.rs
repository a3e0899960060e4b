//! `linkscent import`: a topic file out of a taxonomy.

use std::fs::File;
use std::io::BufReader;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use clap::{Args, ValueEnum};
use flate2::read::MultiGzDecoder;
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::json;

use crate::eval::visits::write_whole;
use crate::taxonomy::{Choice, Taxonomy};

/// What is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Kind {
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
    kind: Kind,
    /// File or folder.
    from: PathBuf,
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
            Kind::Dmoz => self.read_dmoz(&mut taxonomy).with_context(place)?,
            Kind::Bookmarks => {
                let bytes = std::fs::read(&self.from).with_context(place)?;
                taxonomy.read_bookmarks(&String::from_utf8_lossy(&bytes));
            }
            Kind::Folder => taxonomy.read_folders(&self.from)?,
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
        if taxonomy.examples().is_empty() {
            bail!(
                "no page stands at {:?}: {} pages were read",
                self.focus,
                taxonomy.pages
            );
        }
        self.write(&taxonomy)
    }

    fn read_dmoz(&self, taxonomy: &mut Taxonomy) -> Result<()> {
        let file = File::open(&self.from)?;
        let bar = ProgressBar::new(file.metadata()?.len());
        if self.json {
            bar.set_draw_target(indicatif::ProgressDrawTarget::hidden());
        }
        let style =
            ProgressStyle::with_template("{elapsed_precise} {bar:30} {bytes}/{total_bytes}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        let input = bar.wrap_read(file);
        let is_packed = self.from.extension().is_some_and(|end| end == "gz");
        if is_packed {
            taxonomy.read_dmoz(BufReader::new(MultiGzDecoder::new(input)))?;
        } else {
            taxonomy.read_dmoz(BufReader::new(input))?;
        }
        bar.finish_and_clear();
        Ok(())
    }

    fn write(&self, taxonomy: &Taxonomy) -> Result<()> {
        let classes = taxonomy.others(self.others);
        let others: Vec<&String> = classes.iter().flat_map(|row| &row.1).collect();
        let name = self.name.as_ref().unwrap_or(&self.focus[0]);
        // What JSON writes for texts and lists of texts is TOML as well.
        let text = format!(
            "name = {}\nexamples = {}\nothers = {}\n",
            serde_json::to_string(name)?,
            serde_json::to_string_pretty(taxonomy.examples())?,
            serde_json::to_string_pretty(&others)?
        );
        write_whole(&self.out, text.as_bytes())?;
        let (examples, others) = (taxonomy.examples().len(), others.len());
        if self.json {
            let said = json!({
                "pages": taxonomy.pages, "examples": examples, "others": others,
                "classes": classes.len(),
                "problems": taxonomy.problems.len() + taxonomy.more_problems,
            });
            println!("{said}");
        } else {
            println!(
                "{} pages read; {examples} examples and {others} pages of {} other classes are in {}",
                taxonomy.pages,
                classes.len(),
                self.out.display()
            );
        }
        Ok(())
    }
}
