//! The file-read tool, called as a host calls it.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use crate::common::{self, directory, text, tool};
use serde_json::json;

fn content_of(file: &Path, request: &serde_json::Value) -> String {
    let mut request = request.clone();
    request["file_path"] = text(file).into();
    let answer = tool("file-read").with(&request).run();
    assert_eq!(answer.code(), 0);
    answer.field("output")
}

#[test]
fn a_file_comes_as_it_is() {
    let here = directory();
    let file = here.path().join("notes.txt");
    fs::write(&file, "one\r\n\ttwo\n\nlast").unwrap();
    tool("file-read")
        .with(&json!({"file_path": text(&file)}))
        .answers(&json!({"output": "one\r\n\ttwo\n\nlast"}));
}

#[test]
fn an_empty_file_is_an_empty_answer() {
    let here = directory();
    let file = here.path().join("empty");
    fs::write(&file, "").unwrap();
    for request in [json!({}), json!({"offset": 3}), json!({"limit": 2})] {
        assert_eq!(content_of(&file, &request), "");
    }
}

#[test]
fn a_relative_path_is_taken_from_the_tool_s_directory() {
    let here = directory();
    fs::write(here.path().join("notes.txt"), "here").unwrap();
    tool("file-read")
        .with(&json!({"file_path": "notes.txt"}))
        .in_directory(here.path())
        .answers(&json!({"output": "here"}));
}

#[test]
fn a_window_of_lines_is_read() {
    let here = directory();
    let file = here.path().join("lines");
    fs::write(&file, "1\n2\n3\n4\n5").unwrap();
    for (request, expected) in [
        (json!({"offset": 2, "limit": 2}), "2\n3\n"),
        (json!({"offset": 4}), "4\n5"),
        (json!({"limit": 1}), "1\n"),
        (json!({"offset": 5, "limit": 1}), "5"),
        (json!({"offset": 6}), ""),
        (json!({"offset": 600, "limit": 1}), ""),
        (json!({"offset": 1}), "1\n2\n3\n4\n5"),
        (json!({"offset": 0, "limit": 0}), "1\n2\n3\n4\n5"),
        (json!({"offset": null, "limit": null}), "1\n2\n3\n4\n5"),
        (json!({"offset": "3", "limit": 1.0}), "3\n"),
        (json!({"offset": -7, "limit": 1}), "1\n"),
        (json!({"offset": -5}), "1\n2\n3\n4\n5"),
        (json!({"offset": -1}), "5"),
        (json!({"offset": "-2"}), "4\n5"),
        (json!({"offset": -3, "limit": 2}), "3\n4\n"),
        (json!({"offset": i64::MIN}), "1\n2\n3\n4\n5"),
        (json!({"offset": 1, "limit": u64::MAX}), "1\n2\n3\n4\n5"),
        (json!({"offset": u64::MAX, "limit": u64::MAX}), ""),
    ] {
        assert_eq!(content_of(&file, &request), expected, "{request}");
    }
}

#[test]
fn windows_of_a_large_file_agree_with_its_lines() {
    let here = directory();
    let file = here.path().join("large");
    let lines: Vec<String> = (0..60_000usize)
        .map(|n| format!("line {n} {}\n", "x".repeat(n % 97)))
        .collect();
    fs::write(&file, lines.concat()).unwrap();
    for (offset, limit) in [
        (1, 1),
        (5_000, 3),
        (30_000, 25_000),
        (59_999, 5),
        (60_001, 1),
    ] {
        let expected: String = lines
            .iter()
            .skip(offset - 1)
            .take(limit)
            .map(String::as_str)
            .collect();
        let request = json!({"offset": offset, "limit": limit});
        assert!(content_of(&file, &request) == expected, "{request}");
        let expected: String = lines.iter().skip(offset - 1).map(String::as_str).collect();
        assert!(
            content_of(&file, &json!({"offset": offset})) == expected,
            "from {offset}"
        );
    }
}

#[test]
fn the_last_lines_are_found_from_the_end() {
    let here = directory();
    let file = here.path().join("large");
    let lines: Vec<String> = (0..60_000usize)
        .map(|n| format!("line {n} {}\n", "x".repeat(n % 97)))
        .collect();
    let mut content = lines.concat();
    for last in ["", "without a line feed"] {
        content += last;
        fs::write(&file, &content).unwrap();
        let mut all: Vec<&str> = lines.iter().map(String::as_str).collect();
        all.extend((!last.is_empty()).then_some(last));
        for offset in [1, 2, 3000, 20_000, 59_999, all.len(), 70_000] {
            let from = all.len().saturating_sub(offset);
            let request = json!({"offset": -i64::try_from(offset).unwrap()});
            assert!(
                content_of(&file, &request) == all[from..].concat(),
                "{request}"
            );
            let request = json!({"offset": -i64::try_from(offset).unwrap(), "limit": 2});
            let end = (from + 2).min(all.len());
            assert!(
                content_of(&file, &request) == all[from..end].concat(),
                "{request}"
            );
        }
    }
    for (content, offset, expected) in [
        ("", -1, ""),
        ("\n", -1, "\n"),
        ("\n\n", -1, "\n"),
        ("a\n\n", -2, "a\n\n"),
        ("a", -1, "a"),
    ] {
        fs::write(&file, content).unwrap();
        assert_eq!(
            content_of(&file, &json!({"offset": offset})),
            expected,
            "{content:?}"
        );
        assert_eq!(
            note_of(&file, &json!({"offset": offset})),
            "",
            "{content:?}"
        );
    }
    fs::write(&file, b"\xFF\xE9\n\x80\nz").unwrap();
    assert_eq!(content_of(&file, &json!({"offset": -2})), "\u{FFFD}\nz");
}

#[test]
fn the_last_lines_of_a_generated_file_are_read() {
    let limits = fs::read_to_string("/proc/self/limits").unwrap();
    let lines: Vec<&str> = limits.split_inclusive('\n').collect();
    for (offset, from) in [(-1, lines.len() - 1), (-3, lines.len() - 3), (-999, 0)] {
        assert_eq!(
            content_of(Path::new("/proc/self/limits"), &json!({"offset": offset})),
            lines[from..].concat()
        );
    }
    // Its status tells more bytes than there are.
    let size = Path::new("/sys/kernel/mm/transparent_hugepage/enabled");
    if let Ok(enabled) = fs::read_to_string(size) {
        assert_eq!(content_of(size, &json!({"offset": -1})), enabled);
    }
}

#[test]
fn the_last_lines_of_a_huge_file_cost_no_more_than_they_are() {
    let here = directory();
    let file = here.path().join("huge");
    let mut out = fs::File::create(&file).unwrap();
    out.set_len(1 << 40).unwrap();
    std::io::Seek::seek(&mut out, std::io::SeekFrom::End(0)).unwrap();
    std::io::Write::write_all(&mut out, b"\none\ntwo\n").unwrap();
    let started = std::time::Instant::now();
    assert_eq!(content_of(&file, &json!({"offset": -2})), "one\ntwo\n");
    assert!(started.elapsed() < Duration::from_secs(5));
}

#[test]
fn the_note_on_the_last_lines_says_which_they_are() {
    let here = directory();
    let file = here.path().join("lines");
    let lines: Vec<String> = (1..=5000)
        .map(|number| format!("line {number}\n"))
        .collect();
    fs::write(&file, lines.concat()).unwrap();
    let answer = tool("file-read")
        .with(&json!({"file_path": text(&file), "offset": -2000}))
        .env("IKIGAI_MAX_ANSWER", "6000")
        .run();
    let shown = answer.field("output").lines().count();
    let last = 3000 + shown;
    assert_eq!(
        answer.note(),
        format!("lines 3001 to {last}; go on with \"offset\":{}", last + 1)
    );
}

#[test]
fn bytes_that_are_no_text_are_replaced_and_everything_around_them_is_kept() {
    let here = directory();
    let file = here.path().join("binary");
    fs::write(&file, b"\x00a\xff\xfeb\xc3\xa9\xe2\x82").unwrap();
    assert_eq!(
        content_of(&file, &json!({})),
        "\0a\u{FFFD}\u{FFFD}bé\u{FFFD}"
    );
}

#[test]
fn symbolic_links_are_followed_and_dangling_ones_are_not_found() {
    let here = directory();
    let (file, link) = (here.path().join("file"), here.path().join("link"));
    symlink("file", &link).unwrap();
    tool("file-read")
        .with(&json!({"file_path": text(&link)}))
        .fails(
            "FILE_NOT_FOUND",
            &format!("File not found: {}", text(&link)),
        );
    fs::write(&file, "x").unwrap();
    assert_eq!(content_of(&link, &json!({})), "x");
}

#[test]
fn what_reads_like_a_file_is_read() {
    // Of a length that no status tells, and the same for both processes.
    let place = Path::new("/proc/self/limits");
    let limits = fs::read_to_string(place).unwrap();
    assert_eq!(content_of(place, &json!({})), limits);
    let (first, _) = limits.split_once('\n').unwrap();
    assert_eq!(
        content_of(place, &json!({"offset": 1, "limit": 1})),
        format!("{first}\n")
    );
}

#[test]
fn a_missing_file_is_not_found() {
    tool("file-read")
        .with(&json!({"file_path": "/path/to/missing.txt"}))
        .fails("FILE_NOT_FOUND", "File not found: /path/to/missing.txt");
    tool("file-read")
        .with(&json!({"file_path": ""}))
        .fails("FILE_NOT_FOUND", "File not found: ");
}

#[test]
fn a_file_of_somebody_else_is_refused() {
    let here = common::public_directory();
    let file = here.path().join("secret");
    fs::write(&file, "x").unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o000)).unwrap();
    tool("file-read")
        .with(&json!({"file_path": text(&file)}))
        .unprivileged()
        .fails(
            "PERMISSION_DENIED",
            &format!("Permission denied: {}", text(&file)),
        );
}

#[test]
fn what_is_no_file_is_refused_at_once_with_the_nearest_code() {
    let here = directory();
    let fifo = here.path().join("fifo");
    assert!(
        Command::new("mkfifo")
            .arg(&fifo)
            .status()
            .unwrap()
            .success()
    );
    let socket = here.path().join("socket");
    let _listener = UnixListener::bind(&socket).unwrap();
    for (path, code, message) in [
        (
            text(&fifo),
            "SEEK_FAILED",
            format!("Cannot seek file: {}", text(&fifo)),
        ),
        (
            "/dev/zero",
            "SIZE_FAILED",
            "Cannot get file size: /dev/zero".into(),
        ),
        (
            "/dev/stdin",
            "SEEK_FAILED",
            "Cannot seek file: /dev/stdin".into(),
        ),
        (
            text(here.path()),
            "OPEN_FAILED",
            format!(
                "Cannot open file: {} (it is a directory)",
                text(here.path())
            ),
        ),
        (
            text(&socket),
            "OPEN_FAILED",
            format!(
                "Cannot open file: {} (it is not a regular file)",
                text(&socket)
            ),
        ),
    ] {
        let started = std::time::Instant::now();
        tool("file-read")
            .with(&json!({"file_path": path}))
            .fails(code, &message);
        assert!(started.elapsed() < Duration::from_secs(2));
    }
}

#[test]
fn what_cannot_be_opened_for_another_reason_says_which() {
    let here = directory();
    let link = here.path().join("loop");
    symlink("loop", &link).unwrap();
    let answer = tool("file-read")
        .with(&json!({"file_path": text(&link)}))
        .run();
    assert_eq!(answer.json()["error_code"], "OPEN_FAILED");
    let long = "n".repeat(300);
    let answer = tool("file-read").with(&json!({"file_path": long})).run();
    assert_eq!(answer.json()["error_code"], "OPEN_FAILED");
    let answer = tool("file-read")
        .with(&json!({"file_path": "/etc/passwd/x"}))
        .run();
    assert_eq!(answer.json()["error_code"], "OPEN_FAILED");
    let answer = tool("file-read")
        .with(&json!({"file_path": "/etc/pass\0wd"}))
        .run();
    assert_eq!(answer.json()["error_code"], "OPEN_FAILED");
}

#[test]
fn a_read_that_fails_midway_is_a_read_failure() {
    let answer = tool("file-read")
        .with(&json!({"file_path": "/proc/self/mem"}))
        .run();
    assert_eq!(answer.json()["error_code"], "READ_FAILED");
    assert!(
        answer
            .field("error")
            .starts_with("Failed to read file: /proc/self/mem")
    );
}

#[test]
fn what_is_written_meanwhile_is_not_waited_for() {
    let here = directory();
    let file = here.path().join("file");
    fs::write(&file, "a".repeat(600_000)).unwrap();
    let out = fs::File::options().append(true).open(&file).unwrap();
    let mut child = Command::new(common::link("file-read"))
        .stdin(std::process::Stdio::piped())
        .stdout(out)
        .spawn()
        .unwrap();
    let request = json!({"file_path": text(&file)}).to_string();
    let mut stdin = child.stdin.take().unwrap();
    std::io::Write::write_all(&mut stdin, request.as_bytes()).unwrap();
    drop(stdin);
    assert!(child.wait().unwrap().success());
    assert!(fs::metadata(&file).unwrap().len() < 1_300_000);
}

/// The note of reading `file`.
fn note_of(file: &Path, request: &serde_json::Value) -> String {
    let mut request = request.clone();
    request["file_path"] = text(file).into();
    tool("file-read").with(&request).run().note()
}

#[test]
fn a_whole_and_plain_answer_has_no_note() {
    let here = directory();
    let file = here.path().join("lines");
    for (content, request) in [
        ("1\n2\n3\n", json!({})),
        ("1\n2\n3\n", json!({"offset": 2, "limit": 1})),
        ("1\n2\n3", json!({"offset": 3})),
        ("1\n2\n3\n", json!({"limit": 30})),
        ("", json!({})),
        ("", json!({"limit": 3})),
        ("\n", json!({"offset": 1})),
        ("caf\u{E9} \u{1F600}\r\n", json!({})),
    ] {
        fs::write(&file, content).unwrap();
        assert_eq!(note_of(&file, &request), "", "{content:?} {request}");
    }
}

#[test]
fn text_in_latin_1_is_shown_as_the_note_says() {
    let here = directory();
    fs::write(here.path().join("it's.txt"), b"caf\xE9\n").unwrap();
    let answer = tool("file-read")
        .with(&json!({"file_path": "it's.txt"}))
        .in_directory(here.path())
        .run();
    assert_eq!(answer.field("output"), "caf\u{FFFD}\n");
    let note = answer.note();
    let command = note.split('`').nth(1).unwrap();
    tool("bash")
        .with(&json!({"command": command}))
        .in_directory(here.path())
        .answers(&json!({"output": "café", "exit_code": 0}));
}

#[test]
fn text_in_other_encodings_is_shown_as_the_note_says() {
    let here = directory();
    for (encoding, words, sentence) in [
        (
            "CP932",
            "Shift_JIS",
            "日本語の文章です。これは設定ファイルの説明です。\n",
        ),
        (
            "GB18030",
            "GBK",
            "这是一个配置文件的说明，请不要修改它的内容。\n",
        ),
        (
            "EUC-KR",
            "EUC-KR",
            "이것은 설정 파일에 대한 설명입니다. 고치지 마십시오.\n",
        ),
        (
            "KOI8-R",
            "KOI8-",
            "Это описание файла настроек, не изменяйте его.\n",
        ),
    ] {
        let file = here.path().join("it's.txt");
        let plain = "ascii = true\n".repeat(9) + &sentence.repeat(3);
        fs::write(here.path().join("plain"), &plain).unwrap();
        let made = format!("iconv -f UTF-8 -t {encoding} plain >\"it's.txt\"");
        let made = Command::new("sh")
            .args(["-c", &made])
            .current_dir(here.path())
            .status();
        if !made.unwrap().success() {
            return common::skip("there is no iconv here");
        }
        let note = note_of(&file, &json!({}));
        assert!(
            note.starts_with(&format!("It seems to be {words}")),
            "{encoding}: {note}"
        );
        let command = note.split('`').nth(1).unwrap();
        let answer = tool("bash").with(&json!({"command": command})).run();
        assert_eq!(answer.field("output"), plain.trim_end(), "{encoding}");
    }
    // Damaged UTF-8 is in no other encoding.
    let file = here.path().join("damaged");
    let damaged = [
        &"日本語の文章です。\n".repeat(9).into_bytes()[..],
        b"\xE6\x97\n",
    ]
    .concat();
    fs::write(&file, damaged).unwrap();
    let note = note_of(&file, &json!({}));
    assert!(
        note.starts_with("Not all of it is UTF-8") && !note.contains("iconv"),
        "{note}"
    );
}

#[test]
fn text_in_utf_16_is_shown_as_the_note_says() {
    let here = directory();
    let file = here.path().join("it's.txt");
    let wide = "\u{FEFF}gr\u{FC}n\n"
        .encode_utf16()
        .flat_map(u16::to_be_bytes);
    fs::write(&file, wide.collect::<Vec<u8>>()).unwrap();
    let note = note_of(&file, &json!({}));
    assert!(note.starts_with("UTF-16 text"), "{note}");
    let command = note.split('`').nth(1).unwrap();
    let answer = tool("bash").with(&json!({"command": command})).run();
    if answer.field("output").contains("iconv: not found") {
        return common::skip("there is no iconv here");
    }
    assert_eq!(answer.field("output"), "gr\u{FC}n");
}
