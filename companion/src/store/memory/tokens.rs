//! Tokens of programs, in memory.

use async_trait::async_trait;

use super::MemoryStore;
use crate::store::ports::{Permission, TokenRow, Tokens};
use crate::store::{StoreError, StoreResult};

#[async_trait]
impl Tokens for MemoryStore {
    async fn add_token(
        &self,
        name: &str,
        may: &[Permission],
        digest: &str,
        now: i64,
    ) -> StoreResult<i64> {
        self.change(|state| {
            if state.tokens.iter().any(|(known, _)| known == digest) {
                return Err(StoreError::Conflict);
            }
            state.tokens_made += 1;
            let row = TokenRow {
                id: state.tokens_made,
                name: name.to_owned(),
                may: may.to_vec(),
                created: now,
                used: 0,
            };
            state.tokens.push((digest.to_owned(), row));
            Ok(state.tokens_made)
        })
    }

    async fn tokens(&self) -> StoreResult<Vec<TokenRow>> {
        let state = self.read();
        Ok(state
            .tokens
            .iter()
            .rev()
            .map(|(_, row)| row.clone())
            .collect())
    }

    async fn token(&self, digest: &str) -> StoreResult<Option<TokenRow>> {
        let state = self.read();
        let found = state.tokens.iter().find(|(known, _)| known == digest);
        Ok(found.map(|(_, row)| row.clone()))
    }

    async fn token_used(&self, id: i64, now: i64) -> StoreResult<()> {
        self.change(|state| {
            if let Some((_, row)) = state.tokens.iter_mut().find(|(_, row)| row.id == id) {
                row.used = now;
            }
            Ok(())
        })
    }

    async fn remove_token(&self, id: i64) -> StoreResult<()> {
        self.change(|state| {
            state.tokens.retain(|(_, row)| row.id != id);
            Ok(())
        })
    }
}
