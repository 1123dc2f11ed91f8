//! A pattern cut into pieces, for writing another one that differs in some of them.

use super::bracket;

/// A piece of a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Piece {
    /// A backslash and this character.
    Escape(char),
    /// A bracket expression.
    Set,
    /// Any other character.
    Char(char),
}

/// The pieces of a pattern, each with its text.
pub(super) fn pieces(pattern: &str) -> Vec<(Piece, &str)> {
    let last = memchr::memrchr(b']', pattern.as_bytes()).unwrap_or(0);
    let mut pieces = Vec::new();
    let mut at = 0;
    while let Some(char) = pattern[at..].chars().next() {
        let behind = at + char.len_utf8();
        let escaped = pattern[behind..].chars().next();
        let (piece, end) = match (char, escaped) {
            ('\\', Some(escaped)) => (Piece::Escape(escaped), behind + escaped.len_utf8()),
            ('[', _) => match bracket::parse(pattern, behind, last, false) {
                Ok((_, end)) => (Piece::Set, end),
                Err(_) => (Piece::Char('['), behind),
            },
            (char, _) => (Piece::Char(char), behind),
        };
        pieces.push((piece, &pattern[at..end]));
        at = end;
    }
    pieces
}

/// The offset after the `)` of the group that begins with the `(` at `start`.
pub(super) fn end_of_group(pattern: &str, start: usize) -> Option<usize> {
    let (mut depth, mut at) = (0_usize, start);
    for (piece, text) in pieces(&pattern[start..]) {
        at += text.len();
        match piece {
            Piece::Char('(') => depth += 1,
            Piece::Char(')') => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(at);
        }
    }
    None
}

/// The text as a pattern that matches it and nothing else.
pub(super) fn escaped(text: &str) -> String {
    let mut pattern = String::with_capacity(text.len());
    for char in text.chars() {
        if r"\.[]()*+?{}|^$".contains(char) {
            pattern.push('\\');
        }
        pattern.push(char);
    }
    pattern
}
