//! Tests that need a process of their own: an environment, a user, a network in which nobody else
//! is. The test starts its own program once more, with itself as the only test, and there its body
//! is run.

#![allow(dead_code, reason = "each test file uses its own part")]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use crate::common;

/// Says in the second process that it is one.
const STAGE: &str = "IKIGAI_TEST_STAGE";

/// The addresses of the network: a public one, another one, one of a private network, and those of
/// a cloud's metadata.
pub const PUBLIC: &str = "93.184.216.34";
pub const OTHER: &str = "93.184.216.35";
pub const PRIVATE: &str = "10.0.0.5";
pub const METADATA: &str = "169.254.169.254";

/// Gives the network its addresses, and a cable to nowhere, without which a browser does not even
/// try to send what goes past a proxy; and then becomes the rest of the command.
const SETUP: &str = "PATH=$PATH:/usr/sbin:/sbin; ip link set lo up && \
    ip link add d0 type veth peer name d1 && ip link set d0 up && ip link set d1 up && \
    ip address add 192.168.7.1/24 dev d0 && \
    for a in 93.184.216.34 93.184.216.35 10.0.0.5 169.254.169.254; do \
    ip address add $a/32 dev lo || exit; done; exec \"$@\"";

/// A command that runs its further arguments by an ordinary user in a network of their own.
fn in_a_network() -> Command {
    let (outer, inner): (&[&str], &[&str]) = if common::is_root() {
        let inner = &[
            "setpriv",
            "--reuid=65534",
            "--regid=65534",
            "--clear-groups",
        ];
        (&["unshare", "--net"], inner)
    } else {
        // Root in there alone, which setting up the network takes; and then nobody again.
        let inner = &["unshare", "--user", "--map-user=1000", "--map-group=1000"];
        (&["unshare", "--user", "--map-root-user", "--net"], inner)
    };
    let mut command = Command::new("timeout");
    command
        .arg("120")
        .args(outer)
        .args(["sh", "-c", SETUP, "sh"]);
    command.args(inner);
    command
}

/// Why no test can have a network of its own here; `None` if it can.
pub fn no_network() -> Option<&'static str> {
    static POSSIBLE: OnceLock<bool> = OnceLock::new();
    let possible = POSSIBLE.get_or_init(|| {
        let output = in_a_network().arg("true").output();
        output.is_ok_and(|output| output.status.success())
    });
    (!possible).then_some("no network of its own can be had here")
}

/// Runs a program as [`in_the_network`] does its body; returns its output.
pub fn output_in_the_network(program: &Path, args: &[&str], room: &Path) -> Option<Vec<u8>> {
    let mut command = in_a_network();
    command.arg(program).args(args);
    let output = with_room(&mut command, room).output().ok()?;
    output.status.success().then_some(output.stdout)
}

/// This test program, where everybody may run it.
fn program() -> &'static Path {
    static PROGRAM: OnceLock<(PathBuf, Option<tempfile::TempDir>)> = OnceLock::new();
    let (path, _) = PROGRAM.get_or_init(|| {
        let own = std::env::current_exe().unwrap();
        let mut open = own.ancestors().skip(1);
        if open.all(|one| fs::metadata(one).is_ok_and(|all| all.permissions().mode() & 1 != 0)) {
            return (own, None);
        }
        let room = common::public_directory();
        let copy = room.path().join("tests");
        common::copy_program(&own, &copy);
        (copy, Some(room))
    });
    path
}

fn with_room<'a>(command: &'a mut Command, room: &Path) -> &'a mut Command {
    command
        .env_clear()
        .env("PATH", "/usr/local/bin:/usr/bin:/bin")
        .env("HOME", "/nonexistent")
        .env("TMPDIR", room)
        .current_dir("/")
        .stdin(Stdio::null())
}

/// Runs `body` in a process of its own with these variables, as this user.
pub fn alone(test: &str, variables: &[(&str, &str)], body: impl FnOnce(&Path)) {
    run(Command::new("env"), test, variables, body);
}

/// Runs `body` in a process of its own with these variables, by an ordinary user, in a network that
/// has nothing but the addresses above.
pub fn in_the_network(test: &str, variables: &[(&str, &str)], body: impl FnOnce(&Path)) {
    run(in_a_network(), test, variables, body);
}

/// A directory whose name is short enough for the sockets of a browser's profile, which would stand
/// elsewhere otherwise.
fn short_directory() -> tempfile::TempDir {
    let room = common::public_directory();
    if room.path().as_os_str().len() <= 40 {
        return room;
    }
    let room = tempfile::tempdir_in("/tmp").unwrap();
    fs::set_permissions(room.path(), fs::Permissions::from_mode(0o777)).unwrap();
    room
}

fn run(mut command: Command, test: &str, variables: &[(&str, &str)], body: impl FnOnce(&Path)) {
    if std::env::var_os(STAGE).is_some() {
        return body(&std::env::temp_dir());
    }
    let room = short_directory();
    command
        .arg(program())
        .args([test, "--nocapture", "--test-threads=1"]);
    let output = with_room(&mut command, room.path())
        .env(STAGE, "1")
        .envs(variables.iter().copied())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}{errors}");
    assert!(said.contains("ok. 1 passed"), "{said}{errors}");
}

/// Whether this is the second process of a test.
pub fn is_staged() -> bool {
    std::env::var_os(STAGE).is_some()
}
