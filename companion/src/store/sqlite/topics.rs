//! Topics, and what happened to them, as rows.

use std::collections::HashMap;

use async_trait::async_trait;
use linkscent_core::wire::api::{Event, EventName};

use super::{SqliteStore, json};
use crate::clock;
use crate::store::StoreResult;
use crate::store::ports::{Events, Said, Topic, Topics};

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

/// What kind an event is, in SQL; nothing if it cannot be read.
macro_rules! kind {
    () => {
        "CASE WHEN json_valid(body) THEN body ->> 'kind' END"
    };
}

/// Sets a column of a topic to what the last event of a kind says.
macro_rules! said_last {
    ($column:literal, $field:literal, $otherwise:literal) => {
        concat!(
            "UPDATE topic SET ",
            $column,
            " = (SELECT coalesce(body ->> '",
            $field,
            "', ",
            $otherwise,
            ") FROM event WHERE event.topic = topic.id AND ",
            kind!(),
            " = ? ORDER BY time DESC, number DESC LIMIT 1) WHERE id = ?"
        )
    };
}

#[async_trait]
impl Topics for SqliteStore {
    async fn topics(&self) -> StoreResult<Vec<Topic>> {
        let rows = sqlx::query_as(select!("ORDER BY id DESC"));
        let rows: Vec<TopicRow> = rows.fetch_all(&self.pool).await?;
        Ok(rows.into_iter().map(topic).collect())
    }

    async fn topic(&self, id: i64) -> StoreResult<Option<Topic>> {
        let row = sqlx::query_as(select!("WHERE id = ?"))
            .bind(id)
            .fetch_optional(&self.pool)
            .await?;
        Ok(row.map(topic))
    }

    async fn find_topic(&self, key: &str) -> StoreResult<Option<Topic>> {
        let row = sqlx::query_as(select!("WHERE name = ?"))
            .bind(key)
            .fetch_optional(&self.pool)
            .await?;
        Ok(row.map(topic))
    }

    async fn topic_called(&self, name: &str) -> StoreResult<Option<Topic>> {
        let row = sqlx::query_as(select!(
            "WHERE coalesce(called, name) = ? ORDER BY id DESC LIMIT 1"
        ))
        .bind(name)
        .fetch_optional(&self.pool)
        .await?;
        Ok(row.map(topic))
    }

    async fn topic_named(&self, key: &str) -> StoreResult<Topic> {
        sqlx::query("INSERT INTO topic (name, created) VALUES (?, ?) ON CONFLICT DO NOTHING")
            .bind(key)
            .bind(clock::now())
            .execute(&self.pool)
            .await?;
        let row = sqlx::query_as(select!("WHERE name = ?"))
            .bind(key)
            .fetch_one(&self.pool)
            .await?;
        Ok(topic(row))
    }

    async fn critic(&self, topic: i64) -> StoreResult<Option<String>> {
        let row: Option<(Option<String>,)> =
            sqlx::query_as("SELECT critic FROM topic WHERE id = ?")
                .bind(topic)
                .fetch_optional(&self.pool)
                .await?;
        Ok(row.and_then(|row| row.0))
    }

    async fn set_critic(&self, topic: i64, critic: &str) -> StoreResult<()> {
        sqlx::query("UPDATE topic SET critic = ?, version = version + 1 WHERE id = ?")
            .bind(critic)
            .bind(topic)
            .execute(&self.pool)
            .await?;
        Ok(())
    }

    async fn taxonomy(&self, topic: i64) -> StoreResult<Option<Vec<u8>>> {
        let row: Option<(Option<Vec<u8>>,)> =
            sqlx::query_as("SELECT taxonomy FROM topic WHERE id = ?")
                .bind(topic)
                .fetch_optional(&self.pool)
                .await?;
        Ok(row.and_then(|row| row.0))
    }

    async fn set_taxonomy(&self, topic: i64, taxonomy: &[u8]) -> StoreResult<()> {
        sqlx::query("UPDATE topic SET taxonomy = ?, version = version + 1 WHERE id = ?")
            .bind(taxonomy)
            .bind(topic)
            .execute(&self.pool)
            .await?;
        Ok(())
    }

    async fn model(&self, topic: i64) -> StoreResult<Option<Vec<u8>>> {
        let row: Option<(Vec<u8>,)> = sqlx::query_as("SELECT file FROM model WHERE topic = ?")
            .bind(topic)
            .fetch_optional(&self.pool)
            .await?;
        Ok(row.map(|row| row.0))
    }

    async fn set_model(&self, topic: i64, model: &[u8]) -> StoreResult<()> {
        let mut transaction = self.pool.begin().await?;
        sqlx::query("UPDATE topic SET version = version + 1 WHERE id = ?")
            .bind(topic)
            .execute(&mut *transaction)
            .await?;
        sqlx::query(
            "INSERT INTO model (topic, file) SELECT id, ?1 FROM topic WHERE id = ?2
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
        let rows: Vec<(i64,)> = sqlx::query_as(
            "SELECT id FROM topic WHERE id IN (SELECT topic FROM model) OR EXISTS (SELECT 1 FROM event
             WHERE event.topic = topic.id AND CASE WHEN json_valid(body) THEN body ->> 'kind' END = ?)
             ORDER BY id DESC",
        )
        .bind(EventName::Click.as_str())
        .fetch_all(&self.pool)
        .await?;
        Ok(rows.into_iter().map(|row| row.0).collect())
    }
}

#[async_trait]
impl Events for SqliteStore {
    async fn take_events(&self, events: &[Event]) -> StoreResult<usize> {
        let mut names: Vec<&str> = events.iter().map(|event| event.topic.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        let mut topics = HashMap::new();
        for name in names {
            topics.insert(name, self.topic_named(name).await?.id);
        }
        let mut transaction = self.pool.begin().await?;
        let mut taken = 0;
        for event in events {
            let body = json(event)?;
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
            let columns: &[&'static str] = match event.what.name() {
                EventName::Name => &[said_last!("called", "name", "NULL")],
                EventName::Remove => &[
                    said_last!("removed", "removed", "0"),
                    said_last!("deleted", "for_good", "0"),
                ],
                _ => &[],
            };
            for column in columns {
                sqlx::query(*column)
                    .bind(event.what.name().as_str())
                    .bind(topics[event.topic.as_str()])
                    .execute(&mut *transaction)
                    .await?;
            }
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

    async fn events(&self, topic: i64) -> StoreResult<Vec<Event>> {
        let rows: Vec<(i64, String)> =
            sqlx::query_as("SELECT number, body FROM event WHERE topic = ? ORDER BY time, number")
                .bind(topic)
                .fetch_all(&self.pool)
                .await?;
        self.read_events(topic, rows).await
    }

    async fn events_of(&self, topic: i64, kind: EventName) -> StoreResult<Vec<Event>> {
        let rows: Vec<(i64, String)> = sqlx::query_as(concat!(
            "SELECT number, body FROM event WHERE topic = ? AND ",
            kind!(),
            " = ? ORDER BY time, number"
        ))
        .bind(topic)
        .bind(kind.as_str())
        .fetch_all(&self.pool)
        .await?;
        self.read_events(topic, rows).await
    }

    async fn said_after(&self, after: i64, most: usize) -> StoreResult<Said> {
        let newest: Option<(i64,)> =
            sqlx::query_as("SELECT seq FROM sqlite_sequence WHERE name = 'event'")
                .fetch_optional(&self.pool)
                .await?;
        let newest = newest.map_or(0, |row| row.0);
        let after = if after > newest { 0 } else { after };
        let rows: Vec<(i64, String)> = sqlx::query_as(concat!(
            "SELECT number, body FROM event WHERE number > ? AND ",
            kind!(),
            " IN (?, ?) ORDER BY number LIMIT ?"
        ))
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

impl SqliteStore {
    /// Events from their rows; a notice for each that cannot be read.
    async fn read_events(&self, topic: i64, rows: Vec<(i64, String)>) -> StoreResult<Vec<Event>> {
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
                    self.tell(topic, &said).await?;
                }
            }
        }
        Ok(events)
    }
}

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

#[cfg(test)]
mod tests {
    use super::*;
    use linkscent_core::wire::api::EventKind;

    use crate::store::ports::Notices;

    #[tokio::test]
    async fn an_event_that_cannot_be_read_is_passed_over_and_told_of_once() {
        let folder = crate::store::tests::folder();
        let store = SqliteStore::open(folder.path()).await.unwrap();
        let event = |id: &str| Event {
            id: id.to_owned(),
            topic: "bees".to_owned(),
            time: 1,
            what: EventKind::mark_unread("http://a.test/", Some(true)),
        };
        let events = ["1", "2", "3"].map(event);
        store.take_events(&events).await.unwrap();
        sqlx::raw_sql("UPDATE event SET body = '{\"id\":' WHERE id = '2'")
            .execute(&store.pool)
            .await
            .unwrap();
        let topic = store.topic_named("bees").await.unwrap().id;
        for _ in 0..2 {
            let kept = store.events(topic).await.unwrap();
            assert_eq!(kept, [events[0].clone(), events[2].clone()]);
        }
        let notices = store.notices(topic, None).await.unwrap();
        assert_eq!(notices.len(), 1);
        assert!(
            notices[0].contains("row 2 of the table event"),
            "{notices:?}"
        );
    }
}
