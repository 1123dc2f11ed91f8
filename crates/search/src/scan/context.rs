//! Lines around those that match, which are shown with them.

use memchr::memchr;

/// The number of lines that a search shows around those that match.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ContextLines {
    /// Lines before each.
    pub before: usize,
    /// Lines after each.
    pub after: usize,
}

/// Maximum number of bytes of lines that are kept because they may be shown before a match.
const MAX_KEPT_BYTES: usize = 1 << 20;

/// The last `count` whole lines, each ended by a line feed, and at most [`MAX_KEPT_BYTES`] bytes.
pub(super) fn last_lines(text: &[u8], count: usize) -> &[u8] {
    let text = &text[text.len().saturating_sub(MAX_KEPT_BYTES)..];
    let mut feeds = memchr::memrchr_iter(b'\n', text);
    match feeds.nth(count) {
        Some(feed) => &text[feed + 1..],
        None if text.len() < MAX_KEPT_BYTES => text,
        // The first of them may have been cut.
        None => memchr(b'\n', text).map_or(&[], |feed| &text[feed + 1..]),
    }
}

/// The first `count` lines, the last one perhaps without a line feed.
pub(super) fn first_lines(text: &[u8], count: usize) -> &[u8] {
    match count.checked_sub(1) {
        None => &[],
        Some(last) => match memchr::memchr_iter(b'\n', text).nth(last) {
            Some(feed) => &text[..=feed],
            None => text,
        },
    }
}

/// The lines, without their line feeds.
pub(super) fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split_inclusive(|byte| *byte == b'\n')
        .map(|line| line.strip_suffix(b"\n").unwrap_or(line))
}
