//! Sites of which nothing is remembered, in memory.

use async_trait::async_trait;

use super::MemoryStore;
use crate::store::StoreResult;
use crate::store::ports::Sites;

#[async_trait]
impl Sites for MemoryStore {
    async fn forget_site(&self, host: &str, is_forgotten: bool) -> StoreResult<()> {
        self.change(|state| {
            if is_forgotten {
                state.forgotten_sites.insert(host.to_owned());
            } else {
                state.forgotten_sites.remove(host);
            }
            Ok(())
        })
    }

    async fn forgotten_sites(&self) -> StoreResult<Vec<String>> {
        Ok(self.read().forgotten_sites.iter().cloned().collect())
    }
}
