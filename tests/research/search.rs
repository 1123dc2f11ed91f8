//! The tool `web_search`, called as a host and as a person call it, against servers of the test's
//! own. What each provider is asked and answers is tested with the providers.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::{Duration, Instant, SystemTime};

use super::{each_field_is_asked_anew, refuses_what_makes_no_sense};
use crate::common::home::Home;
use crate::common::messages::TextRow;
use crate::common::{Call, directory, is_root, skip, text};
use crate::providers::{SECRET, answering, good, kind, server_of};
use crate::server::{Asked, Server, reply};
use serde_json::{Value, json};

/// A home from which the web is searched.
fn at_home() -> Home {
    Home::of("web-search-tool")
}

/// A provider like Brave with these addresses as results.
fn brave_with(urls: &[&str]) -> Server {
    let rows: Vec<Value> = urls
        .iter()
        .map(|url| json!({"title": "T", "url": url, "description": "About it. Of 42 tests, all pass."}))
        .collect();
    let body = json!({"web": {"results": rows}}).to_string();
    answering("200 OK", "application/json", &body)
}

fn names(object: &Value) -> Vec<&str> {
    object
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect()
}

#[test]
fn an_answer_is_the_specification_s_object_as_it_stands() {
    let server = server_of("brave");
    let home = at_home().and("brave", &server);
    let answer = home.ask(&json!({"query": "  two words "}));
    assert_eq!(answer.code(), 0);
    let expected = json!({
        "urls": ["https://example.com/1", "https://docs.example.com/2", "https://example.org/3"],
        "query": "two words",
        "resultCount": 3,
        "results": [
            {"title": "The first & best", "url": "https://example.com/1", "snippet": "about it",
             "displayLink": "example.com", "publishedAt": "2024-05-01T10:20:30",
             "extraSnippets": ["more of it"]},
            {"title": "Second", "url": "https://docs.example.com/2", "snippet": "",
             "displayLink": "docs.example.com"},
            {"title": "Third", "url": "https://example.org/3", "snippet": "x",
             "displayLink": "example.org"},
        ],
        "trust": "untrusted-external-content",
    });
    assert_eq!(
        String::from_utf8(answer.stdout).unwrap(),
        expected.to_string()
    );
    let asked = server.asked();
    assert_eq!(asked[0].param("q").as_deref(), Some("two words"));
    assert_eq!(asked[0].param("safesearch").as_deref(), Some("moderate"));
}

#[test]
fn every_provider_answers_in_the_same_form() {
    for provider in [
        "brave",
        "duckduckgo",
        "exa",
        "google",
        "searchapi",
        "searxng",
        "serper",
        "tavily",
    ] {
        let server = server_of(provider);
        let home = at_home().and(provider, &server);
        let found = home.finds(&json!({"query": "two words", "provider": provider}));
        assert_eq!(found["resultCount"], 3, "{provider}");
        assert_eq!(found["urls"][0], "https://example.com/1", "{provider}");
        assert_eq!(found["results"][0]["snippet"], "about it", "{provider}");
    }
}

#[test]
fn what_nobody_sees_of_a_result_is_taken_out_and_said() {
    let found = json!({"web": {"results": [{
        "title": "A\u{202e}B", "url": "https://a.example/",
        "description": "می\u{200c}خوانم \u{e0049}\u{e0067}", "extra_snippets": ["x\u{2066}y"],
    }]}});
    let server = Server::bytes(reply(
        "200 OK\r\nContent-Type: application/json",
        found.to_string(),
    ));
    let home = at_home().and("brave", &server);
    // Fresh, and as it is kept.
    for _ in 0..2 {
        let answer = home.finds(&json!({"query": "word"}));
        let result = &answer["results"][0];
        assert_eq!(result["title"], "AB");
        assert_eq!(result["snippet"], "می\u{200c}خوانم");
        assert_eq!(result["extraSnippets"], json!(["xy"]));
        assert_eq!(
            answer["note"],
            "4 unseen characters (bidirectional overrides, tag characters) were taken out of the \
             results."
        );
    }
    assert_eq!(server.asked().len(), 1);
}

#[test]
fn a_claim_marks_every_result_and_what_is_known_of_a_host_is_said() {
    let server = brave_with(&[
        "https://en.wikipedia.org/wiki/X",
        "https://nobody.example/?nature.com",
    ]);
    let home = at_home().and("brave", &server);
    let found = home.finds(&json!({"query": "x", "claim": "There are 42 tests"}));
    let rows = found["results"].as_array().unwrap();
    for row in rows {
        assert_eq!(row["claimSignal"], "Of 42 tests, all pass.");
    }
    assert_eq!(rows[0]["sourceReputation"]["tier"], "mixed");
    assert!(rows[0]["sourceReputation"]["basis"].is_string());
    assert_eq!(rows[1].get("sourceReputation"), None);
    let found = home.finds(&json!({"query": "x", "claim": "unrelated zebras"}));
    assert_eq!(found["results"][1]["claimSignal"], "");
    let found = home.finds(&json!({"query": "x", "claim": ""}));
    assert_eq!(found["results"][0].get("claimSignal"), None);
    assert_eq!(server.asked().len(), 1, "a claim is no other search");
}

#[test]
fn fields_that_models_send_empty_are_not_given_and_what_is_meant_is_taken() {
    let server = server_of("brave");
    let home = at_home().and("brave", &server);
    home.finds(&json!({"query": "two words"}));
    let empty = json!({"query": "two words", "num_results": 0, "time_range": "", "safe": null,
        "language": "", "country": null, "site": "", "sites": [], "exact_terms": " ",
        "exclude_terms": null, "lens": "", "provider": null, "claim": "", "sessionId": ""});
    home.finds(&empty);
    let said = json!({"query": "two words ", "num_results": "5", "safe": "Medium",
        "provider": "Brave", "sessionId": 17, "unknown": {"a": 1}});
    home.finds(&said);
    let words = json!({"query": "two words", "num_results": "default", "time_range": "any",
        "safe": "None", "language": "auto", "country": "ALL", "site": "any", "lens": "none",
        "provider": "null"});
    home.finds(&words);
    assert_eq!(server.asked().len(), 1, "they are one search");
    home.finds(
        &json!({"query": "two words", "num_results": 3.0, "language": "de-CH", "country": "uk"}),
    );
    let asked = &server.asked()[1];
    assert_eq!(asked.param("search_lang").as_deref(), Some("de"));
    assert_eq!(asked.param("country").as_deref(), Some("GB"));
    home.finds(&json!({"query": "two words", "language": "zh-CN"}));
    let asked = &server.asked()[2];
    assert_eq!(asked.param("search_lang").as_deref(), Some("zh-hans"));
}

#[test]
fn a_number_out_of_bounds_is_brought_within_them_and_repeated() {
    let urls: Vec<String> = (0..20).map(|n| format!("https://a.example/{n}")).collect();
    let urls: Vec<&str> = urls.iter().map(String::as_str).collect();
    let server = brave_with(&urls);
    let home = at_home().and("brave", &server);
    for (asked, count, requested) in [
        (json!(50), 10, Some(50)),
        (json!(11), 10, Some(11)),
        (json!("99"), 10, Some(99)),
        (json!(-3), 1, Some(-3)),
        (json!(10), 10, None),
        (json!(1), 1, None),
        (Value::Null, 5, None),
    ] {
        let found = home.finds(&json!({"query": "x", "num_results": asked}));
        assert_eq!(found["resultCount"], count, "{asked}");
        assert_eq!(found["urls"].as_array().unwrap().len(), count);
        let repeated = found.get("requestedNumResults").and_then(Value::as_i64);
        assert_eq!(repeated, requested, "{asked}");
    }
    let huge = home.finds(&json!({"query": "x", "num_results": 1e300}));
    assert_eq!(huge["resultCount"], 10);
}

#[test]
fn what_makes_no_sense_is_refused_before_anybody_is_asked() {
    let server = server_of("brave");
    let home = at_home().and("brave", &server);
    home.fails(&json!({"query": ""}), "INVALID_ARG");
    let (number, sites) = (
        json!({"query": "x", "num_results": "many"}),
        json!({"query": "x", "sites": 5}),
    );
    let requests = [
        (number, "num_results must be an integer"),
        (sites, "sites must be an array of strings"),
        (json!({"query": "x", "lens": 5}), "lens must be a string"),
    ];
    refuses_what_makes_no_sense(&home, &server, &requests);
}

#[test]
fn a_query_is_as_long_as_the_specification_allows_whatever_the_provider_takes() {
    for (query, begins) in [
        ("w".repeat(500), "www"),
        ("word ".repeat(100), "word word"),
        ("\u{65e5}\u{672c} ".repeat(166), "\u{65e5}"),
    ] {
        for provider in ["brave", "tavily", "duckduckgo", "searxng"] {
            let server = server_of(provider);
            let home = at_home().and(provider, &server);
            let request = json!({"query": query, "provider": provider, "sites": ["example.com"]});
            let found = home.finds(&request);
            assert_eq!(found["query"], query.trim());
            let asked = &server.asked()[0];
            let sent = asked.param("q").unwrap_or_else(|| {
                let body: Value = serde_json::from_slice(&asked.body).unwrap();
                body["query"].as_str().unwrap().to_owned()
            });
            assert!(sent.starts_with(begins), "{sent}");
            let shorter = provider != "searxng" || query.contains(' ');
            let note = found["note"].as_str().unwrap_or_default();
            if shorter {
                assert!(!note.is_empty(), "{provider}");
                assert!(sent.chars().count() <= 500, "{}", sent.len());
            }
        }
    }
}

#[test]
fn each_failure_has_its_code_and_says_what_may_be_done() {
    let key = r#"{"error":{"message":"Invalid key s3cret+key/="}}"#;
    for (status, body, code, retry) in [
        ("401 Unauthorized", key, "AUTH_INVALID", None),
        ("403 Forbidden", key, "AUTH_INVALID", None),
        ("429 Too Many Requests", "{}", "RATE_LIMIT", Some(60)),
        (
            "429 Too Many Requests\r\nRetry-After: 17",
            "{}",
            "RATE_LIMIT",
            Some(17),
        ),
        ("402 Payment Required", "{}", "RATE_LIMIT", Some(3600)),
        ("500 Oops", "{}", "UPSTREAM_UNAVAILABLE", Some(60)),
        ("503 Away", "<html>", "UPSTREAM_UNAVAILABLE", Some(60)),
        ("422 What", "{}", "API_ERROR", None),
        ("200 OK", "<html>Log in</html>", "API_ERROR", None),
    ] {
        let server = answering(status, "application/json", body);
        let home = at_home()
            .and("serper", &server)
            .set("TAVILY_API_KEY", "another key");
        let request = json!({"query": "x", "provider": "serper"});
        let failure = home.fails(&request, code);
        assert_eq!(failure["provider"], "serper", "{failure}");
        assert_eq!(failure["retryable"], retry.is_some(), "{failure}");
        assert_eq!(failure["retryAfterSeconds"].as_u64(), retry, "{failure}");
        assert_eq!(failure["alternatives"], json!(["duckduckgo", "tavily"]));
        assert!(failure["suggestedAction"].is_string(), "{failure}");
        assert!(home.entries().iter().all(|path| {
            // Of a failure only the count is stored.
            fs::metadata(path).unwrap().len() < 100
        }));
    }
    let home = at_home()
        .set("SERPER_API_KEY", SECRET)
        .set("IKIGAI_SERPER_URL", "http://127.0.0.1:9/search");
    let failure = home.fails(&json!({"query": "x"}), "NETWORK_ERROR");
    assert_eq!(failure["retryAfterSeconds"], 5, "{failure}");
    assert_eq!(failure["retryable"], true);
}

#[test]
fn duckduckgo_s_bot_check_is_a_limit_and_never_an_empty_answer() {
    let page = "<html><body><div class=anomaly-modal__title>Unfortunately, bots use DuckDuckGo \
        too.</div></body></html>";
    for status in ["202 Accepted", "200 OK", "403 Forbidden"] {
        let server = answering(status, "text/html", page);
        let home = at_home().and("duckduckgo", &server);
        let failure = home.fails(&json!({"query": "x"}), "RATE_LIMIT");
        assert_eq!(failure["provider"], "duckduckgo");
        assert_eq!(failure["retryAfterSeconds"], 60);
    }
}

#[test]
fn a_missing_key_is_an_answer_for_the_model_and_an_event_for_the_user() {
    let home = at_home();
    let answer = home.ask(&json!({"query": "x", "provider": "tavily"}));
    let failure = answer.json();
    assert_eq!(failure["error_code"], "AUTH_MISSING");
    assert_eq!(answer.code(), 1);
    let event: Value = serde_json::from_str(answer.stderr.trim_end()).unwrap();
    assert_eq!(event["kind"], "config_required");
    let data: Value = serde_json::from_str(event["data_json"].as_str().unwrap()).unwrap();
    assert_eq!(data, json!({"tool": "web_search", "provider": "tavily"}));
    assert_eq!(failure["alternatives"], json!(["duckduckgo"]));
}

#[test]
fn a_key_may_be_in_the_credentials_file() {
    let server = server_of("exa");
    let home = at_home().set("IKIGAI_EXA_URL", &server.url("/search"));
    let config = home.path().join(".config/ikigai");
    fs::create_dir_all(&config).unwrap();
    let keys = json!({"web_search": {"exa": {"api_key": SECRET}}}).to_string();
    fs::write(config.join("credentials.json"), keys).unwrap();
    assert_eq!(home.finds(&json!({"query": "x"}))["resultCount"], 3);
    assert_eq!(server.asked()[0].header("x-api-key"), Some(SECRET));
}

#[test]
fn where_nothing_is_found_the_answer_says_what_to_do() {
    let empty = answering("200 OK", "application/json", good("brave").empty[0]);
    let home = at_home()
        .and("brave", &empty)
        .set("TAVILY_API_KEY", "another key");
    let found = home.finds(&json!({"query": "x", "safe": "high", "claim": "y"}));
    assert_eq!(
        names(&found),
        ["urls", "query", "resultCount", "results", "hints", "trust"]
    );
    assert_eq!(
        (&found["urls"], &found["resultCount"]),
        (&json!([]), &json!(0))
    );
    let hints = &found["hints"];
    assert_eq!(hints["reason"], "no_match");
    assert_eq!(hints["filtersApplied"], json!({}));
    let filtered = home.finds(
        &json!({"query": "x", "site": "a.example", "time_range": "day",
        "exact_terms": "y z", "country": "DE", "num_results": 40}),
    );
    let hints = &filtered["hints"];
    assert_eq!(hints["reason"], "filters_too_restrictive");
    assert_eq!(
        hints["filtersApplied"],
        json!({"site": "a.example", "exact_terms": "y z", "time_range": "day", "country": "DE"})
    );
    let actions = hints["suggestedActions"].as_array().unwrap();
    assert_eq!(actions.len(), 3);
    assert_eq!(actions[0]["action"], "remove_filter");
    assert_eq!(actions[0]["parameter"], "site");
    assert_eq!(actions[2]["action"], "try_different_provider");
    assert_eq!(actions[2]["value"], "duckduckgo");
    assert_eq!(filtered["requestedNumResults"], 40);
    let kept = home.finds(&json!({"query": "x", "safe": "high"}));
    assert_eq!(kept["hints"]["reason"], "no_match");
    assert_eq!(empty.asked().len(), 2, "nothing is an answer that is kept");
}

#[test]
fn a_person_reads_a_list_and_may_ask_anew() {
    let server = brave_with(&["https://en.wikipedia.org/wiki/X"]);
    let home = at_home().and("brave", &server);
    let typed = |words: &[&str]| {
        let call = words.iter().fold(home.call(), Call::arg);
        let answer = call.run();
        assert_eq!((answer.code(), answer.stderr.as_str()), (0, ""));
        String::from_utf8(answer.stdout).unwrap()
    };
    let shown = typed(&["two words", "--claim", "42 tests"]);
    assert_eq!(
        shown,
        "1. T\n   https://en.wikipedia.org/wiki/X\n   About it. Of 42 tests, all pass.\n   \
         claim: Of 42 tests, all pass.\n   (mixed: encyclopedia written by its users)\n"
    );
    typed(&["two words"]);
    assert_eq!(server.asked().len(), 1);
    typed(&["two words", "--no-cache"]);
    assert_eq!(server.asked().len(), 2);
    let json: Value = serde_json::from_str(typed(&["two words", "--json"]).trim()).unwrap();
    assert_eq!(json["results"][0]["displayLink"], "en.wikipedia.org");
    let request = home.path().join("request.json");
    fs::write(&request, r#"{"query":"two words"}"#).unwrap();
    typed(&["--input", text(&request)]);
    assert_eq!(server.asked().len(), 2);
    typed(&["--no-cache", "--input", text(&request)]);
    assert_eq!(server.asked().len(), 3);
    let host = home
        .call()
        .arg("--no-cache")
        .with(&json!({"query": "two words"}));
    assert_eq!(host.run().code(), 0);
    assert_eq!(server.asked().len(), 4);
    assert!(!typed(&["--schema"]).contains("cache"), "it is not a field");
}

#[test]
fn an_answer_is_no_longer_than_its_host_takes() {
    let urls: Vec<String> = (0..10)
        .map(|n| format!("https://a.example/{n}/{}", "x".repeat(300)))
        .collect();
    let urls: Vec<&str> = urls.iter().map(String::as_str).collect();
    let server = brave_with(&urls);
    let home = at_home().and("brave", &server);
    for limit in [256, 600, 2000, 4000, 60_000] {
        let call = home.call().env("IKIGAI_MAX_ANSWER", limit.to_string());
        let answer = call.with(&json!({"query": "x", "num_results": 10})).run();
        assert!(
            answer.stdout.len() <= limit,
            "{limit}: {}",
            answer.stdout.len()
        );
        let found = answer.json();
        let count = found["resultCount"].as_u64().unwrap();
        assert_eq!(found["results"].as_array().unwrap().len() as u64, count);
        assert_eq!(found["urls"].as_array().unwrap().len() as u64, count);
        assert!(limit < 600 || count == 10 || found["note"].is_string());
        assert_eq!(count == 10, limit == 60_000);
    }
}

#[test]
fn every_field_that_changes_what_is_found_is_asked_anew_and_no_other() {
    const WITHOUT_EFFECT: &[(&str, &str)] = &[
        ("claim", "\"some claim\""),
        ("sessionId", "\"some session\""),
    ];
    const WITH_EFFECT: &[(&str, &str)] = &[
        ("query", "\"three words\""),
        ("num_results", "3"),
        ("time_range", "\"week\""),
        ("safe", "\"off\""),
        ("language", "\"de\""),
        ("country", "\"DE\""),
        ("site", "\"example.com\""),
        ("sites", "[\"example.org\"]"),
        ("exact_terms", "\"x\""),
        ("exclude_terms", "\"x\""),
        ("lens", "\"news\""),
        ("provider", "\"tavily\""),
    ];
    let (brave, tavily) = (server_of("brave"), server_of("tavily"));
    let home = at_home().and("brave", &brave).and("tavily", &tavily);
    let asked = || brave.asked().len() + tavily.asked().len();
    each_field_is_asked_anew(&home, asked, WITH_EFFECT, WITHOUT_EFFECT);
    // Nor is one provider's answer another's, or that of another address.
    let other = server_of("brave");
    let elsewhere = home.unset().and("brave", &other);
    elsewhere.finds(&json!({"query": "two words"}));
    assert_eq!(other.asked().len(), 1);
}

#[test]
fn nothing_in_the_cache_can_be_read_by_anybody_else() {
    let server = server_of("brave");
    let home = at_home().and("brave", &server);
    home.finds(&json!({"query": "zanzibar zebras", "exact_terms": "quite exact"}));
    let entries = home.entries();
    assert_eq!(entries.len(), 1, "{entries:?}");
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&home.cache()), 0o700);
    assert_eq!(mode(&entries[0]), 0o600);
    let mut everything = Vec::new();
    let mut places = vec![home.path().join("cache"), home.path().join("state")];
    while let Some(place) = places.pop() {
        for entry in fs::read_dir(place).unwrap() {
            let path = entry.unwrap().path();
            everything.extend_from_slice(path.to_str().unwrap().as_bytes());
            if path.is_dir() {
                places.push(path);
            } else {
                everything.extend(fs::read(path).unwrap());
            }
        }
    }
    for part in [
        "zanzibar", "zebras", "quite", "s3cret", "first", "example", "brave", "about it",
    ] {
        let found = everything
            .windows(part.len())
            .any(|window| window.eq_ignore_ascii_case(part.as_bytes()));
        assert!(!found, "{part}");
    }
    let key = home.path().join("state/ikigai-tools/cache.key");
    assert_eq!((mode(&key), fs::metadata(&key).unwrap().len()), (0o600, 32));
}

fn make_old(path: &Path, minutes: u64) {
    let file = fs::File::options().write(true).open(path).unwrap();
    let then = SystemTime::now() - Duration::from_secs(60 * minutes);
    file.set_modified(then).unwrap();
}

#[test]
fn an_entry_that_is_old_or_damaged_is_none_and_never_an_error() {
    let server = server_of("brave");
    let home = at_home().and("brave", &server);
    let search = || home.finds(&json!({"query": "two words"}));
    let whole = search();
    let entry = home.entries().remove(0);
    make_old(&entry, 29);
    assert_eq!(search(), whole);
    assert_eq!(server.asked().len(), 1);
    make_old(&entry, 30);
    assert_eq!(search(), whole);
    assert_eq!(server.asked().len(), 2);
    let sound = fs::read(&entry).unwrap();
    let mut flipped = sound.clone();
    flipped[sound.len() / 2] ^= 1;
    for (at, damaged) in [&flipped[..], &sound[..sound.len() - 1], b"", b"{}"]
        .iter()
        .enumerate()
    {
        fs::write(&entry, damaged).unwrap();
        assert_eq!(search(), whole);
        assert_eq!(server.asked().len(), 3 + at);
        assert_eq!(search(), whole);
        assert_eq!(server.asked().len(), 3 + at, "it was kept anew");
    }
    let before = server.asked().len();
    fs::remove_file(&entry).unwrap();
    fs::create_dir(&entry).unwrap();
    assert_eq!(search(), whole);
    assert_eq!(server.asked().len(), before + 1);
    // Another key is another cache, and one that is none is no cache.
    for key in ["07".repeat(32), "nonsense".to_owned()] {
        let call = || home.call().env("CACHE_ENCRYPTION_KEY", &key);
        let request = json!({"query": "two words"});
        let before = server.asked().len();
        for _ in 0..2 {
            assert_eq!(call().with(&request).run().json(), whole);
        }
        let more = if key.len() == 64 { 1 } else { 2 };
        assert_eq!(server.asked().len(), before + more, "{key}");
    }
}

#[test]
fn without_a_cache_everything_is_asked_anew() {
    let server = server_of("brave");
    let home = at_home().and("brave", &server).set("IKIGAI_NO_CACHE", "1");
    for _ in 0..2 {
        home.finds(&json!({"query": "two words"}));
    }
    assert_eq!(server.asked().len(), 2);
    assert!(home.entries().is_empty());
}

#[test]
fn a_directory_that_takes_nothing_is_no_cache_and_no_error() {
    let server = server_of("brave");
    let home = at_home().and("brave", &server);
    let request = json!({"query": "two words"});
    fs::create_dir_all(home.path().join("cache")).unwrap();
    // A file in its place, and a place that is nowhere.
    fs::write(home.cache(), "").unwrap();
    assert_eq!(home.finds(&request)["resultCount"], 3);
    fs::remove_file(home.cache()).unwrap();
    let nowhere = home
        .call()
        .env("XDG_CACHE_HOME", "/proc/nowhere")
        .with(&request);
    assert_eq!(nowhere.run().code(), 0);
    let homeless = home.call().env("HOME", home.path().join("nobody"));
    let homeless = homeless.without_env("XDG_CACHE_HOME").with(&request).run();
    assert_eq!(homeless.code(), 0);
    assert!(!home.path().join("nobody").exists(), "a home is made");
    // Read-only, with an entry that can be read.
    home.finds(&request);
    let before = server.asked().len();
    let mounted = |commands: &str, request: &Value| {
        let commands = commands.replace("CACHE", text(&home.path().join("cache")));
        home.call()
            .with(request)
            .after_in_own_mounts(&commands)
            .run()
    };
    if is_root() && crate::common::can_unmount_proc() {
        let read_only = "mount --bind CACHE CACHE && mount -o remount,bind,ro CACHE";
        assert_eq!(mounted(read_only, &request).json()["resultCount"], 3);
        assert_eq!(server.asked().len(), before, "it could be read");
        let other = json!({"query": "other words"});
        let begun = Instant::now();
        assert_eq!(mounted(read_only, &other).json()["resultCount"], 3);
        assert!(begun.elapsed() < Duration::from_secs(5));
        let full = "mount -t tmpfs -o size=16k none CACHE && mkdir -m 700 CACHE/ikigai-tools && \
            head -c 1000000 /dev/zero >CACHE/ikigai-tools/filler 2>/dev/null; true";
        let answer = mounted(full, &other);
        assert_eq!((answer.code(), answer.stderr.as_str()), (0, ""));
        assert_eq!(answer.json()["resultCount"], 3);
    } else {
        skip("mounts of its own are for root");
    }
}

/// A provider that takes `wait` for each answer.
fn slow(provider: &'static str, wait: Duration) -> Server {
    Server::start(move |_, conn| {
        std::thread::sleep(wait);
        let head = format!("200 OK\r\nContent-Type: {}", kind(provider));
        conn.write_all(&reply(&head, good(provider).body))
    })
}

#[test]
fn one_of_many_equal_calls_at_once_asks() {
    let server = slow("brave", Duration::from_millis(400));
    let home = at_home().and("brave", &server);
    let request = json!({"query": "two words"});
    let running: Vec<_> = (0..64)
        .map(|_| home.call().with(&request).start())
        .collect();
    for child in running {
        let output = child.wait_with_output().unwrap();
        let found: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(found["resultCount"], 3);
        assert!(output.status.success());
    }
    assert_eq!(server.asked().len(), 1);
    let entries = home.entries();
    assert_eq!(entries.len(), 1, "{entries:?}");
}

#[test]
fn who_waits_for_another_call_does_not_wait_for_ever() {
    let server = Server::start(|_, conn| {
        std::thread::sleep(Duration::from_secs(30));
        conn.write_all(b"")
    });
    let home = at_home().and("brave", &server);
    let request = json!({"query": "two words"});
    let begun = Instant::now();
    let running: Vec<_> = (0..4)
        .map(|_| {
            let call = home.call().env("IKIGAI_MAX_SECONDS", "6");
            call.with(&request).start()
        })
        .collect();
    for child in running {
        let output = child.wait_with_output().unwrap();
        let failure: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(failure["error_code"], "NETWORK_ERROR", "{failure}");
    }
    assert!(
        begun.elapsed() < Duration::from_secs(8),
        "{:?}",
        begun.elapsed()
    );
}

#[test]
fn a_call_that_is_killed_leaves_its_turn_to_the_others() {
    let server = slow("brave", Duration::from_millis(1500));
    let home = at_home().and("brave", &server);
    let request = json!({"query": "two words"});
    let mut first = home.call().with(&request).start();
    assert!(crate::common::eventually(|| server.asked().len() == 1));
    let second = home.call().with(&request).start();
    std::thread::sleep(Duration::from_millis(100));
    assert_eq!(server.asked().len(), 1);
    first.kill().unwrap();
    first.wait().unwrap();
    let output = second.wait_with_output().unwrap();
    assert!(output.status.success());
    assert_eq!(server.asked().len(), 2);
}

/// The list to try, and these providers at these servers.
fn routing(list: &str, servers: &[(&str, &Server)]) -> Home {
    let home = at_home().set("SEARCH_ROUTING", list);
    servers
        .iter()
        .fold(home, |home, (provider, server)| home.and(provider, server))
}

#[test]
fn a_provider_that_failed_is_left_alone_between_processes() {
    let limited = Server::bytes(reply("429 Slow\r\nRetry-After: 9", "{}"));
    let fine = server_of("tavily");
    let home = routing("serper,tavily", &[("serper", &limited), ("tavily", &fine)]);
    for query in ["a", "b", "c"] {
        assert_eq!(home.finds(&json!({"query": query}))["resultCount"], 3);
    }
    assert_eq!(limited.asked().len(), 1);
    assert_eq!(fine.asked().len(), 3);
    // Zero results elsewhere do not name the one that is left alone.
    let empty = answering("200 OK", "application/json", good("tavily").empty[0]);
    let home = home.unset().set("SEARCH_ROUTING", "tavily");
    let home = home.and("tavily", &empty).and("serper", &limited);
    let found = home.finds(&json!({"query": "d"}));
    let actions = found["hints"]["suggestedActions"].to_string();
    actions.assert_row("web_search", "what to do without one that is left alone");
}

#[test]
fn one_of_many_calls_tries_a_provider_that_failed() {
    let limited = Server::bytes(reply("429 Slow\r\nRetry-After: 9", "{}"));
    let tavily = server_of("tavily");
    let home = routing(
        "serper,tavily",
        &[("serper", &limited), ("tavily", &tavily)],
    );
    home.finds(&json!({"query": "first"}));
    for entry in home.entries() {
        let file = fs::File::options().write(true).open(&entry).unwrap();
        let then = SystemTime::now() - Duration::from_secs(40);
        file.set_modified(then).unwrap();
    }
    let running: Vec<_> = (0..32)
        .map(|n| home.call().with(&json!({"query": format!("q{n}")})).start())
        .collect();
    for child in running {
        assert!(child.wait_with_output().unwrap().status.success());
    }
    assert_eq!(limited.asked().len(), 2, "one try decides");
}

#[test]
fn of_many_failures_at_once_none_is_lost() {
    let bad = Server::start(|_, conn| {
        std::thread::sleep(Duration::from_millis(300));
        conn.write_all(&reply("500 Oops", "{}"))
    });
    let fine = server_of("tavily");
    let home = routing("serper,tavily", &[("serper", &bad), ("tavily", &fine)]);
    let running: Vec<_> = (0..3)
        .map(|n| home.call().with(&json!({"query": format!("q{n}")})).start())
        .collect();
    for child in running {
        assert!(child.wait_with_output().unwrap().status.success());
    }
    assert_eq!(bad.asked().len(), 3);
    home.finds(&json!({"query": "later"}));
    assert_eq!(bad.asked().len(), 3, "three failures open the breaker");
}

#[test]
fn a_lens_searches_its_domains_and_may_be_the_user_s_own() {
    let server = Server::start(|asked: &Asked, conn| {
        let q = asked.param("q").unwrap();
        let host = if q.contains("own.example") {
            "own.example"
        } else {
            "elsewhere.example"
        };
        let rows =
            json!({"web": {"results": [{"title": "T", "url": format!("https://{host}/1")}]}});
        conn.write_all(&reply(
            "200 OK\r\nContent-Type: application/json",
            rows.to_string(),
        ))
    });
    let lenses = directory();
    let mine = json!({"name": "mine", "domains": ["own.example", "two.example"]});
    fs::write(lenses.path().join("mine.json"), mine.to_string()).unwrap();
    fs::write(lenses.path().join("broken.json"), "{").unwrap();
    let home = at_home()
        .and("brave", &server)
        .set("CUSTOM_LENSES_PATH", text(lenses.path()));
    let found = home.finds(&json!({"query": "x", "lens": "Mine"}));
    assert_eq!(found["urls"], json!(["https://own.example/1"]));
    let place = [(text(lenses.path()), "<lenses>")];
    found["note"].as_str().unwrap().assert_row_at(
        "web_search",
        "a lens that cannot be read",
        &place,
    );
    let asked = server.asked()[0].param("q").unwrap();
    assert_eq!(asked, "x (site:own.example OR site:two.example)");
    let failure = home.fails(&json!({"query": "x", "lens": "nothing"}), "INVALID_ARG");
    failure["error"]
        .as_str()
        .unwrap()
        .assert_row_at("web_search", "an unknown lens", &place);
    let plain = home.finds(&json!({"query": "x"}));
    assert_eq!(plain.get("note"), None, "{plain}");
}

#[test]
fn what_a_provider_cannot_heed_is_said() {
    let server = server_of("tavily");
    let home = at_home().and("tavily", &server);
    let found = home.finds(&json!({"query": "x", "language": "de"}));
    let note = found["note"].as_str().unwrap();
    assert_eq!(note, "Tavily cannot search by language, and did not.");
}
