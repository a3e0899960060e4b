//! Settings: pairing a browser, calling it otherwise, forgetting one, programs that may call, where
//! things are.

use askama::Template;
use axum::extract::{Form, State};
use axum::routing::{get, post};
use axum::{Extension, Router};
use linkscent_core::wire::api::LONGEST_NAME;
use serde::Deserialize;

use super::{PageError, PageResult, check_csrf, go_to, show};
use crate::api::{App, Base};
use linkscent_store::clock;
use linkscent_store::{Device, TokenRow};

pub(super) fn routes() -> Router<App> {
    Router::new()
        .route("/settings", get(page))
        .route("/settings/pair", post(pair))
        .route("/settings/rename", post(rename))
        .route("/settings/forget", post(forget))
}

/// A token as the settings list it.
struct TokenLine {
    id: i64,
    name: String,
    may: String,
    created: String,
    /// The day it was used last; empty for never.
    used: String,
}

impl From<TokenRow> for TokenLine {
    fn from(row: TokenRow) -> Self {
        let day = |time: i64| clock::date(time).chars().take(10).collect();
        let may: Vec<&str> = row.may.iter().map(|one| one.name()).collect();
        Self {
            id: row.id,
            name: row.name,
            may: may.join(", "),
            created: day(row.created),
            used: if row.used == 0 {
                String::new()
            } else {
                day(row.used)
            },
        }
    }
}

#[derive(Template)]
#[template(path = "settings.html")]
struct SettingsPage<'a> {
    base: String,
    csrf: &'a str,
    code: Option<(String, u64)>,
    devices: Vec<Device>,
    tokens: Vec<TokenLine>,
    /// One that was made just now.
    token: Option<String>,
    /// Where programs call.
    api: String,
    folder: String,
    proxy: String,
}

async fn page(State(app): State<App>, Extension(Base(base)): Extension<Base>) -> PageResult {
    show_settings(&app, base, Shown::default()).await
}

/// What the settings show this once.
#[derive(Default)]
pub(super) struct Shown {
    /// A token that was made just now.
    pub token: Option<String>,
}

pub(super) async fn show_settings(app: &App, base: String, shown: Shown) -> PageResult {
    let tokens = app.service.accounts.tokens().await?;
    show(&SettingsPage {
        base,
        tokens: tokens.into_iter().map(TokenLine::from).collect(),
        token: shown.token,
        api: app.access.address(),
        csrf: app.access.csrf(),
        code: app.pairing.current(),
        devices: app.service.accounts.devices().await?,
        folder: app.service.upkeep.folder().display().to_string(),
        proxy: app.service.crawls.proxy().unwrap_or_default(),
    })
}

#[derive(Deserialize)]
struct PairForm {
    csrf: String,
}

async fn pair(State(app): State<App>, Form(form): Form<PairForm>) -> PageResult {
    check_csrf(&app, &form.csrf)?;
    app.pairing.new_code();
    Ok(go_to("/settings"))
}

#[derive(Deserialize)]
struct RenameForm {
    csrf: String,
    id: i64,
    called: String,
}

async fn rename(State(app): State<App>, Form(form): Form<RenameForm>) -> PageResult {
    check_csrf(&app, &form.csrf)?;
    let name = form.called.trim();
    if name.is_empty() || name.chars().count() > LONGEST_NAME {
        return Err(PageError::bad(format!(
            "A browser is called something, in at most {LONGEST_NAME} characters."
        )));
    }
    app.service.accounts.rename_device(form.id, name).await?;
    Ok(go_to("/settings"))
}

#[derive(Deserialize)]
struct ForgetForm {
    csrf: String,
    id: i64,
}

async fn forget(State(app): State<App>, Form(form): Form<ForgetForm>) -> PageResult {
    check_csrf(&app, &form.csrf)?;
    app.service.accounts.remove_device(form.id).await?;
    app.channels.close(form.id);
    Ok(go_to("/settings"))
}
