//! Facts about a page other than its text: its citation, its kind of source, its declarations for
//! machines, and whether the work that it shows was retracted.

use serde::Serialize;
use url::Url;

use super::page::ScrapedPage;
use iki_document::Document;
use iki_web::client::HttpClient;
use iki_web::page::{self, Citation, EmbeddedData, PartialDate};

/// Adds the facts to `page`, which is at `url`, with these declarations if it is HTML, and comes of
/// this `document` unless it is raw; `client` asks about retractions.
pub fn add(
    page: &mut ScrapedPage,
    url: &Url,
    embedded: Option<&EmbeddedData>,
    document: Option<(&Document, &HttpClient)>,
) {
    let title = page.title.clone().unwrap_or_default();
    let today = PartialDate::today();
    let stated = document.map(|(document, _)| (&document.author, &document.date));
    let citation = match stated {
        None | Some((None, None)) => Citation::for_page(url, embedded, &title, today),
        Some((author, date)) => {
            Citation::of_document(url, &title, author.as_deref(), date.as_deref(), today)
        }
    };
    page.author = Some(citation.metadata.author.clone());
    add_fact(page, "citation", Some(&citation));
    page.work = citation.work;
    if !page.is_raw {
        let declared = embedded.and_then(EmbeddedData::structured_data);
        add_fact(page, "structuredData", declared.as_ref());
        let signals = page::forum::signals(url, embedded);
        add_fact(page, "forumSignals", signals.as_ref());
    }
    let class = page::classify(url, embedded);
    add_fact(page, "sourceType", Some(&class.source_type));
    add_fact(page, "authorityTier", Some(&class.authority));
    add_fact(page, "domainCategory", Some(&class.category));
    let Some((document, client)) = document else {
        return;
    };
    let Some(doi) = page::doi::detected(url, embedded, document.own_text(), &class) else {
        return;
    };
    add_fact(page, "detectedDoi", Some(&doi));
    match page::retraction::status(&client.for_services(), &doi) {
        Ok(status) => add_fact(page, "retractionStatus", status.as_ref()),
        // A page without a retraction status is not cached.
        Err(page::retraction::CrossrefUnavailable) => page.is_transient = true,
    }
}

fn add_fact(page: &mut ScrapedPage, name: &str, fact: Option<&impl Serialize>) {
    // Texts, numbers and JSON always serialise.
    if let Some(fact) = fact
        && let Ok(fact) = serde_json::value::to_raw_value(fact)
    {
        page.facts.push((name.to_owned(), fact));
    }
}
