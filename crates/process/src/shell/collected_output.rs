//! Collecting output of any length: its beginning and its end in memory, with long lines shortened,
//! and all of it in a file.

use std::io::{self, Write};
use std::iter::successors;

use crate::shell::background_output::BackgroundOutput;
use crate::shell::kept_output::{KeptOutput, SavedOutput};
use crate::shell::shortened_lines::ShortenedLines;

/// The length in bytes from which a line is shortened, where the output has no room.
const LONG_LINE_BYTES: usize = 500;

/// A writer that collects output.
#[derive(Debug)]
pub struct CollectedOutput {
    /// Length in bytes up to which it is kept in memory whole.
    limit: usize,
    /// Its beginning, if `end` is not all of it.
    beginning: Option<ShortenedLines>,
    /// All of its lines, or the last ones.
    end: ShortenedLines,
    /// The length to which long lines are shortened if they have to be, in bytes.
    pub shortest: usize,
    /// The length to which they were shortened, in bytes.
    longest: usize,
    /// Its length in bytes.
    pub bytes: u64,
    newlines: u64,
    whole: Option<KeptOutput>,
}

impl CollectedOutput {
    /// Collects up to `limit` bytes. Of longer output so much of both ends is kept, or all lines,
    /// if they take no more when the long ones are shortened.
    #[must_use]
    pub fn new(limit: usize) -> Self {
        let shortest = (limit / 10).clamp(64, LONG_LINE_BYTES);
        Self {
            limit,
            beginning: None,
            end: ShortenedLines::default(),
            shortest,
            longest: limit.max(shortest),
            bytes: 0,
            newlines: 0,
            whole: None,
        }
    }

    /// Collects without saving in a file.
    #[must_use]
    pub fn without_file(limit: usize) -> Self {
        let mut collector = Self::new(limit);
        collector.whole = Some(KeptOutput::none());
        collector
    }

    /// Keeps memory bounded: long lines are shortened first, further and further, and only then is
    /// the middle left out. Between `limit` and twice as much stays, so that this is done seldom.
    fn make_room(&mut self) {
        if self.end.text().len() <= 4 * self.limit {
            return;
        }
        while self.beginning.is_none() {
            self.end = self.end.shortened(self.longest);
            if self.end.text().len() <= 2 * self.limit {
                return;
            }
            if self.longest == self.shortest {
                self.beginning = Some(self.end.clone());
            }
            self.longest = self.shortest.max(self.longest / 2);
        }
        self.end.keep_end(2 * self.limit);
    }

    /// All of the output as it is, if it is so short.
    #[must_use]
    pub fn whole(&self) -> Option<&[u8]> {
        (self.bytes <= self.limit as u64).then_some(self.end.text())
    }

    /// The bytes at the end of the output.
    #[must_use]
    pub fn last_bytes(&self) -> &[u8] {
        self.end.text()
    }

    /// Its number of lines.
    #[must_use]
    pub fn lines(&self) -> u64 {
        self.newlines + u64::from(!self.end.text().ends_with(b"\n"))
    }

    /// All lines, of which the long ones are shortened no further than the text takes to have
    /// room; `None` if it never has.
    pub fn all_lines(&self, has_room: impl Fn(&[u8]) -> bool) -> Option<Vec<u8>> {
        if self.beginning.is_some() {
            return None;
        }
        let worded = |longest| self.end.shortened(longest).worded();
        let shortest = Some(worded(self.shortest)).filter(|text| has_room(text))?;
        let longer = successors(Some(self.longest), |longest| Some(longest - longest / 32));
        let mut longer = longer.take_while(|longest| *longest > self.shortest + 32);
        let longest = longer.find(|longest| has_room(&worded(*longest)));
        Some(longest.map_or(shortest, worded))
    }

    /// The beginning and the end, with `longest` bytes of a line.
    #[must_use]
    pub fn ends(&self, longest: usize) -> [ShortenedLines; 2] {
        let beginning = self.beginning.as_ref().unwrap_or(&self.end);
        [beginning, &self.end].map(|lines| lines.shortened(longest))
    }

    /// Saves all of the output in a file, and returns where it is.
    #[must_use]
    pub fn save_whole(self) -> SavedOutput {
        let whole = self.whole.unwrap_or_else(|| {
            let mut whole = KeptOutput::start();
            whole.append(self.end.text());
            whole
        });
        whole.finish()
    }

    /// Saves all of the output in a file that can go on.
    ///
    /// # Errors
    /// The reason why there is no such file.
    pub fn save_and_go_on(&mut self) -> Result<BackgroundOutput, String> {
        if let Some(whole) = self.whole.take() {
            return BackgroundOutput::go_on_in(whole, self.bytes);
        }
        let mut file = BackgroundOutput::start()?;
        let _ = file.write_all(self.end.text());
        Ok(file)
    }
}

impl Write for CollectedOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.bytes += bytes.len() as u64;
        self.newlines += memchr::memchr_iter(b'\n', bytes).count() as u64;
        if self.whole.is_none() && self.whole().is_none() {
            let mut whole = KeptOutput::start();
            whole.append(self.end.text());
            self.whole = Some(whole);
        }
        if let Some(whole) = &mut self.whole {
            whole.append(bytes);
        }
        let mut unread = bytes;
        while !unread.is_empty() {
            unread = self.end.push(unread, self.longest);
            self.make_room();
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `text` as it is collected in pieces of `step` bytes, where memory is bounded.
    fn collected(text: &[u8], max_bytes: usize, step: usize) -> CollectedOutput {
        let mut collector = CollectedOutput::without_file(max_bytes);
        for piece in text.chunks(step) {
            collector.write_all(piece).unwrap();
            let output = &collector;
            let beginning = output
                .beginning
                .as_ref()
                .map_or(0, |lines| lines.text().len());
            assert!(beginning <= 6 * max_bytes && output.end.text().len() <= 4 * max_bytes);
        }
        let output = collector;
        assert_eq!(output.bytes, text.len() as u64);
        output
    }

    fn worded(lines: &ShortenedLines) -> String {
        String::from_utf8(lines.worded()).unwrap()
    }

    #[test]
    fn both_ends_are_there_however_the_output_comes_and_memory_is_bounded() {
        let text = (0..9_000).fold(String::new(), |text, n| text + &format!("line {n}\n"));
        for step in [1, 7, 99, 999, 1_000, 1_001, 5_000, 90_000] {
            let output = collected(text.as_bytes(), 1_000, step);
            assert!(output.all_lines(|_| true).is_none());
            let [beginning, end] = output.ends(100).map(|lines| worded(&lines));
            assert!(
                beginning.len() >= 1_000 && text.starts_with(&beginning),
                "{step}"
            );
            assert!(end.len() >= 1_000 && text.ends_with(&end), "{step}");
            assert_eq!(output.newlines, 9_000);
        }
        let mut collector = CollectedOutput::without_file(100);
        collector.write_all(&text.as_bytes()[..100]).unwrap();
        let output = collector;
        assert_eq!(output.whole(), Some(&text.as_bytes()[..100]));
    }

    #[test]
    fn long_lines_are_shortened_no_further_than_the_room_takes() {
        let long = format!("<{}>\n", "\u{e9}".repeat(50_000));
        let text = format!("a\n{long}b\n{long}c\n");
        for step in [1_000, 999, 100_000, 1_000_000] {
            let output = collected(text.as_bytes(), 9_000, step);
            for room in [1_400, 5_000, 9_000] {
                let output_text = output.all_lines(|text| text.len() <= room).unwrap();
                let output_text = String::from_utf8(output_text).unwrap();
                assert!(
                    (room - room / 24..=room).contains(&output_text.len()),
                    "{} of {room}",
                    output_text.len()
                );
                let lines: Vec<_> = output_text.lines().collect();
                assert_eq!((lines[0], lines[2], lines[4]), ("a", "b", "c"));
                for line in [lines[1], lines[3]] {
                    let (beginning, end) = line
                        .split_once("\u{2026}[line of 100,002 bytes]\u{2026}")
                        .unwrap();
                    assert!(beginning.starts_with("<\u{e9}") && end.ends_with("\u{e9}>"));
                    assert!(beginning.len() * 3 < end.len() && beginning.len() * 5 > end.len());
                }
            }
        }
    }

    #[test]
    fn a_line_without_an_end_and_bytes_that_are_no_characters_take_no_memory() {
        for text in [
            &b"x"[..],
            b"\x80",
            "\u{1f600}".as_bytes(),
            b"\n",
            b"\xf0\x9f\n",
        ] {
            let text = text.repeat(300_000 / text.len());
            for (limit, step) in [(1, 8_192), (500, 8_192), (2_000, 64), (2_000, 1 << 20)] {
                if limit < 500 {
                    let mut collector = CollectedOutput::without_file(limit);
                    collector.write_all(&text).unwrap();
                    assert!(collector.end.text().len() <= 200);
                    continue;
                }
                let output = collected(&text, limit, step);
                let lines = output.all_lines(|text| text.len() <= limit);
                assert_eq!(lines.is_some(), output.newlines == 0, "{limit}");
                let output_text = lines.unwrap_or_default();
                assert!(
                    output.newlines > 0 || output_text.len() + limit / 24 > limit,
                    "{}",
                    output_text.len()
                );
            }
        }
    }
}
