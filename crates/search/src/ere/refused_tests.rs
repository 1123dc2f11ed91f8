//! Patterns that are refused, or read in another way. What is said of them is tested as text, in
//! `tests/messages/grep.txt`.

use super::{AlternativeReadings, RegexMatcher};

fn matches(pattern: &str, line: &str) -> bool {
    let matcher =
        RegexMatcher::compile(pattern).unwrap_or_else(|error| panic!("{pattern}: {error}"));
    matcher.find_line(line.as_bytes(), 0).is_some()
}

#[test]
fn a_line_feed_that_a_match_need_not_hold_is_no_reason_to_refuse() {
    for pattern in [
        r"foo\n?",
        r"foo(\n|$)",
        r"foo|\n",
        r"\n*foo",
        r"foo(?:\r?\n)*",
        r"foo[\s\n]*",
    ] {
        assert!(matches(pattern, "a foo"), "{pattern}");
    }
}

/// Parts of patterns that are to be refused, or to be read in another way.
const PARTS: &[&str] = &[
    "a",
    "b",
    "é",
    " ",
    "1",
    ".",
    "*",
    "+",
    "?",
    "{2}",
    "{",
    "}",
    "(",
    ")",
    "|",
    "[",
    "]",
    "^",
    "$",
    "-",
    ":",
    ",",
    "=",
    "<",
    ">",
    "'",
    "!",
    "#",
    "\\",
    "\\\\",
    "\n",
    "\r",
    r"\n",
    r"\r",
    r"\h",
    r"\Q",
    r"\E",
    r"\K",
    r"\R",
    r"\x",
    r"\x4",
    r"\x{",
    r"\u0041",
    r"\p",
    r"\p{",
    r"\pL",
    r"\P{Lu}",
    r"\b",
    r"\b{start}",
    r"\k",
    r"\1",
    r"\]",
    r"\|",
    r"\(",
    r"\)",
    r"\{",
    r"\}",
    r"\+",
    r"\w",
    "[^",
    "[[:",
    ":]",
    "[a-",
    "(?",
    "(?:",
    "(?i)",
    "(?x)",
    "(?=",
    "(?!",
    "(?<=",
    "(?<!",
    "(?>",
    "(?(",
    "(?#",
    "(?R)",
    "(?P<",
    "(?P=",
    "(?<n>",
    "(?'n'",
    r"\k<n>",
];

#[test]
fn whatever_is_written_nothing_breaks_and_each_reading_is_a_pattern() {
    let mut number = 0x2545_f491_4f6c_dd1d_u64;
    let mut below = |bound: usize| {
        number ^= number << 13;
        number ^= number >> 7;
        number ^= number << 17;
        usize::try_from(number >> 33).unwrap() % bound
    };
    let window = b"a b1\r\n(a) [b] {2}\n\xc3\xa9|\\h$a\n";
    let mut read = 0;
    for _ in 0..8_000 {
        let pattern: String = (0..=below(8)).map(|_| PARTS[below(PARTS.len())]).collect();
        let outcome = RegexMatcher::compile(&pattern).map(|matcher| matcher.find_line(window, 0));
        let Some(readings) = AlternativeReadings::for_pattern(&pattern, false) else {
            continue;
        };
        let mut first = None;
        for (nth, reading) in readings.all().iter().enumerate() {
            let matcher = RegexMatcher::compile(&reading.pattern).unwrap();
            if matcher.find_line(window, 0).is_some() {
                first = first.or(Some(nth));
                read += u64::from(outcome == Ok(None));
            }
        }
        let all = readings.all().len();
        let any = readings.matcher();
        assert_eq!(readings.first_in(&any, window, all), first, "{pattern:?}");
    }
    assert!(read > 25, "{read}");
}
