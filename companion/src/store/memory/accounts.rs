//! Accounts, sign-ins and deeds, in memory.

use async_trait::async_trait;

use super::{MemoryStore, at};
use crate::store::ports::{AccountRow, Accounts, Deed, MOST_SIGN_INS, Role, Topic, Topics};
use crate::store::{StoreError, StoreResult};

#[async_trait]
impl Accounts for MemoryStore {
    async fn add_account(
        &self,
        name: &str,
        role: Role,
        password: &str,
        now: i64,
    ) -> StoreResult<i64> {
        self.change(|state| {
            if state.accounts.iter().any(|(known, _)| known.name == name) {
                return Err(StoreError::Conflict);
            }
            state.accounts_made += 1;
            let row = AccountRow {
                id: state.accounts_made,
                name: name.to_owned(),
                role,
                created: now,
            };
            state.accounts.push((row, password.to_owned()));
            state.accounts.sort_by(|a, b| a.0.name.cmp(&b.0.name));
            Ok(state.accounts_made)
        })
    }

    async fn accounts(&self) -> StoreResult<Vec<AccountRow>> {
        let state = self.read();
        Ok(state.accounts.iter().map(|(row, _)| row.clone()).collect())
    }

    async fn account(&self, name: &str) -> StoreResult<Option<(AccountRow, String)>> {
        let state = self.read();
        let found = state.accounts.iter().find(|(row, _)| row.name == name);
        Ok(found.cloned())
    }

    async fn account_of(&self, subject: &str) -> StoreResult<Option<(AccountRow, String)>> {
        let state = self.read();
        let Some(id) = state.subjects.get(subject) else {
            return Ok(None);
        };
        Ok(state
            .accounts
            .iter()
            .find(|(row, _)| row.id == *id)
            .cloned())
    }

    async fn bind_account(&self, id: i64, subject: &str) -> StoreResult<bool> {
        self.change(|state| {
            let is_there = state.accounts.iter().any(|(row, _)| row.id == id);
            if !is_there || state.subjects.values().any(|of| *of == id) {
                return Ok(false);
            }
            if state.subjects.contains_key(subject) {
                return Err(StoreError::Conflict);
            }
            state.subjects.insert(subject.to_owned(), id);
            Ok(true)
        })
    }

    async fn unbind_account(&self, id: i64) -> StoreResult<()> {
        self.change(|state| {
            state.subjects.retain(|_, of| *of != id);
            state.sign_ins.retain(|row| row.1 != id);
            Ok(())
        })
    }

    async fn set_role(&self, id: i64, role: Role) -> StoreResult<()> {
        self.change(|state| {
            if let Some((row, _)) = state.accounts.iter_mut().find(|(row, _)| row.id == id) {
                row.role = role;
            }
            Ok(())
        })
    }

    async fn set_password(&self, id: i64, password: &str) -> StoreResult<()> {
        self.change(|state| {
            if let Some(row) = state.accounts.iter_mut().find(|(row, _)| row.id == id) {
                password.clone_into(&mut row.1);
            }
            state.sign_ins.retain(|row| row.1 != id);
            Ok(())
        })
    }

    async fn remove_account(&self, id: i64) -> StoreResult<()> {
        self.change(|state| {
            state.accounts.retain(|(row, _)| row.id != id);
            state.topic_roles.retain(|&(of, _), _| of != id);
            state.subjects.retain(|_, of| *of != id);
            state.sign_ins.retain(|row| row.1 != id);
            Ok(())
        })
    }

    async fn sign_in(
        &self,
        digest: &str,
        account: i64,
        password: &str,
        now: i64,
        ended: i64,
    ) -> StoreResult<bool> {
        self.change(|state| {
            state.sign_ins.retain(|row| row.2 >= ended);
            let mut accounts = state.accounts.iter();
            if !accounts.any(|(row, hash)| row.id == account && hash == password) {
                return Ok(false);
            }
            if state.sign_ins.iter().any(|row| row.0 == digest) {
                return Err(StoreError::Conflict);
            }
            state.sign_ins.push((digest.to_owned(), account, now));
            let mut own: Vec<(i64, String)> = state
                .sign_ins
                .iter()
                .filter(|row| row.1 == account)
                .map(|row| (-row.2, row.0.clone()))
                .collect();
            own.sort_unstable();
            for (_, digest) in own.into_iter().skip(MOST_SIGN_INS as usize) {
                state.sign_ins.retain(|row| row.0 != digest);
            }
            Ok(true)
        })
    }

    async fn signed_in(&self, digest: &str, since: i64) -> StoreResult<Option<(AccountRow, i64)>> {
        let state = self.read();
        let mut sign_ins = state.sign_ins.iter();
        let found = sign_ins.find(|row| row.0 == digest && row.2 >= since);
        Ok(found.and_then(|(_, account, used)| {
            let mut accounts = state.accounts.iter();
            let (row, _) = accounts.find(|(row, _)| row.id == *account)?;
            Some((row.clone(), *used))
        }))
    }

    async fn sign_in_used(&self, digest: &str, now: i64) -> StoreResult<()> {
        self.change(|state| {
            if let Some(row) = state.sign_ins.iter_mut().find(|row| row.0 == digest) {
                row.2 = now;
            }
            Ok(())
        })
    }

    async fn sign_out(&self, digest: &str) -> StoreResult<()> {
        self.change(|state| {
            state.sign_ins.retain(|row| row.0 != digest);
            Ok(())
        })
    }

    async fn found_topic(&self, key: &str, account: i64) -> StoreResult<Option<Topic>> {
        if self.find_topic(key).await?.is_some() {
            return Ok(None);
        }
        let topic = self.topic_named(key).await?;
        self.set_topic_role(account, topic.id, Some(Role::Owner))
            .await?;
        Ok(Some(topic))
    }

    async fn set_topic_role(
        &self,
        account: i64,
        topic: i64,
        role: Option<Role>,
    ) -> StoreResult<()> {
        self.change(|state| {
            let key = (account, topic);
            let is_known = state.accounts.iter().any(|(row, _)| row.id == account);
            match role {
                None => {
                    state.topic_roles.remove(&key);
                }
                Some(_) if !is_known || at(&state.topics, topic).is_none() => {
                    return Err(StoreError::Missing("account or topic"));
                }
                Some(role) => {
                    state.topic_roles.insert(key, role);
                }
            }
            Ok(())
        })
    }

    async fn topic_roles(&self, account: i64) -> StoreResult<Vec<(i64, Role)>> {
        let state = self.read();
        let own = state.topic_roles.range((account, i64::MIN)..);
        let own = own.take_while(|((of, _), _)| *of == account);
        Ok(own.map(|((_, topic), role)| (*topic, *role)).collect())
    }

    async fn people_of(&self, topic: i64) -> StoreResult<Vec<(AccountRow, Role)>> {
        let state = self.read();
        let people = state.accounts.iter().filter_map(|(row, _)| {
            let role = state.topic_roles.get(&(row.id, topic))?;
            Some((row.clone(), *role))
        });
        Ok(people.collect())
    }

    async fn put_deed(&self, deed: &Deed, most: i64) -> StoreResult<()> {
        self.change(|state| {
            state.deeds.push(deed.clone());
            let most = usize::try_from(most).unwrap_or_default();
            let older = state.deeds.len().saturating_sub(most);
            state.deeds.drain(..older);
            Ok(())
        })
    }

    async fn deeds(&self, most: i64) -> StoreResult<Vec<Deed>> {
        let state = self.read();
        let most = usize::try_from(most).unwrap_or_default();
        Ok(state.deeds.iter().rev().take(most).cloned().collect())
    }
}
