//! Files that are made to be sent: they lie in the data folder without a name meanwhile, so they go
//! when they were sent, whatever happens.

use std::fs::File;
use std::io::{BufWriter, Seek};

use anyhow::Result;
use axum::body::Body;
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use tokio_util::io::ReaderStream;

use super::App;

/// A file, and the same to write to.
pub fn passing(app: &App) -> Result<(File, BufWriter<File>)> {
    let file = tempfile::tempfile_in(app.service.upkeep.folder())?;
    let out = file.try_clone()?;
    Ok((file, BufWriter::new(out)))
}

/// A file that was written for this, as one to be kept.
pub fn stream(mut file: File, media: &str, name: &str) -> Result<Response> {
    file.rewind()?;
    let body = Body::from_stream(ReaderStream::new(tokio::fs::File::from_std(file)));
    let disposition = format!("attachment; filename=\"{name}\"");
    let headers = [
        (CONTENT_TYPE, media.to_owned()),
        (CONTENT_DISPOSITION, disposition),
    ];
    Ok((headers, body).into_response())
}
