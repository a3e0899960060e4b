//! The API's description for programs: what the calls say of themselves, and what holds
//! for all of them.

use linkscent_core::wire::api::{AnswerHead, CallHead, DEFAULT_PORT};
use utoipa::openapi::{ComponentsBuilder, InfoBuilder, OpenApi, OpenApiBuilder, ServerBuilder};
use utoipa::{PartialSchema, ToSchema};

/// What a program has to know before it makes a call.
const HOW_TO_CALL: &str = "What a paired browser asks the companion on the same machine. Only \
    health, openapi.json, pair, channel and call are taken as they stand. Every other call is \
    made in a channel: the browser opens one with its device identifier and a random number, \
    the companion proves that it knows the key both made when they were paired, and then each \
    call goes as the body of POST /api/v1/call: the channel's 16 bytes, the call's number as 8 \
    bytes (big endian, growing), and what ChaCha20-Poly1305 makes of a line of JSON (CallHead) \
    and the body. The answer comes back in the same way: a line of JSON (AnswerHead), then the \
    body. Keys: HMAC-SHA256 of the device key over a label and both random numbers.";

/// Joins what groups of calls say of themselves.
pub(super) fn of(groups: impl IntoIterator<Item = OpenApi>) -> OpenApi {
    let heads = ComponentsBuilder::new()
        .schema(CallHead::name(), CallHead::schema())
        .schema(AnswerHead::name(), AnswerHead::schema())
        .build();
    let whole = OpenApiBuilder::new()
        .info(
            InfoBuilder::new()
                .title("Linkscent companion")
                .version("1")
                .description(Some(HOW_TO_CALL)),
        )
        .servers(Some([ServerBuilder::new()
            .url(format!("http://127.0.0.1:{DEFAULT_PORT}"))
            .build()]))
        .security(Some([]))
        .components(Some(heads))
        .build();
    groups.into_iter().fold(whole, OpenApi::merge_from)
}
