//! Research sessions of a server's callers: a token's are nobody else's, over HTTP and by a Redis
//! that two servers share; large exports are linked to.

use serde_json::{Value, json};

use super::sessions::step;
use crate::common::messages::TextRow;
use crate::http::redis_server::Redis;
use crate::http_server::{HttpServer, http};
use crate::reading::{article, serving};

const FLAGS: [&str; 4] = ["--tools", "research", "--structured", "--allow-private"];
const KEY: &str = "a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1";

/// What a tool answers a caller, and whether that is a failure.
#[track_caller]
fn ask(server: &HttpServer, name: &str, tool: &str, request: &Value) -> (Value, bool) {
    let answer = server.call_as(name, tool, request).json();
    let result = &answer["result"];
    let failed = result["isError"] == true;
    let said = if failed {
        result["content"][0]["text"].clone()
    } else {
        result["structuredContent"].clone()
    };
    assert!(!said.is_null(), "{answer}");
    (said, failed)
}

#[track_caller]
fn done(server: &HttpServer, name: &str, tool: &str, request: &Value) -> Value {
    let (said, failed) = ask(server, name, tool, request);
    assert!(!failed, "{said}");
    said
}

#[track_caller]
fn begin(server: &HttpServer, name: &str) -> String {
    let begun = done(server, name, "sequential_search", &step("", 1, "Begin"));
    begun["sessionId"].as_str().unwrap().to_owned()
}

fn of(id: &str) -> Value {
    json!({"sessionId": id})
}

#[test]
fn another_token_s_session_is_an_unknown_one() {
    let builder = http(&FLAGS).tokens(&["anna", "ben"]);
    let server = builder.start();
    let id = begin(&server, "anna");
    let unknown = "11111111-2222-4333-8444-555555555555";
    for (tool, request) in [
        ("get_research_session", of as fn(&str) -> Value),
        ("research_export", of),
        ("sequential_search", |id| step(id, 2, "Theirs")),
    ] {
        let (theirs, failed) = ask(&server, "ben", tool, &request(&id));
        assert!(failed, "{theirs}");
        assert_eq!(ask(&server, "ben", tool, &request(unknown)), (theirs, true));
    }
    assert_eq!(
        done(&server, "ben", "get_research_session", &json!({}))["count"],
        0
    );
    let page = serving("text/html", article(20));
    let read = |name: &str, id: &str| {
        let request = json!({"url": page.url("/page"), "sessionId": id});
        done(&server, name, "scrape_page", &request)
    };
    // Fresh, and then from the cache, which the server itself answers from.
    for _ in 0..2 {
        let theirs = read("ben", &id);
        assert!(theirs["note"].is_string(), "{theirs}");
        assert_eq!(theirs["note"], read("ben", unknown)["note"]);
        assert_eq!(read("anna", &id).get("note"), None);
    }
    assert_eq!(page.asked().len(), 1);
    let own = done(&server, "anna", "get_research_session", &of(&id));
    assert_eq!(own["currentStep"], 1);
    assert_eq!(own["sources"].as_array().unwrap().len(), 1, "{own}");
    assert_eq!(own["providerStats"][0]["calls"], 2);
}

#[test]
fn many_calls_of_a_server_at_once_lose_nothing() {
    let server = http(&FLAGS).tokens(&["anna"]).start();
    let id = begin(&server, "anna");
    std::thread::scope(|scope| {
        for number in 2..34 {
            let (server, id) = (&server, &id);
            scope.spawn(move || {
                done(
                    server,
                    "anna",
                    "sequential_search",
                    &step(id, number, "At once"),
                );
            });
        }
    });
    let own = done(&server, "anna", "get_research_session", &of(&id));
    assert_eq!(own["stepIndex"].as_array().unwrap().len(), 33);
}

#[test]
fn two_servers_with_one_redis_have_the_same_sessions_and_lose_no_step() {
    let Some(mut redis) = Redis::start() else {
        return;
    };
    let start = || {
        http(&FLAGS)
            .env("IKIGAI_REDIS_URL", redis.url())
            .env("CACHE_ENCRYPTION_KEY", KEY)
            .tokens(&["anna", "ben"])
            .start()
    };
    let servers = [start(), start()];
    let id = begin(&servers[0], "anna");
    std::thread::scope(|scope| {
        for number in 2..34 {
            let server = &servers[number % 2];
            let id = &id;
            scope.spawn(move || {
                let request = step(id, number as u64, "At once");
                done(server, "anna", "sequential_search", &request);
            });
        }
    });
    for server in &servers {
        let own = done(server, "anna", "get_research_session", &of(&id));
        assert_eq!(own["stepIndex"].as_array().unwrap().len(), 33);
        let list = done(server, "anna", "get_research_session", &json!({}));
        assert_eq!(list["sessions"][0]["sessionId"], id.as_str());
        let (_, failed) = ask(server, "ben", "get_research_session", &of(&id));
        assert!(failed);
    }
    // Without Redis it is not known if there is one, and nothing is said to be recorded.
    redis.kill();
    let (said, failed) = ask(
        &servers[0],
        "anna",
        "sequential_search",
        &step(&id, 34, "x"),
    );
    let said = said.as_str().unwrap();
    assert!(failed);
    said.assert_row("sequential_search", "a store that does not answer");
}

#[test]
fn a_full_redis_that_makes_no_room_keeps_its_sessions_and_refuses_steps() {
    let Some(redis) = Redis::with_args(&["--maxmemory-policy", "noeviction"]) else {
        return;
    };
    let server = http(&FLAGS)
        .env("IKIGAI_REDIS_URL", redis.url())
        .env("CACHE_ENCRYPTION_KEY", KEY)
        .tokens(&["anna"])
        .start();
    let id = begin(&server, "anna");
    // It has less room than it takes.
    redis.ask(&["CONFIG", "SET", "maxmemory", "1"]);
    let page = serving("text/html", article(20));
    let request = json!({"url": page.url("/page")});
    for _ in 0..2 {
        let read = done(&server, "anna", "scrape_page", &request);
        assert_eq!(read.get("note"), None, "{read}");
    }
    let (said, failed) = ask(&server, "anna", "sequential_search", &step(&id, 2, "x"));
    let said = said.as_str().unwrap();
    assert!(failed);
    said.assert_row("sequential_search", "a store that is full");
    let own = done(&server, "anna", "get_research_session", &of(&id));
    assert_eq!(own["currentStep"], 1, "what was there is there: {own}");
}

#[test]
fn a_large_export_is_a_link_for_programs_and_bounded_text_for_models() {
    let server = http(&FLAGS).tokens(&["anna"]).start();
    let id = begin(&server, "anna");
    for number in 2..7 {
        let long = step(&id, number, &"words of a step ".repeat(600));
        done(&server, "anna", "sequential_search", &long);
    }
    let request = json!({"sessionId": id, "format": "markdown"});
    let answer = server.call_as("anna", "research_export", &request).json();
    let result = &answer["result"];
    let said = &result["structuredContent"];
    assert_eq!(said["linked"], true, "{answer}");
    assert_eq!(said.get("content"), None);
    let links = result["content"].as_array().unwrap();
    let link = links.iter().find(|one| one["type"] == "resource_link");
    assert_eq!(link.unwrap()["uri"], said["resource"]);
    assert_eq!(link.unwrap()["mimeType"], "text/markdown");
    let message = json!({"jsonrpc": "2.0", "id": 2, "method": "resources/read",
        "params": {"uri": said["resource"]}});
    let bearer = format!("Bearer {}", crate::http_server::token_of("anna"));
    let read = server.post(&[("Authorization", &bearer)], &message).json();
    let content = read["result"]["contents"][0]["text"].as_str().unwrap();
    assert_eq!(content.len() as u64, said["bytes"].as_u64().unwrap());
    assert!(content.contains("### Step 6"));
    let plain = http(&["--tools", "research"]).tokens(&["anna"]).start();
    let begun = plain.call_as("anna", "sequential_search", &step("", 1, "Begin"));
    let begun = begun.json()["result"]["content"][0]["text"].to_string();
    assert!(
        begun.contains("sessionId: ") && begun.contains("- 1 Begin"),
        "{begun}"
    );
}

#[test]
fn what_a_caller_has_not_is_not_recommended() {
    let server = http(&["--tools", "research_export", "--structured"]);
    let server = server.tokens(&["anna"]).start();
    for (session, name) in [
        ("", "no session where none can be listed"),
        (
            "11111111-2222-4333-8444-555555555555",
            "an unknown session where none can be listed",
        ),
    ] {
        let (error, failed) = ask(&server, "anna", "research_export", &of(session));
        assert!(failed);
        error
            .as_str()
            .unwrap()
            .assert_row("sequential_search", name);
    }
}
