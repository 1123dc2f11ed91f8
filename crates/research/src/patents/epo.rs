//! The European Patent Office: the token, the request, the reply in XML, the errors.
//!
//! Facts: Open Patent Services, "Reference Guide". It has the patents of a
//! hundred offices. A search knows the day of publication and not the one of filing, is answered
//! with the newest first, and without results with 404. A used-up quota is 403 with the reason in a
//! header.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

use super::patent::{self, Patent};
use super::patent_provider::PatentProvider;
use super::query::PatentSearch;
use iki_base::wording::joined_words;
use iki_document::{XmlEvent, XmlReader};
use iki_web::client::HttpResponse;
use iki_web::provider::exchange::ProviderItem;
use iki_web::provider::failure::ProviderFailureKind;
use iki_web::provider::reply::{self, string};
use iki_web::provider::{
    CredentialSlot, Provider, ProviderAccount, ProviderEndpoint, ProviderRefusal, ProviderRequest,
    UnreadableReply, required_key,
};
use iki_web::work::patent_number::PatentNumber;

/// Row of this provider.
pub static PROVIDER: PatentProvider = PatentProvider {
    service: &Provider {
        name: "epo",
        title: "EPO",
        slots: &[KEY, SECRET],
        endpoint: ProviderEndpoint::Known("https://ops.epo.org/3.2"),
        setup: "Get a key for the EPO's Open Patent Services at https://developers.epo.org/.",
        accept: "application/xml",
        refusal,
    },
    office: None,
    login: Some(login),
    request,
    read,
};

const KEY: CredentialSlot = CredentialSlot {
    also: &["EPO_OPS_CONSUMER_KEY"],
    ..required_key(
        "EPO_CONSUMER_KEY",
        &["patent_search", "epo", "consumer_key"],
    )
};

const SECRET: CredentialSlot = CredentialSlot {
    also: &["EPO_OPS_CONSUMER_SECRET"],
    ..required_key(
        "EPO_CONSUMER_SECRET",
        &["patent_search", "epo", "consumer_secret"],
    )
};

/// Maximum number of words of a query, which the office limits to ten of a kind.
const MAX_QUERY_WORDS: usize = 10;

/// Years from an application to its publication, at most, for a limit of years.
const PUBLICATION_YEARS: u16 = 2;

/// Maximum number of records that are read.
const MAX_RECORDS: usize = 500;

/// Maximum length of a text of a patent that is read, in bytes.
const MAX_TEXT_BYTES: usize = 20_000;

/// Minimum waiting time that is taken for milliseconds, which the office counts in.
const MIN_MILLISECONDS: u64 = 10_000;

/// Parts of a record of which something is read: in each, dates, numbers and names mean something
/// else.
const PARTS: [&str; 4] = [
    "publication-reference",
    "application-reference",
    "applicants",
    "inventors",
];

/// A text of a record: its part, its element, and its language or the form that a name is written
/// in, since the same names come in several.
struct RecordText {
    part: String,
    element: String,
    form: String,
    text: String,
}

/// The token of a login.
#[derive(Debug)]
pub(super) struct AccessToken(pub(super) String);

impl ProviderItem for AccessToken {}

fn login(account: &ProviderAccount) -> ProviderRequest {
    let pair = format!("{}:{}", account.key(0), account.key(1));
    ProviderRequest {
        body: Some("grant_type=client_credentials".into()),
        ..ProviderRequest::post(&account.below("auth/accesstoken"), [])
    }
    .with("Authorization", &format!("Basic {}", STANDARD.encode(pair)))
}

/// Reads the token in the answer to a login.
pub(super) fn token(reply: &HttpResponse) -> Result<Vec<AccessToken>, UnreadableReply> {
    let body = reply::object(reply)?;
    match string(&body, "access_token") {
        "" => Err(UnreadableReply::Unknown),
        token => Ok(vec![AccessToken(token.to_owned())]),
    }
}

fn request(search: &PatentSearch, account: &ProviderAccount) -> ProviderRequest {
    let few = |text: &str| {
        let words: Vec<&str> = text.split(' ').take(MAX_QUERY_WORDS).collect();
        words.join(" ")
    };
    let all = |index: &str, text: &str| format!("{index} all \"{}\"", few(text));
    let index = if search.newest_first() { "ta" } else { "txt" };
    let published = match (search.year_from, search.year_to) {
        (None, None) => None,
        (Some(first), None) => Some(format!("pd>={first}")),
        (first, Some(last)) => {
            // An unknown day is one before all others.
            let first = first.unwrap_or(1700);
            let last = last.saturating_add(PUBLICATION_YEARS);
            Some(format!("pd within \"{first} {last}\""))
        }
    };
    let (assignee, inventor) = (search.assignee.as_deref(), search.inventor.as_deref());
    let number = search.number();
    let office = search.office.filter(|_| number.is_none());
    let parts = [
        number.map(|number| format!("pn={}", own_number(&number))),
        search
            .title()
            .map(|title| format!("ti=\"{}\"", few(&title))),
        search.words().map(|words| all(index, &words)),
        assignee.map(|name| format!("pa=\"{}\"", few(name))),
        inventor.map(|name| all("in", name)),
        search.cpc_code.as_deref().map(|code| format!("cpc={code}")),
        office.map(|office| format!("pn={office}")),
        published,
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    let fields = [("q", Some(Value::from(parts.join(" AND "))))];
    let here = account.below("rest-services/published-data/search/biblio");
    ProviderRequest::get(&here, fields)
        .with("Authorization", &format!("Bearer {}", account.key(2)))
        .with("X-OPS-Range", &format!("1-{}", search.request_count()))
}

/// Returns a number as the office writes it: without the kind, and of an American application
/// without the zero after the year.
fn own_number(number: &PatentNumber) -> String {
    let PatentNumber { office, serial, .. } = number;
    match serial.split_at_checked(4) {
        Some((year, remainder)) if office == "US" && serial.len() == 11 => {
            format!(
                "{office}{year}{}",
                remainder.strip_prefix('0').unwrap_or(remainder)
            )
        }
        _ => format!("{office}{serial}"),
    }
}

fn read(reply: &HttpResponse) -> Result<Vec<Patent>, UnreadableReply> {
    let body = String::from_utf8_lossy(&reply.body);
    let mut xml = XmlReader::new(&body, None);
    let mut records: Vec<(String, Vec<RecordText>)> = Vec::new();
    let (mut part, mut part_at, mut form) = (String::new(), 0, String::new());
    let mut is_known = false;
    while let Some(event) = xml.next() {
        let XmlEvent::Open(tag) = event else {
            continue;
        };
        let attribute = |name: &str| tag.attribute(name).unwrap_or_default().into_owned();
        match tag.name() {
            "world-patent-data" => is_known = true,
            "exchange-document" if records.len() == MAX_RECORDS => break,
            "exchange-document" => {
                let number = ["country", "doc-number", "kind"].map(attribute);
                records.push((number.concat(), Vec::new()));
            }
            "applicant" | "inventor" => form = attribute("data-format"),
            element @ ("name" | "date" | "doc-number" | "invention-title" | "abstract") => {
                let text = RecordText {
                    part: part.clone(),
                    element: element.to_owned(),
                    form: Some(attribute("lang"))
                        .filter(|language| !language.is_empty())
                        .unwrap_or_else(|| form.clone()),
                    text: joined_words(&xml.text_within(MAX_TEXT_BYTES)),
                };
                if let Some((_, texts)) = records.last_mut()
                    && !text.text.is_empty()
                {
                    texts.push(text);
                }
            }
            element if xml.depth() <= part_at || PARTS.contains(&element) => {
                (part, part_at) = (element.to_owned(), xml.depth());
            }
            _ => {}
        }
    }
    if !is_known || xml.is_broken {
        return Err(UnreadableReply::Unknown);
    }
    Ok(records.into_iter().map(patent_of).collect())
}

fn patent_of((number, texts): (String, Vec<RecordText>)) -> Patent {
    let all = |part: &'static str, element: &'static str| {
        let texts = texts.iter();
        texts.filter(move |one| one.part == part && one.element == element)
    };
    let first = |part, element| all(part, element).next().map_or("", |one| &one.text);
    let names = |part| {
        let form = all(part, "name").next().map(|one| &one.form);
        let names = all(part, "name").filter(|one| Some(&one.form) == form);
        // The country follows a name, in brackets.
        let names = names.map(|one| one.text.split(" [").next().unwrap_or_default());
        patent::names(names.map(|name| name.trim_end_matches(',')))
    };
    let in_english = |element: &str| {
        let of_it = || texts.iter().filter(|one| one.element == element);
        let text = of_it().find(|one| one.form == "en").or(of_it().next());
        text.map_or_else(String::new, |one| one.text.clone())
    };
    Patent {
        title: in_english("invention-title"),
        summary: in_english("abstract"),
        assignee: names(PARTS[2]),
        inventor: names(PARTS[3]),
        filed: patent::day(first(PARTS[1], "date")),
        granted: patent::day(first(PARTS[0], "date")),
        application: first(PARTS[1], "doc-number").to_owned(),
        number,
        ..Patent::default()
    }
}

fn refusal(title: &str, reply: &HttpResponse) -> ProviderRefusal {
    let reason = reply
        .header("x-rejection-reason")
        .map(reply::on_one_short_line);
    let says = |words: &[&str]| reply::contains_any(reply, words);
    match (reply.status, reason) {
        (403 | 429, Some(reason)) => {
            let wait = reply
                .header("retry-after")
                .and_then(|wait| wait.parse().ok());
            let seconds = match wait {
                Some(wait) if wait >= MIN_MILLISECONDS => wait / 1000,
                wait => wait.unwrap_or(0),
            };
            let kind = ProviderFailureKind::RateLimited {
                seconds,
                is_quota: true,
            };
            let text = format!("The search quota of {title} is used up ({reason}).");
            ProviderRefusal::new(kind, text)
        }
        (404, _) if says(&["entitynotfound", "no results found"]) => {
            ProviderRefusal::nothing_found()
        }
        (400 | 401, _) if says(&["access_token", "access token"]) => {
            let text = format!("{title} search failed: its token is no longer accepted");
            ProviderRefusal::new(ProviderFailureKind::Upstream, text)
        }
        _ => reply::by_status(title, reply),
    }
}
