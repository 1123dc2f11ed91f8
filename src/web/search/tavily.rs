//! Tavily: its request, its reply, its errors.
//!
//! Facts: Tavily documentation, "Tavily Search" and "Understanding HTTP errors".

use super::provider::{
    Account, Endpoint, Limits, Misread, Provider, Refusal, Request, Sites, Slot,
};
use super::query::{Ask, Safe};
use super::reply::{self, string};
use super::terms::{self, Words};
use super::{SearchResult, dates, results};
use crate::web::client::Response;
use crate::web::credentials::CredentialName;

const NAME: &str = "Tavily";

/// The provider.
pub static PROVIDER: Provider = Provider {
    name: "tavily",
    title: NAME,
    slots: &[Slot {
        names: &[CredentialName {
            variable: "TAVILY_API_KEY",
            path: &["web_search", "tavily", "api_key"],
        }],
        required: true,
    }],
    endpoint: Endpoint::Known {
        variable: "IKIGAI_TAVILY_URL",
        address: "https://api.tavily.com/search",
    },
    setup: "Tavily has a key at https://app.tavily.com/.",
    limits: Limits {
        characters: 400,
        sites: Sites::Parameter(300),
        results: 20,
        pages: false,
        ..Limits::PLAIN
    },
    words: Words {
        exact: true,
        excluded: true,
        sites: false,
    },
    accept: "application/json",
    request,
    read,
    refusal,
};

/// What it calls countries.
const COUNTRIES: &[(&str, &str)] = &[
    ("AR", "argentina"),
    ("AT", "austria"),
    ("AU", "australia"),
    ("BE", "belgium"),
    ("BG", "bulgaria"),
    ("BR", "brazil"),
    ("CA", "canada"),
    ("CH", "switzerland"),
    ("CL", "chile"),
    ("CN", "china"),
    ("CO", "colombia"),
    ("CZ", "czech republic"),
    ("DE", "germany"),
    ("DK", "denmark"),
    ("EE", "estonia"),
    ("EG", "egypt"),
    ("ES", "spain"),
    ("FI", "finland"),
    ("FR", "france"),
    ("GB", "united kingdom"),
    ("GR", "greece"),
    ("HR", "croatia"),
    ("HU", "hungary"),
    ("ID", "indonesia"),
    ("IE", "ireland"),
    ("IL", "israel"),
    ("IN", "india"),
    ("IS", "iceland"),
    ("IT", "italy"),
    ("JP", "japan"),
    ("KE", "kenya"),
    ("KR", "south korea"),
    ("LT", "lithuania"),
    ("LU", "luxembourg"),
    ("LV", "latvia"),
    ("MX", "mexico"),
    ("MY", "malaysia"),
    ("NG", "nigeria"),
    ("NL", "netherlands"),
    ("NO", "norway"),
    ("NZ", "new zealand"),
    ("PE", "peru"),
    ("PH", "philippines"),
    ("PK", "pakistan"),
    ("PL", "poland"),
    ("PT", "portugal"),
    ("RO", "romania"),
    ("RS", "serbia"),
    ("RU", "russia"),
    ("SA", "saudi arabia"),
    ("SE", "sweden"),
    ("SG", "singapore"),
    ("SI", "slovenia"),
    ("SK", "slovakia"),
    ("TH", "thailand"),
    ("TR", "turkey"),
    ("TW", "taiwan"),
    ("UA", "ukraine"),
    ("US", "united states"),
    ("VN", "vietnam"),
    ("ZA", "south africa"),
];

fn request(ask: &Ask<'_>, account: &Account) -> Request {
    let search = ask.search;
    let wanted = search.country.as_deref();
    let country = COUNTRIES.iter().find(|(code, _)| Some(*code) == wanted);
    let range = search.time_range;
    let fields = [
        ("query", Some(terms::written(ask, PROVIDER.words).into())),
        ("max_results", Some(ask.count.into())),
        ("search_depth", Some("basic".into())),
        ("topic", Some("general".into())),
        ("exact_match", terms::phrase(ask).map(|_| true.into())),
        ("time_range", range.map(|range| range.name().into())),
        (
            "include_domains",
            (!ask.sites.is_empty()).then(|| ask.sites.into()),
        ),
        ("country", country.map(|(_, name)| (*name).into())),
    ];
    Request::post(account, fields)
        .with("Authorization", &format!("Bearer {}", account.key(0)))
        .without("country", wanted.is_some() && country.is_none())
        .without("language", search.language.is_some())
        .without("safe", search.safe == Some(Safe::High))
}

fn read(reply: &Response) -> Result<Vec<SearchResult>, Misread> {
    let body = reply::object(reply)?;
    Ok(reply::results(body.get("results"), |item| SearchResult {
        title: results::unmarked(string(item, "title")),
        url: string(item, "url").to_owned(),
        snippet: results::unmarked(string(item, "content")),
        published_at: dates::iso(string(item, "published_date")),
        ..SearchResult::default()
    }))
}

fn refusal(reply: &Response) -> Refusal {
    // The plan's limit, and that of what is paid as it is used.
    if matches!(reply.status, 432 | 433) {
        return Refusal::new(reply::QUOTA, reply::quota(NAME, reply));
    }
    reply::by_status(NAME, reply)
}
