//! Tests of what happens on each request.

pub(in crate::background) mod classes;
pub(in crate::background) mod companion;
pub(in crate::background) mod everything;
pub(in crate::background) mod faults;
pub(in crate::background) mod forgetting;
pub(in crate::background) mod hearing;
pub(in crate::background) mod kept_visits;
pub(in crate::background) mod later;
pub(in crate::background) mod marking;
pub(in crate::background) mod naming;
pub(in crate::background) mod phrases;
pub(in crate::background) mod reading;
pub(in crate::background) mod sender;
pub(in crate::background) mod steps;
pub(in crate::background) mod visits;
