//! Facts about a page beside its text: its citation, its kind of source, its declarations for
//! machines, and whether the work that it shows was retracted.

use serde::Serialize;
use url::Url;

use super::page::ScrapedPage;
use crate::page::{self, Citation, EmbeddedData, PartialDate};
use crate::web::client::HttpClient;

/// Sources of the facts about a page.
pub struct FactSource<'a> {
    /// Final URL.
    pub url: &'a Url,
    /// Declarations, if it is a page.
    pub embedded: Option<&'a EmbeddedData>,
    /// Author, if it is a document that names one.
    pub author: Option<&'a str>,
    /// Date of the document.
    pub date: Option<&'a str>,
}

impl<'a> FactSource<'a> {
    /// Creates a source with nothing but a URL.
    pub fn at(url: &'a Url) -> Self {
        Self {
            url,
            embedded: None,
            author: None,
            date: None,
        }
    }
}

/// Adds the facts to `page`. `text` is all of its text; `client` asks about retractions, and
/// without one nothing is asked.
pub fn add(
    page: &mut ScrapedPage,
    source: &FactSource<'_>,
    text: &str,
    client: Option<&HttpClient>,
) {
    let FactSource { url, embedded, .. } = *source;
    let title = page.title.clone().unwrap_or_default();
    let today = PartialDate::today();
    let citation = match (source.author, source.date) {
        (None, None) => Citation::of(url, embedded, &title, today),
        (author, date) => Citation::of_document(url, &title, author, date, today),
    };
    page.author = Some(citation.metadata.author.clone());
    put(page, "citation", Some(&citation));
    if !page.raw {
        let declared = embedded.and_then(EmbeddedData::structured_data);
        put(page, "structuredData", declared.as_ref());
        let signals = page::forum::signals(url, embedded);
        put(page, "forumSignals", signals.as_ref());
    }
    let class = page::classify(url, embedded);
    put(page, "sourceType", Some(&class.source_type));
    put(page, "authorityTier", Some(&class.authority));
    put(page, "domainCategory", Some(&class.category));
    if page.raw {
        return;
    }
    let Some(doi) = page::doi::detected(url, embedded, text, &class) else {
        return;
    };
    put(page, "detectedDoi", Some(&doi));
    let Some(client) = client else { return };
    match page::retraction::status(&client.for_services(), &doi) {
        Ok(status) => put(page, "retractionStatus", status.as_ref()),
        // A page without a retraction status is not cached.
        Err(page::retraction::CrossrefUnavailable) => page.of_the_moment = true,
    }
}

fn put(page: &mut ScrapedPage, name: &str, fact: Option<&impl Serialize>) {
    // Texts, numbers and JSON always serialise.
    if let Some(fact) = fact
        && let Ok(fact) = serde_json::value::to_raw_value(fact)
    {
        page.facts.push((name.to_owned(), fact));
    }
}
