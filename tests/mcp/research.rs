//! The tools of research at the server's door: sets, the schema of answers, errors, and resources.
//! What the tools themselves answer there is tested with each of them.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use iki_web::cache::CacheFiles;
use iki_web::cache::artifact::{self, ArtifactId};
use serde_json::{Value, json};

use super::session::Session;
use crate::common::directory;
use crate::common::messages::TextRow;

const ALL: &[&str] = &[
    "bash",
    "file_read",
    "file_write",
    "file_edit",
    "glob",
    "grep",
    "web_search_brave",
    "web_search_google",
    "web_fetch",
    "web_search",
    "scrape_page",
    "search_and_scrape",
    "academic_search",
    "check_references",
    "patent_search",
    "sequential_search",
    "get_research_session",
    "research_export",
];

/// The end of those that a server serves where none is chosen.
const OFFERED: usize = 11;

#[test]
fn sets_are_served_and_what_is_offered_where_none_is_chosen() {
    for (args, tools) in [
        (&[][..], [&ALL[..6], &ALL[8..OFFERED]].concat()),
        (&["--tools", "local"], ALL[..6].to_vec()),
        (&["--tools", "web"], ALL[6..9].to_vec()),
        (&["--tools", "research"], ALL[9..].to_vec()),
        (
            &["--tools", "research,grep"],
            [&ALL[5..6], &ALL[9..]].concat(),
        ),
        (&["--tools", "all"], ALL.to_vec()),
    ] {
        assert_eq!(Session::open(args).tools(), tools, "{args:?}");
    }
}

/// The entries of `tools/list` of a server with these flags.
fn listed(args: &[&str]) -> Vec<Value> {
    let mut session = Session::unprepared(Path::new("."), args);
    session.shake_hands("2025-11-25");
    session.send(&json!({"jsonrpc": "2.0", "id": 0, "method": "tools/list"}));
    let answer = session.receive();
    answer["result"]["tools"].as_array().unwrap().clone()
}

#[test]
fn programs_are_told_what_answers_of_research_are_like() {
    for entry in listed(&["--tools", "all"]) {
        assert_eq!(entry.get("outputSchema"), None, "{entry}");
    }
    let mut size = 0;
    for entry in listed(&["--tools", "all", "--structured"]) {
        let name = entry["name"].as_str().unwrap();
        let schema = entry.get("outputSchema");
        assert_eq!(schema.is_some(), ALL[9..].contains(&name), "{name}");
        if let Some(schema) = schema {
            assert_eq!(schema["type"], "object");
            size += entry.to_string().len();
        }
    }
    assert!(size <= 25_000, "{size}");
}

#[test]
fn an_error_of_research_is_a_sentence_and_for_programs_an_object_behind_it() {
    for (tool, request) in [
        ("web_search", json!({})),
        (
            "web_search",
            json!({"query": "q", "lens": "docs", "site": "example.com"}),
        ),
        ("scrape_page", json!({"url": "ftp://127.0.0.1/"})),
        ("scrape_page", json!({})),
        ("patent_search", json!({})),
        (
            "patent_search",
            json!({"query": "q", "patent_office": "DE"}),
        ),
    ] {
        let here = directory();
        let mut session = Session::open(&["--tools", "research"]);
        let result = session.result_of(tool, &request);
        assert_eq!(result["isError"], true, "{result}");
        assert_eq!(result.get("structuredContent"), None, "{result}");
        assert_eq!(result["content"].as_array().unwrap().len(), 1);
        let text = result["content"][0]["text"].as_str().unwrap();
        let (sentence, error) = text.split_once("\n\n").unwrap();
        let error: Value = serde_json::from_str(error).unwrap();
        assert_eq!(error.as_object().unwrap().len(), 1, "{error}");
        assert_eq!(error["error"]["kind"], "validation", "{error}");
        assert_eq!(error["error"]["retryable"], false, "{error}");
        assert!(error["error"]["suggestedAction"].is_string(), "{error}");

        let mut session = Session::plain(here.path(), "someone", &["--tools", "research"]);
        let (text, failed) = session.text_of(tool, &request);
        let first = sentence.split('.').next().unwrap();
        assert!(
            failed && !first.is_empty() && text.starts_with(first),
            "{text}"
        );
        assert!(text.contains("(INVALID_") && !text.contains('{'), "{text}");
    }
}

/// A server that answers every request with one page.
fn page_of(text: String) -> String {
    let door = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/", door.local_addr().unwrap());
    std::thread::spawn(move || {
        for caller in door.incoming().flatten() {
            let mut caller: TcpStream = caller;
            let _ = caller.read(&mut [0; 4096]);
            let head = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nConnection: close\r\n";
            let _ = write!(caller, "{head}Content-Length: {}\r\n\r\n{text}", text.len());
        }
    });
    address
}

/// What calls leave in a home, which goes away with the test.
struct Home(tempfile::TempDir);

impl Home {
    const KEY: &str = "5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e";

    fn new() -> Self {
        Self(directory())
    }

    fn cache(&self) -> PathBuf {
        self.0.path().join("cache/ikigai-tools")
    }

    fn store(&self) -> CacheFiles {
        CacheFiles::in_directory(self.cache(), Self::KEY).unwrap()
    }

    fn variables(&self, key: &str) -> Vec<(String, String)> {
        let cache = self.0.path().join("cache").display().to_string();
        [
            ("XDG_CACHE_HOME", cache.as_str()),
            ("CACHE_ENCRYPTION_KEY", key),
        ]
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .to_vec()
    }

    fn session(&self, key: &str, args: &[&str]) -> Session {
        let mut session = Session::unprepared_with(self.0.path(), args, &self.variables(key));
        session.shake_hands("2025-11-25");
        session
    }

    fn files(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.cache()).unwrap();
        entries.map(|entry| entry.unwrap().path()).collect()
    }
}

#[test]
fn the_limit_of_a_page_is_the_lesser_of_the_request_s_and_the_client_s() {
    let url = page_of("A line of plain text that goes on.\n".repeat(2000));
    let home = Home::new();
    let length = |args: &[&str], most: &Value| {
        let mut session = home.session(Home::KEY, args);
        let request = json!({"url": url, "max_length": most});
        let result = session.result_of("scrape_page", &request);
        assert_eq!(result["isError"], false, "{result:.300}");
        let text = result["content"][0]["text"].as_str().unwrap();
        let note = text.rsplit('\n').next().unwrap();
        let helps = note.contains("a larger max_length");
        assert_eq!(helps, most.as_u64() == Some(9000), "{note}");
        text.len()
    };
    let research = ["--tools", "research"];
    let of_client = length(&research, &json!(null));
    assert!((12_000..40_000).contains(&of_client), "{of_client}");
    for most in [json!(""), json!(0), json!(60_000)] {
        assert_eq!(length(&research, &most), of_client, "{most}");
    }
    assert!((8_000..10_000).contains(&length(&research, &json!(9000))));
    // The user's limit holds whatever a model asks for.
    let own = ["--tools=research", "--max-answer=5000"];
    assert!(length(&own, &json!(60_000)) <= 5000);
}

#[test]
fn a_trail_without_room_says_how_much_is_shown_and_how_to_go_on() {
    let home = Home::new();
    let mut session = home.session(Home::KEY, &["--tools=research", "--max-answer=3000"]);
    let step = |number: u32, id: &str| {
        json!({"searchStep": "word ".repeat(200), "stepNumber": number, "nextStepNeeded": true,
            "researchGoal": "goal ".repeat(200), "sessionId": id})
    };
    let (begun, failed) = session.text_of("sequential_search", &step(1, ""));
    assert!(!failed, "{begun}");
    let words = begun.split(|c: char| !c.is_ascii_hexdigit() && c != '-');
    let id = words.into_iter().find(|word| word.len() == 36).unwrap();
    for number in 2..6 {
        let (text, failed) = session.text_of("sequential_search", &step(number, id));
        assert!(!failed && text.len() <= 3000, "{text}");
    }
    let (text, _) = session.text_of("get_research_session", &json!({"sessionId": id}));
    let note = text.rsplit('\n').next().unwrap();
    note.assert_row("mcp", "a trail without room");
    let export = json!({"sessionId": id, "format": "json"});
    let (text, _) = session.text_of("research_export", &export);
    let note = text.rsplit('\n').next().unwrap();
    note.assert_row("mcp", "an export without room");
}

#[test]
fn papers_come_as_a_list_for_models_and_as_an_object_with_its_age_for_programs() {
    let work = json!({"DOI": "10.1000/1", "title": ["A title"], "published": {"date-parts": [[2021]]},
        "author": [{"given": "Jane", "family": "Doe"}], "container-title": ["Journal"]});
    let url = page_of(json!({"message": {"items": [work], "total-results": 9}}).to_string());
    let home = Home::new();
    let mut variables = home.variables(Home::KEY);
    variables.push(("IKIGAI_CROSSREF_URL".to_owned(), url));
    let request = json!({"query": "q", "provider": "crossref"});
    let open = |args: &[&str]| {
        let mut session = Session::unprepared_with(home.0.path(), args, &variables);
        session.shake_hands("2025-11-25");
        session.result_of("academic_search", &request)
    };
    let result = open(&["--tools", "research"]);
    let text = result["content"][0]["text"].as_str().unwrap();
    assert!(
        text.starts_with(
            "1. A title\n   Jane Doe; 2021; Journal; crossref\n   https://doi.org/10.1000/1"
        ),
        "{text}"
    );
    let result = open(&["--tools", "research", "--structured"]);
    let object = &result["structuredContent"];
    assert_eq!(object["papers"][0]["doi"], "10.1000/1", "{result}");
    assert_eq!(object["totalResults"], 9);
    assert_eq!(result["_meta"]["cached"], true, "{result}");
    assert_eq!(result["_meta"]["maxAgeSeconds"], 3600);
}

/// The answer to `resources/read` of `uri`.
fn read(session: &mut Session, uri: &str) -> Value {
    session.send(
        &json!({"jsonrpc": "2.0", "id": 9, "method": "resources/read", "params": {"uri": uri}}),
    );
    session.receive()
}

#[track_caller]
fn is_not_found(answer: &Value) {
    assert_eq!(answer["error"]["code"], -32002, "{answer}");
    let message = answer["error"]["message"].as_str().unwrap();
    assert!(message.starts_with("Resource not found"), "{message}");
}

#[test]
fn resources_are_offered_by_one_template_and_no_list() {
    for args in [&[][..], &["--tools", "scrape-page"], &["--structured"]] {
        let mut session = Session::unprepared(Path::new("."), args);
        let hello = session.shake_hands("2025-11-25");
        assert_eq!(hello["capabilities"]["resources"], json!({}), "{hello}");
        let mut ask = |method| {
            session.send(&json!({"jsonrpc": "2.0", "id": 1, "method": method}));
            session.receive()
        };
        assert_eq!(ask("resources/list")["result"]["resources"], json!([]));
        let templates = ask("resources/templates/list")["result"]["resourceTemplates"].clone();
        assert_eq!(templates.as_array().unwrap().len(), 1, "{templates}");
        assert_eq!(templates[0]["uriTemplate"], "research://artifact/{id}");
        assert!(templates[0]["name"].is_string());
        assert_eq!(ask("resources/read")["error"]["code"], -32602);
        assert_eq!(ask("prompts/list")["error"]["code"], -32601);
    }
}

#[test]
fn an_artifact_is_read_as_text_or_as_bytes() {
    let home = Home::new();
    for args in [&["--tools", "research"][..], &["--structured"]] {
        let mut session = home.session(Home::KEY, args);
        let text = "{\"content\":\"ü \\\"quoted\\\"\"}\n".repeat(1000);
        let id =
            artifact::store_content(&home.store(), "application/json", text.as_bytes()).unwrap();
        let answer = read(&mut session, &id.address());
        assert_eq!(
            answer["result"]["contents"],
            json!([{"uri": id.address(), "mimeType": "application/json", "text": text}])
        );
        let id =
            artifact::store_content(&home.store(), "application/pdf", b"%PDF\xff\n\x00").unwrap();
        assert_eq!(
            read(&mut session, &id.address())["result"]["contents"],
            json!([{"uri": id.address(), "mimeType": "application/pdf", "blob": "JVBERv8KAA=="}])
        );
    }
}

#[test]
fn what_is_not_there_any_more_or_never_was_is_not_found() {
    let home = Home::new();
    let mut session = home.session(Home::KEY, &["--tools", "research"]);
    let id = artifact::store_content(&home.store(), "text/plain", b"mine").unwrap();
    let address = id.address();
    assert_eq!(
        read(&mut session, &address)["result"]["contents"][0]["text"],
        "mine"
    );

    let unknown = ArtifactId::for_content(b"another's").address();
    let digits = id.to_string();
    for uri in [
        &*unknown,
        &digits,
        &digits.to_uppercase(),
        &address.to_uppercase(),
        &format!("{address}/"),
        &format!("{address}?x"),
        &address[..address.len() - 1],
        "research://artifact/",
        "research://artifact/{id}",
        "research://artifact/../../../../etc/passwd",
        "file:///etc/passwd",
        "https://example.com/",
        "",
        "\u{1b}[2J",
    ] {
        is_not_found(&read(&mut session, uri));
    }
    // Under another key it is another's.
    let mut other = home.session(&"aa".repeat(32), &["--tools", "research"]);
    is_not_found(&read(&mut other, &address));
    let mut other = home.session("no key", &["--tools", "research"]);
    is_not_found(&read(&mut other, &address));

    let [file] = &home.files()[..] else {
        panic!("one entry");
    };
    let sound = fs::read(file).unwrap();
    for damaged in [&sound[..sound.len() - 1], &sound[..10], b"", &[7; 500]] {
        fs::write(file, damaged).unwrap();
        is_not_found(&read(&mut session, &address));
    }
    fs::write(file, &sound).unwrap();
    assert!(read(&mut session, &address).get("result").is_some());
    let age = |minutes: u64| {
        let then = SystemTime::now() - Duration::from_secs(minutes * 60);
        let file = File::options().write(true).open(file).unwrap();
        file.set_modified(then).unwrap();
    };
    age(29);
    assert!(read(&mut session, &address).get("result").is_some());
    age(30);
    is_not_found(&read(&mut session, &address));
    // Kept again it is there again; another's content under its name is not shown.
    artifact::store_content(&home.store(), "text/plain", b"mine").unwrap();
    assert!(read(&mut session, &address).get("result").is_some());
    let room = Home::new();
    let another = artifact::store_content(&room.store(), "text/plain", b"not mine").unwrap();
    fs::copy(&room.files()[0], file).unwrap();
    is_not_found(&read(&mut session, &address));
    is_not_found(&read(&mut session, &another.address()));
}

#[test]
fn an_artifact_that_no_message_holds_is_refused_and_a_large_one_is_not() {
    let home = Home::new();
    let mut session = home.session(Home::KEY, &["--tools", "research"]);
    // A control character takes six bytes of JSON.
    for (content, fits) in [
        (b"x".repeat(5_000_000), true),
        (b"\x01".repeat(2_700_000), true),
        (b"\x01".repeat(2_800_000), false),
        (b"\xff".repeat(12_000_000), true),
        (b"\xff".repeat(12_600_000), false),
    ] {
        let id = artifact::store_content(&home.store(), "text/plain", &content).unwrap();
        let answer = read(&mut session, &id.address());
        assert_eq!(answer.get("result").is_some(), fits, "{answer:.300}");
        assert!(answer.to_string().len() <= 16 * 1024 * 1024);
        if !fits {
            let said = answer["error"]["message"].as_str().unwrap();
            said.assert_row("mcp", "a kept answer that is too long");
        }
    }
}
