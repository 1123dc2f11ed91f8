//! Forms that POSIX leaves undefined, lines in windows, bytes that are not text, and
//! patterns and lines that are meant to hurt. The rest is in
//! `tests/search/ere_conformance.rs`, beside the C library.

use std::time::Duration;

use super::{PatternError, RegexMatcher};
use iki_base::cpu_clock::CpuInstant;

fn matches(pattern: &str, line: impl AsRef<[u8]>) -> bool {
    let matcher =
        RegexMatcher::compile(pattern).unwrap_or_else(|error| panic!("{pattern}: {error}"));
    matcher
        .find_line(&[line.as_ref(), b"\n"].concat(), 0)
        .is_some()
}

fn refused(pattern: &str) -> PatternError {
    RegexMatcher::compile(pattern).expect_err(pattern)
}

/// The lines that a pattern finds, searched for as the scanner does.
fn lines<'a>(pattern: &str, window: &'a str) -> Vec<&'a str> {
    let matcher = RegexMatcher::compile(pattern).unwrap();
    let mut hits = Vec::new();
    let mut from = 0;
    while let Some(offset) = matcher.find_line(window.as_bytes(), from) {
        assert!(
            offset >= from && offset <= window.len(),
            "{pattern} in {window:?}: {offset} from {from}"
        );
        let start = window[..offset].rfind('\n').map_or(0, |feed| feed + 1);
        assert!(
            start >= from,
            "{pattern} in {window:?}: {offset} is before {from}"
        );
        let end = window[offset..]
            .find('\n')
            .map_or(window.len(), |feed| offset + feed);
        hits.push(&window[start..end]);
        from = end + 1;
    }
    hits
}

#[test]
fn escapes_mean_what_people_write_them_for() {
    for (pattern, yes, no) in [
        (r"^\d+$", "0123456789", "٣"),
        (r"^\D$", "x", "7"),
        (r"^\s$", "\u{2003}", "\u{a0}"),
        (r"^\S$", "é", " "),
        (r"^\w+$", "naïve_2", "a-b"),
        (r"^\W$", "-", "日"),
        (r"a\tb", "a\tb", "atb"),
        (r"a\r$", "a\r", "ar"),
        (r"^\x41\x2e$", "A.", "AB"),
        (r"^\xe9$", "é", "e9"),
        (r"^\x{e9}\x{1F600}$", "é😀", "e9"),
        (r"^\u0041\u{42}\U00000043$", "ABC", "u0041"),
        (r"^a\f\v\a$", "a\x0c\x0b\x07", "afva"),
        (r"\Aa\z", "a", "ba"),
        (r"a\Z", "ba", "ab"),
        (r"^\p{Lu}\pL+\P{L}$", "Éa1", "éaa"),
        (r"^\p{Greek}\p{^Greek}$", "αa", "αα"),
        (r"^\b{start}a", "a", "é"),
        (r"\bcat\b", "a cat.", "concat"),
        (r"\<cat", "cats", "bobcat"),
        (r"cat\>", "bobcat", "cats"),
        (r"\Bcat", "bobcat", "cat"),
        (r"\`a\'", "a", "ba"),
    ] {
        assert!(matches(pattern, yes), "{pattern} on {yes:?}");
        assert!(!matches(pattern, no), "{pattern} on {no:?}");
    }
}

#[test]
fn classes_keep_their_meaning_in_brackets() {
    for (pattern, yes, no) in [
        (r"^[\w]+$", "a_1é", "a\\"),
        (r"^[\w.-]+$", "a.b-c", "a/b"),
        (r"^[\d-]$", "-", "\\"),
        (r"^[\d,]+$", "1,2", "d"),
        (r"^[^\s]+$", "abc", "a c"),
        (r"^[\S]$", "\\", " "),
        (r"^[\W\d]+$", "-1", "a"),
        (r"^[^\W]$", "w", "-"),
        (r"^[\s\S]+$", "any thing", ""),
        (r"^[\\w]$", "\\", "a"),
        (r"^[\p{Lu}\P{L}]$", "A", "a"),
    ] {
        assert!(matches(pattern, yes), "{pattern} on {yes:?}");
        assert!(!matches(pattern, no), "{pattern} on {no:?}");
    }
}

#[test]
fn case_is_ignored_where_it_is_asked_for() {
    for (pattern, yes, no) in [
        ("(?i)error", "ERRoR", "eror"),
        ("a(?i)b", "aB", "AB"),
        ("(a(?i)b)c", "aBc", "aBC"),
        ("a(?i:b)c", "aBc", "aBC"),
        ("(?i)a(?-i)b", "Ab", "AB"),
        ("(?i)^[a-c]+$", "AbC", "d"),
        ("(?i)^[^a-c]+$", "xyz", "A"),
        ("(?i)^[[:upper:]]$", "x", "1"),
        ("(?i)straße", "STRAßE", "STRASE"),
        ("(?i)^[à-ï]$", "É", "e"),
        ("(?i)^(a)\\1$", "aA", "ab"),
        ("(?is)a.b", "A b", "Ab"),
    ] {
        assert!(matches(pattern, yes), "{pattern} on {yes:?}");
        assert!(!matches(pattern, no), "{pattern} on {no:?}");
    }
}

#[test]
fn groups_need_not_count() {
    assert!(matches("^(?:ab)+$", "abab"));
    assert!(matches(r"^(?:a)(b)\1$", "abb"));
    assert!(!matches(r"^(?:a)(b)\1$", "aba"));
    for pattern in ["(?", "(?i", "(?)", "(?*a)"] {
        assert_eq!(refused(pattern), PatternError::Repetition, "{pattern}");
    }
}

#[test]
fn groups_have_names() {
    for pattern in [
        r"^(?P<one>a|b)(?P=one)$",
        r"^(?<one>a|b)\k<one>$",
        r"^(?'one'a|b)\k'one'$",
        r"^(?<one>a|b)\k{one}$",
        r"^(?<one>a|b)\1$",
    ] {
        assert!(matches(pattern, "bb"), "{pattern}");
        assert!(!matches(pattern, "ab"), "{pattern}");
    }
    let many = "(x)".repeat(20);
    let pattern = format!("^{many}(?<y>y|z)-\\k<y>$");
    assert!(matches(&pattern, format!("{}z-z", "x".repeat(20))));
    assert!(!matches(&pattern, format!("{}z-y", "x".repeat(20))));
    for pattern in [
        r"\k<n>",
        r"(?<n>\k<n>)",
        r"(?<n>a)|\k<n>",
        r"(?<n>a)\k",
        r"(?<n>a)\k<m>",
    ] {
        assert_eq!(refused(pattern), PatternError::BackReference, "{pattern}");
    }
    for pattern in ["(?<>a)", "(?<1>a)", "(?<a b>a)", "(?<n>a)(?<n>b)", "(?P<n)"] {
        let message = refused(pattern).to_string();
        assert!(
            message.starts_with("a group's name"),
            "{pattern}: {message}"
        );
    }
}

#[test]
fn a_lazy_repetition_matches_what_it_repeats() {
    for (pattern, yes, no) in [
        ("^<.*?>$", "<a><b>", "<a"),
        ("^a+?$", "aaa", ""),
        ("^a{2}?$", "aa", ""),
        ("^a{2,}?$", "aaa", "a"),
        ("^a{2,3}?$", "aaa", "a"),
        ("^a{,2}?$", "aa", "aaa"),
        ("^a??$", "a", "aa"),
        ("^a*?$", "aaa", "b"),
        ("^(ab)+?$", "abab", ""),
        ("^[ab]+?$", "ab", ""),
        ("^a+??$", "", "b"),
    ] {
        assert!(matches(pattern, yes), "{pattern} on {yes:?}");
        assert!(!matches(pattern, no), "{pattern} on {no:?}");
    }
}

#[test]
fn a_backslash_escapes_in_brackets() {
    for (pattern, yes, no) in [
        (r"^[ \t]$", "\t", "t"),
        (r"^[^\]]+\]$", "ab]", "a]]"),
        (r"^[\[\]]+$", "[]", "\\"),
        (r"^[\]]$", "]", "\\"),
        (r"^[\]", "\\", "]"),
        (r"^[^\]$", "]", "\\"),
        (r"^[\\]$", "\\", "a"),
        (r"^[\\\]]+$", "\\]", "a"),
        (r"^[\-a]$", "-", "\\"),
        (r"^[a\-z]$", "-", "b"),
        (r"^[\^a]$", "^", "\\"),
        (r"^[\.]$", ".", "\\"),
        (r"^[\/]$", "/", "\\"),
        (r"^[\x41-\x5a]$", "Q", "q"),
        (r"^[\u{41}-\u{5A}]$", "Q", "q"),
        (r"^[ -\]]$", "]", "^"),
        (r"^[\w.-]+$", "a.b-c", "\\"),
        (r"^[\w-]+$", "a-c", "\\"),
        (r"^[\d\s]+$", "1 2", "d"),
        (r"^[^\n]+$", "nnn", ""),
        (r"^[\s\n]$", " ", "n"),
        (r"^[^\S\n]$", "\t", "n"),
        (r"^[\r\n]$", "\r", "r"),
        (r#"^[^"\\]*$"#, "a'", "a\\"),
        (r"^[\p{Lu}_]+$", "ÄB_", "a"),
        (r"^[^\p{Lu}]$", "a", "A"),
        (r"(?i)^[\p{Lu}]$", "a", "1"),
        (r"^[[:alpha:]\d]+$", "a1", ":"),
        (r"^[\[:]+$", "[:", "a"),
        (r"^[\é]$", "é", "\\"),
    ] {
        assert!(matches(pattern, yes), "{pattern} on {yes:?}");
        assert!(!matches(pattern, no), "{pattern} on {no:?}");
    }
    for pattern in [r"[a-\d]", r"[\d-\w]x[z-a]", r"[z-\x41]"] {
        assert_eq!(refused(pattern), PatternError::Range, "{pattern}");
    }
    assert_eq!(refused(r"[a\"), PatternError::Bracket);
    assert_eq!(refused(r"[\d"), PatternError::Bracket);
}

#[test]
fn a_brace_that_opens_no_interval_is_a_brace() {
    for (pattern, line) in [
        ("interface{}", "var x interface{}"),
        ("struct {$", "struct {"),
        (r"\$\{[A-Z]+}", "${HOME}"),
        ("{{", "{{ name }}"),
        ("^{", "{"),
        (r#"{"key": [0-9]+"#, r#"{"key": 12}"#),
        ("map{string}int", "map{string}int"),
    ] {
        assert!(matches(pattern, line), "{pattern}");
    }
    assert_eq!(refused("a{1,x}"), PatternError::Interval);
    assert_eq!(refused("a{1"), PatternError::Brace);
    assert_eq!(refused("{2}"), PatternError::Repetition);
}

#[test]
fn ranges_beyond_ascii_go_by_code_point() {
    assert!(matches("^[а-я]+$", "слово"));
    assert!(matches("[一-龥]", "日"));
    assert!(!matches("[а-я]", "СЛОВО"));
    assert!(matches("^[[.é.][=ü=]]+$", "éü"));
    assert_eq!(refused("[я-а]"), PatternError::Range);
}

#[test]
fn back_references_match_what_their_group_did() {
    for (pattern, yes, no) in [
        (r"(.)\1", "hello", "helo"),
        (r"^(a|b)*\1$", "abb", "aba"),
        (r"<([a-z]+)>.*</\1>", "<b>x</b>", "<b>x</i>"),
        (r"\b(\w+) \1\b", "the the", "the then"),
        (r"^(.+)\1$", "日本日本", "日本本日"),
        (r"(a)\10", "aa0", "aa1"),
    ] {
        assert!(matches(pattern, yes), "{pattern} on {yes:?}");
        assert!(!matches(pattern, no), "{pattern} on {no:?}");
    }
}

#[test]
fn each_matching_line_is_found_once_and_no_other() {
    let window = "foo\n\nbar foo\nbaz\r\n\nlast";
    for (pattern, expected) in [
        ("foo", vec!["foo", "bar foo"]),
        ("^foo", vec!["foo"]),
        ("foo$", vec!["foo", "bar foo"]),
        ("^$", vec!["", ""]),
        ("", vec!["foo", "", "bar foo", "baz\r", "", "last"]),
        ("$", vec!["foo", "", "bar foo", "baz\r", "", "last"]),
        ("x*", vec!["foo", "", "bar foo", "baz\r", "", "last"]),
        ("^x*$", vec!["", ""]),
        ("baz$", vec![]),
        ("baz.$", vec!["baz\r"]),
        ("[^a-z]", vec!["bar foo", "baz\r"]),
        (r"\s", vec!["bar foo", "baz\r"]),
        ("[[:space:]]$", vec!["baz\r"]),
        ("[[:cntrl:]]", vec!["baz\r"]),
        (r"[^x]bar", vec![]),
        (r"o\W*b", vec![]),
        (r"(o)\1$", vec!["foo", "bar foo"]),
        (r"^(\w*)\1$", vec!["", ""]),
        (r"\b", vec!["foo", "bar foo", "baz\r", "last"]),
        (r"^\B$", vec!["", ""]),
        (r"t$", vec!["last"]),
        (r"foo(\n|$)", vec!["foo", "bar foo"]),
        ("foo\n|bar\nbaz|baz", vec!["baz\r"]),
        ("[\n ]", vec!["bar foo"]),
        ("[\t-~]$", vec!["foo", "bar foo", "baz\r", "last"]),
    ] {
        assert_eq!(lines(pattern, window), expected, "{pattern:?}");
    }
}

#[test]
fn after_the_last_line_feed_there_is_no_line() {
    for pattern in [
        "", "^$", "$", "^", "x*", r"\B", r"^\B$", "(x*)\\1", r"$\B", "(^|x)$",
    ] {
        assert_eq!(
            lines(pattern, "a\n").len(),
            lines(pattern, "a").len(),
            "{pattern:?}"
        );
        assert_eq!(lines(pattern, ""), Vec::<&str>::new(), "{pattern:?}");
    }
    assert_eq!(lines("^$", "\n\n"), ["", ""]);
    assert_eq!(lines("^$", "a\n"), Vec::<&str>::new());
}

#[test]
fn text_that_is_everywhere_is_no_hindrance() {
    let mut window = "a self b\n".repeat(5_000);
    window.push_str("é x_self c\nlast x_self\n");
    assert_eq!(lines("[^ ]self", &window), ["é x_self c", "last x_self"]);
    assert_eq!(lines(r"\w_self\b", &window), ["é x_self c", "last x_self"]);
    assert_eq!(lines(r"\bx_\w+\b", &window), ["é x_self c", "last x_self"]);
    assert_eq!(lines(r"\b[k-m]...\b", &window), ["last x_self"]);
}

#[test]
fn bytes_that_are_no_text_hide_nothing_around_them() {
    let line = b"caf\xe9 foo \xff bar";
    for pattern in [
        "foo",
        "foo.*bar",
        "^.*foo",
        "^caf.*bar$",
        r"\bfoo\b",
        r"[^x] bar",
        r"(o)\1 .*b",
        "(?i)FOO",
    ] {
        let is_match = matches(pattern, line);
        // A single character never matches a byte that is not part of one.
        assert_eq!(is_match, pattern != "[^x] bar", "{pattern}");
    }
    assert!(!matches("^caf.$", b"caf\xe9"));
    assert!(!matches(r"(a)\1", b"a\xffa"));
    assert!(!matches(r"^(a)\1$", b"aa\xff"));
    assert!(!matches("^.$", "é".as_bytes().split_last().unwrap().1));
    assert!(matches("^.$", "é"));
    assert!(matches("a.b", "a\0b"));
}

#[test]
fn patterns_without_measure_are_refused_soon() {
    let million = |part: &str| part.repeat(1_000_000 / part.len());
    let began = CpuInstant::now();
    for pattern in [
        million("("),
        million("(a"),
        million("a?"),
        million("a|"),
        million(".*"),
        million("[[:alpha:]]"),
        million("[^a]b"),
        million(r"\b"),
        million(r"\p{L}"),
        format!("[{}]", million(r"\p{L}")),
        million("(ab)*"),
        format!("a{}", million("{2}")),
        "a{32767}{32767}".into(),
        "(a{32767}){32767}".into(),
        "((((a{99}){99}){99}){99}){99}".into(),
        format!("{}a{}", "(".repeat(64), "|b){2}".repeat(64)),
        format!("{}a{}\\1", "(".repeat(65), ")*".repeat(65)),
        format!("(a)\\1{}", million("x")),
        format!(
            "x{}a{}y",
            "(".repeat(64),
            "{1,2}{1,2}{1,2}{1,2}b)".repeat(64)
        ),
    ] {
        assert_eq!(refused(&pattern), PatternError::TooBig, "{pattern:.40}");
    }
    assert!(
        began.elapsed() < Duration::from_secs(60),
        "{:?}",
        began.elapsed()
    );
}

#[test]
fn long_patterns_with_something_unsupported_are_refused_soon() {
    let million = |part: &str| part.repeat(1_000_000 / part.len());
    let began = CpuInstant::now();
    let names = |number: usize| format!("(?<n{number}>a)");
    for pattern in [
        million("(?=a)"),
        million("(?<n>a)"),
        (0..60_000).map(names).collect::<String>() + r"\K",
        million(r"[\]"),
        million(r"[\][:alpha:]"),
        million("(?"),
        million("(?i"),
        million(r"\x{"),
        million(r"\p{"),
        million("foo\n"),
        format!("(?<{}", million("n")),
        format!("(?{}", million("i")),
        million(r"a\Q"),
    ] {
        refused(&pattern);
    }
    assert!(
        began.elapsed() < Duration::from_secs(20),
        "{:?}",
        began.elapsed()
    );
}

#[test]
fn large_patterns_within_measure_are_taken() {
    let long = "a".repeat(1_000_000);
    assert!(matches(&long, &long));
    assert!(!matches(&long, &long[1..]));
    assert!(matches(&format!("a{}", "*".repeat(1_000_000)), "b"));
    assert!(matches("^a{32767}$", "a".repeat(32767)));
    assert!(matches(
        &format!("^{}a{}$", "(".repeat(64), "b*)*".repeat(64)),
        "abbabba"
    ));
    let words: Vec<String> = (0..10_000).map(|number| format!("w{number}x")).collect();
    assert!(matches(&words.join("|"), "a w9999x"));
}

#[test]
fn a_back_reference_that_never_ends_is_given_up_and_counted() {
    let matcher = RegexMatcher::compile(r"^(a|a)*\1b$").unwrap();
    let (short, long) = ("a".repeat(60), "a".repeat(100_000));
    let window = format!("{short}cb\naab\n{long}cb\naaab\n");
    let began = CpuInstant::now();
    let first = matcher.find_line(window.as_bytes(), 0);
    assert_eq!(first, Some(short.len() + 3));
    assert_eq!(matcher.gave_up(), 1);
    let second = matcher.find_line(window.as_bytes(), short.len() + 7);
    assert_eq!(second, Some(window.len() - 5));
    assert_eq!(matcher.gave_up(), 2);
    assert!(
        began.elapsed() < Duration::from_secs(60),
        "{:?}",
        began.elapsed()
    );
    assert_eq!(RegexMatcher::compile("a*").unwrap().gave_up(), 0);
}

#[test]
fn a_long_line_is_searched_for_a_back_reference_to_its_end() {
    let line = "ab".repeat(50_000) + "cc";
    assert!(matches(r"(.)\1", &line));
    assert!(!matches(r"(.)\1", &line[..line.len() - 1]));
    assert!(matches(r"(c)\1$", &line));
}
