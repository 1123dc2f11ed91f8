//! `ikigai-tools link`: what is installed where, what is left alone, and that removing leaves no
//! trace.
//!
//! `tests/install` drives the same through `install.sh`.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::common::messages::TextRow;
use crate::common::{self, BINARY, copy_program, directory, names_in, piped, text};

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

/// Asserts that `link` fails in `directory` with the row of `name`.
#[track_caller]
fn fails(directory: &Path, args: &[&str], name: &str) {
    let (code, said) = link(directory, args);
    assert_ne!(code, 0, "{said}");
    shows(directory, &said, name);
}

/// Asserts that `link` has printed, in `directory`, the row of `name`.
#[track_caller]
fn shows(directory: &Path, said: &str, name: &str) {
    said.assert_row_at("link", name, &[(text(directory), "<here>")]);
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
fn a_directory_gets_a_link_a_tool_and_each_is_asked_for_its_schema() {
    let room = directory();
    let (code, said) = link(room.path(), &["tools"]);
    assert_eq!(code, 0, "{said}");
    let tools = room.path().join("tools");
    for name in names() {
        assert_eq!(fs::read_link(tools.join(&name)).unwrap(), Path::new(BINARY));
    }
    shows(room.path(), &said, "links that are laid");
    bash_answers(&tools.join("bash"));
    assert_eq!(names_in(room.path()), ["tools"]);
}

/// The names of the links of research, as they are listed.
pub const RESEARCH: &[&str] = &[
    "web-search-tool",
    "scrape-page-tool",
    "search-and-scrape-tool",
    "academic-search-tool",
    "check-references-tool",
    "patent-search-tool",
    "sequential-search-tool",
    "get-research-session-tool",
    "research-export-tool",
];

#[test]
fn the_tools_of_research_have_links_where_they_are_asked_for() {
    let room = directory();
    let tools = room.path().join("tools");
    let nine = {
        let mut names = names();
        names.sort();
        names
    };
    assert_eq!(nine.len(), 9);
    let mut all = nine.clone();
    all.extend(RESEARCH.iter().map(|&name| name.to_owned()));
    all.sort();

    let (code, said) = link(room.path(), &["tools", "--research", "--dry-run"]);
    assert_eq!(code, 0, "{said}");
    shows(room.path(), &said, "links of research that would be laid");
    assert!(!tools.exists());
    assert_eq!(link(room.path(), &["tools"]).0, 0);
    assert_eq!(
        names_in(&tools),
        [&[".ikigai-tools.directories".to_owned()], &nine[..]].concat()
    );

    let (code, said) = link(room.path(), &["tools", "--research"]);
    assert_eq!(code, 0, "{said}");
    let with_record = [&[".ikigai-tools.directories".to_owned()], &all[..]].concat();
    assert_eq!(names_in(&tools), with_record);
    shows(room.path(), &said, "links of research");
    for name in RESEARCH {
        let schema = Command::new(tools.join(name))
            .arg("--schema")
            .output()
            .unwrap();
        assert!(schema.status.success());
    }

    // Whoever brings it up to date keeps what was asked for before, in either spelling.
    for flags in [&["tools"][..], &["tools", "--suffix"], &["tools"]] {
        let (code, said) = link(room.path(), flags);
        assert_eq!(code, 0, "{said}");
        for name in RESEARCH {
            assert!(tools.join(name).is_symlink(), "{flags:?}");
            assert!(said.contains(&format!("  {name} ")), "{said}");
        }
    }
    assert_eq!(names_in(&tools), with_record);

    let (code, said) = link(room.path(), &["tools", "--remove"]);
    assert_eq!(code, 0, "{said}");
    assert!(names_in(room.path()).is_empty());
    assert_eq!(link(room.path(), &["tools"]).0, 0);
    assert!(!tools.join(RESEARCH[0]).is_symlink());
}

#[test]
fn the_names_of_all_links_are_listed_on_request() {
    let (code, list, _) = piped(Path::new("."), &["list", "--research"]);
    assert_eq!(code, 0);
    let all: Vec<&str> = list.lines().collect();
    assert_eq!(all[..9], names());
    assert_eq!(all[9..], *RESEARCH);
}

#[test]
fn installing_twice_is_installing_once() {
    let room = directory();
    assert_eq!(link(room.path(), &["tools", "--copy"]).0, 0);
    let before = tree(room.path());
    let (code, said) = link(room.path(), &["tools", "--copy"]);
    assert_eq!(code, 0, "{said}");
    shows(room.path(), &said, "links that are there");
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
fn below_a_prefix_the_program_its_pages_and_completions_are_installed_too() {
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
    fails(room.path(), &["tools"], "files of others");
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
    let (made, removed) = ("another program of our name", "another program that stays");
    for (more, name) in [
        (&["--copy"][..], made),
        (&[], made),
        (&["--remove"], removed),
        (&["--remove", "--copy"], removed),
    ] {
        fails(room.path(), &[&["tools"], more].concat(), name);
        assert_eq!(tree(room.path()), before);
    }
}

#[test]
fn a_dry_run_says_it_and_changes_nothing() {
    let room = directory();
    let (code, said) = link(room.path(), &["p/libexec/ikigai", "--copy", "--dry-run"]);
    assert_eq!(code, 0, "{said}");
    shows(room.path(), &said, "a dry run");
    assert!(names_in(room.path()).is_empty());
    assert_eq!(link(room.path(), &["p/libexec/ikigai", "--copy"]).0, 0);
    let before = tree(room.path());
    let (code, said) = link(
        room.path(),
        &["p/libexec/ikigai", "--copy", "--remove", "--dry-run"],
    );
    assert_eq!(code, 0, "{said}");
    shows(room.path(), &said, "a dry run that removes");
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
    assert!(record.lines().any(|line| line == "/opt/x/bin/"), "{record}");
    assert!(!record.contains("stage"), "{record}");
    run(&["--remove"]);
    assert!(!stage.exists());
}

#[test]
fn what_cannot_be_made_is_named_before_anything_is_changed() {
    let room = directory();
    fs::write(room.path().join("file"), "").unwrap();
    fails(room.path(), &["file/below"], "a directory below a file");
    fails(room.path(), &[], "no directory");
    assert_eq!(names_in(room.path()), ["file"]);
}

#[test]
fn a_link_to_another_copy_of_this_program_or_to_one_that_is_gone_is_ours() {
    let room = directory();
    let tools = room.path().join("tools");
    let other = room.path().join("other/ikigai-tools");
    let script = room.path().join("script/ikigai-tools");
    for file in [&other, &script] {
        fs::create_dir(file.parent().unwrap()).unwrap();
    }
    copy_program(Path::new(BINARY), &other);
    fs::write(&script, "#!/bin/sh\necho something else\n").unwrap();
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
    fs::create_dir(&tools).unwrap();
    symlink(&other, tools.join("bash")).unwrap();
    symlink("/nowhere/ikigai-tools", tools.join("grep-tool")).unwrap();
    symlink("../../bin/ikigai-tools", tools.join("file-read")).unwrap();
    symlink(&other, tools.join("mine")).unwrap();
    symlink(&script, tools.join("glob")).unwrap();
    fails(room.path(), &["tools"], "links of others");
    assert_eq!(
        fs::read_link(tools.join("bash")).unwrap(),
        Path::new(BINARY)
    );
    assert_eq!(link(room.path(), &["tools", "--remove"]).0, 0);
    assert_eq!(names_in(&tools), ["glob", "mine"]);
}

#[test]
fn below_the_program_s_own_prefix_links_are_relative_and_the_program_stays() {
    let room = directory();
    let prefix = room.path().join("usr");
    fs::create_dir_all(prefix.join("bin")).unwrap();
    let program = prefix.join("bin/ikigai-tools");
    copy_program(Path::new(BINARY), &program);
    let run = |more: &[&str]| {
        let output = Command::new(&program)
            .arg("link")
            .arg(prefix.join("libexec/ikigai"))
            .args(more)
            .output()
            .unwrap();
        assert!(output.status.success(), "{output:?}");
    };
    let before = tree(room.path());
    for more in [&["--links-only"][..], &[]] {
        run(more);
        let bash = prefix.join("libexec/ikigai/bash");
        assert_eq!(
            fs::read_link(&bash).unwrap(),
            Path::new("../../bin/ikigai-tools")
        );
        bash_answers(&bash);
        run(&[&["--remove"], more].concat());
        assert_eq!(tree(room.path()), before);
    }
}

#[test]
fn what_is_removed_in_parts_leaves_no_trace_in_the_end() {
    let room = directory();
    let directory = "p/libexec/ikigai";
    assert_eq!(link(room.path(), &[directory, "--copy"]).0, 0);
    assert_eq!(
        link(room.path(), &[directory, "--remove", "--links-only"]).0,
        0
    );
    let (code, said) = link(room.path(), &[directory, "--remove"]);
    assert_eq!(code, 0, "{said}");
    shows(room.path(), &said, "a program that stays");
    assert_eq!(link(room.path(), &[directory, "--remove", "--copy"]).0, 0);
    assert!(names_in(room.path()).is_empty());
}

#[test]
fn a_run_that_is_killed_is_completed_by_the_next_and_removed_without_a_trace() {
    let room = directory();
    let directory = "p/libexec/ikigai";
    let killed = |more: &[&str], after: u64| {
        let mut child = Command::new(BINARY)
            .args([&["link", directory, "--copy"], more].concat())
            .current_dir(room.path())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(after));
        let _ = child.kill();
        child.wait().unwrap();
    };
    for after in [3, 5, 8, 12, 18, 25, 35, 50, 80, 120] {
        killed(&[], after);
        for (path, _) in tree(room.path()) {
            if path.ends_with("libexec/ikigai/ikigai-tools") {
                let length = path.metadata().unwrap().len();
                assert_eq!(length, Path::new(BINARY).metadata().unwrap().len());
            }
        }
        if after % 2 == 0 {
            assert_eq!(link(room.path(), &[directory, "--copy"]).0, 0);
            killed(&["--remove"], after / 4);
        }
        let (code, said) = link(room.path(), &[directory, "--copy", "--remove"]);
        assert_eq!(code, 0, "{said}");
        let left = tree(room.path());
        let files: Vec<_> = left.iter().filter(|(path, _)| !path.is_dir()).collect();
        assert!(files.is_empty(), "{after}: {files:?}");
        let _ = fs::remove_dir_all(room.path().join("p"));
    }
}

#[test]
fn what_a_killed_run_has_left_goes_away() {
    let room = directory();
    let drafts = [
        "p/libexec/ikigai/.ikigai-tools.new.bash",
        "p/libexec/ikigai/.ikigai-tools.new.ikigai-tools",
        "p/bin/.ikigai-tools.new.ikigai-tools",
        "p/share/man/man1/.ikigai-tools.new.ikigai-tools-grep.1",
    ];
    for more in [&[][..], &["--remove"]] {
        assert_eq!(link(room.path(), &["p/libexec/ikigai"]).0, 0);
        for draft in drafts {
            fs::write(room.path().join(draft), "half").unwrap();
        }
        let (code, said) = link(room.path(), &[&["p/libexec/ikigai"], more].concat());
        assert_eq!(code, 0, "{said}");
        for draft in drafts {
            assert!(!room.path().join(draft).exists(), "{draft}");
        }
    }
    assert!(names_in(room.path()).is_empty());
}

#[test]
fn several_runs_at_once_do_what_one_does() {
    let room = directory();
    let directory = "p/libexec/ikigai";
    let together = |args: &[&[&str]]| {
        let children: Vec<_> = args
            .iter()
            .map(|args| {
                Command::new(BINARY)
                    .args([&["link", directory, "--copy"], *args].concat())
                    .current_dir(room.path())
                    .stdout(Stdio::null())
                    .stderr(Stdio::piped())
                    .spawn()
                    .unwrap()
            })
            .collect();
        for child in children {
            let output = child.wait_with_output().unwrap();
            assert!(output.status.success(), "{output:?}");
        }
    };
    together(&[&[], &[], &[]]);
    let whole = tree(room.path());
    assert_eq!(link(room.path(), &[directory, "--copy"]).0, 0);
    assert_eq!(tree(room.path()), whole);
    together(&[&["--remove"], &["--remove"], &["--remove"]]);
    assert!(names_in(room.path()).is_empty());
    together(&[&[], &["--remove"], &[], &["--remove"]]);
    assert_eq!(link(room.path(), &[directory, "--copy", "--remove"]).0, 0);
    assert!(names_in(room.path()).is_empty());
}

#[test]
fn whatever_the_directory_is_called_a_line_is_a_line_and_no_trace_is_left() {
    let room = directory();
    fs::create_dir(room.path().join("a")).unwrap();
    for name in ["it's \"here\"", "\u{1b}[31mred", "é \u{202e}"] {
        let directory = format!("{name}/libexec/ikigai");
        let (code, said) = link(room.path(), &[&directory]);
        assert_eq!(code, 0, "{said}");
        let steers = |c: char| (c.is_control() && c != '\n') || c == '\u{202e}';
        assert!(!said.contains(steers), "{said:?}");
        let next = said.split("Try next:\n").nth(1).unwrap();
        let next = next.lines().next().unwrap();
        let answer = Command::new("sh").args(["-c", next]).output().unwrap();
        assert!(
            answer.stdout.starts_with(b"{\"output\":\""),
            "{next}: {answer:?}"
        );
        assert_eq!(link(room.path(), &[&directory, "--remove"]).0, 0);
        assert_eq!(names_in(room.path()), ["a"]);
    }
}

#[test]
fn a_record_that_names_another_s_directories_removes_none_of_them() {
    let room = directory();
    assert_eq!(link(room.path(), &["tools"]).0, 0);
    fs::create_dir(room.path().join("empty")).unwrap();
    let record = room.path().join("tools/.ikigai-tools.directories");
    let mut lines = fs::read(&record).unwrap();
    lines.extend(format!("{}/\nempty/\n", room.path().join("empty").display()).bytes());
    fs::write(&record, lines).unwrap();
    assert_eq!(link(room.path(), &["tools", "--remove"]).0, 0);
    assert_eq!(names_in(room.path()), ["empty"]);
}

#[test]
fn what_pretends_to_be_a_file_keeps_nobody_waiting_and_leads_nowhere() {
    let room = directory();
    let manual = room.path().join("p/share/man/man1");
    fs::create_dir_all(&manual).unwrap();
    fs::create_dir_all(room.path().join("p/libexec/ikigai")).unwrap();
    let pipe = manual.join("ikigai-tools-grep.1");
    assert!(
        Command::new("mkfifo")
            .arg(&pipe)
            .status()
            .unwrap()
            .success()
    );
    fs::write(room.path().join("precious"), "mine\n").unwrap();
    let record = room
        .path()
        .join("p/libexec/ikigai/.ikigai-tools.directories");
    symlink(room.path().join("precious"), &record).unwrap();
    fails(
        room.path(),
        &["p/libexec/ikigai"],
        "a record that is a link",
    );
    fs::remove_file(&record).unwrap();
    let (code, said) = link(room.path(), &["p/libexec/ikigai"]);
    assert_eq!(code, 0, "{said}");
    shows(room.path(), &said, "a pipe in place of a page");
    assert_eq!(fs::read(room.path().join("precious")).unwrap(), b"mine\n");
}

#[test]
fn permissions_are_the_same_whatever_the_caller_s_umask() {
    let room = directory();
    let script = "umask 077; exec \"$0\" link p/libexec/ikigai --copy";
    let done = Command::new("sh")
        .args(["-c", script, BINARY])
        .current_dir(room.path())
        .output()
        .unwrap();
    assert!(done.status.success(), "{done:?}");
    for (path, target) in tree(room.path()) {
        let mode = path.symlink_metadata().unwrap().permissions().mode() & 0o777;
        let is_program = path.ends_with("libexec/ikigai/ikigai-tools");
        let expected = if path.is_dir() || is_program {
            0o755
        } else {
            0o644
        };
        assert!(target.is_some() || mode == expected, "{path:?}: {mode:o}");
    }
}

#[test]
fn a_directory_on_path_is_warned_of() {
    let room = directory();
    let tools = room.path().join("tools");
    for (more, warned) in [(&[][..], true), (&["--suffix"], false)] {
        let output = Command::new(BINARY)
            .args([&["link", "tools"], more].concat())
            .current_dir(room.path())
            .env("PATH", format!("/usr/bin:/bin:{}", tools.display()))
            .output()
            .unwrap();
        assert!(output.status.success(), "{output:?}");
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(!said.is_empty(), warned, "{said}");
        if warned {
            shows(room.path(), &said, "a directory on PATH");
        }
    }
}

#[test]
fn removing_from_what_is_not_a_directory_says_so() {
    let room = directory();
    fs::write(room.path().join("file"), "").unwrap();
    fails(
        room.path(),
        &["file", "--remove"],
        "a file in place of a directory",
    );
    let (code, said) = link(room.path(), &["not there", "--remove"]);
    assert_eq!(code, 0, "{said}");
}

#[test]
fn without_proc_and_home_it_works_the_same() {
    if !common::can_unmount_proc() {
        common::skip("no mounts of its own can be had here");
        return;
    }
    let room = directory();
    let script = "umount -l /proc; unset HOME; \"$0\" link tools --copy && \
        exec tools/ikigai-tools link tools --remove --copy";
    let done = Command::new("unshare")
        .args(["--mount", "sh", "-c", script, BINARY])
        .current_dir(room.path())
        .output()
        .unwrap();
    assert!(done.status.success(), "{done:?}");
    assert!(names_in(room.path()).is_empty());
}
