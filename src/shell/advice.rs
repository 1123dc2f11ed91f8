//! Advice on a command that failed in `sh` because it is written for bash.
//!
//! Rules: the decisions on bash. Advice is given if the output has an error message of the shell's,
//! in the words of dash (the `sh` of Debian and its kin), and the command has the spelling that the
//! message is about, unquoted.

use std::ffi::OsStr;

use crate::shell::command_shell::find_on_path;

/// Words of bash that `sh` takes for the names of programs.
const WORDS: &str =
    "[[ source function let declare typeset shopt mapfile readarray pushd popd disown time";

/// Other spellings of bash: part of the error message, part of the command, and a name for it.
const SPELLINGS: [(&str, &str, &str); 17] = [
    ("\"(\" unexpected", "function ", "function"),
    ("\"(\" unexpected", "=(", "NAME=(…)"),
    ("\"(\" unexpected", "<(", "<( )"),
    ("\"(\" unexpected", ">(", ">( )"),
    ("redirection unexpected", "<<<", "<<<"),
    ("redirection unexpected", "<(", "<( )"),
    ("\"}\" unexpected", "function ", "function"),
    ("Bad for loop variable", "for ((", "for (("),
    ("\"&\" unexpected", "|&", "|&"),
    ("word unexpected", "time (", "time (…)"),
    ("Bad substitution", "${", "${…}"),
    ("Illegal option -o pipefail", "pipefail", "set -o pipefail"),
    ("read: Illegal option", "read -", "read -X"),
    ("unexpected operator", " == ", "== in [ ]"),
    ("unexpected operator", "[ -v ", "[ -v … ]"),
    (": not found", "((", "(( ))"),
    ("cannot open ", "(( ", "(( ))"),
];

/// Programs that have another name on some systems.
const OTHER_NAMES: [(&str, &str); 5] = [
    ("python", "python3"),
    ("pip", "pip3"),
    ("node", "nodejs"),
    ("fd", "fdfind"),
    ("bat", "batcat"),
];

/// Longest command that is examined, in bytes: longer ones are mostly data.
const LONGEST: usize = 64 * 1024;

/// A sentence or two on why `command` failed in the system's `sh` and what to do. `tail` is the end
/// of its output.
#[must_use]
pub fn advise_on_failure(command: &str, tail: &[u8]) -> Option<String> {
    let complaints = ["sh: ", "-e ", "-ne ", "-en "];
    let mut complaints = complaints
        .iter()
        .map(|words| memchr::memmem::find(tail, words.as_bytes()));
    if command.len() > LONGEST || complaints.all(|found| found.is_none()) {
        return None;
    }
    let tail = String::from_utf8_lossy(tail);
    let command = strip_quoted(command)?;
    let is_echoed = |option: &str| {
        command.contains(&format!("echo {option} "))
            && tail
                .lines()
                .any(|line| line.starts_with(&format!("{option} ")))
    };
    if ["-e", "-ne", "-en"].into_iter().any(is_echoed) {
        return Some(ECHO.to_owned());
    }
    tail.lines()
        .filter_map(parse_message)
        .find_map(|(line, words)| {
            let spelling = find_spelling(&command, words);
            let written_for_bash = spelling.map(|spelling| advise_bash(spelling, line, words));
            written_for_bash.or_else(|| advise_other_name(&command, words))
        })
}

/// Advice on an option of `echo`, which bash would have taken for one.
const ECHO: &str = "The shell here is sh, whose echo prints -e and reads escapes without it; printf '%b\\n' \
    does the same in every shell.";

/// Line number and words of an error message of the shell's: `sh: 1: words`.
fn parse_message(line: &str) -> Option<(u64, &str)> {
    let (number, words) = line.strip_prefix("sh: ")?.split_once(": ")?;
    Some((number.parse().ok()?, words))
}

/// The program that the shell did not find. If a directory of `PATH` may not be searched, the shell
/// reports that instead.
fn missing_program(words: &str) -> Option<&str> {
    let found = words.strip_suffix(": not found");
    found.or_else(|| words.strip_suffix(": Permission denied"))
}

/// The command without its quoted parts; `None` if it has a here-document, which may contain
/// anything.
fn strip_quoted(command: &str) -> Option<String> {
    if command.replace("<<<", "").contains("<<") {
        return None;
    }
    let mut kept = String::with_capacity(command.len());
    let mut characters = command.chars();
    let mut quote = None;
    while let Some(c) = characters.next() {
        match (c, quote) {
            ('\\', None | Some('"')) => drop(characters.next()),
            // Parameters are expanded within double quotes too.
            ('$', Some('"')) => kept.push_str(if characters.as_str().starts_with('{') {
                "${"
            } else {
                "$"
            }),
            ('\'' | '"', None) => quote = Some(c),
            (_, Some(open)) if c == open => quote = None,
            (_, None) => kept.push(c),
            (_, Some(_)) => {}
        }
    }
    Some(kept)
}

/// The spelling of bash in the command that the error message `words` is about.
fn find_spelling(command: &str, words: &str) -> Option<&'static str> {
    let is_called = |word: &str| {
        let mut parts = command.split(|c: char| c.is_whitespace() || ";&|()`".contains(c));
        parts.any(|part| part == word)
    };
    if let Some(name) = missing_program(words)
        && let Some(word) = WORDS.split(' ').find(|word| *word == name)
    {
        return is_called(word).then_some(word);
    }
    let arithmetic = |at: usize| !command[..at].ends_with('$');
    let mut found = SPELLINGS.into_iter().filter(|(message, text, _)| {
        words.contains(message) && command.match_indices(text).any(|(at, _)| arithmetic(at))
    });
    found.next().map(|(_, _, name)| name)
}

/// Advice to use the other name that the missing program has here.
fn advise_other_name(command: &str, words: &str) -> Option<String> {
    let missing = missing_program(words)?;
    let (missing, other) = OTHER_NAMES.iter().find(|(name, _)| *name == missing)?;
    find_on_path(OsStr::new(other))?;
    let is_called = command.split_whitespace().any(|word| word == *missing);
    is_called.then(|| format!("There is no `{missing}` here, but there is `{other}`."))
}

fn advise_bash(spelling: &str, line: u64, words: &str) -> String {
    let how = if find_on_path(OsStr::new("bash")).is_some() {
        "run it as bash -c '…', with each ' in it written '\\'' (or have IKIGAI_SHELL=bash set for \
         this tool), or write it for sh"
    } else {
        "there is no bash here either: write it for sh"
    };
    // The shell finds a syntax error only when it reads that line.
    let before = if line > 1 && words.starts_with("Syntax error") {
        " The lines before the one complained of have been run."
    } else {
        ""
    };
    format!("The shell here is sh, and `{spelling}` is bash's; {how}.{before}")
}
