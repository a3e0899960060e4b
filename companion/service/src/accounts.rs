//! People who share what is kept here: their accounts, and how they sign in.
//!
//! Passwords are kept as Argon2id hashes. Who signs in gets 256 random bits, of which only the digest
//! is kept, and which end two weeks after they were used last.
//!
//! Who comes from a provider has the account that is bound to whom it says they are. One that is
//! nobody's yet is bound to the first whose address, which the provider has verified, is its name.
//!
//! Topics that are shared are in `sharing`.

mod attempts;
mod passwords;
mod provider;

pub use attempts::Attempts;
pub use provider::{Person, Provider, ProviderError};

use super::ServiceError;
use super::context::Context;
use linkscent_store::{AccountRow, AuditEntry, Role, StoreError};
use linkscent_store::{clock, secret};
use std::sync::Arc;
pub(super) mod programs;

/// People who sign in, their roles, paired browsers and programs' tokens.
#[derive(Clone)]
pub struct Accounts {
    pub(super) context: Arc<Context>,
    attempts: Attempts,
}

impl Accounts {
    pub(super) fn new(context: Arc<Context>) -> Self {
        Self {
            context,
            attempts: Attempts::default(),
        }
    }
}

/// Characters of a name at most.
pub const LONGEST_ACCOUNT: usize = 60;
/// And at least.
const SHORTEST_PASSWORD: usize = 10;
/// The same of a password at most.
pub const LONGEST_PASSWORD: usize = 200;
/// People who can have an account.
const MOST_ACCOUNTS: usize = 500;
/// A sign-in that was not used for so many milliseconds has ended.
pub const SIGNED_IN_FOR: i64 = 14 * 24 * 3_600_000;
/// That it was used is put down once in so many.
const USED_EVERY: i64 = 600_000;
/// What was changed is remembered of so many requests.
const MOST_AUDIT_ENTRIES: i64 = 10_000;

impl Accounts {
    /// Makes an account without a password: for somebody who comes from a provider.
    pub async fn add_account_without(&self, name: &str, role: Role) -> Result<(), ServiceError> {
        self.take_account(name, role, "").await
    }

    /// Makes an account; its password, which is a random one if none is given.
    pub async fn add_account(
        &self,
        name: &str,
        role: Role,
        password: Option<&str>,
    ) -> Result<String, ServiceError> {
        let (password, hash) = self.hashed(password).await?;
        self.take_account(name, role, &hash).await?;
        Ok(password)
    }

    async fn take_account(&self, name: &str, role: Role, hash: &str) -> Result<(), ServiceError> {
        let name = proper_name(name)?;
        if self.context.store.accounts().await?.len() >= MOST_ACCOUNTS {
            return Err(ServiceError::refused(format!(
                "There are {MOST_ACCOUNTS} accounts already: remove one that is not used."
            )));
        }
        let added = self
            .context
            .store
            .add_account(&name, role, hash, clock::now());
        match added.await {
            Ok(_) => Ok(()),
            Err(StoreError::Conflict) => Err(ServiceError::refused(format!(
                "There is an account “{name}” already."
            ))),
            Err(error) => Err(error.into()),
        }
    }

    /// The account of that name.
    pub async fn account(&self, name: &str) -> Result<AccountRow, ServiceError> {
        let found = self.context.store.account(&proper_name(name)?).await?;
        Ok(found.ok_or(ServiceError::Missing("account"))?.0)
    }

    /// Lets an account do other things; somebody remains an owner.
    pub async fn change_role(&self, name: &str, role: Role) -> Result<(), ServiceError> {
        let account = self.account(name).await?;
        if role != Role::Owner {
            self.check_not_last(&account).await?;
        }
        Ok(self.context.store.set_role(account.id, role).await?)
    }

    /// Removes an account; somebody remains an owner.
    pub async fn remove_account(&self, name: &str) -> Result<(), ServiceError> {
        let account = self.account(name).await?;
        self.check_not_last(&account).await?;
        Ok(self.context.store.remove_account(account.id).await?)
    }

    /// Gives an account another password, a random one if none is given, and signs it out
    /// everywhere; the password.
    pub async fn change_password(
        &self,
        name: &str,
        password: Option<&str>,
    ) -> Result<String, ServiceError> {
        let account = self.account(name).await?;
        let (password, hash) = self.hashed(password).await?;
        self.context.store.set_password(account.id, &hash).await?;
        Ok(password)
    }

    /// Signs somebody in who comes `from` there: the secret that their browser keeps. Refused if name
    /// or password are wrong, in the same words and after the same work.
    pub async fn sign_in(
        &self,
        name: &str,
        password: &str,
        from: &str,
    ) -> Result<String, ServiceError> {
        let name: String = name.trim().to_lowercase();
        let name: String = name.chars().take(LONGEST_ACCOUNT + 1).collect();
        let from: String = from.chars().take(LONGEST_ACCOUNT).collect();
        self.attempts.check(&name, &from, clock::now())?;
        let known = self.context.store.account(&name).await?;
        let is_right = self.is_password(password, known.as_ref(), &name, &from);
        let is_right = is_right.await?;
        if let Some((account, hash)) = known.filter(|_| is_right) {
            let (key, now) = (secret::random_hex::<32>(), clock::now());
            let (digest, ended) = (secret::digest(&key), now - SIGNED_IN_FOR);
            let store = &self.context.store;
            if store
                .sign_in(&digest, account.id, &hash, now, ended)
                .await?
            {
                self.attempts.succeeded(&name, &from);
                return Ok(key);
            }
        }
        self.attempts.failed(&name, &from, clock::now());
        Err(ServiceError::refused("Name or password are wrong."))
    }

    /// Signs in somebody who comes from a provider; the secret that their browser keeps.
    pub async fn sign_in_person(&self, person: &Person) -> Result<String, ServiceError> {
        let (account, hash) = self.account_of(person).await?;
        let (key, now) = (secret::random_hex::<32>(), clock::now());
        let (digest, ended) = (secret::digest(&key), now - SIGNED_IN_FOR);
        let store = &self.context.store;
        let is_in = store.sign_in(&digest, account.id, &hash, now, ended);
        if is_in.await? {
            // It may have become another's just now.
            let still = store.account_of(&person.subject).await?;
            if still.is_some_and(|(still, _)| still.id == account.id) {
                return Ok(key);
            }
            store.sign_out(&digest).await?;
        }
        Err(ServiceError::refused(
            "The account was changed just now. Sign in again.",
        ))
    }

    async fn account_of(&self, person: &Person) -> Result<(AccountRow, String), ServiceError> {
        if let Some(known) = self.context.store.account_of(&person.subject).await? {
            return Ok(known);
        }
        let called = person.email.as_deref().and_then(as_name);
        let found = match &called {
            Some(name) => self.context.store.account(name).await?,
            None => None,
        };
        if let Some((account, _)) = found {
            match self
                .context
                .store
                .bind_account(account.id, &person.subject)
                .await
            {
                // Somebody else has it, or they came twice at once.
                Ok(_) | Err(StoreError::Conflict) => {}
                Err(error) => return Err(error.into()),
            }
            if let Some(known) = self.context.store.account_of(&person.subject).await? {
                return Ok(known);
            }
        }
        let who = called.map_or(String::new(), |name| format!(" {name}"));
        Err(ServiceError::refused(format!(
            "There is no account for you{who}. Ask an owner to make one and say: {}",
            person.subject
        )))
    }

    /// Makes an account that of whom a provider calls so, or nobody's.
    pub async fn bind_account(
        &self,
        name: &str,
        subject: Option<&str>,
    ) -> Result<(), ServiceError> {
        let account = self.account(name).await?;
        let Some(subject) = subject else {
            return Ok(self.context.store.unbind_account(account.id).await?);
        };
        match self.context.store.bind_account(account.id, subject).await {
            Ok(true) => Ok(()),
            Ok(false) => Err(ServiceError::refused(format!(
                "“{name}” is somebody's already: unbind it first, by naming nobody."
            ))),
            Err(StoreError::Conflict) => Err(ServiceError::refused(
                "They have another account already: unbind that first.",
            )),
            Err(error) => Err(error.into()),
        }
    }

    /// Refused if too much that was wrong came from there of late.
    pub fn may_come(&self, from: &str) -> Result<(), ServiceError> {
        self.attempts.check_from(&by_provider(from), clock::now())
    }

    /// Who came from there by a provider did not come in.
    pub fn came_in_vain(&self, from: &str) {
        self.attempts.failed("", &by_provider(from), clock::now());
    }

    /// Whether somebody signs in by a password.
    pub async fn has_password(&self, name: &str) -> Result<bool, ServiceError> {
        let found = self.context.store.account(name).await?;
        Ok(found.is_some_and(|(_, hash)| !hash.is_empty()))
    }

    /// Who is signed in by that secret, and whether that it was used was put down just now.
    pub async fn signed_in(&self, key: &str) -> Result<Option<(AccountRow, bool)>, ServiceError> {
        let (digest, now) = (secret::digest(key), clock::now());
        let found = self
            .context
            .store
            .signed_in(&digest, now - SIGNED_IN_FOR)
            .await?;
        let Some((account, used)) = found else {
            return Ok(None);
        };
        let is_due = now - used > USED_EVERY;
        if is_due {
            self.context.store.sign_in_used(&digest, now).await?;
        }
        Ok(Some((account, is_due)))
    }

    /// Ends a sign-in.
    pub async fn sign_out(&self, key: &str) -> Result<(), ServiceError> {
        Ok(self.context.store.sign_out(&secret::digest(key)).await?)
    }

    /// Puts down that somebody changed something.
    pub async fn put_audit_entry(&self, account: &str, what: String) -> Result<(), ServiceError> {
        let audit_entry = AuditEntry {
            time: clock::now(),
            account: account.to_owned(),
            what,
        };
        Ok(self
            .context
            .store
            .put_audit_entry(&audit_entry, MOST_AUDIT_ENTRIES)
            .await?)
    }

    async fn check_not_last(&self, account: &AccountRow) -> Result<(), ServiceError> {
        let accounts = self.context.store.accounts().await?;
        let mut others = accounts.iter().filter(|other| other.id != account.id);
        if account.role == Role::Owner && !others.any(|other| other.role == Role::Owner) {
            return Err(ServiceError::refused(format!(
                "“{}” is the only owner: make somebody else one first.",
                account.name
            )));
        }
        Ok(())
    }

    /// A password and its hash.
    async fn hashed(&self, password: Option<&str>) -> Result<(String, String), ServiceError> {
        let password = match password {
            Some(password) => password.to_owned(),
            None => secret::random_hex::<10>(),
        };
        let length = password.chars().count();
        if !(SHORTEST_PASSWORD..=LONGEST_PASSWORD).contains(&length) {
            return Err(ServiceError::refused(format!(
                "A password has {SHORTEST_PASSWORD} to {LONGEST_PASSWORD} characters."
            )));
        }
        let salt = secret::random_bytes::<16>();
        self.attempts
            .one_at_a_time(
                "",
                || Ok(()),
                move || {
                    let hash = passwords::hashed(&password, &salt)?;
                    Ok((password, hash))
                },
            )
            .await
    }

    /// Whether a password has that hash; one that is of nobody takes as long and is wrong.
    async fn is_password(
        &self,
        password: &str,
        known: Option<&(AccountRow, String)>,
        name: &str,
        from: &str,
    ) -> Result<bool, ServiceError> {
        let hash = known.map(|(_, hash)| hash.clone());
        let hash = hash.filter(|hash| !hash.is_empty());
        let may = || self.attempts.check(name, from, clock::now());
        let password: String = password.chars().take(LONGEST_PASSWORD + 1).collect();
        self.attempts
            .one_at_a_time(from, may, move || {
                let Some(hash) = hash else {
                    let _ = passwords::hashed(&password, &[0; 16]);
                    return Ok(false);
                };
                passwords::is_of(&password, &hash)
            })
            .await
    }
}

/// Where somebody came from by a provider: counted apart from passwords.
fn by_provider(from: &str) -> String {
    format!("provider {from}")
        .chars()
        .take(LONGEST_ACCOUNT)
        .collect()
}

/// An address as accounts are called. Letters that only look the same in small ones make no address.
fn as_name(email: &str) -> Option<String> {
    let is_one = email.is_ascii() && email.matches('@').count() == 1;
    is_one.then(|| email.to_ascii_lowercase())
}

/// A name as accounts have it: in small letters, and nothing besides that pages or shells read in another way.
fn proper_name(name: &str) -> Result<String, ServiceError> {
    let name = name.trim().to_lowercase();
    let is_fine = |letter: char| letter.is_alphanumeric() || "._-@+".contains(letter);
    if name.is_empty() || name.chars().count() > LONGEST_ACCOUNT || !name.chars().all(is_fine) {
        return Err(ServiceError::refused(format!(
            "An account is called by letters, digits and . _ - @ +, at most {LONGEST_ACCOUNT}."
        )));
    }
    Ok(name)
}

#[cfg(test)]
mod tests;
