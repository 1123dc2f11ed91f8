//! Ways by changing what lies at a name while it is looked at.

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::symlink;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::stage::{Bounds, Door, SECRET, Said, Stage, User, abi, programs};

/// How long each race is run at least.
const A_WHILE: Duration = Duration::from_millis(500);

/// Whether a race that began then goes on: longer where it `was_none` so far, as on a busy machine.
pub fn goes_on(begin: Instant, was_none: bool) -> bool {
    let took = begin.elapsed();
    took < A_WHILE || (was_none && took < 20 * A_WHILE)
}

/// Starts `script` in the background of a confined call, as an attacker does.
fn start(stage: &Stage, bounds: &Bounds, script: &str) {
    let command = format!("({script}) >/dev/null 2>&1 & echo $!");
    let said = stage.run(Door::Host, Some(bounds), &command);
    assert_eq!(said.code, Some(0), "{said:?}");
}

/// The end of what a test has started: `swap` and its like name what they swap.
fn stop(stage: &Stage) {
    let word = stage.path("root");
    for entry in fs::read_dir("/proc").unwrap().flatten() {
        let command = fs::read(entry.path().join("cmdline")).unwrap_or_default();
        let command = String::from_utf8_lossy(&command).into_owned();
        let Ok(pid) = entry.file_name().to_string_lossy().parse::<i32>() else {
            continue;
        };
        if command.contains("attacker\0attack\0swap") && command.contains(&*word.to_string_lossy())
        {
            // SAFETY: takes numbers.
            unsafe { libc::kill(pid, libc::SIGKILL) };
        }
    }
}

#[test]
fn a_link_that_is_swapped_in_meanwhile_leads_nowhere() {
    if abi().is_none() {
        return;
    }
    for user in User::all() {
        let stage = Stage::new(user);
        symlink("../outside", stage.path("root/link")).unwrap();
        fs::write(stage.path("root/below/secret"), "harmless").unwrap();
        stage.give("root");
        let bounds = stage.bounds();
        start(&stage, &bounds, "$ATTACK swap $ROOT/below $ROOT/link");
        let before = stage.outside();
        let flags: Vec<OsString> = [
            "--root".into(),
            stage.path("root").into(),
            "--read".into(),
            programs().into(),
        ]
        .into();
        let mut server = stage.server(&flags);
        let begin = Instant::now();
        let (mut within, mut refused) = (0, 0);
        while goes_on(begin, within == 0 || refused == 0) {
            for (tool, request) in [
                ("file-read", json!({"file_path": "below/secret"})),
                (
                    "file-write",
                    json!({"file_path": "below/new", "content": "x"}),
                ),
                (
                    "file-edit",
                    json!({"file_path": "below/secret", "old_string": "harm",
                    "new_string": "harm"}),
                ),
                ("grep", json!({"pattern": "content", "path": "below"})),
                ("glob", json!({"pattern": "below/s*"})),
            ] {
                let answer = server.call(tool, &request);
                assert!(!answer.to_string().contains(SECRET), "{tool}: {answer}");
                if answer["error"].is_null() {
                    within += 1;
                } else {
                    refused += 1;
                }
            }
            let said = server.run("cat below/secret; echo x > below/new2; rm -f below/new2");
            assert!(!said.text.contains(SECRET), "{said:?}");
        }
        stop(&stage);
        assert!(within > 0 && refused > 0, "no race: {within} {refused}");
        assert_eq!(stage.outside(), before);
    }
}

/// A root in another root is exchanged for a link to the outside and back.
#[test]
fn a_root_that_is_swapped_for_a_link_meanwhile_leads_nowhere() {
    if abi().is_none() {
        return;
    }
    for user in User::all() {
        for readable in [false, true] {
            let stage = Stage::new(user);
            symlink("../outside", stage.path("root/link")).unwrap();
            stage.give("root");
            let bounds = stage.bounds();
            start(&stage, &bounds, "$ATTACK swap $ROOT/below $ROOT/link");
            let mut nested = bounds.clone();
            let list = if readable {
                &mut nested.readable
            } else {
                &mut nested.roots
            };
            list.push(stage.path("root/below").into());
            let before = stage.outside();
            let begin = Instant::now();
            let (mut ran, mut refused) = (0, 0);
            while goes_on(begin, ran == 0 || refused == 0) {
                for door in [Door::Host, Door::Flags] {
                    let said = stage.run(door, Some(&nested), "cat $OUT/secret; echo x > $OUT/new");
                    assert!(!said.text.contains(SECRET), "{said:?}");
                    match said.code {
                        Some(_) => ran += 1,
                        None => refused += 1,
                    }
                }
                let path = stage.path("outside/secret").display().to_string();
                let request = json!({"file_path": path});
                let answer = stage.call(Door::Host, Some(&nested), "file-read", &request);
                assert!(!answer.to_string().contains(SECRET), "{answer}");
            }
            stop(&stage);
            assert!(ran > 0 && refused > 0, "no race: {ran} {refused}");
            assert_eq!(stage.outside(), before);
        }
    }
}

/// Runs `script` for a while beside this attack upon the directory for temporary files, which lies
/// in a root, where an earlier call sees what comes up.
fn race_for_the_private_directory(attack: &str, script: &str, check: impl Fn(&Said)) {
    if abi().is_none() {
        return;
    }
    for user in User::all() {
        let stage = Stage::new(user);
        fs::create_dir(stage.path("root/temporary")).unwrap();
        stage.give("root");
        let place = stage.path("root/temporary");
        let bounds = stage.bounds();
        start(
            &stage,
            &bounds,
            &format!("$ATTACK {attack} $ROOT/temporary $OUT"),
        );
        let stage = stage.with("TMPDIR", place.clone());
        let before = stage.outside();
        let begin = Instant::now();
        while goes_on(begin, false) {
            check(&stage.run(Door::Host, Some(&bounds), script));
        }
        stop(&stage);
        assert_eq!(stage.outside(), before);
    }
}

#[test]
fn a_private_directory_that_is_swapped_for_a_link_leads_nowhere() {
    let script = "cat $OUT/secret $TMPDIR/secret; echo x > $OUT/new; echo x > $TMPDIR/new";
    race_for_the_private_directory("swap-the-newest", script, |said| {
        assert!(!said.text.contains(SECRET), "{said:?}");
    });
}

/// The state directory lies in a root, and an earlier call exchanges it for a link.
#[test]
fn a_state_directory_that_is_swapped_for_a_link_is_not_written_to() {
    if abi().is_none() {
        return;
    }
    for user in User::all() {
        let stage = Stage::new(user);
        fs::create_dir(stage.path("root/state")).unwrap();
        symlink("../outside", stage.path("root/link")).unwrap();
        stage.give("root");
        let kept = stage.path("root/state");
        let bounds = stage.bounds();
        start(&stage, &bounds, "$ATTACK swap $ROOT/state $ROOT/link");
        let stage = stage
            .with("XDG_STATE_HOME", kept)
            .with("IKIGAI_MAX_ANSWER", "1000");
        let before = stage.outside();
        let begin = Instant::now();
        while goes_on(begin, false) {
            let said = stage.run(Door::Host, Some(&bounds), "seq 2000");
            // If it is a link at that moment, nothing is run.
            let refused = said.text.contains("where ikigai-tools keeps its own files");
            assert!(said.code == Some(0) || refused, "{said:?}");
        }
        stop(&stage);
        assert_eq!(stage.outside(), before);
    }
}

/// What removes the private directory follows no link that is swapped in.
#[test]
fn the_end_of_a_call_removes_nothing_outside() {
    let script = "for n in 1 2 3 4 5; do mkdir -p $TMPDIR/$n/secret; done; sleep 0.02";
    race_for_the_private_directory("swap-in-the-newest", script, |said| {
        assert_eq!(said.code, Some(0), "{said:?}");
    });
}
