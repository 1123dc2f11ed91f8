//! Searches as a whole: whom they ask, what they keep, how they deal with lenses, doubles and
//! failures.

use std::time::Duration;

use crate::common::messages::TextRow;
use crate::providers::{
    SECRET, Variables, answering, failure, good, of, search_at, search_with, search_within,
    server_of, variables, words,
};
use crate::server::{Asked, Server, reply};
use iki_web::cache::CacheStore;
use iki_web::client::HttpClient;
use iki_web::provider::breaker::BreakerState;
use iki_web::provider::failure::ProviderFailureKind;
use iki_web::search::lenses::Lens;
use iki_web::search::provider_choice;
use iki_web::search::query::WebSearch;
use iki_web::search::search_answer::{SearchAnswer, SearchFailure};
use memory_store::MemoryStore;
use serde_json::json;

#[path = "../../crates/web/src/tests/memory_store.rs"]
mod memory_store;

/// The variables of these providers at these servers, and the list to try.
fn routing(list: &str, servers: &[(&str, &Server)]) -> Variables {
    let mut all = vec![("SEARCH_ROUTING".to_owned(), list.to_owned())];
    for (provider, server) in servers {
        all.extend(variables(provider, &server.url("/search")));
    }
    all
}

fn refusing() -> Server {
    answering("500 Oops", "application/json", "{}")
}

fn urls(answer: &SearchAnswer) -> Vec<&str> {
    let all = answer.results.iter();
    all.map(|one| one.url.trim_start_matches("https://"))
        .collect()
}

fn lens(domains: usize) -> Lens {
    Lens {
        name: "own".to_owned(),
        domains: (0..domains)
            .map(|n| format!("site-{n:02}.example"))
            .collect(),
        ..Lens::default()
    }
}

#[test]
fn the_first_that_answers_is_the_one_that_is_used() {
    let (bad, fine) = (refusing(), server_of("tavily"));
    let set = routing(
        "exa,brave,tavily,duckduckgo",
        &[("brave", &bad), ("tavily", &fine)],
    );
    let answer = search_with(&set, None, &words()).unwrap();
    assert_eq!(answer.provider.name, "tavily");
    let routed = answer.routed.unwrap();
    assert_eq!(routed.attempted, ["brave", "tavily"]);
    assert_eq!(
        routed.fallback_reason().as_deref(),
        Some("exa: not configured; brave: failed")
    );
    let direct = routing("tavily,brave", &[("tavily", &fine)]);
    let routed = search_with(&direct, None, &words())
        .unwrap()
        .routed
        .unwrap();
    assert_eq!(routed.fallback_reason(), None);
    assert_eq!(search_at(&fine, &of("tavily")).unwrap().routed, None);
}

#[test]
fn nothing_found_is_an_answer_and_no_reason_to_ask_another() {
    let empty = answering("200 OK", "application/json", good("brave").empty[0]);
    let other = server_of("tavily");
    let set = routing("brave,tavily", &[("brave", &empty), ("tavily", &other)]);
    let answer = search_with(&set, None, &words()).unwrap();
    assert!(answer.results.is_empty());
    assert!(other.asked().is_empty());
}

#[test]
fn where_all_fail_the_last_failure_is_told_and_the_others_named() {
    let bad = refusing();
    let limited = Server::bytes(reply("429 Slow\r\nRetry-After: 9", "{}"));
    let mut set = routing("brave,tavily", &[("brave", &bad), ("tavily", &limited)]);
    set.extend(variables("exa", "http://127.0.0.1:9/"));
    let error = search_with(&set, None, &words()).unwrap_err();
    let SearchFailure::Failed {
        failure,
        alternatives,
        ..
    } = error
    else {
        panic!("{error}")
    };
    assert_eq!(failure.retry_after(), Some(9));
    assert_eq!(alternatives, ["duckduckgo", "exa"]);
}

#[test]
fn one_that_keeps_failing_is_left_alone_between_calls() {
    let (bad, fine) = (refusing(), server_of("tavily"));
    let set = routing("brave,tavily", &[("brave", &bad), ("tavily", &fine)]);
    let store = MemoryStore::default();
    let search = |query: &str| {
        let search = WebSearch {
            query: query.to_owned(),
            ..words()
        };
        search_with(&set, Some(&store), &search).unwrap()
    };
    for query in ["a", "b", "c", "d", "e"] {
        assert_eq!(search(query).provider.name, "tavily");
    }
    assert_eq!(bad.asked().len(), 3);
    let routed = search("f").routed.unwrap();
    assert_eq!(routed.attempted, ["tavily"]);
    let why = routed.fallback_reason().unwrap();
    assert!(why.starts_with("brave: left alone for "), "{why}");
    // Its time is over: one try, which fails.
    store.grow_older(Duration::from_secs(36));
    search("g");
    search("h");
    assert_eq!(bad.asked().len(), 4);
}

#[test]
fn one_rate_limit_suffices_and_a_provider_that_is_named_is_asked_anyway() {
    let limited = Server::bytes(reply("429 Slow\r\nRetry-After: 9", "{}"));
    let store = MemoryStore::default();
    let mut set = routing("tavily", &[("tavily", &limited)]);
    for _ in 0..3 {
        let failure = failure(search_with(&set, Some(&store), &words()));
        assert!(
            matches!(failure.kind, ProviderFailureKind::RateLimited { .. }),
            "{failure}"
        );
        assert!(failure.retry_after().is_some_and(|seconds| seconds <= 36));
    }
    assert_eq!(limited.asked().len(), 1);
    let refused = failure(search_with(&set, Some(&store), &words()));
    refused
        .text
        .assert_row("web_search", "a provider that is left alone");
    set.remove(0);
    failure(search_with(&set, Some(&store), &of("tavily")));
    assert_eq!(limited.asked().len(), 2);
}

#[test]
fn a_silent_provider_does_not_use_up_the_time_of_the_next() {
    let silent = Server::start(|_, _| {
        std::thread::sleep(Duration::from_secs(30));
        Ok(())
    });
    let fine = server_of("tavily");
    let set = routing("brave,tavily", &[("brave", &silent), ("tavily", &fine)]);
    let answer = search_with(&set, None, &words()).unwrap();
    assert_eq!(answer.provider.name, "tavily");
}

#[test]
fn who_gets_no_time_is_not_to_blame() {
    let silent = Server::start(|_, _| {
        std::thread::sleep(Duration::from_secs(2));
        Ok(())
    });
    let fine = server_of("tavily");
    let set = routing("brave,tavily", &[("brave", &silent), ("tavily", &fine)]);
    let store = MemoryStore::default();
    for _ in 0..3 {
        let client = HttpClient::new().within(Duration::from_millis(1300));
        let error = search_within(client, &set, Some(&store), &words()).unwrap_err();
        let text = error.to_string();
        text.assert_row("web_search", "a provider for which no time is left");
    }
    assert!(fine.asked().is_empty());
    // Neither is the one that could not answer so soon: it is asked again.
    let routed = search_with(&set, Some(&store), &words()).unwrap().routed;
    assert_eq!(routed.unwrap().attempted, ["brave", "tavily"]);
}

#[test]
fn an_answer_is_kept_for_half_an_hour_and_holds_no_key() {
    let server = server_of("brave");
    let set = variables("brave", &server.url("/search"));
    let store = MemoryStore::default();
    let first = search_with(&set, Some(&store), &words()).unwrap();
    assert_eq!(first.age, None);
    store.grow_older(Duration::from_secs(29 * 60));
    let again = search_with(&set, Some(&store), &words()).unwrap();
    assert_eq!(again.results, first.results);
    assert_eq!(again.age, Some(Duration::from_secs(29 * 60)));
    assert_eq!(server.asked().len(), 1);
    let marked = WebSearch {
        claim: Some("x".to_owned()),
        ..words()
    };
    assert!(
        search_with(&set, Some(&store), &marked)
            .unwrap()
            .age
            .is_some()
    );
    store.grow_older(Duration::from_secs(61));
    assert_eq!(search_with(&set, Some(&store), &words()).unwrap().age, None);
    let other = WebSearch {
        count: 2,
        ..words()
    };
    assert_eq!(search_with(&set, Some(&store), &other).unwrap().age, None);
    assert!(!store.text().contains(SECRET), "{}", store.text());
}

#[test]
fn what_is_kept_of_one_that_is_left_alone_is_still_an_answer() {
    let (server, other) = (server_of("brave"), server_of("tavily"));
    let set = routing("brave,tavily", &[("brave", &server), ("tavily", &other)]);
    let store = MemoryStore::default();
    search_with(&set, Some(&store), &words()).unwrap();
    let limited = ProviderFailureKind::RateLimited {
        seconds: 1,
        is_quota: false,
    };
    let breakers =
        iki_web::provider::breaker::ProviderBreakers::new(Some(&store as &dyn CacheStore));
    let brave = provider_choice::find_provider("brave").unwrap();
    breakers.failed(brave, limited);
    assert!(matches!(breakers.state(brave), BreakerState::Open(_)));
    let answer = search_with(&set, Some(&store), &words()).unwrap();
    assert_eq!(
        (answer.provider.name, answer.age.is_some()),
        ("brave", true)
    );
}

#[test]
fn what_is_damaged_in_the_store_is_not_there() {
    struct Nonsense;
    impl CacheStore for Nonsense {
        fn get(
            &self,
            _: &iki_web::cache::CacheQuestion,
            _: Duration,
        ) -> Option<iki_web::cache::CacheEntry> {
            Some(iki_web::cache::CacheEntry {
                bytes: b"{\"results\":5".to_vec(),
                age: Duration::ZERO,
            })
        }
        fn put(&self, _: &iki_web::cache::CacheQuestion, _: &[u8], _: Duration) {}
        fn forget(&self, _: &iki_web::cache::CacheQuestion) {}
    }
    let server = server_of("brave");
    let set = routing("brave", &[("brave", &server)]);
    let answer = search_with(&set, Some(&Nonsense), &words()).unwrap();
    assert_eq!((answer.results.len(), answer.age), (3, None));
}

/// A Brave that has the results of each page that this says.
fn pages(page: impl Fn(usize) -> Vec<String> + Send + Sync + 'static) -> Server {
    Server::start(move |asked, conn| {
        let number = asked.param("offset").unwrap().parse().unwrap();
        let results: Vec<_> = page(number)
            .iter()
            .map(|url| json!({"title": url, "url": url, "description": "x"}))
            .collect();
        let body = json!({"web": {"results": results}}).to_string();
        conn.write_all(&reply("200 OK", body))
    })
}

#[test]
fn what_is_dropped_is_made_up_for() {
    let twice = pages(|page| {
        let url = |n: usize| {
            let each = page * 4 + n / 2;
            format!("https://a.example/{each}?utm_source={n}#x")
        };
        (0..8).map(url).collect()
    });
    let search = WebSearch {
        count: 3,
        ..of("brave")
    };
    let answer = search_at(&twice, &search).unwrap();
    assert_eq!(answer.results.len(), 3);
    assert_eq!(twice.asked().len(), 1, "the spare ones were enough");
    let search = WebSearch {
        count: 6,
        ..of("brave")
    };
    assert_eq!(search_at(&twice, &search).unwrap().results.len(), 6);
    assert_eq!(twice.asked().len(), 3, "a second page was needed");
    let few = pages(|_| vec!["https://a.example/".to_owned()]);
    assert_eq!(search_at(&few, &search).unwrap().results.len(), 1);
    assert_eq!(few.asked().len(), 1, "there is no second page");
}

#[test]
fn only_the_hosts_that_were_asked_for_come() {
    let server = server_of("tavily");
    let search = WebSearch {
        sites: vec!["example.com".to_owned()],
        ..of("tavily")
    };
    let answer = search_at(&server, &search).unwrap();
    assert_eq!(urls(&answer), ["example.com/1", "docs.example.com/2"]);
}

/// The hosts that a query asks for.
fn hosts_of(text: &str) -> Vec<String> {
    let words = text.split([' ', '(', ')']);
    words
        .filter_map(|word| word.strip_prefix("site:"))
        .map(str::to_owned)
        .collect()
}

#[test]
fn a_lens_searches_all_of_its_domains_and_shares_the_places() {
    for (provider, requests) in [
        ("brave", 2),
        ("duckduckgo", 2),
        ("searxng", 2),
        ("google", 2),
    ] {
        let server = Server::start(move |asked: &Asked, conn| {
            let hosts = hosts_of(&asked.param("q").unwrap());
            let rows: Vec<_> = hosts
                .iter()
                .map(|host| format!("https://{host}/1"))
                .map(|url| json!({"title": "x", "url": url, "link": url}))
                .collect();
            let links: Vec<String> = hosts
                .iter()
                .map(|host| format!("<a class=result__a href=https://{host}/1>x</a>"))
                .collect();
            let body = if provider == "duckduckgo" {
                links.concat()
            } else {
                json!({"web": {"results": rows}, "items": rows, "results": rows}).to_string()
            };
            conn.write_all(&reply("200 OK", body))
        });
        let search = WebSearch {
            lens: Some(lens(24)),
            count: 6,
            ..of(provider)
        };
        let answer = search_at(&server, &search).unwrap();
        let asked = server.asked();
        let mut all: Vec<String> = asked
            .iter()
            .flat_map(|asked| hosts_of(&asked.param("q").unwrap()))
            .collect();
        all.sort();
        assert_eq!(all, lens(24).domains, "{provider}");
        assert_eq!(asked.len(), requests, "{provider}");
        assert_eq!(answer.results.len(), 6);
        let number = |url: &str| url[5..7].parse::<usize>().unwrap();
        let parts: std::collections::HashSet<usize> = urls(&answer)
            .into_iter()
            .map(|url| number(url) / 24usize.div_ceil(requests))
            .collect();
        assert_eq!(parts.len(), requests, "{provider}: {:?}", urls(&answer));
        for one in &asked {
            let text = one.param("q").unwrap();
            assert!(text.starts_with("two words (site:site-"), "{text}");
            assert!(text.chars().count() <= 490);
        }
    }
    let server = server_of("exa");
    let search = WebSearch {
        lens: Some(lens(24)),
        ..of("exa")
    };
    search_at(&server, &search).unwrap();
    let body: serde_json::Value = serde_json::from_slice(&server.asked()[0].body).unwrap();
    assert_eq!(body["includeDomains"], json!(lens(24).domains));
}

#[test]
fn a_part_of_a_lens_that_fails_is_named_beside_the_results_of_the_others() {
    let server = Server::start(|asked: &Asked, conn| {
        let text = asked.param("q").unwrap();
        if text.contains("site-00.example") {
            return conn.write_all(&reply("500 Oops", "{}"));
        }
        let rows = json!([{"title": "x", "url": "https://site-23.example/1"}]);
        conn.write_all(&reply("200 OK", json!({"results": rows}).to_string()))
    });
    let search = WebSearch {
        lens: Some(lens(24)),
        ..of("searxng")
    };
    let store = MemoryStore::default();
    let set = variables("searxng", &server.url("/"));
    for _ in 0..2 {
        let answer = search_with(&set, Some(&store), &search).unwrap();
        assert_eq!(urls(&answer), ["site-23.example/1"]);
        let [(hosts, failure)] = &answer.unsearched[..] else {
            panic!("{:?}", answer.unsearched)
        };
        assert_eq!(hosts[..], lens(24).domains[..12]);
        assert_eq!(failure.kind, ProviderFailureKind::Upstream);
        assert_eq!(answer.age, None, "half an answer is not kept");
    }
}

#[test]
fn a_lens_with_an_engine_is_searched_by_that_engine() {
    let server = server_of("google");
    let lens = Lens {
        cx: Some("of the lens".to_owned()),
        ..lens(24)
    };
    let search = WebSearch {
        lens: Some(lens.clone()),
        ..words()
    };
    let set = variables("google", &server.url("/search"));
    let answer = search_with(&set, None, &search).unwrap();
    assert_eq!(answer.results.len(), 3);
    let asked = server.asked();
    assert_eq!(asked.len(), 1);
    assert_eq!(asked[0].param("cx").as_deref(), Some("of the lens"));
    assert_eq!(asked[0].param("q").as_deref(), Some("two words"));
    let only = Lens {
        domains: Vec::new(),
        ..lens
    };
    let brave = server_of("brave");
    let search = WebSearch {
        lens: Some(only),
        ..of("brave")
    };
    let failure = failure(search_at(&brave, &search));
    assert_eq!(failure.kind, ProviderFailureKind::Config);
    failure
        .text
        .assert_row("web_search", "a lens without a domain that is searched");
    assert!(brave.asked().is_empty());
}
