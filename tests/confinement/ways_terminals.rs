//! Ways by terminals and by what whoever starts a tool has left open.

use std::fs::{File, OpenOptions, Permissions};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::process::Command;

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use serde_json::json;

use crate::common::is_root;
use crate::stage::{Bounds, DOORS, Door, SECRET, Stage, User, abi, answer_of};
use crate::ways::{closed, way};

/// A terminal of another program of this user: the side that the program holds, and the other's
/// name.
fn terminal(user: User) -> (File, String) {
    let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).unwrap();
    grantpt(&ours).unwrap();
    unlockpt(&ours).unwrap();
    let name = ptsname(&ours, Vec::new()).unwrap().into_string().unwrap();
    if is_root() {
        chown(&name, Some(user.0), None).unwrap();
    }
    (ours.into(), name)
}

#[test]
fn other_terminals_are_out_of_reach() {
    if abi().is_none() {
        return;
    }
    for user in User::all() {
        let (_ours, name) = terminal(user);
        for script in [
            "echo x > $TERMINAL",
            ": < $TERMINAL",
            "perl -e 'use POSIX; POSIX::setsid(); open T, \"+<\", $ENV{TERMINAL} or die \"$!\\n\"; \
             ioctl T, 0x540E, 0 or die \"$!\\n\"; \
             open Y, \">/dev/tty\" or die \"$!\\n\"; print Y 1'",
        ] {
            let on_stage = || Stage::new(user).with("TERMINAL", &name);
            let said = on_stage().run(Door::Host, None, script);
            assert_eq!(said.code, Some(0), "{said:?}");
            for door in DOORS {
                let stage = on_stage();
                let said = stage.run(door, Some(&stage.bounds()), script);
                assert!(said.code != Some(0), "{script}, {door:?}: {said:?}");
                assert!(said.text.contains("ermission denied"), "{said:?}");
            }
        }
    }
}

#[test]
fn no_terminal_is_made() {
    closed(&[
        way("a new one", ": <> /dev/ptmx"),
        way("a list of all", "ls /dev/pts"),
    ]);
}

#[test]
fn the_terminal_of_whoever_starts_a_tool_is_out_of_reach() {
    if abi().is_none() {
        return;
    }
    for user in User::all() {
        for confined in [false, true] {
            let (_ours, name) = terminal(user);
            let stage = Stage::new(user);
            let script = "echo x > /dev/tty";
            // Without the tool it leads to the terminal.
            let mut command = if confined {
                let bounds = stage.bounds();
                let mut tool = stage.program("bash");
                confine(&mut tool, &bounds);
                tool
            } else {
                let mut shell = stage.user.command("/bin/sh");
                shell.args(["-c", "echo x > /dev/tty && printf '{\"exit_code\":0}'"]);
                shell
            };
            at_terminal(&mut command, name);
            let answer = answer_of(command, &json!({"command": script}).to_string());
            assert_eq!(answer["exit_code"] == 0, !confined, "{user:?}: {answer}");
        }
    }
}

fn confine(tool: &mut Command, bounds: &Bounds) {
    let line = |places: &[std::ffi::OsString]| places.join(std::ffi::OsStr::new(":"));
    tool.env("IKIGAI_ROOTS", line(&bounds.roots));
    tool.env("IKIGAI_READ", line(&bounds.readable));
}

/// Has a process lead a session with this terminal.
fn at_terminal(command: &mut Command, name: String) {
    let name = std::ffi::CString::new(name).unwrap();
    let take = move || {
        // SAFETY: system calls, with a string that ends in a NUL.
        unsafe {
            libc::setsid();
            let terminal = libc::open(name.as_ptr(), libc::O_RDWR);
            match libc::ioctl(terminal, libc::TIOCSCTTY, 0) {
                0 => Ok(()),
                _ => Err(io::Error::last_os_error()),
            }
        }
    };
    // SAFETY: system calls are what may happen between fork and exec.
    unsafe { command.pre_exec(take) };
}

/// A host that forgets to close what it has open, at 7.
#[test]
fn descriptors_that_a_caller_leaves_open_are_closed() {
    if abi().is_none() {
        return;
    }
    for user in User::all() {
        for (opened, script) in [
            ("outside/secret", "cat <&7"),
            ("outside/secret", "cat /dev/fd/7"),
            ("outside/secret", "cat /proc/self/fd/7"),
            ("outside", "cat /proc/self/fd/7/secret"),
            ("outside", "$ATTACK enter-a-descriptor 7 secret"),
            ("terminal", "echo x >&7"),
        ] {
            for confined in [false, true] {
                let stage = Stage::new(user);
                let (_ours, terminal) = terminal(user);
                let place = match opened {
                    "terminal" => terminal.into(),
                    _ => stage.path(opened),
                };
                let mut options = OpenOptions::new();
                let options = options.read(true).write(opened == "terminal");
                let file = options.custom_flags(libc::O_NOCTTY).open(place).unwrap();
                let mut tool = stage.program("bash");
                if confined {
                    confine(&mut tool, &stage.bounds());
                }
                leave_open(&mut tool, &file);
                let answer = answer_of(tool, &json!({"command": script}).to_string());
                assert_eq!(answer["exit_code"] == 0, !confined, "{script}: {answer}");
                if confined {
                    let output = answer["output"].as_str().unwrap();
                    assert!(!output.contains(SECRET), "{answer}");
                    let refused = ["ad file descriptor", "No such file"];
                    assert!(refused.iter().any(|one| output.contains(one)), "{answer}");
                }
            }
        }
    }
}

fn leave_open(command: &mut Command, file: &File) {
    let descriptor = file.as_raw_fd();
    let leave = move || {
        // SAFETY: takes numbers; the new one stays open in the next program.
        match unsafe { libc::dup2(descriptor, 7) } {
            7 => Ok(()),
            _ => Err(io::Error::last_os_error()),
        }
    };
    // SAFETY: system calls are what may happen between fork and exec.
    unsafe { command.pre_exec(leave) };
}

/// What a command writes into leads to nobody's files.
#[test]
fn the_streams_of_a_command_are_its_own() {
    if abi().is_none() {
        return;
    }
    for user in User::all() {
        let stage = Stage::new(user);
        std::fs::set_permissions(stage.path("outside"), Permissions::from_mode(0o755)).unwrap();
        let script = "for n in 0 1 2; do readlink /proc/self/fd/$n; done";
        let said = stage.run(Door::Host, Some(&stage.bounds()), script);
        let streams: Vec<_> = said.text.lines().collect();
        assert_eq!(streams[0], "/dev/null");
        // The second is the pipe that readlink's output goes into, which is the command's.
        assert!(
            streams[1].starts_with("pipe:") && streams[2].starts_with("pipe:"),
            "{said:?}"
        );
    }
}
