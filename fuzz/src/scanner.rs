//! The lines that are found are those that a search of each line by itself finds, with their
//! numbers, however much is read at once and wherever the search pauses.

use std::cell::Cell;

use encoding_rs::{UTF_16BE, UTF_16LE};
use iki_search::scan::{ByteSource, FileScanner, LineMatcher, ScanFlow};

use crate::take::Take;

/// Matches the lines that hold a text.
struct Holds<'a> {
    text: &'a [u8],
    /// Which offset within the line is named.
    last: bool,
    calls: Cell<usize>,
}

fn holds(line: &[u8], text: &[u8]) -> bool {
    text.is_empty() || line.windows(text.len()).any(|window| window == text)
}

impl LineMatcher for Holds<'_> {
    fn find_line(&self, window: &[u8], from: usize) -> Option<usize> {
        self.calls.set(self.calls.get() + 1);
        let mut start = from;
        for line in window[from..].split_inclusive(|byte| *byte == b'\n') {
            let text = line.strip_suffix(b"\n").unwrap_or(line);
            if holds(text, self.text) {
                return Some(if self.last {
                    start + line.len() - 1
                } else {
                    start
                });
            }
            start += line.len();
        }
        None
    }
}

/// Bytes that come in pieces.
struct Pieces<'a> {
    left: &'a [u8],
    sizes: &'a [u8],
    at: usize,
}

impl ByteSource for Pieces<'_> {
    fn read(&mut self, buffer: &mut Vec<u8>) -> Result<usize, rustix::io::Errno> {
        let size = self
            .sizes
            .get(self.at % self.sizes.len().max(1))
            .copied()
            .unwrap_or(255);
        self.at += 1;
        let room = buffer.capacity() - buffer.len();
        let count = usize::from(size).max(1).min(room).min(self.left.len());
        let (read, left) = self.left.split_at(count);
        buffer.extend_from_slice(read);
        self.left = left;
        Ok(count)
    }
}

pub fn check(data: &[u8]) {
    let mut take = Take(data);
    let flags = take.byte();
    let window = usize::from(take.byte());
    let text = take.bytes(8);
    let sizes = take.bytes(8);
    let content = take.rest();
    // What is sought is in a line.
    if text.contains(&b'\n') {
        return;
    }
    let matcher = Holds {
        text,
        last: flags & 1 == 1,
        calls: Cell::new(0),
    };
    let size = if flags & 2 == 2 { content.len() } else { 0 };
    let pauses = flags & 4 == 4;
    let mut scanner = FileScanner::with_limits(window, 1 << 20);
    // One buffer serves all files.
    for _ in 0..2 {
        let source = Pieces {
            left: content,
            sizes,
            at: 0,
        };
        let mut scan = scanner.start(source, size);
        let mut found: Vec<(u64, Vec<u8>)> = Vec::new();
        loop {
            let mut receive = |number: u64, line: &[u8]| {
                found.push((number, line.to_vec()));
                if pauses {
                    ScanFlow::Pause
                } else {
                    ScanFlow::Continue
                }
            };
            if scan.run(&matcher, &mut receive).unwrap() == ScanFlow::Continue {
                break;
            }
            assert!(pauses);
        }
        let whole = decoded(content);
        let lines = whole.split_inclusive(|byte| *byte == b'\n');
        let lines = lines.map(|line| line.strip_suffix(b"\n").unwrap_or(line));
        let wanted: Vec<(u64, Vec<u8>)> = (1..)
            .zip(lines)
            .filter(|(_, line)| holds(line, text))
            .map(|(number, line)| (number, line.to_vec()))
            .collect();
        assert_eq!(found, wanted);
        let feeds = whole.iter().filter(|byte| **byte == b'\n').count() as u64;
        assert_eq!(scan.line_feeds(), feeds);
        scanner.recycle(scan);
    }
}

/// The text behind a byte-order mark; that of UTF-32 is none.
fn decoded(content: &[u8]) -> Vec<u8> {
    let decode = |encoding: &'static encoding_rs::Encoding, bytes| {
        encoding
            .decode_without_bom_handling(bytes)
            .0
            .into_owned()
            .into_bytes()
    };
    match content {
        [0xef, 0xbb, 0xbf, rest @ ..] => rest.to_vec(),
        [0xff, 0xfe, 0, 0, ..] => content.to_vec(),
        [0xff, 0xfe, rest @ ..] => decode(UTF_16LE, rest),
        [0xfe, 0xff, rest @ ..] => decode(UTF_16BE, rest),
        _ => content.to_vec(),
    }
}
