//! `linkscent team account`: people who share what is kept here.

use std::io::{IsTerminal, Read};

use anyhow::{Context, Result};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand};
use linkscent_output::print_json;
use serde_json::json;

use crate::commands::place::Place;
use linkscent_service::Services;
use linkscent_service::crawler::way::Way;
use linkscent_store::Role;
use linkscent_store::clock;

/// Make, list, change or remove accounts of people who share what is kept here.
///
/// They sign in where `linkscent serve --public` serves it. Guests see what is shared with them; members
/// also make topics of their own. In all topics readers look; editors also judge, describe, and begin and
/// stop crawls; owners do all. A password is printed this once, and can be changed by whoever signs in
/// with it.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  linkscent team account add ida --role owner
  linkscent team account
  linkscent team account role ada editor
  linkscent team account share castles bea --role reader
  linkscent team account add bea@example.org --role member --no-password
  linkscent team account password ada")]
pub struct Account {
    #[command(subcommand)]
    action: Option<Action>,
    #[command(flatten)]
    place: Place,
    /// Print JSON.
    #[arg(long, global = true)]
    json: bool,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Make an account and print its password.
    Add {
        /// By which they sign in.
        name: String,
        /// What they may do.
        #[arg(long, value_enum)]
        role: Role,
        /// Read the password from the input in place of making one.
        #[arg(long)]
        read: bool,
        /// Make no password: they sign in by the provider that `serve --provider` names.
        #[arg(long, conflicts_with = "read")]
        no_password: bool,
    },
    /// Make an account that of whom a provider calls so, as it is told to whom has none.
    Bind {
        /// The account.
        name: String,
        /// The provider's address and what it calls them; the account is nobody's if there is none.
        subject: Option<String>,
    },
    /// Let somebody do other things.
    Role {
        /// Who.
        name: String,
        /// What they may do from now on.
        #[arg(value_enum)]
        role: Role,
    },
    /// Let somebody do more in a topic than in all.
    Share {
        /// The topic.
        topic: String,
        /// With whom.
        name: String,
        /// What they may do in it; none to end it.
        #[arg(long, value_parser = topic_role())]
        role: Option<Role>,
    },
    /// Give somebody another password, which signs them out, and print it.
    Password {
        /// Who.
        name: String,
        /// Read it from the input in place of making one.
        #[arg(long)]
        read: bool,
    },
    /// Remove an account, which signs it out.
    Remove {
        /// Whose.
        name: String,
    },
}

impl Account {
    /// Does it.
    pub async fn run(self) -> Result<()> {
        let store = self.place.open().await?;
        let service = Services::new(store, Way::default());
        match &self.action {
            Some(Action::Add {
                name,
                role,
                no_password: true,
                ..
            }) => service.accounts.add_account_without(name, *role).await?,
            Some(Action::Bind { name, subject }) => {
                service
                    .accounts
                    .bind_account(name, subject.as_deref())
                    .await?;
            }
            Some(Action::Add {
                name, role, read, ..
            }) => {
                let given = given(*read)?;
                let password = service
                    .accounts
                    .add_account(name, *role, given.as_deref())
                    .await?;
                self.print_password(&password, *read)?;
            }
            Some(Action::Role { name, role }) => service.accounts.change_role(name, *role).await?,
            Some(Action::Password { name, read }) => {
                let given = given(*read)?;
                let password = service
                    .accounts
                    .change_password(name, given.as_deref())
                    .await?;
                self.print_password(&password, *read)?;
            }
            Some(Action::Share { topic, name, role }) => {
                let topic = service.topics.topic_called(topic).await?;
                let topic = topic.filter(|topic| !topic.is_deleted);
                let topic = topic.context("there is no topic of that name")?;
                service.accounts.share(&topic, name, *role).await?;
            }
            Some(Action::Remove { name }) => {
                let account = service.accounts.account(name).await?;
                let alone = service.accounts.owned_alone(account.id).await?;
                service.accounts.remove_account(name).await?;
                for topic in alone {
                    message!(
                        "linkscent: nobody owns “{topic}” by name any more; \
                         `linkscent team account share` gives it to somebody"
                    );
                }
            }
            None => self.list(&service).await?,
        }
        Ok(())
    }

    fn print_password(&self, password: &str, was_given: bool) -> Result<()> {
        match (was_given, self.json) {
            (true, _) => {}
            (false, true) => print_json(&json!({ "password": password }))?,
            (false, false) => print_line!("{password}"),
        }
        Ok(())
    }

    async fn list(&self, service: &Services) -> Result<()> {
        for account in service.accounts.accounts().await? {
            let (role, made) = (account.role.name(), clock::date(account.created));
            let mut topics = serde_json::Map::new();
            for (topic, role) in service.accounts.topic_roles(account.id).await? {
                topics.insert(service.topics.topic(topic).await?.name, role.name().into());
            }
            if self.json {
                print_json(
                    &json!({ "name": account.name, "role": role, "made": made, "topics": topics }),
                )?;
            } else {
                let topics = topics.iter().map(|(topic, role)| {
                    let role = role.as_str().unwrap_or_default();
                    format!("; {role} of {topic}")
                });
                let topics: String = topics.collect();
                print_line!("{:<20}  {role:<6}  since {made}{topics}", account.name);
            }
        }
        Ok(())
    }
}

fn topic_role() -> impl TypedValueParser<Value = Role> {
    let names = Role::OF_A_TOPIC.map(Role::name);
    PossibleValuesParser::new(names).try_map(|name| Role::named(&name).ok_or("no role"))
}

/// The password on the input, up to the end of its line.
fn given(read: bool) -> Result<Option<String>> {
    if !read {
        return Ok(None);
    }
    if std::io::stdin().is_terminal() {
        message!("The password, and then Enter and Ctrl-D:");
    }
    let mut text = String::new();
    let most = 4_096;
    let input = std::io::stdin().take(most);
    let mut input = std::io::BufReader::new(input);
    input
        .read_to_string(&mut text)
        .context("reading the password")?;
    Ok(Some(text.lines().next().unwrap_or_default().to_owned()))
}
