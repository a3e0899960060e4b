//! Paired browsers.

use anyhow::Result;

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

    /// The browser with that token.
    pub async fn device_with_token(&self, token: &str) -> Result<Option<Device>> {
        let row = sqlx::query_as("SELECT id, name, origin FROM device WHERE digest = ?")
            .bind(secret::digest(token))
            .fetch_optional(&self.pool)
            .await?;
        Ok(row.map(device))
    }

    /// Takes in a browser; its token itself is not kept.
    pub async fn add_device(&self, name: &str, origin: &str, token: &str) -> Result<()> {
        sqlx::query("INSERT INTO device (name, origin, digest, created) VALUES (?, ?, ?, ?)")
            .bind(name)
            .bind(origin)
            .bind(secret::digest(token))
            .bind(clock::now())
            .execute(&self.pool)
            .await?;
        Ok(())
    }

    /// Forgets a browser: its token no longer opens anything.
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
