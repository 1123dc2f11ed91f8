//! A refusal that comes from the confinement is told from any other: the note says which path,
//! which right, and what would allow it.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::common::{self, BINARY, Call, is_root, skip, text, tool};

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
        for name in [
            "root",
            "root/sub",
            "out",
            "out/dir",
            "home/.cargo/bin",
            "home/.rustup",
        ] {
            let place = top.path().join(name);
            fs::create_dir_all(&place).unwrap();
            let mode = fs::Permissions::from_mode(0o777);
            fs::set_permissions(place, mode).unwrap();
        }
        let place = Self { top, unprivileged };
        place.write("root/own", "own\n", 0o666);
        place.write("out/secret", "secret\n", 0o666);
        place.write("out/with 'quotes\" and ü", "secret\n", 0o666);
        place.write("out/program", "#!/bin/sh\necho it ran\n", 0o777);
        place.write("home/.cargo/bin/rustup", "#!/bin/sh\necho cargo\n", 0o777);
        place.write("home/.cargo/credentials.toml", "key\n", 0o666);
        symlink("rustup", place.path("home/.cargo/bin/cargo")).unwrap();
        symlink("../out/secret", place.path("root/link")).unwrap();
        place
    }

    /// For whoever runs the tests, and for an ordinary user.
    fn all() -> Vec<Self> {
        if !confines() {
            return Vec::new();
        }
        let others = is_root().then_some(true);
        std::iter::once(false)
            .chain(others)
            .map(Self::new)
            .collect()
    }

    fn path(&self, name: &str) -> PathBuf {
        self.top.path().canonicalize().unwrap().join(name)
    }

    fn write(&self, name: &str, content: &str, mode: u32) {
        let path = self.path(name);
        fs::write(&path, content).unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }

    /// A host's call within the root.
    fn call(&self, tool_name: &str, request: &Value) -> Call {
        let mut call = tool(tool_name);
        if self.unprivileged {
            call = call.unprivileged();
        }
        let path = format!(
            "{}:/usr/local/bin:/usr/bin:/bin",
            text(&self.path("home/.cargo/bin"))
        );
        call.with(request)
            .env("IKIGAI_ROOTS", self.path("root"))
            .env("HOME", self.path("home"))
            .env("PATH", path)
            .env("LC_ALL", "C.UTF-8")
            .without_env("CARGO_HOME")
            .without_env("RUSTUP_HOME")
            .without_env("XDG_CONFIG_HOME")
    }

    fn bash(&self, command: &str) -> Value {
        let answer = self.call("bash", &json!({"command": command})).run();
        assert_eq!(answer.code(), 0, "{command}: {}", answer.stderr);
        answer.json()
    }

    /// Asserts that the note says that `right` was refused at `path`, and what allows it.
    #[track_caller]
    fn refuses(&self, command: &str, right: &str, path: &str, allowed: &str) {
        let answer = self.bash(command);
        let note = answer["note"]
            .as_str()
            .unwrap_or_else(|| panic!("{command}: {answer}"));
        let path = self.path(path);
        assert!(note.contains("This call is confined"), "{command}: {note}");
        assert!(note.contains(right), "{command}: {note}");
        assert!(note.contains(text(&path)), "{command}: {note}");
        assert!(note.contains(allowed), "{command}: {note}");
        assert!(
            note.contains(&format!("in {} and in $TMPDIR", text(&self.path("root")))),
            "{note}"
        );
        assert!(note.len() <= 900, "{}: {note}", note.len());
    }

    /// Asserts that nothing is said of the confinement.
    #[track_caller]
    fn says_nothing(&self, command: &str) -> Value {
        let answer = self.bash(command);
        let note = answer["note"].as_str().unwrap_or_default();
        assert!(!note.contains("confined"), "{command}: {answer}");
        answer
    }
}

#[test]
fn what_a_command_was_refused_is_told_with_path_right_and_variable() {
    for place in Place::all() {
        let out = text(&place.path("out")).to_owned();
        let read = format!("`{out}` in IKIGAI_READ");
        let write = format!("`{out}` in IKIGAI_ROOTS");
        for (command, right, path, allowed) in [
            (format!("cat {out}/secret"), "reading", "out/secret", &read),
            (format!("cat <{out}/secret"), "reading", "out/secret", &read),
            (
                format!("head -n 1 {out}/secret"),
                "reading",
                "out/secret",
                &read,
            ),
            (format!("grep -r secret {out}"), "reading", "out", &read),
            (format!("ls {out}"), "reading", "out", &read),
            (format!("ls {out}/*"), "reading", "out", &read),
            (format!("find {out} -name x"), "reading", "out", &read),
            (
                format!("cd {out} && cat secret"),
                "reading",
                "out/secret",
                &read,
            ),
            (format!("cp {out}/secret ."), "reading", "out/secret", &read),
            (String::from("cat link"), "reading", "out/secret", &read),
            (
                String::from("cat ../out/secret | wc -l"),
                "reading",
                "out/secret",
                &read,
            ),
            (format!("{out}/program"), "running", "out/program", &read),
            (format!("echo x >{out}/new"), "writing", "out/new", &write),
            (
                format!("echo x >>{out}/secret"),
                "writing",
                "out/secret",
                &write,
            ),
            (format!("cp own {out}/new"), "writing", "out/new", &write),
            (format!("mkdir {out}/new"), "writing", "out/new", &write),
            (format!("rm {out}/secret"), "writing", "out/secret", &write),
            (format!("mv own {out}/own"), "writing", "out/own", &write),
            (
                format!("mv {out}/secret here"),
                "writing",
                "out/secret",
                &write,
            ),
            (
                format!("ln {out}/secret here"),
                "writing",
                "out/secret",
                &write,
            ),
            (
                format!("touch {out}/new; true"),
                "writing",
                "out/new",
                &write,
            ),
        ] {
            place.refuses(&command, right, path, allowed);
        }
        assert_eq!(fs::read(place.path("out/secret")).unwrap(), b"secret\n");
    }
}

/// A program, a command in which it is refused something in `OUT`, what, and whether to write it.
const KINDS: &[(&str, &str, &str, bool)] = &[
    ("bash", "bash -c 'echo x >OUT/new'", "out/new", true),
    ("bash", "bash -c 'read x <OUT/secret'", "out/secret", false),
    ("bash", "bash -c OUT/program", "out/program", false),
    ("zsh", "zsh -c 'echo x >OUT/new'", "out/new", true),
    (
        "python3",
        "/usr/bin/python3 -c 'open(\"OUT/secret\")'",
        "out/secret",
        false,
    ),
    (
        "python3",
        "/usr/bin/python3 -c 'open(\"OUT/new\", \"w\")'",
        "out/new",
        true,
    ),
    (
        "python3",
        "/usr/bin/python3 -c 'import os; os.rename(\"own\", \"OUT/x\")'",
        "out/x",
        true,
    ),
    (
        "perl",
        "perl -e 'open(F, \"<OUT/secret\") or die \"OUT/secret: $!\"'",
        "out/secret",
        false,
    ),
    (
        "node",
        "node -e 'fs.readFileSync(\"OUT/secret\")'",
        "out/secret",
        false,
    ),
    (
        "node",
        "node -e 'fs.mkdirSync(\"OUT/new\")'",
        "out/new",
        true,
    ),
    ("git", "git init OUT/repository", "out/repository", true),
    (
        "cc",
        "echo 'int main(){return 0;}' >a.c; cc a.c -o OUT/a",
        "out/a",
        true,
    ),
    ("cc", "cc -c -x c OUT/secret", "out/secret", false),
    ("tar", "tar cf OUT/a.tar own", "out/a.tar", true),
    (
        "make",
        "printf 'all:\n\techo x >OUT/new\n' >M; make -f M",
        "out/new",
        true,
    ),
];

#[test]
fn programs_of_all_kinds_are_understood() {
    for place in Place::all() {
        let out = text(&place.path("out")).to_owned();
        for (program, command, path, writes) in KINDS {
            let mut which = Command::new("which");
            which
                .arg(program)
                .env("PATH", "/usr/local/bin:/usr/bin:/bin");
            if !which.output().is_ok_and(|output| output.status.success()) {
                // It is about those that are there; the words of the others are unit tests.
                continue;
            }
            let variable = if *writes {
                "IKIGAI_ROOTS"
            } else {
                "IKIGAI_READ"
            };
            let allowed = format!("`{out}` in {variable}");
            place.refuses(&command.replace("OUT", &out), "", path, &allowed);
        }
    }
}

#[test]
fn odd_names_are_told_as_they_are() {
    for place in Place::all() {
        let answer = place.bash(&format!("cat {}/with*", text(&place.path("out"))));
        assert!(
            answer["note"].as_str().unwrap().contains("reading"),
            "{answer}"
        );
        let answer = place.bash("cat \"../out/with 'quotes\\\" and ü\"");
        let note = answer["note"].as_str().unwrap();
        assert!(note.contains(r#"out/with 'quotes\" and ü""#), "{note}");
    }
}

#[test]
fn several_refusals_are_told_in_one_note_and_the_rest_is_counted() {
    for place in Place::all() {
        let out = text(&place.path("out")).to_owned();
        let command =
            format!("for n in 1 2 3 4 5 6 7; do touch {out}/new$n; done; cat {out}/secret");
        let answer = place.bash(&command);
        let note = answer["note"].as_str().unwrap();
        for name in ["new1", "new2", "new3"] {
            assert!(note.contains(name), "{note}");
        }
        assert!(
            !note.contains("new4") && note.contains("; and 5 more"),
            "{note}"
        );
        assert_eq!(note.matches("IKIGAI_ROOTS").count(), 1, "{note}");
    }
}

#[test]
fn a_program_in_the_home_directory_is_told_with_the_directories_it_takes_and_no_more() {
    for place in Place::all() {
        let (bin, rustup) = (place.path("home/.cargo/bin"), place.path("home/.rustup"));
        let allowed = format!("`{}:{}` in IKIGAI_READ", text(&bin), text(&rustup));
        let cargo = "home/.cargo/bin/cargo";
        for command in [
            "cargo build",
            "env cargo",
            "exec cargo",
            "bash -c cargo",
            "echo x | xargs cargo",
        ] {
            place.refuses(command, "running", cargo, &allowed);
            let note = place.bash(command)["note"].as_str().unwrap().to_owned();
            let all = format!(
                "not all of {}, which also holds credentials.toml",
                text(&place.path("home/.cargo"))
            );
            assert!(note.contains(&all), "{command}: {note}");
        }
        // What it names is enough.
        let call = place.call("bash", &json!({"command": "cargo"}));
        let readable = format!("{}:{}", text(&bin), text(&rustup));
        let answer = call.env("IKIGAI_READ", readable).run().json();
        assert_eq!(answer, json!({"output": "cargo", "exit_code": 0}));

        place.write("home/.npmrc", "key\n", 0o666);
        let npmrc = format!("`{}` in IKIGAI_READ", text(&place.path("home/.npmrc")));
        place.refuses("cat ~/.npmrc", "reading", "home/.npmrc", &npmrc);
    }
}

#[test]
fn a_cache_that_may_not_be_written_can_be_kept_elsewhere() {
    for place in Place::all() {
        fs::create_dir_all(place.path("home/.cargo/registry/cache")).unwrap();
        fs::create_dir_all(place.path("home/.npm/_cacache")).unwrap();
        for name in [
            "home/.cargo/registry",
            "home/.cargo/registry/cache",
            "home/.npm",
            "home/.npm/_cacache",
        ] {
            fs::set_permissions(place.path(name), fs::Permissions::from_mode(0o777)).unwrap();
        }
        for (file, directory, variable) in [
            (
                "home/.cargo/registry/cache/x",
                "home/.cargo/registry",
                "CARGO_HOME",
            ),
            ("home/.npm/_cacache/x", "home/.npm", "npm_config_cache"),
        ] {
            let allowed = format!("`{}` in IKIGAI_ROOTS", text(&place.path(directory)));
            place.refuses(
                &format!("echo >{}", text(&place.path(file))),
                "writing",
                file,
                &allowed,
            );
            let note = place.bash(&format!("echo >{}", text(&place.path(file))))["note"].clone();
            let set = format!("or set {variable} to a directory where you may write");
            assert!(note.as_str().unwrap().contains(&set), "{note}");
        }
    }
}

#[test]
fn programs_of_version_managers_are_told_with_their_directory() {
    for place in Place::all() {
        for (name, directory) in [
            ("home/.pyenv/shims", "home/.pyenv"),
            ("home/.nvm/versions/node/v20/bin", "home/.nvm"),
            ("home/go/bin", "home/go"),
            ("home/bin", "home/bin"),
            ("home/.local/bin", "home/.local/bin"),
        ] {
            let programs = place.path(name);
            fs::create_dir_all(&programs).unwrap();
            place.write(&format!("{name}/tool-of-mine"), "#!/bin/sh\n", 0o777);
            let call = place.call("bash", &json!({"command": "tool-of-mine"}));
            let path = format!("{}:/usr/bin:/bin", text(&programs));
            let answer = call.env("PATH", path).run().json();
            let note = answer["note"].as_str().unwrap();
            let allowed = format!("`{}` in IKIGAI_READ)", text(&place.path(directory)));
            assert!(
                note.contains("running") && note.contains(&allowed),
                "{note}"
            );
        }
    }
}

#[test]
fn a_program_that_path_finds_elsewhere_as_well_is_no_refusal() {
    for place in Place::all() {
        place.write("home/.cargo/bin/true", "#!/bin/sh\n", 0o777);
        place.write("home/.cargo/bin/cat", "#!/bin/sh\n", 0o777);
        assert_eq!(place.says_nothing("cat own")["output"], "own");
        place.says_nothing("env true");
    }
}

#[test]
fn other_refusals_are_not_put_down_to_the_confinement() {
    for place in Place::all() {
        let out = text(&place.path("out")).to_owned();
        place.write("root/closed", "closed\n", 0);
        place.write("root/script", "#!/bin/sh\n", 0o666);
        place.write("out/closed", "closed\n", 0);
        fs::create_dir_all(place.path("root/closed-directory")).unwrap();
        let closed = fs::Permissions::from_mode(0o500);
        fs::set_permissions(place.path("root/closed-directory"), closed).unwrap();
        for command in [
            "cat closed",
            "./script",
            "touch closed-directory/new",
            "cat none",
            "cat /nowhere/at/all",
            "nothing-of-this-name",
            "git status",
            "printf 'git@example.org: Permission denied (publickey).\\n'; exit 128",
            "printf 'sh: 1: cannot create own: Permission denied\\n'; exit 1",
            "echo 'PermissionError: [Errno 13] Permission denied: own'; exit 1",
            "kill -9 999999999",
            "false",
            "true",
        ] {
            place.says_nothing(command);
        }
        // A message about what really is refused, but which the command prints itself.
        place.says_nothing(&format!("echo 'cat: {out}/secret: Permission denied'"));
        if place.unprivileged || !is_root() {
            // What the file's own permissions refuse as well no flag would allow.
            place.says_nothing(&format!("cat {out}/closed"));
            place.says_nothing("cat /etc/shadow");
            place.says_nothing("touch /etc/new");
            place.says_nothing("kill -0 1");
        }
        let mode = fs::Permissions::from_mode(0o700);
        fs::set_permissions(place.path("root/closed-directory"), mode).unwrap();
    }
}

#[test]
fn without_a_confinement_nothing_is_said_of_one() {
    let place = Place::new(true);
    place.write("out/closed", "closed\n", 0);
    let command = format!("cat {}", text(&place.path("out/closed")));
    let call = place.call("bash", &json!({"command": command}));
    let answer = call.without_env("IKIGAI_ROOTS").unprivileged().run().json();
    if is_root() {
        assert_eq!(answer["exit_code"], 1, "{answer}");
    }
    assert!(answer.get("note").is_none(), "{answer}");
}

#[test]
fn a_signal_to_another_process_is_told() {
    for place in Place::all() {
        if place.unprivileged {
            // To whom it might send one is tried where the tests run as that user.
            continue;
        }
        let mut outsider = Command::new("sleep").arg("100").spawn().unwrap();
        let answer = place.bash(&format!("kill {}", outsider.id()));
        assert!(
            outsider.try_wait().unwrap().is_none(),
            "it was not confined"
        );
        outsider.kill().unwrap();
        outsider.wait().unwrap();
        let note = answer["note"].as_str().unwrap();
        assert!(
            note.contains("a signal to a process that this same call did not start"),
            "{note}"
        );
    }
}

#[test]
fn the_network_is_told_where_it_was_taken_away() {
    for place in Place::all() {
        for command in [
            "bash -c 'echo >/dev/tcp/127.0.0.1/9'",
            "curl -sS http://127.0.0.1:9/",
            "/usr/bin/python3 -c 'import socket; socket.create_connection((\"127.0.0.1\", 9))'",
        ] {
            let call = place.call("bash", &json!({"command": command}));
            let answer = call.env("IKIGAI_NO_NETWORK", "1").run().json();
            let output = answer["output"].as_str().unwrap();
            if output.contains("not found") || output.contains("No such file") {
                continue;
            }
            let note = answer["note"]
                .as_str()
                .unwrap_or_else(|| panic!("{command}: {answer}"));
            assert!(
                note.contains("the network (IKIGAI_NO_NETWORK takes it away)"),
                "{note}"
            );
            place.says_nothing(command);
        }
    }
}

#[test]
fn a_shell_that_may_not_be_run_is_told() {
    for place in Place::all() {
        let call = place.call("bash", &json!({"command": "true"}));
        let answer = call
            .env("IKIGAI_SHELL", place.path("out/program"))
            .run()
            .json();
        assert_eq!(answer["exit_code"], 127);
        let note = answer["note"].as_str().unwrap();
        let program = format!("running {}", text(&place.path("out/program")));
        assert!(
            note.contains(&program) && note.contains("IKIGAI_READ"),
            "{note}"
        );
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
            assert!(
                note.contains(right) && note.contains(&allowed),
                "{tool}: {note}"
            );
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
            assert!(note.contains("name what lies within"), "{pattern}: {note}");
            assert!(!note.contains("IKIGAI_"), "{pattern}: {note}");
        }
    }
}

#[test]
fn a_bounded_answer_has_the_note_and_stays_within_its_limit() {
    for place in Place::all() {
        let out = text(&place.path("out")).to_owned();
        let command = format!("seq 100000; for n in 1 2 3; do touch {out}/new$n; done; seq 100000");
        let call = place.call("bash", &json!({"command": command}));
        let answer = call.env("IKIGAI_MAX_ANSWER", "4000").run();
        assert!(answer.stdout.len() <= 4_000, "{}", answer.stdout.len());
        let answer = answer.json();
        let note = answer["note"].as_str().unwrap();
        assert!(note.contains("writing") && note.contains("new1"), "{note}");
    }
}

#[test]
fn a_call_of_flags_is_told_the_flags() {
    for place in Place::all() {
        if place.unprivileged {
            continue;
        }
        let (root, out) = (place.path("root"), place.path("out"));
        let command = format!("cat {0}/secret; echo x >{0}/new", text(&out));
        let (code, output, errors) =
            common::piped(&root, &["bash", "--root", text(&root), &command]);
        assert_eq!(code, 2, "{output}{errors}");
        for flag in ["--read", "--root"] {
            assert!(
                errors.contains(&format!("`{flag} {}`", text(&out))),
                "{errors}"
            );
        }
        let (_, output, errors) = common::piped(
            &root,
            &[
                "file-read",
                "--root",
                text(&root),
                text(&out.join("secret")),
            ],
        );
        assert_eq!(output, "");
        assert!(
            errors.contains(&format!("`--read {}`", text(&out.join("secret")))),
            "{errors}"
        );
    }
}

#[test]
fn a_client_of_the_server_is_told_the_flags() {
    for place in Place::all() {
        if place.unprivileged {
            continue;
        }
        let (root, out) = (place.path("root"), place.path("out"));
        let mut server = Command::new(BINARY)
            .args([
                "mcp",
                "--structured",
                "--tools",
                "bash",
                "--root",
                text(&root),
            ])
            .env("XDG_STATE_HOME", common::state_home())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut input = server.stdin.take().unwrap();
        let hello = json!({
            "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"},
        });
        let arguments = json!({"command": format!("cat {}/secret", text(&out))});
        for message in [
            json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}),
            json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
            json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call",
                "params": {"name": "bash", "arguments": arguments}}),
        ] {
            writeln!(input, "{message}").unwrap();
        }
        let lines = BufReader::new(server.stdout.take().unwrap()).lines();
        let answers = lines.map(|line| serde_json::from_str::<Value>(&line.unwrap()).unwrap());
        let answer = answers
            .into_iter()
            .find(|answer| answer["id"] == 2)
            .unwrap();
        drop(input);
        server.wait().unwrap();
        let note = &answer["result"]["structuredContent"]["note"];
        let note = note.as_str().unwrap_or_else(|| panic!("{answer}"));
        assert!(
            note.contains(&format!("reading {}", text(&out.join("secret")))),
            "{note}"
        );
        assert!(note.contains(&format!("`--read {}`", text(&out))), "{note}");
    }
}

#[test]
fn where_the_kernel_s_audit_tells_it_silence_is_no_obstacle() {
    if !audit_is_on() {
        skip("the kernel's audit is off, or is for root alone to hear");
        return;
    }
    if !confines() {
        return;
    }
    let place = Place::new(false);
    let out = text(&place.path("out")).to_owned();
    let read = format!("`{out}` in IKIGAI_READ");
    let write = format!("`{out}` in IKIGAI_ROOTS");
    place.refuses(
        &format!("cat {out}/secret 2>/dev/null"),
        "reading",
        "out/secret",
        &read,
    );
    place.refuses(
        &format!("cat {out}/secret 2>/dev/null; true"),
        "reading",
        "out/secret",
        &read,
    );
    place.refuses(
        &format!("ls {out} 2>/dev/null | wc -l"),
        "reading",
        "out",
        &read,
    );
    place.refuses(
        &format!("mkdir {out}/new 2>/dev/null"),
        "making",
        "out",
        &write,
    );
    place.refuses(
        &format!("{out}/program 2>/dev/null"),
        "running",
        "out/program",
        &read,
    );
    place.says_nothing("cat own");
    place.says_nothing("cat none 2>/dev/null");
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
