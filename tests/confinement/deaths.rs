//! The table of deaths (`sandbox/mod.rs` of iki-process) within a confinement: whoever dies, no
//! process is left but those that the table names, and no directory for temporary files.

use std::fs;
use std::os::fd::AsRawFd;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use serde_json::{Value, json};

use crate::common::{
    Call, directory, eventually, is_root, link, names_in, public_directory, skip, text, tool,
};
use crate::doors::confines;
use crate::refusing::{Filter, Service};
use crate::session::Session;

const ROOTS: &str = "IKIGAI_ROOTS";

/// What a command of these tests starts: in the foreground, in the background, as a daemon, and as
/// one that two parents have left; none of them heeds a signal that can be caught.
const ALL: &str = "trap '' TERM HUP INT; echo $PPID >watchdog; sleep 8600 & (setsid sleep 8600 &); \
                   (setsid sh -c '(setsid sleep 8600 &) &' &); echo >$TMPDIR/file; touch begun; \
                   sleep 8600; :";

/// How many of them there are: the watchdog, the shell, and four that sleep.
const MANY: usize = 6;

/// A directory within bounds, and one for temporary files, whose name all processes of a call know.
struct Room {
    directory: tempfile::TempDir,
}

impl Room {
    fn new() -> Self {
        let room = Self {
            directory: public_directory(),
        };
        for name in ["root", "tmp"] {
            fs::create_dir(room.path(name)).unwrap();
            fs::set_permissions(room.path(name), fs::Permissions::from_mode(0o777)).unwrap();
        }
        room
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().canonicalize().unwrap().join(name)
    }

    fn call(&self, command: &str) -> Call {
        let call = tool("bash").with(&json!({ "command": command }));
        call.in_directory(&self.path("root"))
            .env(ROOTS, self.path("root"))
            .env("TMPDIR", self.path("tmp"))
    }

    /// A call whose tool leads a group.
    fn start_group(&self, command: &str) -> Child {
        let call = self.call(command);
        // SAFETY: a system call.
        let child =
            call.prepared_by(|| rustix::process::setpgid(None, None).map_err(std::io::Error::from));
        child.start()
    }

    fn server(&self) -> Session {
        let args = ["--structured", "--tools", "bash", "--root", "."];
        let variables = [("TMPDIR".to_owned(), text(&self.path("tmp")).to_owned())];
        let mut session = Session::unprepared_with(&self.path("root"), &args, &variables);
        session.shake_hands("2025-11-25");
        session
    }

    /// The processes of this room's calls.
    fn processes(&self) -> Vec<Pid> {
        let variable = format!("TMPDIR={}", text(&self.path("tmp")));
        let mut found = Vec::new();
        for entry in fs::read_dir("/proc").unwrap().flatten() {
            let Some(pid) = entry
                .file_name()
                .to_str()
                .and_then(|name| name.parse().ok())
            else {
                continue;
            };
            let environment = fs::read(entry.path().join("environ")).unwrap_or_default();
            let mut variables = environment.split(|byte| *byte == 0);
            if variables.any(|one| one.starts_with(variable.as_bytes())) {
                found.extend(Pid::from_raw(pid));
            }
        }
        found
    }

    fn temporary(&self) -> Vec<String> {
        names_in(&self.path("tmp"))
    }

    /// Waits until `ALL` runs, which `tool` and as many others belong to.
    fn runs(&self, count: usize) {
        assert!(eventually(
            || self.path("root/begun").exists() && self.processes().len() == count
        ));
        assert_eq!(self.temporary().len(), 1);
    }

    /// Whether nothing is left; whatever is left is ended.
    fn is_empty(&self) -> bool {
        let empty = eventually(|| self.processes().is_empty() && self.temporary().is_empty());
        self.end_all();
        empty
    }

    /// Ends whatever is left, the directory too.
    fn end_all(&self) {
        for _ in 0..3 {
            for pid in self.processes() {
                let _ = kill_process(pid, Signal::KILL);
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        for name in self.temporary() {
            let _ = fs::remove_dir_all(self.path("tmp").join(name));
        }
    }

    fn watchdog(&self) -> Pid {
        let number = fs::read_to_string(self.path("root/watchdog")).unwrap();
        Pid::from_raw(number.trim().parse().unwrap()).unwrap()
    }

    /// The processes that sleep, and not the watchdog.
    fn sleepers(&self) -> Vec<Pid> {
        let is_sleeper = |pid: &Pid| {
            let name = fs::read_to_string(format!("/proc/{}/comm", pid.as_raw_pid()));
            name.is_ok_and(|name| name == "sleep\n")
        };
        self.processes().into_iter().filter(is_sleeper).collect()
    }
}

fn pid_of(child: &Child) -> Pid {
    Pid::from_raw(child.id().try_into().unwrap()).unwrap()
}

fn kill(pid: Pid) {
    kill_process(pid, Signal::KILL).unwrap();
}

fn answer(child: Child) -> Value {
    let output = child.wait_with_output().unwrap();
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"))
}

/// The number of Landlock's ABI here.
fn abi() -> i64 {
    // SAFETY: asks for a number; no pointer is passed.
    unsafe { libc::syscall(libc::SYS_landlock_create_ruleset, 0, 0, 1) }
}

#[test]
fn a_host_that_goes_ends_all_of_it() {
    if !confines() {
        return;
    }
    let room = Room::new();
    let mut child = room.call(ALL).start();
    room.runs(MANY + 1);
    drop(child.stdout.take());
    assert!(room.is_empty());
    child.wait().unwrap();
}

#[test]
fn a_tool_that_is_killed_leaves_nothing_alone_or_with_its_group() {
    if !confines() {
        return;
    }
    for group in [false, true] {
        let room = Room::new();
        let mut child = room.start_group(ALL);
        room.runs(MANY + 1);
        if group {
            kill_process_group(pid_of(&child), Signal::KILL).unwrap();
        } else {
            kill(pid_of(&child));
        }
        assert!(room.is_empty(), "group: {group}");
        child.wait().unwrap();
    }
}

#[test]
fn killed_at_any_moment_nothing_is_left() {
    if !confines() {
        return;
    }
    let room = Room::new();
    let starts = "sleep 8600 & (setsid sleep 8600 &); mkdir -p $TMPDIR/a/b; sleep 8600";
    let ends = "sleep 8600 & mkdir -p $TMPDIR/a/b; seq 2000 | (cd $TMPDIR/a; xargs touch)";
    for step in 0..60 {
        let command = if step % 4 < 2 { starts } else { ends };
        let mut child = room.start_group(command);
        std::thread::sleep(Duration::from_micros(step * 400));
        let _ = if step % 2 == 0 {
            kill_process(pid_of(&child), Signal::KILL)
        } else {
            kill_process_group(pid_of(&child), Signal::KILL)
        };
        child.wait().unwrap();
        if command == ends {
            // The call may have been over, and what it left in the background may then go on.
            std::thread::sleep(Duration::from_millis(20));
            for pid in room.sleepers() {
                let _ = kill_process(pid, Signal::KILL);
            }
        }
        assert!(room.is_empty(), "after {} µs", step * 400);
    }
}

#[test]
fn a_watchdog_that_is_killed_from_outside_ends_the_command() {
    if !confines() {
        return;
    }
    let room = Room::new();
    let child = room.call(ALL).start();
    room.runs(MANY + 1);
    kill(room.watchdog());
    assert_eq!(answer(child)["exit_code"], 137);
    assert!(room.is_empty());
}

#[test]
fn a_command_does_not_end_its_watchdog_where_signals_are_kept_in() {
    if !confines() {
        return;
    }
    let room = Room::new();
    let answer = room.call("kill -9 $PPID; echo $?; sleep 0.3").run().json();
    if abi() >= 6 {
        assert_eq!(answer["exit_code"], 0, "{answer}");
        assert!(
            answer["output"].as_str().unwrap().ends_with('1'),
            "{answer}"
        );
    } else {
        assert_eq!(answer["exit_code"], 137, "{answer}");
    }
    assert!(room.is_empty());
}

#[test]
fn where_tool_and_watchdog_are_killed_command_and_directory_stay() {
    if !confines() {
        return;
    }
    let room = Room::new();
    let mut child = room.call(ALL).start();
    room.runs(MANY + 1);
    // So that neither sees the other's end. It is the tool that is stopped: its own end would have
    // the kernel wake a stopped watchdog, whose process group it leaves without a parent.
    kill_process(pid_of(&child), Signal::STOP).unwrap();
    kill(room.watchdog());
    kill(pid_of(&child));
    child.wait().unwrap();
    assert!(eventually(|| room.processes().len() == MANY - 1));
    assert_eq!(room.temporary().len(), 1);
    room.end_all();
}

#[test]
fn at_the_end_of_its_time_all_of_it_is_ended() {
    if !confines() {
        return;
    }
    let room = Room::new();
    let call = room.call(ALL).env("IKIGAI_MAX_SECONDS", "1");
    assert_eq!(call.run().json()["exit_code"], 124);
    assert!(room.is_empty());
}

#[test]
fn whatever_is_ended_has_its_directory_while_it_clears_up() {
    if !confines() {
        return;
    }
    // What a shell starts once it was asked to end is not asked: a long wait would be waited for.
    let clears_up = "trap 'sleep 0.5; cp $TMPDIR/file cleaned; exit' TERM; echo kept >$TMPDIR/file; \
                     touch begun; while :; do sleep 0.05; done";
    let room = Room::new();
    let call = room.call(clears_up).env("IKIGAI_MAX_SECONDS", "5");
    assert_eq!(call.run().json()["exit_code"], 124);
    assert_eq!(fs::read(room.path("root/cleaned")).unwrap(), b"kept\n");
    assert!(room.is_empty());
    let room = Room::new();
    let mut session = room.server();
    session.call(1, "bash", &json!({"command": clears_up}));
    assert!(eventually(|| room.path("root/begun").exists()));
    assert!(session.leave().success());
    assert_eq!(fs::read(room.path("root/cleaned")).unwrap(), b"kept\n");
    assert!(room.is_empty());
}

#[test]
fn a_directory_for_temporary_files_goes_with_the_last_process_that_may_use_it() {
    if !confines() {
        return;
    }
    for (end, code) in [("exit 3", 3), ("kill -9 $$", 137)] {
        let room = Room::new();
        let left = "sleep 8600 & (setsid sleep 8600 &); \
                    (while ! [ -e go ]; do sleep 0.01; done; cp $TMPDIR/file out; sleep 8600) &";
        let command = format!("echo kept >$TMPDIR/file; {left} {end}");
        assert_eq!(room.call(&command).run().json()["exit_code"], code);
        assert_eq!(room.temporary().len(), 1);
        fs::write(room.path("root/go"), "").unwrap();
        let out = room.path("root/out");
        assert!(eventually(|| fs::read(&out).is_ok_and(|it| it == b"kept\n")));
        assert!(eventually(|| room.sleepers().len() == 3));
        for _ in 0..2 {
            let first = room.sleepers()[0];
            kill(first);
            // One that nobody has waited for yet is still in the list.
            assert!(eventually(|| !room.sleepers().contains(&first)));
        }
        std::thread::sleep(Duration::from_millis(100));
        assert_eq!(room.temporary().len(), 1);
        for pid in room.sleepers() {
            kill(pid);
        }
        assert!(room.is_empty());
        // Where nothing goes on, it is gone when the call is over.
        room.call("echo >$TMPDIR/file").run();
        assert!(room.temporary().is_empty() && room.processes().is_empty());
    }
}

#[test]
fn whatever_a_command_puts_there_it_goes() {
    if !confines() {
        return;
    }
    let many = "cd $TMPDIR && seq 1000 | xargs touch";
    let closed = "cd $TMPDIR && mkdir -p a/b && touch a/b/c && chmod 000 a/b a .";
    let deep =
        "cd $TMPDIR && d=$(printf 'd/%.0s' $(seq 300)) && mkdir -p $d && echo >$d/f && mkdir $d/e";
    let odd = "cd $TMPDIR && mkfifo p && ln -s / root && ln -s . self && mkdir -- '-rf' \"$(printf 'a\\nb')\"";
    for what in [many, closed, deep, odd] {
        for user in [false, true] {
            if user && !is_root() {
                continue;
            }
            let as_user = |call: Call| {
                if user { call.unprivileged() } else { call }
            };
            let room = Room::new();
            let answer = as_user(room.call(what)).run().json();
            assert_eq!(answer["exit_code"], 0, "{answer}");
            assert!(room.temporary().is_empty(), "{what}");
            let command = format!(
                "{what}; echo >{}; sleep 8600",
                text(&room.path("root/begun"))
            );
            let mut child = as_user(room.call(&command)).start();
            assert!(eventually(|| room.path("root/begun").exists()));
            kill(pid_of(&child));
            child.wait().unwrap();
            assert!(room.is_empty(), "{what}, killed");
        }
    }
}

#[test]
fn a_call_that_a_client_cancels_leaves_nothing() {
    if !confines() {
        return;
    }
    let room = Room::new();
    let mut session = room.server();
    session.call(1, "bash", &json!({"command": ALL}));
    room.runs(MANY + 1 + servers_shown());
    session.cancel(1);
    assert!(eventually(|| room.processes().len() == servers_shown()));
    assert!(session.leave().success());
    assert!(room.is_empty());
}

/// The server and the guard of its directory, among the processes that a test finds: root alone may
/// read their environment, since a server hides its memory.
fn servers_shown() -> usize {
    2 * usize::from(is_root())
}

/// How a server comes to its end.
#[derive(Clone, Copy, Debug, PartialEq)]
enum End {
    Signal(Signal),
    Input,
}

#[test]
fn the_end_of_a_server_ends_what_stays_and_leaves_no_directory() {
    if !confines() {
        return;
    }
    for end in [
        End::Input,
        End::Signal(Signal::TERM),
        End::Signal(Signal::INT),
        End::Signal(Signal::HUP),
        End::Signal(Signal::KILL),
    ] {
        let room = Room::new();
        let mut session = room.server();
        let left = "exec 3>&1 >/dev/null 2>&1; sleep 8600 3>&- & (setsid sleep 8600 3>&- &); echo left >&3";
        let left = json!({ "command": left });
        let answer = session.result_of("bash", &left);
        assert_eq!(answer["structuredContent"]["output"], "left", "{answer}");
        assert!(eventually(|| room.sleepers().len() == 2));
        session.call(2, "bash", &json!({"command": ALL}));
        assert!(eventually(
            || room.processes().len() == servers_shown() + 2 + MANY + 1
        ));
        assert_eq!(room.temporary().len(), 1);
        match end {
            End::Input => session.end_input(),
            End::Signal(signal) => {
                kill_process(pid_of(&session.server), signal).unwrap();
            }
        }
        session.server.wait().unwrap();
        if end == End::Signal(Signal::KILL) {
            // What calls left that were over goes on, without its directory.
            assert!(eventually(
                || room.processes().len() == 2 && room.temporary().is_empty()
            ));
            for pid in room.sleepers() {
                kill(pid);
            }
        }
        assert!(room.is_empty(), "{end:?}");
    }
}

#[test]
fn a_watchdog_that_is_stopped_clears_up_all_the_same() {
    if !confines() {
        return;
    }
    let room = Room::new();
    let mut session = room.server();
    let left = json!({"command": "echo $PPID >watchdog; sleep 8600 & echo left"});
    session.result_of("bash", &left);
    kill_process(room.watchdog(), Signal::STOP).unwrap();
    assert!(session.leave().success());
    assert!(room.is_empty());
}

fn service(name: &'static str, call: libc::c_long, argument: Option<(u32, u32, u32)>) -> Service {
    Service {
        name,
        call,
        argument,
    }
}

#[test]
fn where_nobody_is_a_subreaper_the_directory_stays_as_long_as_it_is_used() {
    if !confines() {
        return;
    }
    // `PR_SET_CHILD_SUBREAPER`.
    let subreaper = || {
        Filter::new(
            &[service(
                "subreaper",
                libc::SYS_prctl,
                Some((0, u32::MAX, 36)),
            )],
            libc::EINVAL,
        )
    };
    let room = Room::new();
    let filter = subreaper();
    let call = room.call("echo kept >$TMPDIR/file; sleep 8600 & echo x");
    let call = call.prepared_by(move || filter.install());
    assert_eq!(call.run().json()["output"], "x");
    assert!(eventually(|| room.sleepers().len() == 1));
    std::thread::sleep(Duration::from_millis(100));
    assert_eq!(room.temporary().len(), 1);
    kill(room.sleepers()[0]);
    assert!(room.is_empty());

    let room = Room::new();
    let filter = subreaper();
    let mut child = room.call(ALL).prepared_by(move || filter.install()).start();
    room.runs(MANY + 1);
    kill(pid_of(&child));
    child.wait().unwrap();
    assert!(room.is_empty());
}

#[test]
fn where_descriptors_cannot_be_closed_at_once_none_is_left_open_either() {
    if !confines() {
        return;
    }
    let outside = directory();
    fs::write(outside.path().join("secret"), "secret").unwrap();
    let secret = fs::File::open(outside.path().join("secret")).unwrap();
    let number = secret.as_raw_fd();
    for refused in [None, Some(libc::ENOSYS), Some(libc::EPERM)] {
        let room = Room::new();
        let filter = refused.map(|errno| {
            Filter::new(
                &[service("close_range", libc::SYS_close_range, None)],
                errno,
            )
        });
        let call = room.call("cat <&99; ls /proc/self/fd | wc -l");
        // SAFETY: system calls.
        let call = call.prepared_by(move || {
            if unsafe { libc::dup2(number, 99) } == -1 {
                return Err(std::io::Error::last_os_error());
            }
            filter.as_ref().map_or(Ok(()), Filter::install)
        });
        let answer = call.env("IKIGAI_SHELL", "/bin/bash").run().json();
        let output = answer["output"].as_str().unwrap();
        assert!(!output.contains("secret"), "{output}");
        // The three streams, and the directory itself.
        assert!(output.ends_with("\n4"), "{output}");
        assert!(room.is_empty());
    }
}

#[test]
fn where_processes_share_no_memory_a_command_is_confined_all_the_same() {
    if !confines() {
        return;
    }
    let vm = u32::try_from(libc::CLONE_VM).unwrap();
    // The flags are the first argument.
    let filter = Filter::new(
        &[service("clone", libc::SYS_clone, Some((0, vm, vm)))],
        libc::EPERM,
    );
    let room = Room::new();
    let call = room.call("echo x >$TMPDIR/f && cat $TMPDIR/f; ls / 2>/dev/null || echo refused");
    let answer = call.prepared_by(move || filter.install()).run().json();
    assert_eq!(answer, json!({"output": "x\nrefused", "exit_code": 0}));
    assert!(room.is_empty());
}

#[test]
fn what_cannot_be_confined_is_not_run() {
    if !confines() {
        return;
    }
    let mut services = vec![
        service(
            "landlock_create_ruleset",
            libc::SYS_landlock_create_ruleset,
            None,
        ),
        service("landlock_add_rule", libc::SYS_landlock_add_rule, None),
        service(
            "landlock_restrict_self",
            libc::SYS_landlock_restrict_self,
            None,
        ),
        // `PR_SET_NO_NEW_PRIVS`.
        service("no_new_privs", libc::SYS_prctl, Some((0, u32::MAX, 38))),
        service("mkdirat", libc::SYS_mkdirat, None),
        service("seccomp", libc::SYS_seccomp, None),
    ];
    if is_root() {
        services.push(service("capset", libc::SYS_capset, None));
    } else {
        skip("only root has capabilities to give up");
    }
    for one in services {
        for errno in [libc::ENOSYS, libc::EPERM] {
            let room = Room::new();
            let filter = Filter::new(&[one], errno);
            let call = room.call("echo ran >ran; echo ran");
            let call = call.env("IKIGAI_NO_NETWORK", "1");
            let answer = call.prepared_by(move || filter.install()).run();
            let json = answer.json();
            let said = json["output"].as_str().or(json["error"].as_str()).unwrap();
            let said = said.to_owned();
            assert!(!room.path("root/ran").exists(), "{}: {json}", one.name);
            assert!(
                !said.contains("ran\n") && said.len() > 30,
                "{}: {json}",
                one.name
            );
            let refused = json["error_code"] == "PERMISSION_DENIED" || json["exit_code"] == 127;
            assert!(refused, "{}: {json}", one.name);
            assert!(room.is_empty(), "{}", one.name);
        }
    }
}

#[test]
fn where_the_place_for_temporary_files_is_not_there_another_is_taken() {
    if !confines() {
        return;
    }
    let room = Room::new();
    let output = Command::new(link("bash"))
        .args(["--root", ".", "--json", "echo ran"])
        .current_dir(room.path("root"))
        .env("TMPDIR", Path::new("/nowhere/at/all"))
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(answer["output"], "ran");
    assert!(room.is_empty());
}

#[test]
fn the_directory_for_temporary_files_lasts_as_long_as_the_server() {
    if !confines() {
        return;
    }
    for end in [
        End::Input,
        End::Signal(Signal::TERM),
        End::Signal(Signal::KILL),
    ] {
        let room = Room::new();
        let mut session = room.server();
        let mut output = |command: &str| {
            let answer = session.result_of("bash", &json!({ "command": command }));
            let output = answer["structuredContent"]["output"].as_str();
            output.unwrap_or_else(|| panic!("{answer}")).to_owned()
        };
        let place = output("echo 'echo done' >$TMPDIR/script; stat -c %a $TMPDIR; echo $TMPDIR");
        assert!(place.starts_with("700\n"), "{place}");
        assert_eq!(output("sh $TMPDIR/script"), "done");
        // A command that takes it away takes it from itself.
        output("rm -rf $TMPDIR/* && mv $TMPDIR elsewhere; true");
        let writes = "echo a >$TMPDIR/b && cat $TMPDIR/b";
        assert_eq!(output(writes), "a");
        // So does somebody who clears up.
        for name in room.temporary() {
            fs::remove_dir_all(room.path("tmp").join(name)).unwrap();
        }
        assert_eq!(output(writes), "a");
        match end {
            End::Input => session.end_input(),
            End::Signal(signal) => kill_process(pid_of(&session.server), signal).unwrap(),
        }
        session.server.wait().unwrap();
        assert!(room.is_empty(), "{end:?}");
    }
}
