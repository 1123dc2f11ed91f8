//! A long line, shown around its match.

use iki_base::wording::{thousands, whole_character};

/// Length of the longest line that is shown whole, and of the part shown of a longer one.
pub const LONG_LINE_BYTES: usize = 500;

/// Number of bytes shown before the match, if enough bytes follow it.
const BYTES_BEFORE_MATCH: usize = 200;

/// Appends `line` to `text`. A long line is cut to the part around `match_start`, or to its
/// beginning if that is not known; its length and the place of the match, from 1, follow.
pub fn push_excerpt(text: &mut Vec<u8>, line: &[u8], match_start: Option<usize>) {
    if line.len() <= LONG_LINE_BYTES {
        return text.extend_from_slice(line);
    }
    let match_offset = match_start.unwrap_or(0);
    let last = line.len() - LONG_LINE_BYTES;
    let start = whole_character(
        line,
        match_offset.saturating_sub(BYTES_BEFORE_MATCH).min(last),
    );
    let end = whole_character(line, start + LONG_LINE_BYTES);
    if start > 0 {
        text.extend_from_slice("…".as_bytes());
    }
    text.extend_from_slice(&line[start..end]);
    if end < line.len() {
        text.extend_from_slice("…".as_bytes());
    }
    let length = thousands(line.len() as u64);
    let place = match match_start {
        Some(offset) => format!(", match at {}", thousands(offset as u64 + 1)),
        None => String::new(),
    };
    text.extend_from_slice(format!(" [{length} bytes{place}]").as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn excerpt(line: &str, match_offset: Option<usize>) -> String {
        let mut text = Vec::new();
        push_excerpt(&mut text, line.as_bytes(), match_offset);
        String::from_utf8(text).unwrap()
    }

    #[test]
    fn a_line_of_500_bytes_is_whole_and_a_longer_one_says_how_long_it_is() {
        let line = "x".repeat(500);
        assert_eq!(excerpt(&line, Some(3)), line);
        let line = "x".repeat(501);
        let line_text = excerpt(&line, Some(0));
        assert_eq!(
            line_text,
            format!("{}… [501 bytes, match at 1]", &line[1..])
        );
    }

    #[test]
    fn the_match_is_in_what_is_shown_wherever_it_is() {
        for before in [0, 1, 199, 200, 201, 700, 216_020] {
            let line = format!("{}needle{}", "é".repeat(before / 2), "z".repeat(600));
            let offset = line.find("needle").unwrap();
            let line_text = excerpt(&line, Some(offset));
            assert!(line_text.contains("needle"), "{before}: {line_text}");
            assert!(line_text.len() < 560, "{before}: {line_text}");
        }
    }

    #[test]
    fn bytes_that_are_no_characters_are_cut_anywhere() {
        let mut text = Vec::new();
        push_excerpt(&mut text, &[0x80; 2000], Some(1000));
        assert!(text.len() < 560);
    }
}
