//! Topics, and what happened to them, as rows.

use std::collections::HashMap;

use async_trait::async_trait;
use linkscent_core::wire::api::{Event, EventKind, EventName};
#[cfg(feature = "team")]
use sqlx::Postgres;
use sqlx::{AssertSqlSafe, Sqlite, Transaction};

#[cfg(feature = "team")]
use super::PostgresStore;
use super::{Dialect, SqliteStore, json, text};
use crate::StoreResult;
use crate::clock;
use crate::ports::{Events, Said, Topic, Topics};

/// Number, key, name, version, whether it is removed, and deleted.
type TopicRow = (i64, String, String, i64, bool, bool);

/// Topics as rows. The column `name` is the key: a topic once had one name for good.
macro_rules! select {
    ($which:literal) => {
        concat!(
            "SELECT id, name, coalesce(called, name), version, removed, deleted FROM topic ",
            $which
        )
    };
}

macro_rules! topics {
    ($store:ty, $database:ty) => {
        #[async_trait]
        impl Topics for $store {
            async fn topics(&self) -> StoreResult<Vec<Topic>> {
                let rows = sqlx::query_as(select!("ORDER BY id DESC"));
                let rows: Vec<TopicRow> = rows.fetch_all(&self.pool).await?;
                Ok(rows.into_iter().map(topic).collect())
            }

            async fn topic(&self, id: i64) -> StoreResult<Option<Topic>> {
                let row = sqlx::query_as(select!("WHERE id = $1"))
                    .bind(id)
                    .fetch_optional(&self.pool)
                    .await?;
                Ok(row.map(topic))
            }

            async fn find_topic(&self, key: &str) -> StoreResult<Option<Topic>> {
                let row = sqlx::query_as(select!("WHERE name = $1"))
                    .bind(text(key))
                    .fetch_optional(&self.pool)
                    .await?;
                Ok(row.map(topic))
            }

            async fn topic_called(&self, name: &str) -> StoreResult<Option<Topic>> {
                let row = sqlx::query_as(select!(
                    "WHERE coalesce(called, name) = $1 ORDER BY deleted, id DESC LIMIT 1"
                ))
                .bind(text(name))
                .fetch_optional(&self.pool)
                .await?;
                Ok(row.map(topic))
            }

            async fn topic_named(&self, key: &str) -> StoreResult<Topic> {
                sqlx::query("INSERT INTO topic (name, created) VALUES ($1, $2) ON CONFLICT DO NOTHING")
                    .bind(text(key))
                    .bind(clock::now())
                    .execute(&self.pool)
                    .await?;
                let row = sqlx::query_as(select!("WHERE name = $1"))
                    .bind(text(key))
                    .fetch_one(&self.pool)
                    .await?;
                Ok(topic(row))
            }

            async fn critic(&self, topic: i64) -> StoreResult<Option<String>> {
                let row: Option<(Option<String>,)> =
                    sqlx::query_as("SELECT critic FROM topic WHERE id = $1")
                        .bind(topic)
                        .fetch_optional(&self.pool)
                        .await?;
                Ok(row.and_then(|row| row.0))
            }

            async fn set_critic(&self, topic: i64, critic: &str) -> StoreResult<()> {
                sqlx::query("UPDATE topic SET critic = $1, version = version + 1 WHERE id = $2")
                    .bind(text(critic))
                    .bind(topic)
                    .execute(&self.pool)
                    .await?;
                Ok(())
            }

            async fn taxonomy(&self, topic: i64) -> StoreResult<Option<Vec<u8>>> {
                let row: Option<(Option<Vec<u8>>,)> =
                    sqlx::query_as("SELECT taxonomy FROM topic WHERE id = $1")
                        .bind(topic)
                        .fetch_optional(&self.pool)
                        .await?;
                Ok(row.and_then(|row| row.0))
            }

            async fn set_taxonomy(&self, topic: i64, taxonomy: &[u8]) -> StoreResult<()> {
                sqlx::query("UPDATE topic SET taxonomy = $1, version = version + 1 WHERE id = $2")
                    .bind(taxonomy)
                    .bind(topic)
                    .execute(&self.pool)
                    .await?;
                Ok(())
            }

            async fn model(&self, topic: i64) -> StoreResult<Option<Vec<u8>>> {
                let row: Option<(Vec<u8>,)> = sqlx::query_as("SELECT file FROM model WHERE topic = $1")
                    .bind(topic)
                    .fetch_optional(&self.pool)
                    .await?;
                Ok(row.map(|row| row.0))
            }

            async fn set_model(&self, topic: i64, model: &[u8]) -> StoreResult<()> {
                let mut transaction = self.pool.begin().await?;
                sqlx::query("UPDATE topic SET version = version + 1 WHERE id = $1")
                    .bind(topic)
                    .execute(&mut *transaction)
                    .await?;
                sqlx::query(
                    "INSERT INTO model (topic, file) SELECT id, $1 FROM topic WHERE id = $2
                     ON CONFLICT (topic) DO UPDATE SET file = excluded.file",
                )
                .bind(model)
                .bind(topic)
                .execute(&mut *transaction)
                .await?;
                transaction.commit().await?;
                Ok(())
            }

            async fn taught(&self) -> StoreResult<Vec<i64>> {
                let kind = Self::KIND;
                let rows: Vec<(i64,)> = sqlx::query_as(AssertSqlSafe(format!(
                    "SELECT id FROM topic WHERE id IN (SELECT topic FROM model) OR EXISTS (SELECT 1 FROM event
                     WHERE event.topic = topic.id AND {kind} = $1) ORDER BY id DESC"
                )))
                .bind(EventName::Click.as_str())
                .fetch_all(&self.pool)
                .await?;
                Ok(rows.into_iter().map(|row| row.0).collect())
            }
        }

        #[async_trait]
        impl Events for $store {
            async fn take_events(&self, events: &[Event]) -> StoreResult<usize> {
                let mut names: Vec<&str> = events.iter().map(|event| event.topic.as_str()).collect();
                names.sort_unstable();
                names.dedup();
                let mut topics = HashMap::new();
                for name in names {
                    topics.insert(name, self.topic_named(name).await?.id);
                }
                // Whoever asks for what came after a number gets all of it: events come in one after the other.
                let mut transaction = self.begin_alone().await?;
                let mut taken = 0;
                for event in events {
                    let topic = topics[event.topic.as_str()];
                    let done = sqlx::query(
                        "INSERT INTO event (id, topic, time, body) VALUES ($1, $2, $3, $4)
                         ON CONFLICT DO NOTHING",
                    )
                    .bind(text(&event.id))
                    .bind(topic)
                    .bind(event.time as i64)
                    .bind(json(event)?)
                    .execute(&mut *transaction)
                    .await?;
                    taken += done.rows_affected() as usize;
                    if matches!(event.what.name(), EventName::Name | EventName::Remove) {
                        self.say_again(topic, event.what.name(), &mut transaction)
                            .await?;
                    }
                }
                for id in topics.values() {
                    sqlx::query("UPDATE topic SET version = version + 1 WHERE id = $1 AND $2 > 0")
                        .bind(id)
                        .bind(taken as i64)
                        .execute(&mut *transaction)
                        .await?;
                }
                transaction.commit().await?;
                Ok(taken)
            }

            async fn events(&self, topic: i64) -> StoreResult<Vec<Event>> {
                let rows: Vec<(i64, String)> =
                    sqlx::query_as("SELECT number, body FROM event WHERE topic = $1 ORDER BY time, number")
                        .bind(topic)
                        .fetch_all(&self.pool)
                        .await?;
                self.read_events(topic, rows).await
            }

            async fn events_of(&self, topic: i64, kind: EventName) -> StoreResult<Vec<Event>> {
                let of = Self::KIND;
                let rows: Vec<(i64, String)> = sqlx::query_as(AssertSqlSafe(format!(
                    "SELECT number, body FROM event WHERE topic = $1 AND {of} = $2 ORDER BY time, number"
                )))
                .bind(topic)
                .bind(kind.as_str())
                .fetch_all(&self.pool)
                .await?;
                self.read_events(topic, rows).await
            }

            async fn said_after(&self, after: i64, most: usize) -> StoreResult<Said> {
                let newest: Option<(i64,)> =
                    sqlx::query_as(Self::NEWEST_EVENT)
                        .fetch_optional(&self.pool)
                        .await?;
                let newest = newest.map_or(0, |row| row.0);
                let after = if after > newest { 0 } else { after };
                let kind = Self::KIND;
                let rows: Vec<(i64, String)> = sqlx::query_as(AssertSqlSafe(format!(
                    "SELECT number, body FROM event WHERE number > $1 AND {kind} IN ($2, $3)
                     ORDER BY number LIMIT $4"
                )))
                .bind(after)
                .bind(EventName::Mark.as_str())
                .bind(EventName::Phrase.as_str())
                .bind(most as i64)
                .fetch_all(&self.pool)
                .await?;
                // An event that cannot be read is told of where its topic is looked at.
                let events = rows.iter().map(|row| serde_json::from_str(&row.1));
                Ok(Said {
                    until: match rows.last() {
                        Some(last) if rows.len() == most => last.0,
                        _ => newest,
                    },
                    events: events.filter_map(Result::ok).collect(),
                })
            }

            async fn latest_time(&self) -> StoreResult<u64> {
                let (time,): (Option<i64>,) = sqlx::query_as("SELECT max(time) FROM event")
                    .fetch_one(&self.pool)
                    .await?;
                Ok(time.unwrap_or(0).max(0) as u64)
            }
        }

        impl $store {
            /// Puts down of a topic what the last event of a kind says of it.
            async fn say_again(
                &self,
                topic: i64,
                kind: EventName,
                transaction: &mut Transaction<'_, $database>,
            ) -> StoreResult<()> {
                let of = Self::KIND;
                let body: Option<String> = sqlx::query_scalar(AssertSqlSafe(format!(
                    "SELECT body FROM event WHERE topic = $1 AND {of} = $2
                     ORDER BY time DESC, number DESC LIMIT 1"
                )))
                .bind(topic)
                .bind(kind.as_str())
                .fetch_optional(&mut **transaction)
                .await?;
                let said = body.and_then(|body| serde_json::from_str::<Event>(&body).ok());
                let query = match said.map(|event| event.what) {
                    Some(EventKind::Name { name }) => {
                        sqlx::query("UPDATE topic SET called = $1 WHERE id = $2")
                            .bind(name.replace('\0', "\u{FFFD}"))
                    }
                    Some(EventKind::Remove { removed, for_good }) => {
                        sqlx::query("UPDATE topic SET removed = $1, deleted = $2 WHERE id = $3")
                            .bind(removed)
                            .bind(for_good)
                    }
                    _ => return Ok(()),
                };
                query.bind(topic).execute(&mut **transaction).await?;
                Ok(())
            }

            /// Events from their rows; a notice for each that cannot be read.
            async fn read_events(&self, topic: i64, rows: Vec<(i64, String)>) -> StoreResult<Vec<Event>> {
                let mut events = Vec::new();
                for (number, body) in rows {
                    match serde_json::from_str(&body) {
                        Ok(event) => events.push(event),
                        Err(error) => {
                            let said = format!(
                                "a mark or a click of this topic cannot be read and does not count (row \
                                 {number} of the table event in {}: {error}): mark the page \
                                 again",
                                Self::NAMED
                            );
                            self.tell(topic, &said).await?;
                        }
                    }
                }
                Ok(events)
            }
        }
    };
}

topics!(SqliteStore, Sqlite);
#[cfg(feature = "team")]
topics!(PostgresStore, Postgres);

fn topic((id, key, name, version, is_removed, is_deleted): TopicRow) -> Topic {
    Topic {
        id,
        key,
        name,
        version,
        is_removed,
        is_deleted,
    }
}
