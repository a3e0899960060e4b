//! With whom a topic is shared: who looks, who changes, who does all in it.

use askama::Template;
use axum::extract::{Form, Path, State};
use axum::routing::get;
use axum::{Extension, Router};
use serde::Deserialize;

use crate::api::{App, Base, visitor};
use crate::dashboard::PageError;
use crate::dashboard::PageResult;
use crate::dashboard::check_csrf;
use crate::dashboard::go_to;
use crate::dashboard::show;
use linkscent_service::LONGEST_ACCOUNT;
use linkscent_store::{AccountRow, Role, Topic};

pub(in crate::dashboard) fn routes() -> Router<App> {
    Router::new().route("/topic/{id}/people", get(page).post(share))
}

#[derive(Template)]
#[template(path = "people.html")]
struct PeoplePage<'a> {
    base: String,
    csrf: &'a str,
    topic: Topic,
    /// Each with the role in this topic.
    people: Vec<(AccountRow, Role)>,
}

async fn page(
    State(app): State<App>,
    Extension(Base(base)): Extension<Base>,
    Path(id): Path<i64>,
) -> PageResult {
    visitor().ok_or_else(|| PageError::missing("page"))?;
    let topic = app.service.topics.topic(id).await?;
    show(&PeoplePage {
        base,
        csrf: app.access.csrf(),
        people: app.service.accounts.people_of(id).await?,
        topic,
    })
}

#[derive(Deserialize)]
struct ShareForm {
    csrf: String,
    name: String,
    /// The role's name; empty for none.
    role: String,
}

async fn share(
    State(app): State<App>,
    Path(id): Path<i64>,
    Form(form): Form<ShareForm>,
) -> PageResult {
    visitor().ok_or_else(|| PageError::missing("page"))?;
    check_csrf(&app, &form.csrf)?;
    let topic = app.service.topics.topic(id).await?;
    let role = match form.role.as_str() {
        "" => None,
        name => Some(Role::named(name).ok_or_else(|| PageError::bad("There is no such role."))?),
    };
    app.service
        .accounts
        .check_owned(&topic, &form.name, role)
        .await?;
    app.service.accounts.share(&topic, &form.name, role).await?;
    let is_own = visitor().is_some_and(|visitor| visitor.name == form.name);
    let still_shares = role == Some(Role::Owner) || crate::api::may_everywhere(Role::Owner);
    Ok(if is_own && !still_shares {
        go_to("/")
    } else {
        go_to(&format!("/topic/{id}/people"))
    })
}
