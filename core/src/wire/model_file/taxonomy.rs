//! Taxonomies, and the pages whose class the person corrected.

use serde::{Deserialize, Serialize};

use super::graph::{address, page_terms, term_rows};
use super::sections::{Body, Sections};
use super::{KIND_TAXONOMY, ModelError, WITH_SECTIONS, checked_body, file_of};
use crate::critics::Taxonomy;
use crate::critics::taxonomy::Example;
use crate::web_graph::{CorrectedPage, WebGraph};

/// The section of a taxonomy.
pub(super) const SECTION: &str = "taxonomy";

#[derive(Serialize, Deserialize)]
pub(super) struct WireTaxonomy {
    classes: Vec<String>,
    words: Vec<String>,
    examples: Vec<WireExample>,
    length: f64,
}

#[derive(Serialize, Deserialize)]
struct WireExample {
    /// Empty where it is not known.
    address: String,
    class: u16,
    words: Vec<(u32, u32)>,
}

#[derive(Serialize, Deserialize)]
pub(super) struct WireCorrected {
    address: String,
    class: String,
    terms: Vec<(u32, u32)>,
}

impl WireTaxonomy {
    pub(super) fn of(taxonomy: &Taxonomy) -> Self {
        let examples = taxonomy.examples().iter().map(|example| WireExample {
            address: example
                .address
                .as_ref()
                .map_or("", |page| page.as_str())
                .to_owned(),
            class: example.class,
            words: example.words.clone(),
        });
        Self {
            classes: taxonomy.classes().to_vec(),
            words: taxonomy.words().to_vec(),
            examples: examples.collect(),
            length: taxonomy.length(),
        }
    }

    pub(super) fn into_taxonomy(self) -> Result<Taxonomy, ModelError> {
        let example = |example: WireExample| {
            let page = Some(example.address).filter(|page| !page.is_empty());
            Ok(Example {
                address: page.map(|page| address(&page)).transpose()?,
                class: example.class,
                words: example.words,
            })
        };
        let examples = self.examples.into_iter().map(example);
        let examples = examples.collect::<Result<_, ModelError>>()?;
        Ok(Taxonomy::from_parts(
            self.classes,
            self.words,
            examples,
            self.length,
        )?)
    }
}

/// The pages whose class was corrected.
pub(super) fn corrected(graph: &WebGraph) -> Vec<WireCorrected> {
    let corrected = graph.corrected.iter();
    corrected
        .map(|(page, corrected)| WireCorrected {
            address: page.to_string(),
            class: corrected.class.clone(),
            terms: term_rows(&corrected.terms),
        })
        .collect()
}

/// Corrects classes in a graph whose words are known.
pub(super) fn put_corrected(
    graph: &mut WebGraph,
    corrected: Vec<WireCorrected>,
) -> Result<(), ModelError> {
    let known_terms = graph.vocabulary.len();
    for page in corrected {
        let corrected = CorrectedPage {
            class: page.class,
            terms: page_terms(page.terms, known_terms)?,
        };
        graph.corrected.insert(address(&page.address)?, corrected);
    }
    Ok(())
}

/// A taxonomy as a file of its own.
pub fn write_taxonomy(taxonomy: &Taxonomy) -> Result<Vec<u8>, ModelError> {
    let mut sections = Body::default();
    sections.add(SECTION, &WireTaxonomy::of(taxonomy));
    file_of(KIND_TAXONOMY, &sections)
}

/// The taxonomy in such a file, which may come from anywhere.
pub fn read_taxonomy(file: &[u8]) -> Result<Taxonomy, ModelError> {
    let (version, body) = checked_body(file, KIND_TAXONOMY)?;
    if version < WITH_SECTIONS {
        return Err(ModelError::Content("its format is older than taxonomies"));
    }
    let taxonomy: WireTaxonomy = Sections::of_body(body)?.read(SECTION)?;
    taxonomy.into_taxonomy()
}

#[cfg(test)]
mod tests;
