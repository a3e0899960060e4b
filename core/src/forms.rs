//! Forms as entrances to databases (\[D\] 3.4, methods 2.4): first whether a form
//! asks a database at all, by what it looks like, then whether that database is
//! of the kind looked for, by its words.

mod domain;
mod kinds;
mod shape;
mod tree;

pub use domain::{FormDomain, FormWords};
pub use kinds::{FormKind, FormKinds, KindVerdict};
pub use shape::FormShape;
pub use tree::{KindsError, common_features};
