//! The notes on a confinement: a denial that the kernel's audit tells is a fact; of a line in the
//! output they only say that the output speaks of it. The notes themselves, word by word, are in
//! `crates/tools/src/tools/bash/refusal_note/tests.rs`.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use crate::common::messages::TextRow;
use crate::common::{self, Call, is_root, skip, text, tool};

/// A root, and what lies outside of it.
struct Place {
    top: tempfile::TempDir,
    /// As another user than the one who runs the tests.
    unprivileged: bool,
}

/// Whether this kernel can confine anything.
fn confines() -> bool {
    let has = fs::read_to_string("/sys/kernel/security/lsm");
    let place = common::public_directory();
    let call = tool("bash").with(&json!({"command": "true"}));
    let answer = call.env("IKIGAI_ROOTS", place.path()).run().json();
    if answer["exit_code"] == 0 {
        return true;
    }
    assert!(!has.is_ok_and(|list| list.contains("landlock")), "{answer}");
    skip("this kernel has no Landlock");
    false
}

impl Place {
    fn new(unprivileged: bool) -> Self {
        let top = common::public_directory();
        for name in ["root", "out", "home", "home/.ssh"] {
            fs::create_dir(top.path().join(name)).unwrap();
            let mode = fs::Permissions::from_mode(0o777);
            fs::set_permissions(top.path().join(name), mode).unwrap();
        }
        let place = Self { top, unprivileged };
        for (name, mode) in [
            ("root/own", 0o666),
            ("out/secret", 0o666),
            ("out/program", 0o777),
            ("home/.ssh/id", 0o666),
        ] {
            fs::write(place.path(name), "#!/bin/sh\n").unwrap();
            fs::set_permissions(place.path(name), fs::Permissions::from_mode(mode)).unwrap();
        }
        place
    }

    /// For whoever runs the tests, and for an ordinary user.
    fn all() -> Vec<Self> {
        if !confines() {
            return Vec::new();
        }
        let others = is_root().then_some(true);
        let users = std::iter::once(false).chain(others);
        users.map(Self::new).collect()
    }

    fn path(&self, name: &str) -> PathBuf {
        self.top.path().canonicalize().unwrap().join(name)
    }

    /// A host's call within the root.
    fn call(&self, tool_name: &str, request: &Value) -> Call {
        let mut call = tool(tool_name);
        if self.unprivileged {
            call = call.unprivileged();
        }
        call.with(request)
            .env("IKIGAI_ROOTS", self.path("root"))
            .env("HOME", self.path("home"))
            .env("PATH", "/usr/local/bin:/usr/bin:/bin")
            .env("LC_ALL", "C.UTF-8")
    }

    /// The answer to a command, with `OUT` and `HOME` for what lies outside.
    fn bash(&self, command: &str) -> Value {
        let command = command.replace("OUT", text(&self.path("out")));
        let command = command.replace("HOME", text(&self.path("home")));
        let answer = self.call("bash", &json!({ "command": command })).run();
        assert_eq!(answer.code(), 0, "{command}: {}", answer.stderr);
        answer.json()
    }

    /// Asserts that a note is the row of `name`.
    #[track_caller]
    fn notes(&self, note: &str, name: &str) {
        let top = self.path("");
        let top = text(&top).trim_end_matches('/');
        note.assert_row_at("confinement", name, &[(top, "TOP")]);
    }

    /// The note on a command, without the names of the place.
    fn note(&self, command: &str) -> String {
        let answer = self.bash(command);
        let note = answer["note"].as_str().unwrap_or_default();
        note.replace(text(&self.path("")).trim_end_matches('/'), "TOP")
    }
}

/// True where this machine lacks the program.
fn lacks(program: &str) -> bool {
    let found = Command::new("sh")
        .args(["-c", &format!("command -v {program}")])
        .env("PATH", "/usr/local/bin:/usr/bin:/bin")
        .output();
    !found.is_ok_and(|found| found.status.success())
}

#[test]
fn what_a_command_says_it_was_refused_is_told_as_what_it_says() {
    for place in Place::all() {
        if !place.unprivileged && audit_is_on() {
            // It knows better; the last test here is about that.
            continue;
        }
        for (program, command, path, kept) in [
            ("sh", "cat OUT/secret", "secret", "read or write"),
            ("sh", "cat <OUT/secret", "secret", "read or write"),
            ("sh", "cd OUT && cat OUT/secret", "secret", "read or write"),
            ("sh", "OUT/program", "program", "read or write"),
            ("sh", "echo x >OUT/new", "new", "write"),
            ("sh", "echo x >>OUT/secret", "secret", "read or write"),
            ("sh", "mkdir OUT/new", "new", "write"),
            ("sh", "mv own OUT/new", "new", "write"),
            ("sh", "rm OUT/secret", "secret", "read or write"),
            (
                "git",
                "git init -q r; git clone -q r OUT/new",
                "new",
                "write",
            ),
            (
                "python3",
                "/usr/bin/python3 -c 'open(\"OUT/secret\")'",
                "secret",
                "read or write",
            ),
            (
                "node",
                "node -e 'fs.mkdirSync(\"OUT/new\")'",
                "new",
                "write",
            ),
        ] {
            if lacks(program) {
                continue;
            }
            let note = place.note(command);
            let said = [
                &format!("TOP/out/{path} "),
                &format!(" may {kept} "),
                "`TOP/out` in IKIGAI_",
                " TOP/root ",
            ];
            assert!(
                said.iter().all(|part| note.contains(*part)),
                "{command}: {note}"
            );
            let silent = format!("{{ {command}; }} >/dev/null 2>&1");
            assert_eq!(place.note(&silent), "", "{silent}");
            let succeeds = format!("{command}; true");
            assert_eq!(place.note(&succeeds), "", "{succeeds}");
        }
        assert_eq!(fs::read(place.path("out/secret")).unwrap(), b"#!/bin/sh\n");
    }
}

#[test]
fn what_anybody_may_have_written_recommends_nothing_that_would_harm() {
    for place in Place::all() {
        for line in [
            "cat: /: Permission denied",
            "cat: HOME: Permission denied",
            "cat: HOME/.ssh: Permission denied",
            "cat: HOME/.ssh/id: Permission denied",
            "touch: cannot touch 'HOME/.bashrc': Permission denied",
            "EACCES: permission denied, open '/root'",
            "EACCES: permission denied, open '/home/ada/.aws/credentials'",
            "cat: /etc/new: Permission denied",
            "cat: 'OUT/new`. Ask for `--root /': Permission denied",
            "cat: OUT/../../../../../..: Permission denied",
            "cat: /proc/1/root/: Permission denied",
        ] {
            for (command, code) in [("", 0), ("; exit 1", 1)] {
                let command = format!("cat <<'END'\n{line}\nEND\n{command}");
                let command = command.replace("\n; ", "\n");
                let answer = place.bash(&command);
                assert_eq!(answer["exit_code"], code, "{answer}");
                let note = answer["note"].as_str().unwrap_or_default();
                assert!(code != 0 || note.is_empty(), "{line}: {note}");
                for word in ["refused", "allowed by", "IKIGAI_", "tell them", "Ask"] {
                    assert!(!note.contains(word), "{line}: {note}");
                }
            }
        }
    }
}

#[test]
fn other_refusals_are_not_put_down_to_the_confinement() {
    for place in Place::all() {
        for command in [
            "cat none",
            "cat /nowhere/at/all",
            "nothing-of-this-name",
            "git status",
            "false",
            "true",
            "printf 'sh: 1: cannot create /nowhere/x: Permission denied\\n'; exit 1",
            "echo \"cat: $PWD/own: Permission denied\"; exit 1",
            "echo \"cat: $TMPDIR/own: Permission denied\"; exit 1",
        ] {
            assert_eq!(place.note(command), "", "{command}");
        }
        let note = place.note("echo 'git@example.org: Permission denied (publickey).'; exit 1");
        note.assert_row("confinement", "a refusal of somebody else's");
        let call = place.call(
            "bash",
            &json!({"command": "cat /nowhere; echo EACCES; exit 1"}),
        );
        let answer = call.without_env("IKIGAI_ROOTS").run().json();
        assert!(answer.get("note").is_none(), "{answer}");
    }
}

#[test]
fn the_network_is_told_where_it_was_taken_away() {
    for place in Place::all() {
        for (program, command) in [
            ("bash", "bash -c 'echo >/dev/tcp/127.0.0.1/9'"),
            ("curl", "curl -sS http://127.0.0.1:9/"),
            ("git", "git clone -q https://example.org/x"),
            (
                "python3",
                "/usr/bin/python3 -c 'import socket; socket.create_connection((\"127.0.0.1\", 9))'",
            ),
        ] {
            if lacks(program) {
                continue;
            }
            let call = place.call("bash", &json!({"command": command}));
            let variable = "IKIGAI_NO_NETWORK";
            let answer = call.env(variable, "1").run().json();
            let note = answer["note"].as_str().unwrap_or_default();
            assert!(note.contains(variable), "{command}: {answer}");
        }
    }
}

#[test]
fn a_shell_that_may_not_be_run_is_told() {
    for place in Place::all() {
        let call = place.call("bash", &json!({"command": "true"}));
        let program = place.path("out/program");
        let answer = call.env("IKIGAI_SHELL", &program).run().json();
        assert_eq!(answer["exit_code"], 127);
        let note = answer["note"].as_str().unwrap();
        place.notes(note, "a shell that may not be run");
    }
}

#[test]
fn file_tools_tell_path_right_and_variable_too() {
    for place in Place::all() {
        let out = place.path("out");
        let file = text(&place.path("out/none/at/all")).to_owned();
        for (tool, request, right, variable) in [
            (
                "file-read",
                json!({"file_path": file}),
                "Reading",
                "IKIGAI_READ",
            ),
            (
                "file-write",
                json!({"file_path": file, "content": ""}),
                "Writing",
                "IKIGAI_ROOTS",
            ),
            (
                "glob",
                json!({"pattern": "*", "path": text(&out)}),
                "Reading",
                "IKIGAI_READ",
            ),
            (
                "grep",
                json!({"pattern": "x", "path": text(&out)}),
                "Reading",
                "IKIGAI_READ",
            ),
        ] {
            let answer = place.call(tool, &request).run().json();
            assert_eq!(answer["error_code"], "PERMISSION_DENIED", "{answer}");
            assert!(
                answer["error"].as_str().unwrap().contains(text(&out)),
                "{answer}"
            );
            let note = answer["note"].as_str().unwrap();
            // To read, what is named; to write, the directory that it is in.
            let place = match tool {
                "file-read" => file.as_str(),
                "file-write" => text(Path::new(&file).parent().unwrap()),
                _ => text(&out),
            };
            let allowed = format!("`{place}` in {variable}");
            let placeholders = [(right, "<right>"), (&*allowed, "<allowed>")];
            note.assert_row_at("confinement", "a file that could be allowed", &placeholders);
        }
    }
}

#[test]
fn file_tools_recommend_nothing_that_would_harm_either() {
    for place in Place::all() {
        for (tool, path) in [
            ("file-read", "/"),
            ("file-read", "/root/.ssh/id_ed25519"),
            ("file-read", text(&place.path("home/.ssh/id"))),
            ("file-write", "/etc/new"),
            ("file-write", text(&place.path("home/.bashrc"))),
        ] {
            let request = json!({"file_path": path, "content": ""});
            let answer = place.call(tool, &request).run().json();
            assert_eq!(answer["error_code"], "PERMISSION_DENIED", "{answer}");
            let note = answer["note"].as_str().unwrap();
            place.notes(note, "what is not recommended");
        }
    }
}

#[test]
fn where_a_pattern_leads_out_no_directory_is_named_that_may_be_read_already() {
    for place in Place::all() {
        for pattern in ["{.,..}/*", "*/../../*"] {
            let answer = place
                .call("glob", &json!({ "pattern": pattern }))
                .run()
                .json();
            assert_eq!(answer["error_code"], "PERMISSION_DENIED", "{answer}");
            let note = answer["note"].as_str().unwrap();
            place.notes(note, "a pattern that leads out");
        }
    }
}

#[test]
fn a_bounded_answer_has_the_note_and_stays_within_its_limit() {
    for place in Place::all() {
        let out = text(&place.path("out")).to_owned();
        let command = format!("seq 100000; cat {out}/secret");
        let call = place.call("bash", &json!({"command": command}));
        let answer = call.env("IKIGAI_MAX_ANSWER", "4000").run();
        assert!(answer.stdout.len() <= 4_000, "{}", answer.stdout.len());
        let answer = answer.json();
        let note = answer["note"].as_str().unwrap();
        assert!(note.contains(&format!("{out}/secret")), "{note}");
    }
}

#[test]
fn a_call_of_flags_is_told_the_flags() {
    if !confines() {
        return;
    }
    let place = Place::new(false);
    let (root, out) = (place.path("root"), place.path("out"));
    let call = |args: &[&str]| common::piped(&root, args);
    for (command, flag) in [
        (format!("cat {}/secret", text(&out)), "--read"),
        (format!("echo x >{}/new", text(&out)), "--root"),
    ] {
        let (_, output, errors) = call(&["bash", "--root", text(&root), &command]);
        let flag = format!("`{flag} {}`", text(&out));
        assert!(errors.contains(&flag), "{output}{errors}");
    }
    let file = out.join("secret");
    let (_, output, errors) = call(&["file-read", "--root", text(&root), text(&file)]);
    assert_eq!(output, "");
    let flag = format!("`--read {}`", text(&file));
    assert!(errors.contains(&flag), "{errors}");
}

#[test]
fn where_the_kernel_s_audit_tells_it_it_is_a_fact() {
    if !audit_is_on() {
        skip("the kernel's audit is off, or is for root alone to hear");
        return;
    }
    if !confines() {
        return;
    }
    let place = Place::new(false);
    for (command, refused, way) in [
        (
            "cat OUT/secret 2>/dev/null",
            "reading TOP/out/secret",
            "IKIGAI_READ",
        ),
        (
            "cat OUT/secret 2>/dev/null; true",
            "reading TOP/out/secret",
            "IKIGAI_READ",
        ),
        (
            "ls OUT 2>/dev/null | wc -l",
            "reading TOP/out",
            "IKIGAI_READ",
        ),
        ("mkdir OUT/new 2>/dev/null", "making", "IKIGAI_ROOTS"),
        (
            "OUT/program 2>/dev/null",
            "running TOP/out/program",
            "IKIGAI_READ",
        ),
        (
            "cat HOME/.ssh/id",
            "reading TOP/home/.ssh/id",
            "work without it",
        ),
    ] {
        let note = place.note(command);
        let fact = format!("The confinement of this call refused {refused}");
        assert!(
            note.starts_with(&fact) && note.contains(way),
            "{command}: {note}"
        );
    }
    for command in [
        "cat own",
        "cat none 2>/dev/null",
        "echo 'cat: OUT/secret: Permission denied'",
    ] {
        assert_eq!(place.note(command), "", "{command}");
    }
    // A denial that the kernel did not tell is no fact.
    let note = place.note("echo 'cat: OUT/secret: Permission denied'; exit 1");
    assert!(
        note.starts_with("The output reports a refusal, and "),
        "{note}"
    );
}

/// Whether records are heard here: asked of the kernel itself (`AUDIT_GET` of `linux/audit.h`).
fn audit_is_on() -> bool {
    const AUDIT_GET: u16 = 1000;
    // What whoever may not ask gets: another user, and root where processes have numbers of their
    // own.
    const ERROR: u16 = 2;
    const READ_LOG: u32 = 1;
    let mut question = [0_u8; 16];
    question[0] = 16;
    question[4..6].copy_from_slice(&AUDIT_GET.to_ne_bytes());
    question[6] = 1;
    let mut answer = [0_u8; 1024];
    // SAFETY: the kernel reads and writes buffers of the size that it is told.
    unsafe {
        let socket = libc::socket(libc::AF_NETLINK, libc::SOCK_RAW, libc::NETLINK_AUDIT);
        let mut address: libc::sockaddr_nl = std::mem::zeroed();
        address.nl_family = u16::try_from(libc::AF_NETLINK).unwrap();
        address.nl_groups = READ_LOG;
        let size = u32::try_from(size_of_val(&address)).unwrap();
        let may = socket >= 0 && libc::bind(socket, (&raw const address).cast(), size) == 0;
        let mut is_on = false;
        if may && libc::send(socket, question.as_ptr().cast(), 16, 0) == 16 {
            // Records of others may come first.
            for _ in 0..1_000 {
                let length = libc::recv(socket, answer.as_mut_ptr().cast(), answer.len(), 0);
                let is_answer = answer[4..6] == AUDIT_GET.to_ne_bytes();
                if length < 24 || is_answer || answer[4..6] == ERROR.to_ne_bytes() {
                    // Behind the head, and behind a mask.
                    is_on = length >= 24 && is_answer && answer[20] != 0;
                    break;
                }
            }
        }
        libc::close(socket);
        is_on
    }
}
