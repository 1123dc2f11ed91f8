//! `ikigai-tools mcp --http`: every revision, with sessions and without; what ends a call; streams
//! that are resumed.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::common::messages::TextRow;
use crate::common::{eventually, side_by_side};
use crate::http_server::{Client, Event, HttpServer, Reply, http};
use crate::server::{Server, page};

const WITH_HANDSHAKE: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];

/// A server that may fetch from this machine.
fn serve(flags: &[&str]) -> HttpServer {
    http(&["--allow-private"]).args(flags).start()
}

/// A server of pages that take so long, and how many of them somebody waits for now.
fn slow(seconds: u64) -> (Server, Arc<AtomicUsize>) {
    let waiting = Arc::new(AtomicUsize::new(0));
    let here = Arc::clone(&waiting);
    let server = Server::start(move |_, conn| {
        here.fetch_add(1, Ordering::SeqCst);
        let begin = Instant::now();
        conn.write_all(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n")?;
        let mut done = Ok(());
        while begin.elapsed() < Duration::from_secs(seconds) && done.is_ok() {
            thread::sleep(Duration::from_millis(50));
            done = conn.write_all(b"X-More: yes\r\n");
        }
        if done.is_ok() {
            done = conn.write_all(b"Content-Length: 12\r\n\r\nslow at last");
        }
        here.fetch_sub(1, Ordering::SeqCst);
        done
    });
    (server, waiting)
}

/// Waits until so many pages are waited for; returns how long that took.
fn until(waiting: &AtomicUsize, so_many: usize) -> Duration {
    let begin = Instant::now();
    assert!(eventually(|| waiting.load(Ordering::SeqCst) == so_many));
    begin.elapsed()
}

fn fetch(client: &Client, id: u32, url: &str) -> Reply {
    client.call(id, "web_fetch", &json!({"url": url}))
}

/// The text of an answer.
fn text_of(message: &Value) -> &str {
    message["result"]["content"][0]["text"]
        .as_str()
        .unwrap_or_else(|| panic!("{message}"))
}

fn names_of_tools(answer: &Value) -> Vec<&str> {
    let tools = answer["result"]["tools"].as_array().unwrap();
    tools
        .iter()
        .map(|tool| tool["name"].as_str().unwrap())
        .collect()
}

#[test]
fn each_revision_with_a_handshake_is_spoken_without_sessions_and_answered_in_json() {
    let pages = Server::bytes(page("hello"));
    let server = serve(&[]);
    for revision in WITH_HANDSHAKE {
        let (client, hello) = server.client().initialized(revision);
        assert_eq!(hello["protocolVersion"], revision);
        assert_eq!(hello["serverInfo"]["name"], "ikigai-tools");
        let list = client.post(&json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}));
        assert_eq!(
            list.header("content-type"),
            Some("application/json"),
            "{revision}"
        );
        assert_eq!(list.header("mcp-session-id"), None);
        assert!(names_of_tools(&list.message()).contains(&"scrape_page"));
        let called = fetch(&client, 2, &pages.url("/"));
        assert_eq!(
            called.header("content-type"),
            Some("application/json"),
            "{revision}"
        );
        let answer = called.message();
        assert_eq!(answer["id"], 2);
        assert!(text_of(&answer).contains("hello"), "{answer}");
        assert_eq!(client.ask("ping", &json!({}))["result"], json!({}));
        let templates = client.ask("resources/templates/list", &json!({}));
        assert!(templates["result"]["resourceTemplates"].is_array());
        let missing = client.ask("resources/read", &json!({"uri": "research://artifact/00"}));
        assert!(missing["error"]["code"].is_number(), "{missing}");
    }
}

/// What a request of the revision without a handshake says of its client.
fn introduction() -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    })
}

#[test]
fn the_revision_without_a_handshake_is_spoken_with_sessions_and_without() {
    let pages = Server::bytes(page("hello"));
    for args in [&[][..], &["--sessions"]] {
        let server = serve(args);
        let client = server.client().with("MCP-Protocol-Version", "2026-07-28");
        let ask = |method: &str, mut params: Value| {
            params["_meta"] = introduction();
            let mut client = client.with("Mcp-Method", method);
            if let Some(name) = params["name"].as_str().or(params["uri"].as_str()) {
                client = client.with("Mcp-Name", name);
            }
            let message = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
            let reply = client.post(&message);
            assert_eq!(
                reply.header("content-type"),
                Some("application/json"),
                "{method}"
            );
            assert_eq!(reply.header("mcp-session-id"), None);
            reply.message()
        };
        assert_eq!(ask("tools/list", json!({}))["result"]["ttlMs"], 3_600_000);
        let gone = ask("ping", json!({}))["error"].clone();
        assert_eq!(gone["code"], -32601);
        assert!(gone["message"].as_str().unwrap().starts_with("ping: "));
        let found = ask("server/discover", json!({}));
        let versions = found["result"]["supportedVersions"].as_array().unwrap();
        assert!(versions.contains(&json!("2026-07-28")));
        let list = ask("tools/list", json!({}));
        assert!(names_of_tools(&list).contains(&"scrape_page"));
        let arguments = json!({"url": pages.url("/")});
        let answer = ask(
            "tools/call",
            json!({"name": "web_fetch", "arguments": arguments}),
        );
        assert_eq!(answer["result"]["resultType"], "complete");
        assert!(text_of(&answer).contains("hello"));
        let templates = ask("resources/templates/list", json!({}));
        assert!(templates["result"]["resourceTemplates"].is_array());
        let missing = ask("resources/read", json!({"uri": "research://artifact/00"}));
        assert!(missing["error"]["code"].is_number(), "{missing}");
        // There is nothing to resume.
        let resumed = client.resume("0-0");
        assert_eq!(resumed.status, 405);
    }
}

#[test]
fn a_call_that_reports_progress_is_answered_by_a_stream_of_events() {
    let (pages, _) = slow(6);
    side_by_side([&[][..], &["--sessions"]], |args| {
        let server = serve(args);
        let plain = server.client().initialized("2025-06-18").0;
        let modern = server
            .client()
            .with("MCP-Protocol-Version", "2026-07-28")
            .with("Mcp-Method", "tools/call")
            .with("Mcp-Name", "web_fetch");
        thread::scope(|scope| {
            for (client, mut meta) in [(plain, json!({})), (modern, introduction())] {
                let url = pages.url("/");
                meta["progressToken"] = json!("t");
                scope.spawn(move || {
                    let reply = client.post(&json!({
                        "jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": {
                            "name": "web_fetch", "arguments": {"url": url}, "_meta": meta,
                        }
                    }));
                    assert!(reply.is_stream(), "{args:?}");
                    let events = reply.events();
                    let messages: Vec<Value> = events.iter().map(Event::json).collect();
                    assert_eq!(messages.len(), 2, "{events:?}");
                    assert_eq!(messages[0]["method"], "notifications/progress");
                    assert_eq!(messages[0]["params"]["progressToken"], "t");
                    assert_eq!(messages[1]["id"], 5);
                    assert!(text_of(&messages[1]).contains("slow at last"));
                });
            }
        });
    });
}

#[test]
fn hanging_up_ends_a_call_without_sessions() {
    let (pages, waiting) = slow(20);
    let server = serve(&[]);
    for revision in ["2025-11-25", "2026-07-28"] {
        let mut client = server.client().with("MCP-Protocol-Version", revision);
        let mut params = json!({"name": "web_fetch", "arguments": {"url": pages.url("/")}});
        if revision == "2026-07-28" {
            params["_meta"] = introduction();
            client = client
                .with("Mcp-Method", "tools/call")
                .with("Mcp-Name", "web_fetch");
        }
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
        let stream = client.begin("POST", &message.to_string());
        until(&waiting, 1);
        drop(stream);
        assert!(until(&waiting, 0) < Duration::from_secs(2), "{revision}");
    }
}

#[test]
fn hanging_up_ends_a_call_that_has_reported_progress() {
    let (pages, waiting) = slow(20);
    let server = serve(&[]);
    let client = server.client().initialized("2025-11-25").0;
    let mut reply = client.post(&json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {"name": "web_fetch", "arguments": {"url": pages.url("/")},
            "_meta": {"progressToken": 1}}}));
    assert_eq!(
        reply.event().unwrap().json()["method"],
        "notifications/progress"
    );
    until(&waiting, 1);
    drop(reply);
    assert!(until(&waiting, 0) < Duration::from_secs(2));
}

#[test]
fn a_session_is_begun_used_and_ended() {
    let pages = Server::bytes(page("hello"));
    let server = serve(&["--sessions"]);
    for revision in WITH_HANDSHAKE {
        let (client, hello) = server.client().initialized(revision);
        assert_eq!(hello["protocolVersion"], revision);
        assert!(client.session().len() >= 32);
        assert!(names_of_tools(&client.ask("tools/list", &json!({}))).contains(&"scrape_page"));
        assert!(text_of(&fetch(&client, 2, &pages.url("/")).message()).contains("hello"));
        assert_eq!(client.ask("ping", &json!({}))["result"], json!({}));
        // No other is there, and this one no more once it has ended.
        let other = server
            .client()
            .with("Mcp-Session-Id", "0af5d7b2-0000-4000-8000-000000000000");
        let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"});
        assert_eq!(client.send("DELETE", "").status, 202);
        for gone in [&client, &other] {
            let refusals = [
                gone.post(&ping),
                gone.send("GET", ""),
                gone.send("DELETE", ""),
            ];
            for refused in refusals {
                assert_eq!(refused.status, 404);
                let said = refused.message()["error"]["message"].clone();
                assert_eq!(said, "Not Found: Session not found");
            }
        }
    }
    let without = server.client().status_of("tools/list");
    assert_eq!(without, 400);
}

#[test]
fn a_request_with_the_id_of_one_that_has_no_answer_is_refused_at_once() {
    let (pages, waiting) = slow(3);
    let server = serve(&["--sessions"]);
    let client = server.client().initialized("2025-06-18").0;
    let first = fetch(&client, 4, &pages.url("/"));
    until(&waiting, 1);
    for _ in 0..200 {
        let refused = fetch(&client, 4, &pages.url("/"));
        assert_eq!(refused.status, 400);
        let error = refused.message();
        assert_eq!(
            (&error["id"], &error["error"]["code"]),
            (&json!(4), &json!(-32600))
        );
        let said = error["error"]["message"].as_str().unwrap();
        said.assert_row("mcp_http", "an id that is in use");
    }
    // Another request of the session, and the same id in another session, are nobody's but theirs.
    assert_eq!(client.call(5, "nothing", &json!({})).message()["id"], 5);
    let other = server.client().initialized("2025-06-18").0;
    assert_eq!(other.call(4, "nothing", &json!({})).message()["id"], 4);
    assert!(text_of(&first.message()).contains("slow at last"));
    // With the answer the id is free.
    assert_eq!(client.call(4, "nothing", &json!({})).message()["id"], 4);
}

#[test]
fn streams_begin_with_an_empty_event_for_those_who_know_it_and_for_nobody_else() {
    let server = serve(&["--sessions"]);
    for revision in WITH_HANDSHAKE {
        let client = server.client().initialized(revision).0;
        let reply = client.post(&json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}));
        let events = reply.events();
        let empty = events.iter().filter(|event| event.data.is_empty()).count();
        if revision == "2025-11-25" {
            assert_eq!((events.len(), empty), (2, 1), "{revision}");
            assert!(events[0].data.is_empty() && events[0].id.is_some());
            assert_eq!(events[0].retry, Some(1000));
        } else {
            assert_eq!((events.len(), empty), (1, 0), "{revision}");
        }
    }
}

#[test]
fn a_stream_that_is_resumed_after_its_call_has_ended_still_gets_the_answer() {
    let (pages, waiting) = slow(2);
    let server = serve(&["--sessions"]);
    let client = server.client().initialized("2025-11-25").0;
    let mut reply = fetch(&client, 9, &pages.url("/"));
    let first = reply.event().unwrap().id.unwrap();
    until(&waiting, 1);
    drop(reply);
    until(&waiting, 0);
    thread::sleep(Duration::from_secs(1));
    // As often as its client likes.
    for _ in 0..2 {
        let resumed = client.resume(&first);
        assert_eq!(resumed.status, 200);
        let answer = resumed.message();
        assert_eq!(answer["id"], 9);
        assert!(text_of(&answer).contains("slow at last"), "{answer}");
    }
    // Nobody else gets anything, and no other event leads anywhere.
    let other = server.client().initialized("2025-11-25").0;
    let stolen = other.resume(&first);
    assert_eq!(stolen.events(), []);
    let wrong = client.resume("77-0");
    assert_eq!(wrong.events(), []);
    let outside = server.client().resume(&first);
    assert_eq!(outside.status, 400);
}

#[test]
fn a_stream_that_is_resumed_while_its_call_runs_gets_what_was_and_what_comes() {
    let (pages, waiting) = slow(11);
    let server = serve(&["--sessions"]);
    let client = server.client().initialized("2025-11-25").0;
    let mut reply = client.post(&json!({"jsonrpc": "2.0", "id": 3, "method": "tools/call",
        "params": {"name": "web_fetch", "arguments": {"url": pages.url("/")},
            "_meta": {"progressToken": 8}}}));
    let first = reply.event().unwrap();
    let second = reply.event().unwrap();
    assert_eq!(second.json()["method"], "notifications/progress");
    drop(reply);
    thread::sleep(Duration::from_secs(2));
    until(&waiting, 1);
    let resumed = client.resume(&first.id.unwrap());
    let events = resumed.events();
    assert_eq!(events[0], second);
    assert_eq!(events[1].json()["method"], "notifications/progress");
    let last = events.last().unwrap();
    assert!(text_of(&last.json()).contains("slow at last"));
    // And behind a later event only what came later.
    let id = events[1].id.clone().unwrap();
    let again = client.resume(&id).events();
    assert_eq!(again, events[2..]);
}

#[test]
fn hanging_up_in_a_session_ends_the_call_at_once_or_after_a_while() {
    let (pages, waiting) = slow(20);
    let server = serve(&["--sessions"]);
    // It was given no event to resume from.
    let client = server.client().initialized("2025-06-18").0;
    let reply = fetch(&client, 1, &pages.url("/"));
    until(&waiting, 1);
    drop(reply);
    assert!(until(&waiting, 0) < Duration::from_secs(2));
    // It could have come back.
    let client = server.client().initialized("2025-11-25").0;
    let mut reply = fetch(&client, 1, &pages.url("/"));
    let first = reply.event().unwrap().id.unwrap();
    until(&waiting, 1);
    drop(reply);
    let ended = until(&waiting, 0);
    assert!(ended > Duration::from_millis(3500), "{ended:?}");
    assert!(ended < Duration::from_secs(7), "{ended:?}");
    // And comes too late.
    let resumed = client.resume(&first);
    assert_eq!(resumed.events(), []);
    assert_eq!(client.ask("ping", &json!({}))["result"], json!({}));
}

#[test]
fn a_client_s_cancellation_and_the_end_of_its_session_end_the_call() {
    let (pages, waiting) = slow(20);
    let server = serve(&["--sessions"]);
    let client = server.client().initialized("2025-11-25").0;
    let reply = fetch(&client, 4, &pages.url("/"));
    until(&waiting, 1);
    let cancelled = client.post(
        &json!({"jsonrpc": "2.0", "method": "notifications/cancelled",
        "params": {"requestId": 4}}),
    );
    assert_eq!(cancelled.status, 202);
    assert!(until(&waiting, 0) < Duration::from_secs(2));
    let events = reply.events();
    assert!(
        events.iter().all(|event| event.data.is_empty()),
        "{events:?}"
    );

    let reply = fetch(&client, 5, &pages.url("/"));
    until(&waiting, 1);
    assert_eq!(client.send("DELETE", "").status, 202);
    assert!(until(&waiting, 0) < Duration::from_secs(2));
    drop(reply);
}

#[test]
fn five_hundred_sessions_fit_into_memory_and_the_longest_idle_one_makes_room() {
    let server = serve(&["--sessions", "--calls-per-second", "100000"]);
    let first = server.client().initialized("2025-11-25").0;
    let before = server.memory("VmRSS");
    let clients: Vec<Client> = (0..499)
        .map(|_| server.client().initialized("2025-11-25").0)
        .collect();
    // Of the program itself, much more is in memory where it is compiled without optimisation.
    let memory = server.memory("VmRSS").saturating_sub(before);
    println!("{memory} KiB for 499 sessions");
    assert!(memory < 36 * 1024, "{memory} KiB");
    assert_eq!(first.status_of("ping"), 200);
    // One that listens is not idle.
    let stream = clients[0].listen();
    server.client().initialized("2025-11-25");
    assert_eq!(first.status_of("ping"), 200);
    assert_eq!(clients[0].status_of("ping"), 200);
    assert_eq!(clients[1].status_of("ping"), 404);
    assert_eq!(clients[2].status_of("ping"), 200);
    drop(stream);
}

#[test]
fn a_session_is_its_token_s_and_for_another_token_it_is_not_there() {
    let server = http(&["--sessions", "--allow-private"])
        .tokens(&["alice", "bob"])
        .start();
    let (pages, waiting) = slow(20);
    let alice = server.client().holding("alice").initialized("2025-11-25").0;
    let bob = server
        .client()
        .holding("bob")
        .with("Mcp-Session-Id", alice.session());
    let mut reply = fetch(&alice, 1, &pages.url("/"));
    let first = reply.event().unwrap().id.unwrap();
    until(&waiting, 1);
    let message = |method: &str| json!({"jsonrpc": "2.0", "id": 1, "method": method});
    let cancel = json!({"jsonrpc": "2.0", "method": "notifications/cancelled",
        "params": {"requestId": 1}});
    let unknown = server
        .client()
        .holding("bob")
        .with("Mcp-Session-Id", "0af5d7b2-0000-4000-8000-000000000000");
    let tried = |client: &Client| {
        [
            client.post(&message("tools/list")),
            client.post(&cancel),
            client.send("GET", ""),
            client.resume(&first),
            client.send("DELETE", ""),
        ]
        .map(|reply| (reply.status, reply.whole().text()))
    };
    let refused = tried(&bob);
    assert!(
        refused.iter().all(|(status, _)| *status == 404),
        "{refused:?}"
    );
    // Exactly as one that is not there.
    assert_eq!(refused, tried(&unknown));
    assert_eq!(waiting.load(Ordering::SeqCst), 1);
    assert_eq!(alice.status_of("ping"), 200);
}

#[test]
fn where_every_session_has_a_call_under_way_a_new_one_is_told_when_to_come_again() {
    let (pages, waiting) = slow(20);
    let server = http(&["--sessions", "--allow-private"])
        .args(&["--calls-per-second", "100000", "--calls-at-once", "1000"])
        .tokens(&["alice", "bob"])
        .start();
    let alice = server.client().holding("alice");
    let url = pages.url("/");
    let under_way: Vec<(Client, Reply)> = (0..256)
        .map(|_| {
            let client = alice.initialized("2025-11-25").0;
            // Its head has come: the call has begun. Equal ones go out once.
            let reply = client.call(1, "scrape_page", &json!({"url": url}));
            assert_eq!(reply.status, 200);
            (client, reply)
        })
        .collect();
    until(&waiting, 1);
    let refused = alice.initialize("2025-11-25").whole();
    assert_eq!(refused.status, 503, "{refused:?}");
    assert_eq!(refused.header("retry-after"), Some("5"));
    assert_eq!(refused.header("mcp-session-id"), None);
    assert_eq!(refused.error_code(), -32000);
    let object = refused.json();
    assert_eq!(object["id"], 0);
    let said = object["error"]["message"].as_str().unwrap();
    said.assert_row("mcp_http", "a session too many");
    // Those that are there are as they were, and another token has room.
    assert_eq!(under_way[0].0.status_of("ping"), 200);
    server.client().holding("bob").initialized("2025-11-25");
    assert_eq!(under_way[7].0.send("DELETE", "").status, 202);
    alice.initialized("2025-11-25");
    assert_eq!(under_way[0].0.status_of("ping"), 200);
}

#[test]
fn at_its_end_a_server_answers_calls_and_lets_those_go_who_only_listen() {
    let (pages, waiting) = slow(3);
    let mut server = serve(&["--sessions"]);
    let caller = server.client().initialized("2025-06-18").0;
    let resuming = server.client().initialized("2025-11-25").0;
    let mut listening = [
        &caller,
        &resuming,
        &server.client().initialized("2025-11-25").0,
    ]
    .map(Client::listen);
    let url = pages.url("/");
    let waited_for = fetch(&caller, 1, &url);
    let mut reply = fetch(&resuming, 2, &pages.url("/other"));
    let first = reply.event().unwrap().id.unwrap();
    drop(reply);
    let resumed = resuming.resume(&first);
    until(&waiting, 2);
    server.signal(libc::SIGTERM);
    for stream in &mut listening {
        while stream.try_event().is_ok_and(|event| event.is_some()) {}
    }
    // They have ended before the pages came.
    assert_eq!(waiting.load(Ordering::SeqCst), 2);
    for (reply, id) in [(waited_for, 1), (resumed, 2)] {
        let answer = reply.message();
        assert_eq!(answer["id"], id);
        assert!(text_of(&answer).contains("slow at last"), "{answer}");
    }
    let status = server.ended_within(Duration::from_secs(2)).unwrap();
    assert_eq!(status.code(), Some(0));
}

#[test]
fn a_server_to_which_clients_only_listen_ends_at_once() {
    let mut server = serve(&["--sessions"]);
    let clients = [(); 3].map(|()| server.client().initialized("2025-11-25").0);
    let _listening = clients.each_ref().map(Client::listen);
    server.signal(libc::SIGTERM);
    let status = server.ended_within(Duration::from_secs(2)).unwrap();
    assert_eq!(status.code(), Some(0));
    assert!(!server.log().contains("under way"), "{}", server.log());
}

#[test]
fn a_client_without_a_handshake_is_known_by_its_user_agent() {
    let pages = Server::bytes(page("a line of twenty-four.\n".repeat(3000)));
    let server = serve(&[]);
    let length = |client: &Client| {
        let answer = fetch(client, 1, &pages.url("/")).message();
        text_of(&answer).len()
    };
    let unknown = server.client();
    let agent = |name: &str| unknown.with("User-Agent", name);
    for (client, expected) in [
        (agent("codex-mcp-client/0.169.0"), 5_000..=11_000),
        (agent("node"), 15_000..=25_000),
        (agent("curl/8.5.0"), 12_000..=19_000),
        (unknown.clone(), 12_000..=19_000),
    ] {
        let length = length(&client);
        assert!(expected.contains(&length), "{length} {expected:?}");
    }
}
