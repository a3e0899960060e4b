//! A crawl whose pages are documents: feeds, a sitemap, text, PDF and Word. Each is a page with its
//! links, found by its words, opened as HTML and taken away as it was; one that is made to do harm
//! costs itself.

use std::io::{Cursor, Write};
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use linkscent_archive::warc::Reader;
use linkscent_store::Store;
use linkscent_tests::companion::program;
use linkscent_tests::scripted::next_address;
use linkscent_tests::shell::{crawl, list, run};
use serde_json::Value;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpListener;
use zip::write::SimpleFileOptions;

/// A PDF of one page with a text and a link over it.
fn pdf(text: &str, link: &str) -> Vec<u8> {
    let content = format!("BT /F1 12 Tf 72 700 Td ({text}) Tj ET");
    let objects = [
        "<</Type/Catalog/Pages 2 0 R>>".to_owned(),
        "<</Type/Pages/Kids[3 0 R]/Count 1>>".to_owned(),
        format!(
            "<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R\
             /Resources<</Font<</F1 5 0 R>>>>/Annots[<</Type/Annot/Subtype/Link\
             /Rect[60 690 500 720]/A<</S/URI/URI({link})>>>>]>>"
        ),
        format!("<</Length {}>>stream\n{content}\nendstream", content.len()),
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>".to_owned(),
    ];
    let mut bytes = b"%PDF-1.4\n".to_vec();
    let mut places = Vec::new();
    for (object, number) in objects.iter().zip(1..) {
        places.push(bytes.len());
        bytes.extend(format!("{number} 0 obj{object}endobj\n").bytes());
    }
    let start = bytes.len();
    bytes.extend(format!("xref\n0 {}\n0000000000 65535 f \n", places.len() + 1).bytes());
    for place in &places {
        bytes.extend(format!("{place:010} 00000 n \n").bytes());
    }
    let size = places.len() + 1;
    bytes.extend(format!("trailer<</Size {size}/Root 1 0 R>>\nstartxref\n{start}\n%%EOF").bytes());
    bytes
}

/// A Word document of one paragraph.
fn word(text: &str) -> Result<Vec<u8>> {
    let mut file = zip::ZipWriter::new(Cursor::new(Vec::new()));
    let types = "<Types xmlns=\"http://schemas.openxmlformats.org/package/2006/content-types\"/>";
    let document = format!(
        "<w:document xmlns:w=\"http://schemas.openxmlformats.org/wordprocessingml/2006/main\">\
         <w:body><w:p><w:r><w:t>{text}</w:t></w:r></w:p></w:body></w:document>"
    );
    for (name, body) in [
        ("[Content_Types].xml", types),
        ("word/document.xml", document.as_str()),
    ] {
        file.start_file(name, SimpleFileOptions::default())?;
        file.write_all(body.as_bytes())?;
    }
    Ok(file.finish()?.into_inner())
}

/// What a small web answers: content type and body.
fn answer(path: &str) -> Result<Option<(&'static str, Vec<u8>)>> {
    let html = |links: &[&str]| {
        let links = links.iter();
        let links = links.map(|link| format!("<p>kidney dialysis <a href='{link}'>{link}</a></p>"));
        let html = format!("<title>kidneys</title>{}", links.collect::<String>());
        html.into_bytes()
    };
    let feed = "<rss version='2.0'><channel><title>News of kidneys</title><item>\
                <title>Dialysis at home</title><link>http://a.test/fed</link></item></channel></rss>";
    let sitemap = "<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'><url>\
                   <loc>http://a.test/kidney-mapped</loc></url></urlset>";
    Ok(Some(match path {
        "/" => (
            "text/html",
            html(&[
                "/news.rss",
                "/sitemap.xml",
                "/leaflet.pdf",
                "/notes.txt",
                "/report.docx",
                "/harm.pdf",
                "/photo.png",
            ]),
        ),
        "/news.rss" => ("application/rss+xml", feed.into()),
        "/sitemap.xml" => ("application/xml", sitemap.into()),
        "/leaflet.pdf" => (
            "application/pdf",
            pdf(
                "A leaflet on haemodialysis and nephrons",
                "http://a.test/printed",
            ),
        ),
        "/notes.txt" => (
            "text/plain; charset=utf-8",
            "Notes on kidneys and glomeruli\n\nSee http://a.test/noted\n".into(),
        ),
        "/report.docx" => (
            "application/octet-stream",
            word("A report on kidney transplants and immunosuppression")?,
        ),
        // Deeper than any reader goes.
        "/harm.pdf" => (
            "application/pdf",
            format!("%PDF-1.4\n1 0 obj{}endobj", "[".repeat(3_000_000)).into(),
        ),
        "/fed" | "/kidney-mapped" | "/printed" | "/noted" => ("text/html", html(&[path])),
        _ => return Ok(None),
    }))
}

/// A proxy that speaks for this web.
async fn web() -> Result<u16> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let port = listener.local_addr()?.port();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            tokio::spawn(async move {
                while let Some(address) = next_address(&mut stream).await? {
                    let path = address.strip_prefix("http://a.test").unwrap_or_default();
                    let (status, kind, body) = match answer(path)? {
                        Some((kind, body)) => ("200 OK", kind, body),
                        None => ("404 Not Found", "text/plain", Vec::new()),
                    };
                    let head = format!(
                        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\n\r\n",
                        body.len()
                    );
                    stream.write_all(head.as_bytes()).await?;
                    stream.write_all(&body).await?;
                }
                anyhow::Ok(())
            });
        }
    });
    Ok(port)
}

fn found(data: &Path, words: &str) -> Result<Vec<String>> {
    let mut search = Command::new(program()?);
    search
        .args(["search", "--all", "--json", "--data"])
        .arg(data);
    let said = search.arg(words).output()?;
    let found: Value = serde_json::from_slice(&said.stdout)?;
    let pages = found["pages"].as_array().context("no pages")?.iter();
    let pages = pages.filter_map(|page| page["address"].as_str());
    Ok(pages.map(str::to_owned).collect())
}

#[tokio::test(flavor = "multi_thread")]
async fn documents_are_pages_with_links() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let data = folder.path().join("data");
    let proxy = web().await?;
    let starts = list(folder.path(), &["http://a.test/"])?;
    let more = ["--examples", &starts, "--budget", "50", "--delay", "0"];
    let done = run(crawl(&data, proxy, &more)?).await?;
    ensure!(done.success, "{done:?}");
    let store = Store::open(&data).await?;
    let rows = store.fetches(1).await?;
    let row = |path: &str| {
        let wanted = format!("http://a.test{path}");
        let row = rows.iter().find(|row| row.address == wanted);
        row.with_context(|| format!("{wanted} was not asked for"))
    };
    // What documents link to was read.
    for path in ["/fed", "/kidney-mapped", "/printed", "/noted"] {
        ensure!(row(path)?.place.warc_offset.is_some(), "{path}");
    }
    for (path, word) in [
        ("/news.rss", "news"),
        ("/leaflet.pdf", "nephrons"),
        ("/notes.txt", "glomeruli"),
        ("/report.docx", "immunosuppression"),
    ] {
        let wanted = format!("http://a.test{path}");
        let found = found(&data, word)?;
        ensure!(found.contains(&wanted), "{word}: {found:?}");
    }
    // One that does harm costs itself, and a picture is not asked for.
    let harm = row("/harm.pdf")?;
    ensure!(
        harm.place.warc_offset.is_none() && harm.problem.contains("PDF"),
        "{harm:?}"
    );
    ensure!(row("/photo.png").is_err());

    // The archive has the document as it came, and the HTML beside it.
    let leaflet = row("/leaflet.pdf")?;
    let offset = leaflet.place.warc_offset.context("not kept")?;
    let kept = Reader::response_at(&store.warc_path(1), offset, &leaflet.address)?;
    ensure!(kept.body.starts_with(b"%PDF-1.4"));
    ensure!(kept.html().contains("haemodialysis"), "{}", kept.html());

    // Taken up again, the crawl knows its documents without reading them again.
    store
        .set_state(1, linkscent_store::CrawlState::Paused, "")
        .await?;
    let again = run(crawl(&data, proxy, &[])?).await?;
    ensure!(again.success, "{again:?}");
    ensure!(store.fetches(1).await?.len() == rows.len());
    Ok(())
}
