//! The Model Context Protocol over HTTP, for programs that have a token: the same tools as
//! `linkscent mcp` over standard input. Each request stands alone, so nothing is kept between them.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::any;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tower::ServiceExt;

use super::tokens::permitted;
use super::{App, Problem};
use crate::mcp::Library;
use linkscent_store::Permission;

pub(super) fn routes() -> Router<App> {
    Router::new().route("/mcp", any(speak))
}

async fn speak(State(app): State<App>, request: Request) -> Response {
    let token = match permitted(&app, request.headers()).await {
        Ok(token) => token,
        Err(problem) => return problem.into_response(),
    };
    if !token.may.contains(&Permission::Read) {
        let text = "this token does not permit to read: make one that does in the settings";
        return Problem(StatusCode::FORBIDDEN, text.to_owned()).into_response();
    }
    let may_crawl = token.may.contains(&Permission::Crawl);
    let service = app.service.clone();
    let server = StreamableHttpService::new(
        move || Ok(Library::new(service.clone(), may_crawl)),
        Arc::new(NeverSessionManager::default()),
        StreamableHttpServerConfig::default()
            // An answer that takes long is kept alive.
            .with_legacy_session_mode(false)
            // It asks again what the guard has asked.
            .with_allowed_hosts(app.access.hosts()),
    );
    let Ok(response) = server.oneshot(request).await;
    response.map(Body::new)
}
