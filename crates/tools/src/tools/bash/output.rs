//! A command's output where an answer has a limit: long lines are shortened, and if that is not
//! enough, its beginning and its end are shown, and a line between them says what was left out.
//!
//! Rules: the decisions on the host's calls (9): the first fifth and the last four fifths, cut at
//! whole lines.

use std::path::Path;

use crate::contract::answer_limit::TextMeasure;
use crate::contract::call_terms::CallTerms;
use iki_base::wording::count_noun;
use iki_process::sandbox::confinement;
use iki_process::shell::{CollectedOutput, SavedOutput, ShortenedLine};

/// Maximum length of the line between both ends, with its newlines.
const OMISSION_BYTES: usize = 96;

/// The output as the answer shows it.
#[derive(Debug)]
pub struct ShownOutput {
    /// The text, without its last newline.
    pub text: Vec<u8>,
    /// True if something was left out.
    pub is_cut: bool,
    /// True if lines that are shown were shortened.
    pub is_shortened: bool,
}

/// As much of `output` as takes `room` at most, as `measure` counts it.
pub fn show_ends(output: &CollectedOutput, measure: TextMeasure, room: usize) -> ShownOutput {
    let has_room = |text: &[u8]| measure.cost(without_last_newline(text)) <= room;
    let whole = output.whole().filter(|text| has_room(text));
    let is_cut = whole.is_none();
    let all = whole.map(<[u8]>::to_vec);
    if let Some(text) = all.or_else(|| output.all_lines(has_room)) {
        return ShownOutput {
            text: without_last_newline(&text).to_vec(),
            is_cut,
            is_shortened: is_cut,
        };
    }
    show_both_ends(
        output,
        measure,
        room.saturating_sub(OMISSION_BYTES),
        output.shortest,
    )
}

/// As many lines from both ends as have room, with `longest` bytes of a line.
fn show_both_ends(
    output: &CollectedOutput,
    measure: TextMeasure,
    room: usize,
    longest: usize,
) -> ShownOutput {
    let [beginning, end] = output.ends(longest);
    let first = lines_with_room(beginning.lines(), measure, room / 5);
    let last = end.lines().collect::<Vec<_>>().into_iter().rev();
    let last = lines_with_room(last, measure, room - room / 5);
    // Lines whose characters take much room.
    if (first.is_empty() || last.is_empty()) && longest >= 64 {
        return show_both_ends(output, measure, room, longest / 2);
    }
    let both_ends = || first.iter().chain(&last);
    let lines = output.lines().saturating_sub(both_ends().count() as u64);
    let bytes = both_ends().map(|line| line.bytes()).sum();
    let lines = count_noun(lines, "line");
    let bytes = count_noun(output.bytes.saturating_sub(bytes), "byte");
    let between = format!("[... {lines} ({bytes}) left out ...]\n");
    let mut text = Vec::new();
    text.extend(first.iter().flat_map(|line| line.worded().into_owned()));
    text.extend_from_slice(between.as_bytes());
    text.extend(
        last.iter()
            .rev()
            .flat_map(|line| line.worded().into_owned()),
    );
    ShownOutput {
        text: without_last_newline(&text).to_vec(),
        is_cut: true,
        is_shortened: both_ends().any(|line| line.is_shortened()),
    }
}

fn without_last_newline(text: &[u8]) -> &[u8] {
    text.strip_suffix(b"\n").unwrap_or(text)
}

/// The first of `lines` that have `room`.
fn lines_with_room<'a>(
    lines: impl Iterator<Item = ShortenedLine<'a>>,
    measure: TextMeasure,
    mut room: usize,
) -> Vec<ShortenedLine<'a>> {
    let have_room = lines.map_while(|line| {
        // A newline is charged to the line after it.
        let worded = line.worded();
        let line_behind = [b"\n", without_last_newline(&worded)].concat();
        room = room.checked_sub(measure.cost(&line_behind))?;
        Some(line)
    });
    have_room.collect()
}

/// Keeps output of which only a part is shown in a file; returns the note on that.
pub fn note_on_cut(
    output: CollectedOutput,
    room: usize,
    is_shortened: bool,
    terms: &CallTerms,
) -> String {
    let lines = output.lines();
    let length = format!(
        "{} ({}{})",
        count_noun(lines, "line"),
        count_noun(output.bytes, "byte"),
        if is_shortened {
            "; long lines are shortened here"
        } else {
            ""
        }
    );
    let mean = output.bytes / lines.max(1);
    let (path, what) = match output.save_whole() {
        SavedOutput::Whole(path) => (path, format!("All of the output, {length}, is")),
        SavedOutput::Beginning(path, bytes) => {
            let bytes = count_noun(bytes, "byte");
            (
                path,
                format!("The first {bytes} of the output, of {length}, are"),
            )
        }
        SavedOutput::Nowhere(reason) => {
            return format!(
                "The output is {length}, and what is left out of it here was not kept ({reason}): \
                 run the command again with its output in a file (COMMAND >FILE 2>&1) and read \
                 parts of that, or pipe it into head, tail or grep."
            );
        }
    };
    // Reading by line number does not help if a single line exceeds an answer.
    let part = (mean > room as u64).then_some(room as u64 / 2);
    let ways = ways_to_read(&path, part, terms);
    let ways = ways.unwrap_or_else(|| {
        String::from("run the command again with its output in a file of yours")
    });
    format!("{what} in {}: {ways}.", path.display())
}

/// Where output is that is not shown, to follow what is said of it.
pub fn saved_in(output: SavedOutput) -> String {
    match output {
        SavedOutput::Whole(path) => format!("; it is in {}", path.display()),
        SavedOutput::Beginning(path, bytes) => {
            let bytes = count_noun(bytes, "byte");
            format!("; the first {bytes} of it are in {}", path.display())
        }
        SavedOutput::Nowhere(reason) => format!("; it was not kept ({reason})"),
    }
}

/// The ways to read a file of output that the caller has: in parts of so many bytes where lines are
/// too long, else by lines. `None` if there is none.
pub fn ways_to_read(path: &Path, part: Option<u64>, terms: &CallTerms) -> Option<String> {
    // A confined command may not read what the server keeps.
    let is_for_commands = confinement::is_within_reach(path);
    let path = path.display();
    let mut ways = Vec::new();
    match part {
        Some(part) if is_for_commands => ways.push(format!(
            "its lines are long, so read parts of it with `tail -c +1 {path} | head -c {part}`"
        )),
        None if terms.serves("file_read") => {
            ways.push("read parts of it with file_read (offset, limit)".to_owned());
        }
        _ if is_for_commands => {
            ways.push(format!("read parts of it with `sed -n 1,200p {path}`"));
        }
        _ => {}
    }
    if terms.serves("grep") && !(part.is_some() && is_for_commands) {
        ways.push("search it with grep (path)".to_owned());
    }
    (!ways.is_empty()).then(|| ways.join(", or "))
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    fn show_text(text: &[u8], measure: TextMeasure, room: usize) -> ShownOutput {
        let mut collector = CollectedOutput::without_file(room + 1);
        collector.write_all(text).unwrap();
        show_ends(&collector, measure, room)
    }

    #[test]
    fn the_ends_are_whole_lines_and_the_line_between_them_counts_what_is_missing() {
        let text: Vec<u8> = (1..=1000)
            .flat_map(|n| format!("line {n}\n").into_bytes())
            .collect();
        let excerpt = show_text(&text, TextMeasure::Plain, 596);
        let text = String::from_utf8(excerpt.text).unwrap();
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
            let excerpt = show_text(text.as_bytes(), TextMeasure::Json, 4);
            assert_eq!(
                (excerpt.text.as_slice(), excerpt.is_cut),
                (expected.as_bytes(), false)
            );
        }
    }

    /// The line of which `excerpt` is made: itself, or its beginning, its end and its length.
    fn is_of_line(excerpt: &str, line: &str) -> bool {
        let Some((head, remainder)) = excerpt.split_once("\u{2026}[line of ") else {
            return excerpt == line;
        };
        let (length, end) = remainder.split_once(" bytes]\u{2026}").unwrap();
        length.replace(',', "") == line.len().to_string()
            && line.starts_with(head)
            && line.ends_with(end)
    }

    proptest! {
        #[test]
        fn it_keeps_to_its_room_and_uses_it_for_whole_lines_and_the_ends_of_long_ones(
            lines in vec(prop_oneof![
                9 => "[a-z\u{e9}\u{1f600}\"]{0,40}",
                1 => ("[a-z\u{e9}\u{1f600}]{1,30}", 2..900usize).prop_map(|(text, times)| text.repeat(times)),
            ], 0..90),
            is_closed: bool, room in 1_000..6_000usize
        ) {
            let mut text = lines.join("\n");
            if is_closed {
                text.push('\n');
            }
            for measure in [TextMeasure::Plain, TextMeasure::Json] {
                let excerpt = show_text(text.as_bytes(), measure, room);
                prop_assert!(measure.cost(&excerpt.text) <= room);
                let shown_text = String::from_utf8(excerpt.text).unwrap();
                if !excerpt.is_cut {
                    prop_assert_eq!(&shown_text, text.strip_suffix('\n').unwrap_or(&text));
                    continue;
                }
                prop_assert_eq!(excerpt.is_shortened, shown_text.contains("[line of "));
                // At each of two cuts a line may miss, of a tenth of the room and some words.
                let longest = room / 10 + 80;
                let longest = if measure == TextMeasure::Json { 2 * longest } else { longest };
                let used = measure.cost(shown_text.as_bytes());
                prop_assert!(used + 2 * longest + OMISSION_BYTES > room, "{used} of {room}");
                let lines_of = |text: &str| text.split('\n').map(String::from).collect::<Vec<_>>();
                let all = lines_of(text.strip_suffix('\n').unwrap_or(&text));
                let are_of_lines = |excerpts: &[String], lines: &[String]| {
                    excerpts.len() == lines.len()
                        && excerpts
                            .iter()
                            .zip(lines)
                            .all(|(excerpt, line)| is_of_line(excerpt, line))
                };
                let Some((first, rest)) = shown_text.split_once("[... ") else {
                    prop_assert!(are_of_lines(&lines_of(&shown_text), &all));
                    continue;
                };
                let (left_out, last) = rest.split_once(" left out ...]\n").unwrap();
                let mut first = lines_of(first);
                prop_assert_eq!(first.pop(), Some(String::new()));
                let last = lines_of(last);
                prop_assert!(are_of_lines(&first, &all[..first.len()]));
                prop_assert!(are_of_lines(&last, &all[all.len() - last.len()..]));
                let missing = &all[first.len()..all.len() - last.len()];
                let bytes: usize = missing.iter().map(|line| line.len() + 1).sum();
                let expected = format!("{} ({})", count_noun(missing.len() as u64, "line"), count_noun(bytes as u64, "byte"));
                prop_assert_eq!(left_out, expected);
            }
        }
    }
}
