//! grep and glob on several threads: the same answer as on one, byte for byte, in order and as it
//! becomes final; memory bounded by a window.

use std::collections::HashMap;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use crate::common::{self, tool};
use proptest::prelude::*;
use serde_json::{Value, json};
use tempfile::TempDir;

/// Many small files in many directories, enough for threads to be begun: names whose order is not
/// that of their directories, matches here and there. Of each content there is one file with many
/// names, since making files takes longer than searching them.
fn many_files() -> TempDir {
    let here = common::directory();
    let root = here.path();
    let mut made: HashMap<(u32, bool), PathBuf> = HashMap::new();
    for n in 0..3000_u32 {
        let directory = root.join(match n % 5 {
            0 => format!("d{}", n % 41),
            1 => format!("d{}-x/e", n % 41),
            2 => format!("d{}/e{}/f", n % 41, n % 3),
            3 => format!("d{}.c", n % 13),
            _ => "flat".to_owned(),
        });
        fs::create_dir_all(&directory).unwrap();
        let path = directory.join(format!("f{n}"));
        let content @ (kind, is_binary) = (n % 97, n % 1013 == 0);
        if let Some(first) = made.get(&content) {
            fs::hard_link(first, path).unwrap();
            continue;
        }
        let mut text = format!("some text in {kind}\n").repeat(kind as usize % 50);
        if kind == 0 {
            text.push_str("a needle in it\n");
        }
        if is_binary {
            text.insert(0, '\0');
        }
        fs::write(&path, text).unwrap();
        made.insert(content, path);
    }
    fs::create_dir(root.join("d0/empty")).unwrap();
    std::os::unix::fs::symlink("d1", root.join("d0/link")).unwrap();
    here
}

fn on_threads(
    threads: u32,
    here: &Path,
    name: &str,
    request: &Value,
    most: Option<u32>,
) -> Vec<u8> {
    let mut call = tool(name).with(request).in_directory(here);
    call = call.env("IKIGAI_THREADS", threads.to_string());
    if let Some(most) = most {
        call = call.env("IKIGAI_MAX_ANSWER", most.to_string());
    }
    let answer = call.run().stdout;
    // How much is read in other ways, where nothing was found, is a matter of time.
    match memchr::memmem::find(&answer, br#","note":"#) {
        Some(note) if memchr::memmem::find(&answer[note..], b"the pattern matches").is_some() => {
            [&answer[..note], b"}"].concat()
        }
        _ => answer,
    }
}

/// Asserts that the answer is the same on one thread and on several. Returns its length.
fn is_the_same_on_threads(
    threads: u32,
    here: &Path,
    name: &str,
    request: &Value,
    most: Option<u32>,
) -> usize {
    let one = on_threads(1, here, name, request, most);
    let several = on_threads(threads, here, name, request, most);
    let beginning = String::from_utf8_lossy(&several);
    assert!(
        several == one,
        "{threads} threads, {request}: {beginning:.300}"
    );
    one.len()
}

/// The same where the answer is whole, and where it is cut at `most` bytes.
fn is_the_same_cut_or_whole(threads: u32, here: &Path, name: &str, request: &Value, most: u32) {
    if is_the_same_on_threads(threads, here, name, request, None) > most as usize {
        is_the_same_on_threads(threads, here, name, request, Some(most));
    }
}

/// How many threads there are, by turns.
const THREADS: [u32; 2] = [7, 2];

#[test]
fn several_threads_give_the_answer_of_one() {
    let here = many_files();
    let requests = [
        json!({"pattern": "needle", "glob": "**/*"}),
        json!({"pattern": "in [0-9]*7$", "glob": "**/*"}),
        json!({"pattern": "", "glob": "**/f[0-9]*[02468]"}),
        json!({"pattern": "nowhere", "glob": "**/*"}),
        json!({"pattern": r"text\|needle", "glob": "**/*"}),
        json!({"pattern": "$nowhere", "glob": "**/*"}),
        json!({"pattern": "(n)e+d.*\\1", "glob": "{**/*,d*/*}"}),
        json!({"pattern": "needle", "glob": "*/*"}),
        json!({"pattern": "needle", "glob": "**/../flat/*"}),
        json!({"pattern": "needle", "glob": format!("{{**/*,{}/*/f*}}", common::text(here.path()))}),
    ];
    for (request, threads) in requests.iter().zip(THREADS.into_iter().cycle()) {
        is_the_same_cut_or_whole(threads, here.path(), "grep", request, 20_000);
    }
    let patterns = [
        "**/*",
        "**",
        "**/",
        "*/*",
        "**/f1*",
        "{*,**/e}/f*",
        "*/../*/e",
    ];
    for (pattern, threads) in patterns.iter().zip(THREADS.into_iter().cycle()) {
        let request = json!({"pattern": pattern});
        is_the_same_cut_or_whole(threads, here.path(), "glob", &request, 20_000);
    }
}

#[test]
fn few_files_that_may_be_open_are_enough() {
    let here = many_files();
    let request = json!({"pattern": "needle", "glob": "**/*"});
    let call = |limit: &str, threads: &str| {
        let call = tool("grep").with(&request).after(limit);
        let call = call
            .env("IKIGAI_THREADS", threads)
            .in_directory(here.path());
        call.run().stdout
    };
    assert_eq!(call("ulimit -n 16", "16"), call("true", "1"));
}

#[test]
fn names_come_in_the_order_of_their_bytes() {
    let here = many_files();
    let answer = tool("glob").with(&json!({"pattern": "**/*"}));
    let answer = answer.env("IKIGAI_THREADS", "4");
    let answer = answer.in_directory(here.path()).run();
    let output = answer.field("output");
    let names: Vec<&str> = output.lines().collect();
    assert!(names.len() > 3000);
    assert!(names.is_sorted_by(|one, next| one.as_bytes() < next.as_bytes()));
}

#[test]
fn a_tree_that_changes_meanwhile_gives_the_same_of_what_stays() {
    let here = many_files();
    let over = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            // Directories and files come and go between the others; nothing in them matches.
            for n in (0..).take_while(|_| !over.load(Ordering::Relaxed)) {
                let directory = here.path().join(format!("d{}/gone{}", n % 41, n % 7));
                let _ = fs::create_dir(&directory);
                let _ = fs::write(directory.join("f"), "nothing\n".repeat(n % 500));
                let _ = fs::write(directory.join("g"), "nothing\n");
                let _ = fs::remove_file(directory.join("f"));
                let _ = fs::remove_dir_all(&directory);
            }
        });
        let expected = on_threads(
            1,
            here.path(),
            "grep",
            &json!({"pattern": "needle", "glob": "**/f[0-9]*"}),
            None,
        );
        for _ in 0..8 {
            for threads in [2, 8] {
                let request = json!({"pattern": "needle", "glob": "**/f[0-9]*"});
                let answer = on_threads(threads, here.path(), "grep", &request, None);
                assert_eq!(answer, expected);
            }
        }
        over.store(true, Ordering::Relaxed);
    });
}

/// Text of at least `size` bytes, with lines of very different lengths.
fn large_text(size: usize, seed: u64, end: &str) -> Vec<u8> {
    let mut text = Vec::with_capacity(size);
    let mut random = seed | 1;
    let mut number = 0;
    while text.len() < size {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        number += 1;
        let length = match random % 1000 {
            0 => 300_000,
            1..=3 => 0,
            length => usize::try_from(length).unwrap() % 120,
        };
        text.extend_from_slice(format!("{number} ").as_bytes());
        text.resize(text.len() + length, b'x');
        if random.is_multiple_of(211) {
            text.extend_from_slice(b" needle");
        }
        text.extend_from_slice(end.as_bytes());
    }
    text
}

#[test]
fn a_large_file_in_pieces_has_the_same_lines() {
    let here = common::directory();
    let file = here.path().join("large");
    let text = &TEXT[..9 << 20];
    let text = [text, b"\n"].concat();
    let no_end = text.strip_suffix(b"\n").unwrap().to_vec();
    let utf16: Vec<u8> = b"\xff\xfe"
        .iter()
        .copied()
        .chain(text.iter().flat_map(|byte| [*byte, 0]))
        .collect();
    let long = [
        &large_text(2 << 20, 3, "\n")[..],
        &vec![b'y'; 12 << 20],
        b" needle\nlast",
    ]
    .concat();
    for content in [
        text.clone(),
        no_end,
        large_text(9 << 20, 7, "\r\n"),
        [b"\xef\xbb\xbf", &*text].concat(),
        [b"\0", &*text].concat(),
        utf16,
        long,
        vec![b'\n'; 9 << 20],
    ] {
        fs::write(&file, &content).unwrap();
        let patterns = ["needle", "^[0-9]*7 x{0,3}$", "x needle$", "nowhere"];
        for (pattern, threads) in patterns.iter().zip(THREADS.into_iter().cycle()) {
            let request = json!({"pattern": pattern, "path": "large"});
            is_the_same_on_threads(threads, here.path(), "grep", &request, None);
        }
        let request = json!({"pattern": "needle", "path": "large"});
        is_the_same_on_threads(7, here.path(), "grep", &request, Some(3000));
        // As a model is told of it: a binary file's matches are counted.
        let counted = |threads: &str| {
            let call = tool("grep")
                .arg("--pattern")
                .arg("needle")
                .arg("--glob")
                .arg("**/*");
            let call = call.env("IKIGAI_THREADS", threads);
            call.in_directory(here.path()).run().stdout
        };
        assert_eq!(counted("1"), counted("4"));
    }
}

/// It takes longer to make than to search.
static TEXT: LazyLock<Vec<u8>> = LazyLock::new(|| large_text(12 << 20, 99, "\n"));

proptest! {
    #[test]
    fn pieces_are_cut_anywhere(
        start in 0..1_usize << 20,
        size in (8_usize << 20)..(11 << 20),
        pattern in prop_oneof![Just("needle"), Just("[05] x*$")],
        threads in 2..8_u32,
    ) {
        let here = common::directory();
        fs::write(here.path().join("a"), &TEXT[start..start + size]).unwrap();
        let request = json!({"pattern": pattern, "glob": "**/*"});
        is_the_same_on_threads(threads, here.path(), "grep", &request, None);
    }
}

#[test]
fn a_match_in_the_first_file_is_written_before_the_last_file_is_looked_at() {
    let here = common::directory();
    fs::write(here.path().join("0"), "the needle\n").unwrap();
    fs::write(
        here.path().join("1"),
        "some words in a line\n".repeat(1 << 21),
    )
    .unwrap();
    for n in 0..40 {
        fs::hard_link(here.path().join("1"), here.path().join(format!("1{n}"))).unwrap();
    }
    for threads in ["1", "2"] {
        let call = tool("grep").with(&json!({"pattern": "the needle"}));
        let call = call
            .env("IKIGAI_THREADS", threads)
            .in_directory(here.path());
        let mut child = call.start();
        let mut output = child.stdout.take().unwrap();
        let mut read = Vec::new();
        let mut piece = [0; 4096];
        while !String::from_utf8_lossy(&read).contains("the needle") {
            let count = output.read(&mut piece).unwrap();
            assert!(count > 0, "{}", String::from_utf8_lossy(&read));
            read.extend_from_slice(&piece[..count]);
        }
        assert!(child.try_wait().unwrap().is_none(), "{threads} threads");
        output.read_to_end(&mut read).unwrap();
        assert!(child.wait().unwrap().success());
        let json: Value = serde_json::from_slice(&read).unwrap();
        assert_eq!(json, json!({"output": "./0:1: the needle", "count": 1}));
    }
}

#[test]
fn whoever_reads_no_more_ends_the_search() {
    let here = common::directory();
    fs::write(
        here.path().join("0"),
        "some words in a line\n".repeat(1 << 21),
    )
    .unwrap();
    for n in 0..50 {
        fs::hard_link(here.path().join("0"), here.path().join(format!("0{n}"))).unwrap();
    }
    let call = tool("grep").with(&json!({"pattern": "words"}));
    let mut child = call
        .env("IKIGAI_THREADS", "4")
        .in_directory(here.path())
        .start();
    let mut output = child.stdout.take().unwrap();
    output.read_exact(&mut [0; 1000]).unwrap();
    drop(output);
    assert!(common::eventually(|| child.try_wait().unwrap().is_some()));
}
