//! Tokens of programs as rows.

use async_trait::async_trait;

#[cfg(feature = "team")]
use super::PostgresStore;
use super::{SqliteStore, json};
use crate::ports::{Permission, TokenRow, Tokens};
use crate::{StoreError, StoreResult};

type Row = (i64, String, String, i64, i64);
const TOKEN: &str = "SELECT id, name, may, created, used FROM token";

macro_rules! tokens {
    ($store:ty) => {
        #[async_trait]
        impl Tokens for $store {
            async fn add_token(
                &self,
                name: &str,
                may: &[Permission],
                digest: &str,
                now: i64,
            ) -> StoreResult<i64> {
                let row: (i64,) = sqlx::query_as(
                    "INSERT INTO token (name, may, digest, created) VALUES ($1, $2, $3, $4) RETURNING id",
                )
                .bind(name)
                .bind(json(&may)?)
                .bind(digest)
                .bind(now)
                .fetch_one(&self.pool)
                .await?;
                Ok(row.0)
            }

            async fn tokens(&self) -> StoreResult<Vec<TokenRow>> {
                let query = sqlx::AssertSqlSafe(format!("{TOKEN} ORDER BY id DESC"));
                let rows: Vec<Row> = sqlx::query_as(query).fetch_all(&self.pool).await?;
                rows.into_iter().map(token).collect()
            }

            async fn token(&self, digest: &str) -> StoreResult<Option<TokenRow>> {
                let query = sqlx::AssertSqlSafe(format!("{TOKEN} WHERE digest = $1"));
                let row: Option<Row> = sqlx::query_as(query)
                    .bind(digest)
                    .fetch_optional(&self.pool)
                    .await?;
                row.map(token).transpose()
            }

            async fn token_used(&self, id: i64, now: i64) -> StoreResult<()> {
                sqlx::query("UPDATE token SET used = $1 WHERE id = $2")
                    .bind(now)
                    .bind(id)
                    .execute(&self.pool)
                    .await?;
                Ok(())
            }

            async fn remove_token(&self, id: i64) -> StoreResult<()> {
                sqlx::query("DELETE FROM token WHERE id = $1")
                    .bind(id)
                    .execute(&self.pool)
                    .await?;
                Ok(())
            }
        }
    };
}

tokens!(SqliteStore);
#[cfg(feature = "team")]
tokens!(PostgresStore);

fn token((id, name, may, created, used): Row) -> StoreResult<TokenRow> {
    let may = serde_json::from_str(&may)
        .map_err(|error| StoreError::Unreadable(format!("what token {id} permits: {error}")))?;
    Ok(TokenRow {
        id,
        name,
        may,
        created,
        used,
    })
}
