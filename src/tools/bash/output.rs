//! A command's output where an answer has a limit: its beginning and its end, and a line between
//! them that says what was left out.
//!
//! Rules: the decisions on the host's calls (9): the first fifth and the last four fifths, cut at
//! whole lines.

use crate::basics::words::counted;
use crate::contract::bounded::TextMeasure;
use crate::contract::terms::Terms;
use crate::sandbox::confinement;
use crate::shell::{CollectedOutput, SavedPlace};

/// The most bytes that the line between both ends takes, with its newlines.
const BETWEEN: usize = 96;

/// The part of some output that is shown.
#[derive(Debug)]
pub struct ShownOutput {
    /// The text, without its last newline.
    pub text: Vec<u8>,
    /// True if something was left out.
    pub is_cut: bool,
}

/// As much of `output` as takes `room` at most, as `measure` counts it.
pub fn show_ends(output: &CollectedOutput, measure: TextMeasure, room: usize) -> ShownOutput {
    let end = output.tail.as_ref().unwrap_or(&output.head);
    let end = end.strip_suffix(b"\n").unwrap_or(end);
    if output.tail.is_none() && measure.cost(end) <= room {
        return ShownOutput {
            text: end.to_vec(),
            is_cut: false,
        };
    }
    let room = room.saturating_sub(BETWEEN);
    let first = whole_lines_of_beginning(&output.head, measure, room / 5);
    let last = whole_lines_of_end(end, measure, room - room / 5);
    let newlines = |text: &[u8]| counting(memchr::memchr_iter(b'\n', text).count());
    let bytes = output.bytes - counting(first.len() + last.len());
    let mut lines = output.newlines - newlines(first) - newlines(last);
    // The line that is shown in part, and the last newline, which is not shown.
    let in_line = !first.is_empty() && !first.ends_with(b"\n");
    lines = lines.saturating_sub(u64::from(in_line));
    let is_closed = output.tail.as_ref().unwrap_or(&output.head).len() > end.len();
    lines = lines.saturating_sub(u64::from(is_closed));
    let bytes = counted(bytes - u64::from(is_closed), "byte");
    let between = match lines {
        0 => format!("[... {bytes} left out ...]\n"),
        lines => format!("[... {} ({bytes}) left out ...]\n", counted(lines, "line")),
    };
    let newline: &[u8] = if in_line { b"\n" } else { b"" };
    ShownOutput {
        text: [first, newline, between.as_bytes(), last].concat(),
        is_cut: true,
    }
}

/// The beginning of `text` that has `room`, up to its last whole line, where it has one.
fn whole_lines_of_beginning(text: &[u8], measure: TextMeasure, room: usize) -> &[u8] {
    let text = &text[..measure.prefix(text, room)];
    match memchr::memrchr(b'\n', text) {
        Some(newline) => &text[..=newline],
        None => text,
    }
}

/// The end of `text` that has `room`, from its first whole line, where it has one.
fn whole_lines_of_end(text: &[u8], measure: TextMeasure, room: usize) -> &[u8] {
    let start = measure.suffix(text, room);
    let (before, text) = text.split_at(start);
    match memchr::memchr(b'\n', text) {
        Some(newline) if !before.ends_with(b"\n") => &text[newline + 1..],
        _ => text,
    }
}

/// Keeps output of which only the ends are shown in a file; returns the note on that.
pub fn note_on_cut(output: CollectedOutput, room: usize, terms: &Terms) -> String {
    let ended = output
        .tail
        .as_ref()
        .unwrap_or(&output.head)
        .ends_with(b"\n");
    let lines = output.newlines + u64::from(!ended);
    let length = format!(
        "{} ({})",
        counted(lines, "line"),
        counted(output.bytes, "byte")
    );
    let mean = output.bytes / lines.max(1);
    let (path, what) = match output.save_whole() {
        SavedPlace::Whole(path) => (path, format!("All of the output, {length}, is")),
        SavedPlace::Beginning(path, bytes) => {
            let bytes = counted(bytes, "byte");
            (
                path,
                format!("The first {bytes} of the output, of {length}, are"),
            )
        }
        SavedPlace::Nowhere(reason) => {
            return format!(
                "The output is {length}, and what is left out of it here was not kept ({reason}): run \
                 the command again with its output in a file (COMMAND >FILE 2>&1) and read parts of \
                 that, or pipe it into head, tail or grep."
            );
        }
    };
    // A line that is longer than an answer cannot be read by its number.
    let is_long = mean > counting(room);
    // A confined command may not read what the server keeps.
    let is_for_commands = confinement::is_within_reach(&path);
    let path = path.display();
    let mut ways = Vec::new();
    if is_long && is_for_commands {
        let part = counting(room) / 2;
        ways.push(format!(
            "its lines are long, so read parts of it with tail -c +1 {path} | head -c {part}"
        ));
    } else if !is_long && terms.serves("file_read") {
        ways.push("read parts of it with file_read (offset, limit)".to_owned());
    } else if is_for_commands {
        ways.push(format!("read parts of it with sed -n 1,200p {path}"));
    }
    if terms.serves("grep") && !(is_long && is_for_commands) {
        ways.push("search it with grep (path)".to_owned());
    }
    if ways.is_empty() {
        ways.push("run the command again with its output in a file of yours".to_owned());
    }
    let reading = ways.join(", or ");
    format!("{what} in {path}: {reading}.")
}

fn counting(length: usize) -> u64 {
    u64::try_from(length).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use proptest::prelude::*;

    use super::*;
    use crate::shell::OutputCollector;

    fn output(text: &[u8]) -> CollectedOutput {
        let mut ends = OutputCollector::new(text.len().max(1));
        ends.write_all(text).unwrap();
        ends.finish()
    }

    #[test]
    fn the_ends_are_whole_lines_and_the_line_between_them_counts_what_is_missing() {
        let text: Vec<u8> = (1..=1000)
            .flat_map(|n| format!("line {n}\n").into_bytes())
            .collect();
        let shown = show_ends(&output(&text), TextMeasure::Plain, 596);
        let text = String::from_utf8(shown.text).unwrap();
        let (first, rest) = text.split_once("[... ").unwrap();
        let (left_out, last) = rest.split_once(" left out ...]\n").unwrap();
        assert!(first.starts_with("line 1\n") && first.ends_with('\n') && first.len() > 80);
        assert!(last.starts_with("line ") && last.ends_with("line 1000") && last.len() > 380);
        let shown_lines = first.lines().count() + last.lines().count();
        let lines: usize = left_out.split_once(" lines (").unwrap().0.parse().unwrap();
        assert_eq!(lines + shown_lines, 1000);
    }

    #[test]
    fn what_has_room_is_shown_as_it_is() {
        for (text, expected) in [("a\nb\n", "a\nb"), ("", ""), ("\n", ""), ("a\n\n", "a\n")] {
            let shown = show_ends(&output(text.as_bytes()), TextMeasure::Json, 4);
            assert_eq!(
                (shown.text.as_slice(), shown.is_cut),
                (expected.as_bytes(), false)
            );
        }
    }

    proptest! {
        #[test]
        fn it_keeps_to_its_room_and_begins_and_ends_as_the_output_does(
            text in "(?s)([a-z\u{e9}\u{1}\"]{0,30}\n?){0,60}", room in 100..600usize
        ) {
            for measure in [TextMeasure::Plain, TextMeasure::Json] {
                let shown = show_ends(&output(text.as_bytes()), measure, room);
                prop_assert!(measure.cost(&shown.text) <= room);
                prop_assert!(std::str::from_utf8(&shown.text).is_ok());
                if shown.is_cut {
                    let shown = String::from_utf8(shown.text).unwrap();
                    let (first, last) = shown.split_once("[... ").unwrap();
                    let (_, last) = last.split_once(" left out ...]\n").unwrap();
                    prop_assert!(text.starts_with(first) || text.starts_with(&first[..first.len() - 1]));
                    let last = last.to_owned();
                    let closed = last.clone() + "\n";
                    prop_assert!(text.ends_with(&last) || text.ends_with(&closed));
                }
            }
        }
    }
}
