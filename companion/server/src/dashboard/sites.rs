//! The sites that crawls remember, to look at and to have them forgotten.

use askama::Template;
use axum::extract::{Form, State};
use axum::routing::{get, post};
use axum::{Extension, Router};
use serde::Deserialize;

use super::{PageResult, check_csrf, go_to, show};
use crate::api::{App, Base};
use linkscent_service::SiteView;

/// Sites that are listed; of those behind it little is remembered.
const MOST: usize = 500;

pub(super) fn routes() -> Router<App> {
    Router::new()
        .route("/settings/sites", get(page))
        .route("/settings/site", post(forget))
}

#[derive(Template)]
#[template(path = "sites.html")]
struct SitesPage<'a> {
    base: String,
    csrf: &'a str,
    sites: Vec<SiteView>,
    /// Those that are not listed.
    more: usize,
}

async fn page(State(app): State<App>, Extension(Base(base)): Extension<Base>) -> PageResult {
    let mut sites = app.service.upkeep.sites().await?;
    // What can be undone stays in sight.
    sites.sort_by_key(|site| !site.is_forgotten);
    let more = sites.len().saturating_sub(MOST);
    sites.truncate(MOST);
    show(&SitesPage {
        base,
        csrf: app.access.csrf(),
        sites,
        more,
    })
}

#[derive(Deserialize)]
struct ForgetForm {
    csrf: String,
    host: String,
    forgotten: bool,
}

async fn forget(State(app): State<App>, Form(form): Form<ForgetForm>) -> PageResult {
    check_csrf(&app, &form.csrf)?;
    app.service
        .upkeep
        .forget_site(&form.host, form.forgotten)
        .await?;
    Ok(go_to("/settings/sites"))
}
