//! Paired browsers and their keys.

use async_trait::async_trait;
use linkscent_core::wire::channel::DeviceKey;

use crate::error::StoreResult;

/// A paired browser.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Device {
    /// Its number, from 1.
    pub id: i64,
    /// What it calls itself.
    pub name: String,
    /// The extension's origin, if it sent one.
    pub origin: String,
}

/// Browsers that may call.
#[async_trait]
pub trait Devices: Send + Sync {
    /// Paired browsers, newest first.
    async fn devices(&self) -> StoreResult<Vec<Device>>;

    /// The number and the key of the browser with that identifier. A key that cannot be read
    /// counts as none.
    async fn device_key(&self, identifier: &str) -> StoreResult<Option<(i64, DeviceKey)>>;

    /// Whether a browser is still paired.
    async fn has_device(&self, id: i64) -> StoreResult<bool>;

    /// Takes in a browser; its identifier, 32 random hexadecimal digits. Browsers of one
    /// name stay apart.
    async fn add_device(&self, name: &str, origin: &str, key: &DeviceKey) -> StoreResult<String>;

    /// Calls a browser otherwise.
    async fn rename_device(&self, id: i64, name: &str) -> StoreResult<()>;

    /// Forgets a browser: its key no longer opens anything. Its number may be given to
    /// another one, so whoever forgets a browser closes its channels.
    async fn remove_device(&self, id: i64) -> StoreResult<()>;
}
