//! Where people sign in and out, change their password, and owners see who there is and what was
//! changed.

pub(in crate::dashboard) mod of_topic;
pub(in crate::dashboard) mod roles;

use askama::Template;
use axum::extract::{Form, Query, State};
use axum::http::header::SET_COOKIE;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::{any, get, post};
use axum::{Extension, Router};
use serde::Deserialize;

use super::{PageError, PageResult, check_csrf, go_to, show};
use crate::api::{App, Base, client, cookie, key, visitor};
use linkscent_service::{LONGEST_ACCOUNT, LONGEST_PASSWORD, ServiceError};
use linkscent_store::clock;
use linkscent_store::{AccountRow, AuditEntry, Role, Topic};

/// Audit entries that are shown.
const SHOWN: i64 = 200;

pub(super) fn routes() -> Router<App> {
    Router::new()
        .route("/sign-in", get(sign_in_page).post(sign_in))
        .route("/sign-out", post(sign_out))
        .route("/account", get(account).post(change_password))
        .route("/accounts", get(accounts))
        .route("/refused", any(refused))
}

#[derive(Template)]
#[template(path = "sign_in.html")]
struct SignInPage {
    base: String,
    problem: String,
    name: String,
    to: String,
    /// The provider by which people can sign in; empty if there is none.
    provider: String,
}

impl SignInPage {
    fn new(app: &App, problem: String, name: String, to: String) -> Self {
        let provider = app.provider.as_ref();
        Self {
            base: String::new(),
            problem,
            name,
            to,
            provider: provider.map_or(String::new(), |provider| provider.host().to_owned()),
        }
    }

    fn away(&self) -> String {
        let query = form_urlencoded::Serializer::new(String::new())
            .append_pair("to", &self.to)
            .finish();
        format!("/sign-in/provider?{query}")
    }
}

/// The page on which somebody who was not let in tries again, and why they were not.
pub(super) fn sign_in_refused(app: &App, problem: String, name: String, to: String) -> PageResult {
    let page = show(&SignInPage::new(app, problem, name, to))?;
    Ok((StatusCode::UNAUTHORIZED, page).into_response())
}

#[derive(Deserialize)]
struct SignInQuery {
    #[serde(default)]
    to: String,
}

async fn sign_in_page(State(app): State<App>, Query(query): Query<SignInQuery>) -> PageResult {
    check_public(&app)?;
    show(&SignInPage::new(
        &app,
        String::new(),
        String::new(),
        query.to,
    ))
}

#[derive(Deserialize)]
struct SignInForm {
    name: String,
    password: String,
    #[serde(default)]
    to: String,
}

async fn sign_in(
    State(app): State<App>,
    headers: HeaderMap,
    Form(form): Form<SignInForm>,
) -> PageResult {
    check_public(&app)?;
    let from = client(&headers);
    match app
        .service
        .accounts
        .sign_in(&form.name, &form.password, &from)
        .await
    {
        Ok(key) => Ok(with_cookie(go_to(of_this_site(&form.to)), Some(&key))),
        Err(ServiceError::Refused(problem)) => {
            let name = form.name.chars().take(LONGEST_ACCOUNT).collect();
            sign_in_refused(&app, problem, name, form.to)
        }
        Err(error) => Err(error.into()),
    }
}

async fn sign_out(State(app): State<App>, headers: HeaderMap) -> PageResult {
    check_public(&app)?;
    if let Some(key) = key(&headers) {
        app.service.accounts.sign_out(key).await?;
    }
    Ok(with_cookie(go_to("/sign-in"), None))
}

#[derive(Template)]
#[template(path = "account.html")]
struct AccountPage<'a> {
    base: String,
    csrf: &'a str,
    name: String,
    role: Role,
    /// Topics in which the role is another, and which it is.
    topics: Vec<(Topic, Role)>,
    has_password: bool,
}

async fn account(State(app): State<App>, Extension(Base(base)): Extension<Base>) -> PageResult {
    let visitor = visitor().ok_or_else(|| PageError::missing("page"))?;
    let topics = topics_of(&app, visitor.id).await?;
    show(&AccountPage {
        base,
        topics,
        has_password: app.service.accounts.has_password(&visitor.name).await?,
        csrf: app.access.csrf(),
        name: visitor.name,
        role: visitor.role,
    })
}

#[derive(Deserialize)]
struct PasswordForm {
    csrf: String,
    password: String,
    new: String,
}

/// Signs out everywhere else, and in again here.
async fn change_password(
    State(app): State<App>,
    headers: HeaderMap,
    Form(form): Form<PasswordForm>,
) -> PageResult {
    check_csrf(&app, &form.csrf)?;
    let visitor = visitor().ok_or_else(|| PageError::missing("page"))?;
    let (service, name, from) = (&app.service, &visitor.name, client(&headers));
    let before = service
        .accounts
        .sign_in(name, &form.password, &from)
        .await?;
    service.accounts.sign_out(&before).await?;
    let password = service
        .accounts
        .change_password(name, Some(&form.new))
        .await?;
    let key = service.accounts.sign_in(name, &password, &from).await?;
    Ok(with_cookie(go_to("/account"), Some(&key)))
}

#[derive(Template)]
#[template(path = "accounts.html")]
struct AccountsPage {
    base: String,
    accounts: Vec<AccountLine>,
    /// Each with its minute.
    audit_entries: Vec<(AuditEntry, String)>,
}

struct AccountLine {
    account: AccountRow,
    /// The day on which it was made.
    made: String,
    /// Topics in which the role is another, and which it is.
    topics: Vec<(Topic, Role)>,
}

async fn topics_of(app: &App, account: i64) -> Result<Vec<(Topic, Role)>, PageError> {
    let mut topics = Vec::new();
    for (topic, role) in app.service.accounts.topic_roles(account).await? {
        topics.push((app.service.topics.topic(topic).await?, role));
    }
    Ok(topics)
}

/// So many characters of a time, as people read it.
fn read(time: i64, characters: usize) -> String {
    let time = clock::date(time).replace('T', " ");
    time.chars().take(characters).collect()
}

async fn accounts(State(app): State<App>, Extension(Base(base)): Extension<Base>) -> PageResult {
    let mut accounts = Vec::new();
    for account in app.service.accounts.accounts().await? {
        accounts.push(AccountLine {
            made: read(account.created, 10),
            topics: topics_of(&app, account.id).await?,
            account,
        });
    }
    let audit_entries = app.service.accounts.audit_entries(SHOWN).await?.into_iter();
    show(&AccountsPage {
        base,
        accounts,
        audit_entries: audit_entries
            .map(|audit_entry| {
                let time = read(audit_entry.time, 16);
                (audit_entry, time)
            })
            .collect(),
    })
}

async fn refused() -> PageError {
    let role = visitor().map_or(Role::Guest, |visitor| visitor.here);
    let text = match role {
        Role::Guest => "Guests see what is shared with them. Ask an owner for more.",
        Role::Member => {
            "Members see their own topics and what is shared with them. Ask an owner for more."
        }
        Role::Reader => {
            "Readers look and change nothing; settings are the owners'. Ask an owner for another role."
        }
        Role::Editor | Role::Owner => {
            "Settings, and deleting for good, are the owners'. Ask one of them."
        }
    };
    PageError(StatusCode::FORBIDDEN, text.to_owned())
}

fn check_public(app: &App) -> Result<(), PageError> {
    if app.access.is_public() {
        return Ok(());
    }
    Err(PageError::missing("page"))
}

/// An answer that has a browser keep who is signed in, or forget it.
pub(super) fn with_cookie(response: Response, key: Option<&str>) -> Response {
    keeping(response, &cookie(key))
}

/// An answer with a cookie.
pub(super) fn keeping(mut response: Response, cookie: &str) -> Response {
    if let Ok(cookie) = cookie.parse() {
        response.headers_mut().append(SET_COOKIE, cookie);
    }
    response
}

/// A path of this site; the first page for anything else.
pub(super) fn of_this_site(to: &str) -> &str {
    let is_path = to.starts_with('/') && !to.starts_with("//") && !to.contains('\\');
    let is_path = is_path && to.bytes().all(|byte| byte.is_ascii_graphic());
    if is_path { to } else { "/" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_is_led_elsewhere() {
        assert_eq!(of_this_site("/crawl/1?page=2"), "/crawl/1?page=2");
        for to in [
            "",
            "//evil.example/",
            "https://evil.example/",
            "/\\evil.example",
            "/\t/evil.example",
            "/é",
            "x",
            "/\r\nSet-Cookie: a=b",
        ] {
            assert_eq!(of_this_site(to), "/", "{to:?}");
        }
    }
}
