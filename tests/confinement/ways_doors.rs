//! Ways by what a confinement is asked for with: names that are odd, missing, or no longer what
//! they were.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;

use serde_json::json;

use crate::stage::{Bounds, DOORS, Door, SECRET, Said, Stage, User, abi, answer_of, programs};

/// A call of bash by a host with these variables.
fn with_variables(stage: &Stage, variables: &[(&str, &OsStr)], script: &str) -> Said {
    let mut tool = stage.program("bash");
    tool.envs(variables.iter().copied());
    let answer = answer_of(tool, &json!({"command": script, "timeout": 30}).to_string());
    Said::of(&answer)
}

/// Tries something as each user.
pub fn each_user(mut tried: impl FnMut(User)) {
    if abi().is_some() {
        User::all().into_iter().for_each(&mut tried);
    }
}

#[test]
fn a_variable_that_names_nothing_opens_nothing() {
    each_user(|user| {
        for (name, value) in [
            ("IKIGAI_ROOTS", ""),
            ("IKIGAI_ROOTS", ":"),
            ("IKIGAI_ROOTS", "::"),
            ("IKIGAI_ROOTS", "nowhere"),
            ("IKIGAI_ROOTS", "/nowhere/at/all"),
            ("IKIGAI_ROOTS", " "),
            ("IKIGAI_ROOTS", "inside"),
            ("IKIGAI_READ", ""),
            ("IKIGAI_READ", ":"),
            ("IKIGAI_READ", "/nowhere/at/all"),
        ] {
            let stage = Stage::new(user);
            let said = with_variables(&stage, &[(name, value.as_ref())], "cat $OUT/secret");
            assert!(said.code != Some(0), "{name}={value}, {user:?}: {said:?}");
            assert!(!said.text.contains(SECRET), "{name}={value}: {said:?}");
            assert!(
                said.text.contains(name),
                "it is not said what is wrong: {said:?}"
            );
        }
    });
}

#[test]
fn empty_names_beside_others_are_no_root_directory() {
    each_user(|user| {
        for form in ["{}:", ":{}", "{}::{}", "::{}::"] {
            let stage = Stage::new(user);
            let root = stage.path("root").display().to_string();
            let value = form.replace("{}", &root);
            let variables = [("IKIGAI_ROOTS", value.as_ref())];
            let said = with_variables(&stage, &variables, "cat $OUT/secret");
            assert!(
                said.code != Some(0) && !said.text.contains(SECRET),
                "{value}: {said:?}"
            );
        }
    });
}

#[test]
fn what_may_be_read_alone_is_a_confinement_too() {
    each_user(|user| {
        for door in DOORS {
            let stage = Stage::new(user);
            let bounds = Bounds {
                roots: Vec::new(),
                ..stage.bounds()
            };
            for script in ["cat $OUT/secret", "echo x > $OUT/new", "echo x > $ROOT/new"] {
                let said = stage.run(door, Some(&bounds), script);
                assert!(said.code != Some(0), "{door:?}: {said:?}");
                assert!(said.text.contains("ermission denied"), "{said:?}");
            }
            let said = stage.run(door, Some(&bounds), "cat $READABLE/fixed");
            assert_eq!(said.text, "fixed", "{door:?}");
        }
    });
}

#[test]
fn whatever_takes_the_network_away_takes_it() {
    each_user(|user| {
        for value in ["1", "yes", "true", "on", " ", "00"] {
            let stage = Stage::new(user);
            let root = stage.path("root");
            let readable = programs();
            let variables = [
                ("IKIGAI_ROOTS", root.as_os_str()),
                ("IKIGAI_READ", readable.as_os_str()),
                ("IKIGAI_NO_NETWORK", value.as_ref()),
            ];
            let said = with_variables(&stage, &variables, "$ATTACK listen-tcp");
            assert!(said.code != Some(0), "{value}: {said:?}");
        }
    });
}

#[test]
fn a_root_need_not_be_utf_8_and_its_neighbour_is_outside() {
    each_user(|user| {
        for door in DOORS {
            let stage = Stage::new(user);
            let odd = stage.path("root").join(OsStr::from_bytes(b"\xFF\xFE root"));
            let beside = stage
                .path("root")
                .join(OsStr::from_bytes(b"\xFF\xFE rooted"));
            for place in [&odd, &beside] {
                fs::create_dir(place).unwrap();
                fs::write(place.join("file"), "within").unwrap();
            }
            stage.give("root");
            let bounds = Bounds {
                roots: vec![odd.into()],
                ..stage.bounds()
            };
            let within = stage.run(door, Some(&bounds), "cat file; echo x > new; cat new");
            assert_eq!(within.text, "withinx", "{door:?}");
            for script in [
                "cat ../*rooted/file",
                "echo x > ../*rooted/file",
                "cat $OUT/secret",
            ] {
                let said = stage.run(door, Some(&bounds), script);
                assert!(said.code != Some(0), "{door:?}: {said:?}");
            }
        }
    });
}

#[test]
fn a_root_that_is_no_directory_or_is_not_there_is_refused() {
    each_user(|user| {
        for door in DOORS {
            for name in ["root/inside", "root/missing"] {
                let stage = Stage::new(user);
                let bounds = Bounds {
                    roots: vec![stage.path(name).into()],
                    ..stage.bounds()
                };
                let said = stage.run(door, Some(&bounds), "cat $OUT/secret; echo it ran");
                assert_eq!(said.code, None, "{door:?} {name}: {said:?}");
                assert!(!said.text.contains("it ran"), "{said:?}");
            }
        }
    });
}

#[test]
fn a_root_may_be_named_by_a_link_that_no_call_can_change() {
    each_user(|user| {
        for door in DOORS {
            let stage = Stage::new(user);
            symlink(stage.path("root"), stage.path("home/link")).unwrap();
            let bounds = Bounds {
                roots: vec![stage.path("home/link").into()],
                ..stage.bounds()
            };
            let said = stage.run(door, Some(&bounds), "cat inside && cat $OUT/secret");
            assert!(said.text.starts_with("inside"), "{door:?}: {said:?}");
            assert!(!said.text.contains(SECRET), "{said:?}");
        }
    });
}

/// A variable and a flag: the flags are what holds.
#[test]
fn flags_win_over_variables() {
    each_user(|user| {
        let stage = Stage::new(user);
        let out = stage.path("outside");
        let stage = stage.with("IKIGAI_ROOTS", out);
        for door in [Door::Flags, Door::Mcp] {
            let said = stage.run(door, Some(&stage.bounds()), "cat $OUT/secret");
            assert!(
                said.code != Some(0) && !said.text.contains(SECRET),
                "{door:?}: {said:?}"
            );
        }
    });
}

/// A flag replaces its own variable and takes away nothing else that variables ask for.
#[test]
fn a_flag_takes_away_no_other_bound() {
    each_user(|user| {
        let (root, readable) = ("IKIGAI_ROOTS", "IKIGAI_READ");
        for door in [Door::Flags, Door::Mcp] {
            let stage = Stage::new(user);
            let (own, programs) = (stage.path("root"), programs());
            let stage = stage.with(root, own).with(readable, programs);
            let offline = Bounds {
                offline: true,
                ..Bounds::default()
            };
            let said = stage.run(door, Some(&offline), "cat $OUT/secret");
            assert!(
                said.code != Some(0) && !said.text.contains(SECRET),
                "{door:?}: {said:?}"
            );

            let stage = Stage::new(user).with("IKIGAI_NO_NETWORK", "1");
            let said = stage.run(door, Some(&stage.bounds()), "$ATTACK listen-tcp");
            assert!(said.text.contains("ermission denied"), "{door:?}: {said:?}");

            let stage = Stage::new(user);
            let own = stage.path("root");
            let stage = stage.with(root, own);
            let reading = Bounds {
                roots: Vec::new(),
                ..stage.bounds()
            };
            for script in ["cat $OUT/secret", "echo x > $READABLE/new"] {
                let said = stage.run(door, Some(&reading), script);
                assert!(
                    said.code != Some(0) && !said.text.contains(SECRET),
                    "{said:?}"
                );
            }
        }
    });
}

/// A call of flags, and one of flags with its request on stdin, confined by variables alone.
#[test]
fn variables_confine_calls_of_flags() {
    each_user(|user| {
        let stage = Stage::new(user);
        let own = stage.path("root");
        let stage = stage.with("IKIGAI_ROOTS", own);
        let said = stage.run(Door::Flags, None, "cat $OUT/secret");
        assert!(
            said.code != Some(0) && !said.text.contains(SECRET),
            "{said:?}"
        );
        let mut tool = stage.program("ikigai-tools");
        tool.arg("bash");
        let answer = answer_of(tool, &json!({"command": "cat $OUT/secret"}).to_string());
        assert_eq!(answer["exit_code"], 1, "{answer}");
        let mut tool = stage.program("ikigai-tools");
        let request = stage.path("root/request");
        fs::write(&request, json!({"command": "cat $OUT/secret"}).to_string()).unwrap();
        stage.give("root");
        tool.args(["bash", "--input"]).arg(request);
        let answer = answer_of(tool, "");
        assert_eq!(answer["exit_code"], 1, "{answer}");
    });
}

/// An empty flag opens nothing.
#[test]
fn a_flag_that_names_nothing_opens_nothing() {
    each_user(|user| {
        for door in [Door::Flags, Door::Mcp] {
            for readable in [false, true] {
                let stage = Stage::new(user);
                let mut bounds = Bounds::default();
                let list = if readable {
                    &mut bounds.readable
                } else {
                    &mut bounds.roots
                };
                list.push(OsString::new());
                let said = stage.run(door, Some(&bounds), "cat $OUT/secret; echo it ran");
                assert_eq!(said.code, None, "{door:?}: {said:?}");
                assert!(!said.text.contains("it ran"), "{door:?}: {said:?}");
            }
        }
    });
}

/// A server that is confined by variables alone.
#[test]
fn a_server_s_variables_confine_its_calls() {
    each_user(|user| {
        let stage = Stage::new(user);
        let (root, readable) = (stage.path("root"), programs());
        let stage = stage
            .with("IKIGAI_ROOTS", root)
            .with("IKIGAI_READ", readable);
        let mut server = stage.server(&[]);
        let said = server.run("cat $OUT/secret");
        assert!(
            said.code != Some(0) && !said.text.contains(SECRET),
            "{said:?}"
        );
        let request = json!({"file_path": stage.path("outside/secret").display().to_string()});
        let answer = server.call("file-read", &request);
        assert!(!answer.to_string().contains(SECRET), "{answer}");
    });
}

#[test]
fn a_command_starts_in_no_directory_outside() {
    each_user(|user| {
        for door in DOORS {
            let stage = Stage::new(user);
            let out = stage.path("outside").display().to_string();
            for workdir in [out.as_str(), "../outside", "/"] {
                let request = json!({"command": "cat secret; ls program", "workdir": workdir});
                let answer = stage.call(door, Some(&stage.bounds()), "bash", &request);
                assert!(!answer.to_string().contains(SECRET), "{door:?}: {answer}");
                assert!(answer["exit_code"] != 0, "{door:?}: {answer}");
            }
        }
    });
}
