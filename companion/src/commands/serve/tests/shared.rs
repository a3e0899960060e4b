//! Topics that are some people's: nobody else reads or changes them, by whatever page or form.

use std::collections::BTreeSet;
use std::path::Path;

use super::public::{PASSWORD, Public};
use super::*;
use linkscent_service::fixtures::crawled;
use linkscent_store::Role;

/// Forms that name no topic and no crawl in their path. Those that can name one otherwise are sent below
/// with another's; `/account`, `/lists` and the settings' own say nothing of topics.
const FORMS: [&str; 19] = [
    "/account",
    "/library/mark",
    "/library/note",
    "/library/pages",
    "/library/searches",
    "/library/searches/drop",
    "/library/seen",
    "/library/undo",
    "/lists",
    "/settings/delete",
    "/settings/forget",
    "/settings/pair",
    "/settings/rename",
    "/settings/site",
    "/settings/revoke",
    "/settings/token",
    "/topics",
    "/topics/file",
    "/topics/file/bytes",
];

/// A path of the dashboard, whether it is read, and whether it takes forms.
struct Route {
    path: String,
    reads: bool,
    changes: bool,
}

/// All that the dashboard has, as its files say.
fn routes() -> Vec<Route> {
    let mut routes = Vec::new();
    let mut places = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("server/src/dashboard")];
    while let Some(place) = places.pop() {
        if place.is_dir() {
            let inside = std::fs::read_dir(place).unwrap();
            places.extend(inside.map(|entry| entry.unwrap().path()));
            continue;
        }
        let text = std::fs::read_to_string(place).unwrap();
        for route in text.split(".route(\"").skip(1) {
            let (path, rest) = route.split_once('"').unwrap();
            let (methods, _) = rest.split_once('\n').unwrap();
            let has = |method: &str| methods.contains(&format!("{method}("));
            routes.push(Route {
                path: path.to_owned(),
                reads: has("get") || has("any"),
                changes: has("post"),
            });
        }
    }
    assert!(routes.len() > 60, "{}", routes.len());
    routes
}

/// Somebody's topic with a crawl, and people besides.
struct Shared {
    site: Public,
    topic: i64,
    crawl: i64,
    /// The number of a page that was kept, and its address.
    page: (u64, String),
    _folder: TempDir,
}

impl Shared {
    async fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (service, topic, crawl) = crawled(folder.path()).await;
        service.library.catch_up(|_| {}).await.unwrap();
        let query = linkscent_service::LibraryQuery::default();
        let search = service
            .library
            .keep_search(Some(&topic), "queens", &query)
            .await;
        let rows = service.rows().kept_after(crawl, 0, 9).await.unwrap();
        let site = Public::on(service).await;
        search.unwrap();
        Self {
            site,
            topic: topic.id,
            crawl,
            page: (rows[0].number, rows[0].address.clone()),
            _folder: folder,
        }
    }

    /// A path with the numbers of the topic and its crawl.
    fn path(&self, pattern: &str) -> String {
        let id = if pattern.starts_with("/crawl/") {
            self.crawl
        } else {
            self.topic
        };
        pattern
            .replace("{id}", &id.to_string())
            .replace("{crawl}", &self.crawl.to_string())
            .replace("{number}", &self.page.0.to_string())
            .replace("{format}", "ris")
            .replace("{action}", "pause")
    }

    /// Somebody who is signed in with a role in all topics, and perhaps one in this.
    async fn person(&self, name: &str, role: Role, here: Option<Role>) -> String {
        let service = &self.site.server().app.service;
        let added = service.accounts.add_account(name, role, Some(PASSWORD));
        added.await.unwrap();
        let topic = service.topics.topic(self.topic).await.unwrap();
        service.accounts.share(&topic, name, here).await.unwrap();
        self.site.sign_in(name, PASSWORD).await.unwrap()
    }

    /// What is kept of the topic, as its ports tell it.
    async fn kept(&self) -> String {
        let store = &self.site.server().app.service.rows();
        let (topic, crawl) = (self.topic, self.crawl);
        let row = store.crawl(crawl).await.unwrap().unwrap();
        [
            format!("{:?}", store.topic(topic).await.unwrap()),
            format!("{:?}", store.events(topic).await.unwrap()),
            format!("{:?}", store.annotations(topic).await.unwrap()),
            format!("{:?}", store.critic(topic).await.unwrap()),
            format!("{:?}", store.standings(Some(topic)).await.unwrap()),
            format!("{:?}", store.people_of(topic).await.unwrap()),
            format!("{:?}", store.searches().await.unwrap()),
            format!("{row:?}"),
            format!("{:?}", store.counts(crawl).await.unwrap()),
        ]
        .join("\n")
    }
}

/// Nothing of the topic, its pages or its people is in a text.
fn assert_silent(text: &str, path: &str) {
    for said in [
        "bees", "Bees", "honey", "Honey", "host0", "queens", "Crawl 1",
    ] {
        assert!(!text.contains(said), "{path} says {said}: {text}");
    }
}

#[tokio::test(flavor = "multi_thread")]
#[expect(clippy::too_many_lines, reason = "it is a list of cases")]
async fn nobody_reads_or_changes_what_is_anothers() {
    let shared = Shared::new().await;
    let site = &shared.site;
    let member = shared.person("moa", Role::Member, None).await;
    let guest = shared.person("gus", Role::Guest, None).await;
    let made = site.send("/topics", &member, "name=moats&examples=").await;
    assert_eq!(made.status, StatusCode::SEE_OTHER, "{}", made.text);
    let before = shared.kept().await;
    let mut forms = BTreeSet::new();
    for route in routes() {
        let path = shared.path(&route.path);
        let is_about = path != route.path || route.path.contains('{');
        for key in [&member, &guest] {
            if route.reads && !route.path.starts_with("/feed/") {
                let reply = site.get(&path, key).await;
                assert_silent(&reply.text, &path);
                let takes_any = ["/library/take/{format}"].contains(&route.path.as_str());
                if is_about && !takes_any {
                    assert_eq!(reply.status, StatusCode::NOT_FOUND, "{path}");
                }
            }
            if route.changes && is_about {
                let reply = site.send(&path, key, "sure=true&removed=true").await;
                assert_eq!(reply.status, StatusCode::NOT_FOUND, "{path}");
                assert_silent(&reply.text, &path);
            }
        }
        if route.changes && !is_about {
            forms.insert(route.path);
        }
    }
    for open in ["/sign-in", "/sign-out"] {
        assert!(forms.remove(open), "{open}");
    }
    assert_eq!(forms, FORMS.map(str::to_owned).into());
    let (topic, crawl) = (shared.topic, shared.crawl);
    let (number, address) = &shared.page;
    for key in [&member, &guest] {
        for question in [
            "topic=1",
            "topic=1&q=honey",
            "q=topic%3Abees&topic=",
            "topic=",
        ] {
            for at in ["", "/total", "/suggest", "/take/ris", "/take/csv"] {
                let path = format!("/library{at}?{question}");
                let reply = site.get(&path, key).await;
                // What was asked stands there again.
                let text = reply.text.replace("topic:bees", "");
                let text = text.replace("topic%3Abees", "");
                assert_silent(&text, &path);
            }
        }
        for (path, fields) in [
            (
                "/library/mark",
                format!("crawl={crawl}&address={address}&verdict=target"),
            ),
            ("/library/seen", format!("topic={topic}")),
            ("/library/seen", "topic=".to_owned()),
            (
                "/library/pages",
                format!("page={crawl}/{number}&verdict=target"),
            ),
            (
                "/library/pages",
                format!("which=search&back=topic%3D{topic}&verdict=target"),
            ),
            (
                "/library/pages",
                "which=search&back=q%3Dhoney&verdict=target".to_owned(),
            ),
            ("/library/note", format!("page={crawl}/{number}&text=mine")),
            ("/library/searches", format!("name=x&topic={topic}&q=y")),
            ("/library/searches", "name=x&topic=&q=y".to_owned()),
            ("/topics", format!("name=bees&examples={address}")),
            ("/topics", format!("name=+bees+&examples={address}")),
            ("/topics/file", "file=%2Fetc%2Fpasswd".to_owned()),
            ("/settings/token", "name=x&read=true".to_owned()),
            ("/settings/delete", "sure=true".to_owned()),
        ] {
            let reply = site.send(path, key, &fields).await;
            let is_refused = reply.status.is_client_error();
            assert!(
                is_refused,
                "{path} {fields}: {} {}",
                reply.status, reply.text
            );
            let asked = ["bees", " bees "].map(|name| format!("“{name}”"));
            let text = asked
                .iter()
                .fold(reply.text, |text, name| text.replace(name, ""));
            assert_silent(&text, path);
        }
    }
    // What is another's and what is not there are told alike.
    for (there, absent) in [
        ("/topic/1", "/topic/999"),
        ("/crawl/1", "/crawl/999"),
        ("/library/why/1/1", "/library/why/999/1"),
    ] {
        let (there, absent) = (
            site.get(there, &member).await,
            site.get(absent, &member).await,
        );
        assert_eq!(there.text, absent.text);
    }
    for (path, fields) in [
        (
            "/library/mark",
            "crawl=N&address=http%3A%2F%2Fhost0.test%2F1&verdict=target",
        ),
        ("/library/note", "page=N/1&text=mine"),
        ("/library/pages", "page=N/1&verdict=target"),
        ("/library/searches/drop", "id=N"),
        ("/library/undo", "id=N"),
        ("/library/seen", "topic=N"),
    ] {
        let of = |number: &str| fields.replace('N', number);
        let there = site.send(path, &member, &of("1")).await;
        let absent = site.send(path, &member, &of("999")).await;
        assert_eq!(
            (there.status, there.text),
            (absent.status, absent.text),
            "{path}"
        );
    }
    // Nor by what is the member's own.
    let own = site.server().app.service.rows().topics().await.unwrap();
    let own = own.iter().find(|topic| topic.name == "moats").unwrap().id;
    let path = format!("/topic/{own}/critic");
    for asked in ["bees", "nothing"] {
        let fields = format!("kind=predicate&predicate=topic+%22{asked}%22+%3E%3D+0.5");
        let taught = site.send(&path, &member, &fields).await;
        assert_eq!(taught.status, StatusCode::FORBIDDEN, "{}", taught.text);
    }
    let path = format!("/topic/{own}/crawl");
    let taught = site.send(
        &path,
        &member,
        "budget=1&starts=http%3A%2F%2Fa.test%2F&start_from=bees",
    );
    let taught = taught.await;
    assert_eq!(taught.status, StatusCode::BAD_REQUEST);
    assert!(
        taught.text.contains("no topic “bees” that you may use"),
        "{}",
        taught.text
    );
    let file = site.get(&format!("/topic/{own}/file"), &member).await;
    let csrf = site.server().app.access.csrf();
    for name in ["bees", "+bees+"] {
        let path = format!("/topics/file/bytes?csrf={csrf}&name={name}");
        let taken = site.ask("POST", &path, &member, &file.text).await;
        assert_eq!(
            taken.status,
            StatusCode::BAD_REQUEST,
            "{name}: {}",
            taken.text
        );
    }
    let path = format!("/topic/{own}/name");
    assert_eq!(
        site.send(&path, &member, "name=bees").await.status,
        StatusCode::BAD_REQUEST
    );
    assert_eq!(shared.kept().await, before);
}

#[tokio::test(flavor = "multi_thread")]
async fn each_does_in_a_topic_what_the_role_is_for() {
    let shared = Shared::new().await;
    let site = &shared.site;
    let reader = shared.person("rea", Role::Guest, Some(Role::Reader)).await;
    let editor = shared.person("edi", Role::Guest, Some(Role::Editor)).await;
    let owner = shared.person("owa", Role::Guest, Some(Role::Owner)).await;
    let everywhere = shared.person("eva", Role::Reader, None).await;
    let before = shared.kept().await;
    for route in routes() {
        let path = shared.path(&route.path);
        if path == route.path || path.contains("/library/take/") {
            continue;
        }
        for (key, is_editor) in [(&reader, false), (&everywhere, false), (&editor, true)] {
            let owners = path.ends_with("/people") || path.ends_with("/delete");
            if route.reads && !path.ends_with("/live") {
                let reply = site.get(&path, key).await;
                let is_refused = reply.status == StatusCode::FORBIDDEN;
                assert_eq!(is_refused, owners, "{path}: {}", reply.text);
                assert_ne!(reply.status, StatusCode::INTERNAL_SERVER_ERROR, "{path}");
            }
            if route.changes && (owners || !is_editor) {
                let reply = site.send(&path, key, "sure=true&removed=true").await;
                assert_eq!(reply.status, StatusCode::FORBIDDEN, "{path}");
            }
        }
    }
    let (crawl, (number, address)) = (shared.crawl, &shared.page);
    let annotation = format!("page={crawl}/{number}&verdict=tag&tag=seen");
    let refused = site.send("/library/pages", &reader, &annotation).await;
    assert_eq!(refused.status, StatusCode::FORBIDDEN, "{}", refused.text);
    assert_eq!(shared.kept().await, before);
    let page = site.get("/library", &reader).await;
    assert!(
        page.text.contains("host0.test"),
        "their one topic is searched"
    );
    let page = site.get(&format!("/topic/{}", shared.topic), &reader).await;
    assert!(page.text.contains("class=\"reader\"") && !page.text.contains("/people"));

    let done = site.send("/library/pages", &editor, &annotation).await;
    assert!(done.status.is_success() || done.status.is_redirection());
    let done = format!("id={}", 1);
    let undone = site.send("/library/undo", &reader, &done).await;
    assert_eq!(undone.status, StatusCode::NOT_FOUND, "{}", undone.text);
    // Of what changed nothing it is not known whose it is.
    let again = site.send("/library/pages", &editor, &annotation).await;
    assert!(again.status.is_success() || again.status.is_redirection());
    for id in 1..4 {
        let page = site.get(&format!("/library?done={id}"), &reader).await;
        assert!(!page.text.contains("under “seen”"), "{}", page.text);
    }
    let marked = format!("crawl={crawl}&address={address}&verdict=not");
    let marked = site.send("/library/mark", &editor, &marked).await;
    assert_eq!(marked.status, StatusCode::NO_CONTENT, "{}", marked.text);
    assert_ne!(shared.kept().await, before);

    let people = format!("/topic/{}/people", shared.topic);
    let page = site.get(&people, &owner).await;
    assert!(page.text.contains("<b>edi</b>, editor"), "{}", page.text);
    for (fields, status) in [
        ("name=nobody&role=reader", StatusCode::NOT_FOUND),
        ("name=edi&role=member", StatusCode::BAD_REQUEST),
        ("name=edi&role=x", StatusCode::BAD_REQUEST),
        ("name=Edi&role=", StatusCode::SEE_OTHER),
    ] {
        let reply = site.send(&people, &owner, fields).await;
        assert_eq!(reply.status, status, "{fields}: {}", reply.text);
    }
    let path = format!("/topic/{}", shared.topic);
    assert_eq!(
        site.get(&path, &editor).await.status,
        StatusCode::NOT_FOUND,
        "at once"
    );
    let only = site.send(&people, &owner, "name=owa&role=").await;
    assert!(only.text.contains("is the only owner"), "{}", only.text);
    let other = site.send(&people, &owner, "name=rea&role=owner").await;
    assert_eq!(other.headers["location"], *people);
    let gone = site.send(&people, &owner, "name=owa&role=reader").await;
    assert_eq!(gone.headers["location"], "/");
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_makes_a_topic_has_it() {
    let shared = Shared::new().await;
    let site = &shared.site;
    let guest = shared.person("gus", Role::Guest, None).await;
    let member = shared.person("moa", Role::Member, None).await;
    let other = shared.person("oma", Role::Member, None).await;
    let page = site.get("/", &guest).await;
    assert!(page.text.contains("ask an owner to share"), "{}", page.text);
    let name = "name=moats&examples=";
    assert_eq!(
        site.send("/topics", &guest, name).await.status,
        StatusCode::FORBIDDEN
    );
    let made = site.send("/topics", &member, name).await;
    let path = made.headers["location"].to_str().unwrap().to_owned();
    let again = site.send("/topics", &member, name).await;
    assert_eq!(again.headers["location"], *path, "one is gone on with");
    let taken = site.send("/topics", &other, name).await;
    assert_eq!(taken.status, StatusCode::BAD_REQUEST);
    assert!(
        taken.text.contains("Somebody has a topic"),
        "{}",
        taken.text
    );
    // Removed it is no less the other's: naming brings nothing back.
    let removed = site
        .send(&format!("{path}/remove"), &member, "removed=true")
        .await;
    assert_eq!(removed.status, StatusCode::SEE_OTHER);
    assert_eq!(
        site.send("/topics", &other, name).await.status,
        StatusCode::BAD_REQUEST
    );
    assert!(site.get("/", &member).await.text.contains("moats"));
    assert!(!site.get("/", &other).await.text.contains("moats"));
    let file = site.get(&format!("{path}/file"), &other).await;
    assert_eq!(file.status, StatusCode::NOT_FOUND);
    // What was deleted for good is nobody's.
    let deleted = site
        .send(&format!("{path}/delete"), &member, "sure=true")
        .await;
    assert_eq!(deleted.status, StatusCode::SEE_OTHER, "{}", deleted.text);
    let made = site.send("/topics", &other, name).await;
    assert_eq!(made.status, StatusCode::SEE_OTHER, "{}", made.text);
    let new_path = made.headers["location"].to_str().unwrap().to_owned();
    assert_ne!(new_path, path, "it may be deleted yet");
    let page = site.get(&new_path, &other).await;
    assert!(page.text.contains("<h1>moats</h1>"), "{}", page.text);
    assert_eq!(
        site.get(&new_path, &member).await.status,
        StatusCode::NOT_FOUND
    );
    // A name that a deleted topic had is one topic's, whichever row is newer.
    let service = &site.server().app.service;
    let castles = service.topics.create_topic("castles", &[]).await.unwrap();
    let forts = service.topics.create_topic("forts", &[]).await.unwrap();
    service.topics.delete_topic(&forts).await.unwrap();
    service.topics.rename(&castles, "forts").await.unwrap();
    let known = service
        .topics
        .find_known_as("forts")
        .await
        .unwrap()
        .unwrap();
    assert_eq!(known.id, castles.id);
    let again = service.topics.create_topic("forts", &[]).await.unwrap();
    assert_eq!(again.id, castles.id, "nothing is brought back");
    let taken = site.send("/topics", &other, "name=forts&examples=").await;
    assert_eq!(taken.status, StatusCode::BAD_REQUEST, "{}", taken.text);
    let gone = service
        .topics
        .topic(path.rsplit('/').next().unwrap().parse().unwrap());
    let gone = gone.await.unwrap();
    let shared = service.accounts.share(&gone, "oma", Some(Role::Owner));
    assert!(shared.await.is_err());
}

/// Where somebody may change one topic and look at another, each page has the forms that are taken.
#[tokio::test(flavor = "multi_thread")]
async fn the_library_has_the_forms_that_are_taken() {
    let shared = Shared::new().await;
    let site = &shared.site;
    let key = shared.person("rea", Role::Member, Some(Role::Reader)).await;
    let made = site.send("/topics", &key, "name=moats&examples=").await;
    let own = made.headers["location"].to_str().unwrap();
    let own = own.rsplit('/').next().unwrap();
    let class = async |topic: &str| {
        let page = site.get(&format!("/library?topic={topic}"), &key).await;
        let (_, rest) = page.text.split_once("<body class=\"").unwrap();
        rest.split_once('"').unwrap().0.to_owned()
    };
    assert_eq!(class("1").await, "reader");
    assert_eq!(class(own).await, "owner");
    let everywhere = shared.person("eva", Role::Reader, None).await;
    site.server()
        .app
        .service
        .accounts
        .share(
            &site.server().app.service.topics.topic(1).await.unwrap(),
            "eva",
            Some(Role::Owner),
        )
        .await
        .unwrap();
    let page = site.get("/library", &everywhere).await;
    assert!(page.text.contains("<body class=\"reader\">"));
}
