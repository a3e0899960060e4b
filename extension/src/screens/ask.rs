//! The screens' way to the background.

use js_sys::{Object, Reflect};
use serde::de::DeserializeOwned;
use wasm_bindgen::JsCast;

use crate::js_values::{Tools, give, take};
use crate::ports::BrowserError;
use crate::request::Request;

/// Asks the background; an error it answers becomes one here.
pub async fn ask<T: DeserializeOwned>(tools: &Tools, request: &Request) -> Result<T, BrowserError> {
    let answer = tools.call("ask", &[give(request)?]).await?;
    if answer.is_object()
        && let Ok(error) = Reflect::get(&answer, &"error".into())
        && let Some(error) = error.as_string()
        && Object::keys(answer.unchecked_ref::<Object>()).length() == 1
    {
        return Err(BrowserError(error));
    }
    take(answer)
}
