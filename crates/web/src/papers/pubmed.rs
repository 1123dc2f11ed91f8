//! `PubMed`, the index of biomedical literature: one request for the numbers of papers, one for
//! what is known of them.
//!
//! Facts: NCBI, "E-utilities In-Depth", `ESearch` and `ESummary`; an error may come with HTTP 200,
//! as `ERROR`; of a number that is not known the summary has an `error`.

use serde_json::Value;

use super::paper::{Paper, said};
use super::paper_provider::{PaperPage, PaperProvider, PaperStep, key, refusal};
use super::paper_search::PaperSearch;
use crate::client::HttpResponse;
use crate::page::PartialDate;
use crate::page::retraction::RetractionStatus;
use crate::provider::failure::ProviderFailureKind;
use crate::provider::reply::{self, list, string, strings};
use crate::provider::{
    Provider, ProviderAccount, ProviderEndpoint, ProviderRequest, UnreadableReply, optional_key,
};
use crate::search::html_text;
use crate::work::{Work, WorkAuthor, WorkKind};

/// Ends of names that are no initials.
const SUFFIXES: [&str; 8] = ["Jr", "Sr", "2nd", "3rd", "4th", "II", "III", "IV"];

/// Row of this provider.
pub static PROVIDER: PaperProvider = PaperProvider {
    service: Provider {
        name: "pubmed",
        title: "PubMed",
        slots: &[optional_key(
            "PUBMED_API_KEY",
            &["academic_search", "pubmed", "api_key"],
        )],
        endpoint: ProviderEndpoint::Known("https://eutils.ncbi.nlm.nih.gov/entrez/eutils"),
        refusal: |title, answer| {
            if reply::contains_any(answer, &["api key invalid"]) {
                return reply::rejected_key_refusal(title, answer);
            }
            refusal(title, answer)
        },
        ..Provider::PLAIN
    },
    steps: &[
        PaperStep {
            request: ask_numbers,
            read: read_numbers,
        },
        PaperStep {
            request: ask_summaries,
            read: read_summaries,
        },
    ],
    pace: None,
    // Beside the one that has its name.
    sources: &[],
};

fn ask_numbers(search: &PaperSearch, account: &ProviderAccount, _: &PaperPage) -> ProviderRequest {
    // Both or none.
    let years = search.years(1000, 3000);
    let mut term = search.query.clone();
    if search.wants_open() {
        term = format!("({term}) AND pubmed pmc[sb]");
    }
    let sort = if search.by_date {
        "pub_date"
    } else {
        "relevance"
    };
    let fields = [
        ("db", Some("pubmed".into())),
        ("term", Some(term.into())),
        ("retmax", Some(search.asked().into())),
        ("retmode", Some("json".into())),
        ("sort", Some(sort.into())),
        ("datetype", years.map(|_| "pdat".into())),
        ("mindate", years.map(|(from, _)| from.into())),
        ("maxdate", years.map(|(_, to)| to.into())),
        ("api_key", key(account)),
    ];
    ProviderRequest::get(&account.below("esearch.fcgi"), fields)
}

fn ask_summaries(_: &PaperSearch, account: &ProviderAccount, page: &PaperPage) -> ProviderRequest {
    let fields = [
        ("db", Some("pubmed".into())),
        ("id", Some(page.ids.join(",").into())),
        ("retmode", Some("json".into())),
        ("api_key", key(account)),
    ];
    ProviderRequest::get(&account.below("esummary.fcgi"), fields)
}

fn read_numbers(answer: &HttpResponse) -> Result<Vec<PaperPage>, UnreadableReply> {
    let body = reply::object(answer)?;
    let found = body.get("esearchresult").unwrap_or(&Value::Null);
    let error = string(found, "ERROR");
    if !error.is_empty() {
        return Err(failed(error));
    }
    reply::items(found.get("idlist"))?;
    Ok(vec![PaperPage {
        total: string(found, "count").parse().unwrap_or_default(),
        ids: strings(found.get("idlist")),
        ..PaperPage::default()
    }])
}

fn read_summaries(answer: &HttpResponse) -> Result<Vec<PaperPage>, UnreadableReply> {
    let body = reply::object(answer)?;
    let errors = strings(body.get("esummaryresult"));
    if let Some(error) = errors.first() {
        return Err(failed(error));
    }
    let found = body.get("result").unwrap_or(&Value::Null);
    let ids = reply::items(found.get("uids"))?.iter();
    let found = ids.filter_map(|id| found.get(id.as_str()?));
    let known = found.filter(|summary| summary.get("error").is_none());
    let papers: Vec<Paper> = known.map(paper).collect();
    if papers.is_empty() && body.get("result").is_some() {
        return Err(failed("there is no summary of what it has found"));
    }
    Ok(PaperPage::of(papers, None))
}

fn failed(why: &str) -> UnreadableReply {
    UnreadableReply::Failed(ProviderFailureKind::Upstream, why.to_owned())
}

fn paper(summary: &Value) -> Paper {
    let id = |kind: &str| {
        let mut ids = list(summary, "articleids").iter();
        let id = ids.find(|id| string(id, "idtype") == kind);
        id.map_or("", |id| string(id, "value"))
    };
    let number = string(summary, "uid");
    // A book has its title elsewhere, and so has what a chapter is in.
    let title = said(summary, &["/title", "/booktitle"]);
    let book = said(summary, &["/booktitle"]);
    let is_chapter = !book.is_empty() && book != title;
    let types = list(summary, "pubtype");
    let kind = match () {
        () if is_chapter => WorkKind::Chapter,
        () if !book.is_empty() => WorkKind::Book,
        () if types.contains(&"Preprint".into()) => WorkKind::Preprint,
        () => WorkKind::Article,
    };
    let mut work = Work {
        kind,
        title: title.strip_suffix('.').unwrap_or(&title).to_owned(),
        url: format!("https://pubmed.ncbi.nlm.nih.gov/{number}/"),
        doi: match id("doi") {
            "" => said(summary, &["/elocationid"]),
            doi => doi.to_owned(),
        },
        container: match kind {
            WorkKind::Chapter => book,
            WorkKind::Book => String::new(),
            _ => said(summary, &["/fulljournalname", "/source"]),
        },
        volume: said(summary, &["/volume"]),
        issue: said(summary, &["/issue"]),
        pages: whole_pages(&said(summary, &["/pages"])),
        publisher: said(summary, &["/publishername"]),
        date: date(summary),
        pmid: number.to_owned(),
        pmcid: id("pmc").to_owned(),
        retraction: types
            .contains(&"Retracted Publication".into())
            .then(RetractionStatus::retracted),
        ..Work::default()
    };
    // What will be free is not yet.
    if !work.pmcid.is_empty() && !id("pmcid").contains("embargo-date") {
        work.pdf_url = format!("https://pmc.ncbi.nlm.nih.gov/articles/{}/pdf/", work.pmcid);
    }
    let all = list(summary, "authors").iter();
    let (editors, authors): (Vec<_>, Vec<_>) =
        all.partition(|one| string(one, "authtype").eq_ignore_ascii_case("editor"));
    work.set_authors(authors.into_iter().map(author));
    work.editors = editors.into_iter().map(author).collect();
    Paper {
        work,
        sources: vec!["pubmed"],
        ..Paper::default()
    }
}

/// Returns an author: a group, or a person such as `Smith JA` or `Smith JA Jr`.
fn author(one: &Value) -> WorkAuthor {
    let name = html_text::text(string(one, "name"));
    if string(one, "authtype") == "CollectiveName" {
        return WorkAuthor::group(&name);
    }
    let (name, suffix) = match name.rsplit_once(' ') {
        Some((before, last)) if SUFFIXES.contains(&last) && before.contains(' ') => (before, last),
        _ => (name.as_str(), ""),
    };
    match name.rsplit_once(' ') {
        Some((family, initials)) if initials.chars().all(char::is_uppercase) => {
            WorkAuthor::person(family, initials, suffix)
        }
        _ => WorkAuthor::unsplit(name),
    }
}

/// Returns the day, month or year of publication. The date for sorting has a day in any case.
fn date(summary: &Value) -> Option<PartialDate> {
    let written = string(summary, "pubdate");
    let mut words: Vec<&str> = written.split(' ').collect();
    words.reverse();
    let date = PartialDate::parse(&words.join(" "));
    let year = || PartialDate::parse(written);
    date.or_else(year)
        .or_else(|| PartialDate::parse(string(summary, "sortpubdate")))
}

/// Returns pages such as `1234-45` with both numbers whole.
fn whole_pages(pages: &str) -> String {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    match pages.split_once('-') {
        Some((first, last)) if is_number(first) && is_number(last) && last.len() < first.len() => {
            format!("{first}-{}{last}", &first[..first.len() - last.len()])
        }
        _ => pages.to_owned(),
    }
}
