//! Ways by the tools that work with files, by every door.

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::{Value, json};

use crate::stage::{DOORS, Door, SECRET, Stage, User, abi};

fn staged(user: User) -> Stage {
    let stage = Stage::new(user);
    symlink("../outside/secret", stage.path("root/link")).unwrap();
    symlink("../outside", stage.path("root/directory")).unwrap();
    symlink("../outside/new", stage.path("root/dangling")).unwrap();
    symlink("/proc/self/root", stage.path("root/top")).unwrap();
    stage.give("root");
    stage
}

/// A request in which `OUT` stands for the directory outside.
fn request(stage: &Stage, request: &Value) -> Value {
    let out = stage.path("outside").display().to_string();
    serde_json::from_str(&request.to_string().replace("OUT", &out)).unwrap()
}

/// Asserts that each request succeeds without a confinement, and within is refused by every door
/// with this code, if there is one, and without a trace.
fn refused(tool: &str, code: Option<&str>, requests: &[Value]) {
    if abi().is_none() {
        return;
    }
    for user in User::all() {
        for one in requests {
            let stage = staged(user);
            let asked = request(&stage, one);
            let free = stage.call(Door::Host, None, tool, &asked);
            assert!(free["error"].is_null(), "{tool} {one}: {free}");
            for door in DOORS {
                let stage = staged(user);
                let before = stage.outside();
                let asked = request(&stage, one);
                let answer = stage.call(door, Some(&stage.bounds()), tool, &asked);
                let context = format!("{tool} {one}, {door:?}, {user:?}: {answer}");
                assert!(!answer.to_string().contains(SECRET), "{context}");
                if let Some(code) = code {
                    assert_eq!(answer["error_code"], code, "{context}");
                }
                assert_eq!(stage.outside(), before, "{context}");
            }
        }
    }
}

const REFUSED: Option<&str> = Some("PERMISSION_DENIED");

#[test]
fn file_read_reads_nothing_outside() {
    refused(
        "file-read",
        REFUSED,
        &[
            json!({"file_path": "OUT/secret"}),
            json!({"file_path": "../outside/secret"}),
            json!({"file_path": "below/../../outside/secret"}),
            json!({"file_path": "link"}),
            json!({"file_path": "directory/secret"}),
            json!({"file_path": "directory/below/secret"}),
            json!({"file_path": "topOUT/secret"}),
            json!({"file_path": "/proc/self/rootOUT/secret"}),
            json!({"file_path": "/proc/self/cwd/../outside/secret"}),
            json!({"file_path": "/etc/passwd"}),
        ],
    );
}

#[test]
fn file_write_writes_nothing_outside() {
    refused(
        "file-write",
        REFUSED,
        &[
            json!({"file_path": "OUT/secret", "content": "x"}),
            json!({"file_path": "OUT/new", "content": "x"}),
            json!({"file_path": "../outside/new", "content": "x"}),
            json!({"file_path": "link", "content": "x"}),
            json!({"file_path": "dangling", "content": "x"}),
            json!({"file_path": "directory/new", "content": "x"}),
            json!({"file_path": "topOUT/new", "content": "x"}),
            json!({"file_path": "/proc/self/cwd/../outside/new", "content": "x"}),
        ],
    );
}

#[test]
fn file_edit_changes_nothing_outside() {
    let edit = |path: &str| json!({"file_path": path, "old_string": "content", "new_string": "x"});
    refused(
        "file-edit",
        REFUSED,
        &[
            edit("OUT/secret"),
            edit("../outside/secret"),
            edit("link"),
            edit("directory/secret"),
            edit("/proc/self/rootOUT/secret"),
        ],
    );
}

#[test]
fn glob_and_grep_find_nothing_outside() {
    refused(
        "grep",
        REFUSED,
        &[
            json!({"pattern": "content", "path": "OUT"}),
            json!({"pattern": "content", "path": "OUT/secret"}),
            json!({"pattern": "content", "path": "link"}),
            json!({"pattern": "content", "path": "../outside"}),
            json!({"pattern": "content", "path": "directory"}),
        ],
    );
    refused(
        "glob",
        REFUSED,
        &[
            json!({"pattern": "OUT/*"}),
            json!({"pattern": "../outside/*"}),
            json!({"pattern": "*", "path": "OUT"}),
            json!({"pattern": "{inside,../outside/*}"}),
        ],
    );
}

/// What a walk comes upon is not entered, and not named.
#[test]
fn a_walk_leaves_out_what_leads_outside() {
    if abi().is_none() {
        return;
    }
    for user in User::all() {
        for door in DOORS {
            for (tool, asked) in [
                ("glob", json!({"pattern": "**/secret"})),
                ("glob", json!({"pattern": "directory/*"})),
                ("glob", json!({"pattern": "*/below/*cret"})),
                ("glob", json!({"pattern": "*/../../outside/*"})),
                ("glob", json!({"pattern": "director*/secret"})),
                ("glob", json!({"pattern": "director*/below/secret"})),
                ("glob", json!({"pattern": "{director*,x}/{secret,below}"})),
                ("glob", json!({"pattern": "\"OUT/secret\""})),
                ("glob", json!({"pattern": "'OUT/secret'"})),
                ("grep", json!({"pattern": "content"})),
                ("grep", json!({"pattern": "content", "glob": "**/secret"})),
                (
                    "grep",
                    json!({"pattern": "content", "glob": "directory/**"}),
                ),
            ] {
                let stage = staged(user);
                let asked = request(&stage, &asked);
                let answer = stage.call(door, Some(&stage.bounds()), tool, &asked);
                let output = answer["output"].as_str().unwrap_or_default();
                let note = answer["note"].as_str().unwrap_or_default();
                let context = format!("{tool} {asked}, {door:?}: {answer}");
                assert!(!output.contains(SECRET), "{context}");
                assert!(!output.contains("/secret"), "{context}");
                assert!(!note.contains("\"pattern\":\"/"), "{context}");
            }
        }
    }
}

/// Files that are streams or processes' own are refused or lead nowhere.
#[test]
fn names_of_streams_and_descriptors_lead_nowhere() {
    if abi().is_none() {
        return;
    }
    for user in User::all() {
        for door in DOORS {
            for path in [
                "/dev/stdin",
                "/dev/stdout",
                "/dev/stderr",
                "/dev/fd/0",
                "/proc/self/fd/1",
                "/proc/self/fd/2",
                "/dev/tty",
                "/proc/self/mem",
                "/proc/self/environ",
                "/proc/1/environ",
            ] {
                for (tool, asked) in [
                    ("file-read", json!({"file_path": path})),
                    ("file-write", json!({"file_path": path, "content": "x"})),
                ] {
                    let stage = staged(user);
                    let answer = stage.call(door, Some(&stage.bounds()), tool, &asked);
                    let code = &answer["error_code"];
                    assert_eq!(
                        code, "PERMISSION_DENIED",
                        "{tool} {path}, {door:?}: {answer}"
                    );
                }
            }
        }
    }
}

/// Whether something is there outside cannot be told from a refusal.
#[test]
fn a_refusal_is_the_same_whether_something_is_there_or_not() {
    if abi().is_none() {
        return;
    }
    for user in User::all() {
        for door in DOORS {
            for tool in ["file-read", "file-write", "file-edit", "grep", "glob"] {
                let stage = staged(user);
                let answers = ["secret", "absent"].map(|name| {
                    let path = format!("{}/{name}", stage.path("outside").display());
                    let asked = match tool {
                        "file-read" => json!({"file_path": path}),
                        "file-write" => json!({"file_path": path, "content": "x"}),
                        "file-edit" => {
                            json!({"file_path": path, "old_string": "a", "new_string": "b"})
                        }
                        "grep" => json!({"pattern": "x", "path": path}),
                        _ => json!({"pattern": "*", "path": path}),
                    };
                    let answer = stage.call(door, Some(&stage.bounds()), tool, &asked);
                    let answer = answer.to_string().replace(name, "NAME");
                    // A server's directory for temporary files has another name each time.
                    let own = answer.split_once("$TMPDIR (");
                    let own = own.and_then(|(_, behind)| behind.split_once(')'));
                    own.map_or_else(|| answer.clone(), |(own, _)| answer.replace(own, "OWN"))
                });
                assert_eq!(answers[0], answers[1], "{tool} {door:?} {user:?}");
            }
        }
    }
}

/// Files that may be read beside the roots are read, and not written.
#[test]
fn what_may_be_read_is_not_written() {
    if abi().is_none() {
        return;
    }
    for user in User::all() {
        for door in DOORS {
            let stage = staged(user);
            let path = stage.path("readable/fixed").display().to_string();
            let bounds = stage.bounds();
            let answer = stage.call(
                door,
                Some(&bounds),
                "file-read",
                &json!({"file_path": path}),
            );
            assert_eq!(answer["output"], "fixed\n", "{door:?}: {answer}");
            let before = stage.outside();
            for (tool, asked) in [
                ("file-write", json!({"file_path": path, "content": "x"})),
                (
                    "file-write",
                    json!({"file_path": format!("{path}.new"), "content": "x"}),
                ),
                (
                    "file-edit",
                    json!({"file_path": path, "old_string": "f", "new_string": "x"}),
                ),
            ] {
                let answer = stage.call(door, Some(&bounds), tool, &asked);
                assert_eq!(
                    answer["error_code"], "PERMISSION_DENIED",
                    "{tool} {door:?}: {answer}"
                );
            }
            assert_eq!(stage.outside(), before);
        }
    }
}

/// A file of the root with a second name outside is in the root.
#[test]
fn a_second_name_outside_is_written_by_the_name_inside() {
    if abi().is_none() {
        return;
    }
    for user in User::all() {
        let stage = staged(user);
        fs::hard_link(stage.path("outside/secret"), stage.path("root/twin")).unwrap();
        let answer = stage.call(
            Door::Host,
            Some(&stage.bounds()),
            "file-write",
            &json!({"file_path": "twin", "content": "x"}),
        );
        assert!(answer["error"].is_null(), "{answer}");
        assert_eq!(
            fs::read_to_string(stage.path("outside/secret")).unwrap(),
            "x"
        );
    }
}

/// Where commands have their temporary files, a call of another tool may work, and finds no way
/// out.
#[test]
fn links_in_the_directory_for_temporary_files_lead_nowhere() {
    if abi().is_none() {
        return;
    }
    for user in User::all() {
        let stage = Stage::new(user);
        let before = stage.outside();
        let mut server = stage.server(&stage.bounds().flags());
        let lay = "ln -s $OUT/secret $TMPDIR/link; ln -s $OUT $TMPDIR/directory; \
                   ln -s $OUT/new $TMPDIR/dangling; ln -s / $TMPDIR/top; echo x >$TMPDIR/own; \
                   (while [ -e $TMPDIR/own ]; do ln -sfn $OUT $TMPDIR/swapped; ln -sfn $TMPDIR $TMPDIR/swapped; done) \
                   >/dev/null 2>&1 & echo $TMPDIR";
        let own = server.run(lay).text.trim().to_owned();
        let read = server.call("file-read", &json!({"file_path": format!("{own}/own")}));
        assert_eq!(read["output"], "x\n", "{read}");
        for name in [
            "link",
            "directory/secret",
            "dangling",
            "top/etc/passwd",
            "../x",
            "swapped/secret",
        ] {
            let path = format!("{own}/{name}");
            for (tool, request) in [
                ("file-read", json!({ "file_path": path })),
                ("file-write", json!({"file_path": path, "content": "x"})),
                (
                    "file-edit",
                    json!({"file_path": path, "old_string": "the", "new_string": "x"}),
                ),
                ("grep", json!({"pattern": ".", "path": path})),
                ("glob", json!({ "pattern": path })),
            ] {
                let answer = server.call(tool, &request);
                let context = format!("{tool} {name}, {user:?}: {answer}");
                assert!(!answer.to_string().contains(SECRET), "{context}");
                if name != "swapped/secret" {
                    assert_eq!(answer["error_code"], "PERMISSION_DENIED", "{context}");
                }
            }
        }
        assert_eq!(stage.outside(), before);
    }
}
