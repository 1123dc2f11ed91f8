//! What a pattern may have been meant to be that names nothing as it is written.

use std::path::Path;

use super::place;
use crate::paths;

/// What somebody took a wildcard pattern for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Misread {
    /// It begins at the root of the file system, and was to begin at `path`.
    Absolute,
    /// It begins with the directory that it starts from.
    Repeated,
    /// Its directories are parted by backslashes.
    Backslashes,
    /// It is in quotes or has blanks around it.
    Quotes,
    /// It is a regular expression.
    Expression,
    /// It is several patterns, one behind the other.
    List,
    /// Its braces hold blanks.
    Blanks,
    /// Its alternatives are written as in regular expressions or in bash's extended patterns.
    Alternatives,
    /// Its braces hold no comma.
    SingleBrace,
    /// A brace in it is not closed.
    OpenBrace,
    /// It has a sequence in braces.
    Sequence,
    /// It ends in a slash, and what it names is no directory.
    SlashAtEnd,
    /// It is an extension alone.
    Extension,
    /// It names what is to be left out.
    Negation,
    /// It has a line number behind it.
    LineNumber,
}

/// The patterns that may have been meant, the likeliest first.
pub(super) fn readings(pattern: &str, path: &str) -> Vec<(Misread, String)> {
    let mut all: Vec<(Misread, String)> = Vec::new();
    if let Some(plain) = paths::unquoted(pattern) {
        all.push((Misread::Quotes, plain));
    }
    all.extend(without_beginning(pattern, path));
    if let Some(trimmed) = pattern.strip_suffix('/')
        && !trimmed.is_empty()
    {
        all.push((
            Misread::SlashAtEnd,
            trimmed.trim_end_matches('/').to_owned(),
        ));
    }
    if let Some((file, _)) = paths::without_line_number(pattern) {
        all.push((Misread::LineNumber, file.to_owned()));
    }
    all.extend(blanks(pattern).map(|one| (Misread::Blanks, one)));
    all.extend(list(pattern).map(|one| (Misread::List, one)));
    all.extend(alternatives(pattern).map(|one| (Misread::Alternatives, one)));
    all.extend(single_brace(pattern).map(|one| (Misread::SingleBrace, one)));
    all.extend(open_brace(pattern).map(|one| (Misread::OpenBrace, one)));
    all.extend(sequence(pattern).map(|one| (Misread::Sequence, one)));
    all.extend(expression(pattern).map(|one| (Misread::Expression, one)));
    if pattern.contains('\\') {
        all.push((
            Misread::Backslashes,
            // One at the beginning quotes what follows, or is too much: it leads to no root.
            pattern
                .trim_start_matches('\\')
                .replace("\\\\", "/")
                .replace('\\', "/"),
        ));
    }
    let name = pattern.strip_prefix('.').unwrap_or(pattern);
    if (1..=8).contains(&name.len()) && name.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        all.push((Misread::Extension, format!("*.{name}")));
    }
    all.retain(|(_, one)| !one.is_empty() && one != pattern);
    all
}

/// The pattern without the directories at its beginning that `path` already is, or without the
/// slash that makes `path` mean nothing.
fn without_beginning(pattern: &str, path: &str) -> Vec<(Misread, String)> {
    let mut all = Vec::new();
    let relative = pattern.trim_start_matches('/');
    let parts: Vec<&str> = relative.split('/').collect();
    if parts.contains(&"..") {
        return all;
    }
    let is_absolute = relative.len() < pattern.len();
    if is_absolute {
        all.push((Misread::Absolute, relative.to_owned()));
    }
    let here = place::absolute(path);
    let mut dropped = String::new();
    for (at, part) in parts.iter().enumerate().take(parts.len() - 1) {
        if part.contains(['*', '?', '[', '{']) {
            break;
        }
        dropped = dropped + part + "/";
        let rest = parts[at + 1..].join("/");
        if is_absolute {
            all.push((Misread::Absolute, rest));
        } else if here.ends_with(Path::new(&dropped)) {
            all.push((Misread::Repeated, rest));
        }
    }
    all
}

/// `*.ts,*.tsx`, also with blanks, semicolons or bars between them.
fn list(pattern: &str) -> Option<String> {
    if pattern.contains(['{', '(']) {
        return None;
    }
    let parts = pattern.split([',', ';', '|', ' ', '\n', '\t']);
    let parts: Vec<&str> = parts.filter(|part| !part.is_empty()).collect();
    let named = |part: &&str| !part.starts_with('!');
    let named: Vec<&str> = parts.iter().copied().filter(named).collect();
    if parts.len() < 2 {
        return None;
    }
    let extensions: Option<Vec<&str>> = named
        .iter()
        .map(|part| part.strip_prefix("*.").filter(|rest| !rest.contains('/')))
        .collect();
    match (extensions, &named[..]) {
        (_, []) => None,
        (_, [one]) => Some((*one).to_owned()),
        (Some(extensions), _) => Some(format!("*.{{{}}}", extensions.join(","))),
        (None, several) => Some(format!("{{{}}}", several.join(","))),
    }
}

/// `*.{ts, tsx}`.
fn blanks(pattern: &str) -> Option<String> {
    let blank = pattern.contains('{') && pattern.contains(char::is_whitespace);
    blank.then(|| pattern.replace(char::is_whitespace, ""))
}

/// `*.(ts|tsx)`, `*.@(ts|tsx)`, `*.{ts|tsx}`.
fn alternatives(pattern: &str) -> Option<String> {
    if pattern.contains('\\') || pattern.contains(".*") || pattern.contains("!(") {
        return None;
    }
    let mut text = pattern.to_owned();
    for before in ["@(", "+(", "?(", "*(", "(?:", "("] {
        text = text.replace(before, "{");
    }
    text = text.replace(')', "}").replace('|', ",");
    (text.contains('{') && text != pattern).then_some(text)
}

/// `*.{rs}`.
fn single_brace(pattern: &str) -> Option<String> {
    let braces = pattern.contains('{') && pattern.contains('}') && !pattern.contains(',');
    (braces && !pattern.contains("..")).then(|| pattern.replace(['{', '}'], ""))
}

/// `*.{ts,tsx`.
fn open_brace(pattern: &str) -> Option<String> {
    let count = |brace| pattern.matches(brace).count();
    let open = count('{').saturating_sub(count('}'));
    let closed = || pattern.to_owned() + &"}".repeat(open);
    (open > 0 && !pattern.contains('\\')).then(closed)
}

/// `part{1..3}.txt`.
fn sequence(pattern: &str) -> Option<String> {
    let (before, rest) = pattern.split_once('{')?;
    let (range, behind) = rest.split_once('}')?;
    let (first, last) = range.split_once("..")?;
    let members: Vec<String> = if let (Ok(first), Ok(last)) = (first.parse::<u16>(), last.parse()) {
        (first..=last)
            .take(64)
            .map(|number| number.to_string())
            .collect()
    } else if let (&[first], &[last]) = (first.as_bytes(), last.as_bytes())
        && first.is_ascii_alphabetic()
        && last.is_ascii_alphabetic()
    {
        (first..=last)
            .map(|letter| char::from(letter).to_string())
            .collect()
    } else {
        return None;
    };
    (members.len() > 1).then(|| format!("{before}{{{}}}{behind}", members.join(",")))
}

/// `.*\.rs$` and its like, as a wildcard pattern.
fn expression(pattern: &str) -> Option<String> {
    let signs = [".*", ".+", "\\.", "\\w", "\\d", "[^/]", "(?:", "(?i)"];
    let anchored = pattern.starts_with('^') || pattern.ends_with('$');
    if !anchored && !signs.iter().any(|sign| pattern.contains(sign)) {
        return None;
    }
    let mut text = pattern.trim_start_matches("(?i)").to_owned();
    let begins = text.starts_with('^');
    let ends = text.ends_with('$');
    text = text
        .trim_start_matches('^')
        .trim_end_matches('$')
        .to_owned();
    for (from, to) in [
        ("[^/]+", "*"),
        ("[^/]*", "*"),
        ("[a-z]+", "*"),
        ("\\w+", "*"),
        ("\\w*", "*"),
        ("\\d+", "[0-9]*"),
        (".*?", "*"),
        (".+?", "*"),
        (".*", "*"),
        (".+", "*"),
        ("(?:", "{"),
        ("(", "{"),
        (")?", "}"),
        (")", "}"),
        ("|", ","),
        ("\\.", "."),
        ("\\-", "-"),
        ("\\/", "/"),
    ] {
        text = text.replace(from, to);
    }
    if text.contains('\\') {
        return None;
    }
    if !begins && !text.starts_with('*') && !text.contains('/') {
        text.insert(0, '*');
    }
    if !ends && !text.contains('.') && !text.ends_with('*') {
        text.push('*');
    }
    // A group with one alternative only.
    if !text.contains(',') {
        text = text.replace(['{', '}'], "");
    }
    while text.contains("**") {
        text = text.replace("**", "*");
    }
    // What stood for any directories stands for one here.
    Some(text.replace("*/", "**/"))
}
