//! Paired browsers as rows.

use async_trait::async_trait;
use linkscent_core::wire::channel::DeviceKey;

#[cfg(feature = "team")]
use super::PostgresStore;
use super::SqliteStore;
use crate::StoreResult;
use crate::ports::{Device, Devices};
use crate::{clock, secret};

macro_rules! devices {
    ($store:ty) => {
        #[async_trait]
        impl Devices for $store {
            async fn devices(&self) -> StoreResult<Vec<Device>> {
                let rows: Vec<(i64, String, String)> =
                    sqlx::query_as("SELECT id, name, origin FROM device ORDER BY id DESC")
                        .fetch_all(&self.pool)
                        .await?;
                Ok(rows.into_iter().map(device).collect())
            }

            async fn device_key(&self, identifier: &str) -> StoreResult<Option<(i64, DeviceKey)>> {
                let row: Option<(i64, String)> =
                    sqlx::query_as("SELECT id, key FROM device WHERE digest = $1")
                        .bind(identifier)
                        .fetch_optional(&self.pool)
                        .await?;
                Ok(row.and_then(|(id, key)| {
                    let key = DeviceKey::from_bytes(&secret::from_hex(&key)?)?;
                    Some((id, key))
                }))
            }

            async fn has_device(&self, id: i64) -> StoreResult<bool> {
                let row: (bool,) = sqlx::query_as("SELECT EXISTS (SELECT 1 FROM device WHERE id = $1)")
                    .bind(id)
                    .fetch_one(&self.pool)
                    .await?;
                Ok(row.0)
            }

            async fn add_device(&self, name: &str, origin: &str, key: &DeviceKey) -> StoreResult<String> {
                let identifier = secret::random_hex::<16>();
                sqlx::query(
                    "INSERT INTO device (name, origin, digest, key, created) VALUES ($1, $2, $3, $4, $5)",
                )
                .bind(name)
                .bind(origin)
                .bind(&identifier)
                .bind(secret::hex(key.bytes()))
                .bind(clock::now())
                .execute(&self.pool)
                .await?;
                Ok(identifier)
            }

            async fn rename_device(&self, id: i64, name: &str) -> StoreResult<()> {
                sqlx::query("UPDATE device SET name = $1 WHERE id = $2")
                    .bind(name)
                    .bind(id)
                    .execute(&self.pool)
                    .await?;
                Ok(())
            }

            async fn remove_device(&self, id: i64) -> StoreResult<()> {
                sqlx::query("DELETE FROM device WHERE id = $1")
                    .bind(id)
                    .execute(&self.pool)
                    .await?;
                Ok(())
            }
        }
    };
}

devices!(SqliteStore);
#[cfg(feature = "team")]
devices!(PostgresStore);

fn device((id, name, origin): (i64, String, String)) -> Device {
    Device { id, name, origin }
}
