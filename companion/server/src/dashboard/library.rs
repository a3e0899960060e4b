//! The library: what crawls kept, searched, judged page by page, and opened as it was kept.

use askama::Template;
use axum::extract::{Form, Path, Query, State};
use axum::http::StatusCode;
use axum::http::header::{ACCEPT, HeaderMap};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Extension, Json, Router};
use linkscent_archive::export::Format;
use linkscent_core::confidence::Confidence;
use linkscent_core::wire::api::{LibraryCount, LibraryFound, LibraryPage};
use serde::Deserialize;

use super::{PageError, PageResult, check_csrf, go_to, show};
use crate::api::{App, Base, Sandboxed, about, may_everywhere, may_in, order, passing, stream};
use crate::dashboard::people::roles::check_everywhere;
use crate::dashboard::people::roles::check_role;
use crate::dashboard::people::roles::crawl_for;
use crate::dashboard::people::roles::done;
use linkscent_service::{Annotation, Destination, Done, LibraryQuery, MOST_AT_ONCE, condition};
use linkscent_store::{Role, Topic};

/// Pages that are shown at once.
const PER_PAGE: usize = 20;
/// Letters of a month, as in `2026-11`, and of a day.
const MONTH: usize = 7;
const DAY: usize = 10;
/// The last page that can be asked for.
const LAST_PAGE: i64 = 1_000_000;

pub(super) fn routes() -> Router<App> {
    Router::new()
        .route("/library", get(search))
        .route("/library/mark", post(mark))
        .route("/library/seen", post(seen))
        .route("/library/total", get(total))
        .route("/library/suggest", get(suggest))
        .route("/library/kept/{crawl}/{number}", get(kept))
        .route("/library/take/{format}", get(take))
}

/// What is asked for, as an address says it.
#[derive(Default)]
pub(super) struct Asked {
    topic: Option<i64>,
    q: String,
    /// `all` for every page that was read, `new` for finds since the person looked last.
    of: String,
    order: String,
    page: usize,
    /// Something done to many pages that can be taken back.
    done: Option<u64>,
    /// How many pages moved up and down when they were judged again.
    moved: Option<(u64, u64)>,
}

impl Asked {
    pub(super) fn query(&self) -> Result<LibraryQuery, PageError> {
        let wrong = || PageError::bad("Results stand by best, likeliest or newest.");
        Ok(LibraryQuery {
            text: self.q.clone(),
            all: self.of == "all",
            new: self.of == "new",
            order: order(&self.order).ok_or_else(wrong)?,
            most: PER_PAGE,
            skip: self.page.saturating_mul(PER_PAGE),
            for_program: false,
        })
    }

    /// Of the topic that is asked for, if it is one. An error where who asks may not look at it.
    pub(super) async fn topic(&self, app: &App) -> Result<Option<Topic>, PageError> {
        let Some(id) = self.topic else {
            check_everywhere(Role::Reader)?;
            return Ok(None);
        };
        check_role(id, Role::Reader)?;
        Ok(Some(app.service.topics.topic(id).await?))
    }

    /// The same question as the query of an address, with other words and another page.
    pub(super) fn link(&self, q: &str, page: usize) -> String {
        let topic = self.topic.map(|topic| topic.to_string());
        let mut query = form_urlencoded::Serializer::new(String::new());
        query.append_pair("topic", &topic.unwrap_or_default());
        query.append_pair("q", q);
        query.append_pair("of", &self.of);
        query.append_pair("order", &self.order);
        query.append_pair("page", &page.to_string());
        query.finish()
    }
}

#[derive(Template)]
#[template(path = "library.html")]
struct LibraryScreen<'a> {
    base: String,
    csrf: &'a str,
    topics: Vec<Topic>,
    topic: Option<Topic>,
    asked: Asked,
    found: LibraryFound,
    lines: Vec<Line>,
    first: usize,
    pages: usize,
    facets: Vec<Facet>,
    searches: Vec<KeptSearch>,
    /// Whether pages that were kept are not in the index yet.
    is_behind: bool,
    /// What was done to many pages just now, if it can be taken back.
    done: Option<Done>,
}

struct Line {
    page: LibraryPage,
    confidence: Confidence,
}

/// Conditions of one kind that the question can be narrowed by.
struct Facet {
    said: &'static str,
    field: &'static str,
    counts: Vec<LibraryCount>,
}

/// A search that was kept, and where it leads.
struct KeptSearch {
    id: i64,
    name: String,
    query: String,
}

impl LibraryScreen<'_> {
    /// Whether the page's topic is said: not where only one is searched.
    fn says_topic(&self) -> bool {
        self.topic.is_none()
    }

    fn is_chosen(&self, topic: &Topic) -> bool {
        self.asked.topic == Some(topic.id)
    }

    /// The question with one more condition.
    fn narrowed(&self, field: &str, name: &str) -> String {
        let condition = condition(field, name);
        let q = self.asked.q.trim();
        let has_it = words(q).any(|word| word == condition);
        let q = if has_it {
            q.to_owned()
        } else {
            format!("{q} {condition}")
        };
        self.asked.link(q.trim(), 0)
    }

    fn here(&self) -> String {
        self.asked.link(&self.asked.q, self.asked.page)
    }

    /// What was done to many pages, in words.
    fn said_done(done: &Done) -> String {
        let what = match &done.annotation {
            Annotation::Judge(Some(true)) => "marked as relevant".to_owned(),
            Annotation::Judge(_) => "marked as not relevant".to_owned(),
            Annotation::Tag(tag, true) => format!("put under “{tag}”"),
            Annotation::Tag(tag, false) => format!("taken from under “{tag}”"),
        };
        match done.pages.len() {
            1 => format!("1 page was {what}."),
            pages => format!("{pages} pages were {what}."),
        }
    }

    /// The day on which a page was read.
    fn day(line: &Line) -> &str {
        line.page.read.get(..DAY).unwrap_or_default()
    }

    fn most_at_once(&self) -> usize {
        self.found.total.min(MOST_AT_ONCE)
    }

    fn has_new(&self) -> bool {
        self.lines.iter().any(|line| line.page.is_new)
    }

    fn other_page(&self, page: usize) -> String {
        self.asked.link(&self.asked.q, page)
    }
}

async fn search(
    State(app): State<App>,
    Extension(Base(base)): Extension<Base>,
    Query(asked): Query<RawAsked>,
) -> PageResult {
    let mut asked = asked.read()?;
    let service = &app.service;
    let topics = service.topics.all().await?.into_iter();
    let topics: Vec<Topic> = topics
        .filter(|topic| !topic.is_removed && !topic.is_deleted)
        .filter(|topic| may_in(topic.id, Role::Reader))
        .collect();
    if asked.topic.is_none() && !may_everywhere(Role::Reader) {
        // They search one topic at a time.
        let first = topics.first();
        let first = first.ok_or_else(|| PageError::bad("No topic is shared with you yet."))?;
        asked.topic = Some(first.id);
    }
    let topic = asked.topic(&app).await?;
    let query = asked.query()?;
    let is_behind = service.library.is_behind().await;
    let mut found = service.library.search(topic.as_ref(), &query).await?;
    let lines = std::mem::take(&mut found.pages).into_iter();
    let lines = lines.map(|page| Line {
        confidence: Confidence::of(page.probability),
        page,
    });
    let screen = LibraryScreen {
        base,
        csrf: app.access.csrf(),
        topics,
        topic,
        first: query.skip + 1,
        pages: found.total.div_ceil(PER_PAGE),
        done: match asked.done {
            Some(id) => done(&app, id).await?,
            None => None,
        },
        facets: facets(&mut found),
        searches: kept_searches(&app, asked.topic).await?,
        is_behind,
        asked,
        found,
        lines: lines.collect(),
    };
    about(screen.asked.topic, || show(&screen))
}

/// The words of a question, with what stands in quotes.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let mut is_quoted = false;
    text.split(move |sign: char| {
        is_quoted ^= sign == '"';
        sign.is_whitespace() && !is_quoted
    })
}

/// All that the question can be narrowed by, where there is a choice.
fn facets(found: &mut LibraryFound) -> Vec<Facet> {
    let of = |field: &str| -> Vec<LibraryCount> {
        let labels = found.labels.iter().filter(|label| label.field == field);
        let counts = labels.map(|label| LibraryCount {
            name: label.name.clone(),
            pages: label.pages,
        });
        counts.collect()
    };
    let facet = |said, field, counts| Facet {
        said,
        field,
        counts,
    };
    let (mut months, days): (Vec<LibraryCount>, Vec<LibraryCount>) = of("found")
        .into_iter()
        .partition(|date| date.name.len() == MONTH);
    if months.len() < 2 {
        months = days;
    }
    let mut facets = vec![
        facet("Topics", "topic", of("topic")),
        facet("Said", "is", of("is")),
        facet("Tags", "tag", of("tag")),
        facet("Kinds", "kind", of("kind")),
        facet("Found", "found", months),
        facet("Sites", "site", std::mem::take(&mut found.sites)),
        facet("Languages", "lang", std::mem::take(&mut found.languages)),
    ];
    facets.retain(|facet| match facet.field {
        "tag" | "kind" => !facet.counts.is_empty(),
        _ => facet.counts.len() > 1,
    });
    facets
}

/// Searches that were kept, of the topic that is asked for, or of any.
async fn kept_searches(app: &App, topic: Option<i64>) -> Result<Vec<KeptSearch>, PageError> {
    let kept = app.service.library.searches().await?.into_iter();
    let kept = kept.filter(|search| topic.is_none() || search.topic == topic);
    let kept = kept.map(|search| {
        let asked = Asked {
            topic: search.topic,
            of: search.pages,
            order: search.first,
            ..Asked::default()
        };
        KeptSearch {
            id: search.id,
            name: search.name,
            query: asked.link(&search.words, 0),
        }
    });
    Ok(kept.collect())
}

/// A form's fields come as text, also those that are empty.
#[derive(Deserialize, Default)]
pub(super) struct RawAsked {
    #[serde(default)]
    topic: String,
    #[serde(default)]
    q: String,
    #[serde(default)]
    of: String,
    #[serde(default)]
    order: String,
    #[serde(default)]
    page: String,
    #[serde(default)]
    done: String,
    #[serde(default)]
    up: String,
    #[serde(default)]
    down: String,
}

impl RawAsked {
    pub(super) fn read(self) -> Result<Asked, PageError> {
        let number = |text: &str| -> Result<Option<i64>, PageError> {
            if text.is_empty() {
                return Ok(None);
            }
            let number: Option<i64> = text.parse().ok().filter(|number| *number >= 0);
            number
                .map(Some)
                .ok_or_else(|| PageError::bad("Topics and pages are told by numbers."))
        };
        Ok(Asked {
            topic: number(&self.topic)?,
            page: number(&self.page)?.unwrap_or_default().min(LAST_PAGE) as usize,
            q: self.q,
            of: self.of,
            order: self.order,
            done: self.done.parse().ok(),
            moved: self.up.parse().ok().zip(self.down.parse().ok()),
        })
    }
}

#[derive(Deserialize)]
struct MarkForm {
    csrf: String,
    crawl: i64,
    address: String,
    /// `target`, `not` or `undo`.
    verdict: String,
    /// The question to come back to.
    #[serde(default)]
    back: String,
}

/// Marks a page, or takes the mark back. A script that asked stays where it is.
async fn mark(
    State(app): State<App>,
    headers: HeaderMap,
    Form(form): Form<MarkForm>,
) -> Result<Response, PageError> {
    check_csrf(&app, &form.csrf)?;
    let target = super::crawl::verdict(&form.verdict)?;
    let (crawl, topic) = crawl_for(&app, form.crawl, Role::Editor).await?;
    app.service
        .crawls
        .mark_result(&crawl, &topic, &form.address, target)
        .await?;
    let accepts = headers.get(ACCEPT).and_then(|value| value.to_str().ok());
    if !accepts.unwrap_or_default().contains("text/html") {
        return Ok(StatusCode::NO_CONTENT.into_response());
    }
    // What is no sign of an address's query would be none of a header either.
    let back = form.back.chars().filter(char::is_ascii_graphic);
    Ok(go_to(&format!("/library?{}", back.collect::<String>())))
}

#[derive(Deserialize)]
struct SeenForm {
    csrf: String,
    /// A topic's number; empty for all.
    #[serde(default)]
    topic: String,
}

/// The person has seen what there is: it is new no more.
async fn seen(State(app): State<App>, Form(form): Form<SeenForm>) -> PageResult {
    check_csrf(&app, &form.csrf)?;
    let topic = match form.topic.as_str() {
        "" => {
            check_everywhere(Role::Editor)?;
            None
        }
        number => {
            let id = number.parse().map_err(|_| PageError::missing("topic"))?;
            check_role(id, Role::Editor)?;
            Some(app.service.topics.topic(id).await?)
        }
    };
    app.service.library.saw_finds(topic.as_ref()).await?;
    let topic = topic.map_or(String::new(), |topic| topic.id.to_string());
    Ok(go_to(&format!("/library?topic={topic}")))
}

/// How many pages a search finds now: what stands on a screen is left alone until it is asked for.
async fn total(State(app): State<App>, Query(asked): Query<RawAsked>) -> Result<String, PageError> {
    let asked = asked.read()?;
    let topic = asked.topic(&app).await?;
    let query = LibraryQuery {
        most: 0,
        ..asked.query()?
    };
    let found = app.service.library.search(topic.as_ref(), &query).await?;
    Ok(found.total.to_string())
}

/// How what is being typed may go on.
async fn suggest(
    State(app): State<App>,
    Query(asked): Query<RawAsked>,
) -> Result<Json<Vec<String>>, PageError> {
    let asked = asked.read()?;
    let topic = asked.topic(&app).await?;
    let made = app
        .service
        .library
        .suggest(topic.as_ref(), &asked.query()?)
        .await?;
    Ok(Json(made))
}

/// What a search finds as a file of another program.
async fn take(
    State(app): State<App>,
    Path(name): Path<String>,
    Query(asked): Query<RawAsked>,
) -> Result<Response, PageError> {
    let format = Format::named(&name).ok_or_else(|| PageError::missing("format"))?;
    let asked = asked.read()?;
    let topic = asked.topic(&app).await?;
    let query = asked.query()?;
    let (file, out) = passing(&app)?;
    let to = Destination::one(Box::new(out));
    let service = &app.service;
    service
        .exports
        .take_out(topic.as_ref(), &query, format, to, |_| {})
        .await?;
    Ok(stream(
        file,
        format.media,
        &format!("linkscent.{}", format.ending),
    )?)
}

/// The saved copy of a page, rebuilt and sandboxed: it runs nothing and connects to nobody.
async fn kept(
    State(app): State<App>,
    Path((crawl, number)): Path<(i64, u64)>,
) -> Result<Response, PageError> {
    let html = app.service.library.kept_html(crawl, number).await?;
    let mut response = Html(html).into_response();
    response.extensions_mut().insert(Sandboxed);
    Ok(response)
}
