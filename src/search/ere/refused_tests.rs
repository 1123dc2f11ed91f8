//! What is refused by name, and what is said to be written instead.

use super::{Matcher, PatternError};

/// Why a pattern is refused.
fn said(pattern: &str) -> String {
    Matcher::compile(pattern).expect_err(pattern).to_string()
}

fn matches(pattern: &str, line: &str) -> bool {
    let matcher = Matcher::compile(pattern).unwrap_or_else(|error| panic!("{pattern}: {error}"));
    matcher.find(line.as_bytes(), 0).is_some()
}

/// What is refused, and the reason.
const REASONS: &[(&str, &str)] = &[
    (
        "foo(?=bar)",
        "look-ahead is not supported: search for `foobar`, which finds the same lines",
    ),
    (
        "foo(?=a|b)",
        "look-ahead is not supported: search for `foo(?:a|b)`, which finds the same lines",
    ),
    (
        "foo(?!bar)",
        "negative look-ahead is not supported: search for `foo`, then filter the lines found",
    ),
    (
        "^(?!.*test).*import",
        "negative look-ahead is not supported: search for `^.*import`, then filter the lines found",
    ),
    (
        r"(?<=def )\w+",
        r"look-behind is not supported: search for `def \w+`, which finds the same lines",
    ),
    (
        r"(?<!\.)print\(",
        r"negative look-behind is not supported: search for `print\(`, then filter the lines found",
    ),
    (
        "(?=.*a)(?=.*b)",
        "look-ahead is not supported: search for `.*b`, then filter the lines found",
    ),
    (
        "(?!a)",
        "negative look-ahead is not supported: search for one part of it, then filter the lines found",
    ),
    (
        "a(?!b)c(?<=d)e(?>f)",
        "negative look-ahead is not supported: search for `ace(?:f)`, then filter the lines found",
    ),
    (
        "(?>a|b)c",
        "the atomic group `(?>…)` is not supported: search for `(?:a|b)c`, then filter the lines found",
    ),
    (
        r"\Qa.b(c)\E+",
        r"`\Q…\E` is not supported: write `a\.b\(c\)+`, which finds the same lines",
    ),
    (
        r"foo\Kbar",
        r"`\K` is not supported: write `foobar`, which finds the same lines",
    ),
    (
        r"^\h*x",
        r"the escape `\h` is not supported: write `^[ \t]*x`, which finds the same lines",
    ),
    (
        r"a\R",
        r"the escape `\R` is not supported: write `$`, or `\\R` for a backslash and `R`",
    ),
    (
        r"\Ga",
        "the escape `\\G` is not supported: leave it out; `^` is the start of a line",
    ),
    (
        r"\j",
        r"the escape `\j` is not supported: write `j` for the letter, `\\j` for a backslash before it",
    ),
    (
        r"\e\[0m",
        r"the escape `\e` is not supported: write `\x1b\[0m`, which finds the same lines",
    ),
    (
        r"a\0",
        r"the escape `\0` is not supported: write `a\x00`, which finds the same lines",
    ),
    (
        "(?(1)a|b)",
        "the conditional `(?(…)…)` is not supported: write the two cases as `(…|…)`",
    ),
    (
        r"\((?R)\)",
        r"recursion into a group is not supported: write one level of nesting out, as in `\([^()]*\)`",
    ),
    (
        "a(?#b)c",
        "the comment `(?#…)` is not supported: write `ac`, which finds the same lines",
    ),
    (
        "(?x) a b",
        "the flag `x` in `(?…)` is not supported: write the pattern without its blanks and comments",
    ),
    (
        "(?-u)a",
        "the flag `u` in `(?…)` is not supported: leave it out; `(?i)` ignores case",
    ),
    (
        r"[\b]",
        r"`\b` cannot stand in brackets: write `\x08` for a backspace, and `\b` before or behind the brackets for a word boundary",
    ),
    (
        r"[\hx]",
        r"`\h` cannot stand in brackets: write `[ \tx]`, which finds the same lines",
    ),
    (
        r"[\1]",
        r"`\1` cannot stand in brackets: write an alternative, as in `([…]|…)`, or `\\` for a backslash before `1`",
    ),
    (
        r"C:\Users",
        r"`\U` lacks its hexadecimal digits: write `\U00000041` or `\U{41}`, and `\\U` for a backslash before the letter",
    ),
    (
        r"\x4",
        r"`\x` lacks its hexadecimal digits: write `\x41` or `\x{41}`, and `\\x` for a backslash before the letter",
    ),
    (
        r"\x{110000}",
        r"there is no character of this number: write one up to `\x{10FFFF}`, and no surrogate",
    ),
    (
        r"\uD83D",
        r"there is no character of this number: write one up to `\x{10FFFF}`, and no surrogate",
    ),
    (
        r"\p{Foo}",
        r"this Unicode property is not known: write one like `\p{L}`, `\p{Lu}`, `\p{Greek}`",
    ),
];

#[test]
fn what_is_not_supported_is_named_and_what_to_write_instead() {
    for (pattern, reason) in REASONS {
        assert_eq!(said(pattern), *reason, "{pattern}");
    }
}

#[test]
fn what_an_error_says_to_write_compiles() {
    for pattern in [
        "foo(?=bar)",
        "foo(?!bar)",
        r"(?<=def )\w+",
        "(?>a|b)c",
        r"\Qa.b(c)\E+",
        r"foo\Kbar",
        r"^\h*x",
        r"\e\[0m",
        "a(?#b)c",
        r"[\hx]",
        "foo\nbar",
        "foo\r\nbar",
        r"a\nb",
        r"^(?=.*foo)(?!.*bar).*$x",
        r"(?<![\w.])foo(?=[\s(])",
    ] {
        let said = said(pattern);
        let advised = said.split('`').rev().nth(1).unwrap();
        assert!(Matcher::compile(advised).is_ok(), "{said}");
    }
}

#[test]
fn a_pattern_that_no_line_can_match_is_refused() {
    let reason = r"no line holds a line feed (`\n`), and lines are searched one by one: ";
    for (pattern, remedy) in [
        (r"foo\n", "write `foo$`, which finds the same lines"),
        ("foo\n", "write `foo$`, which finds the same lines"),
        ("foo\r\n", r"write `foo\r?$`, which finds the same lines"),
        (r"foo\r\n", r"write `foo\r?$`, which finds the same lines"),
        (
            r"foo\s*\n\s*bar",
            r"search for `foo\s*$`, then read the lines around those found",
        ),
        (
            r"a[^\n]\n+b",
            r"search for `a[^\n]$`, then read the lines around those found",
        ),
        (
            r"\nfoo",
            "search for `^foo`, then read the lines around those found",
        ),
        (
            r"(foo\nbar)+x",
            "write `$` for the end of a line, or search for a part that stands in one line",
        ),
        (
            r"\n",
            "write `$` for the end of a line, or search for a part that stands in one line",
        ),
        (
            r"a\x0a|\u{a}b",
            "write `$` for the end of a line, or search for a part that stands in one line",
        ),
        (
            r"[\n]",
            "write `$` for the end of a line, or search for a part that stands in one line",
        ),
    ] {
        assert_eq!(said(pattern), format!("{reason}{remedy}"), "{pattern:?}");
    }
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

/// What patterns grow from that are to be refused, or to be read in another way.
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
fn whatever_is_written_nothing_breaks_and_what_is_advised_compiles() {
    let mut number = 0x2545_f491_4f6c_dd1d_u64;
    let mut below = |bound: usize| {
        number ^= number << 13;
        number ^= number >> 7;
        number ^= number << 17;
        usize::try_from(number >> 33).unwrap() % bound
    };
    let window = b"a b1\r\n(a) [b] {2}\n\xc3\xa9|\\h$a\n";
    let (mut advised, mut noted) = (0, 0);
    for _ in 0..60_000 {
        let pattern: String = (0..=below(8)).map(|_| PARTS[below(PARTS.len())]).collect();
        match Matcher::compile(&pattern) {
            Ok(matcher) => {
                if matcher.find(window, 0).is_none()
                    && let Some(note) = matcher.why_nothing()
                {
                    noted += 1;
                    if note.contains("does match") || note.contains("does occur") {
                        let written = note.split_once("write `").or(note.split_once("here `"));
                        let written = written.unwrap().1.rsplit_once('`').unwrap().0;
                        let matcher = Matcher::compile(written).unwrap();
                        assert!(matcher.find(window, 0).is_some(), "{pattern:?}: {note}");
                    }
                }
            }
            Err(PatternError::Unsupported(unsupported)) => {
                if let Some(instead) = unsupported.instead {
                    advised += 1;
                    let compiled = Matcher::compile(&instead.pattern);
                    assert!(compiled.is_ok(), "{pattern:?}: {instead:?}");
                }
            }
            Err(_) => {}
        }
    }
    assert!(
        advised > 500 && noted > 100,
        "{advised} advised, {noted} noted"
    );
}
