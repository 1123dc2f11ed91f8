//! The messages of the web tools: what each table has of a server's answer, and what comes of it.
//!
//! `UPDATE_MESSAGES=1 cargo test --test network web::messages` writes the tables anew.

use crate::common::messages::{self, Row, answer_here, shown};
use crate::common::{text, tree};
use crate::server::{Server, reply};
use crate::staged;
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::path::Path;

/// A key that shows where it should not, written in any way.
const KEY: &str = "k3y+of/the=test";

/// The longest content that is shown, in characters.
const LONGEST_CONTENT: usize = 200;

/// The fields of an answer that are read by a model.
const FIELDS: [&str; 13] = [
    "content",
    "count",
    "resultCount",
    "source",
    "scrapeFailures",
    "retryable",
    "retryAfterSeconds",
    "suggestedAction",
    "detail",
    "extractionQuality",
    "sparsityWarning",
    "warning",
    "note",
];

/// Providers that are at a path of their name at the row's server.
const PROVIDERS: [&str; 18] = [
    "arxiv",
    "brave",
    "crossref",
    "datacite",
    "doi",
    "duckduckgo",
    "epo",
    "exa",
    "google",
    "lens",
    "openalex",
    "pubmed",
    "searchapi",
    "semanticscholar",
    "serper",
    "tavily",
    "uspto",
    "wayback",
];

/// A reply of a row's server.
#[derive(Clone, Default)]
struct RowReply {
    /// The path, or words of a request for one, that it answers with what is below it, if not all
    /// others.
    target: Option<String>,
    /// Status line and headers, an empty line, and the body.
    lines: Vec<String>,
    /// In place of these, what is sent whatever was asked: a character is a byte.
    raw: Option<Vec<u8>>,
}

impl RowReply {
    /// Those that the lines of a row give: `< LINE`, `raw "BYTES"`, and what is behind `at /PATH`
    /// or `at ?WORDS`.
    fn all_of(row: &Row) -> Vec<Self> {
        let mut all = vec![Self::default()];
        for line in &row.setup {
            let last = all.last_mut().unwrap();
            if let Some(target) = line.strip_prefix("at ") {
                let target = Some(target.to_owned());
                all.push(Self {
                    target,
                    ..Self::default()
                });
            } else if let Some(line) = line.strip_prefix('<') {
                last.lines
                    .push(line.strip_prefix(' ').unwrap_or(line).to_owned());
            } else if let Some(bytes) = line.strip_prefix("raw ") {
                let bytes: String = serde_json::from_str(bytes).unwrap();
                let bytes = bytes.chars().map(|byte| u8::try_from(byte).unwrap());
                last.raw = Some(bytes.collect());
            }
        }
        all
    }

    /// Whether it is the reply to this request alone.
    fn answers(&self, asked: &str) -> bool {
        let Some(target) = &self.target else {
            return false;
        };
        if let Some(words) = target.strip_prefix('?') {
            return asked.contains(words);
        }
        let path = asked.split('?').next().unwrap_or_default();
        let below = path.strip_prefix(target.as_str());
        below.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }

    fn bytes(&self, origin: &str) -> Vec<u8> {
        let lines: Vec<String> = self
            .lines
            .iter()
            .map(|line| line.replace("<server>", origin))
            .collect();
        let mut parts = lines.splitn(2, String::is_empty);
        let head = parts.next().unwrap_or_default().join("\r\n");
        let body = parts.next().unwrap_or_default().join("\n");
        match head.as_str() {
            "" if self.target.is_none() => reply("200 OK\r\nContent-Type: text/plain", "text"),
            head => reply(head, body),
        }
    }
}

/// The server that gives the replies that a row has.
fn server(row: &Row) -> Server {
    let replies = RowReply::all_of(row);
    if let Some(raw) = replies[0].raw.clone() {
        return Server::raw(move |mut stream| {
            // A client that is gone is no failure of the server.
            let _ = stream.read(&mut [0; 4096]);
            let _ = stream.write_all(&raw);
        });
    }
    Server::start(move |asked, conn| {
        let reply = replies.iter().find(|reply| reply.answers(&asked.target));
        let origin = format!("http://{}", asked.header("host").unwrap_or_default());
        conn.write_all(&reply.unwrap_or(&replies[0]).bytes(&origin))
    })
}

/// Where a row's call is made: a home and a server, which those below it have as well that say
/// `again`, and the research session that was named last.
struct Stage {
    home: tempfile::TempDir,
    server: Server,
    session: String,
}

/// Calls the tool and gives its answer as lines of the table.
fn answer(row: &Row, stage: &mut Option<Stage>) -> String {
    if row.setup_of("again").next().is_none() {
        *stage = None;
    }
    let stage = stage.get_or_insert_with(|| Stage {
        home: {
            let files = row
                .files
                .iter()
                .map(|(name, content)| (&**name, &**content));
            tree(&files.collect::<Vec<_>>())
        },
        server: server(row),
        session: String::new(),
    });
    let origin = stage.server.url("");
    let host = origin.trim_start_matches("http://");
    let here = text(stage.home.path());
    let mut sent = row.request.clone();
    for (placeholder, value) in [
        ("<server>", &*origin),
        ("<host>", host),
        ("<here>", here),
        ("<session>", &stage.session),
    ] {
        sent = sent.replace(placeholder, value);
    }
    let request = match serde_json::from_str(&sent) {
        Ok(request @ Value::Object(_)) => request,
        _ => json!({ "url": sent }),
    };
    let mut variables: Vec<(String, String)> = [
        ("HOME", here),
        ("IKIGAI_NO_CACHE", "1"),
        ("IKIGAI_BROWSER", ""),
        ("IKIGAI_OFFICE", ""),
        ("BRAVE_API_KEY", KEY),
        ("GOOGLE_SEARCH_API_KEY", KEY),
        ("GOOGLE_SEARCH_ENGINE_ID", "engine"),
        ("IKIGAI_HN_URL", &origin),
    ]
    .map(|(name, value)| (name.to_owned(), value.to_owned()))
    .into();
    for name in PROVIDERS {
        let variable = format!("IKIGAI_{}_URL", name.to_uppercase());
        variables.push((variable, format!("{origin}/{name}")));
    }
    for (name, value) in row.variables() {
        variables.push((name.to_owned(), value.replace("<server>", &origin)));
    }
    let variables: Vec<_> = variables
        .iter()
        .map(|(name, value)| (&**name, &**value))
        .collect();
    let mut answer = answer_here(&row.tool, &request, stage.home.path(), &variables);
    assert!(!answer.to_string().contains("k3y"), "{answer}");
    let note = answer["note"].as_str().unwrap_or_default();
    assert!(!note.chars().any(char::is_control), "{note:?}");
    assert!(note.chars().count() < 1200, "{note}");
    if let Some(content) = answer["content"].as_str() {
        let shortened: String = content.chars().take(LONGEST_CONTENT).collect();
        answer["content"] = shortened.into();
    }
    if let Some(session) = answer["sessionId"].as_str() {
        session.clone_into(&mut stage.session);
    }
    let port = format!("port {}", stage.server.port());
    let mut placeholders = vec![
        (&*origin, "<server>"),
        (host, "<host>"),
        (&port, "port <port>"),
        (here, "<here>"),
    ];
    if !stage.session.is_empty() {
        placeholders.push((&stage.session, "<session>"));
    }
    shown(&answer, &FIELDS, &placeholders)
}

#[test]
fn every_message_is_the_one_in_its_table() {
    let body = |_: &Path| {
        for table in [
            "web_fetch",
            "scrape_page",
            "academic_search",
            "patent_search",
            "search_and_scrape",
            "sequential_search",
            "web_search",
            "web_search_brave",
            "web_search_google",
        ] {
            let mut stage = None;
            messages::check(table, |row| answer(row, &mut stage));
        }
    };
    let this = "web::messages::every_message_is_the_one_in_its_table";
    staged::alone(this, messages::staged_variables(), body);
}
