//! What who asks may do, where a form or a query says what it is about: the paths are seen to before
//! (`api/visitors`).

use std::collections::BTreeSet;

use axum::http::StatusCode;

use crate::api::{App, may_everywhere, may_in};
use crate::dashboard::PageError;
use linkscent_service::{Done, PageKey};
use linkscent_store::{CrawlRow, Role, Topic};

/// An error unless who asks has that role in a topic; it says no more than they may know.
pub(in crate::dashboard) fn check_role(topic: i64, needed: Role) -> Result<(), PageError> {
    if may_in(topic, needed) {
        return Ok(());
    }
    if !may_in(topic, Role::Reader) {
        return Err(PageError::missing("topic"));
    }
    let text = "You look at this topic and change nothing in it. Ask an owner for another role.";
    Err(PageError(StatusCode::FORBIDDEN, text.to_owned()))
}

/// A crawl and its topic, if who asks has that role in it. That it is not there and that it is another's
/// is told alike.
pub(in crate::dashboard) async fn crawl_for(
    app: &App,
    id: i64,
    needed: Role,
) -> Result<(CrawlRow, Topic), PageError> {
    let topic = app.service.crawls.topic_of(id).await?;
    let topic = topic.ok_or_else(|| PageError::missing("topic"))?;
    check_role(topic, needed)?;
    Ok(app.service.crawls.crawl(id).await?)
}

/// The same in all topics.
pub(in crate::dashboard) fn check_everywhere(needed: Role) -> Result<(), PageError> {
    if may_everywhere(needed) {
        return Ok(());
    }
    let text = "This is about all topics, and you are not let into all. Choose one first.";
    Err(PageError(StatusCode::FORBIDDEN, text.to_owned()))
}

/// An error unless who asks has that role in the topics of all these pages.
pub(in crate::dashboard) async fn check_pages(
    app: &App,
    pages: &[PageKey],
    needed: Role,
) -> Result<(), PageError> {
    let crawls: BTreeSet<i64> = pages.iter().map(|(crawl, _)| *crawl).collect();
    for crawl in crawls {
        crawl_for(app, crawl, needed).await?;
    }
    Ok(())
}

/// What was done to many pages, for who may take it back.
pub(in crate::dashboard) async fn done(app: &App, id: u64) -> Result<Option<Done>, PageError> {
    let Some(done) = app.service.annotations.done(id) else {
        return Ok(None);
    };
    // Of one that changed no page it is not known whose it is.
    if done.pages.is_empty() && !may_everywhere(Role::Editor) {
        return Ok(None);
    }
    let may = check_pages(app, &done.pages, Role::Editor).await;
    Ok(may.is_ok().then_some(done))
}

/// An error unless who asks looks at the topic of that name; for one that is not there too.
pub(in crate::dashboard) async fn check_named(app: &App, name: &str) -> Result<(), PageError> {
    if may_everywhere(Role::Reader) {
        return Ok(());
    }
    let missing = || PageError::bad(format!("There is no topic “{name}” that you may use."));
    let topic = app.service.topics.topic_called(name).await?;
    let topic = topic.ok_or_else(missing)?;
    if may_in(topic.id, Role::Reader) {
        return Ok(());
    }
    Err(missing())
}
