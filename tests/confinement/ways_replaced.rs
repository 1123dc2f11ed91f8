//! Ways by what an earlier call has left in the place of something else.

use std::ffi::OsString;
use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use serde_json::json;

use crate::common::skip;
use crate::stage::{Bounds, DOORS, Door, SECRET, Stage};
use crate::ways_doors::each_user;

#[test]
fn a_root_or_a_readable_behind_a_link_in_a_root_is_refused() {
    each_user(|user| {
        for door in DOORS {
            for place in ["root/link", "root/link/below"] {
                for readable in [false, true] {
                    let stage = Stage::new(user);
                    symlink("../outside", stage.path("root/link")).unwrap();
                    let mut bounds = stage.bounds();
                    let list = if readable {
                        &mut bounds.readable
                    } else {
                        &mut bounds.roots
                    };
                    list.push(stage.path(place).into());
                    let said = stage.run(door, Some(&bounds), "cat $OUT/below/secret");
                    assert!(said.code != Some(0), "{door:?} {place}: {said:?}");
                    assert!(!said.text.contains(SECRET), "{door:?} {place}: {said:?}");
                }
            }
        }
    });
}

/// Two roots, one in the other, in whose place a call puts a link.
#[test]
fn a_root_that_a_call_has_replaced_by_a_link_leads_nowhere() {
    each_user(|user| {
        let replace = "mv below gone && ln -s $OUT below";
        let attempts = ["cat $OUT/secret", "cat below/secret", "echo x > below/new"];
        for door in [Door::Host, Door::Flags] {
            let stage = Stage::new(user);
            let mut bounds = stage.bounds();
            bounds.roots.push(stage.path("root/below").into());
            assert_eq!(stage.run(door, Some(&bounds), replace).code, Some(0));
            let before = stage.outside();
            for script in attempts {
                let said = stage.run(door, Some(&bounds), script);
                assert!(said.code != Some(0), "{door:?}: {said:?}");
                assert!(!said.text.contains(SECRET), "{door:?}: {said:?}");
            }
            assert_eq!(stage.outside(), before);
        }
        let stage = Stage::new(user);
        let flags =
            ["root", "root/below"].map(|root| [OsString::from("--root"), stage.path(root).into()]);
        let mut server = stage.server(&flags.concat());
        assert_eq!(server.run(replace).code, Some(0));
        let before = stage.outside();
        for script in attempts {
            let said = server.run(script);
            assert!(
                said.code != Some(0) && !said.text.contains(SECRET),
                "{said:?}"
            );
        }
        for (tool, request) in [
            ("file-read", json!({"file_path": "below/secret"})),
            (
                "file-write",
                json!({"file_path": "below/new", "content": "x"}),
            ),
            ("grep", json!({"pattern": "content", "path": "below"})),
        ] {
            let answer = server.call(tool, &request);
            assert!(!answer["error"].is_null(), "{tool}: {answer}");
            assert!(!answer.to_string().contains(SECRET), "{tool}: {answer}");
        }
        assert_eq!(stage.outside(), before);
    });
}

/// The directory for temporary files lies in a root, and a call has put a link in its place.
#[test]
fn a_private_directory_is_not_made_behind_a_link_of_an_earlier_call() {
    each_user(|user| {
        for door in [Door::Host, Door::Flags] {
            let stage = Stage::new(user);
            fs::create_dir(stage.path("root/temporary")).unwrap();
            stage.give("root");
            let stage = {
                let place = stage.path("root/temporary");
                stage.with("TMPDIR", place)
            };
            let bounds = stage.bounds();
            let replace = "rm -rf ../root/temporary; ln -s $OUT $ROOT/temporary";
            stage.run(door, Some(&bounds), &format!("cd $ROOT; {replace}"));
            let link = stage.path("root/temporary");
            if !link.is_symlink() {
                fs::remove_dir_all(&link).unwrap();
                symlink(stage.path("outside"), &link).unwrap();
            }
            let before = stage.outside();
            let said = stage.run(
                door,
                Some(&bounds),
                "echo x > $TMPDIR/new; ls -d $OUT/ikigai*",
            );
            assert!(said.code != Some(0), "{door:?} {user:?}: {said:?}");
            assert_eq!(stage.outside(), before, "{door:?}: {said:?}");
        }
    });
}

/// The state directory lies in a root, and a call has put a link in the place of the kept outputs.
#[test]
fn kept_outputs_are_not_where_a_call_has_led_them() {
    each_user(|user| {
        for door in DOORS {
            let stage = Stage::new(user);
            fs::create_dir_all(stage.path("root/state/ikigai-tools")).unwrap();
            symlink(
                stage.path("outside"),
                stage.path("root/state/ikigai-tools/output"),
            )
            .unwrap();
            stage.give("root");
            let kept = stage.path("root/state");
            let stage = stage
                .with("XDG_STATE_HOME", kept)
                .with("IKIGAI_MAX_ANSWER", "1000");
            let bounds = stage.bounds();
            let before = stage.outside();
            for path in ["root/state/ikigai-tools/output/secret", "outside/secret"] {
                let request = json!({"file_path": stage.path(path).display().to_string()});
                let answer = stage.call(door, Some(&bounds), "file-read", &request);
                assert!(
                    !answer.to_string().contains(SECRET),
                    "{door:?} {path}: {answer}"
                );
            }
            let request = json!({"pattern": "content", "path": "state/ikigai-tools/output"});
            let answer = stage.call(door, Some(&bounds), "grep", &request);
            assert!(!answer.to_string().contains(SECRET), "{door:?}: {answer}");
            stage.run(door, Some(&bounds), "seq 10000");
            assert_eq!(stage.outside(), before, "{door:?}");
        }
    });
}

/// The same one directory higher: the state directory itself is the link.
#[test]
fn a_state_directory_that_a_call_has_led_outside_is_not_used() {
    each_user(|user| {
        for door in DOORS {
            let stage = Stage::new(user);
            symlink(stage.path("outside"), stage.path("root/state")).unwrap();
            stage.give("root");
            let kept = stage.path("root/state");
            let stage = stage
                .with("XDG_STATE_HOME", kept)
                .with("IKIGAI_MAX_ANSWER", "1000");
            let before = stage.outside();
            stage.run(door, Some(&stage.bounds()), "seq 10000");
            assert_eq!(stage.outside(), before, "{door:?} {user:?}");
        }
    });
}

/// Shared memory is everybody's to write in: a root there can be replaced by a call.
#[test]
fn a_root_in_shared_memory_that_a_call_has_replaced_leads_nowhere() {
    let shared = Path::new("/dev/shm");
    each_user(|user| {
        for door in [Door::Host, Door::Flags] {
            let Ok(room) = tempfile::tempdir_in(shared) else {
                return skip("there is no shared memory here");
            };
            let stage = Stage::new(user);
            let work = room.path().join("root");
            fs::create_dir(&work).unwrap();
            for place in [room.path(), &work] {
                fs::set_permissions(place, Permissions::from_mode(0o777)).unwrap();
            }
            let bounds = Bounds {
                roots: vec![work.clone().into()],
                ..stage.bounds()
            };
            let stage = stage.with("SHARED", work);
            let replace = "mv $SHARED $SHARED.gone && ln -s $OUT $SHARED";
            let said = stage.run(door, Some(&bounds), replace);
            assert_eq!(said.code, Some(0), "{said:?}");
            let before = stage.outside();
            let said = stage.run(door, Some(&bounds), "cat $OUT/secret; echo x > $OUT/new");
            assert!(!said.text.contains(SECRET), "{door:?} {user:?}: {said:?}");
            assert_eq!(stage.outside(), before, "{door:?} {user:?}");
        }
    });
}

/// Whoever reads on in one kept output may read them all.
#[test]
fn kept_outputs_of_all_calls_are_read_by_the_tools_that_read() {
    each_user(|user| {
        for door in [Door::Host, Door::Mcp] {
            let stage = Stage::new(user);
            let name = "state/ikigai-tools/output/0123456789abcdef.txt";
            fs::create_dir_all(stage.path(name).parent().unwrap()).unwrap();
            fs::write(stage.path(name), SECRET).unwrap();
            stage.give("state");
            let path = stage.path(name).display().to_string();
            let bounds = stage.bounds();
            let answer = stage.call(
                door,
                Some(&bounds),
                "file-read",
                &json!({"file_path": path}),
            );
            assert_eq!(answer["output"], SECRET, "{door:?}: {answer}");
            let request = json!({"file_path": path, "content": "x"});
            let answer = stage.call(door, Some(&bounds), "file-write", &request);
            assert_eq!(
                answer["error_code"], "PERMISSION_DENIED",
                "{door:?}: {answer}"
            );
            let said = stage.run(door, Some(&bounds), &format!("cat {path}"));
            assert!(
                said.code != Some(0) && !said.text.contains(SECRET),
                "{door:?}: {said:?}"
            );
        }
    });
}

/// git's configuration is read wherever it lies, but not where a call has led it.
#[test]
fn git_s_configuration_is_not_where_a_call_has_led_it() {
    each_user(|user| {
        let stage = Stage::new(user);
        let home = stage.path("root");
        let stage = stage.with("HOME", home);
        let bounds = stage.bounds();
        let before = stage.outside();
        let made = stage.run(Door::Host, Some(&bounds), "ln -s $OUT/secret .gitconfig");
        assert_eq!(made.code, Some(0), "{made:?}");
        let said = stage.run(Door::Host, Some(&bounds), "cat .gitconfig");
        assert!(
            said.code != Some(0) && !said.text.contains(SECRET),
            "{said:?}"
        );
        assert_eq!(stage.outside(), before);
    });
}
