//! Large requests of file-write and file-edit: how much memory they take, whatever their content is
//! written with. This process holds none of them, since its own memory would count as the tool's.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use crate::common::{Answer, Call, directory, text, tool};
use crate::staged;
use serde_json::{Value, json};

/// The size of a request in bytes: a sixth of it is much more than what memory varies by.
const LARGE: u64 = 60_000_000;

/// Pieces in a block that is written or compared at once: piece by piece, the test itself would
/// take longer than the calls.
const BLOCK: usize = 1_000;

/// A content in many equal pieces, as it is written in a request and as it is meant.
struct Content {
    written: &'static str,
    meant: &'static str,
}

const CONTENTS: [Content; 5] = [
    Content {
        written: "the value of the buffer is read into it\\n",
        meant: "the value of the buffer is read into it\n",
    },
    Content {
        written: "no escapes, é and 😀 as they are; ",
        meant: "no escapes, é and 😀 as they are; ",
    },
    Content {
        written: r"caf\u00e9 na\u00EFve \u4e2d\u0000",
        meant: "café naïve 中\0",
    },
    Content {
        written: r"\ud83d\ude00 and \uD83D\uDE80",
        meant: "😀 and 🚀",
    },
    Content {
        written: r#"\"\\\/\b\f\n\r\t\u0041\u00e9\ud83d\ude00"#,
        meant: "\"\\/\x08\x0C\n\r\tAé😀",
    },
];

impl Content {
    /// The number of blocks in a request of `size` bytes.
    fn blocks(&self, size: u64) -> u64 {
        size / (self.written.len() * BLOCK) as u64
    }

    /// The number of pieces in them.
    fn pieces(&self, size: u64) -> u64 {
        self.blocks(size) * BLOCK as u64
    }

    /// Writes a request of `size` bytes into `file`: `before`, the content, `behind`.
    fn request(&self, file: &Path, size: u64, before: &str, behind: &str) {
        let mut out = File::create(file).unwrap();
        out.write_all(before.as_bytes()).unwrap();
        let block = self.written.repeat(BLOCK);
        for _ in 0..self.blocks(size) {
            out.write_all(block.as_bytes()).unwrap();
        }
        out.write_all(behind.as_bytes()).unwrap();
    }

    /// Asserts that `file` holds what was meant.
    fn assert_in(&self, file: &Path, size: u64) {
        let mut file = File::open(file).unwrap();
        let block = self.meant.repeat(BLOCK);
        let mut read = vec![0; block.len()];
        for _ in 0..self.blocks(size) {
            file.read_exact(&mut read).unwrap();
            assert!(read == block.as_bytes());
        }
        assert_eq!(file.read(&mut read).unwrap(), 0);
    }
}

/// Asserts that `call`, which reads `request` through a file or a pipe, answers with `expected`, and
/// takes at most a sixth more memory than the request has bytes. What the program takes by
/// itself is not counted: how much of a debug build the kernel maps varies by many megabytes.
#[track_caller]
fn assert_takes_little(call: impl Fn() -> Call, request: &Path, expected: &Value, pipes: &[bool]) {
    let (_, idle) = tool("file-write")
        .arg("--schema")
        .run_measured(request, false);
    let most = idle + fs::metadata(request).unwrap().len() * 7 / 6 / 1024;
    for &through_pipe in pipes {
        let (answer, peak): (Answer, u64) = call().run_measured(request, through_pipe);
        assert_eq!(&answer.json(), expected);
        assert!(peak <= most, "{peak} KiB of {most}, pipe: {through_pipe}");
    }
}

fn places() -> (tempfile::TempDir, PathBuf, PathBuf) {
    let here = directory();
    let (file, request) = (here.path().join("file"), here.path().join("request"));
    (here, file, request)
}

#[test]
fn a_write_takes_no_more_than_a_third_beyond_its_request() {
    let test = "a_write_takes_no_more_than_a_third_beyond_its_request";
    staged::alone(test, &[], |_| {
        let (_here, file, request) = places();
        let path = Value::from(text(&file));
        let ways = [
            (
                format!(r#"{{"file_path":{path},"content":""#),
                r#""}"#.to_owned(),
            ),
            (
                r#"{"content":""#.to_owned(),
                format!(r#"","file_path":{path}}}"#),
            ),
            (
                format!(
                    r#"{{"x":[1,{{"y":"\n"}}],"content":"first\n","file_path":{path},"content":""#
                ),
                r#"","z":1e999}"#.to_owned(),
            ),
        ];
        for (n, content) in CONTENTS.iter().enumerate() {
            let (before, behind) = &ways[n % ways.len()];
            content.request(&request, LARGE, before, behind);
            let bytes = content.pieces(LARGE) * content.meant.len() as u64;
            let mut expected =
                json!({"output": format!("Wrote {bytes} bytes to file"), "bytes": bytes});
            if before.contains("\"x\"") {
                expected["note"] =
                    "\"x\", \"z\" are not fields of this tool, so they were ignored; \
                     the fields are file_path, content."
                        .into();
            }
            // By the way it comes there is no difference between contents.
            let pipes: &[bool] = if n == 0 {
                &[false, true]
            } else {
                &[n % 2 == 0]
            };
            assert_takes_little(|| tool("file-write"), &request, &expected, pipes);
            content.assert_in(&file, LARGE);
        }
    });
}

#[test]
fn a_request_twice_as_large_takes_twice_as_much_and_no_more() {
    let test = "a_request_twice_as_large_takes_twice_as_much_and_no_more";
    staged::alone(test, &[], |_| {
        let (_here, file, request) = places();
        let content = &CONTENTS[0];
        let before = format!(r#"{{"file_path":{},"content":""#, Value::from(text(&file)));
        content.request(&request, 2 * LARGE, &before, "\"}");
        let bytes = content.pieces(2 * LARGE) * content.meant.len() as u64;
        let expected = json!({"output": format!("Wrote {bytes} bytes to file"), "bytes": bytes});
        assert_takes_little(|| tool("file-write"), &request, &expected, &[true]);
        content.assert_in(&file, 2 * LARGE);
    });
}

#[test]
fn an_edit_takes_no_more_than_a_third_beyond_its_request_either() {
    let test = "an_edit_takes_no_more_than_a_third_beyond_its_request_either";
    staged::alone(test, &[], |_| {
        let (_here, file, request) = places();
        let content = &CONTENTS[0];
        let path = Value::from(text(&file));
        let before = format!(r#"{{"file_path":{path},"old_string":"old\n","new_string":""#);
        content.request(&request, LARGE, &before, "\"}");
        let expected = json!({"output": "Replaced 1 occurrence in file", "replacements": 1});
        let edit = || {
            fs::write(&file, "old\n").unwrap();
            tool("file-edit")
        };
        assert_takes_little(edit, &request, &expected, &[false, true]);
        content.assert_in(&file, LARGE);
    });
}

#[test]
fn a_request_in_a_file_that_is_named_takes_as_little() {
    let test = "a_request_in_a_file_that_is_named_takes_as_little";
    staged::alone(test, &[], |_| {
        let (_here, file, request) = places();
        let content = &CONTENTS[0];
        let before = format!(r#"{{"file_path":{},"content":""#, Value::from(text(&file)));
        content.request(&request, LARGE, &before, "\"}");
        let bytes = content.pieces(LARGE) * content.meant.len() as u64;
        let expected = json!({"output": format!("Wrote {bytes} bytes to file"), "bytes": bytes});
        let call = || tool("file-write").arg("--input").arg(&request);
        assert_takes_little(call, &request, &expected, &[false]);
        content.assert_in(&file, LARGE);
    });
}
