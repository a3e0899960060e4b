//! `linkscent inspect page` and `linkscent inspect judge`: every stage of one page, printed.

use std::time::Duration;

use anyhow::{Context, Result};
use clap::Args;
use clap::builder::PossibleValuesParser;
use linkscent_core::address::Address;
use linkscent_core::confidence::Confidence;
use linkscent_core::critics::{NamedTopic, NamedTopics};
use linkscent_core::forms::FormWords;
use linkscent_core::page::Page;
use linkscent_core::predicate::{Finding, Predicate, Relevances, Seen};
use linkscent_core::strategies::{self, Priority, SplitMix};
use linkscent_core::wire::views::{grade, said};
use linkscent_core::{critics, topic_model::TopicModel};
use linkscent_output::print_json;
use linkscent_sentences::Meant;
use serde_json::json;

use super::network::Network;
use super::place::Place;
use linkscent_archive::page::build;
use linkscent_service::crawler::fetch::Fetcher;
use linkscent_service::crawler::reply::Reply;
use linkscent_service::learning::sentences::{of_targets, read_links};
use linkscent_service::learning::topic_model;
use linkscent_store::{Store, Topic};

/// Which page, and by whose knowledge it is looked at.
#[derive(Debug, Args)]
pub struct Subject {
    /// An HTML file, or the address of a page.
    page: String,
    /// Address of the page, where it is a file.
    #[arg(long, default_value = "http://page.example/")]
    address: String,
    /// By the knowledge of this topic.
    #[arg(long)]
    topic: Option<String>,
    #[command(flatten)]
    place: Place,
    /// Who chooses links; by default who did so far.
    #[arg(long, value_parser = PossibleValuesParser::new(strategies::all_names()))]
    strategy: Option<String>,
    /// Who judges pages: topic, targets, forms, or a predicate; by default who did
    /// so far.
    #[arg(long, value_parser = super::critic)]
    critic: Option<String>,
    /// Say of this predicate whether it holds, and where, such as
    /// 'title has "bees" and links > 3'; only for `judge`.
    #[arg(long)]
    predicate: Option<Predicate>,
    #[command(flatten)]
    network: Network,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

impl Subject {
    async fn page(&self) -> Result<Page> {
        if !self.page.starts_with("http://") && !self.page.starts_with("https://") {
            let body =
                std::fs::read(&self.page).with_context(|| format!("reading {}", self.page))?;
            return Ok(*build(Address::parse(&self.address)?, &body, None).0);
        }
        let address = Address::parse(&self.page)?;
        let fetcher = Fetcher::new(self.network.way())?;
        let answered = fetcher.page(&address, None, Duration::ZERO).await?;
        match answered.reply {
            Reply::Page(fetched) => Ok(*fetched.page),
            Reply::Redirect(target, _) => {
                anyhow::bail!("{address} redirects to {target}; inspect that")
            }
            Reply::Unrendered(why) => anyhow::bail!("{address}: {why}; a browser could read it"),
            Reply::Unchanged(_) => anyhow::bail!("{address}: it was not asked whether it changed"),
            Reply::PutOff(_) => anyhow::bail!("{address}: its host may not be asked just now"),
            Reply::Later(why, _) => anyhow::bail!("{address}: {why}; try again later"),
            Reply::Problem(problem) => anyhow::bail!("{address}: {problem}"),
        }
    }

    async fn topic_model(&self) -> Result<TopicModel> {
        let Some(name) = &self.topic else {
            let critic = self.critic.as_deref().unwrap_or(critics::NAMES[0]);
            let strategy = self
                .strategy
                .as_deref()
                .unwrap_or(strategies::default_name());
            return TopicModel::new(critic, strategy).with_context(|| {
                format!("“{strategy}” knows nothing yet: name a --topic that it was trained for")
            });
        };
        let (store, topic) = self.kept_topic(name).await?;
        topic_model::of(
            &store,
            &topic,
            self.critic.as_deref(),
            self.strategy.as_deref(),
        )
        .await
    }

    async fn kept_topic(&self, name: &str) -> Result<(Store, Topic)> {
        let store = self.place.open().await?;
        let topics = store.topics().await?;
        let topic = topics.into_iter().find(|topic| topic.name == name);
        let topic = topic.with_context(|| format!("there is no topic “{name}”"))?;
        Ok((store, topic))
    }

    /// What the sentence model says of the topic's marked pages.
    async fn targets(&self) -> Result<Vec<Meant>> {
        let Some(name) = &self.topic else {
            return Ok(Vec::new());
        };
        let (store, topic) = self.kept_topic(name).await?;
        of_targets(&store, topic.id).await
    }

    /// Prints the page's outline, leaves, links, and each link's score with
    /// its explanation.
    pub async fn inspect(self) -> Result<()> {
        let page = self.page().await?;
        let mut topic_model = self.topic_model().await?;
        let visit = topic_model.visit(&page, &[], None, &mut SplitMix(0));
        let targets = self.targets().await?;
        let page_links = read_links(&topic_model, &page, &visit, &targets);
        let reason = |index| topic_model.reason_on_page(&page, &visit, &page_links, index);
        let scored = page.outlinks.iter().zip(&visit.outlinks).enumerate();
        if self.json {
            let links: Vec<_> = scored
                .map(|(index, (outlink, (link, score)))| {
                    json!({
                        "place": outlink.place,
                        "target": link.target.as_str(),
                        "anchor": link.anchor,
                        "leaves": [outlink.leaves.first, outlink.leaves.end],
                        "score": score.priority().map(Priority::value),
                        "queue": score.priority().map(|priority| priority.tier.level),
                        "probability": page_links.probability(index),
                        "grade": page_links.probability(index).map_or(0, grade),
                        "why": reason(index),
                    })
                })
                .collect();
            let leaves: Vec<&str> = page.document().leaves().collect();
            let object = json!({
                "address": page.address.as_str(), "title": page.title(),
                "language": page.language.code(), "leaves": leaves, "links": links,
                "relevance": visit.judgment.relevance.value(),
                "probability": critics::probability(topic_model.critic().name(), visit.judgment.relevance),
            });
            print_json(&object)?;
            return Ok(());
        }
        print_line!("{}", page.address);
        print_lines!("{}", page.document());
        for (index, (outlink, (link, score))) in scored {
            print_line!(
                "link {} {} “{}” -> {}",
                outlink.place,
                outlink.leaves,
                link.anchor,
                link.target
            );
            let vocabulary = &topic_model.graph().vocabulary;
            let features: Vec<String> = link
                .context
                .counts()
                .map(|(feature, count)| {
                    let word = vocabulary.term(feature.term());
                    let times = if count > 1 {
                        format!("×{count}")
                    } else {
                        String::new()
                    };
                    format!("<{word},{}>{times}", feature.offset().0)
                })
                .collect();
            print_line!("  features {}", features.join(" "));
            if let Some(probability) = page_links.probability(index) {
                let grade = grade(probability);
                print_line!("  grade {grade}: {}", said(probability, &reason(index)));
            }
            match score.priority() {
                Some(priority) => {
                    print_line!("  queue {} score:", priority.tier.level);
                    for line in topic_model.explain(link).to_string().lines() {
                        print_line!("    {line}");
                    }
                }
                None => print_line!("  rejected"),
            }
        }
        Ok(())
    }

    /// Prints which conditions of a predicate held, and where.
    async fn judge_by(&self, predicate: &Predicate, page: &Page) -> Result<()> {
        let topic_model = match &self.topic {
            Some(_) => Some(self.topic_model().await?),
            None => None,
        };
        let backlinks = topic_model.iter().flat_map(|topic_model| {
            let known = topic_model.graph().backlinks(&page.address);
            known.map(|page| page.address.clone())
        });
        let linked_from: Vec<Address> = backlinks.collect();
        let relevances = Known {
            marked: topic_model
                .as_ref()
                .map(|topic_model| NamedTopic::of(topic_model.graph())),
            named: if predicate.topics().is_empty() {
                NamedTopics::new()
            } else {
                let store = self.place.open().await?;
                topic_model::named_topics(&store, &predicate.to_string()).await?
            },
        };
        let seen = Seen {
            page,
            linked_from: &linked_from,
            relevances: &relevances,
        };
        let found = predicate.explain(seen);
        if self.json {
            print_json(&finding_json(&found))?;
        } else {
            print_line!("{}", page.title());
            print_line!("{}", page.address);
            print_finding(&found, 0);
        }
        Ok(())
    }

    /// Prints the critic's judgment of the page.
    pub async fn judge(self) -> Result<()> {
        let page = self.page().await?;
        if let Some(predicate) = &self.predicate {
            return self.judge_by(predicate, &page).await;
        }
        let topic_model = self.topic_model().await?;
        let judgment = topic_model.judge(&page);
        if self.json {
            let object = json!({
                "address": page.address.as_str(), "title": page.title(),
                "relevance": judgment.relevance.value(),
                "probability": critics::probability(topic_model.critic().name(), judgment.relevance),
                "log_odds_per_word": judgment.log_odds,
                "similarity": judgment.similarity, "is_target": judgment.is_target,
            });
            print_json(&object)?;
            return Ok(());
        }
        print_line!("{}", page.title());
        print_line!("{}", page.address);
        print_line!(
            "relevance   {:.3}{}",
            judgment.relevance.value(),
            if judgment.is_target {
                "  (what is looked for)"
            } else {
                ""
            }
        );
        let probability = critics::probability(topic_model.critic().name(), judgment.relevance);
        let confidence = Confidence::of(probability);
        print_line!(
            "probability {probability:.3}  {confidence} ({})",
            confidence.range()
        );
        print_line!("log-odds    {:+.3} per word", judgment.log_odds);
        print_line!(
            "similarity  {:.3} to the nearest target",
            judgment.similarity
        );
        Ok(())
    }
}

/// The topics that predicates ask for.
struct Known {
    marked: Option<NamedTopic>,
    named: NamedTopics,
}

impl Relevances for Known {
    fn relevance(&self, page: &Page, topic: Option<&str>) -> Option<f64> {
        let topic = match topic {
            None => self.marked.as_ref(),
            Some(name) => self.named.get(name),
        };
        topic.map(|topic| topic.relevance(page).value())
    }

    fn form(&self, words: &FormWords, topic: Option<&str>) -> Option<f64> {
        let topic = match topic {
            None => self.marked.as_ref(),
            Some(name) => self.named.get(name),
        };
        topic.map(|topic| topic.form(words))
    }
}

fn finding_json(finding: &Finding) -> serde_json::Value {
    let parts = finding.parts.iter().map(finding_json);
    json!({
        "condition": finding.label, "holds": finding.holds, "where": finding.place,
        "parts": parts.collect::<Vec<_>>(),
    })
}

fn print_finding(finding: &Finding, depth: usize) {
    let mark = if finding.holds { "yes" } else { "no " };
    let place = match (finding.place.is_empty(), finding.holds) {
        (true, _) => String::new(),
        (false, true) => format!("   here: {}", finding.place),
        (false, false) => format!("   found: {}", finding.place),
    };
    print_line!("{:depth$}{mark} {}{place}", "", finding.label);
    for part in &finding.parts {
        print_finding(part, depth + 2);
    }
}
