//! The lines found in a file, on their way into the answer's text.

use std::sync::atomic::Ordering;

use super::chunk::{LineRecord, ResultChunk};
use super::excerpt::{LONG_LINE_BYTES, push_excerpt};
use super::options::GrepOutput;
use super::search::{
    CHUNK_FILE_BYTES, CHUNK_TEXT_BYTES, CurrentFile, DeadlineMatcher, SharedSearch,
};
use iki_search::scan::{ContextLines, LineSink, ScanFlow};

/// Takes the lines of a file.
pub struct LineReceiver<'l> {
    pub shared: &'l SharedSearch,
    pub chunk: &'l mut ResultChunk,
    pub matcher: &'l DeadlineMatcher<'l>,
    pub current: &'l mut CurrentFile,
    /// True if the lines' numbers are those of the file.
    pub numbered: bool,
}

impl LineReceiver<'_> {
    /// Adds a line that is to be shown: one that matches, or one around it.
    fn add(&mut self, number: u64, line: &[u8], is_match: bool) {
        let Self {
            shared,
            chunk,
            current,
            numbered,
            ..
        } = self;
        let mut shown = line;
        if let Some(room) = shared.room {
            if chunk.shortest > room {
                return;
            }
            // A line is cut here, a little longer than the room, because it may have gigabytes.
            shown = &line[..line.len().min(room.saturating_add(4))];
        }
        if shared.full.load(Ordering::Relaxed) {
            return;
        }
        let options = &shared.options;
        let text = &mut chunk.text;
        let start = text.len();
        let is_joined = *numbered && current.beginning.last + 1 == number && number > 1;
        if *numbered {
            let has_context = options.context != ContextLines::default();
            if has_context && !is_joined && current.beginning.last > 0 {
                text.extend_from_slice(b"\n--");
            }
            let line = (number, is_match);
            current
                .beginning
                .begin_line(options.form, text, &current.path, line);
        }
        let is_long = line.len() > LONG_LINE_BYTES && (options.shortens || shared.room.is_some());
        let match_start = || {
            is_match
                .then(|| self.matcher.matcher.match_start(line))
                .flatten()
        };
        let mut cut = line.len() - shown.len();
        let mut excerpt = 0;
        let short_before = chunk.excerpts.len();
        if is_long && options.shortens {
            push_excerpt(text, line, match_start());
            cut = 0;
        } else {
            if is_long {
                let before = &text[start..];
                chunk.excerpts.extend_from_slice(before);
                push_excerpt(&mut chunk.excerpts, line, match_start());
                excerpt = chunk.excerpts.len();
            }
            text.extend_from_slice(shown);
        }
        chunk.shortest += match excerpt {
            0 => text.len() - start,
            end => end - short_before,
        };
        if shared.is_limited() || !*numbered {
            chunk.records.push(LineRecord {
                end: text.len(),
                whole: text.len() - start + cut,
                number: if *numbered { 0 } else { number },
                lines: u64::from(is_match),
                excerpt,
                is_joined,
            });
        }
    }
}

impl LineSink for LineReceiver<'_> {
    fn line(&mut self, number: u64, line: &[u8]) -> ScanFlow {
        self.chunk.done.count += 1;
        let output = self.shared.options.output;
        if output != GrepOutput::Lines || self.matcher.binary.get() == Some(true) {
            self.current.counted += 1;
            return match output {
                GrepOutput::Files => ScanFlow::Stop,
                GrepOutput::Lines | GrepOutput::Counts => ScanFlow::GoOn,
            };
        }
        self.add(number, line, true);
        if self.numbered && self.chunk.text.len() >= CHUNK_TEXT_BYTES {
            return ScanFlow::Pause;
        }
        ScanFlow::GoOn
    }

    fn context(&mut self, number: u64, line: &[u8]) {
        if self.matcher.binary.get() != Some(true) {
            self.add(number, line, false);
        }
    }

    fn searched(&mut self, bytes: usize) -> ScanFlow {
        self.chunk.bytes += bytes;
        if self.numbered && self.chunk.bytes >= CHUNK_FILE_BYTES {
            return ScanFlow::Pause;
        }
        ScanFlow::GoOn
    }
}
