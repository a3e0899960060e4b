//! `linkscent token`: what programs may call with.

use anyhow::{Result, ensure};
use clap::{Args, Subcommand};
use linkscent_output::print_json;
use serde_json::json;

use super::place::Place;
use linkscent_service::Services;
use linkscent_service::crawler::way::Way;
use linkscent_store::Permission;
use linkscent_store::clock;

/// Make, list or revoke tokens with which programs on this machine may call.
///
/// A token is printed this once and kept nowhere. A program sends it as “Authorization: Bearer
/// TOKEN” to the API or to /mcp of a `linkscent serve` on the same data folder. None tells what was
/// read in a browser, other than pages that it read for a crawl, and none deletes anything.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  linkscent token add 'my notes' --may read
  linkscent token
  linkscent token revoke 3")]
pub struct Token {
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
    /// Make a token and print it.
    Add {
        /// What the program is called.
        program: String,
        /// What it may do; can be given repeatedly.
        #[arg(long, value_enum, required = true)]
        may: Vec<Permission>,
    },
    /// Revoke a token.
    Revoke {
        /// Its number, as the list has it.
        number: i64,
    },
}

impl Token {
    /// Does it.
    pub async fn run(self) -> Result<()> {
        let store = self.place.open().await?;
        let service = Services::new(store, Way::default());
        match &self.action {
            Some(Action::Add { program, may }) => {
                let token = service.accounts.make_token(program, may).await?;
                if self.json {
                    print_json(&json!({ "token": token }))?;
                } else {
                    print_line!("{token}");
                }
            }
            Some(Action::Revoke { number }) => {
                let tokens = service.accounts.tokens().await?;
                let is_there = tokens.iter().any(|token| token.id == *number);
                ensure!(is_there, "there is no token {number}");
                service.accounts.remove_token(*number).await?;
            }
            None => self.list(&service).await?,
        }
        Ok(())
    }

    async fn list(&self, service: &Services) -> Result<()> {
        for token in service.accounts.tokens().await? {
            let may: Vec<&str> = token.may.iter().map(|one| one.name()).collect();
            let used = (token.used > 0).then(|| clock::date(token.used));
            if self.json {
                print_json(
                    &json!({ "number": token.id, "program": token.name, "may": may,
                        "made": clock::date(token.created), "used": used }),
                )?;
            } else {
                print_line!(
                    "{:>3}  {}  may {}; {}",
                    token.id,
                    token.name,
                    may.join(", "),
                    used.map_or("never used".to_owned(), |at| format!("last used {at}"))
                );
            }
        }
        Ok(())
    }
}
