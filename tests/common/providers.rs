//! Providers of search in the forms that they have: answers and refusals as they were recorded or
//! are documented, and searches of them.

// Every test file includes this module and uses its own part of it.
#![allow(dead_code)]

use iki_web::cache::CacheStore;
use iki_web::client::HttpClient;
use iki_web::client::proxy::ProxySettings;
use iki_web::credentials::Credentials;
use iki_web::provider::failure::ProviderFailure;
use iki_web::search::context::SearchContext;
use iki_web::search::query::WebSearch;
use iki_web::search::search_answer::{SearchAnswer, SearchFailure};
use iki_web::search::searcher;

use super::common::home::Home;
use super::server::{Server, reply};

/// A key that needs encoding in a query.
pub const SECRET: &str = "s3cret+key/=";

/// Variables of an environment.
pub type Variables = Vec<(String, String)>;

/// What it takes to ask `provider` at an address.
pub fn variables(provider: &str, address: &str) -> Variables {
    let upper = provider.to_uppercase();
    let mut all = vec![(format!("IKIGAI_{upper}_URL"), address.to_owned())];
    match provider {
        "google" => {
            all.push(("GOOGLE_SEARCH_API_KEY".to_owned(), SECRET.to_owned()));
            all.push(("GOOGLE_SEARCH_ENGINE_ID".to_owned(), "engine".to_owned()));
        }
        "searxng" => {
            all.push(("SEARXNG_BASIC_AUTH".to_owned(), format!("user:{SECRET}")));
            all.push(("SEARXNG_HEADERS".to_owned(), format!("X-Own: {SECRET}")));
        }
        "epo" => {
            all.push(("EPO_CONSUMER_KEY".to_owned(), "c0nsumer-s3cret".to_owned()));
            all.push(("EPO_CONSUMER_SECRET".to_owned(), SECRET.to_owned()));
        }
        "lens" => all.push(("LENS_API_TOKEN".to_owned(), SECRET.to_owned())),
        "duckduckgo" => {}
        _ => all.push((format!("{upper}_API_KEY"), SECRET.to_owned())),
    }
    all
}

impl Home {
    /// The same with `provider` at this address.
    pub fn at(self, provider: &str, address: &str) -> Self {
        self.set(&format!("IKIGAI_{}_URL", provider.to_uppercase()), address)
    }

    /// The same with `provider` configured, at `server`.
    pub fn and(self, provider: &str, server: &Server) -> Self {
        let all = variables(provider, &server.url("/search")).into_iter();
        all.fold(self, |home, (name, value)| home.set(&name, &value))
    }
}

/// A search for two words.
pub fn words() -> WebSearch {
    WebSearch {
        query: "two words".to_owned(),
        count: 3,
        ..WebSearch::default()
    }
}

/// A search of `provider`.
pub fn of(provider: &str) -> WebSearch {
    WebSearch {
        provider: Some(provider.to_owned()),
        ..words()
    }
}

/// Searches with these variables, and shows no key whatever comes of it.
pub fn search_with(
    variables: &[(String, String)],
    store: Option<&dyn CacheStore>,
    search: &WebSearch,
) -> Result<SearchAnswer, SearchFailure> {
    search_within(HttpClient::new(), variables, store, search)
}

/// The same within the time of a client.
pub fn search_within(
    client: HttpClient,
    variables: &[(String, String)],
    store: Option<&dyn CacheStore>,
    search: &WebSearch,
) -> Result<SearchAnswer, SearchFailure> {
    let var = |name: &str| {
        let mut all = variables.iter();
        all.find(|(set, _)| set == name)
            .map(|(_, value)| value.clone())
    };
    let credentials = Credentials::from_vars(&var, None);
    let client = client.proxies(ProxySettings::default());
    let context = SearchContext {
        client: &client,
        credentials: &credentials,
        store,
        keeps_answers: true,
    };
    let found = searcher::search(&context, search);
    let text = match &found {
        Ok(answer) => format!("{answer:?}"),
        Err(error) => format!("{error:?} {error}"),
    };
    assert!(!text.to_lowercase().contains("s3cret"), "{text}");
    found
}

/// Searches with a provider at a server.
pub fn search_at(server: &Server, search: &WebSearch) -> Result<SearchAnswer, SearchFailure> {
    let provider = search.provider.clone().unwrap();
    search_with(&variables(&provider, &server.url("/search")), None, search)
}

/// What a search failed with.
#[track_caller]
pub fn failure(found: Result<SearchAnswer, SearchFailure>) -> ProviderFailure {
    match found {
        Err(SearchFailure::Failed { failure, .. }) => *failure,
        other => panic!("no failure of a provider: {other:?}"),
    }
}

/// A server that gives this.
pub fn answering(status: &str, kind: &str, body: &str) -> Server {
    Server::bytes(reply(&format!("{status}\r\nContent-Type: {kind}"), body))
}

/// A provider's answer with three results, of which the first is shown as `first`.
pub struct Good {
    pub provider: &'static str,
    pub body: &'static str,
    pub first: [&'static str; 3],
    pub published: Option<&'static str>,
    pub extra: &'static [&'static str],
    pub empty: &'static [&'static str],
}

const FIRST: [&str; 3] = ["The first & best", "https://example.com/1", "about it"];

/// The answers of all.
pub const GOOD: [Good; 8] = [
    Good {
        provider: "brave",
        body: r#"{"query":{"original":"two words"},"type":"search","mixed":{"type":"mixed"},
            "web":{"type":"search","family_friendly":true,"results":[
            {"title":"The <strong>first</strong> &amp; best","url":"https://example.com/1",
             "is_source_local":false,"description":"about <strong>it</strong>","age":"May 1, 2024",
             "page_age":"2024-05-01T10:20:30","extra_snippets":["more <strong>of</strong> it"]},
            {"title":"Second","url":"https://docs.example.com/2"},
            {"title":"Third","url":"https://example.org/3","description":"x"}]}}"#,
        first: FIRST,
        published: Some("2024-05-01T10:20:30"),
        extra: &["more of it"],
        empty: &[
            r#"{"type":"search","query":{"original":"x"}}"#,
            r#"{"web":{"results":[]}}"#,
        ],
    },
    Good {
        provider: "google",
        body: r#"{"kind":"customsearch#search","items":[
            {"kind":"customsearch#result","title":"The first & best","htmlTitle":"The <b>first</b>",
             "link":"https://example.com/1","displayLink":"example.com","snippet":"about\n it",
             "pagemap":{"metatags":[{"article:published_time":"2024-05-01T10:20:30Z"}]}},
            {"title":"Second","link":"https://docs.example.com/2"},
            {"title":"Third","link":"https://example.org/3","snippet":"x"}]}"#,
        first: FIRST,
        published: Some("2024-05-01T10:20:30Z"),
        extra: &[],
        empty: &[
            r#"{"kind":"customsearch#search","searchInformation":{"totalResults":"0"}}"#,
            r#"{"items":[]}"#,
        ],
    },
    Good {
        provider: "searxng",
        body: r#"{"query":"two words","number_of_results":0,"results":[
            {"url":"https://example.com/1","title":"The first &amp; best","content":"about it",
             "publishedDate":"2024-05-01T10:20:30","engine":"brave","engines":["brave"],"score":1.0,
             "category":"general"},
            {"url":"https://docs.example.com/2","title":"Second","content":"","publishedDate":null},
            {"url":"https://example.org/3","title":"Third","content":"x"}],
            "answers":[],"corrections":[],"infoboxes":[],"suggestions":[],
            "unresponsive_engines":[["google","timeout"]]}"#,
        first: FIRST,
        published: Some("2024-05-01T10:20:30"),
        extra: &[],
        empty: &[
            r#"{"query":"x","number_of_results":0,"results":[],"answers":[],"unresponsive_engines":[]}"#,
        ],
    },
    Good {
        provider: "duckduckgo",
        body: r#"<!DOCTYPE html><html><head><title>two words at DuckDuckGo</title></head><body>
            <form id="search_form" class="header__form" action="/html/" method="post"></form>
            <div class="serp__results"><div id="links" class="results">
            <div class="result results_links results_links_deep result--ad">
             <div class="links_main links_deep result__body"><h2 class="result__title">
              <a rel="nofollow" class="result__a" href="https://duckduckgo.com/y.js?ad_domain=shop.example&amp;ad_provider=bingv7aa">Buy <b>words</b></a></h2>
              <a class="result__snippet" href="https://duckduckgo.com/y.js?ad_domain=shop.example">cheap</a></div></div>
            <div class="result results_links results_links_deep web-result ">
             <div class="links_main links_deep result__body"><h2 class="result__title">
              <a rel="nofollow" class="result__a" href="//duckduckgo.com/l/?uddg=https%3A%2F%2Fexample.com%2F1&amp;rut=0a1b">The <b>first</b> &amp; best</a></h2>
             <div class="result__extras"><div class="result__extras__url">
              <a class="result__url" href="//duckduckgo.com/l/?uddg=https%3A%2F%2Fexample.com%2F1">example.com/1</a>
              <span>&nbsp; &nbsp; 2024-05-01T00:00:00.0000000</span></div></div>
             <a class="result__snippet" href="//duckduckgo.com/l/?uddg=https%3A%2F%2Fexample.com%2F1">about
              <b>it</b></a></div></div>
            <div class="result results_links results_links_deep web-result ">
              <h2 class="result__title"><a class="result__a" href="https://docs.example.com/2">Second</a></h2></div>
            <div class="result results_links"><a class="result__a" href="//duckduckgo.com/l/?uddg=https%3A%2F%2Fduckduckgo.com%2Fy.js%3Fad_domain%3Dx">Sponsored</a>
              <a class="result__snippet" href="x">of nobody</a></div>
            <div class="result results_links results_links_deep web-result ">
              <a class="result__a" href="//duckduckgo.com/l/?uddg=https%3A%2F%2Fexample.org%2F3">Third</a>
              <a class="result__snippet" href="x">x</a></div>
            </div></div></body></html>"#,
        first: FIRST,
        published: Some("2024-05-01T00:00:00.0000000"),
        extra: &[],
        empty: &[
            r#"<html><body><div class="serp__results"><div id="links" class="results">
            <div class="result results_links results_links_deep result--no-result ">
            <div class="links_main links_deep"><div class="no-results">No results.</div></div></div>
            </div></div></body></html>"#,
        ],
    },
    Good {
        provider: "serper",
        body: r#"{"searchParameters":{"q":"two words","type":"search","engine":"google"},
            "organic":[{"title":"The first & best","link":"https://example.com/1",
             "snippet":"about it","date":"May 1, 2024","position":1},
            {"title":"Second","link":"https://docs.example.com/2","date":"3 days ago","position":2},
            {"title":"Third","link":"https://example.org/3","snippet":"x","position":3}],"credits":1}"#,
        first: FIRST,
        published: Some("2024-05-01"),
        extra: &[],
        empty: &[r#"{"searchParameters":{"q":"x"},"organic":[],"credits":1}"#],
    },
    Good {
        provider: "tavily",
        body: r#"{"query":"two words","follow_up_questions":null,"answer":null,"images":[],
            "results":[{"title":"The first & best","url":"https://example.com/1",
             "content":"about it","score":0.98,"raw_content":null,
             "published_date":"2024-05-01"},
            {"title":"Second","url":"https://docs.example.com/2","content":"","score":0.5},
            {"title":"Third","url":"https://example.org/3","content":"x","score":0.4}],
            "response_time":1.09,"request_id":"123"}"#,
        first: FIRST,
        published: Some("2024-05-01"),
        extra: &[],
        empty: &[r#"{"query":"x","results":[],"response_time":0.5}"#],
    },
    Good {
        provider: "exa",
        body: r#"{"requestId":"b5947044c4b78efa9552a7c89b306d95","resolvedSearchType":"neural",
            "results":[{"id":"https://example.com/1","title":"The first & best",
             "url":"https://example.com/1","publishedDate":"2024-05-01T00:00:00.000Z",
             "author":"A. Uthor","highlights":["about it","more of it"],
             "highlightScores":[0.46,0.3]},
            {"id":"2","title":"Second","url":"https://docs.example.com/2","highlights":[]},
            {"id":"3","title":"Third","url":"https://example.org/3","text":"x"}],
            "costDollars":{"total":0.005}}"#,
        first: FIRST,
        published: Some("2024-05-01T00:00:00.000Z"),
        extra: &["more of it"],
        empty: &[r#"{"requestId":"1","results":[],"costDollars":{"total":0.005}}"#],
    },
    Good {
        provider: "searchapi",
        body: r#"{"search_metadata":{"id":"search_1","status":"Success"},
            "search_parameters":{"engine":"google","q":"two words"},
            "organic_results":[{"position":1,"title":"The first & best",
             "link":"https://example.com/1","source":"Example","domain":"example.com",
             "displayed_link":"https://example.com","snippet":"about it","date":"May 1, 2024"},
            {"position":2,"title":"Second","link":"https://docs.example.com/2"},
            {"position":3,"title":"Third","link":"https://example.org/3","snippet":"x"}]}"#,
        first: FIRST,
        published: Some("2024-05-01"),
        extra: &[],
        empty: &[
            r#"{"search_metadata":{"status":"Success"},"error":"Google didn't return any results."}"#,
            r#"{"search_metadata":{"status":"Success"},"search_information":{"total_results":0}}"#,
        ],
    },
];

/// The answer of `provider` with three results.
pub fn good(provider: &str) -> &'static Good {
    GOOD.iter().find(|good| good.provider == provider).unwrap()
}

/// What a good answer comes as.
pub fn kind(provider: &str) -> &'static str {
    match provider {
        "duckduckgo" => "text/html; charset=UTF-8",
        _ => "application/json",
    }
}

/// A server that answers as `provider` does.
pub fn server_of(provider: &str) -> Server {
    answering("200 OK", kind(provider), good(provider).body)
}
