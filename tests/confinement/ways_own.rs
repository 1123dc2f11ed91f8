//! Ways to this program's own files where they lie in a root, as in a home directory: keys, lenses,
//! state, cache.

use std::ffi::OsString;
use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::symlink;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Instant;

use serde_json::{Value, json};

use crate::common::messages::TextRow;
use crate::common::{alone, eventually, processes_with, skip};
use crate::refusing::{Filter, Service};
use crate::stage::{Bounds, DOORS, Door, SECRET, Said, Stage, User, abi, answer_of, programs};
use crate::ways::{closed, way};
use crate::ways_doors::each_user;
use crate::ways_races::goes_on;

/// The content of a kept output.
const OUTPUT: &str = "what a command wrote";

/// The file of keys, in the home.
const KEYS: &str = ".config/ikigai/credentials.json";

/// A root that is the home directory, with nothing in it yet.
fn at_home(user: User) -> Stage {
    let stage = Stage::new(user);
    let home = stage.path("root");
    let kept = home.join(".local/state");
    stage.with("HOME", home).with("XDG_STATE_HOME", kept)
}

/// The same with all that is this program's own.
fn with_everything(user: User) -> Stage {
    let stage = at_home(user);
    for (name, content) in [
        (KEYS, SECRET),
        (".config/ikigai/lenses/own.json", SECRET),
        (".cache/ikigai-tools/entry", SECRET),
        (".local/state/ikigai-tools/cache.key", SECRET),
        (".local/state/ikigai-tools/output/kept.txt", OUTPUT),
    ] {
        let path = stage.path("root").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
    stage.give("root");
    stage
}

/// True if something can be hidden from this user's commands here.
fn can_hide(user: User) -> bool {
    let stage = with_everything(user);
    let said = stage.run(Door::Host, Some(&stage.bounds()), "true");
    if said.code == Some(127) {
        assert!(said.text.contains("mount namespaces"), "{said:?}");
        skip("nothing can be hidden from a command here");
    }
    said.code == Some(0)
}

/// Tries something as each user for whom something can be hidden.
fn each_who_can_hide(mut tried: impl FnMut(User)) {
    each_user(|user| {
        if can_hide(user) {
            tried(user);
        }
    });
}

const NOT_THERE: &str = "No such file or directory";

#[test]
fn no_command_opens_keys_in_a_home() {
    if abi().is_none() || !User::all().into_iter().all(can_hide) {
        return;
    }
    let at = |what, command| way(what, command).on(with_everything).says(NOT_THERE);
    closed(&[
        at("by their name", "cat $HOME/.config/ikigai/credentials.json"),
        at("by a relative name", "cat .config/ikigai/credentials.json"),
        at(
            "from the directory beside them",
            "cd .config && cat ikigai/credentials.json",
        ),
        at(
            "from their directory",
            "cd .config/ikigai && cat credentials.json",
        ),
        at("by a loop", "cat .conf*/ik*/cred* .conf*/ik*/len*/*"),
        at("a copy", "cp .config/ikigai/credentials.json a && cat a"),
        at(
            "a hard link",
            "ln .config/ikigai/credentials.json a && cat a",
        ),
        at(
            "a symbolic link",
            "ln -s .config/ikigai a && cat a/credentials.json",
        ),
        at(
            "the process's own root",
            "cat /proc/self/root$HOME/.config/ikigai/credentials.json",
        ),
        at(
            "the process's own directory",
            "cat /proc/self/cwd/.config/ikigai/credentials.json",
        ),
        at(
            "other processes' roots",
            "for p in /proc/[0-9]*; do cat $p/root$HOME/.config/ikigai/credentials.json && exit; \
             cat $p/cwd/.config/ikigai/credentials.json && exit; done; exit 1",
        ),
        at(
            "the key of the cache",
            "cat .local/state/ikigai-tools/cache.key",
        ),
        at("the cache", "cat .cache/ikigai-tools/entry"),
        at("the lenses", "cat .config/ikigai/lenses/own.json"),
        at(
            "a program that opens it",
            "perl -e 'open(F, shift) or die $!; print <F>' .config/ikigai/credentials.json",
        ),
        at(
            "their directory moved",
            "mv .config/ikigai a && cat a/credentials.json",
        )
        .says("busy"),
        at(
            "the one above it moved",
            "mv .config a && cat a/ikigai/credentials.json",
        )
        .says("busy"),
        at(
            "and the ones above the cache's key",
            "mv .local a && cat a/state/ikigai-tools/cache.key",
        )
        .says("busy"),
        at(
            "another in its place",
            "echo x > .config/ikigai/credentials.json",
        )
        .says("Read-only file system"),
        at("another lens", "echo x > .config/ikigai/lenses/b.json").says("irectory"),
        at("its end", "rm .config/ikigai/credentials.json"),
        at("all of it gone", "rm -r .config/ikigai").says("busy"),
    ]);
}

/// Nothing of it is in any answer of a tool that works with files, and nothing is changed.
#[test]
fn no_tool_opens_keys_in_a_home() {
    each_user(|user| {
        for door in DOORS {
            let stage = with_everything(user);
            let bounds = stage.bounds();
            let keys = stage.path("root").join(KEYS).display().to_string();
            let call = |tool: &str, request: Value| stage.call(door, Some(&bounds), tool, &request);
            for (tool, request) in [
                ("file-read", json!({"file_path": keys})),
                (
                    "file-read",
                    json!({"file_path": ".cache/ikigai-tools/entry"}),
                ),
                ("file-read", json!({"file_path": ".config/ikigai"})),
                ("file-write", json!({"file_path": keys, "content": "x"})),
                (
                    "file-write",
                    json!({"file_path": ".config/ikigai/new", "content": "x"}),
                ),
                (
                    "file-write",
                    json!({"file_path": ".local/state/ikigai-tools/output/kept.txt", "content": "x"}),
                ),
                (
                    "file-edit",
                    json!({"file_path": keys, "old_string": "content", "new_string": "x"}),
                ),
                ("glob", json!({"pattern": "*", "path": ".config/ikigai"})),
                ("glob", json!({"pattern": ".config/ikigai/*"})),
                (
                    "grep",
                    json!({"pattern": "content", "path": ".config/ikigai"}),
                ),
                ("grep", json!({"pattern": "content", "path": keys})),
            ] {
                let answer = call(tool, request.clone());
                let code = &answer["error_code"];
                assert_eq!(code, "PERMISSION_DENIED", "{tool} {request}: {answer}");
                let error = answer["error"].as_str().unwrap();
                error.assert_row("confinement", "a file of this program's own");
                assert!(!answer.to_string().contains(SECRET), "{answer}");
            }
            for (tool, request) in [
                ("grep", json!({"pattern": "content", "glob": "**/*"})),
                (
                    "grep",
                    json!({"pattern": "content", "glob": ".config/**/*"}),
                ),
                (
                    "grep",
                    json!({"pattern": "content", "glob": ".*/ikigai*/*"}),
                ),
                ("file-read", json!({"file_path": ".config"})),
                ("glob", json!({"pattern": ".config/*/*"})),
                ("glob", json!({"pattern": ".config/**/*.json"})),
                ("glob", json!({"pattern": "{.config,.cache}/*/*e*"})),
                ("glob", json!({"pattern": ".con*/ikigai/credentials.json"})),
            ] {
                let answer = call(tool, request.clone()).to_string();
                for secret in [
                    SECRET,
                    "credentials.json\"",
                    "own.json",
                    "/entry",
                    "kept.txt",
                ] {
                    assert!(!answer.contains(secret), "{tool} {request}: {answer}");
                }
            }
            assert_eq!(fs::read_to_string(keys).unwrap(), SECRET);
            let output = stage.path("root/.local/state/ikigai-tools/output/kept.txt");
            assert_eq!(fs::read_to_string(output).unwrap(), OUTPUT);
        }
    });
}

#[test]
fn kept_outputs_in_a_home_are_read_and_not_written() {
    each_who_can_hide(|user| {
        for door in DOORS {
            let stage = with_everything(user);
            let bounds = stage.bounds();
            let path = ".local/state/ikigai-tools/output/kept.txt";
            let answer = stage.call(
                door,
                Some(&bounds),
                "file-read",
                &json!({"file_path": path}),
            );
            assert_eq!(answer["output"], OUTPUT, "{door:?}: {answer}");
            let said = stage.run(door, Some(&bounds), &format!("cat {path}"));
            assert_eq!(said.text, OUTPUT, "{door:?}: {said:?}");
            for script in [
                format!("echo x > {path}"),
                format!("rm {path}"),
                String::from("echo x > .local/state/ikigai-tools/output/new"),
            ] {
                let said = stage.run(door, Some(&bounds), &script);
                assert!(
                    said.text.contains("Read-only"),
                    "{door:?} {script}: {said:?}"
                );
            }
        }
    });
}

/// A long output is kept there as ever, and the next command reads it.
#[test]
fn a_long_output_is_kept_in_a_home() {
    each_who_can_hide(|user| {
        let stage = with_everything(user).with("IKIGAI_MAX_ANSWER", "1000");
        let bounds = stage.bounds();
        let request = json!({"command": "seq 10000"});
        let answer = stage.call(Door::Host, Some(&bounds), "bash", &request);
        let note = answer["note"].as_str().unwrap_or_default();
        let path = note
            .split_whitespace()
            .find(|word| word.contains("/output/"));
        let path = path
            .unwrap_or_else(|| panic!("{answer}"))
            .trim_end_matches(['.', ',', ';', ':']);
        let said = stage.run(Door::Host, Some(&bounds), &format!("tail -1 {path}"));
        assert_eq!(said.text, "10000", "{answer}");
    });
}

/// A call makes nothing that would then be believed.
#[test]
fn nothing_is_put_where_keys_and_lenses_and_a_cache_are_looked_for() {
    each_who_can_hide(|user| {
        for door in DOORS {
            let stage = at_home(user);
            let bounds = stage.bounds();
            for directory in [
                ".config/ikigai",
                ".config/ikigai/lenses",
                ".cache/ikigai-tools",
                ".local/state/ikigai-tools",
            ] {
                let script = format!("mkdir -p {directory}; echo x > {directory}/planted");
                let said = stage.run(door, Some(&bounds), &script);
                assert!(said.code != Some(0), "{door:?} {directory}: {said:?}");
                let path = format!("{directory}/planted");
                let request = json!({"file_path": path, "content": "x"});
                let answer = stage.call(door, Some(&bounds), "file-write", &request);
                assert!(!answer["error"].is_null(), "{door:?} {directory}: {answer}");
                assert!(
                    !stage.path("root").join(path).exists(),
                    "{door:?} {directory}"
                );
            }
            // Nor is a file put in the place of what leads there.
            let said = stage.run(door, Some(&bounds), "rmdir .config && ln -s $OUT .config");
            assert!(said.text.contains("busy"), "{door:?}: {said:?}");
        }
    });
}

/// The rest of a home is a root as ever.
#[test]
fn around_what_is_hidden_a_home_is_a_root_like_others() {
    each_who_can_hide(|user| {
        for door in DOORS {
            let stage = with_everything(user);
            let script = "set -e; echo a >.config/new; mv .config/new .config/newer; mkdir -p .cache/x/y; \
                          echo b >new; mv new newer; cp newer .cache/x; rm -r .cache/x; ln newer hard; \
                          cd below && cat inside && pwd && cat ../newer ../.config/newer && id -u";
            let said = stage.run(door, Some(&stage.bounds()), script);
            let below = stage.path("root/below").display().to_string();
            let expected = format!("inside\n{below}\nb\na\n{}", user.0);
            assert_eq!(said.text, expected, "{door:?}");
            let request = json!({"command": "cat ../new", "workdir": ".config"});
            fs::write(stage.path("root/new"), "beside").unwrap();
            let answer = stage.call(Door::Mcp, Some(&stage.bounds()), "bash", &request);
            assert_eq!(answer["output"], "beside", "{answer}");
            // Nor does a call start in what is hidden.
            for workdir in [".config/ikigai", ".local/state/ikigai-tools"] {
                let request = json!({"command": "cat *", "workdir": workdir});
                let answer = stage.call(Door::Mcp, Some(&stage.bounds()), "bash", &request);
                assert_eq!(answer["error_code"], "PERMISSION_DENIED", "{answer}");
            }
        }
    });
}

/// A call within a call finds hidden what was hidden from that one.
#[test]
fn calls_within_a_call_find_it_hidden() {
    each_who_can_hide(|user| {
        let stage = with_everything(user);
        let call = "printf '%s' '{\"command\":\"cat inside .config/ikigai/credentials.json\"}' | \
                    IKIGAI_ROOTS=$ROOT IKIGAI_READ=$TOOLS $TOOLS/bash";
        let said = stage.run(Door::Host, Some(&stage.bounds()), call);
        let within = said.text.contains("inside") && said.text.contains(NOT_THERE);
        assert!(within && !said.text.contains(SECRET), "{said:?}");
    });
}

/// All that a command started ends with its tool, whoever is in which namespace.
#[test]
fn what_runs_where_something_is_hidden_ends_with_its_tool() {
    each_who_can_hide(|user| {
        let stage = with_everything(user);
        let mark = alone(512);
        let mut tool = stage.program("bash");
        tool.env("IKIGAI_ROOTS", stage.path("root"));
        let mut child = tool
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let command = format!("(setsid sleep {mark} &) ; sleep {mark}");
        let request = json!({"command": command}).to_string();
        let mut input = child.stdin.take().unwrap();
        input.write_all(request.as_bytes()).unwrap();
        drop(input);
        assert!(eventually(|| processes_with(&mark).len() >= 2));
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(eventually(|| processes_with(&mark).is_empty()));
    });
}

/// The server starts, and says of each call why it is refused.
#[test]
fn a_root_that_is_or_lies_in_this_program_s_own_directory_opens_nothing() {
    each_user(|user| {
        for door in DOORS {
            for (root, file) in [
                (".config/ikigai", "credentials.json"),
                (".config/ikigai/lenses", "own.json"),
                (".cache/ikigai-tools", "entry"),
                (".local/state/ikigai-tools", "cache.key"),
            ] {
                let stage = with_everything(user);
                let bounds = Bounds {
                    roots: vec![stage.path("root").join(root).into()],
                    ..stage.bounds()
                };
                let said = stage.run(door, Some(&bounds), &format!("cat {file}"));
                assert!(said.code.is_none_or(|code| code != 0), "{door:?}: {said:?}");
                let name = "a root where this program keeps its own files";
                said.text.assert_row("confinement", name);
                for (tool, request) in [
                    ("file-read", json!({"file_path": file})),
                    ("file-write", json!({"file_path": file, "content": "x"})),
                    ("grep", json!({"pattern": "content"})),
                    ("glob", json!({"pattern": "*"})),
                ] {
                    let answer = stage.call(door, Some(&bounds), tool, &request);
                    let code = &answer["error_code"];
                    assert_eq!(code, "PERMISSION_DENIED", "{tool} {door:?}: {answer}");
                    assert!(!answer.to_string().contains(SECRET), "{answer}");
                }
            }
        }
    });
}

/// All of it is hidden where calls may only read, too.
#[test]
fn keys_in_what_may_be_read_alone_are_not_read() {
    each_who_can_hide(|user| {
        for door in DOORS {
            let stage = with_everything(user);
            let bounds = Bounds {
                roots: vec![stage.path("outside").into()],
                readable: vec![stage.path("root").into(), programs().into()],
                offline: false,
            };
            let said = stage.run(
                door,
                Some(&bounds),
                "cat $ROOT/inside && cat $HOME/.config/ikigai/*",
            );
            assert!(said.text.starts_with("inside"), "{door:?}: {said:?}");
            assert!(!said.text.contains(SECRET), "{door:?}: {said:?}");
            let keys = stage.path("root").join(KEYS).display().to_string();
            let answer = stage.call(
                door,
                Some(&bounds),
                "file-read",
                &json!({"file_path": keys}),
            );
            assert_eq!(answer["error_code"], "PERMISSION_DENIED", "{answer}");
        }
    });
}

/// A link can be led elsewhere by a command, and the next call would hide something else.
#[test]
fn what_is_reached_through_a_link_in_a_root_is_not_risked() {
    each_user(|user| {
        for door in DOORS {
            let stage = with_everything(user);
            let root = stage.path("root");
            fs::rename(root.join(".config"), root.join("settings")).unwrap();
            symlink("settings", root.join(".config")).unwrap();
            stage.give("root");
            let said = stage.run(door, Some(&stage.bounds()), "cat settings/ikigai/*");
            assert_eq!(said.code, None, "{door:?}: {said:?}");
            said.text
                .assert_row("confinement", "a link to its own files");
            let request = json!({"file_path": "settings/ikigai/credentials.json"});
            let answer = stage.call(door, Some(&stage.bounds()), "file-read", &request);
            assert_eq!(answer["error_code"], "PERMISSION_DENIED", "{answer}");
            // The same for the file alone.
            let stage = with_everything(user);
            let root = stage.path("root");
            fs::rename(root.join(KEYS), root.join("keys")).unwrap();
            symlink("../../keys", root.join(KEYS)).unwrap();
            stage.give("root");
            let said = stage.run(door, Some(&stage.bounds()), "cat keys");
            assert_eq!(said.code, None, "{door:?}: {said:?}");
            let answer = stage.call(
                door,
                Some(&stage.bounds()),
                "file-read",
                &json!({"file_path": "keys"}),
            );
            assert_eq!(answer["error_code"], "PERMISSION_DENIED", "{answer}");
        }
    });
}

/// While a link is exchanged for a directory and back, a tool that has looked at the one opens the
/// other.
#[test]
fn a_link_that_is_swapped_in_meanwhile_opens_no_keys() {
    each_who_can_hide(|user| {
        let stage = with_everything(user);
        let root = stage.path("root");
        symlink(".config/ikigai", root.join("link")).unwrap();
        fs::write(root.join("below/credentials.json"), "harmless").unwrap();
        stage.give("root");
        let script = "($ATTACK swap $ROOT/below $ROOT/link) >/dev/null 2>&1 &";
        let flags: Vec<OsString> = [
            "--root".into(),
            root.clone().into(),
            "--read".into(),
            programs().into(),
        ]
        .into();
        // With whom it ends.
        let mut attacker = stage.server(&flags);
        assert_eq!(attacker.run(script).code, Some(0));
        let mut server = stage.server(&flags);
        let begin = Instant::now();
        let (mut within, mut refused) = (0, 0);
        while goes_on(begin, within == 0 || refused == 0) {
            for (tool, request) in [
                ("file-read", json!({"file_path": "below/credentials.json"})),
                (
                    "file-write",
                    json!({"file_path": "below/new", "content": "x"}),
                ),
                (
                    "file-edit",
                    json!({"file_path": "below/credentials.json", "old_string": "content",
                    "new_string": "x"}),
                ),
                ("grep", json!({"pattern": "content", "path": "below"})),
                (
                    "grep",
                    json!({"pattern": "content", "path": "below/credentials.json"}),
                ),
                ("glob", json!({"pattern": "below/l*"})),
            ] {
                let answer = server.call(tool, &request);
                let text = answer.to_string();
                assert!(
                    !text.contains(SECRET) && !text.contains("lenses"),
                    "{tool}: {answer}"
                );
                if answer["error"].is_null() {
                    within += 1;
                } else {
                    refused += 1;
                }
            }
        }
        drop(attacker);
        assert!(within > 0 && refused > 0, "no race: {within} {refused}");
        assert_eq!(fs::read_to_string(root.join(KEYS)).unwrap(), SECRET);
        assert!(!root.join(".config/ikigai/new").exists());
    });
}

/// As a host starts it where nobody gets a namespace of their own.
fn without_namespaces(stage: &Stage, script: &str) -> Said {
    let refused = |name, call| Service {
        name,
        call,
        argument: None,
    };
    let filter = Filter::new(&[refused("unshare", libc::SYS_unshare)], libc::EPERM);
    let mut tool = stage.program("bash");
    tool.env("IKIGAI_ROOTS", stage.path("root"));
    // SAFETY: the filter makes two system calls.
    unsafe {
        tool.pre_exec(move || filter.install().map_err(|_| io::ErrorKind::Other.into()));
    }
    Said::of(&answer_of(tool, &json!({"command": script}).to_string()))
}

#[test]
fn where_nothing_can_be_hidden_no_command_is_run() {
    each_user(|user| {
        let stage = with_everything(user);
        let said = without_namespaces(&stage, "echo it ran; cat .config/ikigai/*");
        assert!(!said.text.contains("it ran"), "{said:?}");
        let keys = stage.path("root/.config/ikigai").display().to_string();
        for words in [keys.as_str(), "IKIGAI_CONFIG_DIR", "mount namespaces"] {
            assert!(said.text.contains(words), "{words}: {said:?}");
        }
        // The tools that work with files are as ever.
        let request = json!({"file_path": "inside"});
        let answer = stage.call(Door::Host, Some(&stage.bounds()), "file-read", &request);
        assert_eq!(answer["output"], "inside\n", "{answer}");
        // As long as there is nothing to hide, commands are run, and can make it.
        let stage = at_home(user);
        let said = without_namespaces(&stage, "mkdir -p .config/ikigai && echo it ran");
        assert_eq!(said.text, "it ran");
        assert!(stage.path("root/.config/ikigai").exists());
        let stage = Stage::new(user);
        let said = without_namespaces(&stage, "echo it ran");
        assert_eq!(said.text, "it ran");
    });
}

/// The web tools read the keys where they are: no request names a file of theirs.
#[test]
fn searches_believe_no_keys_that_a_call_could_have_put_into_the_home() {
    each_user(|user| {
        let stage = with_everything(user).with("IKIGAI_BRAVE_URL", "http://127.0.0.1:9/");
        let key = r#"{"web_search":{"brave":{"api_key":"a-key"}}}"#;
        let root = stage.path("root");
        let search = |stage: &Stage| {
            let mut tool = stage.program("web-search-brave-tool");
            tool.env("IKIGAI_ROOTS", stage.path("root"));
            answer_of(tool, &json!({"query": "anything"}).to_string())
        };
        fs::write(root.join(KEYS), key).unwrap();
        let answer = search(&stage);
        assert_eq!(answer["error_code"], "NETWORK_ERROR", "{answer}");
        fs::rename(root.join(".config"), root.join("settings")).unwrap();
        symlink("settings", root.join(".config")).unwrap();
        let answer = search(&stage);
        assert_eq!(answer["error_code"], "AUTH_MISSING", "{answer}");
        let own: PathBuf = root.join(".config/ikigai/credentials.json");
        assert!(
            answer.to_string().contains(own.to_str().unwrap()),
            "{answer}"
        );
    });
}
