//! Topics and what happened to them: marks and trails, as a log.

use anyhow::Result;
use linkscent_core::wire::api::{Event, EventKind};

use super::Store;
use crate::{clock, secret};

/// A topic.
#[derive(Debug, Clone)]
pub struct Topic {
    /// Its number.
    pub id: i64,
    /// What the person calls it.
    pub name: String,
    /// Grows whenever its model changes.
    pub version: i64,
}

/// A page that is marked just now.
#[derive(Debug, Clone)]
pub struct MarkRow {
    /// The page.
    pub address: String,
    /// Its title.
    pub title: String,
    /// Target, or "not this".
    pub target: bool,
}

impl Store {
    /// All topics, newest first.
    pub async fn topics(&self) -> Result<Vec<Topic>> {
        let rows: Vec<(i64, String, i64)> =
            sqlx::query_as("SELECT id, name, version FROM topic ORDER BY id DESC")
                .fetch_all(&self.pool)
                .await?;
        Ok(rows.into_iter().map(topic).collect())
    }

    /// A topic by its number.
    pub async fn topic(&self, id: i64) -> Result<Option<Topic>> {
        let row = sqlx::query_as("SELECT id, name, version FROM topic WHERE id = ?")
            .bind(id)
            .fetch_optional(&self.pool)
            .await?;
        Ok(row.map(topic))
    }

    /// The topic of that name, if it is there.
    pub async fn find_topic(&self, name: &str) -> Result<Option<Topic>> {
        let row = sqlx::query_as("SELECT id, name, version FROM topic WHERE name = ?")
            .bind(name)
            .fetch_optional(&self.pool)
            .await?;
        Ok(row.map(topic))
    }

    /// The topic of that name, made if it is not there.
    pub async fn topic_named(&self, name: &str) -> Result<Topic> {
        sqlx::query("INSERT INTO topic (name, created) VALUES (?, ?) ON CONFLICT DO NOTHING")
            .bind(name)
            .bind(clock::now())
            .execute(&self.pool)
            .await?;
        let row = sqlx::query_as("SELECT id, name, version FROM topic WHERE name = ?")
            .bind(name)
            .fetch_one(&self.pool)
            .await?;
        Ok(topic(row))
    }

    /// Puts down what happened here and now, all of it or nothing.
    pub async fn note(&self, topic: &Topic, what: Vec<EventKind>) -> Result<()> {
        let event = |what| Event {
            id: secret::random_hex::<16>(),
            topic: topic.name.clone(),
            time: clock::now() as u64,
            what,
        };
        let events: Vec<Event> = what.into_iter().map(event).collect();
        self.take_events(&events).await?;
        Ok(())
    }

    /// Takes in events; those known already are passed over. Returns how many
    /// were new.
    pub async fn take_events(&self, events: &[Event]) -> Result<usize> {
        let mut names: Vec<&str> = events.iter().map(|event| event.topic.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        let mut topics = std::collections::HashMap::new();
        for name in names {
            topics.insert(name, self.topic_named(name).await?.id);
        }
        let mut transaction = self.pool.begin().await?;
        let mut taken = 0;
        for event in events {
            let body = serde_json::to_string(event)?;
            let done = sqlx::query(
                "INSERT INTO event (id, topic, time, body) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
            )
            .bind(&event.id)
            .bind(topics[event.topic.as_str()])
            .bind(event.time as i64)
            .bind(body)
            .execute(&mut *transaction)
            .await?;
            taken += done.rows_affected() as usize;
        }
        for id in topics.values() {
            sqlx::query("UPDATE topic SET version = version + 1 WHERE id = ? AND ? > 0")
                .bind(id)
                .bind(taken as i64)
                .execute(&mut *transaction)
                .await?;
        }
        transaction.commit().await?;
        Ok(taken)
    }

    /// Everything that happened to a topic, oldest first. A row that cannot be read
    /// is passed over, and that is said.
    pub async fn events(&self, topic: i64) -> Result<Vec<Event>> {
        let rows: Vec<(i64, String)> =
            sqlx::query_as("SELECT number, body FROM event WHERE topic = ? ORDER BY number")
                .bind(topic)
                .fetch_all(&self.pool)
                .await?;
        let mut events = Vec::new();
        for (number, body) in rows {
            match serde_json::from_str(&body) {
                Ok(event) => events.push(event),
                Err(error) => {
                    let said = format!(
                        "a mark or a click of this topic cannot be read and does not count (row \
                         {number} of the table event in linkscent.sqlite: {error}): mark the page \
                         again"
                    );
                    self.notice(topic, None, &said).await?;
                }
            }
        }
        Ok(events)
    }

    /// The marks in force, newest first.
    pub async fn marks(&self, topic: i64) -> Result<Vec<MarkRow>> {
        let mut marks: Vec<MarkRow> = Vec::new();
        for event in self.events(topic).await? {
            if let EventKind::Mark {
                address,
                title,
                target,
                ..
            } = event.what
            {
                marks.retain(|mark| mark.address != address);
                if let Some(target) = target {
                    marks.push(MarkRow {
                        address,
                        title,
                        target,
                    });
                }
            }
        }
        marks.reverse();
        Ok(marks)
    }

    /// The marks on forms in force: page, form, whether it is looked for.
    pub async fn form_marks(&self, topic: i64) -> Result<Vec<(String, String, bool)>> {
        let mut marks: Vec<(String, String, bool)> = Vec::new();
        for event in self.events(topic).await? {
            if let EventKind::Form {
                address,
                form,
                wanted,
                ..
            } = event.what
            {
                marks.retain(|mark| (&mark.0, &mark.1) != (&address, &form));
                marks.extend(wanted.map(|wanted| (address, form, wanted)));
            }
        }
        Ok(marks)
    }

    /// What counts as found: the name of a critic or a predicate, where one was
    /// chosen.
    pub async fn critic(&self, topic: i64) -> Result<Option<String>> {
        let row: Option<(Option<String>,)> =
            sqlx::query_as("SELECT critic FROM topic WHERE id = ?")
                .bind(topic)
                .fetch_optional(&self.pool)
                .await?;
        Ok(row.and_then(|row| row.0))
    }

    /// Chooses what counts as found.
    pub async fn set_critic(&self, topic: i64, critic: &str) -> Result<()> {
        sqlx::query("UPDATE topic SET critic = ?, version = version + 1 WHERE id = ?")
            .bind(critic)
            .bind(topic)
            .execute(&self.pool)
            .await?;
        Ok(())
    }

    /// The topic's model file, if a crawl left one.
    pub async fn model(&self, topic: i64) -> Result<Option<Vec<u8>>> {
        let row: Option<(Option<Vec<u8>>,)> =
            sqlx::query_as("SELECT model FROM topic WHERE id = ?")
                .bind(topic)
                .fetch_optional(&self.pool)
                .await?;
        Ok(row.and_then(|row| row.0))
    }

    /// Keeps a topic's model file.
    pub async fn set_model(&self, topic: i64, model: &[u8]) -> Result<()> {
        sqlx::query("UPDATE topic SET model = ?, version = version + 1 WHERE id = ?")
            .bind(model)
            .bind(topic)
            .execute(&self.pool)
            .await?;
        Ok(())
    }
}

fn topic((id, name, version): (i64, String, i64)) -> Topic {
    Topic { id, name, version }
}
