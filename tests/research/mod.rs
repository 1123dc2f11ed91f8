//! The tools of research, as a host calls them and over MCP.

mod page;
mod page_failures;
mod page_kept;
mod page_scans;
mod page_ways;
mod papers;
mod papers_around;
mod patents;
mod plain_files;
mod read_all;
mod read_all_side_by_side;
mod reference_forms;
mod references;
mod search;
mod session_exports;
mod sessions;
mod sessions_served;
mod works;

use serde_json::{Value, json};

use crate::common::home::Home;
use crate::server::Server;

/// Asserts that a search for nothing, and each request that is none, is refused without a question
/// to `server`.
#[track_caller]
fn refuses_what_makes_no_sense(home: &Home, server: &Server, requests: &[(Value, &str)]) {
    home.fails(&json!({"query": " \n"}), "INVALID_ARG");
    let of_all = [
        (json!({}), "missing query field"),
        (json!({"query": {}}), "query must be a string"),
    ];
    for (request, reason) in of_all.iter().chain(requests) {
        home.call().with(request).refuses_the_request(reason);
    }
    assert!(server.asked().is_empty());
}

/// Asserts that a search with another value of a field asks a provider anew, or does not, that what
/// it finds is kept, and that these are all the fields that the tool has.
#[track_caller]
fn each_field_is_asked_anew(
    home: &Home,
    asked: impl Fn() -> usize,
    with_effect: &[(&str, &str)],
    without: &[(&str, &str)],
) {
    home.finds(&json!({"query": "two words"}));
    let mut known = Vec::new();
    for (list, effect) in [(with_effect, true), (without, false)] {
        for (field, value) in list {
            let mut request = json!({"query": "two words"});
            request[*field] = serde_json::from_str(value).unwrap();
            let before = asked();
            home.finds(&request);
            assert_eq!(asked() > before, effect, "{field}");
            let before = asked();
            home.finds(&request);
            assert_eq!(asked(), before, "{field} is kept");
            known.push(*field);
        }
    }
    let schema = home.call().arg("--schema").run();
    let schema: Value = serde_json::from_slice(&schema.stdout).unwrap();
    let fields = schema["parameters"]["properties"].as_object().unwrap();
    known.sort_unstable();
    let mut fields: Vec<&String> = fields.keys().collect();
    fields.sort_unstable();
    assert_eq!(fields, known);
}
