//! One line that may speak of a refusal, and what it says: which names, and what was wanted.

use crate::shell::refused::languages::{of_node, of_npm, of_python, of_ruby_and_java};
use crate::shell::refused::names::{self, quoted};
use crate::shell::refused::wants::want_in;

/// What somebody wanted to do with a name, as far as a message says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Want {
    /// To read a file, to list a directory.
    Read,
    /// To write into a file, which may have to be made.
    Write,
    /// To make, rename or remove what has the name.
    Name,
    /// To give it a second name, or to take it to another directory.
    Link,
    /// To run a program.
    Execute,
    /// A file was opened, or something else was done with it.
    Something,
    /// The network.
    Network,
    /// A signal to a process.
    Signal,
    /// To look into a process.
    Trace,
    /// To mount or unmount something.
    Mount,
    /// A socket of this machine.
    Socket,
}

/// What a line says of a refusal. Whether there was one, and by whom, is not said yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// What was wanted.
    pub want: Want,
    /// Of which name, as it was written: relative to where the program was. Empty where none is
    /// told.
    pub name: Vec<u8>,
    /// It was not quoted, and may have blanks in it as well as words behind it.
    pub bare: bool,
}

impl Claim {
    pub(super) fn new(want: Want, name: &str) -> Self {
        Self {
            want,
            name: names::bytes(name),
            bare: false,
        }
    }

    pub(super) fn nameless(want: Want) -> Self {
        Self::new(want, "")
    }

    pub(super) fn bare(want: Want, name: &str) -> Self {
        Self {
            bare: true,
            ..Self::new(want, name)
        }
    }
}

/// How many lines before one that names nothing its name may stand.
pub const FAR_BACK: usize = 6;

/// What is refused where a program says so in words.
const WORDS: [&str; 8] = [
    "Permission denied",
    "permission denied",
    "PermissionDenied",
    "Operation not permitted",
    "operation not permitted",
    "Invalid cross-device link",
    "insufficient permission",
    "The file could not be accessed",
];

/// What servers say, and what is read from elsewhere: no refusal of this machine's.
const OF_OTHERS: [&str; 7] = [
    "(publickey",
    "(password",
    "(keyboard-interactive",
    "(gssapi",
    "remote: ",
    "Permission denied, please try again",
    "scp: ",
];

/// What is said where there is no way to somewhere.
const OF_NETWORK: [&str; 13] = [
    "resolve host",
    "resolve address",
    "resolve name",
    "unable to resolve",
    "could not resolve",
    "name resolution",
    "name or service not known",
    "eai_again",
    "enotfound",
    "connect",
    "lookup address",
    "dial tcp",
    "network is unreachable",
];

/// What `line` says; `before` is what stood before it. Where the command is `offline`, what cannot
/// be reached is a refusal too.
pub fn read(line: &[u8], before: &[u8], offline: bool) -> Vec<Claim> {
    let line = names::text(line);
    let line = line.trim_matches([' ', '\t']);
    if OF_OTHERS.iter().any(|text| line.contains(text)) {
        return Vec::new();
    }
    let claims = of_npm(line, before)
        .or_else(|| of_node(line))
        .or_else(|| of_python(line))
        .or_else(|| of_ruby_and_java(line))
        .or_else(|| in_words(line))
        .or_else(|| in_other_words(line))
        .unwrap_or_default();
    if claims.iter().any(|claim| !claim.name.is_empty()) {
        return claims;
    }
    let before = names::text(before);
    if offline && is_of_the_network(line, !claims.is_empty(), &before) {
        return vec![Claim::nameless(Want::Network)];
    }
    match claims.first() {
        Some(claim) if claim.want == Want::Something => further_back(&before).into_iter().collect(),
        _ => claims,
    }
}

/// Whether a line, which may be `refused` something and names nothing, is about the network.
fn is_of_the_network(line: &str, refused: bool, before: &str) -> bool {
    let line = line.to_ascii_lowercase();
    if OF_NETWORK.iter().any(|text| line.contains(text)) {
        return true;
    }
    let near = before.lines().rev().take(FAR_BACK);
    let mut near = near.map(str::to_ascii_lowercase);
    let is_bare = line
        .trim_end_matches(['.', '>'])
        .ends_with("permission denied");
    let about = |text: &String| {
        ["connect", "socket", "http", "urlopen"]
            .iter()
            .any(|one| text.contains(one))
    };
    refused
        && is_bare
        && (about(&line) || line.starts_with("failed: ") || near.any(|text| about(&text)))
}

/// The name that a line before told, for one that tells none.
fn further_back(before: &str) -> Option<Claim> {
    before.lines().rev().take(FAR_BACK).find_map(|line| {
        let line = line.trim();
        if line.starts_with("File \"") || line.starts_with("at ") {
            return None;
        }
        let want = want_in(line, program(line));
        let quoted = quoted(line).into_iter().rev();
        let mut quoted = quoted.filter(|one| one.name.starts_with('/'));
        if let Some(one) = quoted.next() {
            return Some(Claim::new(want, &one.name));
        }
        let path = line.rsplit(": ").find_map(path_in)?;
        path.starts_with('/').then(|| Claim::bare(want, path))
    })
}

/// What most programs write: who they are, what they wanted of which name, and why it failed.
fn in_words(line: &str) -> Option<Vec<Claim>> {
    let found = WORDS
        .iter()
        .filter_map(|words| Some((line.find(words)?, *words)));
    let (at, words) = found.min()?;
    let head = line[..at].trim_end_matches([' ', ':', '(', '[', ',', '-', '\t']);
    let tail = &line[at + words.len()..];
    let program = program(line);
    let not_permitted = words.ends_with("ot permitted");
    if not_permitted || program == "mount" || program == "umount" {
        return Some(of_not_permitted(line, program));
    }
    if words == "insufficient permission" {
        let (_, name) = tail.rsplit_once(" database ")?;
        return Some(vec![Claim::bare(Want::Write, name)]);
    }
    if head.contains("Os { code") {
        return Some(vec![Claim::nameless(Want::Something)]);
    }
    let named = quoted_in(head, program, words.starts_with("Invalid"));
    if !named.is_empty() {
        return Some(named);
    }
    // zsh: `zsh:1: permission denied: /x`.
    if let Some(name) = tail.strip_prefix(": ")
        && line.starts_with("zsh")
    {
        // To enter a directory is never refused by Landlock.
        if head.contains(":cd:") {
            return Some(Vec::new());
        }
        let want = if name.contains('/') {
            Want::Something
        } else {
            Want::Execute
        };
        return Some(vec![Claim::bare(want, name)]);
    }
    Some(vec![unquoted_in(head, program)?])
}

/// EPERM, which is not about files here.
fn of_not_permitted(line: &str, program: &str) -> Vec<Claim> {
    let lower = line.to_ascii_lowercase();
    let says = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    let want = if says(&["ptrace", "attach"]) {
        Want::Trace
    } else if says(&["kill", "signal"]) {
        // `kill: (1) - Operation not permitted`
        let number = line.split(['(', ')']).nth(1);
        let number = number.filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()));
        return vec![Claim::new(Want::Signal, number.unwrap_or_default())];
    } else if says(&["connect", "socket"]) && says(&[" bus", "unix", "@", "abstract", "display"]) {
        Want::Socket
    } else if matches!(program, "mount" | "umount")
        || says(&["root filesystem propagation", "pivot_root"])
    {
        Want::Mount
    } else {
        return Vec::new();
    };
    vec![Claim::nameless(want)]
}

/// The quoted names in front of the reason, of which there are one or two.
fn quoted_in(head: &str, program: &str, across: bool) -> Vec<Claim> {
    // What is between backticks is code, unless it is a path.
    let is_name = |one: &names::Quoted| {
        !one.name.is_empty() && (!head[one.at..].starts_with('`') || one.name.contains('/'))
    };
    let mut quoted: Vec<names::Quoted> = quoted(head).into_iter().filter(is_name).collect();
    if quoted.len() > 2 {
        quoted.retain(|one| one.name.contains('/'));
    }
    let Some(first) = quoted.first() else {
        return Vec::new();
    };
    // tar names what it makes in front: `tar: x: Cannot hard link to ‘y’`.
    if let Some((before, _)) = head
        .split_once(": Cannot ")
        .filter(|_| head.contains(" link to ") || head.contains(" symlink to "))
    {
        let name = before.rsplit(": ").next().unwrap_or(before);
        return vec![Claim::bare(Want::Name, name)];
    }
    let said = format!(
        "{} {}",
        &head[..first.at],
        &head[quoted.last().map_or(0, |last| last.end)..]
    );
    let want = if across {
        Want::Link
    } else {
        want_in(&said, program)
    };
    match &quoted[..] {
        [one, ..] if said.contains("symbolic link") => vec![Claim::new(Want::Name, &one.name)],
        [one, other, ..] if said.contains("copy") && !across => {
            vec![
                Claim::new(Want::Read, &one.name),
                Claim::new(Want::Write, &other.name),
            ]
        }
        names => names
            .iter()
            .map(|one| Claim::new(want, &one.name))
            .collect(),
    }
}

/// What stands for no name where a name may stand.
const NO_NAMES: [&str; 14] = [
    "open", "exec", "failed", "connect", "bind", "listen", "socket", "write", "read", "stat",
    "EACCES", "error", "Error", "fatal",
];

/// What stands before a name that is not quoted.
const OPENINGS: [&str; 10] = [
    "cannot create ",
    "cannot open ",
    "can't create ",
    "can't open ",
    "can't read ",
    "cannot run ",
    "cannot access ",
    "Cannot open ",
    "open ",
    "exec ",
];

/// The name in front of the reason, not quoted, and what was wanted of it.
fn unquoted_in(head: &str, program: &str) -> Option<Claim> {
    let parts: Vec<&str> = head.split(": ").map(str::trim).collect();
    let number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let of_dash = parts.get(1).is_some_and(|part| number(part));
    let in_bash = parts
        .get(1)
        .is_some_and(|part| part.strip_prefix("line ").is_some_and(number));
    // To enter a directory is never refused by Landlock.
    if (of_dash || in_bash) && parts.contains(&"cd") {
        return None;
    }
    let path = parts
        .iter()
        .rev()
        .find_map(|part| Some((*part, path_in(part)?)));
    if let Some((part, path)) = path {
        if path.starts_with("/dev/tcp/") || path.starts_with("/dev/udp/") {
            return Some(Claim::nameless(Want::Network));
        }
        let said = head.replacen(path, "", 1);
        let mut want = want_in(&said, program);
        if of_dash && want == Want::Something {
            let opened = part.contains("open ");
            want = if opened { Want::Read } else { Want::Execute };
        }
        return Some(Claim::bare(want, path));
    }
    let known = if parts.len() > 1 { &parts[1..] } else { &[] };
    let name = known.iter().rev().find_map(|part| {
        let opening = OPENINGS
            .iter()
            .find_map(|opening| part.strip_prefix(opening));
        let name = opening.unwrap_or(part).trim();
        let is_name =
            !name.is_empty() && !name.contains(' ') && !number(name) && !NO_NAMES.contains(&name);
        is_name.then_some(name)
    });
    let Some(name) = name else {
        return Some(Claim::nameless(Want::Something));
    };
    let want = match want_in(&head.replacen(name, "", 1), program) {
        Want::Something if of_dash || program == "time" => Want::Execute,
        want => want,
    };
    Some(Claim::bare(want, name))
}

/// What has a slash in it and is no path.
const NO_PATHS: [&str; 8] = [
    "fork/exec",
    "open/read",
    "read/write",
    "I/O",
    "i/o",
    "and/or",
    "input/output",
    "file/directory",
];

/// The path in a part of a message, up to its end.
fn path_in(part: &str) -> Option<&str> {
    let mut at = 0;
    for word in part.split(' ') {
        let inner = word.trim_start_matches(['(', '[', '"', '\'', '`', '<']);
        let is_path = inner.contains('/') && !inner.contains("://") && !NO_PATHS.contains(&inner);
        if is_path {
            let from = at + word.len() - inner.len();
            let path =
                part[from..].trim_end_matches([' ', '.', ',', '"', '\'', '`', '>', ']', '!']);
            let path = path
                .strip_suffix(')')
                .filter(|path| !path.contains('('))
                .unwrap_or(path);
            return (!path.is_empty()).then_some(path);
        }
        at += word.len() + 1;
    }
    None
}

/// The program that a line begins with, without its directory.
fn program(line: &str) -> &str {
    let first = line.split(':').next().unwrap_or_default();
    let first = first.rsplit('/').next().unwrap_or(first);
    first.trim()
}

/// What is said of files that could not be used, without the reason; and of ones that are taken for
/// missing where they may not be looked at.
fn in_other_words(line: &str) -> Option<Vec<Claim>> {
    let named = |want: Want| {
        let quoted = quoted(line).into_iter().rfind(|one| one.name.contains('/'));
        let quoted = quoted.map(|one| Claim::new(want, &one.name));
        quoted.or_else(|| {
            let path = line.rsplit(": ").find_map(path_in)?;
            Some(Claim::bare(want, path))
        })
    };
    let has = |text: &str| line.contains(text);
    if let Some((head, _)) = line.split_once(" may not be run") {
        let (_, name) = head.split_once("the command was not run: ")?;
        return Some(vec![Claim::new(Want::Execute, name)]);
    }
    if has("git repository (or any") {
        return Some(vec![Claim::new(Want::Read, ".")]);
    }
    if has("git repository") || has("fatal: repository") {
        return named(Want::Read).map(|claim| vec![claim]);
    }
    if has("find or open ") {
        let (_, tail) = line.split_once("find or open ")?;
        return Some(vec![Claim::new(Want::Read, tail.split(", ").next()?)]);
    }
    if has("o such file") || has("o matches found") || has(": not found") {
        return Some(vec![of_wildcard(line)?]);
    }
    if has("rror while writing")
        || has("error writing to the directory")
        || has("ould not create output")
        || has("open database")
    {
        return named(Want::Write).map(|claim| vec![claim]);
    }
    let opened = ["an't open", "ouldn't open", "nable to open", "an't list"];
    if opened.iter().any(|text| line.contains(text)) {
        return named(Want::Read).map(|claim| vec![claim]);
    }
    None
}

/// The directory that could not be listed for a wildcard: a shell then takes it for a name, and
/// there is no such file.
fn of_wildcard(line: &str) -> Option<Claim> {
    let quoted = quoted(line).into_iter().map(|one| one.name).next();
    let name = quoted.or_else(|| line.rsplit(": ").find_map(path_in).map(str::to_owned))?;
    let wild = name.find(['*', '?', '['])?;
    let (directory, _) = name[..wild].rsplit_once('/')?;
    let directory = if directory.is_empty() { "/" } else { directory };
    Some(Claim::new(Want::Read, directory))
}
