//! `OpenAlex`: an index of works of all subjects.
//!
//! Facts: developers.openalex.org, "Works", "Filters", "Errors", "Authentication"; abstracts come
//! as the places of each word.

use serde_json::Value;

use super::arxiv;
use super::paper::{Paper, text_at};
use super::paper_provider::{PaperPage, PaperProvider, PaperStep, filters, key};
use super::paper_search::{NAMES, PaperOrder, PaperSearch, PaperTarget};
use iki_web::client::HttpResponse;
use iki_web::page::PartialDate;
use iki_web::page::doi::in_path;
use iki_web::page::retraction::RetractionStatus;
use iki_web::provider::reply::{self, list, string};
use iki_web::provider::{
    Provider, ProviderAccount, ProviderEndpoint, ProviderRefusal, ProviderRequest, UnreadableReply,
    optional_key,
};
use iki_web::search::html_text;
use iki_web::work::work_id::WorkId;
use iki_web::work::{Work, WorkAuthor, WorkKind, page_range};

/// Fields of a work that are read; all of them take ten times as much.
const FIELDS: &str = "id,doi,display_name,publication_year,publication_date,authorships,\
                      primary_location,best_oa_location,open_access,locations,ids,cited_by_count,\
                      is_retracted,abstract_inverted_index,type,biblio";

/// Its number for the archive arXiv.
const ARXIV: &str = "S4306400194";

/// Number of authors after which its lists end.
const MAX_LISTED_AUTHORS: usize = 100;

/// Maximum number of words of an abstract.
const MAX_ABSTRACT_WORDS: usize = 2000;

/// Row of this provider.
pub static PROVIDER: PaperProvider = PaperProvider {
    service: Provider {
        name: "openalex",
        title: "OpenAlex",
        slots: &[optional_key(
            "OPENALEX_API_KEY",
            &["academic_search", "openalex", "api_key"],
        )],
        endpoint: ProviderEndpoint::Known("https://api.openalex.org/works"),
        refusal,
        ..Provider::PLAIN
    },
    steps: |target| match target.center() {
        Some(_) => {
            const {
                &[
                    PaperStep::new(ask_number, read_number),
                    PaperStep::new(request, read),
                ]
            }
        }
        None => const { &[PaperStep::new(request, read)] },
    },
    filters: |_| {
        &[
            "query",
            "author",
            "type",
            "min_citations",
            "source",
            "year_from",
            "year_to",
            "open_access",
            "date",
            "citations",
        ]
    },
    pace: None,
    sources: NAMES,
};

/// Makes the request for a work by its identifier.
fn ask_work(id: &WorkId, fields: &str, account: &ProviderAccount) -> ProviderRequest {
    let name = match id {
        WorkId::Pubmed(number) => format!("pmid:{number}"),
        id => format!("doi:{}", in_path(&id.doi().unwrap_or_default())),
    };
    let fields = [("select", Some(fields.into())), ("api_key", key(account))];
    ProviderRequest::get(&account.below(&name), fields).for_one()
}

fn ask_number(search: &PaperSearch, account: &ProviderAccount, _: &PaperPage) -> ProviderRequest {
    // The steps are those of a search around a work.
    let none = WorkId::Doi(String::new());
    ask_work(search.target.center().unwrap_or(&none), "id", account)
}

/// Reads the number that a work has here.
fn read_number(answer: &HttpResponse) -> Result<Vec<PaperPage>, UnreadableReply> {
    let body = reply::object(answer)?;
    let number = string(&body, "id").rsplit('/').next().unwrap_or_default();
    if !number.starts_with('W') {
        return Err(UnreadableReply::Unknown);
    }
    Ok(vec![PaperPage {
        ids: vec![number.to_owned()],
        ..PaperPage::default()
    }])
}

/// Returns the name of a kind in its filter; `None` for a kind of which it has none.
fn kind_filter(kind: WorkKind) -> Option<&'static str> {
    Some(match kind {
        WorkKind::Article => "article|review|letter|editorial|erratum",
        WorkKind::Preprint => "preprint",
        WorkKind::Chapter => "book-chapter",
        WorkKind::Book => "book",
        WorkKind::Thesis => "dissertation",
        WorkKind::Dataset => "dataset",
        WorkKind::Report => "report",
        // It calls them articles.
        WorkKind::Proceedings => "article|book-chapter",
        _ => return None,
    })
}

/// Returns a text without the characters that have a meaning in a filter.
fn filter_text(text: &str) -> String {
    text.replace([',', '|', '!', ':', '*', '?', '~', '"'], " ")
}

fn request(search: &PaperSearch, account: &ProviderAccount, page: &PaperPage) -> ProviderRequest {
    if let Some(id) = search.target.work() {
        return ask_work(id, FIELDS, account);
    }
    let number = page.ids.first().map(String::as_str).unwrap_or_default();
    let around = match &search.target {
        PaperTarget::CitationsOf(_) => Some(format!("cites:{number}")),
        PaperTarget::ReferencesOf(_) => Some(format!("cited_by:{number}")),
        _ => None,
    };
    let author = search.author.as_ref();
    let author = author.map(|name| format!("raw_author_name.search:{}", filter_text(name)));
    let cited = search.min_citations.filter(|least| *least > 0);
    let cited = cited.map(|least| format!("cited_by_count:>{}", least - 1));
    let kind = search.kind.and_then(kind_filter);
    let from = search.year_from;
    let to = search.year_to;
    let source = match search.source.name {
        "arxiv" => Some(format!("locations.source.id:{ARXIV}")),
        "pubmed" => Some("has_pmid:true".to_owned()),
        _ => search
            .source
            .prefix()
            .map(|one| format!("doi_starts_with:{one}")),
    };
    let open = search
        .wants_open()
        .then(|| "open_access.is_oa:true".to_owned());
    let filter = filters([
        from.map(|year| format!("from_publication_date:{year:04}-01-01")),
        to.map(|year| format!("to_publication_date:{year:04}-12-31")),
        open,
        source,
        around,
        author,
        cited,
        kind.map(|kind| format!("type:{kind}")),
    ]);
    // These would be wildcards.
    let words = search.query.replace(['*', '?', '~'], " ");
    let words = words.trim();
    let sort = match search.order {
        PaperOrder::Relevance if words.is_empty() => Some("cited_by_count:desc".into()),
        PaperOrder::Relevance => None,
        PaperOrder::Date => Some("publication_date:desc".into()),
        PaperOrder::Citations => Some("cited_by_count:desc".into()),
    };
    let fields = [
        ("search", (!words.is_empty()).then(|| words.into())),
        ("per_page", Some(search.request_count().into())),
        ("page", search.page.map(Value::from)),
        ("filter", filter),
        ("sort", sort),
        ("select", Some(FIELDS.into())),
        ("api_key", key(account)),
    ];
    ProviderRequest::get(account, fields)
}

fn read(answer: &HttpResponse) -> Result<Vec<PaperPage>, UnreadableReply> {
    let body = reply::object(answer)?;
    if string(&body, "id").contains("openalex.org/W") {
        return PaperPage::of_works(vec![paper(&body)], Some(1));
    }
    let works = reply::items(body.get("results"))?;
    let total = body.pointer("/meta/count").and_then(Value::as_u64);
    PaperPage::of_works(works.iter().map(paper).collect(), total)
}

fn paper(item: &Value) -> Paper {
    let home = &item["primary_location"]["source"];
    // What Crossref called it, or what it is in, tells proceedings from journals.
    let is_conference = string(home, "type") == "conference";
    let names = [
        string(&item["primary_location"], "raw_type"),
        if is_conference { "conference" } else { "" },
        string(item, "type"),
    ];
    let date = text_at(item, &["/publication_date", "/publication_year"]);
    let number = |place: &str| {
        let address = text_at(item, &[place]);
        let number = address.trim_end_matches('/').rsplit('/').next();
        number.unwrap_or_default().to_owned()
    };
    let mut work = Work {
        kind: WorkKind::of_names(names.into_iter()),
        title: text_at(item, &["/display_name", "/title"]),
        url: text_at(item, &["/primary_location/landing_page_url", "/id"]),
        doi: string(item, "doi").to_owned(),
        container: text_at(item, &["/primary_location/source/display_name"]),
        volume: text_at(item, &["/biblio/volume"]),
        issue: text_at(item, &["/biblio/issue"]),
        pages: page_range(
            text_at(item, &["/biblio/first_page"]),
            &text_at(item, &["/biblio/last_page"]),
        ),
        publisher: text_at(item, &["/primary_location/source/host_organization_name"]),
        date: PartialDate::parse(&date),
        pmid: number("/ids/pmid"),
        pdf_url: text_at(item, &["/best_oa_location/pdf_url"]),
        open_access: item["open_access"]["is_oa"].as_bool(),
        citation_count: item["cited_by_count"].as_u64(),
        retraction: (item["is_retracted"] == true).then(RetractionStatus::retracted),
        ..Work::default()
    };
    work.pmcid = match number("/ids/pmcid") {
        digits if digits.starts_with(|c: char| c.is_ascii_digit()) => format!("PMC{digits}"),
        other => other,
    };
    let authors = list(item, "authorships");
    work.set_authors(authors.iter().map(|one| {
        let name = string(&one["author"], "display_name");
        WorkAuthor::unsplit(&html_text::text(name))
    }));
    work.more_authors |= authors.len() == MAX_LISTED_AUTHORS;
    let mut sources = Vec::new();
    let places = list(item, "locations").iter();
    let mut places = places.chain(item.get("primary_location"));
    let archived = places.find(|one| string(&one["source"], "id").ends_with(ARXIV));
    if let Some(place) = archived {
        sources.push("arxiv");
        work.arxiv = arxiv::number_in(string(place, "landing_page_url"));
    }
    if item["ids"]["pmid"].is_string() {
        sources.push("pubmed");
    }
    Paper {
        work,
        summary: unfolded(item.get("abstract_inverted_index")),
        sources,
        ..Paper::default()
    }
}

/// Returns the text of which each word's places are given.
fn unfolded(index: Option<&Value>) -> String {
    let mut words: Vec<(usize, &str)> = Vec::new();
    for (word, places) in index.and_then(Value::as_object).into_iter().flatten() {
        let places = reply::items(Some(places)).unwrap_or_default().iter();
        let places = places.filter_map(|place| usize::try_from(place.as_u64()?).ok());
        words.extend(places.map(|place| (place, word.as_str())));
    }
    words.sort_by_key(|(place, _)| *place);
    words.truncate(MAX_ABSTRACT_WORDS);
    let words: Vec<&str> = words.into_iter().map(|(_, word)| word).collect();
    html_text::text(&words.join(" "))
}

/// Interprets a status: too many searches in a second, or in a day, are also reported by 403.
fn refusal(title: &str, answer: &HttpResponse) -> ProviderRefusal {
    let is_spent = reply::contains_any(answer, &["daily", "budget", "credit", "quota"]);
    match answer.status {
        403 | 429 if is_spent => reply::quota_refusal(title, answer),
        403 | 429 => reply::rate_limit_refusal(title, answer),
        _ => reply::by_status(title, answer),
    }
}
