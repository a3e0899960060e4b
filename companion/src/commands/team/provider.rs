//! Who says who people are, as the command line names it.

use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::Args;
use reqwest::Url;

use linkscent_server::api::PublicSite;
use linkscent_service::Provider;

/// By whom people can sign in besides by passwords.
#[derive(Debug, Args)]
pub struct ByProvider {
    /// Let people also sign in by an OpenID Connect provider: the address of its issuer. It sends them
    /// back to /sign-in/back. Who comes from it has the account that is called as their verified
    /// address, or that `linkscent team account bind` gave them.
    #[arg(
        long,
        env = "LINKSCENT_PROVIDER",
        value_name = "ADDRESS",
        help_heading = "Sign-in"
    )]
    provider: Option<String>,
    /// What this program is called there.
    #[arg(
        long,
        env = "LINKSCENT_PROVIDER_CLIENT",
        value_name = "ID",
        help_heading = "Sign-in"
    )]
    provider_client: Option<String>,
    /// A file with the secret by which it shows that it is.
    #[arg(
        long,
        env = "LINKSCENT_PROVIDER_SECRET",
        value_name = "FILE",
        help_heading = "Sign-in"
    )]
    provider_secret: Option<PathBuf>,
}

impl ByProvider {
    /// Whether something is said of one.
    pub fn is_named(&self) -> bool {
        self.provider.is_some() || self.provider_client.is_some() || self.provider_secret.is_some()
    }

    /// The provider, for people who come back to that site.
    pub fn at(&self, site: &PublicSite, proxy: Option<&Url>) -> Result<Option<Provider>> {
        let Some(issuer) = &self.provider else {
            return Ok(None);
        };
        let client = self.provider_client.as_ref();
        let client =
            client.context("say what this program is called there: --provider-client ID")?;
        let secret = match &self.provider_secret {
            Some(file) => std::fs::read_to_string(file)
                .with_context(|| format!("reading {}", file.display()))?,
            None => String::new(),
        };
        let back = format!("{}/sign-in/back", site.origin());
        Ok(Some(Provider::new(issuer, client, &secret, back, proxy)?))
    }
}
