//! The description against the real router: the same calls by the same methods, and
//! answers of each that fit their schemas.

use linkscent_core::crawl::UNRENDERED;
use std::collections::BTreeSet;

use axum::body::{Body, to_bytes};
use axum::http::Request;
use linkscent_core::critics::Taxonomy;
use linkscent_core::critics::taxonomy::ClassPage;
use linkscent_core::wire::api::{
    AnswerHead, CallHead, ChannelOpened, CrawlView, EstimateView, FindView, QuestionView,
    SkippedView,
};
use linkscent_core::wire::channel::{Channel, DeviceKey};
use linkscent_core::wire::crawl_state::CrawlState;
use linkscent_core::wire::pairing::{Attempt, Side};
use serde_json::{Value, json};
use tempfile::TempDir;
use tower::ServiceExt;

use super::*;
use linkscent_service::crawler::fake_web::endless_web;
use linkscent_service::{RunBy, Services};
use linkscent_store::fixtures::failed;
use linkscent_store::secret;
use linkscent_store::{Permission, Store};

const PORT: u16 = 7;
const PAGE: &str = "http://a.test/1";

/// An answer: its status, and its body as JSON where it is some.
type Answered = (u16, Value);

/// The calls without a port, and a browser that is paired.
struct Api {
    app: App,
    router: Router,
    description: Value,
    channel: Channel,
    name: Vec<u8>,
    _folder: TempDir,
}

impl Api {
    async fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path()).await.unwrap();
        let key = DeviceKey::from_bytes(&[7; 32]).unwrap();
        let device = store.add_device("a browser", "", &key).await.unwrap();
        let way = endless_web().await;
        let app = App::new(Services::new(store, way), PORT);
        let router = open_routes().with_state(app.clone());
        let own = [1; 32];
        let asked = json!({ "device": device, "random": secret::hex(&own) });
        let (_, opened) = ask(&router, "POST", "/api/v1/channel", &asked.to_string()).await;
        let opened: ChannelOpened = serde_json::from_value(opened).unwrap();
        let theirs = secret::from_hex(&opened.random).unwrap();
        let channel = key.channel(&own, &theirs.try_into().unwrap());
        let (_, description) = ask(&router, "GET", "/api/v1/openapi.json", "").await;
        Self {
            app,
            router,
            description,
            channel,
            name: secret::from_hex(&opened.channel).unwrap(),
            _folder: folder,
        }
    }

    /// Makes a call as it is to be made: in the channel, or as it stands.
    async fn call(&mut self, method: &str, path: &str, body: &str) -> Answered {
        if !is_sealed(path.split(['?']).next().unwrap_or_default()) {
            return ask(&self.router, method, path, body).await;
        }
        let head = CallHead {
            method: method.to_owned(),
            path: path.trim_start_matches("/api/v1/").to_owned(),
        };
        let plain = format!("{}\n{body}", serde_json::to_string(&head).unwrap());
        let message = [&*self.name, &self.channel.call(plain.as_bytes())].concat();
        let request = Request::post("/api/v1/call")
            .body(Body::from(message))
            .unwrap();
        let response = self.router.clone().oneshot(request).await.unwrap();
        assert_eq!(response.status(), StatusCode::OK);
        let sealed = to_bytes(response.into_body(), usize::MAX).await.unwrap();
        let plain = self.channel.open_answer(&sealed).unwrap();
        let end = plain.iter().position(|&byte| byte == b'\n').unwrap();
        let head: AnswerHead = serde_json::from_slice(&plain[..end]).unwrap();
        let body = serde_json::from_slice(&plain[end + 1..]).unwrap_or_default();
        (head.status, body)
    }

    /// Makes a call as a program does.
    async fn call_with(&self, token: &str, method: &str, path: &str, body: &str) -> Response {
        let request = Request::builder()
            .method(method)
            .uri(path)
            .header("authorization", format!("Bearer {token}"))
            .header("content-type", "application/json")
            .header("accept", "application/json, text/event-stream")
            .header("host", format!("127.0.0.1:{PORT}"))
            .body(Body::from(body.to_owned()))
            .unwrap();
        self.router.clone().oneshot(request).await.unwrap()
    }

    /// A token that permits so much.
    async fn token(&self, may: &[Permission]) -> String {
        self.app
            .service
            .accounts
            .make_token("notes", may)
            .await
            .unwrap()
    }

    /// What the description says of a call.
    fn operation(&self, method: &str, path: &str) -> &Value {
        &self.description["paths"][path][method.to_lowercase()]
    }

    /// What is wrong with some JSON by a schema of the description.
    fn faults(&self, schema: &Value, instance: &Value) -> Vec<String> {
        let mut schema = schema.clone();
        schema["components"] = self.description["components"].clone();
        let validator = jsonschema::validator_for(&schema).unwrap();
        let faults = validator.iter_errors(instance);
        faults.map(|fault| fault.to_string()).collect()
    }

    /// Gives a topic a taxonomy, of which one class is good.
    async fn import_classes(&self, topic: &str) {
        let class = |(path, word): (&str, &str)| {
            let page = ClassPage {
                address: None,
                words: vec![(word.to_owned(), 2)],
            };
            (path.to_owned(), vec![page])
        };
        let classes = [("Science/Bees", "bee"), ("Travel/Trains", "train")].map(class);
        let (taxonomy, _) = Taxonomy::of(classes.into()).unwrap();
        let good = ["Travel".to_owned()];
        let service = &self.app.service;
        let imported = service
            .topics
            .import_taxonomy(topic, &taxonomy, Some(&good));
        imported.await.unwrap();
    }

    /// Waits until a crawl has come to rest.
    async fn rest(&self, crawl: i64) {
        let mut changes = self.app.service.supervisor.changes();
        loop {
            let (crawl, _) = self.app.service.crawls.crawl(crawl).await.unwrap();
            if self.app.service.supervisor.run_by(&crawl) != Some(RunBy::Us) {
                return;
            }
            changes.changed().await.unwrap();
        }
    }
}

/// Asks the router as it stands; no answer needs more than this of a request.
async fn ask(router: &Router, method: &str, path: &str, body: &str) -> Answered {
    let request = Request::builder()
        .method(method)
        .uri(path)
        .header("content-type", "application/json")
        .body(Body::from(body.to_owned()))
        .unwrap();
    let response = router.clone().oneshot(request).await.unwrap();
    let status = response.status().as_u16();
    let body = to_bytes(response.into_body(), usize::MAX).await.unwrap();
    (status, serde_json::from_slice(&body).unwrap_or_default())
}

/// The paths of a router, as it shows them to programmers.
fn paths(router: &Router<App>) -> BTreeSet<String> {
    let shown = format!("{router:?}");
    let quoted = shown.split('"').skip(1).step_by(2);
    let paths = quoted.filter(|path| path.starts_with("/api/v1/"));
    paths.map(str::to_owned).collect()
}

/// Whether a call is only taken in a channel.
fn is_sealed(path: &str) -> bool {
    let open = paths(&open_calls().into());
    !open.contains(path)
}

/// A crawl's state with something in every field.
fn full_view() -> CrawlView {
    let text = || "x".to_owned();
    CrawlView {
        id: 1,
        topic: text(),
        state: CrawlState::Done,
        stop_reason: text(),
        pages: 1,
        budget: 2,
        relevant: 1,
        harvest: 0.5,
        finds: vec![FindView {
            address: text(),
            snippet: "Bees fly.".to_owned(),
            title: text(),
            relevance: 1.0,
            probability: 0.5,
            reason: text(),
            path: vec![text()],
        }],
        question: Some(QuestionView {
            address: text(),
            title: text(),
        }),
        alarm: text(),
        skipped: vec![SkippedView {
            reason: text(),
            links: 3,
            seeds: 0,
        }],
        waiting: Some(EstimateView {
            about: 2,
            least: 0,
            most: 8,
        }),
        reachable: Some(EstimateView {
            about: 12,
            least: 10,
            most: 18,
        }),
    }
}

#[tokio::test]
async fn every_call_is_described() {
    let mut api = Api::new().await;
    let described = api.description["paths"].as_object().unwrap().clone();
    let calls_of = |methods: &Value| methods.as_object().unwrap().values().cloned().collect();
    let operations: Vec<Value> = described
        .values()
        .flat_map(|it| -> Vec<Value> { calls_of(it) })
        .collect();
    let names: BTreeSet<&str> = operations
        .iter()
        .filter_map(|one| one["operationId"].as_str())
        .collect();
    assert_eq!(names.len(), operations.len(), "each has a name of its own");
    let (open, sealed) = (paths(&open_calls().into()), paths(&calls().into()));
    assert!(open.is_disjoint(&sealed));
    let for_programs = paths(&program_calls().into());
    assert_eq!(for_programs.len(), 5, "{for_programs:?}");
    let routed: BTreeSet<&String> = open.union(&sealed).chain(&for_programs).collect();
    assert!(routed.len() >= 10, "{routed:?}");
    assert_eq!(routed, described.keys().collect());
    // Besides these the router knows only what sends strangers away.
    assert_eq!(paths(&open_routes()), open);
    for path in open.union(&sealed) {
        for method in ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"] {
            let (status, _) = api.call(method, &path.replace("{id}", "1"), "").await;
            let is_taken = status != StatusCode::METHOD_NOT_ALLOWED.as_u16();
            let is_described = described[path].get(method.to_lowercase()).is_some();
            assert_eq!(is_taken, is_described, "{method} {path}: {status}");
        }
        // Whoever is not paired is sent away, and told so as the description says.
        if sealed.contains(path) {
            let (status, error) = ask(&api.router, "GET", &path.replace("{id}", "1"), "").await;
            assert_eq!(status, 403, "{path}");
            assert!(error["error"].as_str().unwrap().contains("pair"));
            for operation in described[path].as_object().unwrap().values() {
                assert!(operation["responses"]["403"].is_object(), "{path}");
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
#[expect(clippy::too_many_lines, reason = "it is a list of cases")]
async fn answers_fit_their_schemas() {
    let mut api = Api::new().await;
    api.import_classes("bees").await;
    api.app
        .service
        .topics
        .create_topic("plain", &[])
        .await
        .unwrap();
    let digits = api.app.pairing.new_code();
    let (attempt, message) = Attempt::begin(Side::Extension, &digits, PORT, [1; 64]);
    let start = json!({ "step": "start", "message": secret::hex(&message) });
    let (_, started) = api.call("POST", "/api/v1/pair", &start.to_string()).await;
    let answers = &api.operation("POST", "/api/v1/pair")["responses"]["200"];
    let schema = &answers["content"]["application/json"]["schema"];
    assert_eq!(api.faults(schema, &started), Vec::<String>::new());
    let theirs = secret::from_hex(started["message"].as_str().unwrap()).unwrap();
    let proof = attempt.finish(&theirs).unwrap().proof(Side::Extension);
    let finish = json!({ "step": "finish", "attempt": started["attempt"],
        "proof": secret::hex(&proof), "name": "another" });
    let events = json!([
        { "id": "1", "topic": "bees", "time": 1, "kind": "mark", "address": PAGE, "title": "",
          "target": true, "words": [["bee", 3]] },
        { "id": "2", "topic": "bees", "time": 1, "kind": "form", "address": PAGE, "form": "f",
          "wanted": null, "words": ["bee"], "around": [] },
        { "id": "3", "topic": "bees", "time": 1, "kind": "trail", "from": PAGE, "to": PAGE,
          "anchor": "", "context": [["bee", -1]], "relevance": 0.5 },
        { "id": "5", "topic": "bees", "time": 1, "kind": "visit", "page": PAGE, "tab": 1,
          "how": "new_tab", "from": null, "click": "3", "relevance": 0.5, "title_words": ["bee"],
          "heading_words": [], "words": [["bee", 3]] },
        { "id": "4", "topic": "bees", "time": 1, "kind": "mark", "address": "about:x",
          "title": "", "target": false, "words": [] },
    ]);
    let random = "0a".repeat(32);
    let order = json!({ "topic": "bees", "seeds": [PAGE], "budget": 1, "site_pages": 20 });
    let at_once = json!({ "topic": "bees", "seeds": [PAGE], "budget": 1, "site_targets": 0 });
    let untaught = json!({ "topic": "bees", "seeds": [PAGE], "budget": 1, "start_from": "trains" });
    let clicks = json!({ "clicks": [[PAGE, "http://b.test/"]] });
    let many = json!({ "pages": vec![PAGE; 1_001] });
    let skip = json!({ "address": PAGE, "answer": "skip" });
    let stranger = json!({ "device": "nobody", "random": random });
    let untrained = json!({ "topic": "bees", "strategy": "hmm" });
    let training = json!({ "topic": "bees", "model": "hmm" });
    let paths = json!({ "topic": "bees", "model": "ache-offline" });
    let on_paths = json!({ "topic": "bees", "strategy": "ache-offline-online" });
    let no_model = json!({ "topic": "bees", "model": "oracle" });
    let answer = "/api/v1/crawls/{id}/answer";
    let seeds = "/api/v1/crawls/{id}/seeds";
    let more = json!({ "seeds": ["http://b.test/"] });
    let no_page = json!({ "seeds": ["nowhere"] });
    let change = "/api/v1/crawls/{id}/change";
    let without_ads = json!({ "kind": "leave_out", "host": "ads.test" });
    let without_nothing = json!({ "kind": "leave_out", "host": "no host" });
    let no_change = json!({ "kind": "colour", "name": "red" });
    let restricting = json!({ "kind": "on_drift", "reaction": "restrict" });
    let dancing = json!({ "kind": "on_drift", "reaction": "dance" });
    let good = json!({ "topic": "bees", "nodes": ["Science"] });
    let no_node = json!({ "topic": "bees", "nodes": ["Sports"] });
    let nobody = json!({ "topic": "nothing", "nodes": [] });
    let class = json!({ "address": PAGE, "class": "Science/Bees" });
    let no_class = json!({ "address": PAGE, "class": "Science" });
    let taken_back = json!({ "address": PAGE, "class": null });
    let elsewhere = json!({ "address": "http://b.test/", "class": null });
    let of_class = json!([{ "id": "6", "topic": "bees", "time": 1, "kind": "class", "address": PAGE,
        "title": "", "class": "Science/Bees", "words": [["bee", 3]] }]);
    let classes = "/api/v1/crawls/{id}/classes";
    let looked = json!({ "topic": "bees", "hosts": ["a.test"] });
    let too_many = json!({ "topic": "bees", "hosts": vec!["a.test"; 101] });
    let unasked = json!({ "crawl": 2, "address": PAGE, "html": "<p>bees</p>" });
    let was_read = json!({ "topic": "bees", "address": PAGE, "html": "<p>bees</p>", "time": 1 });
    let read_of_nobody = json!({ "topic": "x", "address": PAGE, "html": "", "time": 1 });
    let no_page_read = json!({ "topic": "bees", "address": "x", "html": "", "time": 1 });
    let nothing = Value::Null;
    // Method, path, what stands behind or in it, body, status.
    let cases: Vec<(&str, &str, &str, &Value, u16)> = vec![
        ("GET", "/api/v1/health", "", &nothing, 200),
        ("GET", "/api/v1/openapi.json", "", &nothing, 200),
        ("POST", "/api/v1/pair", "", &finish, 200),
        ("POST", "/api/v1/pair", "", &start, 403),
        ("POST", "/api/v1/pair", "", &nothing, 422),
        ("POST", "/api/v1/channel", "", &stranger, 403),
        ("POST", "/api/v1/channel", "", &order, 422),
        ("POST", "/api/v1/call", "", &order, 401),
        ("POST", "/api/v1/events", "", &events, 200),
        ("POST", "/api/v1/events", "", &order, 422),
        ("GET", "/api/v1/model", "?topic=nothing", &nothing, 204),
        ("GET", "/api/v1/model", "?topic=bees", &nothing, 200),
        (
            "GET",
            "/api/v1/model",
            "?topic=bees&version=x",
            &nothing,
            400,
        ),
        ("GET", "/api/v1/crawls", "?topic=nothing", &nothing, 200),
        ("GET", "/api/v1/crawls", "", &nothing, 400),
        ("POST", "/api/v1/crawls", "", &order, 200),
        ("POST", "/api/v1/crawls", "", &untaught, 400),
        ("GET", "/api/v1/crawls", "?topic=bees", &nothing, 200),
        ("POST", "/api/v1/crawls", "", &at_once, 400),
        ("POST", "/api/v1/crawls", "", &skip, 422),
        ("POST", answer, "1", &skip, 200),
        ("POST", answer, "1", &skip, 404),
        ("POST", answer, "x", &skip, 400),
        ("POST", "/api/v1/renderings", "", &unasked, 404),
        ("POST", "/api/v1/renderings", "", &unasked, 204),
        ("POST", answer, "1", &order, 422),
        ("POST", "/api/v1/renderings/next", "", &looked, 200),
        ("POST", "/api/v1/renderings/next", "", &too_many, 400),
        ("POST", "/api/v1/renderings/next", "", &order, 422),
        ("POST", "/api/v1/renderings", "", &looked, 422),
        (
            "GET",
            "/api/v1/library",
            "?topic=bees&q=hive",
            &nothing,
            200,
        ),
        ("GET", "/api/v1/library", "?order=odd", &nothing, 400),
        ("GET", "/api/v1/library", "?topic=nobody", &nothing, 404),
        ("GET", "/api/v1/topics", "", &nothing, 200),
        ("GET", "/api/v1/changes", "?after=0", &nothing, 200),
        ("GET", "/api/v1/changes", "?after=x", &nothing, 400),
        ("GET", "/api/v1/classes", "?topic=bees", &nothing, 200),
        ("GET", "/api/v1/classes", "?topic=plain", &nothing, 400),
        ("GET", "/api/v1/classes", "?topic=nothing", &nothing, 404),
        ("GET", "/api/v1/classes", "", &nothing, 400),
        ("POST", "/api/v1/classes", "", &good, 200),
        ("POST", "/api/v1/classes", "", &no_node, 400),
        ("POST", "/api/v1/classes", "", &nobody, 404),
        ("POST", "/api/v1/classes", "", &class, 422),
        ("POST", "/api/v1/events", "", &of_class, 200),
        ("POST", classes, "1", &class, 200),
        ("GET", classes, "1", &nothing, 200),
        ("GET", classes, "1?node=Science&skip=1", &nothing, 200),
        ("GET", classes, "1?skip=-1", &nothing, 400),
        ("GET", classes, "7", &nothing, 404),
        ("POST", classes, "1", &taken_back, 200),
        ("POST", classes, "1", &no_class, 400),
        ("POST", classes, "1", &elsewhere, 404),
        ("POST", classes, "1", &good, 422),
        ("GET", "/api/v1/strategies", "?topic=bees", &nothing, 200),
        ("GET", "/api/v1/strategies", "?topic=nothing", &nothing, 404),
        ("GET", "/api/v1/strategies", "", &nothing, 400),
        ("POST", "/api/v1/strategies", "", &untrained, 400),
        ("POST", "/api/v1/train", "", &training, 200),
        ("POST", "/api/v1/strategies", "", &on_paths, 400),
        ("POST", "/api/v1/train", "", &paths, 400),
        ("POST", "/api/v1/train", "", &no_model, 400),
        ("POST", "/api/v1/train", "", &skip, 422),
        ("POST", "/api/v1/strategies", "", &untrained, 200),
        ("POST", "/api/v1/strategies", "", &skip, 422),
        ("POST", seeds, "3", &more, 200),
        ("POST", seeds, "3", &no_page, 400),
        ("POST", seeds, "1", &more, 400),
        ("POST", seeds, "9", &more, 404),
        ("POST", seeds, "3", &skip, 422),
        ("POST", change, "3", &without_ads, 200),
        ("POST", change, "3", &without_nothing, 400),
        ("POST", change, "9", &without_ads, 404),
        ("POST", change, "3", &no_change, 422),
        ("POST", change, "3", &restricting, 200),
        ("POST", change, "3", &dancing, 400),
        ("POST", "/api/v1/readings", "", &was_read, 204),
        ("POST", "/api/v1/readings", "", &unasked, 422),
        ("POST", "/api/v1/readings", "", &read_of_nobody, 404),
        ("POST", "/api/v1/readings", "", &no_page_read, 400),
        ("POST", "/api/v1/dashboard", "", &nothing, 200),
        ("POST", "/api/v1/forget", "", &clicks, 200),
        ("POST", "/api/v1/forget", "", &many, 400),
        ("POST", "/api/v1/forget", "", &events, 422),
    ];
    let mut went_well = BTreeSet::from([
        // Programs make these, see below.
        ("GET", "/api/v1/export"),
        ("GET", "/api/v1/live"),
        ("GET", "/api/v1/metrics"),
        ("GET", "/api/v1/crawls/{id}/pages/{number}"),
        ("GET", "/api/v1/crawls/{id}/hosts"),
        // These two carry every other call here.
        ("POST", "/api/v1/channel"),
        ("POST", "/api/v1/call"),
    ]);
    for (method, path, place, body, status) in cases {
        let (id, query) = place.split_at(place.find('?').unwrap_or(place.len()));
        let address = format!("{}{query}", path.replace("{id}", id));
        if path == answer && status == 200 {
            api.rest(1).await;
            api.app.service.rows().ask(1, PAGE).await.unwrap();
        }
        if path == "/api/v1/train" && status == 200 {
            // Nothing is trained while a crawl of the topic runs.
            api.rest(2).await;
        }
        if path == seeds && status == 200 {
            // One that nobody runs.
            let store = api.app.service.rows();
            assert_eq!(linkscent_store::fixtures::crawl(&**store).await, 3);
        }
        if path == "/api/v1/renderings" && status == 204 {
            // A crawl that nobody runs, with a page that waits for a browser.
            let store = api.app.service.rows();
            let crawl = linkscent_store::fixtures::crawl(&**store).await;
            let (mut record, place) = failed(1, PAGE);
            record.problem = format!("{UNRENDERED}it shows nothing without scripts");
            store
                .take_fetches(crawl, 0, &[(record, place)])
                .await
                .unwrap();
            let asked = serde_json::from_value(looked.clone()).unwrap();
            let waiting = api.app.service.renderings.waiting(&asked).await.unwrap();
            assert_eq!(waiting.pages[0].crawl, unasked["crawl"]);
            assert_eq!(waiting.pages.len(), 1);
        }
        let (answered, json) = api.call(method, &address, &body.to_string()).await;
        assert_eq!(answered, status, "{method} {address}: {json}");
        let operation = api.operation(method, path);
        let described = &operation["responses"][status.to_string()];
        assert!(described.is_object(), "{method} {path}: {status}");
        let schema = &described["content"]["application/json"]["schema"];
        if schema.is_object() {
            let faults = api.faults(schema, &json);
            assert!(faults.is_empty(), "{method} {address}: {faults:?}\n{json}");
        }
        let taken = &operation["requestBody"]["content"]["application/json"]["schema"];
        if status == 200 || status == 204 {
            went_well.insert((method, path));
            let faults = if taken.is_object() {
                api.faults(taken, body)
            } else {
                Vec::new()
            };
            assert!(faults.is_empty(), "{method} {address}: {faults:?}");
        }
        // What the schema of the body refuses is what the call refuses for its form.
        if status == 422 {
            assert!(!api.faults(taken, body).is_empty(), "{method} {path}");
        }
    }
    let described = api.description["paths"].as_object().unwrap().clone();
    for (path, methods) in &described {
        for method in methods.as_object().unwrap().keys() {
            let call = (&*method.to_uppercase(), path.as_str());
            assert!(
                went_well.contains(&call),
                "no answer of {call:?} was looked at"
            );
        }
    }
}

#[tokio::test]
async fn schemas_hold_what_the_types_write_and_nothing_less() {
    let api = Api::new().await;
    let schema = json!({ "$ref": "#/components/schemas/CrawlView" });
    let view = serde_json::to_value(full_view()).unwrap();
    assert_eq!(api.faults(&schema, &view), Vec::<String>::new());
    for key in view.as_object().unwrap().keys() {
        let mut less = view.clone();
        less.as_object_mut().unwrap().remove(key);
        assert!(!api.faults(&schema, &less).is_empty(), "without {key}");
    }
    let mut wrong = view.clone();
    wrong["state"] = json!("asleep");
    assert!(!api.faults(&schema, &wrong).is_empty());
    let clicks = json!({ "$ref": "#/components/schemas/Forget" });
    assert!(api.faults(&clicks, &json!({})).is_empty());
    let half = json!({ "clicks": [[PAGE]] });
    assert!(!api.faults(&clicks, &half).is_empty());
}

#[tokio::test]
async fn bodies_that_are_not_json_are_refused_as_described() {
    let mut api = Api::new().await;
    for path in [
        "/api/v1/pair",
        "/api/v1/channel",
        "/api/v1/events",
        "/api/v1/forget",
    ] {
        let (status, error) = api.call("POST", path, "?").await;
        assert_eq!(status, 400, "{path}");
        let described = &api.operation("POST", path)["responses"]["400"];
        let schema = &described["content"]["application/json"]["schema"];
        assert_eq!(api.faults(schema, &error), Vec::<String>::new());
    }
    let plain = Request::post("/api/v1/pair")
        .body(Body::from("{}"))
        .unwrap();
    let response = api.router.clone().oneshot(plain).await.unwrap();
    assert_eq!(response.status(), StatusCode::UNSUPPORTED_MEDIA_TYPE);
}

#[tokio::test]
async fn what_is_no_call_is_not_found_in_a_channel_either() {
    let mut api = Api::new().await;
    let (status, _) = api.call("GET", "/api/v1/nothing", "").await;
    assert_eq!(status, 404);
    // The calls that lead to the others are none of those in a channel.
    let (name, message) = (
        api.name.clone(),
        api.channel
            .call(b"{\"method\":\"GET\",\"path\":\"health\"}"),
    );
    let request = Request::post("/api/v1/call")
        .body(Body::from([name, message].concat()))
        .unwrap();
    let response = api.router.clone().oneshot(request).await.unwrap();
    let sealed = to_bytes(response.into_body(), usize::MAX).await.unwrap();
    let plain = api.channel.open_answer(&sealed).unwrap();
    assert!(plain.starts_with(b"{\"status\":404"), "{plain:?}");
}

#[tokio::test]
async fn a_model_comes_with_its_version() {
    let mut api = Api::new().await;
    let mark = json!([{ "id": "1", "topic": "bees", "time": 1, "kind": "mark", "address": PAGE,
        "title": "", "target": true, "words": [["bee", 3]] }]);
    api.call("POST", "/api/v1/events", &mark.to_string()).await;
    let calls = Router::from(calls()).with_state(api.app.clone());
    let request = Request::get("/api/v1/model?topic=bees")
        .body(Body::empty())
        .unwrap();
    let response = calls.oneshot(request).await.unwrap();
    let described = &api.operation("GET", "/api/v1/model")["responses"]["200"];
    let headers = described["headers"].as_object().unwrap();
    assert_eq!(headers.keys().collect::<Vec<_>>(), [MODEL_VERSION]);
    let version = response.headers()[MODEL_VERSION].to_str().unwrap();
    let known = format!("/api/v1/model?topic=bees&version={version}");
    assert_eq!(api.call("GET", &known, "").await.0, 204, "nothing newer");
}

async fn text(response: Response) -> (u16, String) {
    let status = response.status().as_u16();
    let body = to_bytes(response.into_body(), usize::MAX).await.unwrap();
    (status, String::from_utf8_lossy(&body).into_owned())
}

#[tokio::test]
async fn a_token_opens_what_it_permits_and_nothing_else() {
    let api = Api::new().await;
    api.app
        .service
        .topics
        .create_topic("bees", &[])
        .await
        .unwrap();
    let tokens = [
        api.token(&[Permission::Read]).await,
        api.token(&[Permission::Mark]).await,
        api.token(&[Permission::Crawl]).await,
        api.token(&Permission::ALL).await,
    ];
    let described = api.description["paths"].as_object().unwrap().clone();
    let mut opened = 0;
    for (path, calls) in &described {
        let open = paths(&open_calls().into());
        if open.contains(path) || path == "/api/v1/live" {
            continue;
        }
        for (method, call) in calls.as_object().unwrap() {
            let method = method.to_uppercase();
            let needed = call["security"][0]["token"][0].as_str();
            for (token, may) in tokens.iter().zip(["read", "mark", "crawl", "all"]) {
                let at = path.replace("{id}", "1").replace("{number}", "1");
                let response = api.call_with(token, &method, &at, "").await;
                let is_open = needed.is_some_and(|needed| may == needed || may == "all");
                opened += usize::from(is_open);
                let (status, said) = text(response).await;
                assert!(status < 500, "{method} {path}: {said}");
                assert_eq!(
                    status != 403,
                    is_open,
                    "{method} {path} {may}: {status} {said}"
                );
            }
        }
    }
    assert!(opened > 20, "{opened}");
    // What a browser kept as it was read is nothing to programs.
    let page = json!({ "topic": "bees", "address": "http://read.test/", "html": "<p>Secretly</p>",
        "time": 1 });
    let page = serde_json::from_value(page).unwrap();
    let service = &api.app.service;
    service.topics.create_topic("bees", &[]).await.unwrap();
    assert!(service.readings.take_reading(page).await.unwrap());
    service.library.catch_up(|_| {}).await.unwrap();
    let topic = service.topics.topic_known_as("bees").await.unwrap();
    let crawl = service.readings.readings(&topic).await.unwrap()[0].crawl;
    for path in [
        "library?q=secretly&all=true",
        "export?format=csv&all=true",
        "crawls?topic=bees",
    ] {
        let answer = api
            .call_with(&tokens[3], "GET", &format!("/api/v1/{path}"), "")
            .await;
        let (status, said) = text(answer).await;
        assert!(
            status == 200 && !said.contains("read.test"),
            "{path}: {said}"
        );
    }
    let kept = format!("/api/v1/crawls/{crawl}/pages/1");
    let escaped = format!("/api/v1/crawls/%3{crawl}/pages/1");
    for kept in [kept, escaped] {
        let answer = api.call_with(&tokens[3], "GET", &kept, "").await;
        assert_eq!(answer.status(), 404, "{kept}");
    }
    // Nothing but a token that was made, as it was made.
    let wrong = tokens[3].to_uppercase();
    for token in ["", "linkscent_0", &wrong] {
        let answer = text(api.call_with(token, "GET", "/api/v1/topics", "").await).await;
        assert_eq!(answer.0, 403, "{}", answer.1);
    }
    let used = api.app.service.rows().tokens().await.unwrap();
    assert!(used.iter().all(|token| token.used > 0));
    for token in used {
        api.app.service.rows().remove_token(token.id).await.unwrap();
    }
    let (status, said) = text(api.call_with(&tokens[3], "GET", "/api/v1/topics", "").await).await;
    assert_eq!(status, 403, "{said}");
}

#[tokio::test]
async fn a_program_marks_and_neither_deletes_nor_says_where_a_browser_was() {
    let api = Api::new().await;
    let token = api.token(&[Permission::Mark]).await;
    let event = |more: Value| {
        let mut event = json!({ "id": "1", "topic": "bees", "time": 1 });
        event
            .as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        json!([event]).to_string()
    };
    let events = "/api/v1/events";
    let removed = event(json!({ "kind": "remove", "removed": true, "for_good": true }));
    let (status, said) = text(api.call_with(&token, "POST", events, &removed).await).await;
    assert_eq!(status, 403, "{said}");
    let trail = event(
        json!({ "kind": "trail", "from": PAGE, "to": PAGE, "anchor": "",
        "context": [], "relevance": 0.5 }),
    );
    let (status, said) = text(api.call_with(&token, "POST", events, &trail).await).await;
    assert_eq!(status, 403, "{said}");
    let tag = event(json!({ "kind": "tag", "address": PAGE, "tag": "to-read", "on": true }));
    // Who may not read is told nothing but that it was taken.
    let answered = text(api.call_with(&token, "POST", events, &tag).await).await;
    assert_eq!(answered, (204, String::new()));
    let reads = api.token(&[Permission::Read, Permission::Mark]).await;
    let (status, said) = text(api.call_with(&reads, "POST", events, &tag).await).await;
    assert_eq!(status, 200, "{said}");
}

#[tokio::test(flavor = "multi_thread")]
#[expect(clippy::too_many_lines, reason = "it is a list of cases")]
async fn a_program_takes_pages_away_and_hears_of_changes() {
    let mut api = Api::new().await;
    let order = json!({ "topic": "bees", "seeds": [PAGE], "budget": 3 });
    let (status, begun) = api.call("POST", "/api/v1/crawls", &order.to_string()).await;
    assert_eq!(status, 200, "{begun}");
    api.rest(1).await;
    api.app.service.library.catch_up(|_| {}).await.unwrap();
    let token = api.token(&[Permission::Read]).await;
    let export = "/api/v1/export?format=urls&topic=bees&all=true";
    let response = api.call_with(&token, "GET", export, "").await;
    let kept = response.headers()["content-disposition"].clone();
    assert_eq!(kept, "attachment; filename=\"linkscent.txt\"");
    let (status, urls) = text(response).await;
    assert_eq!((status, urls.lines().count()), (200, 3), "{urls}");
    let at = "/api/v1/crawls/1/pages/1";
    let (status, page) = text(api.call_with(&token, "GET", at, "").await).await;
    assert_eq!(status, 200, "{page}");
    let page: Value = serde_json::from_str(&page).unwrap();
    let schema = json!({ "$ref": "#/components/schemas/KeptPageView" });
    assert_eq!(api.faults(&schema, &page), Vec::<String>::new());
    assert_eq!(page["address"], PAGE);
    assert!(
        page["passages"]
            .as_array()
            .is_some_and(|all| !all.is_empty()),
        "{page}"
    );
    for (at, expected) in [("1/pages/99", 404), ("9/pages/1", 404), ("1/pages/x", 400)] {
        let at = format!("/api/v1/crawls/{at}");
        let (status, said) = text(api.call_with(&token, "GET", &at, "").await).await;
        assert_eq!(status, expected, "{at}: {said}");
    }
    let at = "/api/v1/crawls/1/hosts";
    let (status, hosts) = text(api.call_with(&token, "GET", at, "").await).await;
    assert_eq!(status, 200, "{hosts}");
    let hosts: Value = serde_json::from_str(&hosts).unwrap();
    let schema = json!({ "$ref": "#/components/schemas/HostsView" });
    assert_eq!(api.faults(&schema, &hosts), Vec::<String>::new());
    let first = &hosts["hosts"][0];
    assert_eq!((&first["pages"], &first["failed"]), (&json!(3), &json!(0)));
    assert_eq!(first["now"], Value::Null, "it rests");
    for (at, expected) in [("9/hosts", 404), ("x/hosts", 400)] {
        let at = format!("/api/v1/crawls/{at}");
        let (status, said) = text(api.call_with(&token, "GET", &at, "").await).await;
        assert_eq!(status, expected, "{at}: {said}");
    }
    for (query, expected) in [
        ("topic=bees", 1),
        ("topic=bees&skip=1", 0),
        ("topic=bees&most=0", 0),
    ] {
        let at = format!("/api/v1/crawls?{query}");
        let (_, crawls) = text(api.call_with(&token, "GET", &at, "").await).await;
        let crawls: Vec<Value> = serde_json::from_str(&crawls).unwrap();
        assert_eq!(crawls.len(), expected, "{query}");
    }
    let odd = "/api/v1/export?format=odd";
    let (status, said) = text(api.call_with(&token, "GET", odd, "").await).await;
    assert!(status == 400 && said.contains("csv, jsonl"), "{said}");

    let metrics = api.call_with(&token, "GET", "/api/v1/metrics", "").await;
    let format = "text/plain; version=0.0.4; charset=utf-8";
    assert_eq!(metrics.headers()["content-type"], format);
    let (_, metrics) = text(metrics).await;
    let is_row = |row: &str| {
        let number = row.rsplit_once(' ').map(|parts| parts.1.parse::<f64>());
        row.starts_with("linkscent_crawl_") && matches!(number, Some(Ok(_)))
    };
    let is_told = |row: &str| row.starts_with("# HELP ") || row.starts_with("# TYPE ");
    assert!(
        metrics.lines().all(|row| is_told(row) || is_row(row)),
        "{metrics}"
    );
    for expected in [
        "linkscent_crawl_running{crawl=\"1\"} 0",
        "linkscent_crawl_pages_total{crawl=\"1\"} 3",
    ] {
        assert!(metrics.lines().any(|row| row == expected), "{metrics}");
    }
    assert!(!metrics.contains("bees"), "topics have no names here");

    let live = api.call_with(&token, "GET", "/api/v1/live", "").await;
    assert_eq!(live.headers()["content-type"], "text/event-stream");
    let mut events = live.into_body().into_data_stream();
    let first = futures_util::StreamExt::next(&mut events)
        .await
        .unwrap()
        .unwrap();
    assert_eq!(&*first, b"event: crawls\ndata: []\n\n");
    let row = api.app.service.rows();
    row.set_state(1, CrawlState::Running, "").await.unwrap();
    api.app.service.supervisor.say_changed();
    let next = futures_util::StreamExt::next(&mut events)
        .await
        .unwrap()
        .unwrap();
    let next = String::from_utf8_lossy(&next).into_owned();
    assert!(
        next.contains("\"topic\":\"bees\"") && next.contains("\"pages\":3"),
        "{next}"
    );
    // It ends with its token.
    let token = row.tokens().await.unwrap().remove(0);
    row.remove_token(token.id).await.unwrap();
    api.app.service.supervisor.say_changed();
    assert!(futures_util::StreamExt::next(&mut events).await.is_none());
}

#[tokio::test]
async fn a_program_speaks_the_model_context_protocol_with_a_token() {
    let api = Api::new().await;
    api.app
        .service
        .topics
        .create_topic("bees", &[])
        .await
        .unwrap();
    let hello = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {},
        "clientInfo": { "name": "a test", "version": "1" } } });
    let list = json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/list", "params": {} });
    let topics = json!({ "jsonrpc": "2.0", "id": 3, "method": "tools/call",
        "params": { "name": "list_topics", "arguments": {} } });
    let marks = api.token(&[Permission::Mark]).await;
    for (token, expected) in [("linkscent_0", 403), (&*marks, 403)] {
        let refused = api
            .call_with(token, "POST", "/mcp", &hello.to_string())
            .await;
        assert_eq!(refused.status().as_u16(), expected);
    }
    let reads = api.token(&[Permission::Read]).await;
    let crawls = api.token(&[Permission::Read, Permission::Crawl]).await;
    for (token, may_crawl) in [(&reads, false), (&crawls, true)] {
        let said = async |message: &Value| {
            let (status, said) = text(
                api.call_with(token, "POST", "/mcp", &message.to_string())
                    .await,
            )
            .await;
            assert_eq!(status, 200, "{said}");
            said
        };
        assert!(said(&hello).await.contains("\"linkscent\""));
        let tools = said(&list).await;
        assert!(tools.contains("list_topics"), "{tools}");
        assert_eq!(tools.contains("find_more"), may_crawl, "{tools}");
        let topics = said(&topics).await;
        assert!(topics.contains("bees"), "{topics}");
    }
}
