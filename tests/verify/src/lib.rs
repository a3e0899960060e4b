//! Which packages are checked together. It stands apart from the tests, so that `cargo verify` begins
//! before they are built, and what they depend on is built once, with all features.

/// The packages that are tested natively. Built together with the same
/// features, nothing is built twice.
pub const PACKAGES: [&str; 15] = [
    "linkscent-models",
    "linkscent-core",
    "linkscent-archive",
    "linkscent-bench",
    "linkscent-charts",
    "linkscent-documents",
    "linkscent-library",
    "linkscent-output",
    "linkscent-sentences",
    "linkscent",
    "linkscent-extension",
    "linkscent-pack",
    "linkscent-tests",
    "linkscent-fuzz",
    "linkscent-verify",
];
