//! What can be removed: crawls from sight and back, crawls and topics for good, and everything;
//! and everything as a file to take away.

use std::io::{self, Write};

use anyhow::Context;
use axum::body::{Body, Bytes};
use axum::extract::{Form, Path, State};
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Extension, Router};
use serde::Deserialize;
use tokio::sync::mpsc::{Sender, channel};

use super::{PageError, PageResult, check_csrf, go_to};
use crate::api::{App, Base};
use linkscent_store::backup;

/// Pieces of the file that wait to be sent, of some kilobytes each.
const PIECES: usize = 16;
/// Bytes of a piece.
const PIECE: usize = 64 * 1024;

pub(super) fn routes() -> Router<App> {
    Router::new()
        .route("/crawl/{id}/hide", post(hide_crawl))
        .route("/crawl/{id}/delete", post(delete_crawl))
        .route("/topic/{id}/delete", post(delete_topic))
        .route("/settings/everything.tar", get(everything))
        .route("/settings/delete", post(delete_everything))
}

#[derive(Deserialize)]
struct HideForm {
    csrf: String,
    removed: bool,
}

async fn hide_crawl(
    State(app): State<App>,
    Path(id): Path<i64>,
    Form(form): Form<HideForm>,
) -> PageResult {
    check_csrf(&app, &form.csrf)?;
    let (crawl, topic) = app.service.crawls.crawl(id).await?;
    app.service.crawls.hide_crawl(&crawl, form.removed).await?;
    Ok(go_to(&format!("/topic/{}#crawls", topic.id)))
}

#[derive(Deserialize)]
struct DeleteForm {
    csrf: String,
}

async fn delete_crawl(
    State(app): State<App>,
    Path(id): Path<i64>,
    Form(form): Form<DeleteForm>,
) -> PageResult {
    check_csrf(&app, &form.csrf)?;
    let (crawl, topic) = app.service.crawls.crawl(id).await?;
    if !crawl.is_removed {
        let text = "Remove the crawl first: until it is deleted it can be brought back.";
        return Err(PageError::bad(text));
    }
    app.service.deletion.delete_crawl(&crawl).await?;
    Ok(go_to(&format!("/topic/{}#crawls", topic.id)))
}

async fn delete_topic(
    State(app): State<App>,
    Path(id): Path<i64>,
    Form(form): Form<DeleteForm>,
) -> PageResult {
    check_csrf(&app, &form.csrf)?;
    let topic = app.service.topics.topic(id).await?;
    if !topic.is_removed {
        let text = "Remove the topic first: until it is deleted it can be brought back.";
        return Err(PageError::bad(text));
    }
    app.service.topics.delete_topic(&topic).await?;
    Ok(go_to("/#removed"))
}

#[derive(Deserialize)]
struct DeleteEverythingForm {
    csrf: String,
    /// Ticked by whoever is sure: there is no way back from this one.
    #[serde(default)]
    sure: bool,
}

async fn delete_everything(
    State(app): State<App>,
    Form(form): Form<DeleteEverythingForm>,
) -> PageResult {
    check_csrf(&app, &form.csrf)?;
    if !form.sure {
        let text = "Tick the box first: what is deleted here cannot be brought back.";
        return Err(PageError::bad(text));
    }
    let devices = app.service.accounts.devices().await?;
    app.service.deletion.delete_everything().await?;
    for device in devices {
        app.channels.close(device.id);
    }
    Ok(go_to("/"))
}

/// The file is sent as it is made. If that fails the connection breaks off, so nobody takes its
/// beginning for the whole.
async fn everything(State(app): State<App>, Extension(_): Extension<Base>) -> PageResult {
    let (pieces, sent) = channel(PIECES);
    let out = Pieces {
        pieces: pieces.clone(),
        piece: Vec::with_capacity(PIECE),
    };
    let folder = app.service.upkeep.folder().to_owned();
    tokio::spawn(async move {
        if let Err(error) = backup(&folder, out).await.context("copying everything") {
            message!("linkscent: {error:#}");
            let broken = io::Error::other(format!("{error:#}"));
            // Whoever asked may be gone.
            let _ = pieces.send(Err(broken)).await;
        }
    });
    let stream = futures_util::stream::unfold(sent, |mut sent| async move {
        sent.recv().await.map(|piece| (piece, sent))
    });
    let headers = [
        (CONTENT_TYPE, "application/x-tar"),
        (
            CONTENT_DISPOSITION,
            "attachment; filename=\"linkscent.tar\"",
        ),
    ];
    let response: Response = (headers, Body::from_stream(stream)).into_response();
    Ok(response)
}

/// Hands on what is written in pieces; waits where they are not taken.
struct Pieces {
    pieces: Sender<io::Result<Bytes>>,
    piece: Vec<u8>,
}

impl Write for Pieces {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.piece.extend_from_slice(bytes);
        if self.piece.len() >= PIECE {
            self.flush()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let piece = std::mem::replace(&mut self.piece, Vec::with_capacity(PIECE));
        if piece.is_empty() {
            return Ok(());
        }
        let sent = self.pieces.blocking_send(Ok(Bytes::from(piece)));
        sent.map_err(|_| io::ErrorKind::BrokenPipe.into())
    }
}
