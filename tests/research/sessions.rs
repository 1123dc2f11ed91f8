//! Research sessions on this machine: steps with revisions and branches, what calls add to them,
//! how long they are kept, and that none is lost or half there, whatever happens.

use std::fs::{self, File};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime};

use serde_json::{Value, json};

use crate::common::messages::TextRow;
use crate::common::{can_unmount_proc, is_root, link, names_in, skip, text};
use crate::providers::{good, kind};
use crate::reading::{Home, article, serving};
use crate::server::{Server, reply};

/// What a tool answers a host, and that it is no failure.
#[track_caller]
pub fn asked(home: &Home, tool: &str, request: &Value) -> Value {
    let answer = home.call_of(tool).with(request).run();
    let json = answer.json();
    assert_eq!((answer.code(), answer.stderr.as_str()), (0, ""), "{json}");
    json
}

/// The failure of a tool of sessions.
#[track_caller]
pub fn refused(home: &Home, tool: &str, request: &Value, code: &str) -> String {
    let answer = home.call_of(tool).with(request).run();
    let json = answer.json();
    assert_eq!((answer.code(), &json["success"]), (1, &json!(false)));
    assert_eq!(json["error_code"], code, "{json}");
    json["error"].as_str().unwrap().to_owned()
}

pub const STEP: &str = "sequential-search-tool";
pub const GET: &str = "get-research-session-tool";
pub const EXPORT: &str = "research-export-tool";

/// A step's request; without an `id` it begins a session.
pub fn step(id: &str, number: u64, search_step: &str) -> Value {
    json!({"sessionId": id, "stepNumber": number, "searchStep": search_step,
        "nextStepNeeded": true})
}

/// Begins a session, and returns its name.
#[track_caller]
pub fn begin(home: &Home) -> String {
    let mut first = step("", 1, "Look for surveys");
    first["researchGoal"] = json!("How are heat pumps tested?");
    let begun = asked(home, STEP, &first);
    begun["sessionId"].as_str().unwrap().to_owned()
}

#[track_caller]
pub fn session(home: &Home, id: &str) -> Value {
    asked(home, GET, &json!({"sessionId": id}))
}

fn directory_of(home: &Home) -> PathBuf {
    home.state().join("ikigai-tools/sessions")
}

/// The files of sessions and of their list.
fn files_of(home: &Home) -> Vec<PathBuf> {
    let names = names_in(&directory_of(home));
    let names = names.into_iter().filter(|name| name.len() == 64);
    names.map(|name| directory_of(home).join(name)).collect()
}

fn set_age(home: &Home, change: impl Fn(SystemTime) -> SystemTime) {
    for path in files_of(home) {
        let file = File::options().write(true).open(path).unwrap();
        file.set_modified(change(SystemTime::now())).unwrap();
    }
}

/// The numbers of a session's steps, in order.
fn numbers(session: &Value) -> Vec<u64> {
    let index = session["stepIndex"].as_array().unwrap();
    let numbers = index
        .iter()
        .map(|line| line["stepNumber"].as_u64().unwrap());
    numbers.collect()
}

#[test]
fn a_lost_context_is_recovered() {
    let home = Home::new();
    assert_eq!(asked(&home, GET, &json!({}))["sessions"], json!([]));
    let id = begin(&home);
    assert_eq!(id.len(), 36);
    assert_eq!(&id[14..15], "4", "{id}");
    let mut second = step(&id, 2, "Read EN 14511");
    second["confidence"] = json!("high");
    second["knowledgeGap"] = json!("How are they tested over a season?");
    second["sessionSummary"] = json!("EN 14511 is the standard.");
    second["rejectedApproaches"] = json!(["Asking makers"]);
    let answer = asked(&home, STEP, &second);
    assert_eq!(answer["responseMode"], "full");
    assert_eq!(answer["currentStep"], 2);
    assert_eq!(answer["isComplete"], false);
    assert_eq!(
        answer["gaps"],
        json!(["How are they tested over a season?"])
    );
    assert_eq!(answer["steps"][1]["rejectedApproaches"][0], "Asking makers");
    assert_eq!(answer["trust"], "untrusted-external-content");
    // The model has forgotten everything.
    let list = asked(&home, GET, &json!({"sessionId": "", "stepId": 0}));
    assert_eq!(list["count"], 1);
    let found = &list["sessions"][0];
    assert_eq!(found["sessionId"], id);
    assert_eq!(found["researchGoal"], "How are heat pumps tested?");
    assert_eq!(found["steps"], 2);
    let summary = session(&home, &id);
    assert_eq!(summary["summary"], "EN 14511 is the standard.");
    assert_eq!(numbers(&summary), [1, 2]);
    assert_eq!(summary["lastSteps"].as_array().unwrap().len(), 2);
    let whole = asked(&home, GET, &json!({"sessionId": id, "stepId": 2}));
    assert_eq!(whole["step"]["knowledgeGap"], second["knowledgeGap"]);
    // Upper case and blanks are the same name, and another field's name is.
    let same = json!({"session_id": format!(" {} ", id.to_uppercase())});
    assert_eq!(asked(&home, GET, &same)["sessionId"], id);
    let mut third = step(&id, 3, "Both are settled");
    third["nextStepNeeded"] = json!(false);
    let end = asked(&home, STEP, &third);
    assert_eq!(end["isComplete"], true);
    assert!(end["completedAt"].as_str() >= end["startedAt"].as_str());
}

#[test]
fn a_request_that_is_refused_leaves_no_step() {
    let home = Home::new();
    let id = begin(&home);
    let long = step(&id, 2, &"x".repeat(10_001));
    refused(&home, STEP, &long, "INVALID_ARG")
        .assert_row("sequential_search", "a step that is too long");
    refused(&home, STEP, &numbered(&id, json!(0)), "INVALID_ARG");
    assert_eq!(numbers(&session(&home, &id)), [1]);
    let answer = asked(&home, STEP, &numbered(&id, json!("3")));
    assert_eq!(answer["currentStep"], 3);
}

/// A step whose number is of any type.
fn numbered(id: &str, number: Value) -> Value {
    let mut numbered = step(id, 1, "x");
    numbered["stepNumber"] = number;
    numbered
}

#[test]
fn a_limited_answer_keeps_its_lists_and_leaves_out_what_has_no_room() {
    let home = Home::new();
    let id = begin(&home);
    for number in 2..9 {
        let mut gap = step(&id, number, &"word ".repeat(80));
        gap["knowledgeGap"] = json!(format!("Gap {number} {}", "word ".repeat(80)));
        asked(&home, STEP, &gap);
    }
    let mut last = step(&id, 9, "The last");
    last["depth"] = json!("standard");
    for limit in [1000, 1500, 3000, 6000] {
        for (tool, request) in [(GET, json!({"sessionId": id})), (STEP, last.clone())] {
            let call = home
                .call_of(tool)
                .env("IKIGAI_MAX_ANSWER", limit.to_string());
            let answer = call.with(&request).run();
            assert!(
                answer.stdout.len() <= limit,
                "{} of {limit}",
                answer.stdout.len()
            );
            let json = answer.json();
            assert!(json["gaps"].is_array(), "{limit} {json}");
            for name in [
                "steps",
                "stepIndex",
                "lastSteps",
                "sources",
                "refinementQueries",
            ] {
                assert!(json.get(name).is_none_or(Value::is_array), "{name} {json}");
            }
            assert!(json.get("coverage").is_none_or(Value::is_object), "{json}");
            assert!(!text_of(&json, "note").is_empty(), "{json}");
        }
    }
}

#[test]
fn a_number_that_comes_again_is_a_revision_and_a_branch_has_its_own() {
    let home = Home::new();
    let id = begin(&home);
    let mut gap = step(&id, 2, "First try");
    gap["knowledgeGap"] = json!("unknown");
    asked(&home, STEP, &gap);
    let mut branch = step(&id, 2, "Another way");
    branch["branchId"] = json!("other");
    branch["branchFromStep"] = json!(1);
    let answer = asked(&home, STEP, &branch);
    assert_eq!(answer["steps"][2].get("isRevision"), None, "{answer}");
    let answer = asked(&home, STEP, &step(&id, 2, "Second try"));
    let steps = answer["steps"].as_array().unwrap();
    assert_eq!(steps.len(), 4);
    assert_eq!(steps[3]["searchStep"], "Second try");
    assert_eq!(steps[3]["isRevision"], true);
    assert_eq!(answer["gaps"], json!([]), "what was revised has no gap");
    let whole = asked(&home, GET, &json!({"sessionId": id, "stepId": 2}));
    assert_eq!(whole["step"]["searchStep"], "Second try");
    let steps_of = |name: &str| -> Vec<&str> {
        let steps = whole[name].as_array().unwrap().iter();
        steps
            .map(|step| step["searchStep"].as_str().unwrap())
            .collect()
    };
    assert_eq!(steps_of("earlierVersions"), ["First try"]);
    assert_eq!(steps_of("otherBranches"), ["Another way"]);
    let mut odd = step(&id, 7, "On");
    odd["revisesStep"] = json!(5);
    assert!(asked(&home, STEP, &odd)["warning"].is_string());
}

#[test]
fn what_calls_find_is_in_the_session_once_answers_of_the_cache_too() {
    let home = Home::new();
    let id = begin(&home);
    let page = serving("text/html", article(20));
    let address = page.url("/page");
    for _ in 0..2 {
        let read = asked(
            &home,
            "scrape-page-tool",
            &json!({"url": address, "sessionId": id}),
        );
        assert_eq!(read.get("note"), None, "{read}");
    }
    assert_eq!(page.asked().len(), 1);
    let found = session(&home, &id);
    let sources = found["sources"].as_array().unwrap();
    assert_eq!(sources.len(), 1, "{found}");
    assert_eq!(sources[0]["url"], address.as_str());
    assert_eq!(
        sources[0]["title"],
        "What lay under the mill – The Village Herald"
    );
    assert_eq!(
        (&sources[0]["read"], &sources[0]["step"]),
        (&json!(true), &json!(1))
    );
    assert_eq!(found["providerStats"][0]["calls"], 2);
    asked(&home, STEP, &step(&id, 2, "Search"));
    let search = Server::start(|_, conn| {
        let head = format!("200 OK\r\nContent-Type: {}", kind("brave"));
        conn.write_all(&reply(&head, good("brave").body))
    });
    let home = home
        .set("IKIGAI_BRAVE_URL", &search.url("/"))
        .set("BRAVE_API_KEY", "key");
    let query = json!({"query": "two words", "sessionId": id});
    let results = asked(&home, "web-search-tool", &query);
    let count = results["results"].as_array().unwrap().len();
    asked(&home, "web-search-tool", &query);
    let found = session(&home, &id);
    let sources = found["sources"].as_array().unwrap();
    assert_eq!(sources.len(), 1 + count);
    assert_eq!(
        (&sources[1]["read"], &sources[1]["step"]),
        (&json!(false), &json!(2))
    );
    assert_eq!(found["coverage"]["sourceCount"], 1 + count);
}

fn text_of<'a>(object: &'a Value, name: &str) -> &'a str {
    object[name].as_str().unwrap_or_default()
}

#[test]
fn failures_that_come_again_are_a_pattern_with_what_to_try() {
    let home = Home::new();
    let id = begin(&home);
    let server = crate::reading::refusing("403 Forbidden", "no");
    for number in 0..3 {
        let url = server.url(&format!("/{number}"));
        let request = json!({"url": url, "sessionId": id});
        refused(&home, "scrape-page-tool", &request, "BLOCKED");
        let found = session(&home, &id);
        let patterns = found["errorPatterns"].as_array().unwrap();
        assert_eq!(patterns.len(), usize::from(number == 2), "{found}");
    }
    let found = session(&home, &id);
    assert_eq!(found["errorPatterns"][0]["kind"], "blocked");
    assert_eq!(found["errorPatterns"][0]["count"], 3);
    assert!(!text_of(&found["errorPatterns"][0], "suggestion").is_empty());
    assert_eq!(found["providerStats"][0]["failures"], 3);
}

#[test]
fn a_thorough_step_searches_for_what_is_missing_and_keeps_it() {
    let search = Server::start(|_, conn| {
        let head = format!("200 OK\r\nContent-Type: {}", kind("brave"));
        conn.write_all(&reply(&head, good("brave").body))
    });
    let home = Home::new()
        .set("IKIGAI_BRAVE_URL", &search.url("/"))
        .set("BRAVE_API_KEY", "key");
    let id = begin(&home);
    let mut thorough = step(&id, 2, "What is missing?");
    thorough["depth"] = json!("thorough");
    thorough["knowledgeGap"] = json!("seasonal tests");
    let answer = asked(&home, STEP, &thorough);
    assert_eq!(answer["refinementQueries"][0], "seasonal tests");
    let results = answer["refinementResults"].as_array().unwrap();
    assert_eq!(results.len(), 3, "{answer}");
    assert!(text_of(&results[0]["results"][0], "url").starts_with("http"));
    assert_eq!(search.asked().len(), 3);
    assert!(answer["coverage"]["sourceCount"].as_u64() > Some(0));
    assert!(!answer["sources"].as_array().unwrap().is_empty());
    // Where nothing is to be searched for, nothing is found.
    let aimless = json!({"stepNumber": 1, "searchStep": "x", "nextStepNeeded": true,
        "depth": "thorough"});
    let answer = asked(&home, STEP, &aimless);
    assert_eq!(answer["refinementResults"], json!([]), "{answer}");
    // A provider that refuses is no failure of the step.
    let refusing = Server::bytes(reply("500 Internal Server Error", "no"));
    let home = home.set("IKIGAI_BRAVE_URL", &refusing.url("/"));
    thorough["stepNumber"] = json!(3);
    thorough["knowledgeGap"] = json!("something else");
    let answer = asked(&home, STEP, &thorough);
    assert!(
        !text_of(&answer["refinementResults"][0], "error").is_empty(),
        "{answer}"
    );
    assert_eq!(numbers(&session(&home, &id)), [1, 2, 3]);
}

#[test]
fn sessions_are_sealed_and_for_their_user_alone() {
    let home = Home::new();
    begin(&home);
    let mode = |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&directory_of(&home)), 0o700);
    let files = files_of(&home);
    assert_eq!(files.len(), 2);
    for file in files {
        assert_eq!(mode(&file), 0o600);
        let bytes = fs::read(&file).unwrap();
        let shown = String::from_utf8_lossy(&bytes);
        assert!(!shown.contains("heat") && !shown.contains("step"));
    }
}

#[test]
fn a_session_lasts_from_its_last_use_and_a_clock_that_jumps_loses_none() {
    let home = Home::new();
    let id = begin(&home);
    set_age(&home, |now| now - Duration::from_secs(4 * 3600 - 60));
    session(&home, &id);
    assert_eq!(
        asked(&home, GET, &json!({}))["count"],
        1,
        "it is listed anew"
    );
    // The clock was far ahead, and is set back.
    set_age(&home, |now| now + Duration::from_secs(7 * 24 * 3600));
    let answer = asked(&home, STEP, &step(&id, 2, "On"));
    assert_eq!(answer["steps"].as_array().unwrap().len(), 2);
    assert_eq!(asked(&home, GET, &json!({}))["count"], 1);
    set_age(&home, |now| now - Duration::from_secs(4 * 3600 + 1));
    for (tool, request) in [
        (GET, json!({"sessionId": id})),
        (EXPORT, json!({"sessionId": id})),
        (STEP, step(&id, 3, "Too late")),
    ] {
        refused(&home, tool, &request, "NOT_FOUND");
    }
    assert_eq!(asked(&home, GET, &json!({}))["count"], 0);
    let home = Home::new().set("IKIGAI_SESSION_TTL", "90");
    let id = begin(&home);
    set_age(&home, |now| now - Duration::from_secs(89));
    session(&home, &id);
    set_age(&home, |now| now - Duration::from_secs(91));
    refused(&home, GET, &json!({"sessionId": id}), "NOT_FOUND");
    begin(&home);
    assert_eq!(files_of(&home).len(), 2, "what has expired is removed");
}

#[test]
fn a_damaged_file_is_no_session_and_the_others_are_there() {
    let home = Home::new();
    let first = begin(&home);
    let second = begin(&home);
    let before = files_of(&home);
    for path in &before {
        let sound = fs::read(path).unwrap();
        let mut turned = sound.clone();
        turned[sound.len() / 2] ^= 1;
        for damaged in [&turned[..], &sound[..sound.len() / 2], b""] {
            fs::write(path, damaged).unwrap();
            let there = [&first, &second].map(|id| {
                let answer = home.call_of(GET).with(&json!({"sessionId": id})).run();
                let json = answer.json();
                let lost = json["error_code"] == "NOT_FOUND";
                assert!(lost || json["currentStep"] == 1, "{json}");
                !lost
            });
            assert!(
                there.contains(&true),
                "one file is one session, or the list"
            );
            let count = asked(&home, GET, &json!({}))["count"].as_u64().unwrap();
            assert_eq!(count, there.iter().filter(|there| **there).count() as u64);
        }
        fs::write(path, &sound).unwrap();
    }
}

#[test]
fn the_session_that_was_used_least_recently_makes_room_and_a_full_one_refuses() {
    let home = Home::new();
    let first = begin(&home);
    let second = begin(&home);
    std::thread::sleep(Duration::from_millis(1100));
    session(&home, &first);
    for _ in 2..50 {
        begin(&home);
    }
    assert_eq!(asked(&home, GET, &json!({}))["count"], 50);
    std::thread::sleep(Duration::from_millis(1100));
    begin(&home);
    let list = asked(&home, GET, &json!({}));
    assert_eq!(list["count"], 50);
    refused(&home, GET, &json!({"sessionId": second}), "NOT_FOUND");
    session(&home, &first);
    assert_eq!(files_of(&home).len(), 51);
}

#[test]
fn a_session_loses_no_step_of_64_calls_at_once_and_has_at_most_200() {
    let home = Home::new();
    let id = begin(&home);
    let running: Vec<_> = (2..66)
        .map(|number| {
            home.call_of(STEP)
                .with(&step(&id, number, "At once"))
                .start()
        })
        .collect();
    for child in running {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{output:?}");
    }
    let found = session(&home, &id);
    assert_eq!(numbers(&found), (1..66).collect::<Vec<u64>>());
    let summary = asked(&home, STEP, &step(&id, 66, "On"));
    assert_eq!(summary["responseMode"], "summary");
    assert_eq!(summary["lastSteps"].as_array().unwrap().len(), 3);
    for number in 67..=200 {
        home.call_of(STEP).with(&step(&id, number, "On")).run();
    }
    let error = refused(&home, STEP, &step(&id, 201, "Beyond"), "INVALID_ARG");
    error.assert_row("sequential_search", "a step too many");
    assert_eq!(numbers(&session(&home, &id)).len(), 200);
}

/// Runs a call under trace, and kills it at its system call of that number, counted twice each, at
/// entry and at return; `None` if it has ended before, with the number of them.
#[expect(
    clippy::zombie_processes,
    reason = "it is waited for by its number, stop by stop"
)]
fn killed_at(home: &Home, request: &Value, number: usize) -> Option<usize> {
    let input = home.path().join("request");
    fs::write(&input, request.to_string()).unwrap();
    let mut command = Command::new(link(STEP));
    command
        .envs(home.environment())
        .stdin(File::open(&input).unwrap())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    // SAFETY: one system call between fork and exec.
    unsafe {
        command.pre_exec(|| {
            libc::ptrace(libc::PTRACE_TRACEME, 0, 0, 0);
            Ok(())
        });
    }
    let child = command.spawn().unwrap();
    let pid = child.id().cast_signed();
    let mut stops = 0;
    loop {
        let mut status = 0;
        // SAFETY: the child is this thread's own, and waited for here alone.
        unsafe { libc::waitpid(pid, &raw mut status, 0) };
        if !libc::WIFSTOPPED(status) {
            return (number > stops).then_some(stops);
        }
        stops += 1;
        if stops == number {
            // SAFETY: the same child.
            unsafe { libc::kill(pid, libc::SIGKILL) };
        }
        let signal = match libc::WSTOPSIG(status) {
            libc::SIGTRAP => 0,
            signal => signal,
        };
        // SAFETY: the same child, which is stopped, or is being killed.
        unsafe { libc::ptrace(libc::PTRACE_SYSCALL, pid, 0, signal) };
    }
}

#[test]
fn a_call_killed_while_it_writes_leaves_a_whole_session() {
    let home = Home::new();
    let id = begin(&home);
    let request = step(&id, 2, "Killed");
    let all = killed_at(&home, &request, usize::MAX).unwrap();
    let mut before = numbers(&session(&home, &id)).len();
    assert_eq!(before, 2);
    // The writes are at the end.
    for number in all.saturating_sub(110)..all {
        killed_at(&home, &request, number);
        let found = session(&home, &id);
        let after = numbers(&found).len();
        assert!(after == before || after == before + 1, "{found}");
        before = after;
    }
    assert!(before > 3, "the last ones were written");
    let mut first = request;
    first["sessionId"] = json!("");
    first["stepNumber"] = json!(1);
    for number in all.saturating_sub(110)..all + 40 {
        killed_at(&home, &first, number);
        let list = asked(&home, GET, &json!({}));
        for listed in list["sessions"].as_array().unwrap() {
            assert!(listed["steps"].as_u64() > Some(0), "{list}");
        }
    }
    // Nobody has to clear up.
    assert_eq!(asked(&home, STEP, &step(&id, 3, "On"))["currentStep"], 3);
}

#[test]
fn a_full_disk_is_an_error_and_what_was_there_stays() {
    if !is_root() || !can_unmount_proc() {
        return skip("mounts of its own are for root");
    }
    let home = Home::new();
    let id = begin(&home);
    let state = home.state();
    let full = format!(
        "cp -a {0} {0}.copy; mount -t tmpfs -o size=64k none {0} && cp -a {0}.copy/. {0} && \
         head -c 1000000 /dev/zero >{0}/filler 2>/dev/null; true",
        text(&state)
    );
    let asked = |tool: &str, request: &Value| {
        let call = home.call_of(tool).with(request);
        let answer = call.after_in_own_mounts(&full).run();
        fs::remove_dir_all(state.with_extension("copy")).unwrap();
        answer.json()
    };
    let mut large = step(&id, 2, "No room");
    large["reasoning"] = json!("word ".repeat(1900));
    let refused = asked(STEP, &large);
    assert_eq!(refused["error_code"], "NO_SPACE", "{refused}");
    let begun = asked(STEP, &step("", 1, "No room"));
    assert_eq!(begun["error_code"], "NO_SPACE", "{begun}");
    let shown = asked(GET, &json!({"sessionId": id}));
    assert_eq!(numbers(&shown), [1], "{shown}");
    assert_eq!(numbers(&session(&home, &id)), [1]);
}

#[test]
fn without_a_place_sessions_are_an_error_and_searches_a_note() {
    let home = Home::new();
    fs::create_dir_all(home.state().join("ikigai-tools")).unwrap();
    fs::write(directory_of(&home), "a file").unwrap();
    let error = refused(&home, STEP, &step("", 1, "x"), "CONFIG");
    let state = home.state().join("ikigai-tools");
    let place = [(text(&state), "<state>")];
    error.assert_row_at("sequential_search", "no place for sessions", &place);
    let page = serving("text/plain", "text");
    let id = "11111111-2222-4333-8444-555555555555";
    let request = json!({"url": page.url("/"), "sessionId": id});
    let read = asked(&home, "scrape-page-tool", &request);
    text_of(&read, "note").assert_row_at("scrape_page", "no place for sessions", &place);
}

#[test]
fn a_person_reads_the_trail_as_text() {
    let home = Home::new();
    let shown = |call: crate::common::Call| String::from_utf8(call.run().stdout).unwrap();
    let begun = home.call_of(STEP).arg("Look for surveys").arg("1");
    let begun = shown(begun.arg("--next-step-needed").arg("--research-goal=Heat"));
    let id = begun.lines().next().unwrap().strip_prefix("sessionId: ");
    let id = id.unwrap_or_else(|| panic!("{begun}"));
    assert!(begun.contains("- 1 Look for surveys"), "{begun}");
    let found = shown(home.call_of(GET).arg("--session-id").arg(id));
    assert!(
        found.contains("Goal: Heat") && !found.contains('{'),
        "{found}"
    );
    let found = shown(home.call_of(GET).arg("--sessionId="));
    assert!(found.starts_with(&format!("{id} Heat (1 step")), "{found}");
    // A goal of several lines is no other session.
    let mut forged = step("", 1, "x");
    forged["researchGoal"] = json!("One\n11111111-2222-4333-8444-555555555555 Two");
    asked(&home, STEP, &forged);
    let found = shown(home.call_of(GET).arg("--sessionId="));
    assert_eq!(found.lines().count(), 2, "{found}");
}
