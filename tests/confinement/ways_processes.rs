//! Ways by other processes of the same user.

use std::fs;
use std::path::Path;

use crate::common::eventually;
use crate::daily_work::has;
use crate::stage::{Door, SECRET, Stage, User, abi};
use crate::ways::{Way, closed, closed_from, is_refusal, open, open_where_shown, way};

const fn to_outsider(what: &'static str, command: &'static str) -> Way {
    way(what, command).on(|user| Stage::new(user).with_outsider())
}

#[test]
fn a_process_outside_leads_to_no_file() {
    closed(&[
        to_outsider("its root", "cat /proc/$OUTSIDER/root$OUT/secret"),
        to_outsider("where it is", "cat /proc/$OUTSIDER/cwd/secret"),
        to_outsider("what it has open", "cat /proc/$OUTSIDER/fd/$SECRET_FD"),
        to_outsider(
            "what its thread has open",
            "cat /proc/$OUTSIDER/task/$OUTSIDER/fd/$SECRET_FD",
        ),
        to_outsider(
            "a list of where that leads",
            "ls -l /proc/$OUTSIDER/fd 2>&1 | grep -q secret || { echo not permitted; exit 1; }",
        ),
        to_outsider(
            "a descriptor that is taken",
            "$ATTACK take-descriptor $OUTSIDER $SECRET_FD",
        ),
        to_outsider(
            "its mounts",
            "$ATTACK join-its-mounts $OUTSIDER $OUT/secret",
        )
        .as_root(),
        to_outsider("its environment", "cat /proc/$OUTSIDER/environ"),
        to_outsider(
            "its program",
            "cat /proc/$OUTSIDER/exe | head -c 10 | grep -q ELF",
        ),
        to_outsider("a map of its memory", "cat /proc/$OUTSIDER/maps"),
        to_outsider(
            "its standing with the kernel",
            "echo 500 > /proc/$OUTSIDER/oom_score_adj",
        ),
    ]);
}

#[test]
fn a_process_outside_is_not_traced() {
    closed(&[
        to_outsider("attaching to it", "$ATTACK attach $OUTSIDER"),
        to_outsider("seizing it", "$ATTACK seize $OUTSIDER"),
        to_outsider(
            "its memory as a file",
            "$ATTACK read-memory-file $OUTSIDER $ADDRESS",
        ),
        to_outsider(
            "reading its memory",
            "$ATTACK read-memory $OUTSIDER $ADDRESS",
        ),
        to_outsider(
            "writing its memory",
            "$ATTACK write-memory $OUTSIDER $ADDRESS",
        ),
    ]);
}

/// The tool, its watchdog, and over MCP the server.
#[test]
fn those_who_watch_a_command_lead_nowhere() {
    closed(&[
        way("the watchdog's root", "cat /proc/$PPID/root$OUT/secret"),
        way(
            "the watchdog's environment",
            "tr '\\0' '\\n' < /proc/$PPID/environ | grep -q OUT=",
        ),
        way(
            "what the watchdog has open",
            "readlink /proc/$PPID/fd/0 || { echo not permitted; exit 1; }",
        ),
        way(
            "the tool's environment",
            "cat /proc/$(awk '/PPid/ { print $2 }' /proc/$PPID/status)/environ",
        ),
        way(
            "what the tool has open",
            "readlink /proc/$(awk '/PPid/ { print $2 }' /proc/$PPID/status)/fd/0 \
             || { echo not permitted; exit 1; }",
        ),
        way(
            "the tool's memory",
            "$ATTACK seize $(awk '/PPid/ { print $2 }' /proc/$PPID/status)",
        ),
    ]);
}

#[test]
fn a_process_outside_gets_no_signal() {
    closed_from(
        6,
        &[
            to_outsider("kill", "$ATTACK signal $OUTSIDER"),
            to_outsider("kill of its group", "$ATTACK signal -$OUTSIDER"),
            to_outsider("tgkill", "$ATTACK signal-thread $OUTSIDER"),
            to_outsider("sigqueue", "$ATTACK queue-signal $OUTSIDER"),
            to_outsider(
                "pidfd_send_signal",
                "$ATTACK signal-by-descriptor $OUTSIDER",
            ),
            way("the watchdog", "kill -CONT $PPID"),
            way(
                "the tool",
                "kill -CONT $(awk '/PPid/ { print $2 }' /proc/$PPID/status)",
            ),
        ],
    );
}

#[test]
fn nobody_joins_a_group_outside() {
    closed(&[
        to_outsider("the group of a process", "$ATTACK join-its-group $OUTSIDER"),
        way("the watchdog's", "$ATTACK join-its-group $PPID"),
        way(
            "the tool's",
            "$ATTACK join-its-group $(awk '/PPid/ { print $2 }' /proc/$PPID/status)",
        ),
    ]);
}

#[test]
fn a_process_outside_is_told_of_no_input() {
    closed_from(
        6,
        &[
            to_outsider("F_SETOWN", "$ATTACK have-it-signalled $OUTSIDER $OUT")
                .says("no signal came"),
        ],
    );
}

#[test]
fn a_process_outside_can_be_slowed_down() {
    open(&[
        to_outsider("how much it is run", "$ATTACK slow-down $OUTSIDER").as_ordinary_user(),
        to_outsider("on which processors", "$ATTACK tie-down $OUTSIDER").as_ordinary_user(),
        to_outsider(
            "how soon it reads and writes",
            "$ATTACK stop-input $OUTSIDER",
        )
        .as_ordinary_user(),
    ]);
    open_where_shown(&[to_outsider(
        "how many descriptors it has",
        "ls /proc/$OUTSIDER/fd",
    )]);
}

/// Each call is confined for itself.
#[test]
fn calls_leave_each_other_alone() {
    if abi().is_none() {
        return;
    }
    for user in User::all() {
        let stage = Stage::new(user);
        let bounds = stage.bounds();
        let script = "echo x > $TMPDIR/own; sleep 30 >/dev/null 2>&1 & echo $! $TMPDIR";
        let said = stage.run(Door::Host, Some(&bounds), script);
        let (sleeper, private) = said.text.split_once(' ').unwrap();
        let within = stage.path("temporary");
        assert!(Path::new(private).starts_with(within), "{private}");
        for script in [
            format!("cat {private}/own"),
            format!("ls {private}"),
            format!("echo x > {private}/own"),
            format!("cat /proc/{sleeper}/environ"),
        ] {
            let free = stage.run(Door::Host, None, &script);
            assert_eq!(free.code, Some(0), "{script}: {free:?}");
            let said = stage.run(Door::Host, Some(&bounds), &script);
            assert!(said.code != Some(0), "{script}: {said:?}");
            assert!(is_refusal(&said, "ermission denied"), "{script}: {said:?}");
        }
        let kill = format!("kill {sleeper}");
        let said = stage.run(Door::Host, Some(&bounds), &kill);
        let expected = i64::from(abi() >= Some(6));
        assert_eq!(said.code, Some(expected), "{said:?}");
        stage.run(Door::Host, None, &kill);
        assert!(
            eventually(|| !Path::new(private).exists()),
            "{private} stays"
        );
    }
}

/// What root has more powers for than it keeps within.
#[test]
fn a_process_of_root_s_is_not_slowed_down() {
    closed(&[
        to_outsider("how much it is run", "$ATTACK slow-down $OUTSIDER").as_root(),
        to_outsider("on which processors", "$ATTACK tie-down $OUTSIDER").as_root(),
        to_outsider(
            "how soon it reads and writes",
            "$ATTACK stop-input $OUTSIDER",
        )
        .as_root(),
    ]);
}

#[test]
fn a_process_outside_is_not_limited() {
    closed(&[to_outsider(
        "how many files it may have open",
        "$ATTACK limit $OUTSIDER",
    )]);
}

#[test]
fn the_user_s_keys_are_not_touched() {
    closed(&[
        way("a key for all of the user's programs", "$ATTACK keep-a-key")
            .needs("this kernel keeps no keys"),
    ]);
}

#[test]
fn message_queues_are_not_opened() {
    closed(&[to_outsider("another's queue", "$ATTACK use-queue $QUEUE")
        .needs("this kernel has no queues")]);
}

#[test]
fn what_processes_of_a_user_share_is_shared() {
    open(&[
        to_outsider("System V shared memory", "$ATTACK use-segment $SEGMENT"),
        to_outsider("System V messages", "$ATTACK use-messages $MESSAGES"),
        to_outsider("System V semaphores", "$ATTACK use-semaphores $SEMAPHORES"),
        to_outsider("names of message queues", "$ATTACK remove-queue $QUEUE")
            .needs("this kernel has no queues"),
    ]);
}

#[test]
fn what_a_command_leaves_behind_stays_confined() {
    if abi().is_none() {
        return;
    }
    for user in User::all() {
        for door in [Door::Host, Door::Flags] {
            let stage = Stage::new(user);
            let script = "(sleep 0.2; cat $OUT/secret > got 2>&1; echo $? > code.new; \
                 mv code.new code) >/dev/null 2>&1 &";
            let said = stage.run(door, Some(&stage.bounds()), script);
            assert_eq!(said.code, Some(0), "{said:?}");
            let code = stage.path("root/code");
            assert!(eventually(|| code.exists()), "{user:?} {door:?}");
            assert_eq!(fs::read_to_string(code).unwrap(), "1\n");
            let got = fs::read_to_string(stage.path("root/got")).unwrap();
            assert!(
                got.contains("ermission denied") && !got.contains(SECRET),
                "{got}"
            );
        }
    }
}

#[test]
fn calls_within_a_call_are_no_wider() {
    closed(&[
        way(
            "a tool of files, with its bounds",
            "$TOOLS/file-read $OUT/secret",
        ),
        way(
            "a tool of files, without",
            "env -u IKIGAI_ROOTS -u IKIGAI_READ $TOOLS/file-read $OUT/secret",
        ),
        way(
            "a tool of files, with others",
            "$TOOLS/file-read --root $OUT $OUT/secret",
        ),
        way(
            "a tool that writes",
            "env -u IKIGAI_ROOTS -u IKIGAI_READ $TOOLS/file-write $OUT/new x",
        ),
        way(
            "a command, without bounds",
            "env -u IKIGAI_ROOTS -u IKIGAI_READ $TOOLS/bash \"cat $OUT/secret\"",
        ),
        way(
            "a command, with others",
            "$TOOLS/bash --root / \"cat $OUT/secret\"",
        ),
        way(
            "a server of its own",
            "env -u IKIGAI_ROOTS -u IKIGAI_READ $ATTACK ask-a-server $OUT/secret",
        ),
    ]);
}

#[test]
fn what_is_left_in_a_root_acts_later_and_outside() {
    if abi().is_none() || !has("git") {
        return;
    }
    for user in User::all() {
        let stage = Stage::new(user);
        let hook = "git init -q . && printf '#!/bin/sh\\ncat \"$OUT/secret\" > got\\n' \
             > .git/hooks/pre-commit && chmod +x .git/hooks/pre-commit";
        let commit = "git -c user.name=a -c user.email=a@b commit -q --allow-empty -m x";
        let within = format!("{hook} && {{ {commit}; cat got; }}");
        let said = stage.run(Door::Host, Some(&stage.bounds()), &within);
        assert!(!said.text.contains(SECRET), "{said:?}");
        let outside = stage.run(Door::Host, None, &format!("{commit}; cat got"));
        assert!(outside.text.contains(SECRET), "{outside:?}");
    }
}
