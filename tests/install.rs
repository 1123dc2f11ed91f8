//! `install.sh`, driven as a person drives it, into directories and a HOME of the test's own.
//!
//! What is laid where, and under which names, is the decisions' sixth point on the host's calls.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

const PROGRAM: &str = env!("CARGO_BIN_EXE_ikigai-tools");
const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/install.sh");

/// A directory with blanks and quotes in its name, in which everything of one test happens.
struct Room {
    _temporary: TempDir,
    root: PathBuf,
}

impl Room {
    fn new() -> Self {
        let temporary = TempDir::new().unwrap();
        let root = temporary.path().join("it's a room");
        fs::create_dir_all(root.join("home")).unwrap();
        Self {
            root: root.canonicalize().unwrap(),
            _temporary: temporary,
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    /// `install.sh` with `args`, not yet started.
    fn script(&self, args: &[&str]) -> Command {
        let mut command = Command::new("sh");
        command
            .arg(SCRIPT)
            .args(args)
            .current_dir(&self.root)
            .env_clear()
            .env("PATH", "/usr/local/bin:/usr/bin:/bin")
            .env("HOME", self.path("home"))
            .stdin(Stdio::null());
        command
    }

    /// Runs `install.sh --binary` with `args`; it must succeed. Returns what it said.
    fn install(&self, args: &[&str]) -> String {
        let output = self.script(args).args(["--binary", PROGRAM]).output();
        said(&output.unwrap(), 0)
    }

    fn uninstall(&self, args: &[&str]) -> String {
        let output = self.script(args).arg("--uninstall").output();
        said(&output.unwrap(), 0)
    }

    /// Everything in the room: kind, mode, time of change, content.
    fn snapshot(&self) -> BTreeMap<PathBuf, Entry> {
        let mut entries = BTreeMap::new();
        walk(&self.root, &mut entries);
        entries
    }
}

#[derive(Debug, PartialEq)]
struct Entry {
    mode: u32,
    inode: u64,
    modified: (i64, i64),
    content: Vec<u8>,
}

fn walk(dir: &Path, entries: &mut BTreeMap<PathBuf, Entry>) {
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        let status = path.symlink_metadata().unwrap();
        let content = if status.is_file() {
            fs::read(&path).unwrap()
        } else if status.is_symlink() {
            fs::read_link(&path)
                .unwrap()
                .into_os_string()
                .into_encoded_bytes()
        } else {
            walk(&path, entries);
            Vec::new()
        };
        let entry = Entry {
            mode: status.mode(),
            inode: status.ino(),
            modified: (status.mtime(), status.mtime_nsec()),
            content,
        };
        entries.insert(path, entry);
    }
}

/// Both streams, after a look at the exit code.
fn said(output: &Output, code: i32) -> String {
    let text = [&*output.stdout, &*output.stderr].concat();
    let text = String::from_utf8(text).unwrap();
    assert_eq!(output.status.code(), Some(code), "{text}");
    text
}

/// The names that the program lists.
fn names() -> Vec<String> {
    let list = Command::new(PROGRAM).arg("list").output().unwrap().stdout;
    let names: Vec<String> = String::from_utf8(list)
        .unwrap()
        .lines()
        .map(Into::into)
        .collect();
    assert!(names.iter().any(|name| name == "bash"), "{names:?}");
    names
}

/// What a link called `name` answers to `request`.
fn call(link: &Path, request: &str) -> String {
    let mut child = Command::new(link)
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(request.as_bytes())
        .unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    String::from_utf8(output.stdout).unwrap()
}

/// Sees that `dir` holds the program and `links`, executable regular files all, and that they answer.
fn assert_tools(dir: &Path, links: &[String]) {
    let mut found: Vec<String> = fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| !name.starts_with('.'))
        .collect();
    found.sort();
    let mut expected = links.to_vec();
    expected.push("ikigai-tools".into());
    expected.sort();
    assert_eq!(found, expected);
    for name in links {
        let link = dir.join(name);
        assert_eq!(
            fs::read_link(&link).unwrap(),
            Path::new("ikigai-tools"),
            "{name}"
        );
        let status = link.metadata().unwrap();
        assert!(status.is_file() && status.mode() & 0o111 == 0o111, "{name}");
        let schema = Command::new(&link).arg("--schema").output().unwrap();
        let schema: serde_json::Value = serde_json::from_slice(&schema.stdout).unwrap();
        let stem = name.strip_suffix("-tool").unwrap_or(name);
        assert_eq!(schema["name"], stem.replace('-', "_"));
    }
}

fn assert_bash(link: &Path) {
    let answer = call(link, r#"{"command":"echo hello"}"#);
    assert_eq!(answer, r#"{"output":"hello","exit_code":0}"#);
}

#[test]
fn the_default_is_libexec_and_bin_in_dot_local() {
    let room = Room::new();
    let text = room.install(&[]);
    let local = room.path("home/.local");
    assert_tools(&local.join("libexec/ikigai"), &names());
    assert_bash(&local.join("libexec/ikigai/bash"));
    assert_eq!(
        fs::read_link(local.join("bin/ikigai-tools")).unwrap(),
        Path::new("../libexec/ikigai/ikigai-tools")
    );
    let on_path = Command::new(local.join("bin/ikigai-tools"))
        .arg("list")
        .output();
    assert_eq!(
        on_path.unwrap().stdout,
        (names().join("\n") + "\n").bytes().collect::<Vec<_>>()
    );
    assert_eq!(fs::read_dir(local.join("bin")).unwrap().count(), 1);
    for name in names() {
        let row = text
            .lines()
            .find(|line| line.trim_start().starts_with(&format!("{name} ")));
        assert!(row.is_some_and(|row| row.contains(" ok ")), "{text}");
    }
    assert!(!text.contains("FAILED"), "{text}");
}

#[test]
fn the_call_to_try_next_works_as_it_is_printed() {
    let room = Room::new();
    let text = room.install(&[]);
    let (_, next) = text.split_once("Try next:\n").unwrap();
    let next = next.lines().next().unwrap();
    let output = Command::new("sh").args(["-c", next]).output().unwrap();
    let answer = said(&output, 0);
    let answer: serde_json::Value = serde_json::from_str(&answer).unwrap();
    assert!(answer["output"].is_string(), "{answer}");
}

#[test]
fn a_prefix_may_be_relative_and_have_blanks_in_it() {
    let room = Room::new();
    room.install(&["--prefix", "a prefix/"]);
    assert_tools(&room.path("a prefix/libexec/ikigai"), &names());
    room.install(&["--prefix=another"]);
    assert_bash(&room.path("another/libexec/ikigai/bash"));
    assert_eq!(fs::read_dir(room.path("home")).unwrap().count(), 0);
}

#[test]
fn what_was_laid_may_be_moved() {
    let room = Room::new();
    room.install(&["--prefix", "here"]);
    fs::rename(room.path("here"), room.path("there")).unwrap();
    assert_tools(&room.path("there/libexec/ikigai"), &names());
    assert!(
        room.path("there/bin/ikigai-tools")
            .metadata()
            .unwrap()
            .is_file()
    );
}

#[test]
fn destdir_stands_before_the_prefix() {
    let room = Room::new();
    let run = |more: &[&str]| {
        let mut command = room.script(&["--prefix", "/opt/some thing"]);
        command.args(more).env("DESTDIR", room.path("stage"));
        said(&command.output().unwrap(), 0)
    };
    run(&["--binary", PROGRAM]);
    let staged = room.path("stage/opt/some thing");
    assert_tools(&staged.join("libexec/ikigai"), &names());
    assert!(
        staged
            .join("bin/ikigai-tools")
            .metadata()
            .unwrap()
            .is_file()
    );
    let record = fs::read_to_string(staged.join("libexec/ikigai/.ikigai-tools.directories"));
    assert!(!record.unwrap().contains("stage"));
    run(&["--uninstall"]);
    assert!(!room.path("stage").exists());
}

#[test]
fn a_user_s_own_tools_lie_in_dot_ikigai() {
    let room = Room::new();
    room.install(&["--user"]);
    assert_tools(&room.path("home/.ikigai/tools"), &names());
    assert_eq!(fs::read_dir(room.path("home")).unwrap().count(), 1);
    room.uninstall(&["--user"]);
    assert_eq!(fs::read_dir(room.path("home")).unwrap().count(), 0);
}

#[test]
fn a_project_s_tools_lie_in_the_project() {
    let room = Room::new();
    fs::create_dir(room.path("my project")).unwrap();
    room.install(&["--project", "my project"]);
    assert_tools(&room.path("my project/.ikigai/tools"), &names());
    room.install(&["--project", "--suffix"]);
    assert!(room.path(".ikigai/tools/bash-tool").exists());
    let before = room.snapshot();
    let output = room
        .script(&["--project", "nowhere", "--binary", PROGRAM])
        .output();
    assert!(said(&output.unwrap(), 1).contains("no such directory: nowhere"));
    assert_eq!(room.snapshot(), before);
}

#[test]
fn with_suffix_every_link_s_name_ends_in_tool() {
    let room = Room::new();
    let suffixed: Vec<String> = names()
        .iter()
        .map(|name| name.strip_suffix("-tool").unwrap_or(name).to_owned() + "-tool")
        .collect();
    let dir = room.path("home/.local/libexec/ikigai");
    room.install(&["--suffix"]);
    assert_tools(&dir, &suffixed);
    assert_bash(&dir.join("bash-tool"));
    room.install(&[]);
    assert_tools(&dir, &names());
    room.install(&["--suffix"]);
    assert_tools(&dir, &suffixed);
    room.uninstall(&[]);
    assert_eq!(fs::read_dir(room.path("home")).unwrap().count(), 0);
}

#[test]
fn a_second_run_changes_nothing() {
    let room = Room::new();
    for options in [&[][..], &["--user", "--suffix"]] {
        room.install(options);
        let before = room.snapshot();
        let text = room.install(options);
        assert_eq!(room.snapshot(), before);
        assert!(text.contains("Try next"), "{text}");
    }
}

#[test]
fn a_dry_run_changes_nothing_and_says_what_would_be_done() {
    let room = Room::new();
    let before = room.snapshot();
    let text = room.install(&["--dry-run"]);
    assert_eq!(room.snapshot(), before);
    let bash = room.path("home/.local/libexec/ikigai/bash");
    assert!(
        text.contains(&format!("would link {}\n", bash.display())),
        "{text}"
    );
    room.install(&[]);
    let before = room.snapshot();
    for options in [
        &["--dry-run", "--uninstall"][..],
        &["--dry-run", "--suffix"],
    ] {
        let output = room.script(options).args(["--binary", PROGRAM]).output();
        let text = said(&output.unwrap(), 0);
        assert!(
            text.contains(&format!("would remove {}\n", bash.display())),
            "{text}"
        );
        assert_eq!(room.snapshot(), before);
    }
}

#[test]
fn uninstalling_leaves_no_trace() {
    let room = Room::new();
    fs::create_dir_all(room.path("home/.local/bin")).unwrap();
    fs::create_dir_all(room.path("used/libexec")).unwrap();
    fs::create_dir(room.path("project")).unwrap();
    let times = |room: &Room| {
        let mut entries = room.snapshot();
        for entry in entries.values_mut() {
            entry.modified = (0, 0);
        }
        entries
    };
    let before = times(&room);
    let all: [&[&str]; 5] = [
        &[],
        &["--prefix", "used"],
        &["--prefix", "new/and/deep"],
        &["--user"],
        &["--project", "project"],
    ];
    for options in all {
        room.install(options);
        assert_ne!(times(&room), before);
        room.install(&[options, &["--suffix"]].concat());
        room.uninstall(options);
        assert_eq!(times(&room), before, "{options:?}");
        room.uninstall(options);
        assert_eq!(times(&room), before, "{options:?}");
    }
}

#[test]
fn another_s_file_is_neither_overwritten_nor_removed() {
    let room = Room::new();
    let dir = room.path("home/.ikigai/tools");
    fs::create_dir_all(dir.join("file-edit")).unwrap();
    fs::write(dir.join("bash"), "#!/bin/sh\necho my own\n").unwrap();
    symlink("/nowhere/at/all", dir.join("file-read")).unwrap();
    symlink("/bin/true", dir.join("file-write-tool")).unwrap();
    fs::write(dir.join("notes"), "mine\n").unwrap();
    let before = room.snapshot();
    let kept = |room: &Room| {
        let now = room.snapshot();
        for (path, entry) in &before {
            assert_eq!(now[path].content, entry.content, "{}", path.display());
            assert_eq!(now[path].inode, entry.inode, "{}", path.display());
        }
        now
    };
    let text = room.install(&["--user"]);
    for name in ["bash", "file-read", "file-edit"] {
        assert!(
            text.contains(&format!("kept {}", dir.join(name).display())),
            "{text}"
        );
    }
    assert!(text.contains("not ours"), "{text}");
    assert!(fs::read_link(dir.join("file-write")).is_ok());
    kept(&room);
    room.install(&["--user", "--suffix"]);
    kept(&room);
    let text = room.uninstall(&["--user"]);
    assert!(
        text.contains(&format!("kept {}", dir.join("bash").display())),
        "{text}"
    );
    assert_eq!(kept(&room).len(), before.len());
}

#[test]
fn another_s_program_of_our_name_is_left_alone() {
    let room = Room::new();
    for place in ["libexec/ikigai/ikigai-tools", "bin/ikigai-tools"] {
        let file = room.path("prefix").join(place);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, "#!/bin/sh\necho something else\n").unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
        let expected = i32::from(place.starts_with("libexec"));
        for last in [&["--binary", PROGRAM][..], &["--uninstall"]] {
            let output = room.script(&["--prefix", "prefix"]).args(last).output();
            let text = said(&output.unwrap(), expected);
            assert!(text.contains(&*file.to_string_lossy()), "{text}");
            assert_eq!(
                fs::read(&file).unwrap(),
                b"#!/bin/sh\necho something else\n"
            );
        }
        fs::remove_dir_all(room.path("prefix")).unwrap();
    }
}

#[test]
fn an_older_version_is_replaced_and_its_running_calls_are_not_disturbed() {
    let room = Room::new();
    room.install(&[]);
    let installed = room.path("home/.local/libexec/ikigai/ikigai-tools");
    let bash = installed.with_file_name("bash");
    let mut child = Command::new(&bash)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let newer = room.path("newer");
    let mut bytes = fs::read(PROGRAM).unwrap();
    bytes.extend(b"padding");
    fs::write(&newer, &bytes).unwrap();
    fs::set_permissions(&newer, fs::Permissions::from_mode(0o700)).unwrap();
    let output = room.script(&["--binary", "newer"]).output().unwrap();
    said(&output, 0);
    assert_eq!(fs::read(&installed).unwrap(), bytes);
    assert_eq!(installed.metadata().unwrap().mode() & 0o777, 0o755);
    let mut stdin = child.stdin.take().unwrap();
    stdin
        .write_all(br#"{"command":"echo still here"}"#)
        .unwrap();
    drop(stdin);
    let answer = child.wait_with_output().unwrap().stdout;
    assert_eq!(answer, br#"{"output":"still here","exit_code":0}"#);
    let left = fs::read_dir(installed.parent().unwrap()).unwrap();
    assert!(left.map(|entry| entry.unwrap().file_name()).all(|name| name
        == *".ikigai-tools.directories"
        || !name.to_string_lossy().starts_with('.')));
}

#[test]
fn a_bin_directory_that_is_a_link_to_elsewhere_gets_a_link_that_works() {
    let room = Room::new();
    fs::create_dir_all(room.path("dotfiles/deep/bin")).unwrap();
    fs::create_dir_all(room.path("home/.local")).unwrap();
    symlink(room.path("dotfiles/deep/bin"), room.path("home/.local/bin")).unwrap();
    let before = room.snapshot().len();
    room.install(&[]);
    let link = room.path("home/.local/bin/ikigai-tools");
    assert!(link.metadata().unwrap().is_file());
    room.install(&[]);
    room.uninstall(&[]);
    assert_eq!(room.snapshot().len(), before);
}

#[test]
fn a_machine_without_cargo_is_told_how_to_go_on() {
    let room = Room::new();
    fs::create_dir(room.path("commands")).unwrap();
    for command in ["cat", "dirname", "mktemp", "rm", "sed"] {
        let real = [format!("/usr/bin/{command}"), format!("/bin/{command}")];
        let real = real.iter().find(|path| Path::new(path).exists()).unwrap();
        symlink(real, room.path("commands").join(command)).unwrap();
    }
    let before = room.snapshot();
    let output = Command::new("/bin/sh")
        .arg(SCRIPT)
        .env_clear()
        .env("PATH", room.path("commands"))
        .env("HOME", room.path("home"))
        .output();
    let text = said(&output.unwrap(), 1);
    assert!(text.contains("no cargo"), "{text}");
    assert!(
        text.contains("sh.rustup.rs") && text.contains("--binary FILE"),
        "{text}"
    );
    assert_eq!(room.snapshot(), before);
}

#[test]
fn a_wrong_command_line_exits_2_and_says_what_is_wrong() {
    let room = Room::new();
    let before = room.snapshot();
    let wrong: [(&[&str], &str); 6] = [
        (&["--frobnicate"], "unknown option: --frobnicate"),
        (&["somewhere"], "unknown option: somewhere"),
        (&["--prefix"], "--prefix needs a value"),
        (&["--binary", ""], "--binary needs a value"),
        (&["--user", "--prefix", "x"], "exclude each other"),
        (&["--project", "--user"], "exclude each other"),
    ];
    for (args, message) in wrong {
        let text = said(&room.script(args).output().unwrap(), 2);
        assert!(text.contains(message), "{text}");
        assert!(text.contains("--help"), "{text}");
    }
    assert_eq!(room.snapshot(), before);
    let help = room.script(&["--help"]).output().unwrap();
    let help = said(&help, 0);
    for option in [
        "--prefix",
        "--user",
        "--project",
        "--suffix",
        "--binary",
        "--uninstall",
        "--dry-run",
        "DESTDIR",
    ] {
        assert!(help.contains(option), "{option}");
    }
}

#[test]
fn a_place_that_cannot_be_written_is_named() {
    let room = Room::new();
    fs::write(room.path("file"), "").unwrap();
    let before = room.snapshot();
    for (prefix, culprit) in [
        ("file/below", "file is not a directory"),
        ("/proc/x", "/proc"),
    ] {
        let output = room
            .script(&["--binary", PROGRAM, "--prefix", prefix])
            .output();
        let text = said(&output.unwrap(), 1);
        assert!(text.contains(culprit), "{text}");
    }
    if rustix::process::geteuid().is_root() {
        eprintln!("not tried: a read-only directory, which does not stop root");
    } else {
        fs::create_dir(room.path("locked")).unwrap();
        fs::set_permissions(room.path("locked"), fs::Permissions::from_mode(0o555)).unwrap();
        let output = room
            .script(&["--binary", PROGRAM, "--prefix", "locked/x"])
            .output();
        assert!(said(&output.unwrap(), 1).contains("locked is not writable"));
        fs::remove_dir(room.path("locked")).unwrap();
    }
    assert_eq!(room.snapshot(), before);
}

#[test]
fn without_a_home_a_prefix_is_asked_for() {
    let room = Room::new();
    let before = room.snapshot();
    for home in [None, Some("")] {
        for options in [&[][..], &["--user"]] {
            let mut command = room.script(options);
            command.args(["--binary", PROGRAM]).env_remove("HOME");
            if let Some(home) = home {
                command.env("HOME", home);
            }
            let text = said(&command.output().unwrap(), 1);
            assert!(
                text.contains("HOME is not set") && text.contains("--prefix"),
                "{text}"
            );
        }
    }
    assert_eq!(room.snapshot(), before);
    let mut command = room.script(&["--prefix", "p", "--binary", PROGRAM]);
    said(&command.env_remove("HOME").output().unwrap(), 0);
}

#[test]
fn only_this_program_is_taken_as_a_binary() {
    let room = Room::new();
    fs::write(room.path("text"), "hello").unwrap();
    let before = room.snapshot();
    for (file, message) in [
        ("nowhere", "no such file"),
        ("text", "chmod +x"),
        ("/bin/true", "does not answer --version"),
        (".", "no such file"),
    ] {
        let output = room.script(&["--binary", file]).output().unwrap();
        let text = said(&output, 1);
        assert!(text.contains(message), "{text}");
    }
    assert_eq!(room.snapshot(), before);
}

#[test]
fn a_tool_that_does_not_answer_is_shown_and_fails_the_run() {
    let room = Room::new();
    let broken = room.path("broken");
    fs::write(
        &broken,
        "#!/bin/sh\ncase $1 in --version) echo ikigai-tools 9;; list) echo bash; echo grep;; esac\n",
    )
    .unwrap();
    fs::set_permissions(&broken, fs::Permissions::from_mode(0o755)).unwrap();
    let output = room.script(&["--binary", "broken"]).output().unwrap();
    let text = said(&output, 1);
    assert!(text.contains("2 of the tools do not answer"), "{text}");
    assert!(text.contains("FAILED"), "{text}");
}
