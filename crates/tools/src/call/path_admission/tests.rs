//! Paths within and outside the bounds, by every way that leads to them.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::call::confined::refusal;
use crate::call::path_admission::*;
use crate::registry;
use iki_process::sandbox::confinement::{Confinement, ConfinementBounds};

struct Room {
    _directory: tempfile::TempDir,
    outside: PathBuf,
    confinement: Confinement,
}

impl Room {
    fn first(&self) -> &Path {
        self.confinement.start_directory().unwrap()
    }
}

/// A confinement to these roots.
fn confined(roots: &[PathBuf]) -> Confinement {
    let bounds = ConfinementBounds {
        roots: roots.iter().map(Into::into).collect(),
        ..ConfinementBounds::default()
    };
    Confinement::resolve(&bounds).unwrap()
}

/// `in` is within bounds, `out` is not; `in` has links to `out`.
fn room() -> Room {
    let directory = tempfile::tempdir().unwrap();
    let top = directory.path().canonicalize().unwrap();
    for name in ["in/sub/deep", "out/sub", "inside"] {
        fs::create_dir_all(top.join(name)).unwrap();
    }
    for name in [
        "in/file",
        "in/sub/file",
        "in/.hidden",
        "in/brace{s,d}",
        "in/braced",
        "out/secret",
        "out/sub/secret",
    ] {
        fs::write(top.join(name), name).unwrap();
    }
    symlink(top.join("out"), top.join("in/link")).unwrap();
    symlink("../../out/secret", top.join("in/sub/link")).unwrap();
    symlink("../out/new", top.join("in/dangling")).unwrap();
    symlink("loop", top.join("in/loop")).unwrap();
    symlink("sub", top.join("in/home")).unwrap();
    Room {
        outside: top.join("out"),
        confinement: confined(&[top.join("in")]),
        _directory: directory,
    }
}

fn admit(room: &Room, tool: &str, request: &Value) -> Result<(), String> {
    let tool = registry::find_tool(tool).unwrap();
    let outputs = RootSet::new(Vec::new());
    let given = |name: &str| request.get(name)?.as_str().filter(|text| !text.is_empty());
    let admitted =
        super::check_request_paths(&room.confinement, &outputs, tool, room.first(), given);
    admitted.map_err(|refused| refusal(&room.confinement, &refused).message)
}

#[test]
fn a_file_within_passes_however_it_is_named() {
    let room = room();
    let absolute = room.first().join("sub/file");
    for path in [
        "file",
        "./file",
        "sub/../file",
        "home/file",
        "link/../in/file",
        "file/x",
        "file/",
        "file/../file",
        "gone/../file",
        "a\0b",
        &"n".repeat(300),
        "new",
        "gone/new",
        absolute.to_str().unwrap(),
    ] {
        for tool in ["file-read", "file-write", "file-edit"] {
            let request = json!({"file_path": path, "content": "x"});
            assert_eq!(admit(&room, tool, &request), Ok(()), "{path}");
        }
    }
}

#[test]
fn a_file_outside_is_refused_however_it_is_reached() {
    let room = room();
    let absolute = room.outside.join("secret");
    let look_alike = room.first().with_file_name("inside").join("x");
    for path in [
        "../out/secret",
        "../out/nothing",
        "link/secret",
        "link",
        "link/new",
        "sub/link",
        "dangling",
        "loop",
        "..",
        "sub/../../out/secret",
        "gone/../../out/secret",
        "file/../../out/secret",
        "file/../link/secret",
        "gone/../link/../out/secret",
        "/",
        absolute.to_str().unwrap(),
        look_alike.to_str().unwrap(),
    ] {
        for tool in ["file-read", "file-write", "file-edit"] {
            let refusal = admit(&room, tool, &json!({"file_path": path})).unwrap_err();
            assert!(refusal.contains("confined"), "{path}: {refusal}");
        }
    }
}

#[test]
fn a_pattern_that_leaves_is_refused() {
    let room = room();
    let absolute = room.outside.join("*");
    for pattern in [
        "../*",
        "../out/secret",
        "link/*",
        "link/secret",
        r"l\ink/*",
        "file/../link/*",
        "gone/../../out/*",
        "*/../../out/*",
        r"*/\../x",
        "/*",
        "/etc/passwd",
        absolute.to_str().unwrap(),
        "{file,../*}",
        "{../out/secret,file}",
        "{,../}out/*",
        "sub/{file,../../out/secret}",
        "{sub,link}/secret",
        "*/{.,..}/../out/*",
        "{*,sub}/{file,../../out/secret}",
        "{x,/etc/passwd}",
        "{,/etc/}passwd",
        r"{file,\../out/x}",
        "{a,{b,../out/*}}",
    ] {
        assert!(
            admit(&room, "glob", &json!({"pattern": pattern})).is_err(),
            "{pattern}"
        );
        assert!(
            admit(&room, "grep", &json!({"pattern": "x", "glob": pattern})).is_err(),
            "{pattern}"
        );
    }
    for path in ["link", "..", "/etc", "link/sub"] {
        let request = json!({"pattern": "*", "path": path});
        assert!(admit(&room, "glob", &request).is_err());
        assert!(admit(&room, "grep", &request).is_err());
    }
}

#[test]
fn a_pattern_within_passes() {
    let room = room();
    for pattern in [
        "*",
        "file",
        "**/file",
        "*/file",
        "*/deep/",
        "**/.hidden",
        r"**/f\ile",
        r"**/\f\ile",
        "*/./file",
        "su[b]//file",
        "",
        "{file,sub/file,none}",
        "{sub,home}/file",
        "**/{file,deep}",
        "**/{.hidden,de*}",
        "{*/file,gone/../file}",
        "{*,s*}/{file,deep,deep/}",
        r"*/{\file,d[e]ep}",
        r"{sub/fil\e,x\}",
        "{file}",
        "{fi,le",
        "brace{s,d}",
        "*{s,d}",
        "{,*/}file",
    ] {
        let base = room.first();
        let path = base.to_str().unwrap();
        let request = json!({"pattern": pattern, "path": path});
        assert_eq!(admit(&room, "glob", &request), Ok(()), "{pattern}");
    }
}

#[test]
fn a_path_that_the_kernel_cannot_take_whole_is_refused() {
    let room = room();
    let mut path = room.first().to_owned();
    while path.as_os_str().len() < 4096 {
        path.push("n".repeat(200));
    }
    let request = json!({"file_path": path.to_str().unwrap()});
    assert!(admit(&room, "file-read", &request).is_err());
}

#[test]
fn as_many_links_are_followed_as_the_kernel_follows() {
    let room = room();
    let directory = room.first();
    symlink("file", directory.join("link1")).unwrap();
    for number in 2..=41 {
        let link = directory.join(format!("link{number}"));
        symlink(format!("link{}", number - 1), link).unwrap();
    }
    for (name, followed) in [("link40", true), ("link41", false)] {
        assert_eq!(directory.join(name).metadata().is_ok(), followed, "{name}");
        let admitted = admit(&room, "file-read", &json!({"file_path": name}));
        assert_eq!(admitted.is_ok(), followed, "{name}");
    }
}

#[test]
fn only_what_names_files_is_bounded() {
    let room = room();
    for (tool, concerned) in [
        ("bash", false),
        ("web-fetch", false),
        ("web-search-brave", false),
        ("file-read", true),
        ("file-write", true),
        ("glob", true),
        ("grep", true),
    ] {
        let request = json!({"file_path": "/etc/passwd", "path": "/etc", "pattern": "x"});
        assert_eq!(admit(&room, tool, &request).is_err(), concerned, "{tool}");
        // A value that is not text names nothing, and the tool says so itself.
        for value in [json!(null), json!(3), json!(["/etc"]), json!({"a": "/etc"})] {
            let request = json!({"file_path": value, "path": value, "pattern": value});
            assert!(admit(&room, tool, &request).is_ok(), "{tool} {value}");
        }
        assert!(admit(&room, tool, &json!({})).is_ok(), "{tool}");
    }
}

#[test]
fn within_any_of_several_directories_is_within_and_relative_paths_start_at_the_first() {
    let room = room();
    let top = room.outside.parent().unwrap();
    let confinement = confined(&[top.join("inside"), top.join("in")]);
    assert_eq!(confinement.start_directory(), Some(&*top.join("inside")));
    assert_eq!(
        confinement.roots().directories(),
        [top.join("inside"), top.join("in")]
    );
    let room = Room {
        confinement,
        ..room
    };
    for (path, within) in [("x", true), ("../in/file", true), ("../out/secret", false)] {
        let admitted = admit(&room, "file-read", &json!({"file_path": path}));
        assert_eq!(admitted.is_ok(), within, "{path}");
    }
    let refusal = admit(&room, "file-read", &json!({"file_path": "../out/secret"})).unwrap_err();
    assert!(
        refusal.starts_with("Not allowed: ../out/secret is not within "),
        "{refusal}"
    );
    assert!(
        refusal.contains("/inside or ") && refusal.contains("/in, to"),
        "{refusal}"
    );
}

#[test]
fn an_escape_hides_no_character_that_means_something() {
    let room = room();
    for pattern in [r"\.\./out/*", r"\../out/secret", r"*/.\./../out/x"] {
        let request = json!({"pattern": pattern});
        assert!(admit(&room, "glob", &request).is_err(), "{pattern}");
    }
}
