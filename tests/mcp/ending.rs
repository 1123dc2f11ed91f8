//! Ending calls over MCP: they are asked to end and have time to clear up, all at the same time.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, getpgid, kill_process, kill_process_group};
use serde_json::{Value, json};

use super::session::Session;
use crate::common::{alone, directory, eventually, names_in, processes_with, side_by_side};

/// A command that clears up when it is asked to end, and leaves `name`.
fn clears_up(mark: &str, name: &str) -> Value {
    json!({"command": format!("trap 'sleep 0.8; touch {name}; exit' TERM; sleep {mark}")})
}

/// One that does not heed it.
fn heeds_nothing(mark: &str) -> Value {
    json!({"command": format!("trap '' TERM HUP INT; sleep {mark}; sleep {mark}")})
}

fn pid(number: u32) -> Pid {
    Pid::from_raw(number.cast_signed()).unwrap()
}

#[test]
fn a_cancelled_call_clears_up_and_one_that_does_not_is_killed() {
    let here = directory();
    let mut session = Session::start_in(here.path(), &[]);
    session.shake_hands("2025-11-25");
    let (heeding, deaf) = (alone(60), alone(61));
    session.call(1, "bash", &clears_up(&heeding, "cleaned"));
    session.call(2, "bash", &heeds_nothing(&deaf));
    assert!(eventually(|| {
        processes_with(&heeding).len() + processes_with(&deaf).len() == 2
    }));
    let begin = Instant::now();
    session.cancel(1);
    session.cancel(2);
    assert!(eventually(|| here.path().join("cleaned").exists()));
    assert!(!processes_with(&deaf).is_empty());
    assert!(eventually(|| processes_with(&deaf).is_empty()));
    assert!(begin.elapsed() > Duration::from_millis(1_800));
    session.call(3, "bash", &json!({"command": "echo still here"}));
    assert_eq!(session.receive()["id"], 3);
}

#[test]
fn a_command_that_stops_its_watchdog_is_ended_all_the_same() {
    side_by_side([(68, false), (69, true)], |(number, stops_again)| {
        let here = directory();
        let mut session = Session::start_in(here.path(), &["--timeout", "4"]);
        session.shake_hands("2025-11-25");
        let mark = alone(number);
        let stop = "kill -STOP $PPID";
        let again = if stops_again { stop } else { ":" };
        let command = format!("trap '{again}' TERM; {stop}; sleep {mark}; {again}; sleep {mark}");
        let answer = session.result_of("bash", &json!({ "command": command }));
        assert_eq!(answer["structuredContent"]["exit_code"], 124, "{answer}");
        assert!(eventually(|| processes_with(&mark).is_empty()));
    });
}

#[test]
fn a_server_that_ends_asks_all_commands_at_once() {
    let ends = [(70, "input"), (71, "SIGTERM"), (72, "client")];
    side_by_side(ends, |(number, end)| {
        let here = directory();
        let mut session = Session::start_in(here.path(), &[]);
        session.shake_hands("2025-11-25");
        let mark = alone(number);
        for name in ["left-1", "left-2"] {
            let left = format!(
                "(trap 'sleep 0.8; touch {name}; exit' TERM; sleep {mark}) >/dev/null 2>&1 & \
                 echo left"
            );
            session.result_of("bash", &json!({ "command": left }));
        }
        for id in 0..4 {
            session.call(id, "bash", &clears_up(&mark, &format!("cleaned-{id}")));
            session.call(10 + id, "bash", &heeds_nothing(&mark));
        }
        assert!(eventually(|| processes_with(&mark).len() == 10));
        let begin = Instant::now();
        match end {
            "input" => session.end_input(),
            "SIGTERM" => kill_process(pid(session.server.id()), Signal::TERM).unwrap(),
            _ => drop(session.take_input()),
        }
        let mut server = session.server;
        assert!(server.wait().unwrap().success());
        let took = begin.elapsed();
        assert!(processes_with(&mark).is_empty(), "{end}");
        // One after the other they would take eight.
        assert!(took < Duration::from_secs(7), "{end}: {took:?}");
        let cleaned = (0..4).map(|id| format!("cleaned-{id}"));
        let expected: Vec<_> = cleaned.chain(["left-1".into(), "left-2".into()]).collect();
        assert_eq!(names_in(here.path()), expected, "{end}");
    });
}

#[test]
fn each_call_has_a_group_of_its_own_and_ends_though_the_server_s_group_is_killed() {
    let mut server = std::process::Command::new(crate::common::BINARY);
    std::os::unix::process::CommandExt::process_group(&mut server, 0);
    let mut session = Session::of(server.args(["mcp", "--structured"]));
    session.shake_hands("2025-11-25");
    let mark = alone(63);
    session.call(1, "bash", &heeds_nothing(&mark));
    session.call(2, "bash", &heeds_nothing(&mark));
    assert!(eventually(|| processes_with(&mark).len() == 2));
    let server = session.server.id();
    let children = fs::read_dir("/proc")
        .unwrap()
        .flatten()
        .filter_map(|entry| {
            let number: u32 = entry.file_name().to_str()?.parse().ok()?;
            let stat = fs::read_to_string(entry.path().join("stat")).ok()?;
            let (_, rest) = stat.rsplit_once(") ")?;
            let parent: u32 = rest.split(' ').nth(1)?.parse().ok()?;
            (parent == server).then(|| getpgid(Some(pid(number))).unwrap())
        });
    let groups: Vec<Pid> = children.collect();
    assert_eq!(groups.len(), 2);
    assert!(groups[0] != groups[1] && !groups.contains(&pid(server)));
    kill_process_group(pid(server), Signal::KILL).unwrap();
    session.server.wait().unwrap();
    assert!(eventually(|| processes_with(&mark).is_empty()));
}

/// A command below which a server runs under such a name, with an input that stays open and a call
/// of its own.
fn impostor(name: &str, mark: &str) -> String {
    let lines = [
        json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": {"name": "x", "version": "1"},
        }}),
        json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {
            "name": "bash", "arguments": {"command": format!("trap '' TERM; sleep {mark}; sleep {mark}")},
        }}),
    ]
    .map(|line| line.to_string());
    let binary = crate::common::BINARY;
    format!(
        "rm -f f {name}; ln -s '{binary}' {name}; mkfifo f; exec 3<>f
         cat >&3 <<'END'\n{}\nEND\n\
         exec ./{name} mcp --tools bash <&3 >/dev/null 2>&1",
        lines.join("\n")
    )
}

#[test]
fn no_name_that_a_link_gives_outlives_a_cancelled_call_or_the_server() {
    let names = [
        (80, "ikigai-guard"),
        (82, "ikigai-writing"),
        (84, "ikigai-staying"),
        (86, "ikigai-watching"),
    ];
    side_by_side(names, |(number, name)| {
        let here = directory();
        let mut session = Session::start_in(here.path(), &[]);
        session.shake_hands("2025-11-25");
        let (cancelled, left) = (alone(number), alone(number + 1));
        let call = json!({"command": impostor(name, &cancelled)});
        session.call(1, "bash", &call);
        assert!(eventually(|| processes_with(&cancelled).len() == 1));
        session.cancel(1);
        assert!(
            eventually(|| processes_with(&cancelled).is_empty()),
            "{name}"
        );
        let command = format!("({}) >/dev/null 2>&1 & echo left", impostor(name, &left));
        session.result_of("bash", &json!({ "command": command }));
        assert!(eventually(|| processes_with(&left).len() == 1));
        assert!(session.leave().success());
        assert!(processes_with(&left).is_empty(), "{name}");
        assert!(!runs_in(here.path()), "{name}");
    });
}

/// True if any process works in that directory.
fn runs_in(directory: &Path) -> bool {
    let directory = directory.canonicalize().unwrap();
    let mut all = fs::read_dir("/proc").unwrap().flatten();
    all.any(|entry| fs::read_link(entry.path().join("cwd")).is_ok_and(|it| it == directory))
}
