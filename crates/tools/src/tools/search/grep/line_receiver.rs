//! The lines found in a file, on their way into the answer's text.

use std::sync::atomic::Ordering;

use super::chunk::{LineRecord, ResultChunk};
use super::excerpt::{LONG_LINE_BYTES, push_excerpt};
use super::options::{GrepOptions, GrepOutput};
use super::search::{CHUNK_FILE_BYTES, CHUNK_TEXT_BYTES, CurrentFile};
use super::shared_search::{DeadlineMatcher, SharedSearch};
use crate::contract::search_style::BinaryFiles;
use iki_search::scan::{ContextLines, LineSink, ScanFlow};

/// Takes the lines of a file.
pub struct LineReceiver<'l> {
    pub shared: &'l SharedSearch,
    pub chunk: &'l mut ResultChunk,
    pub matcher: &'l DeadlineMatcher<'l>,
    pub current: &'l mut CurrentFile,
    /// True if the lines' numbers are those of the file.
    pub has_file_numbers: bool,
}

impl LineReceiver<'_> {
    /// Adds a line that is to be shown: one that matches, or one around it.
    fn add(&mut self, number: u64, line: &[u8], is_match: bool) {
        let Self {
            shared,
            chunk,
            current,
            has_file_numbers,
            ..
        } = self;
        let mut part = line;
        if let Some(room) = shared.room {
            if chunk.shortest > room {
                return;
            }
            // A line is cut here, a little longer than the room, because it may have gigabytes.
            part = &line[..line.len().min(room.saturating_add(4))];
        }
        if shared.full.load(Ordering::Relaxed) {
            return;
        }
        let options = &shared.options;
        let text = &mut chunk.text;
        let start = text.len();
        let is_joined = *has_file_numbers && current.beginning.last + 1 == number && number > 1;
        if *has_file_numbers {
            let has_context = options.context != ContextLines::default();
            if has_context && !is_joined && current.beginning.last > 0 {
                text.extend_from_slice(b"\n--");
            }
            let line = (number, is_match);
            let form = (options.form, options.style.is_coloured);
            current
                .beginning
                .begin_line(form, text, &current.path, line);
        }
        let is_long =
            line.len() > LONG_LINE_BYTES && (options.shortens_lines || shared.room.is_some());
        let match_start = || {
            is_match
                .then(|| self.matcher.matcher.match_start(line))
                .flatten()
        };
        let mut cut = line.len() - part.len();
        let mut excerpt = 0;
        let short_before = chunk.excerpts.len();
        if is_long && options.shortens_lines {
            let from = text.len();
            push_excerpt(text, line, match_start());
            if options.style.is_coloured {
                let excerpt = text.split_off(from);
                shared.paint_matches(text, &excerpt, is_match);
            }
            cut = 0;
        } else if options.style.is_coloured {
            shared.paint_matches(text, part, is_match);
        } else {
            if is_long {
                let before = &text[start..];
                chunk.excerpts.extend_from_slice(before);
                push_excerpt(&mut chunk.excerpts, line, match_start());
                excerpt = chunk.excerpts.len();
            }
            text.extend_from_slice(part);
        }
        chunk.shortest += match excerpt {
            0 => text.len() - start,
            end => end - short_before,
        };
        if shared.is_limited() || !*has_file_numbers {
            chunk.records.push(LineRecord {
                end: text.len(),
                whole: text.len() - start + cut,
                number: if *has_file_numbers { 0 } else { number },
                lines: u64::from(is_match),
                excerpt,
                is_joined,
            });
        }
    }
}

impl LineSink for LineReceiver<'_> {
    fn line(&mut self, number: u64, line: &[u8]) -> ScanFlow {
        let GrepOptions { output, style, .. } = self.shared.options;
        let is_binary = self.matcher.is_counted();
        if is_binary && style.binary == BinaryFiles::LeftOut {
            return ScanFlow::Stop;
        }
        self.chunk.done.count += 1;
        self.current.matching_lines += 1;
        let is_enough = style
            .max_per_file
            .is_some_and(|limit| self.current.matching_lines >= limit);
        if output != GrepOutput::Lines || is_binary {
            self.current.counted += 1;
            return match output {
                GrepOutput::Lines | GrepOutput::Counts if !is_enough => ScanFlow::Continue,
                _ => ScanFlow::Stop,
            };
        }
        self.add(number, line, true);
        if is_enough {
            return ScanFlow::Stop;
        }
        if self.has_file_numbers && self.chunk.text.len() >= CHUNK_TEXT_BYTES {
            return ScanFlow::Pause;
        }
        ScanFlow::Continue
    }

    fn context(&mut self, number: u64, line: &[u8]) {
        if !self.matcher.is_counted() {
            self.add(number, line, false);
        }
    }

    fn count_bytes(&mut self, bytes: usize) -> ScanFlow {
        self.chunk.bytes += bytes;
        let is_stream = self.shared.options.style.stdin.is_some();
        if self.has_file_numbers && (is_stream || self.chunk.bytes >= CHUNK_FILE_BYTES) {
            return ScanFlow::Pause;
        }
        ScanFlow::Continue
    }
}
