//! Crossref: the register of most publishers' DOIs.
//!
//! Facts: api.crossref.org, "Works", "Filters", "Sorting"; abstracts are JATS XML, `updated-by`
//! lists the notices about a work. Whoever names an address of mail is served by faster machines.

use serde_json::Value;

use super::paper::{Paper, text_at, with_subtitle};
use super::paper_provider::{
    PaperPage, PaperProvider, PaperStep, filters, key, refusal_without_keys,
};
use super::paper_search::{PaperOrder, PaperSearch, PaperTarget, REGISTRANTS};
use iki_web::client::HttpResponse;
use iki_web::page::{PartialDate, retraction};
use iki_web::provider::reply::{self, list, string};
use iki_web::provider::{
    Provider, ProviderAccount, ProviderEndpoint, ProviderRequest, UnreadableReply, optional_key,
};
use iki_web::search::html_text;
use iki_web::work::work_id::WorkId;
use iki_web::work::{Work, WorkAuthor, WorkKind};

/// Row of this provider.
pub static PROVIDER: PaperProvider = PaperProvider {
    service: Provider {
        name: "crossref",
        title: "Crossref",
        slots: &[optional_key(
            "CROSSREF_EMAIL",
            &["academic_search", "crossref", "email"],
        )],
        endpoint: ProviderEndpoint::Known("https://api.crossref.org/works"),
        refusal: refusal_without_keys,
        ..Provider::PLAIN
    },
    steps: |_| const { &[PaperStep::new(request, read)] },
    filters: |_| {
        &[
            "type",
            "source",
            "year_from",
            "year_to",
            "date",
            "citations",
        ]
    },
    pace: None,
    sources: REGISTRANTS,
};

fn request(search: &PaperSearch, account: &ProviderAccount, _: &PaperPage) -> ProviderRequest {
    let from = search.year_from;
    let to = search.year_to;
    let mut account = account.clone();
    // As the search for notices has it, which reads the same setting.
    if account.endpoint.path() == "/" {
        account.endpoint.set_path("/works");
    }
    if let Some(doi) = search.target.work().and_then(WorkId::doi) {
        if let Some(address) = retraction::address(&account.endpoint, &doi) {
            account.endpoint = address;
        }
        return ProviderRequest::get(&account, [("mailto", key(&account))]).for_one();
    }
    let kinds = search.kind.map(kind_names).unwrap_or_default();
    let filter = filters([
        from.map(|year| format!("from-pub-date:{year:04}")),
        to.map(|year| format!("until-pub-date:{year:04}")),
        search.source.prefix().map(|one| format!("prefix:{one}")),
        (!kinds.is_empty()).then(|| kinds.replace(' ', ",")),
    ]);
    let sort = match search.order {
        PaperOrder::Relevance => None,
        PaperOrder::Date => Some("published"),
        PaperOrder::Citations => Some("is-referenced-by-count"),
    };
    let (query, bibliographic) = match search.target {
        PaperTarget::Reference => (None, Some(search.query.as_str())),
        _ => (Some(search.query.as_str()), None),
    };
    let fields = [
        (
            "query",
            query.filter(|query| !query.is_empty()).map(Value::from),
        ),
        ("query.bibliographic", bibliographic.map(Value::from)),
        ("query.author", search.author.as_deref().map(Value::from)),
        (
            "query.container-title",
            search.venue.as_deref().map(Value::from),
        ),
        ("rows", Some(search.request_count().into())),
        ("offset", search.page.map(|_| search.before().into())),
        ("filter", filter),
        ("sort", sort.map(Value::from)),
        ("order", sort.map(|_| "desc".into())),
        ("mailto", key(&account)),
    ];
    ProviderRequest::get(&account, fields)
}

/// Returns the filters for a kind, by the register's own names.
fn kind_names(kind: WorkKind) -> &'static str {
    match kind {
        WorkKind::Article => "type:journal-article",
        WorkKind::Preprint => "type:posted-content",
        WorkKind::Chapter => "type:book-chapter type:book-section type:reference-entry",
        WorkKind::Book => "type:book type:monograph type:edited-book type:reference-book",
        WorkKind::Proceedings => "type:proceedings-article",
        WorkKind::Thesis => "type:dissertation",
        WorkKind::Dataset => "type:dataset",
        WorkKind::Report => "type:report",
        _ => "",
    }
}

fn read(answer: &HttpResponse) -> Result<Vec<PaperPage>, UnreadableReply> {
    let body = reply::object(answer)?;
    let one = body
        .pointer("/message")
        .filter(|work| work["DOI"].is_string());
    if let Some(work) = one {
        return PaperPage::of_works(vec![paper(work)], Some(1));
    }
    let works = reply::items(body.pointer("/message/items"))?;
    let total = body.pointer("/message/total-results");
    let total = total.and_then(Value::as_u64);
    PaperPage::of_works(works.iter().map(paper).collect(), total)
}

fn paper(item: &Value) -> Paper {
    let kind = WorkKind::of_name(string(item, "type"));
    let places = list(item, "container-title");
    let place = |index: usize| text_at(item, &[&format!("/container-title/{index}")]);
    let is_part = matches!(kind, WorkKind::Chapter | WorkKind::Proceedings);
    // The series of a book is before its title.
    let (series, container) = match places.len() {
        2.. if is_part => (place(0), place(places.len() - 1)),
        _ => (String::new(), place(0)),
    };
    let by_institution = matches!(
        kind,
        WorkKind::Thesis | WorkKind::Report | WorkKind::Preprint
    );
    let institution = text_at(item, &["/institution/0/name", "/institution/name"]);
    let publisher = if by_institution && !institution.is_empty() {
        institution
    } else {
        text_at(item, &["/publisher"])
    };
    let names = [
        "published",
        "issued",
        "published-online",
        "published-print",
        "posted",
    ];
    let dates = names.iter().filter_map(|name| {
        let parts = item.get(name)?.pointer("/date-parts/0")?.as_array()?;
        let parts: Vec<i64> = parts.iter().filter_map(Value::as_i64).collect();
        PartialDate::of_parts(&parts)
    });
    let dates: Vec<PartialDate> = dates.collect();
    // Some are addresses, `http://id.crossref.org/isbn/9780262033848`.
    let isbn = text_at(item, &["/ISBN/0"]);
    let mut work = Work {
        kind,
        title: title(item),
        url: text_at(item, &["/URL"]),
        doi: string(item, "DOI").to_owned(),
        editors: list(item, "editor").iter().map(author).collect(),
        container,
        series,
        volume: text_at(item, &["/volume"]),
        issue: text_at(item, &["/issue", "/journal-issue/issue"]),
        pages: text_at(item, &["/page", "/article-number"]),
        publisher,
        edition: text_at(item, &["/edition-number"]),
        isbn: isbn.rsplit('/').next().unwrap_or_default().to_owned(),
        date: dates.first().copied(),
        citation_count: item["is-referenced-by-count"].as_u64(),
        retraction: retraction::of_record(item),
        ..Work::default()
    };
    if kind == WorkKind::Preprint && work.container.is_empty() {
        work.container.clone_from(&work.publisher);
    }
    work.set_authors(list(item, "author").iter().map(author));
    let mut terms = list(item, "license").iter();
    if terms.any(|one| string(one, "URL").contains("://creativecommons.org/")) {
        work.open_access = Some(true);
        // Other files are for those who have paid.
        let mut files = list(item, "link").iter();
        let file = files.find(|one| string(one, "content-type") == "application/pdf");
        let file = file.map_or("", |one| string(one, "URL"));
        file.clone_into(&mut work.pdf_url);
    }
    // Elements of HTML have the same names.
    let summary = string(item, "abstract").replace("jats:", "");
    let mut years: Vec<u16> = dates.iter().map(|date| date.year()).collect();
    years.dedup();
    Paper {
        work,
        years,
        other_containers: ["short-container-title", "container-title"]
            .iter()
            .flat_map(|name| reply::strings(item.get(*name)))
            .collect(),
        summary: html_text::text(&summary),
        ..Paper::default()
    }
}

/// Returns the title with the subtitle, unless that is in it already.
fn title(item: &Value) -> String {
    with_subtitle(
        text_at(item, &["/title/0"]),
        &text_at(item, &["/subtitle/0"]),
    )
}

/// Returns a contributor: a person, or a group.
fn author(contributor: &Value) -> WorkAuthor {
    let part = |name: &str| html_text::text(string(contributor, name));
    match part("family").as_str() {
        "" => match part("name") {
            name if name.is_empty() => WorkAuthor::unsplit(&part("given")),
            name => WorkAuthor::group(&name),
        },
        family => WorkAuthor::person(family, &part("given"), &part("suffix")),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_work_has_its_doi_its_subtitle_and_its_names_as_they_are_registered() {
        let doi = "10.1175/1520-0485(1985)015<1043:AOTSCO>2.0.CO;2";
        let work = paper(&json!({"DOI": doi, "title": ["Main title"],
            "subtitle": ["The subtitle &amp; more"], "type": "journal-article",
            "author": [{"given": "ANN", "family": "SMITH"}], "edition-number": "3",
            "ISBN": ["http://id.crossref.org/isbn/9780262033848", "9780262533058"]}))
        .tidied("crossref")
        .unwrap()
        .work;
        assert_eq!(work.doi, doi.to_ascii_lowercase());
        assert_eq!(
            work.url,
            "https://doi.org/10.1175/1520-0485(1985)015%3C1043:aotsco%3E2.0.co;2"
        );
        assert_eq!(work.title, "Main title: The subtitle & more");
        assert_eq!((&*work.edition, &*work.isbn), ("3", "9780262033848"));
        let inverted = work.authors[0].split().unwrap().inverted();
        assert_eq!(inverted, "SMITH, ANN");
    }

    #[test]
    fn a_title_names_its_subtitle_once() {
        for (title_of, subtitle, expected) in [
            (
                "A title: The subtitle",
                "the Subtitle.",
                "A title: The subtitle",
            ),
            ("Is it so?", "A study", "Is it so? A study"),
            ("A title:", "A study", "A title: A study"),
            ("A title", "", "A title"),
            ("A title", ".", "A title"),
            ("", "A study", ""),
        ] {
            let item = json!({"title": [title_of], "subtitle": [subtitle]});
            assert_eq!(title(&item), expected);
        }
    }
}
