//! The server: API and dashboard on one loopback port.

mod auth;
mod body;
mod changes;
mod channel;
mod classes;
mod crawls;
mod description;
mod download;
mod guard;
mod hosts;
mod library;
mod live;
mod mcp;
mod metrics;
mod pages;
mod pairing;
mod problem;
mod rendering;
mod routes;
mod sender;
mod server;
mod strategies;
mod tokens;
mod visitors;

pub use auth::{AccessControl, Base, PublicSite};
pub use body::{LARGEST_BODY, whole_body};
pub use channel::Channels;
pub use download::{passing, stream};
pub use guard::{Sandboxed, guard, locked};
pub use library::order;
pub use live::changes;
pub use pairing::{Pairing, in_groups};
pub use problem::Problem;
pub use routes::open_routes;
pub use server::serve;
pub use visitors::{
    about, away_cookie, client, cookie, key, may_delete, may_everywhere, may_in, may_make_topics,
    sent_away, shares, visitor,
};

use std::sync::Arc;

use linkscent_service::{Provider, Services};

/// What every call can reach.
#[derive(Clone)]
pub struct App {
    /// What can be asked for.
    pub service: Services,
    /// Who may come in.
    pub access: Arc<AccessControl>,
    /// The pairing under way.
    pub pairing: Arc<Pairing>,
    /// The channels of paired browsers.
    pub channels: Arc<Channels>,
    /// Who says who people are, if they do not sign in by passwords alone.
    pub provider: Option<Arc<Provider>>,
}

impl App {
    /// A server of that service on `port`.
    pub fn new(service: Services, port: u16) -> Self {
        Self::with_access(service, port, AccessControl::new(port))
    }

    /// One for people who sign in, under that address.
    pub fn public(service: Services, port: u16, site: PublicSite) -> Self {
        let access = AccessControl::new(port).for_public(site);
        Self::with_access(service, port, access)
    }

    /// The same where people can also sign in by a provider.
    #[must_use]
    pub fn with_provider(self, provider: Option<Provider>) -> Self {
        Self {
            provider: provider.map(Arc::new),
            ..self
        }
    }

    fn with_access(service: Services, port: u16, access: AccessControl) -> Self {
        Self {
            service,
            access: Arc::new(access),
            pairing: Arc::new(Pairing::new(port)),
            channels: Arc::default(),
            provider: None,
        }
    }
}
