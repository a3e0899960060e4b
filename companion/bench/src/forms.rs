//! Forms: examples that people annotated, the filter that tells them apart, and topics that look for them.

pub mod form_examples;
pub mod form_filter;
pub mod form_topic;
