//! Whatever a provider answers, over a connection of its own: no more results than were asked for,
//! each of them plain text and of the web, each once, and nowhere a key; a failure is a sentence.

use std::collections::HashSet;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::{Mutex, OnceLock};
use std::thread;
use std::time::Duration;

use iki_web::client::HttpClient;
use iki_web::client::proxy::ProxySettings;
use iki_web::credentials::Credentials;
use iki_web::search::query::WebSearch;
use iki_web::search::context::SearchContext;
use iki_web::search::searcher;
use url::Url;

use crate::take::Take;

/// A key that needs encoding in an address.
const KEY: &str = "s3cret+key/=";

const NAMES: [&str; 8] = [
    "brave",
    "google",
    "searxng",
    "duckduckgo",
    "serper",
    "tavily",
    "exa",
    "searchapi",
];

const STATUSES: [&str; 12] = [
    "200 OK",
    "200 OK",
    "200 OK",
    "200 OK",
    "202 Accepted",
    "400 Bad Request",
    "401 Unauthorized",
    "402 Payment Required",
    "403 Forbidden",
    "404 Not Found",
    "422 Unprocessable",
    "500 Internal Server Error",
];

/// What the server answers next, and its port.
static ANSWER: Mutex<Vec<u8>> = Mutex::new(Vec::new());
static PORT: OnceLock<u16> = OnceLock::new();

fn port() -> u16 {
    *PORT.get_or_init(|| {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        thread::spawn(move || {
            for stream in listener.incoming() {
                let Ok(mut stream) = stream else { continue };
                let (mut head, mut piece) = (Vec::new(), [0; 8192]);
                let mut wanted = None;
                while wanted.is_none_or(|wanted| head.len() < wanted) {
                    let Ok(count @ 1..) = stream.read(&mut piece) else {
                        break;
                    };
                    head.extend_from_slice(&piece[..count]);
                    let text = String::from_utf8_lossy(&head).to_lowercase();
                    wanted = text.find("\r\n\r\n").map(|end| {
                        let length = text.split("content-length: ").nth(1);
                        let digits = length.and_then(|rest| rest.split("\r\n").next());
                        end + 4 + digits.and_then(|digits| digits.parse().ok()).unwrap_or(0)
                    });
                }
                let _ = stream.write_all(&ANSWER.lock().unwrap());
            }
        });
        port
    })
}

pub fn check(data: &[u8]) {
    let mut take = Take(data);
    let name = take.of(&NAMES);
    let status = take.of(&STATUSES);
    let count = 1 + take.below(10);
    let kind = take.of(&[
        "application/json",
        "text/html",
        "text/plain",
        "application/octet-stream",
    ]);
    let mut answer =
        format!("HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nConnection: close\r\n").into_bytes();
    let more = take.bytes(80);
    // Nobody is to be asked again later: that would take its time.
    let lower = more.to_ascii_lowercase();
    if !lower
        .windows(5)
        .any(|window| window == b"retry" || window == b"locat")
        && more.ends_with(b"\n")
    {
        answer.extend_from_slice(more);
    }
    let body = take.rest();
    // A key stands where the input has this.
    let body = String::from_utf8_lossy(body)
        .replace("KEY", KEY)
        .into_bytes();
    answer.extend_from_slice(format!("Content-Length: {}\r\n\r\n", body.len()).as_bytes());
    answer.extend_from_slice(&body);
    *ANSWER.lock().unwrap() = answer;

    let address = format!("http://127.0.0.1:{}/search", port());
    let upper = name.to_uppercase();
    let variables = |variable: &str| -> Option<String> {
        Some(match variable {
            _ if variable == format!("IKIGAI_{upper}_URL") => address.clone(),
            "GOOGLE_SEARCH_ENGINE_ID" => "engine".to_owned(),
            "SEARXNG_BASIC_AUTH" => format!("user:{KEY}"),
            "GOOGLE_SEARCH_API_KEY" => KEY.to_owned(),
            _ if variable == format!("{upper}_API_KEY") => KEY.to_owned(),
            _ => return None,
        })
    };
    let credentials = Credentials::from_vars(&variables, None);
    let client = HttpClient::new()
        .within(Duration::from_secs(4))
        .proxies(ProxySettings::default());
    let context = SearchContext {
        client: &client,
        credentials: &credentials,
        store: None,
        keeps_answers: false,
    };
    let search = WebSearch {
        query: "two words".to_owned(),
        count,
        provider: Some(name.to_owned()),
        ..WebSearch::default()
    };
    let found = searcher::search(&context, &search);
    let said = match &found {
        Ok(answer) => format!("{answer:?}"),
        Err(failure) => {
            let said = failure.to_string();
            assert!(!said.is_empty() && said.chars().count() < 2000, "{said}");
            assert!(
                !said.contains(|c: char| c.is_control() && c != '\n'),
                "{said:?}"
            );
            format!("{failure:?} {said}")
        }
    };
    // Who needs no key was sent none.
    let plain = percent_decoded(&said.to_lowercase());
    assert!(
        name == "duckduckgo" || !plain.contains(KEY),
        "{name}: {said}"
    );
    let Ok(answer) = found else { return };
    assert!(
        answer.results.len() <= count,
        "{name}: {} of {count}",
        answer.results.len()
    );
    let mut addresses = HashSet::new();
    for result in &answer.results {
        let url =
            Url::parse(&result.url).unwrap_or_else(|error| panic!("{error}: {:?}", result.url));
        assert!(
            matches!(url.scheme(), "http" | "https")
                && url.host_str().is_some_and(|host| !host.is_empty())
        );
        assert!(
            url.username().is_empty() && url.password().is_none(),
            "{:?}",
            result.url
        );
        assert!(addresses.insert(result.url.clone()), "{} twice", result.url);
        let texts = [&result.title, &result.snippet, &result.url];
        for text in texts
            .into_iter()
            .chain(&result.extra_snippets)
            .chain(&result.published_at)
        {
            assert!(text.chars().count() <= 4096, "{text}");
            assert!(!text.contains(unseen), "{name}: {text:?}");
            assert!(!text.starts_with(' ') && !text.ends_with(' '), "{text:?}");
        }
    }
}

/// A text with what is encoded for addresses decoded.
fn percent_decoded(text: &str) -> String {
    let mut out = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((&first, behind)) = rest.split_first() {
        let digits = (first == b'%').then(|| behind.get(..2)).flatten();
        let digits = digits.and_then(|digits| str::from_utf8(digits).ok());
        match digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) => {
                out.push(byte);
                rest = &behind[2..];
            }
            None => {
                out.push(first);
                rest = behind;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// What steers a terminal, or turns the direction of writing.
fn unseen(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200b}' | '\u{feff}')
}
