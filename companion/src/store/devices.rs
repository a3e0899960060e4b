//! Paired browsers.

use anyhow::Result;
use linkscent_core::wire::channel::DeviceKey;

use super::Store;
use crate::{clock, secret};

/// A paired browser.
#[derive(Debug, Clone)]
pub struct Device {
    /// Its number.
    pub id: i64,
    /// What it calls itself.
    pub name: String,
    /// The extension's origin, if it sent one.
    pub origin: String,
}

impl Store {
    /// Paired browsers, newest first.
    pub async fn devices(&self) -> Result<Vec<Device>> {
        let rows: Vec<(i64, String, String)> =
            sqlx::query_as("SELECT id, name, origin FROM device ORDER BY id DESC")
                .fetch_all(&self.pool)
                .await?;
        Ok(rows.into_iter().map(device).collect())
    }

    /// The number and the key of the browser with that identifier.
    pub async fn device_key(&self, identifier: &str) -> Result<Option<(i64, DeviceKey)>> {
        let row: Option<(i64, String)> =
            sqlx::query_as("SELECT id, key FROM device WHERE digest = ?")
                .bind(identifier)
                .fetch_optional(&self.pool)
                .await?;
        Ok(row.and_then(|(id, key)| {
            let key = DeviceKey::from_bytes(&secret::from_hex(&key)?)?;
            Some((id, key))
        }))
    }

    /// Whether a browser is still paired.
    pub async fn has_device(&self, id: i64) -> Result<bool> {
        let row: (bool,) = sqlx::query_as("SELECT EXISTS (SELECT 1 FROM device WHERE id = ?)")
            .bind(id)
            .fetch_one(&self.pool)
            .await?;
        Ok(row.0)
    }

    /// Takes in a browser; its identifier.
    pub async fn add_device(&self, name: &str, origin: &str, key: &DeviceKey) -> Result<String> {
        let identifier = secret::random_hex::<16>();
        sqlx::query(
            "INSERT INTO device (name, origin, digest, key, created) VALUES (?, ?, ?, ?, ?)",
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

    /// Forgets a browser: its key no longer opens anything.
    pub async fn remove_device(&self, id: i64) -> Result<()> {
        sqlx::query("DELETE FROM device WHERE id = ?")
            .bind(id)
            .execute(&self.pool)
            .await?;
        Ok(())
    }
}

fn device((id, name, origin): (i64, String, String)) -> Device {
    Device { id, name, origin }
}
