//! Calls side by side, and how calls and servers end: nothing is left.

use std::fs;
use std::io::Write;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use super::session::Session;
use crate::common::messages::TextRow;
use crate::common::{alone, eventually, processes_with, text};
use crate::steps::{Large, NEW, OLD};

/// A command that runs for a long time, in the foreground, in the background and as a daemon.
fn long(mark: &str) -> Value {
    json!({"command": format!(
        "sleep {mark} & (setsid sleep {mark} &) ; trap '' TERM HUP INT; sleep {mark}"
    )})
}

fn runs(mark: &str) -> bool {
    eventually(|| processes_with(mark).len() == 3)
}

fn is_gone(mark: &str) -> bool {
    eventually(|| processes_with(mark).is_empty())
}

fn kill(pid: u32, signal: Signal) {
    kill_process(Pid::from_raw(pid.try_into().unwrap()).unwrap(), signal).unwrap();
}

#[test]
fn calls_run_side_by_side_and_are_answered_as_they_end() {
    let mut session = Session::open(&[]);
    for (id, seconds) in [(1, "3"), (2, "2"), (3, "2"), (4, "0")] {
        session.call(
            id,
            "bash",
            &json!({"command": format!("sleep {seconds}; echo {id}")}),
        );
    }
    let ids: Vec<u64> = (0..4)
        .map(|_| session.receive()["id"].as_u64().unwrap())
        .collect();
    assert_eq!((ids[0], ids[3]), (4, 1), "{ids:?}");
}

/// Nobody could tell two answers with one id apart; an id that has its answer is free again.
#[test]
fn a_second_request_with_an_id_that_has_no_answer_yet_is_refused() {
    let mut session = Session::open(&[]);
    session.call(7, "bash", &json!({"command": "sleep 1; echo first"}));
    session.call(7, "bash", &json!({"command": "echo second"}));
    let refused = session.receive();
    assert_eq!(
        (&refused["id"], &refused["error"]["code"]),
        (&json!(7), &json!(-32600)),
        "{refused}"
    );
    let answer = session.receive();
    assert_eq!(
        answer["result"]["structuredContent"]["output"], "first",
        "{answer}"
    );
    for _ in 0..200 {
        session.send(&json!({"jsonrpc": "2.0", "id": 7, "method": "ping"}));
        let answer = session.receive();
        assert_eq!(
            (&answer["id"], &answer["result"]),
            (&json!(7), &json!({})),
            "{answer}"
        );
    }
}

#[test]
fn a_hundred_calls_at_once_are_all_answered() {
    let mut session = Session::open(&[]);
    for id in 0..100 {
        session.call(id, "bash", &json!({"command": format!("echo {id}")}));
    }
    let mut seen: Vec<u64> = (0..100)
        .map(|_| {
            let answer = session.receive();
            let id = answer["id"].as_u64().unwrap();
            assert_eq!(
                answer["result"]["structuredContent"]["output"],
                id.to_string()
            );
            id
        })
        .collect();
    seen.sort_unstable();
    assert!(seen.iter().copied().eq(0..100));
}

#[test]
fn a_cancelled_call_ends_all_that_it_started_and_is_not_answered() {
    let mut session = Session::open(&[]);
    let mark = alone(1);
    session.call(1, "bash", &long(&mark));
    assert!(runs(&mark));
    session.cancel(1);
    assert!(is_gone(&mark));
    // Whatever is cancelled twice, or was never asked for, is no matter.
    session.cancel(1);
    session.cancel(77);
    session.call(2, "bash", &json!({"command": "echo still here"}));
    assert_eq!(session.receive()["id"], 2);
}

#[test]
fn the_end_of_the_input_ends_the_server_and_what_runs() {
    let mut session = Session::open(&[]);
    let mark = alone(2);
    session.call(1, "bash", &long(&mark));
    assert!(runs(&mark));
    session.end_input();
    assert!(session.server.wait().unwrap().success());
    assert!(processes_with(&mark).is_empty());
}

#[test]
fn a_client_that_goes_away_altogether_is_not_waited_for() {
    let mut session = Session::open(&[]);
    let mark = alone(3);
    session.call(1, "bash", &long(&mark));
    assert!(runs(&mark));
    assert!(session.leave().success());
    assert!(processes_with(&mark).is_empty());
}

#[test]
fn what_was_asked_before_the_input_ends_is_answered() {
    let mut session = Session::open(&[]);
    for id in 0..10 {
        session.call(id, "bash", &json!({"command": "echo done"}));
    }
    session.end_input();
    for _ in 0..10 {
        let answer = session.receive();
        let output = &answer["result"]["structuredContent"]["output"];
        assert_eq!(output, "done", "{answer}");
    }
    assert!(session.server.wait().unwrap().success());
}

#[test]
fn what_a_command_left_in_the_background_lives_until_the_session_ends() {
    let mut session = Session::open(&[]);
    let mark = alone(4);
    let command = json!({"command": format!("sleep {mark} & echo left")});
    let left = session.result_of("bash", &command);
    assert_eq!(left["structuredContent"]["output"], "left");
    session.result_of("bash", &json!({"command": "true"}));
    assert!(eventually(|| processes_with(&mark).len() == 1));
    assert!(session.leave().success());
    assert!(processes_with(&mark).is_empty());
}

#[test]
fn a_background_process_that_ends_is_reaped() {
    let mut session = Session::open(&[]);
    let server = session.server.id();
    for _ in 0..5 {
        session.result_of("bash", &json!({"command": "sleep 0.01 & exit"}));
    }
    session.result_of("bash", &json!({"command": "true"}));
    // While no call is under way, whose own process could be the one.
    let is_left = || {
        let all = fs::read_dir("/proc").unwrap().flatten();
        let mut lines = all.filter_map(|one| fs::read_to_string(one.path().join("stat")).ok());
        lines.any(|line| line.contains(&format!(") Z {server} ")))
    };
    assert!(eventually(|| !is_left()));
}

#[test]
fn a_signal_to_the_server_ends_what_runs() {
    for (signal, mark) in [
        (Signal::TERM, alone(5)),
        (Signal::INT, alone(6)),
        (Signal::HUP, alone(7)),
        (Signal::KILL, alone(8)),
    ] {
        let mut session = Session::open(&[]);
        session.call(1, "bash", &long(&mark));
        assert!(runs(&mark));
        kill(session.server.id(), signal);
        let status = session.server.wait().unwrap();
        assert!(is_gone(&mark), "{signal:?}");
        if signal == Signal::KILL {
            assert_eq!(status.signal(), Some(signal.as_raw()));
        } else {
            assert!(status.success());
        }
    }
}

#[test]
fn a_tool_that_is_killed_takes_one_call_with_it() {
    let mut session = Session::open(&[]);
    session.call(1, "bash", &json!({"command": "sleep 4; echo lives"}));
    // The shell's parent is the watchdog, and its parent is the tool.
    let mark = alone(9);
    let kill = format!("kill -9 $(awk '{{print $4}}' /proc/$PPID/stat); sleep {mark}");
    session.call(2, "bash", &json!({"command": kill}));
    let answer = session.receive();
    assert_eq!(answer["id"], 2);
    assert_eq!(answer["result"]["isError"], true);
    let content = &answer["result"]["structuredContent"];
    assert_eq!(content["error_code"], "TOOL_FAILED");
    let error = content["error"].as_str().unwrap();
    error.assert_row("mcp", "a tool that is killed");
    assert!(is_gone(&mark));
    let answer = session.receive();
    assert_eq!(answer["result"]["structuredContent"]["output"], "lives");
}

#[test]
fn a_call_that_takes_too_long_is_ended_and_says_so() {
    let mut session = Session::open(&["--timeout", "1"]);
    let mark = alone(10);
    let result = session.result_of("bash", &long(&mark));
    assert_eq!(result["isError"], false, "{result}");
    let content = &result["structuredContent"];
    assert_eq!(content["exit_code"], 124);
    let note = content["note"].as_str().unwrap();
    assert!(note.starts_with("The command was ended after "), "{note}");
    assert!(is_gone(&mark));
}

#[test]
fn calls_too_many_are_refused_and_reading_goes_on() {
    let mut session = Session::open(&[]);
    let mark = alone(11);
    let busy = json!({"command": format!("sleep {mark}")});
    for id in 0..1030 {
        session.call(id, "bash", &busy);
    }
    let mut refused: Vec<u64> = (1024..1030)
        .map(|_| {
            let answer = session.receive();
            assert_eq!(answer["error"]["code"], -32000, "{answer}");
            let reason = answer["error"]["message"].as_str().unwrap();
            reason.assert_row("mcp", "a call beside too many others");
            answer["id"].as_u64().unwrap()
        })
        .collect();
    refused.sort_unstable();
    assert!(refused.into_iter().eq(1024..1030));
    session.send(&json!({"jsonrpc": "2.0", "id": "ping", "method": "ping"}));
    let answer = session.receive();
    assert_eq!(
        (&answer["id"], &answer["result"]),
        (&json!("ping"), &json!({}))
    );
    // A cancelled call makes room for another one.
    session.cancel(1023);
    session.call(2000, "bash", &busy);
    session.call(2001, "bash", &busy);
    assert_eq!(session.receive()["id"], 2001);
    assert!(session.leave().success());
    assert!(is_gone(&mark));
}

#[test]
fn a_client_that_never_reads_is_not_read_for_ever_and_its_end_is_seen() {
    let mut session = Session::open(&[]);
    let mark = alone(12);
    session.call(1, "bash", &long(&mark));
    assert!(runs(&mark));
    // The answers to these fit into no pipe, and into no memory that a client should have.
    let lines = b"x\n".repeat(16 * 1024);
    let mut input = session.take_input();
    rustix::io::ioctl_fionbio(&input, true).unwrap();
    let mut written = 0;
    while eventually_written(&mut input, &lines) {
        written += lines.len();
        assert!(written < 1 << 20, "everything is read");
    }
    drop(input);
    assert!(eventually(|| session.server.try_wait().unwrap().is_some()));
    assert!(is_gone(&mark));
}

/// Whether anybody takes some of `bytes` within two seconds.
fn eventually_written(input: &mut impl Write, bytes: &[u8]) -> bool {
    let deadline = Instant::now() + Duration::from_secs(2);
    while input.write(bytes).is_err() {
        if Instant::now() > deadline {
            return false;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    true
}

#[test]
fn an_answer_that_nobody_reads_is_not_waited_for_at_the_end_of_the_input() {
    let mut session = Session::open(&[]);
    let mark = alone(13);
    session.call(1, "bash", &json!({"command": "head -c 4000000 /dev/zero"}));
    session.call(2, "bash", &long(&mark));
    assert!(runs(&mark));
    session.end_input();
    assert!(eventually(|| session.server.try_wait().unwrap().is_some()));
    assert!(is_gone(&mark));
}

#[test]
fn nothing_asked_is_nothing_done() {
    let mut session = Session::start(&[]);
    session.end_input();
    assert!(session.server.wait().unwrap().success());
}

#[test]
fn a_write_that_has_begun_is_finished_though_client_and_server_go() {
    let large = Large::new();
    let mut caught = 0;
    for _ in 0..40 {
        let mut session = Session::open(&[]);
        let request = json!({"file_path": text(&large.file), "old_string": OLD, "new_string": NEW});
        session.call(1, "file_edit", &request);
        if let Some(step) = large.stop_midway() {
            caught += 1;
            // It lies stopped meanwhile, and longer than the server waits for anything.
            assert!(session.leave().success());
            step.go_on();
            assert!(eventually(|| !step.is_alive()));
            assert!(large.has(&large.file, NEW));
            assert!(large.is_alone());
        } else {
            session.leave();
        }
        large.restore();
        if caught == 2 {
            return;
        }
    }
    panic!("only {caught} writes were caught midway");
}

#[test]
fn what_outlives_its_tool_and_its_watchdog_ends_with_the_server() {
    let mut session = Session::open(&[]);
    let mark = alone(14);
    // Both at once: the shell's parent, and its parent. The shell may end with them.
    let kill = format!("sleep {mark} & kill -9 $(awk '{{print $4}}' /proc/$PPID/stat) $PPID; wait");
    let result = session.result_of("bash", &json!({ "command": kill }));
    assert_eq!(result["structuredContent"]["error_code"], "TOOL_FAILED");
    assert!(eventually(|| processes_with(&mark).len() == 1));
    assert!(session.leave().success());
    assert!(is_gone(&mark));
}

#[test]
fn what_finished_calls_left_in_the_background_outlives_a_server_that_is_killed() {
    let mut session = Session::open(&[]);
    let (left, running) = (alone(15), alone(16));
    let command = json!({"command": format!("sleep {left} >/dev/null 2>&1 & echo left")});
    let answer = session.result_of("bash", &command);
    assert_eq!(answer["structuredContent"]["output"], "left");
    session.call(1, "bash", &json!({"command": format!("sleep {running}")}));
    assert!(eventually(|| processes_with(&running).len() == 1));
    kill(session.server.id(), Signal::KILL);
    session.server.wait().unwrap();
    assert!(is_gone(&running));
    let found = processes_with(&left);
    for pid in &found {
        kill(*pid, Signal::KILL);
    }
    assert_eq!(found.len(), 1);
}

#[test]
fn a_request_before_the_handshake_and_an_unknown_method_lead_on() {
    let mut session = Session::unprepared(Path::new("."), &[]);
    session.send(&json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}));
    let answer = session.receive();
    let message = answer["error"]["message"].as_str().unwrap();
    message.assert_row("mcp", "a request before the handshake");
    session.shake_hands("2025-11-25");
    session.send(&json!({"jsonrpc": "2.0", "id": 7, "method": "tools/remove"}));
    let answer = session.receive();
    let message = answer["error"]["message"].as_str().unwrap();
    message.assert_row("mcp", "an unknown method");
}
