//! What the installer leaves alone, and what it says where it cannot go on.

use std::fs;
use std::os::unix::fs::{PermissionsExt, chown, symlink};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use super::room::{PROGRAM, Room, SCRIPT, said, write_script};
use crate::common;

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
    let text = room.install_that_exits(1, &["--user"]);
    room.shows("files of others", &text);
    assert!(fs::read_link(dir.join("file-write")).is_ok());
    kept(&room);
    room.install_that_exits(1, &["--user", "--suffix"]);
    kept(&room);
    let text = room.uninstall(&["--user"]);
    room.shows("files of others that stay", &text);
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
        let in_libexec = i32::from(place.starts_with("libexec"));
        for (last, expected) in [
            (&["--binary", PROGRAM][..], 1),
            (&["--uninstall"], in_libexec),
        ] {
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
fn what_is_not_ours_is_not_what_to_try_next() {
    for foreign in ["bash", "glob"] {
        let room = Room::new();
        let dir = room.path("home/.local/libexec/ikigai");
        fs::create_dir_all(&dir).unwrap();
        write_script(&dir.join(foreign), "#!/bin/sh\necho my own\n");
        let text = room.install_that_exits(1, &[]);
        let (_, next) = text.split_once("Try next:\n").unwrap();
        let next = next.lines().next().unwrap();
        let own = if foreign == "bash" {
            "file-read"
        } else {
            "bash"
        };
        assert!(next.ends_with(&format!("/libexec/ikigai/{own}'")), "{next}");
        room.install_that_exits(1, &["--dry-run"]);
        fs::remove_file(dir.join(foreign)).unwrap();
        room.install(&[]);
    }
}

/// A file where the program belongs, which leaves a mark if it is run.
const PLANTED: &str = "#!/bin/sh\n: >\"$0.ran\"\necho 'ikigai-tools 9.9.9'\n";

#[test]
fn what_another_user_may_have_left_in_the_prefix_is_not_run() {
    if !common::is_root() {
        common::skip("only root can give files away");
        return;
    }
    let dir = "prefix/libexec/ikigai";
    let program = "prefix/libexec/ikigai/ikigai-tools";
    for (spoilt, owner, mode) in [
        (program, common::NOBODY, 0o755),
        (dir, common::NOBODY, 0o755),
        ("prefix", common::NOBODY, 0o755),
        (program, 0, 0o775),
        (program, 0, 0o757),
        (dir, 0, 0o777),
        ("prefix", 0, 0o777),
    ] {
        for last in [
            &["--binary", PROGRAM][..],
            &["--binary", PROGRAM, "--dry-run"],
            &["--uninstall"],
            &["--uninstall", "--binary", PROGRAM],
        ] {
            let room = Room::new();
            fs::create_dir_all(room.path(dir)).unwrap();
            write_script(&room.path(program), PLANTED);
            let spoilt = room.path(spoilt);
            chown(&spoilt, Some(owner), Some(owner)).unwrap();
            fs::set_permissions(&spoilt, fs::Permissions::from_mode(mode)).unwrap();
            let before = room.snapshot();
            let output = room.script(&["--prefix", "prefix"]).args(last).output();
            let text = said(&output.unwrap(), 1);
            assert_eq!(room.snapshot(), before, "{last:?}: {text}");
            let whose = if owner == 0 {
                "may be changed by others"
            } else {
                "belongs to user 65534"
            };
            let why = format!("{} {whose}", spoilt.display());
            assert!(text.contains(&why), "{last:?}: {text}");
            let link = Command::new(PROGRAM)
                .args(["link", "--copy"])
                .arg(room.path(dir))
                .output();
            let text = said(&link.unwrap(), 1);
            assert_eq!(room.snapshot(), before, "{text}");
            assert!(text.contains(&why), "{text}");
        }
    }
}

#[test]
fn a_link_to_what_another_user_has_left_is_not_followed() {
    if !common::is_root() {
        common::skip("only root can give files away");
        return;
    }
    let room = Room::new();
    let (dir, planted) = (
        room.path("prefix/libexec/ikigai"),
        room.path("ikigai-tools"),
    );
    fs::create_dir_all(&dir).unwrap();
    write_script(&planted, PLANTED);
    chown(&planted, Some(common::NOBODY), Some(common::NOBODY)).unwrap();
    symlink(&planted, dir.join("bash")).unwrap();
    let text = room.install_that_exits(1, &["--prefix", "prefix"]);
    room.shows("a link to another user's file", &text);
    assert!(!room.path("ikigai-tools.ran").exists(), "{text}");
    assert_eq!(fs::read_link(dir.join("bash")).unwrap(), planted);
}

#[test]
fn what_another_user_may_change_is_not_tried_once_it_is_installed() {
    if !common::is_root() {
        common::skip("only root can give files away");
        return;
    }
    let room = Room::new();
    let project = room.path("project");
    fs::create_dir(&project).unwrap();
    chown(&project, Some(common::NOBODY), Some(common::NOBODY)).unwrap();
    let text = room.install(&["--project", "project"]);
    room.shows("tools that another user may change", &text);
}

/// `install.sh` on a machine that has these commands and what the script cannot do without, to
/// build the program.
fn build_with(room: &Room, commands: &Path) -> Command {
    let mut command = Command::new("/bin/sh");
    command
        .arg(SCRIPT)
        .env_clear()
        .env("PATH", commands)
        .env("HOME", room.path("home"));
    command
}

/// All that the script itself calls before it builds.
const NEEDED: [&str; 5] = ["cat", "dirname", "mktemp", "rm", "sed"];

#[test]
fn a_machine_without_rust_or_c_is_told_how_to_go_on() {
    let room = Room::new();
    let commands = room.commands(&NEEDED);
    let before = room.snapshot();
    let output = build_with(&room, &commands).output();
    let text = said(&output.unwrap(), 1);
    room.shows("a machine without Rust and C", &text);
    assert_eq!(room.snapshot(), before);
}

/// A cargo and a rustc that write down how they are called, and do nothing; cargo fails.
fn lay_witnesses(room: &Room, commands: &Path) {
    let calls = room.path("calls");
    let calls = calls.to_str().unwrap().replace('\'', r"'\''");
    let cargo = format!("#!/bin/sh\necho \"cargo $*\" >>'{calls}'\nexit 101\n");
    write_script(&commands.join("cargo"), &cargo);
    let rustc = "#!/bin/sh\ncase $1 in\n--version) echo 'rustc 1.99.0 (none)';;\n\
        -vV) echo 'host: x86_64-unknown-linux-gnu';;\nesac\n";
    write_script(&commands.join("rustc"), rustc);
}

#[test]
fn a_c_compiler_that_does_not_work_is_found_out_before_anything_is_fetched() {
    let without_headers = "#!/bin/sh\n\
        echo 'probe.c:1:10: fatal error: stdlib.h: No such file or directory' >&2; exit 1\n";
    for (compiler, complaint) in [
        (None, "no C compiler"),
        (Some("#!/bin/sh\nexit 1\n"), "a C compiler that fails"),
        (Some(without_headers), "a C compiler without headers"),
    ] {
        let room = Room::new();
        let commands = room.commands(&NEEDED);
        lay_witnesses(&room, &commands);
        if let Some(compiler) = compiler {
            write_script(&commands.join("cc"), compiler);
        }
        let output = build_with(&room, &commands).output();
        let text = said(&output.unwrap(), 1);
        room.shows(complaint, &text);
        assert!(!room.path("calls").exists(), "{text}");
    }
}

#[test]
fn only_this_target_s_packages_are_fetched() {
    let room = Room::new();
    let commands = room.commands(&NEEDED);
    lay_witnesses(&room, &commands);
    write_script(&commands.join("cc"), "#!/bin/sh\nexit 0\n");
    let output = build_with(&room, &commands).output();
    let text = said(&output.unwrap(), 1);
    room.shows("packages that could not be fetched", &text);
    let calls = fs::read_to_string(room.path("calls")).unwrap();
    assert_eq!(
        calls,
        "cargo fetch --locked --target x86_64-unknown-linux-gnu\n"
    );
}

/// What the executable says of where it was built, the compiler is told: of every directory that
/// it could name, what to name instead. A person's own flags stay.
#[test]
fn the_compiler_is_told_to_name_no_directory_of_this_machine() {
    let room = Room::new();
    let mut needed = NEEDED.to_vec();
    needed.extend(["mkdir", "tr"]);
    let commands = room.commands(&needed);
    lay_witnesses(&room, &commands);
    let flags = room.path("flags");
    let quoted = flags.to_str().unwrap().replace('\'', r"'\''");
    let cargo = format!(
        "#!/bin/sh\n[ \"$1\" = fetch ] && exit\nprintf %s \"$CARGO_ENCODED_RUSTFLAGS\" >'{quoted}'\nexit 101\n"
    );
    write_script(&commands.join("cargo"), &cargo);
    write_script(&commands.join("cc"), "#!/bin/sh\nexit 0\n");
    let registry = room.path("home/.cargo/registry/src/index");
    fs::create_dir_all(&registry).unwrap();
    let output = build_with(&room, &commands)
        .env("RUSTFLAGS", "-C opt-level=2  --cfg a*")
        .env("CARGO_TARGET_DIR", room.path("elsewhere"))
        .output();
    let text = said(&output.unwrap(), 1);
    let flags = fs::read_to_string(flags).unwrap_or_else(|_| panic!("cargo built nothing: {text}"));
    let flags: Vec<_> = flags.split('\x1f').collect();
    assert_eq!(flags[..4], ["-C", "opt-level=2", "--cfg", "a*"]);
    let remaps: Vec<_> = flags
        .iter()
        .filter_map(|flag| flag.strip_prefix("--remap-path-prefix="))
        .collect();
    let (home, elsewhere) = (room.path("home/.cargo"), room.path("elsewhere"));
    for (directory, name) in [
        (Path::new(env!("CARGO_MANIFEST_DIR")), ""),
        (elsewhere.as_path(), "target"),
        (home.as_path(), "cargo"),
        (registry.as_path(), ""),
    ] {
        let remap = format!("{}={name}", directory.display());
        assert!(remaps.contains(&remap.as_str()), "{remap}: {flags:?}");
    }
    // The compiler takes the last that fits.
    let place = |directory: &Path| {
        let start = format!("{}=", directory.display());
        remaps.iter().position(|remap| remap.starts_with(&start))
    };
    assert!(place(&home) < place(&registry), "{remaps:?}");
}

#[test]
fn a_wrong_command_line_exits_2_and_says_what_is_wrong() {
    let room = Room::new();
    let before = room.snapshot();
    let wrong: [(&[&str], &str); 6] = [
        (&["--frobnicate"], "an unknown option"),
        (&["somewhere"], "a word that is no option"),
        (&["--prefix"], "an option without its value"),
        (&["--binary", ""], "an option with an empty value"),
        (&["--user", "--prefix", "x"], "two places"),
        (&["--project", "--user"], "two places"),
    ];
    for (args, message) in wrong {
        let text = said(&room.script(args).output().unwrap(), 2);
        room.shows(message, &text);
    }
    assert_eq!(room.snapshot(), before);
    let help = room.script(&["--help"]).output().unwrap();
    room.shows("the help", &said(&help, 0));
}

#[test]
fn a_prefix_in_the_environment_is_said_not_to_be_read() {
    let room = Room::new();
    let run = |last: &[&str]| {
        let mut script = room.script(last);
        let output = script.env("PREFIX", room.path("elsewhere")).output();
        said(&output.unwrap(), 0)
    };
    let note = "PREFIX in the environment";
    for last in [
        &["--dry-run", "--binary", PROGRAM][..],
        &["--uninstall"],
        &["--uninstall", "--dry-run"],
    ] {
        room.shows(note, &run(last));
        for place in [&["--prefix", "prefix"][..], &["--user"]] {
            let text = run(&[last, place].concat());
            assert!(!text.contains("PREFIX="), "{text}");
        }
    }
    assert!(!room.path("elsewhere").exists());
}

#[test]
fn a_place_that_cannot_be_written_is_named() {
    let room = Room::new();
    fs::write(room.path("file"), "").unwrap();
    let before = room.snapshot();
    let of_proc = if common::is_root() {
        "a prefix that cannot be made"
    } else {
        "a prefix that this user may not make"
    };
    for (prefix, culprit) in [
        ("file/below", "a prefix below a file"),
        ("/proc/x", of_proc),
    ] {
        let output = room
            .script(&["--binary", PROGRAM, "--prefix", prefix])
            .output();
        let text = said(&output.unwrap(), 1);
        room.shows(culprit, &text);
    }
    assert_eq!(room.snapshot(), before);
}

#[test]
fn a_place_that_this_user_may_not_write_is_named() {
    let room = Room::open_to_everybody();
    fs::create_dir(room.path("locked")).unwrap();
    fs::set_permissions(room.path("locked"), fs::Permissions::from_mode(0o555)).unwrap();
    let text = fs::read_to_string(SCRIPT).unwrap();
    write_script(&room.path("install.sh"), &text);
    let before = room.snapshot();
    let mut command = Command::new("sh");
    command
        .args(["install.sh", "--binary", PROGRAM, "--prefix", "locked/x"])
        .current_dir(room.path(""))
        .env("TMPDIR", room.path("home"));
    if common::is_root() {
        // Nothing stops root.
        command.uid(65534).gid(65534);
    }
    let text = said(&command.output().unwrap(), 1);
    room.shows("a prefix that may not be written", &text);
    fs::set_permissions(room.path("locked"), fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!(room.snapshot().len(), before.len());
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
            room.shows("no HOME", &said(&command.output().unwrap(), 1));
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
        ("nowhere", "a binary that is not there"),
        ("text", "a binary that cannot be run"),
        ("/bin/true", "a binary that is another program"),
        (".", "a binary that is a directory"),
    ] {
        let output = room.script(&["--binary", file]).output().unwrap();
        room.shows(message, &said(&output, 1));
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
    room.shows("tools that do not answer", &said(&output, 1));
}
