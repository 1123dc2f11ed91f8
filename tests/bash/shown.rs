//! The output of a command as it is shown: long lines where the answer has a limit, lines that were
//! written over, and what there was when the time was over.

use std::fs;
use std::path::Path;

use serde_json::json;

use super::ending::has_program;
use super::limits::file_of;
use crate::common::messages::TextRow;
use crate::common::{directory, text, tool};
use crate::mcp::session::Session;

/// The output and the note that answer `command` within a limit: to a host, and to a model.
fn bounded_answers(here: &Path, limit: usize, command: &str) -> [(String, String); 2] {
    let request = json!({ "command": command });
    let host = tool("bash")
        .with(&request)
        .env("IKIGAI_MAX_ANSWER", limit.to_string())
        .in_directory(here)
        .run();
    assert!(host.stdout.len() <= limit, "{}", host.stdout.len());
    let host = (host.field("output"), host.note());
    let flags = ["--max-answer", &limit.to_string()];
    let mut model = Session::plain(here, "test", &flags);
    let (text, _) = model.text_of("bash", &request);
    assert!(text.len() <= limit, "{}", text.len());
    // The note stands at both ends.
    let text = text.split_once("]\n").map_or(&*text, |(_, text)| text);
    let (output, note) = text.rsplit_once("\n[").unwrap_or((text, ""));
    [
        host,
        (output.to_owned(), note.trim_end_matches(']').to_owned()),
    ]
}

/// A build log of 34 lines, of which those with these numbers have 60,000 bytes.
fn build_log(long: &[usize]) -> String {
    (1..=34).fold(String::new(), |log, number| {
        let line = match number {
            20 => String::from("error[E0308]: mismatched types"),
            number if long.contains(&number) => format!("ld {}", "-lé ".repeat(12_000)),
            number => format!("   Compiling part-{number} v0.1.{number}"),
        };
        log + &line + "\n"
    })
}

#[test]
fn long_lines_are_shortened_and_the_lines_around_them_are_all_there() {
    let here = directory();
    for long in [&[21][..], &[34], &[1], &[19, 21], &[2, 19, 21, 33, 34]] {
        let log = build_log(long);
        fs::write(here.path().join("log"), &log).unwrap();
        for limit in [8_000, 30_000] {
            for (output, note) in bounded_answers(here.path(), limit, "cat log") {
                let shown: Vec<_> = output.lines().collect();
                assert_eq!(shown.len(), 34, "{long:?}: {output:.2000}");
                for (at, (shown, line)) in shown.iter().zip(log.lines()).enumerate() {
                    if !long.contains(&(at + 1)) {
                        assert_eq!(*shown, line);
                        continue;
                    }
                    let (begin, end) = shown.split_once("…[line of 60,003 bytes]…").unwrap();
                    assert!(line.starts_with(begin) && line.ends_with(end), "{shown}");
                    assert!(end.len() > 3 * begin.len() && begin.starts_with("ld -lé"));
                }
                // Nearly all of the room is used, but for what is free for notes.
                assert!(output.len() + 3_000 > limit, "{} of {limit}", output.len());
                let file = file_of(&note);
                let placeholders = [(text(&file), "<file>")];
                note.assert_row_at("bash", "long lines that are shortened", &placeholders);
                assert_eq!(fs::read_to_string(file).unwrap(), log);
            }
        }
    }
}

#[test]
fn lines_that_are_long_and_many_are_shown_from_both_ends() {
    let here = directory();
    let command = "long=$(head -c 20000 /dev/zero | tr '\\0' x); for i in $(seq 500); do \
                   printf '%s\\n' \"error $i\" \"$long\"; done; exit 1";
    for (output, note) in bounded_answers(here.path(), 20_000, command) {
        let (first, rest) = output.split_once("[... ").unwrap();
        let (left_out, last) = rest.split_once(" left out ...]\n").unwrap();
        assert!(
            first.starts_with("error 1\nxxx") && first.contains("\nerror 5\n"),
            "{first}"
        );
        assert!(
            last.contains("\nerror 500\nxxx") && last.contains("\nerror 480\n"),
            "{last}"
        );
        assert!(!first.contains(&"x".repeat(501)) && !last.contains(&"x".repeat(501)));
        assert!(last.contains("…[line of 20,000 bytes]…"));
        assert!(output.len() + 4_000 > 20_000, "{}", output.len());
        let shown = first.lines().count() + last.lines().count();
        let lines = left_out.split_once(" lines (").unwrap().0;
        assert_eq!(lines.parse::<usize>().unwrap() + shown, 1_000);
        let file = file_of(&note);
        let placeholders = [(text(&file), "<file>")];
        note.assert_row_at("bash", "many long lines", &placeholders);
    }
}

#[test]
fn one_line_of_a_hundred_megabytes_takes_no_memory() {
    let state = directory();
    let answer = tool("bash")
        .with(&json!({"command": "echo begun; yes 0123456789 | tr -d '\\n' | head -c 100000000"}))
        .env("IKIGAI_MAX_ANSWER", "20000")
        .env("XDG_STATE_HOME", state.path())
        .after("ulimit -v 120000")
        .run();
    let output = answer.field("output");
    assert!(output.starts_with("begun\n0123456789") && output.ends_with("0123456789"));
    let cut = "…[line of 100,000,000 bytes]…";
    assert_eq!(output.matches(cut).count(), 1, "{output:.5000}");
    assert!(output.len() > 16_500, "{}", output.len());
}

#[test]
fn bytes_that_are_no_characters_are_shortened_too() {
    let state = directory();
    let answer = tool("bash")
        .with(&json!({"command": "echo begun; head -c 90000 /dev/zero | tr '\\0' '\\377'; echo; echo end"}))
        .env("IKIGAI_MAX_ANSWER", "9000")
        .env("XDG_STATE_HOME", state.path())
        .run();
    let output = answer.field("output");
    assert!(output.starts_with("begun\n\u{fffd}") && output.ends_with("\u{fffd}\nend"));
    assert_eq!(output.matches("…[line of 90,000 bytes]…").count(), 1);
    assert_eq!(fs::metadata(file_of(&answer.note())).unwrap().len(), 90_011);
}

#[test]
fn lines_that_were_written_over_are_shown_in_their_last_state() {
    let here = directory();
    let mut session = Session::plain(here.path(), "someone", &[]);
    for (command, expected) in [
        // As cargo, npm and docker write them.
        (
            r"for i in 1 2 3; do printf '\r    Building [==>  ] %s/3\033[K' $i; done
              printf '\r\033[K    Finished in 2s\n'",
            "    Finished in 2s",
        ),
        (
            r"printf '\033[2K\033[1Gfetch 1/2\033[2K\033[1Gfetch 2/2'",
            "fetch 2/2",
        ),
        (
            r"printf 'a: Pulling\nb: Pulling\n'
              printf '\033[2A\033[2K\ra: 50%%\r\033[2B\033[1A\033[2K\rb: 70%%\r\033[1B'
              printf '\033[2A\033[2K\ra: Done\r\033[2B\033[1A\033[2K\rb: Done\r\033[1B'; echo all",
            "a: Done\nb: Done\nall",
        ),
        (
            r"printf '[    ] Compiling foo.c\r[ OK ]\n'",
            "[ OK ] Compiling foo.c",
        ),
        (r"printf 'abcdef\rXY'", "XYcdef"),
        (r"printf 'abcdef\rXY\033[K'", "XY"),
        (r"printf 'abcdef\rXY\033[0K\n'", "XY"),
        (r"printf 'abcdef\r\033[2KXY'", "XY"),
        (r"printf 'abcdef\b\bX'", "abcdXf"),
        (r"printf 'abcdef\033[3GX'", "abXdef"),
        (r"printf 'été\rE\n'", "Eté"),
        (r"printf 'one\ntwo\033[1A\rO\033[1B\rT'", "One\nTwo"),
        // As pip, npm, curl and git write them.
        (
            r"for i in 1 2; do printf '\r\033[2K   %s/2 MB' $i; done; printf '\r\033[2KDone\n'",
            "Done",
        ),
        (
            r"printf '[##..] / fetch: sill 1\033[1G\033[0K[####] - fetch\033[1G\033[0Kadded 1\n'",
            "added 1",
        ),
        (r"printf '  0   0\r 50  50\r100 100\n'", "100 100"),
        (
            r"printf 'Counting objects:  50%% (1/2)\rCounting objects: 100%% (2/2), done.\n'",
            "Counting objects: 100% (2/2), done.",
        ),
        (
            r"printf 'dos\r\n50 %%\r100 %%\r\nend\r\n'",
            "dos\r\n100 %\r\nend\r",
        ),
    ] {
        let (shown, _) = session.text_of("bash", &json!({ "command": command }));
        assert_eq!(shown, expected, "{command}");
    }
}

#[test]
fn a_progress_bar_takes_the_room_of_one_line() {
    let here = directory();
    let command = r"echo begun; for i in $(seq 20000); do printf '\r%s of 20000' $i; done";
    let answers = bounded_answers(here.path(), 8_000, command);
    // A host gets what was written, which is one line.
    assert!(answers[0].0.contains("…[line of "), "{:.300}", answers[0].0);
    assert!(answers[0].0.ends_with("\r20000 of 20000"));
    assert_eq!(
        answers[1],
        ("begun\n20000 of 20000".to_owned(), String::new())
    );
}

/// Answers to a command that runs out of time, of the doors that can set a limit.
fn ended_answers(here: &Path, command: &str) -> Vec<String> {
    let request = json!({"command": command, "timeout": 3});
    let host = tool("bash")
        .with(&json!({ "command": command }))
        .env("IKIGAI_MAX_SECONDS", "3")
        .in_directory(here)
        .start();
    let flags = tool("bash").arg("--json").arg("--timeout").arg("3");
    let flags = flags.arg(command).in_directory(here).start();
    let mut session = Session::start_in(here, &[]);
    session.shake_hands("2025-11-25");
    let mut answers = vec![session.result_of("bash", &request)["structuredContent"].clone()];
    for call in [host, flags] {
        let output = call.wait_with_output().unwrap();
        answers.push(serde_json::from_slice(&output.stdout).unwrap());
    }
    let outputs = answers.into_iter().map(|answer| {
        assert_eq!(answer["exit_code"], 124, "{answer}");
        let note = answer["note"].as_str().unwrap();
        assert!(
            note.starts_with("The command was ended after 1.5 seconds"),
            "{note}"
        );
        answer["output"].as_str().unwrap().to_owned()
    });
    outputs.collect()
}

#[test]
fn a_build_that_runs_out_of_time_keeps_what_it_had_written_to_its_last_line() {
    let here = directory();
    for (command, begins, ends) in [
        (
            "for i in 1 2 3; do echo \"cc part-$i\"; done; printf 'ld progr'; sleep 60; echo never",
            "cc part-1\n",
            "cc part-3\nld progr",
        ),
        // More than a pipe holds, and at once.
        (
            "seq 30000; printf last; sleep 60; echo never",
            "1\n2\n",
            "\n30000\nlast",
        ),
        (
            "trap 'echo stopping; sleep 0.2; seq 100000; echo stopped; exit 2' TERM; echo cc; \
             sleep 60 & wait; echo never",
            "cc\n",
            "\n100000\nstopped",
        ),
    ] {
        for output in ended_answers(here.path(), command) {
            assert!(
                output.starts_with(begins) && output.ends_with(ends),
                "{command}: {output:.200}"
            );
        }
    }
}

#[test]
fn where_nothing_had_come_the_note_says_why_that_may_be() {
    let here = directory();
    let call_within = |seconds: &str, command: &str| {
        tool("bash")
            .with(&json!({ "command": command }))
            .env("IKIGAI_MAX_SECONDS", seconds)
            .without_env("PYTHONUNBUFFERED")
            .in_directory(here.path())
            .run()
    };
    let call = |command: &str| call_within("2", command);
    let program = "import time\nprint('begun')\ntime.sleep(60)\n";
    fs::write(here.path().join("it.py"), program).unwrap();
    let note = call("echo begun; sleep 60").note();
    note.assert_row("bash", "a command that has written before its time is over");
    if !has_program("python3") {
        return;
    }
    let note = call("python3 it.py").note();
    note.assert_row("bash", "a command that buffers its output");
    // It may take its time to begin.
    let unbuffered = call_within("8", "python3 -u it.py");
    assert_eq!(unbuffered.field("output"), "begun");
}
