//! The messages of the web tools: what each table has of a server's answer, and what comes of it.
//!
//! `UPDATE_MESSAGES=1 cargo test --test network web::messages` writes the tables anew.

use crate::common::messages::{self, Row, answer_here, shown};
use crate::common::{directory, text};
use crate::server::{Server, reply};
use crate::staged;
use serde_json::{Value, json};
use std::path::Path;

/// A key that shows where it should not, written in any way.
const KEY: &str = "k3y+of/the=test";

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
    let mut variables = vec![
        ("HOME", text(home.path()).to_owned()),
        ("IKIGAI_NO_CACHE", "1".to_owned()),
        ("IKIGAI_BROWSER", String::new()),
        ("BRAVE_API_KEY", KEY.to_owned()),
        ("GOOGLE_SEARCH_API_KEY", KEY.to_owned()),
        ("GOOGLE_SEARCH_ENGINE_ID", "engine".to_owned()),
        ("IKIGAI_BRAVE_URL", origin.clone()),
        ("IKIGAI_GOOGLE_URL", origin.clone()),
        ("IKIGAI_HN_URL", origin.clone()),
    ];
    for (name, value) in row.variables() {
        variables.push((name, value.replace("<server>", &origin)));
    }
    let variables: Vec<_> = variables
        .iter()
        .map(|(name, value)| (*name, &**value))
        .collect();
    let mut answer = answer_here(&row.tool, &request, home.path(), &variables);
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
    let body = |_: &Path| {
        for table in [
            "web_fetch",
            "scrape_page",
            "web_search",
            "web_search_brave",
            "web_search_google",
        ] {
            messages::check(table, answer);
        }
    };
    let this = "web::messages::every_message_is_the_one_in_its_table";
    staged::alone(this, messages::staged_variables(), body);
}
