//! `linkscent tag`: pages of the library put under a tag.

use anyhow::Result;
use clap::Args;
use linkscent_output::print_json;
use serde_json::json;

use super::place::Place;
use super::search::read_new_pages;
use linkscent_service::crawler::way::Way;
use linkscent_service::{Annotation, LibraryQuery, MOST_AT_ONCE, Services};

/// Put pages that a search finds under a tag, or take them from there.
///
/// At most 1,000 pages at once. `linkscent search tag:NAME` finds them again.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  linkscent tag --topic castles to-read moat
  linkscent tag to-read --off 'tag:to-read is:irrelevant'")]
pub struct Tag {
    /// The tag.
    #[arg(value_name = "TAG")]
    under: String,
    /// Which pages, as `linkscent search` reads it.
    #[arg(required = true)]
    query: Vec<String>,
    /// Name of a topic; without it those of all topics.
    #[arg(long)]
    topic: Option<String>,
    /// All pages that were read, not the finds alone.
    #[arg(long)]
    all: bool,
    /// Take them from there.
    #[arg(long)]
    off: bool,
    #[command(flatten)]
    place: Place,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

impl Tag {
    /// Does so.
    pub async fn run(self) -> Result<()> {
        let annotation = Annotation::read(if self.off { "untag" } else { "tag" }, &self.under)?;
        let store = self.place.open().await?;
        let service = Services::new(store, Way::default());
        let topic = match &self.topic {
            Some(name) => Some(service.topics.topic_known_as(name).await?),
            None => None,
        };
        read_new_pages(&service).await?;
        let query = LibraryQuery {
            text: self.query.join(" "),
            all: self.all,
            ..LibraryQuery::default()
        };
        let found = service
            .annotations
            .found_keys(topic.as_ref(), &query)
            .await?;
        let changed = service
            .annotations
            .annotate(&found, &annotation)
            .await?
            .len();
        if self.json {
            print_json(&json!({ "found": found.len(), "changed": changed }))?;
        } else {
            let found = found.len();
            let more = if found == MOST_AT_ONCE {
                "; there may be more: run it again"
            } else {
                ""
            };
            print_line!("{found} pages found, {changed} of them changed{more}");
        }
        Ok(())
    }
}
