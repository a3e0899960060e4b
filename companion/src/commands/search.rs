//! `linkscent search`: the library by words.

use std::time::Duration;

use anyhow::Result;
use clap::{Args, ValueEnum};
use indicatif::ProgressBar;
use linkscent_core::confidence::Confidence;
use linkscent_core::wire::api::{LibraryFound, LibraryPage};

use super::place::Place;
use linkscent_output::print_json;
use linkscent_service::crawler::way::Way;
use linkscent_service::{LibraryOrder, LibraryQuery, MOST_SHOWN, Services};

/// Search what crawls found, by words.
///
/// All words have to be met; "words in quotes" next to each other; -word not at all; word* for
/// all that begin so, word~ for similar spellings; title:word, site:host, lang:code, tag:name,
/// kind:name, found:2026-11, topic:name, is:relevant, is:irrelevant, is:undecided, is:noted, is:new and is:browsed.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  linkscent search --topic castles moat
  linkscent search 'site:castles.test \"round tower\" -hotel' --all --json")]
pub struct Search {
    /// What to look for; without any word the likeliest pages come first.
    query: Vec<String>,
    /// Name of a topic; without it all topics are searched.
    #[arg(long)]
    topic: Option<String>,
    /// A search that was kept by this name, of the topic or of all; words are added to it.
    #[arg(long, conflicts_with_all = ["all", "new", "order"])]
    kept: Option<String>,
    /// All pages that were read, not the finds alone.
    #[arg(long)]
    all: bool,
    /// Only pages that came since you looked last, in the dashboard's library.
    #[arg(long)]
    new: bool,
    /// What comes first.
    #[arg(long, value_enum, default_value_t = First::Best)]
    order: First,
    /// So many pages at most, from 1 to 100.
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u16).range(1..=MOST_SHOWN as i64))]
    most: u16,
    /// After so many others.
    #[arg(long, default_value_t = 0)]
    skip: usize,
    #[command(flatten)]
    place: Place,
    /// Make the index again from the crawls' archives before.
    #[arg(long)]
    rebuild: bool,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// What comes first.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum First {
    /// Pages that say most of the query.
    Best,
    /// Those likeliest to be looked for.
    Likeliest,
    /// Those read last.
    Newest,
}

impl Search {
    /// Prints it.
    pub async fn run(self) -> Result<()> {
        let store = self.place.open().await?;
        let service = Services::new(store, Way::default());
        if self.rebuild {
            service.library.rebuild_index().await?;
        }
        let topic = match &self.topic {
            Some(name) => Some(service.topics.topic_known_as(name).await?),
            None => None,
        };
        read_new_pages(&service).await?;
        let kept = match &self.kept {
            Some(name) => {
                let kept = service.library.search_called(topic.as_ref(), name).await?;
                Some(LibraryQuery::from(&kept))
            }
            None => None,
        };
        let asked = LibraryQuery {
            all: self.all,
            new: self.new,
            order: match self.order {
                First::Best => LibraryOrder::Best,
                First::Likeliest => LibraryOrder::Likeliest,
                First::Newest => LibraryOrder::Newest,
            },
            ..LibraryQuery::default()
        };
        let mut query = kept.unwrap_or(asked);
        let words: Vec<&str> = [query.text.as_str()]
            .into_iter()
            .chain(self.query.iter().map(String::as_str))
            .collect();
        query = LibraryQuery {
            text: words.join(" ").trim().to_owned(),
            most: self.most.into(),
            skip: self.skip,
            ..query
        };
        let found = service.library.search(topic.as_ref(), &query).await?;
        if self.json {
            print_json(&found)?;
        } else {
            print(&found, self.skip);
        }
        Ok(())
    }
}

/// Takes pages into the index that are not there yet, and says how far that is.
pub(super) async fn read_new_pages(service: &Services) -> Result<()> {
    let bar = ProgressBar::new_spinner();
    bar.enable_steady_tick(Duration::from_millis(200));
    bar.set_message("looking for pages that are not in the index yet");
    service
        .library
        .catch_up(|pages| bar.set_message(format!("{pages} pages are new in the index")))
        .await?;
    bar.finish_and_clear();
    Ok(())
}

fn print(found: &LibraryFound, skip: usize) {
    if found.is_relaxed {
        print_line!("No page has all of these words. Pages with some of them:");
    }
    for (page, number) in found.pages.iter().zip(skip.saturating_add(1)..) {
        print_line!("{number:4}. {}", page.title);
        print_line!("      {}", page.address);
        print_line!("      {}", said(page));
    }
    let shown = found.pages.len();
    match found.total {
        0 => print_line!("Nothing was found."),
        total if total > shown => print_line!("{shown} of {total} pages."),
        _ => {}
    }
}

fn said(page: &LibraryPage) -> String {
    let confidence = Confidence::of(page.probability);
    let mark = match page.mark {
        Some(true) => " · marked by you",
        Some(false) => " · marked as not that",
        None => "",
    };
    let tags: String = page.tags.iter().map(|tag| format!(" #{tag}")).collect();
    let snippet: String = page.snippet.iter().map(|piece| &*piece.text).collect();
    format!(
        "{confidence} ({}){mark}{tags} · {snippet}",
        confidence.range()
    )
}
