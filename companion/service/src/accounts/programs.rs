//! Tokens by which programs may call, made and revoked by the person.

use linkscent_core::wire::api::LONGEST_NAME;

use crate::Accounts;
use crate::ServiceError;
use linkscent_store::Permission;
use linkscent_store::{clock, secret};

/// Tokens that there can be.
const MOST_TOKENS: usize = 100;
/// What tokens begin with, so that they are known for what they are wherever they turn up.
const BEGINNING: &str = "linkscent_";

impl Accounts {
    /// Makes a token for a program: 256 random bits, of which only the digest is kept.
    pub async fn make_token(&self, name: &str, may: &[Permission]) -> Result<String, ServiceError> {
        let name = name.trim();
        if name.is_empty() || name.chars().count() > LONGEST_NAME {
            return Err(ServiceError::refused(format!(
                "A program is called something, in at most {LONGEST_NAME} characters."
            )));
        }
        if may.is_empty() {
            return Err(ServiceError::refused(
                "A token permits something: to read, to mark or to crawl.",
            ));
        }
        if self.context.store.tokens().await?.len() >= MOST_TOKENS {
            return Err(ServiceError::refused(format!(
                "There are {MOST_TOKENS} tokens already: revoke one that is not used."
            )));
        }
        let token = format!("{BEGINNING}{}", secret::random_hex::<32>());
        let digest = secret::digest(&token);
        self.context
            .store
            .add_token(name, may, &digest, clock::now())
            .await?;
        Ok(token)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Services;
    use crate::crawler::way::Way;
    use linkscent_store::Store;

    #[tokio::test]
    async fn tokens_differ_and_there_are_not_too_many() {
        let folder = linkscent_store::fixtures::folder();
        let service = Services::new(Store::open(folder.path()).await.unwrap(), Way::default());
        let read = [Permission::Read];
        assert!(service.accounts.make_token(" ", &read).await.is_err());
        assert!(service.accounts.make_token("notes", &[]).await.is_err());
        let mut made = std::collections::BTreeSet::new();
        for _ in 0..MOST_TOKENS {
            let token = service.accounts.make_token(" notes ", &read).await.unwrap();
            assert_eq!(token.len(), BEGINNING.len() + 64);
            made.insert(token);
        }
        assert_eq!(made.len(), MOST_TOKENS);
        let refused = service
            .accounts
            .make_token("notes", &read)
            .await
            .unwrap_err();
        assert!(refused.to_string().contains("revoke one"), "{refused}");
        let token = made.first().unwrap();
        let known = service
            .context
            .store
            .token(&secret::digest(token))
            .await
            .unwrap();
        assert_eq!(known.unwrap().name, "notes");
        assert!(service.context.store.token(token).await.unwrap().is_none());
    }
}
