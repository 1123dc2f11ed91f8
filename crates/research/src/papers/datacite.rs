//! `DataCite`: the register of the DOIs of data, software, theses and preprints.
//!
//! Facts: support.datacite.org, "Retrieving a single DOI", and the schema of its metadata.

use serde_json::Value;

use super::paper::{Paper, text_at, with_subtitle};
use super::paper_provider::{PaperPage, PaperProvider, PaperStep, refusal_without_keys};
use super::paper_search::PaperSearch;
use iki_web::client::HttpResponse;
use iki_web::page::PartialDate;
use iki_web::page::doi::in_path;
use iki_web::provider::reply::{self, list, string};
use iki_web::provider::{
    Provider, ProviderAccount, ProviderEndpoint, ProviderRequest, UnreadableReply,
};
use iki_web::search::html_text;
use iki_web::work::work_id::WorkId;
use iki_web::work::{Work, WorkAuthor, WorkKind, page_range};

/// Row of this provider, which is asked for single works alone.
pub static PROVIDER: PaperProvider = PaperProvider {
    service: Provider {
        name: "datacite",
        title: "DataCite",
        endpoint: ProviderEndpoint::Known("https://api.datacite.org/dois"),
        refusal: refusal_without_keys,
        ..Provider::PLAIN
    },
    steps: |_| const { &[PaperStep::new(request, read)] },
    filters: |_| &[],
    pace: None,
    sources: &[],
};

fn request(search: &PaperSearch, account: &ProviderAccount, _: &PaperPage) -> ProviderRequest {
    let doi = search.target.work().and_then(WorkId::doi);
    let account = account.below(&in_path(&doi.unwrap_or_default()));
    ProviderRequest::get(&account, []).for_one()
}

fn read(answer: &HttpResponse) -> Result<Vec<PaperPage>, UnreadableReply> {
    let body = reply::object(answer)?;
    let item = body.pointer("/data/attributes");
    let item = item.filter(|item| item.is_object());
    let paper = paper(item.ok_or(UnreadableReply::Unknown)?);
    PaperPage::of_works(vec![paper], Some(1))
}

fn paper(item: &Value) -> Paper {
    let names = [
        text_at(item, &["/types/resourceType"]),
        text_at(item, &["/types/resourceTypeGeneral"]),
    ];
    let date = |kind: &str| {
        let mut dates = list(item, "dates").iter();
        let date = dates.find(|date| string(date, "dateType") == kind)?;
        PartialDate::parse(string(date, "date"))
    };
    let year = PartialDate::parse(&text_at(item, &["/publicationYear"]));
    let mut abstracts = list(item, "descriptions").iter();
    let summary = abstracts.find(|one| string(one, "descriptionType") == "Abstract");
    let mut work = Work {
        kind: WorkKind::of_names(names.iter().map(String::as_str)),
        title: title(item),
        url: text_at(item, &["/url"]),
        doi: string(item, "doi").to_owned(),
        container: text_at(item, &["/container/title"]),
        volume: text_at(item, &["/container/volume"]),
        issue: text_at(item, &["/container/issue"]),
        pages: page_range(
            text_at(item, &["/container/firstPage"]),
            &text_at(item, &["/container/lastPage"]),
        ),
        publisher: text_at(item, &["/publisher/name", "/publisher"]),
        edition: text_at(item, &["/version"]),
        date: date("Issued")
            .filter(|date| year.is_none_or(|year| year.year() == date.year()))
            .or(year),
        ..Work::default()
    };
    work.set_authors(list(item, "creators").iter().map(author));
    let editors = list(item, "contributors").iter();
    let editors = editors.filter(|one| string(one, "contributorType") == "Editor");
    work.editors = editors.map(author).collect();
    Paper {
        work,
        summary: summary.map_or(String::new(), |one| {
            html_text::text(string(one, "description"))
        }),
        ..Paper::default()
    }
}

/// Returns the title with its subtitle.
fn title(item: &Value) -> String {
    let of_kind = |kind: &str| {
        let mut titles = list(item, "titles").iter();
        let title = titles.find(|one| string(one, "titleType") == kind);
        title.map_or(String::new(), |one| text_at(one, &["/title"]))
    };
    match (of_kind(""), of_kind("Subtitle")) {
        (title, _) if title.is_empty() => text_at(item, &["/titles/0/title"]),
        (title, subtitle) => with_subtitle(title, &subtitle),
    }
}

/// Returns a creator or a contributor: a person, or a group.
fn author(one: &Value) -> WorkAuthor {
    let part = |name: &str| html_text::text(string(one, name));
    let name = part("name");
    match (part("familyName").as_str(), string(one, "nameType")) {
        ("", "Organizational") => WorkAuthor::group(&name),
        ("", _) => match name.split_once(", ") {
            Some((family, given)) => WorkAuthor::person(family, given, ""),
            None => WorkAuthor::unsplit(&name),
        },
        (family, _) => WorkAuthor::person(family, &part("givenName"), ""),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_work_has_its_subtitle_and_its_editors() {
        let work = paper(&json!({"titles": [
            {"title": "Ein Titel", "titleType": "TranslatedTitle"},
            {"title": "A title"}, {"title": "The subtitle", "titleType": "Subtitle"}],
            "creators": [{"name": "Doe, Jane", "nameType": "Personal"}],
            "contributors": [{"name": "Roe, R.", "contributorType": "Editor"},
                {"name": "Poe, E.", "contributorType": "DataCurator"}]}));
        assert_eq!(work.work.title, "A title: The subtitle");
        assert_eq!(work.work.authors, [WorkAuthor::person("Doe", "Jane", "")]);
        assert_eq!(work.work.editors, [WorkAuthor::person("Roe", "R.", "")]);
    }
}
