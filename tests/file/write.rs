//! The file-write tool, called as a host calls it; and what it shares with file-edit: replacing a
//! file and nothing else of it.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;
use std::process::Command;

use super::files::{edit, run, write, wrote};
use crate::common::{self, directory, eventually, names_in, public_directory, text, tool};
use crate::steps::kill_later_and_later;
use serde_json::json;

fn mode(file: &Path) -> u32 {
    fs::metadata(file).unwrap().permissions().mode() & 0o7777
}

fn set_mode(file: &Path, mode: u32) {
    fs::set_permissions(file, fs::Permissions::from_mode(mode)).unwrap();
}

#[test]
fn a_new_file_is_made_with_the_usual_mode() {
    let here = directory();
    let file = here.path().join("test.txt");
    write(&file, "Hello, world!\n").answers(&wrote(14, "test.txt"));
    assert_eq!(fs::read(&file).unwrap(), b"Hello, world!\n");
    let umask = {
        let probe = here.path().join("probe");
        fs::write(&probe, "").unwrap();
        mode(&probe)
    };
    assert_eq!(mode(&file), umask);
}

#[test]
fn an_existing_file_is_overwritten_whole() {
    let here = directory();
    let file = here.path().join("test.txt");
    fs::write(&file, "much longer than what comes").unwrap();
    write(&file, "x").answers(&wrote(1, "test.txt"));
    assert_eq!(fs::read(&file).unwrap(), b"x");
    write(&file, "").answers(&wrote(0, "test.txt"));
    assert_eq!(fs::read(&file).unwrap(), b"");
    assert_eq!(names_in(here.path()), ["test.txt"]);
}

#[test]
fn any_character_is_written_as_it_is() {
    let here = directory();
    let file = here.path().join("test.txt");
    let content = "nul \0, tab \t, é€😀, \u{FFFD}, \\n, \"quoted\"\r\n";
    write(&file, content).answers(&wrote(content.len(), "test.txt"));
    assert_eq!(fs::read(&file).unwrap(), content.as_bytes());
}

#[test]
fn a_relative_path_is_taken_from_the_tool_s_directory() {
    let here = directory();
    fs::create_dir(here.path().join("sub")).unwrap();
    for (path, name) in [
        ("plain", "plain"),
        ("./sub/../dotted", "dotted"),
        ("sub/inner", "inner"),
    ] {
        tool("file-write")
            .with(&json!({"file_path": path, "content": "x"}))
            .in_directory(here.path())
            .answers(&wrote(1, name));
        assert!(here.path().join(path).exists());
    }
}

#[test]
fn a_directory_that_is_missing_is_not_made() {
    write(Path::new("/nonexistent/dir/file.txt"), "x")
        .fails("OPEN_FAILED", "Cannot open file: /nonexistent/dir/file.txt");
    let here = directory();
    let path = format!("{}/new/", text(here.path()));
    write(Path::new(&path), "x").fails("OPEN_FAILED", &format!("Cannot open file: {path}"));
}

#[test]
fn what_is_no_file_is_not_written() {
    let here = directory();
    let fifo = here.path().join("fifo");
    assert!(run("mkfifo", &[text(&fifo)]));
    for (path, code) in [
        (text(here.path()), "OPEN_FAILED"),
        (text(&fifo), "SEEK_FAILED"),
        ("/dev/zero", "SIZE_FAILED"),
        ("/dev/null", "SIZE_FAILED"),
        ("/dev/stdin", "SEEK_FAILED"),
        ("/", "OPEN_FAILED"),
        ("..", "OPEN_FAILED"),
        ("", "OPEN_FAILED"),
    ] {
        let answer = write(Path::new(path), "x").run();
        assert_eq!(answer.json()["error_code"], code, "{path}");
        assert!(answer.took.as_secs() < 2);
    }
}

#[test]
fn a_file_that_may_not_be_written_is_refused_though_its_directory_may_be() {
    let here = public_directory();
    let file = here.path().join("theirs");
    fs::write(&file, "old").unwrap();
    set_mode(&file, 0o444);
    let message = format!("Permission denied: {}", text(&file));
    write(&file, "new")
        .unprivileged()
        .fails("PERMISSION_DENIED", &message);
    edit(&file, "old", "new")
        .unprivileged()
        .fails("PERMISSION_DENIED", &message);
    assert_eq!(fs::read(&file).unwrap(), b"old");
}

#[test]
fn a_file_in_a_read_only_directory_is_written_in_place() {
    let here = public_directory();
    let file = here.path().join("file");
    fs::write(&file, "old and long").unwrap();
    set_mode(&file, 0o666);
    set_mode(here.path(), 0o555);
    let inode = fs::metadata(&file).unwrap().ino();
    write(&file, "new")
        .unprivileged()
        .answers(&wrote(3, "file"));
    assert_eq!(fs::read(&file).unwrap(), b"new");
    edit(&file, "new", "newer")
        .unprivileged()
        .answers(&json!({"output": "Replaced 1 occurrence in file", "replacements": 1}));
    assert_eq!(fs::read(&file).unwrap(), b"newer");
    if common::is_root() {
        assert_eq!(fs::metadata(&file).unwrap().ino(), inode);
    }
    write(&here.path().join("fresh"), "x").unprivileged().fails(
        "PERMISSION_DENIED",
        &format!("Permission denied: {}/fresh", text(here.path())),
    );
}

#[test]
fn a_file_of_another_owner_keeps_its_owner() {
    if !common::is_root() {
        return common::skip("only root can give files away");
    }
    let here = public_directory();
    let file = here.path().join("file");
    fs::write(&file, "old").unwrap();
    std::os::unix::fs::chown(&file, Some(1234), Some(2345)).unwrap();
    set_mode(&file, 0o4765);
    write(&file, "new").answers(&wrote(3, "file"));
    edit(&file, "new", "newer").run();
    let kept = fs::metadata(&file).unwrap();
    assert_eq!((kept.uid(), kept.gid(), mode(&file)), (1234, 2345, 0o4765));
    assert_eq!(fs::read(&file).unwrap(), b"newer");
    // Who may write it, but not give a new one away, writes the very file.
    set_mode(&file, 0o666);
    let inode = kept.ino();
    write(&file, "theirs")
        .unprivileged()
        .answers(&wrote(6, "file"));
    let kept = fs::metadata(&file).unwrap();
    assert_eq!((kept.uid(), kept.gid(), kept.ino()), (1234, 2345, inode));
    assert_eq!(names_in(here.path()), ["file"]);
}

#[test]
fn another_s_file_in_a_sticky_directory_is_written_in_place() {
    if !common::is_root() {
        return common::skip("only root can give files away");
    }
    let here = public_directory();
    set_mode(here.path(), 0o1777);
    let file = here.path().join("file");
    fs::write(&file, "old").unwrap();
    set_mode(&file, 0o666);
    write(&file, "new")
        .unprivileged()
        .answers(&wrote(3, "file"));
    assert_eq!(fs::read(&file).unwrap(), b"new");
    assert_eq!(names_in(here.path()), ["file"]);
}

#[test]
fn mode_bits_stay_whatever_they_are() {
    let here = directory();
    let file = here.path().join("file");
    for bits in [0o600, 0o755, 0o777, 0o2755, 0o4755, 0o6711, 0o1644] {
        // What the kernel itself leaves of them where somebody writes: set-ID bits are not for
        // everybody to keep.
        let probe = here.path().join("probe");
        fs::write(&probe, "old").unwrap();
        set_mode(&probe, bits);
        fs::write(&probe, "new").unwrap();
        let expected = mode(&probe);
        for content in ["new", ""] {
            fs::write(&file, "old").unwrap();
            set_mode(&file, bits);
            write(&file, content).answers(&wrote(content.len(), "file"));
            assert_eq!(mode(&file), expected, "{bits:o}");
        }
        fs::write(&file, "new").unwrap();
        set_mode(&file, bits);
        edit(&file, "new", "newer").run();
        assert_eq!(mode(&file), expected, "{bits:o}");
        fs::remove_file(&file).unwrap();
        fs::remove_file(&probe).unwrap();
    }
}

#[test]
fn set_id_bits_go_where_somebody_without_privileges_writes() {
    let here = public_directory();
    let file = here.path().join("file");
    for names in 1..3 {
        for content in ["new", ""] {
            fs::write(&file, "old").unwrap();
            if common::is_root() {
                std::os::unix::fs::chown(&file, Some(65534), Some(65534)).unwrap();
            }
            set_mode(&file, 0o6755);
            if names > 1 {
                fs::hard_link(&file, here.path().join("twin")).unwrap();
            }
            write(&file, content)
                .unprivileged()
                .answers(&wrote(content.len(), "file"));
            assert_eq!(mode(&file), 0o755, "{names} {content}");
            fs::remove_file(&file).unwrap();
            let _ = fs::remove_file(here.path().join("twin"));
        }
    }
}

#[test]
fn symbolic_links_are_followed_and_stay() {
    let here = directory();
    let (file, near, far) = (
        here.path().join("sub/file"),
        here.path().join("near"),
        here.path().join("far"),
    );
    fs::create_dir(here.path().join("sub")).unwrap();
    symlink("sub/file", &near).unwrap();
    symlink(&near, &far).unwrap();
    // Dangling at first: the file that the link means is made.
    write(&far, "new").answers(&wrote(3, "far"));
    assert_eq!(fs::read(&file).unwrap(), b"new");
    edit(&far, "new", "newer").run();
    assert_eq!(fs::read(&file).unwrap(), b"newer");
    assert!(near.is_symlink() && far.is_symlink());
    assert_eq!(names_in(here.path()), ["far", "near", "sub"]);
    symlink("loop", here.path().join("loop")).unwrap();
    let answer = write(&here.path().join("loop"), "x").run();
    assert_eq!(answer.json()["error_code"], "OPEN_FAILED");
}

#[test]
fn hard_links_stay_one_file() {
    let here = directory();
    let (one, two) = (here.path().join("one"), here.path().join("two"));
    fs::write(&one, "old, and rather long").unwrap();
    set_mode(&one, 0o4755);
    fs::hard_link(&one, &two).unwrap();
    write(&one, "new").answers(&wrote(3, "one"));
    assert_eq!(fs::read(&two).unwrap(), b"new");
    edit(&two, "new", "much longer than before").run();
    assert_eq!(fs::read(&one).unwrap(), b"much longer than before");
    assert_eq!(fs::metadata(&one).unwrap().nlink(), 2);
    assert_eq!(mode(&one) & 0o777, 0o755);
    assert_eq!(names_in(here.path()), ["one", "two"]);
}

#[test]
fn extended_attributes_and_acls_stay() {
    let here = directory();
    let file = here.path().join("file");
    fs::write(&file, "old").unwrap();
    let path = text(&file);
    if !run("setfattr", &["-n", "user.origin", "-v", "test", path])
        || !run("setfacl", &["-m", "u:1234:rw", path])
    {
        return common::skip(
            "setfattr and setfacl, or a file system that has attributes, are missing",
        );
    }
    // The directory's default ACL is for new files, not for this one.
    assert!(run(
        "setfacl",
        &["-d", "-m", "u:4321:rwx", text(here.path())]
    ));
    let attributes = || {
        let acl = Command::new("getfacl")
            .args(["-p", path])
            .output()
            .unwrap()
            .stdout;
        let xattr = Command::new("getfattr")
            .args(["-d", "--absolute-names", path])
            .output()
            .unwrap()
            .stdout;
        (
            String::from_utf8(acl).unwrap(),
            String::from_utf8(xattr).unwrap(),
        )
    };
    let before = attributes();
    assert!(before.0.contains("user:1234:rw-") && before.1.contains("user.origin=\"test\""));
    write(&file, "new").answers(&wrote(3, "file"));
    edit(&file, "new", "newer").run();
    assert_eq!(attributes(), before);
    // A plain file there gets no ACL by being overwritten.
    let plain = here.path().join("plain");
    fs::write(&plain, "old").unwrap();
    assert!(run("setfacl", &["-b", text(&plain)]));
    write(&plain, "new").run();
    let acl = Command::new("getfacl")
        .args(["-p", text(&plain)])
        .output()
        .unwrap()
        .stdout;
    assert!(!String::from_utf8(acl).unwrap().contains("user:4321"));
    // And a new one gets what the directory says.
    let fresh = here.path().join("fresh");
    write(&fresh, "x").run();
    let acl = Command::new("getfacl")
        .args(["-p", text(&fresh)])
        .output()
        .unwrap()
        .stdout;
    assert!(String::from_utf8(acl).unwrap().contains("user:4321:"));
}

#[test]
fn a_running_program_can_be_replaced() {
    let here = directory();
    let program = here.path().join("sleep");
    common::copy_program(Path::new("/bin/sleep"), &program);
    let mut child = Command::new(&program).arg("30.0391").spawn().unwrap();
    write(&program, "new").answers(&wrote(3, "sleep"));
    assert_eq!(fs::read(&program).unwrap(), b"new");
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn stdout_that_is_a_file_is_written_itself() {
    let here = directory();
    let out = here.path().join("out");
    let request = json!({"file_path": "/dev/fd/3", "content": "through the descriptor"});
    let script = r#"printf '%s' "$1" | XDG_STATE_HOME="$3" "$0" 3>"$2" >/dev/null"#;
    let link = common::link("file-write");
    let state = common::state_home();
    fs::write(&out, "").unwrap();
    let inode = fs::metadata(&out).unwrap().ino();
    let request = request.to_string();
    let args = [
        "-c",
        script,
        text(&link),
        &request,
        text(&out),
        text(&state),
    ];
    assert!(run("sh", &args));
    assert_eq!(fs::read(&out).unwrap(), b"through the descriptor");
    assert_eq!(fs::metadata(&out).unwrap().ino(), inode);
}

#[test]
fn what_is_made_up_as_it_is_read_is_written_as_well() {
    let file = Path::new("/proc/self/oom_score_adj");
    write(file, "500").answers(&wrote(3, "oom_score_adj"));
    edit(file, "0", "1000")
        .answers(&json!({"output": "Replaced 1 occurrence in oom_score_adj", "replacements": 1}));
    // What the kernel does not take changes nothing, and nothing else is said.
    let answer = write(file, "bogus\n").run();
    assert_eq!(answer.field("error_code"), "WRITE_FAILED");
    let error = answer.field("error");
    assert!(
        error.ends_with("oom_score_adj (Invalid argument)"),
        "{error}"
    );
}

#[test]
fn a_bind_mount_is_written_in_place() {
    let here = directory();
    let (file, place) = (here.path().join("file"), here.path().join("place"));
    fs::write(&file, "old").unwrap();
    fs::write(&place, "").unwrap();
    if !run("mount", &["--bind", text(&file), text(&place)]) {
        return common::skip("no bind mounts here");
    }
    write(&place, "new").answers(&wrote(3, "place"));
    edit(&place, "new", "newer").run();
    let content = fs::read(&file).unwrap();
    assert!(run("umount", &[text(&place)]));
    assert_eq!(content, b"newer");
    assert_eq!(names_in(here.path()), ["file", "place"]);
}

/// A file system of 256 KiB, where the machine allows one.
struct SmallDisk(tempfile::TempDir);

impl SmallDisk {
    fn mount() -> Option<Self> {
        let place = directory();
        let mounted = run(
            "mount",
            &["-t", "tmpfs", "-o", "size=256k", "none", text(place.path())],
        );
        mounted.then(|| Self(place))
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        assert!(run("umount", &[text(self.0.path())]));
    }
}

#[test]
fn a_full_disk_leaves_the_old_content_and_nothing_else() {
    let Some(disk) = SmallDisk::mount() else {
        return common::skip("no tmpfs can be mounted here");
    };
    let (file, twin) = (disk.0.path().join("file"), disk.0.path().join("twin"));
    let large = "x".repeat(300_000);
    let full = format!("No space left on device: {}", text(&file));
    write(&file, &large).fails("NO_SPACE", &full);
    assert!(names_in(disk.0.path()).is_empty());
    fs::write(&file, "old").unwrap();
    write(&file, &large).fails("NO_SPACE", &full);
    edit(&file, "old", &large).fails("NO_SPACE", &full);
    assert_eq!(fs::read(&file).unwrap(), b"old");
    assert_eq!(names_in(disk.0.path()), ["file"]);
    // In place as well, where a rename would part two names.
    fs::hard_link(&file, &twin).unwrap();
    write(&file, &large).fails("NO_SPACE", &full);
    edit(&file, "old", &large).fails("NO_SPACE", &full);
    assert_eq!(fs::read(&twin).unwrap(), b"old");
}

#[test]
fn killed_at_any_moment_the_file_is_old_or_new_and_alone() {
    let here = directory();
    let file = here.path().join("file");
    let old = "a".repeat(3_000_000);
    let new = "b".repeat(3_000_000);
    fs::write(&file, &old).unwrap();
    let took = write(&file, &new).run().took;
    kill_later_and_later(took, |round, pause| {
        // What was begun in the last round goes on in the last round's file.
        let _ = fs::remove_file(&file);
        fs::write(&file, &old).unwrap();
        if round % 2 == 1 {
            // In place: two names.
            let _ = fs::hard_link(&file, here.path().join("twin"));
        }
        let mut child = write(&file, &new).start();
        std::thread::sleep(pause);
        child.kill().unwrap();
        let ended = child.wait().unwrap().success();
        let whole = || {
            let content = fs::read(&file).unwrap();
            content == new.as_bytes() || !ended && content == old.as_bytes()
        };
        // In place, what has been begun is carried out by a process of its own.
        assert!(
            if round % 2 == 1 {
                eventually(whole)
            } else {
                whole()
            },
            "round {round}, ended: {ended}"
        );
        let _ = fs::remove_file(here.path().join("twin"));
        let alone = || names_in(here.path()) == ["file"];
        assert!(eventually(alone), "round {round}");
        ended
    });
}
