//! Commands in the background: started, watched and stopped, and what becomes of them when somebody
//! dies.

use std::fs;
use std::io::{Read, Seek, SeekFrom, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use super::session::Session;
use crate::common::messages::TextRow;
use crate::common::{BINARY, alone, directory, eventually, processes_with, text, tool};

/// A command in the background, as its answer names it.
struct Started {
    number: u32,
    file: PathBuf,
}

impl Started {
    /// Reads an answer: the number, and the file.
    fn read(answer: &str) -> Self {
        let behind = |words: &str| {
            answer
                .split_once(words)
                .unwrap_or_else(|| panic!("{answer}"))
                .1
        };
        let number = behind("in the background as ").split('.').next().unwrap();
        let file = behind("goes into ").split([',', ':']).next().unwrap();
        Self {
            number: number.parse().unwrap(),
            file: file.into(),
        }
    }

    fn start(session: &mut Session, command: &str) -> Self {
        let request = json!({"command": command, "background": true});
        let (answer, failed) = session.text_of("bash", &request);
        assert!(!failed, "{answer}");
        Self::read(&answer)
    }

    fn output(&self) -> String {
        fs::read_to_string(&self.file).unwrap()
    }

    /// The last bytes of the output.
    fn end(&self) -> String {
        let mut file = fs::File::open(&self.file).unwrap();
        let length = file.metadata().unwrap().len();
        file.seek(SeekFrom::Start(length.saturating_sub(100)))
            .unwrap();
        let mut end = String::new();
        file.read_to_string(&mut end).unwrap();
        end
    }

    /// Asserts that an answer that names it is the row of `name`.
    #[track_caller]
    fn shown(&self, answer: &str, name: &str) {
        let number = self.number.to_string();
        let placeholders = [(text(&self.file), "<file>"), (&number, "<number>")];
        answer.assert_row_at("mcp", name, &placeholders);
    }

    fn says(&self, words: &str) -> bool {
        eventually(|| self.output().contains(words))
    }

    fn stop(&self, session: &mut Session) -> (String, bool) {
        session.text_of("bash", &json!({"stop": self.number}))
    }
}

/// A server whose outputs are no other's.
fn session(directory: &Path) -> Session {
    let args = ["--tools", "bash,file-read,grep"];
    let state = text(&directory.join("state")).to_owned();
    let variables = [("XDG_STATE_HOME".to_owned(), state)];
    let mut session = Session::unprepared_with(directory, &args, &variables);
    session.shake_hands("2025-11-25");
    session
}

fn kill(number: u32, signal: Signal) {
    kill_process(Pid::from_raw(number.cast_signed()).unwrap(), signal).unwrap();
}

#[test]
fn a_server_of_the_project_s_is_started_asked_watched_and_stopped() {
    let here = directory();
    let mut session = session(here.path());
    let mark = alone(1);
    let server = format!(
        "trap 'echo cleaned up; exit' TERM; echo listening; \
         while :; do if [ -e asked ]; then rm asked; echo answered; fi; sleep 0.05; : {mark}; done"
    );
    let begin = Instant::now();
    let started = Started::start(&mut session, &server);
    assert!(begin.elapsed() < Duration::from_secs(5));
    assert!(started.says("listening\n"));
    let mode = fs::metadata(&started.file).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    session.text_of("bash", &json!({"command": "touch asked"}));
    assert!(started.says("answered\n"));
    let file = text(&started.file);
    let (watched, _) = session.text_of("file_read", &json!({"file_path": file, "offset": -1}));
    assert_eq!(watched, "answered\n");
    let (found, _) = session.text_of("grep", &json!({"pattern": "listen", "path": file}));
    assert!(found.ends_with("1: listening"), "{found}");
    let (stopped, failed) = started.stop(&mut session);
    assert!(!failed);
    started.shown(&stopped, "a command that is stopped");
    assert!(
        started.output().ends_with("cleaned up\n[stopped]\n"),
        "{}",
        started.output()
    );
    assert!(eventually(|| processes_with(&mark).is_empty()));
    assert!(started.stop(&mut session).1);
}

#[test]
fn the_last_line_of_its_file_is_its_exit_code() {
    let here = directory();
    let mut session = session(here.path());
    for (command, expected) in [
        ("exit 0", "[exit code 0]\n"),
        ("echo a; exit 3", "a\n[exit code 3]\n"),
        (
            "printf 'no newline'; kill -9 $$",
            "no newline\n[exit code 137]\n",
        ),
        (
            "printf '1 %%\\r2 %%\\r3 %%\\n\\033[1mbold\\033[0m'",
            "3 %\nbold\n[exit code 0]\n",
        ),
        // What the shell does not wait for may write as well.
        (
            "(sleep 0.5; echo late) & echo early; exit 7",
            "early\nlate\n[exit code 7]\n",
        ),
        ("/nowhere/program", "[exit code 127]\n"),
    ] {
        let started = Started::start(&mut session, command);
        assert!(started.says("[exit code"), "{command}");
        let output = started.output();
        assert!(output.ends_with(expected), "{command}: {output}");
    }
    let request = json!({"command": "sleep 60", "background": true, "timeout": 1});
    let started = Started::read(&session.text_of("bash", &request).0);
    assert!(started.says("[exit code 124: its `timeout` was over]\n"));
}

#[test]
fn a_progress_bar_is_seen_in_its_present_state() {
    let here = directory();
    let mut session = session(here.path());
    let mark = alone(7);
    let wait = |name: &str| format!("while ! [ -e {name} ]; do sleep 0.05; : {mark}; done");
    let bar = format!(
        "echo begun; printf '10 %%\\r20 %%'; {}; printf '\\r30 %%'; {}; printf '\\r40 %%\\ndone'",
        wait("one"),
        wait("two")
    );
    let started = Started::start(&mut session, &bar);
    for (seen, next) in [("begun\n20 %", "one"), ("begun\n30 %", "two")] {
        assert!(
            eventually(|| started.output() == seen),
            "{seen}: {}",
            started.output()
        );
        fs::write(here.path().join(next), "").unwrap();
    }
    assert!(started.says("[exit code 0]"));
    assert_eq!(started.output(), "begun\n40 %\ndone\n[exit code 0]\n");
}

#[test]
fn sixteen_run_at_the_same_time_and_no_further_one_is_begun() {
    let here = directory();
    let mut session = session(here.path());
    let mark = alone(2);
    let all: Vec<Started> = (0..16)
        .map(|_| Started::start(&mut session, &format!("sleep {mark}")))
        .collect();
    let request = json!({"command": "touch begun", "run_in_background": true});
    let (refused, failed) = session.text_of("bash", &request);
    assert!(failed);
    refused.assert_row("mcp", "a seventeenth command in the background");
    assert!(refused.contains(&all[3].number.to_string()), "{refused}");
    // What a command leaves with its output open is said to be cut off then.
    let (left, _) = session.text_of("bash", &json!({"command": format!("sleep {mark} &")}));
    left.assert_row("mcp", "a process that is left beside sixteen");
    assert!(!all[3].stop(&mut session).1);
    assert!(!session.text_of("bash", &request).1);
    assert!(eventually(|| here.path().join("begun").exists()));
    assert!(session.leave().success());
    assert!(eventually(|| processes_with(&mark).is_empty()));
}

#[test]
fn what_a_command_leaves_with_its_output_open_goes_on_into_a_file() {
    let here = directory();
    let mut session = session(here.path());
    let mark = alone(3);
    let script = format!("(echo one; sleep 0.6; echo two; sleep {mark}) & echo begun; exit 5");
    let (answer, _) = session.text_of("bash", &json!({ "command": script }));
    let mut left = Started::read(&answer);
    left.shown(&answer, "a process that is left with its output");
    // It lies below the server's directory.
    left.file = here.path().join(&left.file);
    assert!(left.says("two\n"));
    // All is there, and nothing twice.
    for line in ["begun\n", "one\n", "two\n"] {
        assert_eq!(left.output().matches(line).count(), 1, "{}", left.output());
    }
    assert!(!left.stop(&mut session).1);
    assert!(processes_with(&mark).is_empty());
    // With its output elsewhere it is left alone, and nothing is said of it.
    let script = format!("sleep {mark} >/dev/null 2>&1 & echo begun");
    let (answer, _) = session.text_of("bash", &json!({ "command": script }));
    assert_eq!(answer, "begun");
    assert_eq!(processes_with(&mark).len(), 1);
    assert!(session.leave().success());
    assert!(eventually(|| processes_with(&mark).is_empty()));
}

#[test]
fn whoever_dies_nothing_in_the_background_is_left() {
    type Death = fn(&mut Session, &Started);
    let deaths: [(&str, Death, bool); 5] = [
        ("the client", |session, _| session.end_input(), true),
        (
            "the server, asked",
            |session, _| kill(session.server.id(), Signal::TERM),
            true,
        ),
        (
            "the server",
            |session, _| kill(session.server.id(), Signal::KILL),
            false,
        ),
        (
            "its process, asked",
            |_, started| kill(started.number, Signal::TERM),
            true,
        ),
        (
            "its process",
            |_, started| kill(started.number, Signal::KILL),
            false,
        ),
    ];
    for (who, dies, has_time) in deaths {
        let here = directory();
        let mut session = session(here.path());
        let mark = alone(4);
        let command = format!(
            "trap 'sleep 0.8; touch cleaned; exit' TERM; (setsid sleep {mark} &); echo begun; \
             while :; do sleep 0.1; done"
        );
        let started = Started::start(&mut session, &command);
        assert!(started.says("begun\n"), "{who}");
        assert!(eventually(|| processes_with(&mark).len() == 1), "{who}");
        dies(&mut session, &started);
        assert!(eventually(|| processes_with(&mark).is_empty()), "{who}");
        let number = Path::new("/proc").join(started.number.to_string());
        assert!(eventually(|| !number.exists()), "{who}");
        // Who watches it may end before it does.
        let had_time = || {
            let cleaned = here.path().join("cleaned").exists();
            [cleaned, started.output().contains("[stopped]")]
        };
        assert!(eventually(|| had_time() == [has_time; 2]), "{who}");
        session.end_input();
        session.server.wait().unwrap();
    }
}

#[test]
fn the_oldest_output_makes_room_for_the_newest() {
    let here = directory();
    let mut session = session(here.path());
    let lines = "i=0; while [ $i -lt 70 ]; do echo $i; cat block; i=$((i+1)); done; echo the end";
    let block = format!("{}\n", "x".repeat(999)).repeat(1000);
    fs::write(here.path().join("block"), block).unwrap();
    let started = Started::start(&mut session, lines);
    let deadline = Instant::now() + Duration::from_secs(120);
    while !started.end().ends_with("the end\n[exit code 0]\n") {
        assert!(Instant::now() < deadline);
        std::thread::sleep(Duration::from_millis(50));
    }
    let size = fs::metadata(&started.file).unwrap().len();
    assert!((32 << 20..=64 << 20).contains(&size), "{size}");
    let output = started.output();
    assert!(output.starts_with("[... older output left out ...]\n"));
    assert!(
        output
            .lines()
            .skip(1)
            .all(|line| line.len() == 999 || line.len() < 20)
    );
}

#[test]
fn the_file_of_a_running_command_is_never_too_old() {
    let here = directory();
    let mut session = session(here.path());
    let mark = alone(5);
    let started = Started::start(&mut session, &format!("echo begun; sleep {mark}"));
    assert!(started.says("begun\n"));
    let age = |file: &Path| {
        let old = std::time::SystemTime::now() - Duration::from_secs(3 * 24 * 60 * 60);
        fs::File::options()
            .append(true)
            .open(file)
            .unwrap()
            .set_modified(old)
            .unwrap();
    };
    age(&started.file);
    let long = json!({"command": "seq 100000"});
    session.text_of("bash", &long);
    assert_eq!(started.output(), "begun\n");
    started.stop(&mut session);
    age(&started.file);
    session.text_of("bash", &long);
    assert!(!started.file.exists());
}

#[test]
fn hosts_and_flags_are_told_what_to_write_instead() {
    let here = directory();
    let host = tool("bash").with(&json!({"command": "touch begun", "background": true}));
    let answer = host.in_directory(here.path()).run().json();
    assert_eq!(answer["error_code"], "INVALID_ARG");
    for flag in [
        &["--background", "touch begun"][..],
        &["--stop", "7", "touch begun"],
    ] {
        let mut command = Command::new(BINARY);
        let output = command
            .arg("bash")
            .args(flag)
            .current_dir(here.path())
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(125), "{output:?}");
    }
    assert!(!here.path().join("begun").exists());
}

#[test]
fn a_process_that_ends_in_the_background_is_reaped_at_once() {
    let here = directory();
    let mut session = session(here.path());
    let script = "for i in 1 2 3; do (sleep 0.$i) >/dev/null 2>&1 & done";
    session.text_of("bash", &json!({ "command": script }));
    let children = || {
        let path = format!("/proc/{0}/task/{0}/children", session.server.id());
        fs::read_to_string(path).unwrap_or_default()
    };
    // No further call is made.
    assert!(
        eventually(|| children().trim().is_empty()),
        "{}",
        children()
    );
}

#[test]
fn the_list_says_which_shell_runs_commands() {
    let here = directory();
    for (variables, expected) in [(vec![], "bash"), (vec![("IKIGAI_SHELL", "/bin/sh")], "sh")] {
        let variables: Vec<(String, String)> = variables
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect();
        let args = ["--tools", "bash"];
        let mut session = Session::unprepared_with(here.path(), &args, &variables);
        session.shake_hands("2025-11-25");
        session.send(&json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}));
        let listed: Value = session.receive();
        let said = listed["result"]["tools"][0]["description"]
            .as_str()
            .unwrap();
        assert!(
            said.contains(&format!("The shell is {expected}.")),
            "{said}"
        );
        let (name, _) = session.text_of("bash", &json!({"command": "echo $0"}));
        assert_eq!(name, expected);
    }
    let (words, _) = session(here.path()).text_of(
        "bash",
        &json!({"command": "[[ a == a* ]] && a=(1 2) && echo ${a[1]}"}),
    );
    assert_eq!(words, "2");
}

/// The answer to a call of a client that may hear nothing for half a second, or, if it `may_wait`,
/// for longer, from a server of these `tools`; and the call's process.
fn call_of_silence(
    state: &Path,
    may_wait: bool,
    tools: &[&str],
    request: &Value,
) -> (Value, Child) {
    let description = json!({
        "bounds": null,
        "reads_outputs": true,
        "is_public_only": false,
        "reader": "Model",
        "max_answer": 7_000,
        "wants_progress": false,
        // As a server says it in the name of such a client.
        "goes_on_after": 500,
        "may_wait": may_wait,
        "tools": tools,
    });
    let mut call = Command::new(BINARY)
        .args(["mcp", "--call", "bash"])
        .env("XDG_STATE_HOME", state)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = call.stdin.take().unwrap();
    write!(stdin, "{description}\n{request}").unwrap();
    drop(stdin);
    let mut answer = String::new();
    let mut stdout = call.stdout.take().unwrap();
    stdout.read_to_string(&mut answer).unwrap();
    (serde_json::from_str(&answer).unwrap(), call)
}

#[test]
fn a_client_that_may_wait_is_answered_in_time_unless_the_call_asks_for_more() {
    let here = directory();
    let both = ["bash", "file_read"];
    for (may_wait, tools, timeout, goes_on) in [
        (true, &both[..], json!(null), true),
        (true, &both, json!(60), true),
        (true, &both, json!(61), false),
        // Nothing would read on.
        (true, &["bash"], json!(null), false),
        // It is known to give up.
        (false, &both, json!(61), true),
        (false, &["bash"], json!(null), true),
    ] {
        let request = json!({"command": "echo begun; sleep 1; echo done", "timeout": timeout});
        let (answer, mut call) = call_of_silence(here.path(), may_wait, tools, &request);
        let (output, code) = if goes_on {
            ("begun", None)
        } else {
            ("begun\ndone", Some(0))
        };
        assert_eq!(answer["output"], output, "{may_wait} {tools:?} {timeout}");
        assert_eq!(answer["exit_code"].as_u64(), code);
        call.wait().unwrap();
    }
}

/// A client that hears nothing for a minute gives the call up.
#[test]
fn a_command_goes_on_in_the_background_before_its_client_gives_it_up() {
    let here = directory();
    let mark = alone(6);
    let script = format!("echo begun; sleep 1.5; echo midway; sleep {mark}");
    let request = json!({ "command": script });
    let (answer, mut call) = call_of_silence(here.path(), false, &["bash"], &request);
    assert_eq!(
        (&answer["output"], answer.get("exit_code")),
        (&json!("begun"), None)
    );
    let note = answer["note"].as_str().unwrap();
    let started = Started::read(note);
    started.shown(note, "a command that goes on in the background");
    assert_eq!(started.number, call.id());
    assert!(started.says("begun\nmidway\n"));
    kill(started.number, Signal::TERM);
    call.wait().unwrap();
    assert!(
        started.output().ends_with("midway\n[stopped]\n"),
        "{}",
        started.output()
    );
    assert!(processes_with(&mark).is_empty());
}

/// As with programs in a home.
#[test]
fn a_bash_that_the_confinement_does_not_let_run_is_passed_over() {
    let (here, outside) = (directory(), directory());
    let mine = outside.path().join("bash");
    fs::write(&mine, "#!/bin/sh\necho mine\n").unwrap();
    fs::set_permissions(&mine, fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:/usr/bin:/bin", text(outside.path()));
    for (root, expected) in [(None, "mine"), (Some("."), "bash")] {
        let mut command = Command::new(BINARY);
        command
            .args(["mcp", "--tools", "bash"])
            .current_dir(here.path());
        command.env("PATH", &path);
        if let Some(root) = root {
            if !super::bounds::confines() {
                continue;
            }
            command.args(["--root", root]);
        }
        let mut session = Session::of(&mut command);
        session.shake_hands("2025-11-25");
        let (said, _) = session.text_of("bash", &json!({"command": "echo ${0##*/}"}));
        assert_eq!(said, expected);
    }
}
