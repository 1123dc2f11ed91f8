//! Documents and gzip files in a search: their text where `path` names one, and said to be left out
//! elsewhere.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::Command;

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Value, json};

use super::for_models::ask;
use crate::common::{BINARY, tree};
use crate::mcp::session::Session;

fn packed(bytes: &[u8], level: Compression) -> Vec<u8> {
    let mut packed = GzEncoder::new(Vec::new(), level);
    packed.write_all(bytes).unwrap();
    packed.finish().unwrap()
}

/// A mail and gzip files whose last line, which has `needle`, is beyond what is read of them.
pub fn write_files_read_in_part(directory: &Path) {
    let lines = |count| format!("{}needle\n", "0123456789abcde\n".repeat(count));
    // Its text is not in its bytes.
    let text = lines(60_000).replace("01", "=30=31").replace('n', "=6E");
    let mail = format!(
        "From: a@example.com\nSubject: x\nMIME-Version: 1.0\nContent-Type: text/plain\n\
         Content-Transfer-Encoding: quoted-printable\n\n{text}"
    );
    let torn = packed(lines(9000).as_bytes(), Compression::none());
    for (name, bytes) in [
        ("n.eml", mail.into_bytes()),
        (
            "n.gz",
            packed(lines(1 << 20).as_bytes(), Compression::fast()),
        ),
        ("torn.gz", torn[..torn.len() / 2].to_vec()),
    ] {
        fs::write(directory.join(name), bytes).unwrap();
    }
}

#[test]
fn nothing_is_not_all_that_is_said_of_a_file_that_was_read_in_part() {
    let here = tree(&[]);
    write_files_read_in_part(here.path());
    let mut session = Session::plain(here.path(), "someone", &[]);
    let command = |args: &[&str], path: &str| {
        let mut command = Command::new(BINARY);
        let command = command.current_dir(here.path()).arg("grep").args(args);
        let output = command.arg(path).output().unwrap();
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        (output.status.code().unwrap(), text)
    };
    for (path, told) in [
        (
            "n.eml",
            &[
                "The EML's text was searched, as Markdown, but not to its end: 50,0",
                "lines. Cut off: there are too many elements for all to be converted.",
            ][..],
        ),
        (
            "n.gz",
            &[
                "The gzip file was searched unpacked, but not to its end: 655,360 lines. Cut off: only the first 10 MiB were read. With bash, `zcat n.gz | grep -n …` searches all of it.",
            ],
        ),
        (
            "torn.gz",
            &["Cut off: the rest of the gzip file is damaged or missing."],
        ),
    ] {
        let says_so = |said: &str| told.iter().all(|part| said.contains(part));
        for output in ["lines", "count", "files"] {
            let fields = json!({"pattern": "needle|Cut off", "path": path, "output": output});
            let (shown, _) = session.text_of("grep", &fields);
            assert!(
                shown.starts_with("[no matches in what was read of 1 file; "),
                "{shown}"
            );
            assert!(says_so(&shown), "{shown}");
        }
        let (shown, _) =
            session.text_of("grep", &json!({"pattern": "^0", "path": path, "limit": 1}));
        assert!(says_so(&shown), "{shown}");
        for (args, code) in [
            (&["needle"][..], 2),
            (&["-q", "needle"], 2),
            (&["-c", "0123"], 2),
            (&["-q", "0123"], 0),
        ] {
            let (given, said) = command(args, path);
            assert_eq!(given, code, "{args:?} {path}: {said}");
            assert!(args[0] == "-q" || says_so(&said), "{said}");
        }
    }
}

#[test]
fn documents_that_are_text_are_searched_as_markdown_where_their_bytes_do_not_match() {
    let here = tree(&[(
        "n.ipynb",
        r##"{"nbformat":4,"nbformat_minor":5,"metadata":{},"cells":[{"cell_type":"markdown","metadata":{},"source":["# Report\n","revenue\u0021 now"]}]}"##,
    )]);
    let rtf = r"{\rtf1\ansi Quarterly {\b rev}enue grew.\par}";
    fs::write(here.path().join("r.rtf"), rtf).unwrap();
    // In its bytes the word is apart.
    let asks = json!({"pattern": "rev..enue grew", "path": "r.rtf"});
    let answer = ask("grep", here.path(), &asks);
    assert_eq!(answer["count"], 1, "{answer}");
    let asks = json!({"pattern": "rtf1", "path": "r.rtf"});
    let answer = ask("grep", here.path(), &asks);
    assert_eq!(
        (&answer["count"], &answer["note"]),
        (&json!(1), &Value::Null)
    );
    let asks = json!({"pattern": "^revenue! now", "path": "n.ipynb"});
    let answer = ask("grep", here.path(), &asks);
    assert_eq!(answer["count"], 1, "{answer}");
    assert_eq!(
        answer["note"],
        "The IPYNB's text was searched, as Markdown."
    );
}
