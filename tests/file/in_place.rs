//! file-write and file-edit where the file itself has to be overwritten: whole or nothing all the
//! same, whoever is killed and whatever the disk says.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::Child;

use super::files::{edit, write, wrote};
use rustix::process::{Pid, Signal, kill_process};

use crate::common::messages::TextRow;
use crate::common::{
    self, Call, directory, eventually, names_in, public_directory, skip, text, tool,
};
use crate::refusing::refusing;
use crate::steps::{Large, NEW, OLD, Step};
use serde_json::{Value, json};

/// How often a write is caught midway in a test. Now and then one is done before it is caught.
const CATCHES: usize = 2;

fn replaced() -> Value {
    json!({"output": "Replaced 1 occurrence in file", "replacements": 1})
}

fn answer_of(child: Child) -> Value {
    let output = child.wait_with_output().unwrap();
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Starts edits of the file by `call` until as many as wanted were stopped midway, and has each
/// looked at by `then`.
fn midway(large: &Large, call: impl Fn() -> Call, mut then: impl FnMut(Child, Step)) {
    let mut caught = 0;
    for _ in 0..20 * CATCHES {
        let child = call().start();
        match large.stop_midway() {
            Some(step) => {
                caught += 1;
                then(child, step);
            }
            None => {
                child.wait_with_output().unwrap();
            }
        }
        large.restore();
        if caught == CATCHES {
            return;
        }
    }
    panic!("only {caught} writes were caught midway");
}

#[test]
fn a_writer_that_is_killed_midway_is_run_again() {
    let large = Large::new();
    midway(
        &large,
        || edit(&large.file, OLD, NEW),
        |child, step| {
            step.kill();
            assert_eq!(answer_of(child), replaced());
            assert!(large.has(&large.file, NEW));
            assert!(large.is_alone());
        },
    );
}

#[test]
fn a_writer_that_is_killed_every_time_leaves_the_draft_and_says_where() {
    let large = Large::new();
    let mut left = 0;
    while left == 0 {
        midway(
            &large,
            || edit(&large.file, OLD, NEW),
            |child, step| {
                step.kill();
                assert!(eventually(|| !step.is_alive()));
                // The second one, which the tool starts from the draft.
                let Some(second) = large.stop_midway() else {
                    assert_eq!(answer_of(child), replaced());
                    assert!(large.has(&large.file, NEW) && large.is_alone());
                    return;
                };
                second.kill();
                left += 1;
                let answer = answer_of(child);
                assert_eq!(answer["error_code"], "WRITE_FAILED", "{answer}");
                let drafts = large.drafts();
                assert_eq!(drafts.len(), 1);
                let error = answer["error"].as_str().unwrap();
                let places = [(text(&large.file), "<file>"), (text(&drafts[0]), "<draft>")];
                error.assert_row_at("file_edit", "a writer that was killed midway", &places);
                assert!(large.has(&drafts[0], NEW));
                fs::remove_file(&drafts[0]).unwrap();
            },
        );
    }
}

#[test]
fn a_tool_that_is_killed_midway_leaves_the_writer_at_its_work() {
    let large = Large::new();
    midway(
        &large,
        || edit(&large.file, OLD, NEW),
        |mut child, step| {
            child.kill().unwrap();
            child.wait().unwrap();
            for signal in [libc::SIGTERM, libc::SIGINT, libc::SIGHUP] {
                step.signal(signal);
            }
            step.go_on();
            assert!(eventually(|| !step.is_alive()));
            assert!(large.has(&large.file, NEW));
            assert!(large.is_alone());
        },
    );
}

#[test]
fn where_both_are_killed_midway_the_draft_stays() {
    let large = Large::new();
    midway(
        &large,
        || edit(&large.file, OLD, NEW),
        |mut child, step| {
            child.kill().unwrap();
            step.kill();
            child.wait().unwrap();
            assert!(eventually(|| !step.is_alive()));
            assert!(large.is_torn());
            let drafts = large.drafts();
            assert_eq!(drafts.len(), 1);
            assert!(large.has(&drafts[0], NEW));
            assert_eq!(fs::metadata(&drafts[0]).unwrap().mode() & 0o7777, 0o600);
            fs::remove_file(&drafts[0]).unwrap();
        },
    );
}

#[test]
fn a_writer_that_a_command_started_has_the_command_s_time() {
    let large = Large::new();
    let request = large.directory.path().join("../request");
    let request = PathBuf::from(format!("{}-{}", text(&request), std::process::id()));
    let fields = json!({"file_path": text(&large.file), "old_string": OLD, "new_string": NEW});
    fs::write(&request, fields.to_string()).unwrap();
    let command = format!(
        "'{}' < '{}'; sleep 5.0417",
        text(&common::link("file-edit")),
        text(&request)
    );
    for goes_on in [true, false] {
        midway(
            &large,
            || tool("bash").with(&json!({"command": command})),
            |mut child, step| {
                let tool = Pid::from_raw(child.id().try_into().unwrap()).unwrap();
                kill_process(tool, Signal::TERM).unwrap();
                assert!(eventually(|| common::processes_with("5.0417").is_empty()));
                if goes_on {
                    step.go_on();
                }
                child.wait().unwrap();
                assert!(!step.is_alive());
                if large.is_alone() {
                    assert!(large.has(&large.file, NEW));
                    return;
                }
                // It was killed, and what it had to write is there.
                let drafts = large.drafts();
                assert_eq!(drafts.len(), 1);
                assert!(large.has(&drafts[0], NEW));
                fs::remove_file(&drafts[0]).unwrap();
            },
        );
    }
    fs::remove_file(&request).unwrap();
}

#[test]
fn a_large_file_takes_little_memory_and_its_draft_none() {
    let large = Large::new();
    midway(
        &large,
        || edit(&large.file, OLD, NEW),
        |child, step| {
            let files = step.open_files();
            let in_memory = |file: &PathBuf| file.to_string_lossy().contains("memfd:");
            assert!(!files.iter().any(in_memory), "{files:?}");
            assert!(step.peak() < 32 * 1024, "{} KiB", step.peak());
            assert_eq!(large.drafts().len(), 1);
            step.go_on();
            assert_eq!(answer_of(child), replaced());
            assert!(large.is_alone());
        },
    );
}

#[test]
fn a_draft_that_cannot_be_beside_the_file_is_in_the_state_directory() {
    let (here, state) = (public_directory(), public_directory());
    let drafts = state.path().join("ikigai-tools");
    let large = Large::within(here);
    let set_mode = |path: &Path, mode| {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    };
    set_mode(&large.file, 0o666);
    set_mode(large.directory.path(), 0o555);
    midway(
        &large,
        || {
            let call = edit(&large.file, OLD, NEW).env("XDG_STATE_HOME", state.path());
            call.unprivileged()
        },
        |child, step| {
            let names = names_in(&drafts);
            assert_eq!(names.len(), 1);
            assert!(large.has(&drafts.join(&names[0]), NEW));
            assert_eq!(fs::metadata(&drafts).unwrap().mode() & 0o777, 0o700);
            step.go_on();
            assert_eq!(answer_of(child), replaced());
            assert!(large.has(&large.file, NEW));
            assert!(large.is_alone());
            assert!(names_in(&drafts).is_empty());
        },
    );
    set_mode(large.directory.path(), 0o777);
}

/// A file with one name or two, and what it is.
fn file_with_names(names: usize) -> (tempfile::TempDir, PathBuf, u64) {
    let here = directory();
    let file = here.path().join("file");
    fs::write(&file, "old content").unwrap();
    if names > 1 {
        fs::hard_link(&file, here.path().join("twin")).unwrap();
    }
    let inode = fs::metadata(&file).unwrap().ino();
    (here, file, inode)
}

/// Whether what lies there is kept by a disk.
fn is_on_disk(directory: &Path) -> bool {
    rustix::fs::statfs(directory).unwrap().f_type != 0x0102_1994
}

#[test]
fn where_the_disk_fails_the_old_content_is_left_alone() {
    let renaming = [libc::SYS_rename, libc::SYS_renameat, libc::SYS_renameat2];
    let cases: [(usize, &[libc::c_long]); 4] = [
        (1, &renaming),
        (1, &[libc::SYS_linkat]),
        (2, &[libc::SYS_fallocate]),
        (2, &[libc::SYS_fsync]),
    ];
    for (names, calls) in cases {
        for errno in [libc::EIO, libc::ESTALE, libc::ENOSPC, libc::EDQUOT] {
            let (here, file, inode) = file_with_names(names);
            if calls == [libc::SYS_fsync] && !is_on_disk(here.path()) {
                skip("no disk here that could fail");
                continue;
            }
            let full = [libc::ENOSPC, libc::EDQUOT].contains(&errno);
            let code = if full { "NO_SPACE" } else { "WRITE_FAILED" };
            for call in [write(&file, "new"), edit(&file, "old", "new")] {
                let answer = refusing(call, errno, calls).run();
                assert_eq!(answer.field("error_code"), code, "{errno} {calls:?}");
                assert_eq!(fs::read(&file).unwrap(), b"old content");
                assert_eq!(fs::metadata(&file).unwrap().ino(), inode);
                let expected = ["file", "twin"];
                assert_eq!(names_in(here.path()), expected[..names]);
            }
        }
    }
}

#[test]
fn what_a_draft_and_a_rename_cannot_do_is_done_in_place() {
    let renaming = [libc::SYS_rename, libc::SYS_renameat, libc::SYS_renameat2];
    for errno in [
        libc::EXDEV,
        libc::EBUSY,
        libc::EPERM,
        libc::EACCES,
        libc::EROFS,
        libc::EISDIR,
        libc::EOPNOTSUPP,
        libc::ENOSYS,
        libc::EINVAL,
        libc::ENAMETOOLONG,
    ] {
        let (here, file, inode) = file_with_names(1);
        refusing(write(&file, "new"), errno, &renaming).answers(&wrote(3, "file"));
        assert_eq!(fs::read(&file).unwrap(), b"new");
        assert_eq!(fs::metadata(&file).unwrap().ino(), inode);
        assert_eq!(names_in(here.path()), ["file"]);
    }
}

#[test]
fn a_disk_that_fails_midway_is_no_success_and_the_draft_stays() {
    for (number, name) in [
        (libc::SYS_pwrite64, "a disk that fails as it is written"),
        (libc::SYS_fdatasync, "a disk that fails at the end"),
    ] {
        let (here, file, _) = file_with_names(2);
        if number == libc::SYS_fdatasync && !is_on_disk(here.path()) {
            skip("no disk here that could fail");
            continue;
        }
        let answer = refusing(write(&file, "new"), libc::EIO, &[number]).run();
        assert_eq!(answer.field("error_code"), "WRITE_FAILED");
        let names = names_in(here.path());
        assert_eq!(names[1..], ["file", "twin"]);
        let draft = here.path().join(&names[0]);
        let places = [(text(&draft), "<draft>"), (text(&file), "<file>")];
        answer
            .field("error")
            .assert_row_at("file_write", name, &places);
        assert_eq!(fs::read(&draft).unwrap(), b"new");
    }
}

#[test]
fn an_edit_of_equal_length_writes_only_what_it_changes() {
    let (here, file) = (directory(), "file");
    let file = here.path().join(file);
    fs::write(&file, "x".repeat(3_000_000) + OLD + &"x".repeat(3_000_000)).unwrap();
    fs::hard_link(&file, here.path().join("twin")).unwrap();
    let log = here.path().join("log");
    let call = edit(&file, OLD, "<HERE>");
    let traced = std::process::Command::new("strace")
        .arg("-V")
        .output()
        .is_ok();
    if !traced {
        return skip("no strace here");
    }
    let answer = call
        .through("strace", &["-f", "-e", "trace=pwrite64", "-o", text(&log)])
        .run();
    assert_eq!(answer.json()["replacements"], 1);
    let log = fs::read_to_string(&log).unwrap();
    let writes: Vec<_> = log
        .lines()
        .filter(|line| line.contains("pwrite64"))
        .collect();
    // Once into the draft, once into the file.
    assert_eq!(writes.len(), 2, "{log}");
    assert!(writes[1].contains("\"HERE\", 4, 3000001)"), "{log}");
}

#[test]
fn a_file_mounted_into_a_read_only_tree_is_written() {
    if !common::can_unmount_proc() {
        return skip("nothing can be mounted here");
    }
    let here = directory();
    let (tree, outside) = (here.path().join("tree"), here.path().join("outside"));
    fs::create_dir(&tree).unwrap();
    fs::write(tree.join("file"), "").unwrap();
    fs::write(&outside, "old").unwrap();
    let mounts = format!(
        "mount --bind '{0}' '{0}' && mount -o remount,ro,bind '{0}' && mount --bind '{1}' '{0}/file'",
        text(&tree),
        text(&outside)
    );
    for (old, new) in [("old", "new"), ("new", "newer")] {
        edit(&tree.join("file"), old, new)
            .after_in_own_mounts(&mounts)
            .answers(&replaced());
        assert_eq!(fs::read_to_string(&outside).unwrap(), new);
    }
    write(&tree.join("file"), "written")
        .after_in_own_mounts(&mounts)
        .answers(&wrote(7, "file"));
    assert_eq!(fs::read_to_string(&outside).unwrap(), "written");
    assert_eq!(names_in(&tree), ["file"]);
}

#[test]
fn a_host_that_kills_the_tool_s_whole_group_midway_leaves_the_writer_at_its_work() {
    let large = Large::new();
    midway(
        &large,
        || {
            let call = edit(&large.file, OLD, NEW);
            call.prepared_by(|| {
                rustix::process::setpgid(None, None)?;
                Ok(())
            })
        },
        |mut child, step| {
            let group = i32::try_from(child.id()).unwrap();
            // SAFETY: the group is led by a child that has not been waited for.
            assert_eq!(unsafe { libc::kill(-group, libc::SIGKILL) }, 0);
            child.wait().unwrap();
            step.go_on();
            assert!(eventually(|| !step.is_alive()));
            assert!(large.has(&large.file, NEW));
            assert!(large.is_alone());
        },
    );
}
