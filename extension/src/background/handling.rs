//! Answers requests. Each stands here beside who may send it: pages (their content
//! scripts, and whoever breaks into one) ask whether they are to be read, send what they
//! show and what was followed, no more; frames within pages only show; the companion's dashboard may have the panel opened;
//! everything else comes from the extension's own pages.

use linkscent_core::wire::Snapshot;
use linkscent_core::wire::api::CrawlOrder;
use url::Url;

use super::Background;
use crate::ports::{TabMessage, World};
use crate::problem::Problem;
use crate::request::{Handled, Request, Response};
use crate::sender::Sender;

impl<W: World> Background<W> {
    /// Does what is asked, if this sender may ask for it.
    pub async fn handle(&mut self, sender: &Sender, request: Request) -> Result<Handled, Problem> {
        let deletes = request.deletes();
        let handled = self.take(sender, request).await;
        if deletes && handled.is_ok() {
            self.world.drop_deleted().await;
        }
        if let Err(Problem::Database(_)) = &handled {
            // The guide in memory may have learned what could not be kept.
            self.guide = None;
        }
        handled
    }

    async fn take(&mut self, sender: &Sender, request: Request) -> Result<Handled, Problem> {
        use Sender::{Frame, OwnPage, Page};
        let quietly = |answer| Ok(Handled::quietly(answer));
        match (request, sender) {
            (Request::MayRead { loaded, is_private }, Page { tab, url }) => {
                let refused = match self.world.unread(url, loaded.as_deref()).await? {
                    Some(refused) => Some(refused),
                    None => self.refusal(url).await?,
                };
                if is_private {
                    self.private_tabs.insert(*tab);
                } else {
                    self.private_tabs.remove(tab);
                }
                if is_private || refused.is_some() {
                    self.leave(*tab).await?;
                    self.world.badge(*tab, None).await;
                }
                quietly(Response::MayRead { refused })
            }
            (Request::MayRead { loaded, .. }, Frame { tab, url, around }) => {
                let refused = self
                    .refusal_of_frame(*tab, url, around, loaded.as_deref())
                    .await?;
                quietly(Response::MayRead { refused })
            }
            (Request::Frame { page, loaded }, Frame { .. }) => {
                if !self.shows(sender, &page, loaded.as_deref()).await? {
                    return quietly(Response::View(None));
                }
                quietly(Response::View(Some(self.read_frame(&page).await?)))
            }
            (
                Request::Page {
                    page,
                    started,
                    showing,
                    loaded,
                },
                Page { tab, .. },
            ) => {
                let is_forgotten = self.was_forgotten(*tab, started);
                if is_forgotten || !self.shows(sender, &page, loaded.as_deref()).await? {
                    return quietly(Response::View(None));
                }
                let (view, news) = self.read(&page, *tab, started, &showing).await?;
                let is_looking = self.store.settings().await?.current.is_some();
                self.world
                    .badge(*tab, is_looking.then_some(view.most))
                    .await;
                let answer = Response::View(Some(view));
                Ok(Handled { answer, news })
            }
            (
                Request::Followed {
                    page,
                    place,
                    new_tab,
                    loaded,
                },
                Page { tab, .. },
            ) => {
                if !self.shows(sender, &page, loaded.as_deref()).await? {
                    return quietly(Response::Followed(false));
                }
                let followed = self.followed(&page, place, *tab, new_tab).await?;
                quietly(Response::Followed(followed))
            }
            (
                Request::Why {
                    page,
                    place,
                    loaded,
                },
                Page { .. } | Frame { .. },
            ) => {
                if !self.shows(sender, &page, loaded.as_deref()).await? {
                    return Err(Problem::NothingToRead);
                }
                quietly(Response::Text(self.why(&page, place).await?))
            }
            (Request::OpenPanel, Page { url, .. }) => {
                if self.is_dashboard(url).await? {
                    self.world.open_panel().await;
                }
                quietly(Response::Done)
            }
            (Request::Opened { tab, opener }, OwnPage) => {
                self.opened(tab, opener).await?;
                quietly(Response::Done)
            }
            (Request::State { tab }, OwnPage) => {
                let look = self.world.look(tab).await?;
                quietly(Response::State(Box::new(self.state(look, tab).await?)))
            }
            (Request::Mark { tab, target }, OwnPage) => {
                let page = self.page_of(tab).await?;
                self.mark(&page, target).await?;
                self.world.tell(tab, TabMessage::Refresh).await;
                Ok(Handled::with_news())
            }
            (Request::MarkForm { tab, form, wanted }, OwnPage) => {
                let page = self.page_of(tab).await?;
                self.mark_form(&page, form, wanted).await?;
                quietly(Response::Done)
            }
            (Request::CorrectClass { tab, class }, OwnPage) => {
                let page = self.page_of(tab).await?;
                self.correct_class(&page, class).await?;
                self.world.tell(tab, TabMessage::Refresh).await;
                Ok(Handled::with_news())
            }
            (Request::Say { tab, text, wanted }, OwnPage) => {
                self.say(&text, wanted).await?;
                self.world.tell(tab, TabMessage::Refresh).await;
                Ok(Handled::with_news())
            }
            (
                Request::Answer {
                    tab,
                    crawl,
                    page,
                    answer,
                },
                OwnPage,
            ) => {
                self.answer(crawl, &page, answer).await?;
                self.world.tell(tab, TabMessage::Refresh).await;
                Ok(Handled::with_news())
            }
            (Request::Topic { tab, name }, OwnPage) => {
                self.choose_topic(&name).await?;
                self.world.tell(tab, TabMessage::Refresh).await;
                Ok(Handled::with_news())
            }
            (Request::Rename { tab, name }, OwnPage) => {
                self.rename_topic(&name).await?;
                self.world.tell(tab, TabMessage::Refresh).await;
                Ok(Handled::with_news())
            }
            (Request::Remove { tab }, OwnPage) => {
                self.remove_topic().await?;
                self.world.tell(tab, TabMessage::Refresh).await;
                Ok(Handled::with_news())
            }
            (Request::BringBack { tab, name }, OwnPage) => {
                self.bring_back(&name).await?;
                self.world.tell(tab, TabMessage::Refresh).await;
                Ok(Handled::with_news())
            }
            (Request::DeleteTopic { name }, OwnPage) => {
                self.delete_topic(&name).await?;
                Ok(Handled::with_news())
            }
            (Request::Topics, OwnPage) => quietly(Response::Topics(self.topics().await?)),
            (Request::Way { tab }, OwnPage) => quietly(Response::Way(self.way_here(tab).await?)),
            (Request::Pause { tab, on }, OwnPage) => {
                let page = self.page_of(tab).await?;
                self.pause(&page, on).await?;
                self.world.tell(tab, TabMessage::Refresh).await;
                quietly(Response::Done)
            }
            (Request::Trails, OwnPage) => quietly(Response::Trails(self.trails().await?)),
            (Request::Forget { id }, OwnPage) => {
                self.forget(id).await?;
                Ok(Handled::with_news())
            }
            (Request::ForgetPage { tab, address }, OwnPage) => {
                self.note_forgotten(tab);
                self.world.tell(tab, TabMessage::Forgotten).await;
                self.forget_page(&address).await?;
                Ok(Handled::with_news())
            }
            (Request::ForgetSite { tab }, OwnPage) => {
                let page = self.page_of(tab).await?;
                self.forget_site(&page).await?;
                Ok(Handled::with_news())
            }
            (Request::ForgetSince { minutes }, OwnPage) => {
                self.forget_since(minutes).await?;
                Ok(Handled::with_news())
            }
            (Request::KeepForLater { address, title }, OwnPage) => {
                self.keep_for_later(&address, &title).await?;
                quietly(Response::Done)
            }
            (Request::NotLater { address }, OwnPage) => {
                self.not_later(&address).await?;
                quietly(Response::Done)
            }
            (Request::Later, OwnPage) => quietly(Response::Later(self.later().await?)),
            (Request::DryRun { seeds }, OwnPage) => {
                quietly(Response::DryRun(self.dry_run(&seeds).await?))
            }
            (Request::Propose { pages }, OwnPage) => {
                quietly(Response::Proposals(self.propose(&pages).await?))
            }
            (Request::Finds, OwnPage) => quietly(Response::Finds(self.finds().await?)),
            (Request::Find { text }, OwnPage) => quietly(Response::Found(self.find(&text).await?)),
            (Request::TellOfCrawls { on }, OwnPage) => {
                self.tell_of_crawls(on).await?;
                quietly(Response::Done)
            }
            (Request::PanelOnly { on }, OwnPage) => {
                self.show_in_panel_only(on).await?;
                quietly(Response::Done)
            }
            (Request::Reads { on }, OwnPage) => {
                self.switch(on).await?;
                quietly(Response::Done)
            }
            (Request::WaitingSites, OwnPage) => {
                quietly(Response::Sites(self.waiting_sites().await?))
            }
            (Request::LookThrough { host, on }, OwnPage) => {
                self.look_through(&host, on).await?;
                Ok(Handled::with_news())
            }
            (Request::NextRenderings, OwnPage) => {
                quietly(Response::Renderings(self.next_renderings().await?))
            }
            (Request::Rendered { page }, OwnPage) => {
                self.bring(page).await?;
                quietly(Response::Done)
            }
            (Request::StartHere { tab }, OwnPage) => {
                let page = self.page_of(tab).await?;
                self.start_here(&page).await?;
                quietly(Response::Done)
            }
            (
                Request::KeepReading {
                    tab,
                    every_site,
                    on,
                },
                OwnPage,
            ) => {
                let page = self.page_of(tab).await?;
                let news = self.keep_reading(&page, every_site, on).await?;
                let answer = Response::Done;
                Ok(Handled { answer, news })
            }
            (Request::KeepRead { tab, url, html }, OwnPage) => {
                quietly(Response::Kept(self.keep_read(tab, &url, &html).await?))
            }
            (Request::Ledger, OwnPage) => quietly(Response::Ledger(self.ledger().await?)),
            (Request::Everything, OwnPage) => quietly(Response::Text(self.everything().await?)),
            (Request::DeleteEverything, OwnPage) => {
                self.delete_everything().await?;
                quietly(Response::Done)
            }
            (Request::Excluded, OwnPage) => quietly(Response::Text(self.excluded().await?)),
            (Request::Exclude { patterns }, OwnPage) => {
                self.exclude(patterns).await?;
                quietly(Response::Done)
            }
            (Request::Pair { port, code }, OwnPage) => {
                self.pair(port, &code).await?;
                quietly(Response::Done)
            }
            (Request::Unpair, OwnPage) => {
                self.unpair().await?;
                quietly(Response::Done)
            }
            (Request::Sync, OwnPage) => {
                let is_other = self.sync().await?;
                quietly(Response::Synced(is_other))
            }
            (Request::KeepGuide, OwnPage) => {
                self.keep_whole().await?;
                quietly(Response::Done)
            }
            (Request::Dashboard, OwnPage) => quietly(Response::Text(self.dashboard().await?)),
            (
                Request::HandOver {
                    budget,
                    seeds,
                    bounds,
                    start_from,
                    strategy,
                },
                OwnPage,
            ) => {
                let order = CrawlOrder {
                    topic: String::new(),
                    budget,
                    seeds,
                    bounds,
                    start_from,
                    strategy,
                    until_recall: None,
                };
                let crawl = self.hand_over(order).await?;
                quietly(Response::Crawl(Box::new(crawl)))
            }
            _ => Err(Problem::NotTaken),
        }
    }

    /// Whether a snapshot is one of the page that its sender shows, and that page is read.
    async fn shows(
        &self,
        sender: &Sender,
        page: &Snapshot,
        loaded: Option<&str>,
    ) -> Result<bool, Problem> {
        let (url, refused) = match sender {
            Sender::OwnPage => return Ok(false),
            Sender::Page { url, .. } => (url, self.world.unread(url, loaded).await?),
            Sender::Frame { tab, url, around } => {
                let refused = self.refusal_of_frame(*tab, url, around, loaded).await?;
                (url, refused)
            }
        };
        Ok(refused.is_none() && is_of_one_site(&page.url, url))
    }

    /// Whether a page lies on the port of the companion that this browser is paired with.
    async fn is_dashboard(&self, url: &str) -> Result<bool, Problem> {
        let settings = self.store.settings().await?;
        let is_there = |url: Url| {
            url.scheme() == "http"
                && url.host_str() == Some("127.0.0.1")
                && url.port_or_known_default() == Some(settings.port)
        };
        Ok(settings.key.is_some() && Url::parse(url).is_ok_and(is_there))
    }

    /// What a tab shows, if it is read.
    async fn page_of(&self, tab: i32) -> Result<Snapshot, Problem> {
        let look = self.world.look(tab).await?;
        match (look.page, look.refused) {
            (Some(page), _) => Ok(page),
            (None, Some(refused)) => Err(Problem::NotRead(refused)),
            (None, None) => Err(Problem::NothingToRead),
        }
    }
}

/// Whether scheme, host and port are the same: a page may change the rest by itself.
fn is_of_one_site(a: &str, b: &str) -> bool {
    match (Url::parse(a), Url::parse(b)) {
        (Ok(a), Ok(b)) => a.origin().is_tuple() && a.origin() == b.origin(),
        _ => false,
    }
}
