//! A part of a text by its lines.

use memchr::memchr_iter;

/// Returns `count` lines of `text`, or all, from line number `first` (from 1) on.
pub(crate) fn line_window(text: &str, first: u64, count: Option<u64>) -> &str {
    let after = |start: usize, lines: u64| match usize::try_from(lines) {
        Ok(0) => start,
        Ok(lines) => memchr_iter(b'\n', &text.as_bytes()[start..])
            .nth(lines - 1)
            .map_or(text.len(), |newline| start + newline + 1),
        Err(_) => text.len(),
    };
    let start = after(0, first - 1);
    &text[start..count.map_or(text.len(), |count| after(start, count))]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_of_lines_is_cut_out() {
        let text = "1\n2\n3\n4";
        for (first, count, expected) in [
            (1, None, text),
            (1, Some(1), "1\n"),
            (2, Some(2), "2\n3\n"),
            (4, None, "4"),
            (4, Some(9), "4"),
            (5, None, ""),
            (u64::MAX, Some(u64::MAX), ""),
            (1, Some(u64::MAX), text),
        ] {
            assert_eq!(
                line_window(text, first, count),
                expected,
                "{count:?} from {first}"
            );
        }
        assert_eq!(line_window("", 1, None), "");
    }
}
