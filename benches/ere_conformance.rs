//! How a table of verdicts of glibc's `regcomp` and `regexec` compares with ours:
//!
//! `cargo bench --bench ere_conformance -- TABLE`
//!
//! A row of the table is four columns, parted by tabs: the suite (its name ends
//! in `/i` where case is ignored), the pattern and the subject in hexadecimal,
//! and the verdict: `1`, `0`, `E<code> <text>` or `CRASH …`.

use std::collections::BTreeMap;
use std::process::ExitCode;

use iki_search::ere::RegexMatcher;

fn main() -> ExitCode {
    let Some(path) = std::env::args().skip(1).find(|arg| !arg.starts_with("--")) else {
        println!("no table given, nothing compared");
        return ExitCode::SUCCESS;
    };
    let table = match std::fs::read_to_string(&path) {
        Ok(table) => table,
        Err(error) => {
            eprintln!("{path}: {error}");
            return ExitCode::FAILURE;
        }
    };
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut unlike: BTreeMap<String, (usize, String)> = BTreeMap::new();
    for row in table.lines() {
        let columns: Vec<&str> = row.split('\t').collect();
        let [suite, pattern, subject, verdict] = columns[..] else {
            eprintln!("not a row: {row}");
            return ExitCode::FAILURE;
        };
        let (Ok(pattern), subject) = (String::from_utf8(bytes(pattern)), bytes(subject)) else {
            *counts.entry("pattern is not UTF-8").or_default() += 1;
            continue;
        };
        let flag = if suite.ends_with("/i") { "(?i)" } else { "" };
        let ours = verdict_of(&format!("{flag}{pattern}"), &subject);
        let theirs = match verdict.split_once(' ') {
            Some((code, text)) if code.starts_with('E') => text,
            _ => verdict,
        };
        let kind = if ours == theirs {
            "equal"
        } else if verdict.starts_with("CRASH") {
            "glibc crashes"
        } else if refers_back(&pattern) {
            "back-reference"
        } else if is_extra(&pattern) {
            "form that POSIX leaves undefined"
        } else {
            let key = format!("{suite} {pattern:?}: {theirs} expected, {ours} found");
            let example = String::from_utf8_lossy(&subject).into_owned();
            unlike.entry(key).or_insert((0, example)).0 += 1;
            "unlike"
        };
        *counts.entry(kind).or_default() += 1;
    }
    for (case, (count, example)) in &unlike {
        println!("{case} ({count} times, first on {example:?})");
    }
    for (kind, count) in &counts {
        println!("{count:>8} {kind}");
    }
    ExitCode::from(u8::from(!unlike.is_empty()))
}

fn verdict_of(pattern: &str, subject: &[u8]) -> String {
    let matcher = match RegexMatcher::compile(pattern) {
        Ok(matcher) => matcher,
        Err(error) => return error.to_string(),
    };
    let line = [subject, b"\n"].concat();
    u8::from(matcher.find_line(&line, 0).is_some()).to_string()
}

fn bytes(hexadecimal: &str) -> Vec<u8> {
    hexadecimal
        .as_bytes()
        .chunks(2)
        .filter_map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok())
        .collect()
}

fn refers_back(pattern: &str) -> bool {
    pattern
        .as_bytes()
        .windows(2)
        .any(|pair| pair[0] == b'\\' && matches!(pair[1], b'1'..=b'9'))
}

/// Whether the pattern has a form in which we differ from glibc on purpose: an escaped letter that
/// glibc takes for itself, an escape in brackets, a lazy repetition, a group that begins with `(?`,
/// a brace that opens no interval.
fn is_extra(pattern: &str) -> bool {
    let bytes = pattern.as_bytes();
    let own = |byte: u8| byte.is_ascii_alphabetic() && !b"wWsSbB".contains(&byte);
    let escape = bytes
        .windows(2)
        .any(|pair| pair[0] == b'\\' && (own(pair[1]) || pair[1] == b'0'))
        || pattern
            .find('[')
            .is_some_and(|open| pattern[open..].contains('\\'));
    let group = ["(?", "+?", "}?"].iter().any(|form| pattern.contains(form));
    let brace = bytes
        .iter()
        .enumerate()
        .any(|(at, byte)| *byte == b'{' && !matches!(bytes.get(at + 1), Some(b'0'..=b'9' | b',')));
    escape || group || brace
}
