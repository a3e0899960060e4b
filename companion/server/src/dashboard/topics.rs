//! Topics: the list, one topic with its marks and crawls, a new one.

use std::collections::{BTreeMap, BTreeSet};

use askama::Template;
use axum::extract::{Form, Path, State};
use axum::http::StatusCode;
use axum::routing::{get, post};
use axum::{Extension, Router};
use linkscent_core::critics;
use linkscent_core::strategies::{
    self, Descriptor, Form as Ratios, LearningIteration, WeightsError,
};
use linkscent_core::topic_model::Belief;
use serde::Deserialize;

use super::finds::Finds;
use super::watching::WatchLine;
use super::{PageError, PageResult, check_csrf, classes, go_to, percent, show, subtopics};
use crate::api::{App, Base, may_everywhere, may_in, visitor};
use crate::dashboard::crawl::beginning::addresses;
use linkscent_service::GUESS;
use linkscent_service::learning::hop_training::DistanceModel;
use linkscent_service::{KeptReadings, Learned};
use linkscent_store::{CrawlRow, CrawlState, MarkRow, Role, Topic};

/// Words of each place that are shown of an iteration of learning.
const WORDS: usize = 6;

pub(super) fn routes() -> Router<App> {
    Router::new()
        .route("/", get(list))
        .route("/topics", post(create))
        .route("/topic/{id}", get(one))
        .route("/topic/{id}/mark", post(mark))
        .route("/topic/{id}/correct", post(correct))
        .route("/topic/{id}/say", post(say))
        .route("/topic/{id}/name", post(rename))
        .route("/topic/{id}/remove", post(remove))
        .route("/topic/{id}/train", post(train_distance))
        .route("/topic/{id}/strategy", post(choose_strategy))
        .route("/topic/{id}/critic", post(choose_critic))
}

struct TopicLine {
    topic: Topic,
    targets: usize,
    last: Option<CrawlLine>,
}

struct CrawlLine {
    id: i64,
    state: CrawlState,
    pages: u64,
    budget: u64,
    relevant: u64,
    harvest: String,
    /// Whether more pages can be asked for.
    can_go_on: bool,
    /// Whether it is what browsers kept.
    is_reading: bool,
}

#[derive(Template)]
#[template(path = "topics.html")]
struct TopicsPage<'a> {
    base: String,
    csrf: &'a str,
    topics: Vec<TopicLine>,
    /// Those that can be brought back.
    removed: Vec<Topic>,
}

impl TopicsPage<'_> {
    fn may_delete(topic: &Topic) -> bool {
        may_in(topic.id, Role::Owner)
    }
}

#[derive(Template)]
#[template(path = "topic.html")]
struct TopicPage<'a> {
    base: String,
    csrf: &'a str,
    topic: Topic,
    /// None while they are looked for.
    finds: Option<Finds>,
    /// Crawls that ask about pages, and about how many.
    asked: Vec<(i64, usize)>,
    watch: WatchLine,
    targets: Vec<MarkRow>,
    others: Vec<MarkRow>,
    crawls: Vec<CrawlLine>,
    /// What browsers kept as it was read.
    readings: Vec<KeptReadings>,
    /// The last crawl that can be gone on with.
    goes_on: Option<i64>,
    /// Those that were removed, and can be brought back.
    removed_crawls: Vec<CrawlLine>,
    /// What was said of it in words, and whether that is what is looked for.
    said: Vec<(String, bool)>,
    belief: Belief,
    /// The targets with their subtopics, and the subtopics' names with how many pages each has.
    subtopic_lines: Vec<subtopics::SubtopicLine>,
    subtopic_names: BTreeMap<String, usize>,
    /// Subtopics that can be brought back.
    dropped_subtopics: BTreeSet<String>,
    subtopics_are_found: bool,
    by_distance: bool,
    chosen_by: &'static str,
    strategies: Vec<StrategyLine>,
    sure: String,
    /// Other topics that were taught something, with whose knowledge a crawl can begin.
    teachers: Vec<String>,
    /// Of interest factors, where they were chosen by hand.
    weights: String,
    /// What links on paths to targets had in common, newest first.
    iterations: Vec<IterationLine>,
    /// Name of the critic; empty for a predicate.
    critic: String,
    predicate: String,
    /// The tree of its taxonomy; empty if it has none.
    tree: Vec<classes::Node>,
    by_class: bool,
}

/// A strategy that can be chosen.
struct StrategyLine {
    name: &'static str,
    sentence: &'static str,
    is_chosen: bool,
    /// What has to be done before; empty if nothing.
    missing: &'static str,
}

impl StrategyLine {
    fn all(learned: &Learned) -> Vec<Self> {
        let line = |row: &'static Descriptor| Self {
            name: row.name,
            sentence: row.sentence,
            is_chosen: learned.goes_by(row),
            missing: learned.missing(row),
        };
        strategies::REGISTRY.iter().map(line).collect()
    }
}

struct IterationLine {
    pages: u32,
    targets: u32,
    /// Words of addresses, of anchors and around them.
    words: [String; 3],
}

impl IterationLine {
    fn of(iteration: &LearningIteration) -> Self {
        Self {
            pages: iteration.pages,
            targets: iteration.targets,
            words: [0, 1, 2].map(|space| {
                let chosen = iteration.chosen[space].iter().take(WORDS);
                let words: Vec<&str> = chosen.map(|chosen| chosen.word.as_str()).collect();
                words.join(", ")
            }),
        }
    }
}

/// The topic's crawls that were removed, or the others; newest first.
async fn crawl_lines(app: &App, topic: i64, removed: bool) -> Result<Vec<CrawlLine>, PageError> {
    let mut lines = Vec::new();
    let crawls = app.service.crawls.crawls(Some(topic)).await?.into_iter();
    // What browsers kept has a line of its own as long as it is in sight.
    let is_listed =
        |crawl: &CrawlRow| crawl.is_removed == removed && (removed || !crawl.is_reading());
    for crawl in crawls.filter(is_listed) {
        let counts = app.service.crawls.counts(crawl.id).await?;
        lines.push(CrawlLine {
            id: crawl.id,
            state: crawl.state,
            pages: counts.pages,
            budget: crawl.order.spec.budget,
            relevant: counts.relevant,
            harvest: percent(counts.harvest()),
            can_go_on: crawl.can_go_on(),
            is_reading: crawl.is_reading(),
        });
    }
    Ok(lines)
}

async fn list(State(app): State<App>, Extension(Base(base)): Extension<Base>) -> PageResult {
    let (mut topics, mut removed) = (Vec::new(), Vec::new());
    for topic in app.service.topics.all().await? {
        if topic.is_removed {
            if !topic.is_deleted && may_in(topic.id, Role::Editor) {
                removed.push(topic);
            }
            continue;
        }
        if !may_in(topic.id, Role::Reader) {
            continue;
        }
        let marks = app.service.topics.marks(topic.id).await?;
        topics.push(TopicLine {
            targets: marks.iter().filter(|mark| mark.target).count(),
            last: crawl_lines(&app, topic.id, false).await?.into_iter().next(),
            topic,
        });
    }
    let csrf = app.access.csrf();
    show(&TopicsPage {
        base,
        csrf,
        topics,
        removed,
    })
}

async fn one(
    State(app): State<App>,
    Extension(Base(base)): Extension<Base>,
    Path(id): Path<i64>,
) -> PageResult {
    let topic = app.service.topics.topic(id).await?;
    let marks = app.service.topics.marks(id).await?;
    let (targets, others): (Vec<MarkRow>, _) = marks.into_iter().partition(|mark| mark.target);
    let subtopics = app.service.topics.subtopics(&topic).await?;
    let finds = Finds::soon(&app, &topic).await;
    let mut asked = Vec::new();
    for crawl in app.service.crawls.crawls(Some(id)).await? {
        let questions = app.service.crawls.open_questions(crawl.id).await?.len();
        if questions > 0 && !crawl.is_removed {
            asked.push((crawl.id, questions));
        }
    }
    let learned = app.service.models.learned(&topic).await?;
    let said = learned.critic.clone();
    let weights = Ratios::weighted(&learned.strategy).map(|form| form.factors);
    let by_class = critics::good_nodes(&said).is_some();
    let classes = app.service.topics.classes(&topic).await?;
    let (critic, predicate) = if by_class || critics::NAMES.contains(&said.as_str()) {
        (said, String::new())
    } else {
        (String::new(), said)
    };
    let said = app.service.topics.said(&topic).await?.into_iter().collect();
    let teachers = app.service.models.teachers(&topic.name).await?.into_iter();
    let teachers = teachers.filter(|other| may_in(other.id, Role::Reader));
    let crawls = crawl_lines(&app, id, false).await?;
    let goes_on = crawls.iter().find(|crawl| crawl.can_go_on);
    show(&TopicPage {
        goes_on: goes_on.map(|crawl| crawl.id),
        finds,
        asked,
        watch: WatchLine::of(&app, &topic).await?,
        teachers: teachers.map(|other| other.name).collect(),
        base,
        csrf: app.access.csrf(),
        crawls,
        readings: app.service.readings.readings(&topic).await?,
        removed_crawls: crawl_lines(&app, id, true).await?,
        topic,
        subtopic_lines: subtopics::SubtopicLine::all(&targets, &subtopics),
        subtopic_names: subtopics::names(&subtopics),
        dropped_subtopics: subtopics.dropped,
        subtopics_are_found: subtopics::is_found(&learned.belief),
        targets,
        others,
        said,
        by_distance: learned.by_distance,
        belief: learned.belief.clone(),
        chosen_by: strategies::descriptor(&learned.strategy).map_or("", |row| row.sentence),
        strategies: StrategyLine::all(&learned),
        weights: weights
            .map(|weights| weights.to_string())
            .unwrap_or_default(),
        sure: learned
            .confidence
            .filter(|sure| *sure > GUESS)
            .map(percent)
            .unwrap_or_default(),
        iterations: learned.iterations.iter().map(IterationLine::of).collect(),
        critic,
        predicate,
        tree: classes.iter().flat_map(classes::tree).collect(),
        by_class,
    })
}

#[derive(Deserialize)]
struct CreateForm {
    csrf: String,
    name: String,
    examples: String,
}

async fn create(State(app): State<App>, Form(form): Form<CreateForm>) -> PageResult {
    check_csrf(&app, &form.csrf)?;
    let examples = addresses(&form.examples)?;
    let (service, name) = (&app.service, &form.name);
    let topic = match visitor() {
        None => service.topics.create_topic(name, &examples).await?,
        Some(visitor) => {
            let may_edit = |topic| visitor.role_in(topic) >= Role::Editor;
            let found = service
                .topics
                .found_topic(visitor.id, name, &examples, may_edit);
            found.await?
        }
    };
    Ok(go_to(&format!("/topic/{}", topic.id)))
}

#[derive(Deserialize)]
struct UnmarkForm {
    csrf: String,
    address: String,
}

/// Takes a mark back.
async fn mark(
    State(app): State<App>,
    Path(id): Path<i64>,
    Form(form): Form<UnmarkForm>,
) -> PageResult {
    check_csrf(&app, &form.csrf)?;
    let topic = app.service.topics.topic(id).await?;
    app.service.topics.unmark(&topic, &form.address).await?;
    Ok(go_to(&format!("/topic/{id}")))
}

#[derive(Deserialize)]
struct CorrectForm {
    csrf: String,
    address: String,
    /// `target` or `not`.
    verdict: String,
}

/// Says of a page that was taken for typical whether it is.
async fn correct(
    State(app): State<App>,
    Path(id): Path<i64>,
    Form(form): Form<CorrectForm>,
) -> PageResult {
    check_csrf(&app, &form.csrf)?;
    let target = match form.verdict.as_str() {
        "target" => true,
        "not" => false,
        _ => return Err(PageError::bad("A page is marked as target or not.")),
    };
    let topic = app.service.topics.topic(id).await?;
    let address = &form.address;
    app.service
        .crawls
        .mark_fetched(&topic, address, target)
        .await?;
    Ok(go_to(&format!("/topic/{id}")))
}

#[derive(Deserialize)]
struct SayForm {
    csrf: String,
    text: String,
    /// `it`, `not`, or `undo`.
    verdict: String,
}

/// Says in words what the topic is or is not, or takes that back.
async fn say(State(app): State<App>, Path(id): Path<i64>, Form(form): Form<SayForm>) -> PageResult {
    check_csrf(&app, &form.csrf)?;
    let wanted = match form.verdict.as_str() {
        "it" => Some(true),
        "not" => Some(false),
        "undo" => None,
        _ => return Err(PageError::bad("Words are what the topic is, or is not.")),
    };
    let topic = app.service.topics.topic(id).await?;
    app.service.topics.say(&topic, &form.text, wanted).await?;
    Ok(go_to(&format!("/topic/{id}")))
}

#[derive(Deserialize)]
struct NameForm {
    csrf: String,
    name: String,
}

/// Calls the topic otherwise.
async fn rename(
    State(app): State<App>,
    Path(id): Path<i64>,
    Form(form): Form<NameForm>,
) -> PageResult {
    check_csrf(&app, &form.csrf)?;
    let topic = app.service.topics.topic(id).await?;
    app.service.topics.rename(&topic, &form.name).await?;
    Ok(go_to(&format!("/topic/{id}")))
}

#[derive(Deserialize)]
struct RemoveForm {
    csrf: String,
    /// Whether it is removed, or brought back.
    removed: bool,
}

/// Removes a topic, or brings it back.
async fn remove(
    State(app): State<App>,
    Path(id): Path<i64>,
    Form(form): Form<RemoveForm>,
) -> PageResult {
    check_csrf(&app, &form.csrf)?;
    let topic = app.service.topics.topic(id).await?;
    app.service.topics.remove(&topic, form.removed).await?;
    let then = if form.removed {
        "/".to_owned()
    } else {
        format!("/topic/{id}")
    };
    Ok(go_to(&then))
}

#[derive(Deserialize)]
struct CriticForm {
    csrf: String,
    /// A name, or `predicate`.
    kind: String,
    #[serde(default)]
    predicate: String,
}

/// Chooses what counts as found.
async fn choose_critic(
    State(app): State<App>,
    Path(id): Path<i64>,
    Form(form): Form<CriticForm>,
) -> PageResult {
    check_csrf(&app, &form.csrf)?;
    let topic = app.service.topics.topic(id).await?;
    let critic = match form.kind.as_str() {
        "predicate" => &form.predicate,
        name => name,
    };
    // What is no condition is told by whoever reads it. A name may be another topic's tomorrow.
    let asks = critics::topics_asked_for(critic).is_ok_and(|topics| !topics.is_empty());
    if asks && !may_everywhere(Role::Reader) {
        let text = "Conditions that ask for other topics are for who looks at all topics.";
        return Err(PageError(StatusCode::FORBIDDEN, text.to_owned()));
    }
    app.service.topics.choose_critic(&topic, critic).await?;
    Ok(go_to(&format!("/topic/{id}")))
}

#[derive(Deserialize)]
struct StrategyForm {
    csrf: String,
    strategy: String,
    /// Of interest factors; empty if they all weigh the same.
    #[serde(default)]
    weights: String,
}

/// Chooses who orders links.
async fn choose_strategy(
    State(app): State<App>,
    Path(id): Path<i64>,
    Form(form): Form<StrategyForm>,
) -> PageResult {
    check_csrf(&app, &form.csrf)?;
    let topic = app.service.topics.topic(id).await?;
    let name = match form.weights.trim() {
        "" => form.strategy,
        weights => match Ratios::with_weights(&form.strategy, weights) {
            // What stood there for the strategy before.
            Err(WeightsError::NoFactors(strategy)) => strategy,
            _ => format!("{}:{weights}", form.strategy),
        },
    };
    app.service.topics.choose_strategy(&topic, &name).await?;
    Ok(go_to(&format!("/topic/{id}")))
}

#[derive(Deserialize)]
struct TrainForm {
    csrf: String,
    #[serde(default)]
    model: String,
}

/// Trains the topic's model of hop distances.
async fn train_distance(
    State(app): State<App>,
    Path(id): Path<i64>,
    Form(form): Form<TrainForm>,
) -> PageResult {
    check_csrf(&app, &form.csrf)?;
    let topic = app.service.topics.topic(id).await?;
    let model = DistanceModel::named(&form.model).unwrap_or_default();
    app.service.models.train_distance(&topic, model).await?;
    Ok(go_to(&format!("/topic/{id}")))
}
