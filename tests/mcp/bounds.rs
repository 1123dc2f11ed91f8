//! `--tools`, `--read-only` and `--root`: what is served, and where.

use std::fs;
use std::io::Write;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use super::session::Session;
use crate::common::messages::TextRow;
use crate::common::{BINARY, directory, public_directory, skip, text, tool};

#[test]
fn a_part_is_served_where_a_part_is_asked_for() {
    let mut session = Session::open(&["--tools", "grep,file-read"]);
    assert_eq!(session.tools(), ["file_read", "grep"]);
    session.call(1, "bash", &json!({"command": "echo hi"}));
    assert_eq!(session.receive()["error"]["code"], -32602);

    let mut session = Session::open(&["--read-only"]);
    let tools = session.tools();
    assert!(tools.contains(&String::from("glob")));
    for tool in ["bash", "file_write", "file_edit"] {
        assert!(!tools.contains(&tool.to_owned()));
        session.call(1, tool, &json!({}));
        assert_eq!(session.receive()["error"]["code"], -32602);
    }
}

#[test]
fn a_command_line_that_makes_no_sense_is_a_usage_error() {
    for args in [
        &["--tools", "gerp"][..],
        &["--root", "/nowhere/at/all"],
        &["--read-only", "--tools", "bash"],
        &["--loud"],
    ] {
        let mut command = Command::new(BINARY);
        let output = command
            .arg("mcp")
            .args(args)
            .stdin(Stdio::null())
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(output.stdout.is_empty() && !output.stderr.is_empty());
    }
    let output = Command::new(BINARY)
        .args(["mcp", "--help"])
        .output()
        .unwrap();
    assert!(output.status.success());
    assert!(
        String::from_utf8(output.stdout)
            .unwrap()
            .contains("--read-only")
    );
}

#[test]
fn the_environment_has_the_defaults_of_both_limits() {
    let server = |args: &[&str]| {
        let mut command = Command::new(BINARY);
        command.arg("mcp").args(args);
        command
            .env("IKIGAI_MAX_ANSWER", "2000")
            .env("IKIGAI_MAX_SECONDS", "2");
        let mut session = Session::of(&mut command);
        session.shake_hands("2025-11-25");
        session
    };
    let long = json!({"command": "seq 30000"});
    assert!(server(&[]).text_of("bash", &long).0.len() <= 2000);
    assert!(
        server(&["--max-answer", "4000"])
            .text_of("bash", &long)
            .0
            .len()
            > 2000
    );
    let late = json!({"command": "sleep 30; echo late"});
    let (text, _) = server(&[]).text_of("bash", &late);
    assert!(!text.contains("late\n") && text.contains("124"), "{text}");
}

#[test]
fn commands_are_advised_where_there_are_any() {
    let here = directory();
    let wide = "a line of wide text\n".repeat(200);
    let wide: Vec<u8> = wide.encode_utf16().flat_map(u16::to_be_bytes).collect();
    fs::write(here.path().join("wide.txt"), wide).unwrap();
    for (args, advised) in [(&[][..], true), (&["--read-only"], false)] {
        let mut session = Session::plain(here.path(), "someone", args);
        let (text, _) = session.text_of("grep", &json!({"pattern": "zzz"}));
        assert!(text.contains("wide.txt"), "{text}");
        assert_eq!(text.contains("`iconv -f"), advised, "{text}");
    }
}

/// Whether this kernel can keep a call within directories. Where it cannot, the server says so and
/// does not start.
pub fn confines() -> bool {
    let mut command = Command::new(BINARY);
    let server = command.args(["mcp", "--root", "/"]).stdin(Stdio::null());
    let output = server.output().unwrap();
    if output.status.success() {
        return true;
    }
    let log = String::from_utf8(output.stderr).unwrap();
    assert!(log.contains("Landlock"), "{log}");
    skip("this kernel has no Landlock");
    false
}

/// Two directories within bounds, `a` and `b`, and one without, `out`; `a` has links to it.
fn lay(top: &Path) -> Session {
    for name in ["a/sub", "b", "out"] {
        fs::create_dir_all(top.join(name)).unwrap();
    }
    for name in ["a/file", "a/sub/file", "b/file", "out/secret"] {
        fs::write(top.join(name), format!("this is {name}\n")).unwrap();
    }
    symlink("../out", top.join("a/link")).unwrap();
    symlink("../../out/secret", top.join("a/sub/link")).unwrap();
    let (a, b) = (top.join("a"), top.join("b"));
    let mut session = Session::start_in(Path::new("/"), &["--root", text(&a), "--root", text(&b)]);
    let hello = session.shake_hands("2025-11-25");
    assert!(hello["instructions"].as_str().unwrap().contains(text(&a)));
    session
}

fn content(session: &mut Session, tool: &str, arguments: &Value) -> Value {
    session.result_of(tool, arguments)["structuredContent"].clone()
}

#[test]
fn files_within_the_roots_are_worked_with_as_ever() {
    if !confines() {
        return;
    }
    let room = directory();
    let top = room.path().canonicalize().unwrap();
    let mut session = lay(&top);
    assert!(!session.tools().contains(&String::from("bash")));
    let read = content(
        &mut session,
        "file_read",
        &json!({"file_path": "sub/../file"}),
    );
    assert_eq!(read, json!({"output": "this is a/file\n"}));
    let path = top.join("b/new");
    let write = json!({"file_path": text(&path), "content": "new"});
    assert_eq!(content(&mut session, "file_write", &write)["bytes"], 3);
    assert_eq!(fs::read_to_string(&path).unwrap(), "new");
    let edit = json!({"file_path": "file", "old_string": "this", "new_string": "that"});
    assert_eq!(content(&mut session, "file_edit", &edit)["replacements"], 1);
    assert_eq!(
        fs::read_to_string(top.join("a/file")).unwrap(),
        "that is a/file\n"
    );
    assert_eq!(fs::read_dir(top.join("a")).unwrap().count(), 3);
    let found = content(&mut session, "glob", &json!({"pattern": "**/file"}));
    assert_eq!(found["output"], "file\nsub/file");
    let found = content(
        &mut session,
        "grep",
        &json!({"pattern": "is", "glob": "**/*"}),
    );
    assert_eq!(
        found["output"],
        "file\n1: that is a/file\n\nsub/file\n1: this is a/sub/file"
    );
}

#[test]
fn what_a_command_leaves_in_its_temporary_directory_is_open_to_the_other_tools() {
    if !confines() {
        return;
    }
    let room = directory();
    let top = room.path().canonicalize().unwrap();
    let inside = top.join("a");
    fs::create_dir(&inside).unwrap();
    let args = [
        "--structured",
        "--tools",
        "bash,local",
        "--root",
        text(&inside),
    ];
    let mut session = Session::unprepared(&top, &args);
    session.shake_hands("2025-11-25");
    // Before any command as well.
    let write = json!({"file_path": "/tmp/x.py", "content": "x"});
    let refused = content(&mut session, "file_write", &write);
    let (error, note) = (&refused["error"], refused["note"].as_str().unwrap());
    let placeholders = [(text(&inside), "<root>")];
    let error = error.as_str().unwrap();
    error.assert_row_at("mcp", "a file without the bounds", &placeholders);
    note.assert_row_at("mcp", "where one may write", &placeholders);
    let command = "echo found >$TMPDIR/left; ln -s /etc/passwd $TMPDIR/link; echo $TMPDIR";
    let said = content(&mut session, "bash", &json!({ "command": command }));
    let own = Path::new(said["output"].as_str().unwrap().trim()).to_owned();
    let left = text(&own.join("left")).to_owned();
    let read = content(&mut session, "file_read", &json!({"file_path": left}));
    assert_eq!(read["output"], "found\n", "{read}");
    let edit = json!({"file_path": left, "old_string": "found", "new_string": "changed"});
    let edited = content(&mut session, "file_edit", &edit);
    assert_eq!(edited["replacements"], 1, "{edited}");
    let script = json!({"file_path": text(&own.join("new/it.sh")), "content": "echo it runs"});
    let written = content(&mut session, "file_write", &script);
    assert_eq!(written["bytes"], 12, "{written}");
    let run = json!({"command": "cat left; sh new/it.sh", "workdir": text(&own)});
    let run = content(&mut session, "bash", &run);
    assert_eq!(run["output"], "changed\nit runs", "{run}");
    for (tool, request) in [
        ("grep", json!({"pattern": "chan", "path": left})),
        ("grep", json!({"pattern": "chan", "path": text(&own)})),
        ("glob", json!({"pattern": "l*ft", "path": text(&own)})),
        ("glob", json!({"pattern": text(&own.join("l*ft"))})),
    ] {
        let found = content(&mut session, tool, &request);
        assert!(
            found["output"].as_str().unwrap().contains("left") || found["count"] == 1,
            "{found}"
        );
    }
    // What links in it lead to, and what lies around it, is as closed as ever.
    for path in [
        own.join("link"),
        own.join("../x"),
        own.parent().unwrap().join("ikigai-0123456789ab/x"),
    ] {
        for (tool, request) in [
            ("file_read", json!({"file_path": text(&path)})),
            (
                "file_write",
                json!({"file_path": text(&path), "content": "x"}),
            ),
            ("grep", json!({"pattern": "x", "path": text(&path)})),
        ] {
            let refused = content(&mut session, tool, &request);
            assert_eq!(
                refused["error_code"], "PERMISSION_DENIED",
                "{path:?}: {refused}"
            );
            let note = refused["note"].as_str().unwrap();
            assert!(!note.contains("--read /tmp/ikigai"), "{note}");
        }
    }
    // Names that are not absolute start where they did.
    let write = json!({"file_path": "new", "content": "x"});
    content(&mut session, "file_write", &write);
    assert!(top.join("a/new").exists());
    session.leave();
    assert!(!own.exists());
}

#[test]
fn files_outside_the_roots_are_refused_however_they_are_named() {
    if !confines() {
        return;
    }
    let room = directory();
    let top = room.path().canonicalize().unwrap();
    let mut session = lay(&top);
    let secret = top.join("out/secret");
    for path in [
        "../out/secret",
        "link/secret",
        "sub/link",
        "/etc/passwd",
        text(&secret),
    ] {
        for (tool, arguments) in [
            ("file_read", json!({"file_path": path})),
            ("file_write", json!({"file_path": path, "content": "x"})),
            (
                "file_edit",
                json!({"file_path": path, "old_string": "this", "new_string": "x"}),
            ),
            ("glob", json!({"pattern": path})),
            ("glob", json!({"pattern": "*", "path": path})),
            ("grep", json!({"pattern": ".", "path": path})),
            ("grep", json!({"pattern": ".", "glob": path})),
        ] {
            let result = session.result_of(tool, &arguments);
            assert_eq!(result["isError"], true, "{tool} {path}");
            assert_eq!(
                result["structuredContent"]["error_code"],
                "PERMISSION_DENIED"
            );
        }
    }
    assert_eq!(fs::read_to_string(secret).unwrap(), "this is out/secret\n");
}

#[test]
fn what_fails_within_the_roots_fails_as_ever() {
    if !confines() {
        return;
    }
    let room = directory();
    let top = room.path().canonicalize().unwrap();
    let mut session = lay(&top);
    let long = "n".repeat(300);
    for path in [
        "file/x",
        "file/",
        "file/../file",
        "gone/../file",
        "a\0b",
        &long,
    ] {
        for (name, link, request) in [
            ("file_read", "file-read", json!({"file_path": path})),
            ("glob", "glob", json!({"pattern": "*", "path": path})),
            ("grep", "grep", json!({"pattern": ".", "path": path})),
            (
                "file_write",
                "file-write",
                json!({"file_path": path, "content": "x"}),
            ),
        ] {
            let free = tool(link).with(&request).in_directory(&top.join("a")).run();
            // Confined, there are no commands, unless one asks for them.
            let free = String::from_utf8(free.stdout).unwrap();
            let made = " Create it with bash, `mkdir -p gone/..`, then write again.";
            let free: Value = serde_json::from_str(&free.replace(made, "")).unwrap();
            assert_eq!(
                content(&mut session, name, &request),
                free,
                "{name} {path:?}"
            );
            assert_ne!(free["error_code"], "PERMISSION_DENIED");
        }
    }
}

#[test]
fn wildcards_do_not_lead_through_links_out_of_the_roots() {
    if !confines() {
        return;
    }
    let room = directory();
    let mut session = lay(&room.path().canonicalize().unwrap());
    for pattern in [
        "*/secret",
        "*/*",
        "l*/s*",
        "*/../link/*",
        "**/secret",
        "[l]ink/secret",
        "*//secret",
    ] {
        let found = session.result_of("glob", &json!({"pattern": pattern}));
        assert!(
            !found.to_string().contains("secret\""),
            "{pattern}: {found}"
        );
        let found = session.result_of("grep", &json!({"pattern": "this", "glob": pattern}));
        assert!(
            !found.to_string().contains("out/secret"),
            "{pattern}: {found}"
        );
    }
}

#[test]
fn braces_do_not_lead_out_of_the_roots_either() {
    if !confines() {
        return;
    }
    let room = directory();
    let top = room.path().canonicalize().unwrap();
    fs::create_dir_all(top.join("a/*/out")).unwrap();
    symlink("../out", top.join("a/{x,link}")).unwrap();
    let mut session = lay(&top);
    let secret = format!("{{file,{}/out/secret}}", text(&top));
    for pattern in [
        "{file,../out/secret}",
        "{sub,link}/secret",
        "sub/{file,../../out/*}",
        "{,../out/}secret",
        &secret,
    ] {
        for (tool, arguments) in [
            ("glob", json!({"pattern": pattern})),
            ("grep", json!({"pattern": "this", "glob": pattern})),
        ] {
            let result = session.result_of(tool, &arguments);
            assert_eq!(result["isError"], true, "{tool} {pattern}");
        }
    }
    for pattern in [
        "{*,x}/secret",
        "*/{secret,secrets}",
        "{l*,s*}/{s*,t*}",
        "{x,link}/secret",
        "{**,*}/{link,x}/{secret,y}",
    ] {
        for (tool, arguments) in [
            ("glob", json!({"pattern": pattern})),
            ("grep", json!({"pattern": "this", "glob": pattern})),
        ] {
            let result = session.result_of(tool, &arguments);
            let found = &result["structuredContent"]["output"];
            // Refused, or nothing of what lies outside.
            let refused = result["isError"] == true && found.is_null();
            let found = found.to_string();
            assert!(refused || !found.contains("secret"), "{pattern}: {result}");
        }
    }
    for (pattern, found) in [
        ("{file,sub/file,none}", "file\nsub/file"),
        ("**/{file,none}", "file\nsub/file"),
        ("{,sub/}{file,x}", "file\nsub/file"),
    ] {
        let result = session.result_of("glob", &json!({"pattern": pattern}));
        let text = result["content"][0]["text"].as_str().unwrap();
        assert!(
            text.contains(found) || text.contains(&found.replace('\n', "\\n")),
            "{pattern}: {text}"
        );
    }
}

#[test]
fn the_kernel_holds_a_call_back_whatever_was_checked_before() {
    if !confines() {
        return;
    }
    let room = directory();
    let top = room.path().canonicalize().unwrap();
    drop(lay(&top));
    let secret = top.join("out/secret");
    for (tool, request) in [
        ("file-read", json!({"file_path": text(&secret)})),
        (
            "file-write",
            json!({"file_path": text(&secret), "content": "x"}),
        ),
        (
            "file-edit",
            json!({"file_path": text(&secret), "old_string": "this", "new_string": "x"}),
        ),
        (
            "file-write",
            json!({"file_path": text(&top.join("out/new")), "content": "x"}),
        ),
    ] {
        let mut command = Command::new(BINARY);
        command.args(["mcp", "--call", tool]);
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        // As a server describes a call.
        let path = text(&top.join("a")).as_bytes().to_vec();
        let bounds = json!({
            "roots": [{"Unix": path}],
            "readable": [],
            "no_network": false,
            "source": "Flags",
        });
        let description = json!({
            "bounds": bounds,
            "reads_outputs": false,
            "is_public_only": false,
            "reader": "Program",
            "wants_progress": false,
            "tools": [],
        });
        let mut stdin = child.stdin.take().unwrap();
        write!(stdin, "{description}\n{request}").unwrap();
        drop(stdin);
        let output = child.wait_with_output().unwrap();
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(
            answer["error_code"], "PERMISSION_DENIED",
            "{tool}: {answer}"
        );
    }
    assert_eq!(fs::read_to_string(secret).unwrap(), "this is out/secret\n");
    assert!(!top.join("out/new").exists());
}

#[test]
fn a_call_whose_description_is_not_understood_is_not_made() {
    let room = directory();
    let file = room.path().join("new");
    let request = json!({"file_path": text(&file), "content": "x"});
    for description in ["", "{}\n", "\n", "{\"rooots\":[\"/\"]}\n"] {
        let mut child = Command::new(BINARY)
            .args(["mcp", "--call", "file-write"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        write!(stdin, "{description}{request}").unwrap();
        drop(stdin);
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{description}");
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(answer["error_code"], "INVALID_ARG", "{answer}");
        assert!(!file.exists());
    }
}

#[test]
fn a_command_cannot_read_the_description_of_its_call() {
    let mut session = Session::open(&["--timeout", "7777"]);
    let command = "for p in $PPID $(awk '{print $4}' /proc/$PPID/stat); do \
                   tr '\\0' ' ' </proc/$p/cmdline; timeout 1 cat /proc/$p/fd/0; done; cat";
    let result = session.result_of("bash", &json!({"command": command}));
    let output = result["structuredContent"]["output"].as_str().unwrap();
    assert!(output.contains("mcp --call bash"), "{output}");
    for told in ["milliseconds", "777", "structured"] {
        assert!(!output.contains(told), "{told} in {output}");
    }
}

#[test]
fn bash_is_served_beside_roots_only_where_it_is_named() {
    if !confines() {
        return;
    }
    let directory = directory();
    let root = text(directory.path());
    let mut session = Session::open(&["--root", root, "--tools", "bash,glob"]);
    assert_eq!(session.tools(), ["bash", "glob"]);
}

#[test]
fn bash_beside_roots_works_within_them_alone() {
    if !confines() {
        return;
    }
    // Not in shared memory, which every command may write to.
    let place = public_directory();
    let top = place.path().canonicalize().unwrap();
    for name in ["a", "read", "out"] {
        fs::create_dir(top.join(name)).unwrap();
        fs::write(top.join(name).join("file"), name).unwrap();
    }
    let (root, read) = (top.join("a"), top.join("read"));
    let flags = [
        "--root",
        text(&root),
        "--read",
        text(&read),
        "--no-network",
        "--tools",
        "all,bash",
    ];
    let mut session = Session::start_in(&top, &flags);
    let hello = session.shake_hands("2025-11-25");
    let instructions = hello["instructions"].as_str().unwrap();
    let places = [(text(&root), "<root>"), (text(&read), "<read>")];
    instructions.assert_row_at("mcp", "instructions of a confined shell", &places);
    let tools = session.tools();
    assert!(tools.contains(&String::from("bash")) && !tools.contains(&String::from("web_fetch")));
    let command = "cat file ../read/file; touch ../read/x ../out/x 2>&-; cat ../out/file 2>&-";
    let ran = content(&mut session, "bash", &json!({ "command": command }));
    assert_eq!(
        (&ran["output"], &ran["exit_code"]),
        (&json!("aread"), &json!(1))
    );
    let ran = content(
        &mut session,
        "bash",
        &json!({"command": "pwd", "workdir": "../out"}),
    );
    assert_eq!(ran["error_code"], "PERMISSION_DENIED", "{ran}");
}

#[test]
fn what_was_too_long_to_show_is_read_from_its_file_though_that_lies_outside() {
    if !confines() {
        return;
    }
    let directory = directory();
    let root = text(directory.path());
    let flags = ["--root", root, "--tools", "bash,file-read,file-write,grep"];
    let mut session = Session::plain(directory.path(), "codex", &flags);
    let (shown, _) = session.text_of("bash", &json!({"command": "seq 100000"}));
    let (_, last) = shown.rsplit_once('[').unwrap();
    let path = last
        .split_whitespace()
        .find(|word| word.contains("/output/"));
    let path = path.unwrap().trim_end_matches([':', '.', ']']).to_owned();
    let window = json!({"file_path": path, "offset": 54321, "limit": 2});
    let (read, failed) = session.text_of("file_read", &window);
    assert_eq!((read.as_str(), failed), ("54321\n54322\n", false));
    let search = json!({"pattern": "^5432[12]$", "path": path});
    let (found, failed) = session.text_of("grep", &search);
    assert!(found.ends_with("\n54322: 54322") && !failed, "{found}");
    for (tool, request) in [
        ("file_write", json!({"file_path": path, "content": "x"})),
        ("file_read", json!({"file_path": "/etc/passwd"})),
        (
            "file_read",
            json!({"file_path": format!("{path}/../../../../etc/passwd")}),
        ),
        ("grep", json!({"pattern": "1", "path": "/etc"})),
    ] {
        let (text, failed) = session.text_of(tool, &request);
        assert!(
            failed && text.contains("PERMISSION_DENIED"),
            "{tool}: {text}"
        );
    }
    let mut without = Session::plain(directory.path(), "codex", &flags[..2]);
    let (text, failed) = without.text_of("file_read", &json!({"file_path": path}));
    assert!(failed && text.contains("PERMISSION_DENIED"), "{text}");
}
