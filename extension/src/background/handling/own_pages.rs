//! Answers requests of the extension's own pages: the popup, the panel, the settings.

use linkscent_core::wire::api::CrawlOrder;

use super::Background;
use crate::ports::{TabMessage, World};
use crate::problem::Problem;
use crate::request::{Handled, Request, Response};

impl<W: World> Background<W> {
    /// What is asked of the page that a tab shows.
    pub(super) async fn of_tab(&mut self, request: Request) -> Result<Handled, Problem> {
        let quietly = |answer| Ok(Handled::quietly(answer));
        match request {
            Request::Opened { tab, opener } => {
                self.visits.opened(tab, opener).await?;
                quietly(Response::Done)
            }
            Request::State { tab } => {
                let look = self.context.world.look(tab).await?;
                quietly(Response::State(Box::new(self.state(look, tab).await?)))
            }
            Request::Mark { tab, target } => {
                let page = self.page_of(tab).await?;
                self.reading.mark(&page, target).await?;
                self.context.world.tell(tab, TabMessage::Refresh).await;
                Ok(Handled::with_news())
            }
            Request::MarkForm { tab, form, wanted } => {
                let page = self.page_of(tab).await?;
                self.topics.mark_form(&page, form, wanted).await?;
                quietly(Response::Done)
            }
            Request::CorrectClass { tab, class } => {
                let page = self.page_of(tab).await?;
                self.topics.correct_class(&page, class).await?;
                self.context.world.tell(tab, TabMessage::Refresh).await;
                Ok(Handled::with_news())
            }
            Request::Say { tab, text, wanted } => {
                self.topics.say(&text, wanted).await?;
                self.context.world.tell(tab, TabMessage::Refresh).await;
                Ok(Handled::with_news())
            }
            Request::Answer {
                tab,
                crawl,
                page,
                answer,
            } => {
                self.topics.answer(crawl, &page, answer).await?;
                self.context.world.tell(tab, TabMessage::Refresh).await;
                Ok(Handled::with_news())
            }
            Request::Way { tab } => quietly(Response::Way(self.visits.way_here(tab).await?)),
            Request::Pause { tab, on } => {
                let page = self.page_of(tab).await?;
                self.topics.pause(&page, on).await?;
                self.context.world.tell(tab, TabMessage::Refresh).await;
                quietly(Response::Done)
            }
            Request::Propose { pages } => {
                quietly(Response::Proposals(self.reading.propose(&pages).await?))
            }
            Request::StartHere { tab } => {
                let page = self.page_of(tab).await?;
                self.pairing.start_here(&page).await?;
                quietly(Response::Done)
            }
            Request::KeepReading {
                tab,
                every_site,
                on,
            } => {
                let page = self.page_of(tab).await?;
                let news = self.reading.keep_reading(&page, every_site, on).await?;
                let answer = Response::Done;
                Ok(Handled { answer, news })
            }
            Request::KeepRead { tab, url, html } => quietly(Response::Kept(
                self.reading.keep_read(tab, &url, &html).await?,
            )),
            other => self.of_topics(other).await,
        }
    }

    /// What is asked of topics, and of links kept for later.
    async fn of_topics(&mut self, request: Request) -> Result<Handled, Problem> {
        let quietly = |answer| Ok(Handled::quietly(answer));
        match request {
            Request::Topic { tab, name } => {
                self.topics.choose_topic(&name).await?;
                self.context.world.tell(tab, TabMessage::Refresh).await;
                Ok(Handled::with_news())
            }
            Request::Rename { tab, name } => {
                self.topics.rename_topic(&name).await?;
                self.context.world.tell(tab, TabMessage::Refresh).await;
                Ok(Handled::with_news())
            }
            Request::Remove { tab } => {
                self.topics.remove_topic().await?;
                self.context.world.tell(tab, TabMessage::Refresh).await;
                Ok(Handled::with_news())
            }
            Request::BringBack { tab, name } => {
                self.topics.bring_back(&name).await?;
                self.context.world.tell(tab, TabMessage::Refresh).await;
                Ok(Handled::with_news())
            }
            Request::DeleteTopic { name } => {
                self.topics.delete_topic(&name).await?;
                Ok(Handled::with_news())
            }
            Request::Topics => quietly(Response::Topics(self.topics.topics().await?)),
            Request::KeepForLater { address, title } => {
                self.later.keep_for_later(&address, &title).await?;
                quietly(Response::Done)
            }
            Request::NotLater { address } => {
                self.later.not_later(&address).await?;
                quietly(Response::Done)
            }
            Request::Later => quietly(Response::Later(self.later.later().await?)),
            Request::DryRun { seeds } => {
                quietly(Response::DryRun(self.reading.dry_run(&seeds).await?))
            }
            Request::KeepTopicModel => {
                self.topic_models.keep_whole().await?;
                quietly(Response::Done)
            }
            other => self.of_kept(other).await,
        }
    }

    /// What is asked of all that is kept here, and of what is read.
    async fn of_kept(&mut self, request: Request) -> Result<Handled, Problem> {
        let quietly = |answer| Ok(Handled::quietly(answer));
        match request {
            Request::Trails => quietly(Response::Trails(self.topics.trails().await?)),
            Request::Forget { id } => {
                self.kept.forget(id).await?;
                Ok(Handled::with_news())
            }
            Request::ForgetPage { tab, address } => {
                self.visits.note_forgotten(tab);
                self.context.world.tell(tab, TabMessage::Forgotten).await;
                self.kept.forget_page(&address).await?;
                Ok(Handled::with_news())
            }
            Request::ForgetSite { tab } => {
                let page = self.page_of(tab).await?;
                self.kept.forget_site(&page).await?;
                Ok(Handled::with_news())
            }
            Request::ForgetSince { minutes } => {
                self.kept.forget_since(minutes).await?;
                Ok(Handled::with_news())
            }
            Request::TellOfCrawls { on } => {
                self.switches.tell_of_crawls(on).await?;
                quietly(Response::Done)
            }
            Request::PanelOnly { on } => {
                self.switches.show_in_panel_only(on).await?;
                quietly(Response::Done)
            }
            Request::Reads { on } => {
                self.switches.switch(on).await?;
                quietly(Response::Done)
            }
            Request::Ledger => quietly(Response::Ledger(self.ledger.ledger().await?)),
            Request::Everything => quietly(Response::Text(self.kept.everything().await?)),
            Request::DeleteEverything => {
                self.kept.delete_everything().await?;
                quietly(Response::Done)
            }
            Request::Excluded => quietly(Response::Text(self.topics.excluded().await?)),
            Request::Exclude { patterns } => {
                self.topics.exclude(patterns).await?;
                quietly(Response::Done)
            }
            other => self.of_companion(other).await,
        }
    }

    /// What is asked of the companion.
    async fn of_companion(&mut self, request: Request) -> Result<Handled, Problem> {
        let quietly = |answer| Ok(Handled::quietly(answer));
        match request {
            Request::Finds => quietly(Response::Finds(self.finding.finds().await?)),
            Request::Find { text } => quietly(Response::Found(self.finding.find(&text).await?)),
            Request::WaitingSites => {
                quietly(Response::Sites(self.renderings.waiting_sites().await?))
            }
            Request::LookThrough { host, on } => {
                self.renderings.look_through(&host, on).await?;
                Ok(Handled::with_news())
            }
            Request::NextRenderings => quietly(Response::Renderings(
                self.renderings.next_renderings().await?,
            )),
            Request::Rendered { page } => {
                self.renderings.bring(page).await?;
                quietly(Response::Done)
            }
            Request::Pair { port, code } => {
                self.pairing.pair(port, &code).await?;
                quietly(Response::Done)
            }
            Request::Unpair => {
                self.pairing.unpair().await?;
                quietly(Response::Done)
            }
            Request::Sync => {
                let is_other = self.pairing.sync().await?;
                quietly(Response::Synced(is_other))
            }
            Request::Dashboard => quietly(Response::Text(self.pairing.dashboard().await?)),
            Request::HandOver {
                seeds,
                spec,
                start_from,
                strategy,
            } => {
                let order = CrawlOrder {
                    topic: String::new(),
                    seeds,
                    spec,
                    start_from,
                    strategy,
                };
                let crawl = self.pairing.hand_over(order).await?;
                quietly(Response::Crawl(Box::new(crawl)))
            }
            _ => Err(Problem::NotTaken),
        }
    }
}
