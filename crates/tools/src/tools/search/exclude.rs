//! The field `exclude`, in all the ways in which it is written: a list, or a text with commas.
//!
//! As for `glob`, brackets of all kinds may be characters of a name: where a name is there as it is
//! written, that is meant, and no pattern.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::contract::failure::{ErrorCode, Failure};
use iki_search::exclusions::Exclusions;

/// Reads the patterns of `texts`, and of `not`, which leaves out what another field does not mean,
/// for a search in the directory `path`. `exists` is asked if such a search finds anything by a
/// pattern.
pub fn parse(
    texts: &[&str],
    not: Option<&str>,
    path: &str,
    exists: impl Fn(&str) -> bool,
) -> Result<Option<Exclusions>, Failure> {
    let is_name = |rule: &str| exists(&as_wildcards(rule));
    let is_in_parentheses = |part: &str| is_name(&rule_of(part, path));
    let (mut patterns, mut not_meant) = (Vec::new(), Vec::new());
    for text in texts {
        split(text, &is_in_parentheses, &mut patterns);
    }
    if let Some(not) = not {
        split(not, &is_in_parentheses, &mut not_meant);
    }
    if let Some(first) = patterns.first().filter(|first| first.starts_with('!')) {
        let message = format!(
            "Invalid pattern in exclude: {first} brings back what a pattern before it leaves out, \
             and there is none"
        );
        let without = Value::from(&first[1..]);
        let note = format!("To leave that out send \"exclude\":{without}.");
        return Err(Failure::new(ErrorCode::InvalidPattern, message).with_note(note));
    }
    let lines = patterns.into_iter().map(|pattern| {
        let line = rule_with_names(&pattern, path, &is_name);
        (Some(pattern), line)
    });
    let not_meant = not_meant.iter().map(|pattern| {
        let pattern = pattern.trim_start_matches('!');
        (None, rule_with_names(pattern, path, &is_name))
    });
    let lines: Vec<(Option<String>, String)> = lines.chain(not_meant).collect();
    if lines.is_empty() {
        return Ok(None);
    }
    let parsed = Exclusions::parse(lines);
    parsed.map(Some).map_err(|reason| {
        let message = format!("Invalid pattern in exclude: {reason}");
        Failure::new(ErrorCode::InvalidPattern, message)
    })
}

/// Says which patterns left nothing out; `None` if all of them did.
pub fn note_on_unmatched(exclusions: &Exclusions) -> Option<String> {
    let unmatched = exclusions.unmatched();
    let blank = unmatched.iter().find(|one| one.contains(' '));
    let send = blank.map(|one| one.split(' ').collect::<Vec<_>>().join(","));
    let send = send.map_or_else(String::new, |send| {
        format!(" Names are separated by commas: \"exclude\":\"{send}\".")
    });
    let unmatched = unmatched.join(", ");
    (!unmatched.is_empty()).then(|| format!("`exclude` left nothing out by {unmatched}.{send}"))
}

/// Adds the patterns that `text` holds: those of a list in JSON, or what stands between commas,
/// semicolons, bars and line ends. Parentheses enclose a list, unless they are part of a name.
pub fn split(text: &str, is_name: &impl Fn(&str) -> bool, patterns: &mut Vec<String>) {
    let text = text.trim();
    if text.starts_with('[') {
        let with_quotes = text.replace('\'', "\"");
        let lists = [text, &with_quotes].map(serde_json::from_str::<Vec<String>>);
        if let Some(list) = lists.into_iter().find_map(Result::ok) {
            for text in list {
                split(&text, is_name, patterns);
            }
            return;
        }
    }
    let parts = parts(text);
    // All would be left out: these are the signs of a name.
    let is_list = parts.len() == 1 || parts.iter().all(|part| !part.trim_matches('*').is_empty());
    for part in if is_list { parts } else { vec![text] } {
        let part = part.trim_matches(['"', '\'', '`']);
        let name = part.trim_start_matches('!');
        let inner = name.strip_prefix('(');
        match inner.and_then(|inner| inner.strip_suffix(')')) {
            Some(inner) if name.contains(['*', '?', ',', ';', '|']) || !is_name(name) => {
                split(inner, is_name, patterns);
            }
            _ if name.is_empty() => {}
            _ => patterns.push(part.to_owned()),
        }
    }
}

/// Splits a list, but not within brackets of any kind.
fn parts(text: &str) -> Vec<&str> {
    let mut level = 0_usize;
    let is_separator = |char: char| {
        match char {
            '{' | '[' | '(' => level += 1,
            '}' | ']' | ')' => level = level.saturating_sub(1),
            _ => {}
        }
        level == 0 && matches!(char, ',' | ';' | '|' | '\n')
    };
    let parts = text.split(is_separator).map(str::trim);
    parts.filter(|part| !part.is_empty()).collect()
}

/// The line of a `.gitignore` in `path` for `pattern`, whose brackets and braces are characters if
/// there is such a name.
fn rule_with_names(pattern: &str, path: &str, is_name: &impl Fn(&str) -> bool) -> String {
    let rule = rule_of(pattern, path);
    // Beside an asterisk or a comma they are hardly characters (`*.[ch]`, `{js,ts}`), and looking
    // for such a name takes a walk.
    let may_be_name = |part: &str| part.contains(['[', '{']) && !part.contains(['*', '?', ',']);
    if !rule.split('/').any(may_be_name) {
        return rule;
    }
    let mut escaped = String::new();
    let mut is_escaped = false;
    for char in rule.chars() {
        if "[]{}".contains(char) && !is_escaped {
            escaped.push('\\');
        }
        is_escaped = char == '\\' && !is_escaped;
        escaped.push(char);
    }
    if is_name(&escaped) { escaped } else { rule }
}

/// The wildcard pattern from the search's directory on for what a line of a `.gitignore` there
/// leaves out.
fn as_wildcards(rule: &str) -> String {
    let pattern = rule.strip_prefix('!').unwrap_or(rule);
    match pattern.strip_prefix('/') {
        Some(below) => format!("./{below}"),
        None if pattern.trim_end_matches('/').contains('/') => pattern.to_owned(),
        None => format!("**/{pattern}"),
    }
}

/// The line of a `.gitignore` in `path` that leaves out what is meant by `pattern`.
fn rule_of(pattern: &str, path: &str) -> String {
    if let Some(brought_back) = pattern.strip_prefix('!') {
        return format!("!{}", rule_of(brought_back, path));
    }
    if let Some(remainder) = pattern.strip_prefix("./") {
        return format!("/{}", remainder.trim_start_matches(['.', '/']));
    }
    let here = if path.is_empty() { "." } else { path };
    if pattern.starts_with('/') {
        let real = fs::canonicalize(here).unwrap_or_default();
        let below = [real.as_path(), Path::new(here)]
            .iter()
            .find_map(|here| Path::new(pattern).strip_prefix(here).ok());
        if let Some(below) = below.filter(|below| *below != Path::new("")) {
            let end = if pattern.ends_with('/') { "/" } else { "" };
            return format!("/{}{end}", below.display());
        }
    }
    // It is also written as a path from the working directory on.
    let below = pattern.strip_prefix(path.trim_start_matches("./").trim_end_matches('/'));
    match below.filter(|below| below.starts_with('/') && !path.is_empty()) {
        Some(below) if !Path::new(here).join(first_name(pattern)).exists() => below.to_owned(),
        _ => pattern.to_owned(),
    }
}

fn first_name(pattern: &str) -> &str {
    pattern.split('/').next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_read_in_all_the_ways_in_which_it_is_written() {
        for (text, patterns) in [
            ("tests", &["tests"][..]),
            ("*.test.ts, docs/", &["*.test.ts", "docs/"]),
            ("tests,benches", &["tests", "benches"]),
            ("tests|benches;x\ny", &["tests", "benches", "x", "y"]),
            (r#"["tests","benches"]"#, &["tests", "benches"]),
            ("['tests', 'a,b']", &["tests", "a", "b"]),
            ("{tests,benches}", &["{tests,benches}"]),
            ("*.{c,h},[a,b]x", &["*.{c,h}", "[a,b]x"]),
            ("!(a|b)", &["a", "b"]),
            ("*,!b", &["*,!b"]),
            ("*.a,!b", &["*.a", "!b"]),
            ("\"tests\"", &["tests"]),
            ("*,v", &["*,v"]),
            ("My Docs", &["My Docs"]),
            (" , ", &[]),
        ] {
            let mut names = Vec::new();
            split(text, &|_| false, &mut names);
            assert_eq!(names, patterns, "{text}");
        }
    }
}
