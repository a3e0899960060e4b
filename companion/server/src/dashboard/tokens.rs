//! Tokens of programs, as the settings make and revoke them.

use axum::extract::{Form, State};
use axum::routing::post;
use axum::{Extension, Router};
use serde::Deserialize;

use super::settings::{Shown, show_settings};
use super::{PageResult, check_csrf, go_to};
use crate::api::{App, Base};
use linkscent_store::Permission;

pub(super) fn routes() -> Router<App> {
    Router::new()
        .route("/settings/token", post(make))
        .route("/settings/revoke", post(revoke))
}

#[derive(Deserialize)]
struct TokenForm {
    csrf: String,
    program: String,
    #[serde(default)]
    read: bool,
    #[serde(default)]
    mark: bool,
    #[serde(default)]
    crawl: bool,
}

/// Makes a token and shows it, this once.
async fn make(
    State(app): State<App>,
    Extension(Base(base)): Extension<Base>,
    Form(form): Form<TokenForm>,
) -> PageResult {
    check_csrf(&app, &form.csrf)?;
    let asked = [form.read, form.mark, form.crawl];
    let may = Permission::ALL.into_iter().zip(asked);
    let may: Vec<Permission> = may
        .filter(|(_, asked)| *asked)
        .map(|(one, _)| one)
        .collect();
    let token = app.service.accounts.make_token(&form.program, &may).await?;
    show_settings(&app, base, Shown { token: Some(token) }).await
}

#[derive(Deserialize)]
struct RevokeForm {
    csrf: String,
    id: i64,
}

async fn revoke(State(app): State<App>, Form(form): Form<RevokeForm>) -> PageResult {
    check_csrf(&app, &form.csrf)?;
    app.service.accounts.remove_token(form.id).await?;
    // Who listens with it hears so.
    app.service.supervisor.say_changed();
    Ok(go_to("/settings"))
}
