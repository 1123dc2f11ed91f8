//! Semantic Scholar: an index with summaries of a sentence, and the weight of citations.
//!
//! Facts: api.semanticscholar.org, "Academic Graph API", "Paper relevance search". A list without
//! papers may be missing.

use std::time::Duration;

use serde_json::Value;

use super::paper::{Paper, text_at};
use super::paper_provider::{PaperPage, PaperProvider, PaperStep, refusal};
use super::paper_search::{NAMES, PaperSearch, PaperTarget};
use iki_web::client::HttpResponse;
use iki_web::page::PartialDate;
use iki_web::page::doi::in_path;
use iki_web::provider::reply::{self, list, string};
use iki_web::provider::{
    Provider, ProviderAccount, ProviderEndpoint, ProviderRequest, UnreadableReply, optional_key,
};
use iki_web::search::html_text;
use iki_web::work::work_id::WorkId;
use iki_web::work::{Work, WorkAuthor, WorkKind, is_archive};

const FIELDS: &str = "title,url,externalIds,abstract,venue,journal,year,publicationDate,authors,\
                      citationCount,influentialCitationCount,isOpenAccess,openAccessPdf,tldr,\
                      publicationTypes,publicationVenue";

/// Fields of the works around one, which have no summary of a sentence.
const FIELDS_AROUND: &str = "title,url,externalIds,abstract,venue,journal,year,publicationDate,\
                             authors,citationCount,influentialCitationCount,isOpenAccess,\
                             openAccessPdf,publicationTypes,publicationVenue";

/// Row of this provider.
pub static PROVIDER: PaperProvider = PaperProvider {
    service: Provider {
        name: "semanticscholar",
        title: "Semantic Scholar",
        slots: &[optional_key(
            "SEMANTIC_SCHOLAR_API_KEY",
            &["academic_search", "semanticscholar", "api_key"],
        )],
        endpoint: ProviderEndpoint::Known("https://api.semanticscholar.org/graph/v1/paper/search"),
        refusal,
        ..Provider::PLAIN
    },
    steps: |_| const { &[PaperStep::new(request, read)] },
    filters: |target| match target {
        PaperTarget::Words => &[
            "type",
            "min_citations",
            "year_from",
            "year_to",
            "open_access",
        ],
        _ => &[],
    },
    pace: Some(Duration::from_secs(1)),
    sources: NAMES,
};

/// Makes the request for a work by its identifier, or for a list of those around it.
fn ask_around(
    search: &PaperSearch,
    id: &WorkId,
    list: Option<&str>,
    account: &ProviderAccount,
) -> ProviderRequest {
    let number = match id {
        WorkId::Doi(doi) => format!("DOI:{}", in_path(doi)),
        id @ WorkId::Arxiv(_) => format!("ARXIV:{}", id.number()),
        WorkId::Pubmed(number) => format!("PMID:{number}"),
    };
    let mut account = account.clone();
    // The address of searches is below that of works.
    let path = account.endpoint.path().trim_end_matches('/').to_owned();
    account
        .endpoint
        .set_path(path.strip_suffix("/search").unwrap_or(&path));
    let path = list.map_or(number.clone(), |list| format!("{number}/{list}"));
    let fields = [
        ("fields", Some(FIELDS_AROUND.into())),
        ("limit", list.map(|_| search.request_count().into())),
        ("offset", list.map(|_| search.before().into())),
    ];
    ProviderRequest::get(&account.below(&path), fields).for_one()
}

/// Returns the kinds that it has a name for.
fn kind_filter(kind: WorkKind) -> Option<&'static str> {
    match kind {
        WorkKind::Article => Some("JournalArticle,Review,LettersAndComments,Editorial"),
        WorkKind::Chapter => Some("BookSection"),
        WorkKind::Book => Some("Book"),
        WorkKind::Proceedings => Some("Conference"),
        WorkKind::Dataset => Some("Dataset"),
        _ => None,
    }
}

fn request(search: &PaperSearch, account: &ProviderAccount, _: &PaperPage) -> ProviderRequest {
    let request = unkeyed(search, account);
    match account.key(0) {
        "" => request,
        key => request.with("x-api-key", key),
    }
}

fn unkeyed(search: &PaperSearch, account: &ProviderAccount) -> ProviderRequest {
    match &search.target {
        PaperTarget::CitationsOf(id) => return ask_around(search, id, Some("citations"), account),
        PaperTarget::ReferencesOf(id) => {
            return ask_around(search, id, Some("references"), account);
        }
        PaperTarget::Works(ids) => {
            if let Some(id) = ids.first() {
                return ask_around(search, id, None, account);
            }
        }
        _ => {}
    }
    let year = |year: Option<u16>| year.map_or_else(String::new, |year| year.to_string());
    let years = format!("{}-{}", year(search.year_from), year(search.year_to));
    let fields = [
        // A word with a hyphen would match nothing.
        ("query", Some(search.query.replace('-', " ").into())),
        ("limit", Some(search.request_count().into())),
        ("fields", Some(FIELDS.into())),
        ("year", (years != "-").then(|| years.into())),
        ("openAccessPdf", search.wants_open().then(|| "".into())),
        ("offset", search.page.map(|_| search.before().into())),
        ("minCitationCount", search.min_citations.map(Value::from)),
        (
            "publicationTypes",
            search.kind.and_then(kind_filter).map(Value::from),
        ),
    ];
    ProviderRequest::get(account, fields)
}

fn read(answer: &HttpResponse) -> Result<Vec<PaperPage>, UnreadableReply> {
    let body = reply::object(answer)?;
    let total = body.get("total").and_then(Value::as_u64);
    if body["paperId"].is_string() {
        return PaperPage::of_works(vec![paper(&body)], Some(1));
    }
    if total == Some(0) {
        return PaperPage::of_works(Vec::new(), None);
    }
    // Publishers may keep the references of their works to themselves.
    if body.get("data").is_some_and(Value::is_null) {
        return Ok(vec![PaperPage {
            is_withheld: true,
            ..PaperPage::default()
        }]);
    }
    let papers = reply::items(body.get("data"))?.iter();
    let papers = papers.map(|one| {
        let around = one.get("citingPaper").or(one.get("citedPaper"));
        paper(around.unwrap_or(one))
    });
    PaperPage::of_works(papers.collect(), total)
}

fn paper(item: &Value) -> Paper {
    let date = text_at(item, &["/publicationDate", "/year"]);
    let mut work = Work {
        kind: kind(item),
        title: text_at(item, &["/title"]),
        url: text_at(item, &["/url"]),
        doi: string(&item["externalIds"], "DOI").to_owned(),
        arxiv: text_at(item, &["/externalIds/ArXiv"]),
        pmid: text_at(item, &["/externalIds/PubMed"]),
        pmcid: text_at(item, &["/externalIds/PubMedCentral"]),
        container: container(item),
        volume: text_at(item, &["/journal/volume"]),
        pages: text_at(item, &["/journal/pages"]),
        date: PartialDate::parse(&date),
        open_access: item["isOpenAccess"].as_bool(),
        pdf_url: text_at(item, &["/openAccessPdf/url"]),
        citation_count: item["citationCount"].as_u64(),
        ..Work::default()
    };
    if is_archive(&text_at(item, &["/journal/name"])) {
        // The number of a preprint is no volume.
        work.volume.clear();
    }
    if work.pmcid.starts_with(|c: char| c.is_ascii_digit()) {
        work.pmcid.insert_str(0, "PMC");
    }
    let authors = list(item, "authors").iter();
    work.set_authors(authors.map(|one| {
        let name = html_text::text(string(one, "name"));
        WorkAuthor::unsplit(&name)
    }));
    let numbers = [("arxiv", &work.arxiv), ("pubmed", &work.pmid)];
    let known = numbers.iter().filter(|(_, number)| !number.is_empty());
    Paper {
        sources: known.map(|(source, _)| *source).collect(),
        work,
        summary: text_at(item, &["/abstract"]),
        tldr: text_at(item, &["/tldr/text"]),
        is_influential: item["influentialCitationCount"]
            .as_u64()
            .map(|count| count > 0),
        ..Paper::default()
    }
}

/// Returns what a work is in: of a preprint that was published, its venue.
fn container(item: &Value) -> String {
    let journal = text_at(item, &["/journal/name", "/venue"]);
    let venue = text_at(item, &["/venue"]);
    if is_archive(&journal) && !venue.is_empty() && !is_archive(&venue) {
        return venue;
    }
    journal
}

/// Returns the kind of a work: of several, that which tells most, and what its venue is.
fn kind(item: &Value) -> WorkKind {
    if is_archive(&container(item)) {
        return WorkKind::Preprint;
    }
    let names = list(item, "publicationTypes").iter();
    let names = names.filter_map(Value::as_str);
    // The type of what was archived first is that of an article.
    let venue = string(&item["publicationVenue"], "type");
    let venue = Some(venue).filter(|_| is_archive(&text_at(item, &["/journal/name"])));
    match WorkKind::of_names(names.chain(venue)) {
        WorkKind::Unknown => match string(&item["publicationVenue"], "type") {
            "journal" => WorkKind::Article,
            venue => WorkKind::of_name(venue),
        },
        kind => kind,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_preprint_that_was_published_is_in_its_venue() {
        for (journal, venue, types, at, container, kind) in [
            (
                "ArXiv",
                "Communications of the ACM",
                "",
                "journal",
                "Communications of the ACM",
                WorkKind::Article,
            ),
            (
                "ArXiv",
                "NeurIPS",
                "",
                "conference",
                "NeurIPS",
                WorkKind::Proceedings,
            ),
            (
                "CoRR",
                "CHI",
                "Conference",
                "",
                "CHI",
                WorkKind::Proceedings,
            ),
            ("ArXiv", "arXiv.org", "", "", "ArXiv", WorkKind::Preprint),
            ("bioRxiv", "bioRxiv", "", "", "bioRxiv", WorkKind::Preprint),
            (
                "SSRN Electronic Journal",
                "Social Science Research Network",
                "",
                "",
                "SSRN Electronic Journal",
                WorkKind::Preprint,
            ),
            ("", "arXiv.org", "", "", "arXiv.org", WorkKind::Preprint),
            (
                "Heat",
                "Journal of Heat",
                "",
                "journal",
                "Heat",
                WorkKind::Article,
            ),
        ] {
            let types = [types, "JournalArticle"];
            let types: Vec<&str> = types.into_iter().filter(|one| !one.is_empty()).collect();
            let work = paper(&json!({"paperId": "a", "title": "T", "venue": venue,
                "journal": {"name": journal, "volume": "abs/2101.00001"},
                "publicationTypes": types, "publicationVenue": {"type": at},
                "externalIds": {"DOI": "10.48550/arXiv.2101.00001"}}))
            .tidied("semanticscholar")
            .unwrap()
            .work;
            assert_eq!(
                (work.container.as_str(), work.kind),
                (container, kind),
                "{venue}"
            );
            let is_archived = is_archive(journal);
            assert_eq!(work.volume.is_empty(), is_archived, "{journal}");
        }
    }
}
