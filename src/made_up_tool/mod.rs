//! A made-up tool, which is one file, one schema and one row, and is complete at every front end
//! and in every command: none of them knows a tool by name.

mod acme_lookup;

use std::ffi::OsString;
use std::io::BufWriter;

use clap_complete::Shell;
use serde_json::{Value, json};

use crate::command_line::mcp::McpCommand;
use crate::command_line::{self, help};
use crate::commands::doctor::fixture::report_on_project_file;
use crate::commands::{completions, man};
use crate::front::person;
use crate::front::person::CallFlags;
use crate::front::person::screen::{ScreenEnd, ScreenMode, ScreenWriter};
use iki_base::console::exit::ProgramExit;
use iki_mcp as mcp;
use iki_tools::call::answer;
use iki_tools::contract::call_terms::CallTerms;
use iki_tools::contract::provider::{self, ModelProvider, SchemaMode};
use iki_tools::contract::schema;
use iki_tools::contract::tool::Tool;
use iki_tools::registry::Registry;
use iki_tools::secrets;
use iki_tools::tools;

/// The one row, beside one of this program's own.
static TOOLS: Registry = Registry::new(&[tools::bash::TOOL, acme_lookup::TOOL]);

fn made_up() -> &'static Tool {
    TOOLS.find_tool("acme_lookup_tool").unwrap()
}

/// What a host gets, and how the process would exit.
fn answered(request: &str) -> (Value, ProgramExit) {
    let mut out = BufWriter::new(Vec::new());
    let mut request = request.as_bytes().to_owned();
    let (written, exit) = answer::respond(
        (made_up(), CallTerms::default()),
        &mut out,
        Vec::is_empty,
        false,
        |object| answer::run_call(made_up(), Ok(&mut request), object),
    );
    written.unwrap();
    let answer = out.into_inner().unwrap();
    (serde_json::from_slice(&answer).unwrap(), exit)
}

/// What a person is shown at a terminal, and what is said behind it.
fn answer_text(request: &str) -> (String, ScreenEnd) {
    shown_on(ScreenMode::Terminal, request)
}

fn shown_on(kind: ScreenMode, request: &str) -> (String, ScreenEnd) {
    let screen = ScreenWriter::new(made_up(), Vec::new(), kind);
    let outcome = person::show(made_up(), request.as_bytes(), CallFlags::default(), screen);
    let (text, end) = outcome.unwrap().unwrap();
    (String::from_utf8(text).unwrap(), end)
}

#[test]
fn it_is_listed_and_found_by_each_spelling_of_its_name() {
    for research in [false, true] {
        assert_eq!(help::list(TOOLS, research), "bash\nacme-lookup-tool\n");
    }
    for name in ["acme-lookup", "acme_lookup", "acme-lookup-tool"] {
        assert_eq!(
            TOOLS.find_tool(name).map(|tool| tool.name),
            Some("acme_lookup")
        );
    }
    assert_eq!(
        schema::validate(made_up().schema.as_bytes()).as_deref(),
        Ok("acme_lookup")
    );
}

#[test]
fn it_is_in_the_help_and_has_help_of_its_own() {
    let tools = help::program(TOOLS);
    let row = tools.lines().find(|row| row.contains("acme-lookup"));
    assert!(row.is_some_and(|row| row.ends_with("  Look a station up")));
    let text = help::tool(made_up(), "x");
    for phrase in [
        "acme-lookup: Look a station up.",
        "Answers with what Acme knows of a station.",
        "x [OPTIONS] STATION",
        "days     optional integer: How many days",
        "x north --days 2",
    ] {
        assert!(text.contains(phrase), "{phrase} in {text}");
    }
    assert!(!text.contains("bash"), "{text}");
    let bash = help::tool(TOOLS.find_tool("bash").unwrap(), "x");
    assert!(bash.contains("that of the command"), "{bash}");
}

#[test]
fn every_shell_completes_it() {
    for shell in [Shell::Bash, Shell::Zsh, Shell::Fish] {
        let script = completions::script(TOOLS, shell);
        assert!(script.contains("acme-lookup"), "{shell}");
        assert!(
            script.contains("station") && script.contains("days"),
            "{shell}"
        );
    }
}

#[test]
fn its_manual_page_tells_its_environment_and_exit_status_and_so_does_the_program_s() {
    let pages = man::pages(TOOLS).unwrap();
    let page = |name: &str| {
        let (_, page) = pages.iter().find(|(one, _)| one == name).unwrap();
        String::from_utf8(page.clone()).unwrap().replace('\\', "")
    };
    let manual_page = page("ikigai-tools-acme-lookup.1");
    for phrase in [
        "--station",
        "EXIT STATUS",
        "ACME_URL",
        "another address of Acme",
        "ACME_LOOKUP_API_KEY",
        "https://acme.example/keys",
        "IKIGAI_CONFIG_DIR",
        "EXAMPLES",
    ] {
        assert!(manual_page.contains(phrase), "{phrase} in {manual_page}");
    }
    let program = page("ikigai-tools.1");
    assert!(program.contains("ikigai-tools-acme-lookup(1)"), "{program}");
    assert!(program.contains("ACME_LOOKUP_API_KEY"), "{program}");
    assert!(program.contains("keys for acme-lookup"), "{program}");
}

#[test]
fn doctor_finds_it_misses_it_and_knows_its_credentials() {
    let report = report_on_project_file(TOOLS, "acme-lookup-tool");
    let lines = |words: &[&str]| {
        let all = |line: &&str| words.iter().all(|word| line.contains(word));
        report.lines().filter(all).count()
    };
    assert_eq!(
        lines(&["acme-lookup-tool", "project", "not started"]),
        1,
        "{report}"
    );
    assert_eq!(lines(&["no host finds bash"]), 1, "{report}");
    assert_eq!(lines(&["no host finds acme-lookup"]), 0, "{report}");
    assert_eq!(
        lines(&["acme-lookup", "ACME_LOOKUP_API_KEY", "not set"]),
        1,
        "{report}"
    );
    let advised = "ACME_LOOKUP_API_KEY or `acme.api_key` in ~/.config/ikigai/credentials.json. \
                   Get your key: https://acme.example/keys";
    assert_eq!(lines(&["acme-lookup has no key", advised]), 1, "{report}");
    let report = report_on_project_file(TOOLS, "bash");
    assert!(report.contains("no host finds acme-lookup"), "{report}");
}

#[test]
fn its_credentials_are_secrets() {
    assert!(secrets::is_secret_of(&TOOLS, b"ACME_LOOKUP_API_KEY"));
    assert!(!secrets::is_secret_of(
        &[tools::bash::TOOL],
        b"ACME_LOOKUP_API_KEY"
    ));
}

#[test]
fn mcp_serves_it_with_its_bounds_and_every_provider_s_definitions_have_it() {
    let args = ["--tools", "acme-lookup"].map(OsString::from);
    let Ok(McpCommand::Serve(options)) = command_line::mcp::read(TOOLS, &args) else {
        panic!("it can be served");
    };
    assert_eq!(options.tools.len(), 1);
    let entry = serde_json::to_value(mcp::tool_listing::entry(
        options.tools[0],
        &options.tools,
        false,
        None,
    ))
    .unwrap();
    assert_eq!(entry["name"], "acme_lookup");
    assert_eq!(entry["title"], "Look a station up");
    let days = json!({
        "type": "integer",
        "description": "How many days (at least: 1, at most: 14, default: 3)"
    });
    assert_eq!(entry["inputSchema"]["properties"]["days"], days);
    for (name, provider) in ModelProvider::NAMES {
        let wanted = Some((provider, SchemaMode::Strict));
        let definitions = provider::definitions(wanted, &[made_up()]).to_string();
        assert!(definitions.contains("acme_lookup"), "{name}");
        assert!(definitions.contains("default: 3"), "{name}");
    }
}

#[test]
fn a_host_gets_its_answer_its_failure_and_what_there_was_when_it_broke_off() {
    let (answer, exit) = answered(r#"{"station":"north"}"#);
    assert_eq!(exit, ProgramExit::Success);
    assert_eq!(
        answer,
        json!({
            "success": true, "output": "sunny", "id": 7, "about": {"owner": "A\u{1b}B", "key": 1},
            "since": "1923", "station": "north", "degrees": 21,
            "hits": [{"name": "N\u{1b}1", "far": 3}], "note": "as of today",
        })
    );
    let (answer, exit) = answered(r#"{"station":"nowhere"}"#);
    assert_eq!(exit, ProgramExit::Failure);
    assert_eq!(
        answer,
        json!({"success": false, "error": "no such station", "error_code": "API_ERROR"})
    );
    let (answer, _) = answered(r#"{"station":"broken"}"#);
    assert_eq!(answer["output"], "sunny");
    assert_eq!(answer["error_code"], "NETWORK_ERROR");
    let (answer, exit) = answered("{}");
    assert_eq!(
        (exit, &answer["error_code"]),
        (ProgramExit::Failure, &json!("INVALID_ARG"))
    );
}

#[test]
fn a_person_reads_its_answer_and_no_field_of_it_is_swallowed() {
    let (text, end) = answer_text(r#"{"station":"north"}"#);
    assert_eq!(
        text,
        "sunny\nstation: north\ndegrees: 21\n1. N\\x1b1\n   far: 3\n\nowner: A\\x1bB\nsince: \
         1923\n"
    );
    let (text, _) = shown_on(ScreenMode::Pipe, r#"{"station":"north"}"#);
    assert_eq!(
        text,
        "sunny\nstation: north\ndegrees: 21\n1. N\u{1b}1\n   far: 3\n"
    );
    assert_eq!(
        (end.exit, &*end.note),
        (
            ProgramExit::Success,
            "as of today. 2 control characters are spelled, as \\x1b."
        )
    );
    assert!(end.error.is_empty() && !end.nothing_found);
    let (text, end) = answer_text(r#"{"station":"broken"}"#);
    assert!(text.starts_with("sunny\n"), "{text}");
    assert_eq!(
        (end.exit, &*end.error),
        (ProgramExit::Code(1), "the line broke")
    );
}
