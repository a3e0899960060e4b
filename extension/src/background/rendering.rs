//! Pages that the companion's crawler cannot read and this browser can: those that show nothing
//! without scripts, or that ask for a login. Only on hosts that the person chose, and none that
//! would not be read otherwise. What is sent is the page as it is shown, without what stands in
//! fields and without what looks like a secret in addresses.

use std::rc::Rc;

use linkscent_core::address::Address;
use linkscent_core::privacy::without_secrets;
use linkscent_core::wire::api::{Rendering, RenderingsView};

use super::context::Context;
use super::ledger::Ledger;
use crate::background::topic::choices::refusal;
use crate::companion::Companion;
use crate::ports::World;
use crate::problem::Problem;
use crate::rows::Way;
use crate::shown::SiteView;
use crate::store::Change;

/// Attributes whose values are addresses, as browsers write them.
const ADDRESSES: [&str; 2] = [" href=", " action="];
const COMMENT: &str = "<!--";
const COMMENT_END: &str = "-->";

/// Pages that a crawl has this browser render.
pub(super) struct Renderings<W> {
    context: Context<W>,
    ledger: Rc<Ledger<W>>,
}

impl<W: World> Renderings<W> {
    pub fn new(context: &Context<W>, ledger: &Rc<Ledger<W>>) -> Self {
        Self {
            context: context.clone(),
            ledger: Rc::clone(ledger),
        }
    }

    /// See [`crate::request::Request::WaitingSites`]: hosts of which pages wait, and those that
    /// were chosen.
    pub(super) async fn waiting_sites(&self) -> Result<Vec<SiteView>, Problem> {
        let settings = self.context.store.settings().await?;
        let mut sites: Vec<SiteView> = Vec::new();
        for site in self.renderings_of(Vec::new()).await?.sites {
            sites.push(SiteView {
                is_chosen: settings.looks.contains(&site.host),
                host: site.host,
                pages: site.pages,
            });
        }
        for host in &settings.looks {
            if sites.iter().all(|site| site.host != *host) {
                sites.push(SiteView {
                    host: host.clone(),
                    pages: 0,
                    is_chosen: true,
                });
            }
        }
        Ok(sites)
    }

    /// Has pages of a host read for the companion from now on, or no more.
    pub(super) async fn look_through(&self, host: &str, on: bool) -> Result<(), Problem> {
        let mut settings = self.context.store.settings().await?;
        settings.looks.retain(|chosen| chosen != host);
        if on {
            settings.looks.push(host.to_owned());
        }
        let often = settings.tells || !settings.looks.is_empty();
        let mut change = Change::default();
        change.settings(&settings)?;
        self.context.store.apply(change).await?;
        self.context.world.look_often(often).await;
        Ok(())
    }

    /// The pages that are to be read now.
    pub(super) async fn next_renderings(&self) -> Result<RenderingsView, Problem> {
        let settings = self.context.store.settings().await?;
        if settings.looks.is_empty() || settings.is_off {
            return Ok(RenderingsView::default());
        }
        let mut view = self.renderings_of(settings.looks.clone()).await?;
        view.pages.retain(|task| {
            Address::parse(&task.address).is_ok_and(|page| {
                let is_chosen = settings.looks.iter().any(|host| host == page.host());
                is_chosen && refusal(&settings, &page).is_none()
            })
        });
        Ok(view)
    }

    async fn renderings_of(&self, hosts: Vec<String>) -> Result<RenderingsView, Problem> {
        let settings = self.context.store.settings().await?;
        let (Some(companion), Some(topic)) = (
            Companion::of(&settings, &self.context.world),
            settings.current,
        ) else {
            return Ok(RenderingsView::default());
        };
        Ok(companion.renderings(topic, hosts).await?)
    }

    /// Sends a page to the companion, or says why there is none.
    pub(super) async fn bring(&self, mut page: Rendering) -> Result<(), Problem> {
        let settings = self.context.store.settings().await?;
        let address = Address::parse(&page.address)?;
        let companion = Companion::of(&settings, &self.context.world).ok_or(Problem::NotPaired)?;
        if !settings.looks.iter().any(|host| host == address.host()) {
            page.html = String::new();
            "its site was not chosen".clone_into(&mut page.problem);
        }
        page.html = clean(&page.html, &address);
        companion.bring(&page).await?;
        if !page.html.is_empty() {
            let mut change = Change::default();
            let about = vec![page.address];
            let line = self
                .ledger
                .line(Way::Sent, "page for a crawl", about, page.html.len());
            self.ledger.put_down(&line, &mut change)?;
            self.context.store.apply(change).await?;
        }
        Ok(())
    }
}

/// The same HTML with addresses that have lost what looks like a secret, and without comments; those
/// that lead nowhere on the web are left out. It is taken for HTML as browsers write it: attributes
/// stand in double quotes, and in text no tag begins that is none.
pub(super) fn clean(html: &str, base: &Address) -> String {
    let (mut rest, mut cleaned) = (html, String::with_capacity(html.len()));
    while let Some(start) = rest.find('<') {
        cleaned.push_str(&rest[..start]);
        rest = &rest[start..];
        if rest.starts_with(COMMENT) {
            let end = rest.find(COMMENT_END);
            rest = end.map_or("", |end| &rest[end + COMMENT_END.len()..]);
        } else {
            rest = clean_tag(rest, base, &mut cleaned);
        }
    }
    cleaned.push_str(rest);
    cleaned
}

/// Writes the tag with which a text begins; what comes after it.
fn clean_tag<'a>(html: &'a str, base: &Address, cleaned: &mut String) -> &'a str {
    let mut rest = html;
    while let Some(at) = rest.find(['"', '>']) {
        let (before, sign) = (&rest[..at], rest.as_bytes()[at]);
        cleaned.push_str(&rest[..=at]);
        rest = &rest[at + 1..];
        if sign == b'>' {
            return rest;
        }
        let end = rest.find('"').unwrap_or(rest.len());
        let value = &rest[..end];
        if ADDRESSES.iter().any(|name| before.ends_with(name)) {
            if let Ok(address) = base.join(&value.replace("&amp;", "&")) {
                let address = without_secrets(&address).to_string();
                cleaned.push_str(&address.replace('&', "&amp;").replace('"', "&quot;"));
            }
        } else {
            cleaned.push_str(value);
        }
        rest = &rest[end..];
        if let Some(after) = rest.strip_prefix('"') {
            cleaned.push('"');
            rest = after;
        }
    }
    cleaned.push_str(rest);
    ""
}

#[cfg(test)]
mod tests {
    use linkscent_core::wire::api::{RenderingTask, WaitingSite};

    use super::*;
    use crate::fakes::Stage;
    use crate::fakes::companion::{CODE, PORT};
    use crate::request::{Request, Response};

    #[test]
    fn addresses_lose_their_secrets_and_nothing_else_changes() {
        let base = Address::parse("http://app.test/a/b").unwrap();
        let html = "<p title=\"href=x\">href=\" quoted</p><a href=\"c?page=2&amp;session=CANARY\">c</a> \
                    <a class=\"x\" href=\"mailto:CANARY@app.test\">m</a><form action=\"/go?token=CANARY\"></form>";
        let cleaned = clean(html, &base);
        assert!(!cleaned.contains("CANARY"), "{cleaned}");
        assert!(
            cleaned.contains("<a href=\"http://app.test/a/c?page=2\">c</a>"),
            "{cleaned}"
        );
        assert!(
            cleaned.contains("<a class=\"x\" href=\"\">m</a>"),
            "{cleaned}"
        );
        assert!(
            cleaned.starts_with("<p title=\"href=x\">href=\" quoted</p>"),
            "{cleaned}"
        );
        // What looks like an attribute in a text or in another attribute misleads nobody.
        let mixed = "<p>type href=\" or x <b title=\"a href= > b\">B</b><a href=\"/x?token=CANARY\">x</a>\
                     <!-- <a href=\"/y?token=CANARY\"> CANARY --><i>end</i>";
        let cleaned = clean(mixed, &base);
        assert!(!cleaned.contains("CANARY"), "{cleaned}");
        assert!(
            cleaned.contains("type href=\" or x <b title=\"a href= > b\">B</b>"),
            "{cleaned}"
        );
        assert!(
            cleaned.ends_with("<a href=\"http://app.test/x\">x</a><i>end</i>"),
            "{cleaned}"
        );
        for odd in [
            "",
            " href=\"",
            "<a href=\"/x",
            " action=\"&quot;\"",
            "<",
            "<!--",
            "<a \"",
        ] {
            clean(odd, &base);
        }
    }

    fn paired() -> Stage {
        let mut stage = Stage::with_topic("kidneys");
        let (port, code) = (PORT, CODE.to_owned());
        stage.own(Request::Pair { port, code }).unwrap();
        let task = |address: &str| RenderingTask {
            crawl: 3,
            address: address.to_owned(),
        };
        stage.world.companion.borrow_mut().renderings = RenderingsView {
            sites: vec![WaitingSite {
                host: "app.test".to_owned(),
                pages: 2,
            }],
            pages: vec![
                task("http://app.test/1"),
                task("http://192.168.0.1/"),
                task("http://else.test/"),
            ],
            is_running: true,
        };
        stage
    }

    fn choose(stage: &mut Stage, host: &str, on: bool) {
        let host = host.to_owned();
        stage.own(Request::LookThrough { host, on }).unwrap();
    }

    fn next(stage: &mut Stage) -> Vec<String> {
        match stage.own(Request::NextRenderings).unwrap().answer {
            Response::Renderings(view) => view.pages.into_iter().map(|task| task.address).collect(),
            other => panic!("{other:?}"),
        }
    }

    fn bring(stage: &mut Stage, address: &str) -> Result<(), Problem> {
        let page = Rendering {
            crawl: 3,
            address: address.to_owned(),
            html: "<p>Dialysis</p><a href=\"/2?token=CANARY\">on</a>".to_owned(),
            problem: String::new(),
        };
        stage.own(Request::Rendered { page }).map(drop)
    }

    #[test]
    fn pages_are_read_on_chosen_hosts_only_and_the_ledger_says_so() {
        let mut stage = paired();
        assert!(next(&mut stage).is_empty(), "no host is chosen");
        let sites = |stage: &mut Stage| match stage.own(Request::WaitingSites).unwrap().answer {
            Response::Sites(sites) => sites,
            other => panic!("{other:?}"),
        };
        assert!(!sites(&mut stage)[0].is_chosen);
        choose(&mut stage, "app.test", true);
        choose(&mut stage, "192.168.0.1", true);
        assert!(stage.world.looks_often.get());
        let shown = sites(&mut stage);
        assert!(shown[0].is_chosen && shown[0].pages == 2 && shown[1].pages == 0);
        assert_eq!(
            next(&mut stage),
            ["http://app.test/1"],
            "no private network"
        );
        bring(&mut stage, "http://app.test/1").unwrap();
        // A page of a host that was let go meanwhile is not sent.
        choose(&mut stage, "app.test", false);
        bring(&mut stage, "http://app.test/1").unwrap();
        let brought = stage.world.companion.borrow().brought.clone();
        assert_eq!(brought.len(), 2);
        assert!(
            brought[0].html.contains("http://app.test/2\""),
            "{brought:?}"
        );
        assert!(brought[1].html.is_empty() && !brought[1].problem.is_empty());
        assert!(brought.iter().all(|page| !page.html.contains("CANARY")));
        let Response::Ledger(ledger) = stage.own(Request::Ledger).unwrap().answer else {
            panic!("no ledger")
        };
        let lines = ledger
            .lines
            .iter()
            .filter(|line| line.what == "page for a crawl");
        assert_eq!(lines.count(), 1);
        choose(&mut stage, "192.168.0.1", false);
        assert!(!stage.world.looks_often.get());
    }

    #[test]
    fn nothing_is_read_while_reading_is_off_or_nobody_is_paired() {
        let mut stage = paired();
        choose(&mut stage, "app.test", true);
        stage.own(Request::Reads { on: false }).unwrap();
        assert!(next(&mut stage).is_empty());
        stage.own(Request::Reads { on: true }).unwrap();
        stage.own(Request::Unpair).unwrap();
        assert!(next(&mut stage).is_empty());
        assert!(bring(&mut stage, "http://app.test/1").is_err());
    }
}
