//! Patterns that cost much.

use std::time::{Duration, Instant};

use super::ast::PatternNode;
use super::matcher::RegexMatcher;
use super::parser::parse;
use super::simplify::simplify;
use iki_base::cpu_clock::CpuInstant;

#[test]
fn a_line_is_left_undecided_when_its_time_is_over() {
    let limit = Duration::from_millis(300);
    let matcher = RegexMatcher::compile("((a{50}){50}){20}b").unwrap();
    let matcher = matcher.within(limit);
    let line = "a".repeat(200_000) + "b";
    let began = Instant::now();
    assert_eq!(matcher.find_line(line.as_bytes(), 0), None);
    assert_eq!(matcher.gave_up(), 1);
    assert!(
        began.elapsed() < Duration::from_secs(20),
        "{:?}",
        began.elapsed()
    );
}

#[test]
fn counts_upon_counts_are_one_where_no_number_is_left_out() {
    let simple = |pattern: &str| simplify(parse(pattern).unwrap().node);
    let inner = |pattern: &str| match simple(&format!("x{pattern}y")) {
        PatternNode::Concat(mut nodes) => nodes.remove(1),
        node => node,
    };
    assert_eq!(simple("((a{50}){50}){50}"), simple("(a{25000}){5}"));
    for (stacked, flat) in [
        ("(a{2}){3}", "a{6}"),
        ("(a{1,2}){3}", "a{3,6}"),
        ("(a{2,3}){2,4}", "a{4,12}"),
        ("(a{2,}){3}", "a{6,}"),
        ("(a{1,2}){2,}", "a{2,}"),
    ] {
        assert_eq!(inner(stacked), inner(flat), "{stacked}");
    }
    // No run of three, of one, of five.
    for (pattern, without) in [
        ("(a{2}){1,3}", 3),
        ("(a{2,3}){0,2}", 1),
        ("(a{3,4}){1,2}", 5),
    ] {
        let matcher = RegexMatcher::compile(&format!("^{pattern}$")).unwrap();
        let finds = |count: usize| matcher.find_line("a".repeat(count).as_bytes(), 0).is_some();
        assert!(!finds(without), "{pattern}");
        assert!(finds(4), "{pattern}");
    }
}

#[test]
fn a_long_run_is_found_wherever_it_stands() {
    let find =
        |pattern: &str, window: &[u8]| RegexMatcher::compile(pattern).unwrap().find_line(window, 0);
    let run = |count: usize| "é".repeat(count);
    for count in [1000, 1001, 5000] {
        let window = format!("x\n{}\n{}y\n", run(999), run(count));
        let third = 3 + run(999).len();
        assert_eq!(find("é{1000}", window.as_bytes()), Some(third), "{count}");
        assert!(find("[[:alpha:]]{1000,}", window.as_bytes()).is_some());
        assert_eq!(find(".{6000}", window.as_bytes()), None);
    }
    // A byte that is not part of a character ends a run.
    let broken = [run(600).as_bytes(), b"\xff", run(600).as_bytes()].concat();
    assert_eq!(find(".{1000}", &broken), None);
    assert!(find("((.{10}){10}){6}", &broken).is_some());
    assert_eq!(find("(?i)(É){1000}", run(1000).as_bytes()), Some(0));
}

#[test]
fn a_pattern_of_many_places_finds_the_lines_that_it_finds_at_a_stroke() {
    // More places than are searched at a stroke in a window of this size, and lines of any length.
    let words: Vec<String> = (0..3000).map(|number| format!("word{number}x+y")).collect();
    let matcher = RegexMatcher::compile(&format!("({})$", words.join("|"))).unwrap();
    let mut window = String::new();
    let mut expected = Vec::new();
    for number in 0..3000 {
        if number % 500 == 17 {
            expected.push(window.len());
            window.extend(["a word", &number.to_string(), "xxy\n"]);
        }
        window.extend([
            &*"-".repeat(number % 90),
            "word",
            &number.to_string(),
            "y\n",
        ]);
    }
    let mut from = 0;
    for start in expected {
        let offset = matcher.find_line(window.as_bytes(), from).unwrap();
        let line = window[..offset].rfind('\n').map_or(0, |feed| feed + 1);
        assert_eq!(line, start);
        from = start + window[start..].find('\n').unwrap() + 1;
    }
    assert_eq!(matcher.find_line(window.as_bytes(), from), None);
    assert_eq!(matcher.gave_up(), 0);
}

#[test]
fn a_line_shorter_than_the_pattern_costs_nothing() {
    let matcher = RegexMatcher::compile("(ab{100}){1000}c").unwrap();
    let window = format!("{}\n", "a".repeat(100_000)).repeat(40);
    let began = CpuInstant::now();
    assert_eq!(matcher.find_line(window.as_bytes(), 0), None);
    assert!(
        began.elapsed() < Duration::from_secs(2),
        "{:?}",
        began.elapsed()
    );
    assert_eq!(matcher.gave_up(), 0);
}
