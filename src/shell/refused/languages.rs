//! How languages tell a refusal that nobody caught: by the messages of their exceptions.

use crate::shell::refused::lines::{Claim, Want};
use crate::shell::refused::names::{self, quoted};

/// Node: `EACCES: permission denied, open '/x'`, `spawn /x EACCES`, `connect EACCES 192.0.2.1:80`.
pub fn of_node(line: &str) -> Option<Vec<Claim>> {
    let code = ["EACCES", "EPERM", "EXDEV"]
        .into_iter()
        .find(|code| line.contains(code))?;
    if line.starts_with("code: ") || line.contains(&format!("error code {code}")) {
        return Some(Vec::new());
    }
    let (head, tail) = line.split_once(code)?;
    let done = head
        .trim_end()
        .rsplit([' ', ':'])
        .next()
        .unwrap_or_default();
    if let Some(rest) = tail.strip_prefix(": ") {
        let words = [
            "permission denied",
            "operation not permitted",
            "cross-device link not permitted",
        ];
        let rest = words
            .into_iter()
            .find_map(|words| rest.strip_prefix(words))?;
        if let Some(rest) = rest.strip_prefix(", ") {
            let (call, names) = rest.split_once(' ').unwrap_or((rest, ""));
            return Some(of_call(call, names, code));
        }
        let place = rest.trim_start();
        return Some(vec![if place.starts_with('/') {
            Claim::bare(Want::Name, place)
        } else {
            Claim::nameless(Want::Network)
        }]);
    }
    let spawned = ["spawnSync ", "spawn "].into_iter().find_map(|call| {
        let (_, program) = head.rsplit_once(call)?;
        Some(program.trim())
    });
    if let Some(program) = spawned.filter(|program| !program.is_empty()) {
        return Some(vec![Claim::new(Want::Execute, program)]);
    }
    match (done, tail.trim_start()) {
        ("connect", place) if place.starts_with('/') => Some(vec![Claim::bare(Want::Write, place)]),
        ("connect" | "listen" | "bind" | "send", _) => Some(vec![Claim::nameless(Want::Network)]),
        ("kill", _) => Some(vec![Claim::nameless(Want::Signal)]),
        _ => None,
    }
}

/// What a system call, as Node calls it, wanted of its one or two names.
fn of_call(call: &str, text: &str, code: &str) -> Vec<Claim> {
    if code == "EPERM" {
        return Vec::new();
    }
    let text = text.strip_prefix('\'').unwrap_or(text);
    let text = text.trim_end().strip_suffix('\'').unwrap_or(text);
    if let Some((one, other)) = text.split_once("' -> '") {
        return match call {
            _ if code == "EXDEV" => pair(Want::Link, one, other),
            "symlink" => vec![Claim::new(Want::Name, other)],
            "copyfile" => vec![Claim::new(Want::Read, one), Claim::new(Want::Write, other)],
            _ => pair(Want::Name, one, other),
        };
    }
    let want = match call {
        "scandir" | "opendir" | "readdir" | "read" | "access" | "watch" => Want::Read,
        "mkdir" | "mkdtemp" | "unlink" | "rmdir" | "rename" | "link" | "symlink" | "rm" => {
            Want::Name
        }
        "ftruncate" | "truncate" | "write" | "utime" | "utimes" => Want::Write,
        _ => Want::Something,
    };
    vec![Claim::new(want, text)]
}

fn pair(want: Want, one: &str, other: &str) -> Vec<Claim> {
    vec![Claim::new(want, one), Claim::new(want, other)]
}

/// npm: `npm error path /x`, after a line with the code. What it takes for a secret in the path are
/// asterisks.
pub fn of_npm(line: &str, before: &[u8]) -> Option<Vec<Claim>> {
    let paths = ["npm error path ", "npm ERR! path "];
    let path = paths
        .into_iter()
        .find_map(|start| line.strip_prefix(start))?;
    let near = before.len().saturating_sub(512);
    let refused = memchr::memmem::find(&before[near..], b" code EACCES").is_some();
    let claims = refused.then(|| Claim::new(Want::Something, path));
    Some(claims.into_iter().collect())
}

/// Python: `PermissionError: [Errno 13] Permission denied: '/x' -> '/y'`.
pub fn of_python(line: &str) -> Option<Vec<Claim>> {
    let (head, tail) = line.split_once("[Errno ")?;
    let (number, tail) = tail.split_once("] ")?;
    if !matches!(number, "1" | "13" | "18") {
        return Some(Vec::new());
    }
    let (_, text) = tail.split_once(": ").unwrap_or((tail, ""));
    let literal = |text: &str| names::literal(text.strip_prefix('b').unwrap_or(text));
    if text.starts_with(['\'', '"']) || text.starts_with("b'") || text.starts_with("b\"") {
        let (one, length) = literal(text)?;
        let skipped = length + usize::from(text.starts_with('b'));
        let other = text[skipped..].strip_prefix(" -> ").and_then(literal);
        return Some(match (number, other) {
            ("18", Some((other, _))) => pair(Want::Link, &one, &other),
            ("1", _) => Vec::new(),
            (_, Some((other, _))) => pair(Want::Name, &one, &other),
            (_, None) => vec![Claim::new(Want::Something, &one)],
        });
    }
    if number == "1" {
        return Some(vec![Claim::nameless(Want::Signal)]);
    }
    let named = quoted(head).into_iter().rfind(|one| one.name.contains('/'));
    Some(vec![match named {
        Some(one) if !head.contains("onnection") => Claim::new(Want::Read, &one.name),
        _ => Claim::nameless(Want::Something),
    }])
}

/// Ruby: `Permission denied @ rb_sysopen - /x (Errno::EACCES)`; Java:
/// `java.nio.file.AccessDeniedException: /x -> /y`.
pub fn of_ruby_and_java(line: &str) -> Option<Vec<Claim>> {
    if let Some((_, tail)) = line.split_once("Permission denied @ ") {
        let (call, names) = tail.split_once(" - ")?;
        let names = names.split(" (Errno::").next()?;
        if let Some((one, other)) = names
            .strip_prefix('(')
            .and_then(|names| names.split_once(", "))
        {
            return Some(pair(Want::Name, one, other.trim_end_matches(')')));
        }
        let want = match call {
            "dir_initialize" | "dir_s_children" => Want::Read,
            "dir_s_mkdir" | "dir_s_rmdir" | "apply2files" => Want::Name,
            _ => Want::Something,
        };
        return Some(vec![Claim::new(want, names)]);
    }
    let (_, names) = line.split_once("AccessDeniedException: ")?;
    let names = names.split(": ").next()?.trim_end();
    Some(match names.split_once(" -> ") {
        Some((one, other)) => pair(Want::Name, one, other),
        None => vec![Claim::new(Want::Something, names)],
    })
}
