//! `linkscent account`: people who share what is kept here.

use std::io::{IsTerminal, Read};

use anyhow::{Context, Result};
use clap::{Args, Subcommand};
use serde_json::json;

use super::place::Place;
use crate::clock;
use crate::crawler::way::Way;
use crate::service::Service;
use crate::store::Role;

/// Make, list, change or remove accounts of people who share what is kept here.
///
/// They sign in where `linkscent serve --public` serves it. Readers look; editors also judge, describe,
/// and begin and stop crawls; owners do all. A password is printed this once, and can be changed by
/// whoever signs in with it.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  linkscent account add ida --role owner
  linkscent account
  linkscent account role ada editor
  linkscent account password ada")]
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
    },
    /// Let somebody do other things.
    Role {
        /// Who.
        name: String,
        /// What they may do from now on.
        #[arg(value_enum)]
        role: Role,
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
        let service = Service::new(store, Way::default());
        match &self.action {
            Some(Action::Add { name, role, read }) => {
                let given = given(*read)?;
                let password = service.add_account(name, *role, given.as_deref()).await?;
                self.print_password(&password, *read);
            }
            Some(Action::Role { name, role }) => service.change_role(name, *role).await?,
            Some(Action::Password { name, read }) => {
                let given = given(*read)?;
                let password = service.change_password(name, given.as_deref()).await?;
                self.print_password(&password, *read);
            }
            Some(Action::Remove { name }) => service.remove_account(name).await?,
            None => self.list(&service).await?,
        }
        Ok(())
    }

    fn print_password(&self, password: &str, was_given: bool) {
        match (was_given, self.json) {
            (true, _) => {}
            (false, true) => println!("{}", json!({ "password": password })),
            (false, false) => println!("{password}"),
        }
    }

    async fn list(&self, service: &Service) -> Result<()> {
        for account in service.store.accounts().await? {
            let (role, made) = (account.role.name(), clock::date(account.created));
            if self.json {
                println!(
                    "{}",
                    json!({ "name": account.name, "role": role, "made": made })
                );
            } else {
                println!("{:<20}  {role:<6}  since {made}", account.name);
            }
        }
        Ok(())
    }
}

/// The password on the input, up to the end of its line.
fn given(read: bool) -> Result<Option<String>> {
    if !read {
        return Ok(None);
    }
    if std::io::stdin().is_terminal() {
        eprintln!("The password, and then Enter and Ctrl-D:");
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
