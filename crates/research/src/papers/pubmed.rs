//! `PubMed`, the index of biomedical literature: one request for the numbers of papers, one for
//! what is known of them.
//!
//! Facts: NCBI, "E-utilities In-Depth", `ESearch` and `ESummary`; an error may come with HTTP 200,
//! as `ERROR`; of a number that is not known the summary has an `error`.

use serde_json::Value;

use super::paper::{Paper, text_at};
use super::paper_provider::{PaperPage, PaperProvider, PaperStep, key, refusal};
use super::paper_search::{PaperOrder, PaperSearch, PaperTarget};
use iki_document::{XmlEvent, XmlReader};
use iki_web::client::HttpResponse;
use iki_web::page::PartialDate;
use iki_web::page::doi::doi_in;
use iki_web::page::retraction::RetractionStatus;
use iki_web::provider::failure::ProviderFailureKind;
use iki_web::provider::reply::{self, list, string, strings};
use iki_web::provider::{
    Provider, ProviderAccount, ProviderEndpoint, ProviderRequest, UnreadableReply, optional_key,
};
use iki_web::search::html_text;
use iki_web::work::{Work, WorkAuthor, WorkKind};

/// The step for their abstracts.
const ABSTRACTS: PaperStep = PaperStep {
    adds: true,
    ..PaperStep::new(ask_abstracts, read_abstracts)
};

/// Maximum length of an abstract that is read, in bytes.
const MAX_ABSTRACT_BYTES: usize = 20_000;

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
    steps: |target| match target {
        PaperTarget::Works(_) => const { &[PaperStep::new(ask_summaries, read_known), ABSTRACTS] },
        _ => {
            const {
                &[
                    PaperStep::new(ask_numbers, read_numbers),
                    PaperStep::new(ask_summaries, read_summaries),
                    ABSTRACTS,
                ]
            }
        }
    },
    filters: |_| {
        &[
            "author",
            "venue",
            "year_from",
            "year_to",
            "open_access",
            "date",
        ]
    },
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
    for (name, tag) in [(&search.author, "au"), (&search.venue, "jour")] {
        let Some(name) = name else { continue };
        let name = name.replace(['"', '[', ']'], " ");
        let wanted = format!("\"{}\"[{tag}]", in_index_order(name.trim(), tag));
        term = if term.is_empty() {
            wanted
        } else {
            format!("({term}) AND {wanted}")
        };
    }
    let sort = match search.order {
        PaperOrder::Date => "pub_date",
        _ => "relevance",
    };
    let fields = [
        ("db", Some("pubmed".into())),
        ("term", Some(term.into())),
        ("retmax", Some(search.request_count().into())),
        ("retstart", search.page.map(|_| search.before().into())),
        ("retmode", Some("json".into())),
        ("sort", Some(sort.into())),
        ("datetype", years.map(|_| "pdat".into())),
        ("mindate", years.map(|(from, _)| from.into())),
        ("maxdate", years.map(|(_, to)| to.into())),
        ("api_key", key(account)),
    ];
    ProviderRequest::get(&account.below("esearch.fcgi"), fields)
}

/// Returns the name of an author as the index has it, with the initials last; another text as it
/// is.
fn in_index_order(name: &str, tag: &str) -> String {
    if tag != "au" {
        return name.to_owned();
    }
    let (family, given) = match name.split_once(',') {
        Some((family, given)) => (family.trim(), given.trim()),
        None => match name.rsplit_once(' ') {
            // The initials are last already.
            Some((_, last)) if last.chars().all(char::is_uppercase) && last.len() < 4 => {
                return name.to_owned();
            }
            Some((given, family)) => (family, given),
            None => (name, ""),
        },
    };
    let initials = given
        .split([' ', '.', '-'])
        .filter_map(|word| word.chars().next());
    let initials: String = initials.collect();
    format!("{family} {initials}").trim_end().to_owned()
}

fn ask_abstracts(_: &PaperSearch, account: &ProviderAccount, page: &PaperPage) -> ProviderRequest {
    let ids = page.papers.iter().map(|paper| paper.work.pmid.as_str());
    let ids: Vec<&str> = ids.collect();
    let fields = [
        ("db", Some("pubmed".into())),
        ("id", Some(ids.join(",").into())),
        ("retmode", Some("xml".into())),
        ("api_key", key(account)),
    ];
    ProviderRequest::get(&account.below("efetch.fcgi"), fields)
}

/// Reads the abstracts, each of them the only fact of a paper beside its number.
fn read_abstracts(answer: &HttpResponse) -> Result<Vec<PaperPage>, UnreadableReply> {
    let body = String::from_utf8_lossy(&answer.body);
    let mut xml = XmlReader::new(&body, None);
    let mut papers: Vec<Paper> = Vec::new();
    while let Some(event) = xml.next() {
        let XmlEvent::Open(tag) = event else {
            continue;
        };
        let is_record = matches!(tag.name(), "MedlineCitation" | "BookDocument");
        let level = xml.depth();
        if !is_record {
            continue;
        }
        let mut paper = Paper::default();
        let mut parts = Vec::new();
        while let Some(tag) = xml.tag_within(level) {
            let label = tag.attribute("Label").map(|label| format!("{label}: "));
            match tag.name() {
                // Works that comment on it have numbers, too.
                "PMID" if paper.work.pmid.is_empty() => {
                    paper.work.pmid = xml.text_within(MAX_ABSTRACT_BYTES);
                }
                "AbstractText" => {
                    let text = xml.text_within(MAX_ABSTRACT_BYTES);
                    parts.push(label.unwrap_or_default() + text.trim());
                }
                // Abstracts in other languages, and of other works.
                "OtherAbstract" => {
                    xml.text_within(MAX_ABSTRACT_BYTES);
                }
                _ => {}
            }
        }
        paper.summary = parts.join(" ");
        papers.push(paper);
    }
    if xml.is_broken {
        return Err(UnreadableReply::Unknown);
    }
    Ok(PaperPage::from_papers(papers, None))
}

fn ask_summaries(
    search: &PaperSearch,
    account: &ProviderAccount,
    page: &PaperPage,
) -> ProviderRequest {
    let ids = match &search.target {
        PaperTarget::Works(ids) => ids.iter().map(|id| id.number().to_owned()).collect(),
        _ => page.ids.clone(),
    };
    let fields = [
        ("db", Some("pubmed".into())),
        ("id", Some(ids.join(",").into())),
        ("retmode", Some("json".into())),
        ("api_key", key(account)),
    ];
    ProviderRequest::get(&account.below("esummary.fcgi"), fields)
}

fn read_numbers(answer: &HttpResponse) -> Result<Vec<PaperPage>, UnreadableReply> {
    let body = reply::object(answer)?;
    let result = body.get("esearchresult").unwrap_or(&Value::Null);
    let error = string(result, "ERROR");
    if !error.is_empty() {
        return Err(failed(error));
    }
    reply::items(result.get("idlist"))?;
    Ok(vec![PaperPage {
        total: string(result, "count").parse().unwrap_or_default(),
        ids: strings(result.get("idlist")),
        ..PaperPage::default()
    }])
}

/// Reads the summaries of papers that are there, since a search has found them.
fn read_summaries(answer: &HttpResponse) -> Result<Vec<PaperPage>, UnreadableReply> {
    let pages = read_known(answer)?;
    if pages.iter().all(|page| page.papers.is_empty()) {
        return Err(failed("there is no summary of what it has found"));
    }
    Ok(pages)
}

/// Reads the summaries of those numbers that are known.
fn read_known(answer: &HttpResponse) -> Result<Vec<PaperPage>, UnreadableReply> {
    let body = reply::object(answer)?;
    let errors = strings(body.get("esummaryresult"));
    match errors.first() {
        Some(error) if error.to_lowercase().contains("invalid uid") => {
            return PaperPage::of_works(Vec::new(), None);
        }
        Some(error) => return Err(failed(error)),
        None => {}
    }
    let result = body.get("result").unwrap_or(&Value::Null);
    let ids = reply::items(result.get("uids"))?.iter();
    let result = ids.filter_map(|id| result.get(id.as_str()?));
    let known = result.filter(|summary| summary.get("error").is_none());
    PaperPage::of_works(known.map(paper).collect(), None)
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
    let title = text_at(summary, &["/title", "/booktitle"]);
    let book = text_at(summary, &["/booktitle"]);
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
            "" => doi_in(string(summary, "elocationid")).unwrap_or_default(),
            doi => doi.to_owned(),
        },
        container: match kind {
            WorkKind::Chapter => book,
            WorkKind::Book => String::new(),
            _ => text_at(summary, &["/fulljournalname", "/source"]),
        },
        volume: text_at(summary, &["/volume"]),
        issue: text_at(summary, &["/issue"]),
        pages: whole_pages(&text_at(summary, &["/pages"])),
        publisher: text_at(summary, &["/publishername"]),
        edition: text_at(summary, &["/edition"]),
        date: date(summary),
        pmid: number.to_owned(),
        pmcid: id("pmc").to_owned(),
        retraction: types
            .contains(&"Retracted Publication".into())
            .then(RetractionStatus::retracted),
        ..Work::default()
    };
    // A paper that will be free is not free yet.
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
            // Styles know initials by their points.
            let initials: Vec<String> = initials.chars().map(|c| format!("{c}.")).collect();
            WorkAuthor::person(family, &initials.join(" "), suffix)
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
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    match pages.split_once('-') {
        // `1123-31.e4` goes on after the last page.
        Some((first, last))
            if digits(first) == first.len()
                && (1..first.len()).contains(&digits(last))
                && !last[digits(last)..].starts_with(char::is_alphanumeric) =>
        {
            format!("{first}-{}{last}", &first[..first.len() - digits(last)])
        }
        _ => pages.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn markup_that_is_escaped_twice_is_none_of_a_title() {
        let summary =
            json!({"uid": "1", "title": "A title with &lt;i&gt;E. coli&lt;/i&gt; &amp; more."});
        let paper = paper(&summary).tidied("pubmed").unwrap();
        assert_eq!(paper.work.title, "A title with E. coli & more");
    }

    #[test]
    fn the_last_page_is_whole() {
        for (pages, whole) in [
            ("1123-31", "1123-1131"),
            ("1123-31.e4", "1123-1131.e4"),
            ("1123-1131", "1123-1131"),
            ("e12-e15, 20", "e12-e15, 20"),
            ("123-5a", "123-5a"),
            ("5", "5"),
        ] {
            assert_eq!(whole_pages(pages), whole);
        }
    }

    #[test]
    fn works_of_which_nothing_can_be_read_are_not_none() {
        let works = |items: &[Value]| PaperPage::of_works(items.iter().map(paper).collect(), None);
        assert!(works(&[Value::Null, json!(5), json!("x")]).is_err());
        assert!(works(&[json!({"title": ["A title"]})]).is_err());
        assert_eq!(
            works(&[json!({"title": "A title"}), json!(5)]).unwrap()[0]
                .papers
                .len(),
            2
        );
        assert_eq!(works(&[]).unwrap()[0].papers.len(), 0);
    }
}
