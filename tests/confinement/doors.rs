//! By which doors a confinement is asked for, and what is said where it cannot be had: a host's
//! variables, flags, a server's flags. What it keeps out is tested by the ways out themselves.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::common::messages::TextRow;
use crate::common::{Answer, BINARY, Call, directory, link, skip, text, tool};
use crate::refusing::{Filter, Service};

const ROOTS: &str = "IKIGAI_ROOTS";
const READ: &str = "IKIGAI_READ";
const NO_NETWORK: &str = "IKIGAI_NO_NETWORK";

/// Whether this kernel can confine a call. Where it cannot, a call says so.
pub fn confines() -> bool {
    let call = tool("glob").with(&json!({"pattern": "*"})).env(ROOTS, "/");
    let answer = call.run().json();
    let possible = answer["error"].is_null();
    if !possible {
        assert!(answer.to_string().contains("Landlock"), "{answer}");
        skip("this kernel has no Landlock");
    }
    possible
}

/// A directory within bounds, one to be read, one outside.
struct Room {
    top: PathBuf,
    _directory: tempfile::TempDir,
}

impl Room {
    fn new() -> Self {
        let directory = directory();
        let top = directory.path().canonicalize().unwrap();
        for name in ["in", "read", "out"] {
            fs::create_dir(top.join(name)).unwrap();
            fs::write(top.join(name).join("file"), format!("this is {name}\n")).unwrap();
        }
        Self {
            top,
            _directory: directory,
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.top.join(name)
    }

    /// Asserts that `text` is the row of `name`.
    #[track_caller]
    fn shows(&self, name: &str, text: &str) {
        let top = self.top.to_str().unwrap();
        text.assert_row_at("confinement", name, &[(top, "TOP")]);
    }

    /// A host's call.
    fn host(&self, name: &str, request: &Value) -> Call {
        let call = tool(name).with(request).in_directory(&self.path("in"));
        call.env(ROOTS, self.path("in"))
            .env(READ, self.path("read"))
    }

    /// A call of flags with these words before all others.
    fn flags(&self, words: &[&OsStr], name: &str, further: &[&str]) -> (i32, String, String) {
        let output = Command::new(link(name))
            .args(words)
            .args(further)
            .current_dir(self.path("in"))
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        let code = output.status.code().unwrap();
        (code, text(output.stdout), text(output.stderr))
    }
}

#[test]
fn a_host_s_call_reads_and_writes_in_the_roots_and_reads_beside_them() {
    if !confines() {
        return;
    }
    let room = Room::new();
    for (path, content) in [("file", "in"), ("../read/file", "read")] {
        let read = room.host("file-read", &json!({"file_path": path}));
        let output = format!("this is {content}\n");
        read.answers(&json!({ "output": output }));
    }
    let write = room.host("file-write", &json!({"file_path": "new", "content": "x"}));
    assert_eq!(write.run().json()["bytes"], 1);
    for path in ["../read/file", "../out/file", "../out/new"] {
        let write = room.host("file-write", &json!({"file_path": path, "content": "x"}));
        let answer = write.run().json();
        assert_eq!(answer["error_code"], "PERMISSION_DENIED", "{answer}");
        let note = answer["note"].as_str().unwrap();
        room.shows("a file that may not be written", note);
    }
    assert_eq!(fs::read(room.path("out/file")).unwrap(), b"this is out\n");
    assert!(!room.path("out/new").exists());
    for (name, request) in [
        ("file-read", json!({"file_path": "../out/file"})),
        ("glob", json!({"pattern": "../out/*"})),
        ("grep", json!({"pattern": "this", "path": "../out"})),
        (
            "grep",
            json!({"pattern": "this", "path": text(&room.path("out/file"))}),
        ),
        ("bash", json!({"command": "true", "workdir": "../out"})),
        ("bash", json!({"cmd": "true", "cwd": "../out"})),
        ("file-read", json!({"path": "../out/file"})),
    ] {
        let answer = room.host(name, &request).run().json();
        assert_eq!(answer["error_code"], "PERMISSION_DENIED", "{answer}");
        let note = answer["note"].as_str().unwrap();
        room.shows("what may not be read", note);
    }
}

#[test]
fn a_confined_pattern_finds_what_it_finds_without_bounds() {
    if !confines() {
        return;
    }
    let room = Room::new();
    let within = room.path("in");
    fs::create_dir_all(within.join("sub/deep")).unwrap();
    for name in ["sub/file", ".hidden", "sub/.hidden", "brace{s,d}", "braced"] {
        fs::write(within.join(name), "").unwrap();
    }
    symlink("sub", within.join("home")).unwrap();
    for pattern in [
        "*",
        "*/file",
        "*/deep/",
        "**/.hidden",
        r"**/\f\ile",
        "*/./file",
        "su[b]//file",
        "{sub,home}/file",
        "**/{file,deep}",
        "**/{.hidden,de*}",
        "{*/file,gone/../file}",
        "{*,s*}/{file,deep,deep/}",
        r"*/{\file,d[e]ep}",
        "brace{s,d}",
        "{,*/}file",
    ] {
        let request = json!({"pattern": pattern, "path": text(&within)});
        let free = tool("glob").with(&request).run().json();
        assert!(free["count"].as_u64() > Some(0), "{pattern}: {free}");
        assert_eq!(room.host("glob", &request).run().json(), free, "{pattern}");
    }
}

#[test]
fn a_name_that_is_spelled_leads_no_further_than_the_name_itself() {
    if !confines() {
        return;
    }
    let room = Room::new();
    symlink("../out", room.path("in").join("o\u{202e}")).unwrap();
    fs::write(room.path("in").join("f\u{202e}"), "mine\n").unwrap();
    let own = room.host("file-read", &json!({"file_path": "f\\u{202E}"}));
    own.answers(&json!({"output": "mine\n"}));
    // Relative names start in the root, wherever the host is.
    let elsewhere = room.host("file-read", &json!({"file_path": "f\\u{202E}"}));
    let elsewhere = elsewhere.in_directory(Path::new("/"));
    elsewhere.answers(&json!({"output": "mine\n"}));
    for (name, request) in [
        ("file-read", json!({"file_path": "o\\u{202E}/file"})),
        (
            "file-write",
            json!({"file_path": "o\\u{202E}/file", "content": "x"}),
        ),
        ("grep", json!({"pattern": "this", "path": "o\\u{202E}"})),
        ("glob", json!({"pattern": "*", "path": "o\\u{202E}"})),
    ] {
        let answer = room.host(name, &request).run().json();
        assert_eq!(answer["error_code"], "PERMISSION_DENIED", "{answer}");
        assert!(!answer.to_string().contains('\u{202e}'), "{answer}");
    }
    for (name, request) in [
        ("glob", json!({"pattern": "o\\u{202E}/*"})),
        ("grep", json!({"pattern": "this", "glob": "o\\u{202E}/*"})),
    ] {
        let answer = room.host(name, &request).run().json().to_string();
        assert!(
            !answer.contains("this is out") && !answer.contains("/file"),
            "{answer}"
        );
    }
}

#[test]
fn a_host_s_command_works_within_the_same_directories() {
    if !confines() {
        return;
    }
    let room = Room::new();
    let command = "cat file ../read/file; echo more >>file; \
                   echo x 2>&- >../read/new || echo kept out; cat 2>&- ../out/file || echo too";
    let answer = room.host("bash", &json!({ "command": command })).run();
    let output = answer.field("output");
    assert!(
        output.starts_with("this is in\nthis is read\n") && output.ends_with("kept out\ntoo"),
        "{output}"
    );
    assert_eq!(
        fs::read(room.path("in/file")).unwrap(),
        b"this is in\nmore\n"
    );
    assert!(!room.path("read/new").exists());
}

#[test]
fn flags_confine_a_call_as_variables_do_and_come_before_them() {
    if !confines() {
        return;
    }
    let room = Room::new();
    let (inner, read) = (room.path("in"), room.path("read"));
    let words = [
        OsStr::new("--root"),
        inner.as_os_str(),
        OsStr::new("--read"),
        read.as_os_str(),
    ];
    let (code, out, _) = room.flags(&words, "file-read", &["../read/file"]);
    assert_eq!((code, &*out), (0, "this is read\n"));
    let (code, out, err) = room.flags(&words, "file-read", &["../out/file"]);
    assert_eq!((code, &*out), (1, ""));
    room.shows("a file that flags keep closed", &err);
    let (code, out, _) = room.flags(&words, "bash", &["cat file; cat ../out/file 2>/dev/null"]);
    assert_eq!((code, &*out), (1, "this is in\n"));
    let workdir = ["--workdir", "../out", "pwd"];
    let (code, out, err) = room.flags(&words, "bash", &workdir);
    assert!(code != 0 && out.is_empty(), "{code} {out}");
    room.shows("a working directory that flags keep closed", &err);
    // The roots as flags, others as variables.
    let output = Command::new(link("file-read"))
        .args(words)
        .args(["../out/file"])
        .env(ROOTS, room.path("out"))
        .current_dir(&inner)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    // What no flag speaks of, the variables do.
    let output = Command::new(link("bash"))
        .args(words)
        .arg("cat file; perl -MSocket -e 'socket S, PF_INET, SOCK_STREAM, 0 or print $!'")
        .env(NO_NETWORK, "1")
        .current_dir(&inner)
        .output()
        .unwrap();
    assert_eq!(output.stdout, b"this is in\nPermission denied");
    // Without flags the variables hold for a person's call as well.
    let output = Command::new(link("file-read"))
        .arg("../out/file")
        .env(ROOTS, &inner)
        .current_dir(&inner)
        .output()
        .unwrap();
    assert_eq!((output.status.code(), &*output.stdout), (Some(1), &b""[..]));
}

#[test]
fn a_request_that_a_person_names_may_lie_outside() {
    if !confines() {
        return;
    }
    let room = Room::new();
    let request = room.path("out/request");
    fs::write(&request, r#"{"file_path":"file"}"#).unwrap();
    let words = ["--root", ".", "--input", text(&request)].map(OsStr::new);
    let (code, out, _) = room.flags(&words, "file-read", &[]);
    assert_eq!((code, &*out), (0, r#"{"output":"this is in\n"}"#));
}

#[test]
fn relative_names_start_here_if_here_is_within_and_else_in_the_first_root() {
    if !confines() {
        return;
    }
    let room = Room::new();
    let there = |here: &str, roots: &str| {
        let pwd = tool("bash").with(&json!({"command": "cat file"}));
        let pwd = pwd.in_directory(&room.path(here));
        pwd.env(ROOTS, roots).run().field("output")
    };
    let (inner, read) = (room.path("in"), room.path("read"));
    let both = format!("{}:{}", text(&inner), text(&read));
    assert_eq!(there("in", &both), "this is in");
    assert_eq!(there("read", &both), "this is read");
    assert_eq!(there("out", &both), "this is in");
    // Names of roots themselves are relative to where the call starts.
    assert_eq!(there("out", "../read::../in"), "this is read");
}

#[test]
fn directories_need_not_be_called_in_utf_8() {
    if !confines() {
        return;
    }
    let room = Room::new();
    let odd = room.path("in").join(OsStr::from_bytes(b"\xff \n"));
    if fs::create_dir(&odd).is_err() {
        return skip("this file system takes UTF-8 only");
    }
    fs::write(odd.join("file"), "odd").unwrap();
    let call = tool("bash").with(&json!({"command": "cat file; cat ../file 2>&-"}));
    let answer = call.in_directory(&odd).env(ROOTS, &odd).run().json();
    assert_eq!(answer["output"], "odd", "{answer}");
    let words = [OsStr::new("--root"), odd.as_os_str()];
    let (code, out, err) = room.flags(&words, "file-read", &["file"]);
    assert_eq!((code, &*out), (0, "odd"), "{err}");
    let (code, _, err) = room.flags(&words, "file-read", &["../file"]);
    assert_eq!(code, 1, "{err}");
}

#[test]
fn what_a_path_may_have_meant_is_not_looked_for_outside() {
    if !confines() {
        return;
    }
    let room = Room::new();
    let inner = text(&room.path("in")).to_owned();
    let notes = ["file", "none"].map(|name| {
        let path = format!("`{}`", text(&room.path("out").join(name)));
        let call = tool("file-read").with(&json!({"file_path": path}));
        let call = call.in_directory(&room.path("in")).env(ROOTS, &inner);
        call.run().note().replace(name, "NAME")
    });
    assert_eq!(notes[0], notes[1]);
    // Within, it is.
    let quoted = json!({"file_path": "`file`"});
    let note = room.host("file-read", &quoted).run().note();
    assert!(note.contains("file"), "{note}");
}

/// The answer of a call that was not carried out, which says so.
fn refused(call: Call) -> String {
    let answer: Answer = call.run();
    let json = answer.json();
    assert_eq!(json["error_code"], "PERMISSION_DENIED", "{json}");
    assert_eq!(answer.code(), 0);
    let error = json["error"].as_str().unwrap().to_owned();
    assert!(
        error.starts_with("The call was not run, because it could not be confined: "),
        "{error}"
    );
    error
}

#[test]
fn what_is_asked_for_and_cannot_be_had_is_no_leave_to_go_on_without() {
    if !confines() {
        return;
    }
    let room = Room::new();
    symlink(room.path("out"), room.path("in/link")).unwrap();
    fs::create_dir_all(room.path("in/nested")).unwrap();
    let inner = text(&room.path("in")).to_owned();
    let through = format!("{inner}:{inner}/link");
    let below = format!("{inner}:{inner}/link/below");
    fs::create_dir(room.path("out/below")).unwrap();
    for (roots, reason) in [
        ("", "no root"),
        (":", "no root"),
        ("/nowhere/at/all", "a root that is not there"),
        ("/etc/passwd", "a root that is a file"),
        (&through, "a root through a link"),
        (&below, "a root through a link"),
    ] {
        for (name, request) in [
            ("bash", json!({"command": "echo x >made"})),
            ("file-write", json!({"file_path": "made", "content": "x"})),
            ("grep", json!({"pattern": "x"})),
        ] {
            let call = tool(name).with(&request).in_directory(&room.path("in"));
            let error = refused(call.env(ROOTS, roots));
            room.shows(reason, &error);
        }
    }
    assert!(!room.path("in/made").exists());
    let call = tool("bash")
        .with(&json!({"command": "true"}))
        .env(ROOTS, &inner);
    let error = refused(call.env(READ, format!("{inner}/link")));
    room.shows("a place to be read through a link", &error);
    // A link of the person's own is no hindrance.
    symlink(room.path("in"), room.path("own")).unwrap();
    let call = tool("bash").with(&json!({"command": "cat file"}));
    let answer = call
        .env(ROOTS, room.path("own"))
        .in_directory(&room.top)
        .run();
    assert_eq!(answer.field("output"), "this is in");
    // Of flags it is a usage error where the name cannot be right.
    for words in [
        ["--root", "/nowhere"],
        ["--read", "/nowhere"],
        ["--root", "file"],
    ] {
        let (code, out, err) = room.flags(&words.map(OsStr::new), "bash", &["true"]);
        assert_eq!((code, &*out), (2, ""), "{err}");
    }
}

#[test]
fn where_the_kernel_has_no_landlock_a_confined_call_is_refused() {
    let room = Room::new();
    for errno in [libc::ENOSYS, libc::EOPNOTSUPP, libc::EPERM] {
        for (name, request) in [
            ("bash", json!({"command": "echo x >made"})),
            ("file-write", json!({"file_path": "made", "content": "x"})),
            ("file-read", json!({"file_path": "file"})),
        ] {
            let service = Service {
                name: "landlock_create_ruleset",
                call: libc::SYS_landlock_create_ruleset,
                argument: None,
            };
            let filter = Filter::new(&[service], errno);
            let call = room.host(name, &request);
            let error = refused(call.prepared_by(move || filter.install()));
            error.assert_row("confinement", "a kernel without Landlock");
        }
    }
    assert!(!room.path("in/made").exists());
}

#[test]
fn without_directories_nothing_is_confined() {
    let room = Room::new();
    let call = tool("file-read").with(&json!({"file_path": "../out/file"}));
    let call = call.in_directory(&room.path("in"));
    call.answers(&json!({"output": "this is out\n"}));
}

#[test]
fn commands_have_no_network_where_it_is_taken_away_and_tools_that_need_it_say_so() {
    let room = Room::new();
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let connect = format!(
        "perl -MIO::Socket::INET -e 'print IO::Socket::INET->new(q({address})) ? q(in) : $!'"
    );
    let request = json!({ "command": connect });
    let answer = |value: Option<&str>| {
        let call = tool("bash").with(&request);
        let call = match value {
            Some(value) => call.env(NO_NETWORK, value),
            None => call,
        };
        call.run().field("output")
    };
    for open in [None, Some(""), Some("0")] {
        assert_eq!(answer(open), "in", "{open:?}");
    }
    for closed in ["1", "yes", "no"] {
        assert_eq!(answer(Some(closed)), "Permission denied", "{closed}");
    }
    // Files are where they were.
    let read = tool("file-read").with(&json!({"file_path": text(&room.path("out/file"))}));
    let read = read.env(NO_NETWORK, "1");
    read.answers(&json!({"output": "this is out\n"}));
    for (name, request) in [
        (
            "web-fetch-tool",
            json!({"url": format!("http://{address}/")}),
        ),
        ("web-search-brave-tool", json!({"query": "x"})),
        ("web-search-tool", json!({"query": "x"})),
        ("search-and-scrape-tool", json!({"query": "x"})),
        ("patent-search-tool", json!({"query": "x"})),
        (
            "scrape-page-tool",
            json!({"url": format!("http://{address}/")}),
        ),
    ] {
        let answer = tool(name).with(&request).env(NO_NETWORK, "1").run();
        let json = answer.json();
        assert_eq!(json["error_code"], "NETWORK_ERROR", "{json}");
        assert!(
            json["error"].as_str().unwrap().contains(NO_NETWORK),
            "{json}"
        );
        assert_eq!(answer.code(), 1);
    }
    listener.set_nonblocking(true).unwrap();
    let connections = std::iter::from_fn(|| listener.accept().ok()).count();
    assert_eq!(connections, 3);
}

#[test]
fn a_command_does_not_learn_where_the_session_s_services_are() {
    if !confines() {
        return;
    }
    let room = Room::new();
    let mut call = room.host(
        "bash",
        &json!({"command": "env; touch \"$TMPDIR/x\" && ls -a $TMPDIR"}),
    );
    let services = [
        "SSH_AUTH_SOCK",
        "DBUS_SESSION_BUS_ADDRESS",
        "DBUS_SYSTEM_BUS_ADDRESS",
        "XDG_RUNTIME_DIR",
        "DISPLAY",
        "WAYLAND_DISPLAY",
        "DOCKER_HOST",
        "TMUX",
    ];
    for name in services {
        call = call.env(name, "there");
    }
    let output = call.env("KEPT", "here").run().field("output");
    let begins = |name: &str| output.lines().any(|line| line.starts_with(name));
    assert!(begins("KEPT=here"));
    for name in services {
        assert!(!begins(&format!("{name}=")), "{output}");
    }
    let place = output.lines().find_map(|line| line.strip_prefix("TMPDIR="));
    let place = Path::new(place.unwrap());
    assert!(place.is_absolute() && !place.exists(), "{output}");
    assert!(output.ends_with(".\n..\nx"), "{output}");
}

#[test]
fn what_was_too_long_to_show_may_be_read_by_the_next_call() {
    if !confines() {
        return;
    }
    let room = Room::new();
    let state = room.path("state");
    let long = room.host("bash", &json!({"command": "seq 20000"}));
    let long = long
        .env("IKIGAI_MAX_ANSWER", "2000")
        .env("XDG_STATE_HOME", &state);
    let note = long.run().note();
    let file = note
        .split_whitespace()
        .find(|word| word.contains("/output/"));
    let file = file.unwrap_or_else(|| panic!("{note}"));
    let file = file.trim_end_matches([',', '.', ';', ':']);
    let read = room.host("file-read", &json!({"file_path": file, "offset": 19_999}));
    let read = read.env("XDG_STATE_HOME", &state);
    read.answers(&json!({"output": "19999\n20000\n"}));
    // A link that a command can lay leads nowhere.
    let led = room.path("in/state");
    symlink(&state, &led).unwrap();
    let path = Path::new(file).strip_prefix(&state).unwrap();
    let request = json!({"file_path": text(&led.join(path))});
    let read = room.host("file-read", &request).env("XDG_STATE_HOME", &led);
    assert_eq!(read.run().json()["error_code"], "PERMISSION_DENIED");
}

#[test]
fn links_are_installed_and_the_doctor_looks_wherever_calls_are_confined_to() {
    let room = Room::new();
    let run = |words: &[&str], roots: &str| {
        let output = Command::new(BINARY)
            .args(words)
            .env(ROOTS, roots)
            .output()
            .unwrap();
        let text = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        (output.status.success(), text)
    };
    let there = room.path("out/links");
    let (linked, said) = run(&["link", "--links-only", text(&there)], "/nowhere/at/all");
    assert!(linked, "{said}");
    let (well, said) = run(&["doctor"], "/nowhere/at/all");
    assert!(!well, "{said}");
    if confines() {
        let (_, said) = run(&["doctor"], text(&room.path("in")));
        assert!(said.contains("Landlock, ABI "), "{said}");
        let line = format!("IKIGAI_ROOTS             {}", text(&room.path("in")));
        assert!(said.contains(&line), "{said}");
    }
}
