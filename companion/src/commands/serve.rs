//! `linkscent serve`: API, dashboard and crawler on this machine.

use anyhow::{Context, Result, ensure};
use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware;
use clap::Args;
use linkscent_core::wire::api::DEFAULT_PORT;
use linkscent_output::print_json;
use tokio::net::TcpListener;

use super::network::{ByWorkers, Network};
use super::place::Place;
use super::told_to_end;
use crate::commands::data::prune::Keep;
#[cfg(feature = "team")]
use crate::commands::team::provider::ByProvider;
use linkscent_server::api::{self, App, PublicSite};
use linkscent_server::dashboard;
use linkscent_service::Services;
use linkscent_store::Role;

/// Serve the dashboard and the API for the browser extension, on this machine
/// alone, and run the crawls.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  linkscent serve --data ~/linkscent")]
pub struct Serve {
    #[command(flatten)]
    place: Place,
    /// Port to listen on; 0 for any free one.
    #[arg(long, env = "LINKSCENT_PORT", default_value_t = DEFAULT_PORT)]
    port: u16,
    /// Serve people who sign in, under this address: `https://` and a host, whose requests something on
    /// this machine that speaks TLS passes on to the port, with their `Host`. Accounts are made by
    /// `linkscent team account`.
    #[arg(long, env = "LINKSCENT_PUBLIC", value_name = "ADDRESS", value_parser = public_site, conflicts_with = "pair")]
    public: Option<PublicSite>,
    #[cfg(feature = "team")]
    #[command(flatten)]
    provider: ByProvider,
    #[command(flatten)]
    network: Network,
    #[command(flatten)]
    by_workers: ByWorkers,
    #[command(flatten)]
    keep: Keep,
    /// Print a pairing code at the start.
    #[arg(long)]
    pair: bool,
    /// Print one JSON object with the addresses in place of sentences.
    #[arg(long)]
    json: bool,
}

impl Serve {
    /// Runs until interrupted.
    pub async fn run(self) -> Result<()> {
        let store = self.place.open().await?;
        let port = self.port;
        let listener = TcpListener::bind(("127.0.0.1", port)).await;
        let listener = listener.with_context(|| {
            format!("listening on port {port}; is linkscent running already? --port takes another")
        })?;
        let way = self.network.way_of_crawls(self.by_workers);
        let service = Services::new(store, way);
        let port = listener.local_addr()?.port();
        let app = if let Some(site) = self.public.clone() {
            check_owner(&service).await?;
            #[cfg(feature = "team")]
            let provider = self.provider.at(&site, self.network.way().proxy.as_ref())?;
            let app = App::public(service.clone(), port, site);
            #[cfg(feature = "team")]
            let app = app.with_provider(provider);
            app
        } else {
            #[cfg(feature = "team")]
            ensure!(
                !self.provider.is_named(),
                "people sign in by a provider only where they sign in at all: --public ADDRESS"
            );
            App::new(service.clone(), port)
        };
        service.deletion.finish_deleting().await?;
        service.supervisor.resume_all().await?;
        self.announce(&app)?;
        tokio::select! {
            served = until_interrupted(app, listener) => served,
            kept = service.upkeep.keep_within(self.keep.retention()) => kept,
        }
    }

    fn announce(&self, app: &App) -> Result<()> {
        if app.access.is_public() {
            let address = app.access.address();
            if self.json {
                print_json(&serde_json::json!({ "public": address }))?;
            } else {
                print_line!("People sign in at {address}");
            }
            return Ok(());
        }
        let link = app.access.entry_link();
        let code = self.pair.then(|| app.pairing.new_code());
        if self.json {
            print_json(&serde_json::json!({ "dashboard": link, "pairing_code": code }))?;
            return Ok(());
        }
        print_line!("Dashboard (the link works once): {link}");
        if let Some(code) = code {
            let code = api::in_groups(&code);
            print_line!("Pairing code for the extension, good for ten minutes: {code}");
        }
        print_line!(
            "Everything is kept in {}",
            app.service.upkeep.folder().display()
        );
        Ok(())
    }
}

fn public_site(text: &str) -> Result<PublicSite, String> {
    PublicSite::named(text).ok_or_else(|| "it is https:// and a host".to_owned())
}

/// Somebody has to be able to come in.
async fn check_owner(service: &Services) -> Result<()> {
    let accounts = service.accounts.accounts().await?;
    let has_owner = accounts.iter().any(|account| account.role == Role::Owner);
    ensure!(
        has_owner,
        "nobody could sign in: make an owner first, by `linkscent team account add NAME --role owner`"
    );
    Ok(())
}

/// Serves until interrupted, and does what goes on beside: the library's index is kept up, standing
/// topics are looked after, what other processes change is heard of, and what they leave is taken over.
pub async fn until_interrupted(app: App, listener: TcpListener) -> Result<()> {
    let service = app.service.clone();
    let supervisor = service.supervisor.clone();
    tokio::select! {
        served = api::serve(listener, router(app)) => served,
        watched = supervisor.clone().watch_others() => watched,
        stood_by = supervisor.stand_by() => stood_by,
        kept = service.library.keep_index() => kept,
        kept = Box::pin(service.upkeep.keep_copies()) => kept,
        watched = service.watching.keep_watch() => watched,
        () = told_to_end() => Ok(()),
    }
}

/// The whole server.
pub fn router(app: App) -> Router {
    let routes = api::open_routes()
        .merge(dashboard::routes())
        .layer(middleware::from_fn_with_state(app.clone(), api::whole_body))
        .layer(DefaultBodyLimit::max(api::LARGEST_BODY))
        .with_state(app.clone());
    // The guard decides what is routed at all.
    Router::new()
        .fallback_service(routes)
        .layer(middleware::from_fn_with_state(app, api::guard))
}

#[cfg(test)]
mod tests;
