//! Pages that the person reads, kept in the library of the topic in hand: only for topics and
//! sites for which they said so, and while the companion runs. What goes to it is the page as it is
//! shown, without what stands in fields and without what looks like a secret in addresses.

use linkscent_core::address::Address;
use linkscent_core::privacy::without_secrets;
use linkscent_core::wire::Snapshot;
use linkscent_core::wire::api::{LONGEST_WAY, Reading};

use crate::background::rendering::clean;
use crate::background::topic::choices::is_left_alone;
use crate::companion::Companion;
use crate::ports::World;
use crate::problem::Problem;
use crate::request::News;
use crate::rows::{EVERY_SITE, Settings, Way};
use crate::store::Change;

impl<W: World> super::Reading<W> {
    /// Keeps pages of the page's site, or of every site, for the topic in hand from now on, or no
    /// more.
    pub(in crate::background) async fn keep_reading(
        &self,
        snapshot: &Snapshot,
        every_site: bool,
        on: bool,
    ) -> Result<News, Problem> {
        let mut settings = self.context.store.settings().await?;
        let topic = settings.current.clone().ok_or(Problem::NoTopic)?;
        let host = if every_site {
            EVERY_SITE.to_owned()
        } else {
            Address::parse(&snapshot.url)?.host().to_owned()
        };
        settings
            .keeps
            .retain(|row| *row != (topic.clone(), host.clone()));
        if on {
            settings.keeps.push((topic, host));
        }
        let mut change = Change::default();
        change.settings(&settings)?;
        self.context.store.apply(change).await?;
        Ok(News {
            keeps: on,
            ..News::default()
        })
    }

    /// Sends a page that was read to the companion, if pages of its site are kept for the topic and
    /// the tab shows it still. Whether it was sent.
    pub(in crate::background) async fn keep_read(
        &self,
        tab: i32,
        url: &str,
        html: &str,
    ) -> Result<bool, Problem> {
        let settings = self.context.store.settings().await?;
        let address = without_secrets(&Address::parse(url)?);
        let Some(companion) = Companion::of(&settings, &self.context.world) else {
            return Ok(false);
        };
        // One that was forgotten meanwhile is no step of the tab's any more.
        let path = self.visits.tab(tab).await?.path;
        let shown = path.current().filter(|step| step.page == address.as_str());
        let Some(topic) = shown.map(|step| step.topic.clone()) else {
            return Ok(false);
        };
        let is_private = self.visits.is_private(tab);
        let is_unread = is_private || is_left_alone(&settings, &address);
        if html.is_empty() || is_unread || !is_kept(&settings, &topic, &address) {
            return Ok(false);
        }
        let before = path.steps_to_here().rev().skip(1);
        let before = before.filter(|step| step.topic == topic);
        let reading = Reading {
            html: clean(html, &address),
            address: address.to_string(),
            time: self.context.world.now() as u64,
            way: before
                .map(|step| step.page.clone())
                .take(LONGEST_WAY)
                .collect(),
            topic,
        };
        companion.keep(&reading).await?;
        let mut change = Change::default();
        let bytes = reading.html.len();
        let line = self.ledger.line(
            Way::Sent,
            "page for the library",
            vec![reading.address],
            bytes,
        );
        self.ledger.put_down(&line, &mut change)?;
        self.context.store.apply(change).await?;
        Ok(true)
    }
}

/// Whether pages of a site are kept for a topic by a companion.
pub(in crate::background) fn is_kept(settings: &Settings, topic: &str, page: &Address) -> bool {
    settings.key.is_some()
        && (settings.keeps(topic, EVERY_SITE) || settings.keeps(topic, page.host()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fakes::companion::{CODE, PORT};
    use crate::fakes::{Stage, page};
    use crate::request::{Request, Response};
    use crate::rows::LedgerLine;

    const HTML: &str = "<p>Dialysis</p><a href=\"/2?token=CANARY\">on</a>";

    fn keep(stage: &mut Stage, every_site: bool, on: bool) -> News {
        let asked = Request::KeepReading {
            tab: 1,
            every_site,
            on,
        };
        stage.own(asked).unwrap().news
    }

    fn brought(stage: &mut Stage, url: &str) -> bool {
        let asked = Request::KeepRead {
            tab: 1,
            url: url.to_owned(),
            html: HTML.to_owned(),
        };
        match stage.own(asked).unwrap().answer {
            Response::Kept(kept) => kept,
            other => panic!("{other:?}"),
        }
    }

    fn shows(stage: &mut Stage, url: &str) -> News {
        stage.wait(1_000.0);
        stage.open(1, &page(url, "Kidneys", "dialysis", &[])).news
    }

    fn readings(stage: &Stage) -> Vec<Reading> {
        stage.world.companion.borrow().readings.clone()
    }

    fn paired() -> Stage {
        let mut stage = Stage::with_topic("kidneys");
        let (port, code) = (PORT, CODE.to_owned());
        stage.own(Request::Pair { port, code }).unwrap();
        stage
    }

    #[test]
    fn only_what_was_allowed_is_kept_and_the_ledger_says_so() {
        let mut stage = paired();
        let (first, second) = ("http://a.test/1", "http://a.test/2?session=CANARY");
        assert!(
            !shows(&mut stage, first).keeps,
            "off as long as nothing is said"
        );
        assert!(!brought(&mut stage, first));
        assert!(keep(&mut stage, false, true).keeps, "the page in view too");
        assert!(brought(&mut stage, first));
        assert!(shows(&mut stage, second).keeps);
        assert!(brought(&mut stage, second));
        assert!(!shows(&mut stage, "http://b.test/").keeps, "another site");
        assert!(!brought(&mut stage, "http://b.test/"));
        let kept = readings(&stage);
        assert_eq!(kept.len(), 2);
        assert_eq!(
            (&*kept[1].topic, &*kept[1].address),
            ("kidneys", "http://a.test/2")
        );
        assert_eq!(kept[1].way, [first]);
        assert!(kept.iter().all(|page| !page.html.contains("CANARY")));
        let Response::Ledger(ledger) = stage.own(Request::Ledger).unwrap().answer else {
            panic!("no ledger")
        };
        let of_library = |line: &&LedgerLine| line.what == "page for the library";
        assert_eq!(ledger.lines.iter().filter(of_library).count(), 2);

        keep(&mut stage, true, true);
        assert!(brought(&mut stage, "http://b.test/"));
        // Another topic has to be allowed by itself, and what is taken back holds no more.
        let name = "trains".to_owned();
        stage.own(Request::Topic { tab: 1, name }).unwrap();
        assert!(!shows(&mut stage, "http://a.test/3").keeps);
        assert!(!brought(&mut stage, "http://a.test/3"));
        let name = "kidneys".to_owned();
        stage.own(Request::Topic { tab: 1, name }).unwrap();
        keep(&mut stage, true, false);
        assert!(!shows(&mut stage, "http://b.test/2").keeps);
        assert!(shows(&mut stage, "http://a.test/4").keeps, "the site alone");
    }

    #[test]
    fn what_the_tab_shows_no_more_or_is_not_read_is_not_kept() {
        let mut stage = paired();
        let first = "http://a.test/1";
        shows(&mut stage, first);
        keep(&mut stage, true, true);
        assert!(!brought(&mut stage, "http://a.test/other"));
        let address = first.to_owned();
        stage.own(Request::ForgetPage { tab: 1, address }).unwrap();
        assert!(!brought(&mut stage, first), "it was forgotten");
        shows(&mut stage, "http://a.test/2");
        stage.own(Request::Reads { on: false }).unwrap();
        assert!(!brought(&mut stage, "http://a.test/2"), "switched off");
        stage.own(Request::Reads { on: true }).unwrap();
        stage.own(Request::Unpair).unwrap();
        assert!(!brought(&mut stage, "http://a.test/2"), "nobody keeps it");
        assert!(!shows(&mut stage, "http://a.test/3").keeps);
        assert!(readings(&stage).is_empty());
    }
}
