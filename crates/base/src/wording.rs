//! Small words: numbers as they are read, and pieces of text.

use std::io;
use std::time::Duration;

use crate::unseen;

/// A whole number with its thousands apart, as in `12,345`.
#[must_use]
pub fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// The ending of a regular plural: none for 1.
#[must_use]
pub fn plural(number: u64) -> &'static str {
    if number == 1 { "" } else { "s" }
}

/// `1 line`, `12,345 lines`.
#[must_use]
pub fn count_noun(number: u64, noun: &str) -> String {
    format!("{} {noun}{}", thousands(number), plural(number))
}

/// `1 directory`, `2,000 directories`.
#[must_use]
pub fn counted_as(number: u64, one: &str, more: &str) -> String {
    format!(
        "{} {}",
        thousands(number),
        if number == 1 { one } else { more }
    )
}

/// A time in words: `1 second`, `2.5 seconds`.
#[must_use]
pub fn format_seconds(time: Duration) -> String {
    let seconds = (time.as_secs_f64() * 10.0).round() / 10.0;
    let is_one = time.as_millis().abs_diff(1000) < 50;
    format!("{seconds} second{}", if is_one { "" } else { "s" })
}

/// The `names` as one reads them: `a, b or c` if `word` is `or`.
#[must_use]
pub fn join_list<T: AsRef<str>>(names: &[T], word: &str) -> String {
    let names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
    match &names[..] {
        [before @ .., last] if !before.is_empty() => {
            format!("{} {word} {last}", before.join(", "))
        }
        few => few.concat(),
    }
}

/// The last boundary between characters within the first `limit` bytes of `text`.
#[must_use]
pub fn floor_boundary(text: &str, limit: usize) -> usize {
    let mut boundary = limit.min(text.len());
    while !text.is_char_boundary(boundary) {
        boundary -= 1;
    }
    boundary
}

/// The start of the character to which the byte of `text` at `offset` belongs.
#[must_use]
pub fn whole_character(text: &[u8], offset: usize) -> usize {
    let is_continuation =
        |offset: &usize| text.get(*offset).is_some_and(|byte| byte & 0xc0 == 0x80);
    let nearest = (offset.saturating_sub(3)..=offset)
        .rev()
        .find(|offset| !is_continuation(offset));
    nearest.unwrap_or(offset)
}

/// The system's words for an error, without its number, which says nothing more.
#[must_use]
pub fn system_words(error: &io::Error) -> String {
    let mut text = error.to_string();
    if let Some(suffix) = text.find(" (os error") {
        text.truncate(suffix);
    }
    text
}

/// The first `limit` bytes of `text`, or some fewer, so that no character is cut.
#[must_use]
pub fn beginning(text: &str, limit: usize) -> &str {
    &text[..floor_boundary(text, limit)]
}

/// The words of `text` with one blank between them; control characters part words as well.
#[must_use]
pub fn joined_words(text: &str) -> String {
    let words = text.split(|one: char| one.is_whitespace() || one.is_control());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    words.join(" ")
}

/// `text` on one line, without unseen characters.
#[must_use]
pub fn on_one_line(text: &str) -> String {
    joined_words(&unseen::visible(text))
}

/// `text` as one word of a POSIX shell.
#[must_use]
pub fn quoted(text: &str) -> String {
    let plain = |one: char| one.is_ascii_alphanumeric() || "/._-+,:@%=".contains(one);
    if !text.is_empty() && text.chars().all(plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// `bytes` that cannot be shown, as one word of a shell that `printf` makes.
#[must_use]
pub fn spelled_for_shell(bytes: &[u8]) -> String {
    let bytes = bytes.iter().map(|byte| format!("\\{byte:03o}"));
    format!("\"$(printf '{}')\"", bytes.collect::<String>())
}

/// A file's name as a word for a shell, which is not an option; one with unseen characters is
/// written by its bytes.
#[must_use]
pub fn quoted_for_shell(text: &str) -> String {
    let name = format!("{}{text}", if text.starts_with('-') { "./" } else { "" });
    if text.contains(unseen::is_unseen) {
        return spelled_for_shell(name.as_bytes());
    }
    quoted(&name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_counted_in_words() {
        for (number, words) in [
            (0, "0 lines"),
            (1, "1 line"),
            (999, "999 lines"),
            (1000, "1,000 lines"),
            (12_345_678, "12,345,678 lines"),
        ] {
            assert_eq!(count_noun(number, "line"), words);
        }
        assert_eq!(counted_as(1, "entry", "entries"), "1 entry");
        assert_eq!(counted_as(2000, "entry", "entries"), "2,000 entries");
    }

    #[test]
    fn the_last_of_several_names_stands_behind_an_or() {
        for (names, words) in [
            (&["a", "b", "c"][..], "a, b or c"),
            (&["a", "b"], "a or b"),
            (&["a"], "a"),
            (&[], ""),
        ] {
            assert_eq!(join_list(names, "or"), words);
        }
    }

    #[test]
    fn times_are_readable() {
        for (milliseconds, words) in [
            (997, "1 second"),
            (1_000, "1 second"),
            (500, "0.5 seconds"),
            (2_000, "2 seconds"),
            (27_999, "28 seconds"),
            (600_000, "600 seconds"),
        ] {
            assert_eq!(format_seconds(Duration::from_millis(milliseconds)), words);
        }
    }

    #[test]
    fn no_character_is_cut() {
        for (limit, expected) in [(0, ""), (1, "a"), (2, "a"), (3, "a\u{e9}"), (9, "a\u{e9}b")] {
            assert_eq!(beginning("a\u{e9}b", limit), expected);
        }
    }

    #[test]
    fn an_error_of_the_system_has_no_number() {
        let words = system_words(&io::Error::from_raw_os_error(2));
        assert_eq!(words, "No such file or directory");
        assert_eq!(system_words(&io::Error::other("no disk")), "no disk");
    }

    #[test]
    fn words_stand_on_one_line() {
        assert_eq!(joined_words(" a\r\n\tb\u{1b}\u{a0}c "), "a b c");
        assert_eq!(on_one_line("a\u{202e}b\u{0} c"), "ab c");
    }

    #[test]
    fn names_are_quoted_for_a_shell() {
        for (name, quoted) in [
            ("src/a.ts", "src/a.ts"),
            ("my file", "'my file'"),
            ("it's", r"'it'\''s'"),
            ("-x", "./-x"),
            ("", "''"),
            ("~/a", "'~/a'"),
            (
                "-it's\\\u{202e}",
                r#""$(printf '\056\057\055\151\164\047\163\134\342\200\256')""#,
            ),
        ] {
            assert_eq!(quoted_for_shell(name), quoted);
        }
    }
}
