//! The API's description for programs: what the calls say of themselves, and what holds
//! for all of them.

use axum::http::Method;
use linkscent_core::wire::api::{AnswerHead, CallHead};
use utoipa::openapi::path::Operation;
use utoipa::openapi::schema::{ArrayItems, Schema};
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityRequirement, SecurityScheme};
use utoipa::openapi::{
    ComponentsBuilder, InfoBuilder, OpenApi, OpenApiBuilder, RefOr, ServerBuilder,
};
use utoipa::{PartialSchema, ToSchema};

use super::tokens::needed;

/// What the description calls tokens.
const TOKEN: &str = "token";
/// What a program has to know before it makes a call.
const HOW_TO_CALL: &str = "What programs and paired browsers ask the companion on the same \
    machine. Only health, openapi.json, pair, channel and call are taken from anybody. A program \
    has a token, which the person makes in the dashboard's settings and which says what it \
    permits: read, mark, crawl. It is sent as Authorization: Bearer; each call that it opens names \
    what it needs, and answers 204 where the token \
    does not permit to read. What tells of reading in a browser or deletes is opened by none, and of \
    events a token takes marks, words, subtopics, classes, forms, tags and notes. \
    A paired browser makes its calls in a channel: the browser opens one with its device identifier and a random number, \
    the companion proves that it knows the key both made when they were paired, and then each \
    call goes as the body of POST /api/v1/call: the channel's 16 bytes, the call's number as 8 \
    bytes (big endian, growing), and what ChaCha20-Poly1305 makes of a line of JSON (CallHead) \
    and the body. The answer comes back in the same way: a line of JSON (AnswerHead), then the \
    body. Keys: HMAC-SHA256 of the device key over a label and both random numbers.";

/// Adds the answer to a body that is no JSON to every call that takes a body.
fn say_what_all_answer(call: &mut Operation) {
    let answers = &mut call.responses.responses;
    let wrong = ["400", "403", "401"]
        .iter()
        .find_map(|status| answers.get(*status).cloned());
    if let Some(wrong) = wrong
        && call.request_body.is_some()
    {
        answers.entry("415".to_owned()).or_insert(wrong);
    }
}

/// Says of lists whose places each have a meaning that they have all of these, and no more.
fn say_how_long(schema: &mut RefOr<Schema>) {
    let RefOr::T(schema) = schema else {
        return;
    };
    let parts = match schema {
        Schema::Array(list) => {
            let places = Some(list.prefix_items.len()).filter(|places| *places > 0);
            list.min_items = list.min_items.or(places);
            list.max_items = list.max_items.or(places);
            if let ArrayItems::RefOrSchema(item) = &mut list.items {
                say_how_long(item);
            }
            return;
        }
        Schema::Object(object) => return object.properties.values_mut().for_each(say_how_long),
        Schema::OneOf(parts) => &mut parts.items,
        Schema::AllOf(parts) => &mut parts.items,
        Schema::AnyOf(parts) => &mut parts.items,
        _ => return,
    };
    parts.iter_mut().for_each(say_how_long);
}

/// Joins what groups of calls say of themselves.
pub(super) fn of(groups: impl IntoIterator<Item = OpenApi>) -> OpenApi {
    let heads = ComponentsBuilder::new()
        .schema(CallHead::name(), CallHead::schema())
        .schema(AnswerHead::name(), AnswerHead::schema())
        .security_scheme(
            TOKEN,
            SecurityScheme::Http(HttpBuilder::new().scheme(HttpAuthScheme::Bearer).build()),
        )
        .build();
    let whole = OpenApiBuilder::new()
        .info(
            InfoBuilder::new()
                .title("Linkscent companion")
                .version("1")
                .description(Some(HOW_TO_CALL)),
        )
        .servers(Some([ServerBuilder::new().url("/").build()]))
        .security(Some([]))
        .components(Some(heads))
        .build();
    let mut whole = groups.into_iter().fold(whole, OpenApi::merge_from);
    let schemas = whole.components.iter_mut();
    let schemas = schemas.flat_map(|components| components.schemas.values_mut());
    schemas.for_each(say_how_long);
    for (path, calls) in &mut whole.paths.paths {
        let by_method = [
            (Method::GET, &mut calls.get),
            (Method::POST, &mut calls.post),
        ];
        for (method, call) in by_method {
            let Some(call) = call else {
                continue;
            };
            if let Some(permission) = needed(&method, path) {
                let name = permission.name();
                call.security = Some(vec![SecurityRequirement::new(TOKEN, [name])]);
            }
            say_what_all_answer(call);
        }
    }
    whole
}
