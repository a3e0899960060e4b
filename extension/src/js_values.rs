//! Between plain data and the browser's values, and calls of the scripts' tools.

use js_sys::{Array, Function, Promise, Reflect};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_wasm_bindgen::Serializer;
use wasm_bindgen::{JsCast, JsError, JsValue};
use wasm_bindgen_futures::JsFuture;

use crate::ports::{BrowserError, Texts};

/// Plain data of a browser's value.
pub fn take<T: DeserializeOwned>(value: JsValue) -> Result<T, BrowserError> {
    serde_wasm_bindgen::from_value(value).map_err(|error| BrowserError(error.to_string()))
}

/// Plain objects, as messages between browser processes and the database need them.
pub fn give<T: Serialize + ?Sized>(value: &T) -> Result<JsValue, BrowserError> {
    let value = value.serialize(&Serializer::json_compatible());
    value.map_err(|error| BrowserError(error.to_string()))
}

/// What a thrown value says.
pub fn message(thrown: &JsValue) -> BrowserError {
    let message = Reflect::get(thrown, &"message".into()).ok();
    let message = message.and_then(|message| message.as_string());
    BrowserError(message.unwrap_or_else(|| "something failed in the browser".to_owned()))
}

/// As it is thrown.
pub fn thrown(error: impl std::fmt::Display) -> JsError {
    JsError::new(&error.to_string())
}

/// Functions that a script lends: what only JavaScript can do.
#[derive(Clone)]
pub struct Tools(pub JsValue);

impl Tools {
    /// Calls one, and waits for what it promises.
    pub async fn call(&self, name: &str, arguments: &[JsValue]) -> Result<JsValue, BrowserError> {
        let failed = |error: JsValue| message(&error);
        let tool: Function = Reflect::get(&self.0, &name.into())
            .and_then(JsCast::dyn_into)
            .map_err(failed)?;
        let arguments: Array = arguments.iter().collect();
        let promise = tool.apply(&self.0, &arguments).map_err(failed)?;
        let done = JsFuture::from(Promise::resolve(&promise)).await;
        done.map_err(failed)
    }
}

/// The scripts' functions for texts wait for nothing. Where one fails, its key says what is
/// missing.
impl Texts for Tools {
    fn text(&self, key: &str, values: &[&str]) -> String {
        let values: Array = values.iter().map(|value| JsValue::from(*value)).collect();
        self.said("text", key, &values)
    }

    fn count(&self, key: &str, number: usize) -> String {
        self.said("count", key, &JsValue::from(number as f64))
    }
}

impl Tools {
    fn said(&self, function: &str, key: &str, values: &JsValue) -> String {
        let said = Reflect::get(&self.0, &function.into())
            .and_then(JsCast::dyn_into::<Function>)
            .and_then(|function| function.call2(&self.0, &key.into(), values));
        let said = said.ok().and_then(|said| said.as_string());
        said.unwrap_or_else(|| key.to_owned())
    }
}
