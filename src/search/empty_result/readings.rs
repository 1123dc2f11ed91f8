//! Other ways to read a wildcard pattern that names nothing as it is written.

use std::path::Path;

use super::place;

/// Writes the patterns that may have been meant, the likeliest first.
pub(super) fn readings(pattern: &str, path: &str) -> Vec<String> {
    let mut all: Vec<String> = place::unquoted(pattern).into_iter().collect();
    all.extend(without_beginning(pattern, path));
    all.push(pattern.trim_end_matches('/').to_owned());
    all.extend(place::without_line_number(pattern).map(str::to_owned));
    all.extend(list(pattern));
    all.extend(alternatives(pattern));
    all.extend(expression(pattern));
    if pattern.contains('\\') {
        // One at the beginning quotes what follows, or is too much: it leads to no root.
        let relative = pattern.trim_start_matches('\\');
        all.push(relative.replace("\\\\", "/").replace('\\', "/"));
    }
    let extension = pattern.strip_prefix('.').unwrap_or(pattern);
    if (1..=8).contains(&extension.len()) && extension.bytes().all(|b| b.is_ascii_alphanumeric()) {
        all.push(format!("*.{extension}"));
    }
    all.retain(|reading| !reading.is_empty() && reading != pattern);
    all
}

/// Takes away the directories at the beginning that `path` already is, or the slash that makes
/// `path` mean nothing.
fn without_beginning(pattern: &str, path: &str) -> Vec<String> {
    let mut all = Vec::new();
    let relative = pattern.trim_start_matches('/');
    let parts: Vec<&str> = relative.split('/').collect();
    if parts.contains(&"..") {
        return all;
    }
    let is_absolute = relative.len() < pattern.len();
    if is_absolute {
        all.push(relative.to_owned());
    }
    let here = place::absolute(path);
    let mut dropped = String::new();
    for (at, part) in parts.iter().enumerate().take(parts.len() - 1) {
        if part.contains(['*', '?', '[', '{']) {
            break;
        }
        dropped = dropped + part + "/";
        if is_absolute || here.ends_with(Path::new(&dropped)) {
            all.push(parts[at + 1..].join("/"));
        }
    }
    all
}

/// Reads `*.ts,*.tsx`, also with blanks, semicolons or bars between them.
fn list(pattern: &str) -> Option<String> {
    if pattern.contains(['{', '(']) {
        return None;
    }
    let parts = pattern.split([',', ';', '|', ' ', '\n', '\t']);
    let parts: Vec<&str> = parts.filter(|part| !part.is_empty()).collect();
    let extensions: Option<Vec<&str>> = parts
        .iter()
        .map(|part| part.strip_prefix("*.").filter(|rest| !rest.contains('/')))
        .collect();
    (parts.len() > 1).then(|| match extensions {
        Some(extensions) => format!("*.{{{}}}", extensions.join(",")),
        None => format!("{{{}}}", parts.join(",")),
    })
}

/// Reads `*.(ts|tsx)`, `*.@(ts|tsx)`, `*.{ts|tsx}`, `*.{ts, tsx}`, `*.{ts,tsx` and `*.{ts}`.
fn alternatives(pattern: &str) -> Option<String> {
    if pattern.contains('\\') || pattern.contains(".*") || pattern.contains("!(") {
        return None;
    }
    let mut text = pattern.to_owned();
    for before in ["@(", "+(", "?(", "*(", "(?:", "("] {
        text = text.replace(before, "{");
    }
    text = text.replace(')', "}").replace('|', ",");
    let count = |brace| text.matches(brace).count();
    let open = count('{').saturating_sub(count('}'));
    text += &"}".repeat(open);
    text.contains('{')
        .then(|| one_alternative(text.replace(char::is_whitespace, "")))
}

/// Takes braces away that hold one alternative alone.
fn one_alternative(text: String) -> String {
    if text.contains(',') || text.contains("..") {
        return text;
    }
    text.replace(['{', '}'], "")
}

/// Writes `.*\.rs$` and its like as a wildcard pattern.
fn expression(pattern: &str) -> Option<String> {
    let signs = [".*", ".+", "\\.", "\\w", "\\d", "[^/]", "(?:", "(?i)"];
    let (begins, ends) = (pattern.starts_with('^'), pattern.ends_with('$'));
    if !begins && !ends && !signs.iter().any(|sign| pattern.contains(sign)) {
        return None;
    }
    let text = pattern.trim_start_matches("(?i)").trim_start_matches('^');
    let mut text = text.trim_end_matches('$').to_owned();
    for (from, to) in [
        ("[^/]+", "*"),
        ("[^/]*", "*"),
        ("\\w+", "*"),
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
    text = one_alternative(text);
    while text.contains("**") {
        text = text.replace("**", "*");
    }
    // A sign for any directories stands for one here.
    Some(text.replace("*/", "**/"))
}
