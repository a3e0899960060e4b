//! The screens' way to the background.

use js_sys::{Object, Reflect};
use serde::de::DeserializeOwned;
use wasm_bindgen::JsCast;

use super::template::Part;
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

/// Has the button of a part that is made for it open the companion's dashboard.
pub fn opens_dashboard(part: &Part, tools: &Tools) -> Result<(), BrowserError> {
    let tools = tools.clone();
    let open = move || {
        let tools = tools.clone();
        async move {
            let link: String = ask(&tools, &Request::Dashboard).await?;
            tools.call("openDashboard", &[link.into()]).await.map(drop)
        }
    };
    part.on_press("#open-dashboard", open).map(drop)
}
