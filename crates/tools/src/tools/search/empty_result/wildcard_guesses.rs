//! Other ways to read a wildcard pattern that matches nothing as it is written.

use std::fs;
use std::path::Path;

use iki_search::missing_paths::{PathSlip, slips};

/// Writes the patterns that may have been meant, the likeliest first.
pub(super) fn wildcard_guesses(pattern: &str, path: &str) -> Vec<String> {
    use PathSlip::{Backslashes, Diff, Elsewhere, Escaped, Repeated, Root};
    let mut all = Vec::new();
    for (slip, meant) in slips(pattern) {
        // `without_beginning` says what may be left out at the beginning of a pattern.
        if !matches!(
            slip,
            Backslashes | Diff | Elsewhere | Escaped | Repeated | Root
        ) {
            all.push(meant);
        }
    }
    if pattern.is_empty() {
        all.push("*".to_owned());
    }
    all.extend(without_beginning(pattern, path));
    all.extend(list(pattern));
    all.extend(rewritten(pattern));
    if pattern.contains('\\') {
        // A leading one quotes what follows, or is a slip: it never means the root.
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

/// Removes the leading directories that `path` already names, or the slash that overrides `path`.
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
    let here = fs::canonicalize(if path.is_empty() { "." } else { path }).unwrap_or_default();
    let mut dropped = String::new();
    for (index, part) in parts.iter().enumerate().take(parts.len() - 1) {
        if part.contains(['*', '?', '[', '{']) {
            break;
        }
        dropped = dropped + part + "/";
        if is_absolute || here.ends_with(Path::new(&dropped)) {
            all.push(parts[index + 1..].join("/"));
        }
    }
    all
}

/// Reads `*.ts,*.tsx`, also with blanks, semicolons or bars between them.
fn list(pattern: &str) -> Option<String> {
    let parts = list_parts(pattern)?;
    Some(format!("{{{}}}", parts.join(",")))
}

fn list_parts(pattern: &str) -> Option<Vec<&str>> {
    let parts = pattern.split([',', ';', '|', ' ', '\n', '\t']);
    let parts: Vec<&str> = parts.filter(|part| !part.is_empty()).collect();
    (parts.len() > 1 && !pattern.contains(['{', '('])).then_some(parts)
}

/// Reads `*.ts,!a.ts`: the pattern of what is meant, and what is left out of that.
pub(super) fn list_with_exclusions(pattern: &str) -> Option<(String, String)> {
    let parts = list_parts(pattern)?.into_iter();
    let (not, meant): (Vec<&str>, Vec<&str>) = parts.partition(|part| part.starts_with('!'));
    let not: Vec<&str> = not
        .iter()
        .map(|part| part.trim_start_matches('!'))
        .collect();
    let meant = match &*meant {
        [] => return None,
        [only] => (*only).to_owned(),
        several => format!("{{{}}}", several.join(",")),
    };
    (!not.is_empty()).then(|| (meant, not.join(",")))
}

/// The beginnings of lists in other shells, with the braces that come nearest.
const EXTENDED_WILDCARDS: [(&str, &str); 3] = [("@(", "{"), ("+(", "{"), ("?(", "{,")];

/// Signs of regular expressions, with the wildcards of the same meaning.
const FOREIGN_SIGNS: [(&str, &str); 7] = [
    (".*", "*"),
    (".+", "*"),
    ("\\.", "."),
    ("(?:", "{"),
    ("(", "{"),
    (")", "}"),
    ("|", ","),
];

/// Reads `.*\.rs$`, `*.(ts|tsx)`, `*.@(ts|tsx)`, `*.{ts|tsx}`, `*.{ts, tsx}`, `*.{ts,tsx` and
/// `*.{ts}`.
fn rewritten(pattern: &str) -> Option<String> {
    let (begins, ends) = (pattern.starts_with('^'), pattern.ends_with('$'));
    let mut text = pattern.trim_matches(['^', '$']).to_owned();
    for (list, braces) in EXTENDED_WILDCARDS {
        text = text.replace(list, braces);
    }
    let is_sign = |sign: &&str| text.contains(sign);
    let is_expression = begins || ends || [".*", ".+", "\\."].iter().any(is_sign);
    for (sign, wildcard) in FOREIGN_SIGNS {
        text = text.replace(sign, wildcard);
    }
    if is_expression {
        if text.contains('\\') {
            return None;
        }
        if !begins && !text.starts_with('*') && !text.contains('/') {
            text.insert(0, '*');
        }
        if !ends && !text.contains('.') && !text.ends_with('*') {
            text.push('*');
        }
        while text.contains("**") {
            text = text.replace("**", "*");
        }
        // `.*/` in a regular expression spans directories, as `**/` does in a wildcard pattern.
        text = text.replace("*/", "**/");
    }
    let count = |brace| text.matches(brace).count();
    let open = count('{').saturating_sub(count('}'));
    text += &"}".repeat(open);
    if text.contains('{') {
        text = text.replace(char::is_whitespace, "");
    }
    let is_single = !text.contains(',') && !text.contains("..");
    Some(if is_single {
        text.replace(['{', '}'], "")
    } else {
        text
    })
}
