//! Hearing of changes by a connection that listens: every transaction that changes something notifies
//! when it is committed.

use async_trait::async_trait;
use sqlx::PgPool;
use sqlx::postgres::PgListener;

use super::PostgresStore;
use crate::StoreResult;
use crate::ports::{Changes, Watch};

/// As the migrations name it.
const CHANNEL: &str = "linkscent_changed";

#[async_trait]
impl Changes for PostgresStore {
    async fn watch(&self) -> StoreResult<Box<dyn Watch>> {
        let watch = Listening {
            pool: self.pool.clone(),
            listener: Some(listen(&self.pool).await?),
            version: 0,
        };
        Ok(Box::new(watch))
    }
}

struct Listening {
    pool: PgPool,
    /// None after its connection was lost.
    listener: Option<PgListener>,
    version: i64,
}

async fn listen(pool: &PgPool) -> StoreResult<PgListener> {
    let mut listener = super::listener(pool).await?;
    listener.listen(CHANNEL).await?;
    Ok(listener)
}

#[async_trait]
impl Watch for Listening {
    async fn version(&mut self) -> StoreResult<i64> {
        let Some(listener) = &mut self.listener else {
            // What was changed meanwhile nobody heard of.
            self.listener = Some(listen(&self.pool).await?);
            self.version += 1;
            return Ok(self.version);
        };
        // The server hands over what it has to say before it answers.
        if let Err(error) = sqlx::query("SELECT 1").execute(&mut *listener).await {
            self.listener = None;
            return Err(error.into());
        }
        let mut is_changed = false;
        while listener.next_buffered().is_some() {
            is_changed = true;
        }
        self.version += i64::from(is_changed);
        Ok(self.version)
    }
}
