//! One request: bounded in time and size, redirects left to the caller.
//!
//! A server that gives its answer drop by drop is left early: it must begin within
//! some seconds and keep a least rate, or it would hold a place that others need.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use linkscent_core::address::Address;
use linkscent_core::budget::{ANSWER, DOCUMENT};
use linkscent_core::crawl::{Robots, rest_for, robots, site_of};
use linkscent_core::page::Page;
use reqwest::header::{CONTENT_TYPE, HeaderValue, RETRY_AFTER};
use reqwest::{Client, Response, StatusCode, Url};
use serde::{Deserialize, Serialize};
use tokio::sync::Semaphore;

use super::answers::{
    describe, header, is_for_later, is_html, no_page, one_line, redirect, retry_after,
};
use super::body::{Held, Memory};
use super::documents::DocumentReader;
use super::exchange::{exchange, request_headers};
use super::faults::Fault;
use super::names::Names;
use super::records::Head;
use super::reply::{Answered, Fetched, Hindrance, Reply};
use super::ssrf_guard;
use super::turn::{TurnTaker, Waited};
use super::validators::{Validators, shown};
use super::way::{AGENT, Way};
use linkscent_archive::feeds::feed_of;
use linkscent_archive::page::{build, of_html};
use linkscent_store::clock;
use linkscent_store::tls::choose_cryptography;
use linkscent_store::{Asked, DailyBudget};

/// Largest page taken in, in bytes after decompression, and largest document.
const LARGEST_PAGE: usize = ANSWER.bytes;
const LARGEST_DOCUMENT: usize = DOCUMENT.bytes;
const CONNECT: Duration = Duration::from_secs(10);
/// From the request to the end of the answer's head.
const HEAD: Duration = Duration::from_secs(12);
const TOTAL: Duration = Duration::from_secs(34);
/// Documents that are read at a time.
const MOST_DOCUMENTS: usize = 2;
/// What a link is about to learn from and to keep.
const LINK: Duration = Duration::from_micros(10);
/// A page with fewer words, without a link and with a script, is empty without a browser.
const FEWEST_WORDS: usize = 20;
const SCRIPT: &[u8] = b"<script";
/// What a proxy is given to be there at all.
const PROXY_TIME: Duration = Duration::from_secs(3);

/// A body that came, with the right to hold it in memory.
#[derive(Serialize, Deserialize)]
pub(super) struct Body {
    content_type: Option<String>,
    is_html: bool,
    bytes: Vec<u8>,
    head: Head,
    #[serde(skip)]
    held: Held,
}

/// What a request costs, as it goes on.
#[derive(Default)]
struct Meter {
    /// When the answer began: reading it may wait for others.
    answered: OnceLock<Instant>,
    /// Bytes that came, unpacked.
    bytes: AtomicU64,
}

/// What a request for a page brought.
pub(super) enum Got {
    /// It says all.
    Reply(Reply),
    /// A page or a document that has to be read yet.
    Body(Box<Body>),
}

/// What a request for a page brought, and how long the host needed to begin its answer.
pub(super) struct Brought {
    pub got: Got,
    pub took: Option<Duration>,
}

/// Makes requests.
#[derive(Clone)]
pub struct Fetcher {
    client: Client,
    /// Who asks.
    agent: HeaderValue,
    way: Arc<Way>,
    names: Names,
    /// Pages parsed at a time: as many as there are processors.
    parsing: Arc<Semaphore>,
    /// Documents read at a time. They may take long, and pages do not wait for them.
    documents: Arc<Semaphore>,
    /// Of pages and robots.txt, and of documents.
    memory: Memory,
    document_memory: Memory,
    /// Where hosts rest between requests, who waits for turns.
    turns: Option<TurnTaker>,
}

impl Fetcher {
    /// A fetcher that goes that way.
    pub fn new(way: Way) -> Result<Self> {
        choose_cryptography();
        let mut builder = Client::builder()
            .redirect(reqwest::redirect::Policy::none())
            .connect_timeout(CONNECT)
            .read_timeout(HEAD)
            .timeout(TOTAL)
            .pool_max_idle_per_host(2)
            .no_proxy();
        if let Some(proxy) = &way.proxy {
            builder = builder.proxy(reqwest::Proxy::all(proxy.clone())?);
        }
        let names = Names::new(way.allow_private);
        if way.proxy.is_none() {
            builder = builder.dns_resolver(Arc::new(names.clone()));
        }
        let processors = std::thread::available_parallelism().map_or(2, usize::from);
        Ok(Self {
            client: builder.build().context("preparing the HTTP client")?,
            agent: way.agent()?,
            way: Arc::new(way),
            names,
            parsing: Arc::new(Semaphore::new(processors)),
            documents: Arc::new(Semaphore::new(MOST_DOCUMENTS)),
            memory: Memory::new(),
            document_memory: Memory::new(),
            turns: None,
        })
    }

    /// One that waits for its turn before each request.
    #[must_use]
    pub fn in_turn(self, turns: TurnTaker) -> Self {
        Self {
            turns: Some(turns),
            ..self
        }
    }

    /// The name of the way that it goes.
    pub fn way_name(&self) -> String {
        self.way.name()
    }

    /// Hosts that are never asked.
    pub fn never(&self) -> &[String] {
        &self.way.never
    }

    /// Whether all hosts of a site share one turn.
    pub fn is_by_site(&self) -> bool {
        self.way.by_site
    }

    /// Whether workers make the requests of crawls.
    pub fn leaves_to_workers(&self) -> bool {
        self.way.by_workers
    }

    /// Whether all requests go to a web replayed on this machine.
    pub fn is_replay(&self) -> bool {
        self.way.is_loopback_proxy()
    }

    /// Fetches a page; one that was read before only if it has changed since. Its host rests for
    /// `delay` afterwards, or longer if it took long or asks for it.
    pub async fn page(
        &self,
        address: &Address,
        known: Option<&Validators>,
        delay: Duration,
    ) -> Result<Answered, Hindrance> {
        let brought = self.ask(address, known, delay).await?;
        Ok(self.read(address, brought, known).await)
    }

    /// Asks for a page, whose answer is then to be read.
    #[tracing::instrument(name = "fetch", level = "debug", skip_all, fields(%address))]
    pub(super) async fn ask(
        &self,
        address: &Address,
        known: Option<&Validators>,
        delay: Duration,
    ) -> Result<Brought, Hindrance> {
        let asked = self.asked(address).await;
        let daily = self.way.daily;
        if let Waited::PutOff(rest) = self.take_turn(&asked, daily, delay).await? {
            let got = Got::Reply(Reply::PutOff(rest));
            return Ok(Brought { got, took: None });
        }
        let (begun, meter) = (Instant::now(), Meter::default());
        let got = in_time(self.try_page(address, known, &meter)).await;
        let took = meter.answered.get().copied().unwrap_or_else(Instant::now) - begun;
        let asks = match &got {
            Ok(Got::Reply(Reply::Later(_, rest))) => *rest,
            _ => Duration::ZERO,
        };
        let rest = delay
            .max(asks)
            .max(Duration::from_millis(rest_for(took.as_millis() as u64)));
        self.end_turn(&asked, rest, &meter).await?;
        let got = match got {
            Ok(got) => got,
            Err(error) => {
                self.check_others(&error).await?;
                let fault = error.downcast_ref::<Fault>();
                Got::Reply(match fault.filter(|fault| fault.may_pass()) {
                    Some(_) => Reply::Later(one_line(&error), Duration::ZERO),
                    None => Reply::Problem(one_line(&error)),
                })
            }
        };
        let took = Some(took);
        Ok(Brought { got, took })
    }

    /// Reads what a request brought.
    #[tracing::instrument(name = "read", level = "debug", skip_all, fields(%address))]
    pub(super) async fn read(
        &self,
        address: &Address,
        brought: Brought,
        known: Option<&Validators>,
    ) -> Answered {
        let Brought { got, took } = brought;
        let reply = match got {
            Got::Reply(reply) => reply,
            Got::Body(body) => {
                let read = self.read_body(address, *body, known).await;
                read.unwrap_or_else(|error| Reply::Problem(one_line(&error)))
            }
        };
        Answered { reply, took }
    }

    /// What is asked for a page, as far as turns go. A proxy looks names up itself.
    async fn asked<'a>(&self, page: &'a Address) -> Asked<'a> {
        let is_direct = self.turns.is_some() && self.way.proxy.is_none();
        let is_refused = self.way.is_left_alone(page)
            || ssrf_guard::check_port(page, &self.way.ports).is_err()
            || ssrf_guard::check(page, self.way.allow_private).is_err();
        Asked {
            host: if self.way.by_site {
                site_of(page.host())
            } else {
                page.host()
            },
            server: if is_direct && !is_refused {
                self.names.server_of(page).await
            } else {
                None
            },
        }
    }

    async fn take_turn(
        &self,
        asked: &Asked<'_>,
        budget: DailyBudget,
        delay: Duration,
    ) -> Result<Waited, Hindrance> {
        let Some(turns) = &self.turns else {
            return Ok(Waited::Ours);
        };
        match turns.wait(asked, budget, delay).await {
            Ok(Waited::AtRest) => Err(Hindrance::AtRest),
            Ok(waited) => Ok(waited),
            Err(error) => Err(Hindrance::of_turns(&error)),
        }
    }

    async fn end_turn(
        &self,
        asked: &Asked<'_>,
        rest: Duration,
        meter: &Meter,
    ) -> Result<(), Hindrance> {
        let Some(turns) = &self.turns else {
            return Ok(());
        };
        let bytes = match self.way.daily.bytes {
            Some(_) => meter.bytes.load(Ordering::Relaxed),
            None => 0,
        };
        let ended = turns.end(asked, rest, bytes).await;
        ended.map_err(|error| Hindrance::of_turns(&error))
    }

    /// Whether a request that failed so says something of its page: not if the program may have no
    /// more connections, or the proxy is not there, if there is to be one.
    async fn check_others(&self, error: &anyhow::Error) -> Result<(), Hindrance> {
        if let Some(hindrance) = Hindrance::of_request(error) {
            return Err(hindrance);
        }
        let Some(proxy) = &self.way.proxy else {
            return Ok(());
        };
        let host = proxy.host_str().unwrap_or_default();
        let host = host.trim_matches(['[', ']']).to_owned();
        let port = proxy.port_or_known_default().unwrap_or(80);
        let connecting = tokio::net::TcpStream::connect((host.as_str(), port));
        match tokio::time::timeout(PROXY_TIME, connecting).await {
            Ok(Ok(_)) => Ok(()),
            Ok(Err(error)) if Fault::is_of_files(&error) => Err(Hindrance::Files),
            _ => Err(Hindrance::Proxy(proxy.to_string())),
        }
    }

    async fn try_page(
        &self,
        address: &Address,
        known: Option<&Validators>,
        meter: &Meter,
    ) -> Result<Got> {
        let response = self.send(address, known).await?;
        meter.answered.get_or_init(Instant::now);
        let status = response.status();
        let head = self.head(address, &response, known);
        if let (StatusCode::NOT_MODIFIED, Some(known)) = (status, known) {
            let record = head.unchanged(address, known)?;
            return Ok(Got::Reply(Reply::Unchanged(Some(record))));
        }
        if status.is_redirection() {
            let target = redirect(address, &response)?;
            let record = head.redirect(address, &target)?;
            return Ok(Got::Reply(Reply::Redirect(target, record)));
        }
        if is_for_later(status) {
            let why = format!("the server answered {}", describe(status));
            let rest = header(&response, RETRY_AFTER).and_then(|text| retry_after(&text));
            return Ok(Got::Reply(Reply::Later(why, rest.unwrap_or_default())));
        }
        if matches!(status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN) {
            let why = format!("the server answered {}", describe(status));
            return Ok(Got::Reply(Reply::Unrendered(why)));
        }
        if !status.is_success() {
            bail!("the server answered {}", describe(status));
        }
        let content_type = header(&response, CONTENT_TYPE);
        let is_html = content_type.as_deref().is_none_or(is_html);
        let may_be_read = |kind: &str| is_html || DocumentReader::may_read(kind, address);
        if !content_type.as_deref().is_none_or(may_be_read) {
            bail!("{}", no_page(content_type.as_deref()));
        }
        let largest = if is_html {
            LARGEST_PAGE
        } else {
            LARGEST_DOCUMENT
        };
        let memory = if is_html {
            &self.memory
        } else {
            &self.document_memory
        };
        let (bytes, held) = memory.read(response, largest + 1, &meter.bytes).await?;
        if bytes.len() > largest {
            bail!("larger than {} MiB", largest >> 20);
        }
        Ok(Got::Body(Box::new(Body {
            content_type,
            is_html,
            bytes,
            head,
            held,
        })))
    }

    fn head(&self, address: &Address, response: &Response, known: Option<&Validators>) -> Head {
        let sent = request_headers(&self.agent, known);
        Head {
            time: clock::now(),
            status: response.status().as_u16(),
            exchange: exchange(address, &sent, response, self.way.proxy.is_none()),
        }
    }

    async fn read_body(
        &self,
        address: &Address,
        body: Body,
        known: Option<&Validators>,
    ) -> Result<Reply> {
        if DocumentReader::is_document(body.content_type.as_deref(), &body.bytes) {
            return self.document(address, body, known).await;
        }
        in_time(self.parsed(address, body, None, known)).await
    }

    /// A document as a page. Each is read on its own, as many at a time as there may be; pages pass
    /// by, and who waits for a place has the time.
    async fn document(
        &self,
        address: &Address,
        mut body: Body,
        known: Option<&Validators>,
    ) -> Result<Reply> {
        let reading = Arc::clone(&self.documents).acquire_owned().await?;
        let reader = self.way.documents.clone();
        let converted = tokio::task::spawn_blocking(move || {
            let _until_read = reading;
            let conversion = reader.read(body.content_type.as_deref(), &body.bytes);
            (body, conversion)
        });
        let conversion;
        (body, conversion) = converted.await?;
        self.parsed(address, body, conversion?, known).await
    }

    /// What a body says, or what was made of it.
    async fn parsed(
        &self,
        address: &Address,
        body: Body,
        conversion: Option<String>,
        known: Option<&Validators>,
    ) -> Result<Reply> {
        if conversion.is_none() && !body.is_html {
            bail!("{}", no_page(body.content_type.as_deref()));
        }
        let parsing = Arc::clone(&self.parsing).acquire_owned().await?;
        let shown_before = known.map(|known| known.shown);
        let address = address.clone();
        let parsed = tokio::task::spawn_blocking(move || {
            let _until_parsed = (parsing, &body.held);
            read_page(address, &body, conversion.as_deref(), shown_before)
        });
        parsed.await?
    }

    /// Fetches the robots.txt of an address's host: 4xx but 429 allows everything,
    /// 429, 5xx and no answer deny everything (RFC 9309; "too many requests" is no
    /// word on what may be fetched), up to five redirects are followed.
    pub async fn robots(&self, address: &Address, delay: Duration) -> Result<Robots, Hindrance> {
        let (asked, meter) = (self.asked(address).await, Meter::default());
        // What it forbids must be known on whatever day, and its host waits for it with all pages.
        let any = DailyBudget::default();
        while let Waited::PutOff(_) = self.take_turn(&asked, any, delay).await? {}
        let got = in_time(self.try_robots(address, &meter)).await;
        let asks = got.as_ref().ok().and_then(Robots::delay);
        let asks = Duration::from_millis(asks.unwrap_or(0));
        self.end_turn(&asked, delay.max(asks), &meter).await?;
        match got {
            Ok(robots) => Ok(robots),
            Err(error) => {
                self.check_others(&error).await?;
                Ok(Robots::deny_all(one_line(&error)))
            }
        }
    }

    async fn try_robots(&self, address: &Address, meter: &Meter) -> Result<Robots> {
        let mut at = address.join("/robots.txt")?;
        for _ in 0..=5 {
            let response = self.send(&at, None).await?;
            let status = response.status();
            if status.is_success() {
                let most = robots::LARGEST_FILE;
                let (text, held) = self.memory.read(response, most, &meter.bytes).await?;
                let parsing = Arc::clone(&self.parsing).acquire_owned().await?;
                let parsed = tokio::task::spawn_blocking(move || {
                    let _until_parsed = (parsing, held);
                    Robots::parse(&text, AGENT)
                });
                return Ok(parsed.await?);
            }
            if status == StatusCode::TOO_MANY_REQUESTS {
                bail!("the server answered {}", describe(status));
            }
            if status.is_client_error() {
                return Ok(Robots::allow_all());
            }
            match redirect(&at, &response) {
                Ok(target) if status.is_redirection() => at = target,
                _ => bail!("the server answered {}", describe(status)),
            }
        }
        Ok(Robots::allow_all())
    }

    /// Through a proxy on this machine `https` is asked for as `http`: such a
    /// proxy replays, and cannot speak for the site.
    async fn send(&self, address: &Address, known: Option<&Validators>) -> Result<Response> {
        if self.way.is_left_alone(address) {
            bail!("it is one of the hosts that you never want asked");
        }
        ssrf_guard::check_port(address, &self.way.ports)?;
        ssrf_guard::check(address, self.way.allow_private)?;
        let mut url = Url::parse(address.as_str())?;
        if url.as_str() != address.as_str() {
            bail!("the address is written in two ways, so robots.txt may not speak of it");
        }
        if self.way.is_loopback_proxy() {
            let _ = url.set_scheme("http");
        } else if self.way.proxy.is_some() && !self.way.allow_private {
            self.check_resolved(&url).await?;
        }
        let request = self
            .client
            .get(url)
            .headers(request_headers(&self.agent, known));
        match tokio::time::timeout(HEAD, request.send()).await {
            Ok(answered) => answered.map_err(|error| Fault::of(&error).into()),
            Err(_) => bail!("the server took too long to begin its answer"),
        }
    }

    /// A distant proxy resolves names itself; all that we find must be public.
    async fn check_resolved(&self, url: &Url) -> Result<()> {
        let host = url.host_str().unwrap_or_default();
        let host = host.trim_matches(['[', ']']).to_owned();
        let found = tokio::net::lookup_host((host.as_str(), 80)).await?;
        let found: Vec<SocketAddr> = found.collect();
        if found.is_empty() || !found.iter().all(|found| ssrf_guard::is_public(found.ip())) {
            bail!(ssrf_guard::Refused::NoPublicAddress(host));
        }
        Ok(())
    }
}

/// What a body says, or what was made of it; what was shown before is nothing new.
fn read_page(
    address: Address,
    came: &Body,
    conversion: Option<&str>,
    shown_before: Option<u64>,
) -> Result<Reply> {
    let begun = clock::worked();
    let (head, body) = (&came.head, &came.bytes[..]);
    let content_type = came.content_type.as_deref();
    let (mut page, digest) = match conversion {
        Some(html) => of_html(address.clone(), html, body),
        None => build(address.clone(), body, content_type),
    };
    if head.exchange.asks_not_to_follow() {
        page.ask_not_to_follow();
    }
    if shown_before.is_some_and(|before| before == shown(&page)) {
        return Ok(Reply::Unchanged(None));
    }
    if conversion.is_none() && is_empty_without_scripts(&page, body) {
        let why = "it shows nothing without scripts";
        return Ok(Reply::Unrendered(why.to_owned()));
    }
    // Here, where several are read at a time.
    page.content();
    let worked = clock::worked().saturating_sub(begun);
    let record = head.page(&address, content_type, body, conversion)?;
    let links = u32::try_from(page.outlinks.len()).unwrap_or(u32::MAX);
    Ok(Reply::Page(Box::new(Fetched {
        work: worked + LINK * links,
        page,
        digest,
        record,
    })))
}

/// Bounds how long a page is waited for, with memory for it, and then how long it is parsed.
async fn in_time<T>(work: impl Future<Output = Result<T>>) -> Result<T> {
    match tokio::time::timeout(TOTAL, work).await {
        Ok(done) => done,
        Err(_) => bail!("it took longer than {} seconds in all", TOTAL.as_secs()),
    }
}

/// Whether a page has no link and next to no text, but a script that may bring both.
fn is_empty_without_scripts(page: &Page, body: &[u8]) -> bool {
    let words = page.document().raw_text().split_whitespace();
    // Few pages are looked through for scripts.
    let own_links = match page.outlinks.len() {
        // It may be the feed that its head names.
        1 => usize::from(feed_of(&String::from_utf8_lossy(body)).is_none()),
        links => links,
    };
    own_links == 0
        && words.take(FEWEST_WORDS).count() < FEWEST_WORDS
        && body
            .windows(SCRIPT.len())
            .any(|bytes| bytes.eq_ignore_ascii_case(SCRIPT))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_that_needs_a_browser_is_told_from_a_short_one() {
        let words = "word ".repeat(FEWEST_WORDS);
        for (html, is_empty) in [
            ("<div id=app></div><SCRIPT src=/app.js></SCRIPT>", true),
            (
                "<noscript>Please enable scripts to see the great many things that we have to show to you here on this page of ours</noscript><script>1</script>",
                true,
            ),
            ("<p>Nothing here yet.</p>", false),
            ("<a href=/next>on</a><script>1</script>", false),
            (&format!("<p>{words}</p><script>1</script>"), false),
        ] {
            let address = Address::parse("http://a.test/").unwrap();
            let (page, _) = build(address, html.as_bytes(), Some("text/html"));
            let said = is_empty_without_scripts(&page, html.as_bytes());
            assert_eq!(said, is_empty, "{html}");
        }
    }
}
