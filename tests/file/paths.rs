//! Paths as models send them, that lead to no file: what file-read, file-write and file-edit say is
//! wrong, and what to send, which then works.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use crate::common::{Answer, directory, piped, text, tool, tree};
use crate::mcp::session::Session;
use serde_json::{Value, json};

/// A project with a few files, in which the tools are called.
fn project() -> tempfile::TempDir {
    let here = directory();
    fs::create_dir_all(here.path().join("src/util")).unwrap();
    fs::create_dir_all(here.path().join("my docs")).unwrap();
    for name in [
        "README.md",
        "src/app.ts",
        "src/main.rs",
        "src/util/strings.py",
        "my docs/a b.txt",
    ] {
        fs::write(here.path().join(name), "one\ntwo\n").unwrap();
    }
    here
}

fn call(name: &str, here: &Path, path: &str) -> Answer {
    let mut request = json!({"file_path": path});
    match name {
        "file-write" => request["content"] = "new".into(),
        "file-edit" => {
            request["old_string"] = "two".into();
            request["new_string"] = "2".into();
        }
        _ => {}
    }
    let call = tool(name).with(&request).in_directory(here);
    call.env("HOME", here).run()
}

/// What stands between quotes in a note, as JSON reads it.
fn quoted(note: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = note;
    while let Some(at) = rest.find('"') {
        let mut texts = serde_json::Deserializer::from_str(&rest[at..]).into_iter::<Value>();
        let text = texts.next().unwrap().unwrap();
        let end = texts.byte_offset();
        found.push(text.as_str().unwrap().to_owned());
        rest = &rest[at + end..];
    }
    found
}

#[test]
fn unseen_characters_of_a_name_are_spelled_and_the_spelling_means_the_file() {
    let here = project();
    let (real, spelled) = ("a\u{202e}txt.sh", "a\\u{202E}txt.sh");
    fs::write(here.path().join(real), "one\ntwo\n").unwrap();
    let shown = call("file-read", here.path(), spelled).json();
    assert_eq!(shown["output"], "one\ntwo\n");
    for sent in [real, spelled, "a\\u{202e}txt.sh"] {
        fs::write(here.path().join(real), "one\ntwo\n").unwrap();
        let edited = call("file-edit", here.path(), sent).json();
        assert_eq!(
            edited["output"],
            format!("Replaced 1 occurrence in {spelled}")
        );
        let written = call("file-write", here.path(), sent).json();
        assert_eq!(written["output"], format!("Wrote 3 bytes to {spelled}"));
        assert_eq!(fs::read(here.path().join(real)).unwrap(), b"new");
    }
    let missing = call("file-read", here.path(), "no\u{202e}ne").json();
    assert_eq!(missing["error"], "File not found: no\\u{202E}ne");
    // A command in a note means the file as well.
    fs::write(
        here.path().join(real),
        [b"a".repeat(90_000), b"\nb\n".to_vec()].concat(),
    )
    .unwrap();
    let long = tool("file-read")
        .with(&json!({"file_path": spelled}))
        .in_directory(here.path())
        .env("IKIGAI_MAX_ANSWER", "9000")
        .run();
    let note = long.note();
    let command = note.split('`').nth(1).unwrap();
    let mut shell = Command::new("sh");
    let shown = shell.args(["-c", command]).current_dir(here.path());
    let shown = shown.output().unwrap();
    assert!(shown.stdout.starts_with(b"aaaa"), "{note} {shown:?}");
    // The literal name comes first, and a new file has the name that was sent.
    let made = call("file-write", here.path(), "b\\u{202E}").json();
    assert_eq!(made["output"], "Wrote 3 bytes to b\\u{202E}");
    assert!(here.path().join("b\\u{202E}").exists());
    fs::write(here.path().join("b\u{202e}"), "other").unwrap();
    assert_eq!(
        call("file-read", here.path(), "b\\u{202E}").json()["output"],
        "new"
    );
    // A person's pipe gets names as they are, as other programs want them.
    let (_, out, _) = piped(here.path(), &["glob", "a?txt.sh"]);
    assert_eq!(out, format!("{real}\n"));
}

#[test]
fn a_path_that_is_written_otherwise_than_it_is_meant_is_set_right() {
    let here = project();
    let url = format!("file://{}/my%20docs/a%20b.txt", text(here.path()));
    let repeated = format!(
        "{}/src/app.ts",
        here.path().file_name().unwrap().to_str().unwrap()
    );
    for (path, words) in [
        ("~/README.md", "~ is not expanded"),
        ("$HOME/README.md", "Variables are not expanded"),
        ("${HOME}/src/app.ts", "Variables are not expanded"),
        ("$PWD/src/app.ts", "Variables are not expanded"),
        ("${PWD}/README.md", "Variables are not expanded"),
        (&url, "a path, not a URL"),
        ("src/app.ts:5", "The line number is not part of the name"),
        ("src/app.ts:5:10", "\"offset\":5"),
        ("src/app.ts:5-9", "The line number is not part of the name"),
        ("src/app.ts#L5", "The line number is not part of the name"),
        ("src/app.ts#L5-L9", "\"offset\":5"),
        ("\"src/app.ts\"", "quotes, blanks or a line end"),
        ("`src/app.ts`", "quotes, blanks or a line end"),
        ("src/app.ts\n", "quotes, blanks or a line end"),
        (" src/app.ts ", "quotes, blanks or a line end"),
        ("'src/app.ts:7'", "quotes, blanks or a line end"),
        ("src\\app.ts", "Directories are separated by /"),
        ("my\\ docs/a\\ b.txt", "no backslash"),
        ("@src/app.ts", "The @ is not part"),
        ("a/src/app.ts", "a/ and b/ in a diff"),
        ("/src/app.ts", "below the working directory"),
        (&repeated, "start in the working directory"),
    ] {
        for name in ["file-read", "file-edit"] {
            let answer = call(name, here.path(), path);
            let object = answer.json();
            assert_eq!(object["error_code"], "FILE_NOT_FOUND", "{path:?}");
            assert_eq!(object["error"], format!("File not found: {path}"));
            let note = answer.note();
            assert!(note.contains(words), "{path:?}: {note}");
            // Sent as it is named, it is there.
            let meant = &quoted(&note)[0];
            let answer = call("file-read", here.path(), meant);
            assert_eq!(answer.json(), json!({"output": "one\ntwo\n"}), "{note}");
        }
    }
}

#[test]
fn a_sign_that_is_not_expanded_is_named_though_nothing_is_there() {
    let here = project();
    let note = call("file-read", here.path(), "~/gone.txt").note();
    assert!(note.contains("~ is not expanded"), "{note}");
    assert!(note.contains("does not exist either"), "{note}");
    assert_eq!(quoted(&note)[0], format!("{}/gone.txt", text(here.path())));
    // A name may begin so.
    let answer = call("file-write", here.path(), "~new.txt");
    assert_eq!(
        answer.json(),
        json!({"output": "Wrote 3 bytes to ~new.txt", "bytes": 3})
    );
}

#[test]
fn a_mistyped_name_is_told_as_it_is_there() {
    let here = project();
    for (path, meant) in [
        ("readme.md", "README.md"),
        ("README.MD", "README.md"),
        ("README", "README.md"),
        ("src/app.tsx", "src/app.ts"),
        ("src/app.js", "src/app.ts"),
        ("src/mian.rs", "src/main.rs"),
        ("src/utils/strings.py", "src/util/strings.py"),
        ("Src/app.ts", "src/app.ts"),
        ("src/util/string.py", "src/util/strings.py"),
        ("my-docs/a b.txt", "my docs/a b.txt"),
    ] {
        let answer = call("file-read", here.path(), path);
        assert_eq!(answer.json()["error_code"], "FILE_NOT_FOUND");
        let note = answer.note();
        assert!(note.contains("Did you mean"), "{path}: {note}");
        assert!(quoted(&note).contains(&meant.to_owned()), "{path}: {note}");
        assert!(note.contains("Relative paths start in"), "{note}");
    }
}

#[test]
fn a_missing_file_whose_name_is_elsewhere_is_said_to_be_there() {
    let here = tree(&[
        ("src/one/only.c", ""),
        ("src/one/many.c", ""),
        ("src/two/many.c", ""),
        ("lib/many.c", ""),
        ("lib/more/many.c", ""),
        ("target/only.c", ""),
        ("node_modules/a/only.c", ""),
        (".git/only.c", ""),
        ("other/place/far.c", ""),
    ]);
    let place = here.path().canonicalize().unwrap();
    let far = text(&place.join("other/gone/far.c")).to_owned();
    for (path, start, words) in [
        (
            "source/only.c",
            &place,
            "There is \"src/one/only.c\" (the only file of that name).",
        ),
        (
            text(&place.join("src/two/only.c")),
            &place,
            "There is \"src/one/only.c\" (the only file of that name).",
        ),
        (
            "source/many.c",
            &place,
            "There are 4 files of that name, such as \"lib/many.c\", ",
        ),
        (
            &*far,
            &place.join("src"),
            &*format!("There is \"{}/other/place/far.c\" (the only", text(&place)),
        ),
    ] {
        let note = call("file-read", start, path).note();
        assert!(note.contains(words), "{path}: {note}");
        assert!(!note.contains("glob finds it"), "{note}");
    }
}

#[test]
fn what_is_not_there_and_like_nothing_is_to_be_looked_for() {
    let here = project();
    let note = call("file-read", here.path(), "numbers.py").note();
    assert!(!note.contains("Did you mean"), "{note}");
    assert!(note.contains("\"pattern\":\"**/numbers.py\""), "{note}");
    assert!(
        quoted(&note).contains(&text(&here.path().canonicalize().unwrap()).to_owned()),
        "{note}"
    );
    let note = call("file-read", here.path(), "lib/deep/er/x.c").note();
    assert!(
        note.contains("The directory \"lib\" does not exist"),
        "{note}"
    );
    // Absolute paths do not start anywhere.
    let absolute = here.path().join("nothing/at/all");
    let note = call("file-read", here.path(), text(&absolute)).note();
    assert!(
        note.contains("nothing\" does not exist") && !note.contains("Relative"),
        "{note}"
    );
    let note = call("file-read", here.path(), "").note();
    assert!(note.contains("file_path is empty"), "{note}");
}

#[test]
fn a_directory_is_to_be_listed() {
    let here = project();
    let answer = call("file-read", here.path(), "src");
    assert_eq!(answer.json()["error_code"], "OPEN_FAILED");
    let note = answer.note();
    assert!(
        note.contains("It is a directory: list it with glob, \"pattern\":\"*\",\"path\":\"src\""),
        "{note}"
    );
    let request = json!({"pattern": "*", "path": "src"});
    let found = tool("glob").with(&request).in_directory(here.path()).run();
    assert_eq!(found.json()["count"], 3);
    let note = call("file-edit", here.path(), "src/").note();
    assert!(note.contains("It is a directory"), "{note}");
    let note = call("file-write", here.path(), "src").note();
    assert!(
        note.contains("It is a directory: send the path of a file in it"),
        "{note}"
    );
}

#[test]
fn a_path_that_ends_in_a_slash_names_no_file() {
    let here = project();
    for path in ["new/", "src/", "src/new/"] {
        let note = call("file-write", here.path(), path).note();
        assert!(note.contains("a file in it"), "{path}: {note}");
        assert!(!note.contains("mkdir"), "{path}: {note}");
    }
    fs::write(here.path().join("there.txt"), "x").unwrap();
    for tool in ["file-read", "file-write", "file-edit"] {
        let note = call(tool, here.path(), "there.txt/").note();
        let wanted =
            "A path that ends in / names a directory, and this is a file: send \"there.txt\".";
        assert_eq!(note, wanted, "{tool}");
    }
}

#[test]
fn a_missing_directory_is_made_as_the_note_says() {
    let here = project();
    for path in ["new/dir/a.txt", "it's new/b.txt"] {
        let answer = call("file-write", here.path(), path);
        let object = answer.json();
        assert_eq!(object["error"], format!("Cannot open file: {path}"));
        assert_eq!(object["error_code"], "OPEN_FAILED");
        let note = answer.note();
        let command = note.split('`').nth(1).unwrap();
        assert!(command.starts_with("mkdir -p "), "{note}");
        let made = tool("bash")
            .with(&json!({"command": command}))
            .in_directory(here.path())
            .run();
        assert_eq!(made.json(), json!({"output": "", "exit_code": 0}));
        assert_eq!(call("file-write", here.path(), path).json()["bytes"], 3);
    }
    let note = call("file-write", here.path(), "~/notes.txt").note();
    assert!(
        note.contains("~ is not expanded") && !note.contains("mkdir"),
        "{note}"
    );
    assert_eq!(
        call("file-write", here.path(), &quoted(&note)[0]).json()["bytes"],
        3
    );
    assert!(here.path().join("notes.txt").exists());
    // A directory that is there is not what is missing.
    let refused = call("file-write", here.path(), "/proc/nothing").json();
    // Root may not make it either, for another reason.
    let code = refused["error_code"].as_str().unwrap();
    assert!(
        ["OPEN_FAILED", "PERMISSION_DENIED"].contains(&code),
        "{refused}"
    );
    assert!(!refused["note"].to_string().contains("mkdir"), "{refused}");
    let note = call("file-write", here.path(), "srcc/new.rs").note();
    assert!(note.contains("mkdir -p srcc"), "{note}");
    let note = call("file-write", here.path(), "a/new.rs").note();
    assert!(
        note.contains("mkdir -p a") && !note.contains("diff"),
        "{note}"
    );
}

#[test]
fn a_file_on_the_way_and_a_link_to_nothing_are_named() {
    let here = project();
    for name in ["file-read", "file-write", "file-edit"] {
        let note = call(name, here.path(), "README.md/x").note();
        assert!(
            note.contains("\"README.md\" is a file, not a directory"),
            "{name}: {note}"
        );
    }
    symlink("gone/away", here.path().join("link")).unwrap();
    let note = call("file-read", here.path(), "link").note();
    assert!(
        note.contains("a symbolic link to \"gone/away\", which does not exist"),
        "{note}"
    );
}

#[test]
fn a_new_file_whose_name_is_a_slip_of_another_s_is_told() {
    let here = project();
    for path in ["src/app.ts:5", "README.md\n", "src/app.ts "] {
        let answer = call("file-write", here.path(), path);
        assert_eq!(answer.json()["bytes"], 3, "{path:?}");
        let note = answer.note();
        assert!(
            note.contains("created a new file named"),
            "{path:?}: {note}"
        );
        let meant = path.trim().trim_end_matches(":5");
        assert!(
            note.contains(&format!("\"{meant}\" is there as well")),
            "{note}"
        );
        // Once it is there, it is what is meant.
        assert_eq!(call("file-write", here.path(), path).note(), "");
    }
    for path in ["src/b:5", "notes: today.md", "C#.md"] {
        assert_eq!(call("file-write", here.path(), path).note(), "", "{path}");
    }
    assert_eq!(
        fs::read_to_string(here.path().join("src/app.ts")).unwrap(),
        "one\ntwo\n"
    );
}

#[test]
fn a_new_file_is_told_of_the_one_that_file_read_would_name() {
    let here = project();
    fs::write(here.path().join("caf\u{e9}.txt"), "x").unwrap();
    let place = text(here.path()).trim_start_matches('/').to_owned();
    let mut session = Session::plain(here.path(), "someone", &[]);
    let mut write = |path: &str| {
        let request = json!({"file_path": path, "content": "new"});
        let (answer, failed) = session.text_of("file_write", &request);
        assert!(!failed, "{path}: {answer}");
        answer
    };
    for (path, meant) in [
        ("src/main\u{200b}.rs", "src/main.rs"),
        ("a/src/main.rs", "src/main.rs"),
        ("b/src/util/strings.py", "src/util/strings.py"),
        (&*format!("{place}/src/app.ts"), "src/app.ts"),
        ("Src/main.rs", "src/main.rs"),
        ("src/Main.rs", "src/main.rs"),
        ("src/app.ts,", "src/app.ts"),
        ("cafe\u{301}.txt", "caf\u{e9}.txt"),
        ("readme.md", "README.md"),
    ] {
        let answer = write(path);
        let note = format!("{} is there as well", Value::from(meant));
        assert!(answer.contains(&note), "{path}: {answer}");
        // It is said once.
        assert_eq!(answer.matches("as well").count(), 1, "{answer}");
    }
    // A name of its own, or one that many directories have, is no slip.
    for path in [
        "src/app.tsx",
        "src/app2.ts",
        "src/util/app.ts",
        "src/util/README.md",
        "lib/app.ts",
    ] {
        let answer = write(path);
        assert!(!answer.contains("as well"), "{path}: {answer}");
    }
}

#[test]
fn a_directory_of_very_many_names_is_looked_at_only_for_a_moment() {
    let here = directory();
    for n in 0..3000 {
        fs::write(here.path().join(format!("file_number_{n}.txt")), "").unwrap();
    }
    let answer = call("file-read", here.path(), "file_numbr_17.txt");
    assert_eq!(answer.json()["error_code"], "FILE_NOT_FOUND");
    assert!(answer.note().len() < 400, "{}", answer.note());
    assert!(answer.took < std::time::Duration::from_secs(2));
}

#[test]
fn the_same_name_elsewhere_comes_before_a_similar_one_and_a_directory_is_no_file() {
    let here = directory();
    for directory in ["only/here", "node_modules"] {
        fs::create_dir_all(here.path().join(directory)).unwrap();
    }
    for file in ["only/here/util.py", "only/mod.rs", "utils.py"] {
        fs::write(here.path().join(file), "").unwrap();
    }
    for (path, words) in [
        (
            "util.py",
            "There is \"only/here/util.py\" (the only file of that name). Did you mean \"utils.py\"?",
        ),
        (
            "mod.rs",
            "There is \"only/mod.rs\" (the only file of that name). Relative",
        ),
        (
            "https://example.com/",
            "It is an address, and not a path: web_fetch reads it.",
        ),
    ] {
        let request = json!({"file_path": path});
        let answer = tool("file-read")
            .with(&request)
            .in_directory(here.path())
            .run();
        assert!(answer.note().starts_with(words), "{}", answer.note());
    }
}
