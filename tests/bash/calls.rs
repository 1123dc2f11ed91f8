//! The bash tool, called as a host calls it.

use std::fs;
use std::process::Command;
use std::time::Duration;

use crate::common::messages::TextRow;
use crate::common::{self, alone, directory, eventually, processes_with, skip, text, tool};
use serde_json::{Value, json};

fn command(command: &str) -> Value {
    json!({ "command": command })
}

#[test]
fn both_streams_come_in_the_order_written() {
    tool("bash")
        .with(&command("echo one; echo two >&2; echo three"))
        .answers(&json!({"output": "one\ntwo\nthree", "exit_code": 0}));
}

#[test]
fn one_final_newline_is_left_out_and_no_more() {
    tool("bash")
        .with(&command("printf 'a\\n\\n'"))
        .answers(&json!({"output": "a\n", "exit_code": 0}));
    tool("bash")
        .with(&command("printf a"))
        .answers(&json!({"output": "a", "exit_code": 0}));
    tool("bash")
        .with(&command("true"))
        .answers(&json!({"output": "", "exit_code": 0}));
}

#[test]
fn the_fields_stand_in_the_specification_s_order() {
    let answer = tool("bash").with(&command("echo x")).run();
    assert_eq!(answer.stdout, br#"{"output":"x","exit_code":0}"#);
}

#[test]
fn a_command_that_fails_gives_its_exit_code() {
    tool("bash")
        .with(&command("exit 3"))
        .answers(&json!({"output": "", "exit_code": 3}));
    let answer = tool("bash")
        .with(&command("LC_ALL=C ls /nonexistent"))
        .run();
    assert_eq!(answer.json()["exit_code"], 2);
    assert!(
        answer
            .field("output")
            .ends_with(": No such file or directory")
    );
}

#[test]
fn a_command_that_is_not_there_gives_127_and_the_shell_s_own_words() {
    let answer = tool("bash").with(&command("nonexistent")).run();
    assert_eq!(answer.json()["exit_code"], 127);
    let output = answer.field("output");
    assert!(
        output.starts_with("sh: ") && output.contains("nonexistent"),
        "{output}"
    );
}

#[test]
fn a_shell_ended_by_a_signal_gives_128_and_its_number() {
    for (signal, code) in [("INT", 130), ("KILL", 137), ("TERM", 143), ("SEGV", 139)] {
        tool("bash")
            .with(&command(&format!("kill -{signal} $$")))
            .answers(&json!({"output": "", "exit_code": code}));
    }
}

#[test]
fn a_signal_to_its_own_group_hits_the_command_alone() {
    let mark = alone(1);
    for (script, code) in [
        ("kill 0; echo x", 143),
        ("kill -INT 0; echo x", 130),
        ("kill -KILL 0; echo x", 137),
        ("trap '' TERM; sleep MARK & kill 0; kill -9 $!", 0),
        ("trap 'kill 0' EXIT; sleep MARK & sleep MARK &", 143),
    ] {
        let answer = tool("bash")
            .with(&command(&script.replace("MARK", &mark)))
            .run()
            .json();
        let is_told = answer["note"].is_string();
        assert_eq!(answer["output"], "", "{script}");
        assert_eq!(answer["exit_code"], code, "{script}");
        // Who has a trap for it means it.
        let ends_itself = code != 0 && code != 130 && !script.contains("trap");
        assert_eq!(is_told, ends_itself, "{answer}");
        assert!(eventually(|| processes_with(&mark).is_empty()), "{script}");
    }
}

#[test]
fn a_command_can_be_interrupted_though_the_host_ignores_that() {
    use std::process::Command;
    for signal in ["INT", "QUIT"] {
        let request = command(&format!("kill -{signal} $$; echo on")).to_string();
        let script = format!(
            "trap '' INT QUIT; printf %s '{request}' | {}",
            text(&common::link("bash"))
        );
        let answer = Command::new("/bin/sh").args(["-c", &script]).output();
        let answer: Value = serde_json::from_slice(&answer.unwrap().stdout).unwrap();
        assert_eq!(answer["output"], "", "{signal}");
    }
}

#[test]
fn a_command_may_begin_like_an_option() {
    for (script, name, end, code) in [
        ("-x", "-x", "not found", 127),
        ("-c; echo hi", "-c", "not found\nhi", 0),
        ("+e; exit 4", "+e", "not found", 4),
    ] {
        // Shells differ in what stands between.
        let answer = tool("bash").with(&command(script)).run();
        let output = answer.field("output");
        let is_said = output.starts_with("sh: ") && output.contains(&format!("{name}: "));
        assert!(is_said && output.ends_with(end), "{output}");
        assert_eq!(answer.json()["exit_code"], code);
    }
}

#[test]
fn signals_that_the_host_ignores_are_no_matter() {
    for ignored in ["CHLD", "XFSZ", "CHLD INT QUIT HUP TERM PIPE"] {
        tool("bash")
            .with(&command("echo hi; (exit 3)"))
            .after(&format!("trap '' {ignored}"))
            .answers(&json!({"output": "hi", "exit_code": 3}));
    }
}

#[test]
fn a_command_that_signals_its_parent_goes_on() {
    let script =
        "for s in HUP INT QUIT TERM USR1 PIPE CHLD XFSZ; do kill -$s $PPID; done; echo on; exit 3";
    tool("bash")
        .with(&command(script))
        .answers(&json!({"output": "on", "exit_code": 3}));
}

#[test]
fn without_proc_a_killed_tool_leaves_no_process_either() {
    if !common::can_unmount_proc() {
        return common::skip("/proc cannot be unmounted here");
    }
    let mark = alone(8);
    let mut child = tool("bash")
        .with(&command(&format!("sleep {mark} & sleep {mark}")))
        .after_in_own_mounts("umount -l /proc")
        .start();
    assert!(eventually(|| processes_with(&mark).len() == 2));
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(eventually(|| processes_with(&mark).is_empty()));
}

#[test]
fn here_documents_and_comments_reach_the_shell_as_they_are() {
    tool("bash")
        .with(&command("cat <<EOF\n$((1+1)) 'quoted'\nEOF\n# the end"))
        .answers(&json!({"output": "2 'quoted'", "exit_code": 0}));
}

#[test]
fn stdin_is_at_its_end() {
    tool("bash")
        .with(&command("cat; echo done"))
        .answers(&json!({"output": "done", "exit_code": 0}));
}

#[test]
fn bytes_that_are_no_text_are_replaced_and_nul_is_kept() {
    tool("bash")
        .with(&command(r"printf 'a\377b\000c\303\251'"))
        .answers(&json!({"output": "a\u{FFFD}b\0cé", "exit_code": 0}));
}

#[test]
fn the_environment_and_the_directory_are_the_tool_s_own() {
    let here = directory();
    tool("bash")
        .with(&command("echo $GREETING; pwd -P"))
        .env("GREETING", "hello")
        .in_directory(here.path())
        .answers(&json!({
            "output": format!("hello\n{}", text(&here.path().canonicalize().unwrap())),
            "exit_code": 0
        }));
}

#[test]
fn a_child_that_keeps_the_pipe_is_not_waited_for() {
    let mark = alone(2);
    let script = format!("sleep {mark} & echo x");
    let answer = tool("bash").with(&command(&script)).run();
    let note = answer.json()["note"].as_str().unwrap().to_owned();
    note.assert_row("bash", "a process that holds the output");
    assert_eq!(
        answer.json(),
        json!({"output": "x", "exit_code": 0, "note": note})
    );
    assert!(
        answer.took < Duration::from_secs(2),
        "took {:?}",
        answer.took
    );
    // What was left in the background lives on.
    assert!(eventually(|| processes_with(&mark).len() == 1));
    let left = i32::try_from(processes_with(&mark)[0]).unwrap();
    // SAFETY: sends a signal to the one process that has the mark.
    unsafe { libc::kill(left, libc::SIGKILL) };
}

#[test]
fn a_child_that_writes_without_end_is_not_read_without_end() {
    let mark = alone(3);
    let script = format!("yes {mark} & sleep 0.2");
    let answer = tool("bash").with(&command(&script)).run();
    assert!(answer.field("output").starts_with(&mark));
    assert!(
        answer.took < Duration::from_secs(5),
        "took {:?}",
        answer.took
    );
    assert!(
        eventually(|| processes_with(&mark).is_empty()),
        "nobody reads it: SIGPIPE"
    );
}

#[test]
fn a_command_that_closes_its_streams_is_waited_for_all_the_same() {
    tool("bash")
        .with(&command("exec >/dev/null 2>&1; sleep 0.2; exit 7"))
        .answers(&json!({"output": "", "exit_code": 7}));
}

#[test]
fn a_killed_tool_leaves_no_process() {
    let mark = alone(4);
    let script = "setsid sleep MARK & (sleep MARK &) ; nohup sleep MARK & \
                  trap '' TERM HUP INT; sleep MARK; sleep MARK"
        .replace("MARK", &mark);
    for signal in [libc::SIGKILL, libc::SIGTERM] {
        let mut child = tool("bash").with(&command(&script)).start();
        assert!(eventually(|| processes_with(&mark).len() == 4));
        // SAFETY: sends a signal to a child that has not been waited for, so that the number is
        // still its own.
        unsafe { libc::kill(i32::try_from(child.id()).unwrap(), signal) };
        child.wait().unwrap();
        assert!(
            eventually(|| processes_with(&mark).is_empty()),
            "signal {signal}"
        );
    }
}

#[test]
fn a_host_that_kills_the_whole_group_leaves_no_process_either() {
    use std::os::unix::process::CommandExt;
    use std::process::{Command, Stdio};
    let mark = alone(5);
    let request = command(&format!("(setsid sleep {mark} &); sleep {mark}")).to_string();
    let mut host = Command::new("/bin/sh");
    host.arg("-c").arg(format!(
        "printf %s '{request}' | {}",
        text(&common::link("bash"))
    ));
    let mut child = host.process_group(0).stdout(Stdio::null()).spawn().unwrap();
    assert!(eventually(|| processes_with(&mark).len() == 2));
    // SAFETY: the group is led by a child that has not been waited for.
    unsafe { libc::kill(-i32::try_from(child.id()).unwrap(), libc::SIGKILL) };
    child.wait().unwrap();
    assert!(eventually(|| processes_with(&mark).is_empty()));
}

#[test]
fn a_command_that_asks_at_the_host_s_terminal_fails_and_does_not_wait() {
    use std::fs::File;
    use std::os::fd::{AsRawFd, FromRawFd};
    use std::os::unix::process::CommandExt;
    use std::process::{Command, Stdio};
    let (mut master, mut slave) = (-1, -1);
    let none = std::ptr::null_mut();
    // SAFETY: the first two are pointers to locals, the others may be null.
    let opened = unsafe {
        libc::openpty(
            &raw mut master,
            &raw mut slave,
            none,
            none.cast(),
            none.cast(),
        )
    };
    assert_eq!(opened, 0);
    // SAFETY: both were opened just now and belong to nobody else.
    let (_master, slave) = unsafe { (File::from_raw_fd(master), File::from_raw_fd(slave)) };
    let mut host = Command::new("/bin/sh");
    let request = command("echo asked >/dev/tty").to_string();
    host.arg("-c").arg(format!(
        "echo host >/dev/tty && printf %s '{request}' | {}",
        text(&common::link("bash"))
    ));
    let terminal = slave.as_raw_fd();
    // SAFETY: two system calls.
    unsafe {
        host.pre_exec(move || {
            libc::setsid();
            libc::ioctl(terminal, libc::TIOCSCTTY, 0);
            Ok(())
        })
    };
    let answer = host.stdout(Stdio::piped()).output().unwrap();
    let answer: Value = serde_json::from_slice(&answer.stdout).unwrap();
    assert!(answer["exit_code"] != 0, "{answer}");
    assert!(
        answer["output"].as_str().unwrap().contains("/dev/tty"),
        "{answer}"
    );
}

#[test]
fn a_host_that_stops_reading_ends_the_command() {
    let mark = alone(6);
    let script = format!("while echo {mark}; do :; done; sleep {mark}");
    let mut child = tool("bash").with(&command(&script)).start();
    drop(child.stdout.take());
    assert!(child.wait().unwrap().success());
    assert!(eventually(|| processes_with(&mark).is_empty()));
}

#[test]
fn a_command_that_kills_its_watchdog_is_ended_and_answered() {
    let mark = alone(7);
    let script = format!("sleep {mark} & echo x; kill -9 $PPID; sleep {mark}");
    let answer = tool("bash").with(&command(&script)).run();
    assert_eq!(answer.json(), json!({"output": "x", "exit_code": 137}));
    assert!(processes_with(&mark).is_empty());
}

#[test]
fn a_hundred_megabytes_come_whole() {
    let answer = tool("bash")
        .with(&command("head -c 100000000 /dev/zero | tr '\\0' 'q'"))
        .run();
    let prefix = br#"{"output":""#;
    assert!(answer.stdout.starts_with(prefix));
    let end = String::from_utf8_lossy(&answer.stdout[answer.stdout.len() - 300..]).into_owned();
    let (_, note) = end.split_once(r#"","exit_code":0,"note":"#).unwrap();
    note.assert_row("bash", "an answer of a hundred megabytes");
    assert_eq!(
        answer.stdout[prefix.len()..]
            .iter()
            .take_while(|byte| **byte == b'q')
            .count(),
        100_000_000
    );
}

#[test]
fn a_command_longer_than_an_argument_may_be_is_run() {
    let padding = "# padding\n".repeat(20_000);
    let script =
        format!("echo first; x=1\n{padding}echo last $x; ls -l /proc/self/fd | grep -c memfd");
    tool("bash")
        .with(&command(&script))
        .answers(&json!({"output": "first\nlast 1\n0", "exit_code": 1}));
}

#[test]
fn a_request_of_forty_megabytes_is_answered() {
    let script = format!("echo ran; : '{}'", "x".repeat(40_000_000));
    tool("bash")
        .with(&command(&script))
        .answers(&json!({"output": "ran", "exit_code": 0}));
}

#[test]
fn two_calls_at_once_do_not_mix() {
    let started: Vec<_> = (0..8)
        .map(|n| {
            tool("bash")
                .with(&command(&format!(
                    "for i in 1 2 3; do echo {n}; sleep 0.02; done"
                )))
                .start()
        })
        .collect();
    for (n, child) in started.into_iter().enumerate() {
        let output = child.wait_with_output().unwrap().stdout;
        let expected = json!({"output": format!("{n}\n{n}\n{n}"), "exit_code": 0});
        assert_eq!(serde_json::from_slice::<Value>(&output).unwrap(), expected);
    }
}

#[test]
fn the_command_s_zombies_do_not_pile_up() {
    let here = directory();
    let script = "for i in $(seq 200); do (true &); done; sleep 1.5; \
                  cat /proc/*/stat 2>/dev/null | awk -v w=$PPID '$4 == w && $3 == \"Z\"' | wc -l > zombies";
    tool("bash")
        .with(&command(script))
        .in_directory(here.path())
        .run();
    assert_eq!(
        fs::read_to_string(here.path().join("zombies"))
            .unwrap()
            .trim(),
        "0"
    );
}

#[test]
fn a_command_that_takes_its_parent_for_a_tracer_is_no_puzzle_to_it() {
    if Command::new("perl").arg("-v").output().is_err() {
        return skip("no perl here");
    }
    let number = libc::SYS_ptrace;
    for (script, expected) in [
        // Stops at the program that follows.
        (
            format!("exec perl -e 'syscall({number}, 0, 0, 0, 0); exec q(echo), q(x)'"),
            ("x", 0),
        ),
        // Stops by itself, and goes on when it is told to.
        (
            format!(
                "(sleep 0.3; kill -CONT $$) & \
                 exec perl -e 'syscall({number}, 0, 0, 0, 0); kill q(STOP), $$; print q(y); exit 3'"
            ),
            ("y", 3),
        ),
    ] {
        let answer = tool("bash")
            .with(&json!({ "command": script }))
            .run()
            .json();
        let (output, code) = expected;
        assert_eq!(answer, json!({"output": output, "exit_code": code}));
    }
}
