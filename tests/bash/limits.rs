//! bash where its caller has set limits: long output shown by its ends and kept in a file, and
//! commands that are ended at the end of their time.

use std::fs::{self, File};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, SystemTime};

use crate::common::messages::TextRow;
use crate::common::{
    self, Answer, alone, directory, eventually, names_in, processes_with, text, tool,
};
use serde_json::{Value, json};

/// A call of a command whose answer has at most `limit` bytes, with its state in `state`.
fn bounded(state: &Path, limit: usize, command: &str) -> Answer {
    let answer = tool("bash")
        .with(&json!({ "command": command }))
        .env("IKIGAI_MAX_ANSWER", limit.to_string())
        .env("XDG_STATE_HOME", state)
        .run();
    assert!(
        answer.stdout.len() <= limit,
        "{} of {limit}",
        answer.stdout.len()
    );
    assert_eq!(answer.code(), 0);
    answer
}

/// The directory of kept output in `state`.
fn kept_in(state: &Path) -> PathBuf {
    state.join("ikigai-tools/output")
}

/// The file that a note names.
pub fn file_of(note: &str) -> PathBuf {
    let from = note.find(" in /").unwrap_or_else(|| panic!("{note}")) + 4;
    let path = note[from..].split(": ").next().unwrap();
    PathBuf::from(path)
}

/// The file that a note names, which is the row `text NAME`.
#[track_caller]
fn file_of_note(note: &str, name: &str) -> PathBuf {
    let file = file_of(note);
    note.assert_row_at("bash", name, &[(text(&file), "<file>")]);
    file
}

#[test]
fn long_output_is_its_first_fifth_and_its_end_with_what_is_left_out_counted() {
    let state = directory();
    for limit in [1_000, 40_000, 65_000] {
        let answer = bounded(state.path(), limit, "seq 1 100000; exit 3");
        assert_eq!(answer.json()["exit_code"], 3);
        let output = answer.field("output");
        let (first, rest) = output.split_once("[... ").unwrap();
        let (left_out, last) = rest.split_once(" left out ...]\n").unwrap();
        assert!(first.starts_with("1\n2\n") && first.ends_with('\n'));
        assert!(last.ends_with("\n99999\n100000"), "{last}");
        let (lines, bytes) = left_out.split_once(" lines (").unwrap();
        let number = |text: &str| text.replace(',', "").parse::<usize>().unwrap();
        let bytes = number(bytes.strip_suffix(" bytes)").unwrap());
        let shown = first.lines().count() + last.lines().count();
        assert_eq!(number(lines) + shown, 100_000);
        assert_eq!(bytes + first.len() + last.len() + 1, 588_895);
        assert!(
            first.len() * 3 < last.len(),
            "{} and {}",
            first.len(),
            last.len()
        );
        assert!(answer.stdout.len() + 3000 > limit);
    }
}

#[test]
fn the_note_s_file_has_the_whole_and_reads_as_the_note_says() {
    let state = directory();
    let answer = bounded(state.path(), 40_000, "seq 1 100000");
    let path = file_of_note(&answer.note(), "output that is kept");
    let whole = (1..=100_000).fold(String::new(), |all, n| all + &format!("{n}\n"));
    assert_eq!(fs::read_to_string(&path).unwrap(), whole);
    let read = json!({"file_path": path, "offset": 50_000, "limit": 2});
    tool("file-read")
        .with(&read)
        .answers(&json!({"output": "50000\n50001\n"}));
    let search = json!({"pattern": "^77777$", "path": path});
    let found = tool("grep").with(&search).run();
    assert_eq!(found.json()["count"], 1);
}

#[test]
fn output_that_has_room_has_neither_note_nor_file() {
    let state = directory();
    let answer = bounded(state.path(), 40_000, "seq 1 1000");
    assert_eq!(answer.json().as_object().unwrap().len(), 2);
    assert!(answer.field("output").ends_with("\n1000"));
    assert!(!state.path().join("ikigai-tools").exists());
}

#[test]
fn one_long_line_is_cut_at_characters_and_read_by_bytes() {
    let state = directory();
    let command = r"head -c 300000 /dev/zero | tr '\0' 'x' | sed 's/x/é/g'";
    let answer = bounded(state.path(), 10_000, command);
    let output = answer.field("output");
    assert!(output.starts_with("éé") && output.ends_with("éé"));
    let (first, last) = output.split_once("…[line of 600,000 bytes]…").unwrap();
    assert!(first.ends_with('é') && last.starts_with('é'), "{output}");
    assert!(answer.stdout.len() + 2_500 > 10_000 && !output.contains('\u{FFFD}'));
    let note = answer.note();
    let path = file_of(&note);
    assert_eq!(fs::metadata(&path).unwrap().len(), 600_000, "{note}");
    let (_, advised) = note.split_once("read parts of it with `").unwrap();
    let advised = advised.trim_end_matches("`.").replace("+1 ", "+20001 ");
    let part = bounded(state.path(), 10_000, &advised);
    assert!(part.field("output").starts_with("éé"), "{advised}");
    assert_eq!(part.note(), "", "{advised}");
}

#[test]
fn output_that_is_short_but_long_when_it_is_escaped_is_kept_too() {
    let state = directory();
    let answer = bounded(
        state.path(),
        8_000,
        r"head -c 3000 /dev/zero | tr '\0' '\001'",
    );
    let path = file_of_note(&answer.note(), "output that is long when it is escaped");
    assert_eq!(fs::metadata(path).unwrap().len(), 3_000);
}

#[test]
fn sixty_four_mebibytes_are_kept_and_memory_is_not_spent_on_the_rest() {
    let state = directory();
    let answer = tool("bash")
        .with(&json!({"command": "yes | head -c 200000000"}))
        .env("IKIGAI_MAX_ANSWER", "20000")
        .env("XDG_STATE_HOME", state.path())
        .after("ulimit -v 120000")
        .run();
    let file = file_of_note(&answer.note(), "output of which 64 MiB are kept");
    assert_eq!(fs::metadata(file).unwrap().len(), 64 << 20);
}

#[test]
fn the_files_are_for_nobody_else_and_new_ones() {
    let state = directory();
    let kept = kept_in(state.path());
    fs::create_dir_all(&kept).unwrap();
    fs::set_permissions(&kept, fs::Permissions::from_mode(0o755)).unwrap();
    for _ in 0..2 {
        let note = bounded(state.path(), 1_000, "umask 0; seq 1000").note();
        assert_eq!(fs::metadata(file_of(&note)).unwrap().mode() & 0o7777, 0o600);
    }
    assert_eq!(fs::metadata(&kept).unwrap().mode() & 0o7777, 0o700);
    assert_eq!(names_in(&kept).len(), 2);
}

#[test]
fn what_is_older_than_a_day_goes_and_all_files_have_256_mebibytes_at_most() {
    let state = directory();
    let kept = kept_in(state.path());
    fs::create_dir_all(&kept).unwrap();
    let aged = |name: &str, size: u64, hours: u64| {
        let file = File::create(kept.join(name)).unwrap();
        file.set_len(size).unwrap();
        let time = SystemTime::now() - Duration::from_secs(hours * 3600);
        file.set_modified(time).unwrap();
    };
    aged("old.txt", 300 << 20, 25);
    aged("new.txt", (256 << 20) - 5_000, 23);
    let note = bounded(state.path(), 1_000, "seq 100000").note();
    let file = file_of_note(&note, "output for which little room is left");
    assert_eq!(fs::metadata(file).unwrap().len(), 5_000);
    let names = names_in(&kept);
    assert!(
        names.len() == 2 && names.contains(&"new.txt".to_owned()),
        "{names:?}"
    );
    let note = bounded(state.path(), 1_500, "seq 100000").note();
    note.assert_row("bash", "output for which no room is left");
    assert_eq!(names_in(&kept).len(), 2);
}

#[test]
fn calls_at_once_stay_below_the_limit_together() {
    let state = directory();
    let calls: Vec<_> = (0..6)
        .map(|_| {
            tool("bash")
                .with(&json!({"command": "yes | head -c 70000000"}))
                .env("IKIGAI_MAX_ANSWER", "2000")
                .env("XDG_STATE_HOME", state.path())
                .start()
        })
        .collect();
    for call in calls {
        let answer: Value =
            serde_json::from_slice(&call.wait_with_output().unwrap().stdout).unwrap();
        assert_eq!(answer["exit_code"], 0);
    }
    let kept = kept_in(state.path());
    let sizes = names_in(&kept)
        .into_iter()
        .map(|name| fs::metadata(kept.join(name)).unwrap().len());
    let all: u64 = sizes.sum();
    assert!(all <= 256 << 20, "{all}");
    assert!(all >= 192 << 20, "{all}");
}

#[test]
fn a_link_and_another_user_s_directory_are_not_used() {
    let elsewhere = directory();
    for place in ["ikigai-tools", "ikigai-tools/output"] {
        let state = directory();
        let link = state.path().join(place);
        fs::create_dir_all(link.parent().unwrap()).unwrap();
        symlink(elsewhere.path(), &link).unwrap();
        let note = bounded(state.path(), 2_000, "seq 10000").note();
        not_kept(&note, "no directory of one's own for output", state.path());
        assert!(names_in(elsewhere.path()).is_empty(), "{place}");
    }
    if !common::is_root() {
        return common::skip("another user's directory takes root to be made");
    }
    let state = directory();
    let kept = kept_in(state.path());
    fs::create_dir_all(&kept).unwrap();
    std::os::unix::fs::chown(&kept, Some(65_534), None).unwrap();
    let note = bounded(state.path(), 2_000, "seq 10000").note();
    not_kept(&note, "no directory of one's own for output", state.path());
    assert!(names_in(&kept).is_empty());
}

/// Asserts that a note on output for which `state` had no place is the row `text NAME`.
#[track_caller]
fn not_kept(note: &str, name: &str, state: &Path) {
    note.assert_row_at("bash", name, &[(text(state), "<state>")]);
}

#[test]
fn without_a_place_or_room_the_answer_is_there_all_the_same_and_says_why() {
    let call = |state: &str| {
        tool("bash")
            .with(&json!({"command": "seq 10000"}))
            .env("IKIGAI_MAX_ANSWER", "2000")
            .env("XDG_STATE_HOME", state)
    };
    let state = directory();
    let refused = |answer: Answer, why: &str| {
        not_kept(&answer.note(), why, state.path());
        assert!(answer.field("output").ends_with("\n10000"));
    };
    let nowhere = call("/proc/nowhere").run();
    refused(nowhere, "output whose place cannot be made");
    fs::set_permissions(state.path(), fs::Permissions::from_mode(0o500)).unwrap();
    let closed = call(text(state.path())).unprivileged().run();
    refused(closed, "output whose place may not be written");
    let homeless = call("").env("HOME", "/nonexistent");
    refused(homeless.run(), "output without a home");
    assert!(!Path::new("/nonexistent").exists());
    // A file may not grow here.
    fs::set_permissions(state.path(), fs::Permissions::from_mode(0o700)).unwrap();
    let small = call(text(state.path())).after("ulimit -f 4");
    refused(small.run(), "output that may not grow");
    assert!(names_in(&kept_in(state.path())).is_empty());
}

#[test]
fn a_full_disk_leaves_no_file_and_a_whole_answer() {
    let state = directory();
    let mount = format!("mount -t tmpfs -o size=400k none {}", text(state.path()));
    let script = format!("{mount} && find {} -type f | wc -l", text(state.path()));
    let possible = std::process::Command::new("unshare")
        .args(["-m", "--propagation", "private", "sh", "-c", &script])
        .stderr(Stdio::null())
        .output();
    if !possible.is_ok_and(|output| output.status.success()) {
        return common::skip("no file system can be mounted here");
    }
    let count = format!("seq 500000; find {} -type f | wc -l", text(state.path()));
    let answer = tool("bash")
        .with(&json!({ "command": count }))
        .env("IKIGAI_MAX_ANSWER", "2000")
        .env("XDG_STATE_HOME", state.path())
        .after_in_own_mounts(&mount)
        .run();
    not_kept(&answer.note(), "output on a full disk", state.path());
    assert!(
        answer.field("output").ends_with("\n500000\n0"),
        "{answer:?}",
        answer = answer.json()
    );
}

#[test]
fn a_tool_that_is_killed_leaves_a_part_that_does_not_grow() {
    let state = directory();
    let mark = alone(21);
    let mut child = tool("bash")
        .with(&json!({"command": format!("yes {mark}")}))
        .env("IKIGAI_MAX_ANSWER", "2000")
        .env("XDG_STATE_HOME", state.path())
        .start();
    let kept = kept_in(state.path());
    let size = || -> u64 {
        let names = fs::read_dir(&kept).into_iter().flatten().flatten();
        names.map(|entry| entry.metadata().unwrap().len()).sum()
    };
    assert!(eventually(|| size() > 1 << 20));
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(eventually(|| processes_with(&mark).is_empty()));
    let left = size();
    assert!(left <= 64 << 20);
    std::thread::sleep(Duration::from_millis(100));
    assert_eq!(size(), left);
}

/// A call that may take so many seconds.
fn within(seconds: &str, command: &str) -> Answer {
    tool("bash")
        .with(&json!({ "command": command }))
        .env("IKIGAI_MAX_SECONDS", seconds)
        .run()
}

#[test]
fn a_command_whose_time_is_over_is_ended_and_its_output_answered() {
    let mark = alone(22);
    let mut quickest = Duration::MAX;
    for script in [
        "echo begun; sleep MARK; echo never",
        "trap '' TERM INT HUP; echo begun; while :; do sleep MARK; done",
        "(setsid sleep MARK &); sleep MARK & echo begun; wait",
        "echo begun; exec sleep MARK",
        "nohup sleep MARK >/dev/null & echo begun; sleep MARK & sleep MARK",
        "echo begun; exec >/dev/null 2>&1; sleep MARK",
    ] {
        let answer = within("2", &script.replace("MARK", &mark));
        assert_eq!(answer.field("output"), "begun", "{script}");
        assert_eq!(answer.json()["exit_code"], 124);
        assert_eq!(answer.code(), 0);
        let running = [(&*mark, "<mark>")];
        answer
            .note()
            .assert_row_at("bash", "a command whose time is over", &running);
        quickest = quickest.min(answer.took);
        assert!(processes_with(&mark).is_empty(), "{script}");
    }
    // Other work on the machine may hold up one of them, or some.
    assert!(quickest < Duration::from_secs(3), "{quickest:?}");
}

#[test]
fn what_the_note_recommends_works() {
    let here = directory();
    let answer = tool("bash")
        .with(&json!({"command": "(sleep 1.5; echo done) >out 2>&1 &"}))
        .env("IKIGAI_MAX_SECONDS", "1")
        .in_directory(here.path())
        .run();
    assert_eq!(answer.json(), json!({"output": "", "exit_code": 0}));
    let out = here.path().join("out");
    assert!(eventually(
        || fs::read_to_string(&out).is_ok_and(|out| out == "done\n")
    ));
}

#[test]
fn a_command_that_floods_is_ended_in_time_and_shown_by_its_ends() {
    let state = directory();
    let call = || {
        tool("bash")
            .with(&json!({"command": "echo first; yes"}))
            .env("IKIGAI_MAX_SECONDS", "1")
            .env("IKIGAI_MAX_ANSWER", "3000")
            .env("XDG_STATE_HOME", state.path())
            .run()
    };
    // Other work on the machine may hold up one of them, or some.
    let mut calls = std::iter::repeat_with(call).take(5);
    let answer = calls.find(|answer| answer.took < Duration::from_millis(1_200));
    let answer = answer.expect("a call in time");
    assert_eq!(answer.json()["exit_code"], 124);
    assert!(answer.field("output").starts_with("first\ny\n"));
    file_of_note(&answer.note(), "a command that floods");
}

#[test]
fn a_small_limit_leaves_room_for_the_notes() {
    let state = directory();
    let call = |limit: &str, command: &str| {
        tool("bash")
            .with(&json!({ "command": command }))
            .env("IKIGAI_MAX_SECONDS", "0.5")
            .env("IKIGAI_MAX_ANSWER", limit)
            .env("XDG_STATE_HOME", state.path())
            .run()
    };
    let answer = call("1200", "seq 10000; sleep 30");
    let file = file_of_note(&answer.note(), "notes where the answer has little room");
    assert!(file.exists());
    assert!(answer.field("output").ends_with("\n10000"));
    // What has room is not cut for their sake.
    let answer = call("1200", "seq 170");
    assert_eq!(answer.json().as_object().unwrap().len(), 2);
    assert_eq!(call("1", "seq 100000").json()["exit_code"], 0);
}

#[test]
fn the_published_host_gets_what_it_can_take() {
    let state = directory();
    let answer = tool("bash")
        .with(&json!({"command": "seq 1 100000"}))
        .env("IKIGAI_AGENT_ID", "a")
        .env("XDG_STATE_HOME", state.path())
        .run();
    assert!(answer.stdout.len() <= 65_000);
    assert!(answer.field("output").ends_with("\n100000"));
}

#[test]
fn a_host_s_request_has_a_timeout_and_a_directory_too() {
    let here = directory();
    let below = here.path().canonicalize().unwrap().join("below");
    fs::create_dir(&below).unwrap();
    let call = |request: Value| tool("bash").with(&request).in_directory(here.path());
    call(json!({"command": "pwd -P", "workdir": "below"}))
        .answers(&json!({"output": text(&below), "exit_code": 0}));
    let slow = json!({"command": "echo begun; sleep 30", "timeout": 1});
    let answer = call(slow).run().json();
    assert_eq!(
        (&answer["output"], &answer["exit_code"]),
        (&json!("begun"), &json!(124))
    );
    call(json!({"command": "pwd", "timeout": "soon"}))
        .refuses_the_request("timeout must be an integer");
    let answer = call(json!({"command": "pwd", "workdir": "nowhere"}))
        .run()
        .json();
    assert_eq!(answer["error_code"], "FILE_NOT_FOUND");
}

/// A person's call, which is answered with the host's object.
fn flags(args: &[&str]) -> Answer {
    let call = tool("bash").arg("--json");
    args.iter().fold(call, common::Call::arg).run()
}

#[test]
fn a_timeout_that_is_asked_for_ends_the_command() {
    let mark = alone(23);
    let answer = flags(&["--timeout", "1", &format!("echo begun; sleep {mark}")]);
    assert_eq!(answer.json()["exit_code"], 124);
    assert_eq!(answer.field("output"), "begun");
    let running = [(&*mark, "<mark>")];
    answer
        .note()
        .assert_row_at("bash", "a timeout that is over", &running);
    assert!(answer.took >= Duration::from_millis(500));
    assert!(processes_with(&mark).is_empty());
    for none in ["0", "99999999999999999999", "600"] {
        let answer = flags(&["--timeout", none, "echo x"]);
        let json = answer.json();
        assert_eq!(
            (&json["output"], &json["exit_code"]),
            (&json!("x"), &json!(0))
        );
        // As other agents count it.
        assert_eq!(json["note"].is_string(), none.len() > 4, "{none}: {json}");
    }
}

#[test]
fn a_command_starts_in_the_directory_that_is_asked_for() {
    let here = directory();
    let inner = here.path().join("a b");
    fs::create_dir(&inner).unwrap();
    fs::write(here.path().join("file"), "").unwrap();
    let path = inner.canonicalize().unwrap();
    let answer = flags(&["--workdir", text(&path), "pwd; pwd -P"]);
    let expected = format!("{}\n{}", text(&path), text(&path));
    assert_eq!(answer.json(), json!({"output": expected, "exit_code": 0}));
    let closed = common::public_directory();
    let secret = closed.path().join("secret");
    fs::create_dir(&secret).unwrap();
    fs::set_permissions(&secret, fs::Permissions::from_mode(0o700)).unwrap();
    if common::is_root() {
        let answer = tool("bash").unprivileged();
        let answer = answer
            .arg("--json")
            .arg("--workdir")
            .arg(&secret)
            .arg("pwd")
            .run();
        assert_eq!(answer.json()["error_code"], "PERMISSION_DENIED");
    }
}
