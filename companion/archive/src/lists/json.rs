//! References in JSON, or lines of JSON: whatever stands under a name of an address.

use std::borrow::Cow;
use std::fmt;

use linkscent_core::budget::OverBudget;
use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};

use super::{ListError, Pages};

/// Names of addresses, in lower case.
const NAMES: [&str; 4] = ["url", "address", "href", "uri"];

/// Adds the addresses of one or more values to those found. No value is kept.
pub(super) fn read(text: &str, pages: &mut Pages) -> Result<(), ListError> {
    let mut values = serde_json::Deserializer::from_str(text);
    let mut over = None;
    while values.end().is_err() {
        let value = Value {
            pages: &mut *pages,
            over: &mut over,
            is_address: false,
        };
        let read = value.deserialize(&mut values);
        if let Some(over) = over {
            return Err(over.into());
        }
        read.map_err(|error| ListError::Broken {
            place: format!("in line {}", error.line()),
            problem: error.to_string(),
        })?;
    }
    Ok(())
}

/// A value that is gone through.
struct Value<'a> {
    pages: &'a mut Pages,
    /// The limit that was exceeded.
    over: &'a mut Option<OverBudget>,
    /// Whether it stands under a name of an address.
    is_address: bool,
}

impl Value<'_> {
    fn within(&mut self, is_address: bool) -> Value<'_> {
        Value {
            pages: self.pages,
            over: self.over,
            is_address,
        }
    }
}

impl<'de> DeserializeSeed<'de> for Value<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, value: D) -> Result<(), D::Error> {
        value.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Value<'_> {
    type Value = ();

    fn expecting(&self, text: &mut fmt::Formatter<'_>) -> fmt::Result {
        text.write_str("JSON")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<(), E> {
        if !self.is_address {
            return Ok(());
        }
        self.pages.add(text).map_err(|over| {
            *self.over = Some(over);
            E::custom(over)
        })
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut values: A) -> Result<(), A::Error> {
        while values.next_element_seed(self.within(false))?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut fields: A) -> Result<(), A::Error> {
        while let Some(name) = fields.next_key::<Cow<'_, str>>()? {
            let is_address = NAMES.iter().any(|one| name.eq_ignore_ascii_case(one));
            fields.next_value_seed(self.within(is_address))?;
        }
        Ok(())
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }
}
