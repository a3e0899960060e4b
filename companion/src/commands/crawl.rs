//! `linkscent crawl`: one crawl from the shell.

pub mod change;
pub mod dry_run;
mod report;
pub mod status;
pub mod watch;

use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use clap::Args;
use clap::builder::PossibleValuesParser;
use indicatif::{ProgressBar, ProgressStyle};
use linkscent_archive::lists;
use linkscent_core::budget::LIST;
use linkscent_core::crawl::{
    CrawlSpec, CrawlStats, DEFAULT_DELAY, LARGEST_BUDGET, MEGABYTE, Reaction, Scope, StoppingRule,
};
use linkscent_core::strategies::{self, Form};
use linkscent_output::print_json;
use serde_json::json;
use tokio::runtime::Handle;

use report::Report;

use super::interrupt::Interrupt;
use super::network::{ByWorkers, Network};
use super::place::Place;
use super::told_to_end;
use linkscent_service::crawler::fetch::Fetcher;
use linkscent_service::crawler::outages::through_outages;
use linkscent_service::crawler::runner::{Ended, Runner};
use linkscent_service::crawler::way::Way;
use linkscent_service::{NewCrawl, Services, Starts, is_held};
use linkscent_store::{CrawlRow, Store};

/// Between two looks at a crawl that another process runs.
const FOLLOW_EVERY: Duration = Duration::from_millis(500);

/// Crawl for a topic and keep what is found.
///
/// A crawl that was interrupted goes on where it was when the command is given
/// again with the same data folder and topic.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  linkscent crawl --examples pages.txt --budget 500
      starts from the pages listed (a line each) and looks for more like them
  linkscent crawl --topic dialysis --seeds starts.txt
      for a topic that was marked in the browser, starting elsewhere
  linkscent crawl --topic castles --examples one.txt --not-about hotels \\
      --describe 'strongholds of stone, built in the Middle Ages'
      with a word on what counts besides the examples
  linkscent crawl --topic castles --seeds starts.txt --strategy intelligent \\
      --critic 'text has \"castle\" and not form is \"login\"'
      for any condition, without an example
  linkscent crawl --examples trams.txt --start-from trains
      begins with what was learned for the topic “trains”")]
pub struct Crawl {
    #[command(flatten)]
    place: Place,
    /// File with the addresses of pages that are what is looked for: a line each, or a list that
    /// another program keeps (bookmarks, OPML, RSS, Atom, sitemap, RIS, BibTeX, CSL JSON, CSV).
    #[arg(long)]
    examples: Option<PathBuf>,
    /// File with the addresses of pages to start from, the same way.
    #[arg(long)]
    seeds: Option<PathBuf>,
    /// Name of the topic; by default that of the examples' file.
    #[arg(long)]
    topic: Option<String>,
    /// What the topic is, in your words; can be given repeatedly.
    #[arg(long, value_name = "TEXT")]
    describe: Vec<String>,
    /// What it is not, in your words; can be given repeatedly.
    #[arg(long, value_name = "TEXT")]
    not_about: Vec<String>,
    /// Who judges pages: topic, targets, forms, or a predicate such as 'title has
    /// "bees" and links > 3' or 'form about "jobs"', "jobs" being another topic; by default
    /// who did so far.
    #[arg(long, value_parser = super::critic)]
    critic: Option<String>,
    /// A node of the topic's taxonomy that is good, with all below it, from now on; can be
    /// given repeatedly.
    #[arg(long, value_name = "NODE", conflicts_with = "critic")]
    good: Vec<String>,
    /// Who chooses links; by default who did so far.
    #[arg(long, value_parser = PossibleValuesParser::new(strategies::all_names()))]
    strategy: Option<String>,
    /// How much each interest factor weighs, where the strategy goes by them:
    /// content=2,url=0.5,link=1,sibling=0. One that is not named weighs 1.
    #[arg(long, value_name = "WEIGHTS", requires = "strategy")]
    factor_weights: Option<String>,
    /// Begin with what was learned for another topic; at the end it is said what that was
    /// worth.
    #[arg(long, value_name = "TOPIC")]
    start_from: Option<String>,
    /// What to do when the crawl loses its way: when hardly anything is found any
    /// more, or pages look stuffed with the topic's words.
    #[arg(long, value_parser = super::reaction(), default_value = Reaction::Tell.code(), env = "LINKSCENT_ON_DRIFT")]
    on_drift: Reaction,
    /// Pages to fetch.
    #[arg(long, default_value_t = 500, env = "LINKSCENT_BUDGET", value_parser = clap::value_parser!(u64).range(1..=LARGEST_BUDGET))]
    budget: u64,
    /// Milliseconds a host rests between requests; 0 only through a proxy on
    /// this machine.
    #[arg(long, default_value_t = DEFAULT_DELAY, env = "LINKSCENT_DELAY")]
    delay: u64,
    /// Keep to this host and its subdomains; can be given repeatedly.
    #[arg(
        long = "host",
        env = "LINKSCENT_HOSTS",
        value_delimiter = ',',
        help_heading = "Where it goes"
    )]
    hosts: Vec<String>,
    /// Leave this host and its subdomains out; can be given repeatedly.
    #[arg(long, value_name = "HOST", help_heading = "Where it goes")]
    leave_out: Vec<String>,
    /// Follow at most so many links from a start; 0 reads the starts alone.
    #[arg(long, help_heading = "Where it goes")]
    depth: Option<u32>,
    /// Leave a site after so many of its pages.
    #[arg(long, env = "LINKSCENT_SITE_PAGES", help_heading = "Where it goes")]
    site_pages: Option<u32>,
    /// Leave a site after so many targets.
    #[arg(long, env = "LINKSCENT_SITE_TARGETS", help_heading = "Where it goes")]
    site_targets: Option<u32>,
    /// End when such a share of the relevant pages that can be reached is found, as far as can be
    /// told, before the budget is used up: 0.5 to 0.99.
    #[arg(long, value_name = "SHARE", help_heading = "Where it goes")]
    until_recall: Option<f64>,
    /// End when its pages take so many megabytes on this machine, packed as they are kept.
    #[arg(long, value_name = "MEGABYTES", value_parser = clap::value_parser!(u64).range(1..=1_000_000), help_heading = "Where it goes")]
    megabytes: Option<u64>,
    #[command(flatten)]
    network: Network,
    #[command(flatten)]
    by_workers: ByWorkers,
    /// What random numbers start from.
    #[arg(long, default_value_t = 1)]
    random_seed: u64,
    /// Go on with the topic's last crawl that is over, for so many pages more as --budget says.
    #[arg(long)]
    go_on: bool,
    /// Print one JSON object at the end in place of the summary.
    #[arg(long)]
    json: bool,
}

/// How a crawl came to rest.
struct Ran {
    ended: Ended,
    stats: CrawlStats,
    /// Pages that it had before.
    replayed: u64,
    confidence: Option<f64>,
    trainings: u32,
}

/// Takes a crawl up, and runs it until it comes to rest.
fn run_until_it_rests(
    store: &Store,
    id: i64,
    way: &Way,
    handle: &Handle,
    told: &Interrupt,
    bar: &ProgressBar,
) -> Result<Ran> {
    bar.set_message("taking up");
    let crawl = handle.block_on(store.crawl(id))?;
    let crawl = crawl.context("the crawl is gone")?;
    let fetcher = Fetcher::new(way.clone())?;
    let on_replay = |done, _| bar.set_position(done as u64);
    let runner = Runner::resume(store.clone(), crawl, fetcher, handle.clone(), on_replay)?;
    told.pauses(runner.control());
    let replayed = runner.session().stats().pages;
    let (mut confidence, mut trainings) = (None, 0);
    let (ended, stats) = runner.run(|progress| {
        (confidence, trainings) = (progress.confidence, progress.trainings);
        bar.set_position(progress.stats.pages);
        bar.set_message(match progress.judged_again {
            Some((done, of)) => format!("judging by sentences, {done} of {of} pages"),
            None => format!(
                "{:.0} % relevant, {} links wait",
                100.0 * progress.stats.harvest(),
                progress.frontier
            ),
        });
    })?;
    Ok(Ran {
        ended,
        stats,
        replayed,
        confidence,
        trainings,
    })
}

/// Copies what is left of a crawl's archive, if it is copied; a second Ctrl-C leaves it for later.
async fn copy_last(service: &Services, crawl: i64) {
    let copied = tokio::select! {
        copied = service.upkeep.copy_archive(crawl) => copied,
        () = told_to_end() => return,
    };
    if let Err(error) = copied {
        message!("linkscent: {error:#}; `linkscent data archives --copy` tries it again");
    }
}

impl Crawl {
    /// Runs the crawl to its end, or until interrupted.
    pub fn run(self, handle: &Handle) -> Result<()> {
        let way = self.network.way_of_crawls(self.by_workers);
        let began = Instant::now();
        let store = handle.block_on(self.place.open())?;
        let service = Services::new(store.clone(), way.clone());
        let crawl = handle.block_on(self.find_or_begin(&service))?;
        message!(
            "linkscent: crawl {} to {} pages; Ctrl-C pauses it, and the same command goes on",
            crawl.id,
            crawl.order.spec.budget
        );
        let bar = bar(crawl.order.spec.budget, self.json);
        let told = Interrupt::listen(handle);
        let copying = handle.spawn({
            let service = service.clone();
            async move { service.upkeep.keep_copies().await }
        });
        let run = || run_until_it_rests(&store, crawl.id, &way, handle, &told, &bar);
        let ran = through_outages(&store, crawl.id, handle, || told.is_told(), run);
        let ran = match ran {
            Err(error) if is_held(&error) => {
                message!(
                    "linkscent: {error}; it is shown here as it goes on, and Ctrl-C ends the showing"
                );
                return handle.block_on(self.follow(&store, crawl.id, &bar));
            }
            ran => ran?,
        };
        let Some(ran) = ran else {
            bar.finish_and_clear();
            let crawl = handle.block_on(store.crawl(crawl.id))?;
            let crawl = crawl.context("the crawl is gone")?;
            message!("linkscent: crawl {} is {}", crawl.id, crawl.state);
            return Ok(());
        };
        bar.finish_and_clear();
        let report = Report {
            ended: ran.ended,
            stats: ran.stats,
            confidence: ran.confidence,
            trainings: ran.trainings,
            replayed: ran.replayed,
            seconds: began.elapsed().as_secs_f64(),
            unfound: handle.block_on(store.unfound(crawl.id))?,
            alarms: handle.block_on(store.alarms(crawl.id))?,
            skipped: handle.block_on(store.skipped(crawl.id))?,
            notices: handle.block_on(store.notices(crawl.topic, Some(crawl.id)))?,
        };
        if self.json {
            print_json(&report.as_json())?;
        } else {
            report.print();
            self.print_places(&store, &crawl);
        }
        copying.abort();
        handle.block_on(copy_last(&service, crawl.id));
        match report.ended {
            Ended::Hindered(reason) => bail!("paused: {reason}"),
            _ => Ok(()),
        }
    }

    /// Shows a crawl that another process runs, until it comes to rest there.
    async fn follow(&self, store: &Store, id: i64, bar: &ProgressBar) -> Result<()> {
        let mut told = std::pin::pin!(told_to_end());
        loop {
            let (pages, scored, relevant, _) = store.counts(id).await?;
            let crawl = store.crawl(id).await?.context("the crawl is gone")?;
            bar.set_position(pages);
            let harvest = relevant as f64 / scored.max(1) as f64;
            bar.set_message(format!("{:.0} % relevant, run elsewhere", 100.0 * harvest));
            if !store.is_locked(id) {
                bar.finish_and_clear();
                if self.json {
                    let object = json!({
                        "pages": pages,
                        "relevant": relevant,
                        "harvest": harvest,
                        "state": crawl.state.code(),
                        "stop_reason": crawl.stop_reason,
                        "run_elsewhere": true,
                    });
                    print_json(&object)?;
                } else {
                    print_line!(
                        "{pages} pages, {relevant} of them relevant; {}",
                        crawl.state
                    );
                }
                return Ok(());
            }
            tokio::select! {
                () = tokio::time::sleep(FOLLOW_EVERY) => {}
                () = &mut told => return Ok(()),
            }
        }
    }

    async fn find_or_begin(&self, service: &Services) -> Result<CrawlRow> {
        let examples = addresses(self.examples.as_deref())?;
        let seeds = addresses(self.seeds.as_deref())?;
        let topic = service
            .topics
            .create_topic(&self.topic_name()?, &[])
            .await?;
        for (texts, wanted) in [(&self.describe, true), (&self.not_about, false)] {
            for text in texts {
                service.topics.say(&topic, text, Some(wanted)).await?;
            }
        }
        let topic = if self.good.is_empty() {
            topic
        } else {
            service.topics.choose_good(&topic, &self.good).await?;
            service.topics.topic(topic.id).await?
        };
        let unfinished = service.crawls.web_crawls(Some(topic.id)).await?;
        let is_unfinished =
            |crawl: &CrawlRow| !crawl.state.is_over() && !crawl.is_removed && !crawl.is_import();
        let unfinished = unfinished.into_iter().find(is_unfinished);
        if let Some(crawl) = unfinished {
            message!(
                "linkscent: going on with crawl {} of “{}” as it was begun, to {} pages",
                crawl.id,
                topic.name,
                crawl.order.spec.budget
            );
            let given = examples.iter().chain(&seeds);
            let is_start = |page: &&String| crawl.order.seeds.iter().any(|row| row.0 == **page);
            let others = given.filter(|page| !is_start(page)).count();
            if others > 0 {
                message!(
                    "linkscent: {others} of the pages given are not among those it began with and \
                     are passed over: give them again when it has ended, or begin with another --topic"
                );
            }
            return Ok(crawl);
        }
        if self.go_on {
            let crawls = service.crawls.web_crawls(Some(topic.id)).await?.into_iter();
            let mut crawls = crawls.filter(|crawl| !crawl.is_recrawl() && !crawl.is_removed);
            let last = crawls
                .next()
                .context("the topic has no crawl to go on with")?;
            service.crawls.prepare_to_go_on(&last, self.budget).await?;
            return Ok(service.crawls.crawl(last.id).await?.0);
        }
        let new = NewCrawl {
            spec: CrawlSpec {
                budget: self.budget,
                delay: Some(self.delay),
                random_seed: self.random_seed,
                scope: Scope {
                    hosts: self.hosts.clone(),
                    left_out: self.leave_out.clone(),
                    depth: self.depth,
                    documents: true,
                },
                stopping: StoppingRule {
                    pages: self.site_pages,
                    targets: self.site_targets,
                },
                until_recall: self.until_recall,
                most_bytes: self.megabytes.map(|number| number * MEGABYTE),
                on_drift: self.on_drift,
            },
            critic: self.critic.clone(),
            strategy: self.weighted_strategy()?,
            start_from: self.start_from.clone(),
            ..NewCrawl::new(
                Starts {
                    examples,
                    seeds,
                    from_targets: false,
                },
                self.budget,
            )
        };
        Ok(service.crawls.prepare_crawl(&topic, &new).await?)
    }

    fn weighted_strategy(&self) -> Result<Option<String>> {
        let (Some(strategy), Some(weights)) = (&self.strategy, &self.factor_weights) else {
            return Ok(self.strategy.clone());
        };
        let form = Form::with_weights(strategy, weights).context("--factor-weights")?;
        Ok(Some(form.full_name()))
    }

    fn topic_name(&self) -> Result<String> {
        if let Some(name) = &self.topic {
            return Ok(name.clone());
        }
        let file = self.examples.as_deref().or(self.seeds.as_deref());
        let stem = file.and_then(Path::file_stem);
        let name = stem.map(|stem| stem.to_string_lossy().into_owned());
        name.context("what for? give --topic NAME, or --examples FILE with a few pages")
    }

    fn print_places(&self, store: &Store, crawl: &CrawlRow) {
        print_line!("pages: {}", store.warc_path(crawl.id).display());
        print_line!(
            "look at them: linkscent serve --data {}{}",
            store.folder().display(),
            if self.place.database.is_some() {
                " --database …, the same as here"
            } else {
                ""
            }
        );
    }
}

fn bar(budget: u64, quiet: bool) -> ProgressBar {
    if quiet {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{wide_bar} {pos}/{len} pages, {msg}, {eta} left");
    ProgressBar::new(budget).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

/// Addresses in a file, see [`lists::addresses`].
fn addresses(file: Option<&Path>) -> Result<Vec<String>> {
    let Some(file) = file else {
        return Ok(Vec::new());
    };
    let name = || file.display().to_string();
    let mut bytes = Vec::new();
    // One byte more than a list may have, so that a larger file is refused as too large.
    let most = LIST.bytes as u64 + 1;
    let opened = std::fs::File::open(file);
    let read = opened.and_then(|open| open.take(most).read_to_end(&mut bytes));
    read.with_context(|| format!("reading {}", file.display()))?;
    LIST.check_bytes(bytes.len()).with_context(name)?;
    let text = String::from_utf8(bytes).with_context(name)?;
    let pages = lists::addresses(&text).with_context(name)?;
    let is_empty = |line: &str| line.trim().is_empty() || line.trim_start().starts_with('#');
    ensure!(
        !pages.is_empty() || text.lines().all(is_empty),
        "{} names no page",
        file.display()
    );
    Ok(pages.iter().map(ToString::to_string).collect())
}
