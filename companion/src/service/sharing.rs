//! Topics that are shared with some people and not with others: each is its maker's, who lets others
//! look, change, or do all in it.
//!
//! Names of topics are everybody's: who takes one that there is already is told so.

use super::{Service, ServiceError, TopicFile};
use crate::store::{Role, Topic};

impl Service {
    /// Makes a topic of an account's own. One that is called so already and `may_edit` is gone on
    /// with, as where one person is; an error if it is another's.
    pub async fn found_topic(
        &self,
        account: i64,
        name: &str,
        examples: &[String],
        may_edit: impl Fn(i64) -> bool,
    ) -> Result<Topic, ServiceError> {
        // Nobody makes one of that name meanwhile.
        let _one_at_a_time = self.founding.lock().await;
        let known = self.store.topic_called(name.trim()).await?;
        let known = known.filter(|topic| !topic.is_deleted);
        match known {
            Some(topic) if may_edit(topic.id) => self.create_topic(&topic.name, examples).await,
            Some(topic) => Err(is_taken(&topic.name)),
            None => {
                let topic = self.create_topic(name, examples).await?;
                self.own(account, &topic).await?;
                Ok(topic)
            }
        }
    }

    /// Takes in a topic as one of an account's own.
    pub async fn found_topic_of(
        &self,
        account: i64,
        file: &TopicFile,
        name: Option<&str>,
    ) -> Result<Topic, ServiceError> {
        let _one_at_a_time = self.founding.lock().await;
        let topic = self.take_topic_in(file, name).await?;
        self.own(account, &topic).await?;
        Ok(topic)
    }

    async fn own(&self, account: i64, topic: &Topic) -> Result<(), ServiceError> {
        let owner = Some(Role::Owner);
        Ok(self.store.set_topic_role(account, topic.id, owner).await?)
    }

    /// Lets the account of that name do so in a topic; no more than in all topics for none.
    pub async fn share(
        &self,
        topic: &Topic,
        name: &str,
        role: Option<Role>,
    ) -> Result<(), ServiceError> {
        if let Some(role) = role
            && !Role::OF_A_TOPIC.contains(&role)
        {
            return Err(ServiceError::refused(format!(
                "In a topic somebody is reader, editor or owner, not {}.",
                role.name()
            )));
        }
        let account = self.account(name).await?;
        Ok(self
            .store
            .set_topic_role(account.id, topic.id, role)
            .await?)
    }
}

fn is_taken(name: &str) -> ServiceError {
    ServiceError::refused(format!(
        "Somebody has a topic “{name}” already: take another name, or have it shared with you."
    ))
}
