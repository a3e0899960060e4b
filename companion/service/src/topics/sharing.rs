//! Topics that are shared with some people and not with others: each is its maker's, who lets others
//! look, change, or do all in it.
//!
//! Names of topics are everybody's: who takes one that there is already is told so.

use crate::Accounts;
use crate::ServiceError;
use crate::TopicFile;
use crate::Topics;
use crate::topics::naming::checked;
use linkscent_store::{Role, Topic};

impl Topics {
    /// Makes a topic of an account's own. One that is called so already and `may_edit` is gone on
    /// with, as where one person is; an error if it is another's. What was deleted for good is not
    /// brought back: it may be deleted yet.
    pub async fn found_topic(
        &self,
        account: i64,
        name: &str,
        examples: &[String],
        may_edit: impl Fn(i64) -> bool,
    ) -> Result<Topic, ServiceError> {
        let _one_at_a_time = self.founding.lock().await;
        let name = checked(name)?;
        let known = self.context.store.topic_called(name).await?;
        match known.filter(|topic| !topic.is_deleted) {
            Some(topic) if may_edit(topic.id) => self.create_topic(&topic.name, examples).await,
            Some(topic) => Err(is_taken(&topic.name)),
            None => self.found(account, name, examples).await,
        }
    }

    async fn found(
        &self,
        account: i64,
        name: &str,
        examples: &[String],
    ) -> Result<Topic, ServiceError> {
        let (mut key, mut number) = (name.to_owned(), 2);
        let topic = loop {
            if let Some(topic) = self.context.store.found_topic(&key, account).await? {
                break topic;
            }
            key = format!("{name} ({number})");
            number += 1;
        };
        if key != name {
            self.call(&topic, name).await?;
        }
        self.take_examples(&topic, examples).await?;
        self.context.topic(topic.id).await
    }

    /// Takes in a topic as one of an account's own.
    pub async fn found_topic_of(
        &self,
        account: i64,
        file: &TopicFile,
        name: Option<&str>,
    ) -> Result<Topic, ServiceError> {
        let name = name.unwrap_or(&file.name);
        let events = self.checked(file, name).await?;
        let topic = self.found_topic(account, name, &[], |_| false).await?;
        self.fill(topic, file, events).await
    }
}

fn is_taken(name: &str) -> ServiceError {
    ServiceError::refused(format!(
        "Somebody has a topic “{name}” already: take another name, or have it shared with you."
    ))
}

impl Accounts {
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
        if topic.is_deleted {
            return Err(ServiceError::Missing("topic"));
        }
        let account = self.account(name).await?;
        Ok(self
            .context
            .store
            .set_topic_role(account.id, topic.id, role)
            .await?)
    }

    /// An error if by that a topic would have no owner of its own: nobody would share it.
    pub async fn check_owned(
        &self,
        topic: &Topic,
        name: &str,
        role: Option<Role>,
    ) -> Result<(), ServiceError> {
        let account = self.account(name).await?;
        let people = self.context.store.people_of(topic.id).await?;
        let owners = people.iter().filter(|(_, role)| *role == Role::Owner);
        let owners: Vec<i64> = owners.map(|(owner, _)| owner.id).collect();
        if role != Some(Role::Owner) && owners == [account.id] {
            return Err(ServiceError::refused(format!(
                "“{}” is the only owner: make somebody else one first.",
                account.name
            )));
        }
        Ok(())
    }

    /// Topics that have no other owner of their own than that account.
    pub async fn owned_alone(&self, account: i64) -> Result<Vec<String>, ServiceError> {
        let mut alone = Vec::new();
        for (topic, role) in self.context.store.topic_roles(account).await? {
            let people = self.context.store.people_of(topic).await?;
            let mut others = people.iter().filter(|(other, _)| other.id != account);
            if role == Role::Owner && !others.any(|(_, role)| *role == Role::Owner) {
                alone.push(self.context.topic(topic).await?.name);
            }
        }
        Ok(alone)
    }
}
