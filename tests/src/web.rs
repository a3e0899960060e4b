//! A small web in a WARC file, and `linkscent research replay` serving it.

use std::fmt::{Display, Write as _};
use std::path::Path;

use anyhow::Result;

/// Page, headers besides the content type, body.
pub type PageRow<'a> = (&'a str, &'a str, &'a str);

/// A word that stands for a number and no other: pages that differ in numbers alone are taken for
/// a site that repeats itself.
pub fn word(number: impl Display) -> String {
    let digits = number.to_string().into_bytes().into_iter();
    let letters = digits.map(|digit| char::from(digit - b'0' + b'k'));
    "no".chars().chain(letters).collect()
}

/// Writes pages as a plain WARC file.
pub fn write_warc(path: &Path, pages: &[PageRow<'_>]) -> Result<()> {
    let mut warc = String::new();
    for (address, headers, body) in pages {
        let block = format!(
            "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n{headers}\r\n{body}"
        );
        write!(
            warc,
            "WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: {address}\r\nContent-Length: {}\r\n\r\n{block}\r\n\r\n",
            block.len()
        )?;
    }
    std::fs::write(path, warc)?;
    Ok(())
}

/// Two sites about kidneys and railways, whose pages link to each other: what
/// the stories are played on.
pub fn stories() -> Vec<(String, &'static str, String)> {
    let kidney = [
        (
            "dialysis",
            "Dialysis cleans the blood of kidney patients three times a week. A dialysis machine filters waste.",
        ),
        (
            "transplant",
            "A kidney transplant gives patients a donor kidney, so that dialysis is no longer needed.",
        ),
        (
            "diet",
            "Kidney patients on dialysis watch salt, potassium and fluid. A renal dietitian helps.",
        ),
        (
            "centres",
            "Dialysis centres treat kidney patients in every town; holiday dialysis can be booked.",
        ),
    ];
    let trains = [
        (
            "timetable",
            "The railway timetable lists trains, platforms and stations of the line.",
        ),
        (
            "engines",
            "Steam engines pulled railway trains through the valley for a century.",
        ),
        (
            "tickets",
            "Railway tickets are sold at stations and on trains.",
        ),
    ];
    let mut pages = Vec::new();
    let mut hub = String::from(
        "<!doctype html><title>Town guide</title><h1>Town guide</h1><p>Welcome to the town.</p><ul>",
    );
    for (name, _) in trains {
        let _ = write!(
            hub,
            "<li><a href='http://trains.test/{name}'>Railway {name}</a></li><li>Opening hours, imprint</li><li>More</li>"
        );
    }
    for (name, _) in kidney {
        let _ = write!(
            hub,
            "<li><a id='{name}' href='http://kidney.test/{name}'>Kidney patients: dialysis {name}</a></li><li>Opening hours, imprint</li><li>More</li>"
        );
    }
    hub.push_str("</ul><button id='scripted' onclick=\"document.getElementById('diet').click()\">go</button>");
    pages.push(("http://town.test/".to_owned(), "", hub.clone()));
    pages.push((
        "http://strict.test/".to_owned(),
        "Content-Security-Policy: default-src 'none'\r\n",
        hub,
    ));
    for (host, rows) in [("kidney.test", &kidney[..]), ("trains.test", &trains[..])] {
        for (name, text) in rows {
            let mut body = format!(
                "<!doctype html><title>{name} at {host}</title><h1>{name}</h1><p>{text}</p><nav>"
            );
            for (other, _) in rows {
                let _ = write!(body, "<a href='/{other}'>{other}</a> ");
            }
            body.push_str("<a href='http://town.test/'>Town guide</a></nav>");
            if *name == "centres" {
                body.push_str(
                    "<form action='/find'>Find a dialysis centre <input name='town'>\
                     <select name='kind'><option>kidney<option>holiday</select>\
                     <input type='submit' value='Search'></form>",
                );
            }
            pages.push((format!("http://{host}/{name}"), "", body));
        }
    }
    pages
}
