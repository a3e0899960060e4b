//! What the popup shows of a tab's page, its topic and the companion.

use linkscent_core::page::Page;
use linkscent_core::rng::Rng;
use linkscent_core::strategies::Candidate;
use linkscent_core::topic_model::TopicModel;
use linkscent_core::wire::views::PageView;

use super::Background;
use crate::background::topic::choices::is_left_alone;
use crate::background::topic::classes::class_line;
use crate::background::topic::forms::form_lines;
use crate::ports::{Look, World};
use crate::problem::Problem;
use crate::rows::EVERY_SITE;
use crate::searched;
use crate::shown::{State, TopicsView};

impl<W: World> Background<W> {
    /// See [`crate::request::Request::State`].
    pub(super) async fn state(&mut self, look: Look, tab: i32) -> Result<State, Problem> {
        let settings = self.context.store.settings().await?;
        let TopicsView {
            current: called,
            topics,
            removed,
        } = self.topics.topics().await?;
        let mut state = State {
            refused: if settings.is_off {
                Some(self.topics.switched_off())
            } else {
                look.refused
            },
            topics,
            removed,
            current: called,
            is_off: settings.is_off,
            tells: settings.tells,
            paired: settings.key.is_some(),
            port: settings.port,
            waiting: self.context.store.waiting().await?,
            ..State::default()
        };
        let selected = look.selected;
        let page = look.page.and_then(|snapshot| snapshot.to_page().ok());
        if let Some(page) = &page {
            state.page = true;
            state.title = page.title();
            state.address = page.address.to_string();
            state.paused = is_left_alone(&settings, &page.address);
            page.address.host().clone_into(&mut state.host);
        }
        let Some(topic) = settings.current.clone() else {
            return Ok(state);
        };
        state.said = settings.said_of(&topic);
        state.keeps_every_site = settings.keeps(&topic, EVERY_SITE);
        state.keeps_site = settings.keeps(&topic, &state.host);
        let marks = self.context.store.marks(&topic).await?;
        let mut looked_at = None;
        if let Some(page) = page.filter(|_| !state.paused) {
            let mark = marks
                .iter()
                .find(|mark| mark.address == page.address.as_str());
            state.mark = mark.map(|mark| mark.target);
            let is_new = |text: &str| state.said.iter().all(|one| one.0 != text);
            let searched = searched::on_the_way(&self.visits.tab(tab).await?.path);
            state.searched = searched.filter(|text| is_new(text));
            let selected = Some(selected.trim()).filter(|text| !text.is_empty() && is_new(text));
            state.selected = selected.map(str::to_owned);
            let mut held = self.topic_models.take_held(&topic).await?;
            let topic_model = &mut held.topic_model;
            state.standing = topic_model.describe_page(&page.address);
            state.forms = form_lines(topic_model, &page);
            state.class = class_line(topic_model, &page);
            let is_known = topic_model.graph().page(&page.address).is_some();
            let (view, links) = preview(topic_model, &page, &mut self.context.tie_breaks());
            (state.relevance, state.promising) = (view.relevance, view.most);
            looked_at = Some((held, is_known, links, page.address));
        }
        state.targets = marks.into_iter().filter(|mark| mark.target).collect();
        if state.paired {
            let seen = self.context.store.seen().await?;
            state.problem = seen.problem;
            if seen.topic == topic {
                state.starts_here = seen.started_at.contains(&state.address);
                (state.crawl, state.teachers) = (seen.crawl, seen.teachers);
            }
        }
        if let Some((held, is_known, links, here)) = looked_at {
            if !state.targets.is_empty() {
                let (topic_model, crawl) = (&held.topic_model, state.crawl.as_ref());
                state.question = self
                    .topics
                    .question(topic_model, &links, &here, crawl)
                    .await?;
            }
            if is_known {
                self.topic_models.hold(held);
            }
        }
        Ok(state)
    }
}

/// A look at a page, which is to leave no trace: a topic model that had not read it before is
/// thrown away after it. Also the page's links.
fn preview(
    topic_model: &mut TopicModel,
    page: &Page,
    tie_breaks: &mut impl Rng,
) -> (PageView, Vec<Candidate>) {
    let visit = topic_model.visit(page, &[], None, tie_breaks);
    let view = PageView::of(page, &visit, topic_model);
    let links = visit.outlinks.into_iter().map(|row| row.0).collect();
    (view, links)
}
