//! Reads delimiters that stand close together back as Markdown does, and writes fewer of them if
//! that would differ from the page.
//!
//! Rules: `CommonMark` 0.31.2, "Emphasis and strong emphasis" and "An algorithm for parsing nested
//! emphasis and links". A group begins and ends where no markup is open.

use super::super::{escape, flanks};
use super::InlineWriter;

/// A delimiter that the writer itself has put, unlike one of the text.
#[derive(Clone, Copy)]
pub(super) struct WrittenDelimiter {
    pub(super) offset: usize,
    pub(super) length: usize,
    pub(super) opens: bool,
}

/// A run of delimiters that may still be closed.
struct DelimiterRun {
    byte: u8,
    length: usize,
    left: usize,
    both: bool,
    marks: Vec<usize>,
}

impl DelimiterRun {
    /// True if a closing run, which may open as well, can pair with this one.
    fn pairs(&self, byte: u8, length: usize, opens: bool) -> bool {
        let both = self.both || opens;
        let thirds = self.length.is_multiple_of(3) && length.is_multiple_of(3);
        self.byte == byte && (!both || !(self.length + length).is_multiple_of(3) || thirds)
    }
}

impl InlineWriter<'_> {
    /// Ends the group, if no markup is open; `after` is the next character.
    pub(super) fn end_group(&mut self, after: Option<char>) {
        if self.marks.is_empty() || self.open_delimiters != [0; 4] {
            return;
        }
        let marks = std::mem::take(&mut self.marks);
        if reads_back(&self.lines.out, &marks, after) {
            return;
        }
        let from = marks.first().map_or(0, |mark| mark.offset);
        let before = self.lines.out[..from].chars().next_back();
        let start = from - before.map_or(0, char::len_utf8);
        for levels in [usize::MAX, 1, 0] {
            let (text, left, gone) = rewritten(&self.lines.out, start, &marks, levels);
            // No line that was checked before may become another block.
            let lines = text.contains('\n')
                && text.lines().any(|line| {
                    let line = line.trim_start_matches([' ', '>']);
                    escape::block_marker_at(line, false, true).is_some()
                });
            if !lines && reads_back(&text, &left, after) {
                self.lines.out.truncate(start);
                self.lines.out.push_str(&text);
                // Behind delimiters that were removed.
                self.move_offsets(|place| {
                    let gone = gone.iter().filter(|mark| mark.offset < place);
                    place - gone.map(|mark| mark.length).sum::<usize>()
                });
                return;
            }
        }
    }
}

/// Rewrites the text from `start` on with stars in place of underscores, and without the `marks`
/// within so many levels of others; returns it, the places in it of those that are left, and those
/// that are gone.
fn rewritten(
    out: &str,
    start: usize,
    marks: &[WrittenDelimiter],
    levels: usize,
) -> (String, Vec<WrittenDelimiter>, Vec<WrittenDelimiter>) {
    let mut text = String::with_capacity(out.len() - start);
    let (mut left, mut gone) = (Vec::new(), Vec::new());
    let (mut done, mut depth) = (start, 0_usize);
    for mark in marks {
        text.push_str(&out[done..mark.offset]);
        done = mark.offset + mark.length;
        depth = depth.saturating_sub(usize::from(!mark.opens));
        if depth < levels {
            left.push(WrittenDelimiter {
                offset: text.len(),
                ..*mark
            });
            text.push_str(&out[mark.offset..done].replace('_', "*"));
        } else {
            gone.push(*mark);
        }
        depth += usize::from(mark.opens);
    }
    text.push_str(&out[done..]);
    (text, left, gone)
}

/// True if Markdown pairs these delimiters as intended.
fn reads_back(text: &str, marks: &[WrittenDelimiter], after: Option<char>) -> bool {
    let bytes = text.as_bytes();
    let mut stack: Vec<DelimiterRun> = Vec::new();
    let mut index = 0;
    while let Some(first) = marks.get(index) {
        let (byte, from, mut end) = (bytes[first.offset], index, first.offset);
        while let Some(mark) = marks.get(index)
            && mark.offset == end
            && bytes[mark.offset] == byte
        {
            end += mark.length;
            index += 1;
        }
        let run = &marks[from..index];
        let length = end - first.offset;
        let before = text[..first.offset].chars().next_back();
        let next = text[end..].chars().next().or(after);
        let (opens, closes) = flanks::flanks(char::from(byte), before, next);
        let closing = run.iter().take_while(|mark| !mark.opens).count();
        let (ends, begins) = run.split_at(closing);
        if begins.iter().any(|mark| !mark.opens) || (byte == b'~' && run.len() > 1) {
            return false;
        }
        let mut left = length;
        for mark in ends {
            let Some(top) = stack.last_mut() else {
                return false;
            };
            let used = if left > 1 && top.left > 1 { 2 } else { 1 };
            let meant = top.marks.pop() == Some(mark.length) && mark.length == used;
            if !closes || !meant || !top.pairs(byte, length, opens) {
                return false;
            }
            top.left -= used;
            left -= used;
            if top.left == 0 {
                stack.pop();
            }
        }
        if begins.is_empty() {
            continue;
        }
        let closes_other = closes && stack.iter().any(|run| run.pairs(byte, length, opens));
        if !opens || closes_other {
            return false;
        }
        stack.push(DelimiterRun {
            byte,
            length,
            left,
            both: closes,
            marks: begins.iter().map(|mark| mark.length).collect(),
        });
    }
    stack.is_empty()
}
