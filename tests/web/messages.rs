//! The messages of the web tools: what each table has of a server's answer, and what comes of it.
//!
//! `UPDATE_MESSAGES=1 cargo test --test network web::messages` writes the tables anew.

use crate::common::messages::{self, Row, shown};
use crate::common::{directory, tool};
use crate::server::{Server, reply};
use serde_json::{Value, json};

/// The longest content that is shown, in characters.
const LONGEST_CONTENT: usize = 200;

/// The fields of an answer that are read by a model.
const FIELDS: [&str; 7] = [
    "content",
    "count",
    "retryAfterSeconds",
    "suggestedAction",
    "detail",
    "extractionQuality",
    "note",
];

/// The server that gives the reply that a row has.
fn server(row: &Row) -> Server {
    let lines: Vec<&str> = row.setup_of("<").collect();
    let mut parts = lines.splitn(2, |line| line.is_empty());
    let head = parts.next().unwrap_or_default().join("\r\n");
    let body = parts.next().unwrap_or_default().join("\n");
    Server::bytes(match head.as_str() {
        "" => reply("200 OK\r\nContent-Type: text/plain", "text"),
        head => reply(head, body),
    })
}

/// Calls the tool and gives its answer as lines of the table.
fn answer(row: &Row) -> String {
    let server = server(row);
    let origin = server.url("");
    let sent = row.request.replace("<server>", &origin);
    let request = match serde_json::from_str(&sent) {
        Ok(request @ Value::Object(_)) => request,
        _ => json!({ "url": sent }),
    };
    let home = directory();
    let mut call = tool(&format!("{}-tool", row.tool.replace('_', "-")))
        .with(&request)
        .env("HOME", home.path())
        .in_directory(home.path());
    for name in ["http_proxy", "https_proxy", "all_proxy"] {
        call = call.without_env(name).without_env(&name.to_uppercase());
    }
    for name in ["IKIGAI_CONFIG_DIR", "XDG_CONFIG_HOME", "SEARCH_PROVIDER"] {
        call = call.without_env(name);
    }
    for (name, value) in [
        ("IKIGAI_NO_CACHE", "1"),
        ("IKIGAI_BROWSER", ""),
        ("BRAVE_API_KEY", "k3y+of/the=test"),
        ("GOOGLE_SEARCH_API_KEY", "k3y+of/the=test"),
        ("GOOGLE_SEARCH_ENGINE_ID", "engine"),
        ("IKIGAI_BRAVE_URL", &origin),
        ("IKIGAI_GOOGLE_URL", &origin),
        ("IKIGAI_HN_URL", &origin),
    ] {
        call = call.env(name, value);
    }
    for (name, value) in row.variables() {
        call = call.env(name, value.replace("<server>", &origin));
    }
    let mut answer = call.run().json();
    assert!(!answer.to_string().contains("k3y"), "{answer}");
    if let Some(content) = answer["content"].as_str() {
        let shortened: String = content.chars().take(LONGEST_CONTENT).collect();
        answer["content"] = shortened.into();
    }
    let host = origin.trim_start_matches("http://");
    let port = format!("port {}", server.port());
    let placeholders = [
        (&*origin, "<server>"),
        (host, "<host>"),
        (&port, "port <port>"),
    ];
    shown(&answer, &FIELDS, &placeholders)
}

#[test]
fn every_message_is_the_one_in_its_table() {
    for table in [
        "web_fetch",
        "scrape_page",
        "web_search",
        "web_search_brave",
        "web_search_google",
    ] {
        messages::check(table, answer);
    }
}
