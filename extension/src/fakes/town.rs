//! A small web to browse in tests: a town's page of links, pages on kidneys.

use linkscent_core::wire::Snapshot;

use super::{Stage, page};

/// Words of a page on kidneys.
pub const TRANSPLANT: &str =
    "A kidney transplant gives patients a donor kidney, so that dialysis is no longer needed.";
/// The place of the link to [`diet`] on [`town`].
pub const TO_DIET: i32 = 2;
/// And of another.
pub const DIALYSIS: &str = "Dialysis cleans the blood of kidney patients three times a week. \
    A dialysis machine filters waste.";

/// A page on kidneys.
pub fn dialysis() -> Snapshot {
    page(
        "http://kidney.test/dialysis",
        "Dialysis for kidney patients",
        DIALYSIS,
        &[("/diet", "diet"), ("http://town.test/", "Town guide")],
    )
}

/// A page of links, most of them to trains.
pub fn town() -> Snapshot {
    let links = [
        ("http://trains.test/timetable", "Railway timetable"),
        ("http://trains.test/engines", "Railway engines"),
        (
            "http://kidney.test/diet",
            "Kidney patients: dialysis and diet",
        ),
        ("http://trains.test/tickets", "Railway tickets"),
        ("http://trains.test/stations", "Railway stations"),
        ("http://trains.test/bridges", "Railway bridges"),
    ];
    page(
        "http://town.test/",
        "Town guide",
        "Welcome to the town.",
        &links,
    )
}

/// Another page on kidneys.
pub fn diet() -> Snapshot {
    let words = "Kidney patients on dialysis watch salt, potassium and fluid.";
    page("http://kidney.test/diet", "Diet", words, &[])
}

/// A topic with one page marked.
pub fn marked() -> Stage {
    let mut stage = Stage::with_topic("kidneys");
    stage.open(7, &dialysis());
    stage.mark(7, Some(true));
    stage
}
