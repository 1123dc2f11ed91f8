//! file-write and file-edit where the system makes it hard: without room, without /proc, with
//! limits, with attributes.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::time::Duration;

use super::files::{edit, run, write, wrote};
use crate::common::{self, directory, eventually, names_in, public_directory, skip, text, tool};
use crate::refusing::{Filter, Service};
use rustix::fs::{XattrFlags, getxattr, setxattr};
use serde_json::{Value, json};

fn replaced(name: &str) -> Value {
    json!({"output": format!("Replaced 1 occurrence in {name}"), "replacements": 1})
}

/// A file system of 4 MiB that cannot keep room for a file in advance.
struct OldDisk(tempfile::TempDir);

impl OldDisk {
    fn mount() -> Option<Self> {
        let place = directory();
        let (image, disk) = (place.path().join("image"), place.path().join("disk"));
        fs::create_dir(&disk).unwrap();
        fs::write(&image, vec![0; 4 << 20]).unwrap();
        let mounted = run("mkfs.ext2", &["-qF", text(&image)])
            && run("mount", &["-o", "loop", text(&image), text(&disk)]);
        // A guard of what was not mounted would unmount it all the same.
        mounted.then(|| Self(place))
    }
}

impl Drop for OldDisk {
    fn drop(&mut self) {
        assert!(run("umount", &[text(&self.0.path().join("disk"))]));
    }
}

#[test]
fn a_full_disk_without_room_in_advance_leaves_the_old_content() {
    let Some(disk) = OldDisk::mount() else {
        return skip("no ext2 can be mounted here");
    };
    let at = |name: &str| disk.0.path().join("disk").join(name);
    let (file, twin) = (at("file"), at("twin"));
    let old = "A".repeat(1_000_000);
    fs::write(&file, &old).unwrap();
    fs::hard_link(&file, &twin).unwrap();
    fs::write(at("fill"), vec![b'x'; 2_200_000]).unwrap();
    let full = format!("No space left on device: {}", text(&file));
    write(&file, &"C".repeat(2_500_000)).fails("NO_SPACE", &full);
    assert!(fs::read_to_string(&twin).unwrap() == old);
    write(&file, "short").answers(&wrote(5, "file"));
    assert_eq!(fs::read(&twin).unwrap(), b"short");
}

#[test]
fn a_directory_that_only_grows_gets_what_is_asked_for_and_no_more() {
    let here = directory();
    let (file, fresh) = (here.path().join("file"), here.path().join("fresh"));
    fs::write(&file, "old").unwrap();
    if !run("chattr", &["+a", text(here.path())]) {
        return skip("no such attribute can be set here");
    }
    let edited = edit(&file, "old", "new").run();
    let written = write(&fresh, "x").run();
    let names = names_in(here.path());
    assert!(run("chattr", &["-a", text(here.path())]));
    assert_eq!(edited.json(), replaced("file"));
    assert_eq!(written.json(), wrote(1, "fresh"));
    assert_eq!(names, ["file", "fresh"]);
    assert_eq!(fs::read(&file).unwrap(), b"new");
}

#[test]
fn a_limit_on_file_sizes_is_answered() {
    let here = directory();
    let file = here.path().join("file");
    fs::write(&file, "old").unwrap();
    for links in 0..2 {
        if links > 0 {
            fs::hard_link(&file, here.path().join("twin")).unwrap();
        }
        let answer = write(&file, &"x".repeat(9000)).after("ulimit -f 1").run();
        assert_eq!(answer.json()["error_code"], "WRITE_FAILED");
        assert_eq!(answer.code(), 0);
        assert_eq!(fs::read(&file).unwrap(), b"old");
    }
}

#[test]
fn a_mode_that_cannot_be_given_back_is_no_failure() {
    if !common::is_root() {
        return skip("only root can have somebody else write");
    }
    let here = public_directory();
    let file = here.path().join("file");
    fs::write(&file, "old").unwrap();
    fs::hard_link(&file, here.path().join("twin")).unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o4777)).unwrap();
    edit(&file, "old", "new")
        .unprivileged()
        .answers(&replaced("file"));
    assert_eq!(fs::read(&file).unwrap(), b"new");
    assert_eq!(fs::metadata(&file).unwrap().mode() & 0o777, 0o777);
}

#[test]
fn capabilities_go_with_the_content_that_they_were_given_to() {
    // cap_net_raw, permitted and effective (`struct vfs_cap_data`, revision 2).
    let value = [1, 0, 0, 2, 0, 32, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    let here = directory();
    let file = here.path().join("file");
    fs::write(&file, "old").unwrap();
    let name = "security.capability";
    let give = || setxattr(&file, name, &value, XattrFlags::empty()).is_ok();
    if !give() {
        return skip("capabilities cannot be given here");
    }
    let has = || getxattr(&file, name, &mut [0; 64][..]).is_ok();
    for links in 0..2 {
        if links > 0 {
            fs::hard_link(&file, here.path().join("twin")).unwrap();
        }
        for content in ["old", ""] {
            assert!(give() && has());
            write(&file, content).answers(&wrote(content.len(), "file"));
            assert!(!has(), "{links} {content}");
        }
        fs::write(&file, "old").unwrap();
        assert!(give() && has());
        edit(&file, "old", "new").answers(&replaced("file"));
        assert!(!has(), "{links}");
    }
}

#[test]
fn a_path_that_ends_in_a_dot_names_a_directory() {
    let here = directory();
    let path = here.path().join("fresh/.");
    let message = format!("Cannot open file: {}", text(&path));
    write(&path, "x").fails("OPEN_FAILED", &message);
    symlink("nowhere/.", here.path().join("link")).unwrap();
    let answer = write(&here.path().join("link"), "x").run();
    assert_eq!(answer.json()["error_code"], "OPEN_FAILED");
    assert_eq!(names_in(here.path()), ["link"]);
}

#[test]
fn a_directory_that_is_gone_cannot_be_written_into() {
    tool("file-write")
        .with(&json!({"file_path": "fresh", "content": "x"}))
        .after("d=$(mktemp -d); cd \"$d\"; rmdir \"$d\"")
        .fails("OPEN_FAILED", "Cannot open file: fresh");
}

#[test]
fn without_proc_links_are_followed_and_files_replaced() {
    if !common::can_unmount_proc() {
        return skip("/proc cannot be unmounted here");
    }
    let here = directory();
    symlink("fresh", here.path().join("link")).unwrap();
    let file = here.path().join("fresh");
    for content in ["one", "three"] {
        write(&here.path().join("link"), content)
            .after_in_own_mounts("umount -l /proc")
            .answers(&wrote(content.len(), "link"));
        assert_eq!(fs::read_to_string(&file).unwrap(), content);
    }
    assert_eq!(names_in(here.path()), ["fresh", "link"]);
}

#[test]
fn without_proc_a_killed_group_leaves_no_draft() {
    if !common::can_unmount_proc() {
        return skip("/proc cannot be unmounted here");
    }
    let here = directory();
    let file = here.path().join("file");
    for round in 0..150u64 {
        let mut host = Command::new("unshare");
        host.args(["-m", "--propagation", "private", "/bin/sh", "-c"]);
        host.arg("umount -l /proc; echo; exec \"$0\"")
            .arg(common::link("file-write"));
        let mut child = host
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let request = json!({"file_path": text(&file), "content": "x"}).to_string();
        let mut stdin = child.stdin.take().unwrap();
        std::io::Write::write_all(&mut stdin, request.as_bytes()).unwrap();
        drop(stdin);
        // The shell says when it becomes the tool.
        std::io::Read::read(child.stdout.as_mut().unwrap(), &mut [0; 1]).unwrap();
        std::thread::sleep(Duration::from_micros(round * 40));
        let group = i32::try_from(child.id()).unwrap();
        // SAFETY: the group is led by a child that has not been waited for.
        unsafe { libc::kill(-group, libc::SIGKILL) };
        child.wait().unwrap();
    }
    assert!(eventually(|| {
        names_in(here.path()).iter().all(|name| name == "file")
    }));
}

#[test]
fn a_draft_with_a_name_does_not_outlive_the_command_that_was_writing_it() {
    let here = directory();
    let (file, request) = (here.path().join("file"), here.path().join("request"));
    let content = "x".repeat(30_000_000);
    fs::write(
        &request,
        json!({"file_path": text(&file), "content": content}).to_string(),
    )
    .unwrap();
    let names = || names_in(here.path());
    let is_draft = |name: &String| name.starts_with(".ikigai-");
    // Refuses nameless files: the flag beside the directory's own bit (`O_TMPFILE`).
    let nameless = Service {
        name: "O_TMPFILE",
        call: libc::SYS_openat,
        argument: Some((2, 0o20_000_000, 0o20_000_000)),
    };
    let mut caught = 0;
    for _ in 0..40 {
        let command = format!(
            "'{}' < '{}'",
            text(&common::link("file-write")),
            text(&request)
        );
        let filter = Filter::new(&[nameless], libc::EOPNOTSUPP);
        let mut child = tool("bash")
            .with(&json!({ "command": command }))
            .prepared_by(move || filter.install())
            .start();
        assert!(eventually(|| names().len() > 1));
        caught += usize::from(names().iter().any(is_draft));
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(
            eventually(|| !names().iter().any(is_draft)),
            "{:?}",
            names()
        );
        let _ = fs::remove_file(&file);
        if caught == 10 {
            return;
        }
    }
    panic!("only {caught} drafts were seen");
}
