//! Line ends of an edit: in a file whose lines all end in CRLF, LF in texts that have no CR means
//! CRLF.
//!
//! Rules: the decisions on file-edit. Nothing else is taken for anything but itself.

use std::borrow::Cow;
use std::time::Instant;

use memchr::memmem::Finder;
use memchr::{memchr, memchr_iter};

use super::regular::{FileAccessError, RegularFile};

/// The change of the line ends of an edit's texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineEndChange {
    /// Nothing.
    AsSent,
    /// All lines of the file end in CRLF: both texts' LF were taken for CRLF.
    BothCrlf,
    /// All lines of the file end in CRLF: the new text's LF were written as CRLF.
    NewCrlf,
    /// The new text was written with its LF as it was sent, where lines end in CRLF.
    Mixed,
    /// The new text was written with its CRLF as it was sent, where lines end in LF.
    MixedIn,
}

/// The decision on an edit's line ends.
pub struct LineEndDecision {
    /// The change to be made.
    pub done: LineEndChange,
    /// The number of line ends of the file, if that was asked and all are alike; else 0.
    pub lines: u64,
    /// The number of such line ends in the text to be found.
    pub replaced_lines: u64,
    /// True if both texts are the same then.
    pub changes_nothing: bool,
}

/// The text to be found and the one to be written.
pub type EditTexts<'a> = (Cow<'a, [u8]>, Cow<'a, [u8]>);

/// The two texts as they are to be looked for and written.
pub fn decide<'a>(
    file: &RegularFile,
    old: &'a [u8],
    new: &'a [u8],
    deadline: Option<Instant>,
) -> Result<(EditTexts<'a>, LineEndDecision), FileAccessError> {
    let as_sent = (Cow::Borrowed(old), Cow::Borrowed(new));
    let has_cr = memchr(b'\r', old).is_some();
    let old_lines = memchr(b'\n', old).is_some() && !has_cr;
    let new_lines = bare_line_feeds(new).next().is_some() && (!has_cr || crlf_in(old) > 0);
    let mut decided = LineEndDecision {
        done: LineEndChange::AsSent,
        lines: 0,
        replaced_lines: crlf_in(old),
        changes_nothing: false,
    };
    if old_lines || new_lines {
        decided.lines = lines_in_crlf(file, deadline)?;
    }
    if decided.lines == 0 {
        if crlf_in(new) > 0 && !has_cr {
            decided.lines = lines_in_lf(file, deadline)?;
            decided.replaced_lines = bare_line_feeds(old).count() as u64;
            decided.done = LineEndChange::MixedIn;
        }
        return Ok((as_sent, decided));
    }
    if has_cr {
        decided.done = LineEndChange::Mixed;
        return Ok((as_sent, decided));
    }
    let new_crlf = with_crlf(new);
    if old_lines {
        let old_crlf = with_crlf(old);
        // The line ends are what was to be changed: they are so already.
        decided.changes_nothing = old_crlf == new_crlf;
        decided.done = LineEndChange::BothCrlf;
        return Ok(((old_crlf, new_crlf), decided));
    }
    decided.done = LineEndChange::NewCrlf;
    Ok(((as_sent.0, new_crlf), decided))
}

/// `text` with CRLF in place of each LF that has no CR before it.
pub fn with_crlf(text: &[u8]) -> Cow<'_, [u8]> {
    let mut bare = bare_line_feeds(text).peekable();
    if bare.peek().is_none() {
        return Cow::Borrowed(text);
    }
    let mut changed = Vec::with_capacity(text.len() + text.len() / 16);
    let mut from = 0;
    for line_feed in bare {
        changed.extend_from_slice(&text[from..line_feed]);
        changed.push(b'\r');
        from = line_feed;
    }
    changed.extend_from_slice(&text[from..]);
    Cow::Owned(changed)
}

/// The offsets in `text` of each LF that has no CR before it.
fn bare_line_feeds(text: &[u8]) -> impl Iterator<Item = usize> {
    memchr_iter(b'\n', text).filter(|offset| *offset == 0 || text[offset - 1] != b'\r')
}

/// Counts CRLF in `text`.
fn crlf_in(text: &[u8]) -> u64 {
    Finder::new("\r\n").find_iter(text).count() as u64
}

/// Counts the lines of the file that have an end, if all end in CRLF; 0 if one ends in LF alone.
fn lines_in_crlf(file: &RegularFile, deadline: Option<Instant>) -> Result<u64, FileAccessError> {
    let (mut count, mut before, mut has_bare) = (0, 0, false);
    file.look_through(0..u64::MAX, deadline, |seen| {
        for end in memchr_iter(b'\n', seen) {
            if end.checked_sub(1).map_or(before, |cr| seen[cr]) != b'\r' {
                has_bare = true;
                return false;
            }
            count += 1;
        }
        before = seen.last().copied().unwrap_or(before);
        true
    })?;
    Ok(if has_bare { 0 } else { count })
}

/// Counts the lines of the file that have an end, if all end in LF; 0 if one ends in CRLF.
fn lines_in_lf(file: &RegularFile, deadline: Option<Instant>) -> Result<u64, FileAccessError> {
    let (mut count, mut before, mut has_crlf) = (0, 0, false);
    file.look_through(0..u64::MAX, deadline, |seen| {
        has_crlf = before == b'\r' && seen.first() == Some(&b'\n') || crlf_in(seen) > 0;
        count += memchr_iter(b'\n', seen).count() as u64;
        before = seen.last().copied().unwrap_or(before);
        !has_crlf
    })?;
    Ok(if has_crlf { 0 } else { count })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_feeds_are_given_a_carriage_return_once() {
        for (text, expected) in [
            ("", ""),
            ("a", "a"),
            ("\n", "\r\n"),
            ("a\nb\r\nc\n\n", "a\r\nb\r\nc\r\n\r\n"),
            ("a\r\n", "a\r\n"),
        ] {
            assert_eq!(&*with_crlf(text.as_bytes()), expected.as_bytes());
        }
    }
}
