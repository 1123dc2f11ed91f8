//! An edit replaces the text that was sent and nothing else; what it refuses leaves the file as it
//! was; and nothing else appears beside the file.

use std::cell::RefCell;
use std::fs;
use std::os::unix::fs::MetadataExt;

use iki_files::{EditError, EditOptions, TextReplacement, edit};
use tempfile::TempDir;

use crate::take::Take;

thread_local! {
    static PLACE: RefCell<Option<TempDir>> = const { RefCell::new(None) };
}

pub fn check(data: &[u8]) {
    PLACE.with_borrow_mut(|place| {
        let place = place.get_or_insert_with(|| {
            // In memory, where there is such a place.
            tempfile::tempdir_in("/dev/shm")
                .or_else(|_| tempfile::tempdir())
                .unwrap()
        });
        check_in(place, data);
    });
}

/// Every occurrence replaced, found from the beginning, none over another.
fn replaced(content: &[u8], old: &[u8], new: &[u8]) -> (u64, Vec<u8>) {
    let (mut count, mut out, mut at) = (0, Vec::new(), 0);
    while at < content.len() {
        if content[at..].starts_with(old) {
            out.extend_from_slice(new);
            at += old.len();
            count += 1;
        } else {
            out.push(content[at]);
            at += 1;
        }
    }
    (count, out)
}

/// Each line feed that has no carriage return before it is given one.
fn in_crlf(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    for byte in text {
        if *byte == b'\n' && out.last() != Some(&b'\r') {
            out.push(b'\r');
        }
        out.push(*byte);
    }
    out
}

fn check_in(place: &TempDir, data: &[u8]) {
    let mut take = Take(data);
    let flags = take.byte();
    // A file of several names takes a process of its own to write.
    let (all, linked) = (flags & 1 == 1, flags & 0x1e == 2);
    let old = take.bytes(64);
    let new = take.bytes(256);
    let content = take.rest();
    if old.is_empty() {
        // The tool refuses it before it looks at a file.
        return;
    }
    let path = place.path().join("file");
    let twin = place.path().join("twin");
    fs::write(&path, content).unwrap();
    if linked {
        fs::hard_link(&path, &twin).unwrap();
    }
    let before = fs::metadata(&path).unwrap();
    let replacement = TextReplacement {
        old,
        new,
        replaces_all: all,
        expected: None,
    };
    let options = EditOptions {
        tells_lines: true,
        ..EditOptions::default()
    };
    let result = edit(&path, &[replacement], options).map_err(|failed| failed.error);
    let after = fs::read(&path).unwrap();
    let status = fs::metadata(&path).unwrap();
    assert_eq!(
        (status.mode(), status.uid(), status.nlink()),
        (before.mode(), before.uid(), before.nlink())
    );
    let beside = fs::read_dir(place.path()).unwrap().count();
    assert_eq!(
        beside,
        1 + usize::from(linked),
        "something was left beside the file"
    );
    if linked {
        assert_eq!(fs::read(&twin).unwrap(), after, "the links were parted");
        fs::remove_file(&twin).unwrap();
    }

    if let Err(EditError::Encoding(_) | EditError::OtherCount(_)) = &result {
        assert_eq!(after, content, "a refused edit was made");
        return;
    }
    let in_lines = content.contains(&b'\n') && content == in_crlf(content).as_slice();
    let (sought, written) = if in_lines && !old.contains(&b'\r') {
        (in_crlf(old), in_crlf(new))
    } else {
        (old.to_vec(), new.to_vec())
    };
    let (mut count, expected) = replaced(content, &sought, &written);
    // The line ends are all that was to be changed, and are so already.
    if old.contains(&b'\n') && !old.contains(&b'\r') && in_lines && sought == written {
        count = 0;
    }
    match (count, all, result) {
        (1, _, result) | (2.., true, result) => {
            assert_eq!(result.unwrap().made[0].count, count);
            assert_eq!(after, expected);
        }
        (0, false, Err(EditError::NotFound(_))) => assert_eq!(after, content),
        (0, true, Ok(edited)) => {
            assert_eq!((edited.made[0].count, after.as_slice()), (0, content));
        }
        (
            2..,
            false,
            Err(EditError::NotUnique {
                count: found,
                lines,
            }),
        ) => {
            assert_eq!((found, after.as_slice()), (count, content));
            let mut at = 0;
            for line in lines {
                let place = (at..content.len())
                    .find(|at| content[*at..].starts_with(&sought))
                    .unwrap();
                let feeds = content[..place]
                    .iter()
                    .filter(|byte| **byte == b'\n')
                    .count();
                assert_eq!(line, feeds as u64 + 1);
                at = place + sought.len();
            }
        }
        (count, all, result) => panic!("{count} times, all {all}: {result:?}"),
    }
}
