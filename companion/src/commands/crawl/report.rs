//! What a crawl from the shell came to, for people and as JSON.

use linkscent_core::crawl::{CrawlStats, Expected, Unfound};
use linkscent_core::wire::api::EstimateView;
use linkscent_output::memory::peak_mb;
use serde_json::{Value, json};

use linkscent_service::GUESS;
use linkscent_service::crawler::runner::Ended;
use linkscent_store::{AlarmRow, SkippedRow};

/// What a crawl came to.
pub(super) struct Report {
    pub ended: Ended,
    pub stats: CrawlStats,
    /// What was counted last of the relevant pages that were not found.
    pub unfound: Option<Unfound>,
    /// How sure the critic is at the end.
    pub confidence: Option<f64>,
    /// How often the model of hop distances was trained again.
    pub trainings: u32,
    /// Pages taken over from before a restart.
    pub replayed: u64,
    pub seconds: f64,
    pub alarms: Vec<AlarmRow>,
    pub skipped: Vec<SkippedRow>,
    /// What else is to be known, such as what it began with; said when it happened.
    pub notices: Vec<String>,
}

impl Report {
    fn reason(&self) -> &str {
        match &self.ended {
            Ended::Done(reason) => reason.code(),
            Ended::Paused => "paused",
            Ended::Drifted(_) => "drift",
            Ended::Hindered(reason) => reason,
            Ended::Stopped => "stopped",
        }
    }

    fn waiting(&self) -> Option<Expected> {
        self.unfound.map(|unfound| unfound.among_waiting())
    }

    fn reachable(&self) -> Option<Expected> {
        let found = self.stats.relevant;
        self.unfound.and_then(|unfound| unfound.reachable(found))
    }

    fn pages_per_second(&self) -> f64 {
        (self.stats.pages - self.replayed) as f64 / self.seconds.max(1e-9)
    }

    /// For programs.
    pub fn as_json(&self) -> Value {
        let skipped = self
            .skipped
            .iter()
            .map(|row| json!({"reason": row.reason, "links": row.count, "seeds": row.seeds}));
        let alarms = self.alarms.iter().map(|alarm| alarm.said.as_str());
        json!({
            "pages": self.stats.pages,
            "relevant": self.stats.relevant,
            "harvest": self.stats.harvest(),
            "waiting": self.waiting().map(EstimateView::from),
            "reachable": self.reachable().map(EstimateView::from),
            "confidence": self.confidence,
            "trainings": self.trainings,
            "seconds": self.seconds,
            "pages_per_second": self.pages_per_second(),
            "peak_mb": peak_mb(),
            "stop_reason": self.reason(),
            "skipped": skipped.collect::<Vec<_>>(),
            "alarms": alarms.collect::<Vec<_>>(),
            "notices": self.notices,
        })
    }

    /// For people, on standard output.
    pub fn print(&self) {
        self.print_finds();
        self.print_learning();
        print_line!(
            "{:.1} s, {:.0} pages/s; ended: {}",
            self.seconds,
            self.pages_per_second(),
            self.reason()
        );
        for row in &self.skipped {
            print_line!(
                "{} link{} not asked for, {} of them to start from: {} (such as {})",
                row.count,
                if row.count == 1 { "" } else { "s" },
                row.seeds,
                row.reason,
                row.example
            );
        }
        for alarm in self.alarms.iter().rev() {
            print_line!("at request {}: {}", alarm.number, alarm.said);
        }
        if let Ended::Drifted(_) | Ended::Hindered(_) = self.ended {
            print_line!("paused; give the command again to go on");
        }
    }

    fn print_finds(&self) {
        let stats = &self.stats;
        print_line!(
            "{} pages, {} of them relevant ({:.0} %), {} requests brought no page",
            stats.pages,
            stats.relevant,
            100.0 * stats.harvest(),
            stats.other
        );
        if let Some(Expected { about, least, most }) = self.reachable() {
            print_line!(
                "{} of about {about} relevant pages are found that can be reached (there are between \
                 {least} and {most})",
                stats.relevant
            );
        }
        if let Some(Expected { about, least, most }) = self.waiting() {
            print_line!(
                "about {about} more are expected among the links that wait (between {least} and {most})"
            );
        }
    }

    fn print_learning(&self) {
        if let Some(sure) = self.confidence.filter(|sure| *sure > GUESS) {
            print_line!(
                "of a page of the topic and another one the critic puts the right one first about \
                 {:.0} % of the time (50 % is a guess; more examples help)",
                100.0 * sure
            );
        }
        let times = match self.trainings {
            0 => return,
            1 => "once".to_owned(),
            count => format!("{count} times"),
        };
        print_line!("the model by which it chose links was trained again {times} on the way");
    }
}
