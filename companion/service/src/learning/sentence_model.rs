//! Where a model of sentences is kept: in the data folder, if a person brought one.

use std::path::{Path, PathBuf};

use linkscent_sentences::{FileError, NAME, SentenceModel, is_there};

use linkscent_store::Store;

/// The folder of the model in a data folder.
pub fn folder(data: &Path) -> PathBuf {
    data.join("models").join(NAME)
}

/// Whether a model is there.
pub fn is_in(store: &Store) -> bool {
    is_there(&folder(store.folder()))
}

/// The model, read whole; `None` where there is none. Takes about half a second.
pub fn of(store: &Store) -> Option<Result<SentenceModel, FileError>> {
    let folder = folder(store.folder());
    is_there(&folder).then(|| SentenceModel::read(&folder))
}
