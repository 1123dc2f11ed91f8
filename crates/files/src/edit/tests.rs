//! Edits within one file, by pieces and places.

use memchr::memmem::Finder;
use proptest::prelude::*;

use super::prepared::{write_around, write_replaced};
use super::text_search::WINDOW;
use super::*;

/// The number of replacements that an edit made, if it was made.
fn made(result: Result<FileEdit, EditError>) -> Option<u64> {
    result.ok().map(|edited| edited.made[0].count)
}

/// The result of an edit of a file with `content`, and its content then.
fn edited(
    content: &[u8],
    old: &[u8],
    new: &[u8],
    replaces_all: bool,
) -> (Result<FileEdit, EditError>, Vec<u8>) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("file");
    std::fs::write(&path, content).unwrap();
    let replacement = TextReplacement {
        old,
        new,
        replaces_all,
        expected: None,
    };
    let options = EditOptions {
        tells_lines: true,
        ..EditOptions::default()
    };
    let result = edit(&path, &[replacement], options).map_err(|failed| failed.error);
    (result, std::fs::read(&path).unwrap())
}

/// The same, the obvious way.
fn expected(content: &[u8], old: &[u8], new: &[u8]) -> (u64, Vec<u8>) {
    let (mut count, mut result, mut offset) = (0, Vec::new(), 0);
    while offset < content.len() {
        if content[offset..].starts_with(old) {
            result.extend_from_slice(new);
            offset += old.len();
            count += 1;
        } else {
            result.push(content[offset]);
            offset += 1;
        }
    }
    (count, result)
}

proptest! {
    #[test]
    fn an_edit_changes_nothing_but_the_replaced_spans(
        content in proptest::collection::vec(prop_oneof![Just(b'a'), Just(b'b'), any::<u8>()], 0..300),
        old in proptest::collection::vec(prop_oneof![Just(b'a'), Just(b'b')], 1..4),
        new in proptest::collection::vec(0..128_u8, 0..6),
    ) {
        // With these the file is in no encoding, in which only whole characters would be replaced.
        let content = [&b"\0\0"[..], &content].concat();
        let (count, replaced) = expected(&content, &old, &new);
        let (result, after) = edited(&content, &old, &new, true);
        prop_assert_eq!(made(result), Some(count));
        prop_assert_eq!(after, replaced.clone());
        let (result, after) = edited(&content, &old, &new, false);
        match count {
            0 => prop_assert!(matches!(result, Err(EditError::NotFound(_)))),
            1 => prop_assert_eq!(made(result), Some(1)),
            _ => {
                let Err(EditError::NotUnique { count: reported_count, .. }) = result else {
                    return Err(TestCaseError::fail("it is not unique"));
                };
                prop_assert_eq!(reported_count, count);
            }
        }
        prop_assert_eq!(after, if count == 1 { replaced } else { content });
    }
}

#[test]
fn a_file_that_has_become_shorter_since_it_was_searched_is_not_edited() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("file");
    std::fs::write(&path, "one word, two words").unwrap();
    let file = RegularFile::open(&path, OFlags::RDWR).ok().unwrap();
    let finder = Finder::new("word");
    // Places from an earlier search, in a longer file or further on.
    for (offset, length) in [(100, 200), (4, 100), (15, 20)] {
        let draft = tempfile::tempfile().unwrap();
        let result = write_around(&file, &draft, (offset, 4), b"", length, None);
        assert!(matches!(result, Err(FileAccessError::Write(_))), "{offset}");
        let result = write_replaced(&file, &draft, &finder, b"", length, None);
        assert!(matches!(result, Err(FileAccessError::Write(_))), "{length}");
    }
    let draft = tempfile::tempfile().unwrap();
    assert!(write_around(&file, &draft, (4, 4), b"WORD", 19, None).is_ok());
    let draft = tempfile::tempfile().unwrap();
    assert!(write_replaced(&file, &draft, &finder, b"", 19, None).is_ok());
}

#[test]
fn matches_across_the_borders_of_windows_are_found() {
    let old = b"<border>";
    for shift in 0..=old.len() {
        let mut content = vec![b'.'; 3 * WINDOW];
        for border in [WINDOW, 2 * WINDOW] {
            let offset = border - shift;
            content[offset..offset + old.len()].copy_from_slice(old);
        }
        let (count, replaced) = expected(&content, old, b"[]");
        let (result, after) = edited(&content, old, b"[]", true);
        assert_eq!(made(result), Some(count), "shifted by {shift}");
        assert!(after == replaced, "shifted by {shift}");
    }
}

#[test]
fn a_text_longer_than_a_window_is_found() {
    let content: Vec<u8> = (0..5 * WINDOW)
        .map(|n| u8::try_from((n % 241 + n / 241 % 13) % 256).unwrap_or(0))
        .collect();
    let old = &content[WINDOW / 2..4 * WINDOW];
    let (count, replaced) = expected(&content, old, b"short");
    let (result, after) = edited(&content, old, b"short", false);
    assert_eq!((made(result), count), (Some(1), 1));
    assert!(after == replaced);
}
