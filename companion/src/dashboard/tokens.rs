//! Tokens of programs, as the settings make and revoke them.

use axum::extract::{Form, State};
use axum::routing::post;
use axum::{Extension, Router};
use serde::Deserialize;

use super::settings::{Shown, show_settings};
use super::{PageResult, check_csrf, go_to};
use crate::api::{App, Base};
use crate::clock;
use crate::store::{Permission, TokenRow};

pub(super) fn routes() -> Router<App> {
    Router::new()
        .route("/settings/token", post(make))
        .route("/settings/revoke", post(revoke))
}

/// A token as the settings list it.
pub(super) struct TokenLine {
    pub id: i64,
    pub name: String,
    pub may: String,
    pub created: String,
    /// The day it was used last; empty for never.
    pub used: String,
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
    let token = app.service.make_token(&form.program, &may).await?;
    show_settings(&app, base, Shown { token: Some(token) }).await
}

#[derive(Deserialize)]
struct RevokeForm {
    csrf: String,
    id: i64,
}

async fn revoke(State(app): State<App>, Form(form): Form<RevokeForm>) -> PageResult {
    check_csrf(&app, &form.csrf)?;
    app.service.store.remove_token(form.id).await?;
    Ok(go_to("/settings"))
}
