//! What the installer leaves alone, and what it says where it cannot go on.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::Command;

use crate::room::{PROGRAM, Room, SCRIPT, said};

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
