//! Ending a command: it is asked to end, has time to clear up, and is then killed.

use std::fs;
use std::os::unix::fs::symlink;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;

use crate::common::messages::TextRow;
use crate::common::{
    self, Answer, BINARY, alone, directory, eventually, is_root, link, processes_with, skip, text,
    tool,
};

/// The time that a busy machine adds.
const SLACK: Duration = Duration::from_millis(300);

/// A call that may take so many seconds, and takes less; now and then a busy machine holds one up,
/// and another is made.
fn within(seconds: &str, here: &Path, command: &str) -> Answer {
    let limit = Duration::from_secs_f64(seconds.parse().unwrap());
    let prepared = common::names_in(here);
    for _ in 0..3 {
        let answer = tool("bash")
            .with(&json!({ "command": command }))
            .env("IKIGAI_MAX_SECONDS", seconds)
            .in_directory(here)
            .run();
        assert_eq!(answer.json()["exit_code"], 124, "{}", answer.json());
        if answer.took < limit {
            return answer;
        }
        let made = common::names_in(here).into_iter();
        for name in made.filter(|name| !prepared.contains(name)) {
            let _ = fs::remove_file(here.join(name));
        }
    }
    panic!("never within {limit:?}: {command}");
}

/// Waits until no process has `mark`; ends those that have.
fn all_gone(mark: &str) -> bool {
    let gone = eventually(|| processes_with(mark).is_empty());
    for pid in processes_with(mark) {
        let _ = kill_process(Pid::from_raw(pid.cast_signed()).unwrap(), Signal::KILL);
    }
    gone
}

pub fn has_program(name: &str) -> bool {
    let found = Command::new(name).arg("--version").output().is_ok();
    if !found {
        skip(&format!("{name} is not here"));
    }
    found
}

#[test]
fn a_command_is_asked_to_end_two_seconds_before_its_limit() {
    for (seconds, expected) in [("1", 500), ("3", 1_500), ("6", 4_000)] {
        let here = directory();
        let mark = alone(300);
        let script = format!(
            "trap 'date +%s%N >asked; echo cleaned; exit 7' TERM; date +%s%N >begun; echo begun; \
             sleep {mark}; echo never"
        );
        let answer = within(seconds, here.path(), &script);
        let output = answer.field("output");
        // The shell may say of its child that it was terminated.
        assert!(
            output.starts_with("begun") && output.ends_with("cleaned"),
            "{output}"
        );
        let time = |name: &str| -> u64 {
            let text = fs::read_to_string(here.path().join(name)).unwrap();
            text.trim().parse().unwrap()
        };
        let asked = Duration::from_nanos(time("asked") - time("begun"));
        let expected = Duration::from_millis(expected);
        assert!(asked.abs_diff(expected) < SLACK, "{seconds}: {asked:?}");
        // Whoever ends at once is not waited for.
        assert!(answer.took < expected + 2 * SLACK, "{:?}", answer.took);
        let note = answer.note();
        let name = "a command that ends when it is asked to";
        note.assert_row_at("bash", name, &[(&mark, "<mark>")]);
    }
}

#[test]
fn who_does_not_heed_it_is_killed_within_the_limit_and_named() {
    let here = directory();
    let mark = alone(301);
    let script = format!("trap '' TERM; (exec sleep {mark}) & echo begun; wait; sleep {mark}");
    let answer = within("3", here.path(), &script);
    assert!(
        answer.took > Duration::from_millis(2_400),
        "{:?}",
        answer.took
    );
    assert!(processes_with(&mark).is_empty());
    let note = answer.note();
    note.assert_row_at(
        "bash",
        "a command that ignores SIGTERM",
        &[(&mark, "<mark>")],
    );
}

#[test]
fn whoever_left_the_group_or_is_stopped_is_asked_too() {
    let here = directory();
    let mark = alone(302);
    let script = format!(
        "(setsid sh -c 'trap \"touch escaped; exit\" TERM; sleep {mark}' &)
         (setsid sh -c '(trap \"touch orphaned; exit\" TERM; sleep {mark}) & exit' &)
         sh -c 'trap \"touch stopped; exit\" TERM; kill -STOP $$; sleep {mark}' &
         sleep {mark}"
    );
    within("4", here.path(), &script);
    assert!(processes_with(&mark).is_empty());
    let names = common::names_in(here.path());
    assert_eq!(names, ["escaped", "orphaned", "stopped"]);
}

#[test]
fn what_is_started_to_clear_up_is_not_asked_and_what_stays_is_killed() {
    let here = directory();
    let mark = alone(303);
    let script = format!(
        "trap 'sleep 0.5; touch cleaned; (setsid sleep {mark} &); sleep {mark}' TERM; sleep {mark}"
    );
    within("4", here.path(), &script);
    assert_eq!(common::names_in(here.path()), ["cleaned"]);
    assert!(all_gone(&mark));
}

#[test]
fn everybody_is_asked_once_also_below_a_tool_of_its_own() {
    let here = directory();
    let mark = alone(304);
    let count = format!("trap 'echo x >>asked' TERM; sleep {mark}; sleep 0.4; exit");
    let request = json!({ "command": count }).to_string();
    fs::write(here.path().join("request"), request).unwrap();
    let script = format!("{} <request >/dev/null & {count}", text(&link("bash")));
    within("4", here.path(), &script);
    let asked = fs::read_to_string(here.path().join("asked")).unwrap();
    assert_eq!(asked, "x\nx\n");
    assert!(processes_with(&mark).is_empty());
}

#[test]
fn git_leaves_no_lock_behind_and_its_editor_is_named() {
    if !has_program("git") {
        return;
    }
    let here = directory();
    let mark = alone(305);
    let script = format!(
        "git init -q . && git config user.name a && git config user.email a@b && echo x >f && \
         git add f && GIT_EDITOR='sleep {mark} #' git commit -a; echo never"
    );
    let answer = within("3", here.path(), &script);
    assert!(processes_with(&mark).is_empty());
    answer
        .note()
        .assert_row_at("bash", "git's editor", &[(&mark, "<mark>")]);
    assert!(here.path().join(".git").is_dir());
    assert!(!here.path().join(".git/index.lock").exists());
    let again = "git add f && git -c user.name=a -c user.email=a@b commit -q -m x && git status -s";
    tool("bash")
        .with(&json!({ "command": again }))
        .in_directory(here.path())
        .answers(&json!({"output": "", "exit_code": 0}));
}

#[test]
fn a_program_that_turns_the_signal_into_its_end_clears_up() {
    if !has_program("python3") {
        return;
    }
    let here = directory();
    fs::write(
        here.path().join("it.py"),
        "import signal, sys, time\n\
         def end(*_): raise KeyboardInterrupt\n\
         signal.signal(signal.SIGTERM, end)\n\
         try:\n    print('begun', flush=True); time.sleep(60)\n\
         finally:\n    time.sleep(0.3); open('cleaned', 'w'); print('finally', flush=True)\n",
    )
    .unwrap();
    let answer = within("6", here.path(), "python3 it.py 2>/dev/null");
    assert_eq!(answer.field("output"), "begun\nfinally");
    assert!(here.path().join("cleaned").exists());
    answer.note().assert_row("bash", "a script of python");
}

#[test]
fn the_note_shows_no_secret_and_no_control_character() {
    let here = directory();
    let mark = alone(306);
    fs::write(here.path().join("it.sh"), format!("sleep {mark}; :")).unwrap();
    let script = "sh it.sh \"$(printf 'a\\033[31m\\nb')\" $MY_TOKEN; :";
    let answer = tool("bash")
        .with(&json!({ "command": script }))
        .env("IKIGAI_MAX_SECONDS", "1")
        .env("MY_TOKEN", "123456789.5")
        .in_directory(here.path())
        .run();
    let name = "a command line with a secret and control characters";
    answer
        .note()
        .assert_row_at("bash", name, &[(&mark, "<mark>")]);
}

#[test]
fn a_host_that_vanishes_leaves_three_tenths_of_a_second() {
    let here = directory();
    let mark = alone(307);
    let script = format!(
        "(trap 'touch cleaned; exit' TERM; sleep {mark}) & trap '' TERM; echo; sleep {mark}; \
         while :; do echo >>ticks; sleep 0.05; done"
    );
    for host in ["killed", "closed"] {
        let call = tool("bash").with(&json!({ "command": script }));
        let mut child = call.in_directory(here.path()).start();
        assert!(eventually(|| processes_with(&mark).len() == 2));
        if host == "killed" {
            child.kill().unwrap();
        } else {
            drop(child.stdout.take());
        }
        assert!(
            all_gone(&mark) && eventually(|| !runs(here.path())),
            "{host}"
        );
        child.wait().unwrap();
        fs::remove_file(here.path().join("cleaned")).unwrap();
        // Six in that time, and fewer on a busy machine.
        let ticks = fs::read(here.path().join("ticks")).unwrap_or_default();
        assert!(ticks.len() < 20, "{host}: {}", ticks.len());
        let _ = fs::remove_file(here.path().join("ticks"));
        assert!(common::names_in(here.path()).is_empty(), "{host}");
    }
}

#[test]
fn a_tool_that_is_asked_to_end_dies_of_that_when_all_has_ended() {
    let here = directory();
    let mark = alone(308);
    // More than a pipe holds is still read.
    let script = format!(
        "trap 'sleep 0.8; head -c 3000000 /dev/zero; touch cleaned; exit' TERM; sleep {mark}"
    );
    let call = tool("bash").with(&json!({ "command": script }));
    let mut child = call.in_directory(here.path()).start();
    assert!(eventually(|| processes_with(&mark).len() == 1));
    let pid = Pid::from_raw(child.id().cast_signed()).unwrap();
    kill_process(pid, Signal::TERM).unwrap();
    drop(std::thread::spawn({
        let mut stdout = child.stdout.take().unwrap();
        move || std::io::copy(&mut stdout, &mut std::io::sink())
    }));
    let status = child.wait().unwrap();
    assert_eq!(status.signal(), Some(libc::SIGTERM));
    assert!(here.path().join("cleaned").exists());
    assert!(processes_with(&mark).is_empty());
}

#[test]
fn a_tool_that_is_asked_to_end_dies_of_that_though_its_command_had_to_be_killed() {
    let here = directory();
    let mark = alone(318);
    let script = format!("trap '' TERM; sleep {mark} & sleep {mark}; sleep {mark}");
    let call = tool("bash").with(&json!({ "command": script }));
    let child = call.in_directory(here.path()).start();
    assert!(eventually(|| processes_with(&mark).len() > 1));
    let pid = Pid::from_raw(child.id().cast_signed()).unwrap();
    kill_process(pid, Signal::TERM).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.signal(), Some(libc::SIGTERM), "{output:?}");
    assert!(output.stdout.is_empty(), "{output:?}");
    assert!(processes_with(&mark).is_empty());
}

#[test]
fn without_proc_a_command_is_asked_to_end_too() {
    if !common::can_unmount_proc() {
        return skip("/proc cannot be unmounted here");
    }
    let here = directory();
    let mark = alone(309);
    let script = format!("trap 'touch cleaned; exit' TERM; sleep {mark}");
    let answer = tool("bash")
        .with(&json!({ "command": script }))
        .env("IKIGAI_MAX_SECONDS", "2")
        .after_in_own_mounts("umount -l /proc")
        .in_directory(here.path())
        .run();
    assert_eq!(answer.json()["exit_code"], 124);
    assert!(here.path().join("cleaned").exists());
    assert!(processes_with(&mark).is_empty());
}

/// The names of what ends by itself, and those that a link can give.
const NAMES: [&str; 5] = [
    "ikigai-guard",
    "ikigai-writing",
    "ikigai-staying",
    "ikigai-watching",
    "writing",
];

#[test]
fn no_name_that_a_link_gives_outlives_the_end_of_the_time() {
    for name in NAMES {
        let here = directory();
        let mark = alone(310);
        symlink(BINARY, here.path().join(name)).unwrap();
        let answer = within(
            "4",
            here.path(),
            &server_with_a_command(here.path(), name, &mark),
        );
        assert!(answer.note().contains(&mark), "{}", answer.note());
        assert!(all_gone(&mark), "{name}");
        assert!(eventually(|| !runs(here.path())), "{name}");
    }
}

/// Shell commands that start `./name` as a server, whose input stays open, and have it run a
/// command with that mark.
fn server_with_a_command(here: &Path, name: &str, mark: &str) -> String {
    let call = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {
        "name": "bash", "arguments": {"command": format!("trap '' TERM; sleep {mark}; sleep {mark}")},
    }});
    let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {},
        "clientInfo": {"name": "x", "version": "1"},
    }});
    fs::write(here.join("lines"), format!("{hello}\n{call}\n")).unwrap();
    format!(
        "mkfifo f; (exec 3<>f; cat lines >&3; exec ./{name} mcp --tools bash <&3 >/dev/null) & \
         sleep {mark}"
    )
}

#[test]
fn a_container_entered_from_outside_has_no_number_for_its_session() {
    let enter: &[&str] = if is_root() {
        &["--pid", "--fork", "--mount-proc"]
    } else {
        &["-r", "--pid", "--fork", "--mount-proc"]
    };
    let entered = Command::new("unshare").args(enter).arg("true").output();
    if !entered.is_ok_and(|output| output.status.success()) {
        return skip("no numbering of processes of its own can be had here");
    }
    let here = directory();
    let mark = alone(312);
    symlink(BINARY, here.path().join("server")).unwrap();
    let script = server_with_a_command(here.path(), "server", &mark);
    let answer = tool("bash")
        .with(&json!({ "command": script }))
        .env("IKIGAI_MAX_SECONDS", "4")
        .through("unshare", enter)
        .in_directory(here.path())
        .run();
    assert_eq!(answer.json()["exit_code"], 124, "{}", answer.json());
    assert!(answer.note().contains(&mark), "{}", answer.note());
    assert!(all_gone(&mark));
}

/// True if any process works in that directory.
fn runs(directory: &Path) -> bool {
    let directory = directory.canonicalize().unwrap();
    let mut all = fs::read_dir("/proc").unwrap().flatten();
    all.any(|entry| fs::read_link(entry.path().join("cwd")).is_ok_and(|it| it == directory))
}

#[test]
fn a_name_that_a_program_gives_itself_spares_nobody_else() {
    if !has_program("perl") {
        return;
    }
    let here = directory();
    let mark = alone(311);
    let program = "$SIG{TERM} = 'IGNORE';\n\
                   open my $name, '>', '/proc/self/comm'; print $name $ARGV[0]; close $name;\n\
                   system \"setsid sleep $ARGV[1] &\";\n\
                   sleep;\n";
    fs::write(here.path().join("it.pl"), program).unwrap();
    let script = format!(
        "for name in guard writing staying watching; do perl it.pl ikigai/$name {mark} & done; wait"
    );
    let answer = within("5", here.path(), &script);
    let killed = format!("`perl it.pl ikigai/guard {mark}` (killed");
    assert!(answer.note().contains(&killed), "{}", answer.note());
    assert!(all_gone(&mark));
}
