//! Answers requests. Each stands here beside who may send it: pages (their content
//! scripts, and whoever breaks into one) ask whether they are to be read, send what they
//! show and what was followed, no more; frames within pages only show; the companion's dashboard may have the panel opened;
//! everything else comes from the extension's own pages.

mod own_pages;

use linkscent_core::wire::Snapshot;
use url::Url;

use super::Background;
use crate::ports::World;
use crate::problem::Problem;
use crate::request::{Handled, Request, Response};
use crate::sender::Sender;

impl<W: World> Background<W> {
    /// Does what is asked, if this sender may ask for it.
    pub async fn handle(&mut self, sender: &Sender, request: Request) -> Result<Handled, Problem> {
        let deletes = request.deletes();
        let handled = self.take(sender, request).await;
        if deletes && handled.is_ok() {
            self.context.world.drop_deleted().await;
        }
        if let Err(Problem::Database(_)) = &handled {
            // The topic model in memory may have learned what could not be kept.
            self.topic_models.let_go();
        }
        handled
    }

    async fn take(&mut self, sender: &Sender, request: Request) -> Result<Handled, Problem> {
        match sender {
            Sender::OwnPage => self.of_tab(request).await,
            Sender::Page { .. } | Sender::Frame { .. } => self.of_pages(sender, request).await,
        }
    }

    /// What pages ask, and frames in them.
    async fn of_pages(&mut self, sender: &Sender, request: Request) -> Result<Handled, Problem> {
        use Sender::{Frame, Page};
        let quietly = |answer| Ok(Handled::quietly(answer));
        match (request, sender) {
            (Request::MayRead { loaded, is_private }, Page { tab, url }) => {
                let refused = match self.context.world.unread(url, loaded.as_deref()).await? {
                    Some(refused) => Some(refused),
                    None => self.topics.refusal(url).await?,
                };
                self.visits.set_private(*tab, is_private);
                if is_private || refused.is_some() {
                    self.visits.leave(*tab).await?;
                    self.context.world.badge(*tab, None).await;
                }
                quietly(Response::MayRead { refused })
            }
            (Request::MayRead { loaded, .. }, Frame { tab, url, around }) => {
                let refused = self
                    .reading
                    .refusal_of_frame(*tab, url, around, loaded.as_deref())
                    .await?;
                quietly(Response::MayRead { refused })
            }
            (Request::Frame { page, loaded }, Frame { .. }) => {
                if !self.shows(sender, &page, loaded.as_deref()).await? {
                    return quietly(Response::View(None));
                }
                quietly(Response::View(Some(self.reading.read_frame(&page).await?)))
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
                let is_forgotten = self.visits.was_forgotten(*tab, started);
                if is_forgotten || !self.shows(sender, &page, loaded.as_deref()).await? {
                    return quietly(Response::View(None));
                }
                let (view, news) = self.reading.read(&page, *tab, started, &showing).await?;
                let is_looking = self.context.store.settings().await?.current.is_some();
                self.context
                    .world
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
                let followed = self.reading.followed(&page, place, *tab, new_tab).await?;
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
                quietly(Response::Text(self.reading.why(&page, place).await?))
            }
            (Request::OpenPanel, Page { url, .. }) => {
                if self.is_dashboard(url).await? {
                    self.context.world.open_panel().await;
                }
                quietly(Response::Done)
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
            Sender::Page { url, .. } => (url, self.context.world.unread(url, loaded).await?),
            Sender::Frame { tab, url, around } => {
                let refused = self
                    .reading
                    .refusal_of_frame(*tab, url, around, loaded)
                    .await?;
                (url, refused)
            }
        };
        Ok(refused.is_none() && is_of_one_site(&page.url, url))
    }

    /// Whether a page lies on the port of the companion that this browser is paired with.
    async fn is_dashboard(&self, url: &str) -> Result<bool, Problem> {
        let settings = self.context.store.settings().await?;
        let is_there = |url: Url| {
            url.scheme() == "http"
                && url.host_str() == Some("127.0.0.1")
                && url.port_or_known_default() == Some(settings.port)
        };
        Ok(settings.key.is_some() && Url::parse(url).is_ok_and(is_there))
    }

    /// What a tab shows, if it is read.
    async fn page_of(&self, tab: i32) -> Result<Snapshot, Problem> {
        let look = self.context.world.look(tab).await?;
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
