//! Every message of the web tools in one file, `messages.txt`: a request and what a server answers,
//! and below it the error or the note that comes of it, word for word.
//!
//! `UPDATE_MESSAGES=1 cargo test --test network web::messages` writes the file anew: its diff shows
//! each change of wording.

use std::fmt::Write as _;

use crate::common::{directory, tool};
use crate::server::{Server, reply};
use serde_json::{Value, json};

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/web/messages.txt");

/// The longest content that is shown, in characters.
const LONGEST_CONTENT: usize = 200;

/// One case of the file: the lines that it begins with, and what they mean.
#[derive(Default)]
struct MessageCase {
    /// The lines as they stand in the file, the answer left out.
    lines: Vec<String>,
    tool: String,
    request: String,
    variables: Vec<(String, String)>,
    reply: Vec<String>,
}

impl MessageCase {
    fn parse(block: &str) -> Self {
        let mut case = Self::default();
        for line in block.lines() {
            if let Some(reply) = line.strip_prefix("  <") {
                case.reply
                    .push(reply.strip_prefix(' ').unwrap_or(reply).to_owned());
            } else if let Some(variable) = line.strip_prefix("  env ") {
                let (name, value) = variable.split_once('=').unwrap();
                case.variables.push((name.to_owned(), value.to_owned()));
            } else if line.starts_with("  ") {
                // The answer, which is made anew.
                continue;
            } else if !line.starts_with('#') {
                let (tool, request) = line.split_once(' ').unwrap();
                case.tool = format!("{}-tool", tool.replace('_', "-"));
                request.clone_into(&mut case.request);
            }
            case.lines.push(line.to_owned());
        }
        case
    }

    fn is_comment(&self) -> bool {
        self.tool.is_empty()
    }

    /// The server that gives the case's reply.
    fn server(&self) -> Server {
        let mut parts = self.reply.splitn(2, String::is_empty);
        let head = parts.next().unwrap_or_default().join("\r\n");
        let body = parts.next().unwrap_or_default().join("\n");
        Server::bytes(match head.as_str() {
            "" => reply("200 OK\r\nContent-Type: text/plain", "text"),
            head => reply(head, body),
        })
    }

    /// Calls the tool and gives its answer as lines of the file.
    fn answer(&self) -> String {
        let server = self.server();
        let origin = server.url("");
        let sent = self.request.replace("{server}", &origin);
        let request = match serde_json::from_str(&sent) {
            Ok(request @ Value::Object(_)) => request,
            _ => json!({ "url": sent }),
        };
        let home = directory();
        let mut call = tool(&self.tool)
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
        for (name, value) in &self.variables {
            call = call.env(name, value.replace("{server}", &origin));
        }
        let shown = shown(&call.run().json());
        assert!(!shown.contains("k3y"), "{shown}");
        let host = origin.trim_start_matches("http://");
        let port = format!("port {}", server.port());
        shown
            .replace(&origin, "{server}")
            .replace(host, "{host}")
            .replace(&port, "port {port}")
    }
}

/// The fields of an answer that are read by a model, a line each.
fn shown(answer: &Value) -> String {
    let mut lines = String::new();
    let mut add = |name: &str, value: &str| {
        let value = value.replace('\n', "\\n");
        writeln!(lines, "  {name}: {value}").unwrap();
    };
    if let Some(code) = answer.get("error_code").and_then(Value::as_str) {
        add(code, answer["error"].as_str().unwrap());
    }
    for name in [
        "content",
        "count",
        "retryAfterSeconds",
        "suggestedAction",
        "detail",
        "extractionQuality",
        "note",
    ] {
        match answer.get(name) {
            None | Some(Value::Null) => {}
            Some(Value::String(text)) if name == "content" => {
                add(
                    name,
                    &text.chars().take(LONGEST_CONTENT).collect::<String>(),
                );
            }
            Some(Value::String(text)) => add(name, text),
            Some(other) => add(name, &other.to_string()),
        }
    }
    lines
}

#[test]
fn every_message_is_the_one_in_the_file() {
    let file = std::fs::read_to_string(FILE).unwrap();
    let mut now = Vec::new();
    for block in file.trim_end().split("\n\n") {
        let case = MessageCase::parse(block);
        let mut text = case.lines.join("\n") + "\n";
        if !case.is_comment() {
            text += &case.answer();
        }
        now.push(text);
    }
    let now = now.join("\n");
    if std::env::var_os("UPDATE_MESSAGES").is_some() {
        std::fs::write(FILE, &now).unwrap();
        return;
    }
    let cases = file.split("\n\n").zip(now.split("\n\n"));
    for (before, now) in cases {
        assert_eq!(before.trim_end(), now.trim_end());
    }
    assert_eq!(file, now);
}
