//! `linkscent-lab eval`: the bench.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context, Result, bail};
use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{Args, ValueEnum};
use indicatif::{ProgressBar, ProgressStyle};
use linkscent_archive::write_whole;
use linkscent_core::crawl::StoppingRule;
use linkscent_core::strategies;
use linkscent_output::{Foreign, print_json};
use serde_json::{Value, json};

use crate::bench::{self, Bench, Plan};
use crate::entrant::{self, BASELINE, Entrant, ORACLE};
use crate::experiments::{self, Subject};
use crate::figures::Row;
use crate::next_click;
use crate::own_critic::{self, CriticExample};
use crate::person::{self, scent};
use crate::report::{self, Section};
use crate::topic::Topic;
use crate::topic_file::{self, TopicFile};
use crate::web::EvalWeb;
use linkscent_output::memory::peak_mb;

/// The experiment that needs no bench: trails of people.
const NEXT_CLICK: &str = "next-click";
/// Pages a crawl fetches where no bench says.
const DEFAULT_BUDGET: u64 = 2_000;

/// Who judges pages while a crawl goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum CriticSource {
    /// The bench's frozen critic.
    Frozen,
    /// Our own, taught by the example pages.
    Own,
}

/// Compare strategies on frozen webs, where a fetch costs one.
///
/// Crawls that this program made before into the same folder are not made again.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  linkscent-lab eval --bench uci --material ../shared --strategy apprentice --out results
  linkscent-lab eval --web web.warc.gz --topic bees.toml --budget 500 --out results")]
pub struct Eval {
    /// Which bench; can be given repeatedly.
    #[arg(long, value_parser = benches(), requires = "material", required_unless_present_any = ["web", "experiment"])]
    bench: Vec<String>,
    /// Folder with the webs and labels of the bench.
    #[arg(long)]
    material: Option<PathBuf>,
    /// A frozen web in place of a bench: a WARC file; several are read as one.
    #[arg(long, conflicts_with = "bench", requires = "topic")]
    web: Vec<PathBuf>,
    /// Who takes part; all if not given. best-first and oracle always do.
    #[arg(long)]
    strategy: Vec<String>,
    /// Look at a question of the papers, or of ours, instead of crawling; can be given
    /// repeatedly. Only the bench knows these.
    #[arg(long, value_parser = experiments())]
    experiment: Vec<String>,
    /// Who judges what strategies are told on a bench: the frozen critic, by which
    /// crawls are scored in any case, or our own, taught by the same pages.
    #[arg(long, value_enum, default_value_t = CriticSource::Frozen)]
    critic: CriticSource,
    /// Only this topic of the bench, or a topic file (.toml); can be given
    /// repeatedly.
    #[arg(long)]
    topic: Vec<String>,
    /// Only this seed set, or a file of addresses; can be given repeatedly. A
    /// topic file has the sets examples and random.
    #[arg(long)]
    seeds: Vec<String>,
    /// Pages a crawl fetches, where other than the bench says; 2000 without a
    /// bench.
    #[arg(long)]
    budget: Option<u64>,
    /// Leave a site after so many of its pages.
    #[arg(long)]
    site_pages: Option<u32>,
    /// Leave a site after so many targets.
    #[arg(long)]
    site_targets: Option<u32>,
    /// Crawls of a kind, with other ties.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    repeat: u32,
    /// What random numbers start from.
    #[arg(long, default_value_t = 1)]
    random_seed: u64,
    /// Folder for summary, visits and report.
    #[arg(long)]
    out: PathBuf,
    /// Print one JSON object at the end in place of the table.
    #[arg(long)]
    json: bool,
}

/// Names of the benches.
fn benches() -> PossibleValuesParser {
    PossibleValuesParser::new(bench::NAMES.into_iter().chain([person::NAME, scent::NAME]))
}

/// Names of the experiments, each with what it asks.
fn experiments() -> PossibleValuesParser {
    let own = [(NEXT_CLICK, "which link a person clicks next, from trails")];
    let of_benches = experiments::ALL.iter().map(|one| (one.name, one.question));
    let named = of_benches.chain(own);
    PossibleValuesParser::new(named.map(|(name, asks)| PossibleValue::new(name).help(asks)))
}

impl Eval {
    /// Runs the benches one after the other.
    pub fn run(self) -> Result<()> {
        let began = Instant::now();
        let entrants = self.entrants()?;
        let of_benches = self.experiment.iter().filter(|name| *name != NEXT_CLICK);
        let experiments: Result<Vec<_>> = of_benches.map(|name| experiments::named(name)).collect();
        let experiments = experiments?;
        let (mut sections, mut findings) = (Vec::new(), BTreeMap::new());
        if self.experiment.iter().any(|name| name == NEXT_CLICK) {
            let bar = self.bar("");
            let found = next_click::run(&self.material(), |step| {
                bar.set_message(Foreign(step).to_string());
            })?;
            bar.finish_and_clear();
            sections.push(found.section);
            let rows: Result<Vec<Value>, _> = found.rows.iter().map(serde_json::to_value).collect();
            findings.insert(NEXT_CLICK, rows?);
        }
        self.benches_of_people(&mut sections, &mut findings)?;
        if !experiments.is_empty() && self.bench.is_empty() && self.web.is_empty() {
            bail!("this experiment looks at a bench or a web: give --bench or --web");
        }
        let mut outcomes = Vec::new();
        let mut failed = false;
        for bench in self.benches()? {
            let name = bench.name.clone();
            let plan = match self.plan(bench, &entrants) {
                Ok(plan) => plan,
                Err(error) => {
                    // The other webs are worth their while.
                    message!("linkscent: {name}: {error:#}");
                    failed = true;
                    continue;
                }
            };
            let bar = self.bar("crawls");
            let on_crawl = |done: usize, all: usize, last: &str| {
                bar.set_length(all as u64);
                bar.set_position(done as u64);
                bar.set_message(Foreign(last).to_string());
            };
            for topic in (0..plan.topics.len()).filter(|_| !experiments.is_empty()) {
                let subject = Subject::new(&plan, topic, &on_crawl);
                for experiment in &experiments {
                    let finding = experiment.run(&subject)?;
                    sections.push(finding.section);
                    let rows: &mut Vec<Value> = findings.entry(experiment.name).or_default();
                    rows.extend(finding.rows);
                }
            }
            if !self.experiment.is_empty() && self.strategy.is_empty() {
                continue;
            }
            plan.run(on_crawl)?;
            bar.finish_and_clear();
            outcomes.extend(plan.outcomes()?);
        }
        for experiment in &experiments {
            let rows = findings.get(experiment.name).map_or(&[][..], Vec::as_slice);
            if let Some(spread) = experiment.spread.filter(|_| !rows.is_empty()) {
                sections.push(spread.section(experiment.name, rows));
                if !self.json {
                    print_line!("{}:", experiment.name);
                    print_lines!("{}", spread.text(rows));
                }
            }
        }
        let report = report::html(&outcomes, &sections)?;
        let rows: Vec<Row> = outcomes.into_iter().map(|outcome| outcome.row).collect();
        self.write(&report, &findings, &rows)
            .context("writing the results")?;
        if self.json {
            let said = json!({
                "rows": rows.len(),
                "seconds": began.elapsed().as_secs_f64(),
                "peak_mb": peak_mb(),
                "summary": self.out.join("summary.json"),
                "findings": findings,
                "report": self.out.join("report.html"),
            });
            print_json(&said)?;
        } else {
            if !rows.is_empty() {
                print_table(&rows);
            }
            print_line!("The report: {}", self.out.join("report.html").display());
        }
        if failed {
            bail!("not every web could be crawled; see above");
        }
        Ok(())
    }

    /// Writes report, findings and rows; experiments alone leave an earlier summary as it is.
    fn write(
        &self,
        report: &str,
        findings: &BTreeMap<&str, Vec<Value>>,
        rows: &[Row],
    ) -> Result<()> {
        std::fs::create_dir_all(&self.out)
            .with_context(|| format!("making {}", self.out.display()))?;
        write_whole(&self.out.join("report.html"), report.as_bytes())?;
        for (name, rows) in findings {
            let text = serde_json::to_string_pretty(rows)?;
            write_whole(&self.out.join(format!("{name}.json")), text.as_bytes())?;
        }
        if !rows.is_empty() {
            let summary = serde_json::to_string_pretty(rows)?;
            write_whole(&self.out.join("summary.json"), summary.as_bytes())?;
        }
        Ok(())
    }

    /// What is to be run: the benches named, or one made of the web given.
    fn benches(&self) -> Result<Vec<Bench>> {
        if self.web.is_empty() {
            let of_people = [person::NAME, scent::NAME];
            let of_webs = self
                .bench
                .iter()
                .filter(|name| !of_people.contains(&&***name));
            return of_webs.map(|name| Bench::named(name)).collect();
        }
        let stem = self.web[0]
            .file_name()
            .unwrap_or_default()
            .to_string_lossy();
        Ok(vec![Bench {
            name: stem.split('.').next().unwrap_or_default().to_owned(),
            webs: self.web.clone(),
            seeds: PathBuf::new(),
            seed_sets: vec!["examples".to_owned()],
            budget: DEFAULT_BUDGET,
            retrain_every: 100,
            topics: Vec::new(),
        }])
    }

    fn entrants(&self) -> Result<Vec<Entrant>> {
        if self.strategy.is_empty() {
            return Ok(entrant::all());
        }
        let mut chosen: Vec<Entrant> = Vec::new();
        let always = [BASELINE, ORACLE];
        for name in always
            .into_iter()
            .chain(self.strategy.iter().map(String::as_str))
        {
            if !chosen.iter().any(|known| known.name == name) {
                chosen.push(entrant::named(name)?);
            }
        }
        Ok(chosen)
    }

    fn plan(&self, bench: Bench, entrants: &[Entrant]) -> Result<Plan> {
        let bar = self.bar("pages");
        let web = bench::read_web(&self.material(), &bench.webs, |pages| {
            bar.set_position(pages);
        });
        bar.finish_and_clear();
        let web = Arc::new(web.with_context(|| format!("reading the web {}", bench.name))?);
        for problem in &web.problems {
            message!("linkscent: {problem}");
        }
        let topics = self.topics(&bench, &web)?;
        let is_own = topics
            .iter()
            .all(|(topic, _)| topic.seeds.contains_key("examples"));
        let seed_sets = if !self.seeds.is_empty() {
            let sets = self.seeds.iter();
            sets.map(|set| topic_file::seed_set_of(Path::new(set)))
                .collect()
        } else if is_own {
            vec!["examples".to_owned()]
        } else {
            bench.seed_sets
        };
        Ok(Plan {
            web_name: bench.name,
            web,
            topics,
            seed_sets,
            budget: self.budget.unwrap_or(bench.budget),
            stopping: StoppingRule {
                pages: self.site_pages,
                targets: self.site_targets,
            },
            entrants: entrants.to_vec(),
            repeats: self.repeat,
            random_seed: self.random_seed,
            out: self.out.clone(),
        })
    }

    /// What a person gets, by the strategies named or by the one that ships.
    fn person(&self) -> Result<person::Found> {
        let named = if self.strategy.is_empty() {
            vec![entrant::named(strategies::default_name())?]
        } else {
            let named = self.strategy.iter().map(|name| entrant::named(name));
            named.collect::<Result<Vec<Entrant>>>()?
        };
        // The others are for the other benches.
        let named: Vec<Entrant> = named.into_iter().filter(Entrant::is_online).collect();
        anyhow::ensure!(
            !named.is_empty(),
            "the bench of people's topics trains nothing beforehand, which {} needs",
            self.strategy.join(", ")
        );
        let bar = self.bar("crawls");
        let found = person::run(&self.material(), &named, self.random_seed, &|done, all| {
            bar.set_length(all as u64);
            bar.set_position(done as u64);
        });
        bar.finish_and_clear();
        found
    }

    /// Runs the benches of what a person gets and sees.
    fn benches_of_people(
        &self,
        sections: &mut Vec<Section>,
        findings: &mut BTreeMap<&str, Vec<Value>>,
    ) -> Result<()> {
        if self.bench.iter().any(|name| name == person::NAME) {
            let found = self.person()?;
            sections.push(found.section);
            let rows: Result<Vec<Value>, _> = found.rows.iter().map(serde_json::to_value).collect();
            findings.insert(person::NAME, rows?);
            if !self.json {
                print_lines!("{}", found.text);
            }
        }
        if self.bench.iter().any(|name| name == scent::NAME) {
            for found in self.scent()? {
                sections.push(found.section);
                let rows: &mut Vec<Value> = findings.entry(scent::NAME).or_default();
                for row in &found.rows {
                    rows.push(serde_json::to_value(row)?);
                }
                if !self.json {
                    print_lines!("{}", found.text);
                }
            }
        }
        Ok(())
    }

    /// By the topic's name alone, and by that and one and two marks.
    fn scent(&self) -> Result<Vec<scent::Found>> {
        let bar = self.bar("pages");
        let of = |marks| {
            let brings = scent::Brings {
                name: true,
                marks,
                description: false,
            };
            scent::run(&self.material(), brings, &|done, all| {
                bar.set_length(all as u64);
                bar.set_position(done as u64);
            })
        };
        let found = (0..=2).map(of).collect();
        bar.finish_and_clear();
        found
    }

    fn material(&self) -> PathBuf {
        self.material.clone().unwrap_or_default()
    }

    fn topics(&self, bench: &Bench, web: &EvalWeb) -> Result<Vec<(Arc<Topic>, u32)>> {
        let mut topics = Vec::new();
        let (files, names): (Vec<&String>, Vec<&String>) = self.topic.iter().partition(|topic| {
            Path::new(topic)
                .extension()
                .is_some_and(|end| end == "toml")
        });
        for file in files {
            let path = Path::new(file);
            let folder = path.parent().unwrap_or(Path::new("."));
            let mut topic = TopicFile::read(path)?.on(web, folder, self.random_seed)?;
            if !bench.topics.is_empty() {
                topic.read_seeds(&self.material().join(&bench.seeds), web)?;
            }
            topics.push((topic, bench.retrain_every));
        }
        for wanted in &bench.topics {
            if !self.topic.is_empty() && !names.contains(&&wanted.name) {
                continue;
            }
            let labels = self.material().join(&wanted.labels);
            let mut topic = Topic::read_labels(&wanted.name, &labels, web)?;
            topic.read_seeds(&self.material().join(&bench.seeds), web)?;
            if self.critic == CriticSource::Own {
                let examples = CriticExample::two(topic.chosen(true), topic.chosen(false));
                let examples = examples.complete(web, self.random_seed);
                topic.told = Some(own_critic::judge(web, &examples).labels);
            }
            topics.push((topic, wanted.retrain_every.unwrap_or(bench.retrain_every)));
        }
        if topics.is_empty() {
            let names: Vec<&str> = bench
                .topics
                .iter()
                .map(|topic| topic.name.as_str())
                .collect();
            bail!("the bench {} has the topics {names:?}", bench.name);
        }
        for (topic, _) in &mut topics {
            topic.draw_starts(web, self.random_seed);
            if topic.missing > 0 {
                let (name, missing) = (&topic.name, topic.missing);
                message!("linkscent: {name}: {missing} addresses it names are not in this web");
            }
            for seeds in self
                .seeds
                .iter()
                .map(Path::new)
                .filter(|seeds| seeds.is_file())
            {
                topic_file::read_seeds(topic, seeds, web)?;
            }
        }
        let shared = topics
            .into_iter()
            .map(|(topic, every)| (Arc::new(topic), every));
        Ok(shared.collect())
    }

    fn bar(&self, what: &str) -> ProgressBar {
        if self.json {
            return ProgressBar::hidden();
        }
        let style = format!("{{elapsed_precise}} {{bar:30}} {{pos}}/{{len}} {what} {{msg}}");
        let style = ProgressStyle::with_template(&style);
        let bar = ProgressBar::no_length();
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        bar
    }
}

/// Pages until half of the relevant ones were found, where all crawls came so far.
fn half_by(crawls: &[&Row]) -> String {
    let pages: Option<Vec<usize>> = crawls.iter().map(|row| row.pages_to_half).collect();
    let mean = |pages: Vec<usize>| pages.iter().sum::<usize>() / pages.len().max(1);
    pages.map_or("-".to_owned(), |pages| mean(pages).to_string())
}

/// AUC and gap of every strategy on every topic, means over seeds and repeats.
fn print_table(rows: &[Row]) {
    let mut groups: Vec<Vec<&Row>> = Vec::new();
    for row in rows {
        let same = |group: &&mut Vec<&Row>| {
            let (known, name) = (&group[0].name, &row.name);
            known.web == name.web && known.topic == name.topic && known.strategy == name.strategy
        };
        match groups.iter_mut().find(same) {
            Some(group) => group.push(row),
            None => groups.push(vec![row]),
        }
    }
    print_line!(
        "{:<34} {:<28} {:>6} {:>7} {:>8} {:>10}",
        "topic",
        "strategy",
        "AUC",
        "gap %",
        "harvest",
        "half by"
    );
    for group in groups {
        let name = &group[0].name;
        let mean =
            |of: fn(&Row) -> f64| group.iter().map(|row| of(row)).sum::<f64>() / group.len() as f64;
        print_line!(
            "{:<34} {:<28} {:>6.3} {:>7.1} {:>8.3} {:>10}",
            format!("{} {}", name.web, name.topic),
            name.strategy,
            mean(|row| row.auc),
            mean(|row| row.gap.unwrap_or(0.0)),
            mean(|row| row.harvest),
            half_by(&group),
        );
    }
}
