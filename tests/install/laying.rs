//! What is laid where, under which names, and that removing it leaves no trace.

use std::fs;
use std::io::Write;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;
use std::process::{Command, Stdio};

use crate::link::RESEARCH;

use super::room::{PROGRAM, Room, SCRIPT, assert_bash, assert_tools, names, said, write_script};

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
    room.shows("an install", &text);
}

#[test]
fn an_unpacked_archive_installs_the_program_that_lies_in_it() {
    let room = Room::new();
    let archive = room.path("archive");
    fs::create_dir_all(archive.join("libexec/ikigai")).unwrap();
    fs::copy(PROGRAM, archive.join("libexec/ikigai/ikigai-tools")).unwrap();
    let script = fs::read_to_string(SCRIPT).unwrap();
    write_script(&archive.join("install.sh"), &script);
    let run = |options: &[&str]| {
        let mut command = Command::new("sh");
        command.arg(archive.join("install.sh")).args(options);
        // There is no Rust here.
        command
            .env_clear()
            .env("HOME", room.path("home"))
            .env("PATH", "/usr/bin:/bin");
        said(&command.output().unwrap(), 0)
    };
    run(&[]);
    let local = room.path("home/.local");
    assert_tools(&local.join("libexec/ikigai"), &names());
    run(&["--uninstall"]);
    assert!(!local.exists());
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

/// What a person's shell says to `ikigai-tools --version` after the line about PATH that `text`
/// prints.
fn program_after(room: &Room, path: &str, text: &str) -> String {
    let line = text.lines().find(|line| line.starts_with("  export PATH="));
    let script = format!("{}\nikigai-tools --version", line.unwrap_or_default());
    let output = Command::new("/bin/sh")
        .args(["-c", &script])
        .env_clear()
        .env("HOME", room.path("home"))
        .env("PATH", path)
        .output();
    said(&output.unwrap(), 0)
}

#[test]
fn the_program_is_on_the_path_after_the_line_that_is_printed() {
    let room = Room::new();
    let version = concat!("ikigai-tools ", env!("CARGO_PKG_VERSION"), "\n");
    let text = room.install(&[]);
    assert_eq!(program_after(&room, "/usr/bin:/bin", &text), version);
    let text = room.install(&["--prefix", "the prefix's"]);
    assert_eq!(program_after(&room, "/usr/bin:/bin", &text), version);
    // Nothing is printed where nothing is to be done.
    let bin = room.path("home/.local/bin").display().to_string();
    let path = format!("{bin}:/usr/bin:/bin");
    let mut command = room.script(&["--binary", PROGRAM]);
    let text = said(&command.env("PATH", &path).output().unwrap(), 0);
    assert!(
        !text.contains("export PATH") && !text.contains("PATH yet"),
        "{text}"
    );
    assert_eq!(program_after(&room, &path, &text), version);
}

#[test]
fn where_the_path_does_not_lead_to_the_program_its_place_is_printed() {
    let room = Room::new();
    let text = room.install(&["--user"]);
    room.shows("a program that is not on PATH", &text);
    // Another program of that name stands before it.
    fs::create_dir(room.path("others")).unwrap();
    write_script(&room.path("others/ikigai-tools"), "#!/bin/sh\n");
    let others = room.path("others").display().to_string();
    let bin = room.path("home/.local/bin").display().to_string();
    let path = format!("{others}:{bin}:/usr/bin:/bin");
    let mut command = room.script(&["--binary", PROGRAM]);
    let text = said(&command.env("PATH", &path).output().unwrap(), 0);
    let version = concat!("ikigai-tools ", env!("CARGO_PKG_VERSION"), "\n");
    assert_eq!(program_after(&room, &path, &text), version);
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
    room.shows("a project that is not there", &said(&output.unwrap(), 1));
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
fn with_research_more_tools_have_links_until_all_are_removed() {
    let room = Room::new();
    let dir = room.path("home/.local/libexec/ikigai");
    let mut all = names();
    all.extend(RESEARCH.iter().map(|&name| name.to_owned()));
    room.install(&["--research"]);
    assert_tools(&dir, &all);
    // A newer version is installed over it without a word about them.
    room.install(&[]);
    assert_tools(&dir, &all);
    room.uninstall(&[]);
    assert_eq!(fs::read_dir(room.path("home")).unwrap().count(), 0);
    room.install(&[]);
    assert_tools(&dir, &names());
}

#[test]
fn a_second_run_changes_nothing() {
    let room = Room::new();
    for options in [&[][..], &["--user", "--suffix"]] {
        room.install(options);
        let before = room.snapshot();
        room.install(options);
        assert_eq!(room.snapshot(), before);
    }
}

#[test]
fn a_dry_run_changes_nothing_and_says_what_would_be_done() {
    let room = Room::new();
    let before = room.snapshot();
    let text = room.install(&["--dry-run"]);
    assert_eq!(room.snapshot(), before);
    room.shows("a dry run", &text);
    room.install(&[]);
    let before = room.snapshot();
    for (options, name) in [
        (["--dry-run", "--uninstall"], "a dry run that uninstalls"),
        (["--dry-run", "--suffix"], "a dry run with other names"),
    ] {
        let output = room.script(&options).args(["--binary", PROGRAM]).output();
        room.shows(name, &said(&output.unwrap(), 0));
        assert_eq!(room.snapshot(), before);
    }
}

#[test]
fn pages_and_completions_lie_where_shells_and_man_look() {
    let room = Room::new();
    room.install(&["--prefix", "p"]);
    let share = room.path("p/share");
    for place in [
        "man/man1/ikigai-tools.1",
        "man/man1/ikigai-tools-file-edit.1",
        "man/man1/ikigai-tools-web-fetch.1",
        "bash-completion/completions/ikigai-tools",
        "zsh/site-functions/_ikigai-tools",
        "fish/vendor_completions.d/ikigai-tools.fish",
    ] {
        let text = fs::read_to_string(share.join(place)).unwrap();
        assert!(text.contains("Generated by ikigai-tools "), "{place}");
        assert_eq!(share.join(place).metadata().unwrap().mode() & 0o777, 0o644);
    }
    fs::write(
        share.join("man/man1/ikigai-tools.1"),
        "Generated by ikigai-tools 0.0.1\n",
    )
    .unwrap();
    room.install(&["--prefix", "p"]);
    let page = fs::read_to_string(share.join("man/man1/ikigai-tools.1")).unwrap();
    assert!(page.contains(".TH"), "{page}");
    room.uninstall(&["--prefix", "p"]);
    assert!(!room.path("p").exists());
    room.install(&["--user"]);
    assert!(!room.path("home/.ikigai/share").exists());
}

#[test]
fn another_s_page_of_our_name_is_kept() {
    let room = Room::new();
    let page = room.path("p/share/man/man1/ikigai-tools-grep.1");
    fs::create_dir_all(page.parent().unwrap()).unwrap();
    fs::write(&page, "mine\n").unwrap();
    let completions = room.path("p/share/zsh/site-functions/_ikigai-tools");
    fs::create_dir_all(completions.parent().unwrap()).unwrap();
    symlink("/nowhere/at/all", &completions).unwrap();
    room.shows("pages of others", &room.install(&["--prefix", "p"]));
    room.shows(
        "pages of others that stay",
        &room.uninstall(&["--prefix", "p"]),
    );
    assert_eq!(fs::read(&page).unwrap(), b"mine\n");
    assert!(fs::read_link(&completions).is_ok());
    assert!(!room.path("p/libexec").exists());
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
