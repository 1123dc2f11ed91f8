//! What is known of a page beside its text: how to cite it, what kind of source it is, what it
//! declares for machines, and whether the work that it shows was retracted.

use serde::Serialize;
use url::Url;

use super::page::Page;
use crate::page::{self, Citation, Date, Embedded};
use crate::web::client::Client;

/// The origin of a page, and what it says of itself.
pub struct FactSource<'a> {
    /// Its final address.
    pub url: &'a Url,
    /// The data that it declares, if it is a page.
    pub embedded: Option<&'a Embedded>,
    /// Its author, if it is a document that names one.
    pub author: Option<&'a str>,
    /// When that was.
    pub date: Option<&'a str>,
}

impl<'a> FactSource<'a> {
    /// An address of which nothing more is known.
    pub fn at(url: &'a Url) -> Self {
        Self {
            url,
            embedded: None,
            author: None,
            date: None,
        }
    }
}

/// Puts into `page` what is known of it. `text` is all of its text, and `client` asks whether it
/// was retracted; without one nobody is asked.
pub fn add(page: &mut Page, source: &FactSource<'_>, text: &str, client: Option<&Client>) {
    let FactSource { url, embedded, .. } = *source;
    let title = page.title.clone().unwrap_or_default();
    let today = Date::today();
    let citation = match (source.author, source.date) {
        (None, None) => Citation::of(url, embedded, &title, today),
        (author, date) => Citation::of_document(url, &title, author, date, today),
    };
    page.author = Some(citation.metadata.author.clone());
    put(page, "citation", Some(&citation));
    if !page.raw {
        let declared = embedded.and_then(Embedded::structured_data);
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
        // A page without the word of a retraction is not one to be kept.
        Err(page::retraction::Unanswered) => page.of_the_moment = true,
    }
}

fn put(page: &mut Page, name: &str, fact: Option<&impl Serialize>) {
    // Facts are texts, numbers, and JSON that stays as it is written.
    if let Some(fact) = fact
        && let Ok(fact) = serde_json::value::to_raw_value(fact)
    {
        page.facts.push((name.to_owned(), fact));
    }
}
