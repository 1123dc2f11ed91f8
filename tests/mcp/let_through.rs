//! Long answers to clients that cut them: what each does beyond its limits is done here, and a
//! model that reads only what is left still comes to the end by what it is told.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::session::Session;
use crate::common::{add_names, directory};
use crate::server::{Server, reply};

/// What a client leaves of an answer beyond its limits.
#[derive(Clone, Copy)]
enum Left {
    Nothing,
    Beginning(usize),
    BothEnds,
}

/// A client as it cuts: its name, the most bytes and lines, and what it leaves of more.
#[derive(Clone, Copy)]
struct CuttingClient {
    name: &'static str,
    bytes: usize,
    lines: usize,
    /// It counts the text as JSON has it.
    escaped: bool,
    left: Left,
}

const ANY: usize = usize::MAX;

const fn client(name: &'static str, bytes: usize, lines: usize, left: Left) -> CuttingClient {
    CuttingClient {
        name,
        bytes,
        lines,
        escaped: false,
        left,
    }
}

const CLIENTS: [CuttingClient; 13] = [
    client("codex-mcp-client", 11 * 1024, ANY, Left::BothEnds),
    client("qwen-cli-mcp-client-ikigai", 25_000, 1000, Left::BothEnds),
    client("claude-code", 40_000, ANY, Left::Nothing),
    client("gemini-cli-mcp-client", 40_000, ANY, Left::BothEnds),
    client("opencode", 50 * 1024, 2000, Left::Beginning(50 * 1024)),
    client("kilo", 50 * 1024, 2000, Left::Beginning(50 * 1024)),
    client("copilot-cli", 20_000, ANY, Left::Beginning(839)),
    client("fast-agent-mcp", 16_000, ANY, Left::BothEnds),
    CuttingClient {
        escaped: true,
        ..client("@cline/core", 8000, ANY, Left::Beginning(4000))
    },
    client("mcp", 11 * 1024, ANY, Left::BothEnds),
    client("continue-client", 20_000, 1000, Left::Nothing),
    client("node", 25_000, 1000, Left::BothEnds),
    client("someone", 20_000, 1000, Left::Nothing),
];

impl CuttingClient {
    /// What its model sees of `text`.
    fn shown(&self, text: &str) -> String {
        let length = if self.escaped {
            serde_json::to_string(text).unwrap().len()
        } else {
            text.len()
        };
        if length <= self.bytes && text.split('\n').count() <= self.lines {
            return text.to_owned();
        }
        let lines: Vec<&str> = text.split('\n').collect();
        let beginning = |most: usize| -> String {
            let lines = &lines[..lines.len().min(self.lines)];
            lines.join("\n").chars().take(most).collect()
        };
        match self.left {
            Left::Nothing => String::from("(too long)"),
            Left::Beginning(most) => beginning(most) + "\n(too long)",
            Left::BothEnds => {
                let end: String = text.chars().rev().take(self.bytes / 2).collect();
                let end: String = end.chars().rev().collect();
                format!("{}\n(cut)\n{end}", beginning(self.bytes / 5))
            }
        }
    }
}

/// A model that sees what its client leaves.
struct Model {
    client: CuttingClient,
    session: Session,
}

impl Model {
    fn of(client: CuttingClient, here: &Path) -> Self {
        let session = Session::plain(here, client.name, &[]);
        Self { client, session }
    }

    /// What it sees of an answer: the text, and what is said of it in the line behind that. Of a
    /// text that is not all there, a line ahead says the same.
    fn ask(&mut self, tool: &str, arguments: &Value) -> (String, String) {
        let (text, failed) = self.session.text_of(tool, arguments);
        assert!(!failed, "{text}");
        let shown = self.client.shown(&text);
        let Some((text, said)) = shown
            .strip_suffix(']')
            .and_then(|all| all.rsplit_once("\n["))
        else {
            return (shown, String::new());
        };
        let (ahead, text) = text.split_once("]\n").unwrap_or_default();
        assert_eq!(ahead.strip_prefix('['), Some(said), "{}", self.client.name);
        (format!("{text}\n"), said.to_owned())
    }

    /// A text by its lines, as far as it is told to go on.
    fn read(&mut self, tool: &str, arguments: &Value) -> String {
        let (mut whole, mut arguments) = (String::new(), arguments.clone());
        for _ in 0..100 {
            let (text, said) = self.ask(tool, &arguments);
            whole += &text;
            let Some((_, next)) = said.split_once("go on with offset ") else {
                return whole;
            };
            let next: u64 = next.parse().unwrap();
            assert!(next > arguments["offset"].as_u64().unwrap_or(1));
            arguments["offset"] = next.into();
        }
        panic!("{} comes to no end", self.client.name);
    }

    /// All that is found, with a narrower pattern each time that is asked for.
    fn find(&mut self, tool: &str, begin: &str, end: &str, found: &mut Vec<String>) {
        let arguments = json!({"pattern": format!("{begin}{end}"), "path": "names"});
        let (text, said) = self.ask(tool, &arguments);
        if !said.contains("narrow pattern") {
            let lines = text.lines().filter(|line| line.contains("name "));
            found.extend(lines.map(str::to_owned));
            return;
        }
        assert!(begin.len() < 20, "{said}");
        for digit in 0..10 {
            self.find(tool, &format!("{begin}{digit}"), end, found);
        }
    }
}

/// Texts of short lines, of empty ones, of long ones, and of what JSON escapes.
fn texts() -> [(&'static str, String); 4] {
    let mut texts = [const { String::new() }; 4];
    for number in 0..9000 {
        let _ = writeln!(texts[0], "{number}");
    }
    for number in 0..4000 {
        let _ = write!(texts[1], "line {number}\n\n\n");
    }
    for number in 0..700 {
        let _ = writeln!(texts[2], "{number}: {}", "a long \u{e9} line ".repeat(4));
        let _ = writeln!(texts[3], "\t\"{number}\"\\{}", "\"\"\t\\".repeat(12));
    }
    let mut texts = texts.into_iter();
    ["short", "empty", "long", "escaped"].map(|name| (name, texts.next().unwrap()))
}

#[test]
fn a_file_is_read_to_its_end_through_every_client() {
    let here = directory();
    for (name, text) in texts() {
        fs::write(here.path().join(name), text).unwrap();
    }
    for client in CLIENTS {
        let mut model = Model::of(client, here.path());
        for (name, text) in texts() {
            let read = model.read("file_read", &json!({"file_path": name}));
            assert!(read == text, "{name} through {}", client.name);
        }
    }
}

#[test]
fn a_page_is_read_to_its_end_through_every_client() {
    for (name, text) in texts().into_iter().skip(2) {
        let page = reply("200 OK\r\nContent-Type: text/plain", &text);
        let server = Server::bytes(page);
        let here = directory();
        for client in CLIENTS {
            let mut model = Model::of(client, here.path());
            let read = model.read("web_fetch", &json!({"url": server.url("/")}));
            assert!(read == text, "{name} through {}", client.name);
        }
    }
}

#[test]
fn the_output_of_a_command_is_read_in_its_file_through_every_client() {
    let here = directory();
    for (name, text) in texts() {
        fs::write(here.path().join(name), text).unwrap();
    }
    for client in CLIENTS {
        let mut model = Model::of(client, here.path());
        for (name, text) in texts().into_iter().take(2) {
            let (ends, said) = model.ask("bash", &json!({"command": format!("cat {name}")}));
            let (first, rest) = ends.split_once("[... ").unwrap();
            let (_, last) = rest.split_once(" left out ...]\n").unwrap();
            let (end, last) = (text.trim_end(), last.trim_end());
            assert!(text.starts_with(first) && end.ends_with(last), "{ends}");
            let file = said
                .split_whitespace()
                .find(|word| word.contains("/output/"));
            let file = file.unwrap().trim_end_matches(':');
            let read = model.read("file_read", &json!({"file_path": file}));
            assert!(read == text, "{name} through {}", client.name);
        }
    }
}

#[test]
fn all_is_found_by_narrower_patterns_through_clients_that_count_lines() {
    let here = directory();
    let names = here.path().join("names");
    fs::create_dir(&names).unwrap();
    let all: Vec<String> = (0..2500)
        .map(|number| format!("{number:04} name "))
        .collect();
    fs::write(names.join("all"), all.join("\n") + "\n").unwrap();
    add_names(&names, all);
    // One of each kind: all of them read a file, above.
    let names = ["qwen-cli-mcp-client-ikigai", "opencode", "continue-client"];
    for client in CLIENTS.into_iter().filter(|one| names.contains(&one.name)) {
        let mut model = Model::of(client, here.path());
        let mut found = Vec::new();
        model.find("glob", "", "*", &mut found);
        assert_eq!(found.len(), 2500, "{}", client.name);
        let mut found = Vec::new();
        model.find("grep", "^", "", &mut found);
        assert_eq!(found.len(), 2500, "{}", client.name);
    }
}
