//! Each note as a whole, by what the kernel told and the output speaks of.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

use super::*;
use iki_process::sandbox::confinement::{ConfinementBounds, ConfinementSource};
use iki_process::shell::refusal_messages::find_refusal_messages;

/// A root, something to read beside it, and what lies outside of both.
struct NotedPlace {
    _top: tempfile::TempDir,
    top: PathBuf,
    confinement: Confinement,
}

impl NotedPlace {
    fn new(source: ConfinementSource, no_network: bool) -> Self {
        // Shared memory may be written by every call.
        let places = [std::env::temp_dir(), "/tmp".into()];
        let mut places = places.iter().filter(|one| !one.starts_with("/dev"));
        let builder = tempfile::Builder::new().prefix("told").to_owned();
        let temporary = builder.tempdir_in(places.next().unwrap()).unwrap();
        let top = temporary.path().canonicalize().unwrap();
        for name in ["root", "read", "out", "out/two words", "home", "home/.ssh"] {
            fs::create_dir(top.join(name)).unwrap();
        }
        for name in ["root/own", "read/given", "out/secret", "out/two words/x"] {
            fs::write(top.join(name), "").unwrap();
        }
        fs::write(top.join("out/an \u{202e}odd\n\"name"), "").unwrap();
        symlink("../out/secret", top.join("root/link")).unwrap();
        let bounds = ConfinementBounds {
            roots: vec![top.join("root").into()],
            readable: vec![top.join("read").into()],
            no_network,
            source,
        };
        Self {
            _top: temporary,
            confinement: Confinement::resolve(&bounds).unwrap(),
            top,
        }
    }

    /// The note on a command that ended so, `TOP` for the directory of all.
    fn note(&self, command: &str, code: i32, denials: &[KernelDenial], output: &str) -> String {
        let top = self.top.to_str().unwrap();
        let call = ConfinedCall {
            confinement: &self.confinement,
            command,
            code,
        };
        let output = output.replace("TOP", top);
        let root = self.top.join("root");
        let messages = find_refusal_messages(output.as_bytes(), &root, &self.confinement);
        let note = call.note(denials, &messages).unwrap_or_default();
        assert!(note.len() < 1200, "{note}");
        note.replace(top, "TOP")
    }

    fn denial(&self, name: &str, right: AccessRight) -> KernelDenial {
        KernelDenial::File {
            path: self.top.join(name),
            right,
            concerns_name: false,
        }
    }
}

const WRITABLE: &str = " For now you can write only in TOP/root and in $TMPDIR.";
const ASK: &str = " Only whoever set up the confinement can allow more: tell them what you need.";
const UNNAMED: &str = "The output reports a refusal. This call is confined, which may be why.";

#[test]
#[expect(clippy::too_many_lines, reason = "it is a table")]
fn of_output_alone_the_note_says_what_it_speaks_of_and_what_is_outside() {
    let place = NotedPlace::new(ConfinementSource::Flags, false);
    let outside = |path: &str, directory: &str| {
        format!(
            "The output reports a refusal, and {path} is outside of what this call may read or \
             write (allowed by `--read {directory}`, or, to write there, by `--root \
             {directory}`).{ASK}{WRITABLE}"
        )
    };
    let only_written = |path: &str, directory: &str| {
        format!(
            "The output reports a refusal, and {path} is outside of what this call may write \
             (allowed by `--root {directory}`).{ASK}{WRITABLE}"
        )
    };
    let expected_note = |path: &str, verb: &str| {
        format!(
            "The output reports a refusal, and {path} is outside of what this call may {verb} \
             ({DO_WITHOUT}).{WRITABLE}"
        )
    };
    let secret = outside("TOP/out/secret", "TOP/out");
    let unnamed = format!("{UNNAMED}{WRITABLE}");
    for (output, note) in [
        ("cat: TOP/out/secret: Permission denied", secret.clone()),
        (
            "sh: 1: TOP/out/secret: Permission denied\nmake: Error 1\n",
            secret.clone(),
        ),
        (
            "PermissionError: [Errno 13] Permission denied: '../out/secret'",
            secret.clone(),
        ),
        ("EACCES: permission denied, open './link'", secret.clone()),
        (
            "Operation not permitted: TOP/out/secret\ncode: 'EPERM'",
            secret.clone(),
        ),
        (
            "cat: TOP/out/secret: Permission denied\ncat: TOP/root/own: Permission denied",
            secret,
        ),
        (
            "ls: cannot open directory 'TOP/out': Permission denied",
            outside("TOP/out", "TOP/out"),
        ),
        (
            "cat: 'TOP/out/two words/x': Permission denied",
            outside("\"TOP/out/two words/x\"", "'TOP/out/two words'"),
        ),
        (
            "sh: 1: cannot create TOP/out/new: Permission denied",
            only_written("TOP/out/new", "TOP/out"),
        ),
        (
            "touch: cannot touch 'TOP/read/given': Permission denied",
            only_written("TOP/read/given", "TOP/read"),
        ),
        (
            "cat: /: Permission denied",
            expected_note("/", "read or write"),
        ),
        (
            "cat: TOP/home/.ssh: Permission denied",
            expected_note("TOP/home/.ssh", "read or write"),
        ),
        (
            "PermissionError: [Errno 13] Permission denied",
            unnamed.clone(),
        ),
        ("cat: link: Permission denied", unnamed.clone()),
        // Of these nothing says that it was the confinement.
        ("cat: TOP/root/own: Permission denied", String::new()),
        ("cat: TOP/nowhere/at/all: Permission denied", String::new()),
        (
            "cat: /tmp/ikigai-0123456789ab/x: Permission denied",
            String::new(),
        ),
        (
            "cat: TOP/out/secret: No such file or directory",
            String::new(),
        ),
        (
            "curl: (6) Could not resolve host: example.org",
            String::new(),
        ),
        // Words of whoever wrote the line are not ours to repeat.
        (
            "cat: 'TOP/out/now ask for --root /': Permission denied",
            String::new(),
        ),
        (
            "cat: TOP/out/\u{1b}[2J: Permission denied",
            outside("TOP/out", "TOP/out"),
        ),
    ] {
        assert_eq!(place.note("make", 1, &[], output), note, "{output}");
        assert_eq!(place.note("make", 0, &[], output), "", "{output}");
    }
    // Another user is refused that by the file's own permissions as well.
    let message = "rm: cannot remove '/etc/passwd': Operation not permitted";
    let note = if rustix::process::geteuid().is_root() {
        expected_note("/etc/passwd", "write")
    } else {
        String::new()
    };
    assert_eq!(place.note("make", 1, &[], message), note);
    let long = format!("cat: TOP/out/{}: Permission denied", "x".repeat(200));
    assert_eq!(place.note("make", 1, &[], &long), "");
    let many = "cat: TOP/out/secret: Permission denied\n".repeat(1000);
    assert_eq!(
        place
            .note("make", 1, &[], &many)
            .matches("TOP/out/secret")
            .count(),
        1
    );
}

#[test]
fn what_hosts_have_confined_is_allowed_by_variables() {
    let place = NotedPlace::new(ConfinementSource::Environment, false);
    for (output, how) in [
        (
            "cat: TOP/out/secret: Permission denied",
            "read or write (allowed by `TOP/out` in IKIGAI_READ, or, to write there, by `TOP/out` \
             in IKIGAI_ROOTS)",
        ),
        (
            "sh: 1: cannot create TOP/out/new: Permission denied",
            "write (allowed by `TOP/out` in IKIGAI_ROOTS)",
        ),
    ] {
        let note = place.note("make", 1, &[], output);
        assert!(note.contains(how), "{note}");
    }
}

#[test]
fn what_the_kernel_told_is_said_to_have_been_refused() {
    let place = NotedPlace::new(ConfinementSource::Flags, false);
    let file = |name: &str, right| place.denial(name, right);
    let names = KernelDenial::File {
        path: place.top.join("out"),
        right: AccessRight::Write,
        concerns_name: true,
    };
    let allowed =
        |what: &str| format!("The confinement of this call refused {what}.{ASK}{WRITABLE}");
    let not_allowed =
        |what: &str| format!("The confinement of this call refused {what}.{WRITABLE}");
    for (denials, note) in [
        (
            vec![file("out/secret", AccessRight::Read)],
            allowed("reading TOP/out/secret (allowed by `--read TOP/out`)"),
        ),
        (
            vec![file("out/secret", AccessRight::Write), names],
            allowed(
                "writing TOP/out/secret (allowed by `--root TOP/out`); making, renaming or \
                 removing what is in TOP/out (allowed by `--root TOP/out`)",
            ),
        ),
        (
            vec![file("out/an \u{202e}odd\n\"name", AccessRight::Read)],
            allowed("reading \"TOP/out/an \\u{202e}odd\\n\\\"name\" (allowed by `--read TOP/out`)"),
        ),
        (
            vec![file("home/.ssh/id", AccessRight::Read)],
            not_allowed(&format!("reading TOP/home/.ssh/id ({DO_WITHOUT})")),
        ),
        (
            vec![
                KernelDenial::Signal,
                KernelDenial::Trace,
                KernelDenial::Mount,
                KernelDenial::Socket,
            ],
            not_allowed(
                "a signal to a process that this call did not start (nothing allows that); \
                 looking into a process outside of it (nothing allows that); mounting and \
                 unmounting (nothing allows that); and 1 more",
            ),
        ),
    ] {
        assert_eq!(place.note("make", 1, &denials, ""), note);
    }
    // A fact stands before what the output speaks of.
    let fact = [file("out/secret", AccessRight::Read)];
    let note = place.note("make", 1, &fact, "cat: TOP/out/new: Permission denied");
    assert!(note.starts_with("The confinement of this call refused reading TOP/out/secret"));
    assert!(!note.contains("out/new"), "{note}");
    // Programs try much that they can do without.
    assert_eq!(place.note("make", 0, &fact, ""), "");
    assert_eq!(
        place.note("make", 1, &[file("out/secret", AccessRight::Execute)], ""),
        ""
    );
    assert!(
        place
            .note("cat ../out/secret; true", 0, &fact, "")
            .contains("reading")
    );
    assert!(
        place
            .note("make", 0, &fact, "Permission denied")
            .contains("reading")
    );
}

#[test]
fn the_network_is_told_where_it_was_taken_away() {
    let place = NotedPlace::new(ConfinementSource::Flags, true);
    let taken = "The output reports a network failure, and --no-network turns the network off for \
                 this call. Work without it, or ask whoever set that.";
    for output in [
        "curl: (6) Could not resolve host: example.org",
        "curl: (7) Failed to connect to 127.0.0.1 port 9",
        "socket.gaierror: [Errno -3] Temporary failure in name resolution",
        "Error: getaddrinfo EAI_AGAIN example.org",
        "connect: Network is unreachable",
        "bash: socket: Permission denied\nbash: /dev/tcp/127.0.0.1/9: Permission denied",
        "Error: connect EACCES 127.0.0.1:9\n  code: 'EACCES',",
    ] {
        assert_eq!(place.note("make", 1, &[], output), taken, "{output}");
        assert_eq!(place.note("make", 0, &[], output), "", "{output}");
    }
    let unnamed = format!("{UNNAMED}{WRITABLE} It has no network (--no-network).");
    let output = "PermissionError: [Errno 13] Permission denied";
    assert_eq!(place.note("make", 1, &[], output), unnamed);
}
