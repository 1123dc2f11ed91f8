//! `ikigai-tools link`: what is laid where, what is left alone, and that removing leaves no trace.
//!
//! `tests/install` drives the same through `install.sh`.

mod common;

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use common::{BINARY, directory, names_in, piped};

/// The links' names, as they are listed.
fn names() -> Vec<String> {
    let list = Command::new(BINARY).arg("list").output().unwrap().stdout;
    let list = String::from_utf8(list).unwrap();
    list.lines().map(str::to_owned).collect()
}

/// `link` with `args`, run in `directory`: exit code, and both streams.
fn link(directory: &Path, args: &[&str]) -> (i32, String) {
    let (code, stdout, stderr) = piped(directory, &[&["link"], args].concat());
    (code, stdout + &stderr)
}

/// Everything below `directory`, each entry with what a link holds.
fn tree(directory: &Path) -> Vec<(PathBuf, Option<PathBuf>)> {
    let mut found = Vec::new();
    let mut open = vec![directory.to_owned()];
    while let Some(place) = open.pop() {
        for entry in fs::read_dir(&place).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() && !path.is_symlink() {
                open.push(path.clone());
            }
            found.push((path.clone(), fs::read_link(&path).ok()));
        }
    }
    found.sort();
    found
}

fn bash_answers(link: &Path) {
    let output = Command::new(link)
        .args(["--json", "echo hello"])
        .output()
        .unwrap();
    assert!(String::from_utf8_lossy(&output.stdout).contains(r#""output":"hello""#));
}

#[test]
fn a_directory_gets_a_link_a_tool_and_each_is_called() {
    let room = directory();
    let (code, said) = link(room.path(), &["tools"]);
    assert_eq!(code, 0, "{said}");
    let tools = room.path().join("tools");
    for name in names() {
        assert_eq!(fs::read_link(tools.join(&name)).unwrap(), Path::new(BINARY));
        let row = said
            .lines()
            .find(|line| line.starts_with(&format!("  {name} ")))
            .unwrap();
        assert!(row.contains(" ok "), "{row}");
    }
    assert!(said.contains("Try next:\n  printf '%s' "), "{said}");
    bash_answers(&tools.join("bash"));
    assert_eq!(names_in(room.path()), ["tools"]);
}

#[test]
fn laying_twice_is_laying_once() {
    let room = directory();
    assert_eq!(link(room.path(), &["tools", "--copy"]).0, 0);
    let before = tree(room.path());
    let (code, said) = link(room.path(), &["tools", "--copy"]);
    assert_eq!(code, 0, "{said}");
    assert!(
        !said.contains("link /") && !said.contains("lay /"),
        "{said}"
    );
    assert_eq!(tree(room.path()), before);
}

#[test]
fn with_a_copy_the_whole_can_be_moved() {
    let room = directory();
    assert_eq!(link(room.path(), &["tools", "--copy"]).0, 0);
    fs::rename(room.path().join("tools"), room.path().join("moved")).unwrap();
    let bash = room.path().join("moved/bash");
    assert_eq!(fs::read_link(&bash).unwrap(), Path::new("ikigai-tools"));
    bash_answers(&bash);
}

#[test]
fn below_a_prefix_the_program_its_pages_and_completions_are_laid_too() {
    let room = directory();
    let (code, said) = link(room.path(), &["p/libexec/ikigai"]);
    assert_eq!(code, 0, "{said}");
    for place in [
        "bin/ikigai-tools",
        "share/man/man1/ikigai-tools-grep.1",
        "share/bash-completion/completions/ikigai-tools",
        "share/zsh/site-functions/_ikigai-tools",
        "share/fish/vendor_completions.d/ikigai-tools.fish",
    ] {
        assert!(room.path().join("p").join(place).is_file(), "{place}");
    }
    let (code, said) = link(room.path(), &["p/libexec/ikigai", "--remove"]);
    assert_eq!(code, 0, "{said}");
    assert!(names_in(room.path()).is_empty());
    assert_eq!(
        link(room.path(), &["q/libexec/ikigai", "--links-only"]).0,
        0
    );
    assert_eq!(names_in(&room.path().join("q")), ["libexec"]);
}

#[test]
fn the_other_spelling_is_replaced() {
    let room = directory();
    assert_eq!(link(room.path(), &["tools"]).0, 0);
    assert_eq!(link(room.path(), &["tools", "--suffix"]).0, 0);
    let tools = room.path().join("tools");
    assert!(tools.join("grep-tool").is_file() && !tools.join("grep").exists());
    assert_eq!(link(room.path(), &["tools"]).0, 0);
    assert!(tools.join("grep").is_file() && !tools.join("grep-tool").exists());
}

#[test]
fn another_s_file_is_kept_and_makes_the_call_fail() {
    let room = directory();
    let tools = room.path().join("tools");
    fs::create_dir(&tools).unwrap();
    fs::write(tools.join("bash"), "mine\n").unwrap();
    symlink("/nowhere/at/all", tools.join("grep")).unwrap();
    let (code, said) = link(room.path(), &["tools"]);
    assert_eq!(code, 1, "{said}");
    for name in ["bash", "grep"] {
        assert!(
            said.contains(&format!("kept {}", tools.join(name).display())),
            "{said}"
        );
    }
    assert!(said.contains("2 of the links could not be laid"), "{said}");
    let next = said.split("Try next:\n").nth(1).unwrap();
    assert!(!next.lines().next().unwrap().ends_with("/bash"), "{said}");
    assert!(tools.join("glob").is_file());
    let (code, said) = link(room.path(), &["tools", "--remove"]);
    assert_eq!(code, 0, "{said}");
    assert_eq!(fs::read(tools.join("bash")).unwrap(), b"mine\n");
    assert_eq!(names_in(&tools), ["bash", "grep"]);
}

#[test]
fn another_program_of_our_name_stops_everything() {
    let room = directory();
    let tools = room.path().join("tools");
    fs::create_dir(&tools).unwrap();
    let other = tools.join("ikigai-tools");
    fs::write(&other, "#!/bin/sh\necho something else\n").unwrap();
    fs::set_permissions(&other, fs::Permissions::from_mode(0o755)).unwrap();
    let before = tree(room.path());
    for more in [&["--copy"][..], &[], &["--remove"], &["--remove", "--copy"]] {
        let (code, said) = link(room.path(), &[&["tools"], more].concat());
        assert_eq!(code, 1, "{said}");
        assert!(said.contains("is not this program"), "{said}");
        assert_eq!(tree(room.path()), before);
    }
}

#[test]
fn a_dry_run_says_it_and_changes_nothing() {
    let room = directory();
    let (code, said) = link(room.path(), &["p/libexec/ikigai", "--copy", "--dry-run"]);
    assert_eq!(code, 0, "{said}");
    assert!(
        said.contains("would make directory ") && said.contains("would link "),
        "{said}"
    );
    assert!(names_in(room.path()).is_empty());
    assert_eq!(link(room.path(), &["p/libexec/ikigai", "--copy"]).0, 0);
    let before = tree(room.path());
    let (code, said) = link(
        room.path(),
        &["p/libexec/ikigai", "--copy", "--remove", "--dry-run"],
    );
    assert_eq!(code, 0, "{said}");
    assert!(said.contains("would remove "), "{said}");
    assert_eq!(tree(room.path()), before);
}

#[test]
fn what_was_there_before_stays_when_all_is_removed() {
    let room = directory();
    fs::create_dir_all(room.path().join("p/bin")).unwrap();
    fs::create_dir_all(room.path().join("p/share/man/man1")).unwrap();
    fs::write(
        room.path().join("p/share/man/man1/ikigai-tools-mine.1"),
        "mine\n",
    )
    .unwrap();
    let before = tree(room.path());
    assert_eq!(link(room.path(), &["p/libexec/ikigai", "--copy"]).0, 0);
    let (code, said) = link(room.path(), &["p/libexec/ikigai", "--copy", "--remove"]);
    assert_eq!(code, 0, "{said}");
    assert_eq!(tree(room.path()), before);
}

#[test]
fn destdir_stands_before_the_directory_and_in_no_record() {
    let room = directory();
    let stage = room.path().join("stage");
    let run = |more: &[&str]| {
        let output = Command::new(BINARY)
            .args(["link", "/opt/x/libexec/ikigai", "--copy"])
            .args(more)
            .env("DESTDIR", &stage)
            .output()
            .unwrap();
        assert!(output.status.success(), "{output:?}");
    };
    run(&[]);
    let tools = stage.join("opt/x/libexec/ikigai");
    bash_answers(&tools.join("bash"));
    let record = fs::read_to_string(tools.join(".ikigai-tools.directories")).unwrap();
    assert!(
        record.contains("/opt/x/bin/\n") && !record.contains("stage"),
        "{record}"
    );
    run(&["--remove"]);
    assert!(!stage.exists());
}

#[test]
fn what_cannot_be_made_is_named_before_anything_is_changed() {
    let room = directory();
    fs::write(room.path().join("file"), "").unwrap();
    let (code, said) = link(room.path(), &["file/below"]);
    assert_eq!(code, 1);
    assert!(said.contains("file is not a directory"), "{said}");
    let (code, said) = link(room.path(), &[]);
    assert_eq!(code, 2);
    assert!(said.contains("<DIR>"), "{said}");
    assert_eq!(names_in(room.path()), ["file"]);
}
