//! Experiments on features: which are read, how many, and what each tells.

pub(in crate::experiments) mod feature_groups;
pub(in crate::experiments) mod frequency;
pub(in crate::experiments) mod histogram;
pub(in crate::experiments) mod information_gain;
pub(in crate::experiments) mod window;
