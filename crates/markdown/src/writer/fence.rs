//! Chooses the length of the fence around code.
//!
//! Rules: `CommonMark` 0.31.2, "Code spans" and "Fenced code blocks".

/// Number of backticks around a code span: the smallest that no run inside has.
pub(super) fn span_fence(code: &str) -> usize {
    let mut seen = 0_u64;
    let mut run = 0;
    for byte in code.bytes().chain([b' ']) {
        if byte == b'`' {
            run += 1;
        } else {
            if (1..64).contains(&run) {
                seen |= 1 << run;
            }
            run = 0;
        }
    }
    (1..64)
        .find(|length| seen & (1 << length) == 0)
        .unwrap_or(64)
}

/// The fence of a block: more backticks than any line of the code begins with, or tildes if fewer
/// of them do.
#[must_use]
pub fn block_fence(code: &str) -> (char, usize) {
    let (mut ticks, mut tildes) = (2, 2);
    for line in code.lines() {
        let line = line.trim_start();
        let run = |mark: u8| line.bytes().take_while(|byte| *byte == mark).count();
        match line.as_bytes().first() {
            Some(b'`') => ticks = ticks.max(run(b'`')),
            Some(b'~') => tildes = tildes.max(run(b'~')),
            _ => {}
        }
    }
    if ticks > tildes + 8 {
        ('~', tildes + 1)
    } else {
        ('`', ticks + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_is_fenced_by_a_run_that_it_does_not_hold() {
        assert_eq!(span_fence("a"), 1);
        assert_eq!(span_fence("a`b"), 2);
        assert_eq!(span_fence("a``b"), 1);
        assert_eq!(span_fence("`a``b"), 3);
    }

    #[test]
    fn a_block_is_fenced_longer_than_the_fences_it_holds() {
        assert_eq!(block_fence("a"), ('`', 3));
        assert_eq!(block_fence("```\na\n```"), ('`', 4));
        assert_eq!(block_fence("  `````\n"), ('`', 6));
        assert_eq!(block_fence("a ````` b"), ('`', 3));
        assert_eq!(block_fence(&"`".repeat(1000)), ('~', 3));
    }
}
