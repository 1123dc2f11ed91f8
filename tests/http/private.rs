//! `ikigai-tools mcp --http`: what its callers reach of the network it stands in, and what they see
//! of each other.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use serde_json::{Value, json};

use crate::common::{public_directory, text};
use crate::http_server::{Client, HttpServer, http};
use crate::reading::Home;
use crate::server::{Server, page, redirect, reply};

/// What tells this refusal from other failures of the network.
const PUBLIC_ONLY: &str = "this server fetches public addresses only";

/// A server in a home that others have, too.
fn serve(flags: &[&str], home: &Home) -> HttpServer {
    http(flags).envs(&home.environment()).start()
}

/// Makes a call, and returns what a model is shown, and whether the call failed.
fn called(client: &Client, tool: &str, arguments: &Value) -> (String, bool) {
    let answer = client.call(1, tool, arguments).message();
    let content = answer["result"]["content"].as_array();
    let content = content.unwrap_or_else(|| panic!("{answer}"));
    let texts = content.iter().filter_map(|one| one["text"].as_str());
    (texts.collect(), answer["result"]["isError"] == true)
}

#[test]
fn no_private_address_is_fetched_for_anybody_unless_the_operator_says_so() {
    let pages = Server::bytes(page("a page of this machine"));
    let home = Home::new();
    let server = serve(&[], &home);
    let client = server.client();
    for tool in ["scrape_page", "web_fetch"] {
        for host in [
            "127.0.0.1",
            "localhost",
            "127.1",
            "[::ffff:127.0.0.1]",
            "10.255.255.1",
        ] {
            let url = pages.url_as(host, "/");
            let (said, failed) = called(&client, tool, &json!({"url": url}));
            assert!(failed, "{said}");
            assert!(said.contains(PUBLIC_ONLY), "{said}");
            assert!(said.contains("NETWORK_ERROR"), "{said}");
            for flag in ["allow-private", "allow_private", "--"] {
                assert!(!said.contains(flag), "{said}");
            }
        }
    }
    let (said, failed) = called(
        &client,
        "scrape_page",
        &json!({"url": pages.url("/"), "mode": "raw"}),
    );
    assert!(failed && said.contains(PUBLIC_ONLY), "{said}");
    assert!(pages.asked().is_empty());
    let server = serve(&["--allow-private"], &home);
    for tool in ["scrape_page", "web_fetch"] {
        let (said, failed) = called(&server.client(), tool, &json!({"url": pages.url("/")}));
        assert!(!failed && said.contains("a page of this machine"), "{said}");
    }
}

#[test]
fn what_was_fetched_where_private_addresses_are_allowed_is_not_shown_where_they_are_not() {
    let pages = Server::bytes(page("a page of this machine"));
    let home = Home::new();
    let asked = json!({"url": pages.url("/")});
    home.page(&pages.url("/"));
    let allowed = serve(&["--allow-private"], &home);
    let (said, failed) = called(&allowed.client(), "scrape_page", &asked);
    assert!(!failed && said.contains("a page of this machine"), "{said}");
    // It was kept.
    assert_eq!(pages.asked().len(), 1);
    let server = serve(&[], &home);
    let (said, failed) = called(&server.client(), "scrape_page", &asked);
    assert!(failed && said.contains(PUBLIC_ONLY), "{said}");
    // And the refusal is nobody else's.
    home.page(&pages.url("/"));
    let (_, failed) = called(&allowed.client(), "scrape_page", &asked);
    assert!(!failed);
}

#[test]
fn what_the_operator_has_configured_is_reached_wherever_it_is() {
    let found = json!({"results": [{"url": "https://example.com/found", "title": "Found",
        "content": "what was found"}]});
    let searches = Server::bytes(reply(
        "200 OK\r\nContent-Type: application/json",
        found.to_string(),
    ));
    let home = Home::new()
        .set("SEARCH_PROVIDER", "searxng")
        .set("SEARXNG_URL", &searches.url(""));
    let server = serve(&[], &home);
    let (said, failed) = called(&server.client(), "web_search", &json!({"query": "found"}));
    assert!(
        !failed && said.contains("https://example.com/found"),
        "{said}"
    );
}

#[test]
fn through_the_operator_s_proxy_public_pages_are_fetched_and_private_ones_are_not() {
    let proxy = Server::start(|asked, conn| {
        if asked.target.ends_with("/away") {
            return conn.write_all(&redirect("http://127.0.0.1:9/"));
        }
        conn.write_all(&page("through the proxy"))
    });
    let server = http(&[]).env("http_proxy", proxy.url("")).start();
    let get = |url: &str| called(&server.client(), "web_fetch", &json!({"url": url}));
    let (said, failed) = get("http://pages.example/");
    assert!(!failed && said.contains("through the proxy"), "{said}");
    let before = proxy.asked().len();
    let (said, failed) = get("http://10.1.2.3/");
    assert!(failed && said.contains(PUBLIC_ONLY), "{said}");
    assert_eq!(proxy.asked().len(), before);
    let (said, failed) = get("http://pages.example/away");
    assert!(failed && said.contains(PUBLIC_ONLY), "{said}");
}

/// The file that a note names.
fn named_file(said: &str) -> String {
    let from = said.find("/state/ikigai-tools/output/").expect(said);
    let begin = said[..from]
        .rfind(char::is_whitespace)
        .map_or(0, |at| at + 1);
    let rest = &said[begin..];
    let end = rest.find(".txt").expect(said) + ".txt".len();
    rest[..end].to_owned()
}

/// A server of commands and files within a directory for alice and bob, whose answers are short.
fn server_of_two() -> Option<(tempfile::TempDir, HttpServer)> {
    if !can_confine() {
        crate::common::skip("this kernel has no Landlock");
        return None;
    }
    let work = public_directory();
    let server = http(&["--root", text(work.path()), "--tools", "bash,local"])
        .args(&["--max-answer", "2000"])
        .tokens(&["alice", "bob"])
        .start();
    Some((work, server))
}

#[test]
fn what_one_token_s_commands_leave_no_other_token_reads() {
    let Some((_work, server)) = server_of_two() else {
        return;
    };
    let [alice, bob] = ["alice", "bob"].map(|name| server.client().holding(name));
    let command = json!({"command": "echo the secret of alice; seq 1 20000"});
    let (said, failed) = called(&alice, "bash", &command);
    assert!(!failed, "{said}");
    let file = named_file(&said);
    let kept = Path::new(&file);
    let directory = kept.parent().unwrap();
    assert_eq!(fs::metadata(directory).unwrap().mode() & 0o7777, 0o700);
    assert_eq!(fs::metadata(kept).unwrap().mode() & 0o7777, 0o600);
    let own = directory.file_name().unwrap().to_str().unwrap();
    assert!(own.len() == 32 && !own.contains("alice"), "{own}");

    let read = json!({"file_path": file, "limit": 1});
    let (said, failed) = called(&alice, "file_read", &read);
    assert!(!failed && said.contains("the secret of alice"), "{said}");
    let above = text(directory.parent().unwrap());
    for (tool, arguments) in [
        ("file_read", read),
        ("grep", json!({"pattern": "secret", "path": file})),
        (
            "grep",
            json!({"pattern": "secret", "path": above, "glob": "**/*"}),
        ),
        ("glob", json!({"pattern": "**/*", "path": above})),
        ("glob", json!({"pattern": "*", "path": text(directory)})),
        ("bash", json!({"command": format!("cat {file}")})),
        (
            "bash",
            json!({"command": format!("ls {above} {}", text(directory))}),
        ),
    ] {
        let (said, _) = called(&bob, tool, &arguments);
        assert!(!said.contains("the secret of alice"), "{tool}: {said}");
        let name = kept.file_name().unwrap().to_str().unwrap();
        let said = said.replace(&file, "");
        assert!(!said.contains(name), "{tool}: {said}");
    }
    let (said, failed) = called(&bob, "file_read", &json!({"file_path": file}));
    assert!(failed && said.contains("PERMISSION_DENIED"), "{said}");
    // What is bob's own is.
    let (said, _) = called(&bob, "bash", &json!({"command": "seq 1 20000"}));
    let own = named_file(&said);
    assert_ne!(Path::new(&own).parent(), Some(directory));
    let (said, failed) = called(&bob, "file_read", &json!({"file_path": own, "limit": 1}));
    assert!(!failed, "{said}");
}

#[test]
fn what_one_token_s_commands_do_in_the_background_no_other_token_stops_or_reads() {
    let Some((_work, server)) = server_of_two() else {
        return;
    };
    let [alice, bob] = ["alice", "bob"].map(|name| server.client().holding(name));
    let place = json!({"command": "umask 0; echo of alice >$TMPDIR/file; echo $TMPDIR"});
    let (place, _) = called(&alice, "bash", &place);
    let command = json!({"command": "echo the secret of alice; sleep 60", "background": true});
    let (said, failed) = called(&alice, "bash", &command);
    assert!(!failed, "{said}");
    let file = named_file(&said);
    let number: u32 = said
        .split(|c: char| !c.is_ascii_digit())
        .find_map(|word| word.parse().ok())
        .unwrap();
    let stop = json!({ "stop": number });
    let (said, failed) = called(&bob, "bash", &stop);
    assert!(failed, "{said}");
    let (said, failed) = called(&bob, "file_read", &json!({"file_path": file}));
    assert!(failed && said.contains("PERMISSION_DENIED"), "{said}");
    for command in [
        format!("kill {number}"),
        format!("cat {place}/file"),
        format!("ls {place}/.."),
    ] {
        let (said, _) = called(&bob, "bash", &json!({ "command": command }));
        assert!(
            said.contains("ermission denied") || said.contains("not permitted"),
            "{said}"
        );
    }
    let (own, _) = called(&bob, "bash", &json!({"command": "echo $TMPDIR"}));
    assert_ne!(own, place);
    let (said, failed) = called(&alice, "file_read", &json!({"file_path": file}));
    assert!(!failed && said.contains("the secret of alice"), "{said}");
    let (said, failed) = called(&alice, "bash", &stop);
    assert!(!failed, "{said}");
}

/// Whether a server with directories starts here at all.
pub fn can_confine() -> bool {
    let asked = crate::common::tool("glob")
        .env("IKIGAI_ROOTS", "/tmp")
        .with(&json!({"pattern": "*", "path": "/tmp"}))
        .run()
        .json();
    !asked.to_string().contains("Landlock")
}
